// Declarations and statements that lack a part, or have one too much: "param M;", "tensor T = ..",
// "let t : f32 = A", "fill(s, 0)", "align(16)", "(16,8);(8,1)".
#include <ctype.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

static bool of(const char *const *words, const char *text) {
    for (; *words; ++words)
        if (strcmp(*words, text) == 0) return true;
    return false;
}

static bool begins_tensor(int token) {
    return token == TOK_TENSOR || token == TOK_SHARED || token == TOK_FRAG;
}

static bool space(int token) {
    return token == TOK_GLOBAL || token == TOK_SHARED || token == TOK_FRAG;
}

// Nothing more is reported up to the ';' of the line, or with it where p->now is one already.
static void skip_statement(struct parser *p) {
    size_t left, k = 0;
    const char *text = slip_from(p, p->now.at.end, &left);
    while (k < left && text[k] != ';' && text[k] != '\n') ++k;
    bool with = p->now.token == ';' && k < left && text[k] == ';';
    p->skip_end = p->now.at.end + (uint32_t)k + with;
}

// -- tensors --------------------------------------------------------------------------------------

// "tensor A : global f32 (64)"
static bool space_first(struct parser *p, const int *set, int n) {
    if (!space(p->now.token) || p->before.token != ':' || !slip_has(set, n, TOK_ID)) return false;
    if (!begins_tensor(p->first.token) && !slip_function(p->first.token)) return false;
    const char *ours = slip_text(p, p->now.at);
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    char type[17];
    int length = 0;
    text = arena_strndup(&p->s->arena, text, left < 40 ? left : 40);
    bool typed = sscanf(text, " %16[a-z0-9_]%n", type, &length) == 1;
    diag_error(p->s, p->now.at, "the element type comes before the space: '%s %s'",
               typed ? type : "f32", ours);
    if (typed)
        diag_fixit(
            p->s, (struct range){p->now.at.file, p->now.at.begin, p->now.at.end + (uint32_t)length},
            arena_printf(&p->s->arena, "%s %s", type, ours));
    return true;
}

bool slip_no_layout(struct parser *p) {
    diag_error(p->s, slip_before(p->now.token == ';' ? p->now.at : p->before.at),
               "the layout is missing: '(64,64)', or 'row(64,64)', whose last mode is contiguous");
    skip_statement(p);
    return true;
}

// "tensor A : f32 global;", "tensor T = make_tensor(..);", "(64,64) row_major", "row 64 64"
static bool tensor_slip(struct parser *p, const int *set, int n) {
    static const char *const rows[] = {"row_major", "RowMajor", "LayoutRight",  "GenRowMajor",
                                       "col_major", "ColMajor", "LayoutLeft",   "GenColMajor",
                                       "row",       "col",      "column_major", NULL},
                             *const extents[] = {"row", "col", NULL};
    int now = p->now.token, last = p->before.token;
    if (!begins_tensor(p->first.token)) return false;
    if (now == ';' && slip_has(set, n, TOK_LIKE) && (space(last) || last == TOK_ID)) {
        return slip_no_layout(p);
    }
    if (now == '=' && last == TOK_ID && slip_has(set, n, ':')) {
        const char *name = slip_text(p, p->before.at);
        diag_error(p->s, p->now.at,
                   p->first.token == TOK_FRAG
                       ? "a fragment has a type: 'frag %s : f16 (8);', or 'frag %s : f16 like tc;'"
                   : p->first.token == TOK_SHARED
                       ? "shared memory has a type and a layout: 'shared %s : f16 row(64,64);'"
                       : "a tensor has a type, a space and a layout: 'tensor %s : f16 global "
                         "row(64,64);'",
                   name, name);
        return true;
    }
    if (now == TOK_ID && last == ')' && of(rows, slip_text(p, p->now.at))) {
        diag_error(p->s, p->now.at,
                   "the order comes before the shape: the last mode of 'row(64,64)' is contiguous, "
                   "the first one of '(64,64)'");
        return true;
    }
    if (now == '{' && last == TOK_ID && of(extents, slip_text(p, p->before.at))) {
        struct range all = p->before.at;
        const char *inside = slip_brackets(p, &all), *word = slip_text(p, p->before.at);
        diag_error(p->s, p->now.at, "extents go in parentheses: '%s(64,64)'", word);
        if (inside) diag_fixit(p->s, all, arena_printf(&p->s->arena, "%s(%s)", word, inside));
        p->stopped = true;
        return true;
    }
    bool extent = now == TOK_INT || (now == TOK_ID && slip_has(set, n, ';'));
    if (extent && last == TOK_ID && of(extents, slip_text(p, p->before.at))) {
        diag_error(p->s, p->now.at, "extents go in parentheses: '%s(64,64)'",
                   slip_text(p, p->before.at));
        return true;
    }
    return false;
}

// -- values ---------------------------------------------------------------------------------------

// "let t : f32 = A", "const BM : index = 64"
static bool typed_value(struct parser *p, const int *set, int n) {
    int first = p->first.token;
    if (p->now.token != ':' || p->before.token != TOK_ID || !slip_has(set, n, '=') ||
        !slip_one_of(first, TOK_LET, TOK_CONST))
        return false;
    const char *name = slip_text(p, p->before.at), *word = first == TOK_LET ? "let" : "const";
    size_t left, k = 0;
    const char *text = slip_from(p, p->now.at.end, &left);
    while (k < left && !strchr("=;\n", text[k])) ++k;
    diag_error(p->s, p->now.at, "a '%s' has no type: '%s %s = ..;'", word, word, name);
    if (k < left && text[k] == '=')
        diag_fixit(p->s,
                   (struct range){p->now.at.file, p->before.at.end, p->now.at.end + (uint32_t)k},
                   " ");
    return true;
}

// "fill(s, 0);"
static bool fill_call(struct parser *p, const int *set, int n) {
    if (p->first.token != TOK_FILL || p->before.token != ')' || !slip_has(set, n, '='))
        return false;
    struct range all = p->first.at;
    const char *inside = slip_brackets(p, &all), *part[2];
    if (!inside || all.end != p->before.at.end || foreign_parts(p->s, inside, part, 2) != 2)
        return false;
    const char *ours = arena_printf(&p->s->arena, "fill %s = %s", part[0], part[1]);
    diag_error(p->s, p->first.at, "a fill is not a call; write '%s'", ours);
    diag_fixit(p->s, all, ours);
    return true;
}

// "in 1-100": the two numbers after the last 'in' before p->now.
static bool dashed(struct parser *p, int *lo, int *hi, struct range *at) {
    const char *line = slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin}),
               *in = NULL;
    for (const char *next = line; (next = strstr(next, " in ")); ++next) in = next;
    int from = 0, to = 0, end = 0;
    if (!in || sscanf(in, " in %9d%n - %9d%n", lo, &from, hi, &to) != 2 || to == 0) return false;
    end = to + (int)strspn(in + to, " ");
    if (in[end]) return false;
    uint32_t begin = p->first.at.begin + (uint32_t)(in - line);
    *at = (struct range){p->file, begin + (uint32_t)from, begin + (uint32_t)to};
    return true;
}

// "param M : 1 .. 100;", "param M : index 1 .. 100;", "param M : 4;"
static bool bare_number(struct parser *p) {
    bool index = p->before.token == TOK_INDEX;
    if (p->now.token != TOK_INT || (!index && p->before.token != ':')) return false;
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    while (left > 0 && *text == ' ') ++text, --left;
    if (left < 2 || strncmp(text, "..", 2) != 0) {
        const char *number = slip_text(p, p->now.at);
        diag_error(p->s, p->now.at,
                   "a multiple of %s is 'index %% %s'; a number known when compiling is "
                   "'const NAME = %s;'",
                   number, number, number);
        return true;
    }
    diag_error(p->s, slip_before(p->now.at), "the range of a param comes after '%s'",
               index ? "in" : "index in");
    diag_fixit(p->s, slip_before(p->now.at), index ? "in " : "index in ");
    return true;
}

// "param M;", "param M = 128;", "param M : index >= 1;", "param M : index in 1-100;"
static bool param_slip(struct parser *p, const int *set, int n) {
    if (p->first.token != TOK_PARAM) return false;
    int now = p->now.token, last = p->before.token;
    const char *name = slip_text(p, p->before.at);
    if (now == ';' && last == TOK_ID && slip_has(set, n, ':')) {
        diag_error(p->s, slip_before(p->now.at), "a param is an index: 'param %s : index;'", name);
        diag_fixit(p->s, slip_before(p->now.at), " : index");
        return true;
    }
    if (bare_number(p)) return true;
    if (now == '=' && last == TOK_ID && slip_has(set, n, ':')) {
        diag_error(p->s, p->now.at,
                   "a param gets its value when the kernel is started: 'param %s : index;'; a "
                   "number known when compiling is 'const %s = ..;'",
                   name, name);
        return true;
    }
    bool relation = now == TOK_GE || now == TOK_LE || now == '<' || now == '>' || now == TOK_EQ;
    if (relation && last == TOK_INDEX) {
        char of_param[64], colon[2];
        const char *line =
            slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin});
        bool one = sscanf(line, "param %63[A-Za-z0-9_] %1[:]", of_param, colon) == 2;
        const char *text = slip_text(p, p->now.at);
        diag_error(p->s, p->now.at, "a relation comes after 'where': 'index where %s %s ..'",
                   one ? of_param : "M", text);
        if (one)
            diag_fixit(p->s, slip_before(p->now.at),
                       arena_printf(&p->s->arena, "where %s ", of_param));
        return true;
    }
    struct range at;
    int lo, hi;
    if (slip_has(set, n, TOK_DOTDOT) && dashed(p, &lo, &hi, &at)) {
        diag_error(p->s, at, "a range is '%d .. %d'", lo, hi);
        diag_fixit(p->s, at, arena_printf(&p->s->arena, " .. %d", hi));
        return true;
    }
    return false;
}

// -- lists and marks ------------------------------------------------------------------------------

// "grid (1), threads 128", "k(A, output B)"
static bool list_slip(struct parser *p, const int *set, int n) {
    static const char *const written[] = {"output", "write",   "writeonly", "mutable",
                                          "mut",    "outputs", "wo",        NULL};
    if (!slip_function(p->first.token)) return false;
    if (p->now.token == ',' && p->nopen == 0 &&
        (slip_has(set, n, TOK_THREADS) || slip_has(set, n, TOK_GRID))) {
        diag_error(p->s, p->now.at, "'grid' and 'threads' have no ',' between them");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    const char *last = slip_text(p, p->before.at);
    if (p->now.token != TOK_ID || p->before.token != TOK_ID || p->nopen == 0 || !of(written, last))
        return false;
    diag_error(p->s, p->before.at, "an output comes after 'out': 'out %s'",
               slip_text(p, p->now.at));
    diag_fixit(p->s, p->before.at, "out");
    return true;
}

// "0 ... 32", "copy *A -> B", "thr=(16,8);(8,1)", "swizzle;"
static bool small_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    if (now == '.' && last == TOK_DOTDOT && p->before.at.end == p->now.at.begin) {
        diag_error(p->s, p->now.at, "a range has two dots: '0 .. 32', the end not included");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    if (now == '*' && slip_one_of(last, TOK_COPY, TOK_ARROW)) {
        diag_error(p->s, p->now.at, "write a tensor without '*'");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    if (now == ';' && last == ')' && p->unclosed.token && slip_follows(p, p->now.at.end, '(')) {
        diag_error(p->s, p->now.at, "write ':' between a shape and its stride");
        diag_fixit(p->s, p->now.at, ":");
        skip_statement(p);
        return true;
    }
    if (last == TOK_SWIZZLE && now == ';' && p->first.token == TOK_SHARED &&
        slip_has(set, n, TOK_ID)) {
        diag_error(p->s, slip_before(p->now.at), "'swizzle auto' lets tcpc choose a swizzle");
        diag_fixit(p->s, slip_before(p->now.at), " auto");
        return true;
    }
    return false;
}

bool slip_forms(struct parser *p, const int *set, int n) {
    return space_first(p, set, n) || tensor_slip(p, set, n) || typed_value(p, set, n) ||
           fill_call(p, set, n) || param_slip(p, set, n) || list_slip(p, set, n) ||
           small_slip(p, set, n);
}

// -- statements that begin with a word of another language ----------------------------------------

static bool declared_tensor(const struct parser *p, const char *name) {
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        if (decl[i]->kind == D_TENSOR && strcmp(decl[i]->name.name, name) == 0) return true;
    return false;
}

bool slip_written(struct parser *p, const char *text) {
    size_t left, k = 0;
    const char *next = slip_from(p, p->now.at.end, &left);
    int parts;
    bool vector = p->now.token == TOK_ID && foreign_vector(text, &parts);
    if (vector && slip_follows(p, p->now.at.end, '=')) {  // "float4 v = s[tid];"
        const char *name = slip_text(p, p->now.at);
        diag_error(
            p->s, p->before.at,
            "what a thread holds is a fragment: 'frag %s : %s like tc; copy A -> %s with tc;'",
            name, foreign_vector(text, &parts), name);
        skip_statement(p);
        return true;
    }
    bool type = foreign_type(text) || strcmp(text, "bool") == 0;
    if (p->now.token == TOK_ID && type) {  // "int i = 0;", "float r[8];"
        const char *name = slip_text(p, p->now.at);
        if (slip_follows(p, p->now.at.end, '=')) {
            diag_error(p->s, p->before.at, "a 'let' has no type: 'let %s = ..;'", name);
            diag_fixit(p->s, p->before.at, "let");
            return true;
        }
        if (!slip_follows(p, p->now.at.end, '[')) return false;
        diag_error(
            p->s, p->before.at,
            "registers of a thread are 'frag %s : %s (8);', shared memory is 'shared %s : %s "
            "(8);'",
            name, foreign_type(text), name, foreign_type(text));
        skip_statement(p);
        return true;
    }
    if (p->now.token == '=' && declared_tensor(p, text)) {  // "B = A;"
        while (k < left && !strchr(";\n", next[k])) ++k;
        while (k > 0 && next[0] == ' ') ++next, --k;
        if (k > 0 && strspn(next, "-.0123456789f") >= k) {
            diag_error(p->s, p->now.at,
                       "'fill s = %.*s;' writes a number to shared memory or a fragment; '%s' is "
                       "written by a copy",
                       (int)k, next, text);
            return true;
        }
        diag_error(p->s, p->now.at, "a tensor is written by a copy: 'copy %s -> %s with ..;'",
                   k > 0 && k < 60 ? arena_strndup(&p->s->arena, next, k) : "A", text);
        return true;
    }
    struct range all = p->before.at;
    if (p->now.token == '(' && slip_brackets(p, &all) && slip_follows(p, all.end, '=')) {
        diag_error(p->s, all,  // "B(tid,0) = A(tid,0);"
                   "elements are written by a copy: 'copy SOURCE -> %s with TILED_COPY;'",
                   slip_text(p, all));
        skip_statement(p);
        return true;
    }
    return false;
}

bool slip_array(struct parser *p, const char *text) {
    size_t left, k = 0, length = 0;
    const char *next = slip_from(p, p->now.at.end, &left), *type = foreign_type(text);
    if (!type && slip_type(text)) type = text;
    while (k < left && next[k] == ' ') ++k;
    while (k + length < left &&
           (isalnum((unsigned char)next[k + length]) || next[k + length] == '_'))
        ++length;
    if (!type || k == 0 || length == 0 ||
        !slip_follows(p, p->now.at.end + (uint32_t)(k + length), '['))
        return false;
    diag_error(p->s, p->now.at, "a tensor is declared: 'tensor %.*s : %s global row(64,64);'",
               (int)length, next + k, type);
    skip_statement(p);
    return true;
}
