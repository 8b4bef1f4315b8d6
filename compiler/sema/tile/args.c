// Sorts the arguments of tile(ATOM, ...).
#include "sema/tile/args.h"

#include <string.h>

#include "syntax/foreign.h"

enum { N_ARGS = 8 };  // named arguments

// "tile(A, (64,64), ..)", "thr==(16,8)", "tile(universal(128), f16, ..)"
static bool meant_otherwise(struct sema *c, const struct ast_expr *e, const struct ast_arg *a,
                            const char *const *names) {
    const struct ast_expr *x = a->value, *first = e->arg[0].value;
    bool compares = x->kind == E_BINARY && x->op == OP_EQ;
    if ((compares || x->kind == E_LAYOUT) && x->lhs->kind == E_NAME) {
        for (int i = 0; i < N_ARGS; ++i) {
            if (strcmp(names[i], x->lhs->name) != 0) continue;
            diag_error(c->s, x->at, "%san argument is given by '=': '%s='",
                       compares ? "'==' compares; " : "", names[i]);
            diag_fixit(c->s, (struct range){x->at.file, x->lhs->at.end, x->rhs->at.begin}, "=");
            return true;
        }
    }
    const struct symbol *sym = first->kind == E_NAME ? scope_find(c, first->name) : NULL;
    if (sym && sym->kind == SYM_TENSOR) {
        diag_error(c->s, e->lhs->at,
                   "'tile' makes a tiled copy; a tile of a tensor is 'local_tile(%s, ..)'",
                   first->name);
        diag_fixit(c->s, e->lhs->at, "local_tile");
        return true;
    }
    if (x->kind == E_NAME && !scope_find(c, x->name) && elem_type_find(x->name)) {
        diag_error(c->s, x->at, "the element type is an argument of the atom: 'universal(128, %s)'",
                   x->name);
        return true;
    }
    return false;
}

bool tile_args_sort(struct sema *c, const struct ast_expr *e, struct tile_args *out) {
    static const char *const names[] = {"thr", "val",  "atoms", "along",
                                        "tv",  "tile", "map",   "like"};
    const struct ast_arg **slot[] = {&out->thr, &out->val,  &out->atoms, &out->along,
                                     &out->tv,  &out->tile, &out->map,   &out->like};
    *out = (struct tile_args){0};
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_arg *a = &e->arg[i];
        if (!a->key.name) {
            if (i > 0 && !out->atom) {
                diag_error(c->s, a->value->at,
                           "the atom comes first: 'tile(universal(128), thr=L, val=L)'");
                return false;
            }
            if (i > 0 && meant_otherwise(c, e, a, names)) return false;
            if (i > 0) {
                diag_error(c->s, a->value->at,
                           "argument %d of 'tile' has no name; it takes 'thr=', 'val=', 'atoms=', "
                           "'along=', 'tv=', 'map=' or 'tile='",
                           i + 1);
                return false;
            }
            out->atom = a;
            continue;
        }
        int k = 0;
        while (k < N_ARGS && strcmp(names[k], a->key.name) != 0) ++k;
        if (k == N_ARGS) {
            const char *near = foreign_ours(FOREIGN_ARGUMENT, a->key.name);
            if (!near) near = diag_did_you_mean(a->key.name, names, N_ARGS);
            diag_error(c->s, a->key.at,
                       near ? "'tile' takes no argument called '%s'; did you mean '%s'?"
                            : "'tile' takes no argument called '%s'",
                       a->key.name, near);
            if (near) diag_fixit(c->s, a->key.at, near);
            return false;
        }
        if (*slot[k]) {
            diag_error(c->s, a->key.at, "'%s=' is given twice", a->key.name);
            diag_note(c->s, (*slot[k])->key.at, "it is given here");
            return false;
        }
        *slot[k] = a;
    }
    if (!out->atom) {
        diag_error(
            c->s, e->at,
            "'tile' takes an atom as its first argument: tile(universal(128), thr=L, val=L)");
        return false;
    }
    bool like = out->like && e->nargs == 2;
    bool thr_val = out->thr && !out->atoms && !out->along && !out->tv && !out->tile && !out->map;
    bool thr_atoms = out->thr && out->atoms && !out->val && !out->tv && !out->tile && !out->map;
    bool layouts = out->thr || out->val || out->atoms || out->along;
    bool tv = out->tv && out->tile && !out->map && !layouts;
    bool map = out->map && !out->tv && !layouts;
    if (thr_atoms && !out->along) {
        diag_error(c->s, out->atoms->key.at,
                   "'atoms=' counts whole atoms along one mode, which 'along=' must name");
        return false;
    }
    if (!thr_val && !thr_atoms && !tv && !map && !like) {
        const struct ast_arg *first = out->thr     ? out->thr
                                      : out->val   ? out->val
                                      : out->atoms ? out->atoms
                                                   : out->along;
        if (first && (out->map || out->tv))
            diag_error(c->s, first->key.at,
                       "'%s=' does not go with '%s=', which has both threads and values",
                       first->key.name, out->map ? "map" : "tv");
        else if (out->thr && out->tile)
            diag_error(c->s, out->tile->key.at,
                       "'tile=' goes with 'tv='; 'thr=' and 'val=' give the tile by themselves");
        else if (out->tv && !out->tile)
            diag_error(c->s, e->at,
                       "'tv=' numbers the elements of a tile, whose extents 'tile=' must give");
        else
            diag_error(c->s, e->at,
                       "'tile' takes 'thr=' and 'val=', or 'thr=', 'atoms=' and 'along=', or 'tv=' "
                       "and 'tile=', or 'map=', or 'like='; without 'val=' a thread has one value");
        return false;
    }
    return true;
}
