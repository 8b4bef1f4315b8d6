// A C program around a compiled plan, as runtime/README.md shows it: the launchers, the memory
// functions and the error text have C linkage.
#include <stdlib.h>

#include "check.h"
#include "tcp_runtime.h"

tcp_status copy_tile_launch(const float *src, float *out, tcp_stream stream);

int main(void) {
    float in[256], back[256];
    void *src = NULL, *out = NULL;
    for (int i = 0; i < 256; ++i) in[i] = (float)i;
    HOLDS(strcmp(tcp_last_error(), "") == 0);
    HOLDS(tcp_alloc(&src, sizeof in) == TCP_OK && tcp_alloc(&out, sizeof in) == TCP_OK);
    HOLDS(tcp_upload(src, in, sizeof in, NULL) == TCP_OK);
    HOLDS(tcp_memset(out, 0, sizeof in, NULL) == TCP_OK);
    const tcp_status status = copy_tile_launch((const float *)src, (float *)out, NULL);
    CHECK(status == TCP_OK, "%s: %s", tcp_status_text(status), tcp_last_error());
    HOLDS(tcp_wait(NULL) == TCP_OK && tcp_download(back, out, sizeof back, NULL) == TCP_OK);
    for (int i = 0; i < 256; ++i) CHECK(back[i] == (float)(i % 8 * 32 + i / 8), "element %d", i);
    HOLDS(copy_tile_launch((const float *)src, (float *)out + 1, NULL) == TCP_ERR_ALIGNMENT);
    char want[128];
    snprintf(want, sizeof want,
             "copy_tile: 'out' must be aligned to 16 bytes, but its address %p is 4 bytes past a "
             "multiple of 16",
             (void *)((float *)out + 1));
    CHECK_STR(tcp_last_error(), want);
    tcp_free(src);
    tcp_free(out);
    return check_done();
}
