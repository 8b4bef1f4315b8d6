// Questions about elements with known answers: what is refuted has the least witness.
#include "ask.h"

// -- none, at least -------------------------------------------------------------------------------

static void none(const char *params, const char *set, const char *want) {
    struct ask x;
    struct prove_witness w = {0};
    ask_begin(&x, params);
    struct prove_set a = ask_set(&x, set);
    enum prove_answer r = prove_none(x.prover, &a, &w);
    CHECK_STR(ask_answer(&x, r, &a, NULL, &w), want);
    ask_end(&x);
}

static const struct ix *expression(struct ask *x, const char *text) {
    x->at = text;
    return ask_sum(x);
}

static void at_least(const char *params, const char *a, const char *b, const char *want) {
    struct ask x;
    ask_begin(&x, params);
    const struct ix *ea = expression(&x, a), *eb = expression(&x, b);
    CHECK_STR(ask_answer(&x, prove_at_least(x.prover, ea, eb), NULL, NULL, NULL), want);
    ask_end(&x);
}

static void test_none(void) {
    none("", "x=0..0 -> x", "yes");
    none("", "x=0..3 if x-3 -> x", "yes");
    none("", "x=0..3 y=0..3 if x+y-3 -> x,y", "no: | x=1 y=2 : (1,2)");
    none("M=1..100", "x=0..M if x-M -> x", "yes");
    none("M=1..100", "x=0..M+1 if x-M -> x", "no: M=1 | x=1 : (1)");
    none("M=5..100", "x=1..M if 2*x-9 -> 2*x", "no: M=6 | x=5 : (10)");
    // a param's divisor
    none("M=8..64%8", "x=0..M/8 if 8*x-M+7 -> x", "yes");
    none("M=8..64%8", "x=0..M/8 if 8*x-M+8 -> x", "no: M=8 | x=0 : (0)");
    // a variable of the question is one value
    none("t=0..128", "x=0..4 if x-t%4, t%4-x, x-t%2-3 -> x", "yes");
    none("t=0..128", "x=0..4 if x-t%4, t%4-x, x-t%2-2 -> x", "no: t=2 | x=2 : (2)");
    // quotients round down below 0
    none("", "x=-8..0 if x/4+2 -> x", "no: | x=-8 : (-8)");
    none("", "x=-8..0 if x/4 -> x", "yes");
    none("", "x=-8..0 if x%4-3 -> x", "no: | x=-5 : (-5)");
}

static void test_at_least(void) {
    at_least("M=1..", "M", "1", "yes");
    at_least("M=1..", "M", "2", "no:");
    at_least("P=1.. L=1.. K=1..; P >= L; L >= K", "P", "K", "yes");
    at_least("P=1.. L=1.. K=1..; P >= L; L > K", "P", "K+1", "yes");
    at_least("P=1.. L=1.. K=1..; P >= L; L >= K", "P", "K+1", "no:");
    at_least("P=1.. L=1.. K=1..; P >= L; L >= K", "K", "P", "no:");
    at_least("P=1.. L=1.. K=1..; K <= L; L < P", "P", "K+1", "yes");
    at_least("P=1.. K=1..; P == K", "P", "K", "yes");
    at_least("P=1.. K=1..; P == K", "K", "P", "yes");
    at_least("P=1.. K=1..; P == 2*K", "K", "P", "no:");
    at_least("P=1.. K=1..; P != K", "P", "K", "no:");
    at_least("A=1..1000 B=1..1000 M=1..; A*B >= M", "32*A*B", "M", "yes");
    at_least("A=1..1000 B=1..1000 M=1..; A*B >= M", "32*A*B", "32*M", "yes");
    at_least("A=1..1000 B=1..1000 M=1..; A*B >= M", "32*A*B", "33*M",
             "unknown: only the bounds of the product 'A*B' are known");
    at_least("A=1..1000 B=1..1000", "A*B", "A", "yes");
    at_least("A=0..1000 B=0..1000", "A*B", "A",
             "unknown: only the bounds of the product 'A*B' are known");
    at_least("M=4..400%4", "M", "4*(M/4)", "yes");
    at_least("M=4..400%4", "4*(M/4)", "M", "yes");
    at_least("M=4..400", "4*(M/4)", "M", "no:");
    at_least("M=4..400", "4*(M/4)", "M-3", "yes");
}

// -- once -----------------------------------------------------------------------------------------

static void once(const char *params, const char *set, int nequal, const char *want) {
    struct ask x;
    struct prove_witness w = {0};
    ask_begin(&x, params);
    struct prove_set a = ask_set(&x, set);
    enum prove_answer r = prove_once(x.prover, &a, nequal, &w);
    CHECK_STR(ask_answer(&x, r, &a, &a, &w), want);
    ask_end(&x);
}

static void test_once(void) {
    once("", "x=0..8 -> x", 0, "yes");
    once("", "x=0..8 -> x/2", 0, "no: | x=0 | x=1 : (0)");
    once("", "x=0..8 -> x%4", 0, "no: | x=0 | x=4 : (0)");
    once("", "x=0..8 -> x%4,x/4", 0, "yes");
    once("", "x=0..8 y=0..4 -> 4*x+y", 0, "yes");
    once("", "x=0..8 y=0..4 -> 3*x+y", 0, "no: | x=0 y=3 | x=1 y=0 : (3)");
    once("", "x=0..8 y=0..4 if 2-y -> 3*x+y", 0, "yes");
    // those alone that are equal in the first variables
    once("", "x=0..8 y=0..4 -> y", 0, "no: | x=0 y=0 | x=1 y=0 : (0)");
    once("", "x=0..8 y=0..4 -> y", 1, "yes");
    once("", "x=0..8 y=0..4 -> y/2", 1, "no: | x=0 y=0 | x=0 y=1 : (0)");
    // a part with two instances beside one that has none
    once("M=0..9", "x=0..8 y=0..M -> y", 0, "no: M=1 | x=0 y=0 | x=1 y=0 : (0)");
    once("M=0..9", "x=0..8 y=M..M -> y", 0, "yes");
    // digits by params
    once("S=1..100 T=1..100", "a=0..S*T -> a%S, a/S", 0, "yes");
    once("S=1..100 T=1..100", "a=0..S*T -> a%S", 0, "no: S=1 T=2 | a=0 | a=1 : (0)");
    once("S=1..100 T=1..100", "a=0..S*T -> a/S", 0, "no: S=2 T=1 | a=0 | a=1 : (0)");
    // sums over a grid
    once("S=1..100 T=1..100", "a=0..S b=0..T -> S*b+a", 0, "yes");
    once("S=1..100 T=1..100", "a=0..S b=0..T -> S*b", 0, "no: S=2 T=1 | a=0 b=0 | a=1 b=0 : (0)");
}

// -- apart ----------------------------------------------------------------------------------------

static void apart(const char *params, const char *a, const char *b, int nequal, int ndiffer,
                  const char *want) {
    struct ask x;
    struct prove_witness w = {0};
    ask_begin(&x, params);
    struct prove_set sa = ask_set(&x, a), sb = ask_set(&x, b);
    enum prove_answer r = prove_apart(x.prover, &sa, &sb, nequal, ndiffer, &w);
    CHECK_STR(ask_answer(&x, r, &sa, &sb, &w), want);
    ask_end(&x);
}

static void test_apart(void) {
    apart("", "x=0..8 -> 2*x", "y=0..8 -> 2*y+1", 0, 0, "yes");
    apart("", "x=0..8 -> 2*x", "y=0..8 -> 3*y+1", 0, 0, "no: | x=2 | y=1 : (4)");
    apart("M=1..64", "x=0..M -> x", "y=M..2*M -> y", 0, 0, "yes");
    apart("M=1..64", "x=0..M+1 -> x", "y=M..2*M -> y", 0, 0, "no: M=1 | x=1 | y=1 : (1)");
    // equal in the first: a step of a loop with itself alone
    apart("", "i=0..8 x=0..4 -> 4*i+x", "i=0..8 y=0..4 -> 4*i+y+4", 0, 0,
          "no: | i=1 x=0 | i=0 y=0 : (4)");
    apart("", "i=0..8 x=0..4 -> 4*i+x", "i=0..8 y=0..4 -> 4*i+y+4", 1, 0, "yes");
    apart("", "i=0..8 x=0..4 -> 4*i+x", "i=0..8 y=0..4 -> 4*i+y+3", 1, 0,
          "no: | i=0 x=3 | i=0 y=0 : (3)");
    // different in the first: other blocks
    apart("", "a=0..8 x=0..4 -> 4*a+x", "a=0..8 y=0..4 -> 4*a+y", 0, 1, "yes");
    apart("", "a=0..8 x=0..5 -> 4*a+x", "a=0..8 y=0..4 -> 4*a+y", 0, 1,
          "no: | a=0 x=4 | a=1 y=0 : (4)");
    // the second of two: in the same iteration, another thread
    apart("", "i=0..4 t=0..8 -> t", "i=0..4 t=0..8 -> t", 1, 1, "yes");
    apart("", "i=0..4 t=0..8 -> t", "i=0..4 t=0..8 -> 7-t", 1, 1, "no: | i=0 t=0 | i=0 t=7 : (0)");
}

// -- whole ----------------------------------------------------------------------------------------

// "sets": with ';' between them
static const char *whole_text(struct ask *x, const char *extent, const char *sets) {
    struct prove_set set[ASK_MOST];
    struct prove_witness w = {0};
    int rank, n = 0;
    x->at = extent;
    const struct ix *const *e = ask_list(x, &rank);
    x->at = sets;
    do {
        set[n++] = ask_set_here(x);
    } while (ask_take(x, ";"));
    return ask_answer(x, prove_whole(x->prover, e, rank, set, n, &w), NULL, NULL, &w);
}

static void whole(const char *params, const char *extent, const char *sets, const char *want) {
    struct ask x;
    ask_begin(&x, params);
    CHECK_STR(whole_text(&x, extent, sets), want);
    ask_end(&x);
}

static void test_whole(void) {
    whole("", "8", "x=0..8 -> x", "yes");
    whole("", "8", "x=0..7 -> x", "no: : (7)");
    whole("", "8", "x=1..8 -> x", "no: : (0)");
    whole("", "8,8", "x=0..8 y=0..8 if 13-x-y -> x,y", "no: : (7,7)");
    whole("", "8", "x=0..4 -> 2*x; x=0..4 -> 2*x+1", "yes");
    whole("", "8", "x=0..4 -> 2*x; x=0..3 -> 2*x+1", "no: : (7)");
    whole("M=1..100", "M", "a=0..(M+7)/8 x=0..8 if M-1-8*a-x -> 8*a+x", "yes");
    whole("M=1..100", "M", "a=0..M/8 x=0..8 if M-1-8*a-x -> 8*a+x", "no: M=1 : (0)");
    whole("M=8..100%8", "M", "a=0..M/8 x=0..8 -> 8*a+x", "yes");
    whole("M=8..100%8", "M", "a=0..M/8 x=0..7 -> 8*a+x", "no: M=8 : (7)");
    // digits of a block's number
    whole("S=1..100 T=1..100", "S,T", "a=0..S*T -> a%S, a/S", "yes");
    whole("S=1..100 T=1..100", "T,S", "a=0..S*T -> a/S, a%S", "yes");
    whole("S=1..100 T=1..100", "S,T", "a=0..S*T -> a%S, 0", "no: S=1 T=2 : (0,1)");
    // a sum over a grid
    whole("S=1..100 T=1..100", "S*T", "a=0..S b=0..T -> S*b+a", "yes");
    whole("S=1..100 T=1..100", "S*T+1", "a=0..S b=0..T -> S*b+a", "no: S=1 T=1 : (1)");
    // chains: each block goes on where the last one ended
    whole("P=1..100 Q=1..100", "Q", "b=0..P i=b*Q/P..(b+1)*Q/P -> i", "yes");
    whole("P=1..100 Q=1..100", "Q+1", "b=0..P i=b*Q/P..(b+1)*Q/P -> i", "no: P=any Q=1 : (1)");
}

// -- written --------------------------------------------------------------------------------------

// "writes": "common equal before: set", with ';' between them
static const char *written_text(struct ask *x, const char *read, const char *writes) {
    struct prove_set set[ASK_MOST];
    struct prove_write write[ASK_MOST];
    struct prove_witness w = {0};
    int n = 0;
    struct prove_set r = ask_set(x, read);
    x->at = writes;
    while (ask_next(x)) {
        int common = (int)ask_number(x), equal = (int)ask_number(x), before = (int)ask_number(x);
        ask_take(x, ":");
        set[n] = ask_set_here(x);
        write[n] = (struct prove_write){&set[n], common, equal, before};
        ++n;
        if (!ask_take(x, ";")) break;
    }
    return ask_answer(x, prove_written(x->prover, &r, write, n, &w), &r, NULL, &w);
}

static void written(const char *params, const char *read, const char *writes, const char *want) {
    struct ask x;
    ask_begin(&x, params);
    CHECK_STR(written_text(&x, read, writes), want);
    ask_end(&x);
}

static void test_written(void) {
    written("", "x=0..8 -> x", "", "no: | x=0 : (0)");
    written("", "x=0..8 -> x", "0 0 1: y=0..8 -> y", "yes");
    written("", "x=0..8 -> x", "0 0 0: y=0..8 -> y", "no: | x=0 : (0)");
    written("", "x=0..8 -> x", "0 0 1: y=0..6 -> y", "no: | x=6 : (6)");
    written("", "x=0..8 -> x", "0 0 1: y=0..4 -> 2*y; 0 0 1: y=0..4 -> 2*y+1", "yes");
    written("N=0..8", "x=0..8 -> x", "0 0 1: i=0..N y=0..8 -> y", "no: N=0 | x=0 : (0)");
    written("N=1..8", "x=0..8 -> x", "0 0 1: i=0..N y=0..8 -> y", "yes");
    // digits of a sum: few instances are listed
    written("", "x=0..35 -> x", "0 0 1: t=0..7 i=0..5 -> (5*t+i)%7*5+(5*t+i)/7", "yes");
    written("", "x=0..35 -> x", "0 0 1: t=0..7 i=0..4 -> (5*t+i)%7*5+(5*t+i)/7", "no: | x=2 : (2)");
    written("", "x=0..36 -> x", "0 0 1: t=0..7 i=0..5 -> (5*t+i)%7*5+(5*t+i)/7",
            "no: | x=35 : (35)");
    written("", "x=0..35 -> x", "0 0 1: t=0..7 i=0..t -> (5*t+i)%7*5+(5*t+i)/7", "no: | x=0 : (0)");
    written("", "x=0..7 y=0..5 -> 5*x+y", "0 0 0: t=0..7 i=0..5 -> (5*t+i)%7*5+(5*t+i)/7",
            "no: | x=0 y=0 : (0)");
    written("", "x=0..5 y=0..7 -> x,y", "0 0 1: t=0..7 i=0..5 -> (5*t+i)/7,(5*t+i)%7", "yes");
    // the same loop around both: written in the iteration before
    written("N=1..8", "i=0..N x=0..8 -> x", "1 0 0: i=0..N y=0..8 -> y", "no: N=1 | i=0 x=0 : (0)");
    written("N=1..8", "i=1..N x=0..8 -> x", "1 0 0: i=0..N y=0..8 -> y", "yes");
    written("N=1..8", "i=0..N x=0..8 -> 8*i+x", "1 0 1: i=0..N y=0..8 -> 8*i+y", "yes");
    written("N=1..8", "i=1..N x=0..8 -> 8*i+x-8", "1 0 0: i=0..N y=0..8 -> 8*i+y", "yes");
    written("N=2..8", "i=1..N x=0..8 -> 8*i+x-7", "1 0 0: i=0..N y=0..8 -> 8*i+y",
            "no: N=2 | i=1 x=7 : (8)");
    // a step's own alone
    written("N=2..8", "i=1..N x=0..8 -> x", "1 1 0: i=0..N y=0..8 -> y", "no: N=2 | i=1 x=0 : (0)");
    written("N=2..8", "i=1..N x=0..8 -> x", "1 1 1: i=0..N y=0..8 -> y", "yes");
}

// -- what is not known ----------------------------------------------------------------------------

static void test_unknown(void) {
    // a product with a param, divided by another one
    whole("S=2..100 T=2..100", "S", "x=0..S -> x*T/S", "unknown: '(T*x) / (S)' is not affine");
    once("S=2..100 T=2..100; T >= S", "x=0..S -> x*T/S", 0, "unknown: '(T*x) / (S)' is not affine");
    // a grid that is no product
    whole("S=2..100 T=1..100", "S*T", "a=0..S-1 b=0..T -> S*b+a", "unknown: 'S*b' is not affine");
    // what does not enter the answer does not hinder it
    once("S=2..100 T=2..100", "x=0..S y=0..T -> x*T/S", 1, "no: S=2 T=2 | x=0 y=0 | x=0 y=1 : (0)");
    // bounds of what is not affine are enough here
    none("S=2..100", "x=0..8 if x%S-S -> x", "yes");
    for (int limit = 0; limit < 2; ++limit) {
        struct ask x;
        ask_begin(&x, "M=1..100");
        prover_free(x.prover);
        x.s.options.proof_limit = limit ? 10 : 0;
        x.prover = prover_new(&x.s, NULL, 0);
        CHECK_STR(whole_text(&x, "M", "a=0..(M+7)/8 x=0..8 if M-1-8*a-x -> 8*a+x"),
                  limit ? "unknown: the proof takes more steps than it may (--proof-limit)"
                        : "yes");
        ask_end(&x);
    }
}

// -- what is not affine ---------------------------------------------------------------------------

static bool refuted_or_unknown(const char *answer) {
    return strncmp(answer, "no:", 3) == 0 || strncmp(answer, "unknown:", 8) == 0;
}

// Is known to be so, with "set"; not with "near".
static void once_but(const char *params, const char *set, const char *near) {
    struct ask x;
    struct prove_witness w = {0};
    once(params, set, 0, "yes");
    ask_begin(&x, params);
    struct prove_set a = ask_set(&x, near);
    enum prove_answer r = prove_once(x.prover, &a, 0, &w);
    CHECK(refuted_or_unknown(ask_answer(&x, r, &a, &a, &w)), "%s", near);
    ask_end(&x);
}

static void none_but(const char *params, const char *set, const char *near) {
    struct ask x;
    struct prove_witness w = {0};
    none(params, set, "yes");
    ask_begin(&x, params);
    struct prove_set a = ask_set(&x, near);
    enum prove_answer r = prove_none(x.prover, &a, &w);
    CHECK(refuted_or_unknown(ask_answer(&x, r, &a, NULL, &w)), "%s", near);
    ask_end(&x);
}

// A place that is not affine is the same one in the same iteration of the loops that it depends on.
static void test_same_place(void) {
    const char *two = "S=2..9 T=2..9", *read = "i=1..4 k=1..S -> k*T/S";
    const char *writes[] = {"2 1 0: i=0..4 k=0..S -> k*T/S", "1 0 0: i=0..4 k=0..S -> k*T/S"};
    written(two, read, "2 2 1: i=0..4 k=0..S -> k*T/S", "yes");
    for (int i = 0; i < 2; ++i) {  // in an earlier iteration alone
        struct ask x;
        ask_begin(&x, two);
        const char *answer = written_text(&x, read, writes[i]);
        CHECK(refuted_or_unknown(answer), "%s: %s", writes[i], answer);
        ask_end(&x);
    }
}

static void test_bounds(void) {
    const char *two = "N=1..100 M=1..100";
    // a product by the bounds of its variable, which another one bounds
    none_but(two, "b=0..M j=0..b if N*j-N*M+N -> j", "b=0..M j=0..b+1 if N*j-N*M+N -> j");
    // a quotient that rises is greatest at the end of its variable
    none_but(two, "j=2..M+2 k=0..(N*j-N)/M if k-N -> k", "j=2..M+2 k=0..(N*j-N)/M+1 if k-N -> k");
    // the quotient of a quotient
    none_but(two, "j=0..1 if M*(N/(4*M))-M*(N/M)-1 -> j", "j=0..1 if M*(N/M)-M*(N/(4*M))-1 -> j");
    none_but(two, "j=0..1 if 4*(N/(4*M))-N/M-1 -> j", "j=0..1 if N/M-4*(N/(4*M))-1 -> j");
    // what rounding takes away
    none_but(two, "j=0..1 if 4*N*(M/4)-N*M-1 -> j", "j=0..1 if N*M-4*N*(M/4)-1 -> j");
    at_least("N=1..100 M=1..100", "N*M", "N*(M/4)", "yes");
}

static void test_elements(void) {
    const char *two = "N=1..100 M=1..100";
    once_but(two, "b=0..M i=b..N -> N*b+i", "b=0..M i=b..N+1 -> N*b+i");
    once_but(two, "b=0..M i=b..N -> N*b+N-1-i", "b=0..M i=b..N -> N*b+N-1-2*(i/2)");
    // the rest is negative throughout, or in some of it
    once_but(two, "b=0..M i=b..N -> N*b-i", "b=0..M i=b..N+1 -> N*b-i");
    // a part of a rotation, a chain with gaps
    once_but(two, "b=0..M i=1..N -> N*b+(i+3*b)%N", "b=0..M i=0..N+1 -> N*b+(i+3*b)%N");
    once_but(two, "b=0..M i=N*b/M+2..(N*b+N)/M -> i", "b=0..M i=N*b/M+2..(N*b+N)/M+3 -> i");
    // a digit by a number that is rotated
    once_but(two, "a=0..2*N b=0..M -> a%2,(a/2+b)%N,b", "a=0..2*N b=0..M -> a%2,(a/2+a)%N,b");
}

static void parts(const char *params, const char *first, const char *second, bool want) {
    struct ask x;
    ask_begin(&x, params);
    struct prove_set set[2];
    set[0] = ask_set(&x, first);
    set[1] = ask_set(&x, second);
    CHECK(prove_all_once(x.prover, set, 2) == want, "%s and %s", first, second);
    ask_end(&x);
}

static void test_parts(void) {
    const char *p = "N=1..100 M=1..100";
    parts(p, "b=0..M i=0..N/3 -> N*b+(i+3*b)%N", "b=0..M k=N/3..N -> N*b+(k+3*b)%N", true);
    parts(p, "b=0..M i=0..N/3+1 -> N*b+(i+3*b)%N", "b=0..M k=N/3..N -> N*b+(k+3*b)%N", false);
    // counted from its own begin on
    parts(p, "b=0..M i=0..N/3 -> N*b+(i+3*b)%N", "b=0..M k=0..N-N/3 -> N*b+(k+N/3+3*b)%N", true);
    parts(p, "b=0..M i=0..N/3 -> N*b+(i+3*b)%N", "b=0..M k=0..N-N/3 -> N*b+(k+N/3+1+3*b)%N", false);
    // with a gap
    parts(p, "b=0..M i=0..N/3 -> N*b+(i+3*b)%N", "b=0..M k=N/3+2..N+1 -> N*b+(k+3*b)%N", false);
    // what is simplified by the range of one is not true in the other: i % N is i below N alone
    parts(p, "i=0..N -> i%N", "k=N..2*N -> k%N", false);
    // where the first ends before it begins, or the second, they are no parts
    parts("N=1..100 M=1..100 K=1..100", "b=0..M i=K..N -> N*b+(i+3*b)%N",
          "b=0..M k=N..K -> N*b+(k+3*b)%N", false);
}

// Two parts of one and a third set, in any order.
static void test_third(void) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const struct {
        const char *text;
        bool want;
    } third[] = {
        {"b=0..M i=0..N -> N*b+i,1", true},
        {"b=0..M i=0..N -> N*b+i,0", false},
        {"i=0..1 -> N*M-1,0", false},
        {"i=0..1 -> N*M,0", true},
    };
    for (int i = 0; i < 4; ++i) {
        const char *const text[] = {"b=0..M i=0..N/3 -> N*b+(i+3*b)%N,0",
                                    "b=0..M k=N/3..N -> N*b+(k+3*b)%N,0", third[i].text};
        for (int k = 0; k < 6; ++k) {
            struct ask x;
            struct prove_set set[3];
            ask_begin(&x, "N=1..100 M=1..100");
            for (int j = 0; j < 3; ++j) set[j] = ask_set(&x, text[order[k][j]]);
            CHECK(prove_all_once(x.prover, set, 3) == third[i].want, "%s, in order %d",
                  third[i].text, k);
            ask_end(&x);
        }
    }
}

int main(void) {
    test_none();
    test_at_least();
    test_once();
    test_apart();
    test_whole();
    test_written();
    test_unknown();
    test_same_place();
    test_bounds();
    test_elements();
    test_parts();
    test_third();
    HOLDS(strncmp(prove_version(), "isl", 3) == 0);
    return check_done();
}
