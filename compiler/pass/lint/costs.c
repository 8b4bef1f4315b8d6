// Copies that cost the hardware much more than necessary.  If params decide a cost, the warnings are
// about some values that the params may have.
#include <inttypes.h>

#include "base/session.h"
#include "cost/copy.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/advice.h"
#include "pass/lint/conflict.h"
#include "pass/lint/lint.h"
#include "pass/walk.h"
#include "plan/known.h"

// EXTREME: from this many times the minimum on, a warning is given even if no fix is known.
enum { EXTREME = 4 };

static bool is_extreme(struct cost_range have, struct cost_range least) {
    return have.least >= EXTREME * least.most;
}

// -- global memory --------------------------------------------------------------------------------

// Whether other blocks or steps have what is between the elements of "v" in a sector: "v" has less than a
// sector along a mode that they move it along.
static bool fills_between(struct session *s, const struct view *v) {
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, v->base->layout.stride);
    if (!lay_valid(v->coord)) return true;
    for (int i = 0; i < lay_tuple_rank(stride); ++i) {
        const struct ix *lo, *hi;
        int64_t least, most, n = 0;
        if (!ix_depends_if(v->coord_off[i], ix_is_no_thread)) continue;
        view_reach(s, v, i, &lo, &hi);
        const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
        if (span && ix_static(span, &n) && n > SECTOR) n = SECTOR;
        lay_int_range(lay_tuple_get(&s->lay, stride, i)->leaf, &least, &most);
        if (least < SECTOR && (n + 1) * least * v->base->elem->bits < SECTOR * 8) return true;
    }
    return false;
}

// The sectors in which the elements of a side lie, where they are so far apart that they need twice those
// that their bytes fill, in any order of threads; otherwise 0.
static int64_t sectors_apart(const struct costly *a, const int64_t *value) {
    const struct costed costed = {a->p, a->k, a->c, &a->c->facts, value};
    if (fills_between(a->s, copy_side(a->c, a->src))) return 0;
    int64_t in = accesses_sectors(a->s, &costed, a->src);
    return in >= 2 * a->cost->least_total.sectors.most ? in : 0;
}

static void warn_coalesce(const struct costly *a, const int64_t *value) {
    struct session *s = a->s;
    const struct side_cost *x = a->cost;
    const char *name = copy_side(a->c, a->src)->base->name;
    if (!cost_is_much(x->total.sectors, x->least_total.sectors)) return;
    int64_t in = sectors_apart(a, value);
    if (x->total.sectors.least < 2 * in) return;
    const char *much =
        arena_printf(&s->arena,
                     "%s %s %" PRId64 " sectors of '%s' in %" PRId64 " warp accesses, but its",
                     copy_name(s, a->c), a->src ? "reads" : "writes", x->total.sectors.least, name,
                     x->instructions);
    if (in)
        diag_warn(s, W_COALESCE, a->c->at, "%s elements lie in %" PRId64, much, in);
    else
        diag_warn(s, W_COALESCE, a->c->at,
                  "%s bytes fit into %" PRId64 ": an access takes up to %" PRId64 ", and %" PRId64
                  " would be enough",
                  much, x->least_total.sectors.most, x->most.sectors.least, x->least.sectors.most);
    advise_order(a);
    if (!is_extreme(x->total.sectors, x->least_total.sectors)) diag_if_mended(s);
}

// -- shared memory --------------------------------------------------------------------------------

static void warn_conflict(const struct costly *a) {
    struct session *s = a->s;
    const struct side_cost *x = a->cost;
    const struct tensor *t = copy_side(a->c, a->src)->base;
    if (!cost_is_much(x->total.wavefronts, x->least_total.wavefronts)) return;
    int64_t times = x->most.wavefronts.least / x->least.wavefronts.most;
    diag_warn(s, W_BANK_CONFLICT, a->c->at,
              "%s %s '%s' in %" PRId64 " wavefronts per access, and %" PRId64
              " would be enough: %s",
              copy_name(s, a->c), a->src ? "reads" : "writes", t->name, x->most.wavefronts.least,
              x->least.wavefronts.most, cost_conflict_text(s, x->class, times));
    const char *text = conflict_text(s, &x->worst, x->worst_warp);
    if (text) diag_note(s, t->at, "%s", text);
    advise_order(a);
    bool free = advise_layout(a);
    if (!is_extreme(x->total.wavefronts, x->least_total.wavefronts))
        diag_if_mended(s);
    else
        advise_last(a, times, free);
}

// -- threads --------------------------------------------------------------------------------------

// Why threads of the tiled copy are outside the copied view.
static const char *beyond_text(struct session *s, const struct copy *c) {
    const struct view *v = copy_tiled_side(c);
    int n = lay_tuple_rank(c->tc->tiler), rank = lay_rank(v->layout);
    for (int i = 0; i < n && i < rank; ++i) {
        struct lay_int tile = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, c->tc->tiler, i));
        struct lay_int have = lay_size(&s->lay, lay_mode(&s->lay, v->layout, i));
        lay_clear_error(&s->lay);
        if (!lay_int_static(tile) || !lay_int_static(have) || tile.num <= have.num) continue;
        return arena_printf(
            &s->arena,
            ", some of which are beyond the tile: along mode %d the tile has %" PRId64
            " elements, '%s' here has %" PRId64 "%s",
            i, tile.num, v->base->name, have.num,
            n < rank ? "; 'thr=' and 'val=' take a number for each mode" : "");
    }
    return ", some of which are beyond the tile";
}

// Whether at least half of the block has nothing to do in "c" while others make several accesses;
// warns of that.
static bool warn_idle(struct session *s, const struct kernel *k, const struct copy *c, int number,
                      const struct side_cost *x) {
    const struct stmt *role = kernel_role_of(k, c);
    int64_t all = role ? stmt_threads(role, 0) : k->threads, idle = all - x->threads,
            warps = (x->threads + 31) / 32;
    bool one_each = x->instructions <= warps;  // there is nothing more to distribute
    if (!c->tc || c->tc->atom.row->alone || c->facts.level != LEVEL_BLOCK || 2 * idle < all ||
        one_each)
        return false;
    diag_warn(s, W_IDLE_THREADS, c->at,
              "%" PRId64 " of the %" PRId64 " threads of a %s have nothing to do in %s, in which "
              "each warp makes %" PRId64 " accesses",
              idle, all, role ? "role" : "block", copy_name(s, c), x->instructions / warps);
    diag_note(s, c->tc->at, "the tiled copy has %" PRId64 " threads%s", c->tc->threads,
              c->tc->threads > x->threads ? beyond_text(s, c) : "");
    if (!role) advise_threads(s, k, c, number);
    return true;
}

// The same of the lanes of each warp, where each warp copies for itself.
static void warn_idle_lanes(struct session *s, const struct kernel *k, const struct copy *c,
                            const struct side_cost *x) {
    int64_t warps = (copy_team(c, k->threads) + 31) / 32, lanes = c->facts.lanes;
    if (!c->tc || c->facts.level != LEVEL_WARP || !lanes || 2 * lanes > 32) return;
    if (k->threads % 32 != 0 || x->instructions <= warps) return;
    diag_warn(s, W_IDLE_THREADS, c->at,
              "%" PRId64
              " of the 32 lanes of each warp have nothing to do in %s, in which it makes "
              "%" PRId64 " accesses",
              32 - lanes, copy_name(s, c), x->instructions / warps);
    diag_note(s, c->tc->at,
              "each warp copies for itself, and the tiled copy has %" PRId64
              " threads; with 32 of them, a warp makes fewer accesses",
              c->tc->threads);
}

// What the copies of a kernel leave of its block.
struct block {
    int64_t declared;           // threads of the widest tiled copy
    int64_t busy;               // threads of the copy in which most have something to do
    const struct copy *widest;  // that copy
    bool unknown;               // of some copy it is not known how many are busy
    bool all;                   // something else than a tiled copy of the block may use them all
    bool told;
};

static void see_copy(struct block *b, const struct copy *c) {
    if (!c->tc || c->facts.level != LEVEL_BLOCK)
        b->all = true;
    else if (c->tc->threads > b->declared)
        b->declared = c->tc->threads;
}

static void see_busy(struct block *b, const struct copy *c, const struct side_cost *x) {
    if (!x->there || x->why)
        b->unknown = true;
    else if (x->threads > b->busy) {
        b->busy = x->threads;
        b->widest = c;
    }
}

// Whether a call, or a role, may use threads that no copy uses.
static bool uses_all(const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_PART && stmt_threads(st, 0)) return true;
        if (st->kind == STMT_CALL && !(st->call->fill && st->call->view[0].base->space == MEM_FRAG))
            return true;
    }
    return false;
}

// Whether blocks of "busy" threads would have fewer warps.
static bool saves_warps(const struct kernel *k, int64_t busy) {
    return busy > 0 && (busy + 31) / 32 < (k->threads + 31) / 32;
}

// Warns of threads that no copy uses, unless each copy was warned of.
static void warn_idle_block(struct session *s, const struct kernel *k, const struct block *b) {
    bool said = k->threads_at.begin != k->threads_at.end;
    int64_t spare = k->threads - b->declared;
    if (k->device || b->all || b->declared == 0 || uses_all(k)) return;
    bool half = 2 * spare >= k->threads;
    if (said && spare > 0 && (!half || (!b->told && saves_warps(k, b->declared)))) {
        diag_warn(s, W_IDLE_THREADS, k->threads_at,
                  "a block has %" PRId64 " threads, and the tiled copies of '%s' use at most "
                  "%" PRId64,
                  k->threads, k->name, b->declared);
        // less than a warp is no better
        diag_fixit(s, k->threads_at,
                   arena_printf(&s->arena, "%" PRId64, b->declared < 32 ? 32 : b->declared));
        return;
    }
    if (b->told || b->unknown || 2 * b->busy > k->threads || !saves_warps(k, b->busy)) return;
    diag_warn(s, W_IDLE_THREADS, b->widest->at,
              "%" PRId64 " of the %" PRId64
              " threads of a block have nothing to do in %s, nor in another one of '%s'",
              k->threads - b->busy, k->threads, copy_name(s, b->widest), k->name);
    diag_note(s, b->widest->tc->at, "the tiled copy has %" PRId64 " threads%s",
              b->widest->tc->threads,
              b->widest->tc->threads > b->busy ? beyond_text(s, b->widest) : "");
    diag_note(s, k->at, "take fewer threads, or give each block a larger part of the tensors");
}

// -- all ------------------------------------------------------------------------------------------

struct state {
    struct plan *p;
    const int64_t *value;  // values of the params; NULL: none were found
    const struct kernel *k;
    int number;
    int64_t work;  // beyond KERNEL_WORK the other copies of the kernel are skipped
    struct block block;
    struct all_tried tried;
};

enum { KERNEL_WORK = 1 << 16 };

static bool visit(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct state *x = user;
    struct copy_cost cost;
    x->number = k == x->k ? x->number + 1 : 0;
    x->k = k;
    see_copy(&x->block, c);
    if (x->work > KERNEL_WORK) {
        x->block.unknown = true;
        return true;
    }
    cost_of_copy(s, &(struct costed){x->p, k, c, &c->facts, NULL}, &cost);
    x->work += cost.src.work + cost.dst.work;
    bool open = cost.src.why || cost.dst.why || cost.src.loose || cost.dst.loose;
    const int64_t *value = open && k->nparams && !k->nvariants ? x->value : NULL;
    if (value) cost_of_copy(s, &(struct costed){x->p, k, c, &c->facts, value}, &cost);
    const struct side_cost *any = cost.src.there ? &cost.src : &cost.dst;
    see_busy(&x->block, c, any);
    if (any->there && !any->why) {
        x->block.told |= warn_idle(s, k, c, x->number, any);
        warn_idle_lanes(s, k, c, any);
    }
    for (int i = 0; i < 2; ++i) {
        bool src = i == 0;
        const struct side_cost *side = cost_side(&cost, src);
        if (!side->there || side->why) continue;
        struct costly costly = {s, x->p, k, c, x->number, src, side, &x->tried};
        warn_coalesce(&costly, value);
        warn_conflict(&costly);
    }
    return true;
}

void lint_costs(struct lint *l) {
    struct known known = {.k = l->k, .test = "costs", .value = &l->value, .n = l->value != NULL};
    if (known_passed(l->s, &known)) return;
    struct state x = {.p = l->p, .value = l->value};
    walk_copies(l->s, l->k, visit, &x);
    warn_idle_block(l->s, l->k, &x.block);
    known_keep(l->s, &known);
}
