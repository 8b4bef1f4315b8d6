// What the lanes of a warp move together, on the machine: each gets what the node says that others
// address, and all of them have to be there.
#include "base/session.h"
#include "check.h"
#include "kernel/widths.h"
#include "machine/values.h"

enum { LANES = 32, THREADS = 64, VALUES = 4, BITS = 32 };

struct test {
    struct session s;
    struct ix_var tid;
    struct kir_buffer from, to;
    struct kir_node move, guard;
    struct kir_kernel k;
    int source[LANES * VALUES];
    struct kir_together together;
};

static const struct ix *times(struct test *x, int64_t n) {
    return ix_scale(&x->s, ix_var(&x->s, &x->tid), lay_int(n));
}

// Thread t addresses elements 4t .. 4t + 3; value v of lane l is value (v + 1) % 4 of the lane
// opposite.
static void begin(struct test *x) {
    *x = (struct test){0};
    session_init(&x->s);
    x->tid = (struct ix_var){IX_TID, "tid", "tid", x->s.next_var++, lay_int(0), lay_int(THREADS)};
    const struct elem_type *f32 = elem_type_find("f32");
    x->from = (struct kir_buffer){.space = MEM_GLOBAL, .name = "a", .elem = f32};
    x->to = (struct kir_buffer){
        .space = MEM_FRAG, .name = "f", .elem = f32, .tensor = 1, .count = VALUES};
    for (int v = 0; v < VALUES; ++v)
        for (int l = 0; l < LANES; ++l)
            x->source[l + LANES * v] = LANES - 1 - l + LANES * ((v + 1) % VALUES);
    x->together = (struct kir_together){VALUES * BITS, VALUES * BITS, LANES, LANES, x->source};
    x->move = (struct kir_node){.kind = KIR_MOVE,
                                .buf = &x->from,
                                .at = times(x, VALUES),
                                .to_buf = &x->to,
                                .to_at = ix_int(&x->s, 0),
                                .bits = VALUES * BITS,
                                .function = "f",
                                .together = &x->together};
    x->guard = (struct kir_node){.kind = KIR_GUARD, .body = &x->move};
    x->k = (struct kir_kernel){.device = true, .name = "k", .threads = THREADS, .tid = &x->tid};
    for (int i = 0; i < 3; ++i) x->k.grid[i] = lay_int(1);
    x->k.body = &x->move;
}

static const char *run(struct test *x, struct image *img) {
    int64_t sym[1] = {0};
    struct sample_set all = {.all_blocks = true, .all_iterations = true};
    struct kir all_of_it = {.kernels = &x->k};
    kir_decide_widths(&x->s, all_of_it.kernels);
    image_set_input(img, 0);
    return kir_run(&x->s, &x->k, sym, &all, img, NULL);
}

static void check_values(int threads) {
    struct test x;
    begin(&x);
    if (threads < THREADS) {
        x.guard.count = threads;
        x.k.body = &x.guard;
    }
    struct image *img = image_new();
    const char *error = run(&x, img);
    CHECK(!error, "%s", error ? error : "");
    for (int t = 0; t < THREADS; ++t) {
        int other = t / LANES * LANES + LANES - 1 - t % LANES;
        for (int v = 0; v < VALUES; ++v) {
            int64_t want = image_tag(0, other * VALUES + (v + 1) % VALUES);
            int64_t got = image_load(img, image_frag(1), image_own(t, VALUES, v));
            CHECK(got == (t < threads ? want : IMAGE_POISON), "value %d of thread %d", v, t);
        }
    }
    image_free(img);
    session_release(&x.s);
}

static void check_partial(void) {
    struct test x;
    begin(&x);
    x.guard.count = LANES + 1;
    x.k.body = &x.guard;
    struct image *img = image_new();
    CHECK_STR(run(&x, img), "a warp's lanes do not all reach what they do together");
    image_free(img);
    session_release(&x.s);
}

int main(void) {
    check_values(THREADS);
    check_values(LANES);
    check_partial();
    return check_done();
}
