// Costs of copies (see copy.h).
#include "cost/copy.h"

#include <string.h>

#include "base/session.h"
#include "cost/access.h"
#include "cost/alike.h"
#include "cost/memo.h"
#include "cost/seen.h"
#include "cost/sums.h"
#include "hw/sizes.h"

// MOST_WORK: instructions examined at one shift, including those without lanes.  MOST_COUNTED:
// those unlike any other.  ALIKE: how many equal ones take as long as a new one.
enum { MOST_WORK = 1 << 16, MOST_COUNTED = 1 << 13, ALIKE = 16 };
// -- a copy's instructions ------------------------------------------------------------------------

// Instructions of one kind: a load, a store, or a cp.async, which has both sides.
struct counting {
    struct session *s;
    int arch;
    enum cost_class class;
    const struct accesses *global, *shared;  // NULL: none
    int matrices;
    uint32_t lanes;  // that take part in each warp
    struct cost_seen *seen;
    int64_t work, alike;         // instructions examined, and those that were like another one
    int64_t enough;              // limit for the wavefronts of one side
    bool only_total;             // without the worst access and the reason for a range
    struct cost_worst worst[2];  // [0] by sectors, [1] by wavefronts
};

static bool aligned(const int64_t *address, uint32_t lanes, int bytes) {
    for (int l = 0; l < LANES; ++l)
        if (lanes >> l & 1 && address[l] % bytes) return false;
    return true;
}

// Instruction "n" of warp "warp" at shift "shift"; false: this shift is impossible.
static bool get(struct counting *c, int64_t warp, int64_t n, int64_t shift, int group,
                struct warp_access *a) {
    uint32_t lanes;
    int64_t of_global = c->global ? accesses_shifts(c->global) : 1;
    memset(a, 0, sizeof *a);
    ++c->work;
    a->class = c->class;
    a->matrices = c->matrices;
    a->lanes = c->lanes;
    if (c->global) {
        a->bits = c->global->bytes * 8;
        accesses_get(c->global, warp, n, shift % of_global, group, a->global, &lanes);
        a->lanes &= lanes;
    }
    if (c->shared) {
        a->bits = c->shared->bytes * 8;
        accesses_get(c->shared, warp, n, shift / of_global, -1, a->shared, &lanes);
        a->lanes &= lanes;
    }
    if (c->matrices && a->lanes) a->lanes = UINT32_MAX;
    return (!c->global || aligned(a->global, a->lanes, c->global->bytes)) &&
           (!c->shared || aligned(a->shared, a->lanes, c->shared->bytes));
}

// The same with its cost.  If "like" knows an equal instruction, "a" gets only the lanes.
struct looked {
    struct warp_access a;
    struct warp_cost cost, least;
};

static bool look(struct counting *c, struct alike *like, int64_t warp, int64_t n, int64_t shift,
                 struct looked *x) {
    const struct alike_one *one = alike_find(like, n, shift);
    if (one) {
        ++c->alike;
        x->a.lanes = one->lanes;
        if (one->ok) x->cost = one->cost;
        if (one->ok) x->least = one->least;
        return one->ok;
    }
    bool ok = get(c, warp, n, shift, -1, &x->a);
    if (ok && x->a.lanes) x->cost = cost_of_seen(c->seen, c->arch, &x->a, &x->least);
    alike_note(like, n, shift, ok, x->a.lanes, &x->cost, &x->least);
    return ok;
}

// The number of different bytes that the lanes of "a" touch in global memory.
static int64_t bytes_of(const struct warp_access *a) {
    int n = 0;
    for (int l = 0; l < LANES; ++l) {
        bool first = a->lanes >> l & 1;
        for (int i = 0; first && i < l; ++i)
            first = !(a->lanes >> i & 1) || a->global[i] != a->global[l];
        n += first;
    }
    return (int64_t)n * a->bits / 8;
}

// The cost of an instruction if each group may have any shift.  A group may begin in the sector in
// which another one ends, so the minimum counts only what all bytes need.
static bool count_scattered(struct counting *c, int64_t warp, int64_t n, int64_t shifts,
                            struct warp_cost *out) {
    const struct accesses *g = c->global;
    bool seen[LANES] = {false};
    struct warp_cost least = {0}, unused;
    int64_t bytes = 0;
    memset(out, 0, sizeof *out);
    for (int l = 0; l < LANES; ++l) {
        int64_t i = warp * LANES + l;
        if (seen[l] || i >= g->threads) continue;
        int group = g->group[i + g->threads * (n % g->neach)];
        for (int k = l; k < LANES && i + k - l < g->threads; ++k)
            seen[k] |= g->group[i + k - l + g->threads * (n % g->neach)] == group;
        struct warp_cost all = {0}, one;
        struct warp_access a;
        bool any = false;
        for (int64_t s = 0; s < shifts; ++s) {
            ++c->work;
            if (!get(c, warp, n, s, group, &a)) continue;
            one = cost_of_seen(c->seen, c->arch, &a, &unused);
            if (!any) all = one;
            widen(&all, one);
            any = true;
        }
        if (!any) return false;
        get(c, warp, n, 0, group, &a);
        bytes += bytes_of(&a);
        add(out, all);
        raise(&least, all);
    }
    out->sectors.least = (bytes + SECTOR - 1) / SECTOR;
    if (out->sectors.least < least.sectors.least) out->sectors.least = least.sectors.least;
    out->wavefronts.least = least.wavefronts.least;
    out->requests = (struct cost_range){1, 1};
    return true;
}

// The instruction with the largest cost at a shift, by sectors and by wavefronts.
struct worst {
    int64_t most[2], warp[2], n[2];  // most == -1: none yet
};

static void note_worst(struct worst *x, int64_t warp, int64_t n, struct warp_cost cost) {
    for (int i = 0; i < 2; ++i) {
        int64_t most = i ? cost.wavefronts.most : cost.sectors.most;
        if (most <= x->most[i]) continue;
        x->most[i] = most;
        x->warp[i] = warp;
        x->n[i] = n;
    }
}

// Keeps the first instruction with the largest cost at any possible shift.
static void keep_worst(struct counting *c, const struct worst *x, const bool *possible,
                       int64_t shifts) {
    for (int i = 0; i < 2; ++i) {
        struct cost_worst *w = &c->worst[i];
        int64_t most = -1;
        for (int64_t s = 0; s < shifts; ++s) {
            if (!possible[s] || x[s].most[i] <= most) continue;
            most = x[s].most[i];
            w->warp = x[s].warp[i];
            get(c, w->warp, x[s].n[i], s, -1, &w->access);
        }
        cost_normalize(w->access.global, w->access.lanes);
        cost_normalize(w->access.shared, w->access.lanes);
    }
}

// Whether every possible shift takes more than "enough" wavefronts.
static bool all_above(const struct warp_cost *total, const bool *possible, int64_t shifts,
                      int64_t enough) {
    bool above = enough != INT64_MAX;
    for (int64_t i = 0; i < shifts; ++i) above &= !possible[i] || total[i].wavefronts.most > enough;
    return above;
}

static const char too_many[] = "it has too many accesses to count them";

// Too large for a stack: what was counted, by shift.
struct tally {
    struct alike like;
    struct warp_cost most[ACCESS_SHIFTS], total[ACCESS_SHIFTS];
    struct worst worst[ACCESS_SHIFTS];
    bool possible[ACCESS_SHIFTS];
};

// Counts all instructions of a block; "out" gets the numbers of both sides.  "t" is zeroed.
static const char *count_all(struct counting *c, struct tally *t, struct side_cost *out) {
    const struct accesses *any = c->global ? c->global : c->shared;
    int64_t warps = (any->threads + LANES - 1) / LANES;
    int64_t each = any->neach * any->nrounds;
    int64_t shifts =
        (c->global ? accesses_shifts(c->global) : 1) * (c->shared ? accesses_shifts(c->shared) : 1);
    bool scattered = c->global && c->global->scattered;
    bool apart =
        scattered || (c->global && c->global->by_round) || (c->shared && c->shared->by_round);
    bool one_shift = shifts == 1 || apart;  // costs can be added
    if (shifts > ACCESS_SHIFTS) return "too little is known about where its tile begins";
    if (warps * each * shifts > MOST_WORK) return too_many;
    struct alike *like = &t->like;
    struct warp_cost *most = t->most, *total = t->total;
    struct worst *worst = t->worst;
    bool *possible = t->possible;
    memset(possible, true, sizeof t->possible);
    for (int64_t i = 0; i < shifts; ++i) worst[i].most[0] = worst[i].most[1] = -1;
    if (!scattered) alike_begin(like, c->global, c->shared, c->class);
    for (int64_t w = 0; w < warps; ++w) {
        uint32_t busy = 0;
        alike_warp(like, w);
        for (int64_t n = 0; n < each; ++n) {
            struct warp_cost all = {0};
            struct looked x;
            x.cost = x.least = all;
            bool seen = false,
                 ok = scattered ? get(c, w, n, 0, -1, &x.a) : look(c, like, w, n, 0, &x);
            if (!x.a.lanes && c->work <= MOST_WORK) continue;
            busy |= x.a.lanes;
            for (int64_t i = 0; !scattered && i < shifts; ++i) {
                if (i > 0) ok = look(c, like, w, n, i, &x);
                if (!ok) {
                    possible[i] = false;
                    continue;
                }
                add(&total[i], x.cost);
                raise(&most[i], x.cost);
                note_worst(&worst[i], w, n, x.cost);
                if (!seen) all = x.cost;
                widen(&all, x.cost);
                seen = true;
            }
            if (scattered) {
                cost_least(c->arch, &x.a, &x.least);
                seen = count_scattered(c, w, n, shifts, &all);
                note_worst(&worst[0], w, n, all);
            }
            bool many = c->work > MOST_WORK || c->seen->counted > MOST_COUNTED;
            if (!seen || many)
                return many ? too_many : "its accesses are not aligned to their width";
            ++out->instructions;
            add(&out->total, all);
            if (one_shift && out->total.wavefronts.most > c->enough) return "it costs too much";
            raise(&out->most, all);
            add(&out->least_total, x.least);
            raise(&out->least, x.least);
        }
        out->threads += __builtin_popcount(busy);
        if (!one_shift && all_above(total, possible, shifts, c->enough)) return "it costs too much";
    }
    bool first = true;
    for (int64_t i = 0; !apart && i < shifts; ++i) {  // all instructions have the same shift
        if (!possible[i]) continue;
        if (first) out->most = most[i];
        if (first) out->total = total[i];
        widen(&out->most, most[i]);
        widen(&out->total, total[i]);
        first = false;
    }
    if (apart) memset(possible, true, sizeof t->possible);
    if (!c->only_total) keep_worst(c, worst, possible, shifts);
    return first && !apart ? "its accesses are not aligned to their width" : NULL;
}

// The same, unless it was counted before.
static void count_once(struct counting *c, struct side_cost *out) {
    const struct cost_asked q = {c->arch,  c->class,  c->matrices,
                                 c->lanes, c->enough, {c->global, c->shared}};
    // A total alone lacks the other numbers, and is for another arrangement each time.
    struct cost_memo *memo = c->only_total ? NULL : c->s->costs;
    const struct cost_counted *before = cost_memo_find(memo, &q);
    if (before) {
        *out = before->side;
        memcpy(c->worst, before->worst, sizeof c->worst);
        c->work = before->work;
        c->alike = before->alike;
        return;
    }
    cost_seen_nothing(c->seen);
    struct tally *t = memory_zeroed(1, sizeof *t);
    out->why = count_all(c, t, out);
    memory_free(t);
    struct cost_counted now = {.side = *out, .work = c->work, .alike = c->alike};
    memcpy(now.worst, c->worst, sizeof now.worst);
    cost_memo_keep(memo, &now);
}

// -- a copy ---------------------------------------------------------------------------------------

static bool in_memory(const struct copy *c, bool src) {
    return copy_side(c, src)->base->space != MEM_FRAG;
}

static bool has_both(const struct copy *c) {
    return copy_atom(c)->row->completes == COMPLETES_BY_GROUP;
}

// The table row with the accesses of a copy at their width; NULL: there is no such instruction, and
// the copy is refused.
static const struct atom_row *row_of(const struct copy *c, const struct copy_facts *f) {
    int bits = copy_edge(f) == EDGE_ALWAYS ? f->edge_bits : f->bits;
    const struct atom_row *row = atom_for_width(copy_atom(c)->row, bits);
    return atom_has_width(row, bits) ? row : NULL;
}

static enum cost_class class_of(const struct copy *c, const struct copy_facts *f, bool src) {
    const struct atom_row *row = row_of(c, f);
    bool shared = space_is_shared(copy_side(c, src)->base->space);
    if (!row) row = atom_narrower(copy_atom(c)->row);
    if (row->cost) return row->cost;
    if (shared) return src ? COST_LD_SHARED : COST_ST_SHARED;
    return src ? COST_LD_GLOBAL : COST_ST_GLOBAL;
}

// Which numbers are ranges although all shifts are known.
static const char *rule_text(struct session *s, const struct side_cost *x) {
    if (cost_exact(x->most.wavefronts) && cost_exact(x->total.wavefronts) &&
        cost_exact(x->most.sectors) && cost_exact(x->total.sectors))
        return NULL;
    return arena_printf(&s->arena, "the hardware's rule for this order of %s is not known",
                        cost_class_name(x->class));
}

// Keeps the numbers of one side and clears the other's.
static void keep_side(const struct counting *counting, const struct copy *c, bool src,
                      struct side_cost *x) {
    struct warp_cost *all[] = {&x->most, &x->total, &x->least, &x->least_total};
    bool shared = space_is_shared(copy_side(c, src)->base->space);
    const struct cost_worst *worst = &counting->worst[shared];
    x->worst = worst->access;
    x->worst_warp = worst->warp;
    for (int i = 0; i < 4; ++i) {
        if (shared)
            all[i]->sectors = all[i]->requests = (struct cost_range){0, 0};
        else
            all[i]->wavefronts = (struct cost_range){0, 0};
    }
}

static void set_loose(struct session *s, const struct accesses *a, struct side_cost *x) {
    x->loose = rule_text(s, x);
    if (!x->loose) return;
    for (int i = 0; i < 2; ++i) {
        if (!a[i].loose) continue;
        x->loose = a[i].loose;
        x->missing = a[i].missing;
    }
}

static void count_sides(struct counting *c, const struct costed *costed, bool src, bool dst,
                        struct side_cost *out) {
    const struct copy *y = costed->c;
    const struct copy_facts *f = costed->f;
    struct accesses a[2] = {0};
    bool sides[2] = {src, dst}, both = src && dst;
    const struct atom *atom = copy_atom(y);
    *out = (struct side_cost){.there = true, .class = class_of(y, f, src)};
    c->class = out->class;
    c->global = c->shared = NULL;
    c->work = c->alike = 0;
    c->lanes = f->lanes ? (uint32_t)(((uint64_t)1 << f->lanes) - 1) : UINT32_MAX;
    c->matrices = atom_is_collective(atom->row) ? atom->bits / 32 : 0;
    if (has_both(y) && !row_of(y, f)) out->why = "no asynchronous copy is as narrow";
    if (c->class == COST_BULK) out->why = "what bulk copies cost was not measured";
    for (int i = 0; i < 2 && !out->why; ++i) {
        if (!sides[i]) continue;
        bool shared = space_is_shared(copy_side(y, i == 0)->base->space);
        bool lines = both && (c->class != COST_CP_ASYNC_CA || !c->only_total);
        int modulus = shared || lines ? LINE : SECTOR;
        out->why = accesses_of(c->s, costed, i == 0, modulus, &a[i]);
        *(shared ? &c->shared : &c->global) = &a[i];
        bool adds_up = !shared && c->class != COST_CP_ASYNC_CA;
        if (!out->why && a[i].scattered && !adds_up) out->why = a[i].loose;
        if (out->why) out->missing = a[i].missing;
    }
    if (!out->why) count_once(c, out);
    out->work = c->work + c->alike / ALIKE;
    if (!out->why) set_loose(c->s, a, out);
}

static void both_sides(struct counting *x, const struct costed *y, struct copy_cost *out) {
    x->seen = memory_new(sizeof *x->seen);
    count_sides(x, y, true, true, &out->src);
    memory_free(x->seen);
    out->dst = out->src;
    keep_side(x, y->c, true, &out->src);
    keep_side(x, y->c, false, &out->dst);
    for (int i = 0; i < 2; ++i) {
        struct side_cost *side = i ? &out->dst : &out->src;
        if (!side->why && !rule_text(x->s, side)) side->loose = NULL;
    }
}

static void one_side(struct counting *x, const struct costed *y, bool src, struct side_cost *out) {
    *out = (struct side_cost){0};
    if (has_both(y->c)) {
        struct copy_cost both;
        both_sides(x, y, &both);
        *out = *cost_side(&both, src);
    } else if (in_memory(y->c, src)) {
        x->seen = memory_new(sizeof *x->seen);
        count_sides(x, y, src, !src, out);
        memory_free(x->seen);
        keep_side(x, y->c, src, out);
    }
}

void cost_of_side(struct session *s, const struct costed *y, bool src, struct side_cost *out) {
    struct counting x = {.s = s, .arch = y->p->arch, .enough = INT64_MAX};
    one_side(&x, y, src, out);
}

void cost_of_side_within(struct session *s, const struct costed *y, bool src, int64_t enough,
                         struct side_cost *out) {
    struct counting x = {.s = s, .arch = y->p->arch, .enough = enough, .only_total = true};
    one_side(&x, y, src, out);
}

void cost_of_copy(struct session *s, const struct costed *y, struct copy_cost *out) {
    struct counting x = {.s = s, .arch = y->p->arch, .enough = INT64_MAX};
    *out = (struct copy_cost){0};
    if (has_both(y->c)) {
        both_sides(&x, y, out);
        return;
    }
    one_side(&x, y, true, &out->src);
    one_side(&x, y, false, &out->dst);
}
