// Increments offsets in a loop instead of computing them in each iteration.
//
// The loads of a pipeline run right after a barrier, and all threads wait for the first of them.
// If a tensor's tiles follow each other in steps of the same size, the offset of the next step is
// ready when the barrier opens.  Other lets stay: the C compiler moves invariants out of a loop,
// but rarely makes sums from products.

#include "base/session.h"
#include "lower/private.h"

enum { MOST_CARRIED = 8, MOST_LETS = 64 };

struct search {
    struct lowering *w;
    const struct ix_var *step;  // step of the loads
    const struct ix *begin;     // its value in the loop's first iteration
    const struct ix_var *inside[MOST_LETS];
    int ninside;
    struct kir_carry *found;
    int nfound;
    // of the lets that became one of these: the variable, the buffer, and which
    struct ix_var *was[MOST_LETS];
    const struct kir_buffer *in[MOST_LETS];
    int as[MOST_LETS], nwas;
    const char *name;
    int64_t past;  // steps that a carried offset advances beyond its last use
};

// Writes "e" as rest + step * coefficient, in which only "step" changes in the loop.
static bool linear(const struct search *f, const struct ix *e, struct lay_int *coef) {
    bool found = false;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix *atom = e->term[i].atom;
        if (!atom) continue;
        if (atom->op == IX_VAR && atom->var->id == f->step->id) {
            *coef = e->term[i].coef;
            found = true;
            continue;
        }
        for (int k = 0; k < f->ninside; ++k) {
            if (ix_depends_on(atom, f->inside[k])) return false;
        }
    }
    int64_t lo, hi;
    if (found) lay_int_range(*coef, &lo, &hi);
    return found && lo >= 0 && e->lo >= 0;
}

// Whether "v" is used in the offset of a load from global memory.
static bool leads_to_global(const struct kir_node *list, const struct ix_var *v) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind != KIR_STORE && n->buf && n->buf->space == MEM_GLOBAL &&
            ix_depends_on(n->at, v)) {
            return true;
        }
        if (leads_to_global(n->body, v) || leads_to_global(n->orelse, v)) return true;
    }
    return false;
}

// The smallest coefficient with params by which "v" or what counts the accesses is multiplied in
// loads from global memory.
static void find_apart(const struct kir_node *list, const struct ix_var *v, struct lay_int *apart) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool loads = n->kind != KIR_STORE && n->buf && n->buf->space == MEM_GLOBAL;
        if (loads && n->at->op == IX_SUM && ix_depends_on(n->at, v)) {
            for (int i = 0; i < n->at->nterms; ++i) {
                struct ix_term t = n->at->term[i];
                if (t.atom && t.atom->op == IX_VAR && t.atom->var->kind == IX_LOOP &&
                    t.coef.nsyms && t.coef.den == 1 && t.coef.num > 0 &&
                    (apart->num == 0 || t.coef.num < apart->num))
                    *apart = t.coef;
            }
        }
        find_apart(n->body, v, apart);
        find_apart(n->orelse, v, apart);
    }
}

// Names the stride in loops whose step has its own loads right after the barrier.  nvcc then keeps
// the offset of the next step in other registers than those that this step's loads still read: 2
// percent on an H200 (bench/results/pipeline.md).  For loads that run ahead it makes no difference.
static void name_stride(struct search *f, const struct kir_node *behind, struct kir_carry *c) {
    c->stride = NULL;
    c->apart = lay_int(0);
    if (f->past > 1) return;
    find_apart(behind, c->var, &c->apart);
    if (c->apart.num == 0) return;
    struct ix_var *v = ARENA_NEW(&f->w->s->arena, struct ix_var);
    v->kind = IX_NAMED;
    v->id = f->w->s->next_var++;
    v->lo = lay_int(0);
    v->end = LAY_INT_INVALID;  // 64 bits, like the products that contain it
    v->name = v->c_name = names_take(&f->w->names, "stride");
    c->stride = v;
}

static void carry(struct search *f, struct kir_node *n, struct lay_int coef) {
    struct session *s = f->w->s;
    struct ix_var *v = n->var;  // accesses refer to it by its id
    const struct ix *first = ix_substitute(s, n->index, f->step, f->begin);
    struct kir_carry *c = f->found;
    while (c < f->found + f->nfound &&
           !(ix_equal(c->first, first) && ix_equal(c->step, ix_lay(s, coef))))
        ++c;
    bool shared = c < f->found + f->nfound && !c->stride;
    if (!shared) {
        c = &f->found[f->nfound++];
        *c = (struct kir_carry){.var = v, .first = first, .step = ix_lay(s, coef)};
    }
    int64_t lo, hi, most;
    lay_int_range(coef, &lo, &hi);
    v->end = LAY_INT_INVALID;
    if (!__builtin_mul_overflow(hi, f->past, &most) &&
        !__builtin_add_overflow(most, n->index->hi, &most))
        v->end = lay_int(most);
    v->id = c->var->id;
    f->was[f->nwas] = v;
    f->in[f->nwas] = n->of;
    f->as[f->nwas++] = (int)(c - f->found);
    if (!shared) name_stride(f, n->next, c);
    n->kind = KIR_BLOCK;
    n->var = NULL;
    n->index = NULL;
}

static void search(struct search *f, struct kir_node *list) {
    for (struct kir_node *n = list; n; n = n->next) {
        struct lay_int coef;
        if (n->kind == KIR_LET && f->nfound < MOST_CARRIED && f->nwas < MOST_LETS &&
            linear(f, n->index, &coef) && leads_to_global(n->next, n->var)) {
            carry(f, n, coef);
        } else if (n->kind == KIR_LET && f->ninside < MOST_LETS) {
            f->inside[f->ninside++] = n->var;
        } else if (n->kind == KIR_BLOCK || n->kind == KIR_IF) {
            search(f, n->body);
            search(f, n->orelse);
        }
    }
}

// Names the carried offsets after the buffers in which they are used.
static void name_carried(struct search *f) {
    struct session *s = f->w->s;
    for (int i = 0; i < f->nfound; ++i) {
        const char *name = "at", *more;
        for (int k = 0; k < f->nwas; ++k) {
            bool again = false;
            for (int j = 0; j < k; ++j) again |= f->as[j] == i && f->in[j] == f->in[k];
            if (f->as[k] == i && f->in[k] && !again &&
                (more = lower_name_in(s, name, f->in[k])) != NULL)
                name = more;
        }
        name = names_take(&f->w->names, arena_printf(&s->arena, "%s_%s", name, f->name));
        for (int k = 0; k < f->nwas; ++k)
            if (f->as[k] == i) f->was[k]->name = f->was[k]->c_name = name;
    }
}

void carry_offsets(struct lowering *w, struct kir_node *loop, const struct ix_var *step,
                   const struct ix *begin, const char *name, int64_t past) {
    struct search f = {.w = w, .step = step, .begin = begin, .name = name, .past = past};
    f.found = ARENA_ARRAY(&w->s->arena, struct kir_carry, MOST_CARRIED);
    f.inside[f.ninside++] = loop->var;
    for (int i = 0; i < loop->nrings; ++i) f.inside[f.ninside++] = loop->ring[i].var;
    search(&f, loop->body);
    name_carried(&f);
    loop->carry = f.found;
    loop->ncarries = f.nfound;
}

void carry_release(struct lowering *w, const struct kir_node *loop) {
    for (int i = loop->ncarries - 1; i >= 0; --i) {
        const struct kir_carry *c = &loop->carry[i];
        if (c->stride) names_release(&w->names, c->stride->c_name);
        names_release(&w->names, c->var->c_name);
    }
}
