// The coordinates of a grid (see domain.h).
#include "draw/domain.h"

#include <inttypes.h>
#include <stdio.h>

// A top-level mode of "l"; "l" itself if it is a single leaf.
static struct lay domain_mode(const struct lay *l, int i) {
    if (l->shape->rank < 0) return *l;
    return (struct lay){.shape = l->shape->kid[i], .stride = l->stride->kid[i]};
}

static int64_t first_leaf(const struct lay_tuple *t, const int64_t *sym_values) {
    int64_t n = 0;
    if (t->rank <= 0) return 0;
    while (t->rank > 0) t = t->kid[0];
    return t->rank < 0 && lay_int_eval(t->leaf, sym_values, &n) ? n : 0;
}

static bool has_values(const struct lay_tuple *t, const int64_t *sym_values) {
    int64_t n;
    if (t->rank < 0) return lay_int_eval(t->leaf, sym_values, &n) && n > 0;
    for (int i = 0; i < t->rank; ++i)
        if (!has_values(t->kid[i], sym_values)) return false;
    return true;
}

bool domain_too_large(const struct lay_tuple *shape, const int64_t *sym_values) {
    return shape->rank <= LAY_MAX_RANK && has_values(shape, sym_values);
}

bool domain_of(const struct lay_tuple *shape, const int64_t *sym_values, struct domain *d) {
    const struct lay whole = {.shape = shape, .stride = shape};
    *d = (struct domain){.rank = shape->rank < 0 ? 1 : shape->rank, .size = 1};
    if (d->rank > LAY_MAX_RANK) return false;
    for (int i = 0; i < d->rank; ++i) {
        const struct lay mode = domain_mode(&whole, i);
        struct oracle_flat f;
        if (!oracle_flatten(mode, sym_values, &f) || f.size < 1 || f.size > DOMAIN_MOST)
            return false;
        d->extent[i] = f.size;
        d->inner[i] = first_leaf(mode.shape, sym_values);
        if ((d->size *= f.size) > DOMAIN_MOST) return false;
    }
    d->rows = d->rank > 0 ? d->extent[0] : 1;
    d->columns = d->rank > 1 ? d->extent[1] : 1;
    d->slices = d->size / (d->rows * d->columns);
    return true;
}

static const char *domain_name(const struct domain *d, int mode) {
    return d->names && mode < d->rank ? d->names[mode] : NULL;
}

static const char *heading(const struct picture *p, const struct domain *d, int64_t slice) {
    struct buf b;
    buf_init(&b);
    buf_puts(&b, "(_,_");
    for (int i = 2; i < d->rank; slice /= d->extent[i++]) {
        const char *name = domain_name(d, i);
        buf_printf(&b, ",%s%s%" PRId64, name ? name : "", name ? "=" : "", slice % d->extent[i]);
    }
    buf_char(&b, ')');
    return buf_finish(&b, &p->s->arena);
}

const char *domain_grids(struct picture *p, const char *what, const struct domain *d) {
    const char *why = picture_grids(p, what, d->slices, d->rows, d->columns);
    if (why) return why;
    // mode 2 runs across the page, the others down
    if (d->rank > 3 && d->extent[2] < PIC_GRIDS) p->across = (int)d->extent[2];
    for (int i = 0; i < p->ngrids; ++i) {
        struct pic_grid *g = &p->grid[i];
        g->row_prefix = "r";
        g->column_prefix = "c";
        const char *row = domain_name(d, 0), *column = domain_name(d, 1);
        g->row_axis = row ? row : "mode 0";
        if (d->rank > 1) g->column_axis = column ? column : "mode 1";
        g->named = row || column;
        if (d->rank > 2) g->heading = heading(p, d, i);
    }
    return NULL;
}

const char *domain_text(const struct picture *p, const struct domain *d) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < d->rank; ++i) buf_printf(&b, "%s%" PRId64, i ? " x " : "", d->extent[i]);
    return buf_finish(&b, &p->s->arena);
}

void domain_coord(const struct domain *d, int64_t i, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "(");
    for (int m = 0; m < d->rank && n < size; i /= d->extent[m++])
        n += (size_t)snprintf(text + n, size - n, "%s%" PRId64, m ? "," : "", i % d->extent[m]);
    if (n < size) snprintf(text + n, size - n, ")");
}

void note_values(struct picture *p, const struct plan *plan, const int64_t *sym_values) {
    const char *text = "with ";
    for (int i = 0, n = 0; i < plan->nparams; ++i)
        if (!plan->param[i]->sum && !plan->param[i]->numbered)
            text = picture_text(p, "%s%s%s = %" PRId64, text, n++ ? ", " : "", plan->param[i]->name,
                                sym_values[plan->param[i]->sym->id]);
    picture_note(p, "%s", text);
}
