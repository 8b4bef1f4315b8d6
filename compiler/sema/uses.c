// The index of names: where each is declared and used, what it is, and its type (sema.h).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/mma.h"
#include "plan/print.h"
#include "sema/expr/expr.h"
#include "sema/state.h"

static bool same_range(struct range a, struct range b) {
    return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

// Whether "at" is in a text that was read. That of a device function is there again for each call, and
// is looked at on its own too.
static bool was_read(const struct sema *c, struct range at) {
    return source_known(c->s, at) && !c->s->sources.file[at.file].made &&
           !c->s->sources.file[at.file].copied;
}

static struct indexed_name *declare(struct sema *c, const char *name, struct range at,
                                    const char *kind) {
    enum { RECENT = 256 };
    struct name_index *x = c->s->index;
    if (!x || !was_read(c, at)) return NULL;
    // the variable of a pipeline is declared for each of its parts, an index map is evaluated twice
    struct indexed_name *recent = x->first;
    for (int i = 0; i < RECENT && recent; ++i, recent = recent->next)
        if (same_range(recent->at, at)) return recent;
    struct indexed_name *n = ARENA_NEW(&c->s->arena, struct indexed_name);
    *n = (struct indexed_name){.name = name, .at = at, .kind = kind, .next = x->first};
    return x->first = n;
}

static void add_use(struct sema *c, struct indexed_name *n, struct range at) {
    if (!n || !was_read(c, at) || same_range(n->at, at)) return;
    n->use = arena_more(&c->s->arena, n->use, sizeof *n->use, n->nuses, &n->cap);
    n->use[n->nuses++] = at;
}

void uses_declare(struct sema *c, struct symbol *sym) {
    if (sym->kind == SYM_BUILTIN) return;
    sym->indexed = declare(c, sym->name, sym->at, strchr(symbol_kind_text(sym->kind), ' ') + 1);
}

void uses_add(struct sema *c, const struct symbol *sym, struct range at) {
    if (c->number == 0)
        add_use(c, sym->indexed, at);  // otherwise it was added for the first number
}

static struct indexed_name *label_entry(struct sema *c, struct label *l) {
    if (!l->indexed) l->indexed = declare(c, l->name, l->at, "label");
    return l->indexed;
}

void uses_add_label(struct sema *c, struct label *l, struct range at) {
    add_use(c, label_entry(c, l), at);
}

static const char *tensor_type(struct sema *c, const struct tensor *t) {
    return sema_text(c, "%s %s%s%s", t->elem->name, space_name(t->space),
                     lay_valid(t->layout) ? " " : "",
                     lay_valid(t->layout) ? lay_text(c->lay, t->layout) : "");
}

// The arguments of a function, "(A : f16 global (M):(1), out B : .., i : index)", by their places.
static const char *arguments(struct sema *c, const struct formal *formal, int nformals,
                             const struct index_formal *index, int nindexes) {
    static const char *const dir[] = {[ARG_IN] = "", [ARG_OUT] = "out ", [ARG_INOUT] = "inout "};
    const char *text = "(";
    for (int f = 0, i = 0; f + i < nformals + nindexes;) {
        bool tensor = f < nformals && (i == nindexes || formal[f].place < index[i].place);
        const struct tensor *t = tensor ? formal[f].tensor : NULL;
        text = sema_text(c, "%s%s%s%s%s : %s", text, f + i ? ", " : "",
                         tensor && formal[f].readonly ? "readonly " : "",
                         tensor ? dir[formal[f].dir] : "",
                         !tensor ? index[i].name
                         : t     ? t->name
                                 : "?",
                         !tensor ? "index"
                         : t     ? tensor_type(c, t)
                                 : "?");
        f += tensor;
        i += !tensor;
    }
    return sema_text(c, "%s)", text);
}

static const char *mma_type(struct sema *c, const struct tiled_mma *x) {
    return sema_text(c, "mma(%s, warps=%s, tile=(%" PRId64 ",%" PRId64 ",%" PRId64 "))",
                     mma_name(c->s, x->row), lay_text(c->lay, x->warps), x->tile[0], x->tile[1],
                     x->tile[2]);
}

static const char *value_type(struct sema *c, const struct symbol *sym) {
    const struct value *v = sym->value;
    const struct function *fn = sym->function;
    if (sym->kind == SYM_EXTERN && fn && !fn->broken)
        return arguments(c, fn->formal, fn->nformals, fn->index, fn->nindexes);
    switch (v ? v->kind : VAL_NONE) {
    case VAL_NONE: return NULL;
    case VAL_TILED: return plan_tiled_text(c->s, v->tc);
    case VAL_MMA: return mma_type(c, v->mma);
    case VAL_ATOM: return atom_text(c->s, v->atom);
    case VAL_KERNEL:
        return arguments(c, v->kernel->formal, v->kernel->nformals, v->kernel->index,
                         v->kernel->nindexes);
    default: return value_text(c, v);
    }
}

void uses_type(struct sema *c, const struct symbol *sym) {
    struct indexed_name *n = sym->indexed;
    if (!n || n->type) return;
    if (sym->tensor)
        n->type = tensor_type(c, sym->tensor);
    else if (sym->kind == SYM_PARAM || sym->kind == SYM_INDEX || sym->kind == SYM_LOOP ||
             sym->kind == SYM_MAP)
        n->type = "index";
    else
        n->type = value_type(c, sym);
}

void uses_add_argument(struct sema *c, const struct ast_formal *f, const struct tensor *t) {
    struct indexed_name *n = declare(c, f->name.name, f->name.at, t ? "tensor" : "index");
    if (n) n->type = t ? tensor_type(c, t) : "index";
}

static int by_place(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void uses_finish(struct sema *c) {
    if (!c->s->index) return;
    for (const struct symbol *sym = c->last; sym; sym = sym->prev) uses_type(c, sym);
    for (struct label *l = c->labels; l; l = l->next) {
        struct indexed_name *n = label_entry(c, l);
        const struct view *v = l->copy ? &l->copy->src : NULL;
        if (v && !lay_valid(v->layout)) v = &l->copy->dst;  // a fragment of a tiled copy has none
        if (n && !n->type && v && v->base && lay_valid(v->layout))
            n->type =
                sema_text(c, "%s %s", v->base->elem->name, lay_tuple_text(c->lay, v->layout.shape));
    }
    for (struct indexed_name *n = c->s->index->first; n; n = n->next) {
        int kept = 0;
        if (n->nuses) qsort(n->use, (size_t)n->nuses, sizeof *n->use, by_place);
        for (int i = 0; i < n->nuses; ++i)
            if (!kept || !same_range(n->use[i], n->use[kept - 1])) n->use[kept++] = n->use[i];
        n->nuses = kept;
    }
}
