// The sparse memory of image.h: two hash tables of pages with open addressing, for global buffers
// and for those local to a block, and a cache of recent pages in front.
#include "image/image.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct image_page {
    int64_t buf, number;  // place of the page
    struct image_page *next_free;
    int64_t tag[IMAGE_PAGE];
};

// Pages are allocated in chunks, and freed with the image.
enum { PAGES_AT_ONCE = 31 };
struct chunk {
    struct chunk *next;
    int used;
    struct image_page page[PAGES_AT_ONCE];
};

struct table {
    struct image_page **slot;
    int64_t cap, used;  // cap: 0 or a power of two
};

struct image_pages {
    struct table global, local;
    struct image_page *free_pages;
    struct chunk *chunks;
    int64_t poison[IMAGE_PAGE];  // read in place of the pages that are not made
};

static void *must_alloc(size_t bytes) {
    return memory_zeroed(1, bytes);
}

static void fill(int64_t *tag) {
    for (int i = 0; i < IMAGE_PAGE; ++i) tag[i] = IMAGE_POISON;
}

struct image *image_new(void) {
    struct image *img = must_alloc(sizeof *img);
    img->pages = must_alloc(sizeof *img->pages);
    fill(img->pages->poison);
    return img;
}

void image_free(struct image *img) {
    if (!img) return;
    memory_free(img->pages->global.slot);
    memory_free(img->pages->local.slot);
    for (struct chunk *c = img->pages->chunks, *next; c; c = next) {
        next = c->next;
        memory_free(c);
    }
    memory_free(img->pages);
    memory_free(img->input);
    memory_free(img);
}

void image_set_input(struct image *img, int tensor) {
    if (tensor < 0) return;
    if (tensor >= img->ninput) {
        int n = tensor + 16;
        bool *input = must_alloc((size_t)n * sizeof *input);
        if (img->ninput) memcpy(input, img->input, (size_t)img->ninput * sizeof *input);
        memory_free(img->input);
        img->input = input;
        img->ninput = n;
    }
    img->input[tensor] = true;
}

void image_drop_local(struct image *img) {
    struct table *t = &img->pages->local;
    if (!t->used) return;
    for (int64_t i = 0; i < t->cap; ++i) {
        if (t->slot[i]) {
            t->slot[i]->next_free = img->pages->free_pages;
            img->pages->free_pages = t->slot[i];
            t->slot[i] = NULL;
        }
    }
    t->used = 0;
    memset(img->recent, 0, sizeof img->recent);
}

static bool is_local(int64_t buf) {
    return buf >> 62 & 1;
}

static uint64_t hash(int64_t buf, int64_t number) {
    uint64_t h = (uint64_t)buf * 0x9e3779b97f4a7c15u ^ (uint64_t)number * 0xc2b2ae3d27d4eb4fu;
    return h ^ h >> 29;
}

// The slot of the page, or the empty slot where it belongs. "t" must have an empty slot.
static struct image_page **find_slot(const struct table *t, int64_t buf, int64_t number) {
    uint64_t mask = (uint64_t)t->cap - 1;
    uint64_t i = hash(buf, number) & mask;
    while (t->slot[i] && (t->slot[i]->buf != buf || t->slot[i]->number != number))
        i = (i + 1) & mask;
    return &t->slot[i];
}

static void grow(struct table *t) {
    struct table bigger = {.cap = t->cap ? 2 * t->cap : 64, .used = t->used};
    bigger.slot = must_alloc((size_t)bigger.cap * sizeof *bigger.slot);
    for (int64_t i = 0; i < t->cap; ++i)
        if (t->slot[i]) *find_slot(&bigger, t->slot[i]->buf, t->slot[i]->number) = t->slot[i];
    memory_free(t->slot);
    *t = bigger;
}

static struct image_page *add(struct image *img, struct table *t, int64_t buf, int64_t number) {
    struct image_pages *all = img->pages;
    if (2 * (t->used + 1) > t->cap) grow(t);
    struct image_page *p = all->free_pages;
    if (p) {
        all->free_pages = p->next_free;
    } else {
        if (!all->chunks || all->chunks->used == PAGES_AT_ONCE) {
            struct chunk *c = memory_new(sizeof *c);
            c->next = all->chunks;
            c->used = 0;
            all->chunks = c;
        }
        p = &all->chunks->page[all->chunks->used++];
        ++img->made;
    }
    p->buf = buf;
    p->number = number;
    p->next_free = NULL;
    fill(p->tag);
    ++img->begun;
    *find_slot(t, buf, number) = p;
    ++t->used;
    return p;
}

int64_t *image_find(struct image *img, int64_t buf, int64_t off, bool make) {
    struct image_pages *all = img->pages;
    struct table *t = is_local(buf) ? &all->local : &all->global;
    int64_t number = off >> IMAGE_PAGE_BITS;
    struct image_page *p = t->cap ? *find_slot(t, buf, number) : NULL;
    if (!p && make) p = add(img, t, buf, number);
    int64_t *tag = p ? p->tag : all->poison;
    *image_recent(img, buf, number) = (struct image_recent){buf, number, tag, p != NULL};
    return &tag[off & (IMAGE_PAGE - 1)];
}

// Loads "n" elements that are in one page.
static void load_from_page(struct image *img, int64_t buf, int64_t off, int64_t n, int64_t *tag) {
    const int64_t *from = image_at(img, buf, off, false);
    int64_t first = image_unwritten(img, buf, off);
    if (first == IMAGE_POISON) {  // not an input, so that poison stays poison
        memcpy(tag, from, (size_t)n * sizeof *tag);
    } else if (!image_recent(img, buf, off >> IMAGE_PAGE_BITS)->made) {
        for (int64_t i = 0; i < n; ++i) tag[i] = first + i;
    } else {
        for (int64_t i = 0; i < n; ++i) tag[i] = from[i] == IMAGE_POISON ? first + i : from[i];
    }
}

void image_load_run(struct image *img, int64_t buf, int64_t off, int64_t n, int64_t *tag) {
    while (n > 0) {
        int64_t room = IMAGE_PAGE - (off & (IMAGE_PAGE - 1));
        if (room > n) room = n;
        load_from_page(img, buf, off, room, tag);
        off += room;
        tag += room;
        n -= room;
    }
}

void image_store_run(struct image *img, int64_t buf, int64_t off, int64_t n, const int64_t *tag) {
    for (int64_t i = 0; i < n;) {
        int64_t *to = image_at(img, buf, off + i, true);
        int64_t room = IMAGE_PAGE - ((off + i) & (IMAGE_PAGE - 1));
        if (room > n - i) room = n - i;
        memcpy(to, &tag[i], (size_t)room * sizeof *to);
        i += room;
    }
}

static int by_place(const void *x, const void *y) {
    const struct image_page *a = *(struct image_page *const *)x,
                            *b = *(struct image_page *const *)y;
    if (a->buf != b->buf) return a->buf < b->buf ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

struct image_iter image_begin(const struct image *img) {
    const struct table *global = &img->pages->global, *local = &img->pages->local;
    struct image_iter it = {.img = img, .wanted = -1, .npages = global->used + local->used};
    struct image_page **page = must_alloc((size_t)(it.npages + 1) * sizeof *page);
    int64_t n = 0;
    for (int64_t i = 0; i < global->cap; ++i)
        if (global->slot[i]) page[n++] = global->slot[i];
    for (int64_t i = 0; i < local->cap; ++i)
        if (local->slot[i]) page[n++] = local->slot[i];
    qsort(page, (size_t)n, sizeof *page, by_place);
    it.page = page;
    return it;
}

bool image_next(struct image_iter *it, struct image_entry *out) {
    for (; it->at < it->npages; ++it->at, it->slot = 0) {
        const struct image_page *p = it->page[it->at];
        for (; it->slot < IMAGE_PAGE; ++it->slot) {
            if (p->tag[it->slot] == IMAGE_POISON) continue;
            *out =
                (struct image_entry){p->buf, p->number * IMAGE_PAGE + it->slot, p->tag[it->slot]};
            ++it->slot;
            return true;
        }
    }
    return false;
}

void image_end(struct image_iter *it) {
    memory_free((void *)it->page);
    it->page = NULL;
    it->npages = 0;
}

int64_t image_count(const struct image *img, int64_t buf) {
    const struct table *t = is_local(buf) ? &img->pages->local : &img->pages->global;
    int64_t n = 0;
    for (int64_t i = 0; i < t->cap; ++i) {
        if (!t->slot[i] || t->slot[i]->buf != buf) continue;
        for (int k = 0; k < IMAGE_PAGE; ++k) n += t->slot[i]->tag[k] != IMAGE_POISON;
    }
    return n;
}

// Skips pages that are equal in both.
static void skip_same_pages(struct image_iter *a, struct image_iter *b) {
    while (a->slot == 0 && b->slot == 0 && a->at < a->npages && b->at < b->npages) {
        const struct image_page *p = a->page[a->at], *q = b->page[b->at];
        if (p->buf != q->buf || p->number != q->number || memcmp(p->tag, q->tag, sizeof p->tag))
            return;
        ++a->at;
        ++b->at;
    }
}

// Gets the next entry of a buffer that "want" accepts.
static bool next_wanted(struct image_iter *it, image_want_fn *want, void *user,
                        struct image_entry *out) {
    while (image_next(it, out)) {
        if (!want || it->wanted == out->buf || want(user, out->buf)) {
            it->wanted = out->buf;
            return true;
        }
    }
    return false;
}

static int entry_order(const struct image_entry *a, const struct image_entry *b) {
    if (a->buf != b->buf) return a->buf < b->buf ? -1 : 1;
    return (a->off > b->off) - (a->off < b->off);
}

bool image_equal(const struct image *a, const struct image *b, image_want_fn *want, void *user,
                 struct image_diff *diff) {
    struct image_iter ia = image_begin(a), ib = image_begin(b);
    struct image_entry ea = {0}, eb = {0};
    bool more_a, more_b, equal = true;
    for (;;) {
        skip_same_pages(&ia, &ib);
        more_a = next_wanted(&ia, want, user, &ea);
        more_b = next_wanted(&ib, want, user, &eb);
        if (!more_a && !more_b) break;
        int order = !more_a ? 1 : !more_b ? -1 : entry_order(&ea, &eb);
        if (order == 0 && ea.tag == eb.tag) continue;
        equal = false;
        const struct image_entry *first = order <= 0 ? &ea : &eb;
        *diff = (struct image_diff){first->buf, first->off, order <= 0 ? ea.tag : IMAGE_POISON,
                                    order >= 0 ? eb.tag : IMAGE_POISON};
        break;
    }
    image_end(&ia);
    image_end(&ib);
    return equal;
}
