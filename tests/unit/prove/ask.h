// Questions to the prover as text, and its answers as text, so that a test is a table.
//
//   params    "M=1..1000 K=8..64%8 t=0..M; M >= K; K == 8"   uppercase: params, with range and
//             divisor; lowercase: variables of the question; then promises
//   a number  "[M*K/8]" is rounded up, as a param
//   a set     "x=0..M y=0..x+1 if 8-x-y, x -> x, 8*y+1"      variables, conditions (each at least
//             0), what an instance names
//   an answer "yes", "no: M=3 | x=2 y=0 | x=2 y=1 : (2,1)" or "unknown: 'a*y / b' is not affine"
#ifndef TCPC_TESTS_UNIT_PROVE_ASK_H
#define TCPC_TESTS_UNIT_PROVE_ASK_H

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"
#include "prove/prove.h"

enum { ASK_MOST = 16 };

struct ask {
    struct session s;
    struct prover *prover;
    const char *at;  // in the text
    int nparams;
    char param[ASK_MOST];
    const struct lay_sym *sym[128];
    struct ix_var var[128];  // by letter
    bool outer[128];         // of the question
    int npromises;
    struct prove_promise promise[ASK_MOST];
};

// -- text -----------------------------------------------------------------------------------------

static char ask_next(struct ask *x) {
    while (*x->at == ' ') ++x->at;
    return *x->at;
}

static bool ask_take(struct ask *x, const char *word) {
    size_t n = strlen(word);
    ask_next(x);
    if (strncmp(x->at, word, n) != 0) return false;
    x->at += n;
    return true;
}

static int64_t ask_number(struct ask *x) {
    char *end;
    ask_next(x);
    int64_t n = strtoll(x->at, &end, 10);
    if (end == x->at) {
        fprintf(stderr, "no number at '%s'\n", x->at);
        exit(2);
    }
    x->at = end;
    return n;
}

static const struct ix *ask_sum(struct ask *x);

// "M*K/8]"
static const struct ix *ask_rounded_up(struct ask *x) {
    struct lay_int of = lay_int(1);
    do {
        of = lay_int_mul(&x->s.lay, of, lay_int_sym(&x->s.lay, x->sym[(int)ask_next(x)]));
        ++x->at;
    } while (ask_take(x, "*"));
    ask_take(x, "/");
    int64_t by = ask_number(x);
    ask_take(x, "]");
    return ix_lay(&x->s, lay_int_ceil_div(&x->s.lay, of, lay_int(by)));
}

static const struct ix *ask_atom(struct ask *x) {
    char c = ask_next(x);
    if (ask_take(x, "(")) {
        const struct ix *e = ask_sum(x);
        ask_take(x, ")");
        return e;
    }
    if (isdigit(c)) return ix_int(&x->s, ask_number(x));
    if (ask_take(x, "[")) return ask_rounded_up(x);
    ++x->at;
    if (islower(c)) return ix_var(&x->s, &x->var[(int)c]);
    if (!isupper(c) || !x->sym[(int)c]) {
        fprintf(stderr, "unknown '%s'\n", x->at - 1);
        exit(2);
    }
    return ix_lay(&x->s, lay_int_sym(&x->s.lay, x->sym[(int)c]));
}

static const struct ix *ask_product(struct ask *x) {
    const struct ix *e = ask_atom(x);
    for (;;) {
        struct lay_int by = LAY_INT_INVALID;
        char op = ask_next(x);
        if (op != '*' && op != '/' && op != '%') return e;
        ++x->at;
        const struct ix *f = ask_atom(x);
        if (op == '*') {
            e = ix_mul(&x->s, e, f);
            continue;
        }
        if (!ix_monomial(f, &by)) exit(2);
        e = op == '/' ? ix_div(&x->s, e, by) : ix_mod(&x->s, e, by);
    }
}

static const struct ix *ask_sum(struct ask *x) {
    const struct ix *e =
        ask_take(x, "-") ? ix_sub(&x->s, ix_int(&x->s, 0), ask_product(x)) : ask_product(x);
    for (;;) {
        if (ask_take(x, "+"))
            e = ix_add(&x->s, e, ask_product(x));
        else if (x->at[0] == '-' && x->at[1] != '>' && ask_take(x, "-"))
            e = ix_sub(&x->s, e, ask_product(x));
        else
            break;
    }
    if (!e) {
        fprintf(stderr, "no expression before '%s'\n", x->at);
        exit(2);
    }
    return e;
}

// -- params ---------------------------------------------------------------------------------------

static void ask_promise(struct ask *x) {
    static const char *const op[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct prove_promise *p = &x->promise[x->npromises++];
    p->a = ask_sum(x);
    for (int i = 0; i < 6; ++i) {
        if (!ask_take(x, op[i])) continue;
        p->op = op[i];
        p->b = ask_sum(x);
        return;
    }
    exit(2);
}

static void ask_declare(struct ask *x) {
    char c = *x->at++;
    ask_take(x, "=");
    if (isupper(c)) {
        int64_t lo = ask_number(x), hi = INT32_MAX, mul = 1;
        ask_take(x, "..");
        if (isdigit(*x->at)) hi = ask_number(x);
        if (*x->at == '%' && x->at++) mul = ask_number(x);
        char *name = arena_printf(&x->s.arena, "%c", c);
        x->sym[(int)c] = lay_param(&x->s.lay, name, mul, lo, hi);
        x->param[x->nparams++] = c;
        return;
    }
    struct lay_int end;
    int64_t lo = ask_number(x);
    ask_take(x, "..");
    if (!ix_monomial(ask_sum(x), &end)) exit(2);
    x->var[(int)c].lo = lay_int(lo);
    x->var[(int)c].end = end;
    x->outer[(int)c] = true;
}

static void ask_begin(struct ask *x, const char *params) {
    memset(x, 0, sizeof *x);
    session_init(&x->s);
    for (int i = 'a'; i <= 'z'; ++i)
        x->var[i] = (struct ix_var){.kind = i < 'i' ? IX_BLOCK_X : IX_LOOP,
                                    .name = arena_printf(&x->s.arena, "%c", i),
                                    .c_name = "v",
                                    .id = x->s.next_var++,
                                    .lo = lay_int(INT64_MIN),
                                    .end = LAY_INT_INVALID};
    x->at = params;
    while (isalpha(ask_next(x))) ask_declare(x);
    while (ask_take(x, ";")) ask_promise(x);
    x->prover = prover_new(&x->s, x->promise, x->npromises);
}

static void ask_end(struct ask *x) {
    prover_free(x->prover);
    session_release(&x->s);
}

// -- sets -----------------------------------------------------------------------------------------

static const struct ix *const *ask_list(struct ask *x, int *n) {
    const struct ix **e = ARENA_ARRAY(&x->s.arena, const struct ix *, ASK_MOST);
    *n = 0;
    do {
        e[(*n)++] = ask_sum(x);
    } while (ask_take(x, ","));
    return e;
}

// The set at the place in the text where "x" is.
static struct prove_set ask_set_here(struct ask *x) {
    struct prove_set set = {0};
    struct prove_var *var = ARENA_ARRAY(&x->s.arena, struct prove_var, ASK_MOST);
    while (islower(ask_next(x)) && x->at[1] == '=') {
        struct prove_var *v = &var[set.nvars++];
        v->var = &x->var[(int)*x->at];
        x->at += 2;
        v->begin = ask_sum(x);
        ask_take(x, "..");
        v->end = ask_sum(x);
    }
    set.var = var;
    if (ask_take(x, "if ")) set.cond = ask_list(x, &set.nconds);
    if (ask_take(x, "->")) set.out = ask_list(x, &set.nouts);
    return set;
}

static struct prove_set ask_set(struct ask *x, const char *text) {
    x->at = text;
    return ask_set_here(x);
}

// -- answers --------------------------------------------------------------------------------------

// Adds the values of the variables of "set" in instance "which".
static void ask_instance(struct buf *b, const struct prove_set *set, const struct prove_witness *w,
                         int which) {
    buf_puts(b, " |");
    for (int i = 0; set && i < set->nvars; ++i)
        buf_printf(b, " %s=%" PRId64, set->var[i].var->name, w->var[which][set->var[i].var->id]);
}

// "a", "b": NULL where there is no such instance.
static inline const char *ask_answer(struct ask *x, enum prove_answer r, const struct prove_set *a,
                                     const struct prove_set *b, const struct prove_witness *w) {
    struct buf t;
    if (r == PROVE_YES) return "yes";
    if (r == PROVE_UNKNOWN) return arena_printf(&x->s.arena, "unknown: %s", prover_why(x->prover));
    buf_init(&t);
    buf_puts(&t, "no:");
    for (int i = 0; w && i < x->nparams; ++i) {
        int64_t value = w->sym[x->sym[(int)x->param[i]]->id];
        if (value == INT64_MIN)
            buf_printf(&t, " %c=any", x->param[i]);
        else
            buf_printf(&t, " %c=%" PRId64, x->param[i], value);
    }
    for (int i = 'a'; w && i <= 'z'; ++i)
        if (x->outer[i]) buf_printf(&t, " %c=%" PRId64, i, w->var[0][x->var[i].id]);
    if (w && a) ask_instance(&t, a, w, 0);
    if (w && b) ask_instance(&t, b, w, 1);
    for (int i = 0; w && i < w->nouts; ++i)
        buf_printf(&t, "%s%" PRId64, i ? "," : " : (", w->out[i]);
    if (w && w->nouts) buf_puts(&t, ")");
    return buf_finish(&t, &x->s.arena);
}

#endif
