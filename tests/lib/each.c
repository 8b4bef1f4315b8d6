// What the library says of each plan: statuses, messages, what is emitted, what is explained.
//
//   each [FOLDER] < LIST
//
// The standard input names a plan in each line. Builds of the library for different systems are
// compared by what this prints. With FOLDER, the device code of each is written there instead, with
// the headers inside that it uses: 0.cu, 1.cu and so on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t held = 0, n = 0;
    while (f) {
        if (n == held) text = realloc(text, held = 2 * held + 4096);
        size_t got = text ? fread(text + n, 1, held - n, f) : 0;
        if (!got) break;
        n += got;
    }
    if (!f || !text || ferror(f)) {
        fprintf(stderr, "each: '%s' cannot be read\n", path);
        exit(2);
    }
    fclose(f);
    *size = n;
    return text;
}

static void show(const char *what, enum tcpc_status status, struct tcpc_result *r) {
    printf("-- %s: status %d\n", what, (int)status);
    for (size_t i = 0; r && i < r->nmessages; ++i) show_message(stdout, r->message[i]);
    if (r) fwrite(r->output.bytes, 1, r->output.size, stdout);
    tcpc_free(r);
}

static void show_plan(const char *path) {
    static const char *const folders[] = {"."}, *const warnings[] = {"-Wall"};
    static const enum tcpc_emit emitted[] = {TCPC_EMIT_CUDA, TCPC_EMIT_HEADER, TCPC_EMIT_KERNEL,
                                             TCPC_EMIT_PLAN};
    static const struct tcpc_question asked[] = {
        {.size = sizeof *asked, .about = TCPC_EXPLAIN},
        {.size = sizeof *asked, .about = TCPC_EXPLAIN, .form = TCPC_FORM_JSON},
        {.size = sizeof *asked, .about = TCPC_FORMAT}};
    size_t size;
    char *text = read_file(path, &size);
    struct tcpc_options o = {.size = sizeof o, .folder = folders, .nfolders = 1};
    struct tcpc_result *r;
    printf("== %s\n", path);
    for (size_t i = 0; i < sizeof emitted / sizeof *emitted; ++i) {
        o.emit = emitted[i];
        o.warning = warnings;
        o.nwarnings = i == 0;
        enum tcpc_status status = tcpc_compile(path, text, size, &o, &r);
        show("emitted", status, r);
        if (status != TCPC_OK) break;
    }
    o.nwarnings = 0;
    o.emit = TCPC_EMIT_CUDA;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        enum tcpc_status status = tcpc_ask(path, text, size, &o, &asked[i], &r);
        show("asked", status, r);
    }
    free(text);
}

static void write_alone(const char *path, const char *folder, int number) {
    struct tcpc_options o = {.size = sizeof o, .emit = TCPC_EMIT_ALONE, .arch = "sm_90"};
    struct tcpc_result *r;
    size_t size;
    char *text = read_file(path, &size), name[1000];
    snprintf(name, sizeof name, "%s/%d.cu", folder, number);
    FILE *f = fopen(name, "w");
    if (!f || tcpc_compile(path, text, size, &o, &r) != TCPC_OK) {
        fprintf(stderr, "each: '%s' cannot be compiled to '%s'\n", path, name);
        exit(2);
    }
    fwrite(r->output.bytes, 1, r->output.size, f);
    fclose(f);
    tcpc_free(r);
    free(text);
}

int main(int argc, char **argv) {
    char path[1000];
    for (int i = 0; fgets(path, sizeof path, stdin); ++i) {
        path[strcspn(path, "\n")] = 0;
        if (argc > 1)
            write_alone(path, argv[1], i);
        else
            show_plan(path);
    }
    return fflush(stdout) != 0;
}
