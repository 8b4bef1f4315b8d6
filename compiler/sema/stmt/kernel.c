// Kernels: arguments and statements.  grid.c has grids, copy.c copies.

#include "base/kept.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// MOST_ARGUMENTS: a launch passes 4096 bytes (CUDA C++ Programming Guide, __global__ function
// parameters).
enum { MOST_ARGUMENTS = 512, MOST_STATEMENTS = 4096 };

// -- tensors in a kernel --------------------------------------------------------------------------

static struct tensor *own(struct sema *c, const struct tensor *t) {
    struct kernel *k = c->kernel;
    struct tensor *copy = ARENA_NEW(&c->s->arena, struct tensor);
    *copy = *t;
    copy->id = c->nlocals++;  // made to follow the ids of top-level tensors when all are known
    GROW(c, k->local, k->nlocal, c->cap_local);
    k->local[k->nlocal++] = copy;
    return copy;
}

const struct value *kernel_tensor(struct sema *c, struct symbol *sym, struct range at) {
    struct kernel *k = c->kernel;
    struct tensor *t = sym->tensor;
    if (!k || sym->depth > 0) {
        struct view v = view_of_tensor(c->s, t, at);
        return value_view(c, t->stages ? pipeline_slot(c, v, at) : v);
    }
    if (t->space == MEM_GLOBAL || k->device) {
        for (int i = 0; i < k->nformals; ++i)
            if (space_is_shared(t->space) && k->formal[i].tensor->at.begin == t->at.begin &&
                k->formal[i].tensor->at.file == t->at.file)
                return value_view(c, view_of_tensor(c->s, k->formal[i].tensor, at));
        for (int i = 0; i < k->nformals; ++i)
            if (k->formal[i].tensor == t) return value_view(c, view_of_tensor(c->s, t, at));
        diag_error(c->s, at, "'%s' is not among the arguments of '%s'", t->name, k->name);
        diag_note(c->s, k->at, "write '%s' in its list, or 'out %s' to write to it", t->name,
                  t->name);
        return &value_none;
    }
    for (int i = 0; i < k->nlocal; ++i)
        if (k->local[i]->at.begin == t->at.begin && k->local[i]->at.file == t->at.file)
            return value_view(c, view_of_tensor(c->s, k->local[i], at));
    return value_view(c, view_of_tensor(c->s, own(c, t), at));
}

static void declare_buffer(struct sema *c, const struct ast_stmt *s) {
    if (c->kernel->device && s->kind == S_SHARED) {
        diag_error(
            c->s, s->name.at,
            "'%s': a device function has no shared memory of its own; its caller gives it, as "
            "an argument",
            s->name.name);
    }
    struct tensor *t =
        make_tensor(c, s->name, &s->buffer.type, s->kind == S_SHARED ? s->buffer.stages : NULL);
    if (t) t->swizzle_auto = s->kind == S_SHARED && s->buffer.swizzle_at.end;
    if (t && t->swizzle_auto && t->layout.composed && !s->buffer.chosen)
        diag_error(c->s, s->buffer.swizzle_at,
                   "'swizzle auto' would replace the swizzle of '%s'; leave out one of the two",
                   t->name);
    struct symbol *sym = scope_declare(c, s->name, SYM_TENSOR, &value_none);
    if (sym && t) sym->tensor = own(c, t);
}

struct ix_var *make_var(struct sema *c, enum ix_var_kind kind, const char *name, const char *c_name,
                        struct lay_int lo, struct lay_int end) {
    struct ix_var *v = ARENA_NEW(&c->s->arena, struct ix_var);
    *v = (struct ix_var){kind, intern(c->s, name), c_name, c->s->next_var++, lo, end};
    return v;
}

// -- the head -------------------------------------------------------------------------------------

static enum dir dir_of(enum ast_dir d) {
    return d == DIR_OUT ? ARG_OUT : d == DIR_INOUT ? ARG_INOUT : ARG_IN;
}

bool index_promises_nothing(struct sema *c, const struct ast_formal *f) {
    if (!f->param->mod && !f->param->lo && !f->param->where) return true;
    sema_not_yet(c, f->at,
                 "a promise about an index of a device function; a multiple of 8 is '8*n' in it");
    return false;
}

// Declares "n : index" of a kernel: a param that only this kernel has.
static void kernel_index(struct sema *c, const struct ast_formal *f) {
    struct kernel *k = c->kernel;
    const struct symbol *outer = scope_find(c, f->name.name);
    if (outer && outer->kind == SYM_PARAM && outer->depth == 0) {
        diag_error(c->s, f->name.at,
                   "'%s' is a param already; leave it out of the list, or rename the argument",
                   f->name.name);
        diag_note(c->s, outer->at, "it is declared here");
        diag_note(c->s, f->name.at, "the launcher takes the params that its kernel depends on");
    } else if (k->first_case) {
        sema_not_yet(c, f->at, "an index as an argument of a kernel with cases; use a param");
    } else {
        declare_params(c, f->param, f->at, 0);
    }
}

// Declares "n : index" of a device function.
static void formal_index(struct sema *c, const struct ast_formal *f, int place) {
    struct kernel *k = c->kernel;
    if (!index_promises_nothing(c, f)) return;
    struct ix_var *v =
        make_var(c, IX_FORMAL, f->name.name, f->name.name, lay_int(0), LAY_INT_INVALID);
    scope_declare(c, f->name, SYM_INDEX, value_int(c, ix_var(c->s, v)));
    k->index[k->nindexes++] = (struct index_formal){f->name.name, v, place, f->at};
}

struct symbol *formal_symbol(struct sema *c, const struct ast_formal *f) {
    struct symbol *sym = scope_find(c, f->name.name);
    if (sym) scope_use(c, sym, f->name.at);
    if (!sym) {
        c->sought.formal = f->name.at;
        scope_unknown(c, f->name.name, f->name.at);
        c->sought.formal = (struct range){0};
        return NULL;
    }
    if (sym->kind == SYM_TENSOR) return sym;
    diag_error(c->s, f->name.at, "'%s' is %s; a kernel's arguments are tensors", f->name.name,
               symbol_kind_text(sym->kind));
    diag_note(c->s, sym->at, "it is declared here");
    if (sym->kind == SYM_PARAM)
        diag_note(c->s, f->name.at, "the launcher takes the params that its kernel depends on");
    return NULL;
}

static struct tensor *formal_tensor(struct sema *c, const struct ast_formal *f) {
    bool device = c->kernel->device;
    if (f->kind == FORMAL_TENSOR) {
        if (f->type.space != MEM_GLOBAL && !device) {
            diag_error(c->s, f->type.at, "'%s' is %s memory; a kernel's arguments are global",
                       f->name.name, space_name(f->type.space));
            return NULL;
        }
        if (!spread_nowhere(c, &f->type)) return NULL;
        struct tensor *t = make_tensor(c, f->name, &f->type, NULL);
        struct symbol *sym = scope_declare(c, f->name, SYM_TENSOR, &value_none);
        if (!t || !sym) return NULL;
        t->id = c->nlocals++;
        t->outside = t->space != MEM_GLOBAL;
        sym->tensor = t;
        return t;
    }
    struct symbol *sym = formal_symbol(c, f);
    if (!sym || !sym->tensor) return NULL;
    if (sym->tensor->spread) {
        sema_not_yet(
            c, f->name.at,
            sema_text(c,
                      "'%s', a tensor over devices, in a kernel that is not one copy; tcpc plans "
                      "'kernel k(A, out B) { copy A -> B; }'",
                      sym->name));
        return NULL;
    }
    if (space_is_shared(sym->tensor->space) && device) {
        struct tensor *t = ARENA_NEW(&c->s->arena, struct tensor);
        *t = *sym->tensor;
        t->id = c->nlocals++;
        t->outside = true;
        return t;
    }
    if (sym->tensor->space != MEM_GLOBAL) {
        diag_error(c->s, f->name.at, "'%s' is %s memory; a kernel's arguments are global",
                   f->name.name, space_name(sym->tensor->space));
        diag_note(c->s, sym->at, "it is declared here");
        if (space_is_shared(sym->tensor->space) && lay_valid(sym->tensor->layout))
            diag_note(
                c->s, f->name.at,
                "a kernel declares its shared memory between its braces: 'shared %s : %s %s;'",
                f->name.name, sym->tensor->elem->name, lay_text(c->lay, sym->tensor->layout));
        return NULL;
    }
    return sym->tensor;
}

void check_readonly(struct sema *c, const struct ast_formal *f, bool device,
                    const struct tensor *t) {
    if (!device) {
        diag_error(
            c->s, f->readonly_at,
            "'readonly' is for device functions; while a kernel runs, no other code may write its "
            "inputs anyway");
    } else if (f->dir != DIR_NONE) {
        diag_error(c->s, f->readonly_at, "'%s' is written, and is not 'readonly'", f->name.name);
    } else if (t->space != MEM_GLOBAL) {
        diag_error(c->s, f->readonly_at,
                   "'%s' is %s; 'readonly' is for global memory, which is then read by "
                   "loads that may miss concurrent writes",
                   f->name.name, space_place(t->space));
    }
}

static void make_formals(struct sema *c, const struct ast_fn *fn) {
    struct kernel *k = c->kernel;
    k->formal = ARENA_ARRAY(&c->s->arena, struct formal, fn->nformals + 1);
    k->index = ARENA_ARRAY(&c->s->arena, struct index_formal, fn->nformals + 1);
    c->first_own = c->plan->nparams;
    // the tensors of a kernel's list may depend on its indexes
    for (int i = 0; i < fn->nformals && !k->device; ++i)
        if (fn->formal[i].kind == FORMAL_INDEX) {
            c->list = fn;
            kernel_index(c, &fn->formal[i]);
            c->list = NULL;
        }
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        if (f->kind == FORMAL_INDEX) {
            if (k->device) formal_index(c, f, i);
            continue;
        }
        struct tensor *t = formal_tensor(c, f);
        if (!t) c->lacks_formal = k->name;
        if (!t) continue;
        if (f->readonly) check_readonly(c, f, k->device, t);
        for (int j = 0; j < k->nformals; ++j)
            if (k->formal[j].tensor == t) {
                diag_error(c->s, f->at, "'%s' is an argument twice", f->name.name);
                diag_note(c->s, k->formal[j].at, "it is one here");
            }
        const struct tensor *declared = c->text && i < 2 ? c->text->declared[i] : NULL;
        if (declared) t->shorter = c->text->shorter[i];
        k->formal[k->nformals++] =
            (struct formal){t, dir_of(f->dir), i, f->at, f->readonly, declared};
    }
}

// -- variables ------------------------------------------------------------------------------------

static const struct ix_var *make_coordinate(struct sema *c, enum ix_var_kind kind, const char *name,
                                            int64_t end) {
    const struct ix_var *v = make_var(c, kind, name, name, lay_int(0), lay_int(end));
    struct ast_ident id = {v->name, c->kernel->at};
    scope_declare(c, id, SYM_BUILTIN, value_int(c, ix_var(c->s, v)));
    return v;
}

static void make_vars(struct sema *c) {
    static const char name[3][8] = {"block.x", "block.y", "block.z"};
    static const char c_name[3][8] = {"block_x", "block_y", "block_z"};
    struct kernel *k = c->kernel;
    k->tid = make_coordinate(c, IX_TID, "tid", k->threads);
    k->lane = make_coordinate(c, IX_LANE, "lane", k->threads < 32 ? k->threads : 32);
    k->warp = make_coordinate(c, IX_WARP, "warp", (k->threads + 31) / 32);
    scope_declare(c, (struct ast_ident){intern(c->s, "block"), k->at}, SYM_BUILTIN, NULL);
    for (int i = 0; i < 3 && !k->device; ++i)
        k->block[i] = make_var(c, (enum ix_var_kind)(IX_BLOCK_X + i), name[i], c_name[i],
                               lay_int(0), k->grid[i]);
}

// -- statements -----------------------------------------------------------------------------------

// Whether another loop may be nested at this place; reports an error otherwise.
static bool loop_fits(struct sema *c, const struct ast_stmt *s) {
    int levels = s->kind == S_PIPELINE ? 2 : 1;
    if (c->loops + levels <= MOST_LOOPS) return true;
    diag_error(c->s, s->at, "loops nested %d deep; the limit is %d%s", c->loops + levels,
               MOST_LOOPS,
               levels > 1 ? "; a pipeline counts twice, since its parts count too" : "");
    return false;
}

bool loop_bounds(struct sema *c, const struct ast_stmt *s, struct stmt *loop) {
    loop->begin = eval_ix(c, s->loop.lo, "the start of a loop");
    loop->end = eval_ix(c, s->loop.hi, "the end of a loop");
    loop->end_at = s->loop.hi->at;
    loop->rounded = loop->end ? rounded_find(c, s->loop.hi) : NULL;
    if (!loop->begin || !loop->end) return loop_fits(c, s);
    for (int i = 0; i < 2; ++i) {
        const struct ix *e = i ? loop->end : loop->begin;
        if (ix_depends_if(e, ix_is_thread)) {
            sema_not_yet(
                c, i ? s->loop.hi->at : s->loop.lo->at,
                "a loop whose bounds differ from thread to thread; take bounds that are the "
                "same for all threads of a block");
            return false;
        }
    }
    int64_t from, to;
    if (ix_static(loop->begin, &from) && ix_static(loop->end, &to) && to < from) {
        diag_error(c->s, range_join(s->loop.lo->at, s->loop.hi->at),
                   "the range '%lld .. %lld' of '%s' ends before it begins", (long long)from,
                   (long long)to, s->name.name);
        return false;
    }
    if (!loop_fits(c, s)) return false;
    loop->var = loop_var(c, s->name.name, loop);
    return true;
}

struct ix_var *loop_var(struct sema *c, const char *name, const struct stmt *loop) {
    struct lay_int from, end;
    const struct ix *lo = loop->begin, *hi = loop->end;
    if (!ix_monomial(lo, &from))
        from = lay_int(lo->lo < 0 && ix_provably_nonnegative(c->s, lo) ? 0 : lo->lo);
    if (!ix_monomial(ix_max(c->s, hi), &end))
        end = hi->hi < INT64_MAX ? lay_int(hi->hi) : LAY_INT_INVALID;
    return make_var(c, IX_LOOP, name, name, from, end);
}

static struct stmt *check_for(struct sema *c, const struct ast_stmt *s) {
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    *r = (struct stmt){.kind = STMT_FOR, .at = s->at};
    if (!loop_bounds(c, s, r)) return NULL;
    const struct value *v = r->var ? value_int(c, ix_var(c->s, r->var)) : &value_none;
    scope_enter(c);
    scope_declare(c, s->name, SYM_LOOP, v);
    c->loops++;
    scope_enter(c);
    r->body = check_block(c, s->loop.body, r);
    scope_leave(c);
    c->loops--;
    scope_leave(c);
    return r->var ? r : NULL;
}

static struct stmt *check_stmt(struct sema *c, const struct ast_stmt *s) {
    struct stmt *made = NULL;
    switch (s->kind) {
    case S_SHARED:
    case S_FRAG: declare_buffer(c, s); break;
    case S_COPY: check_copy(c, s, &made); break;
    case S_FOR: return check_for(c, s);
    case S_LET: check_let(c, s); break;
    case S_EXPECT: check_expect(c, &s->expect, s->at); break;
    case S_BARRIER: declare_barrier(c, s); break;
    case S_PIPELINE:
        if (s->loop.roles) return check_manual_roles(c, s);
        if (!c->kernel->manual) return check_pipeline(c, s);
        diag_error(c->s, s->at,
                   "a pipeline places its own groups and waits; in a manual function, write the "
                   "loop yourself");
        break;
    case S_CALL: check_call(c, s, &made); break;
    case S_FILL: check_fill(c, s, &made); break;
    case S_ARRIVE:
    case S_AWAIT:
    case S_BYTES:
    case S_SYNC:
        if (s->named.of) return check_named(c, s);
        return all_may_meet(c, s) ? check_order(c, s) : NULL;
    case S_FENCE:
    case S_COMMIT:
    case S_WAIT: return check_order(c, s);
    }
    return made;
}

struct stmt *check_block(struct sema *c, const struct ast_block *b, struct stmt *up) {
    struct stmt *first = NULL, **end = &first;
    for (int i = 0; i < b->nstmts && !diag_full(c->s); ++i) {
        *end = check_stmt(c, b->stmt[i]);
        order_fences(c, b, i, *end);
        for (; *end; end = &(*end)->next) (*end)->up = up;
    }
    return first;
}

// -- kernels --------------------------------------------------------------------------------------

// The first statement in "b" beyond the limit of "left" statements; NULL: none.
static const struct ast_stmt *one_too_many(const struct ast_block *b, int depth, int *left) {
    const struct ast_stmt *found = NULL;
    for (int i = 0; i < b->nstmts && !found; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        if ((*left)-- == 0) return s;
        if (depth > MOST_LOOPS) continue;  // reported elsewhere
        if (s->kind == S_FOR) found = one_too_many(s->loop.body, depth + 1, left);
        for (int k = 0; s->kind == S_PIPELINE && k < s->loop.nparts && !found; ++k)
            found = one_too_many(s->loop.part[k].body, depth + 1, left);
    }
    return found;
}

bool statements_fit(struct sema *c, const struct ast_block *b, struct range at) {
    int left = MOST_STATEMENTS - 1 - c->inlined;
    if (left < 0 || one_too_many(b, 0, &left)) {
        diag_error(c->s, at, "'%s' has more than %d statements of called functions; split it",
                   c->kernel->name, MOST_STATEMENTS);
        return false;
    }
    c->inlined = MOST_STATEMENTS - left;
    return true;
}

// Whether "fn" does not exceed the limit of statements; reports an error otherwise.
static bool few_statements(struct sema *c, const struct ast_fn *fn) {
    int left = MOST_STATEMENTS;
    const struct ast_stmt *s = one_too_many(fn->body, 0, &left);
    if (s)
        diag_error(c->s, s->at, "'%s' has more than %d statements; split it", c->kernel->name,
                   MOST_STATEMENTS);
    return !s;
}

void check_kernel(struct sema *c, const struct ast_fn *fn, struct kernel *k) {
    c->kernel = k;
    k->count = c->s->count = ARENA_NEW(&c->s->arena, struct kept_count);
    c->cap_local = 0;
    c->boxed = boxed_any(c, fn->body);
    c->memo = NULL;
    c->inlined = 0;
    k->first_var = c->s->next_var;
    scope_enter(c);
    make_formals(c, fn);
    kernel_when(c, fn);
    kernel_make_grid(c, fn->grid);
    int errors = c->s->diags.nerrors;
    bool few = few_statements(c, fn), told = few && kernel_make_threads(c, fn);
    if (!few) k->threads = 1;
    // coordinates have a scope of their own, because names in the body may hide them
    scope_enter(c);
    make_vars(c);
    scope_enter(c);
    if (few) k->body = check_block(c, fn->body, NULL);
    if (!told && c->s->diags.nerrors == errors) kernel_no_threads(c);
    scope_leave(c);
    scope_leave(c);
    scope_leave(c);
    k->end_var = c->s->next_var;
    collect_params(c, k);
    if (k->nformals + k->nindexes + k->nparams > MOST_ARGUMENTS)
        diag_error(c->s, k->at,
                   "kernel '%s' takes %d arguments, tensors and params; the limit is %d, since a "
                   "launch passes 4096 bytes",
                   k->name, k->nformals + k->nindexes + k->nparams, MOST_ARGUMENTS);
    drop_untouched(c, k);
    kernel_cases_join(c, k);
    c->kernel = NULL;
    c->memo = NULL;
    struct kernel ***end = k->device ? &c->device_end : &c->kernel_end;
    **end = k;
    *end = &k->next;
}
