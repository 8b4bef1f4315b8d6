// Whether the list of a kernel says what its copies do to its arguments.
#include <string.h>

#include "base/session.h"
#include "pass/coverage/coverage.h"

static bool is_listed(const struct kernel *k, const struct tensor *t, enum dir dir) {
    const struct formal *f = kernel_formal(k, t);
    return f && f->dir == dir;
}

static bool is_read(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base == t && copy_reduces(st->copy)) return true;
    return kernel_reads(k, t);
}

static bool is_written(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->dst.base == t) return true;
        if (st->kind != STMT_CALL) continue;
        if (st->call->fill && st->call->view[0].base == t) return true;
        for (int i = 0; !st->call->fill && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && st->call->fn->formal[i].dir != ARG_IN) return true;
    }
    return false;
}

// The output that nothing writes, which may have been meant.
static void note_unwritten(struct session *s, const struct kernel *k) {
    for (int i = 0; i < k->nformals; ++i) {
        const struct formal *f = &k->formal[i];
        if (f->dir != ARG_OUT || is_written(k, f->tensor)) continue;
        diag_note(s, f->at, "nothing writes '%s', which is listed as 'out'", f->tensor->name);
    }
}

// Reports that "v" is written although "k" lists its tensor as an input.
static bool may_write(struct session *s, const struct kernel *k, const struct view *v) {
    if (!is_listed(k, v->base, ARG_IN)) return true;
    const struct formal *f = kernel_formal(k, v->base);
    const char *dir = is_read(k, f->tensor) ? "inout" : "out";
    diag_error(s, v->at, "'%s' is written here, so the list of %s '%s' must say '%s %s'",
               f->tensor->name, k->device ? "device function" : "kernel", k->name, dir,
               f->tensor->name);
    diag_note(s, f->at, "it is listed as an input here");
    bool readonly = f->readonly;  // the words are "readonly B"
    uint32_t end = f->at.begin + (readonly ? (uint32_t)strlen("readonly ") : 0);
    diag_fixit(s, (struct range){f->at.file, f->at.begin, end},
               arena_printf(&s->arena, "%s ", dir));
    note_unwritten(s, k);
    return false;
}

// Reports that "v" is read although "k" lists its tensor as an output.
static bool may_read(struct session *s, const struct kernel *k, const struct view *v) {
    if (!is_listed(k, v->base, ARG_OUT)) return true;
    diag_error(
        s, v->at,
        "'%s' is read here, but kernel '%s' lists it as 'out'; its elements hold nothing yet",
        v->base->name, k->name);
    diag_note(s, kernel_formal(k, v->base)->at, "it is listed here");
    return false;
}

// Reports that a kernel reads the tensor that "c" joins with what others may join at any time.
static bool joins_unread(struct session *s, const struct kernel *k, const struct copy *c) {
    if (!kernel_reads(k, c->dst.base)) return true;
    diag_error(s, c->dst.at,
               "'%s' joins elements of '%s', which kernel '%s' reads, too; read them in the next "
               "kernel",
               copy_atom(c)->row->name, c->dst.base->name, k->name);
    diag_page(s, copy_atom(c)->row->page);
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->src.base == c->dst.base)
            diag_note(s, st->copy->src.at, "it is read here");
    return false;
}

bool coverage_direction(struct session *s, const struct kernel *k, const struct copy *c) {
    if (copy_reduces(c) && !joins_unread(s, k, c)) return false;
    if (copy_reduces(c) && may_write(s, k, &c->dst) && !may_read(s, k, &c->dst)) return false;
    return may_write(s, k, &c->dst) && may_read(s, k, &c->src);
}

bool coverage_call_direction(struct session *s, const struct kernel *k, const struct plan_call *y) {
    bool ok = true;
    for (int i = 0; i < y->fn->nformals && !y->fill; ++i) {
        enum dir dir = y->fn->formal[i].dir;
        if (dir != ARG_IN) ok &= may_write(s, k, &y->view[i]);
        if (dir != ARG_OUT && y->view[i].base->space == MEM_GLOBAL)
            ok &= may_read(s, k, &y->view[i]);
    }
    return ok;
}
