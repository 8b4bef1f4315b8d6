// What CuTe does not compile of cp.async, ldmatrix and stmatrix, of operands of MMAs and of another
// tiled copy's side, against what is refused here and why: rows of tests/golden/rejects.tsv.  Those
// of plain loads and stores: width_golden.c.
#include "driver/tiled_row.h"

enum { R_OP, R_ARGS, R_REASON, R_FILE, R_KIND, R_CLASS, REJECT_COLUMNS };

// A reason of CuTe's, and what the error here says then: one of these.
static const struct reason {
    const char *cute, *says[3];
} reasons[] = {
    {"too few thrs", {"is an access of 32 threads"}},
    {"too few vals", {"is an access of 32 threads", "so it needs a multiple of"}},
    {"CopyOperation is not valid", {"which hold no element of"}},
    {"cp.async sizeof(TS)", {"has no access of"}},
    {"Non-injective", {"gives the places", "gives place", "belongs to"}},
    {"size<1>(src_v) == size<1>(dst_v)", {"has extent"}},
    {"failed to vectorize", {"cannot use", "belongs to"}},
    {"Divisibility condition", {"cannot use"}},
    {"Downcast requires adjacent elements", {"cannot move a whole"}},
};

static int verbose, rows, both;

// Cuts "s" at "by"; returns what is behind it, or NULL.
static char *behind(char *s, const char *by) {
    char *p = s ? strstr(s, by) : NULL;
    if (!p) return NULL;
    *p = 0;
    return p + strlen(by);
}

// "ATOM,TYPE | PARAMS[ | SRC -> DST]" and the form as a row of tiled_copy.tsv; false for rows that
// are not of this test.
static bool as_tiled(char *form, char *args, char **row) {
    for (int i = 0; i < N_COLUMNS; ++i) row[i] = "";
    row[FORM] = form;
    row[ATOM] = args;
    row[PARAMS] = behind(args, " | ");
    row[TYPE] = behind(args, ",");
    row[SRC] = behind(row[PARAMS], " | ");
    row[DST] = behind(row[SRC], " -> ");
    if (!row[TYPE] || strncmp(form, "make_tiled_copy", 15) != 0) return false;
    bool loads = strstr(row[ATOM], "LDSM") != NULL, stores = strstr(row[ATOM], "STSM") != NULL;
    bool operand = golden_mma_operand(form, row[PARAMS]) != NULL;
    bool other = row_of_other(row);
    if (!loads && !stores && !operand && !other && !row_is_async(row)) return false;
    if (!operand && !other && strcmp(form, "make_tiled_copy") != 0 &&
        strcmp(form, "make_tiled_copy_impl") != 0)
        return false;
    row[SPACE] = loads ? "smem->rmem" : stores ? "rmem->smem" : "gmem->smem";
    row[SIZES] = "1024";
    return true;
}

// The atom of "row" with its type; of a width that cp.async has not, as a plan would have it.
static const char *typed_atom(struct session *s, char **row) {
    const char *named = row_atom(row), *width = strstr(row[ATOM], "<uint");
    if (!named && row_is_async(row) && width)
        named = arena_printf(&s->arena, "cp_async.%s(%d)",
                             strstr(row[ATOM], "GLOBAL") ? "cg" : "ca", atoi(width + 5) / 8);
    if (!named) return NULL;
    if (atom_find(named)) return arena_printf(&s->arena, "%s(%s)", named, row[TYPE]);
    return arena_printf(&s->arena, "%.*s, %s)", (int)strlen(named) - 1, named, row[TYPE]);
}

// Whether "says" is what is said here for CuTe's reason.
static bool is_reason(const char *cute, const char *says) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        for (int k = 0; k < 3 && reasons[i].says[k]; ++k)
            if (strstr(cute, reasons[i].cute) && strstr(says, reasons[i].says[k])) return true;
    return false;
}

static void run_row(char **reject, struct golden_listed *listed) {
    struct session notes;
    session_init(&notes);
    char *args = arena_printf(&notes.arena, "%s", reject[R_ARGS]), *row[N_COLUMNS];
    const char *name = arena_printf(&notes.arena, "%s %s", reject[R_OP], reject[R_ARGS]);
    bool copy = strcmp(reject[R_OP], "cute::copy") == 0;
    char *form = copy ? args : reject[R_OP];
    if (copy) args = behind(args, " ");
    int before = check_failures;
    if (args && as_tiled(form, args, row) && copy == (row[DST] != NULL)) {
        const char *atom = typed_atom(&notes, row), *text;
        struct golden_plan g;
        char *second = strstr(row[PARAMS], " ; ");
        CHECK(atom && second, "no atom %s", row[ATOM]);
        if (strcmp(form, "make_tiled_copy_impl") == 0) {
            row[TV] = row[PARAMS];
            row[TILER] = behind(row[PARAMS], " ; ");
        }
        struct buf b;
        if (!copy) {
            row[SRC] = row[DST] = "1:0";
            put_head(&notes, &b, row, atom, "global", "global");
        }
        text = copy ? copy_text(&notes, row, atom) : buf_finish(&b, &notes.arena);
        golden_compile(&g, text, STEP_VERIFY);
        const char *says = golden_error(&g);
        if (verbose) printf("%s\n  %s\n  here: %s\n", name, reject[R_REASON], says);
        ++rows;
        both += !g.ok;
        if (g.ok)
            CHECK(golden_is_listed(listed, name), "accepted, CuTe: %s\n%s", reject[R_REASON], text);
        else
            CHECK(is_reason(reject[R_REASON], says), "CuTe: %s, here: %s", reject[R_REASON], says);
        golden_end(&g);
    }
    if (check_failures != before) fprintf(stderr, "  in %s\n\n", name);
    session_release(&notes);
}

int main(int argc, char **argv) {
    struct golden_listed listed = {0};
    char *file = golden_read("rejects.tsv"), *at = file, *row[MOST_FIELDS];
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    golden_list(&listed, "rejected");
    while (golden_row(&at, row) == REJECT_COLUMNS) run_row(row, &listed);
    HOLDS(!at || !*at);
    golden_end_list(&listed);
    CHECK(rows > 100, "%d rows", rows);
    printf("%d rows, %d refused here too\n", rows, both);
    free(file);
    return check_done();
}
