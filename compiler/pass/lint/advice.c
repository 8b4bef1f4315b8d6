// Fixes for what a copy costs (see advice.h).
//
// Orders of threads and paddings are compiled to see what they cost (steps/fixits.c).  There are
// too many swizzles for that, so the best one is chosen first: a swizzle changes no other facts of
// a copy.
#include "pass/lint/advice.h"

#include <string.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/lint/swizzles.h"
#include "pass/vectorize/width.h"
#include "pass/walk.h"

void advice_claim(const struct costly *a, bool proven) {
    bool shared = space_is_shared(copy_side(a->c, a->src)->base->space);
    enum cheaper cheaper = shared ? CHEAPER_WAVEFRONTS : CHEAPER_SECTORS;
    diag_claim(a->s, (struct claim){a->k->name, a->number, 0, cheaper, !a->src, true, proven});
}

// -- the order of threads -------------------------------------------------------------------------

static int64_t extent_of(struct session *s, struct lay l, int i) {
    struct lay_int n = lay_size(&s->lay, lay_is_leaf(l.shape) ? l : lay_mode(&s->lay, l, i));
    lay_clear_error(&s->lay);
    return lay_int_static(n) ? n.num : 0;
}

// The extents of a tiled copy, and the mode along which "v" is contiguous.
struct arrangement {
    int rank, along;
    int64_t thr[LAY_MAX_RANK], val[LAY_MAX_RANK], threads;
};

// "with_layout": also arranges the buffer on the other side to suit it.
static void offer_order(const struct costly *a, const struct arrangement *x, const int64_t *thr,
                        bool with_layout) {
    struct session *s = a->s;
    const char *text = numbers_text(s, thr, x->rank, x->along);
    const struct tensor *t = copy_side(a->c, !a->src)->base;
    if (strcmp(text, source_line(s, a->c->tc->thr_at)) == 0) return;
    diag_note(s, a->c->tc->at, "with thr=%s, neighbouring threads are along mode %d%s%s%s", text,
              x->along, with_layout ? "; then write 'swizzle auto' after the layout of '" : "",
              with_layout ? t->name : "", with_layout ? "'" : "");
    diag_fixit(s, a->c->tc->thr_at, text);
    if (with_layout)
        diag_fixit(s, t->layout_at,
                   arena_printf(&s->arena, "%s swizzle auto", source_line(s, t->layout_at)));
    advice_claim(a, false);
}

// Whether 'swizzle auto' can be added after the layout of "t".
static bool takes_auto(const struct tensor *t) {
    return space_is_shared(t->space) && !t->outside && lay_valid(t->layout) && !t->layout.sw.b &&
           !t->layout.composed && !t->swizzle_auto;
}

static bool arrangement_of(struct session *s, const struct tiled_copy *tc, const struct view *v,
                           struct arrangement *a) {
    if (!tc || !lay_valid(tc->thr) || !lay_valid(tc->val) || tc->by_atoms || tc->map) return false;
    a->rank = lay_tuple_rank(tc->tiler);
    a->along = contiguous_mode(&s->lay, v);
    a->threads = 1;
    if (a->rank < 2 || a->along < 0 || a->along >= a->rank) return false;
    for (int i = 0; i < a->rank; ++i) {
        a->thr[i] = extent_of(s, tc->thr, i);
        a->val[i] = extent_of(s, tc->val, i);
        if (a->thr[i] < 1 || a->val[i] < 1) return false;
        a->threads *= a->thr[i];
    }
    return true;
}

// Places as many threads as possible along the contiguous mode, and the others across it.
static void spread(struct session *s, const struct arrangement *a, const struct view *v,
                   int64_t *thr) {
    int64_t room = extent_of(s, lay_inner(v->layout), a->along) / a->val[a->along];
    int64_t most = room < 1 ? a->thr[a->along] : lay_gcd(room, a->threads);
    for (int i = 0; i < a->rank; ++i) thr[i] = 1;
    thr[a->along] = most;
    thr[a->along ? 0 : 1] = a->threads / most;
}

void advise_order(const struct costly *a) {
    const struct copy *c = a->c;
    const struct view *v = copy_side(c, a->src);
    struct arrangement x;
    int64_t full[LAY_MAX_RANK];
    if (!c->tc) advise_slices(a);
    if (!arrangement_of(a->s, c->tc, v, &x)) return;
    spread(a->s, &x, v, full);
    bool arranged = v->base->space == MEM_GLOBAL && takes_auto(copy_side(c, !a->src)->base);
    for (int layout = 0; layout <= arranged; ++layout) {
        // first one that probably helps the other side too, so that two warnings have the same fix
        offer_order(a, &x, full, layout);
        if (full[x.along] != x.thr[x.along]) offer_order(a, &x, x.thr, layout);
    }
}

void advise_threads(struct session *s, const struct kernel *k, const struct copy *c, int number) {
    bool src = c->src.base->space == MEM_GLOBAL || c->dst.base->space == MEM_FRAG;
    const struct view *v = copy_side(c, src);
    struct arrangement a;
    int64_t thr[LAY_MAX_RANK];
    if (!arrangement_of(s, c->tc, v, &a)) return;
    int64_t more = k->threads / a.threads;
    if (more > 1)
        memcpy(thr, a.thr, sizeof thr);
    else
        spread(s, &a, v, thr);  // some threads are outside the tile
    for (int i = 0; i <= a.rank;
         ++i) {  // across the contiguous mode first, as far as the rounds allow
        int m = i < a.rank ? i : a.along;
        int64_t rounds = extent_of(s, lay_inner(v->layout), m) / (thr[m] * a.val[m]);
        if (i == a.along || rounds < 1) continue;
        int64_t by = lay_gcd(rounds, more);
        thr[m] *= by;
        more /= by;
    }
    const char *text = numbers_text(s, thr, a.rank, a.along);
    if (strcmp(text, source_line(s, c->tc->thr_at)) == 0) return;
    diag_note(s, c->tc->at, "with thr=%s, more threads take part", text);
    diag_fixit(s, c->tc->thr_at, text);
    diag_claim(s, (struct claim){k->name, number, 0, CHEAPER_THREADS, !src, true, false});
}

// -- swizzles -------------------------------------------------------------------------------------

// Limits for the accesses of warps examined for one buffer and for all buffers of a kernel.  Each
// copy adds TRY_WORK to the number of its accesses.
enum { TRIALS_WORK = 1 << 16, KERNEL_TRIALS = 1 << 18, TRY_WORK = 16 };

// The cost of the copies of a tensor as they are, in textual order.
struct before {
    int64_t *wavefronts;
    int n, cap;
};

struct trial {
    const struct plan *p;
    const struct tensor *t;
    struct before *before;
    struct lay_swizzle sw;
    int at;               // number of the next copy to "t"
    int64_t total;        // of all accesses to "t"; INT64_MAX: some copy gets worse, or is unknown
    int64_t least;        // without any conflicts
    int64_t enough;       // a larger total is not examined further
    int64_t *work, most;  // work of all trials so far, and the limit for more
    bool promised;        // assumes that tensors in global memory begin at a line
};

static bool touches(const struct trial *x, const struct copy *c) {
    return c->src.base == x->t || c->dst.base == x->t;
}

static int64_t wavefronts(struct session *s, const struct trial *x, const struct kernel *k,
                          const struct copy *c, const struct copy_facts *f, int64_t *least) {
    struct session_mark mark = session_mark(s);
    struct side_cost side;
    int64_t n = 0;
    for (int i = 0; i < 2 && n != INT64_MAX; ++i) {
        if (copy_side(c, i == 0)->base != x->t) continue;
        cost_of_side(s, &(struct costed){x->p, k, c, f, NULL}, i == 0, &side);
        *x->work += side.work + TRY_WORK;
        if (side.why || *x->work > x->most)
            n = INT64_MAX;
        else
            n += x->promised ? side.total.wavefronts.least : side.total.wavefronts.most;
        *least += side.least_total.wavefronts.least;
    }
    session_rewind(s, mark);
    return n;
}

static bool count_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct trial *x = user;
    struct before *y = x->before;
    if (!touches(x, c)) return true;
    int64_t n = wavefronts(s, x, k, c, &c->facts, &x->least);
    y->wavefronts = arena_more(&s->arena, y->wavefronts, sizeof *y->wavefronts, y->n, &y->cap);
    y->wavefronts[y->n++] = n;
    x->total = n == INT64_MAX ? n : x->total + n;
    return n != INT64_MAX;
}

static bool try_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct trial *x = user;
    struct copy_facts f = c->facts;
    if (!touches(x, c)) return true;
    if (c->src.base == x->t) f.src.sw = x->sw;
    if (c->dst.base == x->t) f.dst.sw = x->sw;
    int64_t was = x->before->wavefronts[x->at++], now = wavefronts(s, x, k, c, &f, &x->least);
    x->total = now > was || now > x->enough - x->total ? INT64_MAX : x->total + now;
    return x->total != INT64_MAX;
}

// The layout of "t" without slots and swizzle.
static struct lay slot_of(struct session *s, const struct tensor *t) {
    struct lay l = lay_inner(t->layout);
    return t->stages ? lay_take(&s->lay, l, 0, lay_rank(l) - 1) : l;
}

// Replaces "best" by swizzle "sw" if that is better.  Returns false if no more may be tried.
static bool try_swizzle(struct session *s, const struct trial *of, struct kernel *k,
                        struct lay_swizzle sw, struct trial *best) {
    struct trial x = *of;
    x.sw = sw;
    x.enough = best->total;
    if (*x.work > x.most) return false;
    walk_copies(s, k, try_copy, &x);
    if (x.total < best->total) *best = x;
    return true;
}

// The best swizzle for the tensor of "of", of those that `swizzle auto` tries, too.
static struct trial best_swizzle(struct session *s, const struct trial *of, struct kernel *k) {
    const struct tensor *t = of->t;
    struct trial best = {.total = INT64_MAX};
    if (row_of(s, t->layout) < 2) return best;  // padded rows are already in different banks
    struct lay l = slot_of(s, t);
    struct lay_swizzle more[SWIZZLES];
    int n = swizzles_of(s, l, t->elem->bits, more);
    int64_t size = lay_span(&s->lay, l).num;
    for (int i = 0; i < n && best.total > of->least; ++i) {
        int64_t period = INT64_C(1) << (more[i].b + more[i].m + more[i].s);
        if (t->stages && size % period != 0) continue;
        if (!try_swizzle(s, of, k, more[i], &best)) return best;
    }
    return best;
}

// -- layouts --------------------------------------------------------------------------------------

enum { MOST_PROMISES = 4 };

// Tensors whose place within a 128-byte line determines the wavefronts of a copy.
struct promises {
    const struct tensor *buffer, *of[MOST_PROMISES];
    int n;
    bool full;
};

static bool find_promise(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct promises *x = user;
    (void)s, (void)k;
    const struct tensor *from = c->src.base;
    if (c->dst.base != x->buffer || from->space != MEM_GLOBAL || from->align >= LINE) return true;
    if (copy_atom(c)->row->completes == COMPLETES_AT_ONCE) return true;
    for (int i = 0; i < x->n; ++i)
        if (x->of[i] == from) return true;
    x->full |= x->n == MOST_PROMISES;
    if (!x->full) x->of[x->n++] = from;
    return !x->full;
}

// Results for a buffer, [0] without and [1] with promises.
struct tried {
    const struct tensor *t;
    struct promises with;
    struct trial best[2];  // a total of INT64_MAX: none
    int64_t now[2];        // its cost as it is
    int64_t least;         // its cost without any conflicts
    struct tried *next;
};

static void find_best(struct session *s, const struct plan *p, struct kernel *k, struct tried *x,
                      bool promised, struct all_tried *all) {
    int64_t most = all->work + TRIALS_WORK;
    struct before before = {NULL, 0, 0};
    struct trial now = {.p = p, .t = x->t, .before = &before, .work = &all->work};
    now.most = most < KERNEL_TRIALS ? most : KERNEL_TRIALS;
    now.promised = promised;
    walk_copies(s, k, count_copy, &now);
    x->now[promised] = now.total;
    if (now.total == INT64_MAX) return;
    x->least = now.least;
    now.total = 0;
    x->best[promised] = best_swizzle(s, &now, k);
}

static const struct tried *tried_of(struct session *s, const struct plan *p, struct kernel *k,
                                    const struct tensor *t, struct all_tried *all) {
    for (const struct tried *x = all->first; x; x = x->next)
        if (x->t == t) return x;
    struct tried *x = ARENA_NEW(&s->arena, struct tried);
    *x = (struct tried){.t = t, .with = {.buffer = t}, .next = all->first};
    all->first = x;
    x->best[0].total = x->best[1].total = INT64_MAX;
    walk_copies(s, k, find_promise, &x->with);
    find_best(s, p, k, x, false, all);
    if (x->with.n > 0 && !x->with.full) find_best(s, p, k, x, true, all);
    return x;
}

static bool is_plain(const struct tensor *t) {
    return !t->layout.sw.b && !t->layout.composed;
}

// Adds the note that offers the swizzle "best", with the promises that it needs.
static void offer_swizzle(struct session *s, const struct trial *best, int64_t now,
                          const struct promises *with) {
    const struct tensor *t = best->t;
    const char *plain =
        is_plain(t) ? source_line(s, t->layout_at) : lay_text(&s->lay, slot_of(s, t));
    const char *text =
        arena_printf(&s->arena, "Sw<%d,%d,%d> o 0 o %s", best->sw.b, best->sw.m, best->sw.s, plain);
    const char *names = "";
    for (int i = 0; i < with->n; ++i)
        names = arena_printf(&s->arena, "%s%s'%s'", names, i ? ", " : "", with->of[i]->name);
    diag_note(
        s, t->at,
        "with %s%s%sthe layout %s all accesses to '%s' together take %lld wavefront%s, not %lld",
        with->n ? "'align 128' of " : "", names, with->n ? " and " : "", text, t->name,
        (long long)best->total, best->total == 1 ? "" : "s", (long long)now);
    diag_fixit(s, t->layout_at, text);
    for (int i = 0; i < with->n; ++i) {
        struct range at = with->of[i]->layout_at;
        at = (struct range){at.file, at.end, with->of[i]->align_at.end};
        diag_fixit(s, at, " align 128");
    }
}

// Whether only the copies of "t" depend on the places of its elements.  Proofs do not: they are
// about elements.
static bool is_its_own(const struct plan *p, const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL) return false;
    return !t->layout_read && !p->expects;
}

bool advise_layout(const struct costly *a) {
    struct session *s = a->s;
    const struct tensor *t = copy_side(a->c, a->src)->base;
    if (t->outside || !lay_valid(t->layout)) return false;
    bool free = false;
    if (is_plain(t) || (!t->swizzle_auto && !t->names && lay_int_is(t->layout.offset, 0))) {
        const struct tried *x = tried_of(s, a->p, a->k, t, a->tried);
        for (int promised = 0; promised < 2; ++promised) {
            if (x->best[promised].total >= x->now[promised]) continue;
            offer_swizzle(s, &x->best[promised], x->now[promised],
                          promised ? &x->with : &(struct promises){0});
            advice_claim(a, !promised && is_its_own(a->p, a->k, t));
            free |= x->best[promised].total <= x->least;
        }
    }
    advise_padding(a);
    return free;
}

static void advise_turn(struct session *s, const struct copy *c) {
    const struct view *from = &c->src, *to = &c->dst;
    bool shared = space_is_shared(from->base->space) != space_is_shared(to->base->space);
    if (!shared || c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG) return;
    int bits = from->base->elem->bits, a = contiguous_mode(&s->lay, from);
    int b = contiguous_mode(&s->lay, to);
    if (a < 0 || b < 0 || a == b || bits >= 32 || c->facts.bits > bits) return;
    diag_note(s, c->at,
              "elements of %d bits are transposed one by one; if each thread has a block, "
              "val=(%d,%d):(%d,1), they are transposed in registers between wide accesses",
              bits, 128 / bits, 128 / bits, 128 / bits);
}

// -- wide accesses to the same buffer -------------------------------------------------------------

struct widest {
    const struct tensor *t;
    const struct copy *copy;
};

static bool find_widest(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct widest *x = user;
    (void)s, (void)k;
    if (c->src.base != x->t && c->dst.base != x->t) return true;
    if (!x->copy || c->facts.bits > x->copy->facts.bits) x->copy = c;
    return true;
}

static void advise_narrower(struct session *s, struct kernel *k, const struct copy *c,
                            const struct tensor *t, int64_t times) {
    struct widest x = {t, NULL};
    walk_copies(s, k, find_widest, &x);
    if (!x.copy || c->facts.bits < 1 || x.copy->facts.bits / c->facts.bits < times) return;
    if (x.copy->facts.bits == c->facts.bits) return;
    diag_note(s, x.copy->at,
              "%s moves %d bits per access, which each swizzle keeps together; with %d bits there, "
              "a swizzle can take more of the conflicts away",
              copy_name(s, x.copy), x.copy->facts.bits, c->facts.bits);
}

// What is best for all copies together, though one of them may take more.
static void advise_auto(const struct costly *a) {
    struct session *s = a->s;
    const struct tensor *t = copy_side(a->c, a->src)->base;
    if (!takes_auto(t)) return;
    diag_note(s, t->at,
              "with 'swizzle auto' after the layout of '%s', tcpc chooses what takes the fewest "
              "wavefronts in all; another copy may then take more than before",
              t->name);
    diag_fixit(s, t->layout_at,
               arena_printf(&s->arena, "%s swizzle auto", source_line(s, t->layout_at)));
    diag_claim(s, (struct claim){.function = a->k->name,
                                 .copy = a->number,
                                 .cheaper = CHEAPER_WAVEFRONTS,
                                 .dst = !a->src,
                                 .or_else = true,
                                 .in_all = true});
}

void advise_last(const struct costly *a, int64_t times, bool free) {
    advise_turn(a->s, a->c);
    if (!free) advise_auto(a);
    if (!free) advise_narrower(a->s, a->k, a->c, copy_side(a->c, a->src)->base, times);
}
