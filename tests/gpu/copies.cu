// Runs the launchers of "judge_launch" on a GPU and compares every byte of every tensor with what the judge says, like
// tests/judge/host.cpp: random_copies.py writes the table and the file "cases" that this reads.  The last element of each tensor
// is the last one of its allocation, so that compute-sanitizer sees an access behind it.
#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

static const unsigned char poison = 0x5a;
static FILE *file;
static int failed;

static void must(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    printf("broken: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

static int64_t read_number() {
    int64_t value = 0;
    if (fread(&value, sizeof value, 1, file) != 1) exit(2);
    return value;
}

static std::vector<unsigned char> read_bytes(int64_t count) {
    std::vector<unsigned char> bytes((size_t)count);
    if (count && fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) exit(2);
    return bytes;
}

struct tensor {
    std::vector<unsigned char> held, after;  // the allocation, with "shift" bytes before the tensor
    size_t shift;
    unsigned char *at;
    std::string name;
};

static void run_case(int64_t number) {
    const int64_t kernel = read_number(), any = read_number() & 1, params = read_number();
    std::vector<int64_t> values;
    for (int64_t i = 0; i < params; ++i) values.push_back(read_number());
    std::vector<tensor> tensors((size_t)read_number());
    std::vector<void *> pointers;
    values.push_back(0);
    for (tensor &t : tensors) {
        const int64_t align = read_number();
        read_number();  // bytes of an element
        const int64_t bytes = read_number(), length = read_number();
        const std::vector<unsigned char> name = read_bytes(length);
        t.name.assign(name.begin(), name.end());
        t.shift = any ? (size_t)align
                      : 0;  // the address is a multiple of no more than "align", or of 256
        t.held.assign(t.shift, poison);
        const std::vector<unsigned char> before = read_bytes(bytes);
        t.held.insert(t.held.end(), before.begin(), before.end());
        t.after = read_bytes(bytes);
        must(cudaMalloc(&t.at, t.held.empty() ? 1 : t.held.size()), "memory");
        must(cudaMemcpy(t.at, t.held.data(), t.held.size(), cudaMemcpyHostToDevice), "copy");
        pointers.push_back(t.at + t.shift);
    }
    const tcp_status status = judge_launch[kernel](pointers.data(), values.data());
    must(cudaDeviceSynchronize(), "kernel");
    if (status != TCP_OK)
        printf("case %lld: launch: %s\n", (long long)number, tcp_last_error()), failed = 1;
    for (tensor &t : tensors) {
        must(cudaMemcpy(t.held.data(), t.at, t.held.size(), cudaMemcpyDeviceToHost), "copy");
        must(cudaFree(t.at), "free");
        for (size_t i = 0; i < t.held.size(); ++i) {
            const int expected = i < t.shift ? poison : t.after[i - t.shift];
            if (t.held[i] == expected) continue;
            printf("case %lld: '%s' has 0x%02x at byte %lld, expected 0x%02x\n", (long long)number,
                   t.name.c_str(), t.held[i], (long long)i - (long long)t.shift, expected);
            failed = 1;
            break;
        }
    }
}

int main() {
    file = fopen("cases", "rb");
    if (!file) return 2;
    const int64_t cases = read_number();
    for (int64_t i = 0; i < cases; ++i) run_case(i);
    printf("%lld cases, %s\n", (long long)cases, failed ? "FAILED" : "ok");
    return failed;
}
