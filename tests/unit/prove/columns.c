// What the columns of a question stand for, at all values of random params and sets: each lemma and each condition is true of every
// instance, what is named is what the text says, and without numbers of which only bounds are known the conditions leave nothing else.
// Rewriting keeps how often each element is named.
//
// usage: columns [COUNT [SEED]]
#include "ask.h"
#include "brute.h"
#include "drawn.h"
#include "prove/private.h"

enum { MOST_NAMED = 3000, MOST_IDS = 4000 };

static struct {
    struct ask x;
    struct question q;
    struct qset set;
    struct prove_set in, out;  // as asked, and rewritten
    char text[TEXT];
    int64_t var[MOST_IDS], sym[MOST_IDS];
    long lemmas, conds;
} at;

struct named {
    int n;
    int64_t out[MOST_NAMED][MOST_OUTS];
};

// -- values of columns ----------------------------------------------------------------------------

static int64_t value_ix(const struct ix *e) {
    struct ix_env env = {at.var, at.sym};
    int64_t n = 0;
    CHECK(ix_eval(e, &env, &n), "%s: '%s' has no value", at.text, ix_text(&at.x.s, e));
    return n;
}

static int64_t value_lay(struct lay_int x) {
    int64_t n = 0;
    CHECK(lay_int_eval(x, at.sym, &n), "%s: %s", at.text, lay_int_text(&at.x.s.lay, x));
    return n;
}

static int64_t value_digit(const struct ix_var *v, int digit) {
    int64_t n = at.var[v->id];
    if (digit < 0) return n;
    const struct split *x = rewrite_find(&at.q, v);
    n = quotient(n, value_lay(x->weight[digit]));
    return n - quotient(n, value_lay(x->extent[digit])) * value_lay(x->extent[digit]);
}

static int64_t value_column(enum col_kind kind, int i);

// The value times e.den.
static int64_t value_times(struct lin e) {
    int64_t n = e.constant;
    for (int i = 0; i < e.n; ++i) n += e.term[i].coef * value_column(e.term[i].kind, e.term[i].at);
    return n;
}

static int64_t value_column(enum col_kind kind, int i) {
    if (kind == COL_DIV) {
        const struct quotient *d = &at.q.quotient[i];
        return quotient(value_times(d->of), d->of.den * d->by);
    }
    if (kind == COL_DIM) {
        const struct qdim *d = &at.set.dim[i];
        return d->opaque ? value_ix(d->opaque) : value_digit(d->var, d->digit);
    }
    const struct qparam *p = &at.q.param[i];
    if (p->opaque) return value_ix(p->opaque);
    if (p->var) return value_digit(p->var, p->digit);
    int64_t n = value_lay(p->value);
    CHECK(n % p->mul == 0, "%s: %d is no multiple of %d", at.text, (int)n, (int)p->mul);
    return n / p->mul;
}

// -- one question ---------------------------------------------------------------------------------

static bool conds_hold(void) {
    bool hold = true;
    for (int i = 0; i < at.set.nconds; ++i) hold = hold && value_times(at.set.cond[i]) >= 0;
    return hold;
}

static bool in_set(const struct prove_set *set) {
    bool in = true;
    for (int i = 0; i < set->nvars && in; ++i) {
        int64_t v = at.var[set->var[i].var->id];
        in = value_ix(set->var[i].begin) <= v && v < value_ix(set->var[i].end);
    }
    for (int i = 0; i < set->nconds && in; ++i) in = value_ix(set->cond[i]) >= 0;
    return in;
}

static void check_instance(struct named *named) {
    int n = named->n;
    CHECK(conds_hold(), "%s: a condition is not true of an instance", at.text);
    at.conds += at.set.nconds;
    for (int i = 0; i < at.out.nouts; ++i) {
        int64_t value = value_ix(at.out.out[i]);
        struct lin e = at.set.out[i];
        CHECK(value_times(e) == value * e.den, "%s: %d is named, and the column says %d / %d",
              at.text, (int)value, (int)value_times(e), (int)e.den);
        if (n < MOST_NAMED) named->out[n][i] = value;
    }
    named->n += n < MOST_NAMED;
}

// All values of the variables from "i" on in their bounds, and one beyond on either side.
static void check_instances(int i, struct named *named) {
    if (i == at.out.nvars) {
        if (in_set(&at.out))
            check_instance(named);
        else if (at.set.exact)
            CHECK(!conds_hold(), "%s: the conditions are true of what is no instance", at.text);
        return;
    }
    const struct prove_var *v = &at.out.var[i];
    bool digits = rewrite_find(&at.q, v->var);  // beyond them it has no digits
    int64_t begin = value_ix(v->begin), end = value_ix(v->end), more = digits ? 0 : 1;
    for (int64_t n = begin - more; n < end + more; ++n) {
        at.var[v->var->id] = n;
        check_instances(i + 1, named);
    }
}

// What the text names: its set has the variables from "i" on.
static void name_by_text(const struct set *s, struct values *v, int i, struct named *named) {
    if (i < s->nvars) {
        int64_t begin = value_of(s->begin[i], v), end = value_of(s->end[i], v);
        for (int64_t n = begin; n < end; ++n) {
            v->of[(int)s->name[i]] = n;
            name_by_text(s, v, i + 1, named);
        }
    } else if ((!*s->cond || value_of(s->cond, v) >= 0) && named->n < MOST_NAMED) {
        for (int k = 0; k < s->nouts; ++k) named->out[named->n][k] = value_of(s->out[k], v);
        ++named->n;
    }
}

static int compare(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    for (int i = 0; i < MOST_OUTS; ++i)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void check_values(const struct set *s, struct values *v) {
    static struct named by_text, by_columns;
    memset(&by_text, 0, sizeof by_text);
    memset(&by_columns, 0, sizeof by_columns);
    for (int i = 0; i < at.q.nlemmas; ++i)
        CHECK(value_times(at.q.lemma[i]) >= 0, "%s: lemma %d is not true", at.text, i);
    at.lemmas += at.q.nlemmas;
    check_instances(0, &by_columns);
    name_by_text(s, v, 0, &by_text);
    qsort(by_text.out, (size_t)by_text.n, sizeof by_text.out[0], compare);
    qsort(by_columns.out, (size_t)by_columns.n, sizeof by_columns.out[0], compare);
    CHECK(by_text.n == by_columns.n && memcmp(by_text.out, by_columns.out, sizeof by_text.out) == 0,
          "%s: %d instances by the text, %d by the columns, or they name others", at.text,
          by_text.n, by_columns.n);
}

// -- random questions -----------------------------------------------------------------------------

// What random sets seldom have: chains whose first parts are empty, what is rounded up, what counts down, rotated digits.
static const struct set shapes[] = {
    {2, 1, "ij", {"0", "4*i/8"}, {"2", "(4*i+4)/8"}, "", {"j"}},
    {2, 1, "ij", {"0", "i*N/M"}, {"M", "(i+1)*N/M"}, "", {"2*j"}},
    {2, 1, "ij", {"0", "2*i"}, {"N", "2*i+2"}, "j-1", {"j/2"}},
    {2, 1, "ij", {"0", "0"}, {"[N/2]", "2"}, "N-1-2*i-j", {"2*i+j"}},
    {1, 2, "i", {"0"}, {"[N*M/3]"}, "", {"3*i", "i/2"}},
    {2, 2, "ij", {"0", "0"}, {"N", "M"}, "", {"N*j-i", "j"}},
    {2, 2, "ij", {"0", "M"}, {"N", "2*M"}, "N*M-1-N*i+j", {"j-i", "N*j"}},
    {2, 2, "ij", {"0", "0"}, {"2*N", "M"}, "", {"(i/2+j)%N", "i%2"}},
    {2, 2, "ij", {"0", "0"}, {"N", "M"}, "", {"(j-i)%N", "j"}},
    {2, 2, "ij", {"0", "0"}, {"6*N", "M"}, "N-i/6", {"i/2%3", "i/6*M+j"}},
    {2, 1, "ij", {"0", "0"}, {"N", "M"}, "N*M-1-N*j-i", {"N*j+i"}},
    {2, 1, "ij", {"0", "0"}, {"N", "2*M"}, "3-(N*j+i)/N", {"N*j+i"}},
    {2, 1, "ij", {"0", "0"}, {"N", "M"}, "(N*j+i)/2-1", {"N*j+i"}},
    {1, 2, "i", {"0"}, {"2*N*M"}, "", {"i/N%M", "N*(i/N)-i/(2*N)"}},
    {2, 1, "ij", {"0", "i"}, {"M", "M"}, "N*j-2*i", {"N*j-N*i"}},
};

// A variable of the question, which the set names besides: "t=0..N".
static void add_outer(struct set *s, const struct params *p, char *outer) {
    static const char *const begins[] = {"0", "0", "1", "-2"};
    static const char *const terms[] = {"+t", "+2*(t/2)", "+t%3", "+t%N", "+t/N", "+N*t"};
    const char *end = p->n == 2 && draw(2) ? "N*M" : p->n && draw(2) ? "N" : "6";
    sprintf(outer, " t=%s..%s", begins[draw(4)], end);
    add_text(s->out[0], "%s", terms[draw(p->n ? 6 : 3)]);
    if (draw(2)) add_text(s->end[s->nvars - 1], "+t%%2");
}

static void check_question(const struct set *s, const struct params *p, const char *outer,
                           bool merge, bool split) {
    char params[2 * TEXT];
    snprintf(params, sizeof params, "%s%s", p->text, outer);
    ask_begin(&at.x, params);
    *at.text = 0;
    put_set(at.text, s);
    at.in = ask_set(&at.x, at.text);
    add_text(at.text, " (%s)", params);
    question_init(&at.q, at.x.prover);
    at.set = (struct qset){0};
    rewrite_set(&at.q, &at.in, merge, &at.out, &at.set);
    if (split) rewrite_split(&at.q, &at.out, 1, true);
    question_set(&at.q, &at.out, &at.set);
    question_close(&at.q);
    CHECK(!at.q.failed && at.x.s.next_var < MOST_IDS, "%s: it has no columns", at.text);
    struct values v = {{0}};
    for (int i = 0; i < p->n; ++i) v.of[(int)p->name[i]] = p->lo[i];
    do {
        for (int i = 0; i < p->n; ++i)
            at.sym[at.x.sym[(int)p->name[i]]->id] = v.of[(int)p->name[i]];
        int64_t begin = *outer ? atoi(outer + strlen(" t=")) : 0;
        int64_t end = *outer ? value_of(strstr(outer, "..") + 2, &v) : 1;
        for (int64_t t = begin; t < end; ++t) {
            v.of['t'] = at.var[at.x.var['t'].id] = t;
            check_values(s, &v);
        }
    } while (next_params(p, &v));
    question_release(&at.q);
    ask_end(&at.x);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 400;
    state = argc > 2 ? (uint32_t)atoi(argv[2]) : 20261128;
    for (int i = 0; i < count; ++i) {
        struct params p;
        struct set s;
        char extent[MOST_OUTS][TEXT], outer[TEXT] = "";
        do draw_params(&p);
        while (i % 3 < 2 && p.n < 2);
        if (i % 3 == 0)
            draw_form(&s, extent);
        else if (i % 3 == 1)
            s = shapes[draw((int)(sizeof shapes / sizeof *shapes))];
        else
            draw_set(&s, &p, "ijkl", NULL, 0, 1 + draw(2));
        if (draw(3) == 0) add_outer(&s, &p, outer);
        for (int way = 0; way < 4; ++way) check_question(&s, &p, outer, way & 1, way & 2);
    }
    printf("%ld lemmas and %ld conditions were true\n", at.lemmas, at.conds);
    return check_done();
}
