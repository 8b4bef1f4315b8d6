// A caller of the library: writes all that the first header has of some results and launches.  It is compiled with that
// header, as tell_older, and with the one of today, as tell_newer; older.c compares what they write.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tcpc.h>
#include <unistd.h>

#define NUMBER(x) fprintf(to, " %s=%lld", #x, (long long)(x))
#define TEXT(x)   fprintf(to, " %s='%s'", #x, (x) ? (x) : "NULL")

static FILE *to;

// Memory for a structure of "size" bytes; whoever reaches behind it ends the program.
static void *before_the_end(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || size > page || mprotect(p + page, page, PROT_NONE) != 0) exit(2);
    return p + page - size;
}

static void tell_constants(void) {
    NUMBER(TCPC_IN), NUMBER(TCPC_OUT), NUMBER(TCPC_INOUT), NUMBER(TCPC_CHECK_RANGE);
    NUMBER(TCPC_CHECK_MULTIPLE), NUMBER(TCPC_CHECK_FITS), NUMBER(TCPC_CHECK_RELATION);
    NUMBER(TCPC_CHECK_NOTHING), NUMBER(TCPC_CHECK_POINTER), NUMBER(TCPC_CHECK_APART);
    NUMBER(TCPC_EQ), NUMBER(TCPC_NE), NUMBER(TCPC_LT), NUMBER(TCPC_LE), NUMBER(TCPC_GT);
    NUMBER(TCPC_GE), NUMBER(TCPC_LAUNCH_OK), NUMBER(TCPC_LAUNCH_NULL);
    NUMBER(TCPC_LAUNCH_ALIGNMENT), NUMBER(TCPC_LAUNCH_PRECONDITION);
    NUMBER(TCPC_LAUNCH_OVERLAP), NUMBER(TCPC_LAUNCH_GRID), NUMBER(TCPC_LAUNCH_BAD_CALL);
    NUMBER(TCPC_MESSAGE_BYTES), NUMBER(TCPC_EMIT_CUDA), NUMBER(TCPC_EMIT_HEADER);
    NUMBER(TCPC_EMIT_KERNEL), NUMBER(TCPC_EMIT_PLAN), NUMBER(TCPC_EMIT_AST);
    NUMBER(TCPC_EMIT_DEVICE), NUMBER(TCPC_OK), NUMBER(TCPC_WRONG), NUMBER(TCPC_BAD_OPTION);
    NUMBER(TCPC_NO_MEMORY), NUMBER(TCPC_BUG), NUMBER(TCPC_ERROR), NUMBER(TCPC_WARNING);
    NUMBER(TCPC_NOTE);
    // these never grow
    NUMBER(sizeof(struct tcpc_text)), NUMBER(sizeof(struct tcpc_define));
    NUMBER(sizeof(struct tcpc_place)), NUMBER(sizeof(struct tcpc_value));
    NUMBER(sizeof(struct tcpc_values));
}

static void tell_value(const struct tcpc_value *v, const int64_t *param) {
    const struct tcpc_expression *of_params = v->expression;
    int64_t got = 0;
    NUMBER(v->number), TEXT(v->text), NUMBER(of_params != NULL);
    NUMBER(tcpc_value_at(v, param, &got)), NUMBER(got);
}

static void tell_param(const struct tcpc_param *p, const int64_t *param) {
    TEXT(p->name), NUMBER(p->least), NUMBER(p->most), NUMBER(p->multiple);
    NUMBER(TCPC_HAS(p, value)), tell_value(&p->value, param);
}

static void tell_tensor(const struct tcpc_tensor *t, const int64_t *param) {
    TEXT(t->name), TEXT(t->element), NUMBER(t->element_bits), NUMBER(t->direction);
    NUMBER(t->align), TEXT(t->layout), NUMBER(t->swizzled), tell_value(&t->offset, param);
    for (size_t i = 0; i < t->nmodes; ++i) {
        const struct tcpc_mode *m = t->mode[i];
        TEXT(m->name), NUMBER(TCPC_HAS(m, stride));
        tell_value(&m->extent, param), tell_value(&m->stride, param);
    }
    NUMBER(TCPC_HAS(t, bytes)), tell_value(&t->bytes, param);
}

static void tell_check(const struct tcpc_check *c, const int64_t *param) {
    NUMBER(c->kind), TEXT(c->text), NUMBER(c->relation), NUMBER(c->interleaved);
    if (c->param) TEXT(c->param->name);
    if (c->kind == TCPC_CHECK_FITS || c->kind == TCPC_CHECK_RELATION) tell_value(&c->left, param);
    if (c->kind == TCPC_CHECK_RELATION) tell_value(&c->right, param);
    for (int i = 0; i < 2; ++i)
        if (c->tensor[i]) TEXT(c->tensor[i]->name);
    for (size_t i = 0; i < c->nzeros; ++i)
        for (size_t k = 0; k < c->zero[i].n; ++k) tell_value(&c->zero[i].value[k], param);
    NUMBER(TCPC_HAS(c, nzeros));
}

static void tell_variant(const struct tcpc_variant *v, const int64_t *param) {
    TEXT(v->symbol), NUMBER(v->bits), NUMBER(v->number), TEXT(v->when);
    for (size_t i = 0; i < v->nconditions; ++i) {
        const struct tcpc_condition *c = v->condition[i];
        NUMBER(TCPC_HAS(c, unless)), NUMBER(c->multiple);
        if (c->tensor)
            TEXT(c->tensor->name);
        else
            tell_value(&c->value, param);
        if (c->unless) tell_value(c->unless, param);
    }
    for (size_t i = 0; i < v->narguments; ++i) {
        const struct tcpc_argument *a = v->argument[i];
        TEXT(a->tensor ? a->tensor->name : a->param ? a->param->name : "a map");
        NUMBER(a->offset), NUMBER(a->bytes), NUMBER(TCPC_HAS(a, bytes));
    }
    for (int i = 0; i < 3; ++i) tell_value(v->grid[i], param);
    NUMBER(v->argument_bytes), NUMBER(v->threads), NUMBER(v->shared_bytes);
    NUMBER(v->shared_to_set), NUMBER(TCPC_HAS(v, shared_to_set));
}

static void tell_call(const struct tcpc_launch *l, const int64_t *param, const uint64_t *address) {
    struct tcpc_call *call = before_the_end(sizeof *call);
    unsigned char *arguments = before_the_end(l->argument_bytes);
    call->size = sizeof *call;
    fprintf(to, "\n  call:");
    NUMBER(tcpc_launch_evaluate(l, param, address, arguments, call));
    NUMBER(call->status), TEXT(call->message);
    if (!call->variant) return;
    TEXT(call->variant->symbol), TEXT(tcpc_launch_variant(l, param, address)->symbol);
    for (int i = 0; i < 3; ++i) NUMBER(call->grid[i]);
    for (size_t i = 0; i < call->variant->argument_bytes; ++i) fprintf(to, " %02x", arguments[i]);
}

static void tell_launch(const struct tcpc_launch *l) {
    static const int64_t right[] = {256, 300, 7}, wrong[] = {-1, 200, 7};
    static const uint64_t apart[] = {1 << 20, 2 << 20, 3 << 20}, close[] = {1 << 20, 1 << 20, 0},
                          none[] = {0, 0, 0}, odd[] = {(1 << 20) + 1, (2 << 20) + 1, 0};
    fprintf(to, "\n launch:"), TEXT(l->name), TEXT(l->launcher), NUMBER(l->nparams);
    NUMBER(l->ncomputed), NUMBER(l->argument_bytes), NUMBER(l->argument_align);
    NUMBER(TCPC_HAS(l, argument_align));
    for (size_t i = 0; i < l->ntensors; ++i) tell_tensor(l->tensor[i], right);
    for (size_t i = 0; i < l->nparams + l->ncomputed; ++i) tell_param(l->param[i], right);
    for (size_t i = 0; i < l->nchecks; ++i) tell_check(l->check[i], right);
    for (size_t i = 0; i < l->nvariants; ++i) tell_variant(l->variant[i], right);
    tell_call(l, right, apart), tell_call(l, right, close), tell_call(l, right, none);
    tell_call(l, right, odd), tell_call(l, wrong, apart);
}

static void tell_place(struct tcpc_place at) {
    TEXT(at.file), NUMBER(at.line), NUMBER(at.column), NUMBER(at.end_line), NUMBER(at.end_column);
}

static void tell_message(const struct tcpc_message *m) {
    fprintf(to, "\n message:"), NUMBER(m->severity), tell_place(m->at), TEXT(m->text);
    TEXT(m->warning), TEXT(m->page), NUMBER(TCPC_HAS(m, nfixits));
    for (size_t i = 0; i < m->nfixits; ++i) {
        const struct tcpc_fixit *f = m->fixit[i];
        tell_place(f->at), TEXT(f->text), NUMBER(TCPC_HAS(f, text));
    }
    for (size_t i = 0; i < m->nnotes; ++i) tell_message(m->note[i]);
}

static int read_import(void *user, const char *name, struct tcpc_text *text) {
    if (strcmp(name, "sizes.tcp") != 0) return 0;
    *text = (struct tcpc_text){.bytes = user, .size = strlen(user)};
    return 1;
}

static void tell_result(const char *plan, struct tcpc_options given) {
    static const char sizes[] = "tcp 1;\nparam M : index % 128 in 128 .. 4096;\n";
    struct tcpc_options *o = before_the_end(sizeof *o);
    struct tcpc_result *r;
    *o = given;
    o->size = sizeof *o, o->read = read_import, o->user = (void *)sizes;
    fprintf(to, "\nresult:"), NUMBER(tcpc_compile("a.tcp", plan, strlen(plan), o, &r));
    NUMBER(r->status), NUMBER(r->output.size), TEXT(r->output.bytes), NUMBER(r->nerrors);
    NUMBER(r->nwarnings), NUMBER(TCPC_HAS(r, nfiles));
    for (size_t i = 0; i < r->nmessages; ++i) tell_message(r->message[i]);
    for (size_t i = 0; i < r->nfiles; ++i) TEXT(r->file[i]);
    size_t n = r->nlaunches;
    const struct tcpc_launch **kept = calloc(n + 1, sizeof(*kept));
    for (size_t i = 0; i < n; ++i) kept[i] = tcpc_launch_keep(r->launch[i]);
    tcpc_free(r);
    for (size_t i = 0; i < n; ++i) tell_launch(kept[i]), tcpc_launch_free(kept[i]);
    free(kept);
}

void TELL(FILE *file) {
    static const char
        copies[] = "tcp 1;\nimport \"sizes.tcp\";\nconst T = 8;\nconst UNUSED = 1;\n"
                   "param ld : index in 1 .. 1000000000000000000 where ld >= M;\n"
                   "param N : index in 0 .. 999;\n"
                   "tensor X : f16 global (rows=64, cols=M):(ld, 1) align 16;\n"
                   "tensor Y : f16 global row(64, M) align 16;\ntensor P : f32 global 8+(64):(1);\n"
                   "tensor S : f32 global Sw<2,2,3> o 0 o (128);\ntensor Z : f32 global (N + M);\n"
                   "tiled_copy tc = tile(auto(128), thr=(16), val=(T));\n"
                   "kernel one(X, out Y) grid (M / 128, 64) threads 16 {\n  shared s : f16 (128);\n"
                   "  copy local_tile(X(block.y, _), (128), (block.x)) -> s with tc;\n"
                   "  copy s -> local_tile(Y(block.y, _), (128), (block.x)) with tc;\n}\n"
                   "kernel two(P, inout S, inout Z) grid (1) threads 64 {\n"
                   "  copy P -> S(0 .. 64) with tile(auto(32), thr=(64), val=(1));\n"
                   "  copy S(0 .. 1) -> Z(0 .. 1) with tile(auto(32), thr=(1), val=(1));\n}\n",
        planned[] = "tcp 1;\nparam N : index in 0 .. 5000;\ntensor A : f16 global row(N, 64);\n"
                    "tensor B : f16 global (N, 64):(1, N);\n"
                    "kernel turn(A, out B) { copy A -> B; }\n",
        wrong[] = "const A = X;\nconst B = Y;\nconst C = Z;\n";
    static const struct tcpc_define wide = {.name = "T", .value = "4"};
    static const char *const warning[] = {"-Werror=unused"}, *const folder[] = {"no such folder"};
    to = file;
    tell_constants();
    for (int emit = TCPC_EMIT_CUDA; emit <= TCPC_EMIT_DEVICE; ++emit)
        tell_result(copies, (struct tcpc_options){.emit = (enum tcpc_emit)emit});
    tell_result(copies, (struct tcpc_options){.arch = "sm_90", .no_line = 1});
    tell_result(copies, (struct tcpc_options){.emitted = "b.cu", .folder = folder, .nfolders = 1});
    tell_result(copies, (struct tcpc_options){.define = &wide, .ndefines = 1});
    tell_result(copies, (struct tcpc_options){.warning = warning, .nwarnings = 1});
    tell_result(copies, (struct tcpc_options){.proof_limit = 1});
    tell_result(copies, (struct tcpc_options){.arch = "sm_1"});
    tell_result(planned, (struct tcpc_options){.emit = TCPC_EMIT_DEVICE});
    tell_result(wrong, (struct tcpc_options){.error_limit = 2});
    TEXT(tcpc_version());
}
