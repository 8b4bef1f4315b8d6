// Which variables Kernel IR speaks of.
#include "kernel/kernel_ir.h"

bool kir_uses(const struct kir_node *list, const struct ix_var *v) {
    for (const struct kir_node *n = list; n; n = n->next) {
        const struct ix *const e[] = {n->index, n->begin, n->end, n->at, n->to_at, n->stage_at};
        for (unsigned i = 0; i < sizeof e / sizeof e[0]; ++i) {
            if (e[i] && ix_depends_on(e[i], v)) return true;
        }
        if ((n->kind == KIR_GUARD || n->kind == KIR_CALL) && v->kind == IX_TID) return true;
        for (int i = 0; i < n->nargs; ++i) {
            if (ix_depends_on(n->arg[i].at, v)) return true;
        }
        for (int i = 0; i < n->ncarries; ++i) {
            const struct kir_carry *c = &n->carry[i];
            if (ix_depends_on(c->first, v) || ix_depends_on(c->step, v)) return true;
        }
        for (int i = 0; i < n->nconds; ++i) {
            if (ix_depends_on(n->cond[i].a, v) || ix_depends_on(n->cond[i].b, v)) return true;
        }
        if (n->cut && (ix_depends_on(n->cut->a, v) || ix_depends_on(n->cut->b, v))) return true;
        if (kir_uses(n->body, v) || kir_uses(n->orelse, v)) return true;
    }
    return false;
}

int kir_cut(const struct kir_node *n, int64_t a, int64_t b) {
    int elements = n->bits / n->buf->elem_bits;
    return a >= b ? 0 : b - a < elements ? (int)(b - a) : elements;
}

bool kir_converts(const struct kir_buffer *a, const struct kir_buffer *b) {
    return a->elem != b->elem;  // names in one table
}
