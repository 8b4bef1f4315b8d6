// Pass "shared": places each shared tensor of a kernel in the block's shared memory.
//
// Requires: layouts.  Fills: tensor.smem_offset, smem_elements, kernel.smem_bytes.  It is an error
// if a plan needs more than its architecture has.  Tensors are placed one after the other.  Each is
// aligned to 128 bytes (or as "align" says), or to the period of its swizzle if that is more (up to
// 1024), so that banks do not depend on the place of a tensor.  It is also aligned as functions
// that get it require.
#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/shared.h"
#include "plan/align.h"
#include "plan/arch.h"

static int64_t period_bytes(const struct tensor *t) {
    const struct lay_swizzle sw = t->layout.sw;
    if (!sw.b) return 0;
    int top = sw.m + sw.b + abs(sw.s);
    if (top > 20) return ALIGN_BLOCK;
    return ((int64_t)1 << top) * t->elem->bits / 8;
}

// How many elements belong to the tensor if its layout, before the swizzle, has the cosize
// "cosize". A swizzle permutes elements within its period.  The complete period belongs to the
// tensor as soon as the swizzle moves any element.
static int64_t reach_of(const struct tensor *t, int64_t cosize) {
    const struct lay_swizzle sw = t->layout.sw;
    int64_t elements = cosize + t->layout.offset.num;  // sema has bounded both
    int64_t moving = (int64_t)1 << (sw.s < 0 ? sw.m : sw.m + sw.s);
    if (!sw.b || elements <= moving) return elements;
    int64_t n = (int64_t)1 << (sw.m + sw.b + abs(sw.s));
    return (elements + n - 1) / n * n;
}

static int64_t bytes_of(const struct tensor *t) {
    return t->smem_elements * t->elem->bits / 8;
}

int64_t shared_behind(struct tensor *t, int64_t cosize, int64_t asked, int64_t at) {
    int64_t period = period_bytes(t), align = asked;
    if (period > align) align = period < ALIGN_BLOCK ? period : ALIGN_BLOCK;
    if (align_known(t) > align) align = align_known(t);
    at = (at + align - 1) / align * align;
    t->smem_offset = (int)at;
    t->smem_elements = reach_of(t, cosize);
    return at + bytes_of(t);
}

static bool is_of_ring(const struct stmt *x, const struct pipeline *p) {
    return x->kind == STMT_PIPELINE && pipeline_same_ring(p, x->pipe);
}

// Places the barriers in memory of the ring of "p", if they have no place yet.
static int64_t ring_counted(struct kernel *k, const struct pipeline *p, int64_t at) {
    bool counted = false;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        counted |= is_of_ring(x, p) && stmt_counts(x->body, true);
    if (!counted || p->memory_at) return at;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (is_of_ring(x, p)) x->pipe->memory_at = at;
    return at + k->counted->counter_bytes;
}

// Places the barriers in memory that a manual kernel declares.
static int64_t declared_counted(struct kernel *k, int64_t at) {
    int placed = 0;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        if (!stmt_awaits(x) || x->barrier->ring <= placed) continue;
        placed = x->barrier->ring;
        x->barrier->memory_at = at;
        at += k->counted->counter_bytes;
    }
    return at;
}

int64_t shared_counted(struct kernel *k, int64_t at) {
    k->counter_at = -1;
    if (!k->counted) return at;
    at = (at + 15) / 16 * 16;
    if (stmt_counts(k->body, false)) {
        k->counter_at = at;
        at += k->counted->counter_bytes;
    }
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (x->kind == STMT_PIPELINE) x->pipe->memory_at = 0;
    for (struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (x->kind == STMT_PIPELINE && pipeline_has_roles(x->pipe))
            at = ring_counted(k, x->pipe, at);
    return declared_counted(k, at);
}

static bool place(struct session *s, const struct plan *p, struct kernel *k) {
    int64_t at = 0;
    const struct tensor *largest = NULL;
    for (int i = 0; i < k->nlocal; ++i) {
        struct tensor *t = k->local[i];
        if (!space_is_shared(t->space)) continue;
        int64_t cosize = lay_span(&s->lay, t->layout).num, elements = reach_of(t, cosize);
        // beyond the available memory only the sum is reported, so calls need not be searched
        bool over = at > arch_shared_bytes(p->arch);
        if (elements > SHARED_MOST) {
            diag_error(s, t->at, "shared tensor '%s' spans %lld elements", t->name,
                       (long long)elements);
            return false;
        }
        at = shared_behind(t, cosize, over ? 1 : align_for_calls(k, t), at);
        if (!largest || bytes_of(t) > bytes_of(largest)) largest = t;
    }
    at = k->smem_bytes = shared_counted(k, at);
    if (at > arch_shared_bytes(p->arch)) {
        diag_error(s, k->at,
                   "kernel '%s' needs %lld bytes of shared memory; sm_%d has %lld per block",
                   k->name, (long long)at, p->arch, (long long)arch_shared_bytes(p->arch));
        diag_note(s, largest->at, "'%s' uses %lld of them", largest->name,
                  (long long)bytes_of(largest));
        return false;
    }
    return true;
}

bool pass_shared(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) ok &= place(s, p, k);
    return ok;
}
