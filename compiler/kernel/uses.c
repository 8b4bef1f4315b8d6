// Finds the variables and params that Kernel IR uses.  One walk over the expressions of a node
// serves both, so that declarations agree with uses.
#include "kernel/kernel_ir.h"

typedef bool speaks_fn(const struct ix *e, const void *of);

static bool any(const struct kir_node *n, speaks_fn *speaks, const void *of) {
    const struct ix *const e[] = {n->index, n->begin, n->end, n->at, n->to_at, n->stage_at};
    for (unsigned i = 0; i < sizeof e / sizeof e[0]; ++i) {
        if (e[i] && speaks(e[i], of)) return true;
    }
    for (int i = 0; i < n->nargs; ++i) {
        if (speaks(n->arg[i].at, of)) return true;
    }
    for (int i = 0; i < n->ncarries; ++i) {
        if (speaks(n->carry[i].first, of) || speaks(n->carry[i].step, of)) return true;
    }
    for (int i = 0; n->boxes && i < n->boxes->map->rank; ++i) {
        if (speaks(n->boxes->at[i], of)) return true;
    }
    for (int i = 0; i < n->nconds; ++i) {
        if (speaks(n->cond[i].a, of) || speaks(n->cond[i].b, of)) return true;
    }
    return n->cut && (speaks(n->cut->a, of) || speaks(n->cut->b, of));
}

static bool uses_var(const struct ix *e, const void *v) {
    return ix_depends_on(e, v);
}

static bool uses_param(const struct ix *e, const void *y) {
    return ix_speaks_of(e, y);
}

bool kir_uses(const struct kir_node *list, const struct ix_var *v) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if ((n->kind == KIR_GUARD || n->kind == KIR_CALL) && v->kind == IX_TID) return true;
        if (any(n, uses_var, v) || kir_uses(n->body, v) || kir_uses(n->orelse, v)) return true;
    }
    return false;
}

bool kir_uses_param(const struct kir_node *list, const struct lay_sym *y) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (any(n, uses_param, y)) return true;
        // the stride of a carried offset, if the text names it
        for (int i = 0; i < n->ncarries; ++i) {
            const struct kir_carry *c = &n->carry[i];
            for (int k = 0; c->stride && k < c->apart.nsyms; ++k) {
                if (c->apart.syms[k] == y) return true;
            }
        }
        if (kir_uses_param(n->body, y) || kir_uses_param(n->orelse, y)) return true;
    }
    return false;
}

int64_t kir_counted_bytes(const struct kir_node *n) {
    if (n->kind == KIR_ASYNC) return n->align > 0 && !kir_stores(n) ? n->bits / 8 : 0;
    if (n->kind != KIR_BOXES || n->buf) return 0;
    int64_t bytes = n->to_buf->elem->bits / 8;
    for (int i = 0; i < n->boxes->map->rank; ++i) bytes *= n->boxes->map->box[i];
    for (int i = 0; i < n->boxes->nloops; ++i) bytes *= n->boxes->loop[i].extent;
    return bytes;
}

bool kir_ends_counted(const struct kir_kernel *k, const struct kir_node *n) {
    if (n->kind != KIR_ARRIVE || n->index) return false;
    return n->arrival.kind == ARRIVAL_MEMORY
               ? n->by == BY_LEADER
               : n->arrival.kind == ARRIVAL_GROUP && k->all_wait && (n->counts & COUNTS_MEMORY);
}

int kir_cut(const struct kir_node *n, int64_t a, int64_t b) {
    int elements = n->bits / n->buf->elem->bits;
    return a >= b ? 0 : b - a < elements ? (int)(b - a) : elements;
}

bool kir_converts(const struct kir_buffer *a, const struct kir_buffer *b) {
    return a->elem != b->elem;
}

int64_t kir_step_to(const int64_t *step, int i) {
    int64_t at = 0;
    for (int digit = 0; i >> digit; ++digit) at += (i >> digit & 1) * step[digit];
    return at;
}
