TCP_DEVICE void same(int tid, float *x) {
    for (int i = tid; i < 2048; i += 32) x[i] *= 1;
}
