// Expressions as `tcpc eval` and plans read them: the values of the real CuTe (tests/golden), which
// the calculator has by itself in unit.layout.golden; and what CuTe and its siblings write for
// values, printed at random and listed.
#include "tell/expression.h"

#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/gen.h"

// The value of "text" as it is printed, or "error: " and why, in the memory of "s".
static const char *said(struct session *s, const char *text) {
    struct calc_value v = expression_value(s, text, NULL);
    const char *printed = v.kind == CALC_NONE ? NULL : calc_text(&s->lay, v, CALC_STYLE_TCP);
    return printed ? printed : arena_printf(&s->arena, "error: %s", s->lay.error);
}

// The rows of "file": op, arguments with " | " between them, and what the calculator makes of it by
// itself.  Where that is an error, so it is here.
static int golden(const char *file) {
    char path[1024], line[8192];
    int rows = 0;
    snprintf(path, sizeof path, "%s/tests/golden/%s", TEST_SOURCE_DIR, file);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL, "no %s", path);
    while (f && fgets(line, sizeof line, f)) {
        const char *op = line;
        char *args = strchr(line, '\t');
        struct calc_operation known;
        if (line[0] == '#' || !args) continue;
        *args++ = 0;
        args[strcspn(args, "\t\n")] = 0;
        bool composed = strncmp(op, "composed_", 9) == 0 && strcmp(op, "composed_eval") != 0;
        if (composed) op += 9;
        if (!calc_known(op, &known) || known.where == IN_PLAN) continue;
        struct session s;
        session_init(&s);
        struct calc_value arg[LAY_MAX_RANK];
        const char *text = arena_printf(&s.arena, "%s(", op);
        int n = 0;
        for (char *next, *at = args; at; at = next, ++n) {
            next = strstr(at, " | ");
            if (next) {
                *next = 0;
                next += 3;
            }
            arg[n] = calc_read(&s.lay, at);
            text = arena_printf(&s.arena, "%s%s%s", text, n ? ", " : "", at);
        }
        struct calc_value v = lay_calc(&s.lay, op, n, arg);
        const char *want = v.kind == CALC_NONE
                               ? "error: "
                               : arena_printf(&s.arena, "%s", calc_text(&s.lay, v, CALC_STYLE_TCP));
        const char *is = said(&s, arena_printf(&s.arena, "%s)", text));
        bool same = v.kind == CALC_NONE ? strncmp(is, want, 7) == 0 : strcmp(is, want) == 0;
        CHECK(same, "%s): %s, not %s", text, is, want);
        ++rows;
        session_release(&s);
    }
    if (f) fclose(f);
    return rows;
}

static const struct {
    char text[100], want[160];
} notations[] = {
    {"(_4,_8):(_1,_-4)", "(4,8):(1,-4)"},
    {"Layout<Shape<_4,_8>>", "(4,8):(1,4)"},
    {"Layout<Shape<Int<4>,C<8>>, Stride<_8,_1>>{}", "(4,8):(8,1)"},
    {"Layout<Shape<Int<4>,C<8>>, Stride<_8,_1>>()", "(4,8):(8,1)"},
    {"cute::Layout<cute::tuple<cute::C<4>,cute::C<8>>,cute::tuple<cute::C<1>,cute::C<4>>>",
     "(4,8):(1,4)"},
    {"cute::Layout<cute::Shape<cute::_4,cute::Int<8>>,cute::Stride<cute::_1,cute::_4>>",
     "(4,8):(1,4)"},
    {"make_layout(make_shape(4,8), make_stride(8,1))", "(4,8):(8,1)"},
    {"make_layout(make_shape(Int<4>{}, 8), LayoutRight{})", "(4,8):(8,1)"},
    {"make_layout((4,8), GenColMajor{})", "(4,8):(1,4)"},
    {"Layout((4, 8), (1, 4))", "(4,8):(1,4)"},
    {"Layout((4,), (2,))", "(4):(2)"},
    {"!cute.layout<\"(4,8):(1,4)\">", "(4,8):(1,4)"},
    {"coalesce(!cute.layout<\"(4,8):(1,4)\">)", "32:1"},
    {"S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})",
     "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"Layout<Shape<_2,_2>,Stride<E<0>,ScaledBasis<C<3>,1>>>", "(2,2):(1@0,3@1)"},
    {"Layout<Shape<_2>,Stride<ScaledBasis<_3,0,1>>>", "(2):(3@1@0)"},
    {"Int<8>{} / C<3>{}", "2"},
    {"constant<int,4> + _4{}", "8"},
    {"Tile<_4,Layout<_2,_4>>{}", "<4,2:4>"},
    {"make_coord(Underscore{}, 3)", "(_,3)"},
    {"((4,8):(1,4))", "(4,8):(1,4)"},
    {"size(Shape<_4,_8>{}) > 3", "true"},
    {"S<3", "error: 'S < 3' cannot be decided when compiling: it depends on the value of 'S'"},
    {"128*lda+3+(8):(lda)", "128*lda+3+(8):(lda)"},
    {"recast_layout(16b, 32b, (4,8):(8,1))", "(4,4):(4,1)"},
    {"Shape<_4,",
     "error: ',' cannot follow the expression; a shape of several modes goes in parentheses: "
     "'(4,8)', at column 9"},
};

// What is printed in each style is read back as what it was.
static void styles(int cases) {
    struct rng rng = {20251101};
    for (int i = 0; i < cases; ++i) {
        struct session s;
        session_init(&s);
        struct lay l = gen_layout(&s.lay, &rng, 2, 4096, 0);
        if (rng_below(&rng, 2))
            l = lay_swizzled(&s.lay, (struct lay_swizzle){2, (int8_t)rng_below(&rng, 3), 3},
                             lay_int(rng_below(&rng, 99)), l);
        for (int style = 0; style < 3; ++style) {
            const char *text = calc_text(&s.lay, calc_of_layout(l), (enum calc_style)style);
            struct calc_value v = expression_value(&s, text, NULL);
            CHECK(v.kind == CALC_LAYOUT && lay_equal(v.layout, l), "%s is read as %s", text,
                  v.kind == CALC_NONE ? s.lay.error : calc_text(&s.lay, v, CALC_STYLE_TCP));
        }
        session_release(&s);
    }
}

// What `tcpc eval --json` prints.
static void json(const char *expression, const char *want) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    expression_json(&s, expression_value(&s, expression, NULL), &b);
    CHECK_STR(b.text, want);
    buf_release(&b);
    session_release(&s);
}

int main(void) {
    int rows = golden("layout_algebra.tsv") + golden("rejects.tsv");
    CHECK(rows > 5900, "%d rows", rows);
    for (size_t i = 0; i < sizeof notations / sizeof *notations; ++i) {
        struct session s;
        session_init(&s);
        CHECK_STR(said(&s, notations[i].text), notations[i].want);
        session_release(&s);
    }
    styles(500);
    json("(4,(2)):(1,(4))",
         "{\"text\":\"(4,(2)):(1,(4))\",\"shape\":[4,[2]],\"stride\":[1,[4]],\"size\":8}");
    json("(M,2):(1,M)",
         "{\"text\":\"(M,2):(1,M)\",\"shape\":[\"M\",2],\"stride\":[1,\"M\"],\"size\":\"2*M\"}");
    json("Sw<1,0,1> o 4 o 8:1",
         "{\"text\":\"Sw<1,0,1> o 4 o 8:1\",\"shape\":8,\"stride\":1,\"swizzle\":[1,0,1],"
         "\"offset\":4,\"size\":8}");
    json("compatible(4, (2,2))", "{\"text\":\"true\",\"value\":true}");
    json("size(4)", "{\"text\":\"4\",\"value\":4}");
    json("3+4:1", "{\"text\":\"3+4:1\",\"shape\":4,\"stride\":1,\"offset\":\"3\",\"size\":4}");
    return check_done();
}
