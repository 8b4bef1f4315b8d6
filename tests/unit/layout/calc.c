// The calculator's other outputs: styles, JSON, tables, steps.
#include "layout/gen.h"
#include "layout/text.h"

static struct lay_ctx ctx;

static struct calc_value eval(const char *text) {
    lay_clear_error(&ctx);
    struct calc_value v = calc_of_text(&ctx, text);
    CHECK(v.kind != CALC_NONE, "%s: %s", text, ctx.error);
    return v;
}

static const struct {
    char text[90], tcp[60], cute[90], pycute[70];
} styles[] = {
    {"(4,(2,3)):(6,(1,2))", "(4,(2,3)):(6,(1,2))",
     "Layout<Shape<_4,Shape<_2,_3>>,Stride<_6,Stride<_1,_2>>>", "Layout((4,(2,3)),(6,(1,2)))"},
    {"(4):(1)", "(4):(1)", "Layout<Shape<_4>,Stride<_1>>", "Layout((4,),(1,))"},
    {"8:-1", "8:-1", "Layout<_8,Int<-1>>", "Layout(8,-1)"},
    {"Sw<3,4,-3> o 16 o 64:1", "Sw<3,4,-3> o 16 o 64:1",
     "ComposedLayout<Swizzle<3,4,-3>,_16,Layout<_64,_1>>",
     "ComposedLayout(Swizzle(3,4,-3),16,Layout(64,1))"},
    {"Sw<3,4,3>", "Sw<3,4,3>", "Swizzle<3,4,3>", "Sw<3,4,3>"},
    {"(4,(8))", "(4,(8))", "Shape<_4,Shape<_8>>", "(4,(8,))"},
};

static int steps;
static void count_step(void *user, const char *rule, const char *result) {
    CHECK(*rule && *result, "a step");
    CHECK(user == &steps, "the user's pointer");
    ++steps;
}

int main(void) {
    struct block b = block_make((size_t)16 << 20);
    block_reset(&b, &ctx);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; ++i) {
        struct calc_value v = eval(styles[i].text);
        CHECK_STR(calc_text(&ctx, v, CALC_STYLE_TCP), styles[i].tcp);
        CHECK_STR(calc_text(&ctx, v, CALC_STYLE_CUTE), styles[i].cute);
        CHECK_STR(calc_text(&ctx, v, CALC_STYLE_PYCUTE), styles[i].pycute);
    }
    CHECK_STR(calc_table(&ctx, eval("(2,3):(10,1)")), " 0  1  2\n10 11 12\n");
    CHECK_STR(calc_table(&ctx, eval("5+4:2")), " 5  7  9 11\n");
    CHECK_STR(calc_table(&ctx, eval("make_identity_layout((2,2))")), "(0,0) (0,1)\n(1,0) (1,1)\n");
    ctx.trace = count_step;
    ctx.trace_user = &steps;
    eval("zipped_divide((8,6), (4,3))");
    CHECK(steps >= 5, "%d steps of a divide", steps);
    steps = 0;
    eval("logical_product((2,2), 4)");
    CHECK(steps >= 2, "%d steps of a product", steps);
    ctx.trace = NULL;
    struct calc_operation op, found;
    const char *before = "";
    for (int i = 0; calc_operation(i, &op); ++i) {
        CHECK(calc_known(op.name, &found) && strcmp(found.name, op.name) == 0, "%s", op.name);
        CHECK(op.min >= 1 && op.max >= op.min, "%s", op.name);
        CHECK(strcmp(before, op.name) < 0, "'%s' stands behind '%s'", op.name, before);
        CHECK(op.args[0] == '(' && op.help[0], "%s", op.name);
        before = op.name;
    }
    CHECK(!calc_known("nothing", NULL) && !calc_known("siz", NULL) && !calc_known("sizes", NULL) &&
              !calc_operation(-1, &op),
          "no operation");
    CHECK(lay_same(&ctx, lay_parse(&ctx, "(2,2):(1,2)"), lay_parse(&ctx, "4:1")),
          "the same function");
    CHECK(!lay_same(&ctx, lay_parse(&ctx, "(2,2):(2,1)"), lay_parse(&ctx, "4:1")),
          "another function");
    free(b.base);
    return check_done();
}
