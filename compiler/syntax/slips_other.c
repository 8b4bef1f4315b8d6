// Slips that need more than a pattern (see slips.h): arithmetic, comments, and statements of other languages.
#include "syntax/slips.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/words.h"
#include "syntax/foreign.h"
#include "syntax/match.h"

// -- parts ----------------------------------------------------------------------------------------

const char *slip_from(const struct parser *p, uint32_t at) {
    return p->s->sources.file[p->file].text + at;
}

const char *slip_brackets(struct parser *p, struct range *at) {
    const struct source *f = &p->s->sources.file[p->file];
    size_t length;
    const char *inside = foreign_brackets(p->s, f->text + at->end, f->size - at->end, &length);
    if (inside) at->end += (uint32_t)length;
    return inside;
}

struct range slip_after(struct range at) {
    return (struct range){at.file, at.end, at.end};
}

const char *slip_text(struct parser *p, struct range at) {
    return arena_strndup(&p->s->arena, p->s->sources.file[p->file].text + at.begin,
                         at.end - at.begin);
}

bool slip_function(int token) {
    return token == TOK_KERNEL || token == TOK_DEVICE || token == TOK_MANUAL ||
           token == TOK_ASYNC || token == TOK_EXTERN;
}

bool slip_type(const char *text) {
    return foreign_type(text) || strcmp(text, "f16") == 0 || strcmp(text, "f32") == 0 ||
           strcmp(text, "index") == 0;
}

// -- at a syntax error ----------------------------------------------------------------------------

// Reports the '//' that follows p->before.
static bool divides(struct parser *p) {
    const char *text = slip_from(p, p->before.at.end);
    uint32_t at = p->before.at.end + (uint32_t)strspn(text, " \t");
    struct range slashes = {p->file, at, at + 2};
    diag_error(p->s, slashes, "'//' begins a comment; '/' divides, and rounds down");
    diag_fixit(p->s, slashes, "/");
    return true;
}

static bool is_value(int token) {
    return token == TOK_INT || token == TOK_ID || token == ')';
}

bool slip_comment(struct parser *p) {
    const char *text = slip_from(p, p->before.at.end);
    bool value = is_value(p->before.token);
    text += strspn(text, " \t");
    size_t end = strcspn(text, "\n");
    while (end > 0 && strchr(" \t\r", text[end - 1])) --end;
    return value && end > 3 && strncmp(text, "//", 2) == 0 && text[end - 1] == ';' && divides(p);
}

// Whether the rest of the line closes more brackets than it opens.
static bool closes(const char *text) {
    int open = 0;
    for (; *text && *text != '\n' && open >= 0; ++text) open += (*text == '(') - (*text == ')');
    return open < 0;
}

bool slip_division(struct parser *p) {
    const char *text = slip_from(p, p->before.at.end);
    text += strspn(text, " \t");
    bool close = text == slip_from(p, p->before.at.end);
    bool inside = p->unclosed.token == '(' || (p->nopen && p->open[p->nopen - 1].token == '(');
    if (strncmp(text, "//", 2) != 0) return false;
    text += 2;
    bool by_number = close && is_value(p->before.token) && *text >= '0' && *text <= '9';
    if (!inside && !by_number) return false;
    if (!(close && word_char(*text)) && !(is_value(p->before.token) && closes(text))) return false;
    p->stopped = true;  // the rest of the line is missing
    return divides(p);
}

// Reports "row(64,64 align 16": a clause after a missing ')' in one line.
static bool unclosed(struct parser *p, const int *set, int n) {
    static const char clause[] = "<!(|, ^ align|stages|swizzle|pad|with|by|->|grid|threads";
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(' || !slip_has(set, n, ')')) return false;
    struct match m;
    match_begin(&m, p, p->now.at.begin);
    if (match_fits(&m, "^ WORD|-> ANY )") || !match_fits(&m, clause)) return false;
    struct range at = slip_after(p->before.at);
    diag_error(p->s, at, "expected ')' before '%s'", slip_text(p, p->now.at));
    diag_fixit(p->s, at, ")");
    diag_note(p->s, p->open[p->nopen - 1].at, "to close this '('");
    return true;
}

// Reports "uot B" in the list of a function.
static bool direction(struct parser *p, const int *set, int n) {
    static const char *const words[] = {"out", "inout", "readonly"};
    struct match m;
    match_begin(&m, p, p->now.at.begin);
    if (!slip_function(p->first.token) || p->nopen != 1 || p->before.token != TOK_ID ||
        !slip_has(set, n, ')') || !slip_has(set, n, ',') ||
        !match_fits(&m, "(|, NAME ^ NAME :|,|)"))
        return false;
    const char *text = slip_text(p, p->before.at), *near = diag_did_you_mean(text, words, 3);
    if (!near) return false;
    diag_error(p->s, p->before.at, "unknown word '%s' before '%s'; did you mean '%s'?", text,
               slip_text(p, p->now.at), near);
    diag_fixit(p->s, p->before.at, near);
    return true;
}

// The strides of a shape of the "n" extents "part", whose rows, or columns, are "apart" apart.
static const char *strides(struct parser *p, const char *const *part, int n, bool row,
                           const char *apart) {
    const char *out = "1", *stride = apart;
    for (int i = 1; i < n; ++i) {
        const char *extent = part[row ? n - 1 - i : i], *named = strchr(extent, '=');
        if (named) extent = named + 1 + strspn(named + 1, " ");
        out = row ? arena_printf(&p->s->arena, "%s, %s", stride, out)
                  : arena_printf(&p->s->arena, "%s, %s", out, stride);
        stride = arena_printf(&p->s->arena, strpbrk(extent, "+-/%") ? "%s*(%s)" : "%s*%s", stride,
                              extent);
    }
    return out;
}

// Reports "row(M,N) pitch LD", as 'tcpc relayout' takes it.
static bool pitch(struct parser *p) {
    const char *part[8];
    struct match m;
    match_begin(&m, p, p->now.at.begin);
    bool ordered = match_fits(&m, "$ 1:row|col ( LIST2 ) ^ ~ pitch ~ NAME3 $ OR "
                                  "$ 1:row|col ( LIST2 ) ^ ~ pitch ~ INT3 $");
    if (!ordered &&
        !match_fits(&m, "$ ( LIST2 ) ^ ~ pitch ~ NAME3 $ OR $ ( LIST2 ) ^ ~ pitch ~ INT3 $"))
        return false;
    bool row = ordered && strcmp(match_text(&m, m.m.capture[1]), "row") == 0;
    const char *shape = match_text(&m, m.m.capture[2]), *apart = match_text(&m, m.m.capture[3]);
    int n = strpbrk(shape, "(\n") ? 0 : foreign_parts(p->s, shape, part, 8);
    if (n < 2) return false;
    const char *ours =
        arena_printf(&p->s->arena, "(%s):(%s)", shape, strides(p, part, n, row, apart));
    diag_error(p->s, p->now.at,
               "only 'tcpc relayout' takes 'pitch'; a tensor has strides behind its shape: '%s'",
               ours);
    diag_fixit(p->s, m.m.fix[0], ours);
    return true;
}

bool slip_list(struct parser *p, const int *set, int n) {
    return unclosed(p, set, n) || direction(p, set, n) || pitch(p);
}

// -- statements of other languages ----------------------------------------------------------------

// The argument of a statement of another language: what is in its brackets, or else everything up
// to its end.
static const char *argument(struct parser *p, struct range at) {
    const char *text = slip_from(p, at.end), *inside = slip_brackets(p, &at);
    text += strspn(text, " \t");
    if (!inside) inside = arena_strndup(&p->s->arena, text, strcspn(text, ";\n}"));
    return *inside ? inside : "0";
}

bool slip_whole_statement(struct parser *p, struct range *at) {
    const char *text = slip_from(p, at->end);
    size_t n = strcspn(text, ";\n{}");
    at->end += text[n] == ';' ? (uint32_t)n + 1 : 0;
    return text[n] == ';';
}

// Handles "__syncthreads();": it is 'sync;' in a manual function, and superfluous in others.
bool slip_foreign(struct parser *p, const char *text) {
    const struct foreign *w = foreign_find(FOREIGN_STATEMENT, text);
    bool spelt = strcmp(text, "memcpy") == 0 && p->now.token != '(';  // "memcpy A -> s" is a copy
    if (!w || spelt) return false;
    struct range all = p->before.at;
    if (!w->ours) {
        diag_error(p->s, p->before.at, "there is no '%s' here; %s", text, w->help);
        p->skip_end = slip_whole_statement(p, &all) ? all.end - 1 : 0;
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
    if (slip_whole_statement(p, &all))
        diag_fixit(p->s, all, stays ? arena_printf(&p->s->arena, "%s;", ours) : "");
    return true;
}

bool slip_begins_statement(const struct parser *p) {
    return p->now.token == TOK_ID && p->now.at.begin == p->first.at.begin && p->nopen > 0 &&
           p->open[p->nopen - 1].token == '{';
}

bool slip_qualified(struct parser *p) {
    if (p->now.token != '.') return false;
    struct match m;
    match_begin(&m, p, p->now.at.begin);
    if (!match_fits(&m, "@ 1< 2:WORD & ^ .|:: {* & WORD & .|:: *} & 3:WORD >1")) return false;
    const struct range *word = m.m.capture;
    struct range rest = p->before.at = word[1];
    if (!slip_rows(p, p->now.at.begin, NULL, 0, slip_at_joined) &&
        !slip_foreign(p, slip_text(p, word[1])) && !slip_foreign(p, slip_text(p, word[3])) &&
        !slip_foreign(p, slip_text(p, word[2])))
        diag_error(p->s, word[1], "unknown statement '%s'", slip_text(p, word[1]));
    if (slip_whole_statement(p, &rest)) p->skip_end = rest.end - 1;
    return true;
}

bool slip_word(struct parser *p, struct range at) {
    static const char calls[] = "Swizzle make_swizzle decltype";
    static const char firsts[] = "cp cp_async ldmatrix stmatrix ld st L2";
    const char *name = slip_text(p, at), *next = slip_from(p, at.end);
    size_t n = strlen(name), more = 0;
    bool statement = slip_one_of(p->now.token, ';', '{') || slip_one_of(p->now.token, '}', '.');
    while (word_char(next[more]) || next[more] == '.' || next[more] == ':') ++more;
    const char *joined = slip_text(p, (struct range){at.file, at.begin, at.end + (uint32_t)more});
    bool cpp = *next == '<' || *next == '{' || (*next == '(' && word_listed(calls, name, n)) ||
               (*next == '.' && foreign_module(name)),
         atom = strstr(joined, "trix8x8x16b") || strstr(joined, "layout") ||
                strstr(joined, "bulk") || word_listed(firsts, name, n);
    return (cpp || (atom && !statement)) && slip_rows(p, at.begin, NULL, 0, slip_at_word) &&
           p->now.token != '.';  // the word stays a part of an atom's name
}

// -- slices and powers ----------------------------------------------------------------------------

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

// The value of "base << n", "base ** n" or "base ^ n"; -1: it is too large to be meant.
static int64_t power_of(int64_t base, char op, int64_t n) {
    int64_t most = INT64_C(1) << 40, value = op == '<' ? base : 1;
    if (op == '>' || base > 999 || n > 61) return -1;
    for (; n > 0 && value < most; --n) value *= op == '<' ? 2 : base;
    return value < most ? value : -1;
}

int scan_power(struct parser *p, int token, struct range at) {
    const char *text = slip_from(p, at.begin);
    bool two = text[1] == text[0], shift = text[0] == '<' || text[0] == '>';
    int last = p->now.token;  // '>>' also closes two tilers, '<<' opens two
    if (text[0] != '^' && !(two && (shift || text[0] == '*'))) return token;
    if (last != TOK_INT && last != TOK_ID && last != ')') return token;
    if (shift && text[2] == text[0]) return token;  // <<<
    struct match m;
    match_begin(&m, p, at.begin);
    if (text[0] == '>' && !match_fits(&m, "^ > > INT")) return token;
    at.end = at.begin + (two ? 2 : 1);
    bool alone = p->now.at.begin == 0 || match_fits(&m, "=|(|,|:|.. INT ^");
    int64_t value = -1;
    if (match_fits(&m, "# INT1 ^ <|*|'^ ?<|* INT2 #"))
        value = power_of(strtoll(match_text(&m, m.m.capture[1]), NULL, 10), text[0],
                         strtoll(match_text(&m, m.m.capture[2]), NULL, 10));
    if (value >= 0 && (alone || text[0] != '<')) {  // 'S + 1 << 2' shifts the sum
        diag_error(p->s, at, "there is no '%s'; write %" PRId64, slip_text(p, at), value);
        if (alone) diag_fixit(p->s, m.m.fix[0], arena_printf(&p->s->arena, "%" PRId64, value));
    } else {
        slip_rows(p, at.begin, NULL, 0, slip_at_bits);
    }
    if (two) p->skip_end = at.end;
    return '*';  // both of its sides are operands
}
