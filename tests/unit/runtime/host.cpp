// The host runtime: right kernels give right results under every schedule, and each fault is
// reported as what it is.
#include <stdlib.h>

#include "check.h"
#include "host/tcp_host_run.h"
#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status copy_tile_launch(const float *src, float *out, tcp_stream stream);
TCP_EXTERN_C tcp_status rotate_launch(const tcp_b16 *src, tcp_b16 *out, int64_t blocks, int threads,
                                      int rounds, tcp_stream stream);
TCP_EXTERN_C tcp_status matrix_launch(const tcp_b16 *src, tcp_b16 *out, int fault,
                                      tcp_stream stream);
TCP_EXTERN_C tcp_status fault_launch(const tcp_b32 *src, tcp_b32 *out, int fault,
                                     tcp_stream stream);
TCP_EXTERN_C tcp_status readers_launch(const tcp_b32 *src, tcp_b32 *out, int left,
                                       tcp_stream stream);

// Is "kind" among the reports of the last launch?
static bool reported(const char *kind) {
    for (int i = 0; i < tcp_host_report_count(); ++i) {
        if (strstr(tcp_host_report(i), kind)) return true;
    }
    return false;
}

template <typename T> static T *tensor(const char *name, size_t count, size_t align) {
    void *at = nullptr;
    if (tcp_host_alloc(&at, name, count * sizeof(T), align, 256) != TCP_OK) abort();
    for (size_t i = 0; i < count; ++i) ((T *)at)[i] = (T)i;
    return (T *)at;
}

static void check_right_kernels(tcp_host_schedule schedule) {
    tcp_host_set_schedule(schedule);
    float *src = tensor<float>("src", 256, 16), *out = tensor<float>("out", 256, 16);
    CHECK(copy_tile_launch(src, out, nullptr) == TCP_OK, "%s", tcp_last_error());
    for (int i = 0; i < 256; ++i)
        CHECK(out[i] == (float)(i % 8 * 32 + i / 8), "out[%d] is %g", i, (double)out[i]);
    size_t bytes;
    const float *seen = (const float *)tcp_host_shared_snapshot(&bytes);
    CHECK(bytes == 1024 && seen[255] == 255, "the snapshot has %zu bytes", bytes);
    tcp_free(src);
    tcp_free(out);

    static const int sizes[] = {32, 64, 1024};
    for (const int threads : sizes) {
        const size_t n = (size_t)threads * 3;
        tcp_b16 *a = tensor<tcp_b16>("a", n, 2), *b = tensor<tcp_b16>("b", n, 2);
        CHECK(rotate_launch(a, b, 3, threads, 20, nullptr) == TCP_OK, "%s", tcp_last_error());
        for (size_t i = 0; i < n; ++i) {
            const size_t t = (size_t)threads, want = i / t * t + (i + 20) % t;
            CHECK(b[i] == want, "b[%zu] is %d, want %zu", i, b[i], want);
        }
        tcp_free(a);
        tcp_free(b);
    }

    tcp_b16 *m = tensor<tcp_b16>("m", 256, 16), *t = tensor<tcp_b16>("t", 256, 16);
    CHECK(matrix_launch(m, t, 0, nullptr) == TCP_OK, "%s", tcp_last_error());
    for (int i = 0; i < 256; ++i) CHECK(t[i] == i % 16 * 16 + i / 16, "t[%d] is %d", i, t[i]);
    CHECK(matrix_launch(m, t, 1, nullptr) == TCP_ERR_DEVICE && reported("missing wait"), "%s",
          tcp_last_error());
    CHECK(matrix_launch(m, t, 2, nullptr) == TCP_ERR_DEVICE && reported("race"), "%s",
          tcp_last_error());
    tcp_free(m);
    tcp_free(t);
}

static void check_faults(tcp_host_schedule schedule) {
    static const char *const want[] = {nullptr,
                                       "out of bounds",
                                       "misaligned",
                                       "out of bounds",
                                       "divergent barrier",
                                       "race",
                                       "race",
                                       nullptr,
                                       "race",
                                       "written twice",
                                       "race",
                                       "out of bounds",
                                       "divergent barrier",
                                       "out of bounds",
                                       "misaligned"};
    tcp_host_set_schedule(schedule);
    tcp_b32 *src = tensor<tcp_b32>("src", 64, 4), *out = tensor<tcp_b32>("out", 64, 4);
    for (int fault = 0; fault < 15; ++fault) {
        const tcp_status status = fault_launch(src, out, fault, nullptr);
        if (!want[fault]) {
            CHECK(status == TCP_OK && tcp_host_report_count() == 0, "fault %d: %s", fault,
                  tcp_last_error());
            continue;
        }
        CHECK(status == TCP_ERR_DEVICE && reported(want[fault]), "fault %d: want '%s', got %s",
              fault, want[fault], status == TCP_OK ? "no failure" : tcp_last_error());
        CHECK(strstr(tcp_last_error(), "cases.cu:"), "fault %d: no place in '%s'", fault,
              tcp_last_error());
    }
    CHECK(readers_launch(src, out, 0, nullptr) == TCP_OK, "%s", tcp_last_error());
    CHECK(readers_launch(src, out, 1, nullptr) == TCP_ERR_DEVICE && reported("race"),
          "the third reader is forgotten: %s", tcp_last_error());
    tcp_free(src);
    tcp_free(out);
}

// The launcher's checks name the tensor, the numbers and the rule, and nothing runs.
static void check_launcher() {
    static tcp_b32 own[64];
    HOLDS(fault_launch(own, own, 0, nullptr) != TCP_OK);
    HOLDS(strstr(tcp_last_error(),
                 "bytes of memory that tcp_alloc did not give; on a CPU all tensors come from it"));
    float *a = tensor<float>("a", 600, 16);
    HOLDS(copy_tile_launch(nullptr, a, nullptr) == TCP_ERR_NULL);
    CHECK_STR(tcp_last_error(), "copy_tile: 'src' is a null pointer");
    HOLDS(copy_tile_launch(a, a + 257, nullptr) == TCP_ERR_ALIGNMENT);
    char want[128];
    snprintf(want, sizeof want,
             "copy_tile: 'out' must be aligned to 16 bytes, but its address %p is 4 bytes past a "
             "multiple of 16",
             (void *)(a + 257));
    CHECK_STR(tcp_last_error(), want);
    HOLDS(copy_tile_launch(a, a + 252, nullptr) == TCP_ERR_OVERLAP);
    CHECK_STR(tcp_last_error(), "copy_tile: the address ranges of 'src' and 'out' overlap");
    HOLDS(copy_tile_launch(a, a + 256, nullptr) == TCP_OK);
    HOLDS(rotate_launch(nullptr, nullptr, 1, 32, -1, nullptr) == TCP_ERR_PRECONDITION);
    CHECK_STR(tcp_last_error(), "rotate: 'rounds' = -1 must be in 0 .. 1000");
    HOLDS(rotate_launch(nullptr, nullptr, 1, 33, 1, nullptr) == TCP_ERR_PRECONDITION);
    CHECK_STR(tcp_last_error(), "rotate: 'threads' = 33 must be a multiple of 32");
    HOLDS(rotate_launch(nullptr, nullptr, 1, 32, 40, nullptr) == TCP_ERR_PRECONDITION);
    CHECK_STR(tcp_last_error(), "rotate: 'threads >= rounds' does not hold with 32 and 40");
    HOLDS(rotate_launch(nullptr, nullptr, (int64_t)1 << 31, 32, 1, nullptr) == TCP_ERR_GRID);
    HOLDS(rotate_launch(nullptr, nullptr, 1, 2048, 1, nullptr) == TCP_ERR_GRID);
    HOLDS(rotate_launch(nullptr, nullptr, 0, 32, 1, nullptr) == TCP_OK);
    tcp_free(a);
}

static void check_memory() {
    void *at = nullptr;
    HOLDS(tcp_alloc(&at, 0) == TCP_OK && at && (uintptr_t)at % 256 == 0);
    HOLDS(tcp_free(at) == TCP_OK && tcp_free(at) == TCP_ERR_MEMORY && tcp_free(nullptr) == TCP_OK);
    HOLDS(tcp_alloc(&at, SIZE_MAX) == TCP_ERR_MEMORY && !at);
    HOLDS(tcp_host_alloc(&at, "x", 64, 16, 64) == TCP_OK && (uintptr_t)at % 32 == 16);
    tcp_free(at);
    for (int i = 0; i < TCP_ELEMENT_COUNT; ++i) HOLDS(tcp_element_bytes((tcp_element)i) > 0);
    HOLDS(!strcmp(tcp_element_text(TCP_B128), "b128") &&
          !strcmp(tcp_element_text(TCP_ELEMENT_COUNT), "?"));
    for (int i = 0; i < TCP_STATUS_COUNT; ++i)
        HOLDS(strcmp(tcp_status_text((tcp_status)i), "unknown status"));
}

int main() {
    for (int i = 0; i < 4; ++i) {
        const tcp_host_schedule schedule = {(i & 1) != 0, (i & 2) != 0, 0xcb};
        check_right_kernels(schedule);
        check_faults(schedule);
    }
    check_launcher();
    check_memory();
    return check_done();
}
