// Whether the list of a kernel says what its copies do to its arguments.
#include <string.h>

#include "base/session.h"
#include "pass/coverage/coverage.h"

static bool is_listed(const struct kernel *k, const struct tensor *t, enum dir dir) {
    const struct formal *f = kernel_formal(k, t);
    return f && f->dir == dir;
}

static bool is_read(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return true;
        if (st->kind != STMT_CALL || st->call->fill) continue;
        for (int i = 0; i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && st->call->fn->formal[i].dir != ARG_OUT) return true;
    }
    return false;
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

bool coverage_direction(struct session *s, const struct kernel *k, const struct copy *c) {
    if (is_listed(k, c->dst.base, ARG_IN)) {
        const struct formal *f = kernel_formal(k, c->dst.base);
        const char *dir = is_read(k, f->tensor) ? "inout" : "out";
        diag_error(s, c->dst.at, "'%s' is written here, so the list of %s '%s' must say '%s %s'",
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
    if (is_listed(k, c->src.base, ARG_OUT)) {
        diag_error(
            s, c->src.at,
            "'%s' is read here, but kernel '%s' lists it as 'out'; its elements hold nothing yet",
            c->src.base->name, k->name);
        diag_note(s, kernel_formal(k, c->src.base)->at, "it is listed here");
        return false;
    }
    return true;
}
