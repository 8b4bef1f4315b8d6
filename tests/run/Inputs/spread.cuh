TCP_DEVICE void put(int tid, float *r, const float *i) {
    for (int k = tid; k < 128; k += 128) r[(k % 32) * 8 + k / 32] = i[k];
}
