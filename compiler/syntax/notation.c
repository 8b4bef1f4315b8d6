// Expressions as CuTe and its Python siblings print and write them.
// The text is rewritten byte for byte, so that places in messages stay right: each mark that this
// language does not have is replaced. Layout<Shape<_4,_8>,Stride<_8,_1>>{} becomes Layout(Shape( 4,
// 8),Stride( 8, 1)). Then the tree is rewritten: these calls become tuples, layouts and swizzles.
#include "syntax/notation.h"

#include "base/session.h"
#include "base/words.h"

static const char tuples[] = "Shape Stride Step Coord Tile tuple make_shape make_stride make_step "
                             "make_coord make_tuple make_tile";
static const char types[] = "Shape Stride Step Coord Tile tuple Layout Int C constant S Swizzle "
                            "ComposedLayout E ScaledBasis";

// -- text -----------------------------------------------------------------------------------------

enum bracket { ROUND, TYPE, ANGLE };  // the '>' of TYPE becomes ')', that of ANGLE stays
enum { MOST_OPEN = 256 };             // the parser refuses more

struct rewriter {
    char *at;
    char open[MOST_OPEN];  // enum bracket
    int n;
};

static void blank(char *from, char *to) {
    memset(from, ' ', (size_t)(to - from));
}

static void push(struct rewriter *w, enum bracket b) {
    if (w->n < MOST_OPEN) w->open[w->n] = (char)b;
    ++w->n;
}

static bool top_is(const struct rewriter *w, enum bracket b) {
    return w->n > 0 && w->n <= MOST_OPEN && w->open[w->n - 1] == (char)b;
}

// Blanks the "{}" or "()" after a type: "Int<4>{}" or "Int<4>()" is written as the type here.
static void blank_value(char *at) {
    if ((at[0] == '{' && at[1] == '}') || (at[0] == '(' && at[1] == ')')) blank(at, at + 2);
}

static void take_word(struct rewriter *w) {
    size_t n = word_length(w->at);
    char *word = w->at, *end = word + n;
    w->at = end;
    bool minus = n == 1 && *word == '_' && *end == '-' && isdigit((unsigned char)end[1]);
    if (end[0] == ':' && end[1] == ':') {  // cute::Layout
        blank(word, end + 2);
        w->at = end + 2;
    } else if (minus || (*word == '_' && n > 1 && strspn(word + 1, "0123456789") >= n - 1)) {
        *word = ' ';  // _4, _-4
        blank_value(end);
    } else if (word_listed("X Underscore None", word, n)) {
        blank(word, end);
        *word = '_';
        blank_value(end);
    } else if (word_listed("LayoutLeft LayoutRight GenColMajor GenRowMajor", word, n)) {
        blank_value(end);
    } else if (*end == '<' && word_listed(types, word, n) && strchr(end, '>')) {
        *end = '(';
        push(w, TYPE);
        ++w->at;
    } else if (*end == '<' && word_listed("Sw", word, n)) {
        push(w, ANGLE);
        ++w->at;
    }
}

// Handles !cute.layout<"(4,8):(1,4)">, which the CuTe DSL prints for a type.
static bool take_quoted(struct rewriter *w) {
    if (strncmp(w->at, "!cute.", 6) != 0) return false;
    char *open = w->at + 6;
    open += word_length(open);
    char *close = open[0] == '<' && open[1] == '"' ? strchr(open + 2, '"') : NULL;
    if (!close || close[1] != '>') return false;
    blank(w->at, open + 2);
    open[1] = '(';
    close[0] = ')';
    close[1] = ' ';
    w->at = open + 2;
    push(w, ROUND);
    return true;
}

static void take_mark(struct rewriter *w) {
    char *at = w->at++;
    if (*at == '(') push(w, ROUND);
    bool closes = (*at == ')' && top_is(w, ROUND)) || (*at == '>' && top_is(w, ANGLE));
    bool type = *at == '>' && top_is(w, TYPE);
    if (closes || type) --w->n;
    if (type) {
        *at = ')';
        blank_value(at + 1);
    }
}

char *notation_text(struct session *s, const char *text) {
    char *copy = arena_strndup(&s->arena, text, strlen(text));
    struct rewriter w = {.at = copy};
    while (*w.at) {
        if (isdigit((unsigned char)*w.at))
            w.at += word_length(w.at);
        else if (word_char(*w.at))
            take_word(&w);
        else if (!take_quoted(&w))
            take_mark(&w);
    }
    return copy;
}

// -- tree -----------------------------------------------------------------------------------------

// Converts E(0,1) to 1@1@0, and ScaledBasis(8,0,1) to 8@1@0.
static void make_basis(struct session *s, struct ast_expr *e, bool scaled) {
    if (e->nargs < 1 + scaled || e->nargs > 3 + scaled) return;
    for (int i = scaled; i < e->nargs; ++i)
        if (e->arg[i].value->kind != E_INT) return;
    struct ast_expr *of = scaled ? e->arg[0].value : ARENA_NEW(&s->arena, struct ast_expr);
    if (!scaled) *of = (struct ast_expr){.kind = E_INT, .depth = 1, .at = e->at, .ival = 1};
    if (!scaled) of->text = "1";
    for (int i = e->nargs - 1; i > scaled; --i) {
        struct ast_expr *inner = ARENA_NEW(&s->arena, struct ast_expr);
        *inner = (struct ast_expr){.kind = E_BASIS, .depth = of->depth + 1, .at = e->at, .lhs = of};
        inner->basis = e->arg[i].value->ival;
        of = inner;
    }
    int64_t mode = e->arg[scaled].value->ival;
    *e = (struct ast_expr){.kind = E_BASIS, .depth = of->depth + 1, .at = e->at, .lhs = of};
    e->basis = mode;
}

static void become(struct ast_expr *e, enum ast_expr_kind kind) {
    e->kind = kind;
    e->lhs = NULL;
}

static void translate(struct session *s, struct ast_expr *e) {
    const char *name = e->kind == E_CALL && e->lhs->kind == E_NAME ? e->lhs->name : NULL;
    size_t n = name ? strlen(name) : 0;
    if (!name) return;
    if (word_listed(tuples, name, n)) {
        become(e, E_TUPLE);
        e->trailing_comma = true;
    } else if (strcmp(name, "Layout") == 0) {
        e->lhs->name = intern(s, "make_layout");
    } else if (word_listed("S Swizzle", name, n) && e->nargs == 3) {
        become(e, E_SWIZZLE);
    } else if (strcmp(name, "ComposedLayout") == 0 && e->nargs == 3) {
        become(e, E_COMPOSE);
    } else if (word_listed("Int C constant", name, n) && e->nargs > 0) {
        *e = *e->arg[e->nargs - 1].value;
    } else if (word_listed("E ScaledBasis", name, n)) {
        make_basis(s, e, *name == 'S');
    }
}

void notation_tree(struct session *s, struct ast_expr *e) {
    if (!e) return;
    for (int i = 0; i < e->nargs; ++i) notation_tree(s, e->arg[i].value);
    notation_tree(s, e->lhs);
    notation_tree(s, e->rhs);
    translate(s, e);
}
