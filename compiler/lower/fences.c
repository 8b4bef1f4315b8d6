// Fences of the thread that issues bulk copies, between what it did with shared memory itself and a copy that fills it again.
//
// Those of other threads are part of the barriers before (pass/sync).  A copy that reads has its own.
#include "base/session.h"
#include "lower/private.h"

enum { MOST_FILLED = 64 };

struct filled {
    const struct kir_buffer *buffer[MOST_FILLED];
    int n;
};

// Whether "n" is a bulk copy: its accesses are as long as a run, whatever they are aligned to.
static bool is_bulk(const struct kir_node *n) {
    return n->kind == KIR_ASYNC && n->align > 0;
}

// Whether "n" begins to fill shared memory.
static bool begins_fill(const struct kir_node *n) {
    return n->kind == KIR_BOXES ? !n->buf : is_bulk(n) && !kir_stores(n);
}

static bool is_filled(const struct filled *f, const struct kir_buffer *b) {
    bool is = f->n == MOST_FILLED && b && space_is_shared(b->space);
    for (int i = 0; i < f->n; ++i) is |= f->buffer[i] == b;
    return is;
}

static void find_filled(struct filled *f, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        const struct kir_buffer *b = !is_bulk(n) ? NULL : kir_stores(n) ? n->buf : n->to_buf;
        if (b && !is_filled(f, b)) f->buffer[f->n++] = b;
        find_filled(f, n->body);
        find_filled(f, n->orelse);
    }
}

// Whether threads fence where they meet.
static bool fences(const struct kir_node *n) {
    return (n->kind == KIR_WAIT || n->kind == KIR_ARRIVE) && n->arrival.fence;
}

static bool uses(const struct filled *f, const struct kir_node *n) {
    bool used = !is_bulk(n) && !n->boxes && (is_filled(f, n->buf) || is_filled(f, n->to_buf));
    for (int i = 0; i < n->nargs; ++i) used |= is_filled(f, n->arg[i].buf);
    return used;
}

// Marks copies whose thread may have used such memory since it fenced, "used" at the begin.  Returns whether it did so at the
// end.
static bool mark_used(const struct filled *f, struct kir_node *list, bool used) {
    for (struct kir_node *n = list; n; n = n->next) {
        used = used && !fences(n);
        if (begins_fill(n)) n->fence |= used;
        used |= uses(f, n);
        bool in = mark_used(f, n->body, used), other = mark_used(f, n->orelse, used);
        if (n->kind == KIR_FOR && in) mark_used(f, n->body, true);
        used |= in || other;
    }
    return used;
}

void lower_fences(struct session *s, struct kir_node *list) {
    struct filled *f = ARENA_NEW(&s->arena, struct filled);
    find_filled(f, list);
    mark_used(f, list, false);
}
