// Warns of an input of which every block reads the same tile, while blocks write tiles of an output
// of the same shape: the block is probably missing in the coordinate of the source.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/waste/waste.h"

// The uses of an argument by a kernel.
struct uses {
    int n;
    const struct stmt *copy;  // the last statement that is a copy
    int number;               // number of that copy in textual order
};

static struct uses uses_of(const struct kernel *k, const struct tensor *t) {
    struct uses x = {0};
    int copies = 0;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            x.n += st->call->view[i].base == t;
        if (st->kind != STMT_COPY) continue;
        bool side[2] = {st->copy->src.base == t, st->copy->dst.base == t};
        if (side[0] || side[1]) {
            x.copy = st;
            x.number = copies;
        }
        x.n += side[0] + side[1];
        ++copies;
    }
    return x;
}

static int ncoords(const struct view *v) {
    return lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
}

// Whether "v" is the same in all blocks, threads and iterations.
static bool is_fixed(const struct view *v) {
    for (int i = 0; i < ncoords(v); ++i)
        if (!v->coord_off[i] || !ix_constant(v->coord_off[i])) return false;
    return ncoords(v) > 0;
}

static bool is_of_block(const struct view *v) {
    for (int i = 0; i < ncoords(v); ++i)
        for (int axis = IX_BLOCK_X; axis <= IX_BLOCK_Z; ++axis)
            if (v->coord_off[i] && ix_depends(v->coord_off[i], (enum ix_var_kind)axis)) return true;
    return false;
}

// Whether "b" is a tile of an output like "a" of an input: same shape, in tensors of the same
// shape.
static bool is_alike(const struct view *a, const struct view *b) {
    return lay_valid(a->layout) && lay_valid(b->layout) && lay_valid(a->base->layout) &&
           lay_valid(b->base->layout) && lay_tuple_equal(a->layout.shape, b->layout.shape) &&
           lay_tuple_equal(a->base->layout.shape, b->base->layout.shape);
}

static const struct view *written_alike(const struct kernel *k, const struct tensor *t,
                                        const struct view *a) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base == t && is_alike(a, &st->copy->dst) &&
            is_of_block(&st->copy->dst))
            return &st->copy->dst;
    return NULL;
}

// "local_tile(B, ..)" with the name of "a"; NULL if "b" is written in another way.
static const char *as_tile_of(struct session *s, const struct view *a, const struct view *b) {
    const char *text = source_line(s, b->at), *begin = "local_tile(";
    size_t head = strlen(begin), name = strlen(b->base->name);
    if (strncmp(text, begin, head) != 0 || strncmp(text + head, b->base->name, name) != 0 ||
        text[head + name] != ',' || strncmp(source_line(s, a->at), begin, head) != 0)
        return NULL;
    return arena_printf(&s->arena, "%s%s%s", begin, a->base->name, text + head + name);
}

static void warn(struct session *s, const struct kernel *k, const struct uses *x,
                 const struct view *b) {
    const struct view *a = &x->copy->copy->src;
    diag_warn(s, W_FIXED_TILE, a->at,
              "every block reads the same part of '%s', and '%s', which has the same shape, is "
              "written by parts of the blocks",
              a->base->name, b->base->name);
    const char *text = as_tile_of(s, a, b);
    diag_note(s, b->at, "this part of '%s' depends on the block", b->base->name);
    if (!text) return;
    diag_note(s, a->at, "'%s' is the part of '%s' at the same place", text, a->base->name);
    diag_fixit(s, a->at, text);
    diag_claim(s, (struct claim){k->name, x->number, 0, CHEAPER_NOT, false, false, false});
}

void waste_tiles(struct session *s, const struct kernel *k) {
    for (int i = 0; i < k->nformals && !k->device; ++i) {
        const struct tensor *t = k->formal[i].tensor;
        if (k->formal[i].dir != ARG_IN || !t) continue;
        struct uses x = uses_of(k, t);
        if (x.n != 1 || !x.copy) continue;
        const struct view *a = &x.copy->copy->src, *b = NULL;
        if (a->base != t || t->space != MEM_GLOBAL || !is_fixed(a)) continue;
        if (lay_int_equal(lay_size(&s->lay, a->layout), lay_size(&s->lay, t->layout))) continue;
        for (int j = 0; j < k->nformals && !b; ++j)
            if (k->formal[j].dir == ARG_OUT) b = written_alike(k, k->formal[j].tensor, a);
        if (b) warn(s, k, &x, b);
    }
    lay_clear_error(&s->lay);
}
