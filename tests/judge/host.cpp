// Runs the kernels of one batch on the host's runtime and compares every byte of every tensor with
// what the judge says.
//
// run.py compiles this behind the emitted texts and a table of launchers, "judge_launch".  Reads
// the cases from a file: how each is launched, and for each tensor the bytes before and after.
// Prints one line for each case that is not as expected, and "done N" at the end; begins with the
// case whose number is the second argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "host/tcp_host_run.h"

typedef tcp_status judge_launcher(void **tensors, const int64_t *params);
extern judge_launcher *const judge_launch[];

static const size_t guard_bytes = 64;
static const unsigned char guard_byte = 0x5a;

static FILE *file;

static int64_t read_number() {
    int64_t value = 0;
    if (fread(&value, sizeof value, 1, file) != 1) {
        printf("broken: the cases end in the middle of one\n");
        exit(2);
    }
    return value;
}

static std::vector<unsigned char> read_bytes(size_t count) {
    std::vector<unsigned char> bytes(count);
    if (count && fread(bytes.data(), 1, count, file) != count) exit(2);
    return bytes;
}

struct tensor {
    std::vector<unsigned char> before, after;
    unsigned char *at;
    size_t bytes, each;
    std::string name;
};

// Says how the memory of "t" and what lies around it differs from what is expected; "" when it does
// not.
static std::string difference(const tensor &t) {
    char text[200];
    for (size_t i = 0; i < guard_bytes; ++i) {
        if (t.at[-1 - (int)i] == guard_byte && t.at[t.bytes + i] == guard_byte) continue;
        return "bytes outside of '" + t.name + "' were written";
    }
    int wrong = 0;
    std::string first;
    for (size_t e = 0; e + t.each <= t.bytes; e += t.each) {
        if (!memcmp(t.at + e, t.after.data() + e, t.each)) continue;
        if (wrong++) continue;
        int n = snprintf(text, sizeof text, "'%s'[%zu] holds 0x", t.name.c_str(), e / t.each);
        for (size_t b = t.each; b-- > 0;)
            n += snprintf(text + n, sizeof text - (size_t)n, "%02x", t.at[e + b]);
        n += snprintf(text + n, sizeof text - (size_t)n, ", expected 0x");
        for (size_t b = t.each; b-- > 0;)
            n += snprintf(text + n, sizeof text - (size_t)n, "%02x", t.after[e + b]);
        first = text;
    }
    if (!wrong) return "";
    snprintf(text, sizeof text, " (%d elements differ)", wrong);
    return first + text;
}

static void run_case(int64_t number, bool run) {
    const int64_t kernel = read_number(), schedule = read_number(), params = read_number();
    std::vector<int64_t> values;
    for (int64_t i = 0; i < params; ++i) values.push_back(read_number());
    std::vector<tensor> tensors((size_t)read_number());
    for (tensor &t : tensors) {
        const int64_t align = read_number();
        t.each = (size_t)read_number();
        t.bytes = (size_t)read_number();
        const std::vector<unsigned char> name = read_bytes((size_t)read_number());
        t.name.assign(name.begin(), name.end());
        t.before = read_bytes(t.bytes);
        t.after = read_bytes(t.bytes);
        void *at = nullptr;
        if (!run) continue;
        if (tcp_host_alloc(&at, t.name.c_str(), t.bytes, (size_t)align, guard_bytes) != TCP_OK) {
            printf("broken: no memory\n");
            exit(2);
        }
        t.at = (unsigned char *)at;
        memset(t.at - guard_bytes, guard_byte, t.bytes + 2 * guard_bytes);
        if (t.bytes) memcpy(t.at, t.before.data(), t.bytes);
    }
    if (!run) return;
    std::vector<void *> pointers;
    for (const tensor &t : tensors) pointers.push_back(t.at);
    pointers.push_back(nullptr);
    values.push_back(0);
    tcp_host_set_schedule(
        {(schedule & 1) != 0, (schedule & 2) != 0, (unsigned char)(schedule & 4 ? 0x34 : 0xcb)});
    alarm(60);  // a kernel that does not end
    const tcp_status status = judge_launch[kernel](pointers.data(), values.data());
    alarm(0);
    if (status == TCP_ERR_DEVICE) {
        printf("case %lld: report: %s\n", (long long)number, tcp_host_report(0));
    } else if (status != TCP_OK) {
        printf("case %lld: launch: %s\n", (long long)number, tcp_last_error());
    } else {
        for (const tensor &t : tensors) {
            const std::string told = difference(t);
            if (!told.empty()) printf("case %lld: wrong: %s\n", (long long)number, told.c_str());
        }
    }
    for (const tensor &t : tensors) tcp_free(t.at);
}

int main(int argc, char **argv) {
    file = argc > 1 ? fopen(argv[1], "rb") : nullptr;
    if (!file) return 2;
    const int64_t cases = read_number(), first = argc > 2 ? atoll(argv[2]) : 0;
    for (int64_t i = 0; i < cases; ++i) {
        if (i >= first) {
            printf("at %lld\n", (long long)i);
            fflush(stdout);
        }
        run_case(i, i >= first);
    }
    printf("done %lld\n", (long long)cases);
    return 0;
}
