// nvrtc RUNTIME [NVRTC [CUDA]]: plans two copies, compiles them by NVRTC with the headers in the
// folder RUNTIME, launches them by the driver's API, and compares what they wrote.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcpc.h>

enum { SKIPPED = 77 };  // there is no such library, or no GPU

// One library's functions, found by their names.
static void *find(void *library, const char *name) {
    void *f = library ? dlsym(library, name) : NULL;
    if (!f) {
        fprintf(stderr, "skipped: no %s\n", name);
        exit(SKIPPED);
    }
    return f;
}
#define FIND(library, name) (*(void **)&name = find(library, #name))

static int (*nvrtcCreateProgram)(void **, const char *, const char *, int, void *, void *);
static int (*nvrtcCompileProgram)(void *, int, const char *const *);
static int (*nvrtcGetProgramLogSize)(void *, size_t *), (*nvrtcGetProgramLog)(void *, char *);
static int (*nvrtcGetCUBINSize)(void *, size_t *), (*nvrtcGetCUBIN)(void *, char *);
static int (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuCtxSetCurrent)(void *);
static int (*cuDeviceGetAttribute)(int *, int, int), (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuModuleLoadData)(void **, const void *), (*cuFuncSetAttribute)(void *, int, int);
static int (*cuModuleGetFunction)(void **, void *, const char *), (*cuCtxSynchronize)(void);
static int (*cuMemAlloc_v2)(uint64_t *, size_t), (*cuMemFree_v2)(uint64_t);
static int (*cuMemcpyHtoD_v2)(uint64_t, const void *, size_t);
static int (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);
static int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, void *, void **, void **);

static void check(int error, const char *what) {
    if (error == 0) return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
}
#define CHECK(call) check((call), #call)

// Compiles the device code "text" to a cubin, for the caller to free.
static char *compile(const char *text, const char *runtime, const char *arch) {
    char folder[4096], target[32];
    const char *options[] = {folder, target, "-device-int128", "-std=c++17"};
    void *program;
    size_t size;
    snprintf(folder, sizeof folder, "-I%s", runtime);
    snprintf(target, sizeof target, "-arch=%s", arch);
    CHECK(nvrtcCreateProgram(&program, text, "plan.cu", 0, NULL, NULL));
    int error = nvrtcCompileProgram(program, 4, options);
    CHECK(nvrtcGetProgramLogSize(program, &size));
    char *log = calloc(1, size + 1);
    CHECK(nvrtcGetProgramLog(program, log));
    fputs(log, stderr);
    free(log);
    check(error, "nvrtcCompileProgram");
    CHECK(nvrtcGetCUBINSize(program, &size));
    char *cubin = malloc(size);
    CHECK(nvrtcGetCUBIN(program, cubin));
    return cubin;
}

// Whether each element of "a" is at its place in "b": tensors of one shape and one type.
static int same(const struct tcpc_tensor *a, const unsigned char *from, const struct tcpc_tensor *b,
                const unsigned char *to, const int64_t *param) {
    int64_t extent[32], stride[2][32], at[32] = {0}, offset[2] = {0}, bytes = a->element_bits / 8;
    for (size_t i = 0; i < a->nmodes; ++i) {
        tcpc_value_at(&a->mode[i]->extent, param, &extent[i]);
        tcpc_value_at(&a->mode[i]->stride, param, &stride[0][i]);
        tcpc_value_at(&b->mode[i]->stride, param, &stride[1][i]);
    }
    for (size_t i = 0; i < a->nmodes;) {  // counts "at" up, the first mode fastest
        if (i == 0 && memcmp(from + offset[0] * bytes, to + offset[1] * bytes, (size_t)bytes) != 0)
            return 0;
        offset[0] += stride[0][i];
        offset[1] += stride[1][i];
        if (++at[i] < extent[i]) {
            i = 0;
            continue;
        }
        offset[0] -= extent[i] * stride[0][i];
        offset[1] -= extent[i] * stride[1][i];
        at[i++] = 0;
    }
    return 1;
}

// Launches "l", whose tensors are a source and a destination, with these params.
static int run(const struct tcpc_launch *l, void *module, const int64_t *param) {
    enum { BUFFER = 1, BUFFER_SIZE = 2, MOST_SHARED = 8 };
    unsigned char *host[2];
    uint64_t address[2];
    int64_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        if (!tcpc_value_at(&l->tensor[i]->bytes, param, &bytes[i])) return 0;
        host[i] = malloc((size_t)bytes[i]);
        for (int64_t k = 0; k < bytes[i]; ++k) host[i][k] = (unsigned char)(i ? 0 : rand());
        CHECK(cuMemAlloc_v2(&address[i], (size_t)bytes[i]));
        CHECK(cuMemcpyHtoD_v2(address[i], host[i], (size_t)bytes[i]));
    }
    void *arguments = malloc(l->argument_bytes), *function;
    struct tcpc_call call = {.size = sizeof call};
    if (tcpc_launch_evaluate(l, param, address, arguments, &call) != TCPC_LAUNCH_OK) {
        fprintf(stderr, "%s\n", call.message);
        return 0;
    }
    if (call.variant) {  // otherwise there is nothing to do
        const struct tcpc_variant *v = call.variant;
        size_t size = v->argument_bytes;
        void *extra[] = {(void *)BUFFER, arguments, (void *)BUFFER_SIZE, &size, NULL};
        CHECK(cuModuleGetFunction(&function, module, v->symbol));
        if (v->shared_to_set)
            CHECK(cuFuncSetAttribute(function, MOST_SHARED, (int)v->shared_to_set));
        CHECK(cuLaunchKernel(function, call.grid[0], call.grid[1], call.grid[2],
                             (unsigned)v->threads, 1, 1, (unsigned)v->shared_bytes, NULL, NULL,
                             extra));
    }
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH_v2(host[1], address[1], (size_t)bytes[1]));
    int right = same(l->tensor[0], host[0], l->tensor[1], host[1], param);
    printf("%s by %s: %s\n", l->name, call.variant ? call.variant->symbol : "nobody",
           right ? "right" : "WRONG");
    for (int i = 0; i < 2; ++i) {
        CHECK(cuMemFree_v2(address[i]));
        free(host[i]);
    }
    address[0] = 0;  // a wrong call launches nothing, and says why
    int told = tcpc_launch_evaluate(l, param, address, arguments, &call) == TCPC_LAUNCH_NULL;
    printf("  %s\n", call.message);
    free(arguments);
    return right && told;
}

int main(int argc, char **argv) {
    static const char plan[] = "tcp 1;\nparam M, N : index in 1 .. 100000;\n"
                               "tensor A : f16 global (300,500):(500,1) align 16;\n"
                               "tensor B : f16 global (300,500):(1,300) align 16;\n"
                               "tensor C : f32 global (M,N):(N,1);\n"
                               "tensor D : f32 global (M,N):(1,M);\n"
                               "kernel numbers(A, out B) { copy A -> B; }\n"
                               "kernel params(C, out D) { copy C -> D; }\n";
    void *nvrtc = dlopen(argc > 2 ? argv[2] : "libnvrtc.so", RTLD_NOW);
    FIND(nvrtc, nvrtcCreateProgram), FIND(nvrtc, nvrtcCompileProgram);
    FIND(nvrtc, nvrtcGetProgramLogSize), FIND(nvrtc, nvrtcGetProgramLog);
    FIND(nvrtc, nvrtcGetCUBINSize), FIND(nvrtc, nvrtcGetCUBIN);
    struct tcpc_options options = {.size = sizeof options, .emit = TCPC_EMIT_DEVICE};
    struct tcpc_result *r;
    char arch[16] = "sm_90";
    void *context, *module, *cuda = dlopen(argc > 3 ? argv[3] : "libcuda.so.1", RTLD_NOW);
    int device, major, minor;
    if (cuda) {
        FIND(cuda, cuInit), FIND(cuda, cuDeviceGet), FIND(cuda, cuDeviceGetAttribute);
        if (cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0) find(NULL, "device");
        CHECK(cuDeviceGetAttribute(&major, 75, device) | cuDeviceGetAttribute(&minor, 76, device));
        snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
    }
    options.arch = arch;
    if (tcpc_compile("plan.tcp", plan, strlen(plan), &options, &r) == TCPC_NO_MEMORY) return 2;
    for (size_t i = 0; i < r->nmessages; ++i) fprintf(stderr, "%s\n", r->message[i]->text);
    if (r->status != TCPC_OK) return 1;
    char *cubin = compile(r->output.bytes, argc > 1 ? argv[1] : "runtime", arch);
    FIND(cuda, cuDevicePrimaryCtxRetain), FIND(cuda, cuCtxSetCurrent), FIND(cuda, cuModuleLoadData);
    FIND(cuda, cuModuleGetFunction), FIND(cuda, cuFuncSetAttribute), FIND(cuda, cuLaunchKernel);
    FIND(cuda, cuMemAlloc_v2), FIND(cuda, cuMemcpyHtoD_v2), FIND(cuda, cuMemcpyDtoH_v2);
    FIND(cuda, cuCtxSynchronize), FIND(cuda, cuMemFree_v2);
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, cubin));
    static const int64_t sizes[][2] = {{1024, 512}, {1023, 77}};
    int right = run(r->launch[0], module, NULL);
    for (int i = 0; i < 2; ++i) right &= run(r->launch[1], module, sizes[i]);
    tcpc_free(r);
    free(cubin);
    return !right;
}
