// Counts of one and the nouns behind them, and numbers that are none.
#include "base/agree.h"

#include <string.h>

#include "check.h"

static const char *agreed(const char *text) {
    static char out[256];
    strcpy(out, text);
    agree(out);
    return out;
}

int main(void) {
    static const char *const changed[][2] = {
        {"the tiled copy has 1 threads", "the tiled copy has 1 thread"},
        {"1 threads of 8 values", "1 thread of 8 values"},
        {"1 elements are written, 1 copies have 1 accesses of 1 bytes",
         "1 element is written, 1 copy has 1 access of 1 byte"},
        {"64 threads of 1 values are 64 elements", "64 threads of 1 value are 64 elements"},
        {"at most 1 contiguous elements (1 boxes)", "at most 1 contiguous element (1 box)"},
        {"1 indices, 1 other tiles", "1 index, 1 other tile"},
        {"no more than 1 named barriers", "no more than 1 named barrier"},
    };
    static const char *const same[] = {
        "11 elements",
        "2.1 elements",
        "0 .. 1 elements",
        "M + 1 tiles",
        "4:1 steps",
        "thread 1 copies an element",
        "in step 1 values differ",
        "a tile of 4 x 1 values is too small",
        "'kernel k(A) grid 1 threads 32 { }'",
        "mode 1 tiles 'A'",
        "1 thread",
        "1 sees",
        "-1 elements",
        "1",
        "by 1",
    };
    for (size_t i = 0; i < sizeof changed / sizeof *changed; ++i)
        CHECK_STR(agreed(changed[i][0]), changed[i][1]);
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i) CHECK_STR(agreed(same[i]), same[i]);
    return check_done();
}
