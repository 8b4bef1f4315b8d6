// Square brackets whose meaning is clear: slices, ranges, axes of the block, assignments to
// elements, and the extents after a name in C.
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "syntax/foreign.h"
#include "syntax/scan.h"

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void report(struct parser *p, struct range at, const char *help, const char *ours) {
    diag_error(p->s, at, "'[' is not part of the language; %s", help);
    if (ours) diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
}

// "index in [1, 100]"
static bool range_square(struct parser *p, struct range at, const char *inside) {
    const char *part[2];
    if (p->now.token != TOK_IN) return false;
    bool two = foreign_parts(p->s, inside, part, 2) == 2;
    const char *ours = two ? arena_printf(&p->s->arena, "%s .. %s", part[0], part[1]) : NULL;
    report(p, at,
           ours ? arena_printf(&p->s->arena, "a range is 'in %s'", ours)
                : "a range is 'in 1 .. 100'",
           ours);
    return true;
}

// "block[0]"
static bool axis_square(struct parser *p, struct range at, const char *inside) {
    static const char *const axis[] = {".x", ".y", ".z"};
    if (p->now.token != TOK_ID || strcmp(slip_text(p, p->now.at), "block") != 0) return false;
    if (strlen(inside) != 1 || inside[0] < '0' || inside[0] > '2') {
        report(p, at, "the axes of 'block' are 'block.x', 'block.y' and 'block.z'", NULL);
        return true;
    }
    const char *ours = axis[inside[0] - '0'];
    report(p, at, arena_printf(&p->s->arena, "this axis is 'block%s'", ours), ours);
    return true;
}

// "A.shape[0]"
static bool extent_square(struct parser *p, struct range at, const char *inside) {
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t dot = p->now.at.begin, from;
    if (p->now.token != TOK_ID || strcmp(slip_text(p, p->now.at), "shape") != 0) return false;
    if (strlen(inside) != 1 || inside[0] < '0' || inside[0] > '9') return false;
    if (dot == 0 || f->text[--dot] != '.') return false;
    for (from = dot; from > 0 && is_name(f->text[from - 1]); --from) {
    }
    if (from == dot) return false;
    const char *name = slip_text(p, (struct range){at.file, from, dot});
    const char *ours = arena_printf(&p->s->arena, "size(%s, %s)", name, inside);
    diag_error(p->s, at, "'[' is not part of the language; this extent is '%s'", ours);
    diag_fixit(p->s, (struct range){at.file, from, at.end}, ours);
    p->skip_end = at.end;
    return true;
}

// "dst[tid] = src[tid];", the complete statement up to its ';'
static bool element_square(struct parser *p, struct range at) {
    int last = p->before.token;
    if (p->now.token != TOK_ID || (last != ';' && last != '{' && last != '}')) return false;
    if (!slip_follows(p, at.end, '=')) return false;
    size_t left, n = 0, to = 0;
    const char *text = slip_from(p, at.end, &left), *source = "SOURCE";
    while (n < left && !strchr(";\n{}", text[n])) ++n;
    if (n == left || text[n] != ';') return false;
    const char *value = arena_strndup(&p->s->arena, text, n);
    value = strchr(value, '=') + 1;
    value += strspn(value, " \t");
    while (is_name(value[to])) ++to;
    size_t length = 0, size = strlen(value);
    if (to > 0 && foreign_brackets(p->s, value + to, size - to, &length) && to + length == size)
        source = arena_strndup(&p->s->arena, value, to);
    diag_error(p->s, (struct range){at.file, p->now.at.begin, at.end},
               "one copy writes the elements of all threads: 'copy %s -> %s with auto(128);'",
               source, slip_text(p, p->now.at));
    p->skip_end = at.end + (uint32_t)n;
    return true;
}

// "shared s[128][64] : f32"; the shape goes after the type, and of a tensor after the space
static bool extents_square(struct parser *p, struct range at) {
    int first = p->first.token;
    bool tensor = first == TOK_TENSOR, local = first == TOK_SHARED || first == TOK_FRAG;
    if (p->now.token != TOK_ID || p->before.at.begin != p->first.at.begin || (!tensor && !local))
        return false;
    struct buf b;
    buf_init(&b);
    size_t left, n, length;
    const char *text, *inside;
    struct range all = {at.file, at.begin, at.begin};
    int extents = 0;
    for (;; ++extents) {
        text = slip_from(p, all.end, &left);
        inside = left && text[0] == '[' ? foreign_brackets(p->s, text, left, &length) : NULL;
        if (!inside || !*inside) break;
        buf_printf(&b, "%s%s", extents ? "," : "", inside);
        all.end += (uint32_t)length;
    }
    const char *shape =
        arena_printf(&p->s->arena, extents > 1 ? "row(%s)" : "(%s)", buf_finish(&b, &p->s->arena));
    if (extents == 0 || !slip_follows(p, all.end, ':')) return false;
    n = strcspn(text, ":") + 1;
    for (int words = 0; words < (tensor ? 2 : 1); ++words) {
        n += strspn(text + n, " ");
        if (!is_name(text[n])) return false;
        while (is_name(text[n])) ++n;
    }
    struct range after = {at.file, all.end + (uint32_t)n, all.end + (uint32_t)n};
    size_t blanks = strspn(text + n, " "), end = n + strcspn(text + n, ";\n");
    if (first == TOK_SHARED && extents == 1 && strchr("(rcSz", text[n + blanks]) &&
        text[end] == ';') {
        const char *slots = arena_printf(&p->s->arena, "stages %.*s", (int)(all.end - at.begin) - 2,
                                         slip_from(p, at.begin, &left) + 1);
        report(p, all, arena_printf(&p->s->arena, "the slots of a buffer are '%s'", slots), "");
        after.begin = after.end = all.end + (uint32_t)end;
        diag_fixit(p->s, after, arena_printf(&p->s->arena, " %s", slots));
        return true;
    }
    report(p, all, arena_printf(&p->s->arena, "the shape comes last: '%s'", shape), "");
    diag_fixit(p->s, after, arena_printf(&p->s->arena, " %s", shape));
    return true;
}

// "f32[128,64] global" of a tensor: the shape goes after the space
static bool type_square(struct parser *p, struct range at) {
    if (p->first.token != TOK_TENSOR || p->before.token != ':' || p->now.token != TOK_ID)
        return false;
    size_t left, length;
    const char *text = slip_from(p, at.begin, &left),
               *inside = foreign_brackets(p->s, text, left, &length);
    if (!inside || !*inside || strpbrk(inside, "\n;:[(")) return false;
    const char *type = slip_text(p, p->now.at);
    const char *ours = arena_printf(&p->s->arena, "(%s)", inside);
    size_t from = length + strspn(text + length, " "), n = from;
    while (is_name(text[n])) ++n;
    bool space = n > from && text[n + strspn(text + n, " ")] != '(';
    at.end = at.begin + (uint32_t)length;
    report(p, at, arena_printf(&p->s->arena, "the shape comes last: '%s global %s'", type, ours),
           space ? "" : NULL);
    struct range after = {at.file, at.begin + (uint32_t)n, at.begin + (uint32_t)n};
    if (space) diag_fixit(p->s, after, arena_printf(&p->s->arena, " %s", ours));
    return true;
}

// "map=[](t, v) { return 4*t + v; }"
static bool lambda_square(struct parser *p, struct range at) {
    size_t left, one = 0, two = 0, three = 0;
    const char *text = slip_from(p, at.begin, &left);
    if (p->now.token != '=' || !foreign_brackets(p->s, text, left, &one)) return false;
    if (!foreign_brackets(p->s, text + one, left - one, &two) || text[one] != '(') return false;
    size_t from = one + two + strspn(text + one + two, " "), end = from;
    if (text[from] != '{') return false;
    for (int depth = 0; end < left; ++end) {
        depth += (text[end] == '{') - (text[end] == '}');
        if (depth == 0) break;
    }
    if (end == left) return false;
    three = end + 1;
    at.end = at.begin + (uint32_t)three;
    diag_error(p->s, at, "an index map is '(t:128, v:8) -> (t / 16, t %% 16 * 8 + v)'");
    p->skip_end = at.end;
    return true;
}

// "A[0:32, :]"
static bool slice_square(struct parser *p, struct range at, const char *inside) {
    const char *part[8];
    int n = foreign_parts(p->s, inside, part, 8);
    if (!strchr(inside, ':') || strpbrk(inside, "\n;[")) return false;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < n; ++i) {
        const char *colon = strchr(part[i], ':');
        if (i) buf_printf(&b, ", ");
        if (!colon) {
            buf_printf(&b, "%s", part[i]);
        } else if (strchr(colon + 1, ':')) {
            report(p, at, "a part is 'A(0 .. 32, _)', without a step", NULL);
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
    report(p, at, "a part is 'A(0 .. 32, _)'", n > 0 ? ours : NULL);
    return true;
}

bool slip_square(struct parser *p, struct range at) {
    size_t left, length;
    const char *text = slip_from(p, at.begin, &left);
    const char *inside = foreign_brackets(p->s, text, left, &length);
    if (!inside) return false;
    at.end = at.begin + (uint32_t)length;
    return range_square(p, at, inside) || axis_square(p, at, inside) ||
           extent_square(p, at, inside) || element_square(p, at) || extents_square(p, at) ||
           lambda_square(p, at) || type_square(p, at) || slice_square(p, at, inside);
}

// "swizzle<3,3,3> row(64,64)"
static bool swizzle_angles(struct parser *p, struct range at) {
    size_t left, n = 1;
    const char *text = slip_from(p, at.end, &left);
    int commas = 0;
    if (strcmp(slip_text(p, at), "swizzle") != 0 || left < 7 || text[0] != '<') return false;
    for (; n < left && strchr("0123456789, ", text[n]); ++n) commas += text[n] == ',';
    if (n == left || text[n] != '>' || commas != 2) return false;
    const char *ours = arena_printf(&p->s->arena, "Sw%.*s o 0 o", (int)n + 1, text);
    at.end += (uint32_t)n + 1;
    diag_error(p->s, at, "a swizzle goes before the layout, '%s LAYOUT'", ours);
    diag_fixit(p->s, at, ours);
    size_t k = n + 1 + strspn(text + n + 1, " "), length = 0;
    while (is_name(text[k])) ++k;
    if (foreign_brackets(p->s, text + k, left - k, &length))
        at.end += (uint32_t)(k + length - n - 1);
    p->skip_end = at.end;
    return true;
}

// "convert<f32>(A)" beside a copy
static bool cast_angles(struct parser *p, struct range at) {
    static const char *const casts[] = {"convert", "cast", "static_cast", "reinterpret_cast"};
    size_t left, n = 1, length;
    const char *name = slip_text(p, at), *text = slip_from(p, at.end, &left), *of;
    bool cast = false;
    for (size_t i = 0; i < sizeof casts / sizeof *casts; ++i) cast |= strcmp(name, casts[i]) == 0;
    if (!cast || p->first.token != TOK_COPY || left < 4 || text[0] != '<') return false;
    while (n < left && is_name(text[n])) ++n;
    if (n == left || text[n] != '>' || text[n + 1] != '(') return false;
    of = foreign_brackets(p->s, text + n + 1, left - n - 1, &length);
    if (!of || !*of) return false;
    at.end += (uint32_t)(n + 1 + length);
    diag_error(
        p->s, at,
        "a copy converts by itself, to the element type of its destination; there is no cast");
    diag_fixit(p->s, at, of);
    p->skip_end = at.end;
    return true;
}

// "universal<128>"
bool slip_angles(struct parser *p, struct range at) {
    if (swizzle_angles(p, at) || cast_angles(p, at)) return true;
    static const char *const atoms[] = {"universal", "auto"};
    size_t left, n = 1;
    const char *name = slip_text(p, at), *text = slip_from(p, at.end, &left);
    bool atom = strcmp(name, atoms[0]) == 0 || strcmp(name, atoms[1]) == 0;
    if (!atom || left < 3 || text[0] != '<') return false;
    while (n < left && isdigit((unsigned char)text[n])) ++n;
    if (n == 1 || n == left || text[n] != '>') return false;
    const char *ours = arena_printf(&p->s->arena, "%s(%.*s)", name, (int)n - 1, text + 1);
    at.end += (uint32_t)n + 1;
    diag_error(p->s, at, "the width of an atom goes in parentheses: '%s'", ours);
    diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
    return true;
}
