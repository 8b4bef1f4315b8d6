// nvrtc [NVRTC [CUDA]]: plans three relayouts, compiles them by NVRTC, launches them by the driver's
// API, and compares what they wrote.  The arguments name other libraries than the usual ones.
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
static void *cuda;  // the driver
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
static char *compile(const char *text, const char *arch) {
    char target[32];
    const char *options[] = {target, "-device-int128", "-std=c++17"};
    void *program;
    size_t size;
    snprintf(target, sizeof target, "-arch=%s", arch);
    CHECK(nvrtcCreateProgram(&program, text, "plan.cu", 0, NULL, NULL));
    int error = nvrtcCompileProgram(program, 3, options);
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

// Whether the transpose "to" of the "m" x "n" matrix "from" is right.
static int is_transpose(const char *to, const char *from, int64_t m, int64_t n, size_t bytes) {
    for (int64_t i = 0; i < m * n; ++i)
        if (memcmp(to + (i % n * m + i / n) * (int64_t)bytes, from + i * (int64_t)bytes, bytes))
            return 0;
    return 1;
}

// Launches "l", which transposes a matrix of "m" x "n" elements, with these params.
static int run(const struct tcpc_launch *l, void *module, const int64_t *param, int64_t m,
               int64_t n) {
    enum { BUFFER = 1, BUFFER_SIZE = 2, MOST_SHARED = 8 };
    size_t element = (size_t)l->tensor[0]->element_bits / 8, bytes = (size_t)(m * n) * element;
    char *host[2] = {malloc(bytes), calloc(1, bytes)};
    uint64_t address[2];
    for (size_t k = 0; k < bytes; ++k) host[0][k] = (char)rand();
    for (int i = 0; i < 2; ++i) {
        CHECK(cuMemAlloc_v2(&address[i], bytes));
        CHECK(cuMemcpyHtoD_v2(address[i], host[i], bytes));
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
    CHECK(cuMemcpyDtoH_v2(host[1], address[1], bytes));
    int right = is_transpose(host[1], host[0], m, n, element);
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

// Plans, compiles and runs the transpose of a matrix, whose extents are "m" and "n" or the params "M"
// and "N".
static int transpose(int open, const char *arch, int64_t m, int64_t n) {
    const struct tcpc_open M = {.size = sizeof M, .name = "M"}, N = {.size = sizeof N, .name = "N"};
    const struct tcpc_open *const params[] = {&M, &N};
    const struct tcpc_integer extent[] = {{m, open ? "M" : NULL}, {n, open ? "N" : NULL}},
                              stride[] = {{1, NULL}, extent[0]};
    const struct tcpc_side from = {.size = sizeof from, .element = "f16", .align = 16},
                           to = {.size = sizeof to, .element = "f16", .stride = stride};
    const struct tcpc_relayout relayout = {.size = sizeof relayout,
                                           .rank = 2,
                                           .extent = extent,
                                           .from = &from,
                                           .to = &to,
                                           .open = params,
                                           .nopen = open ? 2 : 0};
    struct tcpc_options options = {.size = sizeof options, .emit = TCPC_EMIT_ALONE, .arch = arch};
    struct tcpc_result *r;
    void *module;
    if (tcpc_compile_relayout(&relayout, &options, &r) == TCPC_NO_MEMORY) return 0;
    for (size_t i = 0; i < r->nmessages; ++i) fprintf(stderr, "%s\n", r->message[i]->text);
    int right = r->status == TCPC_OK;
    if (right) {
        char *cubin = compile(r->output.bytes, arch);
        FIND(cuda, cuModuleLoadData);
        CHECK(cuModuleLoadData(&module, cubin));
        right = run(r->launch[0], module, (const int64_t[]){m, n}, m, n);
        printf("  %s\n", r->planned[0]->why);
        free(cubin);
    }
    tcpc_free(r);
    return right;
}

int main(int argc, char **argv) {
    void *nvrtc = dlopen(argc > 1 ? argv[1] : "libnvrtc.so", RTLD_NOW), *context;
    char arch[16] = "sm_90";  // without a GPU, which is missed after the compilation
    int device, major, minor;
    FIND(nvrtc, nvrtcCreateProgram), FIND(nvrtc, nvrtcCompileProgram);
    FIND(nvrtc, nvrtcGetProgramLogSize), FIND(nvrtc, nvrtcGetProgramLog);
    FIND(nvrtc, nvrtcGetCUBINSize), FIND(nvrtc, nvrtcGetCUBIN);
    cuda = dlopen(argc > 2 ? argv[2] : "libcuda.so.1", RTLD_NOW);
    if (cuda) {
        FIND(cuda, cuInit), FIND(cuda, cuDeviceGet), FIND(cuda, cuDeviceGetAttribute);
        FIND(cuda, cuDevicePrimaryCtxRetain), FIND(cuda, cuCtxSetCurrent);
        FIND(cuda, cuModuleGetFunction), FIND(cuda, cuFuncSetAttribute);
        FIND(cuda, cuLaunchKernel), FIND(cuda, cuCtxSynchronize), FIND(cuda, cuMemFree_v2);
        FIND(cuda, cuMemAlloc_v2), FIND(cuda, cuMemcpyHtoD_v2), FIND(cuda, cuMemcpyDtoH_v2);
        if (cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0) {
            fprintf(stderr, "skipped: no GPU\n");
            return SKIPPED;
        }
        CHECK(cuDeviceGetAttribute(&major, 75, device));
        CHECK(cuDeviceGetAttribute(&minor, 76, device));
        CHECK(cuDevicePrimaryCtxRetain(&context, device));
        CHECK(cuCtxSetCurrent(context));
        snprintf(arch, sizeof arch, "sm_%d%d", major, minor);
    }
    int right = transpose(0, arch, 300, 500);
    right &= transpose(1, arch, 1024, 512);
    right &= transpose(1, arch, 1023, 77);
    return !right;
}
