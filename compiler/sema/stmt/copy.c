// Copy statements: the two views, the way of copying, and whether the two sides fit.  The passes
// decide which threads execute it, whether it stays inside its tensors, and whether it writes each
// element once.

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"

bool eval_view(struct sema *c, const struct ast_expr *e, bool open, struct view *out) {
    const struct ast_expr *root = e;
    while (root->kind == E_CALL)
        root = root->lhs->kind == E_NAME && builtin_known(root->lhs->name) && root->nargs > 0
                   ? root->arg[0].value
                   : root->lhs;
    struct sought was = c->sought;
    c->sought = (struct sought){.sizes = true, .tensor = root->at};
    const struct value *v = eval(c, e);
    c->sought = was;
    if (v->kind == VAL_VIEW) {
        *out = v->view;
        out->at = e->at;
        return open || view_closed(c, out, e->at);
    }
    if (v->kind == VAL_NONE) return false;
    diag_error(c->s, e->at, "a copy is between tensors; this is %s", value_kind_text(v));
    const struct symbol *sym = e->kind == E_NAME ? scope_find(c, e->name) : NULL;
    const struct symbol *outer = sym ? sym->outer : NULL;
    if (!outer || outer->kind != SYM_TENSOR) return false;
    if (sym->kind != SYM_BUILTIN)
        diag_note(c->s, sym->at, "'%s' is %s here", sym->name, symbol_kind_text(sym->kind));
    diag_note(c->s, outer->at, "the tensor of that name is hidden by %s",
              sym->kind == SYM_BUILTIN ? "a coordinate that every kernel has" : "it");
    return false;
}

// Refuses a tile that reaches beyond a view but not beyond its tensor: it would take elements of
// others.
static bool refuse_overhang(struct sema *c, const struct view *v) {
    if (!v->overhangs_part) return true;
    diag_error(c->s, v->at,
               "not yet supported: a tile that reaches beyond a part of '%s'; along each mode the "
               "tile must divide the part, or the part must be the whole tensor",
               v->base->name);
    diag_page(c->s, "divide");
    diag_note(c->s, v->base->at, "'%s' is %s", v->base->name, lay_text(c->lay, v->base->layout));
    return false;
}

// Whether one side of a copy with 'by E' can be divided among threads.
static bool check_by(struct sema *c, const struct ast_expr *e, const struct copy *y) {
    bool frags = y->src.base->space == MEM_FRAG && y->dst.base->space == MEM_FRAG;
    if (!frags && !y->src.part && !y->dst.part) return true;
    diag_error(
        c->s, e->at,
        "'by' divides a view of the block; this view belongs to one thread: copy it with an atom");
    return false;
}

// Between fragments each thread copies what it has, so widths do not matter.
static bool copy_by_itself(struct sema *c, const struct ast_stmt *s, struct copy *y) {
    struct atom *a = ARENA_NEW(&c->s->arena, struct atom);
    *a = atom_auto(s->at);
    y->how_at = s->at;
    y->atom = a;
    return true;
}

static bool same_tile(const struct tiled_copy *a, const struct tiled_copy *b) {
    return a == b || (a->atom.row == b->atom.row && a->elem_bits == b->elem_bits &&
                      lay_tuple_equal(a->tiler, b->tiler) && lay_equal(a->tv, b->tv));
}

// A collective copy must be a copy of tiles.  Parts of a thread are not enough, because a thread
// names rows for other threads.
static bool check_collective(struct sema *c, struct copy *y, const struct value *v,
                             const struct ast_expr *e) {
    if (v->kind == VAL_TILED) y->tc = v->tc;
    for (int i = 0; i < 2; ++i) {
        struct view *side = i == 0 ? &y->src : &y->dst;
        const struct divided *d = side->divided;
        if (!d) continue;
        if (d->src != (i == 0)) {
            diag_error(c->s, side->at,
                       "this part of '%s' comes from 'partition_%s', but it is the %s of the copy; "
                       "there, the lanes of '%s' hold other values",
                       side->base->name, d->src ? "src" : "dst", d->src ? "destination" : "source",
                       d->by->atom.row->name);
            return false;
        }
        bool same =
            v->kind == VAL_TILED ? same_tile(v->tc, d->by) : v->atom->row == d->by->atom.row;
        if (!same) {
            diag_error(c->s, e->at,
                       "'%s' was divided by another tiled copy than the one that copies it",
                       side->base->name);
            diag_note(c->s, d->by->at, "this tiled copy divided it");
            return false;
        }
        struct range at = side->at;
        *side = divided_tiles(c->s, d, at);
        side->at = at;
        y->tc = d->by;
        if (!lay_valid(side->layout)) return false;
    }
    if (!y->tc) y->atom = v->atom;
    return true;
}

// For a copy that converts, the atom counts the wider elements.
static bool check_elem(struct sema *c, const struct tiled_copy *tc, const struct copy *y,
                       struct range at) {
    const struct elem_type *src = y->src.base->elem, *dst = y->dst.base->elem, *own = tc->atom.elem;
    if (src == dst || !own || own == copy_wider(y))
        return tile_check_elem(c, tc, copy_wider(y), at);
    diag_error(c->s, at,
               "the atom moves '%s'; between '%s' and '%s' it counts the wider elements, '%s'",
               own->name, src->name, dst->name, copy_wider(y)->name);
    diag_note(c->s, tc->atom.at, "the atom is declared here");
    return false;
}

static bool check_how(struct sema *c, const struct ast_stmt *s, struct copy *y) {
    if (s->copy.how == HOW_AUTO) return copy_by_itself(c, s, y);
    const struct ast_expr *e = s->copy.with;
    y->how_at = e->at;
    if (s->copy.how == HOW_BY && !check_by(c, e, y)) return false;
    if (s->copy.how == HOW_WITH && e->kind == E_NAME) c->sought.how = e->at;
    const struct value *v = s->copy.how != HOW_BY ? eval(c, e)
                            : e->kind == E_MAP    ? map_copy(c, e, y)
                                                  : tile_by(c, e, y);
    if (v->kind == VAL_ATOM && v->atom->row->alone) {
        if (!atom_check_copy(c, v->atom, y)) return false;
        v = tile_alone(c, v->atom, e->at, y);
    }
    if (v->kind == VAL_NONE) return false;
    const struct atom *a = v->kind == VAL_TILED  ? &v->tc->atom
                           : v->kind == VAL_ATOM ? v->atom
                                                 : NULL;
    if (a && atom_is_collective(a->row)) {
        if (!check_collective(c, y, v, e)) return false;
    } else if (v->kind == VAL_TILED) {
        // between thread parts, only the atom of the tiled copy is used
        if (y->src.part || y->dst.part)
            y->atom = &v->tc->atom;
        else
            y->tc = v->tc;
    }
    if (v->kind == VAL_TILED) {
        bool spaces = !a || !atom_is_collective(a->row) || atom_check_copy(c, a, y);
        if (!spaces || !check_elem(c, v->tc, y, e->at)) return false;
        return atom_is_collective(a->row) || atom_check_copy(c, a, y);
    }
    if (v->kind != VAL_ATOM) {
        bool layout = value_is_layout(v);
        diag_error(c->s, e->at,
                   layout ? "'with' takes a tiled copy or an atom, not %s; a layout of threads and "
                            "values comes after 'by'"
                          : "'with' takes a tiled copy or an atom, not %s",
                   value_kind_text(v));
        return false;
    }
    if (!y->tc) y->atom = v->atom;
    struct tiled_copy probe = {.atom = *v->atom, .val = lay_layout_invalid()};
    return check_elem(c, &probe, y, e->at) && atom_check_copy(c, v->atom, y);
}

static void add_label(struct sema *c, struct ast_ident name, struct copy *y) {
    if (!c->call) y->label = name.name;
    for (struct label *l = c->labels; l; l = l->next)
        if (l->name == name.name && l->kernel == c->kernel && l->call == c->call) {
            diag_error(c->s, name.at, "two copies of '%s' have the label '%s'", c->kernel->name,
                       name.name);
            diag_note(c->s, l->at, "one is here");
            return;
        }
    struct label *l = ARENA_NEW(&c->s->arena, struct label);
    *l = (struct label){name.name, name.at, c->kernel, c->call, y, NULL, c->labels};
    c->labels = l;
}

// Sets the value of elements of the destination without a source from "pad".
static bool check_pad(struct sema *c, const struct ast_expr *e, struct copy *y) {
    if (!e) return true;
    if (y->dst.base->space == MEM_GLOBAL) {
        diag_error(c->s, e->at,
                   "'pad' fills shared memory and fragments; '%s' is in global memory, where each "
                   "element that is written needs a source",
                   y->dst.base->name);
        diag_note(c->s, y->dst.base->at, "'%s' is declared here", y->dst.base->name);
        return false;
    }
    y->pad = constant_of(c, e, y->dst.base->elem, "the value of 'pad'");
    return y->pad != NULL;
}

bool copy_types(struct sema *c, struct range at, const struct tensor *a, const struct tensor *b) {
    if (a->elem == b->elem || elem_converts(a->elem, b->elem)) return true;
    diag_error(c->s, at, "'%s' holds %s and '%s' holds %s; a copy converts numbers, not raw bits",
               a->name, a->elem->name, b->name, b->elem->name);
    diag_note(c->s, a->at, "'%s' is declared here", a->name);
    diag_note(c->s, b->at, "'%s' is declared here", b->name);
    return false;
}

void copy_note_tiled(struct sema *c, const struct ast_stmt *s) {
    const struct symbol *tc = NULL, *other = NULL;
    for (const struct symbol *x = c->last; x; x = x->prev) {
        if (x->kind != SYM_TILED) continue;
        other = tc;
        tc = x;
    }
    if (!tc) {
        diag_note(c->s, s->at,
                  "a tiled copy says who moves what: in 'tile(auto(128), thr=(8,16):(16,1), "
                  "val=(1,4))' 128 threads have 4 elements each, 16 threads to a row of 64");
        return;
    }
    if (other) {
        diag_note(c->s, s->at, "'%s' and '%s' are tiled copies: 'with %s', for example, says how",
                  tc->name, other->name, tc->name);
        return;
    }
    diag_note(c->s, s->at, "'%s' is a tiled copy: 'with %s' says how", tc->name, tc->name);
    struct range end = {s->at.file, s->copy.dst->at.end, s->copy.dst->at.end};
    diag_fixit(c->s, end, sema_text(c, " with %s", tc->name));
}

// Reports a copy, not between fragments, that does not say how to copy.
static void how_missing(struct sema *c, const struct ast_stmt *s, const struct copy *y) {
    const struct tensor *f = y->src.base->space == MEM_FRAG ? y->src.base : y->dst.base;
    const struct tiled_copy *tc = f->space == MEM_FRAG ? f->like : NULL;
    struct range at = {s->at.file, s->copy.dst->at.end, s->copy.dst->at.end};
    if (!tc || !tc->name) {
        diag_error(c->s, s->at,
                   "this copy does not say how it is done: add 'with TILED_COPY', 'with ATOM' or "
                   "'by LAYOUT'");
        copy_note_tiled(c, s);
        bool whole = s->copy.src->kind == E_NAME && s->copy.dst->kind == E_NAME;
        if (whole && y->src.base->space == MEM_GLOBAL && y->dst.base->space == MEM_GLOBAL)
            diag_note(c->s, s->at,
                      c->kernel->device ? "tcpc plans a kernel that is one copy, not a device "
                                          "function"
                                        : "tcpc plans a copy that is all of its kernel; here is "
                                          "more, or an 'expect'");
        return;
    }
    diag_error(c->s, s->at, "this copy does not say how it is done; '%s' is like '%s': 'with %s'",
               f->name, tc->name, tc->name);
    diag_fixit(c->s, at, sema_text(c, " with %s", tc->name));
}

// Handles "copy ld: A -> B".
static bool label_inside(struct sema *c, const struct ast_stmt *s) {
    const struct ast_expr *e = s->copy.src;
    if (s->name.name || e->kind != E_LAYOUT || e->lhs->kind != E_NAME ||
        scope_find(c, e->lhs->name))
        return false;
    struct range begin = {s->at.file, s->at.begin, s->at.begin};
    diag_error(c->s, e->lhs->at, "the label comes before 'copy': '%s: copy A -> B'", e->lhs->name);
    diag_fixit(c->s, begin, sema_text(c, "%s: ", e->lhs->name));
    diag_fixit(c->s, (struct range){e->at.file, e->at.begin, e->rhs->at.begin}, "");
    return true;
}

void check_copy(struct sema *c, const struct ast_stmt *s, struct stmt **out) {
    struct copy *y = ARENA_NEW(&c->s->arena, struct copy);
    y->at = s->at;
    if (label_inside(c, s)) return;
    if (s->name.name) add_label(c, s->name, y);
    bool ok = eval_view(c, s->copy.src, false, &y->src);
    ok &= eval_view(c, s->copy.dst, false, &y->dst);
    if (!ok) return;
    bool frags = y->src.base->space == MEM_FRAG && y->dst.base->space == MEM_FRAG;
    if (s->copy.how == HOW_AUTO && !frags) {
        how_missing(c, s, y);
        return;
    }
    if (!copy_types(c, y->at, y->src.base, y->dst.base)) return;
    if (!check_pad(c, s->copy.pad, y) || !refuse_overhang(c, &y->src) ||
        !refuse_overhang(c, &y->dst) || !names_match(c, y) || !check_how(c, s, y) ||
        !copy_shapes(c, y) || (y->tc && !tile_check_writes(c, y)))
        return;
    *out = ARENA_NEW(&c->s->arena, struct stmt);
    **out = (struct stmt){.kind = STMT_COPY, .copy = y, .at = s->at};
}
