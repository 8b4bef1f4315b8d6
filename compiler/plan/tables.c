// Element types, spaces and architectures, and look-ups in a plan.
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

const struct formal *kernel_formal(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].tensor == t) return &k->formal[i];
    return NULL;
}
