// Expressions: what is parsed, how it prints, that it prints back to itself, and where its parts
// stand.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "base/source.h"
#include "check.h"
#include "syntax/parse.h"

// Parses "text", compares its printed form with "want", and parses that again.
static void prints(const char *text, const char *want) {
    struct session s;
    session_init(&s);
    struct ast_expr *e = parse_expr_text(&s, text);
    if (CHECK(e, "'%s': %s", text, s.diags.first ? s.diags.first->message : "")) {
        const char *printed = ast_expr_text(&s, e);
        CHECK_STR(printed, want);
        struct ast_expr *again = parse_expr_text(&s, printed);
        CHECK(again && ast_expr_equal(e, again), "'%s' does not come back", printed);
    }
    session_release(&s);
}

static void printing(void) {
    prints("12", "12");
    prints("0x1F", "0x1F");
    prints("1.50e3", "1.50e3");
    prints(" a . b . threads ", "a.b.threads");
    prints("f()", "f()");
    prints("f( x , k=3,like = y, )", "f(x, k=3, like=y)");
    prints("()", "()");
    prints("( x )", "(x)");
    prints("(1, 2,(3,_))", "(1,2,(3,_))");
    prints("(M, 2 * K)", "(M,2*K)");
    prints("(M + 1, 2 * K)", "(M + 1, 2 * K)");
    prints("(block.x,0)", "(block.x, 0)");
    prints("(t/16,t%16*8+v)", "(t / 16, t % 16 * 8 + v)");
    prints("f(a / 2)", "f(a/2)");
    prints("a*2==b", "a*2 == b");
    prints("a*2+b", "a * 2 + b");
    prints("row( M,K )", "row(M,K)");
    prints("row(b=8,s=2)", "row(b=8, s=2)");
    prints("<M/2:1,_>", "<M/2:1, _>");
    prints("K*8@1@0", "K*8@1@0");
    prints("2*M : -K*4", "2*M:-K * 4");
    prints("<8:1,16:2 , _>", "<8:1, 16:2, _>");
    prints("Sw< 3 ,3,-3>", "Sw<3,3,-3>");
    prints("Sw<3,3,3>o 0 o(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)");
    prints("A o B o C", "A o B o C");
    prints("A o (B o C)", "A o (B o C)");
    prints("4:-1", "4:-1");
    prints("64+(4,8):(1,8)", "64 + (4,8):(1,8)");
    prints("-2:3", "-2:3");
    prints("- - 2", "--2");
    prints("1@0", "1@0");
    prints("(4,8):(1@0, 2@1)", "(4,8):(1@0,2@1)");
    prints("a==b", "a == b");
    prints("1-2-3", "1 - 2 - 3");
    prints("1-(2-3)", "1 - (2 - 3)");
    prints("t(map=(t:128,v:8)->(t,v))", "t(map=(t:128,v:8) -> (t,v))");
    prints("recast(16b, 8b, L)", "recast(16b, 8b, L)");
    prints("L(_,3)(1)", "L(_, 3)(1)");
}

static void differences(void) {
    static const char *const texts[] = {
        "1",         "2",      "1.0",    "a",    "b",   "(a)", "(a,b)", "a(b)",       "a.b",
        "-a",        "a+b",    "a-b",    "a:b",  "1@0", "1@1", "a o b", "<a>",        "Sw<1,2,3>",
        "Sw<1,2,4>", "f(k=1)", "f(j=1)", "f(1)", "_",   "()",  "f()",   "f(m=a -> b)"};
    enum { N = sizeof texts / sizeof *texts };
    struct session s;
    session_init(&s);
    struct ast_expr *e[N];
    for (int i = 0; i < N; i++) e[i] = parse_expr_text(&s, texts[i]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK(e[i] && e[j] && ast_expr_equal(e[i], e[j]) == (i == j), "%s and %s", texts[i],
                  texts[j]);
    CHECK(ast_expr_equal(NULL, NULL) && !ast_expr_equal(e[0], NULL), "with nothing");
    CHECK(ast_expr_equal(e[0], parse_expr_text(&s, "0x1")), "spelling does not count");
    session_release(&s);
}

// Checks that "e" was read from the text "want".
static void stands(struct session *s, const struct ast_expr *e, const char *want) {
    const char *text = s->sources.file[e->at.file].text;
    CHECK_STR(arena_strndup(&s->arena, text + e->at.begin, e->at.end - e->at.begin), want);
}

static void places(void) {
    struct session s;
    session_init(&s);
    struct ast_expr *e = parse_expr_text(&s, "  f(a + b , (4,8) : (1,4)) == Sw<1,2,3> o x o - y ");
    if (!CHECK(e && e->kind == E_BINARY && e->op == OP_EQ, "a comparison")) return;
    stands(&s, e, "f(a + b , (4,8) : (1,4)) == Sw<1,2,3> o x o - y");
    stands(&s, e->lhs, "f(a + b , (4,8) : (1,4))");
    stands(&s, e->lhs->lhs, "f");
    stands(&s, e->lhs->arg[0].value, "a + b");
    stands(&s, e->lhs->arg[1].value, "(4,8) : (1,4)");
    stands(&s, e->lhs->arg[1].value->rhs, "(1,4)");
    CHECK(e->rhs->kind == E_COMPOSE && e->rhs->nargs == 3, "one node for a chain of o");
    stands(&s, e->rhs, "Sw<1,2,3> o x o - y");
    stands(&s, e->rhs->arg[2].value, "- y");
    CHECK(e->name_at.begin == 27 && e->name_at.end == 29, "the operator at %u", e->name_at.begin);
    CHECK(e->depth == 5, "depth %d", e->depth);
    session_release(&s);
}

// Checks that "text" is no expression, for the reason "want".
static void refused(const char *text, const char *want) {
    struct session s;
    session_init(&s);
    CHECK(!parse_expr_text(&s, text), "'%s' is an expression", text);
    if (CHECK(s.diags.first, "'%s': nothing was reported", text))
        CHECK_STR(s.diags.first->message, want);
    session_release(&s);
}

static void refusing(void) {
    refused("", "expected an expression before the end of the expression");
    refused("3 4", "'4' cannot follow the expression");
    refused("a b", "'b' cannot follow the expression");
    refused("(3,", "expected ')' before the end of the expression");
    refused("a o", "expected an expression before the end of the expression");
    refused("1 = 2", "'=' does not compare; write '=='");
    refused("a -> b", "'->' cannot follow the expression");
    refused("1:2:3", "':' cannot follow the expression");
    refused("Sw<1,2>", "a swizzle has three numbers, Sw<B,M,S>: Sw<3,3,3>");
    refused("tensor", "expected an expression before 'tensor'");
    refused("99999999999999999999",
            "'99999999999999999999' is more than the largest integer, 9223372036854775807");

    char *huge = malloc(SOURCE_LIMIT + 2);
    if (!CHECK(huge, "memory")) return;
    memset(huge, ' ', SOURCE_LIMIT + 1);
    huge[SOURCE_LIMIT + 1] = '\0';
    refused(huge, "the expression is too long: File too large");
    free(huge);
}

int main(void) {
    printing();
    differences();
    places();
    refusing();
    return check_done();
}
