// Forms of other languages: calls where a statement stands here, words in another order, types where
// none is said, semicolons behind blocks.
#include <ctype.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

static const char *from_here(struct parser *p, uint32_t at, size_t *left) {
    const struct source *f = &p->s->sources.file[p->file];
    *left = f->size - at;
    return f->text + at;
}

static struct range join(struct range a, struct range b) {
    return (struct range){a.file, a.begin, b.end};
}

static struct range before(struct range at) {
    return (struct range){at.file, at.begin, at.begin};
}

static bool one_of(int token, int a, int b) {
    return token == a || token == b;
}

static bool function(int token) {
    return token == TOK_KERNEL || token == TOK_DEVICE || token == TOK_MANUAL ||
           token == TOK_ASYNC || token == TOK_EXTERN;
}

// The text in the brackets that follow "at", which then reaches behind them; NULL: none do.
static const char *brackets(struct parser *p, struct range *at) {
    size_t left, length;
    const char *text = from_here(p, at->end, &left);
    const char *inside = foreign_brackets(p->s, text, left, &length);
    if (inside) at->end += (uint32_t)length;
    return inside;
}

static bool follows(struct parser *p, uint32_t at, char c) {
    size_t left;
    const char *text = from_here(p, at, &left);
    while (left && strchr(" \t", *text)) ++text, --left;
    return left && *text == c && (left < 2 || text[1] != c);
}

// -- copies ---------------------------------------------------------------------------------------

// "copy(tc, A, s)", "copy(A, s)"
static bool copy_call(struct parser *p) {
    if (p->first.token != TOK_COPY || p->before.token != ')') return false;
    struct range all = p->first.at;
    const char *inside = brackets(p, &all), *part[8];
    if (!inside || all.end != p->before.at.end) return false;
    int n = foreign_parts(p->s, inside, part, 8);
    if (n < 2) return false;
    const char *ours =
        n == 2 ? arena_printf(&p->s->arena, "copy %s -> %s", part[0], part[1])
               : arena_printf(&p->s->arena, "copy %s -> %s with %s", part[1], part[2], part[0]);
    diag_error(p->s, p->first.at, "a copy is no call; write '%s'", ours);
    if (n <= 3) diag_fixit(p->s, all, ours);
    return true;
}

// "copy s <- A"
static bool arrow_back(struct parser *p) {
    if (p->first.token != TOK_COPY) return false;
    size_t left;
    const char *from = from_here(p, p->first.at.end, &left), *end = from, *arrow = NULL;
    for (; end < from + (p->now.at.begin - p->first.at.end); ++end)
        if (end[0] == '<' && left > 1 && end[1] == '-' && !arrow) arrow = end;
    if (!arrow || memchr(from, '\n', (size_t)(end - from))) return false;
    uint32_t at = p->first.at.end + (uint32_t)(arrow - from);
    struct range here = {p->now.at.file, at, at + 2},
                 all = {p->now.at.file, p->first.at.end, p->before.at.end};
    const char *to = slip_text(p, (struct range){here.file, all.begin, here.begin}),
               *of = slip_text(p, (struct range){here.file, here.end, all.end});
    while (*to == ' ') ++to;
    while (*of == ' ') ++of;
    int n = (int)strlen(to);
    while (n > 0 && to[n - 1] == ' ') --n;
    diag_error(p->s, here, "the source of a copy stands first: copy %s -> %.*s", of, n, to);
    diag_fixit(p->s, all, arena_printf(&p->s->arena, " %s -> %.*s", of, n, to));
    return true;
}

static bool copy_slip(struct parser *p, const int *set, int n) {
    if (one_of(p->now.token, TOK_WITH, TOK_BY) && p->before.token == TOK_COPY) {
        diag_error(p->s, p->now.at, "'%s' stands behind the destination: copy A -> s %s tc",
                   slip_text(p, p->now.at), slip_text(p, p->now.at));
        return true;
    }
    return slip_has(set, n, TOK_ARROW) && !slip_has(set, n, ';') && (copy_call(p) || arrow_back(p));
}

// -- loops ----------------------------------------------------------------------------------------

// "for (int i = 0; i < 4; ++i)"
static bool c_loop(struct parser *p) {
    if (p->now.token != '(' || p->before.token != TOK_FOR) return false;
    size_t left, n = 0;
    const char *text = from_here(p, p->now.at.begin, &left);
    int depth = 0;
    for (; n < left && text[n] != '\n'; ++n) {
        depth += text[n] == '(';
        if (text[n] == ')' && --depth == 0) break;
    }
    diag_error(p->s, p->now.at, "a loop is 'for i in 0 .. 4 { .. }'");
    if (n == left || text[n] != ')') return true;
    struct range all = {p->now.at.file, p->now.at.begin, p->now.at.begin + (uint32_t)n + 1};
    p->skip_end = all.end;
    char type[32], name[32], again[32], lo[32], hi[32], rest[32];
    const char *loop = slip_text(p, all);
    bool counts = sscanf(loop,
                         "(%31[a-z0-9_] %31[A-Za-z0-9_] = %31[A-Za-z0-9_]; %31[A-Za-z0-9_] < "
                         "%31[A-Za-z0-9_]; %31[^)])",
                         type, name, lo, again, hi, rest) == 6 &&
                  strcmp(name, again) == 0 &&
                  (strcmp(rest, arena_printf(&p->s->arena, "++%s", name)) == 0 ||
                   strcmp(rest, arena_printf(&p->s->arena, "%s++", name)) == 0);
    if (counts) diag_fixit(p->s, all, arena_printf(&p->s->arena, "%s in %s .. %s", name, lo, hi));
    return true;
}

static bool loop_slip(struct parser *p, const int *set, int n) {
    if (c_loop(p)) return true;
    if (p->now.token == '=' && p->before.token == TOK_DOTDOT) {
        size_t left;
        const char *text = from_here(p, p->now.at.end, &left);
        int end, length = 0;
        text = arena_strndup(&p->s->arena, text, left < 16 ? left : 16);
        diag_error(p->s, p->now.at, "a range ends before its end: '0 .. 4' is 0, 1, 2 and 3");
        struct range all = p->now.at;
        if (sscanf(text, " %9d%n", &end, &length) == 1 && length > 0 && end >= 0) {
            all.end += (uint32_t)length;
            diag_fixit(p->s, all, arena_printf(&p->s->arena, " %d", end + 1));
        }
        return true;
    }
    bool ranged = one_of(p->first.token, TOK_FOR, TOK_PIPELINE);
    if (!ranged || p->before.token != ')' || !slip_has(set, n, TOK_DOTDOT)) return false;
    size_t left;
    const char *text = from_here(p, p->first.at.begin, &left), *part[3];
    const char *line = arena_strndup(&p->s->arena, text, p->now.at.begin - p->first.at.begin),
               *word = strstr(line, "range");
    if (!word) return false;
    struct range at = {p->now.at.file, p->first.at.begin + (uint32_t)(word - line), 0};
    at.end = at.begin + 5;
    const char *inside = brackets(p, &at);
    int k = inside && at.end == p->before.at.end ? foreign_parts(p->s, inside, part, 3) : 0;
    if (k == 0) return false;
    const char *ours = k == 1 ? arena_printf(&p->s->arena, "0 .. %s", part[0])
                              : arena_printf(&p->s->arena, "%s .. %s", part[0], part[1]);
    diag_error(p->s, at, k == 3 ? "a loop counts by one: '%s'" : "a range is '%s'", ours);
    if (k < 3) diag_fixit(p->s, at, ours);
    return true;
}

// -- declarations ---------------------------------------------------------------------------------

static bool type_word(const char *text) {
    return foreign_type(text) || strcmp(text, "f16") == 0 || strcmp(text, "f32") == 0 ||
           strcmp(text, "index") == 0;
}

// "const int N = 4", "param int N", "param N : int"
static bool value_slip(struct parser *p) {
    int first = p->first.token;
    if (p->now.token == TOK_ID && p->before.token == TOK_ID &&
        one_of(first, TOK_CONST, TOK_PARAM)) {
        const char *type = slip_text(p, p->before.at), *name = slip_text(p, p->now.at);
        if (!type_word(type)) return false;
        if (first == TOK_CONST)
            diag_error(p->s, p->before.at, "a constant has no type: 'const %s = ..;'", name);
        else
            diag_error(p->s, p->before.at, "a param is an index: 'param %s : index;'", name);
        if (first == TOK_CONST || !follows(p, p->now.at.end, ';'))
            diag_fixit(p->s, (struct range){p->now.at.file, p->before.at.begin, p->now.at.begin},
                       "");
        else
            diag_fixit(p->s, join(p->before.at, p->now.at),
                       arena_printf(&p->s->arena, "%s : index", name));
        return true;
    }
    if (first == TOK_PARAM && p->now.token == TOK_ID && p->before.token == ':' &&
        foreign_type(slip_text(p, p->now.at))) {
        diag_error(p->s, p->now.at, "a param is an 'index', not '%s'", slip_text(p, p->now.at));
        diag_fixit(p->s, p->now.at, "index");
        return true;
    }
    if (p->now.token == '=' && p->before.token == TOK_INDEX && first == TOK_PARAM) {
        diag_error(p->s, p->now.at,
                   "a param has no value; 'const' has one, and 'tcpc run --param "
                   "NAME=N' sets a param");
        return true;
    }
    if (p->now.token == TOK_STRING && p->before.token == TOK_ARCH) {
        const char *text = slip_text(p, p->now.at);
        diag_error(p->s, p->now.at, "an architecture stands without quotes");
        diag_fixit(p->s, p->now.at,
                   arena_printf(&p->s->arena, "%.*s", (int)strlen(text) - 2, text + 1));
        return true;
    }
    if (p->now.token == TOK_INT && p->before.token == TOK_ARCH && first == TOK_ARCH) {
        const char *name = arena_printf(&p->s->arena, "sm_%s", slip_text(p, p->now.at));
        diag_error(p->s, p->now.at, "an architecture is a name; did you mean '%s'?", name);
        diag_fixit(p->s, p->now.at, name);
        return true;
    }
    if (p->now.token == TOK_FLOAT && p->before.token == TOK_TCP) {
        diag_error(p->s, p->now.at, "the language version is one integer: 'tcp 1;'");
        if (strcmp(slip_text(p, p->now.at), "1.0") == 0) diag_fixit(p->s, p->now.at, "1");
        return true;
    }
    if (p->now.token == TOK_ID && p->before.token == TOK_IMPORT) {
        struct range all = p->now.at;
        size_t left, k = 0;
        const char *text = from_here(p, all.end, &left);
        while (k < left && (isalnum((unsigned char)text[k]) || strchr("._/-", text[k]))) ++k;
        all.end += (uint32_t)k;
        const char *file = slip_text(p, all), *dot = strrchr(file, '.');
        file = arena_printf(&p->s->arena, "\"%s%s\"", file, dot ? "" : ".tcp");
        diag_error(p->s, all, "a file is named in double quotes: %s", file);
        diag_fixit(p->s, all, file);
        return true;
    }
    return false;
}

static bool integer_formal(struct parser *p) {
    diag_error(p->s, p->before.at, "an integer argument is an 'index', not '%s'",
               slip_text(p, p->before.at));
    diag_fixit(p->s, p->before.at, "index");
    return true;
}

// "k(A, B out)", "k(in A)", "d(float* A)", "d(i : int)"
static bool formal_slip(struct parser *p, const int *set, int n) {
    if (!function(p->first.token)) return false;
    const char *now = slip_text(p, p->now.at), *last = slip_text(p, p->before.at);
    bool type = p->before.token == TOK_ID && type_word(last);
    if (type && one_of(p->now.token, ')', ',') && slip_has(set, n, TOK_GLOBAL))
        return foreign_type(last) && integer_formal(p);
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(') return false;
    if (one_of(p->now.token, TOK_OUT, TOK_INOUT) && p->before.token == TOK_ID) {
        size_t left, k = 0;
        const char *next = from_here(p, p->now.at.end, &left);
        while (k < left && next[k] == ' ') ++k;
        if (k < left && (isalpha((unsigned char)next[k]) || next[k] == '_')) {  // "A out B"
            struct range at = {p->before.at.file, p->before.at.end, p->before.at.end};
            diag_error(p->s, at, "expected ',' before '%s'", now);
            diag_fixit(p->s, at, ",");
            return true;
        }
        diag_error(p->s, p->now.at, "'%s' stands before the name: '%s %s'", now, now, last);
        diag_fixit(p->s, join(p->before.at, p->now.at),
                   arena_printf(&p->s->arena, "%s %s", now, last));
        return true;
    }
    if (one_of(p->now.token, TOK_IN, TOK_CONST) &&
        (p->before.token == '(' || p->before.token == ',')) {
        size_t left;
        const char *next = from_here(p, p->now.at.end, &left);
        if (left < 2 || next[0] != ' ' || !(isalpha((unsigned char)next[1]) || next[1] == '_'))
            return false;
        diag_error(p->s, p->now.at, "what is only read stands without '%s'", now);
        diag_fixit(p->s, (struct range){p->now.at.file, p->now.at.begin, p->now.at.end + 1}, "");
        return true;
    }
    if (!type || slip_has(set, n, TOK_GLOBAL) || !one_of(p->now.token, '*', TOK_ID)) return false;
    const char *ours = foreign_type(last);
    diag_error(p->s, join(p->before.at, p->now.at),
               "a list names the plan's tensors, 'A', or says of an argument what it is: "
               "'A : %s global LAYOUT'",
               ours ? ours : last);
    return true;
}

// "k<<<1, 256>>>(A)", "my-copy(A)"
static bool function_slip(struct parser *p) {
    if (!function(p->first.token) || p->before.token != TOK_ID || p->nopen > 0) return false;
    size_t left;
    const char *next = from_here(p, p->now.at.begin, &left);
    if (left > 3 && memcmp(next, "<<<", 3) == 0) {
        diag_error(p->s, p->now.at,
                   "blocks and threads stand behind the list: 'kernel k(A, out B) grid (1) threads "
                   "256 { .. }'");
        return true;
    }
    if (p->now.token != '-' || p->now.at.begin != p->before.at.end) return false;
    size_t k = 0;
    while (k < left && (isalnum((unsigned char)next[k]) || strchr("_-", next[k]))) ++k;
    struct range all = {p->now.at.file, p->before.at.begin, p->now.at.begin + (uint32_t)k};
    char *name = arena_strndup(&p->s->arena, slip_text(p, all), all.end - all.begin);
    for (char *c = name; *c; ++c)
        if (*c == '-') *c = '_';
    diag_error(p->s, all, "a name has letters, digits and '_'");
    diag_fixit(p->s, all, name);
    return true;
}

// -- marks ----------------------------------------------------------------------------------------

// "threads=256", "};", "sync();", "wait;"
static bool mark_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    static const short values[] = {TOK_THREADS, TOK_GRID, TOK_ALIGN, TOK_STAGES, TOK_PAD, TOK_WITH};
    for (size_t i = 0; now == '=' && i < sizeof values / sizeof *values; ++i) {
        if (last != values[i] || slip_has(set, n, '=')) continue;
        diag_error(p->s, p->now.at, "the value of '%s' stands behind it without '='",
                   slip_text(p, p->before.at));
        diag_fixit(p->s, p->now.at, " ");
        return true;
    }
    bool statement = slip_has(set, n, TOK_COPY) || slip_has(set, n, TOK_KERNEL);
    if (now == ';' && statement && (last == ';' || last == '}')) {
        diag_error(p->s, p->now.at, "nothing stands before this ';'");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    if (now == '(' && (last == TOK_SYNC || last == TOK_COMMIT || last == TOK_WAIT) &&
        slip_has(set, n, last == TOK_WAIT ? TOK_INT : ';')) {
        struct range all = p->before.at;
        const char *inside = brackets(p, &all), *word = slip_text(p, p->before.at);
        bool plain = inside && (last == TOK_WAIT) == (*inside != '\0');
        diag_error(p->s, p->now.at, "'%s' takes no parentheses", word);
        if (plain)
            diag_fixit(p->s, all,
                       arena_printf(&p->s->arena, *inside ? "%s %s" : "%s", word, inside));
        return true;
    }
    if (now == ';' && last == TOK_WAIT && slip_has(set, n, TOK_INT)) {
        diag_error(p->s, p->now.at, "'wait' says how many groups may stay in flight: 'wait 0;'");
        diag_fixit(p->s, before(p->now.at), " 0");
        return true;
    }
    return false;
}

// Whether the bracket that is open at p->now is closed before the statement or the line ends.
static bool closes_later(struct parser *p) {
    size_t left;
    const char *text = from_here(p, p->now.at.end, &left);
    int depth = 0;
    for (size_t i = 0; i < left && !strchr(";\n", text[i]); ++i) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth < 0) return true;
    }
    return false;
}

// "row(64,64 align 16": a clause where the ')' of the same line is missing
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
    diag_error(
        p->s, p->before.at,
        "an index map says what runs over what: 'by (t:256, v:4) -> (t / 16, t %% 16 * 4 + v)'");
    return true;
}

// "(64;64)"
static bool tuple_slip(struct parser *p, const int *set, int n) {
    if (p->now.token != ';' || !p->unclosed.token || !slip_has(set, n, ',')) return false;
    size_t left, k = 0;
    const char *text = from_here(p, p->now.at.end, &left);
    while (k < left && (isalnum((unsigned char)text[k]) || strchr(" _,", text[k]))) ++k;
    if (k == left || k == 0 || text[k] != ')') return false;
    diag_error(p->s, p->now.at, "the parts of a tuple stand with ',' between them");
    diag_fixit(p->s, p->now.at, ",");
    while (k < left && text[k] != ';' && text[k] != '\n') ++k;
    p->skip_end = p->now.at.end + (uint32_t)k + (k < left && text[k] == ';');
    return true;
}

// "Sw(3,2,3)", "Sw<3,3>"
static bool swizzle_slip(struct parser *p) {
    if (p->now.token == '(' && p->before.token == TOK_SW) {
        struct range all = p->before.at;
        const char *inside = brackets(p, &all), *part[3];
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

// A clause of something else: "tensor A : f32 global (4) stages 3".
static bool clause_slip(struct parser *p, const int *set, int n) {
    if (!slip_has(set, n, ';')) return false;
    int now = p->now.token, first = p->first.token;
    bool buffer = one_of(now, TOK_STAGES, TOK_SWIZZLE) && one_of(first, TOK_TENSOR, TOK_FRAG);
    bool list = one_of(now, TOK_GRID, TOK_THREADS) && !function(first);
    if (!buffer && !list) return false;
    diag_error(p->s, p->now.at,
               buffer ? "'%s' belongs to a 'shared' buffer"
                      : "'%s' stands behind the list of a kernel",
               slip_text(p, p->now.at));
    return true;
}

// "manual;", which belongs before 'kernel'
static bool manual_slip(struct parser *p) {
    if (p->now.token != TOK_MANUAL || p->nopen == 0 || !follows(p, p->now.at.end, ';'))
        return false;
    diag_error(p->s, p->now.at, "'manual' stands before 'kernel' or 'device'");
    return true;
}

bool slip_other(struct parser *p, const int *set, int n) {
    return copy_slip(p, set, n) || loop_slip(p, set, n) || mark_slip(p, set, n) ||
           tuple_slip(p, set, n) || unclosed_slip(p, set, n) || word_slip(p) || swizzle_slip(p) ||
           formal_slip(p, set, n) || function_slip(p) || value_slip(p) || clause_slip(p, set, n) ||
           manual_slip(p);
}

// -- what begins with an unknown word -------------------------------------------------------------

static bool declared_function(const struct parser *p, const char *name) {
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        if (decl[i]->kind == D_FN && strcmp(decl[i]->name.name, name) == 0) return true;
    return false;
}

bool slip_statement(struct parser *p, const char *text) {
    if (p->now.token == '=') {
        diag_error(p->s, p->before.at, "a value is named by 'let': 'let %s = ..;'", text);
        diag_fixit(p->s, before(p->before.at), "let ");
        return true;
    }
    if (p->now.token != '(') return false;
    diag_error(p->s, p->before.at, "a device function is called by 'call %s(..);'", text);
    if (declared_function(p, text)) diag_fixit(p->s, before(p->before.at), "call ");
    return true;
}

bool slip_declaration(struct parser *p, const char *text) {
    size_t left, k = 0;
    const char *next = from_here(p, p->now.at.end, &left);
    const char *type = foreign_type(text);
    while (type && k < left && (isalnum((unsigned char)next[k]) || strchr(" _", next[k]))) ++k;
    if (!follows(p, p->now.at.end + (uint32_t)k, '=')) return false;
    diag_error(p->s, p->now.at, "unknown declaration '%s'; a constant is 'const NAME = VALUE;'",
               text);
    if (type)
        diag_fixit(p->s, p->now.at, "const");
    else
        diag_fixit(p->s, before(p->now.at), "const ");
    return true;
}
