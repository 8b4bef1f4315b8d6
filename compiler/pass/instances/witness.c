// Counterexamples for layouts that pass "coverage" rejects (see witness.h).
#include "pass/instances/witness.h"

#include "base/buf.h"
#include "base/session.h"
#include "image/image.h"
#include "layout/algebra.h"
#include "oracle/oracle.h"
#include "plan/bind.h"
#include "plan/relation.h"

enum { SMALL = 5, MOST_SYMS = 3 };
#define MOST_ELEMENTS ((int64_t)1 << 16)  // for each choice of params
#define MOST_STATIC   ((int64_t)1 << 22)

// Values of the params of "k" (NULL: all) in messages: "with M = 9, K = 8, "; "" if there are none.
static const char *params_text(struct session *s, const struct plan *p, const struct kernel *k,
                               const int64_t *sym) {
    struct buf b;
    int n = k ? k->ngiven : p->nparams, shown = 0;
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        const struct param *q = k ? k->param[i] : p->param[i];
        if (q->sum) continue;
        buf_printf(&b, "%s%s = %lld, ", shown++ ? "" : "with ", q->name,
                   (long long)sym[q->sym->id]);
    }
    return buf_finish(&b, &s->arena);
}

// -- layouts --------------------------------------------------------------------------------------

static const char *coordinate_text(struct session *s, const struct oracle_flat *f, int64_t at) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < f->n; at /= f->extent[i++])
        buf_printf(&b, "%s%lld", i ? "," : "(", (long long)(at % f->extent[i]));
    buf_puts(&b, f->n ? ")" : "0");
    return buf_finish(&b, &s->arena);
}

// Finds two coordinates of "f" with the same value: the first one that repeats an earlier value.
static bool meet(const struct oracle_flat *f, int64_t *a, int64_t *b) {
    struct image *seen = image_new();
    bool found = false;
    for (int64_t i = 0; i < f->size && !found; ++i) {
        int64_t *first = image_at(seen, 0, oracle_flat_at(f, i), true);
        found = *first != IMAGE_POISON;
        if (found) {
            *a = *first;
            *b = i;
        }
        *first = i;
    }
    image_free(seen);
    return found;
}

static bool note_layout(struct session *s, const struct plan *p, const struct tensor *t,
                        const int64_t *sym) {
    struct oracle_flat f;
    int64_t a, b;
    if (!oracle_flatten(lay_inner(t->layout), sym, &f)) return false;
    if (f.size > (sym ? MOST_ELEMENTS : MOST_STATIC) || !meet(&f, &a, &b)) return false;
    const char *with = lay_static(t->layout) ? "" : params_text(s, p, NULL, sym);
    diag_note(s, t->at, "%s%s and %s of '%s' are both element %lld", with,
              coordinate_text(s, &f, a), coordinate_text(s, &f, b), t->name,
              (long long)oracle_flat_at(&f, b));
    return true;
}

static bool find_layout(struct session *s, const struct plan *p, const struct tensor *t) {
    if (lay_static(t->layout)) return note_layout(s, p, t, NULL);
    // all combinations of the smallest values of the params
    int given = 0;
    for (int i = 0; i < p->nparams; ++i) given += !p->param[i]->sum;
    if (given > MOST_SYMS) return false;
    int64_t *fixed = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    for (int c = 0;; ++c) {
        int rest = c;
        for (int i = 0; i < p->nparams; ++i) {
            const struct lay_sym *y = p->param[i]->sym;
            const struct ix *sum = p->param[i]->sum;
            if (sum) {
                if (!relation_value(sum, fixed, &fixed[y->id])) return false;
                continue;
            }
            fixed[y->id] = y->lo + y->mul * (rest % SMALL);
            rest /= SMALL;
        }
        if (rest) return false;
        if (!plan_broken_promise(s, p, fixed) && note_layout(s, p, t, fixed)) return true;
    }
}

void witness_layout(struct session *s, const struct plan *p, const struct tensor *t) {
    if (!find_layout(s, p, t)) diag_note(s, t->at, "'%s' is declared here", t->name);
}
