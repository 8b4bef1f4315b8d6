// Copies in another form: "copy tc, A, s", "copy s = A with tc", "ld = copy A -> s", "copy A -> s
// with tc async"; and declarations in a block.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

// The text from "at" to the ';' of its line, which "all" then ends at; NULL where there is none.
static const char *up_to_end(struct parser *p, uint32_t at, struct range *all) {
    size_t left, n = 0;
    const char *text = slip_from(p, at, &left);
    while (n < left && !strchr(";\n{}", text[n])) ++n;
    if (n == left || text[n] != ';') return NULL;
    *all = (struct range){p->file, all->begin, at + (uint32_t)n};
    return arena_strndup(&p->s->arena, text, n);
}

// "copy tc, A, s"
static bool with_commas(struct parser *p) {
    struct range all = p->first.at;
    const char *rest = up_to_end(p, p->first.at.end, &all), *part[3];
    if (!rest || foreign_parts(p->s, rest, part, 3) != 3) return false;
    const char *ours =
        arena_printf(&p->s->arena, "copy %s -> %s with %s", part[1], part[2], part[0]);
    diag_error(p->s, all, "a copy is '%s'", ours);
    diag_fixit(p->s, all, ours);
    p->skip_end = all.end;
    return true;
}

// "s = A with tc" as "A -> s with tc", or NULL.
static const char *turned(struct parser *p, const char *text) {
    const char *equals = strchr(text, '='), *how = strstr(text, " with ");
    if (!how) how = strstr(text, " by ");
    if (!equals || (how && how < equals)) return NULL;
    int to = (int)(equals - text), from = (int)(how ? how - equals - 1 : (long)strlen(equals + 1));
    const char *of = equals + 1;
    while (to > 0 && text[to - 1] == ' ') --to;
    while (to > 0 && *text == ' ') ++text, --to;
    while (from > 0 && *of == ' ') ++of, --from;
    if (to == 0 || from == 0) return NULL;
    return arena_printf(&p->s->arena, "%.*s -> %.*s%s", from, of, to, text, how ? how : "");
}

// "copy A with tc -> s"
static bool how_between(struct parser *p) {
    struct range all = p->first.at;
    const char *rest = up_to_end(p, p->first.at.end, &all);
    const char *how = rest ? strstr(rest, " with ") : NULL,
               *arrow = how ? strstr(how, " -> ") : NULL;
    if (!arrow || strstr(arrow + 4, " with ")) return false;
    const char *ours = arena_printf(&p->s->arena, "copy%.*s%s%.*s", (int)(how - rest), rest, arrow,
                                    (int)(arrow - how), how);
    diag_error(p->s, p->now.at, "how a copy is done comes last: '%s'", ours);
    diag_fixit(p->s, all, ours);
    p->skip_end = all.end;
    return true;
}

bool slip_copy_marks(struct parser *p) {
    if (p->now.token == TOK_WITH) return how_between(p);
    if (p->now.token == ',') return with_commas(p);
    if (p->now.token != '=') return false;
    struct range all = p->first.at;
    const char *rest = up_to_end(p, p->first.at.end, &all), *ours = rest ? turned(p, rest) : NULL;
    if (!ours) return false;
    ours = arena_printf(&p->s->arena, "copy %s", ours);
    diag_error(p->s, p->now.at, "the source of a copy comes first: '%s'", ours);
    diag_fixit(p->s, all, ours);
    p->skip_end = all.end;
    return true;
}

bool slip_copy_value(struct parser *p, const char *name, bool buffer) {
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    size_t blanks = strspn(text, " ");
    if (p->now.token != '=' || left < blanks + 5 || memcmp(text + blanks, "copy ", 5) != 0)
        return false;
    struct range all = p->before.at;
    const char *rest = up_to_end(p, p->now.at.end + (uint32_t)blanks + 4, &all);
    if (rest && buffer && !strstr(rest, "->")) {
        const char *ours = turned(p, arena_printf(&p->s->arena, "%s =%s", name, rest));
        if (!ours) return false;
        ours = arena_printf(&p->s->arena, "copy %s", ours);
        diag_error(p->s, p->before.at, "a copy is '%s'", ours);
        diag_fixit(p->s, all, ours);
        p->skip_end = all.end;
        return true;
    }
    diag_error(p->s, p->now.at, "a label ends with ':': '%s: copy'", name);
    diag_fixit(p->s, (struct range){p->file, p->before.at.end, p->now.at.end}, ":");
    if (rest) p->skip_end = all.end;
    return true;
}

// "copy A -> s with tc async"
static bool async_copy(struct parser *p) {
    if (p->first.token != TOK_COPY || p->now.token != TOK_ASYNC) return false;
    diag_error(p->s, p->now.at, "a copy is asynchronous by its atom, such as 'cp_async.cg(16)'");
    diag_fixit(p->s, (struct range){p->file, p->before.at.end, p->now.at.end}, "");
    struct range all = p->now.at;
    if (up_to_end(p, p->now.at.end, &all)) p->skip_end = all.end;
    return true;
}

// -- comments that hide something ------------------------------------------------------------------

bool slip_comment(struct parser *p) {
    size_t left, k = 0;
    const char *text = slip_from(p, p->before.at.end, &left);
    int last = p->before.token;
    while (k < left && strchr(" \t", text[k])) ++k;
    bool value = last == TOK_INT || last == TOK_ID || last == ')';
    if (!value || left - k < 4 || text[k] != '/' || text[k + 1] != '/') return false;
    size_t from = k + 2, end = from;
    while (end < left && text[end] != '\n') ++end;
    while (end > from && strchr(" \t\r", text[end - 1])) --end;
    if (end == from || text[end - 1] != ';') return false;
    struct range at = {p->file, p->before.at.end + (uint32_t)k, p->before.at.end + (uint32_t)k + 2};
    diag_error(p->s, at, "'//' begins a comment; '/' divides, and rounds down");
    diag_fixit(p->s, at, "/");
    return true;
}

bool slip_division(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->before.at.end, &left);
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(' || left < 3 ||
        memcmp(text, "//", 2) != 0 || !(isalnum((unsigned char)text[2]) || text[2] == '_'))
        return false;
    struct range at = {p->file, p->before.at.end, p->before.at.end + 2};
    diag_error(p->s, at, "'//' begins a comment; '/' divides, and rounds down");
    diag_fixit(p->s, at, "/");
    p->stopped = true;  // the rest of the line is missing
    return true;
}

// -- declarations in a block ----------------------------------------------------------------------

// Whether p->now is further to the right than the line of the '{' that is open begins: else a '}'
// is missing.
static bool inside_block(struct parser *p) {
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '{') return false;
    const char *text = p->s->sources.file[p->file].text;
    uint32_t from = p->open[p->nopen - 1].at.begin, here = p->now.at.begin;
    if (p->before.token == TOK_ASYNC) here = p->before.at.begin;
    uint32_t begin = from, line = here;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    while (line > 0 && text[line - 1] != '\n') --line;
    if (line == begin) return true;
    return here - line > strspn(text + begin, " \t");
}

// "extern __shared__ half s[];", "kernel k2(A) { }", "arch sm_90;" in a block
static bool nested(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    bool label = n == 1 && set[0] == ':' && p->before.at.begin == p->first.at.begin;
    bool second =
        label && ((last == TOK_ASYNC && now == TOK_DEVICE) || (last == TOK_ARCH && now == TOK_ID));
    bool first =
        slip_has(set, n, TOK_FOR) && slip_has(set, n, TOK_LET) &&
        (slip_one_of(now, TOK_KERNEL, TOK_DEVICE) || slip_one_of(now, TOK_MANUAL, TOK_EXTERN));
    if (!(first || second) || !inside_block(p) || (first && slip_follows(p, p->now.at.end, ';')))
        return false;
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    size_t blanks = strspn(text, " ");
    bool cuda = left > blanks + 10 && memcmp(text + blanks, "__shared__", 10) == 0,
         shared = left > blanks + 7 && memcmp(text + blanks, "shared ", 7) == 0;
    struct range all = p->now.at;
    if (now == TOK_EXTERN && (cuda || shared)) {
        diag_error(p->s, p->now.at,
                   "shared memory is declared by 'shared NAME : TYPE LAYOUT;', and its size is "
                   "part of the plan");
        if (shared) {
            all.end += (uint32_t)blanks;
            diag_fixit(p->s, all, "");
        }
        if (up_to_end(p, p->now.at.end, &all)) p->skip_end = all.end;
        return true;
    }
    struct range at = second ? p->before.at : p->now.at;
    diag_error(p->s, at, "'%s' is declared at the top level, not in a block", slip_text(p, at));
    return true;
}

bool slip_copies(struct parser *p, const int *set, int n) {
    return slip_division(p) || async_copy(p) || nested(p, set, n);
}
