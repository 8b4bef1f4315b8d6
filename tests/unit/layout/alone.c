// The library by itself: linked with nothing of the compiler, its memory from a static block,
// nothing of it from elsewhere, and all of it given back by setting a mark.
#include "check.h"
#include "layout/algebra.h"

static _Alignas(16) char memory[1 << 16];
static size_t used;

static void *take(void *user, size_t bytes) {
    size_t at = (used + 15) & ~(size_t)15;
    ++*(int *)user;
    if (at + bytes > sizeof memory) {
        fprintf(stderr, "the block is used up\n");
        fflush(stderr);
        __builtin_trap();
    }
    used = at + bytes;
    return memory + at;
}

static int inside(const void *p) {
    return (const char *)p >= memory && (const char *)p < memory + sizeof memory;
}

int main(void) {
    int calls = 0;
    struct lay_ctx ctx;
    lay_init(&ctx, take, &calls);
    const struct lay_sym *m = lay_param(&ctx, "M", 128, 1, (int64_t)1 << 30);
    const struct lay_tuple *shape =
        lay_tuple2(&ctx, lay_leaf(&ctx, lay_int_sym(&ctx, m)), lay_leaf_of(&ctx, 64));
    struct lay a = lay_make_row(&ctx, shape);
    size_t mark = used;
    for (int i = 0; i < 1000; ++i) {
        used = mark;
        struct lay t = lay_zipped_divide(&ctx, a, lay_parse_tiler(&ctx, "(128,32)"));
        CHECK(inside(t.shape) && inside(t.stride) && inside(t.shape->kid[1]->kid[0]), "memory");
        CHECK_STR(lay_text(&ctx, t), "((128,32),(M/128,2)):((64,1),(8192,32))");
    }
    CHECK(calls > 1000 && !ctx.error, "%d calls", calls);
    CHECK(!lay_valid(lay_compose(&ctx, lay_parse(&ctx, "(3,5):(5,1)"), lay_parse(&ctx, "7:2"))),
          "no answer");
    CHECK(inside(ctx.error), "the message");
    return check_done();
}
