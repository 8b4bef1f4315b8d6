// SHA-256, by which results of earlier compilations are found again.
#ifndef TCPC_BASE_DIGEST_H
#define TCPC_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32 };
struct digest {
    uint8_t byte[DIGEST_BYTES];
};

// A digest under construction.
struct digesting {
    uint32_t state[8];
    uint64_t size;      // bytes so far
    uint8_t block[64];  // the last size % 64 of them
};

void digest_begin(struct digesting *d);
void digest_bytes(struct digesting *d, const void *bytes, size_t n);
// An integer; a text, or NULL.  What follows in a digest cannot be taken for a part of them.
void digest_int(struct digesting *d, int64_t x);
void digest_text(struct digesting *d, const char *text);
struct digest digest_end(struct digesting *d);

#endif
