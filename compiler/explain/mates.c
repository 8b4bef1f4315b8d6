// Matches items of two explanations (see mates.h) by sorting, since a file may be long.
#include "explain/mates.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/session.h"

struct items mates_of(struct session *s, const struct json_value *list) {
    struct items x = {NULL, 0};
    for (const struct json_value *v = list->first; v; v = v->next) ++x.n;
    x.item = ARENA_ARRAY(&s->arena, struct item, x.n + 1);
    x.n = 0;
    for (const struct json_value *v = list->first; v; v = v->next, ++x.n)
        x.item[x.n] = (struct item){.v = v, .at = x.n, .mate = -1};
    return x;
}

const char *mates_text(const struct json_value *v, const char *key) {
    const struct json_value *x = json_member(v, key);
    return x && x->kind == JSON_TEXT ? x->text : NULL;
}

static int by_key(const void *a, const void *b) {
    const struct item *const *x = a, *const *y = b;
    int c = strcmp((*x)->key, (*y)->key);
    return c ? c : (*x)->at - (*y)->at;
}

enum label { ANY, WITH, WITHOUT };

// The items of "x" with a key and without a mate, sorted by key.
static struct item **free_ones(struct session *s, const struct items *x, enum label l, int *n) {
    struct item **list = ARENA_ARRAY(&s->arena, struct item *, x->n + 1);
    *n = 0;
    for (struct item *i = x->item; i < x->item + x->n; ++i)
        if (i->key && i->mate < 0 && (l == ANY || i->labelled == (l == WITH))) list[(*n)++] = i;
    qsort(list, (size_t)*n, sizeof(struct item *), by_key);
    return list;
}

// Matches items with equal keys in their order; with "even", only if equally many are left on both
// sides.
static void pair(struct session *s, struct items x[2], enum label old, enum label new, bool even) {
    int n, m;
    struct item **a = free_ones(s, &x[0], old, &n), **b = free_ones(s, &x[1], new, &m);
    if (even && n != m) return;
    for (int i = 0, j = 0; i < n && j < m;) {
        int c = strcmp(a[i]->key, b[j]->key);
        if (c == 0) {
            a[i]->mate = b[j]->at;
            b[j]->mate = a[i]->at;
        }
        i += c <= 0;
        j += c >= 0;
    }
}

static const char *label_key(struct session *s, const struct json_value *v) {
    (void)s;
    return mates_text(v, "label");
}

static const char *text_key(struct session *s, const struct json_value *v) {
    (void)s;
    return mates_text(v, "text");
}

static const char *tensors_key(struct session *s, const struct json_value *v) {
    const char *from = mates_text(json_member(v, "source"), "tensor");
    const char *to = mates_text(json_member(v, "destination"), "tensor");
    return from && to ? arena_printf(&s->arena, "%s -> %s", from, to) : NULL;
}

static const char *no_key(struct session *s, const struct json_value *v) {
    (void)s;
    (void)v;
    return "";
}

// A label identifies a copy.  If one of two copies has none, its text decides, then its source and
// destination, then the order.
void mates_copies(struct session *s, struct items x[2]) {
    static const struct {
        const char *(*key)(struct session *s, const struct json_value *v);
        enum label old, new;
        bool even;
    } step[] = {{label_key, ANY, ANY},           {text_key, WITHOUT, WITHOUT},
                {text_key, WITHOUT, WITH},       {text_key, WITH, WITHOUT},
                {tensors_key, WITHOUT, WITHOUT}, {tensors_key, WITHOUT, WITH},
                {tensors_key, WITH, WITHOUT},    {no_key, WITHOUT, WITHOUT, true}};
    for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < x[i].n; ++j) {
                struct item *c = &x[i].item[j];
                c->key = step[k].key(s, c->v);
                c->labelled = mates_text(c->v, "label") != NULL;
            }
        }
        pair(s, x, step[k].old, step[k].new, step[k].even);
    }
}

void mates_kernels(struct session *s, struct items x[2]) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < x[i].n; ++j) x[i].item[j].key = mates_text(x[i].item[j].v, "name");
    pair(s, x, ANY, ANY, false);
}
