// A copy statement: its two views, how it is done, and that the two sides fit.
#include <inttypes.h>
#include <string.h>

#include "sema/check.h"

static bool by_thread(const struct view *v) {
    return v->base->space == MEM_FRAG || ix_depends(v->offset, IX_TID) ||
           ix_depends(v->offset, IX_LANE);
}

static const char *view_origin(struct sema *c, const struct view *v) {
    const char *layout = lay_valid(v->layout) ? lay_text(c->lay, v->layout) : "like a tiled copy";
    return sema_text(c, "'%s' here is %s", v->base->name, layout);
}

static bool eval_view(struct sema *c, const struct ast_expr *e, struct view *out) {
    const struct value *v = eval(c, e);
    if (v->kind == VAL_VIEW) {
        *out = v->view;
        out->at = e->at;
        return true;
    }
    if (v->kind != VAL_NONE)
        diag_error(c->s, e->at, "a copy is between tensors; here is %s", value_kind_text(v));
    return false;
}

static const struct formal *formal_of(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].tensor == t) return &k->formal[i];
    return NULL;
}

// The destination is an argument that is written, the source one that is read.
static bool check_directions(struct sema *c, const struct copy *y) {
    const struct formal *d = formal_of(c->kernel, y->dst.base);
    const struct formal *s = formal_of(c->kernel, y->src.base);
    if (d && d->dir == ARG_IN) {
        diag_error(c->s, y->dst.at, "'%s' is written, but is an input of '%s'", y->dst.base->name,
                   c->kernel->name);
        diag_note(c->s, d->at, "declare it with 'out'");
        struct range at = d->at;
        at.end = at.begin;
        diag_fixit(c->s, at, "out ");
        return false;
    }
    if (s && s->dir == ARG_OUT) {
        diag_error(c->s, y->src.at, "'%s' is read, but is an output of '%s'", y->src.base->name,
                   c->kernel->name);
        diag_note(c->s, s->at, "declare it with 'inout'");
        return false;
    }
    return true;
}

static bool check_shapes(struct sema *c, const struct copy *y) {
    const struct view *a = &y->src, *b = &y->dst;
    if (!lay_valid(a->layout) || !lay_valid(b->layout)) return true;
    int ra = lay_rank(a->layout), rb = lay_rank(b->layout);
    int bad = -1;
    struct lay_int na = lay_int(0), nb = lay_int(0);
    for (int i = 0; ra == rb && i < ra && bad < 0; ++i) {
        na = lay_size(c->lay, lay_mode(c->lay, a->layout, i));
        nb = lay_size(c->lay, lay_mode(c->lay, b->layout, i));
        if (!lay_int_valid(na) || !lay_int_valid(nb) || !lay_int_equal(na, nb)) bad = i;
    }
    if (ra == rb && bad < 0) return true;
    const char *sa = lay_tuple_text(c->lay, a->layout.shape);
    const char *sb = lay_tuple_text(c->lay, b->layout.shape);
    if (ra != rb)
        diag_error(c->s, y->at, "the source %s has %d mode%s, the destination %s has %d", sa, ra,
                   ra == 1 ? "" : "s", sb, rb);
    else
        diag_error(c->s, y->at, "mode %d of the source %s has extent %s, of the destination %s %s",
                   bad, sa, lay_int_valid(na) ? lay_int_text(c->lay, na) : "?", sb,
                   lay_int_valid(nb) ? lay_int_text(c->lay, nb) : "?");
    diag_note(c->s, a->at, "%s", view_origin(c, a));
    diag_note(c->s, b->at, "%s", view_origin(c, b));
    return false;
}

// The place where " % n" goes in the declaration of a param, or where it stands.
static void suggest_promise(struct sema *c, struct lay_int extent, int64_t n) {
    if (extent.nsyms != 1 || !extent.syms[0]->name) return;
    struct symbol *sym = scope_find(c, intern(c->s, extent.syms[0]->name));
    if (!sym || !sym->param) return;
    const struct ast_param *p = sym->param;
    diag_note(c->s, sym->at, "promise it: param %s : index %% %" PRId64, sym->name, n);
    if (p->mod) {
        struct range at = p->mod_at;
        diag_fixit(c->s, at, sema_text(c, "%" PRId64, n));
        return;
    }
    const struct source *f = &c->s->sources.file[sym->at.file];
    const char *text = f->text + p->name[p->nnames - 1].at.end;
    const char *colon = strchr(text, ':');
    const char *index = colon ? strstr(colon, "index") : NULL;
    if (!index) return;
    uint32_t end = (uint32_t)(index + 5 - f->text);
    diag_fixit(c->s, (struct range){sym->at.file, end, end}, sema_text(c, " %% %" PRId64, n));
}

static bool refuse_overhang(struct sema *c, const struct view *v) {
    if (!v->overhang) return true;
    // the extent of the tensor that the tile does not divide
    struct lay whole = v->base->layout;
    int n = lay_rank(v->layout) < lay_rank(whole) ? lay_rank(v->layout) : lay_rank(whole);
    for (int i = 0; i < n; ++i) {
        struct lay_int extent = lay_size(c->lay, lay_mode(c->lay, whole, i));
        struct lay_int tile = lay_size(c->lay, lay_mode(c->lay, v->layout, i));
        if (!lay_int_static(tile) || !lay_int_valid(extent) || tile.num < 1 ||
            lay_int_divisible(extent, tile.num))
            continue;
        diag_error(c->s, v->at,
                   "not yet supported: a tile that reaches beyond its tensor; mode %d of '%s' has "
                   "extent %s, which is not known to be a multiple of the tile's %" PRId64,
                   i, v->base->name, lay_int_text(c->lay, extent), tile.num);
        suggest_promise(c, extent, tile.num);
        return false;
    }
    diag_error(c->s, v->at,
               "not yet supported: a tile that reaches beyond its tensor; '%s' is %s and its part "
               "is %s",
               v->base->name, lay_text(c->lay, whole), lay_text(c->lay, v->layout));
    return false;
}

// The tile covers both views in whole rounds.
static bool check_tile(struct sema *c, const struct tiled_copy *tc, const struct view *v) {
    if (!lay_valid(v->layout)) return true;
    int tile_rank = lay_tuple_rank(tc->tiler), rank = lay_rank(v->layout);
    if (rank < tile_rank) {
        diag_error(c->s, v->at, "'%s' has %d mode%s here, the tile %s has %d", v->base->name, rank,
                   rank == 1 ? "" : "s", lay_tuple_text(c->lay, tc->tiler), tile_rank);
        diag_note(c->s, v->at, "%s", view_origin(c, v));
        diag_note(c->s, tc->at, "the tiled copy is declared here");
        return false;
    }
    for (int i = 0; i < tile_rank; ++i) {
        struct lay_int extent = lay_size(c->lay, lay_mode(c->lay, v->layout, i));
        struct lay_int tile = lay_tuple_get(c->lay, tc->tiler, i)->leaf;
        if (lay_int_valid(extent) && lay_int_divisible(extent, tile.num)) continue;
        diag_error(c->s, v->at,
                   "not yet supported: a tile that reaches beyond its tensor; mode %d of '%s' has "
                   "extent %s here, which is not known to be a multiple of the tile's %s",
                   i, v->base->name, lay_int_valid(extent) ? lay_int_text(c->lay, extent) : "?",
                   lay_int_text(c->lay, tile));
        diag_note(c->s, tc->at, "the tile is %s", lay_tuple_text(c->lay, tc->tiler));
        if (lay_int_valid(extent)) suggest_promise(c, extent, tile.num);
        return false;
    }
    return true;
}

static bool check_frag(struct sema *c, const struct copy *y) {
    for (int i = 0; i < 2; ++i) {
        const struct view *v = i ? &y->dst : &y->src;
        const struct tensor *t = v->base;
        if (t->space != MEM_FRAG) continue;
        if (!t->like) {
            if (!y->tc) continue;
            sema_not_yet(c, v->at,
                         "a fragment with a shape of its own in a tiled copy; declare it 'like' "
                         "the tiled copy");
            return false;
        }
        if (!y->tc) {
            sema_not_yet(c, v->at, "a fragment 'like' a tiled copy in a copy with an atom");
            return false;
        }
        if (t->like == y->tc ||
            (t->like->at.begin == y->tc->at.begin && t->like->at.file == y->tc->at.file))
            continue;
        sema_not_yet(c, v->at,
                     sema_text(c, "a fragment 'like' '%s' in a copy with another tiled copy",
                               t->like->name ? t->like->name : "tile(..)"));
        diag_note(c->s, t->at, "'%s' is declared here", t->name);
        return false;
    }
    return true;
}

static bool check_how(struct sema *c, const struct ast_stmt *s, struct copy *y) {
    const struct ast_expr *e = s->copy.with;
    const struct value *v = eval(c, e);
    if (v->kind == VAL_NONE) return false;
    y->how_at = e->at;
    bool src_thread = by_thread(&y->src), dst_thread = by_thread(&y->dst);
    if (v->kind == VAL_TILED) {
        y->tc = v->tc;
        for (int i = 0; i < 2; ++i) {
            const struct view *w = i ? &y->dst : &y->src;
            if (w->base->space == MEM_FRAG || !(i ? dst_thread : src_thread)) continue;
            diag_error(c->s, e->at,
                       "a tiled copy divides a block's view among the threads; '%s' here is one "
                       "thread's already",
                       w->base->name);
            diag_note(c->s, w->at,
                      "it depends on 'tid': write 'with universal(..)' or "
                      "'with auto(128)' to copy it as it is");
            return false;
        }
        if (y->src.base->space == MEM_FRAG && y->dst.base->space == MEM_FRAG) {
            sema_not_yet(c, y->at, "a tiled copy between two fragments");
            return false;
        }
        if (v->tc->threads > c->kernel->threads) {
            diag_error(c->s, e->at, "this tiled copy has %" PRId64 " threads, '%s' has %" PRId64,
                       v->tc->threads, c->kernel->name, c->kernel->threads);
            diag_note(c->s, v->tc->at, "the tiled copy is declared here");
            diag_note(c->s, c->kernel->at, "say 'threads %" PRId64 "' here", v->tc->threads);
            return false;
        }
        return tile_check_elem(c, v->tc, y->src.base->elem, e->at) &&
               check_tile(c, v->tc, &y->src) && check_tile(c, v->tc, &y->dst);
    }
    if (v->kind != VAL_ATOM) {
        diag_error(c->s, e->at, "'with' takes a tiled copy or an atom; here is %s",
                   value_kind_text(v));
        return false;
    }
    y->atom = v->atom;
    if (!src_thread && !dst_thread) {
        diag_error(c->s, e->at,
                   "an atom alone copies what is one thread's already, and neither side depends "
                   "on 'tid'");
        diag_note(c->s, e->at,
                  "write 'with tile(%s(%d), thr=.., val=..)' to divide the copy among threads",
                  v->atom->row->name, v->atom->bits);
        return false;
    }
    struct tiled_copy probe = {.atom = *v->atom, .values = 0};
    probe.val = lay_layout_invalid();
    return tile_check_elem(c, &probe, y->src.base->elem, e->at);
}

static void add_label(struct sema *c, struct ast_ident name, struct copy *y) {
    y->label = name.name;
    for (struct label *l = c->labels; l; l = l->next)
        if (l->name == name.name && l->kernel == c->kernel) {
            diag_error(c->s, name.at, "two copies of '%s' have the label '%s'", c->kernel->name,
                       name.name);
            diag_note(c->s, l->at, "one is here");
            return;
        }
    struct label *l = ARENA_NEW(&c->s->arena, struct label);
    *l = (struct label){name.name, name.at, c->kernel, y, c->labels};
    c->labels = l;
}

void check_copy(struct sema *c, const struct ast_stmt *s, struct stmt **out) {
    struct copy *y = ARENA_NEW(&c->s->arena, struct copy);
    y->at = s->at;
    if (s->name.name) add_label(c, s->name, y);
    if (s->copy.how == HOW_BY) {
        sema_not_yet(c, s->copy.with->at, "'copy .. by'");
        return;
    }
    if (s->copy.pad) {
        sema_not_yet(c, s->copy.pad->at, "'pad'");
        return;
    }
    bool ok = eval_view(c, s->copy.src, &y->src);
    ok &= eval_view(c, s->copy.dst, &y->dst);
    if (!ok) return;
    if (s->copy.how == HOW_AUTO) {
        sema_not_yet(c, s->at, "a copy without 'with'");
        return;
    }
    const struct tensor *a = y->src.base, *b = y->dst.base;
    if (a->elem != b->elem) {
        diag_error(c->s, y->at, "'%s' holds %s and '%s' holds %s; a copy does not convert", a->name,
                   a->elem->name, b->name, b->elem->name);
        diag_note(c->s, a->at, "'%s' is declared here", a->name);
        diag_note(c->s, b->at, "'%s' is declared here", b->name);
        return;
    }
    if (!check_directions(c, y) || !refuse_overhang(c, &y->src) || !refuse_overhang(c, &y->dst) ||
        !check_shapes(c, y) || !check_how(c, s, y) || !check_frag(c, y))
        return;
    *out = ARENA_NEW(&c->s->arena, struct stmt);
    **out = (struct stmt){.kind = STMT_COPY, .copy = y, .at = s->at};
}
