// The constant tables of the language: element types, spaces, atoms; and look-ups in a plan.
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/session.h"
#include "plan/plan.h"

const struct elem_type elem_types[] = {
    {"u8", "uint8_t", 8, ELEM_UINT},         {"s8", "int8_t", 8, ELEM_SINT},
    {"u16", "uint16_t", 16, ELEM_UINT},      {"s16", "int16_t", 16, ELEM_SINT},
    {"u32", "uint32_t", 32, ELEM_UINT},      {"s32", "int32_t", 32, ELEM_SINT},
    {"u64", "uint64_t", 64, ELEM_UINT},      {"s64", "int64_t", 64, ELEM_SINT},
    {"f16", "tcp_f16", 16, ELEM_FLOAT},      {"bf16", "tcp_bf16", 16, ELEM_FLOAT},
    {"f32", "float", 32, ELEM_FLOAT},        {"f64", "double", 64, ELEM_FLOAT},
    {"f8e4m3", "tcp_f8e4m3", 8, ELEM_FLOAT}, {"f8e5m2", "tcp_f8e5m2", 8, ELEM_FLOAT},
    {"b8", "tcp_b8", 8, ELEM_RAW},           {"b16", "tcp_b16", 16, ELEM_RAW},
    {"b32", "tcp_b32", 32, ELEM_RAW},        {"b64", "tcp_b64", 64, ELEM_RAW},
    {"b128", "tcp_b128", 128, ELEM_RAW},
};
const int n_elem_types = sizeof elem_types / sizeof elem_types[0];

const struct elem_type *elem_type_find(const char *name) {
    for (int i = 0; i < n_elem_types; ++i) {
        if (strcmp(elem_types[i].name, name) == 0) return &elem_types[i];
    }
    return NULL;
}

const char *space_name(enum space s) {
    static const char *const names[] = {"global", "shared", "frag"};
    return names[s];
}

#define IN(space) (1u << MEM_##space)
#define ANYWHERE  (IN(GLOBAL) | IN(SHARED) | IN(FRAG))

const struct atom_row atom_rows[] = {
    {ATOM_UNIVERSAL,
     "universal",
     "UniversalCopy<uintN_t>",
     1,
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     0,
     {8, 16, 32, 64, 128},
     true,
     ANYWHERE,
     ANYWHERE,
     SYNC_PLAIN,
     false},
    {ATOM_AUTO,
     "auto",
     "AutoVectorizingCopyWithAssumedAlignment<N>",
     1,
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     0,
     {8, 16, 32, 64, 128},
     false,
     ANYWHERE,
     ANYWHERE,
     SYNC_PLAIN,
     false},
    {ATOM_CP_ASYNC,
     "cp_async.ca",
     "SM80_CP_ASYNC_CACHEALWAYS<uintN_t>",
     1,
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     80,
     {32, 64, 128},
     true,
     IN(GLOBAL),
     IN(SHARED),
     SYNC_CP_ASYNC,
     true},
    {ATOM_CP_ASYNC,
     "cp_async.cg",
     "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>",
     1,
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     "(1,W):(0,1)",
     80,
     {128},
     true,
     IN(GLOBAL),
     IN(SHARED),
     SYNC_CP_ASYNC,
     true},
};
const int n_atom_rows = sizeof atom_rows / sizeof atom_rows[0];

const struct atom_row *atom_find(const char *name) {
    for (int i = 0; i < n_atom_rows; ++i) {
        if (strcmp(atom_rows[i].name, name) == 0) return &atom_rows[i];
    }
    return NULL;
}

const char *atom_of(struct session *s, const struct atom *a, const struct elem_type *elem) {
    int width = a->row->in_bytes ? a->bits / 8 : a->bits;
    const char *of = elem ? arena_printf(&s->arena, ", %s", elem->name) : "";
    const char *l2 = a->l2 ? arena_printf(&s->arena, ", l2=%d", a->l2) : "";
    return arena_printf(&s->arena, "%s(%d%s%s)", a->row->name, width, of, l2);
}

const char *atom_text(struct session *s, const struct atom *a) {
    return atom_of(s, a, NULL);
}

const char *bound_name(enum bound b) {
    static const char *const names[N_BOUNDS] = {
        "atom",
        "conversion",
        "contiguous run of the source",
        "contiguous run of the destination",
        "contiguous run common to both sides",
        "alignment of the source",
        "alignment of the destination",
        "divisibility of the source",
        "divisibility of the destination",
        "swizzle base of the source",
        "swizzle base of the destination",
        "predicate",
    };
    return names[b];
}

struct kernel *plan_next(const struct plan *p, const struct kernel *k) {
    if (!k) return p->kernels ? p->kernels : p->devices;
    if (k->next || k->device) return k->next;
    return p->devices;
}

const struct tiled_copy *plan_find_tiled(const struct plan *p, const char *name) {
    for (int i = 0; i < p->ntiled; ++i) {
        if (strcmp(p->tiled[i]->name, name) == 0) return p->tiled[i];
    }
    return NULL;
}

const struct kernel *plan_find_kernel(const struct plan *p, const char *name) {
    for (const struct kernel *k = p->kernels; k; k = k->next) {
        if (strcmp(k->name, name) == 0) return k;
    }
    return NULL;
}

int arch_find(const char *name, const char **near) {
    // with "a" what is of that architecture alone, with "f" of its family
    static const char *const names[] = {"sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_89",
                                        "sm_90",   "sm_90a",  "sm_100",  "sm_100a", "sm_100f",
                                        "sm_103",  "sm_103a", "sm_103f", "sm_120",  "sm_120a",
                                        "sm_120f", "sm_121",  "sm_121a", "sm_121f"};
    int n = sizeof names / sizeof names[0];
    *near = NULL;
    for (int i = 0; i < n; ++i) {
        if (strcmp(names[i], name) == 0) return atoi(name + 3);
    }
    *near = diag_did_you_mean(name, names, n);
    return 0;
}

const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].tensor == t) return &k->formal[i];
    return NULL;
}
