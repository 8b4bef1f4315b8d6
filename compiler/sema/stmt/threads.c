// The number of threads of a kernel: as given, or that of the largest tiled copy in it.
#include <inttypes.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"

static int64_t most_threads(struct sema *c, const struct ast_block *b, int depth, bool *any);

// Whether "e" is a layout that can be evaluated before the body of a kernel.
static bool known_ahead(struct sema *c, const struct ast_expr *e) {
    if (e->kind == E_INT) return true;
    if (e->kind == E_NAME) {
        struct symbol *sym = scope_find(c, e->name);
        return sym && (sym->kind == SYM_CONST || sym->kind == SYM_LAYOUT);
    }
    if (e->kind == E_LAYOUT) return known_ahead(c, e->lhs) && known_ahead(c, e->rhs);
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name || !known_ahead(c, e->arg[i].value)) return false;
    return e->kind == E_TUPLE;
}

// The threads of a copy with 'by E'.
static int64_t threads_of_layout(struct sema *c, const struct ast_expr *e, bool *any) {
    if (!known_ahead(c, e)) return 0;
    const struct value *v = eval(c, e);
    if (!value_is_layout(v) || lay_rank(v->calc.layout) != 2) return 0;
    struct lay_int n = lay_size(c->lay, lay_mode(c->lay, v->calc.layout, 0));
    lay_clear_error(c->lay);
    if (!lay_int_static(n) || n.num < 1 || n.num > MOST_THREADS) return 0;
    *any = true;
    return n.num;
}

static int64_t threads_of_stmt(struct sema *c, const struct ast_stmt *s, int depth, bool *any) {
    if (s->kind == S_FOR) return most_threads(c, s->loop.body, depth + 1, any);
    if (s->kind == S_PIPELINE && (ast_has_roles(s) || s->loop.roles)) {
        *any = true;
        return roles_threads(c, s);
    }
    if (s->kind == S_PIPELINE) {
        int64_t most = 0;
        for (int i = 0; i < s->loop.nparts; ++i) {
            int64_t n = most_threads(c, s->loop.part[i].body, depth + 1, any);
            if (n > most) most = n;
        }
        return most;
    }
    const struct symbol *called = s->kind == S_CALL ? scope_find(c, s->name.name) : NULL;
    if (called && called->kind == SYM_KERNEL && called->value->kernel->device) {
        *any = true;
        return called->value->kernel->threads;
    }
    if (s->kind != S_COPY || s->copy.how == HOW_AUTO) return 0;
    const struct ast_expr *e = s->copy.with;
    if (e->kind == E_MAP) {
        int64_t n;
        *any = true;
        if (map_threads(c, e, &n)) return n;
        struct memo *m = ARENA_NEW(&c->s->arena, struct memo);
        *m = (struct memo){e, &value_none, c->memo};
        c->memo = m;
        return 0;
    }
    if (s->copy.how == HOW_BY) return threads_of_layout(c, e, any);
    const struct value *v = &value_none;
    struct symbol *sym = e->kind == E_NAME ? scope_find(c, e->name) : NULL;
    if (sym && sym->kind == SYM_TILED) {
        v = sym->value;
        *any |= v->kind == VAL_NONE;  // its error is reported elsewhere
    }
    if (e->kind == E_CALL && e->lhs->kind == E_NAME && e->lhs->name == intern(c->s, "tile")) {
        v = eval(c, e);
        struct memo *m = ARENA_NEW(&c->s->arena, struct memo);
        *m = (struct memo){e, v, c->memo};
        c->memo = m;
        *any = true;
    }
    if (v->kind != VAL_TILED) return 0;
    *any = true;
    return v->tc->threads;
}

// The threads of the largest tiled copy in "b"; sets "any" if there is one.
static int64_t most_threads(struct sema *c, const struct ast_block *b, int depth, bool *any) {
    int64_t most = 0;
    for (int i = 0; depth <= MOST_LOOPS && i < b->nstmts; ++i) {
        int64_t n = threads_of_stmt(c, b->stmt[i], depth, any);
        if (n > most) most = n;
    }
    return most;
}

// Reports threads (16,16).
static void refuse_tuple(struct sema *c, const struct ast_expr *e) {
    int64_t n = 1;
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_expr *of = e->arg[i].value;
        n = of->kind == E_INT && of->ival > 0 && of->ival <= MOST_THREADS && n <= MOST_THREADS
                ? n * of->ival
                : MOST_THREADS + 1;
    }
    bool known = n <= MOST_THREADS;
    int64_t first = known && e->nargs > 0 ? e->arg[0].value->ival : 16;
    diag_error(c->s, e->at,
               "the threads of a block have one axis: 'threads %" PRId64 "'; 'tid %% %" PRId64
               "' and 'tid / %" PRId64 "' are two axes of them",
               known ? n : 256, known ? first : 16, known ? first : 16);
    if (known) diag_fixit(c->s, e->at, sema_text(c, "%" PRId64, n));
}

bool kernel_make_threads(struct sema *c, const struct ast_fn *fn) {
    struct kernel *k = c->kernel;
    bool any = false;
    int64_t most = most_threads(c, fn->body, 0, &any);
    k->threads = most > 0 ? most : 1;
    if (!fn->threads) return any || fn->body->nstmts == 0;
    if (fn->threads->kind == E_TUPLE && fn->threads->nargs > 1) {
        refuse_tuple(c, fn->threads);
        return true;
    }
    k->threads_at = fn->threads->at;
    const struct value *v = eval(c, fn->threads);
    if (v->kind == VAL_TILED) {
        diag_error(c->s, fn->threads->at,
                   "the number of threads is an integer; that of a tiled copy is 'threads(%s)'. A "
                   "kernel without 'threads' has those of its tiled copies",
                   ast_expr_text(c->s, fn->threads));
        k->threads = 1;
    } else if (!value_to_int64(c, v, fn->threads->at, "the number of threads", &k->threads))
        k->threads = 1;
    else if (k->threads < 1 || k->threads > MOST_THREADS) {
        diag_error(c->s, fn->threads->at, "%" PRId64 " threads; a block has 1 .. %d", k->threads,
                   MOST_THREADS);
        k->threads = 1;
    }
    return true;
}

void kernel_no_threads(struct sema *c) {
    diag_error(
        c->s, c->kernel->at,
        "'%s' has neither 'threads' nor a tiled copy that gives their number; write 'threads N'",
        c->kernel->name);
}
