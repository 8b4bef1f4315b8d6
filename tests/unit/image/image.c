// Images: what was stored is loaded, what was not is poison, the order is by buffer and offset, a
// difference is found.
#include "image/image.h"
#include "check.h"
#include "image/sample.h"

static bool only_globals(void *user, int64_t buf) {
    (void)user;
    return buf < image_shared(0);
}

static void test_memory(void) {
    struct image *img = image_new();
    HOLDS(image_load(img, image_global(0), 5) == IMAGE_POISON);
    image_set_input(img, 2);
    HOLDS(image_load(img, image_global(2), 5) == image_tag(2, 5));
    HOLDS(image_load(img, image_global(2), -1) == IMAGE_POISON);
    for (int64_t off = -3000; off < 3000; off += 7)
        image_store(img, image_frag(1), off, image_tag(2, off + 3000));
    image_store(img, image_global(1), 100000, 42);
    image_store(img, image_shared(1), 0, 43);
    HOLDS(image_load(img, image_frag(1), -3000) == image_tag(2, 0));
    HOLDS(image_load(img, image_frag(1), -2999) == IMAGE_POISON);
    HOLDS(image_load(img, image_frag(2), -3000) == IMAGE_POISON);
    CHECK(image_count(img, image_frag(1)) == 858, "%lld",
          (long long)image_count(img, image_frag(1)));

    struct image_iter it = image_begin(img);
    struct image_entry e, last = {-1, 0, 0};
    int n = 0;
    while (image_next(&it, &e)) {
        HOLDS(e.buf > last.buf || (e.buf == last.buf && e.off > last.off));
        last = e;
        ++n;
    }
    image_end(&it);
    CHECK(n == 860, "%d", n);

    // pages of 256: 24 of the fragment; those of the block are there again for the next one
    HOLDS(img->made == 26 && img->begun == 26);
    image_drop_local(img);
    image_store(img, image_shared(1), 0, 43);
    HOLDS(img->made == 26 && img->begun == 27);
    image_drop_local(img);
    HOLDS(image_load(img, image_shared(1), 0) == IMAGE_POISON);
    HOLDS(image_load(img, image_global(1), 100000) == 42);
    image_free(img);
}

static void test_compare(void) {
    struct image *a = image_new(), *b = image_new();
    struct image_diff d;
    HOLDS(image_equal(a, b, NULL, NULL, &d));
    for (int64_t i = 0; i < 5000; ++i) {
        image_store(a, image_global(0), i * 3, i);
        image_store(b, image_global(0), (4999 - i) * 3, 4999 - i);
    }
    image_store(a, image_global(7), 0, IMAGE_POISON);
    HOLDS(image_equal(a, b, NULL, NULL, &d));
    image_store(a, image_shared(0), 1, 1);
    HOLDS(image_equal(a, b, only_globals, NULL, &d));
    HOLDS(!image_equal(a, b, NULL, NULL, &d) && d.buf == image_shared(0) && d.a == 1 &&
          d.b == IMAGE_POISON);
    image_store(b, image_global(0), 4, 9);
    HOLDS(!image_equal(a, b, NULL, NULL, &d) && d.off == 4 && d.a == IMAGE_POISON && d.b == 9);
    image_free(a);
    image_free(b);
}

static void test_sample(void) {
    int64_t pick[SAMPLE_AXIS], block[SAMPLE_BLOCKS][3];
    HOLDS(sample_axis(0, pick) == 0);
    HOLDS(sample_axis(3, pick) == 3 && pick[2] == 2);
    HOLDS(sample_axis(100, pick) == 4 && pick[1] == 1 && pick[2] == 50 && pick[3] == 99);
    for (int64_t x = 0; x < 7; ++x) {
        for (int64_t y = 0; y < 7; ++y) {
            for (int64_t z = 0; z < 7; ++z) {
                const int64_t n[3] = {x, y, z};
                int k = sample_blocks(n, block);
                if (!x || !y || !z) {
                    HOLDS(k == 0);
                    continue;
                }
                HOLDS(k >= 1 && k <= SAMPLE_BLOCKS);
                HOLDS(block[0][0] == 0 && block[0][1] == 0 && block[0][2] == 0);
                HOLDS(block[k - 1][0] == x - 1 && block[k - 1][1] == y - 1 &&
                      block[k - 1][2] == z - 1);
            }
        }
    }
}

int main(void) {
    test_memory();
    test_compare();
    test_sample();
    return check_done();
}
