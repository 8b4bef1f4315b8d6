// Both kernels of heads.tcp on 4 devices of one process, there and back: every element is where it
// belongs. The same file is for GPUs and, with runtime/host/, for a CPU.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "heads.h"
#include "tcp_mesh.h"

#ifdef __CUDACC__
#include <cuda_runtime_api.h>
static void use_device(int device) {
    cudaSetDevice(device);
}
#else
static void use_device(int) {}
#endif

enum { DEVICES = 4, HEADS = 32, WIDTH = 128 };

static void must(tcp_status status) {
    if (status == TCP_OK) return;
    fprintf(stderr, "%s: %s\n", tcp_status_text(status), tcp_last_error());
    exit(1);
}

static uint16_t element(int64_t b, int64_t s, int64_t h, int64_t d) {
    return (uint16_t)(b * 40503 + s * 977 + h * 131 + d);
}

int main(int argc, char **argv) {
    const int64_t B = 2, S = argc > 1 ? atoll(argv[1]) : 1;
    const int64_t part = 64 * S / DEVICES, elements = B * part * HEADS * WIDTH;
    const size_t bytes = (size_t)elements * sizeof(tcp_f16);
    tcp_mesh *end[DEVICES];
    tcp_f16 *x[DEVICES], *y[DEVICES], *back[DEVICES];
    must(tcp_mesh_local(end, DEVICES, NULL));
    must(tcp_mesh_prepare(end, DEVICES, 2 * bytes + 512));
    for (int g = 0; g < DEVICES; ++g) {  // device g has positions g * part .. of the sequence
        use_device(g);
        std::vector<uint16_t> values;
        for (int64_t i = 0; i < elements; ++i) {
            values.push_back(element(i / (part * HEADS * WIDTH),
                                     g * part + i / (HEADS * WIDTH) % part, i / WIDTH % HEADS,
                                     i % WIDTH));
        }
        must(tcp_alloc((void **)&x[g], bytes));
        must(tcp_upload(x[g], values.data(), bytes, NULL));
        y[g] = (tcp_f16 *)tcp_mesh_alloc(end[g], bytes);
        back[g] = (tcp_f16 *)tcp_mesh_alloc(end[g], bytes);
        if (!y[g] || !back[g]) must(TCP_ERR_MEMORY);
    }
    for (int g = 0; g < DEVICES; ++g) {
        use_device(g);
        must(to_heads_launch(x[g], y[g], B, S, end[g], NULL));
        must(to_sequence_launch(y[g], back[g], B, S, end[g], NULL));
    }
    int64_t wrong = 0;
    for (int g = 0; g < DEVICES; ++g) {
        use_device(g);
        must(tcp_wait(NULL));
        must(tcp_mesh_status(end[g], NULL));
        std::vector<uint16_t> heads((size_t)elements), first((size_t)elements),
            last((size_t)elements);
        must(tcp_download(heads.data(), y[g], bytes, NULL));
        must(tcp_download(first.data(), x[g], bytes, NULL));
        must(tcp_download(last.data(), back[g], bytes, NULL));
        const int64_t some = HEADS / DEVICES, length = 64 * S;
        for (int64_t i = 0; i < elements; ++i) {
            wrong += heads[(size_t)i] != element(i / (some * length * WIDTH), i / WIDTH % length,
                                                 g * some + i / (length * WIDTH) % some, i % WIDTH);
            wrong += first[(size_t)i] != last[(size_t)i];
        }
    }
    printf("%lld elements on each of %d devices, there and back: %lld wrong\n", (long long)elements,
           DEVICES, (long long)wrong);
    must(tcp_mesh_destroy(end, DEVICES));
    return wrong != 0;
}
