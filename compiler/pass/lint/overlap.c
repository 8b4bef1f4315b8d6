// Tensors that are read, and of which two coordinates are the same element: rows that are longer
// than the stride from row to row.  Strides of 0 repeat elements on purpose.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"
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

static bool is_param(struct lay_int x) {
    return x.num == 1 && x.den == 1 && x.nsyms == 1 && x.basis < 0 && x.syms[0]->name;
}

// The mode with extent "x"; -1: there is none.
static int mode_with(const struct modes *m, struct lay_int x) {
    for (int i = 0; i < m->n; ++i)
        if (lay_int_equal(m->extent[i], x)) return i;
    return -1;
}

// Of rows of contiguous elements that are a param apart, of which nothing says that it is as large.
static void warn_param(struct session *s, struct prover *p, const struct tensor *t,
                       const struct modes *m) {
    for (int i = 0; i < m->n; ++i) {
        if (!lay_int_is(m->stride[i], 1)) continue;
        for (int k = 0; k < m->n; ++k) {
            if (!is_param(m->stride[k]) || lay_int_is(m->extent[k], 1)) continue;
            const struct ix *row = ix_lay(s, m->extent[i]), *step = ix_lay(s, m->stride[k]);
            if (!row || !step || prove_at_least(p, step, row) != PROVE_NO) continue;
            const char *name = m->stride[k].syms[0]->name, *n = lay_int_text(&s->lay, m->extent[i]);
            int of = mode_with(m, m->stride[k]);
            diag_warn(s, W_OVERLAP, t->at,
                      "rows of '%s' have %s elements and are '%s' apart, and nothing says that "
                      "they do not overlap; %s: 'where %s >= %s'",
                      t->name, n, name,
                      of < 0
                          ? "promise it"
                          : arena_printf(&s->arena,
                                         "'%s' is the extent of mode %d: is the stride %s meant? "
                                         "if not, promise it",
                                         name, of, n),
                      name, n);
            return;
        }
    }
}

static bool seen(const struct plan *p, const struct kernel *k, const struct tensor *t) {
    for (const struct kernel *x = plan_next(p, NULL); x && x != k; x = plan_next(p, x)) {
        const struct formal *f = kernel_formal(x, t);
        if (f && f->dir == ARG_IN) return true;
    }
    return false;
}

void lint_overlap(struct lint *x) {
    struct session *s = x->s;
    const struct kernel *k = x->k;
    for (int i = 0; i < k->nformals; ++i) {
        const struct tensor *t = k->formal[i].tensor;
        if (k->formal[i].dir != ARG_IN || t->space != MEM_GLOBAL || seen(x->p, k, t)) continue;
        struct modes m = {.n = 0};
        struct lay l = lay_inner(t->layout);
        if (!lay_valid(l)) continue;
        collect(l.shape, l.stride, &m);
        if (!warn_numbers(s, t, &m)) warn_param(s, lint_prover(x), t, &m);
    }
}
