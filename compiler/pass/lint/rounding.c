// Warns of floats that go to a tensor of the same type through a buffer of the kernel that cannot
// hold them.  If a narrower tensor or a call is involved, the plan needs that type, and there is no
// warning.
#include <stdlib.h>

#include "base/session.h"
#include "pass/lint/lint.h"

// A buffer of the kernel.  Buffers connected by copies form a group.
struct buffer {
    const struct tensor *t;
    int up;  // a buffer nearer to the first of its group; itself there
    // For the first of a group: a tensor that is copied to the group, and one that is copied from
    // it.
    const struct tensor *in, *out;
    bool mixed;  // there are several such tensors of different types, or a call uses the group
    bool told;   // for the group: a warning was given
    struct buffer *member;  // for the group: its members, as a list
    struct buffer *next;    // next member
    const struct stmt *at;  // the first copy to it that rounds
    int number;             // number of that copy in the kernel
};

struct buffers {
    struct buffer *at;  // sorted by tensor
    int n;
};

static int by_id(const void *a, const void *b) {
    const struct buffer *x = a, *y = b;
    return (x->t->id > y->t->id) - (x->t->id < y->t->id);
}

// The buffer of "t"; NULL if it is not the kernel's own.
static struct buffer *find(const struct buffers *all, const struct tensor *t) {
    struct buffer key = {.t = t};
    struct buffer *x = bsearch(&key, all->at, (size_t)all->n, sizeof key, by_id);
    return x && x->t == t ? x : NULL;
}

static struct buffer *group(const struct buffers *all, struct buffer *x) {
    while (all->at[x->up].up != x->up) x->up = all->at[x->up].up;
    return &all->at[x->up];
}

static struct buffers buffers_of(struct session *s, const struct kernel *k) {
    struct buffers all = {ARENA_ARRAY(&s->arena, struct buffer, k->nlocal + 1), 0};
    for (int i = 0; i < k->nlocal; ++i)
        if (!k->local[i]->outside && k->local[i]->space != MEM_GLOBAL)
            all.at[all.n++] = (struct buffer){.t = k->local[i]};
    qsort(all.at, (size_t)all.n, sizeof *all.at, by_id);
    for (int i = 0; i < all.n; ++i) all.at[i].up = i;
    return all;
}

static void join(const struct buffers *all, const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        struct buffer *a = find(all, st->copy->src.base), *b = find(all, st->copy->dst.base);
        if (a && b) group(all, a)->up = group(all, b)->up;
    }
}

static void use(struct buffer *g, const struct tensor **end, const struct tensor *t) {
    const struct tensor *other = g->in ? g->in : g->out;
    g->mixed |= other && other->elem != t->elem;
    if (!*end) *end = t;
}

static void find_ends(const struct buffers *all, const struct kernel *k) {
    int number = 0;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && !st->call->fill && i < st->call->fn->nformals;
             ++i) {
            struct buffer *x = find(all, st->call->view[i].base);
            if (x) group(all, x)->mixed = true;
        }
        if (st->kind != STMT_COPY) continue;
        const struct tensor *from = st->copy->src.base, *to = st->copy->dst.base;
        struct buffer *a = find(all, from), *b = find(all, to);
        if (b && !b->at && elem_rounds(from->elem, to->elem)) {
            b->at = st;
            b->number = number;
        }
        ++number;
        if (!a && b) use(group(all, b), &group(all, b)->in, from);
        if (a && !b) use(group(all, a), &group(all, a)->out, to);
    }
}

// Warns that "x", of group "g", is the first buffer that rounds.
static void warn(struct session *s, const struct kernel *k, const struct buffer *x,
                 const struct buffer *g) {
    const struct elem_type *elem = g->in->elem;
    diag_warn(s, W_ROUNDING, x->at->at,
              "'%s' holds %s, and its elements come from '%s' and go to '%s', which hold %s: they "
              "are rounded on the way",
              x->t->name, x->t->elem->name, g->in->name, g->out->name, elem->name);
    diag_note(s, x->t->elem_at, "%s keeps them as they are", elem->name);
    for (const struct buffer *m = g->member; m; m = m->next)
        if (elem_rounds(elem, m->t->elem)) diag_fixit(s, m->t->elem_at, elem->name);
    diag_claim(s, (struct claim){k->name, x->number, 0, CHEAPER_NOT, false, false, false});
}

void lint_rounding(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    struct buffers all = buffers_of(s, k);
    if (!all.n) return;
    join(&all, k);
    find_ends(&all, k);
    for (int i = all.n - 1; i >= 0; --i) {
        struct buffer *g = group(&all, &all.at[i]);
        all.at[i].next = g->member;
        g->member = &all.at[i];
    }
    for (int i = 0; i < all.n; ++i) {
        struct buffer *x = &all.at[i], *g = group(&all, x);
        if (!x->at || g->told || g->mixed || !g->in || !g->out) continue;
        if (!elem_rounds(g->in->elem, x->t->elem)) continue;
        g->told = true;
        warn(s, k, x, g);
    }
}
