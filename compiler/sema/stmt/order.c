// The order that the author of a manual function writes: waits, groups and fences.
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

struct stmt *check_order(struct sema *c, const struct ast_stmt *s) {
    enum { MOST_PENDING = 255 };
    if (!c->kernel->manual) {
        diag_error(c->s, s->at, "'%s' is only for manual functions; here the compiler places it",
                   s->kind == S_SYNC     ? "sync"
                   : s->kind == S_COMMIT ? "commit"
                   : s->kind == S_FENCE  ? "fence"
                                         : "wait");
        return NULL;
    }
    if (s->kind == S_FENCE) return NULL;  // it is part of the statement after it
    if (s->kind == S_WAIT && s->wait > MOST_PENDING) {
        diag_error(c->s, s->at, "'wait' leaves 0 .. %d groups in flight", MOST_PENDING);
        return NULL;
    }
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    *r = (struct stmt){
        .kind = s->kind == S_COMMIT ? STMT_ARRIVE : STMT_WAIT,
        .arrival = s->kind == S_SYNC ? arrival_block : arrival_groups((int)s->wait),
        .at = s->at,
    };
    return r;
}

void order_fences(struct sema *c, const struct ast_block *b, int i, struct stmt *made) {
    const struct ast_stmt *s = b->stmt[i], *next = i + 1 < b->nstmts ? b->stmt[i + 1] : NULL;
    if (made && i > 0 && b->stmt[i - 1]->kind == S_FENCE) made->arrival.fence = true;
    if (s->kind != S_FENCE || !c->kernel->manual ||
        (next && (next->kind == S_SYNC || next->kind == S_ARRIVE)))
        return;
    diag_error(c->s, s->at,
               "a fence is between what threads did with shared memory and the copies that fill it "
               "after these threads arrived: 'fence;' stands before 'sync;', 'sync NAME of ..;' or "
               "'arrive NAME of ..;'");
    diag_page(c->s, "barrier");
}
