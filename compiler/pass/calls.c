// Pass "calls": do the arguments of called functions fit their declarations?
//
// Requires: pass partition, which gives fragments their layouts.  Fills nothing.  An extern
// function gets a pointer to the first element of an argument, and assumes that the argument has
// the declared layout and alignment.  So it must have them.
#include <inttypes.h>
#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/vectorize/variants.h"
#include "plan/align.h"
#include "plan/view.h"

// Whether the swizzle of "v" fits that of "f": the callee swizzles offsets from the first element
// on, so that element must be where the swizzle's pattern repeats.
static bool swizzle_fits(struct session *s, const struct view *v, const struct formal *f) {
    const struct lay_swizzle sw = f->tensor->layout.sw;
    int64_t period = (int64_t)1 << (sw.m + sw.b + abs(sw.s));
    if (!sw.b || ix_divisor(v->offset) % period == 0) return true;
    diag_error(
        s, v->at,
        "'%s' begins at element %s here; the function's '%s' must begin at a multiple of %" PRId64
        ", where its swizzle repeats",
        v->base->name, ix_text(s, v->offset), f->tensor->name, period);
    diag_note(s, f->at, "it is declared here");
    return false;
}

// Notes what to promise so that "v" is aligned to "need" bytes.
static void note_missing(struct session *s, const struct kernel *k, const struct view *v,
                         int64_t need) {
    const struct tensor *t = v->base;
    struct conditions missing = {NULL, 0, 0};
    struct assumption a = {s, k, need, &missing, NULL, 0};
    int64_t base = assume_base(&a, t), offset = assume_ix(&a, v->offset, t->elem->bits / 8);
    if (t->align && base % need)
        diag_note(s, t->at, "'%s' is declared 'align %d'; say 'align %" PRId64 "' if it is",
                  t->name, t->align, need);
    if (offset % need)
        diag_note(s, v->at, "a part that begins at a multiple of %" PRId64 " elements is taken",
                  need * 8 / t->elem->bits);
    if (base % need == 0 && offset % need == 0)
        note_promises(s, k, &missing, "the argument is aligned");
}

static bool alignment_fits(struct session *s, const struct kernel *k, const struct view *v,
                           const struct formal *f) {
    const struct tensor *t = v->base, *want = f->tensor;
    int64_t need = align_of_formal(f), offset = align_offset(v);
    bool base = align_can_be(k, t, need);
    if (base && offset % need == 0) return true;
    if (!base && space_is_shared(t->space) && !t->outside)
        diag_error(s, v->at,
                   "the function's '%s' must be aligned to %" PRId64
                   " bytes; shared memory itself is aligned to %d",
                   want->name, need, ALIGN_BLOCK);
    else if (!base)
        diag_error(s, v->at,
                   "'%s' is only known to be aligned to %" PRId64
                   " bytes; the function's '%s' must be aligned to %" PRId64,
                   t->name, align_known(t), want->name, need);
    else
        diag_error(s, v->at,
                   "'%s' begins at element %s here, a multiple of %" PRId64
                   " bytes; the function's '%s' must be aligned to %" PRId64,
                   t->name, ix_text(s, v->offset), offset & -offset, want->name, need);
    diag_page(s, "aligned");
    diag_note(s, f->at, "it is declared here");
    if (base || t->space == MEM_GLOBAL || t->outside) note_missing(s, k, v, need);
    return false;
}

static bool check_argument(struct session *s, const struct kernel *k, struct view *v,
                           const struct formal *f) {
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
    if (!view_layout_fits(&s->lay, v->layout, f->tensor->layout)) {
        diag_error(s, v->at, "'%s' has layout %s here, but the function expects '%s' to have %s",
                   v->base->name, lay_text(x, v->layout), f->tensor->name,
                   lay_text(x, f->tensor->layout));
        diag_note(s, f->at, "it is declared here");
        lay_clear_error(x);
        return false;
    }
    return swizzle_fits(s, v, f) && alignment_fits(s, k, v, f);
}

// A fill accepts any layout.
static bool check_fill(struct session *s, struct view *v) {
    if (!lay_valid(v->layout)) v->layout = v->base->layout;
    if (lay_valid(v->layout)) return true;
    diag_error(s, v->at,
               "fragment '%s' has no shape yet: no tiled copy has given it one before it is filled",
               v->base->name);
    diag_note(s, v->base->at, "it is declared here");
    return false;
}

// Notes that "v", an argument of "call", still has its mode of slots, as its pipeline does not fill it.
static void note_slots(struct session *s, const struct stmt *call, const struct view *v,
                       const struct formal *f) {
    const struct stmt *up = call->up;
    while (up && up->kind != STMT_PIPELINE) up = up->up;
    if (!up || v->base->stages < 2 || !lay_valid(v->layout) ||
        lay_rank(v->layout) != lay_rank(f->tensor->layout) + 1)
        return;
    diag_note(s, up->at,
              "no 'load' of this pipeline fills '%s', so that these are all its %d slots",
              v->base->name, v->base->stages);
}

static bool check_calls(struct session *s, const struct kernel *k, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind != STMT_CALL) continue;
        if (st->call->fill) {
            ok &= check_fill(s, &st->call->view[0]);
            continue;
        }
        for (int i = 0; i < st->call->fn->nformals; ++i) {
            if (check_argument(s, k, &st->call->view[i], &st->call->fn->formal[i])) continue;
            note_slots(s, st, &st->call->view[i], &st->call->fn->formal[i]);
            ok = false;
        }
    }
    for (const struct inlined *x = k->inlined; x; x = x->next)
        for (int i = 0; i < x->call->fn->nformals; ++i)
            ok &= check_argument(s, k, &x->call->view[i], &x->call->fn->formal[i]);
    return ok;
}

bool pass_calls(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        ok &= check_calls(s, k, k->body);
    return ok;
}
