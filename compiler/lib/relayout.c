// The text of the plan of a relayout that is given by numbers (tcpc.h).  The planner plans its copy
// when it is compiled.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "image/elem.h"
#include "lib/lib.h"

enum { MOST_MODES = 32, MOST_OPEN = 256, MOST_ALIGN = 4096 };

struct request {
    struct session *s;
    struct tcpc_relayout r;
    struct tcpc_side side[2];  // the source and the destination
    struct tcpc_open open[MOST_OPEN];
    const char *tensor[2];
};

static const char *const sides[2] = {"source", "destination"};

static bool is_name(const char *text) {
    if (!text || !(isalpha((unsigned char)*text) || *text == '_')) return false;
    for (; *text; ++text)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

// -- what is asked for ----------------------------------------------------------------------------

// Whether "x" is a number, or consists of what expressions of params are made of.
static bool integer_fits(struct session *s, const char *what, size_t i, struct tcpc_integer x) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
                                  " +-*/%(),";
    if (!x.text || (*x.text && x.text[strspn(x.text, allowed)] == 0)) return true;
    diag_error(s, RANGE_NONE, "%s %zu is no expression of params: '%s'", what, i,
               shown(&s->arena, x.text));
    return false;
}

static bool integers_fit(const struct request *q) {
    struct session *s = q->s;
    for (size_t i = 0; i < q->r.rank; ++i) {
        if (!integer_fits(s, "extent", i, q->r.extent[i])) return false;
        for (int k = 0; k < 2; ++k)
            if (q->side[k].stride &&
                !integer_fits(s, k ? "stride of the destination" : "stride of the source", i,
                              q->side[k].stride[i]))
                return false;
    }
    return integer_fits(s, "offset", 0, q->side[0].offset) &&
           integer_fits(s, "offset", 1, q->side[1].offset);
}

static bool open_fits(struct request *q, size_t i) {
    struct session *s = q->s;
    struct tcpc_open *o = &q->open[i];
    if (!lib_copy(s, "tcpc_open", q->r.open[i], o, sizeof *o)) return false;
    const char *name = o->name ? shown(&s->arena, o->name) : "";
    if (!is_name(o->name)) {
        diag_error(s, RANGE_NONE, "'%s' is not the name of a param", name);
        return false;
    }
    for (size_t k = 0; k < i; ++k)
        if (strcmp(o->name, q->open[k].name) == 0) {
            diag_error(s, RANGE_NONE, "there are two params '%s'", name);
            return false;
        }
    if (o->multiple >= 0 && o->least <= o->most) return true;
    diag_error(s, RANGE_NONE, "param '%s' has a range without integers, or a negative multiple",
               name);
    return false;
}

static bool side_fits(struct request *q, int k) {
    const struct tcpc_side *from = k ? q->r.to : q->r.from;
    struct session *s = q->s;
    struct tcpc_side *x = &q->side[k];
    if (!from) {
        diag_error(s, RANGE_NONE, "the relayout has no %s", sides[k]);
        return false;
    }
    if (!lib_copy(s, "tcpc_side", from, x, sizeof *x)) return false;
    if (!x->element || !elem_type_find(x->element)) {
        diag_error(s, RANGE_NONE, "the %s has no type of a plan: '%s'", sides[k],
                   x->element ? shown(&s->arena, x->element) : "");
        return false;
    }
    if (x->align >= 0 && x->align <= MOST_ALIGN && (x->align & (x->align - 1)) == 0) return true;
    diag_error(s, RANGE_NONE,
               "the alignment of the %s is not 0 or a power of 2 in 1 .. %d: %" PRId64, sides[k],
               MOST_ALIGN, x->align);
    return false;
}

static bool fits(struct request *q) {
    struct session *s = q->s;
    if (!q->r.name) q->r.name = "relayout";
    if (!is_name(q->r.name)) {
        diag_error(s, RANGE_NONE, "'%s' is not the name of a kernel", shown(&s->arena, q->r.name));
        return false;
    }
    if (q->r.rank > MOST_MODES || q->r.nopen > MOST_OPEN || (q->r.rank && !q->r.extent)) {
        diag_error(s, RANGE_NONE,
                   "a relayout has at most %d modes, each with an extent, and %d "
                   "params; not %zu and %zu",
                   MOST_MODES, MOST_OPEN, q->r.rank, q->r.nopen);
        return false;
    }
    if (q->r.candidate < 0) {
        diag_error(s, RANGE_NONE, "candidates are counted from 0, not %d", q->r.candidate);
        return false;
    }
    for (size_t i = 0; i < q->r.nopen; ++i)
        if (!open_fits(q, i)) return false;
    return side_fits(q, 0) && side_fits(q, 1) && integers_fit(q);
}

// -- the text -------------------------------------------------------------------------------------

// A text in parentheses alone would be a tuple of one mode.
static void put_integer(struct buf *b, struct tcpc_integer x) {
    if (x.text)
        buf_printf(b, "%s%s", x.text[strspn(x.text, " ")] == '(' ? "1*" : "", x.text);
    else
        buf_printf(b, "%" PRId64, x.number);
}

// The stride of mode "i" of a compact side: the product of the extents behind it.
static void put_product(struct buf *b, const struct request *q, size_t i) {
    buf_puts(b, "1");
    for (size_t k = i + 1; k < q->r.rank; ++k) {
        buf_puts(b, "*(");
        put_integer(b, q->r.extent[k]);
        buf_char(b, ')');
    }
}

static void put_tensor(struct buf *b, const struct request *q, int k) {
    const struct tcpc_side *x = &q->side[k];
    size_t rank = q->r.rank;
    bool row = !x->stride && !x->offset.text && x->offset.number == 0 && rank;
    buf_printf(b, "tensor %s : %s global ", q->tensor[k], x->element);
    if (x->offset.text || x->offset.number) {
        buf_char(b, '(');
        put_integer(b, x->offset);
        buf_puts(b, ")+");
    }
    buf_puts(b, row ? "row(" : "(");
    for (size_t i = 0; i < rank; ++i) {
        if (i) buf_char(b, ',');
        put_integer(b, q->r.extent[i]);
    }
    buf_puts(b, rank == 0 ? "1):(1" : row ? "" : "):(");
    for (size_t i = 0; i < rank && !row; ++i) {
        if (i) buf_char(b, ',');
        if (x->stride)
            put_integer(b, x->stride[i]);
        else
            put_product(b, q, i);
    }
    buf_char(b, ')');
    if (x->align) buf_printf(b, " align %" PRId64, x->align);
    buf_puts(b, ";\n");
}

static void put_open(struct buf *b, const struct tcpc_open *o) {
    buf_printf(b, "param %s : index", o->name);
    if (o->multiple > 1) buf_printf(b, " %% %" PRId64, o->multiple);
    if (o->least || o->most) buf_printf(b, " in %" PRId64 " .. %" PRId64, o->least, o->most);
    if (o->where) buf_printf(b, " where %s", o->where);
    buf_puts(b, ";\n");
}

// A name that begins with "name" and that no other thing in the plan has.
static const char *free_name(const struct request *q, const char *name) {
    bool taken = strcmp(name, q->r.name) == 0;
    for (size_t i = 0; i < q->r.nopen; ++i) taken |= strcmp(name, q->open[i].name) == 0;
    return taken ? free_name(q, arena_printf(&q->s->arena, "%s_", name)) : name;
}

const char *lib_relayout_text(struct session *s, const struct tcpc_relayout *r, const char **kernel,
                              int *candidate) {
    struct request *q = ARENA_NEW(&s->arena, struct request);
    struct buf b;
    q->s = s;
    if (!lib_copy(s, "tcpc_relayout", r, &q->r, sizeof q->r) || !fits(q)) return NULL;
    q->tensor[0] = free_name(q, "src");
    q->tensor[1] = free_name(q, "dst");
    *kernel = q->r.name;
    *candidate = q->r.candidate;
    buf_init(&b);
    buf_puts(&b, "tcp 1;\n");
    for (size_t i = 0; i < q->r.nopen; ++i) put_open(&b, &q->open[i]);
    for (int k = 0; k < 2; ++k) put_tensor(&b, q, k);
    buf_printf(&b, "kernel %s(%s, out %s) { copy %s -> %s; }\n", q->r.name, q->tensor[0],
               q->tensor[1], q->tensor[0], q->tensor[1]);
    return buf_finish(&b, &s->arena);
}
