// Kernels of one copy between tensors over the devices of a mesh.  Each device writes its part of the
// source to all devices that need some of it, a piece for each.  A piece is a relayout, which the planner
// plans.  In the text, block.z is the number of the device, so that all devices together are one grid: what
// is proven of it is proven of them.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "plan/print.h"
#include "plan/view.h"
#include "sema/expr/expr.h"
#include "sema/mesh.h"
#include "sema/stmt/planned.h"
#include "sema/stmt/uneven.h"

// A mode of which devices have the elements, on one side or both.
struct across {
    int64_t extent;
    int64_t from,
        to;  // how far apart the numbers of these devices are; 0: it is in the part of one
    struct relayout_mode mode;
};

struct exchange {
    struct across mode[2 * RELAYOUT_MODES];
    int n;
    struct uneven uneven[MESH_CUTS];
    int nuneven;
    const struct shorter *shorter;  // the same by modes of the text
    bool idle[2 * RELAYOUT_MODES];  // only devices whose digit is that of the mode write
    bool nearest;       // .. whose digits along axes with copies are those of who gets it
    struct relayout r;  // of a piece
    const char *end;    // of all names of the text, and of no tensor's
};

// How many times "x" is "apart"; 0: it is no multiple.
static int64_t times(struct lay_int x, const struct param *apart) {
    return lay_int_valid(x) && x.nsyms == 1 && x.syms[0] == apart->sym && x.den == 1 ? x.num : 0;
}

// Adds a mode for each axis that has copies of "t" on all of its devices.
static struct lay with_copies(struct sema *c, struct lay l, const struct tensor *dst, bool is_dst) {
    const struct spread *x = dst->spread;
    struct lay all[LAY_MAX_RANK];
    int n = lay_rank(l);
    for (int i = 0; i < n; ++i) all[i] = lay_mode(c->lay, l, i);
    for (int i = 0; i < x->mesh->naxes && n < LAY_MAX_RANK; ++i) {
        if (x->mode[i] >= 0 || x->mesh->size[i] == 1) continue;
        struct lay_int d = is_dst ? lay_int_mul(c->lay, lay_int_sym(c->lay, x->apart->sym),
                                                lay_int(x->mesh->step[i]))
                                  : lay_int(0);
        all[n++] = lay_make(c->lay, lay_leaf_of(c->lay, x->mesh->size[i]), lay_leaf(c->lay, d));
    }
    return lay_join(c->lay, n, all);
}

static struct lay_int number_of(const struct relayout_mode *m, enum relayout_number k) {
    int64_t n = k == RELAYOUT_EXTENT ? m->extent : k == RELAYOUT_SRC ? m->src : m->dst;
    return lay_int_valid(m->run[k]) ? m->run[k] : lay_int(n);
}

// Whether "m" has this extent, and these strides in the source and the destination.
static bool steps_by(const struct relayout_mode *m, struct lay_int extent,
                     const struct lay_int d[2]) {
    return lay_int_equal(number_of(m, RELAYOUT_EXTENT), extent) &&
           lay_int_equal(number_of(m, RELAYOUT_SRC), d[0]) &&
           lay_int_equal(number_of(m, RELAYOUT_DST), d[1]);
}

// Sets x->shorter; returns statements that leave out parts that do not exist, for modes whose parts are one
// element, and adds their number to "*left".
static const char *shorten(struct sema *c, struct exchange *x, int *left) {
    const char *text = "";
    for (int i = 0; i < x->nuneven; ++i) {
        const struct uneven *u = &x->uneven[i];
        struct shorter *made = ARENA_NEW(&c->s->arena, struct shorter);
        *made = (struct shorter){.part = -1, .each = u->each, .all = u->all, .next = x->shorter};
        int digit = 0, part = 0;
        while (digit < x->n && !steps_by(&x->mode[digit].mode, lay_int(u->parts), u->apart))
            ++digit;
        while (part < x->r.rank && !steps_by(&x->r.mode[part], u->each, u->stride)) ++part;
        bool one = lay_int_is(u->each, 1);
        if (digit == x->n || (!one && part == x->r.rank)) BUG("the parts of a mode are not found");
        made->digit = digit;
        if (!one) made->part = x->n + part;
        x->shorter = made;
        if (!one) continue;
        text = sema_text(c, "%s  for has%d%s in 0 .. (%" PRId64 " - d%d%s) / %" PRId64 " {\n", text,
                         i, x->end, u->all.num + u->parts - 1, digit, x->end, u->parts);
        ++*left;
    }
    return text;
}

// The axis of the devices that are "step" apart.
static int axis_of(const struct mesh *m, int64_t step) {
    int i = 0;
    while (step < m->step[i]) ++i;
    return i;
}

// Takes the modes across devices out of x->r.
static void split(const struct tensor *a, const struct tensor *b, struct exchange *x) {
    int kept = 0;
    for (int i = 0; i < x->r.rank; ++i) {
        const struct relayout_mode m = x->r.mode[i];
        int64_t from = times(m.run[RELAYOUT_SRC], a->spread->apart);
        int64_t to = times(m.run[RELAYOUT_DST], b->spread->apart);
        if (from || to)
            x->mode[x->n++] = (struct across){m.extent, from, to, m};
        else
            x->r.mode[kept++] = m;
    }
    x->r.rank = kept;
}

// Lowers what is promised of where pieces begin to what the modes across devices leave of it.
static void align_pieces(struct exchange *x) {
    for (int i = 0; i < x->n; ++i)
        for (int src = 0; src < 2; ++src) {
            const struct relayout_mode *m = &x->mode[i].mode;
            struct lay_int d = m->run[src ? RELAYOUT_SRC : RELAYOUT_DST];
            int64_t at = lay_int_valid(d) ? lay_int_divisor(d) : src ? m->src : m->dst;
            const struct elem_type *e = src || !x->r.to ? x->r.type : x->r.to;
            int *align = src ? &x->r.src_align : &x->r.dst_align;
            while (at && *align > e->bits / 8 && at * (e->bits / 8) % *align) *align /= 2;
        }
}

static const char *number(struct sema *c, const struct relayout_mode *m, enum relayout_number k) {
    return lay_int_text(c->lay, number_of(m, k));
}

// "A : f16 global (..):(..) align 16" with the modes across devices first.
static const char *formal_text(struct sema *c, const struct tensor *t, const struct exchange *x,
                               bool src) {
    const char *shape = "", *stride = "";
    for (int i = 0; i < x->n + x->r.rank; ++i) {
        const struct relayout_mode *m = i < x->n ? &x->mode[i].mode : &x->r.mode[i - x->n];
        shape = sema_text(c, "%s%s%s", shape, i ? "," : "", number(c, m, RELAYOUT_EXTENT));
        stride = sema_text(c, "%s%s%s", stride, i ? "," : "",
                           number(c, m, src ? RELAYOUT_SRC : RELAYOUT_DST));
    }
    return sema_text(c, "%s%s : %s global (%s):(%s) align %d", src ? "" : "out ", t->name,
                     t->elem->name, shape, stride, t->align);
}

// Whether each mode is a digit of the numbers of devices along one axis.
static bool by_axes(const struct mesh *m, const struct exchange *x) {
    bool whole = true;
    for (int i = 0; i < x->n; ++i) {
        const struct across *d = &x->mode[i];
        if (!d->to) continue;
        int axis = axis_of(m, d->to);
        int64_t end = m->step[axis] * m->size[axis];
        whole &= d->to % m->step[axis] == 0 && end % (d->to * d->extent) == 0;
    }
    return whole;
}

// Statements that leave out all pieces but those for which a device has the nearest copy; "*left" gets
// their number.
static const char *nearest(struct sema *c, const struct spread *of, const struct exchange *x,
                           int *left) {
    const char *text = "", *to = "";
    for (int i = 0; i < x->n; ++i)
        if (x->mode[i].to)
            to = sema_text(c, "%s%s%" PRId64 "*d%d%s", to, *to ? " + " : "", x->mode[i].to, i,
                           x->end);
    for (int i = 0; i < of->mesh->naxes; ++i) {
        int64_t e = of->mesh->size[i], step = of->mesh->step[i];
        if (of->mode[i] >= 0 || e == 1) continue;
        text = sema_text(c,
                         "%s  for on%d%s in 0 .. (%" PRId64 " - (rank%s / %" PRId64 " %% %" PRId64
                         " + %" PRId64 " - (%s) / %" PRId64 " %% %" PRId64 ") %% %" PRId64
                         ") / %" PRId64 " {\n",
                         text, i, x->end, e, x->end, step, e, e, to, step, e, e, e);
        ++*left;
    }
    return text;
}

// Sets by which step of its number a device finds the coordinate of each mode; 0: it has a piece for each.
// Returns statements that leave out devices whose copy of the source another one writes, and "*left" to
// their number.
static const char *owners(struct sema *c, const struct tensor *a, struct exchange *x, int64_t *by,
                          int *left) {
    const struct spread *of = a->spread;
    const char *text = "";
    *left = 0;
    x->nearest = !by_axes(of->mesh, x);
    for (int i = 0; i < x->n && x->nearest; ++i) by[i] = x->mode[i].from;
    if (x->nearest) return nearest(c, of, x, left);
    for (int i = 0; i < x->n; ++i) {
        const struct across *d = &x->mode[i];
        // a device reads its own part, or its own copy
        by[i] = d->from ? d->from : of->mode[axis_of(of->mesh, d->to)] < 0 ? d->to : 0;
    }
    for (int i = 0; i < x->n; ++i) {
        const struct across *d = &x->mode[i];
        if (!d->from || !d->to || of->mode[axis_of(of->mesh, d->to)] >= 0) continue;
        // this digit of a device's number is free: those with the same part share the pieces
        int k = 0;
        while (k < x->n && (by[k] || x->mode[k].to != d->from || x->mode[k].extent != d->extent))
            ++k;
        if (k < x->n) {
            by[k] = d->to;
            continue;
        }
        int64_t e = d->extent;
        x->idle[i] = true;
        text = sema_text(c,
                         "%s  for on%d%s in 0 .. (%" PRId64 " - (rank%s / %" PRId64 " + %" PRId64
                         " - d%d%s) %% %" PRId64 ") / %" PRId64 " {\n",
                         text, i, x->end, e, x->end, d->to, e, i, x->end, e, e);
        ++*left;
    }
    return text;
}

// Writes the coordinate of each mode across devices, and sets "coord" to their list; returns the number
// of pieces of a device.
static int64_t coordinates(struct sema *c, const struct exchange *x, const int64_t *by,
                           const char **lets, const char **coord) {
    int64_t pieces = 1;
    *lets = *coord = "";
    for (int i = 0; i < x->n; ++i) {
        const struct across *d = &x->mode[i];
        int64_t step = by[i] ? by[i] : d->to;
        const char *rank = sema_text(c, "rank%s", x->end);
        if (step > 1) rank = sema_text(c, "%s / %" PRId64, rank, step);
        if (!by[i]) {
            const char *piece = sema_text(c, "piece%s", x->end);
            if (pieces > 1) piece = sema_text(c, "%s / %" PRId64, piece, pieces);
            rank = sema_text(c, "(%s + %s)", piece, rank);
            pieces *= d->extent;
        }
        *lets =
            sema_text(c, "%s  let d%d%s = %s %% %" PRId64 ";\n", *lets, i, x->end, rank, d->extent);
        *coord = sema_text(c, "%s%sd%d%s", *coord, i ? ", " : "", i, x->end);
    }
    for (int i = 0; i < x->r.rank; ++i)
        *coord = sema_text(c, "%s%s_", *coord, i + x->n ? ", " : "");
    return pieces;
}

// Measured on H200s with NVLink: the time of both barriers and GB/s that a device writes to others, and
// what a copy one way has.
enum { BARRIERS_NS = 6500, WIRE_GB = 350, LINK_GB = 375 };

// What is said of the plan: "Each of 4 devices writes 4 pieces, 3 of them to other devices. .."
static const char *reasons(struct sema *c, const struct tensor *a, const struct tensor *b,
                           const struct exchange *x, const int64_t *by, int64_t pieces) {
    const struct mesh *m = b->spread->mesh;
    int64_t most = 0, elements = 1, bytes = b->elem->bits / 8;
    for (int64_t rank = 0; rank < m->devices; ++rank) {
        int64_t away = 0;
        for (int64_t piece = 0; piece < pieces; ++piece) {
            int64_t to = 0, rest = piece;
            bool idle = false;
            for (int i = 0; i < x->n; ++i) {
                const struct across *d = &x->mode[i];
                int64_t at = rank / (by[i] ? by[i] : 1) % d->extent;
                if (!by[i]) {
                    at = rest % d->extent;
                    rest /= d->extent;
                }
                to += at * d->to;
                idle |= x->idle[i] && rank / d->to % d->extent != at;
            }
            for (int i = 0; i < m->naxes && x->nearest; ++i)
                idle |=
                    a->spread->mode[i] < 0 && (rank / m->step[i] - to / m->step[i]) % m->size[i];
            away += !idle && to != rank;
        }
        if (away > most) most = away;
    }
    const char *text =
        sema_text(c,
                  "// Each of %" PRId64 " devices writes %" PRId64 " piece%s, at most %" PRId64
                  " of them to other devices; no plan sends fewer elements.\n",
                  m->devices, pieces, pieces > 1 ? "s" : "", most);
    if (x->nuneven) return text;  // devices write differently much
    for (int i = 0; i < x->r.rank; ++i) {
        struct lay_int e = relayout_extent(&x->r, i);
        if (!lay_int_static(e) || __builtin_mul_overflow(elements, e.num, &elements)) return text;
    }
    if (most == 0 || __builtin_mul_overflow(elements * most, bytes, &bytes)) return text;
    int64_t ns = BARRIERS_NS + bytes / WIRE_GB;
    return sema_text(c,
                     "%s// %" PRId64
                     " bytes of a device cross the wire. Predicted for H200s with NVLink: %" PRId64
                     " us, %" PRId64 "%% of a copy one way.\n",
                     text, bytes, (ns + 500) / 1000, 100 * (bytes / LINK_GB) / ns);
}

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

// Why a copy from "a" to "b" is none between devices; or NULL.
static const char *no_exchange(struct sema *c, const struct ast_stmt *s, const struct tensor *a,
                               const struct tensor *b, const struct copy *y, bool out) {
    const struct tensor *one = a->spread ? b : a;
    if (!a->spread || !b->spread)
        return sema_text(
            c,
            "'%s' is not over the devices of the mesh; 'over (%s: _)' gives each device a "
            "copy",
            one->name, (a->spread ? a : b)->spread->mesh->axis[0]);
    if (a->spread->mesh != b->spread->mesh) return "its sides are over different meshes";
    if (s->copy.src->kind != E_NAME || s->copy.dst->kind != E_NAME)
        return "a part of a tensor over devices is not supported yet; copy all of it";
    if (!out) return sema_text(c, "'%s' is written by all devices together; it is 'out'", b->name);
    if (lay_rank(y->src.layout) != lay_rank(y->dst.layout))
        return "its sides have different numbers of modes";
    for (int i = 0; i < lay_rank(y->src.layout); ++i)
        if (!lay_int_equal(uneven_whole(c, a, lay_mode(c->lay, y->src.layout, i)),
                           uneven_whole(c, b, lay_mode(c->lay, y->dst.layout, i))))
            return "its sides have different extents";
    return NULL;
}

// The copy "y" for number c->number of the devices of its mesh; false after an error.
static bool for_number(struct sema *c, struct copy *y) {
    const struct spread *a = y->src.base->spread, *b = y->dst.base->spread;
    if (c->number == 0 && !mesh_promises(c, y->src.base->spread->mesh)) return false;
    y->src = view_of_tensor(c->s, a->number[c->number], y->src.at);
    y->dst = view_of_tensor(c->s, b->number[c->number], y->dst.at);
    return names_match(c, y);
}

static int refuse(struct sema *c, const struct ast_stmt *s, const struct tensor *a,
                  const struct tensor *b, const char *why) {
    planned_refuse(c, s, a, b, why);
    mesh_note_number(c, a->spread->mesh, s->at);
    return 0;
}

int mesh_planned(struct sema *c, const struct ast_decl *d, const struct ast_stmt *s, struct copy *y,
                 struct kernel_text out[MOST_CASES]) {
    const struct tensor *a = y->src.base, *b = y->dst.base;
    struct exchange *x = ARENA_NEW(&c->s->arena, struct exchange);
    const char *why = no_exchange(c, s, a, b, y, planned_is_out(&d->fn, b));
    if (why) return planned_refuse(c, s, a, b, why);
    if (a->spread->number && !for_number(c, y)) return 0;
    a = y->src.base;
    b = y->dst.base;
    const struct mesh *mesh = a->spread->mesh;
    planned_relayout(c, a, b, &x->r);
    struct lay side[2];
    why = uneven_sides(c, y, side, x->uneven, &x->nuneven);
    if (!why)
        why = relayout_between(c->s, with_copies(c, side[0], b, false),
                               with_copies(c, side[1], b, true), &x->r);
    if (!why && x->r.index)
        why = "the numbers of parts that its sides cut a mode into do not divide each other";
    if (!why) split(a, b, x);
    for (x->end = "_0"; ends_with(a->name, x->end) || ends_with(b->name, x->end);)
        x->end = sema_text(c, "%s_", x->end);
    x->r.several = x->r.shorter = x->nuneven > 0;  // a part that may be shorter stays a mode
    if (!why) why = relayout_resize(c->s, &x->r);
    if (!why) why = relayout_coalesce(c->s, &x->r);
    if (why) return refuse(c, s, a, b, why);
    align_pieces(x);
    x->r.several = true;
    const char *lets, *coord;
    int64_t by[2 * RELAYOUT_MODES];
    int left;
    const char *on = owners(c, a, x, by, &left);
    on = sema_text(c, "%s%s", on, shorten(c, x, &left));
    int64_t pieces = x->r.pieces = coordinates(c, x, by, &lets, &coord);
    const char *from = formal_text(c, a, x, true), *to = formal_text(c, b, x, false);
    bool dst_first = d->fn.formal[0].dir != DIR_NONE;
    struct relayout_case list[RELAYOUT_CASES];
    int cases = relayout_several_cases(c->s, &x->r, 1, list);
    struct buf text;
    buf_init(&text);
    buf_puts(&text, "tcp 1;\n");
    for (int i = 0; i < cases && !why; ++i) {
        buf_puts(&text, reasons(c, a, b, x, by, pieces));
        struct relayout_pieces of = {.r = list[i].r,
                                     .src = sema_text(c, "%s(%s)", a->name, coord),
                                     .dst = sema_text(c, "%s(%s)", b->name, coord),
                                     .end = x->end,
                                     .lets = sema_text(c, "%s%s", lets, on),
                                     .nlets = left,
                                     .devices = mesh->devices,
                                     .pieces = pieces};
        of.head = sema_text(c, "%s(%s,\n    %s)%s", d->name.name, dst_first ? to : from,
                            dst_first ? from : to, list[i].when);
        why = relayout_pieces(c->s, &of, &text);
    }
    const char *made = buf_finish(&text, &c->s->arena);
    if (why) return refuse(c, s, a, b, why);
    scope_use(c, scope_find(c, a->name), s->copy.src->at);
    scope_use(c, scope_find(c, b->name), s->copy.dst->at);
    struct copy *wanted = ARENA_NEW(&c->s->arena, struct copy);
    *wanted = *y;
    int n = planned_parse(c, d->name.name, made, wanted, 1, out);
    for (int i = 0; i < n; ++i) {
        out[i].declared[dst_first] = a;
        out[i].declared[!dst_first] = b;
        out[i].shorter[0] = out[i].shorter[1] = x->shorter;
        out[i].mesh = mesh;
    }
    return n ? n : 1;
}
