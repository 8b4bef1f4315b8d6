// Orders of the values of a thread (see order.h).
#include "pass/partition/order.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"

enum { SHOWN = 8 };

void order_extents(struct session *s, const struct lay_tuple *t, int *n, int64_t *out) {
    *n = t ? lay_tuple_rank(t) : 0;
    for (int i = 0; i < *n; ++i)
        out[i] = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, t, i)).num;
}

struct order order_of_tile(struct session *s, const struct tiled_copy *tc, bool src,
                           const struct lay_tuple *rest, const char *name) {
    struct order o = {.tc = tc, .src = src, .name = name};
    order_extents(s, tc->tiler, &o.n, o.tile);
    order_extents(s, rest, &o.nrest, o.rest);
    return o;
}

struct order order_held(struct session *s, const struct tiled_copy *holds) {
    return order_of_tile(s, holds, false, NULL, holds->name);
}

const char *order_tile_name(struct session *s, const struct tiled_copy *tc) {
    return tc->name ? arena_printf(&s->arena, "tiled copy '%s'", tc->name) : "this tile";
}

bool order_element(struct session *s, const struct order *o, int64_t t, int64_t i, int64_t *crd) {
    int64_t tile = i / o->tc->values, place;
    if (!tiled_place(s, o->tc, o->src, t % o->tc->threads, i % o->tc->values, &place)) return false;
    for (int m = 0; m < LAY_MAX_RANK; ++m) {
        crd[m] = 0;
        if (m < o->n) {
            crd[m] = place % o->tile[m];
            place /= o->tile[m];
        }
        if (m < o->nrest) {
            crd[m] += tile % o->rest[m] * (m < o->n ? o->tile[m] : 1);
            tile /= o->rest[m];
        }
    }
    return true;
}

static int64_t value_number(struct session *s, const struct sequence *q, int64_t offset,
                            int64_t i) {
    int64_t at = i;
    if (lay_valid(q->layout) && !lay_eval(&s->lay, q->layout, i, &at)) return -1;
    return offset + at;
}

static bool agree_at(struct session *s, const struct sequence *a, const struct sequence *b,
                     int64_t count, int64_t group, struct difference *at) {
    int64_t threads = a->of.tc->threads, step[LAY_MAX_RANK] = {0};
    if (b->of.tc->threads > threads) threads = b->of.tc->threads;
    for (int64_t t = 0; t < threads; ++t) {
        for (int64_t i = 0; i < count; ++i) {
            int64_t x[LAY_MAX_RANK], y[LAY_MAX_RANK];
            int64_t na = value_number(s, a, at->a, i), nb = value_number(s, b, at->b, i);
            if (!order_element(s, &a->of, t, na, x) || !order_element(s, &b->of, t, nb, y))
                BUG("no element");
            bool begins = i == 0 && t % group == 0;
            for (int m = 0; m < LAY_MAX_RANK; ++m) {
                if (begins) step[m] = x[m] - y[m];
                if (x[m] - y[m] == step[m]) continue;
                at->thread = t;
                at->value = i;
                return false;
            }
        }
    }
    return true;
}

bool order_agree(struct session *s, const struct sequence *a, const struct sequence *b,
                 int64_t count, int64_t group, struct difference *at) {
    for (int64_t o = a->first; o <= a->last; o += a->step) {
        *at = (struct difference){.a = o, .b = b->first};
        if (!agree_at(s, a, b, count, group, at)) return false;
    }
    for (int64_t o = b->first + b->step; o <= b->last; o += b->step) {
        *at = (struct difference){.a = a->first, .b = o};
        if (!agree_at(s, a, b, count, group, at)) return false;
    }
    return true;
}

bool order_agree_in(struct session *s, const struct sequence *a, const struct sequence *b,
                    int64_t count, struct difference *at) {
    int64_t x = a->of.tc->threads, y = b->of.tc->threads;
    return order_agree(s, a, b, count, x < y ? x : y, at);
}

static const char *elements(struct session *s, const struct sequence *q, int64_t offset,
                            const struct difference *at, int64_t count) {
    struct buf b;
    buf_init(&b);
    int64_t from = at->value < SHOWN / 2 ? 0 : at->value - SHOWN / 2;
    int modes = q->of.n > q->of.nrest ? q->of.n : q->of.nrest;
    for (int64_t i = from; i < count && i < from + SHOWN; ++i) {
        int64_t crd[LAY_MAX_RANK];
        order_element(s, &q->of, at->thread, value_number(s, q, offset, i), crd);
        for (int m = 0; m < modes; ++m)
            buf_printf(&b, "%s%" PRId64, m ? "," : i > from ? " (" : "(", crd[m]);
        buf_char(&b, ')');
    }
    return buf_finish(&b, &s->arena);
}

void order_show(struct session *s, const struct sequence *a, struct range a_at,
                const struct sequence *b, struct range b_at, int64_t count,
                const struct difference *at) {
    diag_page(s, "arrangement");
    int64_t from = at->value < SHOWN / 2 ? 0 : at->value - SHOWN / 2;
    diag_note(s, a_at, "from value %" PRId64 " on, thread %" PRId64 " holds in %s the elements %s",
              from, at->thread, a->of.name, elements(s, a, at->a, at, count));
    diag_note(s, b_at, "and in %s: %s", b->of.name, elements(s, b, at->b, at, count));
}

bool order_same_threads(const struct sequence *a, const struct sequence *b, bool warps) {
    int64_t x = a->of.tc->threads, y = b->of.tc->threads;
    return x == y || (warps && x % LANES == 0 && y % LANES == 0 && (x % y == 0 || y % x == 0));
}
