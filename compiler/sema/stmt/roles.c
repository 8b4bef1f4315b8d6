// Roles of a pipeline: "warps (load = 1, use = 4)".  The first warps of the block execute the "use" parts,
// so that a fragment belongs to the same thread in these and around the pipeline.
#include <inttypes.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { WARP = 32, MOST_WARPS = MOST_THREADS / WARP };

// The values of "use" and "load" in the list of pipeline "s", without a message; 0: not known yet.
static void find_warps(struct sema *c, const struct ast_stmt *s, const struct ast_expr *of[2]) {
    const char *name[] = {intern(c->s, "use"), intern(c->s, "load")};
    for (int i = 0; i < s->loop.nwarps; ++i)
        for (int k = 0; k < 2; ++k)
            if (s->loop.warps[i].key.name == name[k] && !of[k]) of[k] = s->loop.warps[i].value;
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
    const struct ast_expr *of[2] = {NULL, NULL};
    int64_t sum = 0;
    int n = s->loop.roles ? s->loop.nparts : 2;
    if (!s->loop.roles) find_warps(c, s, of);
    for (int i = 0; i < n; ++i) {
        int64_t threads = threads_of(c, s->loop.roles ? s->loop.part[i].warps : of[i]);
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

bool roles_make(struct sema *c, const struct ast_stmt *s, struct pipeline *pipe) {
    const struct ast_expr *of[2] = {NULL, NULL};
    int64_t *threads[] = {&pipe->use_threads, &pipe->load_threads};
    bool load = false, use = false;
    if (!roles_may_be(c, s->loop.warps_at)) return false;
    find_warps(c, s, of);
    if (s->loop.nwarps != 2 || !of[0] || !of[1]) {
        diag_error(c->s, s->loop.warps_at,
                   "the roles of a pipeline are 'load' and 'use', and each has a number of warps: "
                   "'warps (load = 1, use = 4)'");
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        if (!roles_warps(c, of[i], threads[i])) return false;
    }
    if (!roles_fill_block(c, s->loop.warps_at, pipe->use_threads + pipe->load_threads))
        return false;
    for (int i = 0; i < s->loop.nparts; ++i) *(s->loop.part[i].load ? &load : &use) = true;
    if (load && use) return true;
    diag_error(c->s, s->loop.warps_at,
               "a pipeline with roles needs a 'load' and a 'use' part; this one has no '%s'",
               load ? "use" : "load");
    return false;
}

// -- what a role may do ---------------------------------------------------------------------------

// Whether view "v" differs from thread to thread.
static bool by_thread(const struct view *v) {
    return view_of_thread(v) || view_of_warp(v);
}

static bool refuse_by_thread(struct sema *c, struct range at) {
    diag_error(c->s, at,
               "not yet supported: 'tid', 'lane' and 'warp' in a pipeline with roles; name a tiled "
               "copy, whose threads are those of the role");
    return false;
}

// Whether a "load" of the pipeline writes "t": its role would have to wait for that before it reads.
static bool loads_write(const struct stmt *pipe, const struct tensor *t) {
    for (const struct stmt *part = pipe->body; part; part = part->next)
        for (const struct stmt *x = part->body; part->load && x; x = stmt_next(part->body, x))
            if ((x->kind == STMT_COPY && x->copy->dst.base == t) ||
                (x->kind == STMT_CALL && x->call->fill && x->call->view[0].base == t))
                return true;
    return false;
}

static bool check_view(struct sema *c, const struct stmt *part, const struct view *v, bool write) {
    const struct tensor *t = v->base;
    if (by_thread(v)) return refuse_by_thread(c, v->at);
    if (!part->load) return true;
    if (t->space == MEM_FRAG) {
        diag_error(c->s, v->at,
                   "not yet supported: fragment '%s' in the 'load' of a pipeline with roles; copy "
                   "from global to shared memory, or leave out 'warps'",
                   t->name);
        return false;
    }
    if (t->space == MEM_SHARED && !write && loads_write(part->up, t)) {
        diag_error(c->s, v->at,
                   "not yet supported: '%s' in shared memory is read in the 'load' of a pipeline "
                   "with roles, which writes it too; read it in 'use', or leave out 'warps'",
                   t->name);
        return false;
    }
    return true;
}

static bool check_role_copy(struct sema *c, const struct stmt *part, const struct copy *y) {
    int64_t threads = stmt_threads(part, c->kernel->threads);
    if (!check_view(c, part, &y->src, false) || !check_view(c, part, &y->dst, true)) return false;
    if (!y->tc) {
        diag_error(c->s, y->at,
                   "a copy in a pipeline with roles names a tiled copy, for the %" PRId64
                   " threads of '%s'",
                   threads, stmt_role(part));
        return false;
    }
    if (y->tc->atom.row->alone && part->role) {
        diag_error(c->s, y->how_at,
                   "not yet supported: '%s' in the roles of a manual kernel; write a pipeline with "
                   "'warps', or take cp_async.cg(16)",
                   y->tc->atom.row->name);
        diag_page(c->s, y->tc->atom.row->page);
        return false;
    }
    if (!part->load && !part->role && y->tc->atom.row->completes == COMPLETES_BY_GROUP) {
        diag_error(c->s, y->how_at,
                   "not yet supported: an asynchronous copy in the 'use' of a pipeline with roles; "
                   "move it to 'load', or take 'universal'");
        return false;
    }
    if (y->tc->threads <= threads) return true;
    diag_error(c->s, y->how_at, "tiled copy '%s' needs %" PRId64 " threads, but '%s' has %" PRId64,
               y->tc->name ? y->tc->name : "tile", y->tc->threads, stmt_role(part), threads);
    return false;
}

static bool check_role_call(struct sema *c, const struct stmt *part, const struct plan_call *y) {
    if (part->load && !y->fill) {
        diag_error(c->s, y->at,
                   "not yet supported: a call in the 'load' of a pipeline with roles; call '%s' in "
                   "'use', or leave out 'warps'",
                   y->fn->name);
        return false;
    }
    for (int i = 0; i < y->fn->nindexes; ++i)
        if (ix_depends(y->index[i], IX_TID) || ix_depends(y->index[i], IX_LANE) ||
            ix_depends(y->index[i], IX_WARP))
            return refuse_by_thread(c, y->at);
    for (int i = 0; i < y->fn->nformals; ++i)
        if (!check_view(c, part, &y->view[i], y->fn->formal[i].dir == ARG_OUT)) return false;
    return true;
}

bool roles_check(struct sema *c, const struct stmt *st) {
    if (c->part) {
        diag_error(c->s, st->at,
                   "a pipeline with roles cannot be inside another pipeline, whose threads "
                   "all execute its parts; give 'warps' to the outer one alone");
        return false;
    }
    return roles_check_parts(c, st);
}

bool roles_check_parts(struct sema *c, const struct stmt *st) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; x; x = stmt_next(part->body, x)) {
            if (x->kind == STMT_PIPELINE) {
                diag_error(c->s, x->at,
                           "not yet supported: a pipeline inside one with roles; write a loop, or "
                           "leave out 'warps'");
                return false;
            }
            if (x->kind == STMT_COPY && !check_role_copy(c, part, x->copy)) return false;
            if (x->kind == STMT_CALL && !check_role_call(c, part, x->call)) return false;
        }
    return true;
}
