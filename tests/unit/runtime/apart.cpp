// Tensors that interleave (tcp_apart.h), against all their bytes: what is said to be apart shares no
// byte, and disjoint parts of one matrix are said to be apart.
#include "tcp_apart.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MODES = 3, ROOM = 1 << 14 };

static uint64_t state = 2026;
static int below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static bool taken[ROOM];

// Takes the bytes of "x", whose place in "taken" is "at"; returns whether one was taken before.
static bool take(const tcp_area *x, int64_t at, int mode, bool look) {
    if (mode < x->modes) {
        bool met = false;
        for (int64_t i = 0; i < x->mode[mode].extent; ++i)
            met |= take(x, at + i * x->mode[mode].stride, mode + 1, look);
        return met;
    }
    bool met = false;
    for (int64_t k = at; k < at + x->bytes; ++k) {
        if (k < 0 || k >= ROOM) abort();
        met |= look && taken[k];
        if (!look) taken[k] = true;
    }
    return met;
}

static bool share(const tcp_area *a, const tcp_area *b) {
    memset(taken, 0, sizeof taken);
    take(a, ROOM / 2, 0, false);
    return take(b, ROOM / 2 + (int64_t)(b->at - a->at), 0, true);
}

static int apart_seen, shared_seen, missed;

// Any layouts, also with negative strides, extents of 0 and 1, and pitches that differ.
static void any_layouts() {
    tcp_mode mode[2][MODES];
    tcp_area x[2];
    for (int i = 0; i < 2; ++i) {
        x[i] = {1000000, 1 << below(3), mode[i], below(MODES + 1)};
        for (int k = 0; k < x[i].modes; ++k) {
            static const int pitch[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};
            mode[i][k] = {below(5), pitch[below(14)] * (below(6) ? 1 : -1) * x[i].bytes};
        }
    }
    if (below(3) == 0) {  // the same layout, elsewhere
        x[1].modes = x[0].modes;
        x[1].bytes = x[0].bytes;
        memcpy(mode[1], mode[0], sizeof mode[0]);
    }
    x[1].at += (uint64_t)(below(400) - 200);
    bool apart = tcp_apart(&x[0], &x[1]), met = share(&x[0], &x[1]);
    HOLDS(!(apart && met));
    HOLDS(apart == (bool)tcp_apart(&x[1], &x[0]));
    apart_seen += apart;
    shared_seen += met;
    missed += !apart && !met;
}

// Two parts of one array of up to three modes: disjoint along one of them, the same along the
// others, or any part of them.
static void two_parts() {
    int64_t stride = 1 << below(3), bytes = stride;
    tcp_mode mode[2][MODES];
    tcp_area x[2] = {{1000000, bytes, mode[0], MODES}, {1000000, bytes, mode[1], MODES}};
    int cut = below(MODES);
    for (int k = 0; k < MODES; ++k) {
        int n = 1 + below(5), first[2], end[2];
        for (int i = 0; i < 2; ++i) {
            first[i] = below(n);
            end[i] = first[i] + 1 + below(n - first[i]);
        }
        if (k == cut) {
            n += 1;
            first[0] = 0;
            end[0] = 1 + below(n - 1);
            first[1] = end[0];
            end[1] = n;
        }
        int swap = below(2);
        for (int i = 0; i < 2; ++i) {
            mode[i][k] = {end[i ^ swap] - first[i ^ swap], stride};
            x[i].at += (uint64_t)(first[i ^ swap] * stride);
        }
        stride *= n + below(2);  // rows may be padded
    }
    for (int i = 0; i < 2; ++i) {  // in any order
        int a = below(MODES), b = below(MODES);
        tcp_mode t = mode[i][a];
        mode[i][a] = mode[i][b];
        mode[i][b] = t;
    }
    HOLDS(!share(&x[0], &x[1]));
    int64_t end[2];
    for (int i = 0; i < 2; ++i) {
        end[i] = bytes;
        for (int k = 0; k < MODES; ++k) end[i] += (mode[i][k].extent - 1) * mode[i][k].stride;
    }
    bool beside = x[0].at + (uint64_t)end[0] <= x[1].at || x[1].at + (uint64_t)end[1] <= x[0].at;
    HOLDS(beside || tcp_apart(&x[0], &x[1]));
}

static void by_hand() {
    const tcp_mode half[] = {{1000, 512}, {64, 4}}, all[] = {{1000, 512}, {65, 4}};
    const tcp_area left = {4096, 4, half, 2}, right = {4096 + 256, 4, half, 2};
    const tcp_area more = {4096, 4, all, 2}, far = {4096 + 256 + 512 * 7, 4, half, 2};
    HOLDS(tcp_apart(&left, &right) && tcp_apart(&right, &left) && tcp_apart(&left, &far));
    HOLDS(!tcp_apart(&more, &right) && !tcp_apart(&left, &left));
    // another pitch, of which both are multiples; and one that does not help
    const tcp_mode twice[] = {{9, 1024}, {64, 4}}, odd[] = {{9, 300}, {64, 4}};
    const tcp_area wide = {4096 + 256, 4, twice, 2}, across = {4096 + 256, 4, odd, 2};
    HOLDS(tcp_apart(&left, &wide) && !tcp_apart(&left, &across));
    // numbers at the end of their range
    const tcp_mode huge[] = {{INT64_MAX, INT64_MAX}, {2, INT64_MIN}, {INT64_MAX, 3}};
    const tcp_area end = {UINT64_MAX, 4, huge, 3};
    HOLDS(!tcp_apart(&end, &left) && !tcp_apart(&left, &end));
    // two elements in turn
    const tcp_mode pairs[] = {{100, 8}};
    const tcp_area re = {64, 4, pairs, 1}, im = {68, 4, pairs, 1}, late = {66, 4, pairs, 1};
    HOLDS(tcp_apart(&re, &im) && !tcp_apart(&re, &late));
}

int main() {
    by_hand();
    for (int i = 0; i < 100000; ++i) any_layouts();
    for (int i = 0; i < 20000; ++i) two_parts();
    // both happen often enough to be a test
    HOLDS(apart_seen > 2000 && shared_seen > 2000);
    printf("%d apart, %d share, %d apart and not known to be\n", apart_seen, shared_seen, missed);
    return check_done();
}
