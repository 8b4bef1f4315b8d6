// Compares the width of accesses with that of CuTe's automatically vectorised copy, and what CuTe
// refuses about tiled copies with what is refused here: tests/golden/vectorize.tsv and rejects.tsv,
// each row as a plan, through the passes.  What is meant to differ: tests/golden/DIFFERENCES.md.
#include "driver/golden.h"

static int verbose;

// -- vectorize.tsv --------------------------------------------------------------------------------

enum { V_SRC, V_DST, V_TYPE, V_MAX, V_COMMON, V_SRC_ALIGN, V_DST_ALIGN, V_BITS, V_ELEMS, V_COUNT };

struct widths {
    int rows, same, wider, narrower;
};

// One thread's copy of the two layouts.  CuTe's pointers never limit, so the tensors are aligned to
// all that an access can ask for; it copies layouts of different ranks by their numbers, here the
// destination is given the source's shape.
static void run_width(char **row, struct golden_listed *listed, struct widths *w) {
    static char text[4096], name[1024], dst[256];
    struct golden_plan g;
    int before = check_failures, cap = atoi(row[V_MAX]), cute = atoi(row[V_BITS]);
    const char *type = strcmp(row[V_TYPE], "u128") == 0 ? "b128" : row[V_TYPE];
    const char *colon = strstr(row[V_SRC], "):(");
    ++w->rows;
    if (strcmp(row[V_MAX], "default") == 0) cap = 128;
    snprintf(dst, sizeof dst, "B");
    if (row[V_SRC][0] == '(' && row[V_DST][0] != '(' && colon)
        snprintf(dst, sizeof dst, "with_shape(B, %.*s)", (int)(colon + 1 - row[V_SRC]), row[V_SRC]);
    snprintf(name, sizeof name, "%s -> %s %s %s", row[V_SRC], row[V_DST], row[V_TYPE], row[V_MAX]);
    snprintf(text, sizeof text,
             "tcp 1;\ntensor A : %s global %s align 16;\ntensor B : %s global %s align 16;\n"
             "kernel k(A, out B) grid (1) threads 1 { copy A -> %s with auto(%d); }\n",
             type, row[V_SRC], type, row[V_DST], dst, cap);
    golden_compile(&g, text, STEP_VECTORIZE);
    bool is_listed = golden_is_listed(listed, name);
    if (!g.ok) {
        CHECK(is_listed, "CuTe %d bits, here: %s", cute, golden_error(&g));
    } else {
        const struct copy_facts *f = &g.p->kernels->body->copy->facts;
        w->same += f->bits == cute;
        w->wider += f->bits > cute;
        w->narrower += f->bits < cute;
        if (verbose && f->bits != cute)
            printf("%s: CuTe %d, here %d, %s\n", name, cute, f->bits, f->why[f->won]);
        CHECK(is_listed || f->bits == cute, "CuTe %d bits, here %d: %s", cute, f->bits,
              f->why[f->won]);
    }
    golden_end(&g);
    if (check_failures != before) fprintf(stderr, "  in %s\n\n", name);
}

// -- rejects.tsv ----------------------------------------------------------------------------------

enum { R_OP, R_ARGS, R_REASON, R_PLACE, R_KIND, R_CLASS };

struct rejects {
    int rows, both, limits;
};

// Cuts "s" at "by"; returns what is behind it, or NULL.
static char *behind(char *s, const char *by) {
    char *p = s ? strstr(s, by) : NULL;
    if (!p) return NULL;
    *p = 0;
    return p + strlen(by);
}

// "NAME,TYPE" as the atom of a plan, with its type; false for atoms that are not of this test.
static bool width_text(char *out, size_t size, char *name, const char **type) {
    static const char cap[] = "AutoVectorizingCopyWithAssumedAlignment<";
    *type = behind(name, ",");
    if (!*type) return false;
    if (strncmp(name, cap, sizeof cap - 1) == 0) {
        snprintf(out, size, "auto(%d, %s)", atoi(name + sizeof cap - 1), *type);
        return true;
    }
    const char *atom = golden_atom(name);
    if (atom) snprintf(out, size, "%.*s, %s)", (int)strlen(atom) - 1, atom, *type);
    return atom != NULL;
}

// The row as a plan: a tile that is wrong in itself, a tensor that it cannot cut, a copy by it, or
// one thread's copy.  Returns false for rows of other atoms, and of CuTe's forms for MMAs.
static bool reject_text(char *out, size_t size, char **row) {
    char args[1024], atom[128];
    const char *type, *cap = "copy_autovec<";
    snprintf(args, sizeof args, "%s", row[R_ARGS]);
    if (strncmp(row[R_OP], cap, strlen(cap)) == 0) {
        char *src = behind(args, " | "), *dst = behind(src, " -> ");
        int bits = atoi(row[R_OP] + strlen(cap));
        if (!dst) return false;
        snprintf(out, size,
                 "tcp 1;\ntensor A : %s global %s align 16;\ntensor B : %s global %s align 16;\n"
                 "kernel k(A, out B) grid (1) threads 1 { copy A -> B with auto(%d); }\n",
                 args, src, args, dst, bits ? bits : 128);
        return true;
    }
    bool copy = strcmp(row[R_OP], "cute::copy") == 0, cut = strcmp(row[R_OP], "partition_S") == 0;
    char *form = copy ? args : row[R_OP], *name = copy ? behind(args, " ") : args;
    char *first = behind(name, " | "), *tensors = copy || cut ? behind(first, " | ") : NULL;
    char *second = behind(first, " ; "), *dst = copy ? behind(tensors, " -> ") : tensors;
    bool tv = strcmp(form, "make_tiled_copy_impl") == 0;
    if (!tv && strcmp(form, "make_tiled_copy") != 0 && !cut) return false;
    if (!second || ((copy || cut) && !dst) || !width_text(atom, sizeof atom, name, &type))
        return false;
    int n = snprintf(out, size, "tcp 1;\ntiled_copy tc = tile(%s, %s=%s, %s=%s);\n", atom,
                     tv ? "tv" : "thr", first, tv ? "tile" : "val", second);
    if (copy || cut)
        snprintf(out + n, size - (size_t)n,
                 "tensor A : %s global %s align 16;\ntensor B : %s global %s align 16;\n"
                 "kernel k(A, out B) grid (1) threads 1024 { copy A -> B with tc; }\n",
                 type, tensors, type, dst);
    return true;
}

static void run_reject(char **row, struct golden_listed *listed, struct rejects *r) {
    static char text[4096], name[1024];
    struct golden_plan g;
    if (!reject_text(text, sizeof text, row)) return;
    snprintf(name, sizeof name, "%s %s", row[R_OP], row[R_ARGS]);
    ++r->rows;
    golden_compile(&g, text, STEP_VERIFY);
    if (verbose)
        printf("%s\n  %s\n  here: %s\n", name, row[R_REASON], g.ok ? "accepted" : golden_error(&g));
    r->both += !g.ok;
    if (g.ok && strcmp(row[R_CLASS], "semantic") != 0)
        ++r->limits;
    else
        CHECK(!g.ok || golden_is_listed(listed, name), "accepted, CuTe: %s\n  %s\n%s",
              row[R_REASON], name, text);
    golden_end(&g);
}

int main(int argc, char **argv) {
    struct golden_listed wider = {0}, refused = {0};
    char *widths = golden_read("vectorize.tsv"), *rejects = golden_read("rejects.tsv");
    char *at = widths, *row[MOST_FIELDS];
    struct widths w = {0};
    struct rejects r = {0};
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    golden_list(&wider, "width");
    golden_list(&refused, "reject");
    while (golden_row(&at, row)) run_width(row, &wider, &w);
    at = rejects;
    while (golden_row(&at, row)) run_reject(row, &refused, &r);
    golden_end_list(&wider);
    golden_end_list(&refused);
    printf("widths: %d rows, %d as CuTe, %d wider, %d narrower\n", w.rows, w.same, w.wider,
           w.narrower);
    printf("rejects: %d rows, %d refused here too, %d accepted that CuTe happens not to compile\n",
           r.rows, r.both, r.limits);
    free(widths);
    free(rejects);
    return check_done();
}
