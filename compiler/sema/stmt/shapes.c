// Whether the two sides of a copy have the same shape, and messages if they differ.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "sema/stmt/stmt.h"

enum { MOST_MODES = 6 };  // limit for searching other orders

static const char *view_origin(struct sema *c, const struct view *v) {
    const char *layout = lay_valid(v->layout) ? lay_text(c->lay, v->layout) : "like a tiled copy";
    return sema_text(c, "'%s' here is %s", v->base->name, layout);
}

struct leaves {
    int n;
    const struct lay_tuple *extent[LAY_MAX_LEAVES], *stride[LAY_MAX_LEAVES];
};

// Appends the leaves of "shape" with more than one element.
static void collect(const struct lay_tuple *shape, const struct lay_tuple *stride,
                    struct leaves *l) {
    if (lay_is_leaf(shape)) {
        if (lay_int_is(shape->leaf, 1) || l->n == LAY_MAX_LEAVES) return;
        l->extent[l->n] = shape;
        l->stride[l->n++] = stride;
        return;
    }
    for (int i = 0; i < shape->rank; ++i) collect(shape->kid[i], stride->kid[i], l);
}

// The leaves of "v" with more than one element, as a map of "v".
static struct lay only_leaves(struct sema *c, const struct view *v, struct leaves *l) {
    struct lay id = view_identity(c->s, v);
    l->n = 0;
    collect(id.shape, id.stride, l);
    if (l->n == 0) {
        l->extent[0] = lay_leaf_of(c->lay, 1);
        l->stride[l->n++] = lay_leaf_of(c->lay, 0);
    }
    if (l->n > LAY_MAX_RANK) return lay_layout_invalid();
    return lay_make(c->lay, lay_tuple(c->lay, l->n, l->extent), lay_tuple(c->lay, l->n, l->stride));
}

// If thread parts differ only in nesting and in modes of one element, gives both the same modes. If
// they differ in more, returns false and leaves both unchanged.
static bool agree_flat(struct sema *c, struct copy *y) {
    struct leaves *a = ARENA_NEW(&c->s->arena, struct leaves);
    struct leaves *b = ARENA_NEW(&c->s->arena, struct leaves);
    struct lay f = only_leaves(c, &y->src, a), g = only_leaves(c, &y->dst, b);
    if (!lay_valid(f) || !lay_valid(g) || !lay_tuple_equal(f.shape, g.shape)) return false;
    y->src = view_map(c->s, y->src, f, y->src.at);
    y->dst = view_map(c->s, y->dst, g, y->dst.at);
    return true;
}

void shapes_note_stages(struct sema *c, const struct view *v, int other) {
    int n = lay_rank(v->layout);
    if (!v->base->stages || n != lay_rank(v->base->layout) || n != other + 1) return;
    if (c->part) {
        diag_note(c->s, v->at,
                  "no 'load' of this pipeline fills '%s', so it has no slot for this step here; "
                  "'load' fills what 'use' reads",
                  v->base->name);
        return;
    }
    struct buf b;
    buf_init(&b);
    for (int i = 0; i + 1 < n; ++i) buf_puts(&b, i ? ",_" : "(_");
    const struct symbol *step = c->last;
    while (step && step->kind != SYM_LOOP) step = step->prev;
    if (step)
        buf_printf(&b, ",%s %% %d)", step->name, v->base->stages);
    else
        buf_puts(&b, ",0)");
    const char *slot = buf_finish(&b, &c->s->arena);
    diag_note(c->s, v->at,
              step ? "outside a pipeline the %d stages of '%s' are its last mode; '%s%s' takes one "
                     "after the other"
                   : "outside a pipeline the %d stages of '%s' are its last mode; '%s%s' is one",
              v->base->stages, v->base->name, v->base->name, slot);
    diag_fixit(c->s, (struct range){v->at.file, v->at.end, v->at.end}, slot);
}

static bool starts_with(struct sema *c, struct range at, const char *text) {
    return strncmp(source_line(c->s, at), text, strlen(text)) == 0;
}

static bool is_local_tile(struct sema *c, struct range at) {
    return starts_with(c, at, "local_tile(");
}

// Whether the destination "b" has the extents of "a" in another order: an unmarked transposition.
// Notes how to write it.
static void note_order(struct sema *c, const struct copy *y, const struct view *a,
                       const struct view *b) {
    int n = lay_rank(a->layout), order[MOST_MODES];
    bool taken[MOST_MODES] = {false};
    if (n > MOST_MODES || n != lay_rank(b->layout)) return;
    for (int i = 0; i < n; ++i) {
        struct lay_int want = lay_size(c->lay, lay_mode(c->lay, a->layout, i));
        int k = 0;
        while (k < n &&
               (taken[k] || !lay_int_equal(want, lay_size(c->lay, lay_mode(c->lay, b->layout, k)))))
            ++k;
        if (k == n) return;
        taken[order[i] = k] = true;
    }
    struct buf t;
    buf_init(&t);
    for (int i = 0; i < n; ++i) buf_printf(&t, "%s%d", i ? "," : "", order[i]);
    const char *text = buf_finish(&t, &c->s->arena);
    const char *name = b->base->name;
    if (!y->tc && !y->atom) {
        if (!a->names != !b->names)
            diag_note(c->s, (a->names ? b : a)->base->at,
                      "the modes of '%s' have names, those of '%s' have none",
                      (a->names ? a : b)->base->name, (a->names ? b : a)->base->name);
        diag_note(c->s, b->at,
                  "with names, 'row(m=64,n=32)' of one tensor and 'row(n=32,m=64)' of the other, "
                  "modes of one name belong together: a transposition");
        return;
    }
    bool by_mode = n == 2 && !a->names && !b->names;
    for (int i = 0; i < 2; ++i) {
        const struct view *v = i ? b : a;
        const char *inner = view_turned_text(c->s, v);
        if (!by_mode || !view_is_select(c->s, v) || strncmp(inner, "select(", 7) == 0) continue;
        if (i == 0 && is_local_tile(c, b->at)) continue;
        diag_note(c->s, v->at, "without 'select' the extents of both sides are in one order");
        diag_fixit(c->s, v->at, inner);
        return;
    }
    bool tile = false;
    for (int i = 0; i < 2; ++i) tile |= is_local_tile(c, i ? b->at : a->at);
    if (tile && by_mode && starts_with(c, a->at, "select(")) {
        diag_note(c->s, b->at,
                  "'select' exchanges the extents of the tile, so this one is (%s,%s) elements of "
                  "'%s'",
                  lay_int_text(c->lay, lay_size(c->lay, lay_mode(c->lay, a->layout, 0))),
                  lay_int_text(c->lay, lay_size(c->lay, lay_mode(c->lay, a->layout, 1))), name);
        return;
    }
    if (tile && by_mode)
        diag_note(c->s, is_local_tile(c, a->at) ? a->at : b->at,
                  "if no transposition is meant, both sides have the extents of the tile in one "
                  "order");
    diag_note(c->s, b->at, "'select(%s, (%s))' has its modes in the order of the source%s", name,
              text, tile && by_mode ? ", and transposes" : "");
    struct range end = {b->at.file, b->at.end, b->at.end},
                 begin = {b->at.file, b->at.begin, b->at.begin};
    diag_fixit(c->s, begin, "select(");
    diag_fixit(c->s, end, sema_text(c, ", (%s))", text));
}

// Whether "v" is a complete buffer or slot of one, and not a part.
static bool is_buffer(struct sema *c, const struct view *v) {
    const struct lay_tuple *have = v->layout.shape, *all = v->base->layout.shape;
    int n = lay_tuple_rank(have);
    if (v->part || v->partitioned || n > lay_tuple_rank(all)) return false;
    for (int i = 0; i < n; ++i)
        if (!lay_tuple_equal(lay_tuple_get(c->lay, have, i), lay_tuple_get(c->lay, all, i)))
            return false;
    return true;
}

// Whether both are a thread's parts made by local_partition.  Notes what would make them parts of one shape
// with their elements in their places; a transposition of one would not.
static bool note_partitions(struct sema *c, const struct view *a, const struct view *b) {
    const struct partitioned *p = a->partitioned, *q = b->partitioned;
    if (!p || !q) return false;
    if (!lay_equal(p->thr, q->thr)) {
        diag_note(c->s, q->thr_at, "with one layout on both sides, each element keeps its place");
        diag_fixit(c->s, q->thr_at, source_line(c->s, p->thr_at));
    } else if (lay_valid(p->of->layout) && lay_valid(q->of->layout)) {
        diag_note(c->s, q->of_at, "'%s' has the shape %s here, and '%s' has %s: make them equal",
                  b->base->name, lay_tuple_text(c->lay, q->of->layout.shape), a->base->name,
                  lay_tuple_text(c->lay, p->of->layout.shape));
    }
    return true;
}

// Whether mode "m" of the buffer "v" is slightly longer than that of "other", as if for padding.
// Notes where padding belongs.
static bool note_padding(struct sema *c, const struct view *v, const struct view *other, int m) {
    enum { MOST_PADDING = 16 };
    struct lay_int n[2], have = lay_size(c->lay, lay_mode(c->lay, v->layout, m));
    for (int i = 0; i < 2; ++i) n[i] = lay_size(c->lay, lay_mode(c->lay, other->layout, i));
    if (!space_is_shared(v->base->space) || other->part || other->partitioned || !is_buffer(c, v))
        return false;
    if (!lay_int_static(n[0]) || !lay_int_static(n[1]) || !lay_int_static(have) ||
        have.num <= n[m].num || have.num > n[m].num + MOST_PADDING || have.num >= 2 * n[m].num)
        return false;
    // the buffer keeps its order, so padding makes the contiguous mode longer
    const struct lay_tuple *step = lay_tuple_get(c->lay, v->layout.stride, 1);
    bool rows = lay_is_leaf(step) && lay_int_equal(step->leaf, lay_int(1));
    have = lay_size(c->lay, lay_mode(c->lay, v->layout, rows));
    if (!lay_int_static(have) || have.num <= n[rows].num) return false;
    diag_note(c->s, v->base->layout_at,
              rows ? "padding is in the strides, and the extents stay as they are: "
                     "'(%" PRId64 ",%" PRId64 "):(%" PRId64 ",1)'"
                   : "padding is in the strides, and the extents stay as they are: "
                     "'(%" PRId64 ",%" PRId64 "):(1,%" PRId64 ")'",
              n[0].num, n[1].num, have.num);
    return true;
}

// Notes if one side is a thread's part, and the other belongs to the block.
static void note_part(struct sema *c, const struct view *a, const struct view *b) {
    bool first = a->part || a->base->space == MEM_FRAG;
    const struct view *part = first ? a : b, *whole = first ? b : a;
    bool frag = part->base->space == MEM_FRAG;
    if (!part->part && !frag) return;
    if (whole->part || whole->base->space == MEM_FRAG || view_of_thread(whole)) return;
    diag_note(c->s, whole->at,
              frag ? "each thread has its own '%s', and '%s' belongs to the block: a tiled copy "
                     "gives each thread a part of it"
                   : "'%s' here is what one thread has, and '%s' belongs to the block",
              part->base->name, whole->base->name);
}

// The modes of "v" whose names no mode of "other" has.
static void note_missing(struct sema *c, const struct view *v, const struct view *other) {
    for (int i = 0; v->names && other->names && i < lay_rank(v->layout); ++i) {
        bool has = !v->names[i];
        for (int j = 0; j < lay_rank(other->layout); ++j) has |= other->names[j] == v->names[i];
        if (has) continue;
        diag_note(c->s, v->at, "'%s' here has a mode '%s', and '%s' here has none of this name",
                  v->base->name, v->names[i], other->base->name);
    }
}

// Whether the source "a" has the extents of the destination "b" without its mode "m".
static bool lacks_mode(struct sema *c, const struct view *a, const struct view *b, int m) {
    for (int i = 0, n = lay_rank(a->layout); i < n; ++i) {
        struct lay_int have = lay_size(c->lay, lay_mode(c->lay, a->layout, i));
        struct lay_int want = lay_size(c->lay, lay_mode(c->lay, b->layout, i + (i >= m)));
        if (!lay_int_valid(have) || !lay_int_valid(want) || !lay_int_equal(have, want))
            return false;
    }
    return true;
}

// The mode of its tensor of which "v" has a single coordinate, of "n" elements, by a number; -1: there is none.
static int left_out(struct sema *c, const struct view *v, struct lay_int n) {
    if (!lay_valid(v->coord)) return -1;
    const struct lay_tuple *all = lay_tuple_flatten(c->lay, v->base->layout.shape);
    const struct lay_tuple *shape = lay_tuple_flatten(c->lay, v->coord.shape);
    const struct lay_tuple *step = lay_tuple_flatten(c->lay, v->coord.stride);
    int leaves = lay_is_leaf(shape) ? 1 : shape->rank;
    for (int m = 0; !lay_is_leaf(all) && m < all->rank; ++m) {
        bool has = !lay_int_equal(all->kid[m]->leaf, n) || !ix_static(v->coord_off[m], NULL);
        for (int i = 0; i < leaves && !has; ++i) {
            int path[3];
            struct lay_int k = lay_is_leaf(step) ? step->leaf : step->kid[i]->leaf;
            has = k.num != 0 && lay_int_basis_path(k, path) >= 1 && path[0] == m;
        }
        if (!has) return m;
    }
    return -1;
}

// Notes that the source "a" leaves out a mode of its tensor with as many elements as the destination has more.
static bool note_left_out(struct sema *c, const struct view *a, struct lay_int n) {
    int m = left_out(c, a, n);
    if (m < 0) return false;
    const char *name = a->base->name, *text = source_line(c->s, a->at);
    const char *along = view_mode_text(c->s, a->base, m), *end = strstr(text, "))");
    bool select = strncmp(text, "select(", 7) == 0 && end && end[2] == 0 &&
                  strncmp(text + 7, name, strlen(name)) == 0 && text[7 + strlen(name)] == ',';
    diag_note(c->s, a->at,
              select ? "'%s' has %s elements along %s too, and 'select' leaves this mode out"
                     : "'%s' has %s elements along %s too, where this is a single coordinate",
              name, lay_int_text(c->lay, n), along);
    if (!select) return true;
    uint32_t at = a->at.begin + (uint32_t)(end - text);
    diag_fixit(c->s, (struct range){a->at.file, at, at}, sema_text(c, ",%d", m));
    return true;
}

// Notes how to repeat the source "a" along the first or the last mode of the destination "b".
static void note_repeat(struct sema *c, const struct view *a, const struct view *b) {
    int last = lay_rank(a->layout);
    if (last + 1 != lay_rank(b->layout)) return;
    bool first = lacks_mode(c, a, b, 0);
    if (first == lacks_mode(c, a, b, last)) return;  // neither, or both
    if (!first && b->base->stages) return;           // a slot is meant, and not all of them
    struct lay_int n = lay_size(c->lay, lay_mode(c->lay, b->layout, first ? 0 : last));
    if (note_left_out(c, a, n)) return;
    const char *call = first ? "prepend" : "append", *by = lay_int_text(c->lay, n);
    diag_note(c->s, a->at, "'%s(%s, %s:0)' repeats the source along mode %d", call,
              source_line(c->s, a->at), by, first ? 0 : last);
    diag_fixit(c->s, (struct range){a->at.file, a->at.begin, a->at.begin},
               sema_text(c, "%s(", call));
    diag_fixit(c->s, (struct range){a->at.file, a->at.end, a->at.end}, sema_text(c, ", %s:0)", by));
}

bool copy_shapes(struct sema *c, struct copy *y) {
    const struct view *a = &y->src, *b = &y->dst;
    if (!lay_valid(a->layout) || !lay_valid(b->layout)) return true;
    // a thread's part of a tile: pass "partition" compares the sizes
    if (y->tc && (a->base->space == MEM_FRAG) != (b->base->space == MEM_FRAG)) return true;
    int ra = lay_rank(a->layout), rb = lay_rank(b->layout);
    int bad = -1;
    struct lay_int na = lay_int(0), nb = lay_int(0);
    for (int i = 0; ra == rb && i < ra && bad < 0; ++i) {
        na = lay_size(c->lay, lay_mode(c->lay, a->layout, i));
        nb = lay_size(c->lay, lay_mode(c->lay, b->layout, i));
        if (!lay_int_valid(na) || !lay_int_valid(nb) || !lay_int_equal(na, nb)) bad = i;
    }
    if (ra == rb && bad < 0) return true;
    if (y->atom && agree_flat(c, y)) return true;
    const char *sa = lay_tuple_text(c->lay, a->layout.shape);
    const char *sb = lay_tuple_text(c->lay, b->layout.shape);
    const char *name = bad >= 0 && a->names && b->names ? a->names[bad] : NULL;
    if (name && b->names[bad] != name) name = NULL;
    if (name)
        diag_error(c->s, y->at, "mode '%s' has extent %s in '%s' and %s in '%s'", name,
                   lay_int_valid(na) ? lay_int_text(c->lay, na) : "?", a->base->name,
                   lay_int_valid(nb) ? lay_int_text(c->lay, nb) : "?", b->base->name);
    else if (ra != rb)
        diag_error(c->s, y->at, "the source %s has %d mode%s, the destination %s has %d", sa, ra,
                   ra == 1 ? "" : "s", sb, rb);
    else
        diag_error(c->s, y->at, "mode %d of the source %s has extent %s, of the destination %s %s",
                   bad, sa, lay_int_valid(na) ? lay_int_text(c->lay, na) : "?", sb,
                   lay_int_valid(nb) ? lay_int_text(c->lay, nb) : "?");
    diag_page(c->s, "shapes");
    diag_note(c->s, a->at, "%s", view_origin(c, a));
    diag_note(c->s, b->at, "%s", view_origin(c, b));
    if (ra != rb) {
        note_missing(c, a, b);
        note_missing(c, b, a);
    }
    shapes_note_stages(c, a, rb);
    shapes_note_stages(c, b, ra);
    if (ra != rb) note_part(c, a, b);
    if (ra < rb) note_repeat(c, a, b);
    if (ra < rb) view_note_tile(c->s, a);
    if (rb < ra) view_note_tile(c->s, b);
    if (note_partitions(c, a, b)) return false;
    if (!name) note_order(c, y, a, b);
    if (ra == 2 && rb == 2 && bad >= 0 && !note_padding(c, a, b, bad)) note_padding(c, b, a, bad);
    return false;
}
