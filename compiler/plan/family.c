// Kernels for the numbers of devices that a mesh may have (see family.h).
#include "plan/family.h"

#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "plan/bind.h"

int64_t family_number(const struct kernel *k, const struct param *q) {
    int64_t n = 0;
    for (int i = 0; k->family && i < k->mesh->naxes; ++i)
        if (k->mesh->by[i] == q) n = k->mesh->size[i];
    return n;
}

const char *family_numbers(struct session *s, const struct mesh *m) {
    const char *text = "";
    for (int i = 0; i < m->naxes; ++i) {
        bool again = !m->by[i];
        for (int j = 0; j < i; ++j) again |= m->by[j] == m->by[i];
        if (!again)
            text = arena_printf(&s->arena, "%s%s%s == %" PRId64, text, *text ? ", " : "",
                                m->by[i]->name, m->size[i]);
    }
    return text;
}

bool family_is(const struct kernel *k, const char *name) {
    return strcmp(k->name, name) == 0 || (k->family && strcmp(k->family, name) == 0);
}

bool family_ends(const struct kernel *k) {
    return k->family && (!k->next || k->next->family != k->family);
}

const struct kernel *family_begin(const struct plan *p, const struct kernel *k) {
    const struct kernel *first = p->kernels;
    while (first->family != k->family) first = first->next;
    return first;
}

const struct param *const *family_params(struct session *s, const struct plan *p,
                                         const struct kernel *k, int *n) {
    const struct param **list = ARENA_ARRAY(&s->arena, const struct param *, p->nparams + 1);
    const struct kernel *first = family_begin(p, k);
    *n = 0;
    for (int i = 0; i < p->nparams; ++i) {
        bool takes = family_number(first, p->param[i]) > 0;
        for (const struct kernel *x = first; x && x->family == k->family && !takes; x = x->next)
            for (int j = 0; j < x->ngiven; ++j) takes |= x->param[j] == p->param[i];
        if (takes) list[(*n)++] = p->param[i];
    }
    return list;
}

bool family_leaves_out(const struct kernel *k, const int64_t *value) {
    bool out = false;
    for (int i = 0; k->family && i < k->mesh->naxes; ++i) {
        const struct param *q = k->mesh->by[i];
        out |= q && value[q->sym->id] != PLAN_UNBOUND && value[q->sym->id] != k->mesh->size[i];
    }
    return out;
}
