// What the tests share that draw plans and compile them in their own process.
#ifndef TCPC_TESTS_IN_PROCESS_H
#define TCPC_TESTS_IN_PROCESS_H

#include <stdint.h>

enum { PLAN_PATH = 64 };

// 64 random bits, and a number below "n", from "state" alone.
static inline uint64_t chance(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline int64_t chance_below(uint64_t *state, int64_t n) {
    return (int64_t)(chance(state) % (uint64_t)n);
}

// Makes a file of "text" in memory and writes its name to "path"; for the caller to close. Ends the
// process where there is no memory.
int plan_file(const char *text, char path[PLAN_PATH]);

#endif
