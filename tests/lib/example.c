#include <stdio.h>
#include <string.h>
#include <tcpc.h>

static int read_import(void *user, const char *name, struct tcpc_text *text) {
    if (strcmp(name, "sizes.tcp") != 0) return 0;
    *text = (struct tcpc_text){user, strlen(user)};
    return 1;
}

int main(void) {
    static const char sizes[] = "tcp 1;\nconst N = 128;\n";
    static const char plan[] = "tcp 1;\n"
                               "import \"sizes.tcp\";\n"
                               "tensor A : f32 global (N) align 16;\n"
                               "tensor B : f32 global (N) align 16;\n"
                               "tiled_copy tc = tile(auto(128), thr=(32), val=(4));\n"
                               "kernel copy_all(A, out B) grid (1) threads 32 {\n"
                               "    copy A -> B with tc;\n"
                               "}\n";
    struct tcpc_options options = {
        .size = sizeof options, .arch = "sm_90", .read = read_import, .user = (void *)sizes};
    struct tcpc_result *r;
    if (tcpc_compile("plan.tcp", plan, strlen(plan), &options, &r) == TCPC_NO_MEMORY) return 2;
    for (size_t i = 0; i < r->nmessages; ++i) {
        const struct tcpc_message *m = r->message[i];
        fprintf(stderr, "%s:%d:%d: %s\n", m->at.file ? m->at.file : "tcpc", m->at.line,
                m->at.column, m->text);
    }
    for (size_t i = 0; i < r->nlaunches; ++i) {
        const struct tcpc_launch *l = r->launch[i];
        printf("%s: launched by %s\n", l->name, l->launcher);
        for (size_t j = 0; j < l->ntensors; ++j)
            printf("  %s: %s %s, %s\n", l->tensor[j]->name, l->tensor[j]->element,
                   l->tensor[j]->layout, l->tensor[j]->direction == TCPC_IN ? "in" : "out");
        for (size_t j = 0; j < l->nvariants; ++j)
            printf("  %s: %s blocks of %d threads\n", l->variant[j]->symbol,
                   l->variant[j]->grid[0]->text, (int)l->variant[j]->threads);
    }
    printf("%d bytes of CUDA C\n", (int)r->output.size);
    int status = r->status != TCPC_OK;
    tcpc_free(r);
    return status;
}
