// Rows whose threads make an access together: what each lane gets, beside what the instruction's
// page says of it.
#include "plan/atoms.h"

#include <string.h>

#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"

enum { LANES = 32 };

// Value "v" of lane "l" comes from this value of the lane that addresses it.
struct place {
    int lane, value;
};

// ldmatrix: lane 8*i + r addresses row r of matrix i; lane l gets, of row l / 4 of each matrix, the
// 16 bits at 2 * (l % 4) and the next ones (PTX ISA, "ldmatrix").  Elements of "bits" are parts of
// such pairs, or both.
static struct place of_ldmatrix(int l, int v, int bits) {
    int n = 32 / bits;  // a lane's of each matrix
    return (struct place){8 * (v / n) + l / 4, n * (l % 4) + v % n};
}
// .trans: row 2*(l % 4) and the next one, of each column l / 4 of 16 bits.
static struct place of_ldmatrix_trans(int l, int v, int bits) {
    int n = 32 / bits, half = 16 / bits;
    return (struct place){8 * (v / n) + 2 * (l % 4) + v % n / half, half * (l / 4) + v % half};
}

static void check_load(struct session *s, const struct atom_row *row, int elem_bits) {
    struct atom a = {.row = row, .bits = row->widths[0]};
    bool turns = strstr(row->name, ".trans") != NULL;
    const struct atom_exchange *x = atom_exchange(s, &a, elem_bits);
    HOLDS(x->src_bits == 128);
    HOLDS(x->dst_bits == row->widths[0]);
    HOLDS(x->src_lanes == row->widths[0] / 4);
    HOLDS(x->dst_lanes == LANES);
    for (int v = 0; v < a.bits / elem_bits; ++v) {
        for (int l = 0; l < LANES; ++l) {
            struct place p =
                turns ? of_ldmatrix_trans(l, v, elem_bits) : of_ldmatrix(l, v, elem_bits);
            CHECK(x->from[l + LANES * v] == p.lane + LANES * p.value,
                  "%s: value %d of lane %d is value %d of lane %d", row->name, v, l,
                  x->from[l + LANES * v] / LANES, x->from[l + LANES * v] % LANES);
        }
    }
}

// stmatrix is the other way round.
static void check_store(struct session *s, const struct atom_row *row, int elem_bits) {
    struct atom a = {.row = row, .bits = row->widths[0]};
    bool turns = strstr(row->name, ".trans") != NULL;
    const struct atom_exchange *x = atom_exchange(s, &a, elem_bits);
    HOLDS(x->src_bits == row->widths[0]);
    HOLDS(x->dst_bits == 128);
    HOLDS(x->src_lanes == LANES);
    HOLDS(x->dst_lanes == row->widths[0] / 4);
    for (int v = 0; v < a.bits / elem_bits; ++v) {
        for (int l = 0; l < LANES; ++l) {
            struct place p =
                turns ? of_ldmatrix_trans(l, v, elem_bits) : of_ldmatrix(l, v, elem_bits);
            CHECK(x->from[p.lane + LANES * p.value] == l + LANES * v,
                  "%s: value %d of lane %d does not go where it should", row->name, v, l);
        }
    }
    for (int v = 0; v < 128 / elem_bits; ++v)
        for (int l = x->dst_lanes; l < LANES; ++l) HOLDS(x->from[l + LANES * v] == -1);
}

// What a tile deals out: of the reference each thread has its own values.
static void check_reference(struct session *s, const struct atom_row *row, int elem_bits) {
    struct atom a = {.row = row, .bits = row->widths[0]};
    struct lay ref = atom_dealt(s, &a, row->ref, elem_bits);
    int64_t at;
    for (int k = 0; k < LANES * a.bits / elem_bits; ++k)
        CHECK(lay_eval(&s->lay, ref, k, &at) && at == k, "%s: %d of the reference", row->name, k);
}

int main(void) {
    struct session s;
    session_init(&s);
    int collective = 0;
    for (int i = 0; i < n_atom_rows; ++i) {
        const struct atom_row *row = &atom_rows[i];
        for (int bits = 8; atom_is_collective(row) && bits <= row->most_elem; bits *= 2) {
            (row->src_spaces & 1u << MEM_SHARED ? check_load : check_store)(&s, row, bits);
            check_reference(&s, row, bits);
        }
        collective += atom_is_collective(row);
    }
    HOLDS(collective == 12);
    for (int i = 0; i < n_atom_rows; ++i) HOLDS(atom_rows[i].threads >= 1);
    session_release(&s);
    return check_done();
}
