// Recognizes the meaning of wrong calls and members: "local_tile(A, (block.x,0), (64,64))",
// "size(4,8)", "k.ld.dst", "ld.src.bits".
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"

static const char *text_at(struct sema *c, struct range at) {
    return arena_strndup(&c->s->arena, c->s->sources.file[at.file].text + at.begin,
                         at.end - at.begin);
}

// Whether all of "v" are integers.  Sets "running" if one of them is known only at run time.
static bool integers(const struct value *v, bool *running) {
    if (v->kind == VAL_INT) {
        *running |= !ix_constant(v->ix);
        return true;
    }
    for (int i = 0; v->kind == VAL_TUPLE && i < v->rank; ++i)
        if (!integers(v->kid[i], running)) return false;
    return v->kind == VAL_TUPLE;
}

// Reports that arguments "i" and "i + 1" of "call" should be exchanged.
static void exchanged(struct sema *c, const struct call *call, int i, const char *why) {
    struct range first = call->e->arg[i].value->at, second = call->e->arg[i + 1].value->at;
    diag_error(c->s, first, "%s in '%s'", why, call->name);
    diag_fixit(c->s, first, text_at(c, second));
    diag_fixit(c->s, second, text_at(c, first));
}

bool suggest_exchanged(struct sema *c, const struct call *call) {
    const struct value *const *a = call->arg;
    bool tile = strcmp(call->name, "local_tile") == 0,
         thread = strcmp(call->name, "local_partition") == 0, running = false, later = false;
    bool tiler = a[0]->kind == VAL_TUPLE || a[0]->kind == VAL_INT || a[0]->kind == VAL_CALC;
    if (tile && tiler && a[1]->kind == VAL_VIEW) {
        exchanged(c, call, 0, "the tensor comes before its tile");
        return true;
    }
    if (tile && call->n == 3 && tiler && a[1]->kind == VAL_TUPLE && a[2]->kind == VAL_VIEW) {
        struct range first = call->e->arg[0].value->at, tensor = call->e->arg[2].value->at;
        struct range all = {first.file, first.begin, tensor.end};
        const char *ours = sema_text(c, "%s, %s, %s", text_at(c, tensor), text_at(c, first),
                                     text_at(c, call->e->arg[1].value->at));
        diag_error(c->s, all, "the tensor comes before its tile in 'local_tile': '%s'", ours);
        diag_fixit(c->s, all, ours);
        return true;
    }
    if ((!tile && !thread) || call->n != 3 || !integers(a[1], &running) || !running) return false;
    bool layout = thread && value_is_layout(a[2]);
    if (!layout && (!integers(a[2], &later) || later || (thread && a[2]->kind != VAL_TUPLE)))
        return false;
    exchanged(c, call, 1,
              tile ? "the tile comes before its coordinate"
                   : "the layout of threads comes before the thread");
    return true;
}

// Handles "size(4,8)" and "rank((4,8),(8,1))".
static bool loose_layout(struct sema *c, const struct call *call) {
    static const char of[][8] = {"size", "rank", "depth", "cosize", "shape", "stride"};
    bool one = false, running = false;
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i) one |= strcmp(call->name, of[i]) == 0;
    const struct value *a = call->arg[0], *b = call->n == 2 ? call->arg[1] : NULL;
    if (!one || !b || !integers(a, &running) || !integers(b, &running) || running) return false;
    struct range first = call->e->arg[0].value->at, second = call->e->arg[1].value->at;
    struct range both = {first.file, first.begin, second.end};
    bool pair = a->kind == VAL_TUPLE && b->kind == VAL_TUPLE && a->rank == b->rank;
    if (!pair && (a->kind != VAL_INT || b->kind != VAL_INT)) return false;
    const char *ours =
        sema_text(c, pair ? "%s:%s" : "(%s,%s)", text_at(c, first), text_at(c, second));
    diag_error(c->s, both,
               pair ? "argument 2 of '%s' is a mode; a shape and its stride are '%s'"
                    : "argument 2 of '%s' is a mode; a shape of two modes is '%s'",
               call->name, ours);
    diag_fixit(c->s, both, ours);
    return true;
}

bool suggest_failed(struct sema *c, const struct call *call) {
    if (call->n < 2) return false;
    const struct value *a = call->arg[0], *b = call->arg[1];
    if (strcmp(call->name, "tile_to_shape") == 0 && a->kind == VAL_TUPLE && value_is_layout(b)) {
        exchanged(c, call, 0, "the layout comes before the shape");
        return true;
    }
    bool running = false;
    if (strcmp(call->name, "idx2crd") == 0 && a->kind == VAL_TUPLE && b->kind == VAL_INT &&
        integers(a, &running)) {
        exchanged(c, call, 0, "the index comes before the shape");
        return true;
    }
    return loose_layout(c, call);
}

// -- members --------------------------------------------------------------------------------------

static bool is_transpose(const char *name) {
    static const char words[][12] = {"t", "T", "tr", "transpose", "transposed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcmp(name, words[i]) == 0) return true;
    return false;
}

bool suggest_part(struct sema *c, const struct ast_expr *e, const struct value *v) {
    const char *of = ast_expr_text(c->s, e->lhs), *name = e->name, *ours = NULL;
    if (v->kind == VAL_KERNEL) {
        for (struct label *l = c->labels; l && !ours; l = l->next)
            if (l->name == name && l->kernel == v->kernel) ours = name;
        if (!ours) return false;
        diag_error(c->s, e->at, "the label of a copy has no kernel before it: '%s'", name);
    } else if (v->kind == VAL_SIDE || v->kind == VAL_COPY) {
        static const char bits[][8] = {"bits", "width"},
                          props[][20] = {"vector_bits",    "sectors",    "sectors_total",
                                         "requests_total", "wavefronts", "wavefronts_total"};
        for (size_t i = 0; i < sizeof bits / sizeof *bits; ++i)
            if (strcmp(name, bits[i]) == 0) name = "vector_bits";
        for (size_t i = 0; i < sizeof props / sizeof *props && !ours; ++i)
            if (strcmp(name, props[i]) == 0) ours = sema_text(c, "%s(%s)", name, of);
        if (!ours) return false;
        if (v->kind == VAL_COPY) ours = sema_text(c, "%s(%s.src)", name, of);
        diag_error(c->s, e->name_at, "%s has no part '%s'; write '%s'", value_kind_text(v), e->name,
                   ours);
        if (v->kind == VAL_COPY) return true;  // the side is not known
    } else if (v->kind == VAL_ATOM && is_transpose(name)) {
        ours = sema_text(c, "%s.trans", of);
        if (!atom_known(ours)) return false;
        diag_error(c->s, e->at, "no atom is called '%s.%s'; did you mean '%s'?", of, name, ours);
    } else {
        return false;
    }
    diag_fixit(c->s, e->at, ours);
    return true;
}
