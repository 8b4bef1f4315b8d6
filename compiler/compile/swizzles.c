// Trying arrangements of shared buffers (see swizzles.h).
#include "compile/swizzles.h"

#include <string.h>

#include "base/session.h"
#include "compile/compile.h"
#include "compile/fixits.h"
#include "cost/copy.h"
#include "layout/algebra.h"
#include "pass/walk.h"
#include "plan/plan.h"
#include "syntax/ast.h"

// Each candidate costs a compilation of its function up to the widths.
enum { MOST_BUFFERS = 16, MOST_CANDIDATES = 160 };
// What is compiled for all of them, in bytes: their functions, and the rest, which is parsed alone,
// as a part.  20 KB take about a second.
enum { MOST_TEXT = 20 * 1024, PARSED_PART = 8 };
enum { SHARED_BITS = 1024 };  // of all banks
enum { MOST_ROWS = 6 };       // 1, 2, 4, .. 32 rows have one number

// -- the buffers ----------------------------------------------------------------------------------

struct buffers {
    struct ast_stmt *stmt[MOST_BUFFERS];
    int n;  // also of those beyond
};

static void find(const struct ast_block *block, struct buffers *out) {
    for (int i = 0; block && i < block->nstmts; ++i) {
        struct ast_stmt *st = block->stmt[i];
        if (st->kind == S_SHARED && st->buffer.swizzle_at.end) {
            if (out->n < MOST_BUFFERS) out->stmt[out->n] = st;
            ++out->n;
        }
        if (st->kind == S_FOR) find(st->loop.body, out);
        for (int k = 0; st->kind == S_PIPELINE && k < st->loop.nparts; ++k)
            find(st->loop.part[k].body, out);
    }
}

static void find_all(const struct ast_file *f, struct buffers *out) {
    out->n = 0;
    for (int i = 0; i < f->ndecls; ++i)
        if (f->decl[i]->kind == D_FN) find(f->decl[i]->fn.body, out);
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
    }
}

// -- what an arrangement costs --------------------------------------------------------------------

struct tried {
    struct compiled now;
    uint32_t buffer;  // where its name stands
    int file;
    int copies;  // of it that have a number
    int64_t wavefronts, least, requests, bytes;
    struct lay layout;  // of its elements and slots
    bool names;         // its modes have names
    int elem_bits;
    bool found;
};

static bool is_it(const struct tried *t, const struct tensor *x) {
    return x->at.begin == t->buffer && (int)x->at.file == t->file;
}

static bool add_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct tried *t = user;
    struct copy_facts f = c->facts.nvariants ? copy_facts_in(c, 0) : c->facts;
    struct side_cost mine;
    for (int side = 0; side < 2; ++side) {
        const struct view *v = copy_side(c, side);
        if (!is_it(t, v->base)) continue;
        t->found = true;
        t->bytes = v->base->smem_elements * v->base->elem->bits / 8;
        t->elem_bits = v->base->elem->bits;
        t->layout = v->base->layout;
        t->names = v->base->names != NULL;
        cost_of_side(s, t->now.plan, k, c, &f, NULL, side, &mine);
        if (!mine.there || mine.why) continue;
        ++t->copies;
        t->wavefronts += mine.total.wavefronts.most;
        t->least += mine.least_total.wavefronts.least;
        if (copy_side(c, !side)->base->space == MEM_GLOBAL) t->requests += mine.instructions;
    }
    return true;
}

// Compiles the function of buffer "st" with "choice", and sums up what the copies of "st" cost.
// False where it cannot be compiled.
static bool try_one(const struct compiled *c, const struct swizzle_choice *choice, int total,
                    const struct ast_stmt *st, struct tried *out, struct session *t) {
    session_like(t, c->s);
    for (int i = 0; i < c->s->sources.n; ++i) {
        const struct source *f = &c->s->sources.file[i];
        struct given *g = ARENA_NEW(&t->arena, struct given);
        *g = (struct given){f->path, f->text, f->size, t->sources.given};
        t->sources.given = g;
    }
    memset(out, 0, sizeof *out);
    compile_begin(&out->now, t, c->path);
    out->now.as_it_is = true;
    out->now.swizzle = choice;
    out->now.nswizzles = total;
    out->now.only_at = st->name.at.begin;
    if (compile_until(&out->now, STEP_SHARED)) return false;
    out->buffer = st->name.at.begin;
    out->file = (int)st->name.at.file;
    walk_plan(t, out->now.plan, add_copy, out);
    return out->found;
}

static bool better(const struct tried *a, const struct tried *b) {
    if (a->copies != b->copies) return a->copies > b->copies;
    if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts;
    if (a->requests != b->requests) return a->requests < b->requests;
    return a->bytes < b->bytes;
}

// -- candidates -----------------------------------------------------------------------------------

static int log2_of(int64_t n) {
    int k = 0;
    while (n > 1 && n % 2 == 0) n /= 2, ++k;
    return n == 1 ? k : -1;
}

// The plain layout's rows, in elements, that lie one behind the other in the mode with the greatest
// stride; 0 where it has no two modes of numbers.
static int64_t pitch_of(struct session *s, struct lay l, int *mode) {
    const struct lay_tuple *shape = l.shape, *stride = l.stride;
    int64_t most = 0;
    if (lay_is_leaf(shape)) return 0;
    for (int i = 0; i < lay_tuple_rank(shape); ++i) {
        const struct lay_tuple *x = lay_tuple_get(&s->lay, shape, i);
        const struct lay_tuple *d = lay_tuple_get(&s->lay, stride, i);
        if (!lay_is_leaf(x) || !lay_is_leaf(d) || !lay_int_static(x->leaf) ||
            !lay_int_static(d->leaf))
            return 0;
        if (d->leaf.num > most) most = d->leaf.num, *mode = i;
    }
    return most;
}

// The least and the greatest distance in the plain layout that is a power of two, as powers, of
// elements that do not follow one another; -1: none is.
static void rows_of(struct session *s, struct lay l, int *least, int *most) {
    struct lay flat = lay_flatten(&s->lay, l);
    *least = *most = -1;
    for (int i = 0; lay_valid(flat) && i < lay_rank(flat); ++i) {
        const struct lay_tuple *d =
            lay_is_leaf(flat.stride) ? flat.stride : lay_tuple_get(&s->lay, flat.stride, i);
        int k = lay_int_static(d->leaf) && d->leaf.num > 1 ? log2_of(d->leaf.num) : -1;
        if (k < 0) continue;
        if (*least < 0 || k < *least) *least = k;
        if (k > *most) *most = k;
    }
    lay_clear_error(&s->lay);
}

static int candidates(struct session *s, const struct tried *plain, int stages,
                      struct swizzle_choice *out) {
    int n = 0, mode = 0, least, most;
    struct lay l = plain->layout;
    if (stages) l = lay_take(&s->lay, l, 0, lay_rank(l) - 1);
    out[n++] = (struct swizzle_choice){0};
    int64_t pitch = pitch_of(s, l, &mode);
    rows_of(s, l, &least, &most);
    // chunks of 16, 8 and 4 bytes, exchanged by the number of the row, or of 2, 4, .. rows
    for (int bytes = 16; bytes >= 4; bytes /= 2) {
        int m = log2_of(bytes * 8 / plain->elem_bits);
        if (bytes * 8 < plain->elem_bits || m < 0) continue;
        int banks = log2_of(SHARED_BITS / 8 / bytes);  // chunks that all banks hold
        for (int b = banks; b >= 1; --b) {
            int first = least < 0 ? banks : least - m, last = most < 0 ? banks : most - m;
            for (int shift = first < b ? b : first; shift < last + MOST_ROWS; ++shift)
                if (n < MOST_CANDIDATES) out[n++] = (struct swizzle_choice){b, m, shift, NULL};
        }
    }
    // rows further apart by some words
    for (int bytes = 4;
         pitch > 0 && !plain->names && lay_rank(l) == 2 && bytes <= 16 && n < MOST_CANDIDATES;
         bytes *= 2) {
        int64_t add = bytes * 8 / plain->elem_bits;
        if (add == 0) continue;
        const struct lay_tuple *a = lay_tuple_get(&s->lay, l.stride, 0);
        const struct lay_tuple *b = lay_tuple_get(&s->lay, l.stride, 1);
        out[n++].text = arena_printf(&s->arena, "%s:(%lld,%lld)", lay_tuple_text(&s->lay, l.shape),
                                     (long long)a->leaf.num + (mode == 0 ? add : 0),
                                     (long long)b->leaf.num + (mode == 1 ? add : 0));
    }
    return n;
}

// -- all ------------------------------------------------------------------------------------------

static bool choose(struct compiled *c, const struct buffers *b, struct swizzle_choice *choice) {
    struct session *s = c->s;
    for (int i = 0; i < b->n; ++i) {
        const struct ast_stmt *st = b->stmt[i];
        struct swizzle_choice *x = ARENA_ARRAY(&s->arena, struct swizzle_choice, MOST_CANDIDATES);
        struct session t;
        struct tried best, now;
        // a plan that is wrong says so when it is compiled as it is
        bool ok = try_one(c, choice, b->n, st, &best, &t);
        int n = ok ? candidates(&t, &best, st->buffer.stages != NULL, x) : 0;
        for (int k = 0; k < n; ++k)
            if (x[k].text) x[k].text = arena_printf(&s->arena, "%s", x[k].text);
        session_release(&t);
        if (!ok) continue;
        if (best.copies == 0) {
            diag_error(s, st->name.at,
                       "'swizzle auto' chooses by what the copies of '%s' cost, and none of them "
                       "has a number",
                       st->name.name);
            return false;
        }
        int won = 0;
        for (int k = 1; k < n && best.wavefronts > best.least; ++k) {
            choice[i] = x[k];
            if (try_one(c, choice, b->n, st, &now, &t) && better(&now, &best)) {
                best = now;
                won = k;
            }
            session_release(&t);
        }
        choice[i] = x[won];
    }
    return true;
}

// Leaves out the functions that "at" is not in, and what is asked about them.
static void keep_only(struct ast_file *f, uint32_t at) {
    int n = 0;
    for (int i = 0; i < f->ndecls; ++i) {
        const struct ast_decl *d = f->decl[i];
        bool other = d->kind == D_FN && d->fn.body && (at < d->at.begin || at >= d->at.end);
        if (!other && d->kind != D_EXPECT) f->decl[n++] = f->decl[i];
    }
    f->ndecls = n;
}

// The text of the function in which "at" is.
static size_t function_text(const struct ast_file *f, uint32_t at) {
    for (int i = 0; i < f->ndecls; ++i) {
        const struct range r = f->decl[i]->at;
        if (f->decl[i]->kind == D_FN && at >= r.begin && at < r.end) return r.end - r.begin;
    }
    return 0;
}

static bool too_large(const struct compiled *c, const struct buffers *b) {
    size_t text = 0, all = 0;
    if (b->n > MOST_BUFFERS) return true;
    for (int i = 0; i < c->s->sources.n; ++i) text += c->s->sources.file[i].size;
    for (int i = 0; i < b->n; ++i)
        all += function_text(c->ast, b->stmt[i]->name.at.begin) + text / PARSED_PART;
    return all > MOST_TEXT;
}

bool swizzles_choose(struct compiled *c) {
    struct session *s = c->s;
    struct buffers b;
    find_all(c->ast, &b);
    if (b.n == 0) return true;
    if (too_large(c, &b)) {
        diag_error(s, b.stmt[b.n > MOST_BUFFERS ? MOST_BUFFERS - 1 : b.n - 1]->name.at,
                   "the plan is too large for so many 'swizzle auto': each of them compiles it "
                   "some 30 times; 'tcpc explain --plan' prints the choice, to be written down");
        return false;
    }
    if (!c->swizzle || c->nswizzles != b.n) {  // a fix-it may have brought one more
        struct swizzle_choice *choice = ARENA_ARRAY(&s->arena, struct swizzle_choice, b.n);
        memset(choice, 0, sizeof *choice * (size_t)b.n);
        if (!choose(c, &b, choice)) return false;
        c->swizzle = choice;
        c->nswizzles = b.n;
    }
    for (int i = 0; i < b.n && i < c->nswizzles; ++i) put(s, b.stmt[i], &c->swizzle[i]);
    if (c->only_at) keep_only(c->ast, c->only_at);
    return true;
}
