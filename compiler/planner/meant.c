// What the author of a relayout may have meant, where the text says something else or nothing.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "planner/private.h"

// -- words ----------------------------------------------------------------------------------------

// The words of "text" between blanks, commas and brackets; more than "most" of them: -1.
static int words_of(struct session *s, const char *text, const char **word, int most) {
    static const char between[] = " \t\n,()[]*";
    int n = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t len = strcspn(text, between);
        if (n == most) return -1;
        word[n++] = arena_strndup(&s->arena, text, len);
        text += len;
    }
    return n;
}

static bool is_permute(const char *word) {
    static const char *const names[] = {"permute", "transpose", "select", "movedim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcasecmp(word, names[i]) == 0) return true;
    return false;
}

// The name that "word" is, "digits": by its place; -1: none.
static int place_of(const char *const *name, int n, const char *word, bool digits) {
    if (digits)
        return isdigit((unsigned char)*word) && !word[1] && *word - '0' < n ? *word - '0' : -1;
    for (int i = 0; i < n; ++i)
        if (strcmp(name[i], word) == 0) return i;
    for (int i = 0; i < n; ++i)
        if (strcasecmp(name[i], word) == 0) return i;
    return -1;
}

const char *relayout_order(struct session *s, const char *const *name, int n, const char *text,
                           bool *digits) {
    const char *own[RELAYOUT_MODES + 1], **word = own;
    int count = words_of(s, text, word, RELAYOUT_MODES + 1);
    unsigned seen = 0;
    struct buf b;
    if (count == n + 1 && is_permute(word[0])) ++word, --count;
    if (count == 1 && n > 1 && (int)strlen(word[0]) == n) {  // a letter a mode
        const char *letters = word[0];
        for (int i = 0; i < n; ++i) word[i] = arena_strndup(&s->arena, letters + i, 1);
        count = n;
    }
    if (count != n) return NULL;
    *digits = isdigit((unsigned char)word[0][0]);
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        int k = place_of(name, n, word[i], *digits);
        if (k < 0 || seen >> k & 1) {
            buf_release(&b);
            return NULL;
        }
        seen |= 1U << k;
        buf_printf(&b, "%s%s", i ? " " : "", name[k]);
    }
    return shown(&s->arena, buf_finish(&b, &s->arena));
}

// -- instead of a relayout ------------------------------------------------------------------------

static bool all_are(const char *const *word, int n, int (*is)(int)) {
    for (int i = 0; i < n; ++i)
        for (const char *p = word[i]; *p; ++p)
            if (!is((unsigned char)*p) || (is == isalnum && isdigit((unsigned char)word[i][0])))
                return false;
    return n > 1;
}

// "(8,4096,32)" to "permute(1,0,2)": the same by names.
static const char *permuted(struct session *s, const char *src, const char *dst) {
    const char *extent[RELAYOUT_MODES], *name[RELAYOUT_MODES], *of[1];
    bool digits;
    int n = words_of(s, src, extent, RELAYOUT_MODES);
    size_t word = strcspn(dst, "( ");
    if (*src != '(' || !all_are(extent, n, isdigit)) return NULL;
    if (word && !is_permute(arena_strndup(&s->arena, dst, word))) return NULL;
    if (!word && (words_of(s, dst, of, 0) >= 0 || !strpbrk(dst, "0"))) return NULL;
    for (int i = 0; i < n; ++i) name[i] = arena_printf(&s->arena, "%c", 'a' + i);
    const char *order = relayout_order(s, name, n, dst, &digits), *source = "";
    if (!order || !digits) return NULL;
    for (int i = 0; i < n; ++i)
        source = arena_printf(&s->arena, "%s%s%s=%s", source, i ? " " : "", name[i], extent[i]);
    return arena_printf(&s->arena, "a permutation of modes needs names: '%s' '%s'", source, order);
}

// 'NHWC' 'NCHW', or 'm n' 'n m'.
static const char *without_extents(struct session *s, const char *src, const char *dst) {
    const char *name[RELAYOUT_MODES], *letters = src;
    bool digits;
    struct buf b;
    int n = words_of(s, src, name, RELAYOUT_MODES);
    if (strpbrk(src, "()[]*:")) return NULL;
    if (n == 1 && strlen(letters) > 1 && strlen(letters) <= RELAYOUT_MODES) {
        n = (int)strlen(letters);
        for (int i = 0; i < n; ++i) name[i] = arena_strndup(&s->arena, letters + i, 1);
    }
    if (!all_are((const char *const *)name, n, isalnum)) return NULL;
    const char *order = relayout_order(s, name, n, dst, &digits);
    if (!order || digits) return NULL;
    buf_init(&b);
    for (int i = 0; i < n; ++i) buf_printf(&b, "%s%s=%d", i ? " " : "", name[i], 4 * i + 4);
    return arena_printf(&s->arena,
                        "'%s' has no extents; write the source with them, as '%s', and the "
                        "destination as '%s'",
                        src, buf_finish(&b, &s->arena), order);
}

const char *relayout_meant(struct session *s, const char *src, const char *dst) {
    const char *said = permuted(s, src, dst);
    return said ? said : without_extents(s, src, dst);
}

const char *relayout_sizes(struct session *s, const char *text, struct lay l, const char *side) {
    if (lay_tuple_static(l.shape)) return NULL;
    if (!strpbrk(text, "(:"))
        return arena_printf(&s->arena,
                            "the %s '%s' is not a layout; row(64,32) is the order of C, "
                            "col(64,32) that of Fortran",
                            side, shown(&s->arena, text));
    return arena_printf(&s->arena,
                        "the extents of the %s are not all numbers; for sizes that come with the "
                        "call write a plan of one copy: 'kernel k(A, out B) { copy A -> B; }'",
                        side);
}

// -- besides a relayout ---------------------------------------------------------------------------

static int modes_of(const struct lay_tuple *shape) {
    int n = 0;
    if (lay_is_leaf(shape)) return lay_int_is(shape->leaf, 1) ? 0 : 1;
    for (int i = 0; i < shape->rank; ++i) n += modes_of(shape->kid[i]);
    return n;
}

static bool is_matrix(struct lay l) {
    return l.shape->rank == 2 && lay_is_leaf(l.shape->kid[0]) && lay_is_leaf(l.shape->kid[1]);
}

// Of two shapes of which neither refines the other.
static const char *differing(struct session *s, struct lay a, struct lay b) {
    const char *as = lay_tuple_text(&s->lay, a.shape), *bs = lay_tuple_text(&s->lay, b.shape);
    bool turned = is_matrix(a) && is_matrix(b) &&
                  lay_tuple_equal(a.shape->kid[0], b.shape->kid[1]) &&
                  lay_tuple_equal(a.shape->kid[1], b.shape->kid[0]) &&
                  !(lay_tuple_equal(a.stride->kid[0], b.stride->kid[1]) &&
                    lay_tuple_equal(a.stride->kid[1], b.stride->kid[0]));
    const char *mend = turned ? arena_printf(&s->arena, "'%s' '%s:(%s,%s)'", lay_text(&s->lay, a),
                                             as, lay_tuple_text(&s->lay, b.stride->kid[1]),
                                             lay_tuple_text(&s->lay, b.stride->kid[0]))
                              : "or has names, as in 'm=4 n=8' 'n m'";
    return arena_printf(
        &s->arena,
        "the sides have different shapes, %s and %s: element i goes to element i, "
        "counted with the first mode fastest; a transposition has the same shape on "
        "both sides%s %s",
        as, bs, turned ? ":" : ",", mend);
}

// "(16,0)": "at" in mode "i" of "n".
static const char *along(struct session *s, int n, int i, int64_t at) {
    const char *text = "(";
    for (int k = 0; k < n; ++k)
        text = arena_printf(&s->arena, "%s%s%" PRId64, text, k ? "," : "", k == i ? at : 0);
    return arena_printf(&s->arena, "%s)", text);
}

const char *relayout_meets(struct session *s, struct lay l) {
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l.stride);
    int n = lay_tuple_leaves(shape);
    for (int i = 0; i < n; ++i) {
        int64_t x = lay_tuple_get(&s->lay, stride, i)->leaf.num;
        for (int k = 0; k < i; ++k) {
            int64_t y = lay_tuple_get(&s->lay, stride, k)->leaf.num;
            if (x <= 0 || y <= 0) continue;
            int64_t g = lay_gcd(x, y), xi = y / g, yi = x / g;
            if (xi >= lay_tuple_get(&s->lay, shape, i)->leaf.num ||
                yi >= lay_tuple_get(&s->lay, shape, k)->leaf.num)
                continue;
            return arena_printf(&s->arena, "%s and %s are both element %" PRId64,
                                along(s, n, k, yi), along(s, n, i, xi), xi * x);
        }
    }
    return NULL;
}

const char *relayout_note(struct session *s, struct lay a, struct lay b, const struct relayout *r) {
    int n = modes_of(a.shape), m = modes_of(b.shape);
    if (r->index) return differing(s, a, b);
    bool nested = r->rank == n || r->rank == m, same = true;
    for (int i = 0; i < r->rank; ++i) same = same && r->mode[i].src == r->mode[i].dst;
    if (!nested && same)
        return "the first mode of a shape alone is contiguous, so this keeps the order of the "
               "elements; a transposition needs names, as in 'm=4 n=8' 'n m'";
    const char *meet = nested ? relayout_meets(s, a) : NULL;
    if (!nested) return differing(s, a, b);
    return meet
               ? arena_printf(&s->arena, "elements of the source are read more than once: %s", meet)
               : NULL;
}
