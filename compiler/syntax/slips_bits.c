// Operators on bits, which this language does not have: "1 << 10", "2 ** 10", "t >> 4", "t & 15".
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "syntax/scan.h"

// The name or number before "at" as written, such as "block.x". NULL when it is something else or
// has an operator beside it.
static const char *operand(struct parser *p, struct range at) {
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t end = at.begin, from, before;
    while (end > 0 && f->text[end - 1] == ' ') --end;
    for (from = end; from > 0 && (isalnum((unsigned char)f->text[from - 1]) ||
                                  strchr("_.", f->text[from - 1]));)
        --from;
    for (before = from; before > 0 && f->text[before - 1] == ' ';) --before;
    bool begins = before == 0 || strchr("(,=:", f->text[before - 1]);
    bool whole = begins && from < end && end - from < 32;
    return whole ? slip_text(p, (struct range){p->file, from, end}) : NULL;
}

// Offers "ours" for the operator at "at" and the number up to "end", unless another operator is
// beside them: '/', '*' and '%' bind more tightly.
static void replace(struct parser *p, struct range at, uint32_t end, const char *ours) {
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t next = end;
    while (next < f->size && f->text[next] == ' ') ++next;
    if (operand(p, at) && next < f->size && strchr("),;", f->text[next]))
        diag_fixit(p->s, (struct range){p->file, at.begin, end}, ours);
}

// Reports "t >> 4", a shift by "n" bits. The number ends at "end".
static void report_shift(struct parser *p, struct range at, bool left, int64_t n, uint32_t end) {
    const char *op = left ? "<<" : ">>", *of = operand(p, at);
    if (!of) of = "t";
    const char *ours = arena_printf(&p->s->arena, "%c %" PRId64, left ? '*' : '/', INT64_C(1) << n);
    diag_error(p->s, at, "there is no '%s'; '%s %s %" PRId64 "' is '%s %s'", op, of, op, n, of,
               ours);
    replace(p, at, end, ours);
}

bool scan_mask(struct parser *p, struct range at) {
    const struct source *f = &p->s->sources.file[p->file];
    int last = p->now.token;
    if (last != TOK_INT && last != TOK_ID && last != ')') return false;
    uint32_t i = at.end, from;
    while (i < f->size && f->text[i] == ' ') ++i;
    int64_t mask = 0;
    for (from = i; i < f->size && isdigit((unsigned char)f->text[i]) && i - from < 9; ++i)
        mask = 10 * mask + (f->text[i] - '0');
    bool word = i < f->size && (isalnum((unsigned char)f->text[i]) || f->text[i] == '_');
    if (i == from || word || mask == 0 || (mask & (mask + 1)) != 0) {
        diag_error(p->s, at,
                   "there is no '&'; the low bits are a remainder: 't & 15' is 't %% 16'");
        return true;
    }
    const char *ours = arena_printf(&p->s->arena, "%% %" PRId64, mask + 1), *of = operand(p, at);
    if (!of) of = "t";
    diag_error(p->s, at, "there is no '&'; '%s & %" PRId64 "' is '%s %s'", of, mask, of, ours);
    replace(p, at, i, ours);
    return true;
}

int scan_power(struct parser *p, int token, struct range at) {
    const struct source *f = &p->s->sources.file[p->file];
    const char *text = f->text + at.begin;
    size_t left = f->size - at.begin;
    bool two = left > 1 && text[1] == text[0], shift = text[0] == '<' || text[0] == '>';
    int last = p->now.token;  // '>>' also closes two tilers, '<<' opens two
    if (text[0] != '^' && !(two && (shift || text[0] == '*'))) return token;
    if (last != TOK_INT && last != TOK_ID && last != ')') return token;
    if (left > 2 && shift && text[2] == text[0]) return token;  // <<<
    at.end = at.begin + (two ? 2 : 1);
    uint32_t i = at.end;
    while (i < f->size && f->text[i] == ' ') i++;
    if (text[0] == '>' && (i == f->size || !isdigit((unsigned char)f->text[i]))) return token;
    int64_t n = 0, base = 0;
    uint32_t from = i;
    while (i < f->size && isdigit((unsigned char)f->text[i]) && i - from < 3)
        n = 10 * n + (f->text[i++] - '0');
    bool number = last == TOK_INT && i > from && n < 62 &&
                  sscanf(f->text + p->now.at.begin, "%3" SCNd64, &base) == 1 &&
                  p->now.at.end - p->now.at.begin < 4;
    int64_t value = base;
    bool alone = p->now.at.begin == 0 || p->before.token == '=' || p->before.token == '(' ||
                 p->before.token == ',' || p->before.token == ':' || p->before.token == TOK_DOTDOT;
    bool left_shift = text[0] == '<', fits = number && text[0] != '>';
    fits &= alone || !left_shift;  // 'S + 1 << 2' shifts the sum
    if (fits) {
        value = left_shift ? base : 1;
        for (int64_t k = 0; k < n && value < INT64_C(1) << 40; k++) value *= left_shift ? 2 : base;
        fits = value < INT64_C(1) << 40;
    }
    const char *op = arena_strndup(&p->s->arena, text, two ? 2 : 1);
    if (fits)
        diag_error(p->s, at, "there is no '%s'; write %" PRId64, op, value);
    else if (text[0] == '^')
        diag_error(p->s, at, "there is no '^'; there are '+', '-', '*', '/' and '%%'");
    else if (shift && i > from && n <= 30)
        report_shift(p, at, left_shift, n, i);
    else
        diag_error(p->s, at, "there is no '%s'; there are '*' and '/'", op);
    if (fits && alone)
        diag_fixit(p->s, (struct range){at.file, p->now.at.begin, i},
                   arena_printf(&p->s->arena, "%" PRId64, value));
    if (two) p->skip_end = at.end;
    return '*';  // both of its sides are operands
}
