// Tables of words of other languages in place of statements, declarations, keywords and clauses (see
// foreign.h).
#include <string.h>

#include "syntax/foreign.h"

#define ROWS(table)       (sizeof(table) / sizeof *(table))
#define FIND(table, name) find(table, ROWS(table), name)

static const struct foreign *find(const struct foreign *all, size_t n, const char *name) {
    for (size_t i = 0; i < n; ++i)
        if (strcmp(name, all[i].name) == 0) return &all[i];
    return NULL;
}

const struct foreign *foreign_statement(const char *name) {
    static const char barriers[] = "the compiler places the barriers",
                      commits[] = "the compiler commits asynchronous copies",
                      waits[] = "the compiler waits for asynchronous copies",
                      guards[] = "a plan has no conditions; elements outside a tensor are guarded",
                      asynchronous[] = "an asynchronous copy has the atom 'cp_async.cg(16)', as in "
                                       "'copy A -> s with tile(cp_async.cg(16), ..);'",
                      prints[] = "'tcpc run PLAN --print NAME' prints a tensor";
    static const struct foreign words[] = {
        {"__syncthreads", "sync", barriers},
        {"__syncwarp", "sync", barriers},
        {"sync_threads", "sync", barriers},
        {"syncthreads", "sync", barriers},
        {"barrier", "sync", barriers},
        {"bar.sync", "sync", barriers},
        {"barrier.sync", "sync", barriers},
        {"block.sync", "sync", barriers},
        {"cp_async_fence", "commit", commits},
        {"cp_async_commit", "commit", commits},
        {"cp_async_commit_group", "commit", commits},
        {"commit_group", "commit", commits},
        {"__pipeline_commit", "commit", commits},
        {"__pipeline_wait_prior", "wait %s", waits},
        {"cp_async_wait", "wait %s", waits},
        {"cp_async_wait_group", "wait %s", waits},
        {"wait_group", "wait %s", waits},
        {"cp_async_wait_all", "wait 0", waits},
        {"__shared__", NULL, "shared memory is declared by 'shared NAME : TYPE LAYOUT;'"},
        {"if", NULL, guards},
        {"while", NULL, "a loop is 'for i in 0 .. 4 { .. }'"},
        {"do", NULL, "a loop is 'for i in 0 .. 4 { .. }'"},
        {"return", NULL, "a function ends at its '}'"},
        {"switch", NULL, guards},
        {"else", NULL, guards},
        {"goto", NULL, guards},
        {"break", NULL, "a loop runs from the start of its range to the end"},
        {"continue", NULL, "a loop runs from the start of its range to the end"},
        {"asm", NULL, "an instruction is the atom of a copy, such as 'cp_async.cg(16)'"},
        {"mbarrier.init", NULL, barriers},
        {"fence_view_async_shared", NULL, barriers},
        {"fill", NULL, "'fill s = 0;' writes to shared memory and fragments"},
        {"autovec_copy", NULL, "a copy is 'copy A -> s with tc;'"},
        {"__threadfence", NULL, barriers},
        {"__threadfence_block", NULL, barriers},
        {"__ldg", NULL, "a copy reads: 'copy A -> s with tc;', and its atom says how"},
        {"print_layout", NULL, "'tcpc eval --table LAYOUT' prints a layout"},
        {"memcpy", NULL, "a copy is 'copy A -> s with tc;'"},
        {"print", NULL, prints},
        {"printf", NULL, prints},
        {"copy_if", NULL, "a copy is 'copy A -> s with tc;', and elements outside are guarded"},
        {"gemm", NULL,
         "a plan copies; 'copy s -> r with tile(ldmatrix.x4, like=operand_A(M));' "
         "loads an operand"},
        {"auto", "let", NULL},
        {"var", "let", NULL},
        {"parallel", "for", NULL},
        {"clear", "fill %s = 0", NULL},
        {"assert", "expect %s", NULL},
        {"static_assert", "expect %s", NULL},
        {"store", NULL, "a copy is 'copy A -> B with tc;'"},
        {"cp", NULL, asynchronous},
        {"memcpy_async", NULL, asynchronous},
        {"__pipeline_memcpy_async", NULL, asynchronous},
        {"cudaMemcpy", NULL, "a copy is 'copy A -> s with tc;'"},
        {"cudaMemcpyAsync", NULL, asynchronous},
        {"ldmatrix", NULL,
         "it is an atom: 'copy s -> r with tile(ldmatrix.x4, like=operand_A(M));'"},
        {"stmatrix", NULL,
         "it is an atom: 'copy r -> s with tile(stmatrix.x4, like=operand_C(M));'"},
        {"unroll", NULL, "nvcc unrolls loops; write only the loop"},
        {"memset", NULL, "'fill s = 0;' writes to shared memory and fragments"},
        {"cudaMemset", NULL, "'fill s = 0;' writes to shared memory and fragments"},
    };
    return FIND(words, name);
}

const struct foreign *foreign_declaration(const char *name) {
    static const char
        kernel[] = "a kernel is 'kernel NAME(A, out B) grid (..) threads N { .. }'",
        constant[] = "a constant is 'const NAME = VALUE;'",
        device[] = "a device function is 'device NAME(A, out s : f16 shared (64)) { .. }'",
        function[] = "a kernel is 'kernel NAME(A, out B) grid (..) threads N { .. }', a device "
                     "function 'device NAME(A, out s : f16 shared (64)) { .. }'";
    static const struct foreign words[] = {
        {"__global__", NULL, kernel},
        {"__device__", NULL, device},
        {"def", NULL, kernel},
        {"func", NULL, function},
        {"fn", NULL, function},
        {"void", NULL, kernel},
        {"function", NULL, function},
        {"inline", NULL, function},
        {"namespace", NULL, "a plan has no namespaces"},
        {"CUTE_STATIC_ASSERT_V", NULL, "what has to hold is 'expect CONDITION;'"},
        {"__shared__", NULL, "shared memory is declared in a kernel: 'shared NAME : TYPE LAYOUT;'"},
        {"__launch_bounds__", NULL,
         "'threads N' after the kernel's list sets the threads of a block"},
        {"constexpr", NULL, constant},
        {"static", NULL, constant},
        {"static_assert", NULL, "what has to hold is 'expect CONDITION;'"},
        {"assert", NULL, "what has to hold is 'expect CONDITION;'"},
        {"auto", NULL, "the kind comes first: 'const', 'layout', 'atom', 'tiled_copy' NAME = ..;"},
        {"else", NULL, "the last case of a kernel has no 'when'; there is no 'else'"},
        {"using", NULL, "the kind comes first: 'layout', 'atom', 'tiled_copy' NAME = ..;"},
        {"typedef", NULL, "an element type has only its own name, such as 'f16'"},
        {"template", NULL, "a const replaces a template argument; -D overrides it"},
    };
    return FIND(words, name);
}

const char *foreign_keyword(const char *name) {
    static const struct foreign words[] = {
        {"gmem", "global", NULL},       {"smem", "shared", NULL},
        {"shmem", "shared", NULL},      {"rmem", "frag", NULL},
        {"reg", "frag", NULL},          {"regs", "frag", NULL},
        {"register", "frag", NULL},     {"registers", "frag", NULL},
        {"fragment", "frag", NULL},     {"using", "with", NULL},
        {"via", "with", NULL},          {"func", "device", NULL},
        {"produce", "load", NULL},      {"producer", "load", NULL},
        {"consume", "use", NULL},       {"consumer", "use", NULL},
        {"include", "import", NULL},    {"blocks", "grid", NULL},
        {"gridDim", "grid", NULL},      {"blockDim", "threads", NULL},
        {"block_dim", "threads", NULL}, {"block_size", "threads", NULL},
        {"block", "threads", NULL},     {"aligned", "align", NULL},
        {"num_stages", "stages", NULL}, {"num_threads", "threads", NULL},
        {"const_expr", "const", NULL},  {"move", "copy", NULL},
        {"memcpy", "copy", NULL},       {"parameter", "param", NULL},
        {"version", "tcp", NULL},       {"target", "arch", NULL},
    };
    const struct foreign *w = FIND(words, name);
    return w ? w->ours : NULL;
}

const struct foreign *foreign_clause(const char *name) {
    static const char guards[] = "elements outside a tensor are guarded by the compiler";
    static const struct foreign words[] = {
        {"mask", NULL, guards},
        {"pred", NULL, guards},
        {"predicate", NULL, guards},
        {"if", NULL, guards},
        {"step", NULL, "a loop counts by one; multiply its variable"},
        {"smem", NULL, "the shared memory of a kernel follows from its buffers"},
        {"shared_memory", NULL, "the shared memory of a kernel follows from its buffers"},
        {"cluster", NULL, "there are no clusters of blocks"},
        {"num_warps", NULL, "'threads N' says how many threads a block has, 32 per warp"},
        {"warps", NULL, "'threads N' says how many threads a block has, 32 per warp"},
        {"num_stages", NULL, "'stages N' comes after a shared buffer"},
        {"mod", NULL, "the remainder is '%'"},
        {"stream", NULL, "the launcher takes a stream"},
        {"multiple", NULL, "'index % 8' promises a multiple of 8"},
        {"multiple_of", NULL, "'index % 8' promises a multiple of 8"},
        {"divisible_by", NULL, "'index % 8' promises a multiple of 8"},
    };
    return FIND(words, name);
}
