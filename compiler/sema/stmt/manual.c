// Roles of manual kernels, and the named barriers at which they wait for each other:
//
//     barrier full stages 2;
//     roles n in 0 .. N { load (1) { .. arrive full of n; } use (4) { sync full of n; .. } }
//
// All roles execute the same steps.  So a step is the same for all, and is named, never a parity.
#include <inttypes.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { NAMED = 16, MOST_ROLES = 8, MOST_AHEAD = 64 };

// -- barriers -------------------------------------------------------------------------------------

void declare_barrier(struct sema *c, const struct ast_stmt *s) {
    struct barrier *b = ARENA_NEW(&c->s->arena, struct barrier);
    int64_t n = 1;
    if (!c->kernel->manual || c->kernel->device)
        diag_error(c->s, s->at,
                   "'barrier' is for roles in manual kernels; elsewhere the compiler places the "
                   "barriers");
    if (s->stages && !eval_int64(c, s->stages, "the number of stages", &n)) n = 1;
    if (n < 1 || n >= NAMED) {
        diag_error(c->s, s->stages->at, "%" PRId64 " stages; a barrier has 1 .. %d", n, NAMED - 1);
        n = 1;
    }
    *b = (struct barrier){.name = s->name.name, .stages = (int)n, .at = s->name.at};
    struct symbol *sym = scope_declare(c, s->name, SYM_BARRIER, &value_none);
    if (sym) sym->barrier = b;
}

// The place of "s" in a role, or NULL: it is in none.
static const struct manual_role *role_of(struct sema *c, const struct ast_stmt *s) {
    if (!c->role)
        diag_error(c->s, s->at,
                   "'%s' of a named barrier is for a role, which other ones wait for or let go on; "
                   "all threads of the block meet at 'sync;'",
                   s->kind == S_SYNC ? "sync" : "arrive");
    return c->role;
}

bool all_may_meet(struct sema *c, const struct ast_stmt *s) {
    if (!c->role) return true;
    diag_error(c->s, s->at,
               "'sync;' is for all threads of the block, and only those of '%s' come here; with a "
               "barrier that no other role names, 'sync NAME of %s;' is for these alone",
               c->role->name, c->role->step->name);
    return false;
}

struct stmt *check_named(struct sema *c, const struct ast_stmt *s) {
    const struct manual_role *role = role_of(c, s);
    const struct ix *of = eval_ix(c, s->of, "the step of a barrier");
    if (!role || !of) return NULL;
    struct symbol *sym = scope_find(c, s->name.name);
    if (!sym) {
        scope_unknown(c, s->name.name, s->name.at);
        return NULL;
    }
    scope_use(c, sym, s->name.at);
    if (sym->kind != SYM_BARRIER) {
        diag_error(c->s, s->name.at, "'%s' is %s, not a barrier", s->name.name,
                   symbol_kind_text(sym->kind));
        diag_note(c->s, sym->at, "it is declared here");
        return NULL;
    }
    if (c->loops > role->loops) {
        diag_error(c->s, s->at,
                   "'%s' is in a loop inside of '%s'; a barrier is passed once in each step of the "
                   "roles",
                   s->kind == S_SYNC ? "sync" : "arrive", role->name);
        return NULL;
    }
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    *r = (struct stmt){.kind = s->kind == S_SYNC ? STMT_WAIT : STMT_ARRIVE,
                       .arrival = arrival_named(0, 0),
                       .barrier = sym->barrier,
                       .at = s->at};
    const struct ix *rest = ix_sub(c->s, of, ix_var(c->s, role->step));
    if (!rest || !ix_static(rest, &r->of) || r->of > MOST_AHEAD || r->of < -MOST_AHEAD) {
        diag_error(c->s, s->of->at,
                   "the step of a barrier is '%s', or '%s' plus or minus a number of 1 .. %d",
                   role->step->name, role->step->name, MOST_AHEAD);
        return NULL;
    }
    return r;
}

// -- what roles name ------------------------------------------------------------------------------

static const char *word(const struct stmt *x) {
    return x->kind == STMT_WAIT ? "sync" : "arrive";
}

// The statement of "st" after "x" that names barrier "b", and the part in which it is.
static struct stmt *next_named(const struct stmt *st, struct stmt *x, const struct barrier *b) {
    for (x = x ? stmt_next(st->body, x) : st->body; x; x = stmt_next(st->body, x))
        if (x->barrier && (!b || x->barrier == b)) return x;
    return NULL;
}

// Whether the statements "a" and "b" of one barrier may be together; reports an error otherwise.
static bool go_together(struct sema *c, const struct stmt *a, const struct stmt *b) {
    const char *name = a->barrier->name;
    if (a->up == b->up) {
        diag_error(c->s, b->at,
                   "'%s' names '%s' twice, and its threads come to a barrier once in each step; "
                   "declare another one",
                   a->up->role->name, name);
    } else if (a->kind == b->kind && a->of != b->of) {
        diag_error(c->s, b->at,
                   "'%s' and '%s' %s '%s' of different steps; all that %s a barrier name the same",
                   a->up->role->name, b->up->role->name, word(a), name, word(a));
    } else {
        return true;
    }
    diag_note(c->s, a->at, "the other one is here");
    return false;
}

static bool settle_barrier(struct sema *c, const struct stmt *st, struct stmt *first) {
    struct barrier *b = first->barrier;
    const struct stmt *wait = NULL, *arrive = NULL;
    b->roles = st;
    for (struct stmt *x = first; x; x = next_named(st, x, b)) {
        for (struct stmt *y = first; y != x; y = next_named(st, y, b))
            if (!go_together(c, y, x)) return false;
        b->threads += x->up->role->threads;
        if (x->kind == STMT_WAIT)
            wait = x;
        else
            arrive = x;
    }
    if (!wait) {
        diag_error(c->s, first->at,
                   "nobody waits at '%s': no role has a 'sync %s of' for this 'arrive'", b->name,
                   b->name);
        return false;
    }
    b->skip = arrive ? arrive->of - wait->of : 0;
    if (b->skip < 0) {
        diag_error(c->s, wait->at,
                   "this waits for a step of '%s' that '%s' comes to only %" PRId64
                   " step%s later, which is after the end for the last one; let it arrive for the "
                   "step in which it is",
                   b->name, arrive->up->role->name, -b->skip, b->skip == -1 ? "" : "s");
        diag_note(c->s, arrive->at, "it arrives here");
        return false;
    }
    b->first = 1 + c->kernel->named;
    c->kernel->named += b->stages;
    for (struct stmt *x = first; x; x = next_named(st, x, b))
        x->arrival = arrival_named(b->first, (int)b->threads);
    if (b->first + b->stages <= NAMED) return true;
    diag_error(c->s, b->at,
               "the barriers of '%s' have %d stages together, and a block has %d named barriers "
               "beside the one of all its threads; take fewer stages",
               c->kernel->name, c->kernel->named, NAMED - 1);
    return false;
}

static bool settle_barriers(struct sema *c, struct stmt *st) {
    for (struct stmt *x = next_named(st, NULL, NULL); x; x = next_named(st, x, NULL)) {
        struct barrier *b = x->barrier;
        if (b->roles && b->roles != st) {
            diag_error(c->s, x->at,
                       "'%s' is named by other 'roles' too, which some threads may not have left "
                       "yet; declare another barrier",
                       b->name);
            diag_note(c->s, b->roles->at, "these are here");
            return false;
        }
        if (!b->roles && !settle_barrier(c, st, x)) return false;
        int64_t n = b->stages > b->skip ? b->stages : b->skip;
        if (n > st->pipe->depth) st->pipe->depth = n;
    }
    return true;
}

// -- what a role may do ---------------------------------------------------------------------------

// Whether each asynchronous copy of role "part" is waited for in its step.
static bool waits_in_step(struct sema *c, const struct stmt *part) {
    for (const struct stmt *x = part->body; x; x = stmt_next(part->body, x)) {
        const struct atom *a = x->kind == STMT_COPY ? copy_atom(x->copy) : NULL;
        if (!a || a->row->completes != COMPLETES_BY_GROUP || stmt_completed(x)) continue;
        sema_not_yet(c, x->at,
                     "an asynchronous copy of a role in 'roles' that is still in flight after its "
                     "step; end it there by 'commit;' and 'wait 0;': more slots let the loads run "
                     "ahead");
        return false;
    }
    return true;
}

// -- the statement --------------------------------------------------------------------------------

static bool make_roles(struct sema *c, const struct ast_stmt *s, struct pipeline *pipe) {
    struct roles_part *role = ARENA_ARRAY(&c->s->arena, struct roles_part, s->loop.nparts + 1);
    int64_t threads = 0;
    pipe->role = role;
    if (s->loop.nparts < 2 || s->loop.nparts > MOST_ROLES) {
        diag_error(c->s, s->at, "%d role%s; 'roles' has 2 .. %d", s->loop.nparts,
                   s->loop.nparts == 1 ? "" : "s", MOST_ROLES);
        return false;
    }
    for (int i = 0; i < s->loop.nparts; ++i) {
        const struct ast_part *part = &s->loop.part[i];
        role[i] = (struct roles_part){part->role.name, threads, 0, part->role.at};
        if (!part->warps || !roles_warps(c, part->warps, &role[i].threads)) return false;
        threads += role[i].threads;
        for (int j = 0; j < i; ++j) {
            if (role[j].name != role[i].name) continue;
            diag_error(c->s, part->role.at, "role '%s' is there twice", role[i].name);
            diag_note(c->s, role[j].at, "the other one is here");
            return false;
        }
    }
    pipe->nroles = s->loop.nparts;
    return roles_fill_block(c, s->at, threads);
}

static struct stmt *check_role(struct sema *c, const struct ast_stmt *s, struct stmt *up, int i) {
    const struct roles_part *role = &up->pipe->role[i];
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    struct manual_role here = {role->name, up->var, c->loops};
    *r = (struct stmt){.kind = STMT_PART, .role = role, .up = up, .at = s->loop.part[i].at};
    scope_enter(c);
    scope_declare(c, s->name, SYM_LOOP, value_int(c, ix_var(c->s, up->var)));
    scope_enter(c);
    c->role = &here;
    r->body = check_block(c, s->loop.part[i].body, r);
    c->role = NULL;
    scope_leave(c);
    scope_leave(c);
    return r;
}

struct stmt *check_manual_roles(struct sema *c, const struct ast_stmt *s) {
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    struct pipeline *pipe = ARENA_NEW(&c->s->arena, struct pipeline);
    int errors = c->s->diags.nerrors;
    *r = (struct stmt){.kind = STMT_PIPELINE, .pipe = pipe, .at = s->at};
    *pipe = (struct pipeline){.stages = 1};
    if (!roles_may_be(c, s->at)) return NULL;
    if (!c->kernel->manual) {
        diag_error(c->s, s->at,
                   "'roles' is for manual kernels; in others, 'pipeline %s in .. warps (load = 1, "
                   "use = 4)' has roles whose order the compiler finds",
                   s->name.name);
        return NULL;
    }
    if (c->role) {
        sema_not_yet(c, s->at, "'roles' in another role; write one loop over all steps");
        return NULL;
    }
    if (!loop_bounds(c, s, r) || !make_roles(c, s, pipe) || !r->var) return NULL;
    pipe->load_var = r->var;
    c->loops += 2;
    struct stmt **end = &r->body;
    for (int i = 0; i < pipe->nroles; ++i) {
        *end = check_role(c, s, r, i);
        end = &(*end)->next;
    }
    c->loops -= 2;
    if (c->s->diags.nerrors > errors || !settle_barriers(c, r) || !roles_check(c, r)) return NULL;
    for (const struct stmt *part = r->body; part; part = part->next)
        if (!waits_in_step(c, part)) return NULL;
    return r;
}
