// Whether all users of a fragment mean the same order of its values: what it is declared to hold,
// the tiled copies that move it, other fragments, and functions that get it.
#include "pass/partition/arrange.h"

#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "base/warnings.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/partition/order.h"
#include "plan/known.h"
#include "plan/view.h"

// -- what fragments hold --------------------------------------------------------------------------

// Whether register i of a fragment is the i-th value of "l".
static bool in_order(struct session *s, struct lay l, const struct ix *offset) {
    int64_t at = 0;
    if (!lay_valid(l) || (offset && (!ix_static(offset, &at) || at != 0))) return false;
    struct lay one = lay_coalesce(&s->lay, lay_inner(l));
    return lay_valid(one) && lay_is_leaf(one.shape) &&
           (lay_int_is(one.stride->leaf, 1) || lay_int_is(one.shape->leaf, 1));
}

// The layout of "v"; a fragment "like" a tiled copy got it when its tile was cut.
static struct lay layout_of(const struct view *v) {
    return lay_valid(v->layout) ? v->layout : v->base->layout;
}

bool arrange_is_whole(struct session *s, const struct view *v) {
    return in_order(s, v->base->layout, NULL) && in_order(s, layout_of(v), v->offset) &&
           lay_int_equal(lay_size(&s->lay, v->base->layout), lay_size(&s->lay, layout_of(v)));
}

static bool is_frag(const struct view *v) {
    return v->base->space == MEM_FRAG;
}

static bool known(const struct tensor *f) {
    return f->holds || f->dist_rest;
}

// The registers of a view of a fragment with a known order.
static struct sequence sequence_of(struct session *s, const struct view *v) {
    const struct tensor *f = v->base;
    struct sequence q = {.layout = lay_inner(layout_of(v)), .step = 1};
    q.of = f->holds
               ? order_held(s, f->holds)
               : order_of_tile(s, f->dist, f->dist_src, f->dist_rest, order_tile_name(s, f->dist));
    const struct ix *e = v->offset;
    if (!e || ix_static(e, &q.first)) {
        q.last = q.first;
        return q;
    }
    // splits the offset into a number and a multiple of "step"
    if (e->op == IX_SUM && e->nterms && !e->term[0].atom) q.first = e->term[0].coef.num;
    const struct ix *rest = ix_sub(s, e, ix_int(s, q.first));
    q.step = rest ? ix_divisor(rest) : 1;
    if (q.step < 1) q.step = 1;
    int64_t most = lay_span(&s->lay, lay_inner(f->layout)).num - lay_span(&s->lay, q.layout).num;
    q.first = (q.first % q.step + q.step) % q.step;
    if (e->lo > q.first) q.first += (e->lo - q.first + q.step - 1) / q.step * q.step;
    q.last = e->hi < most ? e->hi : most;
    return q;
}

// -- one copy, one argument -----------------------------------------------------------------------

static bool threads_differ(struct session *s, const struct tensor *f, struct range at,
                           const struct sequence *a, const struct sequence *b) {
    diag_error(s, at, "fragment '%s' holds %s of %" PRId64 " threads; %s is of %" PRId64 " threads",
               f->name, a->of.name, a->of.tc->threads, b->of.name, b->of.tc->threads);
    diag_page(s, "arrangement");
    diag_note(s, f->at, "the fragment is declared here");
    return false;
}

// Checks "v", a view of a fragment, against the tile that moves it.
static bool check_tiled(struct session *s, const struct copy *c, const struct view *v) {
    const struct tensor *f = v->base;
    if (!f->holds) return true;
    bool src = v == &c->src, warp = c->facts.level == LEVEL_WARP;
    struct sequence a = sequence_of(s, v);
    struct sequence b = {.layout = lay_layout_invalid(), .step = 1};
    b.of = order_of_tile(s, c->tc, src, c->facts.rounds, order_tile_name(s, c->tc));
    if (!order_same_threads(&a, &b, warp)) return threads_differ(s, f, v->at, &a, &b);
    int64_t count = lay_size(&s->lay, v->layout).num;
    int64_t group = warp ? LANES : a.of.tc->threads;
    struct difference at;
    if (order_agree(s, &a, &b, count, group, &at)) return true;
    diag_error(s, v->at,
               "fragment '%s' holds %s, but %s gives value %" PRId64 " of thread %" PRId64
               " to another element",
               f->name, a.of.name, b.of.name, at.value, at.thread);
    order_show(s, &a, f->at, &b, c->tc->at, count, &at);
    diag_note(s, c->tc->at, "'like=%s' has this order, in a tile of %s; this tile is %s",
              f->holds->name, lay_tuple_text(&s->lay, f->holds->tiler),
              lay_tuple_text(&s->lay, c->tc->tiler));
    return false;
}

// Whether the values of "a" are the transposed elements of those of "b".
static bool is_turned(struct session *s, const struct order *a, const struct order *b,
                      int64_t count) {
    int64_t x[LAY_MAX_RANK], y[LAY_MAX_RANK];
    for (int64_t t = 0; t < a->tc->threads; ++t)
        for (int64_t i = 0; i < count; ++i)
            if (!order_element(s, a, t, i, x) || !order_element(s, b, t, i, y) || x[0] != y[1] ||
                x[1] != y[0])
                return false;
    return a->n == 2 && b->n == 2;
}

// Warns of "c" between two complete fragments that tiled copies move in different orders.
static void warn_parts(struct session *s, const struct copy *c, const struct sequence *a,
                       const struct sequence *b) {
    const struct tensor *x = c->src.base, *y = c->dst.base;
    int64_t count = lay_size(&s->lay, c->src.layout).num;
    struct difference at;
    if (!arrange_is_whole(s, &c->src) || !arrange_is_whole(s, &c->dst) ||
        a->of.tc->threads != b->of.tc->threads || order_agree_in(s, a, b, count, &at) ||
        is_turned(s, &a->of, &b->of, count))
        return;
    diag_warn(s, W_ARRANGEMENT, c->at,
              "%s moves '%s' and %s moves '%s': value %" PRId64 " of thread %" PRId64
              " is a different element",
              a->of.name, x->name, b->of.name, y->name, at.value, at.thread);
    order_show(s, a, x->at, b, y->at, count, &at);
}

static bool check_frags(struct session *s, const struct copy *c) {
    const struct tensor *x = c->src.base, *y = c->dst.base;
    if (!known(x) || !known(y)) return true;
    struct sequence a = sequence_of(s, &c->src), b = sequence_of(s, &c->dst);
    if (!x->holds && !y->holds) {
        warn_parts(s, c, &a, &b);
        return true;
    }
    if (!order_same_threads(&a, &b, true)) return threads_differ(s, x, c->at, &a, &b);
    int64_t count = lay_size(&s->lay, c->src.layout).num;
    struct difference at;
    if (order_agree_in(s, &a, &b, count, &at)) return true;
    diag_error(s, c->at,
               "'%s' holds %s and '%s' holds %s: value %" PRId64 " of thread %" PRId64
               " is a different element",
               x->name, a.of.name, y->name, b.of.name, at.value, at.thread);
    order_show(s, &a, x->at, &b, y->at, count, &at);
    const struct tensor *from = x->holds ? x : y, *to = x->holds ? y : x;
    diag_note(s, to->at, "'like %s' has the order of '%s'", from->holds->name, from->name);
    return false;
}

// Whether the fragment "v" may be the argument "f" with regard to the order of its values; "a" and
// "b" become the two orders, "at" where they differ.
static bool suits(struct session *s, const struct view *v, const struct formal *f,
                  struct sequence *a, struct sequence *b, struct difference *at) {
    if (!is_frag(v) || !f->tensor->holds || !known(v->base)) return true;
    struct view whole = {.base = f->tensor, .layout = f->tensor->layout};
    *a = sequence_of(s, v);
    *b = sequence_of(s, &whole);
    if (!order_same_threads(a, b, true)) return false;
    int64_t count = lay_size(&s->lay, layout_of(v)).num;
    if (count != lay_size(&s->lay, f->tensor->layout).num) return true;  // reported by pass "calls"
    return order_agree_in(s, a, b, count, at);
}

// The argument that suits the place of argument "i" of "y", as that one suits its place; or -1.
static int exchanged_with(struct session *s, const struct plan_call *y, int i) {
    struct sequence a, b;
    struct difference at;
    const struct formal *f = y->fn->formal;
    if (strcmp(y->view[i].base->name, f[i].tensor->name) == 0) return -1;
    for (int j = 0; j < y->fn->nformals; ++j)
        if (j != i && f[j].tensor->holds && is_frag(&y->view[j]) &&
            y->view[i].base->elem == f[j].tensor->elem &&
            y->view[j].base->elem == f[i].tensor->elem && known(y->view[j].base) &&
            !suits(s, &y->view[j], &f[j], &a, &b, &at) &&
            suits(s, &y->view[i], &f[j], &a, &b, &at) && suits(s, &y->view[j], &f[i], &a, &b, &at))
            return j;
    return -1;
}

static void note_exchanged(struct session *s, const struct view *v, const struct view *w) {
    diag_note(s, v->at, "'%s' and '%s' are exchanged: each has the order of the other's place",
              v->base->name, w->base->name);
    if (!arrange_is_whole(s, v) || !arrange_is_whole(s, w)) return;
    diag_fixit(s, v->at, w->base->name);
    diag_fixit(s, w->at, v->base->name);
}

static bool check_argument(struct session *s, const struct plan_call *y, int i) {
    const struct view *v = &y->view[i];
    const struct formal *f = &y->fn->formal[i];
    struct sequence a, b;
    struct difference at;
    if (suits(s, v, f, &a, &b, &at)) return true;
    if (!order_same_threads(&a, &b, true)) return threads_differ(s, v->base, v->at, &a, &b);
    int other = exchanged_with(s, y, i);
    if (other >= 0 && other < i) return false;  // reported with that one
    diag_error(s, v->at,
               "'%s' holds %s, but the function expects '%s' to hold %s: value %" PRId64
               " of thread %" PRId64 " is a different element",
               v->base->name, a.of.name, f->tensor->name, b.of.name, at.value, at.thread);
    if (other >= 0) note_exchanged(s, v, &y->view[other]);
    order_show(s, &a, v->base->at, &b, f->at, lay_size(&s->lay, layout_of(v)).num, &at);
    if (other < 0)
        diag_note(s, v->base->at, "'like %s' has the order that the function expects",
                  f->tensor->holds->name);
    return false;
}

// -- a fragment between two tiled copies ------------------------------------------------------------

// The first value of which thread is another element in "b" than in "a".
static bool first_difference(struct session *s, const struct order *a, const struct order *b,
                             int64_t count, struct difference *at) {
    int64_t x[LAY_MAX_RANK], y[LAY_MAX_RANK];
    for (at->value = 0; at->value < count; ++at->value)
        for (at->thread = 0; at->thread < a->tc->threads; ++at->thread)
            if (!order_element(s, a, at->thread, at->value, x) ||
                !order_element(s, b, at->thread, at->value, y) || memcmp(x, y, sizeof x) != 0)
                return true;
    return false;
}

bool arrange_distribution(struct session *s, const struct copy *c, const struct view *v,
                          const struct lay_tuple *rest) {
    const struct tensor *f = v->base;
    bool src = v == &c->src;
    const struct tiled_copy *x = f->dist, *y = c->tc;
    if (x == y && (f->dist_src == src || !atom_is_collective(x->atom.row))) return true;
    bool same = x->values == y->values && lay_tuple_equal(x->tiler, y->tiler);
    struct sequence a = {.layout = lay_layout_invalid()}, b = a;
    struct difference at = {0};
    a.of = order_of_tile(s, x, f->dist_src, same ? NULL : f->dist_rest, order_tile_name(s, x));
    b.of = order_of_tile(s, y, src, same ? NULL : rest, order_tile_name(s, y));
    int64_t count = x->values;
    for (int i = 0; i < a.of.nrest; ++i) count *= a.of.rest[i];
    if (x->threads != y->threads) {
        a.of.name = arena_printf(&s->arena, "parts of %s", a.of.name);
        threads_differ(s, f, v->at, &a, &b);
    } else if (first_difference(s, &a.of, &b.of, count, &at)) {
        diag_error(s, v->at,
                   "fragment '%s' holds parts of %s, but %s gives value %" PRId64
                   " of thread %" PRId64 " to another element",
                   f->name, a.of.name, b.of.name, at.value, at.thread);
        order_show(s, &a, f->at, &b, y->at, count, &at);
    } else if (same) {
        return true;
    } else {
        diag_error(s, v->at,
                   "fragment '%s' holds parts of %s, whose tile is %s; here the tile is %s",
                   f->name, a.of.name, lay_tuple_text(&s->lay, x->tiler),
                   lay_tuple_text(&s->lay, y->tiler));
        diag_page(s, "arrangement");
    }
    diag_note(s, c->how_at,
              "%s keeps each value in its thread; to move values between threads, copy them "
              "through shared memory",
              x->name && !atom_is_collective(x->atom.row)
                  ? arena_printf(&s->arena, "'with %s' here", x->name)
                  : "the same tile here");
    return false;
}

// -- the whole plan -------------------------------------------------------------------------------

// Gives a fragment without a known order the order of a complete fragment or function argument that
// it is copied from or to.
static bool take(struct session *s, struct view *v, const struct tiled_copy *holds) {
    struct tensor *f = v->base;
    if (!holds || !is_frag(v) || known(f) || !arrange_is_whole(s, v)) return false;
    if (!lay_int_is(lay_size(&s->lay, layout_of(v)), holds->values)) return false;
    f->holds = holds;
    return true;
}

static bool spread(struct session *s, struct stmt *list) {
    bool more = false;
    for (struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind == STMT_CALL)
            for (int i = 0; i < st->call->fn->nformals; ++i)
                more |= take(s, &st->call->view[i], st->call->fn->formal[i].tensor->holds);
        if (st->kind != STMT_COPY || !is_frag(&st->copy->src) || !is_frag(&st->copy->dst)) continue;
        struct view *a = &st->copy->src, *b = &st->copy->dst;
        if (arrange_is_whole(s, a)) more |= take(s, b, a->base->holds);
        if (arrange_is_whole(s, b)) more |= take(s, a, b->base->holds);
    }
    return more;
}

static bool check_all(struct session *s, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind == STMT_CALL && !st->call->fill)
            for (int i = 0; i < st->call->fn->nformals; ++i) ok &= check_argument(s, st->call, i);
        if (st->kind != STMT_COPY) continue;
        const struct copy *c = st->copy;
        if (is_frag(&c->src) && is_frag(&c->dst))
            ok &= check_frags(s, c);
        else if (c->tc && (is_frag(&c->src) || is_frag(&c->dst)))
            ok &= check_tiled(s, c, is_frag(&c->src) ? &c->src : &c->dst);
    }
    return ok;
}

// -- orders that nobody has said ------------------------------------------------------------------

// The extents of the modes, without extents of 1.
static int extents_above_one(struct session *s, const struct lay_tuple *t, int64_t *out) {
    int n, m = 0;
    int64_t all[LAY_MAX_RANK];
    order_extents(s, t, &n, all);
    for (int i = 0; i < n; ++i)
        if (all[i] > 1) out[m++] = all[i];
    return m;
}

// Whether the modes of "v" are (values of the tile, tiles along mode 0, ..), or a single mode,
// which has no order.
static bool has_modes_of_tile(struct session *s, const struct copy *c, const struct view *v) {
    int64_t have[LAY_MAX_RANK], want[LAY_MAX_RANK + 1];
    want[0] = c->tc->values;
    int skip = want[0] == 1 ? 0 : 1;
    int n = extents_above_one(s, lay_product_each(&s->lay, v->layout.shape), have);
    int m = skip + extents_above_one(s, c->facts.rounds, want + skip);
    for (int i = 0; i < n && i < m; ++i)
        if (have[i] != want[i]) return n <= 1;
    return n <= 1 || n == m;
}

// A function that gets "f".
static const struct function *seen_by(const struct kernel *k, const struct tensor *f) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_CALL || st->call->fill) continue;
        for (int i = 0; i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == f) return st->call->fn;
    }
    return NULL;
}

// Warns of a fragment of explicit shape that user code sees too, if it contains several tiles in an
// order that its modes do not show.
static void warn_open(struct session *s, const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        const struct copy *c = st->copy;
        if (st->kind != STMT_COPY || !c->tc || is_frag(&c->src) == is_frag(&c->dst)) continue;
        const struct view *v = is_frag(&c->src) ? &c->src : &c->dst;
        const struct tensor *f = v->base;
        if (f->holds || f->like || c->facts.nrounds == 1 || has_modes_of_tile(s, c, v)) continue;
        const struct function *fn = seen_by(k, f);
        if (!fn && !kernel_formal(k, f)) continue;
        diag_warn(s, W_ARRANGEMENT, v->at,
                  "fragment '%s' has the modes %s, and %s moves it tile by tile, %" PRId64
                  " values of each, tiles %s; %s gets it in that order",
                  f->name, lay_tuple_text(&s->lay, v->layout.shape), order_tile_name(s, c->tc),
                  c->tc->values, lay_tuple_text(&s->lay, c->facts.rounds),
                  fn ? arena_printf(&s->arena, "'%s'", fn->name) : "the caller");
        diag_note(s, f->at,
                  "'like' an operand of a tiled MMA says what the fragment holds; modes that match "
                  "the tiles show it");
    }
}

// -- the plan -------------------------------------------------------------------------------------

bool arrange(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        while (spread(s, k->body)) {
        }
        struct known x = {.k = k, .test = "arrange"};
        if (!known_passed(s, &x)) {
            ok &= check_all(s, k->body);
            known_keep(s, &x);
        }
        warn_open(s, k);
    }
    return ok;
}
