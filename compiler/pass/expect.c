// Pass "expect": checks what the plan expects, after the facts are known.
//
// Requires: all facts.  Fills nothing; an expectation that does not hold is an error that shows the
// value.
#include <string.h>

#include "base/session.h"
#include "base/warnings.h"
#include "cost/copy.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "plan/plan.h"

static int64_t instructions(const struct copy_facts *f) {
    int64_t n = 1;
    for (int i = 0; i < f->nmodes; ++i) n *= f->mode[i].extent;
    if (f->by_map) n *= f->neach;
    return n;
}

// The value of the property: a tuple for "rounds", otherwise an integer.
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
    case PROP_EQUIVALENT:
    case PROP_SECTORS:
    case PROP_SECTORS_TOTAL:
    case PROP_REQUESTS_TOTAL:
    case PROP_WAVEFRONTS:
    case PROP_WAVEFRONTS_TOTAL: break;
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

static const char *side_of(const struct expectation *e) {
    return e->mirrored ? "right" : "left";
}

// -- costs ----------------------------------------------------------------------------------------

static struct cost_range cost_value(const struct side_cost *x, enum property prop) {
    switch (prop) {
    case PROP_SECTORS: return x->most.sectors;
    case PROP_SECTORS_TOTAL: return x->total.sectors;
    case PROP_REQUESTS_TOTAL: return x->total.requests;
    case PROP_WAVEFRONTS: return x->most.wavefronts;
    default: return x->total.wavefronts;
    }
}

// Whether "op" "value" holds for the minimum of "r".  Sets "*sure" if the answer is the same for
// all of "r".
static bool holds_of_range(struct cost_range r, const char *op, int64_t value, bool *sure) {
    bool least = ix_compares(op, r.least, value), most = ix_compares(op, r.most, value);
    bool inside = r.least < value && value < r.most;
    bool equality = op[0] == '=' || op[0] == '!';
    *sure = least == most && !(equality && inside);
    return least;
}

// Notes what to promise, with a fix-it if nothing is promised there yet.
static void tell_mend(struct session *s, const struct plan *p, const struct side_cost *x) {
    const struct tensor *t = x->missing.tensor;
    long long by = (long long)x->missing.by;
    if (by && t) {
        diag_note(s, t->at, "the number is exact if '%s' is promised to be aligned to %lld bytes",
                  t->name, by);
        if (!t->align) diag_fixit(s, t->align_at, arena_printf(&s->arena, " align %lld", by));
    }
    for (int i = 0; by && !t && i < p->nparams; ++i) {
        const struct param *y = p->param[i];
        if (x->missing.value.syms[0] != y->sym) continue;
        diag_note(s, y->at, "the number is exact if '%s' is promised to be a multiple of %lld",
                  y->name, by);
        if (y->mod_free) diag_fixit(s, y->mod_at, arena_printf(&s->arena, " %% %lld", by));
    }
}

static bool cost_holds(struct session *s, const struct plan *p, const struct expectation *e) {
    const struct copy *c = e->copy;
    const struct copy_facts f = copy_facts_in(c, c->facts.nvariants - 1);
    struct copy_cost cost;
    cost_of_copy(s, &(struct costed){p, e->kernel, c, &f, NULL}, &cost);
    const struct side_cost *x = cost_side(&cost, !e->dst);
    if (!cost_calibrated(p->arch))
        diag_warn(s, W_UNCALIBRATED, e->at,
                  "the number is counted by sm_%d's rules; %s was not measured",
                  cost_rules_of(p->arch), p->arch_name);
    if (x->why) {
        diag_error(s, e->at, "this number is not known: %s", x->why);
        diag_note(s, c->at, "this is the copy");
        tell_mend(s, p, x);
        return false;
    }
    struct cost_range have = cost_value(x, e->prop);
    bool sure, ok = holds_of_range(have, e->op, e->value->leaf.num, &sure);
    if (ok && sure) return true;
    const char *loose = cost_exact(have) ? NULL : x->loose;
    diag_error(s, e->at, "%s: the %s side is %s%s%s",
               e->message ? e->message
               : sure     ? "this does not hold"
                          : "this does not hold in each case",
               side_of(e), cost_range_text(s, have), loose ? ", because " : "", loose ? loose : "");
    diag_note(s, c->at, "this is the copy");
    if (!sure) tell_mend(s, p, x);
    return false;
}

// -- the others -----------------------------------------------------------------------------------

// Why the accesses of a copy are not wider.
static const char *bound_reason(const struct expectation *e) {
    bool width = e->prop == PROP_VECTOR_BITS_SRC || e->prop == PROP_VECTOR_BITS_DST;
    return width ? e->copy->facts.why[e->copy->facts.won] : NULL;
}

bool pass_expect(struct session *s, struct plan *p) {
    bool ok = true, cheap = true;
    for (const struct expectation *e = p->expects; e; e = e->next) {
        if (e->prop == PROP_EQUIVALENT) continue;  // check/equivalent.c
        if (property_is_cost(e->prop)) {
            cheap &= cost_holds(s, p, e);
            continue;
        }
        const struct lay_tuple *have = value_of(s, e);
        if (holds(have, e->op, e->value)) continue;
        ok = false;
        const char *why = bound_reason(e);
        diag_error(s, e->at, "%s: the %s side is %s%s%s",
                   e->message ? e->message : "this does not hold", side_of(e),
                   lay_tuple_text(&s->lay, have), why ? ": " : "", why ? why : "");
        if (e->copy) diag_note(s, e->copy->at, "this is the copy");
        if (e->kernel) diag_note(s, e->kernel->at, "this is the kernel");
    }
    if (!cheap) lint_only_costs(s, p);
    return ok && cheap;
}
