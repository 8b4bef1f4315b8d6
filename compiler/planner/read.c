// Reads relayouts: names with extents and their order, or two layouts.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

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

static bool is_pitch(struct word w) {
    return same(w, (struct word){"pitch", 5});
}

// Reads "pitch N" after the mode "w", if it is there; "*out" is 0 without it.  In the destination,
// "pitch" without a number is a mode.
static const char *read_pitch(struct session *s, const char **p, struct word w, bool src,
                              int64_t *out) {
    const char *behind = *p;
    struct word word = next_word(&behind);
    *out = 0;
    if (!is_pitch(word) || *behind == '=') return NULL;
    behind += strspn(behind, " \t\n");
    if (!src && (!*behind || isalpha((unsigned char)*behind))) return NULL;
    if (!extent_at(&behind, out) || *out < 1)
        return arena_printf(&s->arena,
                            "the pitch of '%s' is not a positive integer: 'pitch N' is the "
                            "distance, in elements, between two rows of '%s'",
                            text_of(s, w), text_of(s, w));
    *p = behind;
    return NULL;
}

// What is said of "w=100:128", which may mean two things.
static const char *not_a_stride(struct session *s, struct word w, const char *text) {
    return arena_printf(&s->arena,
                        "'%s' has a colon, which names do not take: '%s pitch N' says that rows of "
                        "'%s' are N elements apart, and a layout gives a stride to each mode",
                        shown(&s->arena, arena_strndup(&s->arena, text, strcspn(text, " \t\n,"))),
                        text_of(s, w), text_of(s, w));
}

static int find(const struct word *name, int n, struct word w) {
    for (int i = 0; i < n; ++i)
        if (same(name[i], w)) return i;
    return -1;
}

static const char *read_extents(struct session *s, const char *p, struct relayout *r,
                                struct word name[], int64_t pitch[]) {
    for (struct word w = next_word(&p); w.len || *p; w = next_word(&p)) {
        if (!is_name(w) || *p != '=')
            return arena_printf(&s->arena,
                                "the source is written NAME=EXTENT NAME=EXTENT ..; '%s' is not",
                                text_of(s, (struct word){w.at, strcspn(w.at, " \t\n,")}));
        ++p;
        if (p[strspn(p, "0123456789")] == ':') return not_a_stride(s, w, w.at);
        if (r->rank == RELAYOUT_MODES)
            return arena_printf(&s->arena, "more than %d modes", RELAYOUT_MODES);
        if (find(name, r->rank, w) >= 0)
            return arena_printf(&s->arena, "mode '%s' appears twice in the source", text_of(s, w));
        if (!extent_at(&p, &r->mode[r->rank].extent))
            return arena_printf(
                &s->arena,
                isalpha((unsigned char)*p) && !isdigit((unsigned char)p[-1])
                    ? "the extent of '%s' is not an integer; for sizes that come with the "
                      "call write a plan of one copy: 'kernel k(A, out B) { copy A -> B; }'"
                    : "the extent of '%s' is not an integer",
                text_of(s, w));
        name[r->rank] = w;
        const char *why = read_pitch(s, &p, w, true, &pitch[r->rank++]);
        if (why) return why;
    }
    return NULL;
}

// Sets row-major strides; "order" has the slowest mode first.  After a mode with a pitch, the next
// slower one steps by that.
static const char *row_major(struct session *s, struct relayout *r, const struct word *name,
                             const int *order, const int64_t *pitch, bool src) {
    int64_t stride = 1, span = 1, more;  // span: from the first element to behind the last
    for (int i = r->rank - 1; i >= 0; --i) {
        struct relayout_mode *m = &r->mode[order[i]];
        int64_t apart = pitch[order[i]];
        const char *mode = text_of(s, name[order[i]]);
        *(src ? &m->src : &m->dst) = stride;
        if (__builtin_mul_overflow(stride, m->extent - 1, &more) ||
            __builtin_add_overflow(span, more, &span) ||
            __builtin_mul_overflow(stride, m->extent, &stride))
            return "the tensors have more than 2^62 elements";
        if (apart && i == 0)
            return arena_printf(&s->arena,
                                "'%s' comes first in the %s, so no mode steps by its pitch", mode,
                                src ? "source" : "destination");
        if (apart && apart < span)
            return arena_printf(&s->arena,
                                "the pitch of '%s' in the %s is %" PRId64
                                " elements, but its rows have %" PRId64,
                                mode, src ? "source" : "destination", apart, span);
        if (apart) stride = apart;
    }
    return NULL;
}

// "m=8, n=4" as "'m', 'n'".
static const char *all_names(struct session *s, const struct word *name, int n) {
    const char *text = "";
    for (int i = 0; i < n; ++i)
        text = arena_printf(&s->arena, "%s%s'%s'", text,
                            i == 0      ? ""
                            : i < n - 1 ? ", "
                                        : " and ",
                            text_of(s, name[i]));
    return text;
}

// What is said of a mode "w" that one side of the two has not: "why" comes first.
static const char *how_to_name(struct session *s, const struct word *name, int n, const char *dst,
                               const char *why) {
    const char *known[RELAYOUT_MODES];
    bool digits;
    for (int i = 0; i < n; ++i) known[i] = text_of(s, name[i]);
    const char *order = relayout_order(s, known, n, dst, &digits);
    if (order && digits)
        return arena_printf(&s->arena, "the destination is names, not numbers of modes: '%s'",
                            order);
    if (order && strchr(dst, '('))
        return arena_printf(&s->arena, "the destination is names without parentheses: '%s'", order);
    if (strpbrk(dst, "(:"))
        return "the source has names, the destination is a layout; write both as names, as in "
               "'m=4 n=8' 'n m', or both as layouts";
    if (!order && n == 2) order = arena_printf(&s->arena, "%s %s", known[1], known[0]);
    if (order)
        return arena_printf(&s->arena,
                            "%s; the destination is the names of the source in another order: '%s'",
                            why, order);
    return arena_printf(&s->arena, "%s; the destination names each of %s once", why,
                        all_names(s, name, n));
}

static const char *read_names(struct session *s, const char *src, const char *dst,
                              struct relayout *r) {
    struct word name[RELAYOUT_MODES];
    int order[RELAYOUT_MODES], as_is[RELAYOUT_MODES], n = 0;
    int64_t src_pitch[RELAYOUT_MODES], dst_pitch[RELAYOUT_MODES];
    bool seen[RELAYOUT_MODES] = {false};
    const char *why = read_extents(s, src, r, name, src_pitch), *p = dst;
    if (why) return why;
    for (struct word w = next_word(&p); w.len || *p; w = next_word(&p)) {
        int i = find(name, r->rank, w);
        size_t colon = strcspn(w.at, ": \t\n,");
        struct word before = {w.at, colon};
        if (w.at[colon] == ':' && find(name, r->rank, before) >= 0)
            return not_a_stride(s, before, w.at);
        if (*p == '=')
            return "the destination is written as names alone; the extents go in the source";
        if (i < 0)
            return how_to_name(s, name, r->rank, dst,
                               arena_printf(&s->arena,
                                            "the destination has a mode '%s', the source does not",
                                            text_of(s, w)));
        if (seen[i])
            return arena_printf(&s->arena, "mode '%s' appears twice in the destination",
                                text_of(s, w));
        seen[i] = true;
        order[n++] = i;
        if ((why = read_pitch(s, &p, w, false, &dst_pitch[i]))) return why;
    }
    for (int i = 0; i < r->rank; ++i) {
        if (!seen[i] && i > 0 && is_pitch(name[i]))
            return arena_printf(&s->arena,
                                "the destination has no mode 'pitch'; a pitch of '%s' is written "
                                "without '=': 'pitch %" PRId64 "'",
                                text_of(s, name[i - 1]), r->mode[i].extent);
        if (!seen[i])
            return how_to_name(s, name, r->rank, dst,
                               arena_printf(&s->arena,
                                            "the source has a mode '%s', the destination does not",
                                            text_of(s, name[i])));
        as_is[i] = i;
    }
    for (int i = 0; i < r->rank; ++i)
        if (r->mode[i].extent == 0) {
            relayout_empty(s, r);
            return NULL;
        }
    if (!(why = row_major(s, r, name, as_is, src_pitch, true)))
        why = row_major(s, r, name, order, dst_pitch, false);
    return why;
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

// Lets a side with negative strides and no offset begin at the last element of its memory.  Returns
// NULL, or that another one has an element before its memory.
static const char *begin_behind(struct session *s, const char *text, struct lay *l) {
    int64_t sum = 0, span;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, l->shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l->stride);
    for (int i = 0; i < lay_tuple_leaves(shape); ++i) {
        struct lay_int n = lay_tuple_get(&s->lay, shape, i)->leaf;
        struct lay_int d = lay_tuple_get(&s->lay, stride, i)->leaf;
        if (!lay_int_static(n) || !lay_int_static(d) || d.num >= 0) continue;
        if (__builtin_mul_overflow(n.num - 1, d.num, &span) ||
            __builtin_sub_overflow(sum, span, &sum))
            return "the tensors have more than 2^62 elements";
    }
    if (sum > 0 && lay_int_is(l->offset, 0)) l->offset = lay_int(sum);
    if (!lay_int_static(l->offset) || l->offset.num >= sum) return NULL;
    return arena_printf(&s->arena,
                        "'%s' has an element %" PRId64 " before its memory: its offset is at least "
                        "%" PRId64 ", or is left out",
                        shown(&s->arena, text), sum - l->offset.num, sum);
}

const char *relayout_read(struct session *s, const char *src, const char *dst,
                          relayout_layout_fn *value, struct relayout *r) {
    struct lay a, b;
    r->rank = 0;
    r->note = NULL;
    r->index = NULL;
    if (strchr(src, '=')) return read_names(s, src, dst, r);
    const char *meant = relayout_meant(s, src, dst);
    if (meant) return meant;
    const char *why = read_layout(s, value, src, "source", &a);
    if (!why) why = read_layout(s, value, dst, "destination", &b);
    if (!why) why = relayout_sizes(s, src, a, "source");
    if (!why) why = relayout_sizes(s, dst, b, "destination");
    if (why) return why;
    const char *meet = relayout_meets(s, b);
    if (meet)
        return arena_printf(&s->arena, "the destination '%s' gives two coordinates one element: %s",
                            dst, meet);
    if ((why = begin_behind(s, src, &a)) || (why = begin_behind(s, dst, &b))) return why;
    if (!(why = relayout_between(s, a, b, r))) {
        r->note = relayout_note(s, a, b, r);
        return NULL;
    }
    if (!lay_int_equal(lay_size(&s->lay, a), lay_size(&s->lay, b)))
        return arena_printf(&s->arena, "%s%s", why, with_names(src));
    return arena_printf(&s->arena,
                        "%s; both layouts enumerate the elements with the first mode fastest; a "
                        "transposition needs names, as in 'm=4 n=8' 'n m'",
                        why);
}
