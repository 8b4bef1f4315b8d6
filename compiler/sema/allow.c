// Warnings that a plan switches off: allow "versioned" kernel ..
#include "sema/decl.h"

static void silence(struct sema *c, const struct ast_allow *a, struct range where) {
    for (int i = 0; i < a->n; ++i) diag_silence(c->s, a->name[i].name, a->name[i].at, where);
}

static void allow_block(struct sema *c, const struct ast_block *b) {
    for (int i = 0; i < b->nstmts; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        silence(c, &s->allow, s->at);
        if (s->kind == S_FOR) allow_block(c, s->loop.body);
        for (int k = 0; s->kind == S_PIPELINE && k < s->loop.nparts; ++k)
            allow_block(c, s->loop.part[k].body);
    }
}

void allow_decl(struct sema *c, const struct ast_decl *d) {
    if (d->allow.n && (d->kind == D_TCP || d->kind == D_ARCH || d->kind == D_IMPORT))
        diag_error(c->s, d->allow.at,
                   "'allow' comes before the declaration or statement that it is about; %s has no "
                   "warnings",
                   d->kind == D_TCP    ? "the version"
                   : d->kind == D_ARCH ? "the architecture"
                                       : "an import");
    silence(c, &d->allow, d->at);
    if (d->kind == D_FN && d->fn.body) allow_block(c, d->fn.body);
}
