// Slips of those who know other languages: their statements, their slices, and words that are
// reserved here.
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

// What the reserved word "token" means: "'o' is the composition operator".
const char *slip_meaning(int token) {
    switch (token) {
    case TOK_O: return "the composition operator";
    case '_': return "the coordinate of a mode that stays whole";
    case TOK_SW: return "the start of a swizzle";
    case TOK_IN: return "the word before a range";
    case TOK_BY:
    case TOK_WITH: return "the word before how a copy is done";
    case TOK_LIKE: return "the word before what a fragment is like";
    case TOK_OUT:
    case TOK_INOUT: return "the word before a tensor that is written";
    case TOK_GLOBAL:
    case TOK_SHARED:
    case TOK_FRAG: return "a space of memory";
    case TOK_COPY:
    case TOK_FOR:
    case TOK_PIPELINE:
    case TOK_LET: return "the start of a statement";
    default: return "the start of a declaration";
    }
}

// "__syncthreads();", which is 'sync;' in a manual function and nothing in others.
bool slip_foreign(struct parser *p, const char *text) {
    const struct foreign *w = foreign_statement(text);
    if (!w) return false;
    const struct source *f = &p->s->sources.file[p->file];
    const char *end = f->text + f->size, *stop = f->text + p->before.at.end;
    char number[16] = "0";
    if (!w->ours) {
        diag_error(p->s, p->before.at, "there is no '%s' here; %s", text, w->help);
        return true;
    }
    if (!w->help) {
        diag_error(p->s, p->before.at, "unknown statement '%s'; did you mean '%s'?", text, w->ours);
        diag_fixit(p->s, p->before.at, w->ours);
        return true;
    }
    sscanf(stop, "<%15[0-9]>", number);
    const char *ours = arena_printf(&p->s->arena, w->ours, number);
    if (p->manual)
        diag_error(p->s, p->before.at, "'%s' is '%s' here", text, ours);
    else
        diag_error(p->s, p->before.at,
                   "there is no '%s' here; %s, and in a 'manual' function it is '%s'", text,
                   w->help, ours);
    struct range all = p->before.at;
    while (stop < end && *stop != ';' && *stop != '\n' && *stop != '}') ++stop;
    if (stop == end || *stop != ';') return true;
    all.end = (uint32_t)(stop - f->text) + 1;
    diag_fixit(p->s, all, p->manual ? arena_printf(&p->s->arena, "%s;", ours) : "");
    return true;
}

// "A(:, 3)", as other languages write a mode that stays.
bool slip_colon(struct parser *p, bool expression) {
    bool begins = p->before.token == '(' || p->before.token == ',';
    if (p->now.token != ':' || !begins || !expression) return false;
    diag_error(p->s, p->now.at, "the coordinate of a mode that stays whole is '_'");
    diag_fixit(p->s, p->now.at, "_");
    return true;
}
