// Offers other arrangements of the same threads if a copy is narrower than requested.
//
// One access moves neighbours along the mode with stride 1, so a thread needs that many of them
// there. There are three ways: the thread has all its values along that mode; or the tile stays,
// with its threads in another order; or the tile grows along that mode.  Fix-its are tried before
// they are shown (steps/fixits.c): the copy must be wider, and right.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/vectorize/width.h"
#include "pass/walk.h"

struct arrangement {
    int rank, along;
    int64_t thr[LAY_MAX_RANK], val[LAY_MAX_RANK];
};

int contiguous_mode(struct lay_ctx *x, const struct view *v) {
    struct lay l = lay_inner(v->layout);
    int found = -1;
    for (int i = 0; lay_valid(l) && i < lay_rank(l) && found < 0; ++i) {
        struct lay m = lay_flatten(x, lay_mode(x, l, i));
        for (int k = 0; lay_valid(m) && k < lay_rank(m); ++k) {
            struct lay one = lay_mode(x, m, k);
            if (lay_int_is(lay_size(x, one), 1)) continue;
            if (lay_is_leaf(one.stride) && lay_int_is(one.stride->leaf, 1)) found = i;
            break;
        }
    }
    lay_clear_error(x);
    return found;
}

// The contiguous mode of all sides that are in memory; -1 if they have no common one.
static int common_mode(struct session *s, const struct view *src, const struct view *dst) {
    bool from = src->base->space != MEM_FRAG, to = dst->base->space != MEM_FRAG;
    int a = from ? contiguous_mode(&s->lay, src) : -1, b = to ? contiguous_mode(&s->lay, dst) : -1;
    return !from ? b : !to || a == b ? a : -1;
}

// -- arrangements ---------------------------------------------------------------------------------

// Keeps the threads, and puts all values of a thread along that mode.
static bool turn_values(const struct arrangement *now, int64_t w, struct arrangement *out) {
    int64_t values = 1;
    *out = *now;
    for (int i = 0; i < now->rank; ++i) {
        values *= now->val[i];
        out->val[i] = 1;
    }
    out->val[now->along] = values;
    return values % w == 0 && values != now->val[now->along];
}

// Keeps the tile "now", with "w" neighbours for each thread along its mode, and moves threads.
static bool keep_tile(const struct arrangement *now, int64_t w, struct arrangement *out) {
    int64_t threads = 1;
    *out = *now;
    for (int i = 0; i < now->rank; ++i) threads *= now->thr[i];
    for (int k = 0; k < now->rank; ++k) {
        int i = k == 0 ? now->along : k <= now->along ? k - 1 : k;
        int64_t extent = now->thr[i] * now->val[i], most = i == now->along ? extent / w : extent;
        if (i == now->along && extent % w) return false;
        out->thr[i] = lay_gcd(threads, most);
        out->val[i] = extent / out->thr[i];
        threads /= out->thr[i];
    }
    return threads == 1 && memcmp(out->thr, now->thr, sizeof out->thr) != 0;
}

// Keeps the threads, and gives each at least "w" neighbours.
static bool grow_tile(const struct arrangement *now, int64_t w, struct arrangement *out) {
    *out = *now;
    out->val[now->along] = (now->val[now->along] + w - 1) / w * w;
    return out->val[now->along] != now->val[now->along];
}

const char *numbers_text(struct session *s, const int64_t *n, int rank, int along) {
    struct buf b;
    int64_t step = 1, stride[LAY_MAX_RANK];
    buf_init(&b);
    for (int k = 0; k < rank; ++k) {
        int i = k == 0 ? along : k <= along ? k - 1 : k;
        stride[i] = step;
        step *= n[i];
    }
    for (int part = 0; part < (along > 0 ? 2 : 1); ++part) {
        buf_puts(&b, part ? ":" : "");
        buf_puts(&b, rank > 1 ? "(" : "");
        for (int i = 0; i < rank; ++i)
            buf_printf(&b, "%s%lld", i ? "," : "", (long long)(part ? stride[i] : n[i]));
        buf_puts(&b, rank > 1 ? ")" : "");
    }
    return buf_finish(&b, &s->arena);
}

// Whether some threads have no element of "v".
static bool leaves_idle(struct session *s, const struct view *v, const struct arrangement *a) {
    struct lay l = lay_inner(v->layout);
    for (int i = 0; lay_valid(l) && i < a->rank && i < lay_rank(l); ++i) {
        struct lay_int n = lay_size(&s->lay, lay_mode(&s->lay, l, i));
        if (lay_int_static(n) && a->val[i] * (a->thr[i] - 1) >= n.num) return true;
    }
    return false;
}

// -- where they are written -----------------------------------------------------------------------

struct place {
    const struct copy *c;
    const struct atom *atom;
    const struct view *src, *dst;     // the views that a tile divides
    const struct tiled_copy *tc;      // .. or the tiled copy
    const struct partitioned *p, *q;  // .. or both sides of local_partition
    struct arrangement now;
};

// "(thr, val)" of a tiled copy, by modes.  If it is given in another way, any distribution of its
// threads and values in the tile will do.
static bool arrangement_of_tile(struct session *s, const struct tiled_copy *tc,
                                struct arrangement *a) {
    a->rank = lay_tuple_rank(tc->tiler);
    bool known = lay_valid(tc->thr) && lay_valid(tc->val);
    int64_t threads = tc->threads;
    for (int i = 0; i < a->rank; ++i) {
        struct lay_int n = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, tc->tiler, i));
        if (known) {
            a->thr[i] = lay_size(&s->lay, lay_mode(&s->lay, tc->thr, i)).num;
        } else {  // as many as fit; keep_tile() distributes them again
            a->thr[i] = lay_gcd(threads, n.num);
            threads /= a->thr[i];
        }
        if (a->thr[i] < 1 || n.num % a->thr[i]) return false;
        a->val[i] = n.num / a->thr[i];
    }
    return known || threads == 1;
}

static bool arrangement_of_parts(struct session *s, const struct partitioned *p,
                                 struct arrangement *a) {
    a->rank = lay_rank(p->thr);
    for (int i = 0; i < a->rank; ++i) {
        a->thr[i] = lay_size(&s->lay, lay_mode(&s->lay, p->thr, i)).num;
        a->val[i] = 1;
    }
    return true;
}

// Finds what divides the sides of "c" among threads, if its text can be edited.
static bool find_place(struct session *s, const struct copy *c, struct place *x) {
    *x = (struct place){.c = c, .src = &c->src, .dst = &c->dst, .tc = c->tc};
    x->atom = copy_atom(c);
    if (c->facts.by_map) return false;
    if (!c->tc) {
        x->p = c->src.partitioned;
        x->q = c->dst.partitioned;
        if (!x->p || !x->q || !lay_equal(x->p->thr, x->q->thr)) return false;
        x->src = x->p->of;
        x->dst = x->q->of;
    }
    bool ok =
        c->tc ? arrangement_of_tile(s, c->tc, &x->now) : arrangement_of_parts(s, x->p, &x->now);
    x->now.along = common_mode(s, x->src, x->dst);
    return ok && x->now.along >= 0 && x->now.along < x->now.rank;
}

// Whether "a" makes threads idle that are not idle now.
static bool idles(struct session *s, const struct place *x, const struct arrangement *a) {
    const struct view *v = x->c->src.base->space != MEM_FRAG ? x->src : x->dst;
    return leaves_idle(s, v, a) && !leaves_idle(s, v, &x->now);
}

static void replace(struct session *s, struct range at, const char *by) {
    diag_fixit(s, at, by);
}

static void write_arrangement(struct session *s, const struct place *x, const char *thr,
                              const char *val, bool same_threads) {
    const struct tiled_copy *tc = x->tc;
    if (tc && lay_valid(tc->thr) && !tc->by_atoms) {
        if (!same_threads) replace(s, tc->thr_at, thr);
        bool absent = tc->val_at.begin == tc->val_at.end;
        replace(s, tc->val_at, absent ? arena_printf(&s->arena, ", val=%s", val) : val);
        return;
    }
    const char *how = tc ? atom_text(s, x->atom) : source_line(s, x->c->how_at);
    const char *tile = arena_printf(&s->arena, "tile(%s, thr=%s, val=%s)", how, thr, val);
    if (tc && !tc->by) {
        replace(s, tc->at, tile);
        return;
    }
    if (x->p) {
        replace(s, x->c->src.at, source_line(s, x->p->of_at));
        replace(s, x->c->dst.at, source_line(s, x->q->of_at));
        replace(s, x->c->how_at, tile);
        return;
    }
    struct range by = {x->c->how_at.file, x->c->dst.at.end, x->c->how_at.end};
    replace(s, by, arena_printf(&s->arena, " with %s", tile));
}

static void offer(struct session *s, const struct kernel *k, int number, const struct place *x,
                  const struct arrangement *a, int bits) {
    bool same_threads = memcmp(a->thr, x->now.thr, sizeof a->thr) == 0;
    bool as_written = same_threads && x->tc && lay_valid(x->tc->thr) && !x->tc->by_atoms;
    const char *thr = as_written             ? source_line(s, x->tc->thr_at)
                      : x->p && same_threads ? source_line(s, x->p->thr_at)
                                             : numbers_text(s, a->thr, a->rank, a->along);
    const char *val = numbers_text(s, a->val, a->rank, 0);
    int neighbours = bits / copy_wider(x->c)->bits;
    diag_note(s, x->tc && !x->tc->by ? x->tc->at : x->c->at,
              "with thr=%s, val=%s a thread has %d neighbours along mode %d, and an access moves "
              "%d bits",
              thr, val, neighbours, a->along, bits);
    write_arrangement(s, x, thr, val, same_threads);
    diag_claim(s, (struct claim){k->name, number, bits, CHEAPER_NOT, false, true});
}

// -- the copy -------------------------------------------------------------------------------------

struct counted {
    const struct copy *c;
    int n;
};

static bool count(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct counted *x = user;
    (void)s;
    (void)k;
    if (c == x->c) return false;
    ++x->n;
    return true;
}

void widen_offer(struct session *s, struct kernel *k, const struct copy *c) {
    struct place *x = ARENA_NEW(&s->arena, struct place);
    struct arrangement a;
    struct counted number = {c, 0};
    int elem = copy_wider(c)->bits;
    walk_copies(s, k, count, &number);
    promise_offer(s, k, c, number.n);
    if (c->facts.won == BOUND_SRC_RUN || c->facts.won == BOUND_DST_RUN)
        turn_offer(s, k, c, number.n);
    if (!find_place(s, c, x)) return;
    for (int bits = x->atom->bits; bits > c->facts.bits && bits > elem; bits /= 2) {
        bool placed = !x->tc || lay_valid(x->tc->thr);
        if (placed && turn_values(&x->now, bits / elem, &a) && !idles(s, x, &a))
            offer(s, k, number.n, x, &a, bits);
        if (keep_tile(&x->now, bits / elem, &a) && !idles(s, x, &a))
            offer(s, k, number.n, x, &a, bits);
        if (placed && grow_tile(&x->now, bits / elem, &a)) offer(s, k, number.n, x, &a, bits);
        if (x->atom->row->exact) break;
    }
}
