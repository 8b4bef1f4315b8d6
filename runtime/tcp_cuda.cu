// Device memory, and the harness's backend for a GPU, on top of the CUDA runtime API. Not part of
// the headers, because a program with an allocator of its own does not need it.
#include <cuda_runtime_api.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tcp_backend.h"
#include "tcp_runtime.h"

static tcp_status memory_status(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error == cudaSuccess ? TCP_OK : TCP_ERR_MEMORY;
}

tcp_status tcp_alloc(void **out, size_t bytes) {
    *out = nullptr;
    return memory_status(cudaMalloc(out, bytes ? bytes : 1));
}

tcp_status tcp_free(void *memory) {
    return memory_status(cudaFree(memory));
}

tcp_status tcp_wait(tcp_stream stream) {
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) return TCP_OK;
    cudaGetLastError();
    return TCP_ERR_DEVICE;
}

static tcp_status copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                       tcp_stream stream) {
    const tcp_status status = memory_status(cudaMemcpyAsync(to, from, bytes, kind, stream));
    return status == TCP_OK ? tcp_wait(stream) : status;
}

tcp_status tcp_upload(void *to, const void *from, size_t bytes, tcp_stream stream) {
    return copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}

tcp_status tcp_download(void *to, const void *from, size_t bytes, tcp_stream stream) {
    return copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}

tcp_status tcp_memset(void *to, int byte, size_t bytes, tcp_stream stream) {
    const tcp_status status = memory_status(cudaMemsetAsync(to, byte, bytes, stream));
    return status == TCP_OK ? tcp_wait(stream) : status;
}

const char *tcp_backend_name(tcp_status *status) {
    static cudaDeviceProp properties;
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
    *status = error == cudaSuccess ? TCP_OK : TCP_ERR_DEVICE;
    return error == cudaSuccess ? properties.name : cudaGetErrorString(error);
}

int tcp_backend_processes(size_t) {
    return 1;
}

int tcp_backend_schedules() {
    return 1;
}

const char *tcp_backend_schedule_text(int) {
    return "GPU";
}

void tcp_backend_set_schedule(int, unsigned char) {}

// Returns the first address after "guard" bytes of "block" that is a multiple of "align" but not of
// twice "align".
static uintptr_t aligned_as_promised(const void *block, size_t guard, size_t align) {
    uintptr_t at = (uintptr_t)block + guard;
    at = (at + align - 1) / align * align;
    return at / align % 2 == 0 ? at + align : at;
}

tcp_status tcp_backend_alloc(tcp_backend_memory *out, const char *, size_t bytes, size_t align,
                             size_t guard) {
    void *block = nullptr;
    size_t size = bytes + (guard ? 2 * guard + 3 * align : align);
    tcp_status status = tcp_alloc(&block, size);
    uintptr_t at = aligned_as_promised(block, guard, align);
    if (status == TCP_OK && at + bytes > (uintptr_t)block + size) {
        tcp_free(block);
        status = tcp_alloc(&block, bytes + 3 * align);
        at = aligned_as_promised(block, guard, align);
    }
    out->at = (void *)at;
    out->block = block;
    return status;
}

void tcp_backend_free(tcp_backend_memory memory) {
    tcp_free(memory.block);
}

const char *tcp_backend_report(int) {
    return nullptr;
}

const unsigned char *tcp_backend_shared(size_t *bytes) {
    *bytes = 0;
    return nullptr;
}

void tcp_backend_name_shared(const char *, int64_t, int64_t) {}

tcp_status tcp_backend_time(tcp_status (*launch)(void *context), void *context, int repeats,
                            double *ms) {
    cudaEvent_t start = nullptr, stop = nullptr;
    cudaError_t error = cudaEventCreate(&start);
    if (error == cudaSuccess) error = cudaEventCreate(&stop);
    tcp_status status = memory_status(error);
    for (int i = -3; i < repeats && status == TCP_OK; ++i) {  // the first three warm up
        float time = 0;
        cudaEventRecord(start, nullptr);
        status = launch(context);
        cudaEventRecord(stop, nullptr);
        if (status == TCP_OK && cudaEventSynchronize(stop) != cudaSuccess) status = TCP_ERR_DEVICE;
        if (status == TCP_OK) cudaEventElapsedTime(&time, start, stop);
        if (i >= 0) ms[i] = time;
    }
    if (start) cudaEventDestroy(start);
    if (stop) cudaEventDestroy(stop);
    return status;
}

// Captures what "work" launches as a graph and uploads it to the device; nullptr when that fails.
static cudaGraphExec_t captured(tcp_status (*work)(void *context, tcp_stream stream), void *context,
                                cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
        const tcp_status status = work(context, stream);
        if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) graph = nullptr;
        if (status == TCP_OK && graph &&
            cudaGraphInstantiateWithFlags(&exec, graph, 0) != cudaSuccess)
            exec = nullptr;
        if (exec) cudaGraphUpload(exec, stream);
        if (graph) cudaGraphDestroy(graph);
    }
    cudaGetLastError();
    return exec;
}

tcp_status tcp_backend_span(tcp_status (*work)(void *context, tcp_stream stream), void *context,
                            double *ms) {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;
    float time = 0;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaEventCreate(&start);
    if (error == cudaSuccess) error = cudaEventCreate(&stop);
    tcp_status status = memory_status(error);
    cudaGraphExec_t graph = status == TCP_OK ? captured(work, context, stream) : nullptr;
    if (status == TCP_OK) status = tcp_wait(stream);
    if (status == TCP_OK) {
        cudaEventRecord(start, stream);
        if (!graph)
            status = work(context, stream);
        else if (cudaGraphLaunch(graph, stream) != cudaSuccess)
            status = TCP_ERR_LAUNCH;
        cudaEventRecord(stop, stream);
    }
    if (status == TCP_OK) status = tcp_wait(stream);
    if (status == TCP_OK) cudaEventElapsedTime(&time, start, stop);
    if (graph) cudaGraphExecDestroy(graph);
    if (start) cudaEventDestroy(start);
    if (stop) cudaEventDestroy(stop);
    if (stream) cudaStreamDestroy(stream);
    *ms = time;
    return status;
}

tcp_status tcp_backend_copy(void *to, const void *from, size_t bytes, tcp_stream stream) {
    return memory_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

// Reads the version of the driver from the file that states it; this interface has no call for it.
static void driver_version(char *out, size_t size) {
    char line[256] = "";
    FILE *in = fopen("/proc/driver/nvidia/version", "r");
    if (in && !fgets(line, sizeof line, in)) line[0] = 0;
    if (in) fclose(in);
    for (char *word = strtok(line, " \t\n"); word; word = strtok(nullptr, " \t\n")) {
        if (!isdigit((unsigned char)word[0]) || !strchr(word, '.')) continue;
        snprintf(out, size, "driver %s, ", word);
        return;
    }
    out[0] = 0;
}

void tcp_backend_versions(char *out, size_t size) {
    char driver[64];
    int cuda = 0;
    driver_version(driver, sizeof driver);
    cudaDriverGetVersion(&cuda);
    snprintf(out, size, "%sCUDA %d.%d", driver, cuda / 1000, cuda % 1000 / 10);
}
