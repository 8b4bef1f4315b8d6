// The index of names: each use has the name's text, and each word that names something is found.
//
//   names PLAN...
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tcpc.h"

static struct tcpc_result *compile(const char *path, const char *text) {
    static const char *const folders[] = {"."};
    struct tcpc_options o = {.size = sizeof o, .folder = folders, .nfolders = 1, .names = 1};
    struct tcpc_result *r;
    tcpc_compile(path, text, strlen(text), &o, &r);
    return r;
}

// Where a line of "text" begins, counted from 1.
static const char *line_of(const char *text, int line) {
    while (--line && text) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    return text;
}

static int is_at(const char *text, struct tcpc_place p, const char *name) {
    const char *line = line_of(text, p.line);
    size_t n = strlen(name);
    return line && p.end_line == p.line && (size_t)(p.end_column - p.column) == n &&
           strncmp(line + p.column - 1, name, n) == 0;
}

static int is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// How often the word "name" is in "text", outside of comments, strings, and parts
// such as "ld.src". Operations such as "mma(..)" have names of their own.
static size_t count_words(const char *text, const char *name) {
    const int operation = strcmp(name, "mma") == 0 || strcmp(name, "tile") == 0;
    size_t n = strlen(name), found = 0;
    for (const char *p = text; *p; ++p) {
        if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        if (*p == '"') p += 1 + strcspn(p + 1, "\"");
        if ((p[n] == '(' && operation) || (p > text && p[-1] == '.' && p[-2] != '.')) continue;
        found += strncmp(p, name, n) == 0 && !is_word(p[n]) && (p == text || !is_word(p[-1]));
    }
    return found;
}

static void each_use_is_the_name(const char *path) {
    static char text[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) exit(2);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    struct tcpc_result *r = compile(path, text);
    CHECK(r->status == TCPC_OK && r->nnames > 0, "%s: %zu names", path, r->nnames);
    for (size_t i = 0; i < r->nnames; ++i) {
        const struct tcpc_name *n = r->name[i];
        HOLDS(n->size == sizeof *n && n->kind[0] && n->at.file);
        CHECK(n->type, "%s: '%s' has no type", path, n->name);
        if (strcmp(n->at.file, path) != 0) continue;  // an import
        CHECK(is_at(text, n->at, n->name), "%s:%d:%d: '%s'", path, n->at.line, n->at.column,
              n->name);
        HOLDS(tcpc_name_at(r, path, n->at.line, n->at.column) == n);
        size_t here = 1, of_name = 0;
        for (size_t k = 0; k < n->nuses; ++k) {
            if (strcmp(n->use[k].file, path) != 0) continue;
            CHECK(is_at(text, n->use[k], n->name), "%s:%d:%d: '%s'", path, n->use[k].line,
                  n->use[k].column, n->name);
            ++here;
        }
        // all words are found, where one thing alone has the name
        for (size_t k = 0; k < r->nnames; ++k) of_name += strcmp(r->name[k]->name, n->name) == 0;
        size_t words = count_words(text, n->name);
        if (of_name == 1)
            CHECK(here == words, "%s: '%s' is there %zu times, found %zu", path, n->name, words,
                  here);
    }
    tcpc_free(r);
}

static const char plan[] =
    "tcp 1;\n"
    "param M : index % 128;\n"
    "const W = 32 * 4;\n"
    "layout L = (4,8):(8,1);\n"
    "tensor A : f32 global (M) align 16;\n"
    "tensor B : f32 global (M) align 16;\n"
    "tiled_copy tc = tile(auto(128), thr=(32), val=(4));\n"
    "device move(readonly A, out s : f32 shared (W), i : index) threads 32 {\n"
    "  copy local_tile(A, (W), (i)) -> s with tc;\n"
    "}\n"
    "kernel k(A, out B) grid (M / W) threads 32 {\n"
    "  shared t : f32 (W);\n"
    "  call move(A, t, block.x);\n"
    "  y: copy t -> local_tile(B, (W), (block.x)) with tc;\n"
    "  expect vector_bits(y.src) == 128;\n"
    "}\n"
    "extern device look(x : f32 shared (W), n : index) from \"look.cuh\";\n"
    "tiled_mma mm = mma(m16n8k16.f32.f16.f16.f32, warps=(2,2,1), tile=(32,16,16));\n";

static void what_there_is(void) {
    static const struct {
        const char *name, *kind, *type;
        size_t uses;
    } want[] = {{"M", "param", "index", 3},
                {"W", "constant", "128", 6},
                {"L", "layout", "(4,8):(8,1)", 0},
                {"A", "tensor", "f32 global (M):(1)", 4},
                {"B", "tensor", "f32 global (M):(1)", 2},
                {"tc", "tiled copy", "tile(auto(128), tv=(32,4):(4,1), tile=(128))", 2},
                {"move", "kernel",
                 "(readonly A : f32 global (M):(1), out s : f32 shared (128):(1), i : index)", 1},
                {"s", "tensor", "f32 shared (128):(1)", 1},
                {"i", "index", "index", 1},
                {"k", "kernel", "(A : f32 global (M):(1), out B : f32 global (M):(1))", 0},
                {"t", "tensor", "f32 shared (128):(1)", 2},
                {"y", "label", "f32 (128)", 1},
                {"look", "extern device function", "(x : f32 shared (128):(1), n : index)", 0},
                {"x", "tensor", "f32 shared (128):(1)", 0},
                {"n", "index", "index", 0},
                {"mm", "tiled MMA",
                 "mma(m16n8k16.f32.f16.f16.f32, warps=(2,2,1):(1,2,0), tile=(32,16,16))", 0}};
    enum { N = sizeof want / sizeof *want };
    struct tcpc_result *r = compile("a.tcp", plan);
    CHECK(r->status == TCPC_OK && r->nnames == N, "%zu names, %s", r->nnames,
          r->nmessages ? r->message[0]->text : "");
    for (size_t i = 0; i < r->nnames && i < N; ++i) {
        const struct tcpc_name *n = r->name[i];
        CHECK_STR(n->name, want[i].name);
        CHECK_STR(n->kind, want[i].kind);
        CHECK_STR(n->type ? n->type : "none", want[i].type ? want[i].type : "none");
        CHECK(n->nuses == want[i].uses, "'%s' has %zu uses", n->name, n->nuses);
    }
    const struct tcpc_name *w = tcpc_name_at(r, "a.tcp", 9, 23);
    HOLDS(w && strcmp(w->name, "W") == 0 && w->at.line == 3 && w->at.column == 7);
    HOLDS(!tcpc_name_at(r, "a.tcp", 9, 1) && !tcpc_name_at(r, "b.tcp", 9, 23));
    tcpc_free(r);
    // what a wrong plan declares, and none without the option
    r = compile("a.tcp", "tcp 1;\nconst A = 4;\nconst B = A + C;\n");
    HOLDS(r->status == TCPC_WRONG && r->nnames == 2 && r->name[0]->nuses == 1);
    tcpc_free(r);
    tcpc_compile("a.tcp", plan, sizeof plan - 1, NULL, &r);
    HOLDS(r->nnames == 0);
    tcpc_free(r);
}

int main(int argc, char **argv) {
    what_there_is();
    for (int i = 1; i < argc; ++i) each_use_is_the_name(argv[i]);
    return check_done();
}
