// Punctuation marks of other languages, and missing ones: "threads=256", "};", "sync();",
// "(64;64)".
#include <ctype.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

const char *slip_from(struct parser *p, uint32_t at, size_t *left) {
    const struct source *f = &p->s->sources.file[p->file];
    *left = f->size - at;
    return f->text + at;
}

const char *slip_brackets(struct parser *p, struct range *at) {
    size_t left, length;
    const char *text = slip_from(p, at->end, &left);
    const char *inside = foreign_brackets(p->s, text, left, &length);
    if (inside) at->end += (uint32_t)length;
    return inside;
}

bool slip_follows(struct parser *p, uint32_t at, char c) {
    size_t left;
    const char *text = slip_from(p, at, &left);
    while (left && strchr(" \t", *text)) ++text, --left;
    return left && *text == c && (left < 2 || text[1] != c);
}

bool slip_function(int token) {
    return token == TOK_KERNEL || token == TOK_DEVICE || token == TOK_MANUAL ||
           token == TOK_ASYNC || token == TOK_EXTERN;
}

// "threads=256", "};", "sync();", "wait;"
static bool mark_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    static const short values[] = {TOK_THREADS, TOK_GRID, TOK_ALIGN, TOK_STAGES, TOK_PAD, TOK_WITH};
    for (size_t i = 0; now == '=' && i < sizeof values / sizeof *values; ++i) {
        if (last != values[i] || slip_has(set, n, '=')) continue;
        diag_error(p->s, p->now.at, "the value of '%s' comes after it, without '='",
                   slip_text(p, p->before.at));
        diag_fixit(p->s, p->now.at, " ");
        return true;
    }
    if (last == '@' && now == '(' && slip_has(set, n, TOK_INT)) {
        diag_error(p->s, p->before.at,
                   "'@' is of basis elements, '1@0'; write ':' between a shape and its stride");
        diag_fixit(p->s, p->before.at, ":");
        return true;
    }
    bool statement = slip_has(set, n, TOK_COPY) || slip_has(set, n, TOK_KERNEL);
    if (now == ';' && statement && (last == ';' || last == '}')) {
        diag_error(p->s, p->now.at, "stray ';'");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    bool number = last == TOK_WAIT || last == TOK_ALIGN || last == TOK_STAGES;
    if (now == '(' && (last == TOK_SYNC || last == TOK_COMMIT || number) &&
        slip_has(set, n, number ? TOK_INT : ';')) {
        struct range all = p->before.at;
        const char *inside = slip_brackets(p, &all), *word = slip_text(p, p->before.at);
        bool plain = inside && number == (*inside != '\0');
        diag_error(p->s, p->now.at, "'%s' takes no parentheses", word);
        if (plain)
            diag_fixit(p->s, all,
                       arena_printf(&p->s->arena, *inside ? "%s %s" : "%s", word, inside));
        return true;
    }
    if (now == ';' && last == TOK_WAIT && slip_has(set, n, TOK_INT)) {
        diag_error(p->s, p->now.at, "'wait' says how many groups may stay in flight: 'wait 0;'");
        diag_fixit(p->s, slip_before(p->now.at), " 0");
        return true;
    }
    return false;
}

// Whether the bracket open at p->now is closed before the statement or the line ends.
static bool closes_later(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    int depth = 0;
    for (size_t i = 0; i < left && !strchr(";\n", text[i]); ++i) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth < 0) return true;
    }
    return false;
}

// Handles "row(64,64 align 16": a clause after a missing ')' in one line.
static bool unclosed_slip(struct parser *p, const int *set, int n) {
    static const short clauses[] = {TOK_ALIGN, TOK_STAGES, TOK_SWIZZLE, TOK_PAD,    TOK_WITH,
                                    TOK_BY,    TOK_ARROW,  TOK_GRID,    TOK_THREADS};
    bool clause = false;
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i)
        clause |= p->now.token == clauses[i];
    if (!clause || p->nopen == 0 || p->open[p->nopen - 1].token != '(' || !slip_has(set, n, ')') ||
        p->before.token == '(' || p->before.token == ',' || closes_later(p))
        return false;
    struct range at = {p->before.at.file, p->before.at.end, p->before.at.end};
    diag_error(p->s, at, "expected ')' before '%s'", slip_text(p, p->now.at));
    diag_fixit(p->s, at, ")");
    diag_note(p->s, p->open[p->nopen - 1].at, "to close this '('");
    return true;
}

// "by lambda t, v: .."
static bool word_slip(struct parser *p) {
    if (p->before.token != TOK_ID || p->first.token != TOK_COPY ||
        strcmp(slip_text(p, p->before.at), "lambda") != 0)
        return false;
    diag_error(p->s, p->before.at,
               "an index map declares its names with their ranges: 'by (t:256, v:4) -> (t / 16, t "
               "%% 16 * 4 + v)'");
    return true;
}

// "(64;64)"
static bool tuple_slip(struct parser *p, const int *set, int n) {
    if (p->now.token != ';' || !p->unclosed.token || !slip_has(set, n, ',')) return false;
    size_t left, k = 0;
    const char *text = slip_from(p, p->now.at.end, &left);
    while (k < left && (isalnum((unsigned char)text[k]) || strchr(" _,", text[k]))) ++k;
    bool key = k > 1 && k < left && text[k] == '=';
    if (k == left || k == 0 || (text[k] != ')' && !key)) return false;
    diag_error(p->s, p->now.at,
               key ? "write ',' between arguments" : "write ',' between the parts of a tuple");
    diag_fixit(p->s, p->now.at, ",");
    while (k < left && text[k] != ';' && text[k] != '\n') ++k;
    p->skip_end = p->now.at.end + (uint32_t)k + (k < left && text[k] == ';');
    return true;
}

// "Sw(3,2,3)", "Sw<3,3>"
static bool swizzle_slip(struct parser *p) {
    if (p->now.token == '(' && p->before.token == TOK_SW) {
        struct range all = p->before.at;
        const char *inside = slip_brackets(p, &all), *part[3];
        diag_error(p->s, p->now.at, "a swizzle has its three numbers in '<' and '>': Sw<3,3,3>");
        if (inside && foreign_parts(p->s, inside, part, 3) == 3)
            diag_fixit(p->s, all, arena_printf(&p->s->arena, "Sw<%s>", inside));
        return true;
    }
    if (p->now.token != '>') return false;
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t at = p->now.at.begin;
    while (at > 0 && strchr("0123456789, ", f->text[at - 1])) --at;
    if (at < 3 || memcmp(f->text + at - 3, "Sw<", 3) != 0) return false;
    diag_error(p->s, p->now.at, "a swizzle has three numbers, Sw<B,M,S>: Sw<3,3,3>");
    return true;
}

// The declaration in a kernel for "tensor s : f32 shared (16,8) swizzle auto"; NULL when the line
// has another form.
static const char *inside_kernel(struct parser *p) {
    char name[64], type[32], rest[128], end[2];
    size_t left;
    const char *text = slip_from(p, p->first.at.end, &left);
    text = arena_strndup(&p->s->arena, text, left < 300 ? left : 300);
    if (p->first.token != TOK_TENSOR ||
        sscanf(text, " %63[A-Za-z0-9_] : %31[a-z0-9_] shared %127[^;\n/]%1[;]", name, type, rest,
               end) != 4)
        return NULL;
    return arena_printf(&p->s->arena, "shared %s : %s %s;", name, type, rest);
}

// Handles a clause that does not belong to this declaration: "tensor A : f32 global (4) stages 3".
static bool clause_slip(struct parser *p, const int *set, int n) {
    if (!slip_has(set, n, ';')) return false;
    int now = p->now.token, first = p->first.token;
    bool buffer =
        slip_one_of(now, TOK_STAGES, TOK_SWIZZLE) && slip_one_of(first, TOK_TENSOR, TOK_FRAG);
    bool list = slip_one_of(now, TOK_GRID, TOK_THREADS) && !slip_function(first);
    if (!buffer && !list) return false;
    const char *ours = buffer ? inside_kernel(p) : NULL;
    if (ours) {
        diag_error(p->s, p->now.at, "'%s' is for a buffer that a kernel declares in its body: '%s'",
                   slip_text(p, p->now.at), ours);
        return true;
    }
    diag_error(p->s, p->now.at,
               buffer ? "'%s' belongs to a 'shared' buffer of a kernel"
                      : "'%s' comes after the list of a kernel",
               slip_text(p, p->now.at));
    return true;
}

// Handles "manual;", which has to stand before 'kernel'.
static bool manual_slip(struct parser *p) {
    if (p->now.token != TOK_MANUAL || p->nopen == 0 || !slip_follows(p, p->now.at.end, ';'))
        return false;
    diag_error(p->s, p->now.at, "'manual' comes before 'kernel' or 'device'");
    return true;
}

// "copy local_tile(A, (64,64), (0,0))) -> s": one ')' too many
static bool closing_slip(struct parser *p, const int *set, int n) {
    if (p->now.token != ')' || p->start == TOK_START_EXPR || slip_has(set, n, ')') ||
        p->first.at.begin >= p->now.at.begin)
        return false;
    int depth = 0;
    const char *text = p->s->sources.file[p->file].text;
    for (uint32_t i = p->first.at.begin; i < p->now.at.begin; ++i)
        depth += (text[i] == '(') - (text[i] == ')');
    bool whole =
        slip_has(set, n, ';') || slip_has(set, n, TOK_ARROW);  // what is before is complete
    if (depth != 0 || !whole || text[p->now.at.begin] != ')' || slip_function(p->first.token))
        return false;
    diag_error(p->s, p->now.at, "this ')' closes nothing");
    diag_fixit(p->s, p->now.at, "");
    size_t left;
    const char *rest = slip_from(p, p->now.at.end, &left);
    p->skip_end = p->now.at.end + (uint32_t)strcspn(rest, ";\n");
    return true;
}

bool slip_marks(struct parser *p, const int *set, int n) {
    return closing_slip(p, set, n) || mark_slip(p, set, n) || tuple_slip(p, set, n) ||
           unclosed_slip(p, set, n) || word_slip(p) || swizzle_slip(p) || clause_slip(p, set, n) ||
           manual_slip(p);
}
