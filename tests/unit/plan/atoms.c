// Rows whose threads make an access together: what each lane gets, beside what the instruction's
// page says of it.
#include "plan/atoms.h"

#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"

enum { LANES = 32 };

// Value "v" of lane "l" comes from this value of the lane that addresses it.
struct place {
    int lane, value;
};

// ldmatrix .x4: lane 8*i + r addresses row r of matrix i; lane l gets elements 2*(l % 4) and the
// next one of row l / 4 of each matrix (PTX, "ldmatrix").
static struct place of_ldmatrix(int l, int v) {
    return (struct place){8 * (v / 2) + l / 4, 2 * (l % 4) + v % 2};
}
// .trans: row 2*(l % 4) and the next one, of each column l / 4.
static struct place of_ldmatrix_trans(int l, int v) {
    return (struct place){8 * (v / 2) + 2 * (l % 4) + v % 2, l / 4};
}
static struct place of_itself(int l, int v) {
    return (struct place){l, v};
}

// The layouts are those of CuTe's SM75_U32x4_LDSM_N and SM75_U16x8_LDSM_T.
static const struct {
    struct atom_row row;
    struct place (*of)(int lane, int value);
} rows[] = {
    {{.name = "ldmatrix",
      .threads = LANES,
      .dst = "(32,(32,4)):(32,(1,1024))",
      .ref = "(32,(32,4)):(32,(1,1024))"},
     of_ldmatrix},
    {{.name = "ldmatrix.trans",
      .threads = LANES,
      .src = "(32,128):(128,1)",
      .dst = "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
     of_ldmatrix_trans},
    {{.name = "plain", .threads = LANES}, of_itself},
};

static void check_row(struct session *s, int i, int elem_bits) {
    struct atom a = {.row = &rows[i].row, .bits = 128};
    const int *from = atom_exchange(s, &a, elem_bits);
    for (int v = 0; v < a.bits / elem_bits; ++v) {
        for (int l = 0; l < LANES; ++l) {
            struct place p = rows[i].of(l, v);
            CHECK(from[l + LANES * v] == p.lane + LANES * p.value,
                  "%s: value %d of lane %d is value %d of lane %d", a.row->name, v, l,
                  from[l + LANES * v] / LANES, from[l + LANES * v] % LANES);
        }
    }
    // what a tile deals out: of the reference each thread has its own values
    struct lay ref = atom_dealt(s, &a, a.row->ref, elem_bits);
    int64_t at;
    for (int k = 0; k < LANES * a.bits / elem_bits; ++k)
        CHECK(lay_eval(&s->lay, ref, k, &at) && at == k, "%s: %d of the reference", a.row->name, k);
    // both sides are the same elements of it, each in its own order
    struct lay src = atom_dealt(s, &a, a.row->src, elem_bits);
    struct lay dst = atom_dealt(s, &a, a.row->dst, elem_bits);
    for (int k = 0; k < LANES * a.bits / elem_bits; ++k) {
        int64_t x, y;
        CHECK(lay_eval(&s->lay, dst, k, &x) && lay_eval(&s->lay, src, from[k], &y) && x == y,
              "%s: element %d", a.row->name, k);
    }
}

int main(void) {
    struct session s;
    session_init(&s);
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); ++i) check_row(&s, i, 16);
    check_row(&s, 2, 32);
    for (int i = 0; i < n_atom_rows; ++i) HOLDS(atom_rows[i].threads >= 1);
    session_release(&s);
    return check_done();
}
