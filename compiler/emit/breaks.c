// Decides where the lines of a statement end, like clang-format's continuation indenter (class
// ContinuationIndenter of LLVM 14, style LLVM, 100 columns).
//
// Each token goes on the current line or on a new one.  A new line costs the penalty of its token,
// and more for the first one inside a bracket or a subexpression.  A column beyond the last one
// costs more than any of these.  The state consists of the open brackets and subexpressions, with
// their columns of indentation.  The cheapest way from the first token to the last one is a
// shortest path; of two equal ones, the first one found is taken.
#include <stddef.h>
#include <string.h>

#include "base/session.h"
#include "emit/tokens.h"
#include "emit/write.h"

enum { INDENT = 4, DEEP = 40, EXCESS = 1000000, FIRST_BREAK = 15, MOST_STATES = 20000 };

// An open bracket or subexpression.
struct scope {
    int indent, last_space, question, call_start, subscripts;
    bool no_break, no_break_in_operand, break_before_parameter, operator_wrapped, has_break;
};

struct state {
    int next;  // the next token
    int column, line_level, lowest_level;
    int depth;  // of "scope"; the innermost one is scope[depth - 1]
    struct scope scope[DEEP];
};

// A state with its cost and its predecessor.  Keeps only its open scopes.
struct found {
    const struct state *state;
    int from;
    bool new_line;
    int64_t penalty;
};

struct search {
    struct session *s;
    const struct token *token;
    int n, first_indent;
    struct found *found;
    int nfound, cap;
    int *heap, nheap, heap_cap;     // indices of "found"; the cheapest is first
    int *table, table_size, nleft;  // hash table of states that were already expanded; index + 1
};

static struct scope *top(struct state *x) {
    return &x->scope[x->depth - 1];
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static bool opens(const struct token *t) {
    return t->kind == TOKEN_OPEN;
}

static bool is_operator(const struct token *t) {
    return t->kind == TOKEN_BINARY;
}

// The column of token "x->next" if it begins a new line.
static int new_column(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = t - 1;
    struct scope *p = top(x);
    int further = larger(p->last_space, p->indent) + INDENT;
    if (p->question &&
        ((t->kind == TOKEN_CONDITIONAL && *t->text == ':') || before->kind == TOKEN_CONDITIONAL))
        return p->question;
    if (opens(t) && t->bracket == '[') return p->subscripts ? p->subscripts : further;
    if (is_operator(before) && before->width == 1 && *before->text == '=') return further;
    if (before->kind == TOKEN_CLOSE && before->bracket == '(' && !is_operator(t) &&
        t->kind != TOKEN_CONDITIONAL)
        return further;
    return p->indent == f->first_indent ? p->indent + INDENT : p->indent;
}

static bool can_break(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = t - 1;
    if (!t->may_break) return false;
    if (opens(before) && before->bracket != '{' && x->lowest_level < x->line_level &&
        x->lowest_level < t->level)
        return false;
    if (!is_operator(t) && t->kind != TOKEN_COMMA && top(x)->no_break_in_operand) return false;
    return !top(x)->no_break;
}

static bool must_break(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = t - 1;
    bool wanted = top(x)->break_before_parameter;
    if (!wanted) return false;
    bool parameter = before->kind == TOKEN_COMMA || before->kind == TOKEN_SEMICOLON;
    bool choice = t->kind == TOKEN_CONDITIONAL &&
                  !(before->kind == TOKEN_CONDITIONAL && *before->text == '?');
    if ((parameter || choice) && t->kind != TOKEN_CLOSE) return true;
    if (x->column <= new_column(f, x)) return false;
    if (!is_operator(before) || !t->may_break || before->prec == PREC_ASSIGNMENT) return false;
    bool comparison = (before->prec == PREC_RELATIONAL || before->prec == PREC_EQUALITY) &&
                      !is_operator(before - 1);
    return !comparison || (before - 1)->ends_binary;
}

// -- a token --------------------------------------------------------------------------------------

static void put_on_line(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = t - 1;
    struct scope *p = top(x);
    if (opens(before)) p->indent = x->column + t->space;
    bool divides = is_operator(before) || before->kind == TOKEN_COMMA ||
                   (before->kind == TOKEN_CONDITIONAL && *before->text == ':');
    if (divides && before->prec != PREC_ASSIGNMENT && before->prec != PREC_RELATIONAL) {
        bool choice = before->kind == TOKEN_CONDITIONAL;
        bool two = before->operator_index == 0 && !before->has_next_operator && !choice;
        if (choice ? !p->operator_wrapped : !two) p->no_break_in_operand = true;
    }
    x->column += t->space;
    if (opens(before) && before->condition)
        p->last_space = x->column;
    else if (before->kind == TOKEN_COMMA)
        p->last_space = x->column;
    else if ((is_operator(before) || before->kind == TOKEN_CONDITIONAL) &&
             (before->prec != PREC_ASSIGNMENT || t->begins_binary))
        p->last_space = x->column;
}

static int put_below(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = t - 1;
    struct scope *p = top(x);
    int penalty = t->penalty + (p->has_break ? 0 : FIRST_BREAK);
    p->has_break = true;
    x->column = new_column(f, x);
    if (before->kind == TOKEN_COMMA || before->kind == TOKEN_SEMICOLON || is_operator(before))
        p->break_before_parameter = false;
    if (t->kind == TOKEN_CONDITIONAL && *t->text == '?') p->break_before_parameter = true;
    p->last_space = x->column;
    x->line_level = x->lowest_level = t->level;
    for (int i = 0; i + 1 < x->depth; ++i) x->scope[i].break_before_parameter = true;
    bool ends = before->kind == TOKEN_COMMA || before->kind == TOKEN_SEMICOLON || opens(before) ||
                is_operator(before) || (before->kind == TOKEN_CONDITIONAL && *before->text == ':');
    if (!ends && !is_operator(t)) p->break_before_parameter = true;
    return penalty;
}

static void begin_subexpressions(const struct search *f, struct state *x) {
    const struct token *t = &f->token[x->next], *before = x->next > 0 ? t - 1 : NULL;
    bool skip = before && (opens(before) || before->kind == TOKEN_SEMICOLON ||
                           before->prec == PREC_ASSIGNMENT);
    for (int i = t->nbegins; i-- > 0 && x->depth < DEEP;) {
        enum precedence prec = (enum precedence)t->begins[i];
        struct scope *outer = top(x), p = *outer;
        p.has_break = false;
        p.operator_wrapped = true;
        p.no_break = p.no_break || outer->no_break_in_operand;
        p.indent = larger(larger(x->column, p.indent), outer->last_space);
        if (prec > PREC_NONE) p.last_space = larger(p.last_space, x->column);
        if (prec != PREC_CONDITIONAL && t->kind != TOKEN_UNARY) p.call_start = x->column;
        bool chained = prec == PREC_CONDITIONAL && before && before->kind == TOKEN_CONDITIONAL &&
                       *before->text == ':' && i == t->nbegins - 1;
        if (!chained && (prec == PREC_CONDITIONAL || (!skip && prec > PREC_ASSIGNMENT)))
            p.indent += INDENT;
        if ((before && !opens(before)) || prec != PREC_COMMA) p.break_before_parameter = false;
        x->scope[x->depth++] = p;
        skip = false;
    }
}

static void open_bracket(struct state *x, const struct token *t) {
    struct scope *outer = top(x), p = {0};
    if (x->depth == DEEP) return;
    p.last_space = outer->last_space;
    if (t->bracket == '{') {
        p.indent = outer->last_space + INDENT;
    } else {
        p.indent = INDENT + larger(outer->last_space, outer->call_start);
        if (t->bracket == '<' && t->within_parenthesis) {
            p.indent = larger(p.indent, outer->indent);
            p.last_space = larger(p.last_space, outer->indent);
        }
    }
    p.operator_wrapped = true;
    p.no_break = outer->no_break || outer->no_break_in_operand;
    x->scope[x->depth++] = p;
}

// Consumes token "x->next", which is at x->column.
static int64_t pass(const struct search *f, struct state *x, bool new_line) {
    const struct token *t = &f->token[x->next];
    if (t->kind == TOKEN_COMMA || is_operator(t)) top(x)->no_break_in_operand = false;
    if (is_operator(t)) top(x)->operator_wrapped = new_line;
    if (t->kind == TOKEN_CONDITIONAL && !(x->next > 0 && (t - 1)->kind == TOKEN_CONDITIONAL))
        top(x)->operator_wrapped = new_line;
    if (opens(t) && t->bracket == '[' && top(x)->subscripts == 0) top(x)->subscripts = x->column;
    if (t->kind == TOKEN_CONDITIONAL && *t->text == '?') top(x)->question = x->column;
    if (t->kind != TOKEN_OPEN && t->kind != TOKEN_CLOSE && t->kind != TOKEN_POINTER &&
        t->level < x->lowest_level)
        x->lowest_level = t->level;
    begin_subexpressions(f, x);
    if (t->kind == TOKEN_CLOSE && x->depth > 1) {
        --x->depth;
        if (t->bracket == '[' && !(x->next + 1 < f->n && t[1].bracket == '['))
            top(x)->subscripts = 0;
    }
    if (opens(t)) open_bracket(x, t);
    for (int i = 0; i < t->nends && x->depth > 1; ++i) --x->depth;
    x->column += t->width;
    ++x->next;
    return x->column > EMIT_COLUMNS ? (int64_t)EXCESS * (x->column - EMIT_COLUMNS) : 0;
}

// -- the search -----------------------------------------------------------------------------------

static bool same_scope(const struct scope *a, const struct scope *b) {
    return a->indent == b->indent && a->last_space == b->last_space && a->question == b->question &&
           a->call_start == b->call_start && a->subscripts == b->subscripts &&
           a->no_break == b->no_break && a->no_break_in_operand == b->no_break_in_operand &&
           a->break_before_parameter == b->break_before_parameter &&
           a->operator_wrapped == b->operator_wrapped && a->has_break == b->has_break;
}

static bool same_state(const struct state *a, const struct state *b) {
    if (a->next != b->next || a->column != b->column || a->line_level != b->line_level ||
        a->lowest_level != b->lowest_level || a->depth != b->depth)
        return false;
    for (int i = 0; i < a->depth; ++i)
        if (!same_scope(&a->scope[i], &b->scope[i])) return false;
    return true;
}

static uint32_t hash_of(const struct state *x) {
    uint32_t h = (uint32_t)x->next * 31u + (uint32_t)x->column;
    for (int i = 0; i < x->depth; ++i) {
        const struct scope *p = &x->scope[i];
        h = h * 1000003u + (uint32_t)p->indent * 131u + (uint32_t)p->last_space;
        h = h * 31u + (uint32_t)(p->no_break + 2 * p->no_break_in_operand +
                                 4 * p->break_before_parameter + 8 * p->has_break);
    }
    return h;
}

static int *place_of(struct search *f, const struct state *x) {
    uint32_t mask = (uint32_t)(f->table_size - 1), at = hash_of(x) & mask;
    while (f->table[at] && !same_state(f->found[f->table[at] - 1].state, x)) at = (at + 1) & mask;
    return &f->table[at];
}

static void enlarge_table(struct search *f) {
    int *old = f->table, n = f->table_size;
    f->table_size = n ? 2 * n : 256;
    f->table = ARENA_ARRAY(&f->s->arena, int, f->table_size);
    for (int i = 0; i < n; ++i)
        if (old[i]) *place_of(f, f->found[old[i] - 1].state) = old[i];
}

// Whether no state equal to number "i" was expanded before; records it.
static bool is_new(struct search *f, int i) {
    if (2 * f->nleft >= f->table_size) enlarge_table(f);
    int *place = place_of(f, f->found[i].state);
    if (*place) return false;
    *place = i + 1;
    ++f->nleft;
    return true;
}

static bool cheaper(const struct search *f, int a, int b) {
    return f->found[a].penalty != f->found[b].penalty ? f->found[a].penalty < f->found[b].penalty
                                                      : a < b;
}

static void push(struct search *f, struct found x) {
    f->found = arena_more(&f->s->arena, f->found, sizeof *f->found, f->nfound, &f->cap);
    f->found[f->nfound] = x;
    f->heap = arena_more(&f->s->arena, f->heap, sizeof *f->heap, f->nheap, &f->heap_cap);
    int at = f->nheap++;
    for (; at > 0 && cheaper(f, f->nfound, f->heap[(at - 1) / 2]); at = (at - 1) / 2)
        f->heap[at] = f->heap[(at - 1) / 2];
    f->heap[at] = f->nfound++;
}

static int pop(struct search *f) {
    int out = f->heap[0], last = f->heap[--f->nheap], at = 0;
    for (;;) {
        int kid = 2 * at + 1;
        if (kid >= f->nheap) break;
        if (kid + 1 < f->nheap && cheaper(f, f->heap[kid + 1], f->heap[kid])) ++kid;
        if (!cheaper(f, f->heap[kid], last)) break;
        f->heap[at] = f->heap[kid];
        at = kid;
    }
    f->heap[at] = last;
    return out;
}

static size_t state_bytes(const struct state *x) {
    return offsetof(struct state, scope) + sizeof x->scope[0] * (size_t)x->depth;
}

static const struct state *kept(struct search *f, const struct state *x) {
    return memcpy(arena_room(&f->s->arena, state_bytes(x)), x, state_bytes(x));
}

static void step(struct search *f, int from, bool new_line) {
    struct state x;
    memcpy(&x, f->found[from].state, state_bytes(f->found[from].state));
    if (new_line ? !can_break(f, &x) : must_break(f, &x)) return;
    int64_t penalty = f->found[from].penalty;
    if (new_line)
        penalty += put_below(f, &x);
    else
        put_on_line(f, &x);
    penalty += pass(f, &x, new_line);
    push(f, (struct found){kept(f, &x), from, new_line, penalty});
}

// The cheapest way to the last token, as an index of "found".
static int best(struct search *f) {
    while (f->nheap) {
        int i = pop(f);
        if (f->found[i].state->next == f->n || f->nfound > MOST_STATES) return i;
        if (!is_new(f, i)) continue;
        step(f, i, false);
        step(f, i, true);
    }
    return f->nfound - 1;
}

void statement_write(struct session *s, struct buf *b, int indent, const char *text) {
    buf_fill(b, ' ', indent);
    if (indent + (int)strlen(text) <= EMIT_COLUMNS) {
        buf_printf(b, "%s\n", text);
        return;
    }
    struct arena_mark mark = arena_mark(&s->arena);
    struct search f = {.s = s, .first_indent = indent};
    f.token = tokens_of(s, text, &f.n);
    struct state first = {.column = indent, .depth = 1};
    first.scope[0] =
        (struct scope){.indent = indent, .last_space = indent, .operator_wrapped = true};
    pass(&f, &first, false);
    push(&f, (struct found){kept(&f, &first), -1, false, 0});
    bool *new_line = ARENA_ARRAY(&s->arena, bool, f.n);
    int *column = ARENA_ARRAY(&s->arena, int, f.n);
    for (int i = best(&f); f.found[i].from >= 0; i = f.found[i].from) {
        int at = f.found[i].state->next - 1;
        new_line[at] = f.found[i].new_line;
        column[at] = f.found[i].state->column - f.token[at].width;
    }
    for (int i = 0; i < f.n; ++i) {
        if (new_line[i]) buf_char(b, '\n');
        if (new_line[i]) buf_fill(b, ' ', column[i]);
        if (!new_line[i] && i > 0 && f.token[i].space) buf_char(b, ' ');
        buf_write(b, f.token[i].text, (size_t)f.token[i].width);
    }
    buf_char(b, '\n');
    arena_rewind(&s->arena, mark);
}
