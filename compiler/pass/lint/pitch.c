// Strides that count bytes: rows that are as far apart, in elements, as they have bytes, and strides that are all a
// multiple of those of contiguous elements.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

enum { PITCH = 512 };  // cudaMallocPitch returns a multiple of it

// Rows of "span" contiguous elements, "apart" from each other.
struct rows {
    struct lay_int span, apart;
};

// Whether "a" is "b" some times.
static bool is_times(struct session *s, struct lay_int a, struct lay_int b) {
    struct lay_int times = lay_int_div(&s->lay, a, b);
    lay_clear_error(&s->lay);
    return lay_int_valid(times) && times.den == 1 && times.num > 0;
}

// The rows of "t"; false: its elements are not so.
static bool rows_of(struct session *s, const struct tensor *t, struct rows *out) {
    struct lay l = lay_inner(t->layout);
    if (!lay_valid(l)) return false;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l.stride);
    int n = lay_is_leaf(shape) ? 0 : shape->rank, used = 0;
    out->span = lay_int(1);
    for (int i = 0; i < n; ++i) {  // one mode after the other that begins where the others end
        for (int k = 0; k < n; ++k) {
            if (lay_int_is(shape->kid[k]->leaf, 1) || used >> k & 1 ||
                !lay_int_equal(stride->kid[k]->leaf, out->span))
                continue;
            out->span = lay_int_mul(&s->lay, out->span, shape->kid[k]->leaf);
            used |= 1 << k;
        }
    }
    out->apart = LAY_INT_INVALID;
    for (int k = 0; k < n; ++k) {
        bool least = !(used >> k & 1) && !lay_int_is(shape->kid[k]->leaf, 1);
        for (int i = 0; i < n && least; ++i)
            if (!(used >> i & 1) && !lay_int_is(shape->kid[i]->leaf, 1))
                least = is_times(s, stride->kid[i]->leaf, stride->kid[k]->leaf);
        if (least) out->apart = stride->kid[k]->leaf;
    }
    lay_clear_error(&s->lay);
    return used && lay_int_valid(out->apart) && lay_int_valid(out->span) && out->apart.basis < 0;
}

// Whether a relation says that "a" and "b" are equal, or with '>' that "a" is at least "b".
static bool promised(struct lint *l, char op, struct lay_int a, struct lay_int b) {
    const struct ix *x = ix_lay(l->s, a), *y = ix_lay(l->s, b);
    for (int i = 0; x && y && i < l->p->nrelations; ++i) {
        const struct relation *r = l->p->relation[i];
        char is = r->op[0], turned = is == '<' ? '>' : is == '>' ? '<' : is;
        if ((is == op && ix_equal(r->a, x) && ix_equal(r->b, y)) ||
            (turned == op && ix_equal(r->a, y) && ix_equal(r->b, x)))
            return true;
    }
    return false;
}

// Whether "n" is a small power of two: such rows are often parts of others, four of 16.
static bool is_small_part(struct lay_int n) {
    return lay_int_static(n) && n.num <= 8 && (n.num & (n.num - 1)) == 0;
}

// "apart" as "bytes" times a param that is promised to be the pitch of such rows; invalid: it is not so.
static struct lay_int pitch_in(struct lint *l, const struct rows *x, int64_t bytes) {
    struct lay_int pitch = lay_int_div(&l->s->lay, x->apart, lay_int(bytes));
    lay_clear_error(&l->s->lay);
    return lay_int_valid(pitch) && lay_int_is_param(pitch) && promised(l, '>', pitch, x->span)
               ? pitch
               : LAY_INT_INVALID;
}

// Whether rows of elements of "bytes" are as far apart as they have bytes, or as an allocation with a pitch has them.
static bool counts_bytes(struct lint *l, const struct rows *x, int64_t bytes) {
    struct lay_int all = lay_int_mul(&l->s->lay, x->span, lay_int(bytes));
    lay_clear_error(&l->s->lay);
    if (!lay_int_valid(all) || is_small_part(x->span)) return false;
    if (lay_int_equal(x->apart, all) || promised(l, '=', x->apart, all) ||
        promised(l, '>', x->apart, all) || lay_int_valid(pitch_in(l, x, bytes)))
        return true;
    if (!lay_int_static(all) || !lay_int_static(x->apart) || x->apart.num % x->span.num == 0)
        return false;
    return x->apart.num == (all.num + PITCH - 1) / PITCH * PITCH;
}

// Whether each stride of "t" is "bytes" times that of contiguous elements, in several modes.
static bool all_in_bytes(struct session *s, const struct tensor *t, int64_t bytes) {
    struct lay l = lay_inner(t->layout);
    if (!lay_valid(l)) return false;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l.stride);
    int n = lay_is_leaf(shape) ? 0 : shape->rank, used = 0, modes = 0;
    struct lay_int next = lay_int(bytes);
    for (int k = 0; k < n; ++k) modes += !lay_int_is(shape->kid[k]->leaf, 1);
    for (int found = 1; found;) {
        found = 0;
        for (int k = 0; k < n && !found; ++k)
            if (!(used >> k & 1) && !lay_int_is(shape->kid[k]->leaf, 1) &&
                lay_int_equal(stride->kid[k]->leaf, next)) {
                next = lay_int_mul(&s->lay, next, shape->kid[k]->leaf);
                used |= 1 << k;
                found = 1;
            }
    }
    lay_clear_error(&s->lay);
    return modes > 1 && __builtin_popcount((unsigned)used) == modes;
}

// The tensor number "i" that the plan's text has for "k", in global memory; NULL: it is another one.
static const struct tensor *tensor_at(const struct kernel *k, int i) {
    const struct copy *c = k->planned ? &k->wanted[i / 2] : NULL;
    const struct tensor *t = c ? copy_side(c, i % 2)->base : k->formal[i].tensor;
    return t && t->space == MEM_GLOBAL && lay_rank(t->layout) > 1 ? t : NULL;
}

static int ntensors(const struct kernel *k) {
    return k->planned ? 2 * k->nwanted : k->nformals;
}

// Whether an earlier kernel has "t", or "k" before its "n"th tensor.
static bool seen(const struct plan *p, const struct kernel *k, int n, const struct tensor *t) {
    for (const struct kernel *x = plan_next(p, NULL); x; x = plan_next(p, x)) {
        for (int i = 0; i < (x == k ? n : ntensors(x)); ++i)
            if (tensor_at(x, i) == t) return true;
        if (x == k) break;
    }
    return false;
}

// Whether strides of "t" count bytes; "x" has its rows, without a span where all strides do.
static bool is_in_bytes(struct lint *l, const struct tensor *t, struct rows *x) {
    int64_t bytes = t->elem->bits / 8;
    if (bytes < 2) return false;
    if (rows_of(l->s, t, x)) return counts_bytes(l, x, bytes);
    x->span = LAY_INT_INVALID;
    return all_in_bytes(l->s, t, bytes);
}

static void warn(struct lint *l, const struct tensor *t, const struct rows *x) {
    struct session *s = l->s;
    int bytes = t->elem->bits / 8;
    if (!lay_int_valid(x->span)) {
        diag_warn(s, W_UNREAD, t->at,
                  "each stride of '%s' is %d times that of contiguous elements, which have %d "
                  "bytes: strides count elements, not bytes",
                  t->name, bytes, bytes);
        return;
    }
    struct lay_int all = lay_int_mul(&s->lay, x->span, lay_int(bytes)),
                   pitch = pitch_in(l, x, bytes);
    const char *n = lay_int_text(&s->lay, x->span), *apart = lay_int_text(&s->lay, x->apart);
    diag_warn(s, W_UNREAD, t->at,
              "rows of '%s' have %s elements, which are %s bytes, and are %s elements apart%s: "
              "strides count elements, not bytes",
              t->name, n, lay_int_text(&s->lay, all), apart,
              promised(l, '>', x->apart, all)
                  ? arena_printf(&s->arena, ", at least %s", lay_int_text(&s->lay, all))
                  : "");
    if (lay_int_valid(pitch))
        diag_note(s, t->at, "rows with the pitch '%s' are %s apart", lay_int_text(&s->lay, pitch),
                  lay_int_text(&s->lay, pitch));
    else if (promised(l, '>', x->apart, all))
        diag_note(s, t->at, "such rows do not overlap if '%s >= %s'", apart, n);
    else
        diag_note(s, t->at, "rows that follow each other are %s apart", n);
}

// Elements of 4 bytes and more are judged by themselves, unless several tensors have such rows and others do not: those are
// columns of one matrix, as the gates of a cell.  Those of 2 bytes are often every second row of a pair, so that all
// tensors of the kernel have to agree.
void lint_pitch(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    int two = 0, alike = 0, others = 0;
    for (int i = 0; i < ntensors(k); ++i) {
        const struct tensor *t = tensor_at(k, i);
        struct rows x;
        if (!t) continue;
        bool is = is_in_bytes(l, t, &x);
        two += is && t->elem->bits == 16;
        alike += is;
        others += !is;
    }
    for (int i = 0; i < ntensors(k) && !k->device; ++i) {
        const struct tensor *t = tensor_at(k, i);
        struct rows x;
        if (!t || seen(l->p, k, i, t) || !is_in_bytes(l, t, &x)) continue;
        if (t->elem->bits == 16 && (others || two < 2)) continue;
        if (!others || alike <= 2) warn(l, t, &x);
    }
    lay_clear_error(&s->lay);
}
