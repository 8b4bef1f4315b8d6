// Strides that count bytes: rows that are as far apart, in elements, as they have bytes.
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

// Whether a relation says that "a" and "b" are equal.
static bool promised_equal(struct lint *l, struct lay_int a, struct lay_int b) {
    const struct ix *x = ix_lay(l->s, a), *y = ix_lay(l->s, b);
    for (int i = 0; x && y && i < l->p->nrelations; ++i) {
        const struct relation *r = l->p->relation[i];
        if (r->op[0] == '=' &&
            ((ix_equal(r->a, x) && ix_equal(r->b, y)) || (ix_equal(r->a, y) && ix_equal(r->b, x))))
            return true;
    }
    return false;
}

// Whether "n" is a small power of two: such rows are often parts of others, four of 16.
static bool is_small_part(struct lay_int n) {
    return lay_int_static(n) && n.num <= 8 && (n.num & (n.num - 1)) == 0;
}

// Whether rows of elements of "bytes" are as far apart as they have bytes, or as an allocation with a pitch has them.
static bool counts_bytes(struct lint *l, const struct rows *x, int64_t bytes) {
    struct lay_int all = lay_int_mul(&l->s->lay, x->span, lay_int(bytes));
    lay_clear_error(&l->s->lay);
    if (!lay_int_valid(all) || is_small_part(x->span)) return false;
    if (lay_int_equal(x->apart, all) || promised_equal(l, x->apart, all)) return true;
    if (!lay_int_static(all) || !lay_int_static(x->apart) || x->apart.num % x->span.num == 0)
        return false;
    return x->apart.num == (all.num + PITCH - 1) / PITCH * PITCH;
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
        bool is = rows_of(s, t, &x) && counts_bytes(l, &x, t->elem->bits / 8);
        two += is && t->elem->bits == 16;
        alike += is;
        others += !is;
    }
    for (int i = 0; i < ntensors(k) && !k->device; ++i) {
        const struct tensor *t = tensor_at(k, i);
        int64_t bytes = t ? t->elem->bits / 8 : 0;
        struct rows x;
        if (bytes < 2 || seen(l->p, k, i, t) || !rows_of(s, t, &x)) continue;
        if (!counts_bytes(l, &x, bytes) || (bytes == 2 && (others || two < 2))) continue;
        if (others && alike > 2) continue;
        struct lay_int all = lay_int_mul(&s->lay, x.span, lay_int(bytes));
        const char *n = lay_int_text(&s->lay, x.span), *apart = lay_int_text(&s->lay, x.apart);
        diag_warn(s, W_UNREAD, t->at,
                  "rows of '%s' have %s elements, which are %s bytes, and are %s elements apart: "
                  "strides count elements, not bytes",
                  t->name, n, lay_int_text(&s->lay, all), apart);
        diag_note(s, t->at, "rows that follow each other are %s apart", n);
    }
}
