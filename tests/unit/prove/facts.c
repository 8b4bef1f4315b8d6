// What the prover knows of quotients, remainders and products by params, fact by fact: an expression is never less than its least value, for
// params without an end, and may be less than one more.  The least value is the one of small params, by brute force.
#include "ask.h"
#include "brute.h"

enum { MOST_VARS = 3, SMALL = 7, LARGE = 10 };

static const struct fact {
    int lo[2], mul[2];           // of N and M
    bool ends;                   // N and M are at most SMALL
    const char *var[MOST_VARS];  // "i=0..N"; t is a variable of the question
    const char *e;
} facts[] = {
    // a product: by the least value of each factor, and by its greatest
    {{1, 1}, {1, 1}, false, {NULL}, "N*M-N"},
    {{1, 1}, {1, 1}, false, {NULL}, "N*M-M"},
    {{2, 3}, {1, 1}, false, {NULL}, "N*M-3*N"},
    {{2, 3}, {1, 1}, false, {NULL}, "N*M-2*M"},
    {{1, 1}, {1, 1}, true, {NULL}, "7*N-N*M"},
    {{1, 1}, {1, 1}, true, {NULL}, "7*M-N*M"},
    {{2, 3}, {1, 1}, true, {NULL}, "7*N-N*M"},
    {{2, 3}, {1, 1}, true, {NULL}, "7*M-N*M"},
    {{2, 3}, {1, 1}, false, {NULL}, "N*M*M-9*N"},
    {{2, 3}, {1, 1}, false, {NULL}, "N*N*M-4*M"},
    {{0, 0}, {1, 1}, true, {NULL}, "7*N-N*M"},
    {{2, 2}, {2, 2}, false, {NULL}, "N*M-2*N"},
    // rounded up to a multiple
    {{1, 1}, {1, 1}, false, {NULL}, "8*[N/8]-N"},
    {{1, 1}, {1, 1}, false, {NULL}, "N-8*[N/8]"},
    {{4, 1}, {4, 1}, false, {NULL}, "N-8*[N/8]"},
    {{1, 1}, {1, 1}, false, {NULL}, "N*M-8*[N*M/8]"},
    {{1, 1}, {1, 1}, false, {NULL}, "8*[N*M/8]-N*M"},
    {{1, 1}, {1, 1}, false, {"i=0..[N/8]"}, "N-1-8*i"},
    {{1, 1}, {1, 1}, false, {NULL}, "8*((N+7)/8)-N"},
    {{1, 1}, {1, 1}, false, {NULL}, "N-8*((N+7)/8)"},
    // of a param that may be 0
    {{0, 1}, {1, 1}, false, {"i=0..40"}, "N*i-4*(N*(i/4))"},
    {{0, 1}, {1, 1}, false, {"i=0..40"}, "4*(N*(i/4))+3*N-N*i"},
    {{0, 1}, {1, 1}, false, {"i=2..M+2"}, "N*i-2*N"},
    {{0, 1}, {1, 1}, false, {"j=0..M", "i=j..M"}, "N*i-N*j"},
    {{0, 1}, {1, 1}, false, {"i=0..M"}, "N-(N*i+N)/M"},
    // a variable of the question
    {{1, 1}, {1, 1}, false, {"t=0..N*M"}, "M-1-t/N"},
    {{1, 1}, {1, 1}, false, {"t=0..N*M"}, "N-1-t%N"},
    {{1, 1}, {1, 1}, false, {"t=0..N*M"}, "t-N*(t/N)-t%N"},
    {{1, 1}, {1, 1}, false, {"t=0..N*M", "i=0..N"}, "N*M-1-N*(t/N)-i"},
    {{1, 1}, {1, 1}, false, {"t=0..M"}, "N*M-N-N*t"},
    {{1, 1}, {1, 1}, false, {"t=-9..30"}, "t%N"},
    {{1, 1}, {1, 1}, false, {"t=0..M", "i=t..M"}, "N*i-N*t"},
    // what a quotient leaves, of multiples of the divisor
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "i-N*(i/N)"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "N-i+N*(i/N)"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "i-i%N"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "N-i%N"},
    {{1, 1}, {1, 1}, false, {"i=-9..40"}, "i%N"},
    {{1, 1}, {1, 1}, false, {"i=-9..40"}, "N-i%N"},
    {{1, 1}, {1, 1}, false, {"i=0..M"}, "i-i%N"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "i/N"},
    {{1, 1}, {1, 1}, false, {"i=-9..0"}, "i/N"},
    // the quotient by a multiple of it
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "N*(i/N)-4*N*(i/(4*N))"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "3*N-N*(i/N)+4*N*(i/(4*N))"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "i/N-4*(i/(4*N))"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "4*(i/(4*N))-i/N"},
    // a product of a quotient by a number
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "N*i-4*(N*(i/4))"},
    {{1, 1}, {1, 1}, false, {"i=0..40"}, "4*(N*(i/4))+3*N-N*i"},
    {{1, 1}, {1, 1}, false, {NULL}, "4*N*(M/4)-N*M+3*N"},
    {{1, 1}, {1, 1}, false, {NULL}, "N*M-4*N*(M/4)"},
    // less than a multiple, divided
    {{1, 1}, {1, 1}, false, {"j=0..5", "i=0..N"}, "j-(N*j-i)/N"},
    {{1, 1}, {1, 1}, false, {"j=0..5", "i=0..M"}, "M+j-(N*j+N*M-i)/N"},
    {{2, 1}, {1, 1}, false, {"j=1..6", "i=0..j"}, "(N*j-i)/N"},
    // a product by the bounds of its variable
    {{1, 1}, {1, 1}, false, {"j=0..M", "i=j..M"}, "N*i-N*j"},
    {{1, 1}, {1, 1}, false, {"j=0..M", "i=j..M"}, "N*M-N-N*i"},
    {{1, 1}, {1, 1}, false, {"j=0..M", "i=0..j+1"}, "N*j-N*i"},
    {{1, 1}, {1, 1}, false, {"i=M..2*M"}, "N*i-N*M"},
    {{1, 1}, {1, 1}, false, {"i=M..2*M"}, "2*N*M-N-N*i"},
    {{1, 1}, {1, 1}, false, {"i=0..M"}, "N*i"},
    {{1, 1}, {1, 1}, false, {"i=2..9"}, "N*i-2*N"},
    {{1, 1}, {1, 1}, false, {"i=2..9"}, "8*N-N*i"},
    // a quotient at the ends of its variable
    {{1, 1}, {1, 1}, false, {"i=0..N"}, "(N*N-N)/M-(N*i)/M"},
    {{1, 1}, {1, 1}, false, {"i=1..N+1"}, "(N*i)/M-N/M"},
    {{1, 1}, {1, 1}, false, {"i=1..N+1"}, "(N*N)/M-(N*i)/M"},
    // a part of what a param multiplies
    {{1, 1}, {1, 1}, false, {"i=0..M+1"}, "N-(N*i)/M"},
    {{1, 1}, {1, 1}, false, {"i=0..M"}, "N-(N*i+N)/M"},
    {{1, 1}, {1, 1}, false, {"i=0..M", "j=0..2"}, "N-(N*i+N*j)/M"},
    {{1, 1}, {1, 1}, false, {"i=0..M"}, "(N*i)/M"},
    {{1, 1}, {1, 1}, false, {"i=0..M"}, "2*N-(2*N*i+2*N)/M"},
    // digits
    {{1, 1}, {1, 1}, false, {"i=0..N*M"}, "M-1-i/N"},
    {{1, 1}, {1, 1}, false, {"i=0..N*M"}, "N-1-i%N"},
    {{1, 1}, {1, 1}, false, {"i=0..3*N*M"}, "M-1-i/N%M"},
    {{1, 1}, {1, 1}, false, {"i=0..3*N*M"}, "2-i/(N*M)"},
    {{1, 1}, {1, 1}, false, {"i=0..N*M"}, "N*M-1-i"},
    {{1, 1}, {1, 1}, false, {"i=0..N", "j=0..M"}, "N*M-1-i-N*j"},
    {{1, 1}, {1, 1}, false, {"i=0..N", "j=0..M"}, "i+N*j"},
};

static int64_t least;
static struct values at;

static void find_least(const struct fact *f, int i) {
    if (i == MOST_VARS || !f->var[i]) {
        int64_t value = value_of(f->e, &at);
        least = value < least ? value : least;
        return;
    }
    const char *begin = f->var[i] + 2, *end = strstr(begin, "..") + 2;
    int64_t n = *begin == '-' ? -value_of(begin + 1, &at) : value_of(begin, &at);
    for (int64_t last = value_of(end, &at); n < last; ++n) {
        at.of[(int)f->var[i][0]] = n;
        find_least(f, i + 1);
    }
}

// Whether the expression is proven to be at least "bound".
static enum prove_answer proven(const struct fact *f, int64_t bound) {
    char params[80] = "", set[200] = "";
    struct ask x;
    struct prove_witness w = {0};
    for (int i = 0; i < 2; ++i) {
        char end[8] = "";
        if (f->ends) sprintf(end, "%d", SMALL);
        sprintf(params + strlen(params), "%c=%d..%s%%%d ", "NM"[i], f -> lo[i], end, f -> mul[i]);
    }
    for (int i = 0; i < MOST_VARS && f->var[i]; ++i) sprintf(set + strlen(set), "%s ", f->var[i]);
    sprintf(set + strlen(set), "if %d-(%s)", (int)bound - 1, f->e);
    ask_begin(&x, params);
    struct prove_set s = ask_set(&x, set);
    enum prove_answer r = prove_none(x.prover, &s, &w);
    ask_end(&x);
    return r;
}

int main(void) {
    for (int i = 0; i < (int)(sizeof facts / sizeof *facts); ++i) {
        const struct fact *f = &facts[i];
        int most = f->ends ? SMALL : LARGE;
        least = INT64_MAX;
        for (int n = f->lo[0]; n <= most; n += f->mul[0])
            for (int m = f->lo[1]; m <= most; m += f->mul[1]) {
                at.of['N'] = n;
                at.of['M'] = m;
                find_least(f, 0);
            }
        CHECK(proven(f, least) == PROVE_YES, "'%s' is at least %d", f->e, (int)least);
        CHECK(proven(f, least + 1) != PROVE_YES, "'%s' may be %d", f->e, (int)least);
    }
    return check_done();
}
