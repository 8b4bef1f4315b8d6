// Trying arrangements of shared buffers (see swizzles.h).
#include "compile/swizzles.h"

#include <string.h>

#include "base/session.h"
#include "compile/candidates.h"
#include "compile/compile.h"
#include "compile/rearrange.h"
#include "layout/algebra.h"
#include "pass/walk.h"
#include "plan/plan.h"
#include "syntax/ast.h"

// What is compiled for candidates that are no matter of the buffer's own copies, in bytes: their
// functions, and the rest, which is parsed alone, as a part.  1 MB takes about a second.
enum { MOST_TEXT = 1 << 20, PARSED_PART = 8 };
// Accesses of warps that are looked at for all buffers of a function.  All of them take 0.25
// seconds.
enum { MOST_WORK = 1 << 19, TRY_WORK = 16 };

// -- the buffers ----------------------------------------------------------------------------------

struct buffers {
    struct ast_stmt **stmt;  // NULL: they are counted
    struct range *fn;        // in which each is, with its other cases
    int n;
};

static void find(const struct ast_block *block, struct range fn, struct buffers *out) {
    for (int i = 0; block && i < block->nstmts; ++i) {
        struct ast_stmt *st = block->stmt[i];
        if (st->kind == S_SHARED && st->buffer.swizzle_at.end) {
            if (out->stmt) {
                out->stmt[out->n] = st;
                out->fn[out->n] = fn;
            }
            ++out->n;
        }
        if (st->kind == S_FOR) find(st->loop.body, fn, out);
        for (int k = 0; st->kind == S_PIPELINE && k < st->loop.nparts; ++k)
            find(st->loop.part[k].body, fn, out);
    }
}

static void find_all(struct session *s, const struct ast_file *f, struct buffers *out) {
    *out = (struct buffers){NULL, NULL, 0};
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) {
            out->stmt = ARENA_ARRAY(&s->arena, struct ast_stmt *, out->n + 1);
            out->fn = ARENA_ARRAY(&s->arena, struct range, out->n + 1);
        }
        out->n = 0;
        for (int i = 0; i < f->ndecls;) {
            int end = ast_cases_end(f, i);
            struct range fn = f->decl[i]->at;
            fn.end = f->decl[end - 1]->at.end;
            for (; i < end; ++i)
                if (f->decl[i]->kind == D_FN) find(f->decl[i]->fn.body, fn, out);
        }
    }
}

// -- what is chosen, in the tree ------------------------------------------------------------------

static struct ast_expr *integer(struct session *s, int64_t n, struct range at) {
    struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
    *e = (struct ast_expr){.kind = E_INT, .depth = 1, .at = at, .ival = n};
    e->text = arena_printf(&s->arena, "%lld", (long long)n);
    return e;
}

static struct ast_expr *several(struct session *s, enum ast_expr_kind kind, struct range at, int n,
                                struct ast_expr *const *part) {
    struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
    *e = (struct ast_expr){.kind = kind, .at = at, .nargs = n};
    e->arg = ARENA_ARRAY(&s->arena, struct ast_arg, n);
    for (int i = 0; i < n; ++i) {
        e->arg[i] = (struct ast_arg){.value = part[i]};
        if (part[i]->depth >= e->depth) e->depth = part[i]->depth + 1;
    }
    return e;
}

static struct ast_expr *tuple_of(struct session *s, const struct lay_tuple *t, struct range at) {
    struct ast_expr *part[8];
    int n = lay_tuple_rank(t);
    if (lay_is_leaf(t)) return integer(s, t->leaf.num, at);
    for (int i = 0; i < n; ++i) part[i] = integer(s, lay_tuple_get(&s->lay, t, i)->leaf.num, at);
    return several(s, E_TUPLE, at, n, part);
}

static void put(struct session *s, struct ast_stmt *st, const struct swizzle_choice *x) {
    struct ast_expr **shape = &st->buffer.type.shape;
    struct range at = (*shape)->at;
    if (x->text) {
        struct lay l = lay_parse(&s->lay, x->text);
        struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
        *e = (struct ast_expr){.kind = E_LAYOUT, .depth = 3, .at = at};
        e->lhs = tuple_of(s, l.shape, at);
        e->rhs = tuple_of(s, l.stride, at);
        *shape = e;
    }
    if (x->b) {
        struct ast_expr *number[] = {integer(s, x->b, at), integer(s, x->m, at),
                                     integer(s, x->s, at)};
        struct ast_expr *part[] = {several(s, E_SWIZZLE, at, 3, number), integer(s, 0, at), *shape};
        *shape = several(s, E_COMPOSE, at, 3, part);
        st->buffer.chosen = true;
    }
}

// -- by a compilation of its own ------------------------------------------------------------------

struct tried {
    const struct plan *plan;
    const struct ast_stmt *buffer;
    const struct tensor *tensor;  // NULL: no copy touches it
    struct tally tally;
};

static bool add_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct tried *t = user;
    struct copy_facts f = c->facts.nvariants ? copy_facts_in(c, 0) : c->facts;
    for (int side = 0; side < 2; ++side) {
        const struct tensor *x = copy_side(c, side)->base;
        if (x->at.begin != t->buffer->name.at.begin || x->at.file != t->buffer->name.at.file)
            continue;
        t->tensor = x;
        tally_side(s, t->plan, k, c, &f, side, INT64_MAX, &t->tally);
    }
    return true;
}

// Compiles the function of buffer "st" with "choice", and sums up what the copies of "st" cost.
// False where it cannot be compiled.
static bool try_one(const struct compiled *c, const struct swizzle_choice *choice, int total,
                    const struct ast_stmt *st, struct tried *out, struct session *t) {
    struct compiled now;
    compiled_again(c, t, &now);
    now.swizzle = choice;
    now.nswizzles = total;
    now.only_at = st->name.at.begin;
    *out = (struct tried){.buffer = st};
    if (compile_until(&now, STEP_SHARED)) return false;
    out->plan = now.plan;
    walk_plan(t, now.plan, add_copy, out);
    return out->tensor != NULL;
}

static bool better(const struct tally *a, const struct tally *b) {
    if (a->copies != b->copies) return a->copies > b->copies;
    if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts;
    if (a->requests != b->requests) return a->requests < b->requests;
    return a->bytes < b->bytes;
}

// -- all ------------------------------------------------------------------------------------------

enum { PADS = 3 };  // by 4, 8 and 16 bytes

struct choosing {
    struct compiled *c;
    const struct buffers *b;
    struct swizzle_choice *choice;        // by buffer: what is chosen so far
    struct swizzle_choice *padded[PADS];  // likewise, with its padding where it has one
    struct layer plain, pad[PADS];
    bool begun[PADS];
    uint32_t only_at;  // the layers are of the function there alone; 0: of all
    int64_t text;      // that was compiled for one candidate
    int64_t work;      // accesses that were counted, of the function
    bool pair_moved;   // a buffer with such a copy is no swizzle of the plain layer's
    bool too_much;
};

static int pad_number(const struct swizzle_choice *y) {
    return y->pad == 4 ? 0 : y->pad == 8 ? 1 : 2;
}

// Counts a compilation of the function of buffer "i" alone; false where that is too much.
static bool may_compile(struct choosing *x, int i) {
    const struct session *s = x->c->s;
    size_t text = 0;
    for (int k = 0; k < s->sources.n; ++k) text += s->sources.file[k].size;
    x->text += (int64_t)(x->b->fn[i].end - x->b->fn[i].begin + text / PARSED_PART);
    return x->text <= MOST_TEXT || x->c->one_by_one;
}

static struct layer *layer_for(struct choosing *x, const struct swizzle_choice *y) {
    int p = pad_number(y);
    if (!y->text) return &x->plain;
    if (!x->begun[p])
        layer_begin(&x->pad[p], x->c, x->b->stmt, x->b->n, x->padded[p], x->only_at, false);
    x->begun[p] = true;
    return &x->pad[p];
}

// Whether copies from one buffer to another can be counted with "y" in the plain layer.
static bool suits_pairs(const struct choosing *x, int i, const struct swizzle_choice *y) {
    if (!layer_paired(&x->plain, i)) return true;
    return !y->text && !x->pair_moved;
}

// What the copies of buffer "i" cost in the arrangement "y", as far as it may be better than "best";
// false where that cannot be.
static bool count(struct choosing *x, int i, const struct swizzle_choice *y,
                  const struct tally *best, struct tally *out) {
    bool here = !x->c->one_by_one && layer_apart(&x->plain, i) &&
                !layer_moves_slots(&x->plain, i, y) && suits_pairs(x, i, y);
    struct layer *l = here ? layer_for(x, y) : NULL;
    *out = (struct tally){0};
    if (l && layer_apart(l, i)) {
        bool ok = layer_arrange(&x->plain, i, y) &&
                  layer_count(l, &x->plain, i, y, best, MOST_WORK - x->work, out);
        x->work += out->work + TRY_WORK;
        x->too_much |= x->work > MOST_WORK;
        return ok;
    }
    struct session t;
    struct tried tried;
    struct swizzle_choice was = x->choice[i];
    if (!may_compile(x, i)) {
        x->too_much = true;
        return false;
    }
    x->choice[i] = *y;
    bool ok = try_one(x->c, x->choice, x->b->n, x->b->stmt[i], &tried, &t);
    *out = tried.tally;
    x->work += out->work;
    x->too_much |= x->work > MOST_WORK && !x->c->one_by_one;
    session_release(&t);
    x->choice[i] = was;
    return ok;
}

// The candidates of buffer "i"; none where nothing copies it.
static int candidates_of(struct choosing *x, int i, struct swizzle_choice *out) {
    const struct tensor *t = layer_tensor(&x->plain, i);
    if (!t) return 0;
    int n = swizzle_candidates(&x->plain.s, t, layer_layout(&x->plain, i), out);
    for (int k = 0; k < n; ++k)
        if (out[k].text) out[k].text = arena_printf(&x->c->s->arena, "%s", out[k].text);
    return n;
}

static bool none_counted(struct choosing *x, int i) {
    const struct ast_ident name = x->b->stmt[i]->name;
    diag_error(
        x->c->s, name.at,
        "'swizzle auto' chooses by what the copies of '%s' cost, and no cost of them is known",
        name.name);
    return false;
}

static bool too_large(struct choosing *x, int i) {
    diag_error(x->c->s, x->b->stmt[i]->name.at,
               "the plan is too large for so many 'swizzle auto': %s; 'tcpc explain --plan' prints "
               "the choice of fewer, to be written down",
               x->work > MOST_WORK ? "their copies have too many accesses to count them for each "
                                     "arrangement"
                                   : "each of them compiles its function for each arrangement");
    return false;
}

static bool choose_one(struct choosing *x, int i, const struct swizzle_choice *from, int n) {
    struct tally best, now;
    int won = 0;
    if (n == 0) return true;
    bool ok = count(x, i, &from[0], NULL, &best);
    if (x->too_much) return too_large(x, i);
    if (!ok) return true;
    if (best.copies == 0) return none_counted(x, i);
    for (int k = 1; k < n && best.wavefronts > best.least; ++k) {
        if (count(x, i, &from[k], &best, &now) && better(&now, &best)) {
            best = now;
            won = k;
        }
        if (x->too_much) return too_large(x, i);
    }
    x->choice[i] = from[won];
    x->pair_moved |= layer_paired(&x->plain, i) && (from[won].text || !layer_apart(&x->plain, i) ||
                                                    layer_moves_slots(&x->plain, i, &from[won]));
    layer_arrange(&x->plain, i, &from[won]);
    return true;
}

// Chooses for the buffers "first" .. "end" - 1 of the functions that the plain layer has.
static bool choose_some(struct choosing *x, int first, int end) {
    struct session *s = x->c->s;
    struct swizzle_choice *from = ARENA_ARRAY(&s->arena, struct swizzle_choice, SWIZZLE_CANDIDATES);
    bool ok = true;
    memset(x->begun, 0, sizeof x->begun);
    x->pair_moved = false;
    for (int p = 0; p < PADS; ++p)
        x->padded[p] = ARENA_ARRAY(&s->arena, struct swizzle_choice, x->b->n + 1);
    for (int i = first; i < end; ++i) {
        int n = candidates_of(x, i, from);
        for (int k = 0; k < n; ++k)
            if (from[k].text && layer_apart(&x->plain, i) && !layer_paired(&x->plain, i))
                x->padded[pad_number(&from[k])][i] = from[k];
    }
    for (int i = first; i < end && ok; ++i) {
        if (i == first || x->b->fn[i].begin != x->b->fn[i - 1].begin) x->work = 0;
        ok = choose_one(x, i, from, candidates_of(x, i, from));
    }
    for (int p = 0; p < PADS; ++p)
        if (x->begun[p]) layer_end(&x->pad[p]);
    return ok;
}

// Of the functions one by one, as some of them are wrong.  A wrong one says so when it is compiled
// as it is.
static bool choose_apart(struct choosing *x) {
    bool ok = true;
    uint32_t at = x->c->only_at;
    for (int i = 0, end; i < x->b->n && ok; i = end) {
        const struct range fn = x->b->fn[i];
        for (end = i + 1; end < x->b->n && x->b->fn[end].begin == fn.begin;) ++end;
        if (at && (at < fn.begin || at >= fn.end)) continue;
        if (!may_compile(x, i)) return true;
        x->only_at = x->b->stmt[i]->name.at.begin;
        layer_begin(&x->plain, x->c, x->b->stmt, x->b->n, x->choice, x->only_at, true);
        if (x->plain.ok) ok = choose_some(x, i, end);
        layer_end(&x->plain);
    }
    return ok;
}

static bool choose(struct compiled *c, const struct buffers *b, struct swizzle_choice *choice) {
    struct choosing x = {.c = c, .b = b, .choice = choice};
    if (c->only_at) return choose_apart(&x);
    layer_begin(&x.plain, c, b->stmt, b->n, choice, 0, true);
    bool whole = x.plain.ok, ok = whole && choose_some(&x, 0, b->n);
    layer_end(&x.plain);
    return whole ? ok : choose_apart(&x);
}

static bool is_asked_for(const struct compiled *c, const struct ast_decl *d) {
    struct buffers b = {NULL, NULL, 0};
    if (!c->only_chosen) return c->only_at >= d->at.begin && c->only_at < d->at.end;
    find(d->fn.body, d->at, &b);
    return b.n > 0;
}

// Leaves out functions that "c" does not ask for, and what is asked about them.
static void keep_only(const struct compiled *c) {
    struct ast_file *f = c->ast;
    int n = 0;
    for (int i = 0; i < f->ndecls;) {
        bool keep = false;
        int end = ast_cases_end(f, i);
        for (int k = i; k < end && !keep; ++k)
            keep = f->decl[k]->kind == D_FN && is_asked_for(c, f->decl[k]);
        for (struct ast_decl *d; i < end; ++i) {
            d = f->decl[i];
            if (d->kind == D_FN ? keep || !d->fn.body : d->kind != D_EXPECT) f->decl[n++] = d;
        }
    }
    f->ndecls = n;
}

bool swizzles_choose(struct compiled *c) {
    struct session *s = c->s;
    struct buffers b;
    find_all(s, c->ast, &b);
    if (b.n > 0 && (!c->swizzle || c->nswizzles != b.n)) {  // a fix-it may have brought one more
        struct swizzle_choice *choice = ARENA_ARRAY(&s->arena, struct swizzle_choice, b.n);
        if (!choose(c, &b, choice)) return false;
        c->swizzle = choice;
        c->nswizzles = b.n;
    }
    for (int i = 0; i < b.n && i < c->nswizzles; ++i) put(s, b.stmt[i], &c->swizzle[i]);
    if (c->only_at || c->only_chosen) keep_only(c);
    return true;
}
