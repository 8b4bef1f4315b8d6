// The cache of a caller (tcpc.h): results of earlier calls by digest, in memory, those used last first.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/kept.h"
#include "lib/lib.h"

// Not from memory_new: it outlives the call, and a call does well without it.
struct entry {
    struct digest key;
    struct entry *next;           // in the same list of the table
    struct entry *newer, *older;  // by use
    size_t size;
    uint8_t result[];
};

struct tcpc_cache {
    struct kept kept;  // first, because the compiler gets a pointer to it
    pthread_mutex_t lock;
    size_t most, used;  // bytes
    struct entry **list;
    size_t nlists;  // a power of 2
    struct entry *newest, *oldest;
};

enum { LEAST_CACHE = 1 << 16, USUAL_CACHE = 64 << 20, BYTES_A_LIST = 256 };

static struct entry **place_of(struct tcpc_cache *c, const struct digest *key) {
    size_t at;
    memcpy(&at, key->byte, sizeof at);
    struct entry **e = &c->list[at & (c->nlists - 1)];
    while (*e && memcmp(&(*e)->key, key, sizeof *key) != 0) e = &(*e)->next;
    return e;
}

static void take_out(struct tcpc_cache *c, struct entry *e) {
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void put_first(struct tcpc_cache *c, struct entry *e) {
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static int find(struct kept *by, const struct digest *key, void *out) {
    struct tcpc_cache *c = (struct tcpc_cache *)by;
    pthread_mutex_lock(&c->lock);
    struct entry *e = *place_of(c, key);
    int size = e ? (int)e->size : -1;
    if (e) {
        memcpy(out, e->result, e->size);
        take_out(c, e);
        put_first(c, e);
    }
    pthread_mutex_unlock(&c->lock);
    return size;
}

static void drop_oldest(struct tcpc_cache *c) {
    struct entry *e = c->oldest;
    take_out(c, e);
    *place_of(c, &e->key) = e->next;
    c->used -= sizeof *e + e->size;
    free(e);
}

static void keep(struct kept *by, const struct digest *key, const void *result, size_t size) {
    struct tcpc_cache *c = (struct tcpc_cache *)by;
    struct entry *e = malloc(sizeof *e + size);
    if (!e) return;
    e->key = *key;
    e->next = NULL;
    e->size = size;
    if (size) memcpy(e->result, result, size);
    pthread_mutex_lock(&c->lock);
    struct entry **at = place_of(c, key);
    if (*at) {  // another thread was faster
        free(e);
    } else {
        *at = e;
        put_first(c, e);
        c->used += sizeof *e + size;
    }
    while (c->used > c->most) drop_oldest(c);
    pthread_mutex_unlock(&c->lock);
}

struct tcpc_cache *tcpc_cache_new(size_t most_bytes) {
    struct tcpc_cache *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    size_t lists = 1;
    c->kept = (struct kept){find, keep};
    c->most = most_bytes == 0 ? USUAL_CACHE : most_bytes < LEAST_CACHE ? LEAST_CACHE : most_bytes;
    while (lists < c->most / BYTES_A_LIST / 2) lists *= 2;
    c->list = calloc(lists, sizeof(struct entry *));
    if (!c->list) {
        free(c);
        return NULL;
    }
    c->nlists = lists;
    c->used = lists * sizeof(struct entry *);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

size_t tcpc_cache_bytes(struct tcpc_cache *c) {
    pthread_mutex_lock(&c->lock);
    size_t used = c->used;
    pthread_mutex_unlock(&c->lock);
    return used;
}

void tcpc_cache_free(struct tcpc_cache *c) {
    if (!c) return;
    while (c->oldest) drop_oldest(c);
    pthread_mutex_destroy(&c->lock);
    free(c->list);
    free(c);
}
