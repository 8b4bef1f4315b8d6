// Tensors that are read, and of which two coordinates are the same element: rows that are longer
// than the stride from row to row.  Strides of 0 repeat elements on purpose.
#include <inttypes.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/instances/witness.h"
#include "pass/lint/lint.h"
#include "plan/bind.h"
#include "prove/prove.h"

struct modes {
    struct lay_int extent[LAY_MAX_LEAVES], stride[LAY_MAX_LEAVES];
    int n;
};

static void collect(const struct lay_tuple *shape, const struct lay_tuple *stride,
                    struct modes *out) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) collect(shape->kid[i], stride->kid[i], out);
        return;
    }
    out->extent[out->n] = shape->leaf;
    out->stride[out->n++] = stride->leaf;
}

// -- strides that are numbers ---------------------------------------------------------------------

// Steps along each mode, not all 0, that lead back to the same element.
struct circle {
    int n;
    int64_t most[LAY_MAX_LEAVES], stride[LAY_MAX_LEAVES], step[LAY_MAX_LEAVES];
    int64_t reach[LAY_MAX_LEAVES + 1];  // of the modes from this one on
    int mode[LAY_MAX_LEAVES];           // by descending stride
    int work;
};

enum { MOST_WORK = 20000, FARTHEST = 1 << 30 };

// Chooses steps from mode "i" on that add up to -"left".  The first one that is not 0 is positive.
static bool closes(struct circle *x, int i, int64_t left, bool any) {
    if (i == x->n) return any && left == 0;
    int64_t from = any ? -x->most[i] : 0;
    // what the later modes cannot make up for is out of question
    int64_t lo = (-left - x->reach[i + 1]) / x->stride[i] - 1;
    if (lo > from) from = lo;
    for (int64_t k = from; k <= x->most[i] && ++x->work < MOST_WORK; ++k) {
        int64_t sum = left + k * x->stride[i];
        if (sum > x->reach[i + 1]) break;
        x->step[i] = k;
        if (sum >= -x->reach[i + 1] && closes(x, i + 1, sum, any || k != 0)) return true;
    }
    return false;
}

// The modes with numbers as strides; of a param's extent, the largest one counts.
static bool find_circle(const struct modes *m, struct circle *x) {
    *x = (struct circle){0};
    for (int i = 0; i < m->n; ++i) {
        int64_t lo, hi, d = m->stride[i].num;
        lay_int_range(m->extent[i], &lo, &hi);
        if (!lay_int_static(m->stride[i]) || d <= 0 || d > FARTHEST || hi < 2) continue;
        int at = x->n++;
        for (; at > 0 && x->stride[at - 1] < d; --at) {
            x->stride[at] = x->stride[at - 1];
            x->most[at] = x->most[at - 1];
            x->mode[at] = x->mode[at - 1];
        }
        x->stride[at] = d;
        x->most[at] = hi > FARTHEST ? FARTHEST : hi - 1;
        x->mode[at] = i;
    }
    for (int i = x->n - 1; i >= 0; --i) {
        if (x->most[i] > INT64_MAX / 64 / x->stride[i]) return false;
        x->reach[i] = x->reach[i + 1] + x->most[i] * x->stride[i];
    }
    return closes(x, 0, 0, false);
}

// The coordinate that has the positive, or the negative, steps.
static const char *end_of(struct session *s, const struct modes *m, const struct circle *x,
                          int sign) {
    int64_t at[LAY_MAX_LEAVES] = {0};
    for (int i = 0; i < x->n; ++i)
        if (sign * x->step[i] > 0) at[x->mode[i]] = sign * x->step[i];
    const char *text = "(";
    for (int k = 0; k < m->n; ++k)
        text = arena_printf(&s->arena, "%s%s%" PRId64, text, k ? "," : "", at[k]);
    return arena_printf(&s->arena, "%s)", text);
}

static bool warn_numbers(struct session *s, const struct tensor *t, const struct modes *m) {
    struct circle x;
    int64_t element = 0;
    if (!find_circle(m, &x)) return false;
    for (int i = 0; i < x.n; ++i)
        if (x.step[i] > 0) element += x.step[i] * x.stride[i];
    diag_warn(s, W_OVERLAP, t->at,
              "the layout %s of '%s' reads elements more than once: %s and %s are both element "
              "%" PRId64,
              lay_text(&s->lay, t->layout), t->name, end_of(s, m, &x, 1), end_of(s, m, &x, -1),
              element);
    diag_note(s, t->at, "a stride from row to row is at least as large as a row");
    return true;
}

// -- strides that are params ----------------------------------------------------------------------

// The mode with extent "x"; -1: there is none.
static int mode_with(const struct modes *m, struct lay_int x) {
    for (int i = 0; i < m->n; ++i)
        if (lay_int_equal(m->extent[i], x)) return i;
    return -1;
}

// Warns of two modes with the same stride, which no number and no promise keeps apart.
static bool warn_equal(struct session *s, const struct tensor *t, const struct modes *m) {
    for (int i = 0; i < m->n; ++i) {
        for (int k = i + 1; k < m->n; ++k) {
            int64_t lo, hi[2];
            lay_int_range(m->extent[i], &lo, &hi[0]);
            lay_int_range(m->extent[k], &lo, &hi[1]);
            if (lay_int_static(m->stride[i]) || !lay_int_equal(m->stride[i], m->stride[k]) ||
                hi[0] < 2 || hi[1] < 2)
                continue;
            struct circle x = {.n = 2, .mode = {i, k}, .step = {1, -1}};
            diag_warn(s, W_OVERLAP, t->at,
                      "the layout %s of '%s' reads elements more than once: %s and %s are both "
                      "element %s",
                      lay_text(&s->lay, t->layout), t->name, end_of(s, m, &x, 1),
                      end_of(s, m, &x, -1), lay_int_text(&s->lay, m->stride[i]));
            diag_note(s, t->at, "a stride from row to row is at least as large as a row");
            return true;
        }
    }
    return false;
}

// How many elements the modes that are contiguous together have, without mode "but": those with the
// stride 1, and each one whose stride is what the others have.
static struct lay_int span_of(struct session *s, const struct modes *m, int but) {
    struct lay_int span = lay_int(1);
    bool in[LAY_MAX_LEAVES] = {false};
    for (int i = 0; i < m->n; ++i) {
        if (in[i] || i == but || lay_int_is(m->extent[i], 1) || !lay_int_equal(m->stride[i], span))
            continue;
        struct lay_int all = lay_int_mul(&s->lay, span, m->extent[i]);
        if (!lay_int_valid(all)) break;
        span = all;
        in[i] = true;
        i = -1;
    }
    return span;
}

// How many elements the rows of a pitch have together, without mode "but": from "span" contiguous ones on, each
// mode whose stride, a param, is promised to be at least as large.
static struct lay_int pitched(struct lint *l, const struct modes *m, int but, struct lay_int span) {
    bool in[LAY_MAX_LEAVES] = {false};
    for (int i = 0; i < m->n; ++i) {
        if (in[i] || i == but || !lay_int_is_param(m->stride[i]) || lay_int_is(m->extent[i], 1))
            continue;
        const struct ix *row = ix_lay(l->s, span), *by = ix_lay(l->s, m->stride[i]);
        if (!row || !by || prove_at_least(lint_prover(l), by, row) != PROVE_YES) continue;
        struct lay_int all = lay_int_mul(&l->s->lay, m->stride[i], m->extent[i]);
        if (!lay_int_valid(all)) break;
        span = all;
        in[i] = true;
        i = -1;
    }
    lay_clear_error(&l->s->lay);
    return span;
}

// Whether an extent is the number 0, for which there is a param.
static bool is_empty(const struct plan *p, const struct modes *m) {
    int64_t n;
    for (int i = 0; i < p->nparams; ++i)
        for (int j = 0; j < m->n && p->param[i]->sum; ++j)
            if (m->extent[j].nsyms == 1 && m->extent[j].syms[0] == p->param[i]->sym &&
                ix_static(p->param[i]->sum, &n) && n == 0)
                return true;
    return false;
}

static bool may_be_empty(const struct modes *m) {
    for (int i = 0; i < m->n; ++i)
        for (int j = 0; j < m->extent[i].nsyms; ++j)
            if (m->extent[i].syms[j]->lo < 1) return true;
    return false;
}

// Whether "value", of the params, gives each extent an element; NULL does not.
static bool has_elements(const struct modes *m, const int64_t *value) {
    int64_t n = 1;
    for (int i = 0; value && i < m->n; ++i)
        if (!lay_int_eval(m->extent[i], value, &n) || n < 1) return false;
    return value != NULL;
}

// Whether the promises of the plan allow "step", a param, to be less than "span" where the tensor has
// elements.  Where the prover does not know, values that keep all promises are an answer.
static bool may_be_less(struct lint *l, const struct modes *m, struct lay_int step,
                        struct lay_int span) {
    const struct ix *row = ix_lay(l->s, span), *by = ix_lay(l->s, step);
    enum prove_answer a = row && by ? prove_at_least(lint_prover(l), by, row) : PROVE_YES;
    if (a == PROVE_YES || (a == PROVE_NO && !may_be_empty(m))) return a == PROVE_NO;
    const int64_t *value = plan_choose(l->s, l->p, NULL, 1);
    int64_t n;
    if (!value || !lay_int_eval(span, value, &n)) return false;
    int64_t *fixed = ARENA_ARRAY(&l->s->arena, int64_t, l->p->nsyms + 1);
    for (int i = 0; i < l->p->nsyms; ++i) fixed[i] = PLAN_UNBOUND;
    for (int i = 0; i < span.nsyms; ++i)
        if (span.syms[i]->name) fixed[span.syms[i]->id] = value[span.syms[i]->id];
    for (int64_t by_many = 1; by_many <= WIDE; by_many *= 2) {
        fixed[step.syms[0]->id] = (n - 1) / by_many * by_many;
        if (has_elements(m, plan_choose(l->s, l->p, fixed, 0))) return true;
    }
    return false;
}

enum { MOST_TRIED = 4 };

// Whether params that keep all promises make "step", a product, less than "span": tries some values of
// those in "left", one after the other.
static bool product_less(struct lint *l, struct lay_int step, struct lay_int span,
                         struct lay_int left, int64_t *fixed) {
    static const int64_t tried[MOST_TRIED] = {1, 2, 8, 96};
    int64_t a, b;
    if (left.nsyms == 0) {
        const int64_t *value = plan_choose(l->s, l->p, fixed, 0);
        return value && lay_int_eval(step, value, &a) && lay_int_eval(span, value, &b) && a < b;
    }
    const struct lay_sym *y = left.syms[--left.nsyms];
    bool param = y->name && !y->sum, less = !param && product_less(l, step, span, left, fixed);
    for (int i = 0; i < MOST_TRIED && param && !less; ++i) {
        int64_t was = fixed[y->id];
        if (was == PLAN_UNBOUND) fixed[y->id] = tried[i] * y->mul;
        less = product_less(l, step, span, left, fixed);
        fixed[y->id] = was;
    }
    return less;
}

// Divides both by a factor that they have in common; returns false if there is none.
static bool reduce(struct session *s, struct lay_int *step, struct lay_int *span) {
    for (int i = 0; i < step->nsyms; ++i) {
        struct lay_int one = lay_int_sym(&s->lay, step->syms[i]);
        struct lay_int a = lay_int_div(&s->lay, *step, one), b = lay_int_div(&s->lay, *span, one);
        lay_clear_error(&s->lay);
        if (!lay_int_valid(a) || !lay_int_valid(b) || a.den != 1 || b.den != 1) continue;
        *step = a;
        *span = b;
        return true;
    }
    return false;
}

// Warns of rows that are less apart than they are long, whatever the params.
static bool warn_certain(struct session *s, const struct tensor *t, struct lay_int step,
                         struct lay_int span) {
    struct lay_int less = step, more = span;
    while (reduce(s, &less, &more)) continue;
    if (!lay_int_static(less) || !lay_int_static(more) || less.num >= more.num) return false;
    diag_warn(s, W_OVERLAP, t->at,
              "rows of '%s' have %s elements and are %s apart, so that they overlap; is the stride "
              "%s meant?",
              t->name, lay_int_text(&s->lay, span), lay_int_text(&s->lay, step),
              lay_int_text(&s->lay, span));
    return true;
}

// Of rows of contiguous elements that are a product of params apart: one of another extent, if both have
// a param in common, as M*M has with M*N.
static bool warn_product(struct lint *l, const struct tensor *t, struct lay_int step,
                         struct lay_int span) {
    struct session *s = l->s;
    struct lay_int less = step, more = span;
    if (!reduce(s, &less, &more)) return false;
    while (reduce(s, &less, &more)) continue;
    int64_t *fixed = ARENA_ARRAY(&s->arena, int64_t, l->p->nsyms + 1);
    for (int i = 0; i < l->p->nsyms; ++i) fixed[i] = PLAN_UNBOUND;
    struct lay_int all = lay_int_mul(&s->lay, step, span);
    lay_clear_error(&s->lay);
    if (!lay_int_valid(all) || all.nsyms > 6 || !product_less(l, step, span, all, fixed))
        return false;
    if (lay_int_static(less) && less.num < 2 * more.num) {  // a promise would leave params of 1
        diag_warn(s, W_OVERLAP, t->at,
                  "parts of '%s' have %s elements and are %s apart, and nothing says that they do "
                  "not overlap; is the stride %s meant?",
                  t->name, lay_int_text(&s->lay, span), lay_int_text(&s->lay, step),
                  lay_int_text(&s->lay, span));
        return true;
    }
    diag_warn(s, W_OVERLAP, t->at,
              "parts of '%s' have %s elements and are %s apart, and nothing says that they do not "
              "overlap; is that stride meant? if so, promise it: 'where %s >= %s'",
              t->name, lay_int_text(&s->lay, span), lay_int_text(&s->lay, step),
              lay_int_text(&s->lay, less), lay_int_text(&s->lay, more));
    return true;
}

// Whether a relation of the plan is about "y".
static bool is_promised(const struct plan *p, const struct lay_sym *y) {
    for (int i = 0; i < p->nrelations; ++i)
        for (int j = 0; j < p->relation[i]->nparams; ++j)
            if (p->relation[i]->param[j]->sym == y) return true;
    return false;
}

// Whether the strides of "m" are numbers from 2 on, and products of its extents and of params that a relation is
// about, or of any params beside a number: then the plan means certain elements, and not any strides that a
// caller gives.  A mode of contiguous elements tells nothing of the others.
static bool has_meant_strides(const struct plan *p, const struct modes *m) {
    bool number = false, own = true, contiguous = false, params = false;
    for (int i = 0; i < m->n; ++i) {
        struct lay_int d = m->stride[i];
        contiguous |= lay_int_is(d, 1);
        if (d.basis >= 0 || d.num < 1) return false;
        number |= lay_int_static(d);
        params |= d.nsyms > 0;
        for (int j = 0; j < d.nsyms; ++j) {
            bool found = is_promised(p, d.syms[j]);
            for (int k = 0; k < m->n; ++k)
                for (int x = 0; x < m->extent[k].nsyms; ++x)
                    found |= m->extent[k].syms[x] == d.syms[j];
            own &= found;
        }
    }
    return contiguous ? own && params && m->n > 2 : number || own;
}

// Of elements that are not contiguous: tries small values of the params.
static void warn_tried(struct lint *l, const struct tensor *t, const struct modes *m) {
    struct session *s = l->s;
    const char *text = has_meant_strides(l->p, m) ? witness_meet(s, l->p, t) : NULL;
    if (!text) return;
    diag_warn(s, W_OVERLAP, t->at,
              "nothing says that the layout %s of '%s' reads each element once",
              lay_text(&s->lay, t->layout), t->name);
    diag_note(s, t->at, "%s", text);
}

// The relation that promises "step" to be at most "span", or less; NULL: there is none.
static const struct relation *promised_less(struct lint *l, struct lay_int step,
                                            struct lay_int span) {
    const struct ix *less = ix_lay(l->s, step), *more = ix_lay(l->s, span);
    for (int i = 0; less && more && i < l->p->nrelations; ++i) {
        const struct relation *r = l->p->relation[i];
        bool up = r->op[0] == '>';
        if ((up || r->op[0] == '<') && ix_equal(up ? r->b : r->a, less) &&
            ix_equal(up ? r->a : r->b, more))
            return r;
    }
    return NULL;
}

// Of rows of contiguous elements that are a param apart, of which nothing says that it is as large.
static bool warn_param(struct lint *l, const struct tensor *t, const struct modes *m) {
    struct session *s = l->s;
    for (int k = 0; k < m->n; ++k)
        if (m->stride[k].num > 0 && m->stride[k].nsyms > 0 && m->stride[k].basis < 0 &&
            !lay_int_is(m->extent[k], 1) && warn_certain(s, t, m->stride[k], span_of(s, m, k)))
            return true;
    for (int k = 0; k < m->n; ++k) {
        struct lay_int step = m->stride[k], span = span_of(s, m, k);
        bool product = step.nsyms > 0 && step.num > 0 && step.basis < 0 && !lay_int_is_param(step);
        if (product && !lay_int_is(m->extent[k], 1) &&
            (warn_product(l, t, step, span) || warn_product(l, t, step, pitched(l, m, k, span))))
            return true;
        if (!lay_int_is_param(step) || lay_int_is(m->extent[k], 1)) continue;
        if (lay_int_is(span, 1) || !may_be_less(l, m, m->stride[k], span)) continue;
        const char *name = m->stride[k].syms[0]->name, *n = lay_int_text(&s->lay, span);
        const struct relation *turned = promised_less(l, step, span);
        if (turned) {
            diag_warn(s, W_OVERLAP, turned->at,
                      "'%s' lets the rows of '%s' overlap, which have %s elements and are '%s' "
                      "apart; is '%s >= %s' meant?",
                      turned->text, t->name, n, name, name, n);
            return true;
        }
        diag_warn(s, W_OVERLAP, t->at,
                  "%s of '%s' have %s elements and are '%s' apart, and nothing says that they do "
                  "not overlap; %spromise it: 'where %s >= %s'",
                  mode_with(m, span) < 0 ? "parts" : "rows", t->name, n, name,
                  coverage_meant_stride(s, l->p, lay_inner(t->layout), step, span), name, n);
        return true;
    }
    return false;
}

// The "i"th tensor in global memory that "k" reads alone; NULL: it is none.
static const struct tensor *read_by(const struct kernel *k, int i) {
    if (k->planned) return k->wanted[i].src.base;
    const struct formal *f = &k->formal[i];
    return f->dir == ARG_IN && f->tensor->space == MEM_GLOBAL ? f->tensor : NULL;
}

static int nreads(const struct kernel *k) {
    return k->planned ? k->nwanted : k->nformals;
}

// Whether an earlier kernel reads "t", or "k" before its "n"th tensor.
static bool seen(const struct plan *p, const struct kernel *k, int n, const struct tensor *t) {
    for (const struct kernel *x = plan_next(p, NULL); x; x = plan_next(p, x)) {
        for (int i = 0; i < (x == k ? n : nreads(x)); ++i)
            if (read_by(x, i) == t) return true;
        if (x == k) break;
    }
    return false;
}

void lint_overlap(struct lint *x) {
    struct session *s = x->s;
    for (int i = 0; i < nreads(x->k); ++i) {
        const struct tensor *t = read_by(x->k, i);
        struct modes m = {.n = 0};
        if (!t || seen(x->p, x->k, i, t) || !lay_valid(lay_inner(t->layout))) continue;
        struct lay l = lay_inner(t->layout);
        collect(l.shape, l.stride, &m);
        if (is_empty(x->p, &m)) continue;
        if (!warn_numbers(s, t, &m) && !warn_equal(s, t, &m) && !warn_param(x, t, &m))
            warn_tried(x, t, &m);
    }
}
