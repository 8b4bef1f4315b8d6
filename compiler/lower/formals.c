// The parameters of a kernel: tensors, params, and what its launcher or caller must check.
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"
#include "plan/align.h"

// Adds the largest offset of a layout, in elements.
static void add_span(struct session *s, const struct lay_tuple *shape,
                     const struct lay_tuple *stride, const struct ix **span) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) add_span(s, shape->kid[i], stride->kid[i], span);
        return;
    }
    const struct ix *last = ix_sub(s, ix_lay(s, shape->leaf), ix_int(s, 1));
    if (stride->leaf.num < 0) return;
    *span = ix_add(s, *span, ix_scale(s, last, stride->leaf));
}

// What copy "c", which one thread makes, asks of the address of "t", in bytes.  A swizzle of boxes is that
// of the absolute address.
static int asked_by_one(const struct copy *c, const struct tensor *t) {
    enum { BOX = 128, PHASES = 8 };
    const struct copy_boxes *b = c->facts.boxes;
    if (!b || !space_is_shared(t->space)) return copy_atom(c)->row->align / 8;
    return b->swizzle ? PHASES * b->swizzle : BOX;
}

// The widest access of "k" to "t" in "list", in bytes.
static int widest_access(struct session *s, const struct kernel *k, const struct stmt *list,
                         const struct tensor *t) {
    int widest = t->elem->bits / 8;
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        int bytes = 0;
        if (st->kind == STMT_CALL && st->call->fill && st->call->view[0].base == t)
            bytes = lower_fill_elements(s, k, &st->call->view[0]) * (t->elem->bits / 8);
        else if (st->kind == STMT_COPY && (st->copy->src.base == t || st->copy->dst.base == t))
            bytes = copy_atom(st->copy) && copy_atom(st->copy)->row->alone
                        ? asked_by_one(st->copy, t)
                        : st->copy->facts.vec * (t->elem->bits / 8);
        if (bytes > widest) widest = bytes;
    }
    return widest;
}

// The alignment of "t", in bytes, that the caller of "k" must provide: for accesses and called
// functions, and as promised.
static int alignment_owed(struct session *s, const struct kernel *k, const struct tensor *t) {
    int64_t owed = widest_access(s, k, k->body, t), called = align_for_calls(k, t);
    if (called > owed) owed = called;
    return (int)(align_known(t) > owed ? align_known(t) : owed);
}

// The largest value + 1 of a static layout with its swizzle; 0 if it is not static or too large to
// enumerate.
static int64_t swizzled_span(struct session *s, struct lay l) {
    enum { MOST = 1 << 16 };
    int64_t span = 0, at;
    if (!lay_static(l)) return 0;
    struct lay_int size = lay_size(&s->lay, l);
    if (!lay_int_static(size) || size.num > MOST) return 0;
    for (int64_t i = 0; i < size.num; ++i) {
        if (!lay_eval(&s->lay, l, i, &at)) return 0;
        if (at >= span) span = at + 1;
    }
    return span;
}

// Whether the modes of "l", which has no swizzle, provably follow each other without a gap.
static bool is_compact(struct session *s, const struct lay_tuple *extent,
                       const struct lay_tuple *stride) {
    int n = lay_tuple_rank(extent), done = 0;
    bool *used = ARENA_ARRAY(&s->arena, bool, n + 1);
    struct lay_int next = lay_int(1);
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < n; ++i) {
            struct lay_int e = lay_tuple_get(&s->lay, extent, i)->leaf;
            struct lay_int d = lay_tuple_get(&s->lay, stride, i)->leaf;
            bool one = lay_int_is(e, 1) || lay_int_is(d, 0);
            if (used[i] || (!one && !lay_int_equal(d, next))) continue;
            used[i] = grew = true;
            ++done;
            if (!one) next = lay_int_mul(&s->lay, next, e);
        }
    }
    lay_clear_error(&s->lay);
    return done == n;
}

// Sets the strides of "r", which has its extents.
static void set_strides(struct session *s, struct lay l, struct kir_tensor *r) {
    const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, l.stride);
    const struct ix **bytes = ARENA_ARRAY(&s->arena, const struct ix *, r->nextents + 1);
    if (l.sw.b || !lay_int_is(l.offset, 0)) return;
    for (int i = 0; i < r->nextents; ++i) {
        const struct ix *d = ix_lay(s, lay_tuple_get(&s->lay, stride, i)->leaf);
        bytes[i] = ix_scale(s, d, lay_int(r->elem->bits / 8));
        if (!bytes[i] || ix_may_overflow(bytes[i]) || ix_may_overflow(r->extent[i])) return;
    }
    r->stride = bytes;
    r->gaps = !is_compact(s, extent, stride);
}

// What the plan declares for "f"; NULL: the same.
static const struct kir_declared *declared_of(struct session *s, const struct formal *f) {
    const struct tensor *of = f->declared, *t = f->tensor;
    if (!of || (lay_equal(of->layout, t->layout) && !of->names && strcmp(of->name, t->name) == 0))
        return NULL;
    struct kir_declared *r = ARENA_NEW(&s->arena, struct kir_declared);
    *r = (struct kir_declared){of->name, of->layout, of->names};
    return r;
}

struct kir_tensor lower_tensor(struct session *s, const struct formal *f,
                               const struct kir_buffer *b) {
    const struct tensor *t = f->tensor;
    int align = (int)align_known(t);
    struct kir_tensor r = {t->name, b->c_name, t->elem, align, t->id};
    r.written = f->dir != ARG_IN;
    r.read = f->dir != ARG_OUT;
    r.layout = t->layout;
    r.names = t->names;
    r.declared = declared_of(s, f);
    r.span = ix_add(s, ix_int(s, 1), ix_lay(s, t->layout.offset));
    add_span(s, t->layout.shape, t->layout.stride, &r.span);
    struct lay_swizzle sw = t->layout.sw;
    int64_t moving = (int64_t)1 << (sw.s < 0 ? sw.m : sw.m + sw.s), span;
    bool moves = sw.b && !(ix_static(r.span, &span) && span <= moving);
    int64_t swizzled = moves ? swizzled_span(s, t->layout) : 0;
    if (swizzled > 0) {
        r.span = ix_int(s, swizzled);
    } else if (moves) {  // the swizzle permutes within blocks of this size
        struct lay_int block = lay_int((int64_t)1 << (sw.m + sw.b + (sw.s < 0 ? -sw.s : 0)));
        r.span = ix_scale(s, ix_div(s, ix_add(s, r.span, ix_int(s, block.num - 1)), block), block);
    }
    if (!ix_scale(s, r.span, lay_int(r.elem->bits / 8))) {
        diag_error(s, f->at, "the bytes of '%s' do not fit 64 bits", t->name);
        r.span = ix_int(s, 1);
    }
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, t->layout.shape);
    r.nextents = lay_tuple_rank(flat);
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, r.nextents + 1);
    for (int i = 0; i < r.nextents; ++i)
        extent[i] = ix_lay(s, lay_tuple_get(&s->lay, flat, i)->leaf);
    r.extent = extent;
    set_strides(s, t->layout, &r);
    return r;
}

// Whether "x" has a param that is none of the kernel.
static bool is_unknown(struct lay_int x, const void *kernel) {
    const struct kernel *k = kernel;
    for (int i = 0; i < x.nsyms; ++i) {
        int n = 0;
        while (n < k->nparams && k->param[n]->sym != x.syms[i]) ++n;
        if (n == k->nparams && (x.syms[i]->name || is_unknown(x.syms[i]->of, k))) return true;
    }
    return false;
}

// "N + K" as a name in C: N_plus_K.
static const char *sum_name(struct session *s, const char *text) {
    struct buf b;
    buf_init(&b);
    for (const char *p = text; *p; ++p) {
        if (*p == '+' || *p == '-' || *p == '*' || *p == '/')
            buf_puts(&b, *p == '+' ? "plus" : *p == '-' ? "minus" : *p == '*' ? "x" : "by");
        else if (isalnum((unsigned char)*p) || *p == '_')
            buf_char(&b, *p);
        else if (b.len && *p != ')')
            buf_char(&b, '_');
    }
    const char *name = buf_finish(&b, &s->arena);
    return isdigit((unsigned char)*name) ? arena_printf(&s->arena, "n%s", name) : name;
}

void lower_params(struct lowering *w, const struct plan *p, const struct kernel *k,
                  struct kir_kernel *out) {
    struct session *s = w->s;
    out->param = ARENA_ARRAY(&s->arena, struct kir_param, k->nparams + 1);
    for (int i = 0; i < k->nparams; ++i) {
        const struct param *q = k->param[i];
        const char *c_name = names_take(&w->names, q->sum ? sum_name(s, q->name) : q->name);
        out->param[out->nparams++] =
            (struct kir_param){q->name,    c_name,     q->sum,      q->sym,
                               q->sym->lo, q->sym->hi, q->sym->mul, .apart = q->apart};
    }
    out->ngiven = k->ngiven;
    // the relations that contain only these params
    int cap = 0;
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        if (r->of_sum || ix_has_int(r->a, is_unknown, k) || ix_has_int(r->b, is_unknown, k))
            continue;
        out->relation =
            arena_more(&s->arena, out->relation, sizeof *out->relation, out->nrelations, &cap);
        out->relation[out->nrelations++] = (struct kir_relation){r->a, r->b, r->op, r->text};
    }
}

// Index "v" of a device function, with the range in which its caller's duties keep it.
static const struct ix_var *within_duties(struct session *s, const struct kernel *k,
                                          struct ix_var *v) {
    struct ix_var *in = ARENA_NEW(&s->arena, struct ix_var);
    *in = *v;
    int64_t most = INT64_MAX;
    for (const struct duty *d = k->duties; d; d = d->next) {
        const struct ix *room = ix_sub(s, d->b, d->a);  // >= 0
        for (int i = 0; room && room->op == IX_SUM && i < room->nterms; ++i) {
            const struct ix_term *t = &room->term[i];
            if (!t->atom || t->atom->op != IX_VAR || t->atom->var->id != v->id) continue;
            const struct ix *rest = ix_sub(s, room, ix_scale(s, t->atom, t->coef));
            if (!lay_int_static(t->coef) || t->coef.num >= 0 || !rest || rest->hi == INT64_MAX ||
                rest->hi < 0 || ix_depends_on(rest, v))
                continue;
            if (rest->hi / -t->coef.num < most) most = rest->hi / -t->coef.num;
        }
    }
    if (most < INT64_MAX) in->end = lay_int(most + 1);
    return in;
}

// The parameters of a device function, and the preconditions for its caller.
void lower_formals(struct lowering *w, const struct kernel *k, struct kir_kernel *out) {
    struct session *s = w->s;
    out->formal = ARENA_ARRAY(&s->arena, struct kir_formal, k->nformals + k->nindexes + 1);
    w->index = ARENA_ARRAY(&s->arena, const struct ix_var *, k->nindexes + 1);
    for (int i = 0, j = 0; i < k->nformals || j < k->nindexes;) {
        struct kir_formal *f = &out->formal[out->nformals++];
        if (j == k->nindexes || (i < k->nformals && k->formal[i].place < k->index[j].place)) {
            const struct tensor *t = k->formal[i].tensor;
            *f = (struct kir_formal){w->buffer[i].buf, NULL, alignment_owed(s, k, t)};
            ++i;
        } else {
            struct ix_var *v = k->index[j].var;
            v->c_name = names_take(&w->names, v->name);
            w->index[j] = within_duties(s, k, v);
            *f = (struct kir_formal){NULL, w->index[j], 0};
            ++j;
        }
    }
    struct kir_relation *duty = NULL;
    for (const struct duty *d = k->duties; d; d = d->next) ++out->nduties;
    duty = ARENA_ARRAY(&s->arena, struct kir_relation, out->nduties + 1);
    int n = 0;
    for (const struct duty *d = k->duties; d; d = d->next)
        duty[n++] = (struct kir_relation){d->a, d->b, "<=", NULL};
    out->duty = duty;
}
