// Pass "expect": what the plan's author asked for, now that the facts are known.
//
// Requires: all facts.  Fills nothing; an expectation that does not hold is an error that shows the
// value.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "plan/plan.h"

static int64_t instructions(const struct copy_facts *f) {
    int64_t n = 1;
    for (int i = 0; i < f->nmodes; ++i) n *= f->mode[i].extent;
    if (f->by_map) n *= f->neach;
    return n;
}

// "rounds" is a tuple, the others are integers.
static const struct lay_tuple *value_of(struct session *s, const struct expectation *e) {
    struct copy_facts worst;  // the last variant has the narrowest accesses
    const struct copy_facts *f = NULL;
    if (e->copy) {
        worst = copy_facts_in(e->copy, e->copy->facts.nvariants - 1);
        f = &worst;
    }
    switch (e->prop) {
    case PROP_VECTOR_BITS_SRC: return lay_leaf_of(&s->lay, copy_side_bits(e->copy, true, f->vec));
    case PROP_VECTOR_BITS_DST: return lay_leaf_of(&s->lay, copy_side_bits(e->copy, false, f->vec));
    case PROP_ROUNDS: return f->rounds ? f->rounds : lay_leaf_of(&s->lay, 1);
    case PROP_INSTRUCTIONS: return lay_leaf_of(&s->lay, instructions(f));
    case PROP_EQUIVALENT: break;
    case PROP_SMEM_BYTES: return lay_leaf_of(&s->lay, e->kernel->smem_bytes);
    }
    return NULL;
}

static bool holds(const struct lay_tuple *a, const char *op, const struct lay_tuple *b) {
    bool equal = lay_tuple_equal(a, b);
    if (strcmp(op, "==") == 0) return equal;
    if (strcmp(op, "!=") == 0) return !equal;
    if (!lay_is_leaf(a) || !lay_is_leaf(b)) return false;
    if (strcmp(op, "<") == 0) return a->leaf.num < b->leaf.num;
    if (strcmp(op, "<=") == 0) return a->leaf.num <= b->leaf.num;
    if (strcmp(op, ">") == 0) return a->leaf.num > b->leaf.num;
    return a->leaf.num >= b->leaf.num;
}

// Why the accesses of a copy are no wider.
static const char *bound_reason(const struct expectation *e) {
    bool width = e->prop == PROP_VECTOR_BITS_SRC || e->prop == PROP_VECTOR_BITS_DST;
    return width ? e->copy->facts.why[e->copy->facts.won] : NULL;
}

bool pass_expect(struct session *s, struct plan *p) {
    bool ok = true;
    for (const struct expectation *e = p->expects; e; e = e->next) {
        if (e->prop == PROP_EQUIVALENT) continue;  // check/equivalent.c
        const struct lay_tuple *have = value_of(s, e);
        if (holds(have, e->op, e->value)) continue;
        ok = false;
        const char *why = bound_reason(e);
        diag_error(s, e->at, "%s: the left side is %s%s%s",
                   e->message ? e->message : "this does not hold", lay_tuple_text(&s->lay, have),
                   why ? ": " : "", why ? why : "");
        if (e->copy) diag_note(s, e->copy->at, "of this copy");
        if (e->kernel) diag_note(s, e->kernel->at, "of this kernel");
    }
    return ok;
}
