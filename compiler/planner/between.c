// Relayouts between two layouts: the modes that both sides have, or if there are none the shapes of
// both.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "planner/private.h"

// A side: its modes, and the element at which it begins, the sum of a number and of "more".
struct side {
    int n;
    struct lay_int extent[RELAYOUT_MODES], stride[RELAYOUT_MODES];
    int64_t begin, divisor;  // of "more"; 0: there is nothing more
    const char *more;
    struct lay_int part;  // the first one of "more", of "nparts"
    int nparts;
};

static const char *flatten(struct session *s, const struct lay_tuple *shape,
                           const struct lay_tuple *stride, struct side *f) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) {
            const char *why = flatten(s, shape->kid[i], stride->kid[i], f);
            if (why) return why;
        }
        return NULL;
    }
    if (lay_int_is(shape->leaf, 1)) return NULL;
    if (lay_int_static(shape->leaf) && shape->leaf.num < 1)
        return "the extents of a relayout's layout must be positive";
    if (f->n == RELAYOUT_MODES)
        return arena_printf(&s->arena, "more than %d modes", RELAYOUT_MODES);
    f->extent[f->n] = shape->leaf;
    f->stride[f->n++] = stride->leaf;
    return NULL;
}

static const char too_large[] = "the tensors have more than 2^62 elements";

// Adds "x" to where the side begins; false if that is too large.
static bool begin_add(struct session *s, struct side *f, struct lay_int x) {
    if (!lay_int_valid(x)) return false;
    if (lay_int_static(x)) return !__builtin_add_overflow(f->begin, x.num, &f->begin);
    const char *text = lay_int_operand(&s->lay, x);
    const char *between = !f->more ? "" : *text == '-' ? " " : " + ";
    f->more = arena_printf(&s->arena, "%s%s%s", f->more ? f->more : "", between, text);
    f->divisor = lay_gcd(f->divisor, lay_int_divisor(x));
    if (f->nparts++ == 0) f->part = x;
    return true;
}

static const char *flatten_side(struct session *s, struct lay l, struct side *f) {
    *f = (struct side){0};
    if (!begin_add(s, f, l.offset)) return too_large;
    return flatten(s, l.shape, l.stride, f);
}

// Whether what is known of the parts of a begin is known of it when the kernel's text has been read:
// a product of params, or one sum.
static bool stays_known(const struct side *f) {
    bool named = true;
    for (int i = 0; f->nparts == 1 && i < f->part.nsyms; ++i)
        named &= f->part.syms[i]->name != NULL;
    return f->nparts == 1 && f->begin == 0 &&
           (named || (f->part.nsyms == 1 && f->part.num == 1 && f->part.den == 1));
}

static void set_begin(struct session *s, struct relayout *r, bool src, const struct side *f) {
    struct relayout_begin *b = &r->begin[!src];
    int *align = src ? &r->src_align : &r->dst_align;
    int64_t by = lay_gcd(f->begin, f->divisor);
    if (!f->begin && !f->more) return;
    const char *text = arena_printf(&s->arena, "%" PRId64, f->begin);
    if (f->more && f->begin < 0)
        text = arena_printf(&s->arena, "(%s - %" PRId64 ")", f->more, -f->begin);
    else if (f->more)
        text = arena_printf(&s->arena, "(%s%s%s)", f->more, f->begin ? " + " : "",
                            f->begin ? text : "");
    *b = (struct relayout_begin){text, f->begin, *align, bytes_of(r, src)};
    if (stays_known(f)) b->part[b->nparts++] = f->part;
    for (; by % 2 == 0 && b->most < 1 << 20; by /= 2) b->most *= 2;
    if (*align > b->most) *align = b->most;
}

// Whether the stride is negative for all params.
static bool negative(struct lay_int stride) {
    return stride.num < 0;
}

// Gives mode "i" of "f" the other direction: the side begins at what was its end.
static bool turn(struct session *s, struct side *f, int i) {
    struct lay_int far = lay_int_mul(&s->lay, f->extent[i], f->stride[i]);
    f->stride[i].num = -f->stride[i].num;
    return begin_add(s, f, far) && begin_add(s, f, f->stride[i]);
}

// The extent that modes of "a" and "b" elements have in common before one of them ends; invalid if
// there is none.
static struct lay_int common(struct lay_int a, struct lay_int b) {
    if (lay_int_equal(a, b)) return a;
    if (lay_int_divides(a, b)) return a;
    return lay_int_divides(b, a) ? b : LAY_INT_INVALID;
}

// Takes "g" elements from mode "i" of "f".
static bool take(struct session *s, struct side *f, int *i, struct lay_int g) {
    if (lay_int_equal(f->extent[*i], g)) {
        ++*i;
        return true;
    }
    f->extent[*i] = lay_int_div(&s->lay, f->extent[*i], g);
    f->stride[*i] = lay_int_mul(&s->lay, f->stride[*i], g);
    return lay_int_valid(f->stride[*i]);
}

// Splits the modes of both sides so that they have the same extents.  Returns NULL, or why that
// cannot be; "*apart": they have no common refinement, and stay as they are.
static const char *refine(struct session *s, struct side *a, struct side *b, bool *apart) {
    struct side x = *a, y = *b, c = *a, d = *b;
    int i = 0, j = 0, n = 0;
    *apart = false;
    while (i < x.n && j < y.n) {
        struct lay_int g = common(x.extent[i], y.extent[j]);
        *apart = !lay_int_valid(g);
        if (*apart) return NULL;
        if (n == RELAYOUT_MODES)
            return arena_printf(&s->arena, "more than %d modes", RELAYOUT_MODES);
        c.extent[n] = d.extent[n] = g;
        c.stride[n] = x.stride[i];
        d.stride[n++] = y.stride[j];
        if (!take(s, &x, &i, g) || !take(s, &y, &j, g)) {
            lay_clear_error(&s->lay);
            return too_large;
        }
    }
    *apart = i < x.n || j < y.n;
    c.n = d.n = n;
    if (!*apart) *a = c, *b = d;
    return NULL;
}

// Merges modes of "f" that continue each other, in the order of its elements.
static void merge(struct session *s, struct side *f) {
    int n = 0;
    for (int i = 1; i < f->n; ++i) {
        struct lay_int end = lay_int_mul(&s->lay, f->stride[n], f->extent[n]);
        struct lay_int all = lay_int_mul(&s->lay, f->extent[n], f->extent[i]);
        if (lay_int_valid(end) && lay_int_valid(all) && lay_int_equal(f->stride[i], end)) {
            f->extent[n] = all;
            continue;
        }
        f->extent[++n] = f->extent[i];
        f->stride[n] = f->stride[i];
    }
    lay_clear_error(&s->lay);
    f->n = f->n ? n + 1 : 0;
}

// The product of the extents, if it is less than 2^62.
static struct lay_int size_of(struct session *s, const struct side *f) {
    struct lay_int n = lay_int(1);
    for (int i = 0; i < f->n; ++i) n = lay_int_mul(&s->lay, n, f->extent[i]);
    lay_clear_error(&s->lay);
    return n;
}

static const char *sizes_differ(struct session *s, const struct side *a, const struct side *b) {
    struct lay_int m = size_of(s, a), n = size_of(s, b);
    if (!lay_int_valid(m) || !lay_int_valid(n)) return too_large;
    if (lay_int_equal(m, n)) return NULL;
    const char *m_text = lay_int_text(&s->lay, m), *n_text = lay_int_text(&s->lay, n);
    if (!lay_int_static(m) || !lay_int_static(n))
        return arena_printf(&s->arena,
                            "the source has %s elements and the destination %s, and these are not "
                            "known to be equal",
                            m_text, n_text);
    return arena_printf(&s->arena, "the %s has more elements than the %s: %s and %s",
                        m.num > n.num ? "source" : "destination",
                        m.num > n.num ? "destination" : "source", m.num > n.num ? m_text : n_text,
                        m.num > n.num ? n_text : m_text);
}

// Describes both sides by their own shapes.
static const char *by_index(struct session *s, struct relayout *r, struct side *a, struct side *b) {
    struct relayout_index *x = ARENA_NEW(&s->arena, struct relayout_index);
    const struct side *side[] = {a, b};
    *x = (struct relayout_index){.rank = {a->n, b->n}};
    for (int i = 0; i < b->n; ++i) {
        int64_t lo, hi;
        lay_int_range(b->stride[i], &lo, &hi);
        if (hi == 0)
            return arena_printf(
                &s->arena, "%s elements go to the same place: a stride of the destination is 0",
                lay_int_text(&s->lay, b->extent[i]));
    }
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < side[k]->n; ++i) {
            int64_t lo, hi;
            x->extent[k][i] = side[k]->extent[i];
            x->stride[k][i] = side[k]->stride[i];
            lay_int_range(side[k]->extent[i], &lo, &hi);
            if (lo < 1)
                return arena_printf(&s->arena,
                                    "its elements are counted by extents, of which %s may be 0: "
                                    "declare 'index in 1 ..'",
                                    lay_int_text(&s->lay, side[k]->extent[i]));
        }
    }
    r->index = x;
    r->rank = 0;
    return NULL;
}

void relayout_empty(struct session *s, struct relayout *r) {
    struct relayout_index *x = ARENA_NEW(&s->arena, struct relayout_index);
    *x = (struct relayout_index){.rank = {1, 1}};
    for (int k = 0; k < 2; ++k) {
        x->extent[k][0] = lay_int(0);
        x->stride[k][0] = lay_int(1);
    }
    r->index = x;
    r->rank = 0;
}

const char *relayout_between(struct session *s, struct lay src, struct lay dst,
                             struct relayout *r) {
    struct side a, b;
    bool apart = false;
    const char *why = flatten_side(s, src, &a);
    r->index = NULL;
    r->rank = 0;
    r->sw[0] = src.sw;
    r->sw[1] = dst.sw;
    if (!why) why = flatten_side(s, dst, &b);
    if (!why) why = refine(s, &a, &b, &apart);
    if (!why && apart) {
        why = sizes_differ(s, &a, &b);
        merge(s, &a);
        merge(s, &b);
        if (!why) why = refine(s, &a, &b, &apart);
    }
    if (why) return why;
    if (apart) why = by_index(s, r, &a, &b);
    // the destination is written forwards, so the source may be read backwards
    for (int i = 0; i < b.n && !apart && !r->several; ++i)
        if (negative(b.stride[i]) && (!turn(s, &a, i) || !turn(s, &b, i))) return too_large;
    if (why) return why;
    set_begin(s, r, true, &a);
    set_begin(s, r, false, &b);
    if (r->index) return NULL;
    for (int i = 0; i < a.n; ++i) {
        struct lay_int step = a.stride[i], to = b.stride[i];
        struct relayout_mode m = {.back = negative(step), .dst_back = negative(to), .from = i};
        if (m.back) step.num = -step.num;
        if (m.dst_back) to.num = -to.num;
        m.run[RELAYOUT_EXTENT] = a.extent[i];
        m.run[RELAYOUT_SRC] = step;
        m.run[RELAYOUT_DST] = to;
        r->mode[r->rank++] = m;
    }
    return relayout_size(s, r, false);
}
