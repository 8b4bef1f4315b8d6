// Asynchronous copies: right kernels give right results, on the host under every schedule and on a GPU,
// and each fault is reported on the host as what it is.
#include <stdlib.h>

#include <vector>

#include "check.h"
#ifndef TCP_TEST_GPU
#include "host/tcp_host_run.h"
#include "tcp_tma.cuh"
#endif
#include "tcp_runtime.h"
#include "tcp_tensor_map.h"

TCP_EXTERN_C tcp_status ring_launch(const tcp_b16 *src, tcp_b16 *out, int64_t rows, int64_t columns,
                                    int64_t pitch, int begin, int steps, int stages, int swizzle,
                                    int fault, tcp_stream stream);
TCP_EXTERN_C tcp_status bulk_launch(const tcp_b32 *src, tcp_b32 *out, int words, int64_t blocks,
                                    int fault, tcp_stream stream);
TCP_EXTERN_C tcp_status box_launch(const tcp_tma_box *box, tcp_b8 *out, const int *x,
                                   tcp_stream stream);

// Bytes that a kernel reads or writes.
struct buffer {
    void *at = nullptr;
    size_t bytes;
    explicit buffer(size_t n) : bytes(n) {
#ifdef TCP_TEST_GPU
        if (tcp_alloc(&at, n) != TCP_OK || tcp_memset(at, 0, n, nullptr) != TCP_OK) abort();
#else
        if (tcp_host_alloc(&at, "t", n, 128, 256) != TCP_OK) abort();
#endif
    }
    ~buffer() {
        tcp_free(at);
    }
    void set(const void *from) {
        if (tcp_upload(at, from, bytes, nullptr) != TCP_OK) abort();
    }
    template <typename T> std::vector<T> get() {
        std::vector<T> v(bytes / sizeof(T));
        CHECK(tcp_wait(nullptr) == TCP_OK, "the kernel failed");
        if (tcp_download(v.data(), at, bytes, nullptr) != TCP_OK) abort();
        return v;
    }
};

static tcp_status ring(int64_t rows, int64_t columns, int64_t pitch, int begin, int steps,
                       int stages, int swizzle, int fault) {
    std::vector<tcp_b16> s((size_t)(rows * pitch));
    for (size_t i = 0; i < s.size(); ++i) s[i] = (tcp_b16)(i * 7 + 1);
    const int64_t tiled = (rows + 15) / 16 * 16;
    buffer src(s.size() * 2), out((size_t)(tiled * steps * 32 * 2) + 2);
    src.set(s.data());
    const tcp_status status = ring_launch((const tcp_b16 *)src.at, (tcp_b16 *)out.at, rows, columns,
                                          pitch, begin, steps, stages, swizzle, fault, nullptr);
    if (status != TCP_OK || (fault && fault != 13)) return status;
    const std::vector<tcp_b16> got = out.get<tcp_b16>();
    for (int64_t r = 0; r < tiled; ++r)
        for (int64_t c = 0; c < steps * 32; ++c) {
            const int64_t x = begin + c;
            const tcp_b16 want = r < rows && x >= 0 && x < columns ? s[(size_t)(r * pitch + x)] : 0;
            const tcp_b16 is = got[(size_t)(r * steps * 32 + c)];
            CHECK(is == want, "(%lld,%lld) is %d, not %d", (long long)r, (long long)c, is, want);
        }
    return status;
}

static void check_rings() {
    static const int kinds[][2] = {{1, 0}, {2, 2}, {3, 0}, {4, 2}};
    for (const auto &k : kinds)
        for (const int steps : {0, 1, 2, 3, 4, 5, 9}) {
            const tcp_status status = ring(37, 200, 208, -16, steps, k[0], k[1], 0);
            CHECK(status == TCP_OK, "%s", tcp_last_error());
        }
    const tcp_status status = ring(16, 64, 64, 0, 2, 2, 0, 13);
    CHECK(status == TCP_OK, "%s", tcp_last_error());
}

static tcp_status bulk(int words, int fault) {
    std::vector<tcp_b32> s((size_t)words * 3);
    for (size_t i = 0; i < s.size(); ++i) s[i] = (tcp_b32)(i * 2654435761u);
    buffer src(s.size() * 4), out(s.size() * 4);
    src.set(s.data());
    const tcp_status status =
        bulk_launch((const tcp_b32 *)src.at, (tcp_b32 *)out.at, words, 3, fault, nullptr);
    if (status != TCP_OK || fault) return status;
    const std::vector<tcp_b32> got = out.get<tcp_b32>();
    for (int b = 0; b < 3; ++b)
        for (int i = 0; i < words; ++i) {
            const tcp_b32 *from = &s[(size_t)(b * words)], is = got[(size_t)(b * words + i)];
            const tcp_b32 want = from[words - 1 - i] + (i < 64 ? from[63 - i] : 0);
            CHECK(is == want, "[%d,%d] is %u, not %u", b, i, is, want);
        }
    return status;
}

// Boxes of all ranks, types and swizzles at random places, also outside.
static void check_boxes(int count) {
    unsigned seed = 12345;
    const auto any = [&](int low, int high) {
        seed = seed * 1664525u + 1013904223u;
        return low + (int)(seed >> 8) % (high - low + 1);
    };
    for (int n = 0; n < count; ++n) {
        tcp_tma_box b = {};
        b.rank = any(1, 5);
        b.bytes = 1 << any(0, 3);
        b.swizzle = (tcp_tma_swizzle)any(0, 3);
        const int chunk = 16 / b.bytes, span = 1 << b.swizzle;
        int bytes = b.bytes, x[5];
        int64_t stride = b.bytes;
        for (int i = 0; i < b.rank; ++i) {
            b.extent[i] = any(1, i == 0 ? 60 : 6);
            b.box[i] = i == 0 ? chunk * (b.swizzle ? span : any(1, 8)) : any(1, 4);
            b.stride[i] = stride;
            x[i] = i == 0 ? chunk * any(-2, 5) : any(-2, 4);
            bytes *= b.box[i];
            stride = (stride * b.extent[i] + 15) / 16 * 16 + 16 * any(0, 1);
        }
        if (b.rank > 2 && any(0, 3) == 0) b.stride[b.rank - 1] = 0;  // broadcast
        std::vector<tcp_b8> s((size_t)stride);
        for (size_t i = 0; i < s.size(); ++i) s[i] = (tcp_b8)(i * 37 + n + 1);
        buffer src(s.size()), out((size_t)bytes);
        src.set(s.data());
        b.address = src.at;
        CHECK(box_launch(&b, (tcp_b8 *)out.at, x, nullptr) == TCP_OK, "%s", tcp_last_error());
        const std::vector<tcp_b8> got = out.get<tcp_b8>();
        for (int i = 0; i < bytes; ++i) {
            int rest = i / b.bytes;
            int64_t from = i % b.bytes;
            bool inside = true;
            for (int k = 0; k < b.rank; ++k) {
                const int64_t at = x[k] + rest % b.box[k];
                rest /= b.box[k];
                inside = inside && at >= 0 && at < b.extent[k];
                from += at * b.stride[k];
            }
            const int to = i ^ ((i >> 7 & ((1 << b.swizzle) - 1)) << 4);
            const int is = got[(size_t)to], want = inside ? s[(size_t)from] : 0;
            CHECK(is == want, "box %d: byte %d is %d, not %d", n, i, is, want);
        }
    }
}

static void check_maps() {
    buffer t(4096);
    const tcp_tma_box good = {t.at, 2, 2, {64, 16}, {2, 128}, {32, 8}, TCP_TMA_SWIZZLE_64};
    const int x[5] = {0, 0, 0, 0, 0};
    const auto refused = [&](const char *words, auto change) {
        tcp_tma_box b = good;
        change(b);
        const tcp_status status = box_launch(&b, (tcp_b8 *)t.at, x, nullptr);
        CHECK(status != TCP_OK && strstr(tcp_last_error(), words), "'%s', not '%s'",
              status == TCP_OK ? "ok" : tcp_last_error(), words);
    };
    // without an element, and with one row, whose stride has no meaning
    for (const int rows : {0, 1}) {
        buffer out(512);
        std::vector<tcp_b8> old(512, 1), from(4096, 7);
        out.set(old.data());
        t.set(from.data());
        tcp_tma_box b = {rows ? t.at : nullptr, 2, 2, {64, rows}, {2, 44}, {32, 8},
                         TCP_TMA_SWIZZLE_64};
        CHECK(box_launch(&b, (tcp_b8 *)out.at, x, nullptr) == TCP_OK, "%s", tcp_last_error());
        const std::vector<tcp_b8> got = out.get<tcp_b8>();
        for (int i = 0; i < 512; ++i)
            CHECK(got[(size_t)i] == (i < 64 * rows ? 7 : 0), "%d rows: byte %d is %d", rows, i,
                  got[(size_t)i]);
    }
    refused("would have 6 modes, not 1 .. 5", [](tcp_tma_box &b) { b.rank = 6; });
    refused("takes 1, 2, 4 or 8", [](tcp_tma_box &b) { b.bytes = 16; });
    refused("null pointer", [](tcp_tma_box &b) { b.address = nullptr; });
    refused("is 8 past one", [](tcp_tma_box &b) { b.address = (const char *)b.address + 8; });
    refused("mode 1 has -1 elements", [](tcp_tma_box &b) { b.extent[1] = -1; });
    refused("257 elements of mode 1, not 1 .. 256", [](tcp_tma_box &b) { b.box[1] = 257; });
    refused("have 234496 bytes; a tensor map takes 233472 at most", [](tcp_tma_box &b) {
        b.bytes = 4;
        b.box[0] = 256;
        b.box[1] = 229;
        b.stride[1] = 256;
    });
    refused("not 1 .. 256", [](tcp_tma_box &b) { b.box[0] = 1 << 20; });
    refused("a stride of 44 bytes; a tensor map takes multiples of 16: pad to 48",
            [](tcp_tma_box &b) { b.stride[1] = 44; });
    refused("takes 0 .. 2^40 - 16", [](tcp_tma_box &b) { b.stride[1] = (int64_t)1 << 40; });
    refused("rows of 24 bytes; a tensor map takes multiples of 16",
            [](tcp_tma_box &b) { b.box[0] = 12; });
    refused("rows of 128 bytes, not the 64 of their swizzle",
            [](tcp_tma_box &b) { b.box[0] = 64; });
}

#ifndef TCP_TEST_GPU
static bool reported(const char *kind) {
    for (int i = 0; i < tcp_host_report_count(); ++i)
        if (strstr(tcp_host_report(i), kind)) return true;
    return false;
}

static void check_faults() {
    static const struct {
        int fault;
        const char *words;
    } rings[] = {
        {1, "missing wait"},
        {2, "16 bytes have not come"},
        {3, "16 bytes too many have come"},
        {4, "1 of 2 arrivals have not come"},
        {5, "without tcp_mbarrier_init_fence"},
        {6, ""},  // a race, or what follows from it
        {7, "does not call tcp_fence_async"},
        {8, "the hardware faults"},
        {9, "missing wait"},
        {10, "nobody waited for the copies"},
        {11, "all 1 arrivals of the phase came already"},
        {12, "nobody initialised"},
        {14, "barrier"},
    };
    for (const auto &f : rings)
        CHECK(ring(16, 256, 256, 0, 5, 2, 0, f.fault) == TCP_ERR_DEVICE && reported(f.words),
              "fault %d: %s", f.fault, tcp_host_report(0));
    static const char *const bulks[] = {"misaligned", "no multiple of 16", "missing wait"};
    for (int i = 0; i < 3; ++i)
        CHECK(bulk(256, i + 1) == TCP_ERR_DEVICE && reported(bulks[i]), "bulk fault %d: %s", i + 1,
              tcp_host_report(0));
}
#endif

static void check_all() {
    check_rings();
    for (const int words : {64, 256, 1024}) CHECK(bulk(words, 0) == TCP_OK, "%s", tcp_last_error());
    check_boxes(200);
}

int main() {
    check_maps();
#ifdef TCP_TEST_GPU
    check_all();
#else
    // sums of integers wrap, which the sanitizers see if they do so by chance alone
    CHECK(tcp_host_sum((int32_t)INT32_MAX, (int32_t)1) == INT32_MIN, "a sum that wraps");
    CHECK(tcp_host_sum(0.5f, 0.25f) == 0.75f, "a sum of floats");
    for (int s = 0; s < 4; ++s) {
        tcp_host_set_schedule({s / 2 != 0, s % 2 != 0, 0xcb});
        check_all();
        check_faults();
    }
#endif
    return check_done();
}
