// The harness on kernels whose outcome is known: writes the expected files of copy_tile and rotate
// to the working directory and hands the rest of the command line on.  A first word chooses what is
// wrong: "right", "element" (one element expected from elsewhere), "untouched" (one element that
// must not be written), "guard" (the kernel writes past its tensor), "input" (it writes to its
// input), "constant" (a constant is expected), "refused" (the launcher refuses), "missing" (no
// expected file).
#include "tcp_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TCP_EXTERN_C tcp_status copy_tile_launch(const float *src, float *out, tcp_stream stream);
TCP_EXTERN_C tcp_status rotate_launch(const tcp_b16 *src, tcp_b16 *out, int64_t blocks, int threads,
                                      int rounds, tcp_stream stream);
TCP_EXTERN_C tcp_status matrix_launch(const tcp_b16 *src, tcp_b16 *out, int fault,
                                      tcp_stream stream);

static const char *wrong = "right";

static tcp_status run_copy_tile(void *const *t, tcp_stream stream) {
    float *out = (float *)t[1];
    if (!strcmp(wrong, "refused")) return copy_tile_launch((const float *)t[0], out + 1, stream);
    const tcp_status status = copy_tile_launch((const float *)t[0], out, stream);
    if (!strcmp(wrong, "guard")) out[256] = 7;
    if (!strcmp(wrong, "input")) ((float *)t[0])[3] = 300;
    return status;
}

// bf16 numbers repeat after 256: two digits tell the 400 elements of "b" apart, a further run the
// two inputs.
static tcp_status run_rotate(void *const *t, tcp_stream stream) {
    return rotate_launch((const tcp_b16 *)t[0], (tcp_b16 *)t[2], 2, 64, 1, stream);
}

// cp.async, ldmatrix and stmatrix (sm_90).
static tcp_status run_matrix(void *const *t, tcp_stream stream) {
    return matrix_launch((const tcp_b16 *)t[0], (tcp_b16 *)t[1], 0, stream);
}

static const int64_t shape[] = {16, 16}, stride[] = {1, 16}, cube[] = {8, 16, 2},
                     step[] = {2, 16, 1};
static const int64_t flat[] = {128}, backwards[] = {-1};
static const tcp_harness_tensor tile_tensors[] = {
    {"src", TCP_F32, 256, 16, TCP_HARNESS_IN, NULL, NULL, {2, shape, stride, NULL, 0}},
    {"out",
     TCP_F32,
     256,
     16,
     TCP_HARNESS_OUT,
     "copy_tile.out.expect",
     NULL,
     {3, cube, step, NULL, 0}},
};
static const tcp_harness_shared tile_shared[] = {{"dst", TCP_F32, 0, {2, shape, stride, NULL, 0}}};
static const tcp_b128 constants[] = {{7, 0, 0, 0}};
static const tcp_harness_tensor rotate_tensors[] = {
    {"a", TCP_BF16, 128, 2, TCP_HARNESS_IN, NULL, NULL, {1, flat, backwards, NULL, 127}},
    {"b", TCP_BF16, 400, 2, TCP_HARNESS_IN, NULL, NULL, {0, NULL, NULL, NULL, 0}},
    {"c",
     TCP_BF16,
     130,
     2,
     TCP_HARNESS_OUT,
     "rotate.c.expect",
     constants,
     {1, flat, backwards, NULL, 127}},
};
static const tcp_harness_tensor matrix_tensors[] = {
    {"m", TCP_F16, 256, 16, TCP_HARNESS_IN, NULL, NULL, {2, shape, stride, NULL, 0}},
    {"t", TCP_F16, 256, 16, TCP_HARNESS_OUT, "matrix.t.expect", NULL, {2, shape, stride, NULL, 0}},
};
static const tcp_harness_kernel kernels[] = {
    {"copy_tile", run_copy_tile, tile_tensors, 2, tile_shared, 1, 2048},
    {"rotate", run_rotate, rotate_tensors, 3, NULL, 0, 512},
    {"matrix", run_matrix, matrix_tensors, 2, NULL, 0, 1024},
};

static bool write_tags(const char *path, const int64_t *tags, size_t count) {
    FILE *out = fopen(path, "wb");
    const bool good = out && fwrite(tags, sizeof *tags, count, out) == count;
    return out && fclose(out) == 0 && good;
}

int main(int argc, char **argv) {
    const bool chosen = argc > 1 && argv[1][0] != '-';
    if (chosen) wrong = argv[1];
    int64_t tile[256], ring[130], turned[256];
    for (int i = 0; i < 256; ++i) tile[i] = i % 8 * 32 + i / 8;
    for (int i = 0; i < 256; ++i) turned[i] = i % 16 * 16 + i / 16;
    for (int i = 0; i < 128; ++i) ring[i] = i / 64 * 64 + (i + 1) % 64;
    ring[128] = ring[129] = -1;
    if (!strcmp(wrong, "element")) tile[10] = 11;
    if (!strcmp(wrong, "untouched")) tile[10] = -1;
    if (!strcmp(wrong, "constant")) ring[5] = -2;
    remove("copy_tile.out.expect");
    if (strcmp(wrong, "missing") && !write_tags("copy_tile.out.expect", tile, 256)) return 2;
    if (!write_tags("rotate.c.expect", ring, 130)) return 2;
    if (!write_tags("matrix.t.expect", turned, 256)) return 2;
    return tcp_harness_main(argc - chosen, argv + chosen, kernels, 3);
}
