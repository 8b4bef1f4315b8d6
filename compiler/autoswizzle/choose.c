// Choosing among arrangements (see choose.h).
#include "autoswizzle/choose.h"

#include <stdlib.h>
#include <string.h>

#include "autoswizzle/asked.h"
#include "autoswizzle/candidates.h"
#include "autoswizzle/rearrange.h"
#include "base/session.h"
#include "pass/walk.h"
#include "plan/plan.h"
#include "steps/steps.h"
#include "syntax/ast.h"

// Bytes of text that may be compiled for candidates whose cost depends on more than the buffer's
// own copies. A trial compiles their function, and only parses the rest, which costs one part in
// PARSED_PART of its size. A KB takes 0.2 ms, so that the limit is 40 ms for each KB of plan, but
// 50 ms at least and 0.2 seconds at most.
enum { MOST_TEXT = 1 << 20, LEAST_TEXT = 1 << 18, TEXT_TIMES = 192, PARSED_PART = 8 };
// Warp accesses that may be counted: MOST_WORK for the buffers of one function, and WORK_TIMES for
// each byte of the plan, but LEAST_WORK at least. TRY_WORK is added for each candidate. 2000
// accesses take a millisecond.
enum { MOST_WORK = 1 << 19, LEAST_WORK = 3 << 15, WORK_TIMES = 96, TRY_WORK = 16 };

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
        tally_side(s, &(struct costed){t->plan, k, c, &f, NULL}, side, INT64_MAX, &t->tally);
    }
    return true;
}

// Compiles the function of buffer "st" with "choice" up to step "last". If that is STEP_SHARED or
// later, adds up in out->tally what the buffer's copies cost. False when it cannot be compiled or
// no copy touches the buffer.
static bool try_one(const struct compiled *c, const struct swizzle_choice *choice, int total,
                    const struct ast_stmt *st, enum step last, struct tried *out,
                    struct session *t) {
    struct compiled now;
    steps_again(c, t, &now);
    now.swizzle = choice;
    now.nswizzles = total;
    now.only_at = st->name.at.begin;
    *out = (struct tried){.buffer = st};
    if (steps_until(&now, last)) return false;
    if (last < STEP_SHARED) return true;
    out->plan = now.plan;
    walk_plan(t, now.plan, add_copy, out);
    return out->tensor != NULL;
}

// -- all ------------------------------------------------------------------------------------------

// one layer for each padding of 4, 8 and 16 bytes, and one for each period of swizzles that move a
// buffer's slots
enum { PADS = 3, LAYERS = PADS + 40 };

struct choosing {
    struct compiled *c;
    const struct buffers *b;
    struct swizzle_choice *choice;  // by buffer: what has been chosen so far
    struct swizzle_choice **from;   // by buffer: its candidates
    int *nfrom;
    int first, end;  // the buffers of the functions at hand
    // the layer with plain layouts, and those that some candidates need; NULL: not compiled yet
    struct layer plain, *layer[LAYERS];
    struct asked asked;
    uint32_t only_at;         // a place in the only function that the layers have; 0: they have all
    int64_t text, most_text;  // bytes compiled for candidates so far, and the limit
    int64_t work, most_work;  // warp accesses counted for the function, and the limit
    int64_t all_work;         // accesses left for this function and the later ones
    // the choice for a buffer of a paired copy (layer_paired) needs more than a swizzle of the
    // plain layer
    bool pair_moved;
    bool too_much;
};

static int64_t text_of_function(const struct choosing *x, int i) {
    return x->b->fn[i].end - x->b->fn[i].begin + source_bytes(x->c->s) / PARSED_PART;
}

// Accounts for compiling the function of buffer "i". False when that exceeds the limit.
static bool may_compile(struct choosing *x, int i) {
    if (x->c->one_by_one) return true;
    x->text += text_of_function(x, i);
    x->too_much |= x->text > x->most_text;
    return !x->too_much;
}

// Whether everything that asks for the layout of buffer "i" accepts candidate "k".
static enum taken taken(struct choosing *x, int i, int k) {
    if (k == 0 || !layer_asked(&x->plain, i)) return TAKEN_IS;
    if (layer_refuses(&x->plain, i, &x->from[i][k])) return TAKEN_NOT;
    enum taken t = asked_taken(&x->asked, i, k);
    x->too_much |= t == TAKEN_TOO_MUCH;
    return t;
}

// The number of the layer that has candidate "k" of buffer "i"; -1: the plain layer, -2: there is
// none.
static int number_of_layer(struct choosing *x, int i, int k) {
    const struct swizzle_choice *y = &x->from[i][k];
    if (y->text) return y->pad == 4 ? 0 : y->pad == 8 ? 1 : 2;
    if (!layer_moves_slots(&x->plain, i, y)) return -1;
    int n = PADS + y->b + y->m + abs(y->s);
    return n < LAYERS ? n : -2;
}

// Compiles layer "n". Each buffer takes the first of its candidates that belongs to this layer.
static struct layer *layer_of(struct choosing *x, int n) {
    struct session *s = x->c->s;
    if (n == -1) return &x->plain;
    if (x->layer[n]) return x->layer[n];
    struct swizzle_choice *choice = ARENA_ARRAY(&s->arena, struct swizzle_choice, x->b->n + 1);
    for (int i = x->first; i < x->end; ++i) {
        if (x->nfrom[i] == 0 || !layer_apart(&x->plain, i) || layer_paired(&x->plain, i)) continue;
        for (int k = 0; k < x->nfrom[i] && !choice[i].text && !choice[i].b; ++k)
            if (number_of_layer(x, i, k) == n && taken(x, i, k) == TAKEN_IS)
                choice[i] = x->from[i][k];
    }
    x->layer[n] = ARENA_NEW(&s->arena, struct layer);
    layer_begin(x->layer[n], x->c, x->b->stmt, x->b->n, choice, x->only_at, false);
    return x->layer[n];
}

// Whether layer "n" can count the copies of buffer "i" without compiling its function again.
static bool counts_alone(const struct choosing *x, int i, int n) {
    if (x->c->one_by_one || n == -2 || !layer_apart(&x->plain, i)) return false;
    return !layer_paired(&x->plain, i) || (n == -1 && !x->pair_moved);
}

// Compiles the function of buffer "i" with its candidate "k" and the other buffers as chosen so
// far. Stores the costs of the buffer's copies in "out"; if "out" is NULL, only checks that
// everything that asks for the layout accepts it. False when the compilation fails.
static bool compile_one(struct choosing *x, int i, int k, struct tally *out) {
    struct session t;
    struct tried tried;
    struct swizzle_choice was = x->choice[i];
    if (!may_compile(x, i)) return false;
    x->choice[i] = x->from[i][k];
    bool ok = try_one(x->c, x->choice, x->b->n, x->b->stmt[i], out ? STEP_SHARED : STEP_CALLS,
                      &tried, &t);
    if (out) *out = tried.tally;
    x->work += tried.tally.work;
    session_release(&t);
    x->choice[i] = was;
    return ok;
}

static bool better(const struct tally *a, const struct tally *b) {
    if (a->copies != b->copies) return a->copies > b->copies;
    if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts;
    if (a->requests != b->requests) return a->requests < b->requests;
    return a->bytes < b->bytes;
}

// Stores in "out" what the copies of buffer "i" cost with candidate "k". False when that is not
// better than "best" (NULL: anything is), or when the candidate is refused.
static bool count(struct choosing *x, int i, int k, const struct tally *best, struct tally *out) {
    int n = x->c->one_by_one ? -2 : number_of_layer(x, i, k);
    bool alone = counts_alone(x, i, n), known = layer_refuses(&x->plain, i, &x->from[i][k]);
    enum taken is = alone && (n != -1 || known) ? taken(x, i, k) : TAKEN_IS;
    struct layer *l = alone && is == TAKEN_IS ? layer_of(x, n) : NULL;
    *out = (struct tally){0};
    if (is == TAKEN_NOT || x->too_much) return false;
    if (!l || !layer_apart(l, i)) return compile_one(x, i, k, out) && (!best || better(out, best));
    bool ok = layer_arrange(&x->plain, i, &x->from[i][k]) &&
              layer_count(l, &x->plain, i, &x->from[i][k], best, x->most_work - x->work, out);
    x->work += out->work + TRY_WORK;
    if (!ok || (best && !better(out, best))) return false;
    is = taken(x, i, k);
    return is == TAKEN_IS || (is == TAKEN_ALONE && compile_one(x, i, k, NULL));
}

// Finds the candidates of each buffer; a buffer that no copy touches has none.
static void find_candidates(struct choosing *x) {
    struct session *s = x->c->s;
    struct swizzle_choice all[SWIZZLE_CANDIDATES];
    x->from = ARENA_ARRAY(&s->arena, struct swizzle_choice *, x->b->n + 1);
    x->nfrom = ARENA_ARRAY(&s->arena, int, x->b->n + 1);
    for (int i = x->first; i < x->end; ++i) {
        const struct tensor *t = layer_tensor(&x->plain, i);
        if (!t) continue;
        int n = swizzle_candidates(&x->plain.s, t, layer_layout(&x->plain, i), all);
        x->nfrom[i] = n;
        x->from[i] = ARENA_ARRAY(&s->arena, struct swizzle_choice, n);
        for (int k = 0; k < n; ++k) {
            x->from[i][k] = all[k];
            if (all[k].text) x->from[i][k].text = arena_printf(&s->arena, "%s", all[k].text);
        }
    }
}

// Sets up the questions about layouts: where they are asked, and how much text each answer
// compiles.
static void begin_asking(struct choosing *x) {
    int one = -1;
    uint32_t only_at = x->only_at;
    bool several = false;
    for (int i = x->first; i < x->end; ++i) {
        if (!layer_asked(&x->plain, i)) continue;
        several |= one >= 0 && x->b->fn[i].begin != x->b->fn[one].begin;
        one = i;
    }
    if (one < 0) return;
    if (!only_at && !several) only_at = x->b->stmt[one]->name.at.begin;
    x->asked =
        (struct asked){x->c,       &x->plain,
                       x->b->stmt, x->b->n,
                       x->first,   x->end,
                       x->from,    x->nfrom,
                       only_at,    only_at ? text_of_function(x, one) : source_bytes(x->c->s),
                       &x->text,   x->most_text,
                       {NULL}};
}

static bool none_counted(struct choosing *x, int i) {
    const struct ast_ident name = x->b->stmt[i]->name;
    diag_error(x->c->s, name.at,
               "'swizzle auto' needs the costs of the copies of '%s', and none is known",
               name.name);
    return false;
}

// The source text for the layout of buffer "i" with candidate "k".
static const char *layout_text(struct choosing *x, int i, int k) {
    struct session *s = x->c->s;
    const struct swizzle_choice *y = &x->from[i][k];
    const char *plain = source_line(s, x->b->stmt[i]->buffer.type.shape->at);
    if (y->text) return y->text;
    return y->b ? arena_printf(&s->arena, "Sw<%d,%d,%d> o 0 o %s", y->b, y->m, y->s, plain) : plain;
}

// Reports that "i" has too many candidates to try. "tried" of them were, of which "won" is the
// best.
static bool too_large(struct choosing *x, int i, int tried, int won) {
    struct session *s = x->c->s;
    const struct ast_ident name = x->b->stmt[i]->name;
    diag_error(
        s, name.at,
        "'swizzle auto' of '%s' is too much work: %s %d arrangements; write a layout instead",
        name.name,
        x->too_much ? "not only copies depend on the layout, so its function would be "
                      "compiled for each of"
                    : "its copies, with those of such buffers before it, make too many "
                      "accesses to count them for each of",
        x->nfrom[i]);
    if (tried > 1)
        diag_note(s, name.at, "of the first %d, '%s' costs least", tried, layout_text(x, i, won));
    return false;
}

static bool is_too_much(const struct choosing *x) {
    return x->too_much || (x->work > x->most_work && !x->c->one_by_one);
}

static bool choose_one(struct choosing *x, int i) {
    struct tally best, now;
    int won = 0, n = -1;
    if (x->nfrom[i] == 0) return true;
    bool ok = count(x, i, 0, NULL, &best);
    if (is_too_much(x)) return too_large(x, i, 1, 0);
    if (!ok) return true;
    if (best.copies == 0) return none_counted(x, i);
    for (int k = 1; k < x->nfrom[i] && best.wavefronts > best.least; ++k) {
        if (count(x, i, k, &best, &now)) {
            best = now;
            won = k;
        }
        if (is_too_much(x)) return too_large(x, i, k, won);
    }
    x->choice[i] = x->from[i][won];
    if (!x->c->one_by_one && layer_apart(&x->plain, i)) n = number_of_layer(x, i, won);
    x->pair_moved |= layer_paired(&x->plain, i) && (n != -1 || !layer_apart(&x->plain, i));
    layer_arrange(&x->plain, i, &x->choice[i]);
    return true;
}

// Starts the account of the next function with what the earlier ones have left.
static void begin_function(struct choosing *x) {
    x->all_work -= x->work;
    x->work = 0;
    x->most_work = x->all_work < MOST_WORK ? x->all_work : MOST_WORK;
}

// Chooses for the buffers "first" .. "end" - 1, whose functions the plain layer has.
static bool choose_some(struct choosing *x, int first, int end) {
    bool ok = true;
    memset(x->layer, 0, sizeof x->layer);
    x->pair_moved = false;
    x->first = first;
    x->end = end;
    find_candidates(x);
    begin_asking(x);
    for (int i = first; i < end && ok; ++i) {
        if (i == first || x->b->fn[i].begin != x->b->fn[i - 1].begin) begin_function(x);
        ok = choose_one(x, i);
    }
    for (int n = 0; n < LAYERS; ++n)
        if (x->layer[n]) layer_end(x->layer[n]);
    return ok;
}

// Chooses for one function after the other, because some cannot be compiled. Skips these: their
// errors appear when they are compiled as they are.
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

bool buffers_choose(struct compiled *c, const struct buffers *b, struct swizzle_choice *choice) {
    struct choosing x = {.c = c, .b = b, .choice = choice};
    x.most_text = source_bytes(c->s) * TEXT_TIMES;
    if (x.most_text < LEAST_TEXT) x.most_text = LEAST_TEXT;
    if (x.most_text > MOST_TEXT) x.most_text = MOST_TEXT;
    x.all_work = source_bytes(c->s) * WORK_TIMES;
    if (x.all_work < LEAST_WORK) x.all_work = LEAST_WORK;
    if (c->only_at) return choose_apart(&x);
    layer_begin(&x.plain, c, b->stmt, b->n, choice, 0, true);
    bool whole = x.plain.ok, ok = whole && choose_some(&x, 0, b->n);
    layer_end(&x.plain);
    return whole ? ok : choose_apart(&x);
}
