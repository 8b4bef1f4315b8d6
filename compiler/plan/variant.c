// Variants of a kernel: the facts of a copy in a variant, the ways of its code, and the text of
// conditions.
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "plan/plan.h"

struct copy_facts copy_facts_in(const struct copy *c, int i) {
    struct copy_facts f = c->facts;
    if (i < 0) return f;
    const struct copy_width *w = &f.variant[i];
    f.bits = w->bits;
    f.vec = w->vec;
    f.won = w->won;
    f.mode = w->mode;
    f.nmodes = w->nmodes;
    f.pred = w->pred;
    f.pred_vec = w->pred_vec;
    f.edge_mode = w->edge_mode;
    f.nedge = w->nedge;
    f.edge_vec = w->edge_vec;
    f.edge_bits = w->edge_bits;
    f.step = w->step;
    f.edge_step = w->edge_step;
    f.turn = w->turn;
    return f;
}

enum edge copy_edge(const struct copy_facts *f) {
    bool one = f->nmodes == 0 && f->edge_bits == f->bits;
    return f->edge == EDGE_SOME && one ? EDGE_ALWAYS : f->edge;
}

// Prints tensors "first" .. that have the same alignment together; returns how many conditions it
// printed.
static int put_tensors(const struct variant *v, int first, struct buf *b) {
    int n = 1;
    while (first + n < v->nwhen && v->when[first + n].tensor &&
           v->when[first + n].by == v->when[first].by)
        ++n;
    for (int i = 0; i < n; ++i) {
        buf_puts(b, i == 0 ? "" : i == n - 1 ? " and " : ", ");
        buf_puts(b, v->when[first + i].tensor->name);
    }
    buf_printf(b, " %s aligned to %" PRId64 " bytes", n > 1 ? "are" : "is", v->when[first].by);
    return n;
}

const char *variant_text(struct session *s, const struct variant *v) {
    if (v->nwhen == 0) return NULL;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < v->nwhen;) {
        const struct condition *c = &v->when[i];
        if (i > 0) buf_puts(&b, ", ");
        if (c->tensor) {
            i += put_tensors(v, i, &b);
        } else {
            if (lay_int_valid(c->unless))
                buf_printf(&b, "%s <= 1 or ", lay_int_operand(&s->lay, c->unless));
            buf_printf(&b, "%s %% %" PRId64 " == 0", lay_int_operand(&s->lay, c->value), c->by);
            ++i;
        }
    }
    return buf_finish(&b, &s->arena);
}
