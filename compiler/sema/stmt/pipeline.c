// Pipelines: which buffers their "load" parts fill, which slot of a buffer a name means, and
// whether "load" may run ahead of "use".

#include "base/warnings.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { MOST_STAGES = 8, MOST_RING = 32, MOST_LETS = 64 };

// -- the buffers that a pipeline fills ------------------------------------------------------------

struct ring {
    struct sema *c;
    struct tensor *tensor[MOST_RING];
    int n;
    const struct tensor *plain;             // the first one without stages
    const struct ast_stmt *let[MOST_LETS];  // in the "load" part being examined
    int nlets;
};

static void add_tensor(struct ring *r, struct tensor *t) {
    for (int i = 0; i < r->n; ++i)
        if (r->tensor[i] == t) return;
    if (r->n < MOST_RING) r->tensor[r->n++] = t;
}

// Adds the tensors with stages in "e", a destination in a "load" part.
static void add_named(struct ring *r, const struct ast_expr *e) {
    if (!e) return;
    if (e->kind == E_NAME) {
        for (int i = r->nlets - 1; i >= 0; --i) {
            if (r->let[i]->name.name != e->name) continue;
            int all = r->nlets;
            r->nlets = i;  // a let can only use those above it
            add_named(r, r->let[i]->value);
            r->nlets = all;
            return;
        }
        struct symbol *sym = scope_find(r->c, e->name);
        struct tensor *t = sym && sym->kind == SYM_TENSOR ? sym->tensor : NULL;
        if (t && t->stages)
            add_tensor(r, t);
        else if (t && t->space != MEM_GLOBAL && !t->outside && !r->plain)
            r->plain = t;
        return;
    }
    add_named(r, e->lhs);
    add_named(r, e->rhs);
    for (int i = 0; i < e->nargs; ++i) add_named(r, e->arg[i].value);
}

static void add_filled(struct ring *r, const struct ast_block *b) {
    int lets = r->nlets;
    for (int i = 0; i < b->nstmts; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        if (s->kind == S_LET && r->nlets < MOST_LETS) r->let[r->nlets++] = s;
        if (s->kind == S_COPY) add_named(r, s->copy.dst);
        if (s->kind == S_FILL) add_named(r, s->fill.target);
        if (s->kind == S_FOR) add_filled(r, s->loop.body);
        struct symbol *sym = s->kind == S_CALL ? scope_find(r->c, s->name.name) : NULL;
        const struct function *fn = sym ? sym->function : NULL;
        for (int k = 0; fn && k < fn->nformals; ++k) {
            const struct formal *f = &fn->formal[k];
            if (f->dir != ARG_IN && f->place < s->call.nargs)
                add_named(r, s->call.arg[f->place].value);
        }
    }
    r->nlets = lets;
}

// The number of stages of the buffers in "r"; 0 if they differ.
static int stages_of(struct sema *c, const struct ast_stmt *s, const struct ring *r) {
    for (int i = 1; i < r->n; ++i) {
        const struct tensor *a = r->tensor[0], *b = r->tensor[i];
        if (a->stages == b->stages) continue;
        diag_error(c->s, s->at,
                   "'%s' has %d stages and '%s' has %d; all buffers that one pipeline fills need "
                   "the same number",
                   a->name, a->stages, b->name, b->stages);
        diag_note(c->s, a->at, "'%s' is declared here", a->name);
        diag_note(c->s, b->at, "'%s' is declared here", b->name);
        return 0;
    }
    if (r->n == 0) return 1;
    const struct tensor *t = r->tensor[0];
    if (t->stages <= MOST_STAGES) return t->stages;
    diag_error(c->s, s->at, "'%s' has %d stages; a pipeline has 1 .. %d", t->name, t->stages,
               MOST_STAGES);
    diag_note(c->s, t->at, "'%s' is declared here", t->name);
    return 0;
}

// Warns of a pipeline that is an ordinary loop because nothing that it fills has stages.
static void warn_in_order(struct sema *c, const struct ast_stmt *s, const struct ring *r) {
    const struct tensor *t = r->plain;
    if (r->n > 0 || !t) return;
    diag_warn(c->s, W_IN_ORDER, s->at,
              "the loads of this pipeline do not run ahead: '%s', which 'load' fills, has %s",
              t->name, space_is_shared(t->space) ? "no stages" : "one place, in registers");
    if (!space_is_shared(t->space)) {
        diag_note(c->s, t->at, "a buffer in shared memory can have stages");
        return;
    }
    diag_note(c->s, t->at, "with 'stages 2' the next step is loaded while this one is used");
    struct range at = {t->layout_at.file, t->layout_at.end, t->layout_at.end};
    if (!t->swizzle_auto) diag_fixit(c->s, at, " stages 2");
}

struct view pipeline_slot(struct sema *c, struct view v, struct range at) {
    for (const struct pipe_part *p = c->part; p; p = p->outer) {
        for (int i = 0; i < p->pipe->ntensors; ++i) {
            if (p->pipe->tensor[i] != v.base) continue;
            int rank = lay_rank(v.layout);
            struct coord *kid = ARENA_ARRAY(&c->s->arena, struct coord, rank);
            for (int m = 0; m < rank; ++m) kid[m].rank = -1;
            kid[rank - 1].ix = p->slot ? ix_var(c->s, p->slot) : ix_int(c->s, 0);
            struct coord all = {.rank = rank, .kid = kid};
            return view_slice(c->s, v, &all, at);
        }
    }
    return v;
}

// -- may loads run ahead? -------------------------------------------------------------------------

// What the parts of each kind do to a tensor.
struct touched {
    const struct tensor *tensor;
    bool read[2], written[2];  // [0] in "use", [1] in "load"
    struct range read_at[2], written_at[2];
};

struct touches {
    struct sema *c;
    struct touched *at;
    int n, cap;
};

static void touch(struct touches *t, const struct view *v, bool load, bool write) {
    int i = 0;
    while (i < t->n && t->at[i].tensor != v->base) ++i;
    if (i == t->n) {
        GROW(t->c, t->at, t->n, t->cap);
        t->at[t->n++] = (struct touched){.tensor = v->base};
    }
    struct touched *x = &t->at[i];
    if (write && !x->written[load]) {
        x->written[load] = true;
        x->written_at[load] = v->at;
    } else if (!write && !x->read[load]) {
        x->read[load] = true;
        x->read_at[load] = v->at;
    }
}

static void touch_all(struct touches *t, const struct stmt *list, bool load) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind == STMT_COPY) {
            touch(t, &st->copy->src, load, false);
            touch(t, &st->copy->dst, load, true);
        }
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            enum dir dir = st->call->fn->formal[i].dir;
            if (dir != ARG_OUT) touch(t, &st->call->view[i], load, false);
            if (dir != ARG_IN) touch(t, &st->call->view[i], load, true);
        }
    }
}

// Whether loads "ahead" steps early read and write the same as loads in order.
static bool check_touched(struct sema *c, const struct touched *x, int ahead, int stages) {
    const char *name = x->tensor->name, *s = ahead == 1 ? "" : "s";
    if (x->written[1] && x->tensor->space == MEM_GLOBAL) {
        diag_error(c->s, x->written_at[1],
                   "'%s' is global memory; 'load' runs %d step%s ahead and fills shared memory",
                   name, ahead, s);
    } else if (x->written[1] && x->tensor->space == MEM_FRAG && (x->read[0] || x->written[0])) {
        diag_error(
            c->s, x->written_at[1],
            "'%s' is filled in 'load', which runs %d step%s ahead of 'use', and a fragment "
            "keeps the elements of one step; hand them over in shared memory with stages %d, "
            "and take another fragment in 'use'",
            name, ahead, s, stages);
        diag_note(c->s, x->read[0] ? x->read_at[0] : x->written_at[0], "'use' has it here");
    } else if (x->written[1] && (x->read[0] || x->written[0])) {
        diag_error(c->s, x->written_at[1],
                   "'%s' is filled in 'load', which runs %d step%s ahead of 'use', and has no "
                   "stages to keep a step's elements until then: stages %d",
                   name, ahead, s, stages);
        diag_note(c->s, x->read[0] ? x->read_at[0] : x->written_at[0], "'use' needs them here");
    } else if (x->read[1] && x->written[0]) {
        diag_error(
            c->s, x->read_at[1],
            "'%s' is read in 'load', which runs %d step%s ahead, before 'use' has written it", name,
            ahead, s);
        diag_note(c->s, x->written_at[0], "'use' writes it here");
    } else {
        return true;
    }
    diag_page(c->s, "pipeline");
    return false;
}

static bool check_ahead(struct sema *c, const struct stmt *st) {
    const struct pipeline *pipe = st->pipe;
    bool roles = pipeline_has_roles(pipe);
    if (pipe->stages == 1 && !roles) return true;
    struct touches t = {.c = c};
    for (const struct stmt *part = st->body; part; part = part->next)
        touch_all(&t, part->body, part->load);
    bool ok = true;
    for (int i = 0; i < t.n; ++i) {
        bool own = false;
        for (int k = 0; k < pipe->ntensors; ++k) own |= pipe->tensor[k] == t.at[i].tensor;
        // as many as the other buffers have, or one for each step that is under way
        int ahead = (int)pipe->stages - !roles;
        if (!own)
            ok &= check_touched(c, &t.at[i], ahead, pipe->ntensors ? (int)pipe->stages : ahead + 1);
    }
    return ok;
}

// -- the statement --------------------------------------------------------------------------------

static struct stmt *check_part(struct sema *c, const struct ast_stmt *s, struct stmt *loop,
                               const struct ast_part *part, int use) {
    const struct pipeline *pipe = loop->pipe;
    const struct ix_var *var = part->load ? pipe->load_var : loop->var;
    struct pipe_part here = {pipe, part->load ? pipe->load_slot : pipe->slot, c->part};
    scope_enter(c);
    scope_declare(c, s->name, SYM_LOOP, var ? value_int(c, ix_var(c->s, var)) : &value_none);
    c->part = &here;
    scope_enter(c);
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    *r = (struct stmt){.kind = STMT_PART, .load = part->load, .up = loop, .at = part->at};
    if (!part->load && pipe->nuses > 1) r->role = &pipe->use[use];
    r->body = check_block(c, part->body, r);
    scope_leave(c);
    c->part = here.outer;
    scope_leave(c);
    return r;
}

static bool check_parts(struct sema *c, const struct ast_block *b) {
    for (int i = 0; i < b->nstmts; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        const struct symbol *sym = s->kind == S_CALL ? scope_find(c, s->name.name) : NULL;
        if (sym && sym->fn && !check_parts(c, sym->fn->body)) return false;
        if (s->kind == S_FOR && !check_parts(c, s->loop.body)) return false;
        if (s->kind != S_PIPELINE) continue;
        diag_error(c->s, s->at, "a pipeline can be in the 'use' of another one, not in its 'load'");
        return false;
    }
    return true;
}

struct stmt *check_pipeline(struct sema *c, const struct ast_stmt *s) {
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    struct pipeline *pipe = ARENA_NEW(&c->s->arena, struct pipeline);
    *r = (struct stmt){.kind = STMT_PIPELINE, .pipe = pipe, .at = s->at};
    if (!loop_bounds(c, s, r)) return NULL;
    struct ring *ring = ARENA_NEW(&c->s->arena, struct ring);
    ring->c = c;
    for (int i = 0; i < s->loop.nparts; ++i) {
        const struct ast_part *part = &s->loop.part[i];
        if (!part->load) continue;
        if (!check_parts(c, part->body)) return NULL;
        add_filled(ring, part->body);
    }
    pipe->stages = stages_of(c, s, ring);
    pipe->tensor = ring->tensor;
    pipe->ntensors = ring->n;
    if (pipe->stages == 0) return NULL;
    if (ast_has_roles(s) && !roles_make(c, s, pipe)) return NULL;
    if (!pipeline_has_roles(pipe)) warn_in_order(c, s, ring);
    pipe->load_var = r->var;
    if ((pipe->stages > 1 || pipeline_has_roles(pipe)) && r->var) {
        pipe->load_var = loop_var(c, s->name.name, r);
        struct lay_int end = lay_int(pipe->stages);
        pipe->slot = make_var(c, IX_LOOP, "slot", "slot", lay_int(0), end);
        pipe->load_slot = make_var(c, IX_LOOP, "slot", "load_slot", lay_int(0), end);
    }
    c->loops += 2;
    struct stmt **end = &r->body;
    for (int i = 0, use = 0; i < s->loop.nparts; ++i) {
        *end = check_part(c, s, r, &s->loop.part[i], use);
        use += !s->loop.part[i].load;
        end = &(*end)->next;
    }
    c->loops -= 2;
    return r->var && check_ahead(c, r) && (!pipeline_has_roles(pipe) || roles_check(c, r)) ? r
                                                                                           : NULL;
}
