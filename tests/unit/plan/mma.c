// The operands of tiled MMAs against CuTe's, from the rows make_tiled_copy_A, _B and _C of
// tests/golden/tiled_copy.tsv: the (thread, value) layout and the tile.
#include "plan/mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"

enum { PARAMS = 3, TILER = 6, TV, COLUMNS };

// "SM80_16x8x16_F32F16F16F32_TN" as "m16n8k16.f32.f16.f16.f32".
static void name_of(const char *cute, char *out, size_t size) {
    static const struct {
        const char *cute, *name;
    } types[] = {{"TF32", "tf32"}, {"BF16", "bf16"}, {"F32", "f32"}, {"F16", "f16"},
                 {"F64", "f64"},   {"S32", "s32"},   {"S8", "s8"},   {"U8", "u8"}};
    int m, n, k, used, n_out;
    CHECK(sscanf(cute, "SM%*d_%dx%dx%d_%n", &m, &n, &k, &used) == 3, "%s", cute);
    n_out = snprintf(out, size, "m%dn%dk%d", m, n, k);
    for (const char *p = cute + used; *p && *p != '_';) {
        size_t i = 0;
        while (i < sizeof types / sizeof *types &&
               strncmp(p, types[i].cute, strlen(types[i].cute)) != 0)
            ++i;
        if (i == sizeof types / sizeof *types) {
            CHECK_STR(p, "a type");
            return;
        }
        p += strlen(types[i].cute);
        n_out += snprintf(out + n_out, size - (size_t)n_out, ".%s", types[i].name);
    }
}

static bool check_row(char **row) {
    char cute[128], warps[64], tile[64], name[80];
    struct tiled_mma x = {0};
    CHECK(sscanf(row[PARAMS], "%127[^ ] ; %63[^ ] ; %63s", cute, warps, tile) == 3, "%s",
          row[PARAMS]);
    struct session s;
    if (strncmp(cute, "SM", 2) != 0) return false;  // no instruction
    session_init(&s);
    struct lay_ctx *c = &s.lay;
    name_of(cute, name, sizeof name);
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
    enum mma_operand which = (enum mma_operand)(row[0][strlen("make_tiled_copy_")] - 'A');
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
    CHECK(f, "%s", path);
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
        if (n < COLUMNS || strncmp(row[0], "make_tiled_copy_", 16) != 0) continue;
        if (!strchr("ABC", row[0][16]) || strcmp(row[0] + 17, "") != 0) continue;
        rows += check_row(row);
    }
    fclose(f);
    CHECK(rows > 20, "%d rows", rows);
    printf("%d rows\n", rows);
    return 0;
}
