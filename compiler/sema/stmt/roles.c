// Roles of a pipeline: "warps (load = 1, use = 4)".  The first warps of the block execute the "use" parts,
// so that a fragment belongs to the same thread in these and around the pipeline.
#include <inttypes.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { WARP = 32, MOST_WARPS = MOST_THREADS / WARP };

// The values of "load" and of each "use" in the list of pipeline "s", in its order.
struct sides {
    const struct ast_expr *load, *use[MOST_CONSUMERS];
    int nloads, nuses, others;
};

static struct sides find_sides(struct sema *c, const struct ast_stmt *s) {
    const char *load = intern(c->s, "load"), *use = intern(c->s, "use");
    struct sides x = {0};
    for (int i = 0; i < s->loop.nwarps; ++i) {
        const struct ast_arg *a = &s->loop.warps[i];
        if (a->key.name == load) {
            x.load = a->value;
            ++x.nloads;
        } else if (a->key.name == use) {
            if (x.nuses < MOST_CONSUMERS) x.use[x.nuses] = a->value;
            ++x.nuses;
        } else {
            ++x.others;
        }
    }
    return x;
}

// The threads of "e" warps, without a message; 0: not known yet.
static int64_t threads_of(struct sema *c, const struct ast_expr *e) {
    struct symbol *sym = e && e->kind == E_NAME ? scope_find(c, e->name) : NULL;
    int64_t n = 0;
    if (!e || (e->kind == E_NAME && (!sym || sym->kind != SYM_CONST))) return 0;
    const struct value *v = value_unwrap(eval(c, e));
    if (v->kind != VAL_INT || !ix_static(v->ix, &n)) return 0;
    return n < 1 || n > MOST_WARPS ? 0 : WARP * n;
}

int64_t roles_threads(struct sema *c, const struct ast_stmt *s) {
    struct sides x = {0};
    int64_t sum = 0;
    if (!s->loop.roles) x = find_sides(c, s);
    if (x.nuses > MOST_CONSUMERS) return 0;
    int n = s->loop.roles ? s->loop.nparts : x.nuses + 1;
    for (int i = 0; i < n; ++i) {
        int64_t threads = threads_of(c, s->loop.roles ? s->loop.part[i].warps
                                        : i < x.nuses ? x.use[i]
                                                      : x.load);
        if (threads == 0) return 0;
        sum += threads;
    }
    return sum;
}

bool roles_may_be(struct sema *c, struct range at) {
    if (!c->kernel->device) return true;
    diag_error(c->s, at,
               "a device function has no roles, since its caller decides which threads call it; "
               "write the pipeline in the kernel");
    return false;
}

bool roles_warps(struct sema *c, const struct ast_expr *e, int64_t *threads) {
    int64_t n;
    if (!eval_int64(c, e, "the number of warps", &n)) return false;
    *threads = WARP * n;
    if (n >= 1 && n <= MOST_WARPS) return true;
    diag_error(c->s, e->at, "%" PRId64 " warps; a role has 1 .. %d", n, MOST_WARPS - 1);
    return false;
}

bool roles_fill_block(struct sema *c, struct range at, int64_t threads) {
    struct kernel *k = c->kernel;
    if (threads > MOST_THREADS) {
        diag_error(c->s, at, "%" PRId64 " warps; the roles of a block have at most %d together",
                   threads / WARP, MOST_WARPS);
        return false;
    }
    if (threads == k->threads) return true;
    diag_error(c->s, at,
               "the roles of this pipeline have %" PRId64 " threads, and kernel '%s' has %" PRId64
               "; each of its threads has one role",
               threads, k->name, k->threads);
    if (k->threads_at.begin < k->threads_at.end)
        diag_note(c->s, k->threads_at, "without 'threads', a kernel has those of its roles");
    return false;
}

// Sets the consumers, and which of them has which "use" part.
static bool make_uses(struct sema *c, const struct ast_stmt *s, const struct sides *x,
                      struct pipeline *pipe) {
    int parts = 0;
    pipe->nuses = x->nuses;
    for (int i = 0; i < s->loop.nparts; ++i) parts += !s->loop.part[i].load;
    for (int i = 0; i < x->nuses; ++i) {
        struct roles_part *u = &pipe->use[i];
        u->name = x->nuses == 1 ? "use" : arena_printf(&c->s->arena, "use %d", i + 1);
        u->first = pipe->use_threads;
        u->at = x->use[i]->at;
        if (!roles_warps(c, x->use[i], &u->threads)) return false;
        pipe->use_threads += u->threads;
    }
    if (x->nuses == 1 || parts == x->nuses) return true;
    diag_error(c->s, s->loop.warps_at,
               "%d consumers and %d 'use' part%s; each 'use' of 'warps' has one 'use' part, in the "
               "same order",
               x->nuses, parts, parts == 1 ? "" : "s");
    return false;
}

bool roles_make(struct sema *c, const struct ast_stmt *s, struct pipeline *pipe) {
    bool load = false, use = false;
    if (!roles_may_be(c, s->loop.warps_at)) return false;
    if (c->part) {
        diag_error(c->s, s->at,
                   "a pipeline with roles cannot be inside another pipeline, whose threads "
                   "all execute its parts; give 'warps' to the outer one alone");
        return false;
    }
    struct sides x = find_sides(c, s);
    if (x.nloads != 1 || x.nuses < 1 || x.others) {
        diag_error(c->s, s->loop.warps_at,
                   "the roles of a pipeline are 'load' and 'use', and each has a number of warps: "
                   "'warps (load = 1, use = 4)'; there may be several 'use', and 'roles' of a "
                   "manual kernel have the names that you give them");
        return false;
    }
    if (x.nuses > MOST_CONSUMERS) {
        diag_error(c->s, s->loop.warps_at, "%d consumers; a pipeline has at most %d", x.nuses,
                   MOST_CONSUMERS);
        return false;
    }
    for (int i = 0; i < s->loop.nparts; ++i) *(s->loop.part[i].load ? &load : &use) = true;
    if (!load || !use) {
        diag_error(c->s, s->loop.warps_at,
                   "a pipeline with roles needs a 'load' and a 'use' part; this one has no '%s'",
                   load ? "use" : "load");
        return false;
    }
    return make_uses(c, s, &x, pipe) && roles_warps(c, x.load, &pipe->load_threads) &&
           roles_fill_block(c, s->loop.warps_at, pipe->use_threads + pipe->load_threads);
}

// -- what a role may do ---------------------------------------------------------------------------

static bool is_async(const struct copy *y) {
    const struct atom *a = copy_atom(y);
    return a && a->row->completes == COMPLETES_BY_GROUP;
}

// Whether an asynchronous copy in a "load" of the pipeline writes "t": its role waits for that only
// before it says that the slot is there.
static bool loads_later(const struct stmt *pipe, const struct tensor *t) {
    for (const struct stmt *part = pipe->body; part; part = part->next)
        for (const struct stmt *x = part->body; part->load && x; x = stmt_next(part->body, x))
            if (x->kind == STMT_COPY && x->copy->dst.base == t && is_async(x->copy)) return true;
    return false;
}

static bool check_view(struct sema *c, const struct stmt *part, const struct view *v, bool write) {
    const struct tensor *t = v->base;
    if (part->load && space_is_shared(t->space) && !write && loads_later(part->up, t)) {
        diag_error(c->s, v->at,
                   "not yet supported: '%s' in shared memory is read in the 'load' of a pipeline "
                   "with roles, which fills it by an asynchronous copy; read it in 'use', or take "
                   "'universal'",
                   t->name);
        return false;
    }
    return true;
}

static bool check_role_copy(struct sema *c, const struct stmt *part, const struct stmt *x) {
    struct copy *y = x->copy;
    y->team = stmt_threads(part, c->kernel->threads);
    if (!check_view(c, part, &y->src, false) || !check_view(c, part, &y->dst, true)) return false;
    if (!copy_atom(y)) return true;  // between fragments
    const bool stores = copy_atom(y)->row->reads_late;
    if (copy_atom(y)->row->alone && part->up->pipe->nroles && !stores) {
        if (stmt_counted(x)) return true;
        diag_error(c->s, y->how_at,
                   "nobody knows when this copy is there: after it in '%s', 'expect NAME of %s, "
                   "BYTES;' is missing, for a barrier that other roles wait for",
                   part->role->name, part->up->var->name);
        diag_page(c->s, "barrier");
        return false;
    }
    if (copy_atom(y)->row->alone && !part->load && !stores) {
        diag_error(c->s, y->how_at,
                   "not yet supported: '%s' in the 'use' of a pipeline with roles; move it to "
                   "'load', or take cp_async.cg(16)",
                   copy_atom(y)->row->name);
        diag_page(c->s, copy_atom(y)->row->page);
        return false;
    }
    if (!part->load && is_async(y) && pipeline_fills(part->up->pipe, y->dst.base)) {
        diag_error(c->s, y->how_at,
                   "an asynchronous copy fills a slot of '%s' here, which is handed back before it "
                   "has completed; take 'universal', or another buffer",
                   y->dst.base->name);
        return false;
    }
    if (!y->tc || y->tc->threads <= y->team) return true;
    diag_error(c->s, y->how_at, "tiled copy '%s' needs %" PRId64 " threads, but '%s' has %" PRId64,
               y->tc->name ? y->tc->name : "tile", y->tc->threads, stmt_role(part), y->team);
    return false;
}

static bool check_role_call(struct sema *c, const struct stmt *part, const struct plan_call *y) {
    for (int i = 0; i < y->fn->nformals; ++i)
        if (!check_view(c, part, &y->view[i], y->fn->formal[i].dir == ARG_OUT)) return false;
    return true;
}

bool roles_check(struct sema *c, const struct stmt *st) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; x; x = stmt_next(part->body, x)) {
            if (x->kind == STMT_COPY && !check_role_copy(c, part, x)) return false;
            if (x->kind == STMT_CALL && !check_role_call(c, part, x->call)) return false;
        }
    return true;
}
