// Words of CUDA C++ and of CuTe (see foreign.h): tables, and a translator of CuTe's types.
#include "syntax/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"

// -- words ----------------------------------------------------------------------------------------

const char *foreign_type(const char *name) {
    static const char types[][2][16] = {
        {"half", "f16"},
        {"__half", "f16"},
        {"half_t", "f16"},
        {"float16", "f16"},
        {"float16_t", "f16"},
        {"fp16", "f16"},
        {"__nv_bfloat16", "bf16"},
        {"bfloat16", "bf16"},
        {"bfloat16_t", "bf16"},
        {"float", "f32"},
        {"float32", "f32"},
        {"fp32", "f32"},
        {"tf32", "f32"},
        {"tfloat32_t", "f32"},
        {"double", "f64"},
        {"float64", "f64"},
        {"float_e4m3_t", "f8e4m3"},
        {"__nv_fp8_e4m3", "f8e4m3"},
        {"float_e5m2_t", "f8e5m2"},
        {"__nv_fp8_e5m2", "f8e5m2"},
        {"char", "s8"},
        {"int8_t", "s8"},
        {"uint8_t", "u8"},
        {"int16_t", "s16"},
        {"short", "s16"},
        {"uint16_t", "u16"},
        {"int", "s32"},
        {"int32_t", "s32"},
        {"uint32_t", "u32"},
        {"unsigned", "u32"},
        {"uint", "u32"},
        {"int64_t", "s64"},
        {"uint64_t", "u64"},
        {"uint128_t", "b128"},
        {"int8", "s8"},
        {"uint8", "u8"},
        {"int32", "s32"},
        {"uint32", "u32"},
        {"i32", "s32"},
        {"i8", "s8"},
        {"int64", "s64"},
        {"uint64", "u64"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcmp(name, types[i][0]) == 0) return types[i][1];
    return NULL;
}

static const struct foreign *find(const struct foreign *all, size_t n, const char *name) {
    for (size_t i = 0; i < n; ++i)
        if (strcmp(name, all[i].name) == 0) return &all[i];
    return NULL;
}

#define FIND(table, name) find(table, sizeof(table) / sizeof *(table), name)

const struct foreign *foreign_word(const char *name) {
    static const struct foreign words[] = {
        {"blockDim", NULL,
         "'threads N' behind the kernel's list says how many threads a block has"},
        {"gridDim", NULL, "'grid (..)' behind the kernel's list says how many blocks there are"},
        {"warpSize", "32", NULL},
        {"laneId", "lane", NULL},
        {"lane_id", "lane", NULL},
        {"warpId", "warp", NULL},
        {"warp_id", "warp", NULL},
        {"LayoutRight", NULL, "'row(SHAPE)' is the compact layout whose last mode is the fastest"},
        {"LayoutLeft", NULL, "a shape alone is the compact layout whose first mode is the fastest"},
        {"GenRowMajor", NULL, "'row(SHAPE)' is the compact layout whose last mode is the fastest"},
        {"GenColMajor", NULL,
         "a shape alone is the compact layout whose first mode is the fastest"},
        {"make_tensor", NULL,
         "a tensor is declared: 'tensor A : f16 global (M,N);', 'shared s : f16 (64,64);', 'frag r "
         ": f16 (8);'"},
        {"make_tiled_copy", NULL, "a tiled copy is 'tile(ATOM, thr=LAYOUT, val=LAYOUT)'"},
        {"make_tiled_mma", NULL, "a tiled MMA is 'mma(m16n8k16.f32.f16.f16.f32, warps=(2,2,1))'"},
        {"SM75_U32x1_LDSM_N", "ldmatrix.x1", NULL},
        {"SM75_U32x2_LDSM_N", "ldmatrix.x2", NULL},
        {"SM75_U32x4_LDSM_N", "ldmatrix.x4", NULL},
        {"SM75_U16x2_LDSM_T", "ldmatrix.x1.trans", NULL},
        {"SM75_U16x4_LDSM_T", "ldmatrix.x2.trans", NULL},
        {"SM75_U16x8_LDSM_T", "ldmatrix.x4.trans", NULL},
        {"SM90_U32x1_STSM_N", "stmatrix.x1", NULL},
        {"SM90_U32x2_STSM_N", "stmatrix.x2", NULL},
        {"SM90_U32x4_STSM_N", "stmatrix.x4", NULL},
        {"SM90_U16x2_STSM_T", "stmatrix.x1.trans", NULL},
        {"SM90_U16x4_STSM_T", "stmatrix.x2.trans", NULL},
        {"SM90_U16x8_STSM_T", "stmatrix.x4.trans", NULL},
        {"operand_D", "operand_C", NULL},  // D has the layout of C
        {"DefaultCopy", "auto(128)", NULL},
        {"AutoVectorizingCopy", "auto(128)", NULL},
    };
    return FIND(words, name);
}

const struct foreign *foreign_statement(const char *name) {
    static const struct foreign words[] = {
        {"__syncthreads", "sync", "the compiler places the barriers"},
        {"cp_async_fence", "commit", "the compiler commits asynchronous copies"},
        {"cp_async_wait", "wait %s", "the compiler waits for asynchronous copies"},
        {"__shared__", NULL, "shared memory is declared by 'shared NAME : TYPE LAYOUT;'"},
        {"if", NULL, "a plan has no conditions; elements outside a tensor are guarded"},
        {"auto", "let", NULL},
    };
    return FIND(words, name);
}

const struct foreign *foreign_declaration(const char *name) {
    static const struct foreign words[] = {
        {"__global__", NULL, "a kernel is 'kernel NAME(A, out B) grid (..) threads N { .. }'"},
        {"__device__", NULL,
         "a device function is 'device NAME(A, out s : f16 shared (64)) { .. }'"},
        {"__shared__", NULL, "shared memory is declared in a kernel: 'shared NAME : TYPE LAYOUT;'"},
        {"constexpr", NULL, "a constant is 'const NAME = VALUE;'"},
        {"static", NULL, "a constant is 'const NAME = VALUE;'"},
        {"auto", NULL,
         "what it is stands first: 'const', 'layout', 'atom', 'tiled_copy' NAME = ..;"},
        {"using", NULL, "what it is stands first: 'layout', 'atom', 'tiled_copy' NAME = ..;"},
        {"template", NULL, "a const takes the place of a template's argument; -D gives it anew"},
    };
    return FIND(words, name);
}

// -- CuTe's types ---------------------------------------------------------------------------------

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
    blanks(r);
    const char *from = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_')) ++r->at;
    return r->at > from ? arena_strndup(&r->s->arena, from, (size_t)(r->at - from)) : NULL;
}

static const char *value(struct reader *r);

// The parts up to "close"; false where one of them is not understood.
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

static bool is_one_of(const char *name, const char *const *all) {
    for (; *all; ++all)
        if (strcmp(name, *all) == 0) return true;
    return false;
}

static int bits_of(const char *type) {
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

static const char *made(struct session *s, const char *name, const char *const *part, int n) {
    static const char *const integers[] = {"Int", "C", NULL},
                             *const tuples[] = {"Shape",      "Stride",      "Step",       "Coord",
                                                "make_shape", "make_stride", "make_coord", NULL},
                             *const tilers[] = {"Tile", "make_tile", NULL},
                             *const layouts[] = {"Layout", "make_layout", NULL};
    if (is_one_of(name, integers) && n == 1) return part[0];
    if (is_one_of(name, tuples)) return tuple(s, part, n);
    if (is_one_of(name, tilers)) {
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
    if (strcmp(name, "Copy_Atom") == 0 && n == 2) {
        size_t length = strlen(part[0]);
        bool typed = strncmp(part[0], "universal(", 10) == 0;
        return typed ? arena_printf(&s->arena, "%.*s, %s)", (int)length - 1, part[0], part[1])
                     : part[0];
    }
    if (strcmp(name, "make_tiled_copy") == 0 && (n == 2 || n == 3))
        return arena_printf(&s->arena, n == 3 ? "tile(%s, thr=%s, val=%s)" : "tile(%s, thr=%s)",
                            part[0], part[1], n == 3 ? part[2] : "");
    if (strcmp(name, "composition") == 0 && n == 2 && strncmp(part[0], "Sw<", 3) == 0)
        return arena_printf(&s->arena, "%s o 0 o %s", part[0], part[1]);
    return n == 1 ? atom(s, name, part[0]) : NULL;
}

// The text of a name that stands alone: "_4", a type, an instruction, a constant of the plan.
static const char *alone(const char *name) {
    const char *type = foreign_type(name);
    const struct foreign *w = foreign_word(name);
    if (name[0] == '_' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0')
        return name + 1;
    return type ? type : w && w->ours ? w->ours : name;
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
        if (!known) {  // some call of the plan's own
            const char *t = tuple(r->s, part, n);
            text = arena_printf(&r->s->arena, "%s%s", name, t);
        }
    } else {
        text = alone(name);
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

const char *foreign_expression(struct session *s, const char *text, size_t size, bool plain,
                               size_t *length) {
    static const char *const calls[] = {"make_shape",  "make_stride", "make_coord",
                                        "make_tile",   "make_layout", "make_tiled_copy",
                                        "composition", NULL};
    static const char *const types[] = {"Int",     "C",         "Shape",         "Stride",
                                        "Step",    "Coord",     "Tile",          "Layout",
                                        "Swizzle", "Copy_Atom", "UniversalCopy", NULL};
    struct reader r = {s, text, text + size, 0};
    const char *name = word(&r);
    if (!name) return NULL;
    char next = r.at < r.end ? *r.at : '\0';
    bool digits = name[0] == '_' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
    bool async = strncmp(name, "SM80_CP_ASYNC_CACHE", 19) == 0 || strncmp(name, "AutoVec", 7) == 0;
    bool known = (next == '<' && (is_one_of(name, types) || async)) ||
                 (next == '(' && is_one_of(name, calls)) || (next == '{' && digits);
    if (!known) return NULL;
    r.at = text;
    const char *made_of = named(&r);
    if (!made_of) return NULL;
    *length = (size_t)(r.at - text);
    bool cpp = memchr(text, '{', *length) || next == '<' || memchr(text, '<', *length);
    return plain || cpp ? made_of : NULL;
}
