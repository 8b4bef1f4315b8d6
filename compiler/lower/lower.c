// Lowering: converts a kernel of the plan, with its facts, to Kernel IR.
//
// Requires: all passes.  Only this module and check/ see both the plan and Kernel IR.
#include "lower/lower.h"

#include <string.h>

#include "base/session.h"
#include "kernel/widths.h"
#include "layout/algebra.h"
#include "lower/private.h"
#include "plan/arch.h"
#include "plan/c_names.h"
#include "plan/family.h"

enum { UNROLL_MOST = 64, MOST_TOLD = 32 };  // steps of a loop; variables

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

struct ix_var *lower_var(struct lowering *w, enum ix_var_kind kind, const char *name, int64_t end) {
    struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
    *v = (struct ix_var){kind, name, name, w->s->next_var++, lay_int(0), lay_int(end)};
    return v;
}

// "list", which begins with "n" lets, without those of them that are not used.
static struct kir_node *without_unused(struct kir_node *list, int n) {
    if (n == 0) return list;
    list->next = without_unused(list->next, n - 1);
    return kir_uses(list->next, list->var) ? list : list->next;
}

// -- statements -----------------------------------------------------------------------------------

const struct ix_var *lower_tid(const struct lowering *w) {
    return w->role_tid ? w->role_tid : w->kernel->tid;
}

int64_t lower_threads(const struct lowering *w) {
    return w->role_tid ? w->role_threads : w->kernel->threads;
}

// Whose groups count here: in a role, barriers in memory have no groups (roles.c).
static unsigned lower_counts(const struct lowering *w) {
    const struct kernel *k = w->kernel;
    unsigned counts = k->stored ? COUNTS_STORED : 0;
    if (w->role_counts) return w->role_counts;
    if (!w->role_tid && k->counted && k->counter_at >= 0) counts |= COUNTS_MEMORY;
    return k->groups || !counts ? counts | COUNTS_PLAIN : counts;
}

struct kir_node *lower_wait(struct lowering *w, struct arrival a) {
    if (!arrival_is(a)) return NULL;
    struct kir_node *n = lower_node(w, KIR_WAIT);
    n->arrival = a;
    n->counts = lower_counts(w);
    if (w->role_tid && a.kind == ARRIVAL_BLOCK) {  // that of the role
        n->arrival = arrival_named(w->role_barrier, (int)w->role_threads);
        n->arrival.fence = a.fence;
        n->index = ix_int(w->s, w->role_barrier);
    }
    if (!arrival_row(a)->joins) return n;
    w->nfresh = 0;
    w->was_barrier = true;
    return n;
}

// Nothing is left in flight: for a device function's caller, or a kernel's copies that memory counts or
// that read shared memory.
static void lower_last_wait(struct lowering *w) {
    struct kir_node *n = lower_node(w, KIR_WAIT);
    n->arrival = arrival_groups(0);
    n->arrival.written = w->kernel->device && w->kernel->stored;
    n->counts = w->kernel->device ? lower_counts(w) : lower_counts(w) & ~(unsigned)COUNTS_PLAIN;
}

void lower_commit(struct lowering *w) {
    struct kir_node *n = lower_node(w, KIR_ARRIVE);
    n->arrival = arrival_groups(0);
    n->counts = lower_counts(w);
}

void lower_written(struct lowering *w, const struct tensor *t) {
    if (space_is_shared(t->space) && w->nfresh < MOST_FRESH) w->fresh[w->nfresh++] = t;
}

// Why a fence stands before the barrier of "x".
static const char *fence_text(struct lowering *w, const struct sync_before *x) {
    for (const struct sync_reason *r = x->point ? x->point->why : NULL; r; r = r->next)
        if (sync_overtakes(r))
            return arena_printf(&w->s->arena, "a copy %s '%s' next",
                                r->later_writes ? "fills" : "reads", r->buffer->name);
    return w->kernel->manual ? NULL : "a copy fills or reads next what this thread used";
}

void lower_before(struct lowering *w, const struct sync_before *x) {
    lower_wait(w, x->wait.copies);
    struct kir_node *n = lower_wait(w, x->wait.threads);
    if (n && n->arrival.fence) n->fenced = fence_text(w, x);
}

// A loop's variable and the variables computed from it.
struct told {
    const struct ix_var *var[MOST_TOLD];
    int n;
};

static bool depends(const struct ix *e, const struct told *x) {
    for (int i = 0; e && i < x->n; ++i)
        if (ix_depends_on(e, x->var[i])) return true;
    return false;
}

static bool is_register(const struct kir_buffer *b, const struct ix *at, const struct told *x) {
    return b && b->space == MEM_FRAG && depends(at, x);
}

// Whether an access in "list" selects its register by a variable in "x".
static bool tells_registers(const struct kir_node *list, struct told *x) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (is_register(n->buf, n->at, x) || is_register(n->to_buf, n->to_at, x)) return true;
        for (int i = 0; i < n->nargs; ++i)
            if (is_register(n->arg[i].buf, n->arg[i].at, x)) return true;
        if (n->kind == KIR_LET && x->n < MOST_TOLD && depends(n->index, x)) x->var[x->n++] = n->var;
        if (tells_registers(n->body, x) || tells_registers(n->orelse, x)) return true;
    }
    return false;
}

static void lower_for(struct lowering *w, const struct stmt *st) {
    struct kir_node *loop = lower_node(w, KIR_FOR);
    struct ix_var *v = st->var;
    v->c_name = names_take(&w->names, v->name);
    loop->var = v;
    loop->begin = lower_index(w, st->begin);
    loop->end = lower_index(w, st->end);
    const struct ix *trips = ix_sub(w->s, loop->end, loop->begin);
    loop->most = trips && ix_constant(trips) ? trips->hi : 0;
    struct kir_node **outside = lower_open(w, loop);
    struct around here = {v, w->loops};
    w->loops = &here;
    int nlets = lower_name_lets_of(w, v);
    lower_list(w, st->body);
    loop->body = without_unused(loop->body, nlets);
    lower_forget_lets_of(w, v);
    w->loops = here.next;
    // a register has no address: if a loop variable selected it, it would be in local memory
    loop->unroll = loop->most > 0 && loop->most <= UNROLL_MOST &&
                   tells_registers(loop->body, &(struct told){{v}, 1});
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
        if (st->commit_after && !w->hold_commits) lower_commit(w);
        return;
    case STMT_ARRIVE: lower_commit(w); return;
    case STMT_WAIT: lower_wait(w, st->arrival); return;
    case STMT_PART: BUG("a part outside a pipeline");
    }
}

void lower_list(struct lowering *w, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (!st->up) lower_begin_rings(w, st);
        lower_statement(w, st);
        if (!st->up) lower_end_rings(w, st);
    }
}

// -- the kernel -----------------------------------------------------------------------------------

struct kir_buffer *lower_buffer(struct lowering *w, const struct tensor *t) {
    for (int i = 0; i < w->nbuffers; ++i) {
        if (w->buffer[i].tensor == t) return w->buffer[i].buf;
    }
    BUG("tensor '%s' is not of this kernel", t->name);
}

static struct kir_buffer *new_buffer(struct lowering *w, const struct tensor *t) {
    struct kir_buffer *b = ARENA_NEW(&w->s->arena, struct kir_buffer);
    b->space = t->space;
    b->name = t->name;
    b->c_name = names_take(&w->names, t->name);
    b->elem = t->elem;
    b->layout = lay_text(&w->s->lay, t->layout);
    b->layout_told = lower_layout_text(w->s, t->layout);
    b->tensor = t->id;
    b->smem_offset = t->smem_offset;
    b->outside = t->outside;
    if (space_is_shared(t->space) && !t->outside)
        b->count = t->smem_elements;
    else if (t->space != MEM_GLOBAL && lay_valid(t->layout))
        b->count = lay_span(&w->s->lay, t->layout).num;
    w->buffer[w->nbuffers++] = (struct buffer_of){t, b};
    return b;
}

// Whether "list" contains a copy between views of warps or lanes.
static bool speaks_of_warps(const struct stmt *list) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind != STMT_COPY) continue;
        const struct ix *e[] = {st->copy->src.offset, st->copy->dst.offset};
        for (int i = 0; i < 2; ++i)
            if (e[i] && (ix_depends(e[i], IX_WARP) || ix_depends(e[i], IX_LANE))) return true;
    }
    return false;
}

// Takes the names of functions that the kernel and its launcher call, and those of the launcher's
// conditions.
static void take_functions(struct lowering *w, const char *stem) {
    struct session *s = w->s;
    const struct kernel *k = w->kernel;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL && st->call->fn) names_reserve(&w->names, st->call->fn->name);
    if (k->device) return;
    names_take(&w->names, c_name_of_function(s, w->plan, stem, 0));
    for (const struct kernel *x = k->first_case ? k->first_case : k; x; x = x->next_case)
        for (int i = 0; i < x->nvariants; ++i) {
            int tag = x->variant[i].tag;
            names_take(&w->names, c_name_of_function(s, w->plan, stem, tag));
            names_take(&w->names, arena_printf(&s->arena, "fits_%d", tag));
        }
    names_reserve(&w->names, arena_printf(&s->arena, "%s_variant", stem));
    names_reserve(&w->names, arena_printf(&s->arena, "%s_prepare", stem));
}

// The registers between loads and stores, in bytes; more than any if a function is called.
static int64_t most_staged(const struct kir_node *list) {
    int64_t most = 0;
    for (const struct kir_node *n = list; n; n = n->next) {
        int64_t in[] = {most_staged(n->body), most_staged(n->orelse),
                        n->kind == KIR_CALL         ? INT64_MAX
                        : n->kind == KIR_STAGE_DECL ? n->stage->count * n->stage->access_bits / 8
                                                    : 0};
        for (int i = 0; i < 3; ++i)
            if (in[i] > most) most = in[i];
    }
    return most;
}

// So many blocks that a thread has 64 registers, where nvcc would give some of these kernels more: with two
// blocks of 512 threads, one would be alone on an SM (0.80 of memcpy for 0.98).  With params and more held, it
// takes 105 for quotients of block.x; bytes would be spilled.  Where threads hold less, it would take more
// registers than if it is not asked (0.65 for 0.83).
static int blocks_at_least(const struct plan *p, const struct kir_kernel *k) {
    enum { FEW = 256, MANY = 448, MOST = 512 };                // threads
    enum { LITTLE = 64, MUCH = 128, MORE = 160, OWN = 1024 };  // bytes
    int64_t held = 0;
    bool bytes = false, params = false;
    for (int i = 0; i < k->nbuffers; ++i) {
        const struct kir_buffer *x = k->buffer[i];
        if (x->space != MEM_FRAG) continue;
        held += x->count * x->elem->bits / 8;
        bytes |= x->elem->bits <= 8;
    }
    for (int i = 0; i < k->nparams; ++i) params |= k->param[i].in_body;
    int blocks = 0;
    if (k->threads > MANY && k->threads <= MOST && held >= LITTLE && held <= MUCH) blocks = 2;
    if (k->threads == FEW && params && !bytes && held > MUCH && held <= MORE) blocks = 4;
    bool room = blocks * (k->smem_bytes + OWN) <= arch_shared_bytes(p->arch) + OWN;
    return room && most_staged(k->body) <= MUCH ? blocks : 0;
}

// "variant": number of the variant, or -1 if the kernel has none.
static struct kir_kernel *lower_kernel(struct session *s, const struct plan *p,
                                       const struct kernel *k, int variant) {
    struct lowering w = {.s = s, .plan = p, .kernel = k, .variant = variant};
    names_init(&w.names, s);
    w.warps = speaks_of_warps(k->body);
    struct kir_kernel *out = ARENA_NEW(&s->arena, struct kir_kernel);
    out->device = k->device;
    const struct atom_row *groups = k->groups ? k->groups : atom_counting();
    out->family = groups->family;
    if (k->stored)
        out->family = k->groups ? "cp.async and of copies out of shared memory"
                                : "copies out of shared memory";
    const struct atom_row *const by[N_COUNTS] = {groups, k->counted, k->stored};
    for (int i = 0; i < N_COUNTS; ++i) {
        out->commit[i] = by[i] ? by[i]->commit : NULL;
        out->wait[i] = by[i] ? by[i]->wait : NULL;
        if (!by[i] || by[i] != k->counted || !k->all_wait) continue;
        out->commit[i] = by[i]->all_commit;
        out->wait[i] = by[i]->all_wait;
    }
    if (k->counted) {
        out->counter = k->counted->counter;
        out->all_wait = k->all_wait;
        out->barriers = ARRIVAL_BARRIERS;
        out->counter_at = k->counter_at;
        lower_memory(k, out);
    }
    out->leaves_group = k->async;
    if (k->stored) out->wait_written = k->stored->wait_written;
    out->fence = k->reads_stored ? "tcp_fence_async_all();" : "tcp_fence_async();";
    int col;
    out->name = k->name;
    out->c_name = k->device ? k->name : c_name_of_kernel(s, p, k);
    take_functions(&w, out->c_name);
    out->first_case = !k->first_case || k->first_case == k;
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
    if (k->mesh) lower_mesh(&w, k, out);
    struct kir_buffer **local = ARENA_ARRAY(&s->arena, struct kir_buffer *, k->nlocal + 1);
    for (int i = 0; i < k->nlocal; ++i) local[out->nbuffers++] = new_buffer(&w, k->local[i]);
    out->buffer = local;

    // names for parts of indices come first, then the statements
    struct kir_node *body = NULL, *top = NULL;
    w.tail = &body;
    w.top = &top;
    lower_name_lets(&w);
    int nlets = w.nparts;
    lower_list(&w, k->body);
    w.at = k->at;
    if (k->commit_last) lower_commit(&w);
    if (k->wait_last) lower_last_wait(&w);
    *w.top = body;
    out->body = without_unused(top, nlets);
    lower_share(&w, &out->body);
    if (k->counted) lower_fences(s, out->body);
    if (k->counted) lower_announce(s, out);
    out->map = w.map;
    out->nmaps = w.nmaps;
    for (int i = 0; i < out->nparams; ++i)
        out->param[i].in_body = kir_uses_param(out->body, out->param[i].sym);
    if (!k->device) out->blocks = blocks_at_least(p, out);
    // a device function computes its sums from what they are sums of
    for (int i = out->ngiven; out->device && i < out->nparams; ++i)
        for (int j = 0; out->param[i].in_body && j < out->ngiven; ++j)
            out->param[j].in_body |= ix_speaks_of(out->param[i].sum, out->param[j].sym);
    for (int i = 0; i < 3; ++i) {
        if (k->block[i]) out->block[i] = k->block[i];
    }
    if (variant + 1 < k->nvariants) out->narrower = lower_kernel(s, p, k, variant + 1);
    return out;
}

struct kir *lower_begin(struct session *s, const struct plan *p) {
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
    for (const struct kernel *k = p->kernels; k; k = k->next) out->meshes |= k->mesh != NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (k->counted || k->stored) out->header = (k->counted ? k->counted : k->stored)->header;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
            out->maps |= st->kind == STMT_COPY && st->copy->facts.boxes;
    const char **prototype = ARENA_ARRAY(&s->arena, const char *, p->nfunctions + 1);
    for (int i = 0; i < p->nfunctions; ++i)
        prototype[out->nprototypes++] = lower_prototype(s, p->function[i]);
    out->prototype = prototype;
    return out;
}

struct kir_kernel *lower_cases(struct session *s, const struct plan *p, const struct kernel *first,
                               const struct kernel **behind) {
    struct kir_kernel *out = NULL, **tail = &out, *before = NULL;
    // kernels reuse the ids of variables, because no two are used together
    int first_var = s->next_var, end_var = first_var;
    const struct kernel *k = first;
    for (bool more = true; more; k = *behind) {
        s->next_var = first_var;
        *tail = lower_kernel(s, p, k, k->nvariants ? 0 : -1);
        if (before) before->next_case = *tail;
        before = *tail;
        tail = &(*tail)->next;
        if (end_var < s->next_var) end_var = s->next_var;
        *behind = plan_next(p, k);
        more = *behind && k->next_case == *behind;
    }
    s->next_var = end_var;
    kir_decide_widths(s, out);
    if (!first->device && out->first_case) lower_launch(s, p, first, out);
    const struct kernel *last = first;
    while (last->next_case) last = last->next_case;
    if (family_ends(last)) out->numbers = lower_numbers(s, p, last);
    return out;
}

struct kir *lower_plan(struct session *s, const struct plan *p) {
    struct kir *out = lower_begin(s, p);
    struct kir_kernel **tail = &out->kernels;
    int first_var = s->next_var, end_var = first_var;
    for (const struct kernel *k = plan_next(p, NULL); k;) {
        s->next_var = first_var;
        *tail = lower_cases(s, p, k, &k);
        if (end_var < s->next_var) end_var = s->next_var;
        while (*tail) tail = &(*tail)->next;
    }
    s->next_var = end_var;
    return out;
}
