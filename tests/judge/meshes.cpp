// Runs kernels between devices on the judge's mesh (mesh/tcp_mesh.cuh), and compares every byte of every device with what
// the judge says. meshes.py compiles this behind the emitted texts and a table of launchers, "mesh_launch". Reads the cases
// from a file. Each runs four times: two contents of the outputs before, so that an element that nobody writes is wrong once,
// each with the devices in an order of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>

#include "host/tcp_host_run.h"

typedef tcp_status mesh_launcher(void **tensors, const int64_t *params, tcp_mesh *);
extern mesh_launcher *const mesh_launch[];

typedef std::vector<unsigned char> bytes_t;
static FILE *file;

static int64_t read_number() {
    int64_t value = 0;
    if (fread(&value, sizeof value, 1, file) != 1) exit(2);
    return value;
}

static bytes_t read_bytes() {
    bytes_t bytes((size_t)read_number());
    if (!bytes.empty() && fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) exit(2);
    return bytes;
}

static unsigned char *room(const char *name, const bytes_t &content, int64_t align) {
    void *at = nullptr;
    if (tcp_host_alloc(&at, name, content.size(), (size_t)align, 64) != TCP_OK) exit(2);
    memcpy(at, content.data(), content.size());
    return (unsigned char *)at;
}

struct test {
    int64_t kernel, width, align[2];
    std::vector<int64_t> params;
    std::vector<bytes_t> a, b,
        is;  // by device: what it has, what it gets, and which elements it gets
};

// What is wrong with a run; "" if nothing is.
static std::string run(const test &t, int round) {
    const size_t devices = t.a.size(), n = t.b[0].size(), width = (size_t)t.width;
    bytes_t before(n);
    for (size_t i = 0; i < n; ++i)
        before[i] = (unsigned char)((i * 167 + 13) ^ (round & 1 ? 0xff : 0));
    std::vector<std::vector<unsigned char *>> seen(devices);
    std::vector<unsigned char *> in;
    std::vector<tcp_mesh> end(devices);
    for (size_t d = 0; d < devices; ++d) {
        in.push_back(room("what a device has", t.a[d], t.align[0]));
        for (size_t p = 0; p < devices; ++p)
            seen[d].push_back(room("what a device gets", before, t.align[1]));
        end[d] = tcp_mesh{(int)d, (int)devices, 0, 0, seen[d].data(), n, false, {}, nullptr};
    }
    std::string wrong;
    for (size_t k = 0; k < devices && wrong.empty(); ++k) {
        const size_t d = round & 2 ? devices - 1 - k : (k * 5 + (size_t)round) % devices;
        const size_t e =
            devices % 5 || round & 2 ? d : k;  // a permutation, also for 5, 10 and 15 devices
        void *tensors[] = {in[e], seen[e][e]};
        tcp_host_set_schedule({(round & 1) != 0, (round & 2) != 0, 0x34});
        if (mesh_launch[t.kernel](tensors, t.params.data(), &end[e]) != TCP_OK)
            wrong = std::string("launch: ") +
                    (tcp_host_report_count() ? tcp_host_report(0) : tcp_last_error());
    }
    for (const tcp_mesh &m : end) {
        if (!wrong.empty()) break;
        if (m.wrong) wrong = m.wrong;
        if (m.calls != 1 || m.hash != end[0].hash)
            wrong = "a device did not come, or with another call";
        for (const auto &s : m.steps)
            if (s.second.asked && s.second.past != 2)
                wrong = "a thread wrote to a peer and left before the last barrier";
    }
    for (size_t p = 0; p < devices && wrong.empty(); ++p) {
        for (size_t e = 0; e < n && wrong.empty(); e += width) {
            const unsigned char *now = before.data() + e;
            int writers = 0;
            for (size_t d = 0; d < devices; ++d) {
                if (!memcmp(seen[d][p] + e, before.data() + e, width)) continue;
                now = seen[d][p] + e;
                ++writers;
            }
            char text[120];
            snprintf(text, sizeof text, "element %zu of device %zu, by %d writers", e / width, p,
                     writers);
            const unsigned char *const gets = (t.is[p][e / width] ? t.b[p] : before).data() + e;
            if (writers > t.is[p][e / width] || memcmp(now, gets, width)) wrong = text;
        }
    }
    for (size_t d = 0; d < devices; ++d) {
        if (wrong.empty() && memcmp(in[d], t.a[d].data(), t.a[d].size()))
            wrong = "an input was written";
        tcp_free(in[d]);
        for (unsigned char *at : seen[d]) tcp_free(at);
    }
    return wrong;
}

int main(int argc, char **argv) {
    file = argc > 1 ? fopen(argv[1], "rb") : nullptr;
    if (!file) return 2;
    const int64_t cases = read_number();
    for (int64_t i = 0; i < cases; ++i) {
        test t;
        t.kernel = read_number();
        t.width = read_number();
        for (int64_t &align : t.align) align = read_number();
        t.params.resize((size_t)read_number());
        for (int64_t &p : t.params) p = read_number();
        t.params.push_back(0);
        const int64_t devices = read_number();
        for (int64_t d = 0; d < devices; ++d) {
            t.a.push_back(read_bytes());
            t.b.push_back(read_bytes());
            t.is.push_back(read_bytes());
        }
        for (int round = 0; round < 4; ++round) {
            const std::string wrong = run(t, round);
            if (wrong.empty()) continue;
            printf("case %lld: %s\n", (long long)i, wrong.c_str());
            break;
        }
    }
    printf("done %lld\n", (long long)cases);
    return 0;
}
