// What memory holds after a kernel, element by element: each element holds a tag that says which
// element of which tensor it came from. The oracle, and the machine that executes Kernel IR, each
// fill an image, and the check compares the two. Images are a module of their own so that neither
// has to know the other.
//
// An image is sparse: buffers are identified by number, and consist of pages that are made when
// they are first written. It is allocated with malloc, because it is large and short-lived.
#ifndef TCPC_IMAGE_IMAGE_H
#define TCPC_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_POISON ((int64_t)-1)  // never written

// The initial tag of element "off" >= 0 of tensor "id" (0 <= id < 2^14).  Elements that are 2^40
// apart have the same one.
static inline int64_t image_tag(int id, int64_t off) {
    return (int64_t)id << 40 | (off & (((int64_t)1 << 40) - 1));
}
static inline bool image_is_opaque(int64_t tag) {
    return tag >= 0 && tag >> 62;
}
static inline int image_tag_tensor(int64_t tag) {
    if (tag < 0) return -1;
    return (int)(tag >> 40) & (image_is_opaque(tag) ? (1 << 23) - 1 : (1 << 14) - 1);
}
static inline int64_t image_tag_offset(int64_t tag) {
    return tag & (((int64_t)1 << 40) - 1);
}

// The tag of constant "k" (< 2^54) of the plan.
static inline int64_t image_constant(int k) {
    return -2 - (int64_t)k;
}
static inline bool image_is_constant(int64_t tag) {
    return tag < IMAGE_POISON;
}

// The types that an element or a constant had before copies converted it: index in elem_types + 1,
// four bits each, the first one lowest. 0: it was not converted.
enum { IMAGE_TYPE_BITS = 4, IMAGE_TOO_OFTEN = 255 };
static inline int image_tag_types(int64_t tag) {
    if (tag == IMAGE_POISON || image_is_opaque(tag)) return 0;
    return (int)((tag < 0 ? -2 - tag : tag) >> 54 & 255);
}
// The tag of "tag" after a conversion from type number "type" (1 .. 14).
static inline int64_t image_tag_had(int64_t tag, int type) {
    int had = image_tag_types(tag), at = had ? IMAGE_TYPE_BITS : 0;
    int64_t types = had >> IMAGE_TYPE_BITS ? IMAGE_TOO_OFTEN : had | type << at;
    int64_t what = ((tag < 0 ? -2 - tag : tag) & ~((int64_t)255 << 54)) | types << 54;
    return tag < 0 ? -2 - what : what;
}
// The number of the constant with this tag.
static inline int image_constant_of(int64_t tag) {
    return (int)((-2 - tag) & (((int64_t)1 << 54) - 1));
}

// Buffer numbers. A global tensor has one buffer for the launch. A shared tensor has one for the
// current block, and so does a fragment, where the elements of its threads follow one another.
// These two kinds are local to a block: image_drop_local forgets them before the next block.
static inline int64_t image_global(int tensor) {
    return tensor;
}
static inline int64_t image_shared(int tensor) {
    return (int64_t)1 << 62 | tensor;
}
static inline int64_t image_frag(int tensor) {
    return (int64_t)1 << 62 | (int64_t)1 << 32 | tensor;
}

// The index of element "off" of thread "thread" in the buffer of a tensor with "each" elements per
// thread.
static inline int64_t image_own(int64_t thread, int64_t each, int64_t off) {
    return thread * each + off;
}
// A tensor that the caller of a device function provides stays, like a global one, in buffer
// image_global(tensor). Each thread has room for IMAGE_OUTSIDE elements of a fragment there.
#define IMAGE_OUTSIDE ((int64_t)1 << 20)

// The tag for what an extern function leaves behind, which is unknown: element "off" of argument
// "arg" after call "call".
static inline int64_t image_opaque(int call, int arg, int64_t off) {
    return image_tag((1 << 22) + call * 64 + arg, off);
}

// What a reduction makes of an element: "op", from 1 on, of the one with tag "old" and that with tag
// "with".  The order of several is not seen.
static inline int64_t image_reduced(int op, int64_t old, int64_t with) {
    const int64_t none = image_tag((1 << 23) - 1 - op, 0), mask = ((int64_t)1 << 40) - 1;
    const int64_t tag[] = {old, with};
    uint64_t sum = 0;
    for (int i = 0; i < 2; ++i) {
        bool reduced =
            image_tag_tensor(tag[i]) == image_tag_tensor(none) && image_is_opaque(tag[i]);
        uint64_t x = (uint64_t)tag[i] * 0x9e3779b97f4a7c15u;
        sum += reduced ? (uint64_t)image_tag_offset(tag[i])
                       : (x ^ x >> 29) * 0xbf58476d1ce4e5b9u >> 24;
    }
    return none | ((int64_t)sum & mask);
}

// An image begins with a cache of the pages last used, by a hash of their place, so that loads and
// stores can be inlined into code that moves many elements. A page that is not made is cached as a
// page of poison, which must not be written.
enum { IMAGE_PAGE_BITS = 8, IMAGE_PAGE = 1 << IMAGE_PAGE_BITS, IMAGE_RECENT = 2048 };

struct image_recent {
    int64_t buf, number;  // place of the page
    int64_t *tag;         // NULL: empty entry
    bool made;            // the page is made, so that it may be written
};

struct image {
    struct image_recent recent[IMAGE_RECENT];
    bool *input;  // by tensor
    int ninput;
    int64_t made;   // pages allocated
    int64_t begun;  // pages filled with poison; those of each block count anew
    struct image_pages *pages;
};

struct image *image_new(void);
void image_free(struct image *img);  // NULL is fine
// Makes the unwritten elements of global tensor "tensor" read as their own tags: it is an input.
void image_set_input(struct image *img, int tensor);
void image_drop_local(struct image *img);

// The slow path of image_at: looks in the tables.
int64_t *image_find(struct image *img, int64_t buf, int64_t off, bool make);

static inline struct image_recent *image_recent(struct image *img, int64_t buf, int64_t number) {
    uint64_t h = (uint64_t)buf * 264 + ((uint64_t)buf >> 32) + (uint64_t)number;
    return &img->recent[h % IMAGE_RECENT];
}

// A pointer to the tag of element "off", followed by those of the elements up to the next multiple
// of IMAGE_PAGE. The caller may write them only with "make".
static inline int64_t *image_at(struct image *img, int64_t buf, int64_t off, bool make) {
    int64_t number = off >> IMAGE_PAGE_BITS;
    struct image_recent *r = image_recent(img, buf, number);
    if (r->number == number && r->buf == buf && r->tag && (r->made || !make))
        return &r->tag[off & (IMAGE_PAGE - 1)];
    return image_find(img, buf, off, make);
}

// The value of an element that holds poison: its own tag in an input, else poison.
static inline int64_t image_unwritten(const struct image *img, int64_t buf, int64_t off) {
    bool input = buf >= 0 && buf < img->ninput && img->input[buf] && off >= 0;
    return input ? image_tag((int)buf, off) : IMAGE_POISON;
}

// "off" may be any number. An element never written reads as IMAGE_POISON, or as its own tag in an
// input.
static inline int64_t image_load(struct image *img, int64_t buf, int64_t off) {
    int64_t tag = *image_at(img, buf, off, false);
    return tag == IMAGE_POISON ? image_unwritten(img, buf, off) : tag;
}
static inline void image_store(struct image *img, int64_t buf, int64_t off, int64_t tag) {
    *image_at(img, buf, off, true) = tag;
}
// The same for "n" consecutive elements.
void image_load_run(struct image *img, int64_t buf, int64_t off, int64_t n, int64_t *tag);
void image_store_run(struct image *img, int64_t buf, int64_t off, int64_t n, const int64_t *tag);

// Iterates over the written elements, by buffer and then by offset. The buffers are in ascending
// order: global, shared, fragments.
struct image_page;
struct image_entry {
    int64_t buf, off, tag;
};
struct image_iter {
    const struct image *img;
    struct image_page *const *page;  // sorted; owned by the iterator
    int64_t npages, at;
    int slot;
    int64_t wanted;  // the last buffer that "want" has accepted
};
struct image_iter image_begin(const struct image *img);
bool image_next(struct image_iter *it, struct image_entry *out);
void image_end(struct image_iter *it);

// The number of elements of "buf" that do not hold poison.
int64_t image_count(const struct image *img, int64_t buf);

// Whether "a" and "b" are equal in the buffers for which "want" holds (NULL: in all). If not,
// "diff" gets the first difference, by buffer and offset.
struct image_diff {
    int64_t buf, off;
    int64_t a, b;  // tags, or IMAGE_POISON
};
typedef bool image_want_fn(void *user, int64_t buf);
bool image_equal(const struct image *a, const struct image *b, image_want_fn *want, void *user,
                 struct image_diff *diff);

#endif
