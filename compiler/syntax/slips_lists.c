// Lists and marks between their parts: "tensor A, B : ..", "let x = 3, y = 4", "Sw<3,3,3>, 0, L",
// "thr:(16,8)", "a === b", "-->", "for i in (0 .. 3)", and clauses that a buffer does not have.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/scan.h"

static bool fixed(struct parser *p, struct range at, const char *ours) {
    diag_fixit(p->s, at, ours);
    slip_skip_rest(p);
    return true;
}

// The text from the begin of the declaration or statement to p->now.
static const char *so_far(struct parser *p) {
    if (p->first.at.begin > p->now.at.begin) return "";
    return slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin});
}

// "tensor A, B : f16 ..", "let x = 3, y = 4;"
static bool several(struct parser *p, const int *set, int n) {
    int first = p->first.token;
    if (p->now.token != ',') return false;
    if (first == TOK_TENSOR && p->before.token == TOK_ID && slip_has(set, n, ':')) {
        diag_error(p->s, p->now.at, "each tensor has its own 'tensor'");
        slip_skip_rest(p);
        return true;
    }
    char name[64], mark[2];
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    next = arena_strndup(&p->s->arena, next, left < 80 ? left : 80);
    if (first != TOK_LET || !slip_has(set, n, ';') ||
        sscanf(next, " %63[A-Za-z0-9_] %1[=]", name, mark) != 2)
        return false;
    diag_error(p->s, p->now.at, "each value has its own 'let'");
    return fixed(p, p->now.at, "; let");
}

// "layout L = Sw<3,3,3>, 0, (8,64);", "layout L = (8,64),(64,1);"
static bool layout_list(struct parser *p, const int *set, int n) {
    if (p->now.token != ',' || p->first.token != TOK_LAYOUT || !slip_has(set, n, ';')) return false;
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    if (p->before.token == ')' && slip_follows(p, p->now.at.end, '(')) {
        diag_error(p->s, p->now.at, "write ':' between a shape and its stride");
        return fixed(p, p->now.at, ":");
    }
    size_t blanks = strspn(next, " "), digits = strspn(next + blanks, "0123456789"),
           comma = blanks + digits;
    if (p->before.token != '>' || digits == 0 || next[comma] != ',') return false;
    uint32_t at = p->now.at.end + (uint32_t)comma;
    diag_error(p->s, p->now.at, "write 'o OFFSET o' between a swizzle and its layout");
    diag_fixit(p->s, (struct range){p->file, at, at + 1}, " o");
    return fixed(p, p->now.at, " o");
}

// "tile(universal(128), thr:(16,8))"
static bool argument_colon(struct parser *p) {
    static const char *const names[] = {"thr:", "val:", "atoms:", "along:", "tv:", "tile:"};
    if (!slip_one_of(p->now.token, ':', ',') && p->now.token != ')') return false;
    if (p->first.token != TOK_TILED_COPY && p->first.token != TOK_COPY) return false;
    const char *line = so_far(p);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *at = strstr(line, names[i]);
        size_t length = strlen(names[i]);
        if (!at || at == line || isalnum((unsigned char)at[-1]) || at[-1] == '_') continue;
        uint32_t colon = p->first.at.begin + (uint32_t)(at - line + (long)length - 1);
        struct range here = {p->file, colon, colon + 1};
        diag_error(p->s, here, "an argument is given by '=': '%.*s='", (int)length - 1, names[i]);
        return fixed(p, here, "=");
    }
    return false;
}

// "a === b", "-->", "arch = sm_80", "fill s == 0", "expect 0 < BM < 100", "in (0 .. 3)"
static bool mark_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token, first = p->first.token;
    bool close = p->before.at.end == p->now.at.begin;
    if (now == '=' && last == TOK_EQ && close) {
        diag_error(p->s, slip_join(p->before.at, p->now.at), "'==' compares");
        return fixed(p, p->now.at, "");
    }
    if (now == TOK_ARROW && last == '-' && close) {
        diag_error(p->s, slip_join(p->before.at, p->now.at), "the arrow of a copy is '->'");
        return fixed(p, p->before.at, "");
    }
    if (now == '=' && last == TOK_ARCH && first == TOK_ARCH) {
        diag_error(p->s, p->now.at, "an architecture is written without '=': 'arch sm_80;'");
        return fixed(p, (struct range){p->file, p->before.at.end, p->now.at.end}, "");
    }
    const char *line = so_far(p), *two = strstr(line, " == ");
    if (first == TOK_FILL && now == ';' && slip_has(set, n, '=') && two) {
        uint32_t at = p->first.at.begin + (uint32_t)(two - line) + 1;
        struct range here = {p->file, at, at + 2};
        diag_error(p->s, here, "'==' compares; a value is given by '='");
        diag_fixit(p->s, here, "=");
        return true;
    }
    bool relation = slip_one_of(now, '<', '>') || slip_one_of(now, TOK_LE, TOK_GE);
    if (relation && first == TOK_EXPECT && slip_has(set, n, ';') && strpbrk(line, "<>")) {
        diag_error(p->s, p->now.at,
                   "each relation has its own 'expect': 'expect 0 < N; expect N < 100;'");
        slip_skip_rest(p);
        return true;
    }
    const char *in = strstr(line, " in (");
    if (slip_one_of(first, TOK_FOR, TOK_PIPELINE) && last == ')' && in && strstr(in, "..") &&
        slip_has(set, n, TOK_DOTDOT)) {
        uint32_t open = p->first.at.begin + (uint32_t)(in - line) + 4;
        diag_error(p->s, slip_join((struct range){p->file, open, open + 1}, p->before.at),
                   "a range has no parentheses: '0 .. 4'");
        diag_fixit(p->s, (struct range){p->file, open, open + 1}, "");
        diag_fixit(p->s, p->before.at, "");
        p->stopped = true;
        return true;
    }
    return false;
}

// "shared t : f16 shared (64,64)", "shared t : f16 (64,64) align 16"
static bool buffer_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, first = p->first.token;
    if (!slip_one_of(first, TOK_SHARED, TOK_FRAG)) return false;
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    struct range all = p->now.at;
    if ((slip_one_of(now, TOK_SHARED, TOK_GLOBAL) || now == TOK_FRAG) &&
        p->before.token == TOK_ID && slip_has(set, n, TOK_LIKE)) {
        all.end += (uint32_t)strspn(next, " ");
        diag_error(p->s, p->now.at,
                   "a buffer of a kernel has no second space; write it without '%s'",
                   slip_text(p, p->now.at));
        return fixed(p, all, "");
    }
    if (now != TOK_ALIGN || !slip_has(set, n, ';')) return false;
    size_t blanks = strspn(next, " "), digits = strspn(next + blanks, "0123456789");
    all.begin = p->before.at.end;
    all.end += (uint32_t)(blanks + digits);
    diag_error(p->s, p->now.at,
               "a buffer of a kernel is aligned as its copies need, without 'align'");
    return fixed(p, all, "");
}

bool slip_lists(struct parser *p, const int *set, int n) {
    return several(p, set, n) || layout_list(p, set, n) || argument_colon(p) ||
           mark_slip(p, set, n) || buffer_slip(p, set, n);
}
