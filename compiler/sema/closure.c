// What the text of a kernel depends on: the declarations that it names, those that these name, and so on.
//
// Every word of a declaration counts, also in its comments, so this may be too much but never too little.
// A param depends on the params that name it, because relations are about both.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "plan/known.h"
#include "sema/decl.h"

// A name that a declaration of number "decl" declares.
struct declared {
    const char *name;
    int decl;
};

struct closure {
    struct sema *c;
    const struct ast_decl **decl;
    int ndecls;
    struct declared *declared;  // sorted by name
    int ndeclared;
    int **uses;  // by declaration: others, ended by -1
    int *turn;   // by declaration: the last kernel that it was found for, from 1 on
    bool *define;
};

static int by_name(const void *a, const void *b) {
    const struct declared *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : x->decl - y->decl;
}

static void collect(struct closure *x) {
    struct arena *a = &x->c->s->arena;
    int n = 0, names = 0;
    for (const struct checked_file *f = x->c->files; f; f = f->next) {
        n += f->of->ndecls;
        for (int i = 0; i < f->of->ndecls; ++i)
            names += f->of->decl[i]->kind == D_PARAM ? f->of->decl[i]->param.nnames : 1;
    }
    x->decl = ARENA_ARRAY(a, const struct ast_decl *, n + 1);
    x->uses = ARENA_ARRAY(a, int *, n + 1);
    x->turn = ARENA_ARRAY(a, int, n + 1);
    x->declared = ARENA_ARRAY(a, struct declared, names + 1);
    for (const struct checked_file *f = x->c->files; f; f = f->next)
        for (int i = 0; i < f->of->ndecls; ++i) {
            const struct ast_decl *d = f->of->decl[i];
            for (int k = 0; d->kind == D_PARAM && k < d->param.nnames; ++k)
                x->declared[x->ndeclared++] = (struct declared){d->param.name[k].name, x->ndecls};
            if (d->kind != D_PARAM && d->name.name)
                x->declared[x->ndeclared++] = (struct declared){d->name.name, x->ndecls};
            x->decl[x->ndecls++] = d;
        }
    if (x->ndeclared) qsort(x->declared, (size_t)x->ndeclared, sizeof *x->declared, by_name);
}

// The first one of the name, "n" bytes, or of a later name.
static int first_of(const struct closure *x, const char *name, size_t n) {
    int low = 0, high = x->ndeclared;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int c = strncmp(x->declared[middle].name, name, n);
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct range text_of(const struct ast_decl *d) {
    return ast_whole(d->at, &d->allow);
}

static void use(struct closure *x, int from, int to, int *n, int *cap) {
    for (int i = 0; i < *n; ++i)
        if (x->uses[from][i] == to) return;
    x->uses[from] =
        arena_more(&x->c->s->arena, x->uses[from], sizeof *x->uses[from], *n + (*n > 0), cap);
    x->uses[from][(*n)++] = to;
    x->uses[from][*n] = -1;
}

static bool begins_word(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static void find_uses(struct closure *x) {
    int *n = ARENA_ARRAY(&x->c->s->arena, int, 2 * x->ndecls + 1), *cap = n + x->ndecls;
    for (int i = 0; i < x->ndecls; ++i) {
        struct range r = text_of(x->decl[i]);
        const char *text = x->c->s->sources.file[r.file].text;
        for (uint32_t at = r.begin, end; at < r.end; at = end) {
            for (end = at;
                 end < r.end && (begins_word(text[end]) || isdigit((unsigned char)text[end]));)
                ++end;
            size_t size = end - at;
            if (size == 0 || !begins_word(text[at])) {
                end += size == 0;
                continue;
            }
            for (int k = first_of(x, text + at, size); k < x->ndeclared; ++k) {
                const struct declared *d = &x->declared[k];
                if (strncmp(d->name, text + at, size) != 0) break;
                if (d->name[size] || d->decl == i) continue;
                use(x, i, d->decl, &n[i], &cap[i]);
                bool params = x->decl[i]->kind == D_PARAM && x->decl[d->decl]->kind == D_PARAM;
                if (params) use(x, d->decl, i, &n[d->decl], &cap[d->decl]);
            }
        }
    }
}

static void mark(struct closure *x, int decl, int turn) {
    if (x->turn[decl] == turn) return;
    x->turn[decl] = turn;
    for (const int *u = x->uses[decl]; u && *u >= 0; ++u) mark(x, *u, turn);
}

// What all kernels depend on.
static void put_options(const struct sema *c, struct digesting *d) {
    const struct diags *g = &c->s->diags;
    digest_text(d, c->plan->arch_name);
    digest_int(d, (int64_t)c->s->options.proof_limit);
    digest_int(d, c->s->options.device);
    digest_int(d, g->off_all);
    for (int w = 0; w < MOST_WARNINGS; ++w) digest_int(d, g->off[w]);
}

static void put_defines(const struct closure *x, int turn, struct digesting *d) {
    const struct options *o = &x->c->s->options;
    for (int i = 0; i < o->ndefines; ++i) {
        size_t size = strlen(o->defines[i].name);
        int k = first_of(x, o->defines[i].name, size);
        for (; k < x->ndeclared && strcmp(x->declared[k].name, o->defines[i].name) == 0; ++k)
            if (x->turn[x->declared[k].decl] == turn) {
                digest_text(d, o->defines[i].name);
                digest_text(d, o->defines[i].text);
            }
    }
}

void closures_find(struct sema *c) {
    struct closure x = {.c = c};
    int turn = 0;
    collect(&x);
    find_uses(&x);
    for (struct kernel *k = plan_next(c->plan, NULL); k; k = plan_next(c->plan, k)) {
        struct digesting d;
        digest_begin(&d);
        put_options(c, &d);
        ++turn;
        const char *name = k->family ? k->family : k->name;
        for (int i = first_of(&x, name, strlen(name)); i < x.ndeclared; ++i) {
            if (strcmp(x.declared[i].name, name) != 0) break;
            mark(&x, x.declared[i].decl, turn);
        }
        for (int i = 0; i < x.ndecls; ++i) {
            if (x.turn[i] != turn) continue;
            struct range r = text_of(x.decl[i]);
            digest_int(&d, r.end - r.begin);
            digest_bytes(&d, c->s->sources.file[r.file].text + r.begin, r.end - r.begin);
        }
        put_defines(&x, turn, &d);
        int number = 0;  // of the case
        for (const struct kernel *b = k->first_case; b && b != k; b = b->next_case) ++number;
        digest_int(&d, number);
        digest_text(&d, k->name);
        known_text(c->s, k, &d);
    }
}
