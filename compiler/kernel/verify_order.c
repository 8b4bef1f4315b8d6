// What the race checker finds, in words: errors of manual functions, and what they wait for without
// need.
#include <inttypes.h>

#include "base/session.h"
#include "kernel/order.h"
#include "kernel/verify.h"
#include "plan/plan.h"

enum { MAX_SYNCS = 256, MAX_LOOSER = 8 };

// -- what is not in order -------------------------------------------------------------------------

static const char *who(struct session *s, const struct order_access *a) {
    if (a->thread < 0) return "the function that is called";
    return arena_printf(&s->arena, "thread %" PRId64, a->thread);
}

// "bytes 0 .. 15 of 's'"
static const char *bytes(struct session *s, const struct order_fault *f) {
    return arena_printf(&s->arena, "bytes %" PRId64 " .. %" PRId64 " of '%s'", f->at,
                        f->at + f->bytes - 1, f->buf->name);
}

static const char *mend(struct session *s, const struct order_fault *f) {
    if (f->missing == ORDER_BARRIER) return "a 'sync;' is missing between the two";
    if (f->younger < 0) return "no 'commit;' ends its group, and no 'wait 0;' waits for it";
    return arena_printf(&s->arena, "a 'wait %d;' is missing", f->younger);
}

static void report(struct session *s, const struct kernel *k, const struct order_fault *f) {
    const char *verb = f->second.write ? "writes" : "reads";
    const char *other = f->first.write ? "writes" : "reads";
    if (!f->second.node) {
        diag_error(
            s, k->at,
            "'%s' ends while a cp.async of %s still fills %s; a device function returns with "
            "its accesses done: %s",
            k->name, who(s, &f->first), bytes(s, f), mend(s, f));
    } else if (f->missing == ORDER_WAIT) {
        diag_error(s, f->second.node->where,
                   "%s %s %s, which a cp.async of %s may still %s: %s before it",
                   who(s, &f->second), verb, bytes(s, f), who(s, &f->first),
                   f->first.write ? "fill" : "read", mend(s, f));
    } else {
        diag_error(s, f->second.node->where, "%s %s %s, which %s %s%s: %s", who(s, &f->second),
                   verb, bytes(s, f), who(s, &f->first), other,
                   f->first.async && f->first.write ? " by cp.async" : "", mend(s, f));
    }
    diag_page(s, "needless-sync");
    diag_note(s, f->first.node->where, "%s %s them here", who(s, &f->first), other);
}

static bool in_order(struct session *s, const struct kir_kernel *x, int n,
                     const int64_t *const *sym, struct order_without without,
                     struct order_fault *fault) {
    for (int i = 0; i < n; ++i) {
        if (!order_check(s, x, sym[i], i == 0, without, fault)) return false;
    }
    return true;
}

// -- what is needless -----------------------------------------------------------------------------

struct syncs {
    const struct kir_node *at[MAX_SYNCS];
    int n;
};

static void gather(const struct kir_node *list, struct syncs *out) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool sync = n->kind == KIR_BARRIER || n->kind == KIR_WAIT;
        if (sync && out->n < MAX_SYNCS) out->at[out->n++] = n;
        gather(n->body, out);
        gather(n->orelse, out);
    }
}

// Whether accesses stand in "list" before ("after" false) or behind node "sync".
static bool accesses(const struct kir_node *list, const struct kir_node *sync, bool after,
                     bool *passed) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n == sync) *passed = true;
        if (n->bits && *passed == after) return true;
        if (accesses(n->body, sync, after, passed) || accesses(n->orelse, sync, after, passed))
            return true;
    }
    return false;
}

// A barrier at the end or the beginning of a device function is for what its caller does.
static bool for_the_caller(const struct kir_kernel *x, const struct kir_node *sync) {
    bool passed = false, again = false;
    if (!x->device || sync->kind != KIR_BARRIER) return false;
    return !accesses(x->body, sync, false, &passed) || !accesses(x->body, sync, true, &again);
}

// How many groups more the wait that is changed last could leave under way.
static int looser(struct session *s, const struct kir_kernel *x, int nsym,
                  const int64_t *const *sym, struct order_change *change, int n) {
    struct order_fault f;
    for (int by = 1; by <= MAX_LOOSER; ++by) {
        change[n - 1].by = by;
        if (!in_order(s, x, nsym, sym, (struct order_without){change, n}, &f)) return by - 1;
    }
    return 0;
}

static void tell(struct session *s, const struct kir_node *y, int by) {
    if (by == ORDER_LEFT_OUT) {
        diag_warn(s, W_NEEDLESS_SYNC, y->where, "this %s is not needed: all is in order without",
                  y->kind == KIR_WAIT ? "wait" : "barrier");
        diag_note(s, y->where, "leave it out");
        diag_fixit(s, y->where, "");
        return;
    }
    diag_warn(s, W_NEEDLESS_SYNC, y->where,
              "this wait leaves %d group%s under way, and %d could be", y->pending,
              y->pending == 1 ? "" : "s", y->pending + by);
    diag_note(s, y->where, "wait for fewer of them");
    diag_fixit(s, y->where, arena_printf(&s->arena, "wait %d;", y->pending + by));
}

// Each is looked at as if those before it were mended.
static void warn_needless(struct session *s, const struct kir_kernel *x, int nsym,
                          const int64_t *const *sym) {
    struct syncs *all = ARENA_NEW(&s->arena, struct syncs);
    struct order_change change[MAX_SYNCS];
    struct order_fault f;
    int n = 0;
    gather(x->body, all);
    for (int i = 0; i < all->n; ++i) {
        const struct kir_node *y = all->at[i];
        if (for_the_caller(x, y)) continue;
        change[n++] = (struct order_change){y, ORDER_LEFT_OUT};
        if (!in_order(s, x, nsym, sym, (struct order_without){change, n}, &f)) {
            int by = y->kind == KIR_WAIT ? looser(s, x, nsym, sym, change, n) : 0;
            change[n - 1].by = by;
            if (by == 0) --n;
        }
        if (n > 0 && change[n - 1].node == y) tell(s, y, change[n - 1].by);
    }
}

bool verify_order(struct session *s, const struct kernel *k, const struct kir_kernel *x, int n,
                  const int64_t *const *sym) {
    struct order_fault f;
    if (in_order(s, x, n, sym, (struct order_without){0}, &f)) {
        if (k->manual) warn_needless(s, x, n, sym);
        return true;
    }
    if (f.trouble) BUG("the order of '%s' cannot be checked: %s", k->name, f.trouble);
    if (k->manual) {
        report(s, k, &f);
        return false;
    }
    int line = 0, other, column;
    if (f.second.node) source_place(s, f.second.node->where, &line, &column);
    source_place(s, f.first.node->where, &other, &column);
    BUG("the code for '%s' lacks a %s: %s %s %s in line %d, and %s %s them in line %d", k->name,
        f.missing == ORDER_WAIT ? "wait" : "barrier", who(s, &f.second),
        f.second.write ? "writes" : "reads", bytes(s, &f), line, who(s, &f.first),
        f.first.write ? "writes" : "reads", other);
}
