// The calculator's other outputs: styles, JSON, tables, steps; and the readers for what others
// print.
#include "layout/gen.h"

static struct lay_ctx ctx;

static struct calc_value eval(const char *text) {
    lay_clear_error(&ctx);
    struct calc_value v = calc_eval(&ctx, text, NULL);
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

static const struct {
    char text[100], want[40];
} forms[] = {
    {"(_4,_8):(_1,_-4)", "(4,8):(1,-4)"},
    {"Layout<Shape<_4,_8>>", "(4,8):(1,4)"},
    {"Layout<Shape<Int<4>,C<8>>, Stride<_8,_1>>{}", "(4,8):(8,1)"},
    {"cute::Layout<cute::tuple<cute::C<4>,cute::C<8>>,cute::tuple<cute::C<1>,cute::C<4>>>",
     "(4,8):(1,4)"},
    {"cute::Layout<cute::Shape<cute::_4,cute::Int<8>>,cute::Stride<cute::_1,cute::_4>>",
     "(4,8):(1,4)"},
    {"make_layout(make_shape(4,8), make_stride(8,1))", "(4,8):(8,1)"},
    {"make_layout(make_shape(Int<4>{}, 8), LayoutRight{})", "(4,8):(8,1)"},
    {"Layout((4, 8), (1, 4))", "(4,8):(1,4)"},
    {"Layout((4,), (2,))", "(4):(2)"},
    {"!cute.layout<\"(4,8):(1,4)\">", "(4,8):(1,4)"},
    {"S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"Layout<Shape<_2,_2>,Stride<E<0>,ScaledBasis<C<3>,1>>>", "(2,2):(1@0,3@1)"},
    {"((4,8):(1,4))", "(4,8):(1,4)"},
    {"128*lda+3+(8):(lda)", "128*lda+3+(8):(lda)"},
};

static int steps;
static void count_step(void *user, int depth, const char *rule, const char *result) {
    CHECK(depth >= 0 && *rule && *result, "a step");
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
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        CHECK_STR(calc_text(&ctx, eval(forms[i].text), CALC_STYLE_TCP), forms[i].want);
    CHECK_STR(calc_json(&ctx, eval("(4,(2)):(1,(4))")),
              "{\"text\":\"(4,(2)):(1,(4))\",\"shape\":[4,[2]],\"stride\":[1,[4]],\"size\":8}");
    CHECK_STR(
        calc_json(&ctx, eval("(M,2):(1,M)")),
        "{\"text\":\"(M,2):(1,M)\",\"shape\":[\"M\",2],\"stride\":[1,\"M\"],\"size\":\"2*M\"}");
    CHECK_STR(calc_json(&ctx, eval("Sw<1,0,1> o 4 o 8:1")),
              "{\"text\":\"Sw<1,0,1> o 4 o "
              "8:1\",\"shape\":8,\"stride\":1,\"swizzle\":[1,0,1],\"offset\":4,"
              "\"size\":8}");
    CHECK_STR(calc_json(&ctx, eval("compatible(4, (2,2))")), "{\"text\":\"true\",\"value\":true}");
    CHECK_STR(calc_json(&ctx, eval("size(4)")), "{\"text\":\"4\",\"value\":4}");
    CHECK_STR(calc_json(&ctx, eval("3+4:1")),
              "{\"text\":\"3+4:1\",\"shape\":4,\"stride\":1,\"offset\":\"3\",\"size\":4}");
    CHECK_STR(calc_table(&ctx, eval("(2,3):(10,1)")), " 0  1  2\n10 11 12\n");
    CHECK_STR(calc_table(&ctx, eval("5+4:2")), " 5  7  9 11\n");
    CHECK_STR(calc_table(&ctx, eval("make_identity_layout((2,2))")), "(0,0) (0,1)\n(1,0) (1,1)\n");
    struct calc_options o = {count_step, &steps};
    calc_eval(&ctx, "zipped_divide((8,6), (4,3))", &o);
    CHECK(steps >= 5, "%d steps of a divide", steps);
    steps = 0;
    calc_eval(&ctx, "logical_product((2,2), 4) o 4:2", &o);
    CHECK(steps >= 4, "%d steps of a product", steps);
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
