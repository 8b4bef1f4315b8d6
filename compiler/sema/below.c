// Names that the current file declares below their use.
#include <stdlib.h>

#include "sema/state.h"

static int by_name(const void *a, const void *b) {
    const struct ast_ident *x = *(const struct ast_ident *const *)a,
                           *y = *(const struct ast_ident *const *)b;
    if (x->name != y->name) return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
    return (x->at.begin > y->at.begin) - (x->at.begin < y->at.begin);
}

// The names that "d" declares, "*n" of them.
static const struct ast_ident *names_of(const struct ast_decl *d, int *n) {
    *n = d->kind == D_PARAM  ? d->param.nnames
         : d->kind == D_MESH ? d->mesh.nnames
                             : d->kind != D_ARCH;
    return d->kind == D_PARAM ? d->param.name : d->kind == D_MESH ? d->mesh.name : &d->name;
}

// Collects what the current file declares, sorted by name and then by place.
static void sort_declared(struct sema *c) {
    int cap = 0;
    c->ndeclared = 0;
    c->declared = NULL;
    c->declared_of = c->file;
    for (int i = 0; i < c->file->ndecls; ++i) {
        int n;
        const struct ast_ident *name = names_of(c->file->decl[i], &n);
        for (int k = 0; k < n; ++k) {
            GROW(c, c->declared, c->ndeclared, cap);
            c->declared[c->ndeclared++] = &name[k];
        }
    }
    if (c->ndeclared > 1) qsort(c->declared, (size_t)c->ndeclared, sizeof *c->declared, by_name);
}

const struct ast_ident *scope_below(struct sema *c, const char *name, struct range at) {
    if (!c->file) return NULL;
    if (c->declared_of != c->file) sort_declared(c);
    int lo = 0, hi = c->ndeclared;
    const struct ast_ident wanted = {.name = name, .at = at}, *want = &wanted;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (by_name(&c->declared[mid], &want) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->ndeclared && c->declared[lo]->name == name ? c->declared[lo] : NULL;
}

bool scope_comes(struct sema *c, const char *name) {
    if (scope_below(c, name, (struct range){0})) return true;
    for (const struct importer *i = c->importers; i; i = i->outer)
        for (int k = 0; k < i->file->ndecls; ++k) {
            int n;
            const struct ast_ident *declared = names_of(i->file->decl[k], &n);
            while (n-- > 0)
                if (declared[n].name == name) return true;
        }
    return false;
}
