// Names of bounds, and look-ups in a plan.
#include <string.h>

#include "base/session.h"
#include "plan/plan.h"

const char *bound_name(enum bound b) {
    static const char *const names[N_BOUNDS] = {
        [BOUND_ATOM] = "atom",
        [BOUND_CONVERSION] = "conversion",
        [BOUND_SRC_RUN] = "contiguous run of the source",
        [BOUND_DST_RUN] = "contiguous run of the destination",
        [BOUND_COMMON_RUN] = "contiguous run common to both sides",
        [BOUND_SRC_ALIGN] = "alignment of the source",
        [BOUND_DST_ALIGN] = "alignment of the destination",
        [BOUND_SRC_DIVIDES] = "divisibility of the source",
        [BOUND_DST_DIVIDES] = "divisibility of the destination",
        [BOUND_SRC_SWIZZLE] = "swizzle base of the source",
        [BOUND_DST_SWIZZLE] = "swizzle base of the destination",
        [BOUND_PREDICATE] = "predicate",
    };
    return names[b];
}

struct kernel *plan_next(const struct plan *p, const struct kernel *k) {
    if (!k) return p->kernels ? p->kernels : p->devices;
    if (k->next || k->device) return k->next;
    return p->devices;
}

const struct tiled_copy *plan_find_tiled(const struct plan *p, const char *name) {
    for (int i = 0; i < p->ntiled; ++i) {
        if (strcmp(p->tiled[i]->name, name) == 0) return p->tiled[i];
    }
    return NULL;
}

const struct kernel *plan_find_kernel(const struct plan *p, const char *name) {
    for (const struct kernel *k = p->kernels; k; k = k->next) {
        if (strcmp(k->name, name) == 0) return k;
    }
    return NULL;
}

const struct stmt *kernel_role_of(const struct kernel *k, const struct copy *c) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        for (const struct stmt *up = st->copy == c ? st->up : NULL; up; up = up->up)
            if (stmt_threads(up, 0)) return up;
    return NULL;
}

// Whether "x" is in a pipeline with roles.
static bool in_roles(const struct stmt *x) {
    for (; x; x = x->up)
        if (x->kind == STMT_PIPELINE && (pipeline_has_roles(x->pipe) || x->pipe->nroles))
            return true;
    return false;
}

bool stmt_counts(const struct stmt *list, bool roles) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_COPY && copy_atom(x->copy)->row->counter && in_roles(x) == roles)
            return true;
    return false;
}

// The next part from "part" on that loads or does not, as "load" says.
static const struct stmt *part_from(const struct stmt *part, bool load) {
    while (part && part->load != load) part = part->next;
    return part;
}

const struct stmt *stmt_first_part(const struct stmt *st) {
    const struct stmt *use = st->pipe->late ? part_from(st->body, false) : NULL;
    return use ? use : st->body;
}

const struct stmt *stmt_part_after(const struct stmt *part) {
    if (!part->up->pipe->late) return part->next;
    const struct stmt *next = part_from(part->next, part->load);
    return next || part->load ? next : part_from(part->up->body, true);
}

bool copy_holds(const struct copy *c) {
    return copy_atom(c)->row->counter || copy_atom(c)->row->reads_late;
}

const char *stmt_named(struct session *s, const struct stmt *x) {
    const struct ix *step = ix_add(s, ix_var(s, x->barrier->roles->var), ix_int(s, x->of));
    const char *word = x->kind == STMT_WAIT ? (stmt_awaits(x) ? "wait" : "sync")
                       : stmt_expects(x)    ? "expect"
                                            : "arrive";
    return arena_printf(&s->arena, "%s %s of %s", word, x->barrier->name, ix_text(s, step));
}

const struct stmt *stmt_completed(const struct stmt *copy) {
    int commits = 0;
    for (const struct stmt *x = copy; x && x->kind != STMT_PART; x = x->up)
        for (const struct stmt *y = x->next; y; y = y->next) {
            commits += stmt_commits(y);
            if (y->kind != STMT_WAIT || y->arrival.kind != ARRIVAL_GROUP) continue;
            if (commits <= y->arrival.count) continue;
            while (y->up->kind != STMT_PART) y = y->up;
            return y;
        }
    return NULL;
}

// A load reads what no thread of the kernel writes.
bool copy_by_proxy(const struct copy *c, bool writes) {
    return c && copy_atom(c) && copy_holds(c) && (writes || copy_atom(c)->row->reads_late);
}

bool sync_overtakes(const struct sync_reason *r) {
    return !r->wait && copy_by_proxy(r->later, r->later_writes) &&
           !copy_by_proxy(r->earlier, r->earlier_writes);
}

const struct stmt *stmt_counted(const struct stmt *copy) {
    const struct stmt *x = copy;
    if (!copy_atom(copy->copy) || !copy_atom(copy->copy)->row->counter) return NULL;
    while (x->up && x->up->kind != STMT_PART) x = x->up;
    if (!x->up || x->up->up->pipe->nroles == 0) return NULL;
    while (x && !stmt_expects(x)) x = x->next;
    return x;
}

const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].tensor == t) return &k->formal[i];
    return NULL;
}

bool kernel_reads(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return true;
        for (int i = 0; st->kind == STMT_CALL && !st->call->fill && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && st->call->fn->formal[i].dir != ARG_OUT) return true;
    }
    return false;
}

bool kernel_stores_late(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base == t && copy_atom(st->copy) &&
            copy_atom(st->copy)->row->reads_late)
            return true;
    return false;
}

bool kernel_names(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && (st->copy->src.base == t || st->copy->dst.base == t))
            return true;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t) return true;
    }
    return false;
}

const struct elem_type *copy_wider(const struct copy *c) {
    const struct elem_type *a = c->src.base->elem, *b = c->dst.base->elem;
    return b->bits > a->bits ? b : a;
}

const struct view *copy_boxed(const struct copy *c) {
    return copy_side(c, !copy_atom(c)->row->reads_late);
}

int copy_side_bits(const struct copy *c, bool src, int vec) {
    const struct atom *a = copy_atom(c);
    if (a && atom_is_collective(a->row)) return atom_side_bits(a, src);
    return vec * copy_side(c, src)->base->elem->bits;
}

// For a collective atom: which part of the bits that an access needs is reached.
static int64_t of_collective(const struct atom *a, enum bound b, int64_t bits) {
    bool src = b == BOUND_SRC_RUN || b == BOUND_SRC_ALIGN || b == BOUND_SRC_DIVIDES ||
               b == BOUND_SRC_SWIZZLE;
    bool dst = b == BOUND_DST_RUN || b == BOUND_DST_ALIGN || b == BOUND_DST_DIVIDES ||
               b == BOUND_DST_SWIZZLE;
    if (!src && !dst) return bits;
    int need = atom_side_bits(a, src);
    return bits >= need ? a->bits : bits * a->bits / need;
}

int64_t bound_as_wider(const struct copy *c, enum bound b, int64_t bits) {
    int src = c->src.base->elem->bits, dst = c->dst.base->elem->bits;
    int wider = src > dst ? src : dst, of = wider;
    if (bits >= BOUND_NONE) return bits;
    if (atom_is_collective(copy_atom(c)->row)) return of_collective(copy_atom(c), b, bits);
    switch (b) {
    case BOUND_ATOM: of = src + dst - wider; break;
    case BOUND_SRC_RUN:
    case BOUND_SRC_ALIGN:
    case BOUND_SRC_DIVIDES:
    case BOUND_SRC_SWIZZLE: of = src; break;
    case BOUND_DST_RUN:
    case BOUND_DST_ALIGN:
    case BOUND_DST_DIVIDES:
    case BOUND_DST_SWIZZLE: of = dst; break;
    case BOUND_CONVERSION:
    case BOUND_COMMON_RUN:
    case BOUND_PREDICATE:
    case N_BOUNDS: break;
    }
    return of > bits ? 0 : bits / of * wider;
}
