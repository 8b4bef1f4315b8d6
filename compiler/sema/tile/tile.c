// tile(ATOM, ...): makes a tiled copy from threads and values, and proves that each element of its
// tile has one owner.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/args.h"
#include "sema/tile/tile.h"

enum { MOST_POINTS = 1 << 22 };  // elements of a tile

static struct range arg_range(const struct ast_arg *a) {
    return range_join(a->key.at, a->value->at);
}

struct digits {
    int n;
    int64_t extent[LAY_MAX_LEAVES], stride[LAY_MAX_LEAVES];
};

static void collect_digits(const struct lay_tuple *shape, const struct lay_tuple *stride,
                           struct digits *d) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) collect_digits(shape->kid[i], stride->kid[i], d);
    } else if (!lay_int_is(shape->leaf, 1) && d->n < LAY_MAX_LEAVES) {
        d->extent[d->n] = shape->leaf.num;
        d->stride[d->n++] = stride->leaf.num;
    }
}

// Whether the modes of the static layout "l" are digits of 0 .. size-1, so that it numbers these.
static bool numbers_by_digits(struct lay l) {
    struct digits d = {.n = 0};
    collect_digits(l.shape, l.stride, &d);
    int64_t weight = 1;
    for (int found = 0; found < d.n; ++found) {
        int i = 0;
        while (i < d.n && d.stride[i] != weight) ++i;
        if (i == d.n) return false;
        weight *= d.extent[i];
    }
    return true;
}

bool tile_check_numbering(struct sema *c, struct lay l, struct range at, const char *what,
                          const char *noun) {
    if (!lay_static(l) || l.sw.b) {
        diag_error(c->s, at, "%s must be a layout of numbers, not %s", what, lay_text(c->lay, l));
        return false;
    }
    lay_clear_error(c->lay);
    struct lay_int size = lay_size(c->lay, l);
    if (!lay_int_static(size) || size.num < 1 || size.num > MOST_POINTS) {
        diag_error(c->s, at, "%s has %s places; it must have 1 .. %d", what,
                   lay_int_valid(size) ? lay_int_text(c->lay, size) : "too many", MOST_POINTS);
        return false;
    }
    if (lay_int_is(l.offset, 0) && numbers_by_digits(l)) return true;
    int64_t n = size.num;
    int32_t *owner = memory_zeroed((size_t)n, sizeof *owner);
    bool ok = true;
    for (int64_t i = 0; i < n && ok; ++i) {
        int64_t to;
        ok = lay_eval(c->lay, l, i, &to);
        if (!ok) {
            sema_lay_error(c, at, what);
        } else if (to < 0 || to >= n) {
            diag_error(c->s, at,
                       "%s, %s, gives place %" PRId64 " the %s %" PRId64 "; its %" PRId64
                       " places must have the numbers 0 .. %" PRId64,
                       what, lay_text(c->lay, l), i, noun, to, n, n - 1);
            ok = false;
        } else if (owner[to]) {
            diag_error(c->s, at, "%s, %s, gives places %d and %" PRId64 " the same %s %" PRId64,
                       what, lay_text(c->lay, l), owner[to] - 1, i, noun, to);
            diag_page(c->s, "injective");
            ok = false;
        } else {
            owner[to] = (int32_t)i + 1;
        }
    }
    memory_free(owner);
    return ok;
}

static bool check_threads(struct sema *c, int64_t n, struct range at) {
    if (n >= 1 && n <= MOST_THREADS) return true;
    diag_error(c->s, at, "%" PRId64 " threads; a block has 1 .. %d", n, MOST_THREADS);
    return false;
}

// The layout of threads or values: it must be static and number its places 0 .. size-1.
static struct lay numbering(struct sema *c, const struct ast_arg *a, const char *noun) {
    const struct value *v = eval(c, a->value);
    const char *what = sema_text(c, "'%s='", a->key.name);
    struct lay l = v->kind == VAL_NONE || !names_none(c, v, a->value->at, what) ||
                           layout_lacks_colon(c, a->value, v)
                       ? lay_layout_invalid()
                       : value_to_layout(c, v, a->value->at, what);
    if (!lay_valid(l)) return l;
    // checked before each of them is examined
    struct lay_int n = lay_size(c->lay, l);
    if (strcmp(noun, "thread") == 0 && lay_int_static(n) && !check_threads(c, n.num, a->value->at))
        return lay_layout_invalid();
    return tile_check_numbering(c, l, a->value->at, what, noun) ? l : lay_layout_invalid();
}

bool tile_check_elem(struct sema *c, const struct tiled_copy *tc, const struct elem_type *elem,
                     struct range at) {
    const struct atom *a = &tc->atom;
    if (a->elem && a->elem != elem) {
        diag_error(c->s, at, "the atom moves '%s', but the tensors hold '%s'", a->elem->name,
                   elem->name);
        diag_note(c->s, a->at, "the atom is declared here");
        return false;
    }
    if (atom_is_collective(a->row)) {
        if (!tc->elem_bits || elem->bits == tc->elem_bits) return true;
        diag_error(c->s, at,
                   "the tile of '%s' counts elements of %d bits, and '%s' has %d; name the type, "
                   "'%s'",
                   a->row->name, tc->elem_bits, elem->name, elem->bits, atom_of(c->s, a, elem));
        diag_note(c->s, a->at, "the atom is declared here");
        diag_page(c->s, a->row->page);
        return false;
    }
    if (!a->row->exact) return true;
    if (a->bits < elem->bits || a->bits % elem->bits != 0) {
        diag_error(c->s, at, "an access of %d bits cannot move a whole '%s', which has %d", a->bits,
                   elem->name, elem->bits);
        if (!a->row->in_bytes)
            diag_note(c->s, a->at, "'%s' counts bits: '%s(%d)' moves %d '%s', '%s(128)' moves %d",
                      a->row->name, a->row->name, elem->bits, 1, elem->name, a->row->name,
                      128 / elem->bits);
        else
            diag_note(c->s, a->at, "the atom is declared here");
        return false;
    }
    int64_t need = a->bits / elem->bits;
    if (tc->values % need == 0) return true;
    bool given = lay_valid(tc->val) && !tc->by_atoms;
    for (struct refusal *r = c->refused; r; r = r->next)
        if (r->at.file == tc->at.file && r->at.begin == tc->at.begin) return false;
    struct refusal *r = ARENA_NEW(&c->s->arena, struct refusal);
    *r = (struct refusal){tc->at, c->refused};
    c->refused = r;
    // without 'val=', its place is after 'thr='
    bool absent = given && tc->val_arg_at.begin == tc->val_arg_at.end;
    diag_error(c->s,
               absent  ? tc->thr_at
               : given ? tc->val_arg_at
                       : at,
               "a thread of the tile has %" PRId64 " value%s; %s moves %" PRId64
               " '%s' at once, so it needs a multiple of %" PRId64,
               tc->values, tc->values == 1 ? "" : "s", atom_text(c->s, a), need, elem->name, need);
    diag_page(c->s, "values");
    if (!given) return false;
    if (at.begin != tc->at.begin || at.file != tc->at.file)
        diag_note(c->s, at, "it moves '%s' here", elem->name);
    // the contiguous mode is the one along which threads are consecutive; mode 0 if there is none
    int along = 0, rank = lay_rank(tc->val);
    for (int i = 0; i < rank && lay_valid(tc->thr) && i < lay_rank(tc->thr); ++i) {
        struct lay m = lay_coalesce(c->lay, lay_mode(c->lay, tc->thr, i));
        if (lay_is_leaf(m.stride) && lay_int_is(m.stride->leaf, 1)) along = i;
    }
    struct buf in_values, in_atoms;
    buf_init(&in_values);
    buf_init(&in_atoms);
    for (int i = 0; i < rank; ++i) {
        struct lay_int n = lay_size(c->lay, lay_mode(c->lay, tc->val, i));
        int64_t now = n.num;
        if (i == along) now = (now + need - 1) / need * need;
        buf_printf(&in_values, "%s%" PRId64, i ? "," : "", now);
        buf_printf(&in_atoms, "%s%" PRId64, i ? "," : "", i == along ? now / need : now);
    }
    const char *v = buf_finish(&in_values, &c->s->arena);
    const char *t = buf_finish(&in_atoms, &c->s->arena);
    diag_note(c->s, tc->val_at, "'val=' counts elements: val=(%s) is one access along mode %d", v,
              along);
    diag_fixit(c->s, tc->val_at, sema_text(c, "%s(%s)", absent ? ", val=" : "", v));
    diag_claim(c->s, (struct claim){0});
    const char *typed = a->elem ? "" : sema_text(c, " with %s", atom_of(c->s, a, elem));
    diag_note(c->s, tc->val_arg_at, "'atoms=' counts accesses: atoms=(%s), along=%d is the same%s",
              t, along, typed);
    const char *comma = absent ? ", " : "";
    diag_fixit(c->s, tc->val_arg_at, sema_text(c, "%satoms=(%s), along=%d", comma, t, along));
    if (!a->elem) diag_fixit(c->s, a->at, atom_of(c->s, a, elem));
    diag_claim(c->s, (struct claim){0});
    return false;
}

// Converts atoms= and along= to values.
static struct lay scale_atoms(struct sema *c, const struct tile_args *a, struct tiled_copy *tc) {
    struct lay none = lay_layout_invalid();
    if (!tc->atom.elem) {
        diag_error(c->s, a->atoms->key.at,
                   "'atoms=' counts accesses, so the atom has to say their type: %s",
                   atom_of(c->s, &tc->atom, elem_type_find("f32")));
        diag_note(c->s, tc->atom.at, "the atom has no element type here");
        return none;
    }
    struct lay l = numbering(c, a->atoms, "access");
    int64_t along;
    if (!lay_valid(l) || !eval_int64(c, a->along->value, "'along='", &along)) return none;
    if (along < 0 || along >= lay_rank(l)) {
        diag_error(c->s, a->along->value->at,
                   "'along=%" PRId64 "' names no mode of %s, which has %d", along,
                   lay_text(c->lay, l), lay_rank(l));
        return none;
    }
    tc->by_atoms = true;
    tc->along = (int)along;
    int64_t k = tc->atom.bits / tc->atom.elem->bits;
    if (k < 1) k = 1;
    // ((k, atoms_along), others): the values of one access are consecutive along the mode
    struct lay mode[LAY_MAX_RANK];
    int rank = lay_rank(l);
    for (int i = 0; i < rank; ++i) {
        struct lay m = lay_mode(c->lay, l, i);
        struct lay_int s = lay_int(k);
        const struct lay_tuple *scaled = lay_leaf_of(c->lay, 0);
        struct lay one = lay_make(c->lay, lay_leaf(c->lay, s), lay_leaf_of(c->lay, 1));
        if (lay_int_is(lay_size(c->lay, m), 1)) {
            mode[i] = i == along ? one : lay_make(c->lay, lay_leaf_of(c->lay, 1), scaled);
            continue;
        }
        // the numbers of accesses, times k
        struct lay times = lay_compose(
            c->lay, lay_make(c->lay, lay_leaf(c->lay, lay_size(c->lay, l)), lay_leaf_of(c->lay, k)),
            m);
        mode[i] = i == along ? lay_coalesce(c->lay, lay_join(c->lay, 2, (struct lay[]){one, times}))
                             : times;
    }
    return rank == 1 && lay_is_leaf(l.shape) ? mode[0] : lay_join(c->lay, rank, mode);
}

// Makes a tiled copy from thr= and val=, like make_tiled_copy.
static bool by_layouts(struct sema *c, const struct tile_args *a, struct tiled_copy *tc,
                       const struct ast_expr *e) {
    const struct ast_arg *values = a->val ? a->val : a->atoms;
    tc->thr_at = a->thr->value->at;
    tc->val_at = tc->val_arg_at = (struct range){tc->thr_at.file, tc->thr_at.end, tc->thr_at.end};
    tc->thr = numbering(c, a->thr, "thread");
    tc->val = lay_make(c->lay, lay_leaf_of(c->lay, 1), lay_leaf_of(c->lay, 0));
    if (values) {
        tc->val_at = values->value->at;
        tc->val_arg_at = arg_range(values);
        tc->val = a->val ? numbering(c, a->val, "value") : scale_atoms(c, a, tc);
    }
    if (!lay_valid(tc->thr) || !lay_valid(tc->val)) return false;
    // a mode that only one of the two has gets extent 1 in the other
    int rank = lay_rank(tc->thr) > lay_rank(tc->val) ? lay_rank(tc->thr) : lay_rank(tc->val);
    struct lay one = lay_make(c->lay, lay_leaf_of(c->lay, 1), lay_leaf_of(c->lay, 0));
    if (lay_rank(tc->thr) < rank) tc->thr = lay_append_to(c->lay, tc->thr, rank, one);
    if (lay_rank(tc->val) < rank) tc->val = lay_append_to(c->lay, tc->val, rank, one);
    lay_clear_error(c->lay);
    // (m,n) -> thread + threads * value
    struct lay mn = lay_raked_product(c->lay, tc->thr, tc->val);
    tc->threads = lay_size(c->lay, tc->thr).num;
    tc->values = lay_size(c->lay, tc->val).num;
    const struct lay_tuple *tv_shape =
        lay_tuple2(c->lay, lay_leaf_of(c->lay, tc->threads), lay_leaf_of(c->lay, tc->values));
    // (thread, value) -> (m,n) as one number
    tc->tv = lay_with_shape(c->lay, lay_right_inverse(c->lay, mn), tv_shape);
    tc->tiler = lay_valid(mn) ? lay_product_each(c->lay, mn.shape) : NULL;
    if (!lay_valid(tc->tv) || !tc->tiler) {
        sema_lay_error(c, e->at, "the tile");
        return false;
    }
    return true;
}

bool tile_set_tv(struct sema *c, const struct value *v, struct range at, const char *what,
                 const struct lay_tuple *shape, struct tiled_copy *tc) {
    tc->val_at = tc->val_arg_at = RANGE_NONE;
    tc->thr_at = at;
    tc->thr = tc->val = lay_layout_invalid();
    if (!names_none(c, v, at, what)) return false;
    tc->tv = value_to_layout(c, v, at, what);
    if (!lay_valid(tc->tv)) return false;
    if (!lay_static(tc->tv) || tc->tv.sw.b || lay_rank(tc->tv) != 2) {
        diag_error(c->s, at,
                   "%s must be a layout of numbers with two modes, threads and values, not %s",
                   what, lay_text(c->lay, tc->tv));
        return false;
    }
    lay_clear_error(c->lay);
    tc->tiler = lay_product_each(c->lay, shape);
    struct lay_int t = lay_size(c->lay, lay_mode(c->lay, tc->tv, 0));
    struct lay_int w = lay_size(c->lay, lay_mode(c->lay, tc->tv, 1));
    if (!tc->tiler || !lay_int_static(t) || !lay_int_static(w)) {
        sema_lay_error(c, at, what);
        return false;
    }
    tc->threads = t.num;
    tc->values = w.num;
    return true;
}

static bool by_tv(struct sema *c, const struct tile_args *a, struct tiled_copy *tc) {
    const struct value *v = eval(c, a->tv->value), *s = eval(c, a->tile->value);
    if (v->kind == VAL_NONE || s->kind == VAL_NONE) return false;
    const struct lay_tuple *shape = value_to_tuple(c, s, a->tile->value->at, "'tile='");
    if (!shape) return false;
    if (!lay_tuple_static(shape)) {
        diag_error(c->s, a->tile->value->at, "'tile=' is %s; numbers are expected",
                   lay_tuple_text(c->lay, shape));
        return false;
    }
    return tile_set_tv(c, v, a->tv->value->at, "'tv='", shape, tc);
}

bool tile_check_size(struct sema *c, const struct tiled_copy *tc, struct range at) {
    if (!check_threads(c, tc->threads, tc->thr_at)) return false;
    if (tc->values < 1 || tc->values > MOST_POINTS / tc->threads) {
        diag_error(c->s, at,
                   "%" PRId64 " threads of %" PRId64 " values each; a tile has at most "
                   "%d elements",
                   tc->threads, tc->values, MOST_POINTS);
        return false;
    }
    return tile_spend(c, tc->threads * tc->values, at);
}

// Makes a tiled copy from map=, with the tile that the map fills or tile=.
static bool by_map(struct sema *c, const struct tile_args *a, struct tiled_copy *tc) {
    const struct lay_tuple *shape = NULL;
    struct range at = a->map->value->at;
    if (a->tile) {
        const struct value *v = eval(c, a->tile->value);
        at = a->tile->value->at;
        if (v->kind == VAL_NONE || !(shape = value_to_tuple(c, v, at, "'tile='"))) return false;
    }
    return tile_by_map(c, a->map->value, shape, at, tc);
}

const struct value *tile_call(struct sema *c, const struct ast_expr *e) {
    for (struct memo *m = c->memo; m; m = m->next)
        if (m->e == e) return m->value;
    struct tile_args a;
    if (!tile_args_sort(c, e, &a)) return &value_none;
    const struct value *atom = eval(c, a.atom->value);
    if (atom->kind == VAL_NONE) return atom;
    if (atom->kind != VAL_ATOM)
        return FAIL(c, a.atom->value->at, "the first argument of 'tile' must be an atom, not %s",
                    value_kind_text(atom));
    if (atom->atom->row->alone)
        return FAIL(c, a.atom->value->at,
                    "'%s' divides no tile among threads, because one of them issues all of it; "
                    "write 'copy A -> s with %s'",
                    atom->atom->row->name, atom->atom->row->name);
    struct tiled_copy *tc = ARENA_NEW(&c->s->arena, struct tiled_copy);
    tc->atom = *atom->atom;
    tc->at = e->at;
    if (a.map) {
        if (!by_map(c, &a, tc)) return &value_none;
    } else if (!(a.like ? mma_tile(c, a.like->value, tc)
                 : a.tv ? by_tv(c, &a, tc)
                        : by_layouts(c, &a, tc, e)) ||
               !tile_check_size(c, tc, e->at) || !tile_check_owners(c, tc, tc->thr_at)) {
        return &value_none;
    }
    if (!tile_sides(c, tc, a.like ? eval(c, a.like->value) : NULL, e->at)) return &value_none;
    if (tc->atom.elem && !tile_check_elem(c, tc, tc->atom.elem, e->at)) return &value_none;
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_TILED;
    v->tc = tc;
    return v;
}

// The tiled copy of all that "y" copies, with the layout "tv" of (thread, value).
static const struct value *tile_whole(struct sema *c, const struct value *tv, struct range at,
                                      const struct atom *atom, const struct copy *y) {
    const struct view *v = copy_tiled_side(y);
    const struct lay_tuple *shape = v->layout.shape;
    struct tiled_copy *tc = ARENA_NEW(&c->s->arena, struct tiled_copy);
    *tc = (struct tiled_copy){.at = at, .by = true};
    tc->atom = *atom;
    if (!tile_set_tv(c, tv, at, "'by'", shape, tc) || !tile_check_size(c, tc, at) ||
        !tile_check_owners(c, tc, at) || !tile_sides(c, tc, NULL, at))
        return &value_none;
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    r->kind = VAL_TILED;
    r->tc = tc;
    return r;
}

const struct value *tile_alone(struct sema *c, const struct atom *atom, struct range at,
                               const struct copy *y) {
    const struct view *v = copy_tiled_side(y);
    const char *name = atom->row->name;
    if (y->src.part || y->dst.part)
        return FAIL(c, at, "'%s' copies a tile of the block; this view belongs to one thread",
                    name);
    if (!lay_tuple_static(v->layout.shape))
        return FAIL(c, v->at,
                    "'%s' copies all of %s, whose extents are known only at run time; cut it with "
                    "local_tile first",
                    name, lay_tuple_text(c->lay, v->layout.shape));
    const struct lay_tuple *one = lay_leaf_of(c->lay, 1), *none = lay_leaf_of(c->lay, 0);
    struct lay_int size = lay_size(c->lay, v->layout);
    struct lay tv = lay_make(c->lay, lay_tuple2(c->lay, one, lay_leaf(c->lay, size)),
                             lay_tuple2(c->lay, none, one));
    return tile_whole(c, value_layout(c, tv), at, atom, y);
}

const struct value *tile_by(struct sema *c, const struct ast_expr *e, const struct copy *y) {
    const struct value *tv = eval(c, e);
    if (tv->kind == VAL_NONE) return tv;
    if (tv->kind == VAL_TILED) {
        const char *text = ast_expr_text(c->s, e);
        const char *source = c->s->sources.file[e->at.file].text;
        uint32_t at = e->at.begin;
        diag_error(c->s, e->at, "'%s' is a tiled copy; write 'with %s'", text, text);
        if (at > 3 && memcmp(source + at - 3, "by ", 3) == 0)
            diag_fixit(c->s, (struct range){e->at.file, at - 3, at - 1}, "with");
        return &value_none;
    }
    const struct view *v = copy_tiled_side(y);
    const struct lay_tuple *shape = v->layout.shape;
    if (!lay_tuple_static(shape))
        return FAIL(c, v->at,
                    "'by' divides all of %s, whose extents are known only at run time; cut it with "
                    "local_tile first",
                    lay_tuple_text(c->lay, shape));
    struct atom atom = atom_auto(e->at);
    return tile_whole(c, tv, e->at, &atom, y);
}
