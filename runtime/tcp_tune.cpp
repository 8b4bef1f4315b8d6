// Checks candidates for one relayout and times them side by side; see tcp_tune.h. It uses the
// machine only through tcp_backend.h.
#include "tcp_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness_convert.h"

static const size_t guard_bytes = 1024, most_at_once = 1 << 22;
static const unsigned char poisons[2] = {0xcb, 0x34};
static const int64_t cold_bytes = (int64_t)1 << 28;  // more than any cache holds
// bytes moved between two readings of the clock
static const int64_t span_bytes = (int64_t)1 << 32;
static const int most_buffers = 4096, most_launches = 256, least_rounds = 5, most_rounds = 200;

// Several buffers of one side in one allocation, each aligned to "align" and between guard zones.
struct pool {
    void *block = nullptr;
    unsigned char *first = nullptr;
    size_t bytes = 0, step = 0;
    unsigned char *at(int i) const {
        return first + (size_t)i * step;
    }
};

struct options {
    const char *out = nullptr;
    int seconds = 2;
};

// The pairs of source and destination elements: element "e" of the source is one of "from", chosen
// by a hash of "e", and becomes the one at the same index of "to".
struct elements {
    std::vector<unsigned char> from, to;
    size_t from_bytes, to_bytes;
    uint64_t seed;
    size_t which(int64_t e) const {
        uint64_t h = ((uint64_t)e + seed) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
        return (size_t)(h >> 48);
    }
};

struct tuning {
    const tcp_tune_relayout &r;
    const tcp_tune_candidate *candidates;
    int count;
    options opt;
    elements el;
    pool src, dst;
    int buffers = 1, rounds = 0;
    std::vector<bool> refused;            // the launcher refused it; then "wrong" says why
    std::vector<std::string> wrong;       // "": right
    std::vector<std::vector<double>> ms;  // by candidate, then the plain copy
    // contents of the destination, with poison where nothing is written
    std::vector<unsigned char> expected;
};

// -- memory ---------------------------------------------------------------------------------------

static size_t rounded(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

static bool make_pool(pool &p, size_t bytes, int n, size_t align) {
    const size_t before = rounded(guard_bytes, align);
    p.bytes = bytes;
    p.step = before + rounded(bytes + guard_bytes, align);
    if (tcp_alloc(&p.block, p.step * (size_t)n + align) != TCP_OK) return false;
    p.first = (unsigned char *)rounded((size_t)p.block, align) + before;
    return true;
}

static elements draw_elements(const tcp_tune_relayout &r) {
    enum { ALL = 1 << 16 };
    std::random_device device;
    std::mt19937_64 rng(((uint64_t)device() << 32) ^ device());
    elements el;
    el.seed = rng();
    el.from_bytes = (size_t)tcp_element_bytes(r.from);
    el.to_bytes = (size_t)tcp_element_bytes(r.to);
    el.from.resize(ALL * el.from_bytes);
    el.to.resize(ALL * el.to_bytes);
    for (size_t i = 0; i < el.from.size(); ++i) el.from[i] = (unsigned char)(rng() >> 56);
    if (r.from == r.to) el.to = el.from;
    for (size_t i = 0; i < ALL && r.from != r.to; ++i) {
        harness_put_any(r.from, (int)(el.seed >> 33), (int64_t)i, &el.from[i * el.from_bytes]);
        unsigned char was[16] = {0};
        memcpy(was, &el.from[i * el.from_bytes], el.from_bytes);
        harness_convert(r.from, was, r.to, &el.to[i * el.to_bytes]);
    }
    return el;
}

// Fills the sources: the first one from the host, the others from the first one.
static bool fill_sources(const tuning &t) {
    const size_t each = t.el.from_bytes;
    std::vector<unsigned char> data(most_at_once * each);
    for (int64_t e = 0; e < t.r.src_count; e += most_at_once) {
        const int64_t n = std::min((int64_t)most_at_once, t.r.src_count - e);
        for (int64_t i = 0; i < n; ++i)
            memcpy(&data[(size_t)i * each], &t.el.from[t.el.which(e + i) * each], each);
        if (tcp_upload(t.src.at(0) + (size_t)e * each, data.data(), (size_t)n * each, nullptr) !=
            TCP_OK)
            return false;
    }
    for (int i = 1; i < t.buffers; ++i)
        if (tcp_backend_copy(t.src.at(i), t.src.at(0), t.src.bytes, nullptr) != TCP_OK)
            return false;
    return tcp_wait(nullptr) == TCP_OK;
}

// -- whether a candidate is right -----------------------------------------------------------------

template <size_t bytes> static void expect_modes(tuning &t, int mode, int64_t src, int64_t dst) {
    const tcp_tune_relayout &r = t.r;
    const int64_t n = r.extent[mode], by_src = r.src[mode], by_dst = r.dst[mode];
    if (mode + 1 < r.rank) {
        for (int64_t i = 0; i < n; ++i)
            expect_modes<bytes>(t, mode + 1, src + i * by_src, dst + i * by_dst);
        return;
    }
    unsigned char *to = t.expected.data();
    const unsigned char *from = t.el.to.data();
    for (int64_t i = 0; i < n; ++i)
        memcpy(to + (size_t)(dst + i * by_dst) * bytes, from + t.el.which(src + i * by_src) * bytes,
               bytes);
}

static void expect(tuning &t, unsigned char poison) {
    t.expected.assign(t.dst.bytes, poison);
    switch (t.el.to_bytes) {
    case 1: return expect_modes<1>(t, 0, 0, 0);
    case 2: return expect_modes<2>(t, 0, 0, 0);
    case 4: return expect_modes<4>(t, 0, 0, 0);
    case 8: return expect_modes<8>(t, 0, 0, 0);
    default: return expect_modes<16>(t, 0, 0, 0);
    }
}

static bool guard_is(const unsigned char *at, unsigned char poison) {
    unsigned char data[guard_bytes];
    if (tcp_download(data, at, sizeof data, nullptr) != TCP_OK) return false;
    return std::all_of(data, data + sizeof data, [=](unsigned char b) { return b == poison; });
}

// Returns why the destination is not as expected; "" when it is.
static std::string compared(const tuning &t, unsigned char poison) {
    const unsigned char *at = t.dst.at(0);
    const size_t each = t.el.to_bytes;
    std::vector<unsigned char> data(std::min(t.dst.bytes, most_at_once * each));
    if (!guard_is(at - guard_bytes, poison)) return "wrote before its destination";
    if (!guard_is(at + t.dst.bytes, poison)) return "wrote behind its destination";
    for (size_t from = 0; from < t.dst.bytes; from += data.size()) {
        const size_t n = std::min(data.size(), t.dst.bytes - from);
        if (tcp_download(data.data(), at + from, n, nullptr) != TCP_OK)
            return "cannot be read back";
        if (memcmp(data.data(), &t.expected[from], n) == 0) continue;
        size_t i = 0;
        while (data[i] == t.expected[from + i]) ++i;
        i = i / each * each;
        return "element " + std::to_string((from + i) / each) + " is " +
               harness_hex(&data[i], (int)each) + ", expected " +
               harness_hex(&t.expected[from + i], (int)each);
    }
    return "";
}

static void check(tuning &t, int i, unsigned char poison) {
    unsigned char *at = t.dst.at(0);
    if (!t.wrong[(size_t)i].empty()) return;
    tcp_backend_set_schedule(0, poison);
    tcp_status status =
        tcp_memset(at - guard_bytes, poison, t.dst.bytes + 2 * guard_bytes, nullptr);
    if (status == TCP_OK) {
        status = t.candidates[i].launch(t.src.at(0), at, nullptr);
        t.refused[(size_t)i] = status != TCP_OK;
    }
    if (status == TCP_OK) status = tcp_wait(nullptr);
    if (status == TCP_OK)
        t.wrong[(size_t)i] = compared(t, poison);
    else
        t.wrong[(size_t)i] = std::string(tcp_status_text(status)) + ": " + tcp_last_error();
}

// -- time -----------------------------------------------------------------------------------------

struct span {
    const tuning *t;
    int which, first, launches;
};

// Rounds down to a multiple of 512 bytes, if there are as many: a plain copy of 2 bytes less was
// slower by a third.
static size_t copied_bytes(const tuning &t) {
    const size_t bytes = std::min(t.src.bytes, t.dst.bytes);
    return bytes < 512 ? bytes : bytes / 512 * 512;
}

static tcp_status work(void *context, tcp_stream stream) {
    const span &s = *(const span *)context;
    const tuning &t = *s.t;
    tcp_status status = TCP_OK;
    for (int i = 0; i < s.launches && status == TCP_OK; ++i) {
        const int b = (s.first + i) % t.buffers;
        status = s.which < t.count
                     ? t.candidates[s.which].launch(t.src.at(b), t.dst.at(b), stream)
                     : tcp_backend_copy(t.dst.at(b), t.src.at(b), copied_bytes(t), stream);
    }
    return status;
}

static bool measure(tuning &t) {
    const int64_t bytes = (int64_t)(t.src.bytes + t.dst.bytes);
    const int launches = (int)std::clamp(span_bytes / bytes, (int64_t)1, (int64_t)most_launches);
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [=]() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    int first = 0;
    for (int round = -1; round < most_rounds; ++round) {  // the first one warms up
        if (round >= least_rounds && seconds() > t.opt.seconds) break;
        for (int i = 0; i <= t.count; ++i) {
            const int which = (i + round + 1) % (t.count + 1);
            double ms = 0;
            if (which < t.count && !t.wrong[(size_t)which].empty()) continue;
            span s = {&t, which, first, launches};
            const tcp_status status = tcp_backend_span(work, &s, &ms);
            first = (first + launches) % t.buffers;
            if (status != TCP_OK && which == t.count) return false;
            if (status != TCP_OK)
                t.wrong[(size_t)which] =
                    std::string(tcp_status_text(status)) + ": " + tcp_last_error();
            else if (round >= 0)
                t.ms[(size_t)which].push_back(ms / launches);
        }
        t.rounds = round + 1;
    }
    return true;
}

static double median(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return ms.empty() ? 0 : ms[ms.size() / 2];
}

// -- the program ----------------------------------------------------------------------------------

static bool parse(int argc, char **argv, options *opt) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string a = argv[i];
        if (a == "--out")
            opt->out = argv[i + 1];
        else if (a == "--seconds")
            opt->seconds = atoi(argv[i + 1]);
        else
            return false;
    }
    return opt->out && argc % 2 == 1;
}

static bool write_results(const tuning &t, const char *device) {
    FILE *f = fopen(t.opt.out, "w");
    char versions[128];
    if (!f) return false;
    tcp_backend_versions(versions, sizeof versions);
    fprintf(f, "device %s\nversions %s\nbuffers %d\nrounds %d\n", device, versions, t.buffers,
            t.rounds);
    const double copy = median(t.ms[(size_t)t.count]);
    fprintf(f, "memcpy %.3f\n", copy > 0 ? 2 * (double)copied_bytes(t) / (copy * 1e6) : 0);
    for (int i = 0; i < t.count; ++i) {
        if (t.wrong[(size_t)i].empty())
            fprintf(f, "right %d %.6f\n", i, median(t.ms[(size_t)i]));
        else
            fprintf(f, "%s %d %s\n", t.refused[(size_t)i] ? "refused" : "wrong", i,
                    t.wrong[(size_t)i].c_str());
    }
    return fclose(f) == 0;
}

static int fail(const char *why) {
    fprintf(stderr, "error: %s\n", why);
    return 2;
}

static int tune(tuning &t, const char *device) {
    const size_t src = (size_t)t.r.src_count * t.el.from_bytes;
    const size_t dst = (size_t)t.r.dst_count * t.el.to_bytes;
    const size_t align = (size_t)std::max(t.r.align, (int64_t)512);
    if (t.opt.seconds > 0)
        t.buffers = (int)std::clamp(cold_bytes / (int64_t)(src + dst + 1) + 1, (int64_t)1,
                                    (int64_t)most_buffers);
    if (!make_pool(t.src, src, t.buffers, align) || !make_pool(t.dst, dst, t.buffers, align))
        return fail("no memory for the source and the destination");
    if (!fill_sources(t)) return fail("the source cannot be filled");
    for (const unsigned char poison : poisons) {
        expect(t, poison);
        for (int i = 0; i < t.count; ++i) check(t, i, poison);
    }
    if (t.opt.seconds > 0 && !measure(t)) return fail("a plain copy cannot be timed");
    return write_results(t, device) ? 0 : fail("the results cannot be written");
}

int tcp_tune_main(int argc, char **argv, const tcp_tune_relayout *r,
                  const tcp_tune_candidate *candidates, int count) {
    tuning t = {*r, candidates, count, {}, draw_elements(*r), {}, {}, 1, 0, {}, {}, {}, {}};
    tcp_status status;
    if (!parse(argc, argv, &t.opt)) return fail("usage: --out FILE [--seconds N]");
    const char *device = tcp_backend_name(&status);
    if (status != TCP_OK) return fail(device);
    t.wrong.resize((size_t)count);
    t.refused.resize((size_t)count);
    t.ms.resize((size_t)count + 1);
    const int code = tune(t, device);
    tcp_free(t.src.block);
    tcp_free(t.dst.block);
    return code;
}
