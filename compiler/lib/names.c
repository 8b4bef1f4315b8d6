// The names of a plan as data (tcpc.h).
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "lib/lib.h"
#include "sema/sema.h"

static int compare(const struct tcpc_place *a, const struct tcpc_place *b) {
    int files = strcmp(a->file, b->file);
    if (files) return files;
    return a->line != b->line ? a->line - b->line : a->column - b->column;
}

static int by_place(const void *a, const void *b) {
    const struct tcpc_name *x = *(const struct tcpc_name *const *)a,
                           *y = *(const struct tcpc_name *const *)b;
    return compare(&x->at, &y->at);
}

static const struct tcpc_name *name_of(struct session *s, const struct indexed_name *n) {
    struct tcpc_place *use = ARENA_ARRAY(&s->arena, struct tcpc_place, n->nuses + 1);
    struct tcpc_name *x = ARENA_NEW(&s->arena, struct tcpc_name);
    for (int i = 0; i < n->nuses; ++i) use[i] = lib_place(s, n->use[i]);
    *x = (struct tcpc_name){.size = sizeof *x,
                            .name = n->name,
                            .kind = n->kind,
                            .type = n->type,
                            .at = lib_place(s, n->at),
                            .use = use,
                            .nuses = (size_t)n->nuses};
    return x;
}

void lib_show_names(struct session *s, const struct name_index *index, struct tcpc_result *out) {
    size_t n = 0;
    for (const struct indexed_name *x = index->first; x; x = x->next) ++n;
    const struct tcpc_name **name = ARENA_ARRAY(&s->arena, const struct tcpc_name *, n + 1);
    out->name = name;
    for (const struct indexed_name *x = index->first; x; x = x->next)
        name[out->nnames++] = name_of(s, x);
    if (n) qsort(name, n, sizeof *name, by_place);
}

static int holds(const struct tcpc_place *p, const char *file, int line, int column) {
    return p->line == line && p->column <= column && column < p->end_column &&
           strcmp(p->file, file) == 0;
}

const struct tcpc_name *tcpc_name_at(const struct tcpc_result *r, const char *file, int line,
                                     int column) {
    for (size_t i = 0; i < r->nnames; ++i) {
        const struct tcpc_name *n = r->name[i];
        if (holds(&n->at, file, line, column)) return n;
        for (size_t k = 0; k < n->nuses; ++k)
            if (holds(&n->use[k], file, line, column)) return n;
    }
    return NULL;
}
