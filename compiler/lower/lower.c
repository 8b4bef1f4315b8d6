// Lowering: a kernel of the plan, with its facts, becomes Kernel IR.
//
// Requires: all passes.  No other room but check/ sees both the plan and Kernel IR.
#include "lower/lower.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"
#include "plan/align.h"

struct kir_node *lower_node(struct lowering *w, enum kir_kind kind) {
    struct kir_node *n = ARENA_NEW(&w->s->arena, struct kir_node);
    n->kind = kind;
    n->where = w->at;
    *w->tail = n;
    w->tail = &n->next;
    return n;
}

struct kir_node **lower_open(struct lowering *w, struct kir_node *parent) {
    struct kir_node **outside = w->tail;
    w->tail = &parent->body;
    return outside;
}

const struct ix_var *lower_var(struct lowering *w, enum ix_var_kind kind, const char *name,
                               int64_t end) {
    struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
    *v = (struct ix_var){kind, name, name, w->s->next_var++, lay_int(0), lay_int(end)};
    return v;
}

// -- thread modes ---------------------------------------------------------------------------------

static bool of_tid_alone(const struct ix *e) {
    for (int k = IX_LANE; k <= IX_NAMED; ++k) {
        if (ix_depends(e, (enum ix_var_kind)k)) return false;
    }
    return ix_depends(e, IX_TID);
}

static bool names_loop(const struct stmt *list, const char *name) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (st->var && strcmp(st->var->name, name) == 0) return true;
        if (names_loop(st->body, name)) return true;
    }
    return false;
}

// A name at the top of the kernel for a quotient or remainder of tid.
static const struct ix *digit(struct lowering *w, const struct ix *e) {
    for (int i = 0; i < w->ndigits; ++i) {
        if (!ix_equal(w->digit[i].is, e)) continue;
        // the same name, with the range of this place: fewer threads may have passed a guard where
        // it was first needed
        struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
        *v = *w->digit[i].var;
        v->end = lay_int(e->hi + 1);
        return ix_var(w->s, v);
    }
    if (w->ndigits == MAX_DIGITS) return e;
    const char *name = arena_printf(&w->s->arena, "t%d", w->ndigits);
    if (w->warps && e->a->op == IX_VAR && lay_int_is(e->k, 32))
        name = e->op == IX_DIV ? "warp" : "lane";
    // the plan's loops are called the same in all variants of a kernel
    while (names_loop(w->kernel->body, name)) name = arena_printf(&w->s->arena, "%s_", name);
    name = names_take(&w->names, name);
    const struct ix_var *v = lower_var(w, IX_NAMED, name, e->hi + 1);
    w->digit[w->ndigits++] = (struct thread_digit){e, v};
    // at the top, in the order in which they were first needed
    struct kir_node *n = ARENA_NEW(&w->s->arena, struct kir_node);
    n->kind = KIR_LET;
    n->var = v;
    n->index = e;
    *w->top = n;
    w->top = &n->next;
    return ix_var(w->s, v);
}

const struct ix *lower_index(struct lowering *w, const struct ix *e) {
    struct session *s = w->s;
    switch (e->op) {
    case IX_VAR: return e;
    case IX_DIV:
    case IX_MOD:
        if (of_tid_alone(e)) return digit(w, e);
        return e->op == IX_DIV ? ix_div(s, lower_index(w, e->a), e->k)
                               : ix_mod(s, lower_index(w, e->a), e->k);
    case IX_SWZ: return ix_swizzle(s, lower_index(w, e->a), e->sw);
    case IX_SUM: break;
    }
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < e->nterms; ++i) {
        const struct ix *atom = e->term[i].atom;
        sum = ix_add(s, sum,
                     atom ? ix_scale(s, lower_index(w, atom), e->term[i].coef)
                          : ix_lay(s, e->term[i].coef));
    }
    return sum;
}

// -- statements -----------------------------------------------------------------------------------

static void lower_wait(struct lowering *w, int pending) {
    if (pending >= 0) lower_node(w, KIR_WAIT)->pending = pending;
}

void lower_before(struct lowering *w, const struct sync_before *x) {
    lower_wait(w, x->wait);
    if (x->barrier) lower_node(w, KIR_BARRIER);
}

static void lower_for(struct lowering *w, const struct stmt *st) {
    struct kir_node *loop = lower_node(w, KIR_FOR);
    struct ix_var *v = (struct ix_var *)st->var;
    v->c_name = names_take(&w->names, v->name);
    loop->var = v;
    loop->begin = lower_index(w, st->begin);
    loop->end = lower_index(w, st->end);
    const struct ix *trips = ix_sub(w->s, loop->end, loop->begin);
    loop->most = trips && ix_constant(trips) ? trips->hi : 0;
    struct kir_node **outside = lower_open(w, loop);
    lower_list(w, st->body);
    w->tail = outside;
    names_release(&w->names, v->c_name);
}

void lower_statement(struct lowering *w, const struct stmt *st) {
    w->at = st->at;
    if (st->kind != STMT_PIPELINE) lower_before(w, &st->before);
    switch (st->kind) {
    case STMT_COPY: {
        struct copy here = *st->copy;
        here.facts = copy_facts_in(st->copy, w->variant);
        lower_copy(w, &here);
        return;
    }
    case STMT_CALL: lower_call(w, st->call); return;
    case STMT_PIPELINE: lower_pipeline(w, st); return;
    case STMT_FOR:
        lower_for(w, st);
        if (st->commit_after && !w->hold_commits) lower_node(w, KIR_COMMIT);
        return;
    case STMT_SYNC: lower_node(w, KIR_BARRIER); return;
    case STMT_COMMIT: lower_node(w, KIR_COMMIT); return;
    case STMT_WAIT: lower_wait(w, st->pending); return;
    case STMT_PART: BUG("a part outside a pipeline");
    }
}

void lower_list(struct lowering *w, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) lower_statement(w, st);
}

// -- the kernel -----------------------------------------------------------------------------------

struct kir_buffer *lower_buffer(struct lowering *w, const struct tensor *t) {
    for (int i = 0; i < w->nbuffers; ++i) {
        if (w->buffer[i].tensor == t) return w->buffer[i].buf;
    }
    BUG("tensor '%s' is not of this kernel", t->name);
}

static struct kir_buffer *new_buffer(struct lowering *w, const struct tensor *t) {
    static const enum kir_space space[] = {KIR_GLOBAL, KIR_SHARED, KIR_FRAG};
    struct kir_buffer *b = ARENA_NEW(&w->s->arena, struct kir_buffer);
    b->space = space[t->space];
    b->name = t->name;
    b->c_name = names_take(&w->names, t->name);
    b->c_type = t->elem->c_name;
    b->elem = t->elem->name;
    b->elem_bits = t->elem->bits;
    b->layout = lay_text(&w->s->lay, t->layout);
    b->tensor = t->id;
    b->smem_offset = t->smem_offset;
    b->outside = t->outside;
    if (t->space == MEM_SHARED && !t->outside)
        b->count = t->smem_elements;
    else if (t->space != MEM_GLOBAL && lay_valid(t->layout))
        b->count = lay_cosize(&w->s->lay, t->layout).num;
    w->buffer[w->nbuffers++] = (struct buffer_of){t, b};
    return b;
}

// The greatest offset + 1 that a layout of non-negative strides reaches, elements.
static void add_span(struct session *s, const struct lay_tuple *shape,
                     const struct lay_tuple *stride, const struct ix **span) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) add_span(s, shape->kid[i], stride->kid[i], span);
        return;
    }
    const struct ix *last = ix_sub(s, ix_lay(s, shape->leaf), ix_int(s, 1));
    *span = ix_add(s, *span, ix_scale(s, last, stride->leaf));
}

// Bytes: the widest access of "k" to "t" in "list".
static int widest_access(struct session *s, const struct kernel *k, const struct stmt *list,
                         const struct tensor *t) {
    int widest = t->elem->bits / 8;
    for (const struct stmt *st = list; st; st = st->next) {
        int bytes = 0;
        if (stmt_nests(st))
            bytes = widest_access(s, k, st->body, t);
        else if (st->kind == STMT_CALL && st->call->fill && st->call->view[0].base == t)
            bytes = lower_fill_elements(s, k, &st->call->view[0]) * (t->elem->bits / 8);
        else if (st->kind == STMT_COPY && (st->copy->src.base == t || st->copy->dst.base == t))
            bytes = st->copy->facts.vec * (t->elem->bits / 8);
        if (bytes > widest) widest = bytes;
    }
    return widest;
}

// Bytes to which the caller of "k" aligns "t": as accesses and functions need it, and as is
// promised.
static int alignment_owed(struct session *s, const struct kernel *k, const struct tensor *t) {
    int64_t owed = widest_access(s, k, k->body, t), called = align_for_calls(k->body, t);
    if (called > owed) owed = called;
    return (int)(align_known(t) > owed ? align_known(t) : owed);
}

// The greatest value + 1 of a static layout, swizzled; 0 when it is not static, or too large to go
// through.
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

static struct kir_tensor lower_tensor(struct session *s, const struct formal *f,
                                      const struct kir_buffer *b) {
    const struct tensor *t = f->tensor;
    int align = (int)align_known(t);
    struct kir_tensor r = {t->name, b->c_name, b->c_type, b->elem, b->elem_bits, align, t->id};
    r.written = f->dir != ARG_IN;
    r.read = f->dir != ARG_OUT;
    r.span = ix_add(s, ix_int(s, 1), ix_lay(s, t->layout.offset));
    add_span(s, t->layout.shape, t->layout.stride, &r.span);
    struct lay_swizzle sw = t->layout.sw;
    int64_t moving = (int64_t)1 << (sw.s < 0 ? sw.m : sw.m + sw.s), span;
    bool moves = sw.b && !(ix_static(r.span, &span) && span <= moving);
    int64_t swizzled = moves ? swizzled_span(s, t->layout) : 0;
    if (swizzled > 0) {
        r.span = ix_int(s, swizzled);
    } else if (moves) {  // what it changes lies in blocks of this size
        struct lay_int block = lay_int((int64_t)1 << (sw.m + sw.b + (sw.s < 0 ? -sw.s : 0)));
        r.span = ix_scale(s, ix_div(s, ix_add(s, r.span, ix_int(s, block.num - 1)), block), block);
    }
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, t->layout.shape);
    r.nextents = lay_tuple_rank(flat);
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, r.nextents + 1);
    for (int i = 0; i < r.nextents; ++i)
        extent[i] = ix_lay(s, lay_tuple_get(&s->lay, flat, i)->leaf);
    r.extent = extent;
    return r;
}

static void lower_params(struct lowering *w, const struct plan *p, const struct kernel *k,
                         struct kir_kernel *out) {
    struct session *s = w->s;
    out->param = ARENA_ARRAY(&s->arena, struct kir_param, k->nparams + 1);
    for (int i = 0; i < k->nparams; ++i) {
        const struct param *q = k->param[i];
        struct kir_param *r = &out->param[out->nparams++];
        *r = (struct kir_param){
            q->name, names_take(&w->names, q->name), q->sym, q->sym->lo, q->sym->hi, q->sym->mul};
        r->narrow = q->sym->hi <= INT32_MAX && q->sym->lo >= INT32_MIN;
    }
    // the relations that speak of these params alone
    int cap = 0;
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        if (!lower_known(k, r->a) || !lower_known(k, r->b)) continue;
        out->relation =
            arena_more(&s->arena, out->relation, sizeof *out->relation, out->nrelations, &cap);
        out->relation[out->nrelations++] = (struct kir_relation){r->a, r->b, r->op, r->text};
    }
}

// The parameters of a device function, and what its caller owes.
static void lower_formals(struct lowering *w, const struct kernel *k, struct kir_kernel *out) {
    struct session *s = w->s;
    out->formal = ARENA_ARRAY(&s->arena, struct kir_formal, k->nformals + k->nindexes + 1);
    for (int i = 0, j = 0; i < k->nformals || j < k->nindexes;) {
        struct kir_formal *f = &out->formal[out->nformals++];
        if (j == k->nindexes || (i < k->nformals && k->formal[i].place < k->index[j].place)) {
            const struct tensor *t = k->formal[i].tensor;
            *f = (struct kir_formal){w->buffer[i].buf, NULL, alignment_owed(s, k, t)};
            ++i;
        } else {
            struct ix_var *v = (struct ix_var *)k->index[j].var;
            v->c_name = names_take(&w->names, v->name);
            *f = (struct kir_formal){NULL, v, 0};
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

// The stem of the names of "k"'s functions: its own, unless that is not allowed in C.
static const char *function_name(struct session *s, const struct plan *p, const struct kernel *k) {
    const char *name = names_own(s, k->name);
    while (name != k->name && plan_find_kernel(p, name))
        name = arena_printf(&s->arena, "%s_", name);
    return name;
}

// Whether a copy in "list" is between views of warps or lanes.
static bool speaks_of_warps(const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (speaks_of_warps(st->body)) return true;
        if (st->kind != STMT_COPY) continue;
        const struct ix *e[] = {st->copy->src.offset, st->copy->dst.offset};
        for (int i = 0; i < 2; ++i)
            if (e[i] && (ix_depends(e[i], IX_WARP) || ix_depends(e[i], IX_LANE))) return true;
    }
    return false;
}

const char *lower_function(struct session *s, const char *stem, int bits) {
    return bits ? arena_printf(&s->arena, "%s_kernel_%d", stem, bits)
                : arena_printf(&s->arena, "%s_kernel", stem);
}

// "variant": of the kernel, or -1 where it has none
static struct kir_kernel *lower_kernel(struct session *s, const struct plan *p,
                                       const struct kernel *k, int variant) {
    struct lowering w = {.s = s, .plan = p, .kernel = k, .variant = variant};
    names_init(&w.names, s);
    w.warps = speaks_of_warps(k->body);
    struct kir_kernel *out = ARENA_NEW(&s->arena, struct kir_kernel);
    out->device = k->device;
    out->leaves_group = k->async;
    int col;
    out->name = k->name;
    out->c_name = function_name(s, p, k);
    names_take(&w.names, lower_function(s, out->c_name, 0));
    for (int i = 0; i < k->nvariants; ++i) {
        int bits = k->variant[i].bits;
        names_take(&w.names, lower_function(s, out->c_name, bits));
        names_take(&w.names, arena_printf(&s->arena, "fits_%d", bits));
    }
    out->path = s->sources.file[k->at.file].path;
    source_place(s, k->at, &out->line, &col);
    for (int i = 0; i < 3; ++i) out->grid[i] = k->grid[i];
    out->threads = k->threads;
    out->smem_bytes = k->smem_bytes;
    out->tid = k->tid;
    out->first_own_var = s->next_var;
    int n = k->nformals + k->nlocal;
    w.buffer = ARENA_ARRAY(&s->arena, struct buffer_of, n + 1);
    out->tensor = ARENA_ARRAY(&s->arena, struct kir_tensor, k->nformals + 1);
    for (int i = 0; i < k->nformals; ++i) {
        struct kir_buffer *b = new_buffer(&w, k->formal[i].tensor);
        b->written = k->formal[i].dir != ARG_IN;
        b->read = k->formal[i].dir != ARG_OUT;
        b->constant = formal_is_constant(k, &k->formal[i]);
        if (!k->device) out->tensor[out->ntensors++] = lower_tensor(s, &k->formal[i], b);
    }
    if (k->device) lower_formals(&w, k, out);
    lower_params(&w, p, k, out);
    struct kir_buffer **local = ARENA_ARRAY(&s->arena, struct kir_buffer *, k->nlocal + 1);
    for (int i = 0; i < k->nlocal; ++i) local[out->nbuffers++] = new_buffer(&w, k->local[i]);
    out->buffer = local;

    // lets of the thread's digits come first, then the statements
    struct kir_node *body = NULL, *top = NULL;
    w.tail = &body;
    w.top = &top;
    lower_list(&w, k->body);
    w.at = k->at;
    if (k->commit_last) lower_node(&w, KIR_COMMIT);
    lower_wait(&w, k->wait_last ? 0 : -1);
    *w.top = body;
    out->body = top;
    for (int i = 0; i < out->nparams; ++i)
        out->param[i].in_body = kir_uses_param(out->body, out->param[i].sym);
    for (int i = 0; i < 3; ++i) {
        if (k->block[i]) out->block[i] = k->block[i];
    }
    if (variant + 1 < k->nvariants) out->narrower = lower_kernel(s, p, k, variant + 1);
    return out;
}

struct kir *lower_plan(struct session *s, const struct plan *p) {
    struct kir *out = ARENA_NEW(&s->arena, struct kir);
    out->arch = p->arch_name;
    out->path = p->path;
    const char **include = ARENA_ARRAY(&s->arena, const char *, p->nfunctions + 1);
    for (int i = 0; i < p->nfunctions; ++i) {
        bool there = false;
        for (int j = 0; j < out->nincludes; ++j)
            there |= strcmp(include[j], p->function[i]->from) == 0;
        if (!there) include[out->nincludes++] = p->function[i]->from;
    }
    out->include = include;
    struct kir_kernel **tail = &out->kernels;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        *tail = lower_kernel(s, p, k, k->nvariants ? 0 : -1);
        if (!k->device) lower_launch(s, k, *tail);
        tail = &(*tail)->next;
    }
    return out;
}
