// The host runtime from many threads at once: each launch gives its caller its own result and its
// own report, whatever the other threads launch, allocate and free meanwhile.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"
#include "host/tcp_host_run.h"
#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status copy_tile_launch(const float *src, float *out, tcp_stream stream);
TCP_EXTERN_C tcp_status rotate_launch(const tcp_b16 *src, tcp_b16 *out, int64_t blocks, int threads,
                                      int rounds, tcp_stream stream);
TCP_EXTERN_C tcp_status fault_launch(const tcp_b32 *src, tcp_b32 *out, int fault,
                                     tcp_stream stream);

enum { CALLERS = 8, ROUNDS = 40 };

// Counts what goes wrong in one thread; check.h's counters are not for many.
struct caller {
    int id;
    std::atomic<long> *wrong;
    void expect(bool holds, const char *what) const {
        if (holds) return;
        ++*wrong;
        fprintf(stderr, "thread %d: %s: %s\n", id, what, tcp_last_error());
    }
};

template <typename T> static T *allocated(size_t count) {
    void *at = nullptr;
    return tcp_alloc(&at, count * sizeof(T)) == TCP_OK ? (T *)at : nullptr;
}

static void launch_often(caller c) {
    static const struct {
        int fault;
        const char *kind;
    } faults[] = {{3, "out of bounds"}, {2, "misaligned"}, {9, "written twice"}, {8, "race"}};
    for (int round = 0; round < ROUNDS; ++round) {
        float *src = allocated<float>(256), *out = allocated<float>(256);
        for (int i = 0; i < 256; ++i) src[i] = (float)(1000 * c.id + i);
        c.expect(copy_tile_launch(src, out, nullptr) == TCP_OK, "a right kernel");
        bool same = true;
        for (int i = 0; i < 256; ++i) same &= out[i] == src[i % 8 * 32 + i / 8];
        c.expect(same, "the elements of its own tensors");
        c.expect(copy_tile_launch(nullptr, out, nullptr) == TCP_ERR_NULL &&
                     strstr(tcp_last_error(), "null pointer"),
                 "its own null pointer");
        char want[64];
        snprintf(want, sizeof want, "'rounds' = %d ", -1 - c.id);
        c.expect(rotate_launch(nullptr, nullptr, 1, 32, -1 - c.id, nullptr) ==
                         TCP_ERR_PRECONDITION &&
                     strstr(tcp_last_error(), want),
                 "its own promise");
        const auto &f = faults[(c.id + round) % 4];
        c.expect(fault_launch((const tcp_b32 *)src, (tcp_b32 *)out, f.fault, nullptr) ==
                         TCP_ERR_DEVICE &&
                     strstr(tcp_last_error(), f.kind),
                 f.kind);
        c.expect(tcp_host_report_count() > 0 && strstr(tcp_host_report(0), f.kind),
                 "its own report");
        c.expect(fault_launch((const tcp_b32 *)src, (tcp_b32 *)out, 7, nullptr) == TCP_OK &&
                     tcp_host_report_count() == 0,
                 "no report");
        tcp_free(src);
        tcp_free(out);
    }
}

int main() {
    std::atomic<long> wrong{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> callers;
    std::thread other([&] {
        while (!stop) {
            void *at[8];
            for (void *&p : at) {
                if (tcp_alloc(&p, 64) != TCP_OK) p = nullptr;
                tcp_host_set_schedule({stop, false, 0x17});
            }
            for (void *p : at) tcp_free(p);
        }
    });
    for (int id = 0; id < CALLERS; ++id) callers.emplace_back(launch_often, caller{id, &wrong});
    for (auto &c : callers) c.join();
    stop = true;
    other.join();
    CHECK(wrong == 0, "%ld results are not their caller's", wrong.load());
    return check_done();
}
