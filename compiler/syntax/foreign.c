// A translator of CuTe's types and calls (see foreign.h).
#include "syntax/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "base/words.h"

struct reader {
    struct session *s;
    const char *at, *end;
    int depth;
};

enum { MOST_PARTS = 8, MOST_DEPTH = 32, MOST_TEXT = 1000 };

static void blanks(struct reader *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at)) ++r->at;
}

static bool take(struct reader *r, const char *text) {
    size_t n = strlen(text);
    const char *was = r->at;
    blanks(r);
    bool there = (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
    r->at = there ? r->at + n : was;
    return there;
}

static const char *word(struct reader *r) {
    take(r, "cute::");
    take(r, "cutlass::");
    if (!take(r, "GMMA::")) take(r, "UMMA::");
    blanks(r);
    const char *from = r->at;
    r->at += word_length(r->at);
    return r->at > from ? arena_strndup(&r->s->arena, from, (size_t)(r->at - from)) : NULL;
}

static const char *value(struct reader *r);

// Reads the parts up to "close"; false when one of them is not understood.
static bool parts(struct reader *r, const char *close, const char **part, int *n) {
    *n = 0;
    if (take(r, close)) return true;
    do {
        if (*n == MOST_PARTS || !(part[*n] = value(r))) return false;
        ++*n;
    } while (take(r, ","));
    return take(r, close);
}

static const char *tuple(struct session *s, const char *const *part, int n) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < n; ++i) buf_printf(&b, "%s%s", i ? "," : "(", part[i]);
    buf_puts(&b, n ? ")" : "()");
    return buf_finish(&b, &s->arena);
}

static bool is_one_of(const char *name, const char *list) {
    return word_listed(list, name, strlen(name));
}

static int bits_of(const char *type) {
    int each = 1;
    const char *element = type ? foreign_vector(type, &each) : NULL;
    if (element) return bits_of(element) * each;
    const char *digit = type ? type + strcspn(type, "0123456789") : "";
    return strncmp(type ? type : "", "f8", 2) == 0 ? 8 : atoi(digit);
}

static const char *atom(struct session *s, const char *name, const char *type) {
    int bits = bits_of(type);
    if (strcmp(name, "UniversalCopy") == 0 && bits)
        return arena_printf(&s->arena, "universal(%d)", bits);
    if (strncmp(name, "SM80_CP_ASYNC_CACHEGLOBAL", 25) == 0 && bits)
        return arena_printf(&s->arena, "cp_async.cg(%d)", bits / 8);
    if (strncmp(name, "SM80_CP_ASYNC_CACHEALWAYS", 25) == 0 && bits)
        return arena_printf(&s->arena, "cp_async.ca(%d)", bits / 8);
    if (strcmp(name, "AutoVectorizingCopyWithAssumedAlignment") == 0)
        return arena_printf(&s->arena, "auto(%s)", type);
    return NULL;
}

// Handles "Layout_K_SW128_Atom<float>": eight rows, or for MN eight columns, of 128 bytes.
static const char *swizzled_atom(struct session *s, const char *name, const char *type) {
    char major[3], width[6];
    int bits = bits_of(type), bytes = 0, lines = 0, m = 4, end = 0;
    if (sscanf(name, "Layout_%2[KMN]_%5[A-Z0-9]_Atom%n", major, width, &end) != 2 || name[end] ||
        bits < 8 || bits > 64)
        return NULL;
    if (sscanf(width, "SW%d", &bytes) != 1) bytes = strcmp(width, "INTER") == 0 ? 16 : 0;
    if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128) return NULL;
    for (int k = bytes; k > 16; k /= 2) ++lines;
    for (int k = bits; k > 8; k /= 2) --m;
    int n = 8 * bytes / bits;
    const char *layout = strcmp(major, "K") == 0 ? arena_printf(&s->arena, "row(8,%d)", n)
                                                 : arena_printf(&s->arena, "(%d,8)", n);
    return lines ? arena_printf(&s->arena, "Sw<%d,%d,3> o 0 o %s", lines, m, layout) : layout;
}

// Handles "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{},
// Tile<_32,_32,_16>{})". The layout is that of the warps, with two or three modes.
static const char *tiled_mma(struct session *s, const char *const *part, int n) {
    const char *op = n >= 1 && n <= 3 ? foreign_mma(s, part[0]) : NULL, *warps = "", *tile = "";
    if (!op || strstr(op, ".s4") || strstr(op, ".u4")) return NULL;
    if (!word_listed("SM75 SM80 SM89", part[0], 4)) return NULL;
    if (n > 1) {
        size_t length = strlen(part[1]);
        int commas = 0;
        for (size_t i = 0; i < length; ++i) commas += part[1][i] == ',';
        bool shape = length > 2 && strspn(part[1], "(0123456789,)") == length;
        if (!shape || part[1][0] != '(' || strrchr(part[1], '(') != part[1] || commas < 1 ||
            commas > 2)
            return NULL;
        warps = arena_printf(&s->arena, ", warps=%.*s%s)", (int)length - 1, part[1],
                             commas == 1 ? ",1" : "");
    }
    if (n > 2) {
        size_t length = strlen(part[2]);
        if (length < 3 || part[2][0] != '<' || strspn(part[2] + 1, "0123456789,") != length - 2)
            return NULL;
        tile = arena_printf(&s->arena, ", tile=(%.*s)", (int)length - 2, part[2] + 1);
    }
    return arena_printf(&s->arena, "mma(%s%s%s)", op, warps, tile);
}

static const char *made(struct session *s, const char *name, const char *const *part, int n) {
    static const char layouts[] = "Layout make_layout";
    if (is_one_of(name, "Int C") && n == 1) return part[0];
    if (is_one_of(name, "Shape Stride Step Coord make_shape make_stride make_coord"))
        return tuple(s, part, n);
    if (is_one_of(name, "Tile make_tile")) {
        const char *t = tuple(s, part, n);
        return arena_printf(&s->arena, "<%.*s>", (int)strlen(t) - 2, t + 1);
    }
    if (is_one_of(name, layouts) && n == 1) return part[0];
    if (is_one_of(name, layouts) && n == 2) {
        if (strstr(part[1], "Right") || strstr(part[1], "RowMajor"))
            return arena_printf(&s->arena, "row%s%s%s", *part[0] == '(' ? "" : "(", part[0],
                                *part[0] == '(' ? "" : ")");
        if (strstr(part[1], "Left") || strstr(part[1], "ColMajor")) return part[0];
        return arena_printf(&s->arena, "%s:%s", part[0], part[1]);
    }
    if (strcmp(name, "Swizzle") == 0 && n == 3)
        return arena_printf(&s->arena, "Sw<%s,%s,%s>", part[0], part[1], part[2]);
    if (strcmp(name, "ComposedLayout") == 0 && n == 3 && strncmp(part[0], "Sw<", 3) == 0)
        return arena_printf(&s->arena, "%s o %s o %s", part[0], part[1], part[2]);
    if (strcmp(name, "Copy_Atom") == 0 && n == 1 && strchr(part[0], '(')) return part[0];
    if (strcmp(name, "Copy_Atom") == 0 && n == 2) {
        size_t length = strlen(part[0]);
        bool typed = strncmp(part[0], "universal(", 10) == 0;
        return typed ? arena_printf(&s->arena, "%.*s, %s)", (int)length - 1, part[0], part[1])
                     : part[0];
    }
    if (strcmp(name, "make_tiled_copy") == 0 && (n == 2 || n == 3))
        return arena_printf(&s->arena, n == 3 ? "tile(%s, thr=%s, val=%s)" : "tile(%s, thr=%s)",
                            part[0], part[1], n == 3 ? part[2] : "");
    if (strcmp(name, "make_tiled_mma") == 0) return tiled_mma(s, part, n);
    if (strcmp(name, "MMA_Atom") == 0 && n == 1 && foreign_mma(s, part[0])) return part[0];
    if (strcmp(name, "composition") == 0 && n == 2 && strncmp(part[0], "Sw<", 3) == 0)
        return arena_printf(&s->arena, "%s o 0 o %s", part[0], part[1]);
    if (strncmp(name, "Layout_", 7) == 0 && n == 1) return swizzled_atom(s, name, part[0]);
    return n == 1 ? atom(s, name, part[0]) : NULL;
}

// The text of a single name: "_4", a type, an instruction, or a constant of the plan.
static const char *alone(const char *name) {
    const char *type = foreign_type(name);
    const struct foreign *w = foreign_find(FOREIGN_VALUE, name);
    if (name[0] == '_' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0')
        return name + 1;
    if (strcmp(name, "X") == 0 || strcmp(name, "Underscore") == 0) return "_";
    return type ? type : w && w->ours && !strchr(w->ours, '%') ? w->ours : name;
}

// "block.x", "blockIdx.x", "threadIdx.x", of which "name" was read.
static const char *axis(struct reader *r, const char *name, const char *text) {
    if (r->at + 2 < r->end && (isalnum((unsigned char)r->at[2]) || r->at[2] == '_')) return text;
    char of = r->at[1];
    r->at += 2;
    if (strcmp(name, "threadIdx") == 0 && of == 'x') return "tid";
    return arena_printf(&r->s->arena, "%s.%c", strcmp(name, "blockIdx") == 0 ? "block" : text, of);
}

static const char *named(struct reader *r) {
    const char *name = word(r), *part[MOST_PARTS], *text = NULL;
    int n = 0;
    if (!name) return NULL;
    bool open = take(r, "<"), call = !open && take(r, "(");
    if (open || call) {
        if (!parts(r, open ? ">" : ")", part, &n)) return NULL;
        text = made(r->s, name, part, n);
        bool known = text || open;
        if (!known) {  // a call of one of the plan's own functions
            const char *t = tuple(r->s, part, n);
            text = arena_printf(&r->s->arena, "%s%s", name, t);
        }
    } else {
        text = alone(name);
        if (r->at + 1 < r->end && *r->at == '.' && strchr("xyz", r->at[1]))
            text = axis(r, name, text);
    }
    if (text && !take(r, "{}") && open) take(r, "()");
    return text;
}

static const char *primary(struct reader *r) {
    const char *part[MOST_PARTS];
    int n;
    blanks(r);
    if (r->at < r->end && (isalpha((unsigned char)*r->at) || *r->at == '_')) return named(r);
    if (take(r, "(")) return parts(r, ")", part, &n) ? tuple(r->s, part, n) : NULL;
    const char *from = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at)) ++r->at;
    return r->at > from ? arena_strndup(&r->s->arena, from, (size_t)(r->at - from)) : NULL;
}

static const char *value(struct reader *r) {
    if (++r->depth > MOST_DEPTH) return NULL;
    const char *from = r->at, *a = primary(r);
    while (a && r->at - from < MOST_TEXT) {
        blanks(r);
        if (r->at == r->end || !strchr(":*+-/", *r->at)) break;
        char op = *r->at++;
        const char *b = primary(r);
        a = b ? arena_printf(&r->s->arena, op == ':' || op == '*' ? "%s%c%s" : "%s %c %s", a, op, b)
              : NULL;
    }
    --r->depth;
    return a;
}

// Translates size<0>(A) to size(A, 0).
static const char *of_one_mode(struct reader *r, const char *from, const char *name,
                               size_t *length) {
    const char *mode = take(r, "<") ? value(r) : NULL, *part[MOST_PARTS];
    int n;
    if (!mode || strspn(mode, "0123456789") != strlen(mode) || !take(r, ">") || !take(r, "(") ||
        !parts(r, ")", part, &n) || n != 1)
        return NULL;
    *length = (size_t)(r->at - from);
    size_t size = strlen(part[0]);
    if (strcmp(name, "get") == 0 && strncmp(part[0], "shape(", 6) == 0 && !strchr(part[0] + 6, '('))
        return arena_printf(&r->s->arena, "size(%.*s, %s)", (int)size - 7, part[0] + 6, mode);
    return arena_printf(&r->s->arena, "%s(%s, %s)", name, part[0], mode);
}

const char *foreign_expression(struct session *s, const char *text, size_t size, bool plain,
                               size_t *length) {
    static const char calls[] = "make_shape make_stride make_coord make_tile make_layout "
                                "make_tiled_copy composition make_tiled_mma",
                      types[] = "Int C Shape Stride Step Coord Tile Layout Swizzle Copy_Atom "
                                "UniversalCopy ComposedLayout",
                      of_mode[] = "size shape stride rank get depth cosize";
    struct reader r = {s, text, text + size, 0};
    const char *name = word(&r);
    if (!name) return NULL;
    char next = r.at < r.end ? *r.at : '\0';
    bool digits = name[0] == '_' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
    bool async = strncmp(name, "SM80_CP_ASYNC_CACHE", 19) == 0 || strncmp(name, "AutoVec", 7) == 0;
    bool smem = strncmp(name, "Layout_", 7) == 0;
    if (next == '<' && is_one_of(name, of_mode)) return of_one_mode(&r, text, name, length);
    bool known = (next == '<' && (is_one_of(name, types) || async || smem)) ||
                 (next == '(' && is_one_of(name, calls)) || (next == '{' && digits);
    if (!known) return NULL;
    r.at = text;
    const char *made_of = named(&r);
    if (!made_of || strncmp(made_of, "make_tiled_mma", 14) == 0) return NULL;
    *length = (size_t)(r.at - text);
    bool cpp = memchr(text, '{', *length) || next == '<' || memchr(text, '<', *length);
    return plain || cpp ? made_of : NULL;
}

// -- text in brackets -----------------------------------------------------------------------------

// The length up to the bracket that closes the one at the start of "text"; 0 if none does.
static size_t closes(const char *text, size_t size) {
    static const char opening[] = "(<[{", closing[] = ")>]}";
    const char *at = size && text[0] ? strchr(opening, text[0]) : NULL;
    if (!at) return 0;
    char open = *at, close = closing[at - opening];
    int depth = 0;
    for (size_t i = 0; i < size && i < MOST_TEXT && text[i] != ';'; ++i) {
        if (text[i] == open) ++depth;
        if (text[i] == close && --depth == 0) return i;
    }
    return 0;
}

const char *foreign_brackets(struct session *s, const char *text, size_t size, size_t *length) {
    size_t at = 0;
    while (at < size && isblank((unsigned char)text[at])) ++at;
    size_t close = closes(text + at, size - at);
    if (close == 0) return NULL;
    *length = at + close + 1;
    size_t from = at + 1, to = at + close;
    while (from < to && isspace((unsigned char)text[from])) ++from;
    while (to > from && isspace((unsigned char)text[to - 1])) --to;
    return arena_strndup(&s->arena, text + from, to - from);
}

int foreign_parts(struct session *s, const char *text, const char **part, int most) {
    int n = 0, depth = 0;
    const char *from = text;
    for (const char *at = text;; ++at) {
        if (*at && strchr("(<[{", *at)) ++depth;
        if (*at && strchr(")>]}", *at)) --depth;
        if (*at && (*at != ',' || depth > 0)) continue;
        const char *to = at;
        while (from < to && isspace((unsigned char)*from)) ++from;
        while (to > from && isspace((unsigned char)to[-1])) --to;
        if (n == most || from == to) return 0;
        part[n++] = arena_strndup(&s->arena, from, (size_t)(to - from));
        if (!*at) return n;
        from = at + 1;
    }
}
