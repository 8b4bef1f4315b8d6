// Tensors: their element type, memory, layout and alignment.
#include <string.h>

#include <inttypes.h>
#include <string.h>

#include "base/warnings.h"
#include "plan/mma.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/view/viewfn.h"
#include "syntax/foreign.h"

static const struct elem_type *find_elem(struct sema *c, const struct ast_ident *id) {
    const struct elem_type *elem = elem_type_find(id->name);
    if (elem) return elem;
    const char *names[64];
    int n = 0;
    for (int i = 0; i < n_elem_types && n < 64; ++i) names[n++] = elem_types[i].name;
    const char *ours, *help = foreign_type_help(c->s, id->name, &ours);
    if (help) {
        diag_error(c->s, id->at, "'%s' is not an element type; %s", id->name, help);
        if (ours) diag_fixit(c->s, id->at, ours);
        return NULL;
    }
    const char *near = diag_did_you_mean(id->name, names, n);
    int parts;
    const char *part = foreign_vector(id->name, &parts);
    if (part && elem_type_find(part)->bits * parts <= 128) {
        diag_error(c->s, id->at, "'%s' is not an element type; the elements are '%s', and %s",
                   id->name, part,
                   sema_text(c, "'universal(%d)' moves %d of them at once",
                             elem_type_find(part)->bits * parts, parts));
        diag_fixit(c->s, id->at, part);
        return NULL;
    }
    if (strcmp(id->name, "row") == 0 || strcmp(id->name, "col") == 0) {
        diag_error(c->s, id->at, "the element type is missing before '%s': 'f16 %s(64,64)'",
                   id->name, id->name);
        return NULL;
    }
    diag_error(c->s, id->at,
               near ? "'%s' is not an element type; did you mean '%s'?"
                    : "'%s' is not an element type",
               id->name, near);
    if (near) diag_fixit(c->s, id->at, near);
    return NULL;
}

// Checks that strides are numbers, and with "forwards" that they are not negative.
static bool check_modes(struct sema *c, const char *name, const struct lay_tuple *shape,
                        const struct lay_tuple *stride, bool forwards, struct range at) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i)
            if (!check_modes(c, name, shape->kid[i], stride->kid[i], forwards, at)) return false;
        return true;
    }
    int64_t lo, hi;
    if (shape->leaf.basis >= 0 || stride->leaf.basis >= 0) {
        diag_error(c->s, at, "the strides of '%s' are basis elements; numbers are expected", name);
        return false;
    }
    lay_int_range(stride->leaf, &lo, &hi);
    if (lo < 0 && forwards) {
        sema_not_yet(
            c, at,
            sema_text(c,
                      "a tensor that is not global cannot have the negative stride %s; declare it "
                      "positive, and write coordinates that count down: s(7 - i)",
                      lay_int_text(c->lay, stride->leaf)));
        return false;
    }
    return true;
}

// Adds the largest and the smallest offset in a layout; false if one may exceed 2^62.
static bool reach(const struct lay_tuple *shape, const struct lay_tuple *stride, int64_t *most,
                  int64_t *least) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i)
            if (!reach(shape->kid[i], stride->kid[i], most, least)) return false;
        return true;
    }
    if (!lay_int_static(shape->leaf) || !lay_int_static(stride->leaf)) return true;
    int64_t span, *sum = stride->leaf.num < 0 ? least : most;
    return !__builtin_mul_overflow(shape->leaf.num - 1, stride->leaf.num, &span) &&
           !__builtin_add_overflow(*sum, span, sum) && *most < INT64_C(1) << 62 &&
           *least > -(INT64_C(1) << 62);
}

// FRAG_BYTES: local memory of a thread, to which registers spill (CUDA C++ Programming Guide,
// technical specifications by compute capability).
enum { FRAG_BYTES = 512 * 1024, MOST_BYTES = 1 << 30 };

// The most modes that coordinates can name (lay_int_basis), including modes in nested shapes and
// slots.
enum { MOST_COORDINATES = 32 };

static bool check_layout(struct sema *c, struct tensor *t, struct range at) {
    int modes = lay_tuple_leaves(t->layout.shape);
    if (t->space != MEM_FRAG && modes > MOST_COORDINATES) {
        diag_error(c->s, at,
                   "'%s' has %d modes, with those of nested shapes and of stages; the limit is %d",
                   t->name, modes, MOST_COORDINATES);
        return false;
    }
    bool forwards = t->space != MEM_GLOBAL;
    if (!check_modes(c, t->name, t->layout.shape, t->layout.stride, forwards, at)) return false;
    int64_t most = 0, least = 0, first, last;
    lay_int_range(t->layout.offset, &first, &last);
    if (first < 0) {
        diag_error(c->s, at, "'%s' begins at element %s of its memory; it must begin at 0 or later",
                   t->name, lay_int_text(c->lay, t->layout.offset));
        return false;
    }
    if (lay_int_static(t->layout.offset)) most = first;
    struct lay_int size = lay_size(c->lay, t->layout);
    if (!lay_int_valid(size) || !reach(t->layout.shape, t->layout.stride, &most, &least) ||
        (lay_int_static(size) && size.num > INT64_C(1) << 62)) {
        bool many = !lay_int_valid(size) || (lay_int_static(size) && size.num > INT64_C(1) << 62);
        diag_error(c->s, at,
                   many ? "'%s' has more than 2^62 elements" : "the offsets of '%s' go beyond 2^62",
                   t->name);
        return false;
    }
    if (lay_static(t->layout) && lay_int_static(t->layout.offset) && first + least < 0) {
        diag_error(c->s, at,
                   "'%s' has an element %" PRId64
                   " before its memory: a stride is negative, so an offset comes before the "
                   "layout, '%" PRId64 "+%s'",
                   t->name, -(first + least), -least, lay_text(c->lay, lay_inner(t->layout)));
        return false;
    }
    if (t->space != MEM_GLOBAL && !lay_static(t->layout)) {
        diag_error(c->s, at, "'%s' is %s; its layout must be known when compiling: %s", t->name,
                   space_place(t->space), lay_text(c->lay, t->layout));
        diag_note(c->s, at,
                  "a buffer holds a tile of fixed size, such as (64,64); a grid or a loop goes "
                  "through the tiles, 'local_tile(A, (64,64), (block.x, block.y))'");
        return false;
    }
    if (t->space == MEM_FRAG && t->layout.sw.b) {
        diag_error(c->s, at, "'%s' is a fragment; registers have no swizzle", t->name);
        return false;
    }
    if (t->space != MEM_GLOBAL && lay_static(t->layout)) {
        int64_t limit = MOST_BYTES;
        int64_t bytes = most < limit ? (most + 1) * (t->elem->bits / 8) : limit + 1;
        if (t->space == MEM_FRAG && bytes > FRAG_BYTES) {
            diag_error(c->s, at,
                       "'%s' needs more than a thread has: 255 registers and %d KB of local memory",
                       t->name, FRAG_BYTES / 1024);
            return false;
        }
        if (bytes > limit) {
            diag_error(c->s, at, "'%s' needs more than 2^30 bytes of %s memory", t->name,
                       space_name(t->space));
            return false;
        }
    }
    return true;
}

// Warns of a swizzle that changes no offset of the layout.
static void warn_moves_nothing(struct sema *c, const struct tensor *t, struct range at) {
    struct lay_swizzle sw = t->layout.sw;
    struct lay_int n = lay_span(c->lay, lay_inner(t->layout));
    int from = sw.m + (sw.s > 0 ? sw.s : 0);
    lay_clear_error(c->lay);
    if (!sw.b || !lay_int_is(t->layout.offset, 0) || !lay_int_static(n) || from > 40 ||
        n.num > INT64_C(1) << from)
        return;
    diag_warn(c->s, W_NEEDLESS_SWIZZLE, at,
              "the swizzle Sw<%d,%d,%d> moves no element of '%s': it reads bit %d of an offset and "
              "above, and the last offset is %" PRId64,
              sw.b, sw.m, sw.s, t->name, from, n.num - 1);
}

// Adds a last mode of "n" stages.  The distance of stages is a multiple of the swizzle's period, and of 128
// bytes where boxes of a tensor map may begin in each.
static bool add_stages(struct sema *c, struct tensor *t, const struct ast_expr *e) {
    int64_t n;
    if (!eval_int64(c, e, "the number of stages", &n)) return false;
    if (n < 1 || n > 64) {
        diag_error(c->s, e->at, "%" PRId64 " stages; a buffer has 1 .. 64", n);
        return false;
    }
    struct lay plain = lay_inner(t->layout);
    struct lay_int one = lay_span(c->lay, plain);
    if (!lay_int_static(one)) {
        sema_lay_error(c, e->at, "the stages");
        return false;
    }
    if (one.num > MOST_BYTES) {
        diag_error(c->s, e->at, "'%s' needs more than 2^30 bytes of %s memory", t->name,
                   space_name(t->space));
        return false;
    }
    struct lay_swizzle sw = t->layout.sw;
    int shift = sw.s < 0 ? -sw.s : sw.s;
    int64_t period = sw.b ? INT64_C(1) << (sw.m + shift + sw.b > 40 ? 40 : sw.m + shift + sw.b) : 1;
    int64_t boxes = c->boxed ? 128 / lay_gcd(128, t->elem->bits / 8) : 1;  // both are powers of two
    if (period < boxes) period = boxes;
    int64_t step = (one.num + period - 1) / period * period;
    struct lay mode =
        lay_make(c->lay, lay_leaf_of(c->lay, n), lay_leaf_of(c->lay, n == 1 ? 0 : step));
    struct lay all[LAY_MAX_RANK];
    int rank = lay_rank(plain);
    if (rank + 1 > LAY_MAX_RANK) {
        diag_error(c->s, e->at, "'%s' has %d modes; there is no room for the mode of its stages",
                   t->name, rank);
        return false;
    }
    for (int i = 0; i < rank; ++i) all[i] = lay_mode(c->lay, plain, i);
    all[rank] = mode;
    struct lay joined = lay_join(c->lay, rank + 1, all);
    if (!lay_valid(joined)) {
        sema_lay_error(c, e->at, "the stages");
        return false;
    }
    joined.offset = t->layout.offset;
    joined.sw = sw;
    joined.composed = t->layout.composed;
    t->layout = joined;
    t->stages = (int)n;
    if (!t->names) return true;
    const char **name = ARENA_ARRAY(&c->s->arena, const char *, rank + 1);
    for (int i = 0; i < rank; ++i) name[i] = t->names[i];
    t->names = name;  // the mode of slots has no name
    return true;
}

static bool set_align(struct sema *c, struct tensor *t, const struct ast_type *type) {
    int own = t->elem->bits / 8;
    t->align_at = (struct range){type->at.file, type->at.end, type->at.end};
    if (!type->align) return true;
    if (t->space == MEM_FRAG) {
        diag_error(c->s, type->align_at, "'%s' is a fragment; registers have no alignment",
                   t->name);
        return false;
    }
    int64_t a = type->align;
    if (a < 1 || a > 1 << 20 || (a & (a - 1)) != 0) {
        diag_error(c->s, type->align_at,
                   "an alignment of %" PRId64 " bytes; it must be a power of two, at most 2^20", a);
        return false;
    }
    if (a < own) {
        diag_error(c->s, type->align_at, "an alignment of %" PRId64 " bytes; '%s' needs %d", a,
                   t->elem->name, own);
        return false;
    }
    t->align = (int)a;
    return true;
}

// Sets "out" to where the view "v" begins.
static bool begin_of(struct sema *c, const struct value *v, struct range at, struct lay_int *out) {
    const struct ix *sum = ix_int(c->s, 0);
    for (int i = 0; i < v->calc.offset.n; ++i)
        sum = ix_add(c->s, sum, ix_lay(c->s, v->calc.offset.term[i]));
    if (sum) sum = sums_written_out(c, sum);
    return sum && (ix_monomial(sum, out) || sum_of_params(c, sum, at, "the offset", out));
}

struct tensor *make_tensor(struct sema *c, struct ast_ident name, const struct ast_type *type,
                           const struct ast_expr *stages) {
    struct tensor *t = ARENA_NEW(&c->s->arena, struct tensor);
    *t = (struct tensor){.name = name.name, .space = type->space, .at = name.at};
    t->elem = find_elem(c, &type->elem);
    t->elem_at = type->elem.at;
    t->layout_at = type->shape->at;
    c->sought.sizes = !type->like;
    c->may_be_empty = t->space == MEM_GLOBAL;
    const struct value *v = empty_extents(c, eval(c, type->shape), type->shape->at);
    c->sought.sizes = c->may_be_empty = false;
    if (v->kind == VAL_NONE || !t->elem) return NULL;
    if (type->like) {
        bool operand = v->kind == VAL_CALC && v->mma;
        if (v->kind != VAL_TILED && v->kind != VAL_VIEW && !operand) {
            diag_error(c->s, type->shape->at,
                       "'like' takes a tiled copy, a tensor or an operand of a tiled MMA, not %s",
                       value_kind_text(v));
            return NULL;
        }
        if (t->space != MEM_FRAG) {
            diag_error(c->s, type->shape->at,
                       "'like' is for fragments; '%s' is %s, and takes a shape", t->name,
                       space_place(t->space));
            return NULL;
        }
        if (operand) {
            lay_clear_error(c->lay);
            t->layout = mma_fragment(c->s, v->mma, (enum mma_operand)v->operand);
            t->holds = mma_operand_tile(c->s, v->mma, (enum mma_operand)v->operand);
            return check_layout(c, t, type->shape->at) && set_align(c, t, type) ? t : NULL;
        }
        if (v->kind == VAL_VIEW) {
            if (!view_whole(c, &v->view, type->shape->at)) return NULL;
            lay_clear_error(c->lay);
            t->layout = lay_make_col(c->lay, v->view.layout.shape);
            return check_layout(c, t, type->shape->at) && set_align(c, t, type) ? t : NULL;
        }
        t->like = v->tc;
        t->layout = lay_layout_invalid();
        return set_align(c, t, type) ? t : NULL;
    }
    if (layout_lacks_colon(c, type->shape, v)) return NULL;
    bool later = t->space == MEM_GLOBAL && v->kind == VAL_CALC && v->calc.kind == CALC_VIEW;
    if (later)
        t->layout = v->calc.layout;
    else
        t->layout = value_to_layout(c, names_drop(c, v), type->shape->at,
                                    sema_text(c, "the layout of '%s'", t->name));
    if (!lay_valid(t->layout)) return NULL;
    if (later && !begin_of(c, v, type->shape->at, &t->layout.offset)) return NULL;
    shadowed_shape(c, v, type->shape);
    t->names = v->names;
    warn_moves_nothing(c, t, type->shape->at);
    if (stages && !add_stages(c, t, stages)) return NULL;
    if (!check_layout(c, t, type->shape->at) || !set_align(c, t, type)) return NULL;
    return t;
}
