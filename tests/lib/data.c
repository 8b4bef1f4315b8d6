// What the library tells as data, and where it takes texts from.
//
//   data TCPC PLAN...
//
// compiles the plans by the command TCPC too, in the current folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "tcpc.h"

#define SIZE .size = sizeof(struct tcpc_options)
#define HEAD                                                                                       \
    "tcp 1;\ntensor A : f32 global (128) align 16;\ntensor B : f32 global (128) align 16;\n"
#define BODY                                                                                       \
    "kernel k(A, out B) grid (1) threads 32 {\n"                                                   \
    "  copy A -> B with tile(auto(128), thr=(32), val=(4));\n"                                     \
    "}\n"

static struct tcpc_result *compile(const char *text, struct tcpc_options o) {
    struct tcpc_result *r;
    enum tcpc_status status = tcpc_compile("dir/a.tcp", text, strlen(text), &o, &r);
    CHECK(r && r->status == status, "status %d", (int)status);
    CHECK(r->output.bytes && strlen(r->output.bytes) == r->output.size, "output");
    CHECK((status == TCPC_OK) == (r->output.size > 0), "%zu bytes of output", r->output.size);
    CHECK((status == TCPC_OK) == (r->nerrors == 0), "%zu errors", r->nerrors);
    return r;
}

// The text of message "i", or "".
static const char *said(const struct tcpc_result *r, size_t i) {
    return i < r->nmessages ? r->message[i]->text : "";
}

static void expect_error(const char *text, struct tcpc_options o, enum tcpc_status status,
                         const char *want) {
    struct tcpc_result *r = compile(text, o);
    CHECK(r->status == status, "status %d", (int)r->status);
    CHECK(strcmp(said(r, 0), want) == 0, "says: %s\nnot: %s", said(r, 0), want);
    tcpc_free(r);
}

static void messages_are_data(void) {
    struct tcpc_result *r = compile("tcp 1;\nconst N = M;\nconst M = 1;\nlayout L = (4,8):(1,4);\n"
                                    "layout K = L;\n",
                                    (struct tcpc_options){SIZE});
    CHECK(r->status == TCPC_WRONG, "status %d", (int)r->status);
    const struct tcpc_message *m = r->message[0];
    HOLDS(r->nmessages >= 1 && m->severity == TCPC_ERROR && !m->warning);
    CHECK_STR(m->at.file, "dir/a.tcp");
    CHECK(m->at.line == 2 && m->at.column == 11 && m->at.end_line == 2 && m->at.end_column == 12,
          "%d:%d to %d:%d", m->at.line, m->at.column, m->at.end_line, m->at.end_column);
    tcpc_free(r);
    // a fix-it
    r = compile("tensor A : f32 global (8);\n", (struct tcpc_options){SIZE});
    HOLDS(r->nmessages >= 1 && r->message[0]->nfixits == 1);
    CHECK_STR(r->message[0]->fixit[0]->text, "tcp 1;\n");
    HOLDS(r->message[0]->fixit[0]->at.line == 1 && r->message[0]->fixit[0]->at.column == 1);
    tcpc_free(r);
    // a note, with the place that it speaks of
    r = compile(HEAD "tensor A : f32 global (4);\n" BODY, (struct tcpc_options){SIZE});
    HOLDS(r->nmessages >= 1 && r->message[0]->nnotes == 1);
    HOLDS(r->message[0]->note[0]->severity == TCPC_NOTE && r->message[0]->note[0]->at.line == 2);
    tcpc_free(r);
}

static void warnings_have_names(void) {
    static const char *const error[] = {"-Werror=unused"}, *const off[] = {"-Werror",
                                                                           "-Wno-unused"};
    const char *text = HEAD "const UNUSED = 1;\n" BODY;
    struct tcpc_result *r = compile(text, (struct tcpc_options){SIZE});
    HOLDS(r->status == TCPC_OK && r->nmessages == 1 && r->nwarnings == 1);
    HOLDS(r->message[0]->severity == TCPC_WARNING);
    CHECK_STR(r->message[0]->warning, "unused");
    CHECK_STR(r->message[0]->page, "unused");
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .warning = error, .nwarnings = 1});
    HOLDS(r->status == TCPC_WRONG && r->message[0]->severity == TCPC_ERROR);
    CHECK_STR(r->message[0]->warning, "unused");
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .warning = off, .nwarnings = 2});
    HOLDS(r->status == TCPC_OK && r->nmessages == 0);
    tcpc_free(r);
}

static void errors_have_a_limit(void) {
    const char *text = "tcp 1;\nconst A = X;\nconst B = Y;\nconst C = Z;\n";
    struct tcpc_result *r = compile(text, (struct tcpc_options){SIZE, .error_limit = 2});
    CHECK(r->nmessages == 2 && r->nerrors > 2, "%zu of %zu", r->nmessages, r->nerrors);
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .error_limit = -1});
    CHECK(r->nmessages == 3 && r->nerrors == 3, "%zu of %zu", r->nmessages, r->nerrors);
    tcpc_free(r);
}

static void wrong_options_are_told(void) {
    static const char *const warning[] = {"-Wunusual"};
    static const struct tcpc_define no_value = {"N", ""}, no_name = {NULL, "1"}, none = {"N", "1"};
    enum tcpc_status bad = TCPC_BAD_OPTION;
    expect_error(HEAD BODY, (struct tcpc_options){SIZE, .arch = "sm_91"}, bad,
                 "'sm_91' is not an architecture that this compiler knows; did you mean 'sm_90'?");
    expect_error(HEAD BODY, (struct tcpc_options){SIZE, .warning = warning, .nwarnings = 1}, bad,
                 "unknown warning 'unusual'; did you mean 'unused'?");
    expect_error(HEAD BODY, (struct tcpc_options){SIZE, .define = &no_value, .ndefines = 1}, bad,
                 "a define has no value");
    expect_error(HEAD BODY, (struct tcpc_options){SIZE, .define = &no_name, .ndefines = 1}, bad,
                 "a define has no name");
    expect_error(HEAD BODY, (struct tcpc_options){SIZE, .emit = (enum tcpc_emit)9}, bad,
                 "what is to be emitted is no tcpc_emit: 9");
    struct tcpc_result *r =
        compile(HEAD BODY, (struct tcpc_options){SIZE, .define = &none, .ndefines = 1});
    CHECK(r->status == TCPC_WRONG, "a define of no const: status %d", (int)r->status);
    tcpc_free(r);
}

static void options_change_the_output(void) {
    static const struct {
        enum tcpc_emit emit;
        const char *has;
    } forms[] = {{TCPC_EMIT_CUDA, "#line"},
                 {TCPC_EMIT_HEADER, "k_launch"},
                 {TCPC_EMIT_KERNEL, "kernel k"},
                 {TCPC_EMIT_PLAN, "kernel k"},
                 {TCPC_EMIT_AST, "kernel"}};
    for (int i = 0; i < 5; ++i) {
        struct tcpc_result *r =
            compile(HEAD BODY, (struct tcpc_options){SIZE, .emit = forms[i].emit});
        CHECK(strstr(r->output.bytes, forms[i].has), "form %d lacks '%s'", i, forms[i].has);
        tcpc_free(r);
    }
    struct tcpc_result *r = compile(HEAD BODY, (struct tcpc_options){SIZE, .no_line = 1});
    HOLDS(r->status == TCPC_OK && strstr(r->output.bytes, "#line") == NULL);
    tcpc_free(r);
}

static void the_version_has_three_numbers(void) {
    int major, minor, patch, end = 0;
    const char *version = tcpc_version();
    sscanf(version, "%d.%d.%d%n", &major, &minor, &patch, &end);
    CHECK(end > 0 && version[end] == 0, "version %s", version);
}

static void defines_set_consts(void) {
    static const struct tcpc_define wide = {"V", "2"};
    const char *text = HEAD "const V = 4;\nkernel k(A, out B) grid (1) threads 32 {\n"
                            "  copy A -> B with tile(auto(128), thr=(32), val=(V));\n}\n";
    struct tcpc_result *r = compile(text, (struct tcpc_options){SIZE});
    HOLDS(strstr(r->output.bytes, "128 bit") != NULL);
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .define = &wide, .ndefines = 1});
    HOLDS(r->status == TCPC_OK && !strstr(r->output.bytes, "128 bit"));
    tcpc_free(r);
}

static const char tiles[] = "tcp 1;\nparam M : index % 128;\ntensor X : f16 global (M) align 16;\n"
                            "tensor Y : f16 global (M) align 32;\ntensor s : f16 shared (128);\n"
                            "tiled_copy tc = tile(auto(128), thr=(16), val=(8));\n"
                            "kernel one(X, out Y) grid (M / 128) threads 16 {\n"
                            "  copy local_tile(X, (128), (block.x)) -> s with tc;\n"
                            "  copy s -> local_tile(Y, (128), (block.x)) with tc;\n}\n";

static void proofs_have_a_limit(void) {
    struct tcpc_result *r = compile(tiles, (struct tcpc_options){SIZE, .proof_limit = 1});
    CHECK(r->status == TCPC_WRONG && strstr(said(r, 0), "more steps than it may"), "says: %s",
          said(r, 0));
    tcpc_free(r);
}

static void kernels_have_launches(void) {
    const char *text = tiles;
    struct tcpc_result *r = compile(text, (struct tcpc_options){SIZE, .arch = "sm_90"});
    CHECK(r->status == TCPC_OK && r->nlaunches == 1, "%s", said(r, 0));
    CHECK_STR(r->launch[0]->name, "one");
    CHECK_STR(r->launch[0]->launcher, "one_launch");
    HOLDS(strstr(r->output.bytes, "one_launch") && strstr(r->output.bytes, "static __global__"));
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .emit = TCPC_EMIT_DEVICE});
    HOLDS(r->nlaunches == 1 && strstr(r->output.bytes, "extern \"C\" __global__"));
    HOLDS(!strstr(r->output.bytes, "one_launch") && !strstr(r->output.bytes, "tcp_launch.h"));
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .emit = TCPC_EMIT_ALONE});
    HOLDS(r->nlaunches == 1 && strstr(r->output.bytes, "define TCP_DEVICE_CUH"));
    HOLDS(!strstr(r->output.bytes, "include \"tcp_"));
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .emit = TCPC_EMIT_HEADER});
    HOLDS(r->nlaunches == 1 && strstr(r->output.bytes, "one_launch") != NULL);
    tcpc_free(r);
    r = compile(text, (struct tcpc_options){SIZE, .emit = TCPC_EMIT_AST});
    HOLDS(r->status == TCPC_OK && r->nlaunches == 0);
    tcpc_free(r);
}

// Callers that were compiled with another header: an older one ends earlier, a newer one later.
static void options_have_a_size(void) {
    struct {
        struct tcpc_options o;
        char newer[16];
    } more = {.o = {.size = sizeof more, .arch = "sm_90"}};
    struct tcpc_result *r;
    tcpc_compile("a.tcp", tiles, strlen(tiles), &more.o, &r);
    HOLDS(r->size == sizeof *r && r->status == TCPC_OK && strstr(r->output.bytes, "sm_90"));
    tcpc_free(r);
    more.newer[3] = 1;
    tcpc_compile("a.tcp", tiles, strlen(tiles), &more.o, &r);
    char want[128];
    snprintf(want, sizeof want,
             "tcpc_options sets byte %zu, but this library, %s, knows %zu bytes of it",
             sizeof more.o + 3, tcpc_version(), sizeof more.o);
    CHECK(r->status == TCPC_BAD_OPTION && strcmp(said(r, 0), want) == 0, "%s", said(r, 0));
    tcpc_free(r);
    size_t size = offsetof(struct tcpc_options, define);
    void *less = malloc(size);  // what is behind it is not read
    memcpy(less, &(struct tcpc_options){.size = size, .arch = "sm_90"}, size);
    tcpc_compile("a.tcp", tiles, strlen(tiles), less, &r);
    HOLDS(r->status == TCPC_OK && strstr(r->output.bytes, "sm_90"));
    tcpc_free(r);
    free(less);
    expect_error(tiles, (struct tcpc_options){.arch = "sm_90"}, TCPC_BAD_OPTION,
                 "the size of tcpc_options is not set: .size = sizeof(struct tcpc_options)");
}

static char asked[256];

static int read_import(void *user, const char *name, struct tcpc_text *text) {
    (void)user;
    strncat(asked, name, sizeof asked - strlen(asked) - 2);
    strcat(asked, ";");
    static const char head[] = HEAD, again[] = "tcp 1;\nimport \"./../dir/head.tcp\";\n";
    if (strcmp(name, "dir/bad.tcp") == 0) return -1;
    if (strcmp(name, "dir/head.tcp") == 0) *text = (struct tcpc_text){head, sizeof head - 1};
    if (strcmp(name, "dir/again.tcp") == 0) *text = (struct tcpc_text){again, sizeof again - 1};
    return text->bytes != NULL;
}

static void a_planned_kernel_is_no_file(void) {
    struct tcpc_options o = {SIZE};
    struct tcpc_result *r = compile("tcp 1;\ntensor A : f32 global row(64,32) align 16;\n"
                                    "tensor B : f32 global (64,32) align 16;\n"
                                    "kernel k(A, out B) { copy A -> B; }\n",
                                    o);
    CHECK(r->status == TCPC_OK, "%s", said(r, 0));
    HOLDS(r->nlaunches == 1);
    HOLDS(r->nfiles == 1);
    tcpc_free(r);
}

static void imports_are_asked_for(void) {
    struct tcpc_options o = {SIZE, .read = read_import};
    struct tcpc_result *r =
        compile("tcp 1;\nimport \"head.tcp\";\nimport \"again.tcp\";\n" BODY, o);
    CHECK(r->status == TCPC_OK, "%s", said(r, 0));
    CHECK_STR(asked, "dir/head.tcp;dir/again.tcp;");
    HOLDS(r->nfiles == 3);
    CHECK_STR(r->file[0], "dir/a.tcp");
    CHECK_STR(r->file[2], "dir/again.tcp");
    tcpc_free(r);
    expect_error("tcp 1;\nimport \"a.tcp\";\n", o, TCPC_WRONG, "'a.tcp' imports itself");
    expect_error("tcp 1;\nimport \"none.tcp\";\n", o, TCPC_WRONG,
                 "'dir/none.tcp' cannot be read: No such file or directory");
    expect_error("tcp 1;\nimport \"bad.tcp\";\n", o, TCPC_WRONG,
                 "'dir/bad.tcp' cannot be read: Input/output error");
}

static void imports_are_looked_for(void) {
    char folder[] = "/tmp/tcpc_lib_XXXXXX", path[64], absolute[256];
    if (!mkdtemp(folder)) exit(2);
    const char *folders[] = {"no such folder", folder};
    struct tcpc_options o = {SIZE, .folder = folders, .nfolders = 2};
    snprintf(path, sizeof path, "%s/head.tcp", folder);
    FILE *f = fopen(path, "w");
    fputs(HEAD, f);
    fclose(f);
    struct tcpc_result *r;
    const char *text = "tcp 1;\nimport \"head.tcp\";\n" BODY;
    tcpc_compile("a.tcp", text, strlen(text), &o, &r);
    CHECK(r->status == TCPC_OK, "%s", said(r, 0));
    HOLDS(r->nfiles == 2);
    CHECK_STR(r->file[1], "head.tcp");
    tcpc_free(r);
    snprintf(absolute, sizeof absolute, "tcp 1;\nimport \"%s\";\n" BODY, path);
    r = compile(absolute, o);
    HOLDS(r->status == TCPC_WRONG);  // no folder was named that it is in
    tcpc_free(r);
    unlink(path);
    rmdir(folder);
    expect_error(text, (struct tcpc_options){SIZE}, TCPC_WRONG,
                 "'dir/head.tcp' cannot be read: No such file or directory");
    expect_error(text, o, TCPC_WRONG, "'dir/head.tcp' cannot be read: No such file or directory");
}

// The standard streams stay as they are, and "-" is a name as others are.
static void nothing_is_printed(void) {
    FILE *to = tmpfile();
    int out = dup(1), err = dup(2);
    fflush(NULL);
    dup2(fileno(to), 1);
    dup2(fileno(to), 2);
    struct tcpc_result *r;
    tcpc_compile("-", "tcp 1;\nconst A = B;\n", 20, NULL, &r);
    tcpc_free(r);
    tcpc_compile("-", HEAD BODY, strlen(HEAD BODY), NULL, &r);
    enum tcpc_status status = r->status;
    tcpc_free(r);
    tcpc_compile("", NULL, 0, NULL, &r);
    tcpc_free(r);
    tcpc_free(NULL);
    fflush(NULL);
    long bytes = (long)lseek(fileno(to), 0, SEEK_END);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    fclose(to);
    CHECK(bytes == 0 && status == TCPC_OK, "%ld bytes, status %d", bytes, (int)status);
}

static char *read_all(FILE *f, size_t *size) {
    char *text = malloc(1 << 22);
    *size = fread(text, 1, (1 << 22) - 1, f);
    text[*size] = 0;
    return text;
}

static void the_command_says_the_same(const char *tcpc, const char *path) {
    char command[4096];
    size_t nplan, nwant;
    snprintf(command, sizeof command, "%s -w -o - %s", tcpc, path);
    FILE *f = fopen(path, "rb"), *p = popen(command, "r");
    if (!f || !p) exit(2);
    char *plan = read_all(f, &nplan), *want = read_all(p, &nwant);
    fclose(f);
    pclose(p);
    static const char *const folders[] = {"."}, *const quiet[] = {"-w"};
    struct tcpc_options o = {SIZE, .folder = folders, .nfolders = 1, .warning = quiet,
                             .nwarnings = 1};
    struct tcpc_result *r;
    tcpc_compile(path, plan, nplan, &o, &r);
    CHECK(r->output.size == nwant && memcmp(r->output.bytes, want, nwant) == 0, "%s: %s", path,
          said(r, 0));
    tcpc_free(r);
    free(plan);
    free(want);
}

int main(int argc, char **argv) {
    messages_are_data();
    warnings_have_names();
    errors_have_a_limit();
    wrong_options_are_told();
    options_change_the_output();
    the_version_has_three_numbers();
    defines_set_consts();
    proofs_have_a_limit();
    kernels_have_launches();
    options_have_a_size();
    a_planned_kernel_is_no_file();
    imports_are_asked_for();
    imports_are_looked_for();
    nothing_is_printed();
    for (int i = 2; i < argc; ++i) the_command_says_the_same(argv[1], argv[i]);
    return check_done();
}
