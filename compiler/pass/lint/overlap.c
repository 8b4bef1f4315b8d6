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

// "(16,0)": "at" in mode "i", and 0 in the other ones.
static const char *along(struct session *s, const struct modes *m, int i, int64_t at) {
    const char *text = "(";
    for (int k = 0; k < m->n; ++k)
        text = arena_printf(&s->arena, "%s%s%" PRId64, text, k ? "," : "", k == i ? at : 0);
    return arena_printf(&s->arena, "%s)", text);
}

static bool warn_numbers(struct session *s, const struct tensor *t, const struct modes *m) {
    for (int i = 0; i < m->n; ++i) {
        for (int k = 0; k < i; ++k) {
            if (!lay_int_static(m->stride[i]) || !lay_int_static(m->stride[k])) continue;
            if (!lay_int_static(m->extent[i]) || !lay_int_static(m->extent[k])) continue;
            int64_t x = m->stride[k].num, y = m->stride[i].num;
            if (x <= 0 || y <= 0) continue;
            int64_t g = lay_gcd(x, y);
            if (y / g >= m->extent[k].num || x / g >= m->extent[i].num) continue;
            diag_warn(s, W_OVERLAP, t->at,
                      "the layout %s of '%s' reads elements more than once: %s and %s are both "
                      "element %" PRId64,
                      lay_text(&s->lay, t->layout), t->name, along(s, m, k, y / g),
                      along(s, m, i, x / g), y / g * x);
            diag_note(s, t->at, "a stride from row to row is at least as large as a row");
            return true;
        }
    }
    return false;
}

static bool is_param(struct lay_int x) {
    return x.num == 1 && x.den == 1 && x.nsyms == 1 && x.basis < 0 && x.syms[0]->name;
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
            diag_warn(s, W_OVERLAP, t->at,
                      "rows of '%s' have %s elements and are '%s' apart, and nothing says that "
                      "they do not overlap; promise it: 'where %s >= %s'",
                      t->name, n, name, name, n);
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
