// SHA-256 (FIPS 180-4).
#include "base/digest.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_AT = 56 };

static const uint32_t key[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void take_block(struct digesting *d, const uint8_t *b) {
    uint32_t w[ROUNDS], s[8];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)b[4 * i] << 24 | (uint32_t)b[4 * i + 1] << 16 |
               (uint32_t)b[4 * i + 2] << 8 | b[4 * i + 3];
    for (int i = 16; i < ROUNDS; ++i) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[i - 7] +
               (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
    }
    memcpy(s, d->state, sizeof s);
    for (int i = 0; i < ROUNDS; ++i) {
        uint32_t e = s[4], a = s[0];
        uint32_t x = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                     ((e & s[5]) ^ (~e & s[6])) + key[i] + w[i];
        uint32_t y = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                     ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += x;
        s[0] = x + y;
    }
    for (int i = 0; i < 8; ++i) d->state[i] += s[i];
}

void digest_begin(struct digesting *d) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(d->state, first, sizeof first);
    d->size = 0;
}

void digest_bytes(struct digesting *d, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    size_t held = d->size % BLOCK;
    d->size += n;
    if (held) {
        size_t more = n < BLOCK - held ? n : BLOCK - held;
        memcpy(d->block + held, at, more);
        if (held + more < BLOCK) return;
        take_block(d, d->block);
        at += more;
        n -= more;
    }
    for (; n >= BLOCK; at += BLOCK, n -= BLOCK) take_block(d, at);
    if (n) memcpy(d->block, at, n);
}

void digest_int(struct digesting *d, int64_t x) {
    uint8_t b[10];
    size_t n = 0;
    uint64_t rest = (uint64_t)x << 1 ^ (uint64_t)(x >> 63);  // the sign last
    for (; rest >> 7; rest >>= 7) b[n++] = (uint8_t)(rest | 0x80);
    b[n++] = (uint8_t)rest;
    digest_bytes(d, b, n);
}

void digest_text(struct digesting *d, const char *text) {
    size_t n = text ? strlen(text) : 0;
    digest_int(d, text ? (int64_t)n : -1);
    if (n) digest_bytes(d, text, n);
}

struct digest digest_end(struct digesting *d) {
    static const uint8_t fill[BLOCK] = {0x80};
    struct digest out;
    uint64_t bits = d->size * 8;
    uint8_t length[8];
    for (int i = 0; i < 8; ++i) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    size_t held = d->size % BLOCK;
    digest_bytes(d, fill, (held < LENGTH_AT ? LENGTH_AT : LENGTH_AT + BLOCK) - held);
    digest_bytes(d, length, sizeof length);
    for (int i = 0; i < DIGEST_BYTES; ++i)
        out.byte[i] = (uint8_t)(d->state[i / 4] >> (24 - 8 * (i % 4)));
    return out;
}
