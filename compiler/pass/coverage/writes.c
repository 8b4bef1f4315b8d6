// All writes of a kernel: each element is written once, an `out` tensor completely.
//
// The writes of one copy must differ, and so must those of any two copies; together they must fill
// an `out` tensor.  In shared memory, which each iteration may write again, only the writes of one
// execution of a copy must differ.  If this is not decided for a small kernel without params, the
// kernel is executed completely.
#include <string.h>

#include "base/session.h"
#include "image/image.h"
#include "image/sample.h"
#include "layout/algebra.h"
#include "oracle/oracle.h"
#include "pass/coverage/coverage.h"
#include "plan/bind.h"

enum { MOST_WRITES = 64 };
#define MOST_EXECUTED ((int64_t)1 << 16)  // elements of a kernel's tensors
#define MOST_MOVED    ((int64_t)1 << 22)  // elements and statements of one execution
#define MOST_PAGES    ((int64_t)1 << 15)  // of an image, 68 MB; there are up to three images

// A copy, or an argument of a call, which writes all of "view".
struct write {
    const struct copy *copy;  // NULL: a call
    const struct view *view;
    struct range at;  // of the statement
    struct around around;
    struct instances *x;
    struct prove_set set;
};

// The result of executing all of a kernel.
enum executed { NOT_EXECUTED, EXECUTED_RIGHT, EXECUTED_WRONG, EXECUTED_TOO_LARGE };

struct writes {
    struct session *s;
    const struct plan *plan;
    enum executed executed;
    struct oracle_report report;
    const struct kernel *k;
    struct prover *prover;
    struct around around;
    int n, ncalls, nasked;
    bool more, fills_once;
    // as many are in use as these say
    struct write at[MOST_WRITES];
    struct prove_set call[MOST_WRITES];  // writes of calls, of which only the set is known
    const struct tensor *of_call[MOST_WRITES];
    struct {
        const struct tensor *tensor;
        bool once;
    } asked[MOST_WRITES];
};

// -- small kernels --------------------------------------------------------------------------------

// Executes a kernel if isl did not decide a question.  Its extents must be numbers, and its blocks
// and iterations few enough.  Checks that each element is written once, and outputs completely.
static enum executed execute(struct writes *w) {
    struct session *s = w->s;
    struct sample_set all = {
        .all_blocks = true, .all_iterations = true, .most = MOST_MOVED, .pages = MOST_PAGES};
    if (w->executed != NOT_EXECUTED) return w->executed;
    w->executed = EXECUTED_TOO_LARGE;
    const int64_t *sym = w->k->nparams ? NULL : plan_choose(s, w->plan, NULL, 0);
    if (!sym || w->k->device || oracle_elements(s, w->k, sym) > MOST_EXECUTED) return w->executed;
    struct image *img = image_new();
    bool ok = oracle_run(s, w->plan, w->k, sym, &all, img, &w->report);
    image_free(img);
    if (ok || w->report.kind != ORACLE_TOO_LARGE)
        w->executed = ok ? EXECUTED_RIGHT : EXECUTED_WRONG;
    return w->executed;
}

static enum prove_answer or_execute(struct writes *w, enum prove_answer r) {
    if (r != PROVE_UNKNOWN || execute(w) == EXECUTED_TOO_LARGE) return r;
    return w->executed == EXECUTED_RIGHT ? PROVE_YES : PROVE_UNKNOWN;
}

// -- once -----------------------------------------------------------------------------------------

static void declared(struct session *s, const struct tensor *t) {
    diag_note(s, t->at, "'%s' is declared here", t->name);
}

static void not_known_at(struct writes *w, const struct view *v, struct range stmt, bool full,
                         const char *what) {
    struct session *s = w->s;
    diag_error(s, v->at, "'%s' is not known to be %s in kernel '%s': %s", v->base->name, what,
               w->k->name, instances_why(w->prover, full));
    diag_page(s, "once");
    instances_advice(s, w->prover, full, stmt);
}

// "full": there were too many instances of "a", or of what it was compared with.
static void not_known(struct writes *w, const struct write *a, bool full, const char *what) {
    if (w->executed == EXECUTED_WRONG) {
        diag_error(w->s, w->report.copy ? w->report.copy->at : w->k->at, "%s", w->report.text);
        diag_page(w->s, "once");
        return;
    }
    not_known_at(w, a->view, a->at, full, what);
}

static const char *plural(const struct ix_var *v) {
    switch (v->kind) {
    case IX_TID: return "threads";
    case IX_WARP: return "warps";
    case IX_LANE: return "lanes";
    case IX_LOOP: return "iterations";
    default: return "blocks";
    }
}

// The first variable, except those for elements, that differs between the two instances; NULL:
// none.
static const struct prove_var *differs(const struct instances *x, const struct prove_witness *w) {
    for (int i = 0; i < x->nblocks + x->nloops + x->nthreads; ++i) {
        int id = x->var[i].var->id;
        if (w->var[0][id] != w->var[1][id]) return &x->var[i];
    }
    return NULL;
}

static bool depends(const struct prove_set *set, const struct ix_var *v) {
    for (int i = 0; i < set->nouts; ++i)
        if (ix_depends_on(set->out[i], v)) return true;
    for (int i = 0; i < set->nvars; ++i)
        if (ix_depends_on(set->var[i].begin, v) || ix_depends_on(set->var[i].end, v)) return true;
    return false;
}

static void note_twice(struct writes *w, const struct write *a, const struct write *b,
                       const struct prove_witness *found) {
    struct session *s = w->s;
    diag_note(s, a->at, "%selement %s of '%s' is written twice, by %s and by %s",
              instances_params(s, w->plan, w->k, found), instances_element(s, found),
              a->view->base->name, instances_where(a->x, &a->around, a->copy, found, 0),
              instances_where(b->x, &b->around, b->copy, found, 1));
}

// Reports that elements of "v" are written twice.  "set" is the set of these writes, made with "x".
static void refuse_twice(struct writes *w, const struct view *v, const struct instances *x,
                         const struct prove_set *set, const struct prove_witness *found) {
    struct session *s = w->s;
    const struct prove_var *var = differs(x, found);
    if (!var)
        diag_error(
            s, v->at,
            "the writes to '%s' overlap: coordinates %s and %s of this view are the same element",
            v->base->name, instances_coordinate(x, found, 0), instances_coordinate(x, found, 1));
    else
        diag_error(s, v->at, "%s %lld and %lld of %skernel '%s' write the same elements of '%s'%s",
                   plural(var->var), (long long)found->var[0][var->var->id],
                   (long long)found->var[1][var->var->id],
                   var->var->kind == IX_LOOP
                       ? arena_printf(&s->arena, "loop '%s' of ", var->var->name)
                       : "",
                   w->k->name, v->base->name,
                   depends(set, var->var)
                       ? ""
                       : arena_printf(&s->arena, ": nothing in this view depends on '%s'",
                                      var->var->name));
    diag_page(s, "once");
}

// Whether all writes to the tensor of "a" provably write different elements when they are seen as
// fewer copies: two loops that each run over a part of a range are one.
static bool all_once(struct writes *w, const struct write *a) {
    struct prove_set set[MOST_WRITES];
    const struct tensor *t = a->view->base;
    int n = 0;
    for (int i = 0; i < w->nasked; ++i)
        if (w->asked[i].tensor == t) return w->asked[i].once;
    if (t->space != MEM_GLOBAL || w->nasked == MOST_WRITES) return false;
    bool full = false;
    for (int i = 0; i < w->n; ++i) {
        if (w->at[i].view->base != t) continue;
        full |= w->at[i].x->full;
        set[n++] = w->at[i].set;
    }
    bool once = !full && prove_all_once(w->prover, set, n);
    w->asked[w->nasked].tensor = t;
    w->asked[w->nasked++].once = once;
    return once;
}

static enum reduction reduces(const struct write *a) {
    return a->copy ? copy_reduces(a->copy) : REDUCE_NOT;
}

static bool check_once(struct writes *w, const struct write *a) {
    struct prove_witness found;
    if (reduces(a) && !copy_atom(a->copy)->row->boxes) return true;
    bool each = a->view->base->space != MEM_GLOBAL || reduces(a);  // of a box
    int equal = each ? a->x->nblocks + a->x->nloops : 0;
    enum prove_answer r =
        a->x->full ? PROVE_UNKNOWN : prove_once(w->prover, &a->set, equal, &found);
    if (r == PROVE_UNKNOWN && all_once(w, a)) return true;
    r = or_execute(w, r);
    if (r == PROVE_NO) {
        refuse_twice(w, a->view, a->x, &a->set, &found);
        note_twice(w, a, a, &found);
        declared(w->s, a->view->base);
    }
    if (r == PROVE_UNKNOWN) not_known(w, a, a->x->full, "written once");
    return r == PROVE_YES;
}

// A block distributes a fill to its threads by coordinates of the view.  If two coordinates were
// the same element, two threads would write it without synchronization.
static bool check_fill(struct writes *w, const struct view *v) {
    struct session *s = w->s;
    struct prove_witness found;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    if (!space_is_shared(v->base->space) || !lay_valid(v->coord)) return true;
    instances_begin(s, w->k, &w->around, true, x);
    instances_of(x, NULL, v);
    struct prove_set set = instances_settled(x, &w->around, v);
    enum prove_answer r =
        x->full ? PROVE_UNKNOWN : prove_once(w->prover, &set, x->nblocks + x->nloops, &found);
    if (r == PROVE_UNKNOWN) not_known_at(w, v, v->at, x->full, "written once");
    if (r == PROVE_NO) {
        refuse_twice(w, v, x, &set, &found);
        diag_note(s, v->at, "%selement %s of '%s' is written twice",
                  instances_params(s, w->plan, w->k, &found), instances_element(s, &found),
                  v->base->name);
        declared(s, v->base);
    }
    return r == PROVE_YES;
}

// Whether the bounds of a single coordinate show that the two write different elements.
static bool boxes_apart(const struct write *a, const struct write *b) {
    for (int i = 0; i < a->set.nouts && i < b->set.nouts; ++i) {
        const struct ix *x = a->set.out[i], *y = b->set.out[i];
        if (x && y && (x->hi < y->lo || y->hi < x->lo)) return true;
    }
    return false;
}

static bool check_apart(struct writes *w, const struct write *a, const struct write *b) {
    struct session *s = w->s;
    struct prove_witness found;
    bool full = a->x->full || b->x->full;
    if (reduces(a) && reduces(a) == reduces(b)) return true;
    if (!full && boxes_apart(a, b)) return true;
    struct session_mark mark = session_mark(s);
    enum prove_answer r =
        full ? PROVE_UNKNOWN : prove_apart(w->prover, &a->set, &b->set, 0, 0, &found);
    if (r == PROVE_YES) {  // most pairs: the question's memory is freed
        session_rewind(s, mark);
        return true;
    }
    if (r == PROVE_UNKNOWN && all_once(w, a)) return true;
    r = or_execute(w, r);
    if (r == PROVE_YES) return true;
    if (r == PROVE_UNKNOWN) {
        not_known(w, b, full, "written once");
    } else {
        bool same = a->at.file == b->at.file && a->at.begin == b->at.begin;
        const char *both = a->copy && b->copy   ? "two copies"
                           : a->copy || b->copy ? "a copy and a call"
                           : same               ? "two arguments of a call"
                                                : "two calls";
        diag_error(s, b->view->at, "%s of kernel '%s' write the same elements of '%s'", both,
                   w->k->name, a->view->base->name);
        diag_page(s, "once");
        note_twice(w, a, b, &found);
    }
    diag_note(s, a->at, "the other one is here");
    return false;
}

// -- wholly ---------------------------------------------------------------------------------------

// Whether each copy to "t" says which part it writes: by a range, or by numbers.
static bool says_part(const struct writes *w, const struct tensor *t) {
    for (int i = 0; i < w->n; ++i) {
        const struct view *v = w->at[i].view;
        if (v->base != t || v->limit) continue;
        for (int m = 0; m < w->at[i].set.nouts; ++m)
            if (!v->coord_off[m] || !ix_constant(v->coord_off[m])) return false;
    }
    return true;
}

// "one": "first" is the only copy to the output.
static void refuse_whole(struct writes *w, const struct formal *f, const struct write *first,
                         bool one, const struct prove_witness *found) {
    struct session *s = w->s;
    const struct tensor *t = f->tensor;
    const struct view *v = one ? first->view : NULL;
    bool noted = false;
    diag_error(s, one ? v->at : f->at, "'%s' is not written completely by kernel '%s'", t->name,
               w->k->name);
    diag_page(s, "once");
    if (one) noted = coverage_note_tile(s, v);
    if (one && !noted) noted = coverage_note_blocks(s, w->k, w->prover, v, &first->around);
    if (one && first->around.n == 0) noted |= coverage_note_grid(s, w->k, v);
    diag_note(s, one ? first->at : f->at, "%selement %s of '%s' is never written",
              instances_params(s, w->plan, w->k, found), instances_element(s, found), t->name);
    bool part = says_part(w, t);
    for (int i = 0; i < w->n && !one; ++i)
        if (w->at[i].view->base == t) coverage_note_steps(s, w->at[i].view, &w->at[i].around);
    if (noted && !part) return;
    diag_note(s, f->at, "listed as 'out' here, so blocks and loops must write all of it%s",
              part ? arena_printf(&s->arena, "; 'inout %s' keeps what is not written", t->name)
                   : "");
}

static bool check_whole(struct writes *w, const struct formal *f) {
    struct session *s = w->s;
    const struct tensor *t = f->tensor;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, t->layout.shape);
    int rank = lay_tuple_rank(flat), n = 0;
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    struct prove_set *set = coverage_absent(s, w->k, t, w->n + w->ncalls, &n);
    const struct write *first = NULL;
    struct prove_witness found;
    for (int i = 0; i < rank; ++i) extent[i] = ix_lay(s, lay_tuple_get(&s->lay, flat, i)->leaf);
    for (int i = 0; i < w->n; ++i) {
        if (w->at[i].view->base != t) continue;
        if (!first) first = &w->at[i];
        set[n++] = w->at[i].set;
    }
    int copies = n;
    for (int i = 0; i < w->ncalls; ++i)
        if (w->of_call[i] == t) set[n++] = w->call[i];
    enum prove_answer r = or_execute(w, prove_whole(w->prover, extent, rank, set, n, &found));
    if (r == PROVE_YES) return true;
    if (r == PROVE_UNKNOWN && first) {
        not_known(w, first, false, "written completely");
    } else if (r == PROVE_UNKNOWN) {
        diag_error(s, f->at, "'%s' is not known to be written completely in kernel '%s': %s",
                   t->name, w->k->name, prover_why(w->prover));
        diag_page(s, "once");
        instances_advice(s, w->prover, false, f->at);
    } else {
        refuse_whole(w, f, first, copies == 1 && n == 1, &found);
        return false;
    }
    diag_note(s, f->at, "listed as 'out' here, so blocks and loops must write all of it");
    return false;
}

// -- all ------------------------------------------------------------------------------------------

static bool written(const struct stmt *list, const struct tensor *t) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        if (x->kind == STMT_COPY && x->copy->dst.base == t) return true;
        for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i)
            if (x->call->view[i].base == t && x->call->fn->formal[i].dir != ARG_IN) return true;
    }
    return false;
}

static bool check_outputs(struct writes *w) {
    bool ok = true;
    for (int i = 0; i < w->k->nformals; ++i) {
        const struct formal *f = &w->k->formal[i];
        if (f->dir == ARG_IN || written(w->k->body, f->tensor)) continue;
        diag_error(w->s, f->at, "'%s' is listed as an output of kernel '%s', which never writes it",
                   f->tensor->name, w->k->name);
        ok = false;
    }
    return ok;
}

// Adds a write whose set is still to be made; NULL: there are too many.
static struct write *add_write(struct writes *w, const struct copy *copy, const struct view *v,
                               struct range at) {
    w->more |= w->n == MOST_WRITES;
    if (w->more) return NULL;
    struct write *x = &w->at[w->n++];
    *x = (struct write){.copy = copy, .view = v, .at = at, .around = w->around};
    x->x = ARENA_NEW(&w->s->arena, struct instances);
    return x;
}

static void gather_call(struct writes *w, const struct plan_call *y) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        const struct view *v = &y->view[i];
        if (y->fn->formal[i].dir == ARG_IN || !lay_valid(v->coord)) continue;
        if (v->base->space == MEM_GLOBAL) {
            struct write *x = add_write(w, NULL, v, y->at);
            if (!x) return;
            instances_begin(w->s, w->k, &w->around, true, x->x);
            instances_of(x->x, NULL, v);
            x->set = instances_settled(x->x, &w->around, v);
            continue;
        }
        if (w->ncalls == MOST_WRITES) {
            w->more = true;
            return;
        }
        struct instances *x = ARENA_NEW(&w->s->arena, struct instances);
        instances_begin(w->s, w->k, &w->around, true, x);
        instances_of(x, NULL, v);
        w->of_call[w->ncalls] = v->base;
        w->call[w->ncalls++] = instances_settled(x, &w->around, v);
    }
}

static void gather(struct writes *w, const struct stmt *list) {
    for (const struct stmt *st = list; st && !w->more; st = st->next) {
        if (stmt_nests(st)) {
            w->around.stmt[w->around.n++] = st;
            gather(w, st->body);
            --w->around.n;
        }
        if (st->kind == STMT_CALL) gather_call(w, st->call);
        if (st->kind == STMT_CALL && st->call->fill) w->fills_once &= check_fill(w, st->call->view);
        if (st->kind != STMT_COPY || !lay_valid(st->copy->dst.coord)) continue;
        struct write *x = add_write(w, st->copy, &st->copy->dst, st->copy->at);
        if (!x) return;
        x->set = instances_access(w->s, w->k, &x->around, x->copy, false, true, x->x);
    }
}

bool coverage_writes(struct session *s, const struct plan *p, const struct kernel *k,
                     struct prover *prover) {
    struct writes *w = ARENA_ROOM(&s->arena, struct writes, 1);
    memset(w, 0, offsetof(struct writes, at));
    w->s = s;
    w->plan = p;
    w->k = k;
    w->prover = prover;
    w->fills_once = true;
    if (!check_outputs(w)) return false;
    gather(w, k->body);
    if (w->more) {
        diag_error(s, k->at, "kernel '%s' has more than %d copies to memory", k->name, MOST_WRITES);
        return false;
    }
    bool ok = w->fills_once;
    for (int i = 0; i < w->n; ++i) ok &= check_once(w, &w->at[i]);
    for (int i = 0; i < w->n && ok; ++i) {
        const struct tensor *t = w->at[i].view->base;
        for (int j = 0; j < i && t->space == MEM_GLOBAL && ok; ++j)
            if (w->at[j].view->base == t) ok &= check_apart(w, &w->at[j], &w->at[i]);
    }
    for (int i = 0; i < k->nformals && ok; ++i) {
        const struct formal *f = &k->formal[i];
        // other calls of the device function write the rest of a global tensor
        bool part = k->device && f->tensor->space == MEM_GLOBAL;
        if (f->dir == ARG_OUT && !part && f->tensor->space != MEM_FRAG) ok &= check_whole(w, f);
    }
    return ok;
}
