// Composition: R(i) = A(B(i)).
//
// A is flattened and coalesced.  A mode n:d of B takes its steps through the modes of A from the
// left: it skips modes that one step passes over completely, takes as many steps as a mode has room
// for, and continues in the next one with step 1. A(-i) is -A(i), so that a negative step goes as a
// positive one does. CuTe checks divisibility on the way and sometimes accepts wrong results.  Here
// the values decide (see "exactness" below).
#include <string.h>

#include "layout/impl.h"

enum { CHECK_POINTS = 1 << 20 };

// The steps of a mode of B that fall into one mode of A: "k" steps of "d", forwards or backwards.
struct piece {
    int mode;
    struct lay_int k, d;
};

struct composer {
    struct lay_ctx *ctx;
    struct lay_flat a, out;  // "out": of one mode of B, here because compose_tree calls itself
    int npieces;
    struct piece *piece;  // room for "most"
    int most;
    bool doubtful;  // the pieces alone do not prove the result
    bool up, down;  // steps may go forwards, backwards
    enum lay_exact exact;
    bool tail;  // the last mode of "a" had size 1; it is kept as size 2
    int failed_mode;
    struct lay_int at_n, at_d;  // the rest of the mode of B where composition failed
};

static bool reject(struct composer *c, int mode, struct lay_int n, struct lay_int d) {
    c->failed_mode = mode;
    c->at_n = n;
    c->at_d = d;
    return false;
}

static bool record(struct composer *c, int mode, struct lay_int k, struct lay_int d) {
    if (c->npieces == 2 * LAY_MAX_LEAVES) {
        lay_fail(c->ctx, "a composition of more than %d pieces", 2 * LAY_MAX_LEAVES);
        return false;
    }
    if (c->npieces == c->most) {
        struct piece *more = lay_new(c->ctx, 2 * sizeof *more * (size_t)(c->most + 4));
        if (c->most) memcpy(more, c->piece, sizeof *more * (size_t)c->most);
        c->piece = more;
        c->most = 2 * (c->most + 4);
    }
    c->piece[c->npieces++] = (struct piece){mode, k, d};
    return true;
}

// Composes n:d with the static mode "s" of A.  Returns 1 if n:d skips the mode, 2 if it takes part
// of it, 0 if refused.
static int step_static(struct composer *c, int64_t s, int64_t *n, int64_t *d, int64_t *take) {
    if (*d % s == 0) {
        *d /= s;
        return 1;
    }
    if (*d > s) return 0;
    if (*n == 1) {
        *d = 1;
        return 1;
    }
    int64_t room = s / *d + (s % *d != 0);
    *take = *n < room ? *n : room;
    if (*n % *take) return 0;
    if (*take < *n && s % *d) c->doubtful = true;
    *n /= *take;
    *d = 1;
    return 2;
}

// The same with symbols.
static int step_symbolic(struct composer *c, struct lay_int s, struct lay_int *n, struct lay_int *d,
                         struct lay_int *take) {
    struct lay_ctx *ctx = c->ctx;
    if (lay_int_divides(s, *d)) {
        *d = lay_int_div(ctx, *d, s);
        return 1;
    }
    if (lay_is_unit(*n)) return 1;
    struct lay_int span = lay_int_mul(ctx, *n, *d), one = lay_static_int(1);
    if (span.den == 0) return 0;
    if (lay_int_less_equal(span, s) || lay_int_divides(span, s)) {  // it ends within this mode
        *take = *n;
        *n = *d = one;
        return 2;
    }
    if (!lay_int_divides(*d, s)) return 0;
    struct lay_int room = lay_int_div(ctx, s, *d);
    if (!lay_int_divides(room, *n)) return 0;
    *take = room;
    *n = lay_int_div(ctx, *n, room);
    *d = one;
    return 2;
}

// Composes A with n:d into "out".
static bool compose_leaf(struct composer *c, struct lay_int n, struct lay_int d,
                         struct lay_flat *out) {
    struct lay_ctx *ctx = c->ctx;
    const struct lay_flat *a = &c->a;
    int64_t lo, hi;
    lay_int_range(d, &lo, &hi);
    struct lay_int sign = lay_static_int(hi < 0 ? -1 : 1);
    if (!lay_is_unit(n)) {
        c->up = c->up || hi > 0;
        c->down = c->down || lo < 0;
    }
    d = lay_int_mul(ctx, d, sign);
    out->n = 0;
    if (lay_is_value(d, 0) || a->n == 0) {
        out->s[0] = n;
        out->d[0] = lay_static_int(0);
        out->n = 1;
        return true;
    }
    for (int j = 0; j + 1 < a->n; ++j) {
        struct lay_int step = d, take;
        int what;
        if (lay_plain(a->s[j]) && lay_plain(n) && lay_plain(d))
            what = step_static(c, a->s[j].num, &n.num, &d.num, &take.num),
            take = lay_static_int(take.num);
        else
            what = step_symbolic(c, a->s[j], &n, &d, &take);
        if (what == 0 && lay_is_unit(n)) {  // no step is taken, so it need not meet the mode
            out->s[out->n] = n;
            out->d[out->n] = lay_static_int(0);
            out->n += out->n == 0;
            return true;
        }
        if (what == 0) return reject(c, j, n, lay_int_mul(ctx, step, sign));
        if (what == 1) continue;
        out->s[out->n] = take;
        out->d[out->n] = lay_int_mul(ctx, lay_int_mul(ctx, step, sign), a->d[j]);
        if (out->d[out->n++].den == 0 || !record(c, j, take, step)) return false;
    }
    if (!lay_is_unit(n) || out->n == 0) {
        out->s[out->n] = n;
        out->d[out->n] = lay_int_mul(ctx, lay_int_mul(ctx, d, sign), a->d[a->n - 1]);
        if (out->d[out->n++].den == 0) return false;
    }
    return true;
}

static struct lay compose_tree(struct composer *c, const struct lay_tuple *s,
                               const struct lay_tuple *d) {
    if (s->rank < 0) {
        if (!compose_leaf(c, s->leaf, d->leaf, &c->out)) return lay_layout_invalid();
        return lay_flat_lay(c->ctx, &c->out);
    }
    const struct lay_tuple *ss[LAY_MAX_RANK], *dd[LAY_MAX_RANK];
    for (int i = 0; i < s->rank; ++i) {
        struct lay part = compose_tree(c, s->kid[i], d->kid[i]);
        if (!part.shape) return part;
        ss[i] = part.shape;
        dd[i] = part.stride;
    }
    struct lay out = lay_raw(lay_tuple(c->ctx, s->rank, ss), lay_tuple(c->ctx, s->rank, dd));
    return out.stride ? out : lay_layout_invalid();
}

// -- exactness ------------------------------------------------------------------------------------

// Whether the pieces within mode "j" of A never carry into the next mode; since A is coalesced, a
// carry would change values.  Static pieces: adds their largest steps.  With symbols: sorts the
// pieces by step and requires that each ends where the next one begins.
static bool no_carry(struct composer *c, int j) {
    struct piece *in[2 * LAY_MAX_LEAVES];
    int n = 0;
    bool plain = lay_plain(c->a.s[j]);
    for (int i = 0; i < c->npieces; ++i)
        if (c->piece[i].mode == j) {
            in[n++] = &c->piece[i];
            plain = plain && lay_plain(c->piece[i].k) && lay_plain(c->piece[i].d);
        }
    if (plain) {
        __int128 most = 0;
        for (int i = 0; i < n; ++i) most += (__int128)(in[i]->k.num - 1) * in[i]->d.num;
        return most < c->a.s[j].num;
    }
    for (int i = 1; i < n; ++i)
        for (int k = i; k > 0 && lay_int_less(in[k]->d, in[k - 1]->d); --k) {
            struct piece *t = in[k];
            in[k] = in[k - 1];
            in[k - 1] = t;
        }
    for (int i = 0; i < n; ++i) {
        struct lay_int end = lay_int_mul(c->ctx, in[i]->k, in[i]->d);
        struct lay_int limit = i + 1 < n ? in[i + 1]->d : c->a.s[j];
        if (!lay_int_less_equal(end, limit) && !lay_int_divides(end, limit)) return false;
    }
    return true;
}

// The value of A at "i", which may be negative or beyond the end.
static bool at(const struct lay_flat *a, int64_t i, int64_t *out) {
    int64_t sum = 0, v;
    for (int j = 0; j < a->n; ++j) {
        int64_t digit = j + 1 < a->n ? i % a->s[j].num : i;
        i = j + 1 < a->n ? i / a->s[j].num : 0;
        if (__builtin_mul_overflow(digit, a->d[j].num, &v) || __builtin_add_overflow(sum, v, &sum))
            return false;
    }
    *out = sum;
    return true;
}

// Compares A(B(i)) with R(i) for all i.  Sets "*where" to the first difference.
static bool same_points(struct composer *c, struct lay b, struct lay r, int64_t *where, int64_t *is,
                        int64_t *says) {
    struct lay_int size = lay_size(c->ctx, b);
    struct lay_int domain = {0, 1, NULL, 0, -1};
    *where = -1;
    if (c->exact == LAY_IN_RANGE) {
        domain = lay_static_int(1);
        for (int i = 0; i < c->a.n; ++i) domain = lay_int_mul(c->ctx, domain, c->a.s[i]);
        if (c->tail)  // the last mode only serves coordinates beyond the end
            domain = lay_int_div(c->ctx, domain, c->a.s[c->a.n - 1]);
    }
    // attempts after an error must be cheap
    int64_t limit = c->ctx->error ? CHECK_POINTS >> 8 : CHECK_POINTS;
    if (domain.den == 0 || !lay_plain(size) || size.num > limit || !lay_static(b) || !lay_static(r))
        return false;
    for (int i = 0; i < c->a.n; ++i)
        if (!lay_plain(c->a.s[i]) || !lay_plain(c->a.d[i])) return false;
    for (int64_t i = 0; i < size.num; ++i) {
        int64_t x;
        if (!lay_eval(c->ctx, b, i, &x)) return false;
        if (c->exact == LAY_IN_RANGE && x >= domain.num) continue;
        if (!at(&c->a, x, is) || !lay_eval(c->ctx, r, i, says)) return false;
        if (*is != *says) {
            *where = i;
            return false;
        }
    }
    return true;
}

// -- saying no ------------------------------------------------------------------------------------

static bool leaf_fits(struct composer *c, int64_t n, int64_t d) {
    c->npieces = 0;
    c->doubtful = false;
    return compose_leaf(c, lay_static_int(n), lay_static_int(d), &c->out) && !c->doubtful;
}

// Finds the n:d nearest to this one that composes: with the same step, otherwise with the same
// extent.
static bool nearest(struct composer *c, int64_t n, int64_t d, int64_t *out_n, int64_t *out_d) {
    struct lay_ctx quiet = *c->ctx, *real = c->ctx;
    bool found = false;
    quiet.error = "quiet";
    c->ctx = &quiet;
    for (int pass = 0; pass < 2 && !found; ++pass)  // first all extents, then all steps
        for (int64_t far = 1; far <= 128 && !found; ++far)
            for (int up = 0; up < 2 && !found; ++up) {
                int64_t by = up ? far : -far, near, m, e;
                if (__builtin_add_overflow(pass ? d : n, by, &near)) continue;
                m = pass ? n : near;
                e = pass ? near : d;
                if (m > 1 && e > 0 && leaf_fits(c, m, e)) {
                    *out_n = m;
                    *out_d = e;
                    found = true;
                }
            }
    c->ctx = real;
    return found;
}

static void say_no(struct composer *c, struct lay a, struct lay b, int bmode, struct lay_int n,
                   struct lay_int d) {
    struct lay_ctx *ctx = c->ctx;
    struct lay_buf t = {.ctx = ctx};
    int64_t m, e;
    if (ctx->error) return;
    int j = c->failed_mode;
    struct lay_int s = c->a.s[j];
    if (b.shape->rank >= 0) lay_buf_add(&t, "mode %d, ", bmode);
    lay_buf_add(&t, "%s:%s, steps by %s through a mode of extent %s", lay_int_text(ctx, n),
                lay_int_text(ctx, d), lay_int_text(ctx, c->at_d), lay_int_text(ctx, s));
    bool plain =
        lay_plain(s) && lay_plain(c->at_n) && lay_plain(c->at_d) && lay_plain(n) && lay_plain(d);
    if (!plain) {
        lay_buf_add(&t, ", which neither divides the other for all values of the symbols");
    } else {
        int64_t mag = c->at_d.num < 0 ? -c->at_d.num : c->at_d.num,
                room = s.num / mag + (s.num % mag != 0);
        if (mag > s.num)
            lay_buf_add(
                &t, " and neither divides the other; coordinate 1 moves along two modes at once");
        else
            lay_buf_add(&t, ", which has room for %lld of %lld; coordinate %lld has no image",
                        (long long)room, (long long)c->at_n.num,
                        (long long)(n.num / c->at_n.num * room));
        if (nearest(c, n.num, d.num, &m, &e))
            lay_buf_add(&t, "; %lld:%lld is possible", (long long)m, (long long)e);
    }
    lay_fail(ctx, "'%s' has no composition with '%s': %s", lay_text(ctx, a), lay_text(ctx, b),
             lay_buf_done(&t));
}

// Adds to the message that "r", CuTe's result, is wrong, first at the coordinate "where".
static void say_where(struct composer *c, struct lay a, struct lay b, struct lay r, int64_t where,
                      int64_t is, int64_t says) {
    struct lay_ctx *ctx = c->ctx;
    struct lay_buf t = {.ctx = ctx};
    int64_t m, e;
    if (ctx->error) return;
    lay_buf_add(&t, "'%s' would give %lld at coordinate %lld, where the value is %lld",
                lay_text(ctx, r), (long long)says, (long long)where, (long long)is);
    if (b.shape->rank < 0 && lay_static(b) &&
        nearest(c, b.shape->leaf.num, b.stride->leaf.num, &m, &e))
        lay_buf_add(&t, "; %lld:%lld is possible", (long long)m, (long long)e);
    lay_fail(ctx, "'%s' has no composition with '%s': %s", lay_text(ctx, a), lay_text(ctx, b),
             lay_buf_done(&t));
}

// Finds the leaf of B that was refused, to name its mode in the message.
static void name_refused(struct composer *c, struct lay a, struct lay b) {
    struct lay_flat *f = lay_new(c->ctx, sizeof *f);
    if (c->ctx->error || c->failed_mode < 0 || !lay_flat_of(c->ctx, b.shape, b.stride, f)) return;
    for (int i = 0; i < f->n; ++i) {
        c->npieces = 0;
        if (!compose_leaf(c, f->s[i], f->d[i], &c->out)) {
            say_no(c, a, b, i, f->s[i], f->d[i]);
            return;
        }
    }
}

// -- the operation --------------------------------------------------------------------------------

struct lay lay_compose_plain(struct lay_ctx *ctx, struct lay a, struct lay b,
                             enum lay_exact exact) {
    struct composer c;
    c.ctx = ctx;
    c.npieces = c.most = 0;
    c.piece = NULL;
    c.doubtful = c.up = c.down = false;
    c.failed_mode = -1;
    c.exact = exact;
    if (!lay_flat_of(ctx, a.shape, a.stride, &c.a)) return lay_layout_invalid();
    c.tail = c.a.n > 0 && lay_is_unit(c.a.s[c.a.n - 1]);
    if (!lay_flat_coalesce(ctx, &c.a, true)) return lay_layout_invalid();
    c.tail = c.tail && c.a.n > 1 && lay_is_value(c.a.s[c.a.n - 1], 2);
    lay_trace(ctx, lay_flat_lay(ctx, &c.a), "%s coalesced, its last mode running on",
              lay_text(ctx, a));
    struct lay r = compose_tree(&c, b.shape, b.stride);
    lay_trace(ctx, r, "each mode of %s stepped through it", lay_text(ctx, b));
    if (!r.shape) {
        name_refused(&c, a, b);
        return r;
    }
    // forwards and backwards at once: the steps within a mode may then borrow from the next one
    bool carry = c.npieces > 0 && c.up && c.down;
    for (int j = 0; j + 1 < c.a.n && !c.doubtful && !carry; ++j) carry = !no_carry(&c, j);
    if ((!carry && !c.doubtful) || exact == LAY_AS_CUTE) return r;
    int64_t where, is = 0, says = 0;
    if (same_points(&c, b, r, &where, &is, &says)) return r;
    if (where >= 0)
        say_where(&c, a, b, r, where, is, says);
    else
        lay_fail(ctx,
                 "'%s' has no composition with '%s' that can be proven: its modes may carry into "
                 "each other",
                 lay_text(ctx, a), lay_text(ctx, b));
    return lay_layout_invalid();
}

// If A keeps the bits of the swizzle together, A o Sw = Sw' o A, so the result is Sw' o (A o B).
static struct lay compose_swizzled(struct lay_ctx *ctx, struct lay a, struct lay b) {
    struct lay inner = lay_inner(b), r;
    struct lay_swizzle w;
    struct lay_int size = lay_size(ctx, b);
    if (b.sw.b == 0 && lay_is_value(b.offset, 0)) return lay_compose(ctx, a, inner);
    bool ok = !ctx->error && lay_static(a) && lay_static(b) && lay_plain(size) &&
              size.num <= CHECK_POINTS;
    if (ok && lay_swizzle_move(ctx, lay_inner(a), b.sw, &w)) {
        int64_t shift = 0, x, want, got;
        ok = lay_eval(ctx, lay_inner(a), b.offset.num, &shift);
        r = lay_compose(ctx, lay_inner(a), inner);
        r = ok ? lay_swizzled(ctx, w, lay_int(shift), r) : r;
        for (int64_t i = 0; ok && r.shape && i < size.num; ++i)
            ok = lay_eval(ctx, b, i, &x) && lay_eval(ctx, lay_inner(a), x, &want) &&
                 lay_eval(ctx, r, i, &got) && got == want;
        if (ok && r.shape) return a.composed ? lay_swizzled(ctx, a.sw, a.offset, r) : r;
    }
    lay_fail(ctx,
             "'%s' has no composition with the swizzled '%s': it does not keep the bits together "
             "that the swizzle moves",
             lay_text(ctx, a), lay_text(ctx, b));
    return lay_layout_invalid();
}

struct lay lay_compose(struct lay_ctx *ctx, struct lay a, struct lay b) {
    return lay_compose_as(ctx, a, b, LAY_EXACT);
}

struct lay lay_compose_as(struct lay_ctx *ctx, struct lay a, struct lay b, enum lay_exact exact) {
    if (!a.shape || !b.shape) return lay_layout_invalid();
    if (b.composed) return compose_swizzled(ctx, a, b);
    struct lay inner = lay_inner(a);
    return lay_under(a, lay_has_basis(b.stride) ? lay_compose_basis(ctx, inner, b, exact)
                                                : lay_compose_plain(ctx, inner, b, exact));
}

struct lay lay_compose_tiler(struct lay_ctx *ctx, struct lay a, const struct lay_tiler *t) {
    struct lay part[LAY_MAX_RANK];
    if (!a.shape || !t) return lay_layout_invalid();
    if (t->kind == LAY_TILER_ANY) return a;
    if (t->kind == LAY_TILER_LAYOUT)
        return lay_compose(ctx, a, t->shape ? lay_raw(t->shape, lay_leaf_of(ctx, 1)) : t->layout);
    if (t->rank > lay_rank(a)) {
        lay_fail(ctx, "the tiler '%s' has more modes than '%s'", lay_tiler_text(ctx, t),
                 lay_text(ctx, a));
        return lay_layout_invalid();
    }
    for (int i = 0; i < t->rank; ++i)
        part[i] = lay_compose_tiler(ctx, lay_mode(ctx, lay_inner(a), i), t->kid[i]);
    return lay_under(a, lay_join(ctx, t->rank, part));
}
