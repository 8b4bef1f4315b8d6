// The library answers what the commands answer, byte for byte, and lists what there is.
//
//   ask TCPC PLAN...
//
// asks the command TCPC too, in the current folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tcpc.h"

enum { MOST = 1 << 21 };

static const char *tcpc;

static const char *read_all(FILE *f) {
    static char text[2][MOST];
    static int turn;
    char *to = text[turn ^= 1];
    to[fread(to, 1, MOST - 1, f)] = 0;
    return to;
}

// What the command prints for these words: its output, or with "errors" its errors alone.
static const char *command(const char *words, int errors) {
    char line[4096];
    snprintf(line, sizeof line, "%s %s %s", tcpc, words,
             errors ? "2>&1 >/dev/null" : "2>/dev/null");
    FILE *p = popen(line, "r");
    if (!p) exit(2);
    const char *text = read_all(p);
    pclose(p);
    return text;
}

static struct tcpc_result *ask(const char *path, const char *text, struct tcpc_question q) {
    static const char *const folders[] = {"."};
    struct tcpc_options o = {.size = sizeof o, .folder = folders, .nfolders = 1};
    struct tcpc_result *r;
    q.size = sizeof q;
    enum tcpc_status status = tcpc_ask(path, text, strlen(text), &o, &q, &r);
    HOLDS(r && r->status == status && strlen(r->output.bytes) == r->output.size);
    return r;
}

// Asks "q" about the plan at "path", and the command with "words"; "%s" is the plan's path there.
static void same(const char *path, const char *words, struct tcpc_question q) {
    char line[2048];
    FILE *f = fopen(path, "rb");
    if (!f) exit(2);
    static char plan[MOST];
    strcpy(plan, read_all(f));
    fclose(f);
    snprintf(line, sizeof line, words, path);
    struct tcpc_result *r = ask(path, plan, q);
    const char *want = command(line, 0);
    CHECK(r->status == TCPC_OK && *want, "%s: status %d, %s", line, (int)r->status,
          r->nmessages ? r->message[0]->text : "");
    CHECK(strcmp(r->output.bytes, want) == 0, "%s: another output", line);
    tcpc_free(r);
}

static const char pair[] =
    "tcp 1;\nparam M : index % 128;\ntensor A : f32 global (M) align 16;\n"
    "tensor B : f32 global (M) align 16;\n"
    "kernel one(A, out B) grid (M / 128) threads 32 {\n"
    "  y: copy local_tile(A, (128), (block.x)) -> local_tile(B, (128), (block.x)) with "
    "tile(auto(128), thr=(32), val=(4));\n}\n"
    "kernel two(A, out B) grid (M / 128) threads 64 {\n"
    "  copy local_tile(A, (128), (block.x)) -> local_tile(B, (128), (block.x)) with "
    "tile(auto(64), thr=(64), val=(2));\n}\n";

// The first message of the answer is that of the command for the plan "pair".
static void same_error(const char *words, struct tcpc_question q, enum tcpc_status status) {
    char line[2048];
    snprintf(line, sizeof line, "%s", words);
    FILE *f = fopen("lib_ask_pair.tcp", "wb");
    if (!f || fputs(pair, f) < 0 || fclose(f) != 0) exit(2);
    struct tcpc_result *r = ask("lib_ask_pair.tcp", pair, q);
    char said[1024];
    snprintf(said, sizeof said, "tcpc: error: %s\n", r->nmessages ? r->message[0]->text : "");
    CHECK(r->status == status, "%s: status %d", words, (int)r->status);
    CHECK_STR(said, command(line, 1));
    HOLDS(r->nerrors == 1 && r->nmessages == 1 && !r->message[0]->at.file);
    tcpc_free(r);
    remove("lib_ask_pair.tcp");
}

static void wrong_questions(void) {
    static const struct tcpc_setting twice[] = {{"M", 128}, {"M", 256}}, odd[] = {{"M", 5}};
    static const struct tcpc_setting nameless = {NULL, 1};
    enum tcpc_status bad = TCPC_BAD_OPTION;
    same_error("explain lib_ask_pair.tcp thre", (struct tcpc_question){.name = "thre"}, bad);
    same_error("explain lib_ask_pair.tcp --param M=5",
               (struct tcpc_question){.setting = odd, .nsettings = 1}, bad);
    same_error("explain lib_ask_pair.tcp --equivalent one tow",
               (struct tcpc_question){.name = "one", .other = "tow"}, bad);
    same_error("count lib_ask_pair.tcp --param M=128 --param M=256",
               (struct tcpc_question){.about = TCPC_COUNT, .setting = twice, .nsettings = 2}, bad);
    same_error("count lib_ask_pair.tcp onw",
               (struct tcpc_question){.about = TCPC_COUNT, .name = "onw"}, bad);
    same_error("draw lib_ask_pair.tcp one --view=owner",
               (struct tcpc_question){.about = TCPC_DRAW, .name = "one", .view = "owner"}, bad);
    same_error("draw lib_ask_pair.tcp B --view=timeline",
               (struct tcpc_question){.about = TCPC_DRAW, .name = "B", .view = "timeline"}, bad);
    same_error(
        "draw lib_ask_pair.tcp y --view=sectors --thread 3",
        (struct tcpc_question){.about = TCPC_DRAW, .name = "y", .view = "sectors", .thread = 3},
        bad);
    same_error(
        "draw lib_ask_pair.tcp A --view=banks --type=half",
        (struct tcpc_question){.about = TCPC_DRAW, .name = "A", .view = "banks", .type = "half"},
        bad);
    static const struct {
        struct tcpc_question q;
        const char *text, *want;
        enum tcpc_status status;
    } others[] = {
        {{.about = TCPC_EVAL}, "(4,8", "expected ')'", TCPC_WRONG},
        {{.about = (enum tcpc_about)9}, pair, "what is asked is no tcpc_about: 9", TCPC_BAD_OPTION},
        {{.about = TCPC_COUNT, .form = TCPC_FORM_SVG},
         pair,
         "'count' has no answer of form 3",
         TCPC_BAD_OPTION},
        {{.other = "two"}, pair, "kernel 'two' is compared with no other one", TCPC_BAD_OPTION},
        {{.setting = &nameless, .nsettings = 1}, pair, "setting 0 names no param", TCPC_BAD_OPTION},
        {{.about = TCPC_FORMAT}, "tcp 1;\nkernel (", "", TCPC_WRONG},
        {{.about = TCPC_EXPLAIN}, "tcp 1;\nconst A = B;", "", TCPC_WRONG},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        struct tcpc_result *r = ask("a.tcp", others[i].text, others[i].q);
        HOLDS(r->status == others[i].status && r->nerrors > 0);
        CHECK(r->nmessages && strstr(r->message[0]->text, others[i].want), "says: %s",
              r->nmessages ? r->message[0]->text : "");
        tcpc_free(r);
    }
    struct tcpc_question q = {.size = sizeof q, .about = TCPC_EVAL};
    struct tcpc_result *r;
    tcpc_ask("a", "(4,8)\0:1", 8, NULL, &q, &r);
    HOLDS(r->status == TCPC_WRONG);
    CHECK_STR(r->message[0]->text, "a NUL byte in the expression");
    tcpc_free(r);
    tcpc_ask("a", "4", 1, NULL, &(struct tcpc_question){.about = TCPC_EVAL}, &r);
    HOLDS(r->status == TCPC_BAD_OPTION);
    tcpc_free(r);
}

// An output beside TCPC_WRONG: the kernels differ in their threads.
static void wrong_with_an_answer(void) {
    struct tcpc_result *r =
        ask("a.tcp", pair, (struct tcpc_question){.name = "one", .other = "two"});
    HOLDS(r->status == TCPC_WRONG && r->nerrors == 0);
    HOLDS(strncmp(r->output.bytes, "one and two differ: ", 20) == 0);
    tcpc_free(r);
}

static void expressions(void) {
    static const struct {
        const char *words, *text;
        struct tcpc_question q;
    } all[] = {
        {"eval 'composition((4,8):(8,1),(2,2))'",
         "composition((4,8):(8,1),(2,2))",
         {.about = TCPC_EVAL}},
        {"eval --steps --table 'logical_divide((8,4),4)'",
         "logical_divide((8,4),4)",
         {.about = TCPC_EVAL, .steps = 1, .table = 1}},
        {"eval --json 'Sw<3,3,3> o 0 o (8,64):(64,1)'",
         "Sw<3,3,3> o 0 o (8,64):(64,1)",
         {.about = TCPC_EVAL, .form = TCPC_FORM_JSON}},
        {"eval --as=cute '(4,2):(1,4)'",
         "(4,2):(1,4)",
         {.about = TCPC_EVAL, .form = TCPC_FORM_CUTE}},
        {"eval --as=pycute '(4,8):(1,4)'",
         "(4,8):(1,4)",
         {.about = TCPC_EVAL, .form = TCPC_FORM_PYCUTE}},
        {"draw '(4,8):(8,1)'", "(4,8):(8,1)", {.about = TCPC_DRAW_LAYOUT}},
        {"draw '(8,64):(64,1)' --view=banks --type=f16 --format=svg",
         "(8,64):(64,1)",
         {.about = TCPC_DRAW_LAYOUT, .form = TCPC_FORM_SVG, .view = "banks", .type = "f16"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct tcpc_result *r = ask("e", all[i].text, all[i].q);
        HOLDS(r->status == TCPC_OK && r->output.size > 0);
        CHECK_STR(r->output.bytes, command(all[i].words, 0));
        tcpc_free(r);
    }
}

static void lists(void) {
    char words[256];
    struct tcpc_type t = {.size = sizeof t};
    struct tcpc_atom a = {.size = sizeof a};
    struct tcpc_arch h = {.size = sizeof h};
    struct tcpc_warning w = {.size = sizeof w};
    struct tcpc_operation o = {.size = sizeof o};
    size_t n = 0, found = 0;
    for (size_t i = 0; tcpc_type_at(i, &t); ++i) {
        if (strcmp(t.name, "f16") == 0) found += t.bits == 16 && t.number;
        if (strcmp(t.name, "b128") == 0) found += t.bits == 128 && !t.number;
        HOLDS(strncmp(t.c_name, "tcp_", 4) == 0 || t.c_name[0]);
    }
    for (size_t i = 0; tcpc_atom_at(i, &a); ++i) {
        if (strcmp(a.name, "cp_async.cg") == 0)
            found += a.asynchronous && a.nwidths == 1 && a.width[0] == 128 && a.least_arch == 80 &&
                     a.threads == 1 && !a.feature;
        if (strcmp(a.name, "ldmatrix.x4") == 0) found += a.threads == 32 && !a.asynchronous;
    }
    for (size_t i = 0; tcpc_arch_at(i, &h); ++i) {
        if (strcmp(h.name, "sm_90a") == 0)
            found += h.number == 90 && h.shared_bytes == 227 * 1024 && h.calibrated;
        // each is one that may be asked for
        struct tcpc_options options = {.size = sizeof options, .arch = h.name};
        struct tcpc_result *r;
        HOLDS(tcpc_compile("a", "tcp 1;\nconst A = 1;\n", 20, &options, &r) == TCPC_OK);
        tcpc_free(r);
    }
    CHECK(found == 5, "%zu of the rows are right", found);
    for (n = 0; tcpc_warning_at(n, &w); ++n) {
        HOLDS(tcpc_page(w.name) && w.help[0]);
        if (strcmp(w.name, "unused") == 0) HOLDS(w.on);
    }
    HOLDS(n > 20);
    struct tcpc_header header = {.size = sizeof header};
    for (n = 0; tcpc_header_at(n, &header); ++n) HOLDS(strstr(header.text, "#ifndef TCP_"));
    HOLDS(n == 8 && strcmp(header.name, "tcp_tensor_map.h") == 0);
    for (n = 0; tcpc_page_at(n); ++n) HOLDS(tcpc_page(tcpc_page_at(n)) != NULL);
    snprintf(words, sizeof words, "--explain=%s", tcpc_page_at(n / 2));
    CHECK_STR(tcpc_page(tcpc_page_at(n / 2)), command(words, 0));
    HOLDS(!tcpc_page("no page") && !tcpc_page(NULL) && !tcpc_view_at(1000));
    // operations, as the command lists them
    const char *line = command("eval --list", 0);
    for (n = 0; tcpc_operation_at(n, &o); ++n) {
        const char *who = !o.in_plans ? "eval only: " : !o.in_eval ? "plans only: " : "";
        char want[1024];
        int wide = snprintf(want, sizeof want, "%s%s", o.name, o.arguments);
        snprintf(want, sizeof want, "%s%s%*s  %s%s\n", o.name, o.arguments,
                 wide < 40 ? 40 - wide : 0, "", who, o.help);
        HOLDS(strncmp(line, want, strlen(want)) == 0);
        line += strlen(want);
    }
    HOLDS(n > 20 && *line == 0);
    // a caller that knows less, and one that knows more
    struct {
        struct tcpc_type t;
        int newer;
    } more = {.t = {.size = sizeof more}, .newer = 7};
    struct tcpc_type less = {.size = offsetof(struct tcpc_type, bits), .bits = -1};
    HOLDS(tcpc_type_at(0, &more.t) && more.t.size == sizeof t && more.newer == 7);
    HOLDS(!TCPC_HAS(&less, bits) && tcpc_type_at(0, &less) && less.bits == -1 && less.c_name);
}

int main(int argc, char **argv) {
    static const struct tcpc_setting small[] = {{"M", 256}, {"N", 64}};
    static const char gemm[] = "examples/gemm/gemm.tcp";
    tcpc = argv[1];
    wrong_questions();
    wrong_with_an_answer();
    expressions();
    lists();
    for (int i = 2; i < argc; ++i) {
        same(argv[i], "explain %s", (struct tcpc_question){0});
        same(argv[i], "explain --json %s", (struct tcpc_question){.form = TCPC_FORM_JSON});
        same(argv[i], "fmt %s", (struct tcpc_question){.about = TCPC_FORMAT});
    }
    same(gemm, "explain %s load_tiles",
         (struct tcpc_question){
             .about = TCPC_EXPLAIN, .form = TCPC_FORM_TEXT, .name = "load_tiles"});
    same(gemm, "draw %s g2s --values",
         (struct tcpc_question){.about = TCPC_DRAW, .name = "g2s", .values = 1});
    same(gemm, "draw %s stage --view=swizzle --format=tikz",
         (struct tcpc_question){
             .about = TCPC_DRAW, .form = TCPC_FORM_TIKZ, .name = "stage", .view = "swizzle"});
    same(gemm, "draw %s load_tiles --format=svg",
         (struct tcpc_question){.about = TCPC_DRAW, .form = TCPC_FORM_SVG, .name = "load_tiles"});
    static const char tails[] = "examples/transpose/transpose.tcp";
    same(tails, "explain --plan %s", (struct tcpc_question){.form = TCPC_FORM_SOURCE});
    same(tails, "count %s", (struct tcpc_question){.about = TCPC_COUNT});
    same("examples/tails/tails.tcp", "count --json --param M=256 --param N=64 %s",
         (struct tcpc_question){
             .about = TCPC_COUNT, .form = TCPC_FORM_JSON, .setting = small, .nsettings = 2});
    return check_done();
}
