// Slips of people who know other languages: their statements, their slices, and words that are
// reserved here.
#include <ctype.h>
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

struct range slip_join(struct range a, struct range b) {
    return (struct range){a.file, a.begin, b.end};
}

struct range slip_before(struct range at) {
    return (struct range){at.file, at.begin, at.begin};
}

struct range slip_after(struct range at) {
    return (struct range){at.file, at.end, at.end};
}

void slip_skip_rest(struct parser *p) {
    size_t left, k = 0;
    const char *text = slip_from(p, p->now.at.end, &left);
    while (k < left && !strchr(";\n", text[k])) ++k;
    p->skip_end = p->now.at.end + (uint32_t)k;
}

const char *slip_text(struct parser *p, struct range at) {
    return arena_strndup(&p->s->arena, p->s->sources.file[p->file].text + at.begin,
                         at.end - at.begin);
}

// The argument of a statement of another language: what is in its brackets, or else everything up
// to its end.
static const char *argument(struct parser *p, struct range at) {
    size_t left, length, n = 0;
    const char *text = slip_from(p, at.end, &left);
    const char *inside = foreign_brackets(p->s, text, left, &length);
    if (inside) return *inside ? inside : "0";
    while (n < left && !strchr(";\n}", text[n])) ++n;
    while (n > 0 && strchr(" \t", text[0])) ++text, --n;
    return n ? arena_strndup(&p->s->arena, text, n) : "0";
}

// Extends "at" past the ';' of its line; false when the line has none.
static bool whole_statement(struct parser *p, struct range *at) {
    size_t left, n = 0;
    const char *text = slip_from(p, at->end, &left);
    while (n < left && !strchr(";\n{}", text[n])) ++n;
    if (n == left || text[n] != ';') return false;
    at->end += (uint32_t)n + 1;
    return true;
}

// The declaration in this language for "__shared__ float s[64][64];", or NULL.
static const char *shared_array(struct parser *p, struct range at) {
    char type[32], name[64], more[2];
    int extent[2], n = 0;
    size_t left;
    const char *text = slip_from(p, at.end, &left);
    text = arena_strndup(&p->s->arena, text, left < 200 ? left : 200);
    if (sscanf(text, " %31[A-Za-z0-9_] %63[A-Za-z0-9_] %n", type, name, &n) != 2 || !n) return NULL;
    const char *ours = foreign_type(type);
    if (sscanf(text + n, "[%d][%d] %1[;]", &extent[0], &extent[1], more) == 3)
        return arena_printf(&p->s->arena, "shared %s : %s row(%d,%d);", name, ours ? ours : type,
                            extent[0], extent[1]);
    if (sscanf(text + n, "[%d] %1[;]", &extent[0], more) == 2)
        return arena_printf(&p->s->arena, "shared %s : %s %d;", name, ours ? ours : type,
                            extent[0]);
    return NULL;
}

// Handles "__syncthreads();": it is 'sync;' in a manual function, and superfluous in others.
bool slip_foreign(struct parser *p, const char *text) {
    const struct foreign *w = foreign_find(FOREIGN_STATEMENT, text);
    bool spelt = strcmp(text, "memcpy") == 0 && p->now.token != '(';  // "memcpy A -> s" is a copy
    if (!w || spelt) return false;
    struct range all = p->before.at;
    if (!w->ours) {
        diag_error(p->s, p->before.at, "there is no '%s' here; %s", text, w->help);
        const char *shared = strcmp(text, "__shared__") == 0 ? shared_array(p, all) : NULL;
        if (whole_statement(p, &all) && shared) diag_fixit(p->s, all, shared);
        p->skip_end = all.end > p->before.at.end ? all.end - 1 : 0;
        return true;
    }
    if (!w->help && !strchr(w->ours, ' ')) {
        diag_error(p->s, p->before.at, "unknown statement '%s'; did you mean '%s'?", text, w->ours);
        diag_fixit(p->s, p->before.at, w->ours);
        return true;
    }
    const char *ours = arena_printf(&p->s->arena, w->ours, argument(p, p->before.at));
    bool stays = p->manual || !w->help;
    if (stays)
        diag_error(p->s, p->before.at, "'%s' is '%s' here", text, ours);
    else
        diag_error(p->s, p->before.at,
                   "there is no '%s' here; %s, and in a 'manual' function it is '%s'", text,
                   w->help, ours);
    if (whole_statement(p, &all))
        diag_fixit(p->s, all, stays ? arena_printf(&p->s->arena, "%s;", ours) : "");
    return true;
}

bool slip_begins_statement(const struct parser *p) {
    return p->now.token == TOK_ID && p->now.at.begin == p->first.at.begin && p->nopen > 0 &&
           p->open[p->nopen - 1].token == '{';
}

// The copy statement for the call "copy(tc, A, s)" of another language, or NULL. "all" is the name
// of the call, and is extended to the whole call.
static const char *copy_of_call(struct parser *p, struct range *all) {
    const char *inside = slip_brackets(p, all), *part[4];
    int n = inside ? foreign_parts(p->s, inside, part, 4) : 0;
    if (n == 2) return arena_printf(&p->s->arena, "copy %s -> %s", part[0], part[1]);
    if (n != 3) return NULL;
    return arena_printf(&p->s->arena, "copy %s -> %s with %s", part[1], part[2], part[0]);
}

bool slip_qualified(struct parser *p) {
    if (p->now.token != '.') return false;
    struct range all = p->before.at, last = all, first = all;
    size_t left;
    const char *text = slip_from(p, all.end, &left);
    for (size_t k = 0, from; k < left && strchr(".:", text[k]);) {
        k += left - k > 1 && text[k] == ':' && text[k + 1] == ':' ? 2 : 1;
        for (from = k; k < left && (isalnum((unsigned char)text[k]) || text[k] == '_');) ++k;
        if (k == from) break;
        last = (struct range){all.file, all.end + (uint32_t)from, all.end + (uint32_t)k};
    }
    if (last.begin == all.begin) return false;
    all.end = last.end;
    const char *word = slip_text(p, last), *whole = slip_text(p, all);
    struct range rest = all, call = all;
    const char *copy = strcmp(word, "copy") == 0 ? copy_of_call(p, &call) : NULL;
    p->before.at = all;
    if (copy) {
        diag_error(p->s, all, "there is no '%s' here; write '%s'", whole, copy);
        if (!strstr(copy, "::")) diag_fixit(p->s, call, copy);
        p->skip_end = call.end;
    } else if (strcmp(word, "copy") == 0 && call.end == all.end) {  // "cute.copy A -> s"
        diag_error(p->s, all, "names have no '%.*s' before them here", (int)(strlen(whole) - 4),
                   whole);
        diag_fixit(p->s, all, "copy");
    } else if (!slip_foreign(p, whole) && !slip_foreign(p, word) &&
               !slip_foreign(p, slip_text(p, first))) {
        diag_error(p->s, all, "unknown statement '%s'", whole);
    }
    if (whole_statement(p, &rest)) p->skip_end = rest.end - 1;
    return true;
}

bool slip_module(struct parser *p, struct range at) {
    if (p->now.token != TOK_ID || p->now.at.end != at.begin) return false;
    const char *word = slip_text(p, p->now.at);
    if (!foreign_module(word)) return false;
    bool type = slip_one_of(p->first.token, TOK_TENSOR, TOK_SHARED) || p->first.token == TOK_FRAG;
    if (type && p->before.token == ':')
        return true;  // "tensor A : cute::half_t", reported as a type
    at.begin = p->now.at.begin;
    diag_error(p->s, at, "names have no '%s::' before them here", word);
    diag_fixit(p->s, at, "");
    return true;
}

// Handles "A(:, 3)": other languages write ':' for a mode that stays.
bool slip_colon(struct parser *p, bool expression) {
    bool begins = p->before.token == '(' || p->before.token == ',';
    if (p->now.token != ':' || !begins || !expression) return false;
    diag_error(p->s, p->now.at, "the coordinate of a mode that stays whole is '_'");
    diag_fixit(p->s, p->now.at, "_");
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    // replace the other colons of these brackets as well
    for (size_t i = 0; i < left && !strchr("();{}", text[i]); ++i) {
        size_t next = i + 1, before = i;
        if (text[i] != ':') continue;
        while (next < left && text[next] == ' ') ++next;
        while (before > 0 && text[before - 1] == ' ') --before;
        bool alone =
            before > 0 && text[before - 1] == ',' && next < left && strchr(",)", text[next]);
        uint32_t at = p->now.at.end + (uint32_t)i;
        if (alone) diag_fixit(p->s, (struct range){p->now.at.file, at, at + 1}, "_");
    }
    return true;
}

bool slip_let(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    const char *value = memchr(text, '=', left < 80 ? left : 80);
    diag_error(p->s, p->now.at,
               "'let' belongs in a kernel or a device function; a number for the whole plan is "
               "'const NAME = 64;'");
    if (value && isdigit((unsigned char)value[1 + strspn(value + 1, " ")]))
        diag_fixit(p->s, p->now.at, "const");
    return true;
}

bool slip_atom_key(struct parser *p) {
    if (p->now.token != TOK_ATOM || !slip_one_of(p->first.token, TOK_TILED_COPY, TOK_COPY))
        return false;
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left), *value = memchr(text, '=', left);
    diag_error(p->s, p->now.at, "the atom comes first, without a name: 'tile(universal(128), ..)'");
    if (p->before.token == '(' && value) {
        uint32_t end = p->now.at.end + (uint32_t)(value - text) + 1;
        diag_fixit(p->s, (struct range){p->file, p->now.at.begin, end}, "");
    }
    return true;
}
