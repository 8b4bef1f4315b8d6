// Template calls and objects of C++ that this language writes as calls, and other spellings of a
// swizzle: "select<1,0>(s)", "cosize_v<L>", "Underscore{}", "SW<3,3,3>", "make_swizzle(3,3,3)"; slices
// in square brackets.
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "syntax/foreign.h"
#include "syntax/slips.h"

// Reports all of "at", in place of which "ours" is written here, and skips it.
static bool replaced(struct parser *p, struct range at, const char *ours) {
    bool plain = strstr(slip_text(p, at), "_cast<") || strstr(slip_text(p, at), "decltype(");
    diag_error(p->s, at, "'%s' is C++%s; here it is '%s'", slip_text(p, at),
               plain ? "" : " of CuTe", ours);
    diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
    return true;
}

// -- swizzles -------------------------------------------------------------------------------------

static bool three_numbers(const char *inside) {
    int commas = 0;
    for (const char *c = inside; *c; ++c) {
        if (!isdigit((unsigned char)*c) && !strchr(" ,-", *c)) return false;
        commas += *c == ',';
    }
    return commas == 2;
}

// "sw<3,3,3>", "S<3,3,3>", "Swizzle(3,3,3)", "cute.make_swizzle(3,3,3)"
static bool swizzle_spelt(struct parser *p, struct range at) {
    static const char *const angled[] = {"sw", "SW", "sW", "S", NULL}, *const called[] = {
                                                                           "Swizzle",
                                                                           "make_swizzle", NULL};
    const char *name = slip_text(p, at);
    size_t left;
    const char *text = slip_from(p, at.end, &left);
    if (foreign_module(name) && left > 13 && memcmp(text, ".make_swizzle", 13) == 0) {
        at.end += 13;
        name = "make_swizzle";
        text += 13;
        left -= 13;
    }
    const char *const *all = left && *text == '<' ? angled : called;
    if (all == called && p->start == TOK_START_EXPR)
        return false;  // the command reads CuTe's notation
    while (*all && strcmp(*all, name) != 0) ++all;
    size_t length;
    const char *inside =
        *all && left && strchr("<(", *text) ? foreign_brackets(p->s, text, left, &length) : NULL;
    if (!inside || !three_numbers(inside)) return false;
    const char *ours = arena_printf(&p->s->arena, "Sw<%s>", inside);
    bool small = strcmp(name, "sw") == 0;
    at.end += (uint32_t)length;
    diag_error(p->s, at,
               small ? "a swizzle is 'Sw', with a capital: '%s'" : "a swizzle is written '%s'",
               ours);
    diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
    return true;
}

bool slip_capital_o(struct parser *p) {
    if (p->now.token != TOK_ID || strcmp(slip_text(p, p->now.at), "O") != 0) return false;
    size_t left, n = 0;
    const char *text = slip_from(p, p->now.at.end, &left);
    diag_error(p->s, p->now.at, "the composition operator is a small letter: 'o'");
    diag_fixit(p->s, p->now.at, "o");
    for (; n < left && !strchr(";\n", text[n]); ++n) {
        uint32_t at = p->now.at.end + (uint32_t)n;
        if (n > 0 && n + 1 < left && memcmp(text + n - 1, " O ", 3) == 0)
            diag_fixit(p->s, (struct range){p->file, at, at + 1}, "o");
    }
    p->skip_end = p->now.at.end + (uint32_t)n;
    return true;
}

// -- templates ------------------------------------------------------------------------------------

// Whether the text in angle brackets can be template arguments and nothing else: two relations do
// not follow each other, but of "(M<64, N>(3))" each is one.
static bool only_template(struct parser *p, const char *inside) {
    return !strpbrk(inside, "\n=&|") && (!strchr(inside, ',') || p->now.token == '=');
}

bool slip_template(struct parser *p, struct range at) {
    if (swizzle_spelt(p, at)) return true;
    bool statement = slip_one_of(p->now.token, ';', '{') || p->now.token == '}';
    if (statement || p->start == TOK_START_EXPR) return false;
    size_t left, n, length = 0;
    const char *name = slip_text(p, at), *text = slip_from(p, at.end, &left);
    const char *inside = left && *text == '<' ? foreign_brackets(p->s, text, left, &n) : NULL;
    if (!inside || !*inside || strchr(" =<", text[1])) return false;
    if (slip_rows(p, at.begin, NULL, 0, slip_at_template, slip_n_template)) return true;
    struct range whole = {at.file, at.begin, at.end + (uint32_t)n};
    const char *of = text[n] == '(' ? foreign_brackets(p->s, text + n, left - n, &length) : NULL;
    bool ends = of || strchr(";,){", text[n]);
    bool bytes = (strcmp(name, "cg") == 0 || strcmp(name, "ca") == 0) && p->now.token == '.';
    if (bytes && strspn(inside, "0123456789") == strlen(inside)) {
        diag_error(p->s, whole, "the width of an atom goes in parentheses: 'cp_async.%s(%s)'", name,
                   inside);
        diag_fixit(p->s, whole, arena_printf(&p->s->arena, "%s(%s)", name, inside));
        p->skip_end = whole.end;
        return false;  // the word stays a part of the atom's name
    }
    if (of) whole.end += (uint32_t)length;
    if (!only_template(p, inside)) return false;
    bool object = left > n + length + 1 && memcmp(text + n + length, "{}", 2) == 0;
    if (object) whole.end += 2;
    if (!ends || p->first.token == TOK_PARAM || slip_function(p->first.token)) return false;
    if (strcmp(name, "UniversalCopy") == 0)
        diag_error(p->s, whole,
                   "'%s' is C++ of CuTe; here an atom has its width in bits: 'universal(128)'",
                   slip_text(p, whole));
    else if (strcmp(name, "recast") == 0)
        diag_error(p->s, whole,
                   "'%s' is C++ of CuTe; here 'recast(L, FROM, %s)' has both types, and gives a "
                   "layout",
                   slip_text(p, whole), foreign_type(inside) ? foreign_type(inside) : "TO");
    else if (object)
        diag_error(p->s, whole, "'%s' is C++, and nothing is called '%s' here", slip_text(p, whole),
                   name);
    else
        diag_error(p->s, whole,
                   "nothing has arguments in '<' and '>' here; they go in parentheses: '%s(%s%s)'",
                   name, of && *of ? arena_printf(&p->s->arena, "%s, ", of) : "", inside);
    p->skip_end = whole.end;
    return true;
}

// -- objects --------------------------------------------------------------------------------------

// Whether the declaration or statement at hand has a value, and no block that "{}" may be.
static bool has_value(const struct parser *p) {
    static const short with[] = {TOK_LAYOUT, TOK_ATOM,      TOK_TILED_COPY, TOK_TENSOR,
                                 TOK_CONST,  TOK_TILED_MMA, TOK_LET,        TOK_SHARED,
                                 TOK_FRAG,   TOK_COPY,      TOK_FILL,       TOK_EXPECT};
    for (size_t i = 0; i < sizeof with / sizeof *with; ++i)
        if (p->first.token == with[i]) return true;
    return false;
}

bool slip_object(struct parser *p, struct range at) {
    size_t left, length = 0;
    const char *name = slip_text(p, at), *text = slip_from(p, at.end, &left);
    if (!has_value(p)) return false;
    const char *of = strcmp(name, "decltype") == 0 && left && *text == '('
                         ? foreign_brackets(p->s, text, left, &length)
                         : NULL;
    bool braces = left - length > 1 && memcmp(text + length, "{}", 2) == 0;
    at.end += (uint32_t)length + (braces ? 2 : 0);
    if (of && *of) return replaced(p, at, of);
    if (!braces || length > 0) return false;
    bool stays = strcmp(name, "_") == 0 || strcmp(name, "Underscore") == 0;
    if (stays) return replaced(p, at, "_");
    diag_error(p->s, at, "nothing is constructed by '{}' here; write '%s'", name);
    diag_fixit(p->s, at, name);
    p->skip_end = at.end;
    return true;
}

// -- square brackets -------------------------------------------------------------------------------

// Reports the bracket at "at".
static void square(struct parser *p, struct range at, const char *help, const char *ours) {
    diag_error(p->s, at, "'[' is not part of the language; %s", help);
    if (ours) diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
}

// "A[0:32, :]"
bool slip_slice(struct parser *p, struct range at) {
    at.end = at.begin;
    const char *inside = slip_brackets(p, &at);
    const char *part[8];
    int n = inside ? foreign_parts(p->s, inside, part, 8) : 0;
    if (!inside || !strchr(inside, ':') || strpbrk(inside, "\n;[")) return false;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        const char *colon = strchr(part[i], ':');
        if (i) buf_printf(&b, ", ");
        if (!colon) {
            buf_printf(&b, "%s", part[i]);
        } else if (strchr(colon + 1, ':')) {
            square(p, at, "a part is 'A(0 .. 32, _)', without a step", NULL);
            buf_release(&b);
            return true;
        } else if (!part[i][1]) {
            buf_printf(&b, "_");
        } else {
            size_t to = (size_t)(colon - part[i]);
            const char *high = colon + 1 + strspn(colon + 1, " ");
            while (to > 0 && part[i][to - 1] == ' ') --to;
            if (!*high || strchr(part[i], '(')) n = 0;  // no extent; a colon of another kind
            buf_printf(&b, "%.*s .. %s", to ? (int)to : 1, to ? part[i] : "0", high);
        }
    }
    const char *ours = arena_printf(&p->s->arena, "(%s)", buf_finish(&b, &p->s->arena));
    square(p, at, "a part is 'A(0 .. 32, _)'", n > 0 ? ours : NULL);
    return true;
}

// "cute.arch.block_idx()[0]", "threadIdx()[0]"
bool slip_index(struct parser *p, struct range at) {
    static const char *const axis[] = {"block.x", "block.y", "block.z"};
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t end = at.begin, from;
    at.end = at.begin;
    const char *inside = slip_brackets(p, &at);
    if (!inside || p->now.token != ')' || end < 12 || memcmp(f->text + end - 2, "()", 2) != 0)
        return false;
    for (from = end - 2; from > 0 && (isalnum((unsigned char)f->text[from - 1]) ||
                                      strchr("_.", f->text[from - 1]));)
        --from;
    const char *call = slip_text(p, (struct range){at.file, from, end - 2});
    const char *dot = strrchr(call, '.'), *name = dot ? dot + 1 : call;
    bool block = strcmp(name, "block_idx") == 0, thread = strcmp(name, "thread_idx") == 0;
    if ((!block && !thread) || strlen(inside) != 1 || !strchr(block ? "012" : "0", *inside))
        return false;
    const char *ours = thread ? "tid" : axis[*inside - '0'];
    at.begin = from;
    square(p, at, arena_printf(&p->s->arena, "this is '%s'", ours), ours);
    return true;
}
