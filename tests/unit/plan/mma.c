// The operands of tiled MMAs against CuTe's, from the rows make_tiled_copy_A, _B and _C of
// tests/golden/tiled_copy.tsv: the (thread, value) layout and the tile.
#include "plan/mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"
#include "plan/golden_mma.h"

enum { PARAMS = 3, TILER = 7, TV, COLUMNS };

static bool check_row(char **row) {
    char warps[64], tile[64], name[80];
    struct tiled_mma x = {0};
    const char *operand = golden_mma_operand(row[0], row[PARAMS]);
    if (!operand || !golden_mma(row[PARAMS], name, warps, tile)) return false;
    struct session s;
    session_init(&s);
    struct lay_ctx *c = &s.lay;
    x.row = mma_find(name);
    CHECK(x.row, "there is no %s", name);
    x.warps = lay_parse(c, warps);
    const struct mma_shape *shape = mma_shape_of(x.row);
    const int size[] = {shape->m, shape->n, shape->k};
    const struct lay_tiler *t = lay_parse_tiler(c, tile);
    for (int i = 0; i < 3; ++i) {
        struct lay part = t->kid[i]->layout;
        if (t->kid[i]->kind == LAY_TILER_ANY)
            x.tile[i] = size[i] * lay_size(c, lay_mode(c, x.warps, i)).num;
        else
            x.tile[i] = lay_size(c, part).num;
        if (t->kid[i]->kind == LAY_TILER_LAYOUT && part.shape->rank >= 0) x.order[i] = part;
    }
    CHECK(mma_make(&s, &x), "%s: %s", name, c->error ? c->error : "");
    enum mma_operand which = (enum mma_operand)(*operand - 'A');
    struct lay want = lay_parse(c, row[TV]);
    CHECK(lay_valid(want), "%s", row[TV]);
    CHECK(strcmp(lay_tuple_text(c, x.shape[which]), row[TILER]) == 0, "%s: tile %s, CuTe has %s",
          row[PARAMS], lay_tuple_text(c, x.shape[which]), row[TILER]);
    struct lay have = x.tv[which];
    CHECK(lay_same(c, have, want) &&
              lay_int_equal(lay_size(c, lay_mode(c, have, 0)), lay_size(c, lay_mode(c, want, 0))),
          "%s %s: %s, CuTe has %s", row[0], row[PARAMS], lay_text(c, have), row[TV]);
    session_release(&s);
    return true;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : TEST_SOURCE_DIR "/tests/golden/tiled_copy.tsv";
    FILE *f = fopen(path, "r");
    if (!CHECK(f, "%s", path)) return check_done();
    static char line[1 << 16];
    int rows = 0;
    while (fgets(line, sizeof line, f)) {
        char *row[COLUMNS], *p = line;
        int n = 0;
        for (; n < COLUMNS && p; ++n) {
            row[n] = p;
            p = strchr(p, '\t');
            if (p) *p++ = 0;
        }
        if (n == COLUMNS) rows += check_row(row);
    }
    fclose(f);
    CHECK(rows > 20, "%d rows", rows);
    printf("%d rows\n", rows);
    return check_done();
}
