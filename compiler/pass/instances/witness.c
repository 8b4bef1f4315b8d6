// Counterexamples for layouts that pass "coverage" rejects (see witness.h).
#include "pass/instances/witness.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/image.h"
#include "layout/algebra.h"
#include "oracle/oracle.h"
#include "plan/bind.h"
#include "plan/relation.h"

enum { SMALL = 5, MOST_SYMS = 3, MOST_OWN = 5, FEW = 3 };
#define MOST_ELEMENTS ((int64_t)1 << 16)  // for each choice of params
#define MOST_STATIC   ((int64_t)1 << 22)

static bool has_sym(const struct lay_tuple *t, const struct lay_sym *y) {
    bool found = false;
    for (int i = 0; !lay_is_leaf(t) && i < t->rank; ++i) found |= has_sym(t->kid[i], y);
    for (int i = 0; lay_is_leaf(t) && i < t->leaf.nsyms; ++i) found |= t->leaf.syms[i] == y;
    return found;
}

// Whether a relation has "y" alone on the greater side, or asks for its value.  Small values of such
// a param break the relation, so the least one that keeps it is chosen.
static bool follows(const struct plan *p, const struct lay_sym *y) {
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        struct lay_int n;
        const struct ix *greater = r->op[0] == '<' ? r->b : r->a;
        if (r->op[0] != '!' && ix_monomial(greater, &n) && n.nsyms == 1 && n.num == 1 &&
            n.syms[0] == y)
            return true;
    }
    return false;
}

// Whether "y" is tried and shown: one of few params, or one of the layout of "t".
static bool is_tried(const struct plan *p, const struct tensor *t, const struct lay_sym *y) {
    struct lay l = lay_inner(t->layout);
    int given = 0;
    for (int i = 0; i < p->nparams; ++i) given += !p->param[i]->sum;
    return given <= MOST_SYMS || has_sym(l.shape, y) || has_sym(l.stride, y);
}

// Values of params in messages: "with M = 9, K = 8, "; "" if there are none.
static const char *params_text(struct session *s, const struct plan *p, const struct tensor *t,
                               const int64_t *sym) {
    struct buf b;
    int shown = 0;
    buf_init(&b);
    for (int i = 0; i < p->nparams; ++i) {
        const struct param *q = p->param[i];
        if (q->sum || !is_tried(p, t, q->sym)) continue;
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

// Whether the values of "f" fit 64 bits.
static bool fits(const struct oracle_flat *f) {
    int64_t reach = 0, along;
    for (int i = 0; i < f->n; ++i)
        if (f->stride[i] == INT64_MIN ||
            __builtin_mul_overflow(f->extent[i], llabs(f->stride[i]), &along) ||
            __builtin_add_overflow(reach, along, &reach))
            return false;
    return true;
}

static const char *layout_text(struct session *s, const struct plan *p, const struct tensor *t,
                               const int64_t *sym) {
    struct oracle_flat f;
    int64_t a, b;
    if (!oracle_flatten(lay_inner(t->layout), sym, &f)) return NULL;
    if (f.size > (sym ? MOST_ELEMENTS : MOST_STATIC) || !fits(&f) || !meet(&f, &a, &b)) return NULL;
    const char *with = lay_static(t->layout) ? "" : params_text(s, p, t, sym);
    return arena_printf(&s->arena, "%s%s and %s of '%s' are both element %lld", with,
                        coordinate_text(s, &f, a), coordinate_text(s, &f, b), t->name,
                        (long long)oracle_flat_at(&f, b));
}

// Tries all combinations of the smallest values of the params that are tried.  "least": but those
// that follow from others have the least values that keep the relations.
static const char *meet_small(struct session *s, const struct plan *p, const struct tensor *t,
                              bool least) {
    int tried = 0;
    bool many = false;
    bool *own = ARENA_ARRAY(&s->arena, bool, p->nparams + 1);
    for (int i = 0; i < p->nparams; ++i) {
        const struct lay_sym *y = p->param[i]->sym;
        own[i] = is_tried(p, t, y) && !(least && follows(p, y));
        tried += own[i] && !p->param[i]->sum;
        many |= !own[i];
    }
    if (tried > MOST_OWN || (least && !many)) return NULL;
    int values = tried > MOST_SYMS ? FEW : SMALL;
    int64_t *fixed = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    for (int c = 0;; ++c) {
        int rest = c;
        for (int i = 0; i < p->nparams; ++i) {
            const struct lay_sym *y = p->param[i]->sym;
            const struct ix *sum = p->param[i]->sum;
            fixed[y->id] = PLAN_UNBOUND;
            if (sum && !many && !relation_value(sum, fixed, &fixed[y->id])) return NULL;
            if (sum || !own[i]) continue;
            fixed[y->id] = y->lo + y->mul * (rest % values);
            rest /= values;
        }
        if (rest) return NULL;
        const int64_t *all = fixed;
        if (many) all = plan_choose(s, p, fixed, 0);
        const char *text =
            !all || plan_broken_promise(s, p, all) ? NULL : layout_text(s, p, t, all);
        if (text) return text;
    }
}

const char *witness_meet(struct session *s, const struct plan *p, const struct tensor *t) {
    if (lay_static(t->layout)) return layout_text(s, p, t, NULL);
    const char *text = meet_small(s, p, t, false);
    return text ? text : meet_small(s, p, t, true);
}

void witness_layout(struct session *s, const struct plan *p, const struct tensor *t) {
    const char *text = witness_meet(s, p, t);
    if (text)
        diag_note(s, t->at, "%s", text);
    else
        diag_note(s, t->at, "'%s' is declared here", t->name);
}
