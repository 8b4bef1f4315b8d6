// Which element of a tile is value i of thread t, and whether two users of a fragment mean the same
// by its values.
//
// Two orders agree if the elements differ by the same step everywhere, because one may count from
// the beginning of a slice.
#ifndef TCPC_PASS_PARTITION_ORDER_H
#define TCPC_PASS_PARTITION_ORDER_H

#include "plan/view.h"

// Value i of a thread is value i % values of tile number i / values of "tc".
struct order {
    const struct tiled_copy *tc;
    bool src;
    const char *name;
    int n, nrest;
    int64_t tile[LAY_MAX_RANK], rest[LAY_MAX_RANK];
};

// A user of the fragment with "count" values in that order: its i-th value is value offset +
// layout(i).
struct sequence {
    struct order of;
    struct lay layout;          // invalid: the identity
    int64_t first, step, last;  // the possible values of "offset"
};

struct difference {
    int64_t thread, value;  // the first value for which the two differ
    int64_t a, b;           // the offsets for which they differ
};

// The extents of the modes of "t", by mode; none for NULL.
void order_extents(struct session *s, const struct lay_tuple *t, int *n, int64_t *out);
struct order order_of_tile(struct session *s, const struct tiled_copy *tc, bool src,
                           const struct lay_tuple *rest, const char *name);
struct order order_held(struct session *s, const struct tiled_copy *holds);
// How a message names "tc".
const char *order_tile_name(struct session *s, const struct tiled_copy *tc);
// Sets "crd" to the coordinate, by mode, of the element that is value "i" of thread "t".
bool order_element(struct session *s, const struct order *o, int64_t t, int64_t i, int64_t *crd);
bool order_same_threads(const struct sequence *a, const struct sequence *b, bool warps);
// Whether "count" values agree, for all offsets.  "group": number of threads after which the
// pattern repeats; order_agree_in takes the threads of the smaller one.
bool order_agree(struct session *s, const struct sequence *a, const struct sequence *b,
                 int64_t count, int64_t group, struct difference *at);
bool order_agree_in(struct session *s, const struct sequence *a, const struct sequence *b,
                    int64_t count, struct difference *at);
// Adds notes to an error about "a" and "b": what is required, and what is there.
void order_show(struct session *s, const struct sequence *a, struct range a_at,
                const struct sequence *b, struct range b_at, int64_t count,
                const struct difference *at);

#endif
