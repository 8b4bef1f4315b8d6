// Unique names in emitted code: those of the plan where C allows them.
#include "lower/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/session.h"

static const char *const reserved[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "tid",
    "smem",
    "v",
    "from",
    "from_tile",
    "to",
    "to_tile",
    "whole",
    "block_x",
    "block_y",
    "block_z",
    "stream",
    "status",
    "bits",
    "which",
    "main",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "NULL",
    "linux",
    "unix",
    "char8_t",
    "char16_t",
    "char32_t",
    "co_await",
    "co_return",
    "co_yield",
    "consteval",
    "constinit",
};

void names_init(struct names *t, struct session *s) {
    *t = (struct names){s, NULL, 0, 0};
}

// Macros of the headers that emitted code includes; none of them ends in _.
static bool is_macro(const char *name) {
    static const char *const words[] = {"EOF",    "NAN",      "INFINITY", "BUFSIZ",
                                        "errno",  "assert",   "stdin",    "stdout",
                                        "stderr", "CHAR_BIT", "HUGE_VAL"};
    static const char *const tails[] = {"_MAX", "_MIN", "_WIDTH"};
    static const char *const heads[] = {"CUDA", "SEEK_", "FP_", "M_", "PRI", "SCN", "CLOCK_"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(name, words[i]) == 0) return true;
    }
    for (const char *c = name; *c; ++c) {
        if (*c >= 'a' && *c <= 'z') return false;
    }
    size_t n = strlen(name);
    if (n > 0 && name[n - 1] == '_') return false;
    for (unsigned i = 0; i < sizeof tails / sizeof tails[0]; ++i) {
        if (n > strlen(tails[i]) && strcmp(name + n - strlen(tails[i]), tails[i]) == 0) return true;
    }
    for (unsigned i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
    }
    return false;
}

static bool is_ours(const char *name) {
    return name[0] == '_' || strncmp(name, "tcp_", 4) == 0 || strncmp(name, "TCP_", 4) == 0;
}

static int taken(const struct names *t, const char *name) {
    for (int i = 0; i < t->n; ++i) {
        if (strcmp(t->at[i], name) == 0) return 1;
    }
    for (unsigned i = 0; i < sizeof reserved / sizeof reserved[0]; ++i) {
        if (strcmp(reserved[i], name) == 0) return 1;
    }
    // names that end in _t are types; tcp_, TCP_ and leading underscores belong to the runtime and
    // the compiler
    size_t n = strlen(name);
    if (n > 2 && strcmp(name + n - 2, "_t") == 0) return 1;
    return is_ours(name) || is_macro(name);
}

static void push(struct names *t, const char *name) {
    if (t->n == t->cap) {
        int cap = t->cap ? 2 * t->cap : 32;
        const char **at = ARENA_ARRAY(&t->s->arena, const char *, cap);
        if (t->n) memcpy(at, t->at, sizeof *at * (size_t)t->n);
        t->at = at;
        t->cap = cap;
    }
    t->at[t->n++] = name;
}

const char *names_own(struct session *s, const char *name) {
    return is_ours(name) ? arena_printf(&s->arena, "x%s%s", name[0] == '_' ? "" : "_", name) : name;
}

const char *names_take(struct names *t, const char *want) {
    char *name = arena_strndup(&t->s->arena, want, strlen(want));
    for (char *c = name; *c; ++c) {
        if (*c == '.') *c = '_';
    }
    const char *use = name;
    if (is_ours(name)) use = names_own(t->s, name);
    while (taken(t, use)) use = arena_printf(&t->s->arena, "%s_", use);
    push(t, use);
    return use;
}

const char *names_take_index(struct names *t) {
    static const char *const pool[] = {"i", "j", "k", "l", "m", "n", "p", "q"};
    for (unsigned i = 0; i < sizeof pool / sizeof pool[0]; ++i) {
        if (!taken(t, pool[i])) {
            push(t, pool[i]);
            return pool[i];
        }
    }
    return names_take(t, "i");
}

void names_release(struct names *t, const char *name) {
    for (int i = t->n - 1; i >= 0; --i) {
        if (t->at[i] != name) continue;
        memmove(&t->at[i], &t->at[i + 1], sizeof *t->at * (size_t)(t->n - i - 1));
        --t->n;
        return;
    }
}
