// Pass "calls": do the arguments of extern functions fit their declarations?
//
// Requires: pass partition, which gives fragments their layouts.  Fills nothing.  An extern
// function gets a pointer to an argument's first element and takes it from there to have the layout
// that was declared; so it must have that layout.
#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "plan/plan.h"

static bool same_layout(struct session *s, struct lay have, struct lay want) {
    if (!lay_tuple_equal(lay_product_each(&s->lay, have.shape),
                         lay_product_each(&s->lay, want.shape)))
        return false;
    if (have.sw.b != want.sw.b || (have.sw.b && (have.sw.m != want.sw.m || have.sw.s != want.sw.s)))
        return false;
    struct lay a = lay_coalesce(&s->lay, lay_inner(have)),
               b = lay_coalesce(&s->lay, lay_inner(want));
    return lay_valid(a) && lay_valid(b) && lay_equal(a, b);
}

// The view's offset keeps what the callee counts on: its alignment, and its swizzle's period.
static bool starts_well(const struct view *v, const struct tensor *want) {
    int64_t bytes = want->elem->bits / 8, need = want->align_given ? want->align : bytes;
    int64_t step = ix_divisor(v->offset);  // elements; 0: always 0
    if (step == 0) return v->base->align >= need || v->base->space != MEM_GLOBAL;
    const struct lay_swizzle sw = want->layout.sw;
    if (sw.b && step % ((int64_t)1 << (sw.m + sw.b + abs(sw.s))) != 0) return false;
    return step * bytes % need == 0;
}

static bool check_argument(struct session *s, struct view *v, const struct formal *f) {
    struct lay_ctx *x = &s->lay;
    if (!lay_valid(v->layout)) v->layout = v->base->layout;
    if (!lay_valid(v->layout)) {
        diag_error(
            s, v->at,
            "fragment '%s' has no shape yet: no tiled copy has given it one before this call",
            v->base->name);
        diag_note(s, v->base->at, "it is declared here");
        return false;
    }
    if (!same_layout(s, v->layout, f->tensor->layout)) {
        diag_error(s, v->at, "'%s' has layout %s here, the function takes '%s' to have %s",
                   v->base->name, lay_text(x, v->layout), f->tensor->name,
                   lay_text(x, f->tensor->layout));
        diag_note(s, f->at, "it is declared here");
        lay_clear_error(x);
        return false;
    }
    if (!starts_well(v, f->tensor)) {
        diag_error(s, v->at,
                   "'%s' begins at element %s, where the function's '%s' may not begin: its "
                   "alignment is %d bytes, its "
                   "layout %s",
                   v->base->name, ix_text(s, v->offset), f->tensor->name,
                   f->tensor->align_given ? f->tensor->align : f->tensor->elem->bits / 8,
                   lay_text(x, f->tensor->layout));
        diag_note(s, f->at, "it is declared here");
        return false;
    }
    return true;
}

// A fill takes any layout.
static bool check_fill(struct session *s, struct view *v) {
    if (!lay_valid(v->layout)) v->layout = v->base->layout;
    if (lay_valid(v->layout)) return true;
    diag_error(s, v->at,
               "fragment '%s' has no shape yet: no tiled copy has given it one before it is filled",
               v->base->name);
    diag_note(s, v->base->at, "it is declared here");
    return false;
}

static bool check_calls(struct session *s, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *st = list; st; st = st->next) {
        if (stmt_nests(st)) ok &= check_calls(s, st->body);
        if (st->kind != STMT_CALL) continue;
        if (st->call->fill) {
            ok &= check_fill(s, &st->call->view[0]);
            continue;
        }
        for (int i = 0; i < st->call->fn->nformals; ++i) {
            ok &= check_argument(s, &st->call->view[i], &st->call->fn->formal[i]);
        }
    }
    return ok;
}

bool pass_calls(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        ok &= check_calls(s, k->body);
    return ok;
}
