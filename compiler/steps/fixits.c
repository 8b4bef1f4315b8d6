// Trying fix-its (see fixits.h).
#include "steps/fixits.h"

#include <string.h>

#include "base/session.h"
#include "cost/copy.h"
#include "cost/memo.h"
#include "pass/walk.h"
#include "plan/bind.h"
#include "plan/plan.h"
#include "steps/steps.h"
#include "syntax/ast.h"

// A trial costs as much as the passes of the plan. There are at most MOST_TRIES in a run, and none
// once the earlier ones have compiled MOST_TEXT bytes. A fix-it that brings in a `swizzle auto`
// counts as CHOOSING trials. All trials together may ask MOST_ASKED questions about the order of
// accesses, and one more for every BYTES_ASKED bytes of text.
enum { MOST_TRIES = 64, MOST_TEXT = 56 * 1024, CHOOSING = 12, MOST_ASKED = 300, BYTES_ASKED = 4 };

// -- widths of the edited plan's copies -----------------------------------------------------------

struct widths {
    int n;     // copies so far
    int want;  // number of the copy that is looked for
    int bits;  // its width
};

static bool visit(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct widths *w = user;
    (void)s;
    (void)k;
    if (w->n++ == w->want) w->bits = c->facts.bits;
    return true;
}

static int width_in(struct session *s, struct kernel *k, int copy) {
    struct widths w = {0, copy, -1};
    walk_copies(s, k, visit, &w);
    return w.bits;
}

static int width_of(struct session *s, const struct plan *p, const char *function, int copy) {
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (strcmp(k->name, function) == 0) return width_in(s, k, copy);
    return -1;
}

// Whether every copy of "was" is at least as wide in "now". Both have the same kernels, unless
// "alone" names the only one that "now" has.
static bool none_narrower(struct session *s, const struct plan *was, struct session *t,
                          const struct plan *now, const char *alone) {
    struct kernel *x = plan_next(now, NULL);
    for (struct kernel *k = plan_next(was, NULL); k; k = plan_next(was, k)) {
        if (alone && strcmp(k->name, alone) != 0) continue;
        if (!x || strcmp(x->name, k->name) != 0) return false;
        int bits;
        for (int i = 0; (bits = width_in(s, k, i)) >= 0; ++i)
            if (width_in(t, x, i) < bits) return false;
        x = plan_next(now, x);
    }
    return true;
}

// -- what the hardware counts ---------------------------------------------------------------------

// MOST_WORK: warp accesses counted in all trials together, which takes a quarter of a second
enum { IDLE = 3, COUNTED = 4, MOST_COPIES = 256, MOST_WORK = 1 << 19 };

// The costs of one side of a copy: total sectors, wavefronts and requests, then idle threads
// (IDLE). -1: not known.
struct counts {
    int64_t n[COUNTED];
    // for sectors and wavefronts: much more than needed
    bool much[2];
    // for sectors and wavefronts: the most that one access takes, and the least that it could take
    int64_t access[2], least[2];
};

// The costs of a kernel's copies.
struct counting {
    struct session *s;
    const struct plan *p;
    const struct kernel *k;  // NULL: none was counted
    // values chosen for the params where the costs depend on them; NULL: none yet
    const int64_t *value;
    struct counts at[MOST_COPIES][2];
    int n;  // copies counted; MOST_COPIES: not all were
    // warp accesses counted in all trials; counting stops beyond MOST_WORK
    int64_t *work;
};

static bool count(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct counting *x = user;
    struct copy_cost cost;
    if (*x->work > MOST_WORK) x->n = MOST_COPIES;
    if (x->n == MOST_COPIES) return false;
    cost_of_copy(s, &(struct costed){x->p, k, c, &c->facts, NULL}, &cost);
    *x->work += cost.src.work + cost.dst.work;
    if ((cost.src.why || cost.dst.why) && k->nparams) {
        if (!x->value) x->value = plan_choose(s, x->p, NULL, 1);
        if (x->value) cost_of_copy(s, &(struct costed){x->p, k, c, &c->facts, x->value}, &cost);
    }
    // a copy that its atom refuses has no costs
    bool refused = copy_atom(c)->row->exact && c->facts.bits < copy_atom(c)->bits;
    for (int i = 0; i < 2; ++i) {
        const struct side_cost *side = cost_side(&cost, i == 0);
        struct counts *to = &x->at[x->n][i];
        *to = (struct counts){{-1, -1, -1, -1}, {true, true}, {0, 0}, {0, 0}};
        if (side->why || refused || !side->there) continue;
        to->n[0] = side->total.sectors.most;
        to->n[1] = side->total.wavefronts.most;
        to->n[2] = side->total.requests.most;
        to->n[IDLE] = k->threads - side->threads;
        to->access[0] = side->most.sectors.most;
        to->access[1] = side->most.wavefronts.most;
        to->least[0] = side->least.sectors.most;
        to->least[1] = side->least.wavefronts.most;
        to->much[0] = cost_is_much(side->total.sectors, side->least_total.sectors);
        to->much[1] = cost_is_much(side->total.wavefronts, side->least_total.wavefronts);
    }
    ++x->n;
    return true;
}

// Whether no cost in "now" exceeds that in "was". The cost of one access may grow as far as a wider
// access requires it.
static bool none_more(const struct counts *was, const struct counts *now) {
    for (int i = 0; i < COUNTED; ++i)
        if (was->n[i] >= 0 && (now->n[i] < 0 || now->n[i] > was->n[i])) return false;
    for (int i = 0; i < 2; ++i)
        if (was->n[i] > 0 && now->access[i] * was->least[i] > was->access[i] * now->least[i])
            return false;
    return true;
}

static bool is_cheaper(const struct counting *was, const struct counting *now,
                       const struct claim *claim, int64_t *partly) {
    int field = claim->cheaper == CHEAPER_WAVEFRONTS, side = claim->dst;
    const struct counts *a = &was->at[claim->copy][side], *b = &now->at[claim->copy][side];
    if (claim->cheaper == CHEAPER_THREADS)
        return claim->copy < was->n && b->n[IDLE] >= 0 && b->n[IDLE] < a->n[IDLE];
    if (b->n[field] < 0) return false;
    // wide accesses to the same buffer keep elements together: fewer conflicts may be all there is
    *partly = b->much[field] ? b->n[field] : 0;
    if (*partly != 0 && (field != 1 || 2 * b->n[field] > a->n[field])) return false;
    return claim->copy < was->n && b->n[field] < a->n[field];
}

static struct kernel *kernel_of(const struct plan *p, const char *name) {
    struct kernel *k = plan_next(p, NULL);
    while (k && strcmp(k->name, name) != 0) k = plan_next(p, k);
    return k;
}

// Counts the copies of kernel "k" of "x->p", unless "x" has them already.
static void count_kernel(struct counting *x, struct kernel *k) {
    if (x->k == k) return;
    x->k = k;
    x->n = 0;
    x->value = NULL;
    walk_copies(x->s, k, count, x);
}

// Counts the copies of "k" and of "y", the same kernel in the edited plan. False when the copies
// cannot be compared.
static bool count_both(struct counting *was, struct kernel *k, struct counting *now,
                       struct kernel *y) {
    count_kernel(was, k);
    count_kernel(now, y);
    return was->n == now->n && was->n < MOST_COPIES;
}

// Whether no cost of any copy in "now" exceeds that in "was".
static bool none_costlier(struct counting *was, struct counting *now, const char *alone) {
    struct kernel *y = plan_next(now->p, NULL);
    for (struct kernel *k = plan_next(was->p, NULL); k; k = plan_next(was->p, k)) {
        if (alone && strcmp(k->name, alone) != 0) continue;
        if (!y || !count_both(was, k, now, y)) return false;
        for (int i = 0; i < was->n; ++i)
            for (int side = 0; side < 2; ++side)
                if (!none_more(&was->at[i][side], &now->at[i][side])) return false;
        y = plan_next(now->p, y);
    }
    return true;
}

// Whether the cost that "claim" names has become less. Sets "*partly" as is_cheaper does.
static bool claims_less(const struct claim *claim, struct counting *was, struct counting *now,
                        int64_t *partly) {
    if (claim->cheaper == CHEAPER_NOT) return true;
    struct kernel *k = kernel_of(was->p, claim->function), *y = kernel_of(now->p, claim->function);
    return k && y && count_both(was, k, now, y) && is_cheaper(was, now, claim, partly);
}

// -- claims ---------------------------------------------------------------------------------------

// The edits of a note, and the edited plan as far as it is compiled.
struct attempt {
    const struct diag *note;  // NULL: none
    struct session t;
    struct compiled now;
    // the function that has all the edits and was compiled alone; NULL: everything was
    const struct ast_decl *alone;
    int sema_errors;  // errors up to step "sema"
    enum answer { NOT_ASKED, YES, NO } none_narrower, none_costlier;
    struct counting count;  // the costs of the last kernel counted
};

// Several diagnostics may offer the same edits. KEPT attempts are kept for them where the text has
// at most SMALL bytes, else one.
enum { KEPT = 4, SMALL = 16 * 1024 };

struct attempts {
    struct attempt at[KEPT];
    int kept, next;       // how many are kept, and which one is replaced next
    struct counting was;  // costs in the unedited plan
    int64_t work, asked;
};

static bool same_edits(const struct diag *a, const struct diag *b) {
    const struct fixit *x = a->fixit, *y = b->fixit;
    for (; x && y; x = x->next, y = y->next)
        if (x->at.file != y->at.file || x->at.begin != y->at.begin || x->at.end != y->at.end ||
            strcmp(x->replacement, y->replacement) != 0)
            return false;
    return x == y;
}

// The number of errors, without the warnings that -Werror makes errors.
static int errors_of(const struct session *s) {
    int n = 0;
    for (const struct diag *d = s->diags.first; d; d = d->next)
        n += d->severity == SEV_ERROR && !d->warning;
    return n;
}

// The function that contains all edits, when nothing outside it depends on them and there are no
// errors. Else NULL.
static const struct ast_decl *function_of(const struct compiled *c, const struct diag *note) {
    const struct ast_decl *fn = NULL;
    if (errors_of(c->s) > 0) return NULL;
    for (int i = 0; c->ast && i < c->ast->ndecls; ++i) {
        const struct ast_decl *d = c->ast->decl[i];
        const struct fixit *x = note->fixit;
        if (d->kind == D_EXPECT) return NULL;
        if (d->kind != D_FN || !d->fn.body) continue;
        while (x && x->at.file == d->at.file && x->at.begin > d->at.begin && x->at.end < d->at.end)
            x = x->next;
        if (!x && note->fixit) fn = d;
    }
    // a function with cases has no name of its own, so that it cannot be compiled alone
    for (int i = 0; fn && i < c->ast->ndecls; ++i) {
        const struct ast_decl *d = c->ast->decl[i];
        if (d != fn && d->kind == D_FN && d->name.name == fn->name.name) return NULL;
    }
    if (fn && ast_is_called(c->ast, fn->name.name)) return NULL;
    return fn;
}

static bool claim_holds(const struct compiled *c, struct attempt *x, struct counting *was,
                        const struct claim *claim, bool of_error, int64_t *partly) {
    int most = errors_of(c->s) - of_error;
    const char *alone = x->alone ? x->alone->name.name : NULL;
    struct session *t = &x->t;
    if (x->sema_errors > most) return false;
    if (!claim->function) return true;
    if (claim->right) {
        steps_until(&x->now, STEP_EXPECT);
        return errors_of(t) <= most;
    }
    if (x->now.next > STEP_SEMA) steps_until(&x->now, STEP_VECTORIZE);
    if (x->now.next < STEP_VECTORIZE ||  // the claimed width first: the proofs take longest
        width_of(t, x->now.plan, claim->function, claim->copy) < claim->bits)
        return false;
    if (x->none_narrower == NOT_ASKED)
        x->none_narrower = none_narrower(c->s, c->plan, t, x->now.plan, alone) ? YES : NO;
    if (x->none_narrower == NO) return false;
    // check the costs before the proofs
    steps_until(&x->now, STEP_SHARED);
    if (errors_of(t) > most) return false;
    // after another error some facts are missing
    if (x->now.next <= STEP_VECTORIZE) return claim->cheaper == CHEAPER_NOT;
    struct counting *now = &x->count;
    was->s = c->s;
    was->p = c->plan;
    now->s = t;
    now->p = x->now.plan;
    if (!claims_less(claim, was, now, partly)) return false;
    if (claim->in_all) return errors_of(t) <= most;
    if (x->none_costlier == NOT_ASKED) x->none_costlier = none_costlier(was, now, alone) ? YES : NO;
    if (x->none_costlier == NO) return false;
    if (claim->proven && most == 0) return true;
    steps_until(&x->now, STEP_EXPECT);
    return errors_of(t) <= most;
}

void session_like(struct session *t, const struct session *s) {
    session_init(t);
    t->options = s->options;
    t->options.dump_after = NULL;
    options_undefine(&t->options);
    for (int i = 0; i < s->options.ndefines; ++i) {
        const struct define *x = &s->options.defines[i];
        session_define(t, x->name, strlen(x->name), x->text);
    }
    t->diags.off_all = true;
    t->trial = true;
    t->sources.reader = s->sources.reader;
}

static void end_attempt(struct attempt *x) {
    if (x->note) session_release(&x->t);
    x->note = NULL;
}

static void begin_attempt(const struct compiled *c, const struct diag *note, struct attempt *x,
                          int64_t *work) {
    struct session *s = c->s;
    end_attempt(x);
    *x = (struct attempt){.note = note, .alone = function_of(c, note), .count = {.work = work}};
    struct given *given = ARENA_ARRAY(&s->arena, struct given, s->sources.n + 1);
    session_like(&x->t, s);
    x->t.costs = s->costs;
    for (int i = 0; i < s->sources.n; ++i) {
        if (s->sources.file[i].copied) continue;
        given[i].path = s->sources.file[i].path;
        given[i].text = fixit_text(s, (uint32_t)i, note->fixit, &given[i].size);
        given[i].next = x->t.sources.given;
        x->t.sources.given = &given[i];
    }
    steps_begin(&x->now, &x->t, c->path, c->list);
    x->now.as_it_is = true;
    x->now.swizzle = c->swizzle;
    x->now.nswizzles = c->nswizzles;
    x->now.only_at = x->alone ? x->alone->at.begin + 1 : 0;
    steps_until(&x->now, STEP_SEMA);
    x->sema_errors = errors_of(&x->t);
}

static struct attempt *find_kept(struct attempts *all, const struct diag *note) {
    for (int i = 0; i < all->kept; ++i)
        if (all->at[i].note && same_edits(all->at[i].note, note)) return &all->at[i];
    return NULL;
}

// "x": its attempt, if it is kept; else NULL.  Sets "*partly" to what is counted where that is much
// more than need be, if half of what it was at most.
static bool holds(const struct compiled *c, const struct diag *d, const struct diag *note,
                  struct attempts *all, struct attempt *x, int64_t *partly) {
    if (!x) {
        x = &all->at[all->next++ % all->kept];
        begin_attempt(c, note, x, &all->work);
    }
    return claim_holds(c, x, &all->was, note->claim, d->severity == SEV_ERROR && !d->warning,
                       partly);
}

static int tries_for(const struct diag *note) {
    for (const struct fixit *f = note->fixit; f; f = f->next)
        if (strstr(f->replacement, "swizzle auto")) return CHOOSING;
    return 1;
}

// How many questions about the order of accesses a trial of "note" asks: as many as the functions
// to compile asked before.
static int64_t asked_for(const struct compiled *c, const struct diag *note) {
    const struct ast_decl *alone = function_of(c, note);
    int64_t asked = 0;
    for (struct kernel *k = c->plan ? plan_next(c->plan, NULL) : NULL; k; k = plan_next(c->plan, k))
        if (!alone || strcmp(k->name, alone->name.name) == 0) asked += k->asked;
    return asked;
}

void fixits_try(const struct compiled *c) {
    struct session *s = c->s;
    int tries = 0;
    size_t text = (size_t)source_bytes(s);
    int64_t most_asked = MOST_ASKED + (int64_t)text / BYTES_ASKED;
    if (!s->diags.first) return;
    struct cost_memo *begun = cost_memo_begin(s);
    struct attempts *all = memory_new(sizeof *all);
    memset(all, 0, sizeof *all);
    all->kept = text <= SMALL ? KEPT : 1;
    all->was.work = &all->work;
    for (struct diag *d = s->diags.first; d; d = d->next) {
        bool mended = false;
        struct diag *best = NULL;  // where nothing fixes all of it
        int64_t left = 0;          // with it
        for (struct diag *n = d->note; n; n = n->next) {
            if (!n->claim || (mended && n->claim->or_else)) continue;
            struct attempt *kept = find_kept(all, n);
            if (!kept && (tries >= MOST_TRIES || tries * text > MOST_TEXT)) continue;
            int64_t asked = kept ? 0 : asked_for(c, n);
            if (all->asked + asked > most_asked) continue;
            all->asked += asked;
            if (!kept) tries += tries_for(n);
            int64_t partly = 0;
            if (!holds(c, d, n, all, kept, &partly)) continue;
            if (partly != 0) {
                if (!best || partly < left) best = n, left = partly;
                continue;
            }
            mended = true;
            n->claim = NULL;
        }
        if (best && !mended) best->claim = NULL;
        diag_drop_claims(d);
        if (mended) d->if_mended = false;
    }
    diag_drop_unmended(s);
    for (int i = 0; i < KEPT; ++i) end_attempt(&all->at[i]);
    memory_free(all);
    cost_memo_end(s, begun);
}
