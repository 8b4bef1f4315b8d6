#pragma once
// Adds thread tid's row of a (32,32) tile to acc, n + 1 times.
TCP_DEVICE void fold(int tid, float *acc, const float *tile, int64_t n) {
    for (int c = 0; c < 32; ++c) acc[0] += tile[tid + 32 * c] * (float)(n + 1);
}
