// Reads relayouts: names with extents and their order, or two layouts.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "planner/private.h"

// -- names ----------------------------------------------------------------------------------------

struct word {
    const char *at;
    size_t len;
};

static bool same(struct word a, struct word b) {
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static const char *text_of(struct session *s, struct word w);

// The names of the source in reverse order.
static const char *reversed(struct session *s, const struct word *name, int n) {
    const char *text = "";
    for (int i = n - 1; i >= 0; --i)
        text = arena_printf(&s->arena, "%s%s%s", text, *text ? " " : "", text_of(s, name[i]));
    return text;
}

static const char *text_of(struct session *s, struct word w) {
    return shown(&s->arena, arena_strndup(&s->arena, w.at, w.len));
}

// The next name at "*p", after blanks and commas; empty at the end.
static struct word next_word(const char **p) {
    while (isspace((unsigned char)**p) || **p == ',') ++*p;
    struct word w = {*p, 0};
    while (**p && !isspace((unsigned char)**p) && **p != ',' && **p != '=') ++*p;
    w.len = (size_t)(*p - w.at);
    return w;
}

static bool is_name(struct word w) {
    if (w.len == 0 || isdigit((unsigned char)w.at[0])) return false;
    for (size_t i = 0; i < w.len; ++i)
        if (!isalnum((unsigned char)w.at[i]) && w.at[i] != '_') return false;
    return true;
}

static bool extent_at(const char **p, int64_t *out) {
    const char *start = *p;
    *out = 0;
    for (; isdigit((unsigned char)**p); ++*p)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, **p - '0', out))
            return false;
    return *p > start && (!**p || **p == ',' || isspace((unsigned char)**p));
}

static int find(const struct word *name, int n, struct word w) {
    for (int i = 0; i < n; ++i)
        if (same(name[i], w)) return i;
    return -1;
}

static const char *read_extents(struct session *s, const char *p, struct relayout *r,
                                struct word name[]) {
    for (struct word w = next_word(&p); w.len || *p; w = next_word(&p)) {
        if (!is_name(w) || *p != '=')
            return arena_printf(&s->arena,
                                "the source is written NAME=EXTENT NAME=EXTENT ..; '%s' is not",
                                text_of(s, (struct word){w.at, strcspn(w.at, " \t\n,")}));
        ++p;
        if (r->rank == RELAYOUT_MODES)
            return arena_printf(&s->arena, "more than %d modes", RELAYOUT_MODES);
        if (find(name, r->rank, w) >= 0)
            return arena_printf(&s->arena, "mode '%s' appears twice in the source", text_of(s, w));
        if (!extent_at(&p, &r->mode[r->rank].extent) || r->mode[r->rank].extent < 1)
            return arena_printf(
                &s->arena,
                isalpha((unsigned char)*p) && !isdigit((unsigned char)p[-1])
                    ? "the extent of '%s' is not a positive integer; for sizes that come with the "
                      "call write a plan of one copy: 'kernel k(A, out B) { copy A -> B; }'"
                    : "the extent of '%s' is not a positive integer",
                text_of(s, w));
        name[r->rank++] = w;
    }
    return NULL;
}

// Sets row-major strides; "order" has the slowest mode first.
static bool row_major(struct relayout *r, const int *order, bool src) {
    int64_t stride = 1;
    for (int i = r->rank - 1; i >= 0; --i) {
        struct relayout_mode *m = &r->mode[order[i]];
        *(src ? &m->src : &m->dst) = stride;
        if (__builtin_mul_overflow(stride, m->extent, &stride)) return false;
    }
    return true;
}

// "n h w c" for the word "nhwc" if these are the names; otherwise the names in reverse order.
static const char *spelt(struct session *s, const struct word *name, int n, struct word w) {
    struct buf b;
    if ((int)w.len != n) return reversed(s, name, n);
    for (size_t i = 0; i < w.len; ++i)
        if (find(name, n, (struct word){w.at + i, 1}) < 0) return reversed(s, name, n);
    buf_init(&b);
    for (size_t i = 0; i < w.len; ++i) buf_printf(&b, "%s%c", i ? " " : "", w.at[i]);
    return buf_finish(&b, &s->arena);
}

// The error for a destination in parentheses if the source has names: a layout, or numbers of modes
// such as "(0,2,1,3)", for which it suggests names in that order.
static const char *not_names(struct session *s, const struct word *name, int n, const char *dst) {
    struct buf b;
    int at = 0;
    size_t digits = 0;
    unsigned seen = 0;
    buf_init(&b);
    for (const char *p = dst + strspn(dst, " ("); at < n && isdigit((unsigned char)*p); ++at) {
        for (digits = 0; isdigit((unsigned char)p[digits]);) ++digits;
        int i = digits == 1 ? *p - '0' : n;
        if (i >= n || (seen >> i & 1)) break;
        seen |= 1U << i;
        buf_printf(&b, "%s%s", at ? " " : "", text_of(s, name[i]));
        p += digits;
        p += strspn(p, " ,)");
    }
    const char *order = buf_finish(&b, &s->arena);
    if (at < n || strchr(dst, ':'))
        return "the source has names, the destination is a layout; write both as names, as in "
               "'m=4 n=8' 'n m', or both as layouts";
    return arena_printf(&s->arena, "the destination is names, not numbers of modes: '%s'", order);
}

static const char *read_names(struct session *s, const char *src, const char *dst,
                              struct relayout *r) {
    struct word name[RELAYOUT_MODES];
    int order[RELAYOUT_MODES], as_is[RELAYOUT_MODES], n = 0;
    bool seen[RELAYOUT_MODES] = {false};
    const char *why = read_extents(s, src, r, name), *p = dst;
    if (why) return why;
    for (struct word w = next_word(&p); w.len || *p; w = next_word(&p)) {
        int i = find(name, r->rank, w);
        if (*p == '=')
            return "the destination is written as names alone; the extents go in the source";
        if (i < 0 && *w.at == '(') return not_names(s, name, r->rank, dst);
        if (i < 0)
            return arena_printf(&s->arena,
                                "the destination has a mode '%s', the source does not; the "
                                "destination is the names of the source in another order: '%s'",
                                text_of(s, w), spelt(s, name, r->rank, w));
        if (seen[i])
            return arena_printf(&s->arena, "mode '%s' appears twice in the destination",
                                text_of(s, w));
        seen[i] = true;
        order[n++] = i;
    }
    for (int i = 0; i < r->rank; ++i) {
        if (!seen[i])
            return arena_printf(&s->arena,
                                "the source has a mode '%s', the destination does not; the "
                                "destination is the names of the source in another order: '%s'",
                                text_of(s, name[i]), reversed(s, name, r->rank));
        as_is[i] = i;
    }
    if (!row_major(r, as_is, true) || !row_major(r, order, false))
        return "the tensors have more than 2^62 elements";
    return NULL;
}

// -- layouts --------------------------------------------------------------------------------------

struct flat {
    int n;
    struct lay_int extent[RELAYOUT_MODES], stride[RELAYOUT_MODES];
};

static const char *flatten(struct session *s, const struct lay_tuple *shape,
                           const struct lay_tuple *stride, struct flat *f) {
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

static const char *flatten_side(struct session *s, struct lay l, const char *side, struct flat *f) {
    if (l.sw.b || !lay_int_is(l.offset, 0))
        return arena_printf(&s->arena,
                            "the %s has a swizzle or an offset; a relayout is between shapes with "
                            "strides",
                            side);
    f->n = 0;
    return flatten(s, l.shape, l.stride, f);
}

// The extent that modes of "a" and "b" elements have in common before one of them ends; invalid if
// there is none.
static struct lay_int common(struct lay_int a, struct lay_int b) {
    if (lay_int_equal(a, b)) return a;
    if (!lay_int_static(a) || !lay_int_static(b)) return LAY_INT_INVALID;
    int64_t g = lay_gcd(a.num, b.num);
    return g == a.num || g == b.num ? lay_int(g) : LAY_INT_INVALID;
}

// Takes "g" elements from mode "i" of "f".
static bool take(struct session *s, struct flat *f, int *i, struct lay_int g) {
    if (lay_int_equal(f->extent[*i], g)) {
        ++*i;
        return true;
    }
    f->extent[*i] = lay_int_div(&s->lay, f->extent[*i], g);
    f->stride[*i] = lay_int_mul(&s->lay, f->stride[*i], g);
    return lay_int_valid(f->stride[*i]);
}

static const char *size_text(struct session *s, struct lay l) {
    struct lay_int n = lay_size(&s->lay, l);
    return lay_int_valid(n) ? lay_int_text(&s->lay, n) : "more than 2^62";
}

// Splits the modes of both sides so that they have the same extents: both count the same elements,
// the first mode fastest.
const char *relayout_between(struct session *s, struct lay src, struct lay dst,
                             struct relayout *r) {
    struct flat a, b;
    const char *why = flatten_side(s, src, "source", &a);
    if (!why) why = flatten_side(s, dst, "destination", &b);
    if (why) return why;
    int i = 0, j = 0;
    r->rank = 0;
    while (i < a.n && j < b.n) {
        struct lay_int g = common(a.extent[i], b.extent[j]);
        if (!lay_int_valid(g))
            return arena_printf(&s->arena,
                                "extent %s of the source does not match %s of the destination: "
                                "neither divides the other",
                                lay_int_text(&s->lay, a.extent[i]),
                                lay_int_text(&s->lay, b.extent[j]));
        if (r->rank == RELAYOUT_MODES)
            return arena_printf(&s->arena, "more than %d modes", RELAYOUT_MODES);
        r->mode[r->rank++] = (struct relayout_mode){.run = {g, a.stride[i], b.stride[j]}};
        if (!take(s, &a, &i, g) || !take(s, &b, &j, g)) {
            lay_clear_error(&s->lay);
            return "the tensors have more than 2^62 elements";
        }
    }
    if (i < a.n || j < b.n)
        return arena_printf(&s->arena, "the %s has more elements than the %s: %s and %s",
                            i < a.n ? "source" : "destination", i < a.n ? "destination" : "source",
                            size_text(s, i < a.n ? src : dst), size_text(s, i < a.n ? dst : src));
    return relayout_size(s, r, false);
}

// What to add to the error if "text" consists of words instead of a layout: "m n", "NCHW".
static const char *with_names(const char *text) {
    return strpbrk(text, "(:")
               ? ""
               : "; modes with names are 'm=4 n=8' in the source, 'n m' in the destination";
}

static const char *read_layout(struct session *s, relayout_layout_fn *value, const char *text,
                               const char *side, struct lay *out) {
    lay_clear_error(&s->lay);
    *out = value(s, text);
    if (lay_valid(*out)) return NULL;
    return arena_printf(&s->arena, "the %s '%s' is not a layout: %s%s", side,
                        shown(&s->arena, text),
                        s->lay.error ? shown(&s->arena, s->lay.error) : "it has no value",
                        with_names(text));
}

// The error for 'NHWC' 'NCHW', two orders with one letter for each mode; NULL if "src" and "dst"
// are not of this form.
static const char *letters_alone(struct session *s, const char *src, const char *dst) {
    size_t n = strlen(src);
    struct buf b;
    if (n < 2 || n > RELAYOUT_MODES || strlen(dst) != n) return NULL;
    for (size_t i = 0; i < n; ++i)
        if (!isalpha((unsigned char)src[i]) || strchr(src, src[i]) != src + i ||
            !strchr(dst, src[i]))
            return NULL;
    buf_init(&b);
    buf_printf(&b, "'%s' has no extents; write the source with them, as '", src);
    for (size_t i = 0; i < n; ++i) buf_printf(&b, "%s%c=%zu", i ? " " : "", src[i], 4 * i + 4);
    buf_puts(&b, "', and the destination as '");
    for (size_t i = 0; i < n; ++i) buf_printf(&b, "%s%c", i ? " " : "", dst[i]);
    buf_puts(&b, "'");
    return buf_finish(&b, &s->arena);
}

const char *relayout_read(struct session *s, const char *src, const char *dst,
                          relayout_layout_fn *value, struct relayout *r) {
    struct lay a, b;
    r->rank = 0;
    if (strchr(src, '=')) return read_names(s, src, dst, r);
    const char *letters = letters_alone(s, src, dst);
    if (letters) return letters;
    const char *why = read_layout(s, value, src, "source", &a);
    if (!why) why = read_layout(s, value, dst, "destination", &b);
    if (why || !(why = relayout_between(s, a, b, r))) return why;
    if (!lay_int_equal(lay_size(&s->lay, a), lay_size(&s->lay, b)))
        return arena_printf(&s->arena, "%s%s", why, with_names(src));
    return arena_printf(&s->arena,
                        "%s; both layouts enumerate the elements with the first mode fastest; a "
                        "transposition needs names, as in 'm=4 n=8' 'n m'",
                        why);
}
