// Taking another candidate of the planner (see fallback.h).
//
// Nothing is tried while all is well.  An error in a planned text is the planner's fault: what the
// user may have written wrongly is found before it plans, or reported in the user's text.
#include "steps/fallback.h"

#include <string.h>

#include "base/session.h"
#include "planner/planner.h"
#include "prove/prove.h"
#include "steps/steps.h"
#include "syntax/ast.h"

enum {
    MOST_TRIES = 8,  // for a kernel, each time
    MORE_STEPS = 4   // a proof may take so many times as many for what the planner wrote
};

struct fault {
    const char *kernel;  // NULL: there is none
    int which;           // of its cases
    struct diag *error;
};

// The kernel that the planner wrote text "f" for; NULL: it did not write it.
static const char *kernel_of(const struct session *s, const struct source *f, struct arena *a) {
    static const char head[] = "<plan of ";
    if (!f) return NULL;
    if (s->options.planned) return s->options.planned->names.kernel;
    if (!f->made || strncmp(f->path, head, sizeof head - 1) != 0) return NULL;
    const char *name = f->path + sizeof head - 1;
    return arena_strndup(a, name, strlen(name) - 1);
}

// The first error, if all of them are about text of the planner.
static struct fault find_fault(struct session *s, struct arena *a) {
    struct fault fault = {NULL, 0, NULL};
    for (struct diag *d = s->diags.first; d; d = d->next) {
        if (d->severity != SEV_ERROR) continue;
        const struct source *f =
            d->at.file < (uint32_t)s->sources.n ? &s->sources.file[d->at.file] : NULL;
        const char *kernel = kernel_of(s, f, a);
        if (!kernel || d->warning) return (struct fault){NULL, 0, NULL};
        if (fault.error) continue;
        fault.kernel = kernel;
        fault.error = d;
        fault.which = -1;
        for (const char *p = f->text; (p = strstr(p, "\nkernel ")) && p < f->text + d->at.begin;
             ++p)
            ++fault.which;
    }
    return fault.which >= 0 && fault.which < RELAYOUT_CASES ? fault : (struct fault){NULL, 0, NULL};
}

static struct fallback *entry_of(struct session *s, const char *kernel) {
    for (const struct fallback *f = s->options.fallbacks; f; f = f->next)
        if (strcmp(f->kernel, kernel) == 0) return (struct fallback *)f;
    struct fallback *f = ARENA_NEW(&s->arena, struct fallback);
    *f = (struct fallback){.kernel = kernel, .next = (struct fallback *)s->options.fallbacks};
    s->options.fallbacks = f;
    return f;
}

// Takes the next candidate for the case at fault.
static void take_next(struct session *s, struct fallback *f, const struct fault *x) {
    const char **why = &f->why[x->which];
    *why = arena_printf(&s->arena, "%scandidate %d is refused: %s\n", *why ? *why : "",
                        f->candidate[x->which]++, x->error->message);
}

// Gives "t" the plan as the planner writes it now, if it wrote all of it; false: it writes none.
static bool write_again(const struct compiled *c, struct session *t) {
    const char *why;
    if (!t->options.planned) return true;
    struct given *g = ARENA_NEW(&t->arena, struct given);
    const char *text = relayout_plan_text(t, t->options.planned, &why);
    if (!text) return false;
    *g = (struct given){c->path, text, strlen(text), NULL, false};
    t->sources.given = g;
    return true;
}

// Whether "kernel", which is declared at "at", compiles now; otherwise "*next" is the fault.
static bool compiles(const struct compiled *c, const char *kernel, uint32_t at,
                     struct fault *next) {
    struct session t;
    struct compiled now;
    steps_again(c, &t, &now);
    now.only_at = t.options.planned ? 0 : at;
    bool written = write_again(c, &t), ok = written && steps_until(&now, STEP_VERIFY) == 0;
    *next = (struct fault){NULL, 0, NULL};
    if (written && !ok) *next = find_fault(&t, &c->s->arena);
    if (next->error) {  // outlives the session
        struct diag *error = ARENA_NEW(&c->s->arena, struct diag);
        error->message = arena_printf(&c->s->arena, "%s", next->error->message);
        next->error = error;
    }
    if (next->kernel && strcmp(next->kernel, kernel) != 0) next->kernel = NULL;
    session_release(&t);
    return ok;
}

// Sets "c" back to the first step.  All texts are those that were read.
static bool restart(struct compiled *c) {
    struct session *s = c->s;
    for (int i = 0; i < s->sources.n; ++i) {
        const struct source *f = &s->sources.file[i];
        struct given *g = ARENA_NEW(&s->arena, struct given);
        *g = (struct given){f->path, f->text, f->size, s->sources.given, f->is_file};
        s->sources.given = g;
    }
    if (!write_again(c, s)) BUG("a plan that was written before");
    s->sources.n = 0;
    s->diags.first = s->diags.last = NULL;
    s->diags.nerrors = s->diags.nwarnings = 0;
    s->diags.silences = NULL;
    c->ast = NULL;
    c->plan = NULL;
    c->kir = NULL;
    c->dumped = NULL;
    c->status = 0;
    c->next = STEP_PARSE;
    return true;
}

// The copy, of several in "d", of which a side is a composition, such as every second row; or NULL.
static const struct ast_stmt *composed(const struct ast_decl *d) {
    const struct ast_block *b = d->fn.body;
    for (int i = 0; b && b->nstmts > 1 && i < b->nstmts; ++i) {
        const struct ast_stmt *st = b->stmt[i];
        if (st->kind == S_COPY &&
            (st->copy.src->kind == E_COMPOSE || st->copy.dst->kind == E_COMPOSE))
            return st;
    }
    return NULL;
}

bool fallback_begin(struct compiled *c) {
    struct session *s = c->s;
    if (c->as_it_is || !c->ast || s->options.tuned) return false;
    struct fault x = find_fault(s, &s->arena);
    const struct ast_decl *d = NULL;
    for (int i = 0; x.kernel && !d && i < c->ast->ndecls; ++i)
        if (c->ast->decl[i]->kind == D_FN && strcmp(c->ast->decl[i]->name.name, x.kernel) == 0)
            d = c->ast->decl[i];
    if (!d) return false;
    struct diag *error = x.error;
    uint32_t at = d->name.at.begin;
    if (s->options.proof_limit == 0) {
        struct fault same;
        s->options.proof_limit = MORE_STEPS * PROVE_LIMIT;
        if (compiles(c, x.kernel, at, &same)) return restart(c);
        s->options.proof_limit = 0;
    }
    const struct fallback *before = s->options.fallbacks;
    struct fallback *f = entry_of(s, x.kernel), was = *f;
    for (int i = 0; i < MOST_TRIES && x.kernel && !session_given_up(s); ++i) {
        take_next(s, f, &x);
        if (compiles(c, f->kernel, at, &x)) return restart(c);
    }
    *f = was;
    s->options.fallbacks = before;
    const struct ast_stmt *part = composed(d);
    if (part) {
        diag_note_of(s, error, part->at,
                     "several copies in one kernel take ranges and slices of tensors; in a kernel "
                     "of its own this composition is planned, too");
        return false;
    }
    diag_note_of(s, error, d->name.at,
                 "the planner wrote this for the copy of kernel '%s', and found nothing else that "
                 "is accepted and nearly as fast; that is a fault of tcpc",
                 d->name.name);
    return false;
}
