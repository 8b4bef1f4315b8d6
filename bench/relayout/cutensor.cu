// cuTENSOR's permutation.  The library is opened at run time: without it the peer is left out.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <cutensor.h>
#include <dlfcn.h>

#include "relayout.h"

#define FUNCTIONS(X)                                                                               \
    X(cutensorCreate)                                                                              \
    X(cutensorGetVersion)                                                                          \
    X(cutensorCreateTensorDescriptor)                                                              \
    X(cutensorDestroyTensorDescriptor)                                                             \
    X(cutensorCreatePermutation)                                                                   \
    X(cutensorDestroyOperationDescriptor)                                                          \
    X(cutensorCreatePlanPreference)                                                                \
    X(cutensorDestroyPlanPreference)                                                               \
    X(cutensorCreatePlan)                                                                          \
    X(cutensorDestroyPlan)                                                                         \
    X(cutensorPermute)                                                                             \
    X(cutensorGetErrorString)

namespace {

#define DECLARE(name) decltype(&::name) name;
struct functions {
    FUNCTIONS(DECLARE)
} api;
void *library;
cutensorHandle_t handle;

struct {
    cutensorTensorDescriptor_t from, to;
    cutensorOperationDescriptor_t operation;
    cutensorPlanPreference_t preference;
    cutensorPlan_t plan;
    bool wide;
} now;

bool good(cutensorStatus_t status, const char *what) {
    if (status != CUTENSOR_STATUS_SUCCESS)
        std::fprintf(stderr, "cuTENSOR, %s: %s\n", what, api.cutensorGetErrorString(status));
    return status == CUTENSOR_STATUS_SUCCESS;
}

cutensorComputeDescriptor_t compute(const char *name) {
    return *(cutensorComputeDescriptor_t *)dlsym(library, name);
}

}  // namespace

extern "C" {

// The library's version, or 0 where it cannot be opened.
int cutensor_open(const char *path) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
#define FIND(name)                                                                                 \
    if (!(api.name = (decltype(api.name))dlsym(library, #name))) return 0;
    FUNCTIONS(FIND)
    return good(api.cutensorCreate(&handle), "cutensorCreate") ? (int)api.cutensorGetVersion() : 0;
}

void cutensor_forget() {
    if (now.plan) api.cutensorDestroyPlan(now.plan);
    if (now.preference) api.cutensorDestroyPlanPreference(now.preference);
    if (now.operation) api.cutensorDestroyOperationDescriptor(now.operation);
    if (now.from) api.cutensorDestroyTensorDescriptor(now.from);
    if (now.to) api.cutensorDestroyTensorDescriptor(now.to);
    now = {};
}

// Plans the case, from then on the one that is launched; the addresses are multiples of 'align'.
// Types of 16 bytes are taken as complex numbers.
int cutensor_plan(const relayout_case *c, int align) {
    cutensor_forget();
    const cudaDataType_t type = c->size == 1   ? CUDA_R_8U
                                : c->size == 2 ? CUDA_R_16F
                                : c->size == 4 ? CUDA_R_32F
                                : c->size == 8 ? CUDA_R_64F
                                               : CUDA_C_64F;
    now.wide = c->size >= 8;
    int64_t extent[MODES], src[MODES], dst[MODES];
    int32_t modes[MODES];
    for (int m = 0; m < c->rank; ++m) {
        extent[m] = c->extent[m], src[m] = c->src[m], dst[m] = c->dst[m];
        modes[m] = 'a' + m;
    }
    const bool planned =
        good(api.cutensorCreateTensorDescriptor(handle, &now.from, c->rank, extent, src, type,
                                                align),
             "source") &&
        good(api.cutensorCreateTensorDescriptor(handle, &now.to, c->rank, extent, dst, type, align),
             "destination") &&
        good(api.cutensorCreatePermutation(
                 handle, &now.operation, now.from, modes, CUTENSOR_OP_IDENTITY, now.to, modes,
                 compute(now.wide ? "CUTENSOR_COMPUTE_DESC_64F" : "CUTENSOR_COMPUTE_DESC_32F")),
             "permutation") &&
        good(api.cutensorCreatePlanPreference(handle, &now.preference, CUTENSOR_ALGO_DEFAULT,
                                              CUTENSOR_JIT_MODE_NONE),
             "preference") &&
        good(api.cutensorCreatePlan(handle, &now.plan, now.operation, now.preference, 0), "plan");
    return planned ? LAUNCHED : NO_KERNEL;
}

int cutensor_launch(const relayout_case *c, const void *from, void *to) {
    const double one[2] = {1, 0};
    const float one_f = 1;
    const char *begin = (const char *)from + c->skip * c->size;
    const void *alpha = now.wide ? (const void *)one : (const void *)&one_f;
    return api.cutensorPermute(handle, now.plan, alpha, begin, to, 0) == CUTENSOR_STATUS_SUCCESS
               ? LAUNCHED
               : FAILED;
}
}
