// Element types for the generator.
#include <string.h>

#include "gen_private.h"

static const struct {
    const char *name;
    int bits;
} elems[] = {{"u8", 8},   {"s8", 8},   {"f8e4m3", 8}, {"f8e5m2", 8}, {"b8", 8},
             {"u16", 16}, {"s16", 16}, {"f16", 16},   {"bf16", 16},  {"b16", 16},
             {"u32", 32}, {"s32", 32}, {"f32", 32},   {"f32", 32},   {"b32", 32},
             {"u64", 64}, {"s64", 64}, {"f64", 64},   {"b64", 64},   {"b128", 128}};

void choose_elem(struct gen *g, struct kernel *k) {
    int i = below(g, (int)(sizeof elems / sizeof elems[0]));
    k->elem = elems[i].name;
    k->elem_bits = elems[i].bits;
    k->into = k->elem;
}

static bool is_number(const char *elem) {
    return elem[0] != 'b' || elem[1] == 'f';
}

// Numbers of another type, of as many bits or fewer, for what is written.  Nothing is drawn for it,
// so that all else is as it is without.
void choose_into(struct gen *g, struct kernel *k) {
    unsigned chance = (unsigned)(g->state >> 11);
    int i = (int)(chance / 100 % (sizeof elems / sizeof elems[0]));
    if (!(g->features & GEN_CONVERT) || chance % 100 >= 20 || elems[i].bits > k->elem_bits) return;
    if (is_number(k->elem) && is_number(elems[i].name)) k->into = elems[i].name;
}
