// Compares the calculator with values of the real CuTe: tests/golden/*.tsv, one case a line.  What
// is meant to differ stands in tests/golden/DIFFERENCES.md with its reason.  Prints the counts by
// operation.
#include "check.h"
#include "layout/arena.h"
#include "layout/text.h"

#include <string.h>

enum { MAX_OPS = 128, MAX_FIELDS = 16, MAX_LISTED = 256 };

static struct count {
    char op[48];
    int cases, same, listed, wrong;
} counts[MAX_OPS];
static int ncounts;
static char *listed[MAX_LISTED];
static int nlisted, used[MAX_LISTED];
static int verbose;

static struct count *count_of(const char *op) {
    for (int i = 0; i < ncounts; ++i)
        if (strcmp(counts[i].op, op) == 0) return &counts[i];
    snprintf(counts[ncounts].op, sizeof counts[0].op, "%s", op);
    return &counts[ncounts++];
}

static char *read_file(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/golden/%s", TEST_SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    text[fread(text, 1, (size_t)n, f)] = 0;
    fclose(f);
    return text;
}

static int split(char *line, char **field) {
    int n = 0;
    for (char *p = line; p && n < MAX_FIELDS; ++n) {
        field[n] = p;
        p = strchr(p, '\t');
        if (p) *p++ = 0;
    }
    return n;
}

// "a | b" -> "op(a, b)"
static void expression(char *out, size_t size, const char *op, const char *args) {
    bool composed = strncmp(op, "composed_", 9) == 0 && strcmp(op, "composed_eval") != 0;
    size_t n = (size_t)snprintf(out, size, "%s(", op + (composed ? 9 : 0));
    for (const char *p = args; *p && n + 4 < size; ++p) {
        if (p[0] == ' ' && p[1] == '|') {
            out[n++] = ',';
            ++p;
        } else {
            out[n++] = *p;
        }
    }
    snprintf(out + n, size - n, ")");
}

// The lines "- `op(args)` ..." of DIFFERENCES.md.
static void read_differences(void) {
    char *text = read_file("DIFFERENCES.md");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *end = strncmp(line, "- `", 3) == 0 ? strchr(line + 3, '`') : NULL;
        if (!end || nlisted == MAX_LISTED) continue;
        *end = 0;
        listed[nlisted++] = line + 3;
    }
}

static int is_listed(const char *text) {
    for (int i = 0; i < nlisted; ++i)
        if (strcmp(listed[i], text) == 0) {
            used[i] = 1;
            return 1;
        }
    return 0;
}

// The values at all coordinates as the file prints them.
static void offsets(struct lay_ctx *ctx, struct calc_value v, char *out, size_t size) {
    size_t n = 0;
    struct lay_int count = lay_size(ctx, v.layout);
    int64_t plus = v.kind == CALC_VIEW && v.offset.n ? v.offset.term[0].num : 0;
    out[0] = 0;
    for (int64_t i = 0; i < count.num && n + 64 < size; ++i) {
        const struct lay_tuple *t = lay_eval_tuple(ctx, v.layout, lay_leaf_of(ctx, i));
        if (t && lay_is_leaf(t))
            n += (size_t)snprintf(out + n, size - n, "%s%lld", i ? "," : "",
                                  (long long)(t->leaf.num + plus));
        else
            n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "," : "",
                                  t ? lay_tuple_text(ctx, t) : "?");
    }
}

static void run_algebra(struct lay_ctx *ctx, struct block *b) {
    static char text[4096], got[65536];
    char *file = read_file("layout_algebra.tsv"), *field[MAX_FIELDS], *next;
    for (char *line = file; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line == '#' || split(line, field) < 4) continue;
        struct count *c = count_of(field[0]);
        ++c->cases;
        block_reset(b, ctx);
        expression(text, sizeof text, field[0], field[1]);
        struct calc_value v = calc_of_text(ctx, text);
        const char *out = v.kind == CALC_NONE ? ctx->error : calc_text(ctx, v, CALC_STYLE_TCP);
        int same = strcmp(out, field[2]) == 0;
        if (same && strcmp(field[3], "-") && (v.kind == CALC_LAYOUT || v.kind == CALC_VIEW)) {
            offsets(ctx, v, got, sizeof got);
            same = strcmp(got, field[3]) == 0;
            out = same ? out : got;
        }
        if (same) {
            ++c->same;
        } else if (is_listed(text)) {
            ++c->listed;
        } else {
            ++c->wrong;
            fprintf(stderr, "%s\n  CuTe %s\n  here %s\n  %s\n", text, field[2], out, field[4]);
        }
        check_count++;
    }
    free(file);
}

static int is_algebra(const char *op) {
    struct calc_operation found;
    return calc_known(op, &found) && found.where != IN_PLAN;
}

static void run_rejects(struct lay_ctx *ctx, struct block *b) {
    static char text[4096];
    char *file = read_file("rejects.tsv"), *field[MAX_FIELDS], *next;
    for (char *line = file; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line == '#' || split(line, field) < 6 || !is_algebra(field[0])) continue;
        int semantic = strcmp(field[5], "semantic") == 0;
        struct count *c = count_of(semantic ? "(rejected)" : "(limitations)");
        ++c->cases;
        block_reset(b, ctx);
        expression(text, sizeof text, field[0], field[1]);
        struct calc_value v = calc_of_text(ctx, text);
        if (verbose && v.kind == CALC_NONE) printf("%s\n  %s\n", text, ctx->error);
        if (v.kind == CALC_NONE || !semantic) {
            ++c->same;
        } else if (is_listed(text)) {
            ++c->listed;
        } else {
            ++c->wrong;
            fprintf(stderr, "%s\n  CuTe rejects: %s\n  here %s\n", text, field[2],
                    calc_text(ctx, v, CALC_STYLE_TCP));
        }
        check_count++;
    }
    free(file);
}

static int type_bits(const char *t) {
    return t[1] == '8' ? 8 : atoi(t + 1);
}

// The columns of vectorize.tsv that are algebra: max_common_vector and max_alignment.
static void run_vectorize(struct lay_ctx *ctx, struct block *b) {
    char *file = read_file("vectorize.tsv"), *field[MAX_FIELDS], *next;
    for (char *line = file; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line == '#' || split(line, field) < 7) continue;
        block_reset(b, ctx);
        struct count *c = count_of("(vectorize)");
        ++c->cases;
        struct lay src = lay_parse(ctx, field[0]), dst = lay_parse(ctx, field[1]);
        struct lay_int n = lay_max_common_vector(ctx, src, dst);
        struct lay_int x = lay_max_alignment(ctx, src), y = lay_max_alignment(ctx, dst);
        int bits = type_bits(field[2]);
        int same = n.num == atoll(field[4]) && x.num * bits == atoll(field[5]) &&
                   y.num * bits == atoll(field[6]);
        if (same) {
            ++c->same;
        } else {
            ++c->wrong;
            fprintf(stderr, "vectorize %s -> %s %s: %lld %lld %lld, CuTe %s %s %s\n", field[0],
                    field[1], field[2], (long long)n.num, (long long)x.num * bits,
                    (long long)y.num * bits, field[4], field[5], field[6]);
        }
        check_count++;
    }
    free(file);
}

int main(int argc, char **argv) {
    struct block b = block_make((size_t)64 << 20);
    struct lay_ctx ctx;
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    read_differences();
    run_algebra(&ctx, &b);
    run_rejects(&ctx, &b);
    run_vectorize(&ctx, &b);
    free(b.base);
    int cases = 0, same = 0, known = 0, wrong = 0;
    for (int i = 0; i < ncounts; ++i) {
        struct count *c = &counts[i];
        printf("%-26s %5d cases %5d same %4d listed %4d wrong\n", c->op, c->cases, c->same,
               c->listed, c->wrong);
        cases += c->cases;
        same += c->same;
        known += c->listed;
        wrong += c->wrong;
    }
    for (int i = 0; i < nlisted; ++i)
        if (!used[i]) {
            ++wrong;
            fprintf(stderr, "DIFFERENCES.md lists a case that does not differ: %s\n", listed[i]);
        }
    printf("%-26s %5d cases %5d same %4d listed %4d wrong\n", "all", cases, same, known, wrong);
    check_failures += wrong;
    return check_done();
}
