// What comes before the first copy of a group that barriers in memory count: how many bytes the group has, and a fence.
//
// The thread that issues the copies says the bytes where it issues them.  Where their number depends on what is
// executed, the end of the group says it (KIR_ARRIVE), as the runtime has counted.  It fences there, too, where others
// have read what the copies fill (struct handover).
//
// A wait for one group more than before needs no counters: it is marked.
#include "base/session.h"
#include "lower/private.h"

enum { UNKNOWN = -1, MOST_BYTES = 1 << 20 };

// The bytes of the counted copies in "list", up to "end"; UNKNOWN if that depends on what is executed.
static int64_t bytes_in(const struct kir_node *list, const struct kir_node *end) {
    int64_t sum = 0;
    for (const struct kir_node *n = list; n != end; n = n->next) {
        int64_t here = kir_counted_bytes(n), begin, stop;
        if (here == 0) here = bytes_in(n->body, NULL);
        if (here == UNKNOWN || bytes_in(n->orelse, NULL) != 0) return UNKNOWN;
        if (here == 0) continue;
        bool sure = n->kind != KIR_IF && n->nconds == 0 && !n->cut;
        if (!sure || (n->kind == KIR_GUARD && n->count != 1)) return UNKNOWN;
        if (n->kind == KIR_FOR) {
            if (!ix_static(n->begin, &begin) || !ix_static(n->end, &stop)) return UNKNOWN;
            here *= stop > begin ? stop - begin : 0;
        }
        sum += here;
        if (sum >= MOST_BYTES) return UNKNOWN;
    }
    return sum;
}

// Where the first of these copies is, or what repeats or chooses it; NULL: there is none.
static struct kir_node **first_copy(struct kir_node **list, const struct kir_node *end) {
    for (struct kir_node **at = list; *at != end; at = &(*at)->next) {
        struct kir_node *n = *at;
        if (kir_counted_bytes(n) == 0 && bytes_in(n->body, NULL) == 0 &&
            bytes_in(n->orelse, NULL) == 0)
            continue;
        bool opens = n->kind == KIR_BLOCK || n->kind == KIR_GUARD;
        return opens ? first_copy(&n->body, NULL) : at;
    }
    return NULL;
}

static struct kir_node *put(struct session *s, struct kir_node **at, const struct kir_node *of,
                            enum kir_kind kind) {
    struct kir_node *n = ARENA_NEW(&s->arena, struct kir_node);
    n->kind = kind;
    n->where = of->where;
    n->arrival = of->arrival;
    n->next = *at;
    *at = n;
    return n;
}

// Says the bytes of the group from "*begin" on, which "end" ends.
static void announce(struct session *s, struct kir_node **begin, struct kir_node *end) {
    struct kir_node **at = first_copy(begin, end);
    if (!at) return;
    int64_t bytes = bytes_in(*begin, end);
    struct kir_node *asks = (*at)->kind == KIR_IF && !(*at)->orelse ? *at : NULL;
    if (asks && bytes_in(*begin, asks) == 0 && bytes_in(asks->next, end) == 0) {
        // a step that may not exist has all copies of the group or none
        bytes = bytes_in(asks->body, NULL);
        at = first_copy(&asks->body, NULL);
    } else {
        asks = NULL;
    }
    if (bytes != UNKNOWN) {
        put(s, at, end, KIR_ANNOUNCE)->count = bytes;
        if (asks) put(s, &asks->orelse, end, KIR_ANNOUNCE);
        end->announced = true;
    }
    if (end->after_reads) put(s, at, end, KIR_FENCE)->fenced = "others have read what it fills";
}

static void announce_in(struct session *s, const struct kir_kernel *k, struct kir_node **list) {
    struct kir_node **begin = list;
    for (struct kir_node *n = *list; n; n = n->next) {
        announce_in(s, k, &n->body);
        announce_in(s, k, &n->orelse);
        if (!kir_ends_counted(k, n)) continue;
        announce(s, begin, n);
        begin = &n->next;
    }
}

// -- waits for one group --------------------------------------------------------------------------

static bool is_counted(const struct kir_node *n) {
    return n->arrival.kind == ARRIVAL_GROUP && (n->counts & COUNTS_MEMORY);
}

static bool has_wait(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next)
        if (n->kind == KIR_WAIT || has_wait(n->body) || has_wait(n->orelse)) return true;
    return false;
}

// Marks waits for one group in "list".  Before it "pending" groups are not waited for, or UNKNOWN; returns how many are
// not behind it.  "most" becomes how many that are before a marked one.
static int64_t mark_one(struct session *s, const struct kir_kernel *k, struct kir_node *list,
                        int64_t pending, int64_t *most) {
    for (struct kir_node *n = list; n; n = n->next) {
        int64_t before = pending, body, other, trips;
        if (kir_ends_counted(k, n) && is_counted(n)) pending += pending != UNKNOWN;
        if (n->kind == KIR_WAIT && is_counted(n)) {
            int64_t left = n->arrival.count;
            n->one = pending == left + 1;
            if (n->one && pending > *most) *most = pending;
            if (left == 0 || pending > left) pending = left;
        }
        if (!n->body && !n->orelse) continue;
        body = mark_one(s, k, n->body, before, most);
        other = mark_one(s, k, n->orelse, before, most);
        if (n->kind == KIR_BLOCK) pending = body;
        if (n->kind == KIR_BLOCK || (body == before && other == before)) continue;
        pending = UNKNOWN;
        if (n->kind != KIR_FOR) continue;
        mark_one(s, k, n->body, UNKNOWN, most);
        const struct ix *times = ix_sub(s, n->end, n->begin);
        if (before != UNKNOWN && !has_wait(n->body) && times && ix_static(times, &trips))
            pending = before + trips * (body - before);
    }
    return pending;
}

// -- groups without copies ------------------------------------------------------------------------

// Whether all waits for counted groups in "list" are for one, in one loop that is in no other.  Then they are for groups
// with copies, since the groups of steps that do not exist come last.
static bool waits_once(const struct kir_node *list, bool inside, int *loops) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool loop = n->kind == KIR_FOR && has_wait(n->body);
        if (n->kind == KIR_WAIT && is_counted(n) && !(n->one && inside)) return false;
        if (loop && (inside || ++*loops > 1)) return false;
        if (!waits_once(n->body, inside || loop, loops) || !waits_once(n->orelse, inside, loops))
            return false;
    }
    return true;
}

// Whether all threads meet between a wait in "list" and the next copies, "met" before it and behind it.
static bool meets(const struct kir_node *list, bool sure, bool *met) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool inside = sure && (n->kind == KIR_BLOCK || n->kind == KIR_FOR);
        if (n->kind == KIR_ANNOUNCE && !*met) return false;
        if (n->kind == KIR_WAIT && is_counted(n)) *met = false;
        if (n->kind == KIR_WAIT && n->arrival.kind == ARRIVAL_BLOCK) *met |= sure;
        // a loop goes round
        for (int i = 0; i < 1 + (n->kind == KIR_FOR); ++i)
            if (!meets(n->body, inside, met)) return false;
        if (!meets(n->orelse, false, met)) return false;
    }
    return true;
}

static void drop_nothing(struct kir_node *list) {
    for (struct kir_node *n = list; n; n = n->next) {
        if (n->orelse && n->orelse->kind == KIR_ANNOUNCE) n->orelse = NULL;
        drop_nothing(n->body);
        drop_nothing(n->orelse);
    }
}

void lower_announce(struct session *s, struct kir_kernel *k) {
    int loops = 0;
    int64_t most = 0;
    announce_in(s, k, &k->body);
    if (!k->all_wait) return;
    mark_one(s, k, k->body, 0, &most);
    if (!waits_once(k->body, false, &loops)) return;
    drop_nothing(k->body);
    bool met = true;
    if (meets(k->body, true, &met)) k->barriers = arrival_barriers(most);
}
