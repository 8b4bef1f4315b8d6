// Fences between what threads did with shared memory and bulk copies that fill it again, or read it.
//
// A bulk copy is not ordered with what threads did with the memory before they met, unless each of
// them fences before that.  A fence stands before each place where threads meet, if they used memory
// since they met before that a bulk copy fills or reads, and one may be issued later.  One stands before a copy that
// fills memory, if its own thread may have used such memory since then.  A copy that reads has its own.
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

static bool any_bulk(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next)
        if (is_bulk(n) || any_bulk(n->body) || any_bulk(n->orelse)) return true;
    return false;
}

// A barrier in memory is what copies arrive at: who waits for it only learns what they wrote.
static bool meets(const struct kir_node *n) {
    return (n->kind == KIR_WAIT || n->kind == KIR_ARRIVE) && arrival_row(n->arrival)->joins &&
           n->arrival.kind != ARRIVAL_MEMORY;
}

static bool uses(const struct filled *f, const struct kir_node *n) {
    bool used = !is_bulk(n) && !n->boxes && (is_filled(f, n->buf) || is_filled(f, n->to_buf));
    for (int i = 0; i < n->nargs; ++i) used |= is_filled(f, n->arg[i].buf);
    return used;
}

// Marks where threads meet that used memory since they met before, "used" at the begin.  Returns
// whether they did so since then at the end.
static bool mark_used(const struct filled *f, struct kir_node *list, bool used) {
    for (struct kir_node *n = list; n; n = n->next) {
        if (meets(n)) {
            n->fence |= used;
            used = false;
        }
        if (begins_fill(n)) n->fence |= used;
        used |= uses(f, n);
        bool in = mark_used(f, n->body, used), other = mark_used(f, n->orelse, used);
        if (n->kind == KIR_FOR && in) mark_used(f, n->body, true);
        used |= in || other;
    }
    return used;
}

// Unmarks where no bulk copy is issued after threads met: not if "later", nor in the list itself.
// Returns whether one may be issued from the begin of the list on.
static bool keep_fences(struct kir_node *list, bool later) {
    if (!list) return later;
    bool behind = keep_fences(list->next, later);
    list->fence &= behind || begins_fill(list);
    behind |= any_bulk(list->body) || any_bulk(list->orelse);  // of a loop, or another role
    keep_fences(list->body, behind);
    keep_fences(list->orelse, behind);
    return behind || is_bulk(list);
}

void lower_fences(struct session *s, struct kir_node *list) {
    struct filled *f = ARENA_NEW(&s->arena, struct filled);
    find_filled(f, list);
    mark_used(f, list, false);
    keep_fences(list, false);
}
