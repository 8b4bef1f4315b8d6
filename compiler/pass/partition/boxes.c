// Which boxes of a tensor map a copy by TMA consists of (see boxes.h).
//
// A box is packed in shared memory, its dimensions in the order of the map.  So the modes of the tile
// are taken in the order of their strides in the destination: each one that continues the box along
// one mode of the tensor becomes a part of it, and what is left counts boxes.  The map has all modes
// of the tensor, those of the box first.
#include "pass/partition/boxes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/partition/modes.h"
#include "pass/partition/single.h"
#include "plan/view.h"

enum { BOX_MOST = 256, GRANULE = 16, ROWS_AT = 128 };  // elements of a mode; bytes

enum { COORD, DST };

struct finding {
    struct session *s;
    const struct copy *c;
    const struct view *mem, *buf;             // the tensor's side, and that in shared memory
    bool stores;                              // from the buffer to the tensor
    const struct lay_tuple *extent, *stride;  // flattened, of the tensor
    int nmodes, bytes;                        // bytes of an element
    int dim_of[LAY_MAX_LEAVES];               // by mode of the tensor; -1: none yet
    struct copy_boxes *out;
};

static bool refuse(struct finding *f, const char *why) {
    diag_error(f->s, f->c->at, "'%s' cannot copy this: %s", copy_atom(f->c)->row->name, why);
    diag_page(f->s, copy_atom(f->c)->row->page);
    return false;
}

static struct lay_int mode_stride(const struct finding *f, int mode) {
    return lay_tuple_get(&f->s->lay, f->stride, mode)->leaf;
}

static struct lay_int mode_extent(const struct finding *f, int mode) {
    return lay_tuple_get(&f->s->lay, f->extent, mode)->leaf;
}

static const char *mode_text(const struct finding *f, int mode) {
    return view_mode_text(f->s, f->mem->base, mode);
}

// -- the map --------------------------------------------------------------------------------------

// Whether "p" bounds what is copied by the tensor alone.
static bool of_tensor(const struct finding *f, const struct predicate *p) {
    return f->stores ? p->dst : p->src;
}

// The end of what is read along mode "mode": where the map ends, so that zeros follow.
static bool set_extent(struct finding *f, int dim) {
    struct session *s = f->s;
    const struct copy_facts *y = &f->c->facts;
    int mode = f->out->mode[dim];
    const struct ix *end = NULL;
    for (int i = 0; i < y->npred; ++i) {
        const struct predicate *p = &y->pred[i];
        int64_t begin;
        if (!of_tensor(f, p) || p->of != f->mem->base || p->mode != mode) continue;
        if (p->front) {
            if (ix_static(p->limit, &begin) && begin == 0) continue;
            return refuse(f, arena_printf(&s->arena,
                                          "what is before %s along %s would have to be %s, and a "
                                          "tensor map begins at 0",
                                          ix_text(s, p->limit), mode_text(f, mode),
                                          f->stores ? "left alone" : "0"));
        }
        if (!ix_constant(p->limit) || (end && !ix_equal(end, p->limit)))
            return refuse(f, arena_printf(&s->arena,
                                          "along %s it ends at %s, and the launcher makes the "
                                          "tensor map before it knows that",
                                          mode_text(f, mode), ix_text(s, p->limit)));
        end = p->limit;
    }
    f->out->extent[dim] = end ? end : ix_lay(s, mode_extent(f, mode));
    return true;
}

// Adds mode "mode" of the tensor, or with -1 one along which it is the same again.
static bool add_dim(struct finding *f, int mode, int64_t box) {
    struct copy_boxes *b = f->out;
    if (b->rank == BOX_RANK)
        return refuse(f, arena_printf(&f->s->arena,
                                      "'%s' has more than %d modes, and a tensor map "
                                      "has no more",
                                      f->mem->base->name, BOX_RANK));
    int dim = b->rank++;
    b->mode[dim] = mode;
    b->box[dim] = box;
    if (mode < 0) {
        b->at[dim] = ix_int(f->s, 0);
        b->extent[dim] = ix_int(f->s, box);
        return true;
    }
    f->dim_of[mode] = dim;
    b->at[dim] = f->mem->coord_off[mode];
    return set_extent(f, dim);
}

// Refuses strides that no tensor map has, if they are numbers; the launcher checks the others.
static bool check_strides(struct finding *f) {
    struct session *s = f->s;
    for (int i = 0; i < f->out->rank; ++i) {
        int mode = f->out->mode[i];
        struct lay_int d = mode < 0 ? lay_int(0) : mode_stride(f, mode);
        int64_t bytes = d.num * f->bytes;
        if (i == 0 || !lay_int_static(d) || (mode >= 0 && single_is(s, f->mem->base, mode)))
            continue;
        if (d.num < 0)
            return refuse(f, arena_printf(&s->arena,
                                          "%s of '%s' runs backwards, and a tensor map "
                                          "has no negative strides",
                                          mode_text(f, mode), f->mem->base->name));
        if (bytes % GRANULE == 0) continue;
        refuse(f, arena_printf(&s->arena,
                               "a stride of %" PRId64 " bytes, of %s of '%s', is no "
                               "multiple of %d, as a tensor map needs it",
                               bytes, mode_text(f, mode), f->mem->base->name, GRANULE));
        diag_note(s, f->mem->base->at,
                  "pad it to %" PRId64 " bytes, which are %" PRId64 " elements",
                  (bytes + GRANULE - 1) / GRANULE * GRANULE,
                  (bytes + GRANULE - 1) / GRANULE * GRANULE / f->bytes);
        return false;
    }
    return true;
}

// -- the boxes ------------------------------------------------------------------------------------

// A mode of the tile.
struct piece {
    int64_t extent, step, dst;  // step: along the tensor's mode
    int mode;                   // -1: none, the source is the same again
};

static int by_place(const void *a, const void *b) {
    int64_t x = ((const struct piece *)a)->dst, y = ((const struct piece *)b)->dst;
    return x < y ? -1 : x > y;
}

static bool add_loop(struct finding *f, struct piece p) {
    struct copy_boxes *b = f->out;
    if (p.extent == 1) return true;
    struct box_loop *last = b->nloops ? &b->loop[b->nloops - 1] : NULL;
    if (last && p.mode >= 0 && b->mode[last->dim] == p.mode &&
        last->step * last->extent == p.step && last->dst * last->extent == p.dst) {
        last->extent *= p.extent;
        return true;
    }
    if (b->nloops == BOX_LOOPS) return refuse(f, "its boxes need more than 8 loops");
    int dim = p.mode < 0 ? 0 : f->dim_of[p.mode];
    b->loop[b->nloops++] = (struct box_loop){p.extent, p.step, p.dst, dim};
    return true;
}

// How many of the "n" elements of a piece, of "bytes" bytes each, a box takes, at most "most": all of
// them, or the largest divisor with which each box begins where it may, if there is one.
static int64_t take_of(int64_t n, int64_t most, int64_t bytes) {
    if (n <= most) return n;
    int64_t d = most, any;
    while (n % d) --d;
    any = d;
    while (d > 1 && (n % d || d * bytes % ROWS_AT)) --d;
    return d > 1 ? d : any;
}

// How many elements the box may have along dimension "dim".
static int64_t most_of(const struct finding *f, int dim) {
    int swizzle = f->out->swizzle;
    return dim == 0 && swizzle ? swizzle / f->bytes : BOX_MOST;
}

// Whether all boxes are at coordinate 0 along "mode", where the tensor has an element: "p" are the "n" pieces
// that are not in the box.
static bool stays_at_first(const struct finding *f, int mode, const struct piece *p, int n) {
    int64_t at;
    if (!ix_static(f->mem->coord_off[mode], &at) || at) return false;
    for (int i = 0; i < n; ++i)
        if (p[i].mode == mode) return false;
    return true;
}

// Makes the boxes of the "n" pieces, which are sorted.
static bool make_boxes(struct finding *f, struct piece *p, int n) {
    struct copy_boxes *b = f->out;
    int64_t packed = 1;
    int i = 0;
    for (bool open = true; i < n && open; ++i) {
        bool again = p[i].mode < 0 && i > 0 && p[i].dst == packed && b->rank < BOX_RANK;
        if (again && p[i].extent <= BOX_MOST) {
            if (!add_dim(f, -1, p[i].extent)) return false;
            packed *= p[i].extent;
            continue;
        }
        if (p[i].mode < 0) break;
        int dim = f->dim_of[p[i].mode];
        bool next = dim < 0 && p[i].step == 1,
             more = dim >= 0 && dim == b->rank - 1 && p[i].step == b->box[dim];
        if (p[i].dst != packed || (!next && !more)) break;
        if (next && !add_dim(f, p[i].mode, 1)) return false;
        dim = f->dim_of[p[i].mode];
        int64_t take =
            take_of(p[i].extent, most_of(f, dim) / b->box[dim], packed * (int64_t)f->bytes);
        open = take == p[i].extent;
        b->box[dim] *= take;
        packed *= take;
        if (open) continue;
        p[i] = (struct piece){p[i].extent / take, p[i].step * take, p[i].dst * take, p[i].mode};
        break;
    }
    for (int mode = 0; mode < f->nmodes; ++mode) {
        if (f->dim_of[mode] >= 0 || stays_at_first(f, mode, p + i, n - i)) continue;
        if (!add_dim(f, mode, 1)) return false;
    }
    for (; i < n; ++i)
        if (!add_loop(f, p[i])) return false;
    return true;
}

// Whether "sw" moves any element of the buffer: it reads bits of an offset that slots do not have, which
// are its periods apart.
static bool reaches(const struct finding *f, struct lay_swizzle sw) {
    const struct lay_tuple *shape = lay_tuple_flatten(&f->s->lay, f->buf->base->layout.shape),
                           *stride = lay_tuple_flatten(&f->s->lay, f->buf->base->layout.stride);
    int shift = sw.s < 0 ? 0 : sw.s;
    int top = sw.m + sw.b + (sw.s < 0 ? -sw.s : sw.s);
    int64_t last = 0, period = INT64_C(1) << (top > 40 ? 40 : top);
    for (int i = 0; i < lay_tuple_leaves(shape); ++i) {
        struct lay_int n = lay_tuple_get(&f->s->lay, shape, i)->leaf,
                       d = lay_tuple_get(&f->s->lay, stride, i)->leaf;
        if (!lay_int_static(n) || !lay_int_static(d) || d.num < 0) return true;
        if (d.num % period) last += (n.num - 1) * d.num;
    }
    return !lay_int_is(f->buf->base->layout.offset, 0) || last >> (sw.m + shift) != 0;
}

// The bytes of a row of a swizzled box; false: no swizzle of TMA is that of the destination.
static bool find_swizzle(struct finding *f) {
    const struct lay_swizzle sw = f->buf->base->layout.sw;
    int bits = __builtin_ctz((unsigned)f->bytes);
    if (!sw.b || !reaches(f, sw)) return true;
    if (sw.b <= 3 && sw.m == 4 - bits && sw.s == 3) {
        f->out->swizzle = GRANULE << sw.b;
        return true;
    }
    return refuse(f, arena_printf(&f->s->arena,
                                  "the swizzle Sw<%d,%d,%d> of '%s' is none of TMA's; for elements "
                                  "of %d bytes they are Sw<1,%d,3>, Sw<2,%d,3> and Sw<3,%d,3>",
                                  sw.b, sw.m, sw.s, f->buf->base->name, f->bytes, 4 - bits,
                                  4 - bits, 4 - bits));
}

// Checks what the hardware asks of each box.
static bool check_boxes(struct finding *f) {
    struct session *s = f->s;
    struct copy_boxes *b = f->out;
    int64_t row = b->box[0] * f->bytes, by;
    if (row % GRANULE)
        return refuse(f, arena_printf(&s->arena,
                                      "a row of its boxes has %" PRId64 " bytes, and TMA "
                                      "copies multiples of %d",
                                      row, GRANULE));
    if (b->swizzle && row != b->swizzle)
        return refuse(f, arena_printf(&s->arena,
                                      "the swizzle of '%s' is one of rows of %d bytes, and "
                                      "the rows of its boxes have %" PRId64,
                                      f->buf->base->name, b->swizzle, row));
    by = ix_divisor(f->buf->offset);
    for (int i = 0; i < b->nloops; ++i) by = lay_gcd(by, b->loop[i].dst);
    if (by && by * f->bytes % ROWS_AT) {
        refuse(f, arena_printf(&s->arena,
                               "its boxes begin at multiples of %" PRId64 " bytes in '%s', "
                               "and TMA %s them at multiples of %d",
                               by * f->bytes, f->buf->base->name, f->stores ? "reads" : "writes",
                               ROWS_AT));
        diag_note(s, f->buf->base->at, "'%s' has layout %s", f->buf->base->name,
                  lay_text(&s->lay, f->buf->base->layout));
        return false;
    }
    return true;
}

static bool find_boxes(struct finding *f, struct joint *joint) {
    struct session *s = f->s;
    const struct view *src = f->mem, *dst = f->buf;
    struct lay side[] = {src->coord, dst->layout};
    struct piece piece[MODES_MAX];
    for (int i = 0; i < f->c->facts.npred; ++i)
        if (!of_tensor(f, &f->c->facts.pred[i]) ||
            (f->stores ? f->c->facts.pred[i].src : f->c->facts.pred[i].dst))
            return refuse(f,
                          arena_printf(&s->arena, "the tile reaches beyond '%s'", dst->base->name));
    joint->n = 0;
    if (!modes_join(s, side, 2, false, joint))
        return refuse(f,
                      arena_printf(&s->arena, "the modes of %s and %s have no common refinement",
                                   lay_text(&s->lay, src->layout), lay_text(&s->lay, dst->layout)));
    int contiguous = -1;
    for (int i = 0; i < joint->n; ++i) {
        struct lay_int step = joint->at[i].stride[COORD], to = joint->at[i].stride[DST];
        int mode = step.basis;
        step.basis = -1;
        if (lay_int_is(step, 0)) mode = -1;
        bool along = mode < 0 || step.num >= 1;
        if (!lay_int_static(step) || !lay_int_static(to) || !along || to.num < 1)
            return refuse(f, "a mode of the tile does not go along one mode of the tensor");
        piece[i] = (struct piece){joint->at[i].extent, step.num, to.num, mode};
    }
    qsort(piece, (size_t)joint->n, sizeof *piece, by_place);
    if (joint->n) contiguous = piece[0].mode;  // -1: nothing is
    if (contiguous < 0 || piece[0].dst != 1 || !lay_int_is(mode_stride(f, contiguous), 1))
        return refuse(f, arena_printf(&s->arena,
                                      "what is contiguous in '%s' is not what is contiguous in "
                                      "'%s'",
                                      dst->base->name, src->base->name));
    return find_swizzle(f) && make_boxes(f, piece, joint->n) && check_strides(f) && check_boxes(f);
}

bool boxes_find(struct session *s, struct copy *c) {
    const bool stores = copy_atom(c)->row->reads_late;
    struct finding f = {.s = s, .c = c, .stores = stores};
    f.mem = copy_side(c, !stores);
    f.buf = copy_side(c, stores);
    f.bytes = f.mem->base->elem->bits / 8;
    struct lay of = f.mem->base->layout;
    f.extent = lay_tuple_flatten(&s->lay, of.shape);
    f.stride = lay_tuple_flatten(&s->lay, of.stride);
    f.nmodes = lay_tuple_leaves(of.shape);
    f.out = ARENA_NEW(&s->arena, struct copy_boxes);
    for (int i = 0; i < f.nmodes; ++i) f.dim_of[i] = -1;
    if (of.sw.b)
        return refuse(&f, arena_printf(&s->arena,
                                       "'%s' is swizzled, and a tensor map has strides alone",
                                       f.mem->base->name));
    // the map's address is that of the element at coordinates 0
    int64_t begin = ix_divisor(ix_lay(s, of.offset)) * f.bytes;
    if (begin % GRANULE)
        return refuse(&f,
                      arena_printf(&s->arena,
                                   "'%s' begins at an offset of %s elements, and the address "
                                   "of a tensor map is a multiple of %d bytes",
                                   f.mem->base->name, lay_int_text(&s->lay, of.offset), GRANULE));
    if (f.mem->base->elem->bits > 64 || f.mem->base->elem->bits < 8)
        return refuse(&f, arena_printf(&s->arena,
                                       "elements of a tensor map have 1, 2, 4 or 8 bytes, and "
                                       "%s has %d bits",
                                       f.mem->base->elem->name, f.mem->base->elem->bits));
    if (!find_boxes(&f, ARENA_NEW(&s->arena, struct joint))) return false;
    c->facts.boxes = f.out;
    return true;
}
