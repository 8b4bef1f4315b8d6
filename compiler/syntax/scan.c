// The actions of the scanner's rules: words, numbers, strings, comments, and characters that are no
// token.
#include "syntax/scan.h"

#include <errno.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/slips.h"

void *scan_memory(void *old, size_t bytes) {
    return memory_again(old, bytes);
}

static const struct {
    char word[12];
    short token;
} keywords[] = {
    // sorted by word
    {"Sw", TOK_SW},
    {"_", '_'},
    {"align", TOK_ALIGN},
    {"allow", TOK_ALLOW},
    {"arch", TOK_ARCH},
    {"arrive", TOK_ARRIVE},
    {"async", TOK_ASYNC},
    {"atom", TOK_ATOM},
    {"barrier", TOK_BARRIER},
    {"by", TOK_BY},
    {"call", TOK_CALL},
    {"commit", TOK_COMMIT},
    {"const", TOK_CONST},
    {"copy", TOK_COPY},
    {"device", TOK_DEVICE},
    {"expect", TOK_EXPECT},
    {"extern", TOK_EXTERN},
    {"fence", TOK_FENCE},
    {"fill", TOK_FILL},
    {"for", TOK_FOR},
    {"frag", TOK_FRAG},
    {"from", TOK_FROM},
    {"global", TOK_GLOBAL},
    {"grid", TOK_GRID},
    {"import", TOK_IMPORT},
    {"in", TOK_IN},
    {"index", TOK_INDEX},
    {"inout", TOK_INOUT},
    {"kernel", TOK_KERNEL},
    {"layout", TOK_LAYOUT},
    {"let", TOK_LET},
    {"like", TOK_LIKE},
    {"load", TOK_LOAD},
    {"manual", TOK_MANUAL},
    {"mesh", TOK_MESH},
    {"o", TOK_O},
    {"of", TOK_OF},
    {"out", TOK_OUT},
    {"over", TOK_OVER},
    {"pad", TOK_PAD},
    {"param", TOK_PARAM},
    {"pipeline", TOK_PIPELINE},
    {"readonly", TOK_READONLY},
    {"roles", TOK_ROLES},
    {"shared", TOK_SHARED},
    {"stages", TOK_STAGES},
    {"swizzle", TOK_SWIZZLE},
    {"sync", TOK_SYNC},
    {"tcp", TOK_TCP},
    {"tensor", TOK_TENSOR},
    {"threads", TOK_THREADS},
    {"tiled_copy", TOK_TILED_COPY},
    {"tiled_mma", TOK_TILED_MMA},
    {"use", TOK_USE},
    {"wait", TOK_WAIT},
    {"warps", TOK_WARPS},
    {"when", TOK_WHEN},
    {"where", TOK_WHERE},
    {"with", TOK_WITH},
};

enum { NKEYWORDS = sizeof keywords / sizeof *keywords };

int scan_word(const char *word) {
    int lo = 0, hi = NKEYWORDS;
    while (lo < hi) {
        int mid = (lo + hi) / 2, c = strcmp(word, keywords[mid].word);
        if (c == 0) return keywords[mid].token;
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return TOK_ID;
}

const char *expected_word(int token) {
    for (int i = 0; i < NKEYWORDS; i++)
        if (keywords[i].token == token && token > 255) return keywords[i].word;
    return NULL;
}

struct number scan_int(struct parser *p, struct range at, const char *text, size_t len) {
    struct number n = {.text = intern_n(p->s, text, len), .at = at};
    bool hex = len > 1 && (text[1] == 'x' || text[1] == 'X');
    if (!hex && len > 1 && text[0] == '0' && strspn(n.text, "0") < len) {
        diag_error(p->s, at, "'%s' starts with 0, which would be octal in C", n.text);
        diag_fixit(p->s, at, n.text + strspn(n.text, "0"));
    }
    errno = 0;
    n.value = strtoll(n.text, NULL, hex ? 16 : 10);
    if (errno) {
        diag_error(p->s, at, "'%s' is more than the largest integer, 9223372036854775807", n.text);
        n.value = 1;
    }
    return n;
}

struct number scan_float(struct parser *p, struct range at, const char *text, size_t len) {
    struct number n = {.text = intern_n(p->s, text, len), .at = at};
    n.real = strtod(n.text, NULL);
    if (n.real > 1.7976931348623157e308) {
        diag_error(p->s, at, "'%s' is more than the largest number, about 1.8e308", n.text);
        n.real = 0;
    }
    return n;
}

struct number scan_bad_number(struct parser *p, struct range at, const char *text, size_t len) {
    const char *word = intern_n(p->s, text, len);
    size_t digits = strspn(word, "0123456789._'");
    struct number none = {.value = 1, .text = intern(p->s, "1"), .at = at};
    if (at.begin < p->skip_end) return none;
    if (p->now.token == TOK_SWIZZLE) {
        diag_error(p->s, at,
                   "'swizzle auto' chooses one; write your own as 'Sw<3,3,3> o 0 o LAYOUT'");
        diag_fixit(p->s, at, "auto");
        p->refused = at;
        return none;
    }
    diag_error(p->s, at, "'%s' is neither a number nor a name", word);
    p->refused = at;
    char plain[32];
    size_t n = 0;
    for (const char *c = word; *c && n + 1 < sizeof plain; c++)
        if (*c != '_' && *c != '\'') plain[n++] = *c;
    plain[n] = '\0';
    if (strpbrk(word, "_'") && digits == len && !strchr(word, '.') && len < sizeof plain) {
        diag_note(p->s, at, "write digits without separators");
        diag_fixit(p->s, at, plain);
    } else if (digits + strspn(word + digits, "fFuUlL") == len && digits > 0 &&
               len < sizeof plain) {
        diag_note(p->s, at, "numbers have no suffix");
        plain[n - (len - digits)] = '\0';
        diag_fixit(p->s, at, plain);
    } else if (strncmp(word, "0b", 2) == 0 && len < 32 &&
               word[2 + strspn(word + 2, "01")] == '\0') {
        const char *ours = arena_printf(&p->s->arena, "%lld", strtoll(word + 2, NULL, 2));
        diag_note(p->s, at, "write binary numbers as decimal or hexadecimal ones");
        diag_fixit(p->s, at, ours);
    }
    return none;
}

const char *scan_string(struct parser *p, struct range at, const char *text, size_t len) {
    char *out = arena_alloc(&p->s->arena, len + 1);
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (((unsigned char)c < 0x20 && c != '\t') || c == 0x7f) {
            diag_error(p->s, at, "a string cannot hold control byte 0x%02x", (unsigned)c);
            return "";
        }
        if (c == '\\') {
            struct range esc = {at.file, at.begin + 1 + (uint32_t)i, at.begin + 3 + (uint32_t)i};
            c = text[++i];
            if (c != '"' && c != '\\') {
                diag_error(p->s, esc,
                           "a backslash in a string is only allowed before '\"' or '\\'");
                return "";
            }
        }
        out[n++] = c;
    }
    return out;
}

const char *scan_open_string(struct parser *p, struct range at) {
    diag_error(p->s, at, "the string is not closed on its line");
    diag_fixit(p->s, (struct range){at.file, at.end, at.end}, "\"");
    return "";
}

void scan_comment(struct parser *p, struct range at, bool block) {
    struct list *l = &p->comments;
    if (l->n == l->cap) {
        int cap = l->cap ? 2 * l->cap : 16;
        struct ast_comment *items = ARENA_ARRAY(&p->s->arena, struct ast_comment, cap);
        if (l->n) memcpy(items, l->items, sizeof *items * (size_t)l->n);
        l->items = items;
        l->cap = cap;
    }
    const char *text = p->s->sources.file[p->file].text;
    while (!block && at.end > at.begin && text[at.end - 1] == '\r') at.end--;
    const char *zero = memchr(text + at.begin, '\0', at.end - at.begin);
    if (zero) {
        uint32_t place = (uint32_t)(zero - text);
        scan_stray_byte(p, (struct range){at.file, place, place + 1}, '\0');
    }
    ((struct ast_comment *)l->items)[l->n++] = (struct ast_comment){at, block};
}

void scan_open_comment(struct parser *p, struct range at) {
    diag_error(p->s, at, "the comment is not closed: no '*/' follows");
    p->stopped = true;
}

void scan_stray_byte(struct parser *p, struct range at, char byte) {
    unsigned char c = (unsigned char)byte;
    if (p->stray_end == at.begin && at.begin > 0) {
        p->stray_end = at.end;  // report a run of stray bytes once
        return;
    }
    p->stray_end = at.end;
    if (c >= 0x80)
        diag_error(p->s, at, "byte 0x%02x is not part of a UTF-8 character", c);
    else
        diag_error(p->s, at, "control byte 0x%02x is not part of the language", c);
}

// Characters that people, or word processors, put in place of others.
static const struct {
    char text[5];
    char meant[4];
    short token;  // 0: skip it; TOK_TCP_YYerror: the meaning is not clear
    char help[48];
} slips[] = {
    {"=>", "->", TOK_ARROW, ""},
    {"::", ".", '.', "names are joined by '.'"},
    {"&&", "", TOK_TCP_YYerror, "each condition has an 'expect' of its own"},
    {"||", "", TOK_TCP_YYerror, "a kernel has a case for each condition, 'when'"},
    {"!", "", TOK_TCP_YYerror, "'!=' compares"},
    {"?", "", TOK_TCP_YYerror, "a kernel has a case for each condition, 'when'"},
    {"~", "", TOK_TCP_YYerror, "there are '+', '-', '*', '/' and '%'"},
    {"'", "", TOK_TCP_YYerror, "strings go in double quotes"},
    {"\xC2\xA0", " ", 0, "this is a non-breaking space"},
    {"\xE2\x86\x92", "->", TOK_ARROW, ""},
    {"\xC3\x97", "*", '*', "a product is '*', a shape is '(4,8)'"},
    {"\xE2\x88\x98", "o", TOK_O, ""},
    {"\xE2\x88\x92", "-", '-', ""},
    {"\xE2\x80\x93", "-", '-', ""},
    {"\xE2\x80\x94", "-", '-', ""},
    {"\xE2\x89\xA4", "<=", TOK_LE, ""},
    {"\xE2\x89\xA5", ">=", TOK_GE, ""},
    {"\xE2\x89\xA0", "!=", TOK_NE, ""},
    {"\xE2\x80\xA6", "..", TOK_DOTDOT, ""},
    {"\xEF\xBC\x9B", ";", ';', ""},
    {"\xEF\xBC\x8C", ",", ',', ""},
    {"\xEF\xBC\x9A", ":", ':', ""},
    {"\xEF\xBC\x88", "(", '(', ""},
    {"\xEF\xBC\x89", ")", ')', ""},
    {"\xE2\x80\x9C", "\"", TOK_TCP_YYerror, "strings go in plain double quotes"},
    {"\xE2\x80\x9D", "\"", TOK_TCP_YYerror, "strings go in plain double quotes"},
};

// Handles "SM90_TMA_LOAD{}", which has no equivalent in this language.
static bool foreign_object(struct parser *p, struct range at) {
    const struct source *f = &p->s->sources.file[p->file];
    const char *name = arena_strndup(&p->s->arena, f->text + at.begin, at.end - at.begin);
    bool braces = f->size - at.end > 1 && memcmp(f->text + at.end, "{}", 2) == 0;
    const struct foreign *w = braces ? foreign_find(FOREIGN_VALUE, name) : NULL;
    if (!w) return false;
    at.end += 2;
    if (w->help)
        diag_error(p->s, at, "'%s{}' is C++ of CuTe; %s", name, w->help);
    else
        diag_error(p->s, at, "'%s{}' is C++ of CuTe; here it is '%s'", name, w->ours);
    if (!w->help && !strchr(w->ours, '%')) diag_fixit(p->s, at, w->ours);
    p->skip_end = at.end;
    return true;
}

bool scan_foreign(struct parser *p, struct range at) {
    const struct source *f = &p->s->sources.file[p->file];
    bool angle = at.end < f->size && f->text[at.end] == '<';  // most words have none
    if (angle && slip_rows(p, at.begin, NULL, 0, slip_at_angle)) return true;
    size_t length;
    bool made = p->cpp && at.end - at.begin > 5 && memcmp(f->text + at.begin, "make_", 5) == 0;
    const char *ours =
        foreign_expression(p->s, f->text + at.begin, f->size - at.begin, made, &length);
    if (ours && made) {  // both languages write it alike
        const char *text = arena_strndup(&p->s->arena, f->text + at.begin, length);
        bool other = strstr(text, "make_shape(") || strstr(text, "make_stride(") ||
                     strstr(text, "make_coord(") || memchr(text, '<', length);
        if (!other) return false;
    }
    if (!ours) return foreign_object(p, at) || slip_word(p, at);
    p->cpp = true;
    at.end = at.begin + (uint32_t)length;
    diag_error(p->s, at, "'%.*s' is C++ of CuTe; here it is '%s'", (int)length, f->text + at.begin,
               ours);
    diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
    return true;
}

// The equivalent of "#define N 4" or "#include "a.tcp"" in this language; NULL: none is known.
static const char *without_preprocessor(struct parser *p, const char *text) {
    char name[64], value[64], more[4];
    if (sscanf(text, "#define %63[A-Za-z0-9_] %63[A-Za-z0-9_] %3s", name, value, more) == 2)
        return arena_printf(&p->s->arena, "const %s = %s;", name, value);
    if (sscanf(text, "#include \"%63[^\"<> ]\" %3s", name, more) == 1)
        return arena_printf(&p->s->arena, "import \"%s\";", name);
    return NULL;
}

static bool directive(const char *text) {
    static const char words[][8] = {"define", "include", "if",    "ifdef",  "ifndef", "undef",
                                    "pragma", "else",    "endif", "import", "elif",   "error"};
    char word[16];
    if (sscanf(text, "# %15[a-z]", word) != 1) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

// Handles "A[0, 1]": reports both brackets at once when they are in one line.
static int square_bracket(struct parser *p, struct range at, char bracket) {
    static const char why[] = "'%c' is not part of the language; %s";
    const struct source *f = &p->s->sources.file[p->file];
    int token = bracket == '[' ? '(' : ')', depth = 1, first = p->first.token;
    if (bracket == ']' && p->paired == at.begin && at.begin > 0) return token;
    bool shape = first == TOK_TENSOR || first == TOK_SHARED || first == TOK_FRAG;
    if (bracket == '[') {
        if (slip_rows(p, at.begin, NULL, 0, slip_at_attribute)) return 0;
        if (slip_rows(p, at.begin, NULL, 0, slip_at_square) || slip_slice(p, at) ||
            slip_rows(p, at.begin, NULL, 0, slip_at_brackets))
            return TOK_TCP_YYerror;
    }
    diag_error(p->s, at, why, bracket,
               shape ? "shapes go in parentheses; the first mode of '(4,8)' is contiguous, the "
                       "last one of 'row(4,8)'"
                     : "coordinates go in parentheses");
    diag_fixit(p->s, at, bracket == '[' ? "(" : ")");
    if (bracket == ']') return token;
    uint32_t i = at.end;
    for (; i < f->size && f->text[i] != '\n' && f->text[i] != ';' && depth > 0; i++) {
        depth += f->text[i] == '[';
        depth -= f->text[i] == ']';
    }
    if (depth > 0 || p->paired > at.begin) return token;  // a nested pair, or no pair
    p->paired = i - 1;
    diag_fixit(p->s, (struct range){at.file, i - 1, i}, ")");
    return token;
}

int scan_slip(struct parser *p, struct range at, const char *text) {
    if (at.begin < p->skip_end) return 0;
    if (strcmp(text, "\xEF\xBB\xBF") == 0 && at.begin == 0) return 0;  // byte order mark
    if (text[0] == '[' || text[0] == ']') return square_bracket(p, at, text[0]);
    bool quote = text[0] == '\'' || strncmp(text, "\xE2\x80", 2) == 0;
    if (quote && slip_rows(p, at.begin, NULL, 0, slip_at_quote))
        return text[0] == '\'' ? TOK_TCP_YYerror : 0;
    if (text[0] == '^') {
        int token = scan_power(p, TOK_TCP_YYerror, at);
        if (token == '*') return token;
    }
    bool operand = p->now.token == TOK_INT || p->now.token == TOK_ID || p->now.token == ')';
    if (strcmp(text, "&") == 0 && operand) {
        slip_rows(p, at.begin, NULL, 0, slip_at_bits);
        return at.begin < p->skip_end ? 0 : '%';
    }
    if (text[0] == '#' && !directive(text)) {
        diag_error(p->s, at, "a comment begins with '//'");
        diag_fixit(p->s, (struct range){at.file, at.begin, at.begin + 1}, "//");
        return 0;
    }
    if (strncmp(text, "#pragma unroll", 14) == 0) {
        diag_error(p->s, at, "nvcc unrolls loops; write only the loop");
        diag_fixit(p->s, at, "");
        return 0;
    }
    if (text[0] == '#') {
        diag_error(
            p->s, at,
            "there is no preprocessor; 'const' declares a constant, 'import' includes a file");
        const char *ours = without_preprocessor(p, text);
        if (ours) diag_fixit(p->s, at, ours);
        return 0;
    }
    bool when = slip_function(p->first.token) &&
                strstr(slip_text(p, (struct range){at.file, p->first.at.begin, at.begin}), " when");
    if (strcmp(text, "&&") == 0 && when) {
        diag_error(p->s, at, "several conditions are a list: 'when (M %% 8 == 0, N %% 8 == 0)'");
        return TOK_TCP_YYerror;
    }
    if (strcmp(text, "&&") == 0 && p->first.token == TOK_PARAM) {
        diag_error(p->s, at,
                   "a param has one condition after 'where'; its least and greatest values come "
                   "before it: 'index in LEAST .. GREATEST where ..'");
        return TOK_TCP_YYerror;
    }
    // slip_qualified handles it
    if (strcmp(text, "::") == 0 && slip_begins_statement(p)) return '.';
    if (strcmp(text, "::") == 0 && slip_rows(p, at.begin, NULL, 0, slip_at_scope))
        return at.begin < p->skip_end ? 0 : '.';
    if (strcmp(text, "=>") == 0 && slip_one_of(p->first.token, TOK_PARAM, TOK_EXPECT)) {
        diag_error(p->s, at, "'=>' is not part of the language; 'at least' is '>='");
        diag_fixit(p->s, at, ">=");
        return TOK_GE;
    }
    if (strcmp(text, "=>") == 0 && p->first.token == TOK_COPY) {
        diag_error(p->s, at, "'=>' is not part of the language; the arrow of a copy is '->'");
        diag_fixit(p->s, at, "->");
        return TOK_ARROW;
    }
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        if (strcmp(text, slips[i].text) != 0) continue;
        diag_error(p->s, at, "'%s' is not part of the language%s%s", text,
                   slips[i].help[0] ? "; " : "", slips[i].help);
        bool extents = slips[i].token == '*' && p->nopen;  // or a ',' is meant
        if (slips[i].meant[0] && !extents) diag_fixit(p->s, at, slips[i].meant);
        return slips[i].token;
    }
    bool ascii = (unsigned char)text[0] < 0x80;
    diag_error(p->s, at,
               ascii ? "'%s' is not part of the language"
                     : "'%s' cannot be used here; names are made of ASCII letters, digits and '_'",
               text);
    return TOK_TCP_YYerror;
}
