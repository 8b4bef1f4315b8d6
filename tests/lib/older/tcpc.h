/* tcpc.h and tcpc_launch.h as they were when symbols got their first version, without their comments.  This file never changes:
 * programs that were compiled with it run with the library of today. */
#ifndef TCPC_H
#define TCPC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TCPC_API __attribute__((visibility("default")))
#else
#define TCPC_API
#endif

#define TCPC_HAS(p, member)                                                                        \
    ((p)->size >= (size_t)((const char *)(&(p)->member + 1) - (const char *)(p)))

struct tcpc_expression;

struct tcpc_value {
    int64_t number;
    const char *text;
    const struct tcpc_expression *expression;
};

enum tcpc_direction { TCPC_IN, TCPC_OUT, TCPC_INOUT };

struct tcpc_mode {
    size_t size;
    const char *name;
    struct tcpc_value extent;
    struct tcpc_value stride;
};

struct tcpc_tensor {
    size_t size;
    const char *name;
    const char *element;
    int element_bits;
    enum tcpc_direction direction;
    int64_t align;
    const char *layout;
    int swizzled;
    struct tcpc_value offset;
    const struct tcpc_mode *const *mode;
    size_t nmodes;
    struct tcpc_value bytes;
};

struct tcpc_param {
    size_t size;
    const char *name;
    int64_t least, most, multiple;
    struct tcpc_value value;
};

enum tcpc_check_kind {
    TCPC_CHECK_RANGE,
    TCPC_CHECK_MULTIPLE,
    TCPC_CHECK_FITS,
    TCPC_CHECK_RELATION,
    TCPC_CHECK_NOTHING,
    TCPC_CHECK_POINTER,
    TCPC_CHECK_APART
};

enum tcpc_relation { TCPC_EQ, TCPC_NE, TCPC_LT, TCPC_LE, TCPC_GT, TCPC_GE };

struct tcpc_values {
    const struct tcpc_value *value;
    size_t n;
};

struct tcpc_check {
    size_t size;
    enum tcpc_check_kind kind;
    const char *text;
    const struct tcpc_param *param;
    enum tcpc_relation relation;
    struct tcpc_value left, right;
    const struct tcpc_tensor *tensor[2];
    int interleaved;

    const struct tcpc_values *zero;
    size_t nzeros;
};

struct tcpc_condition {
    size_t size;
    const struct tcpc_tensor *tensor;
    struct tcpc_value value;
    int64_t multiple;
    const struct tcpc_value *unless;
};

struct tcpc_argument {
    size_t size;
    const struct tcpc_tensor *tensor;
    const struct tcpc_param *param;
    size_t offset, bytes;
};

struct tcpc_variant {
    size_t size;
    const char *symbol;
    int bits;
    int number;
    const char *when;
    const struct tcpc_condition *const *condition;
    size_t nconditions;
    const struct tcpc_argument *const *argument;
    size_t narguments;
    size_t argument_bytes;
    const struct tcpc_value *grid[3];
    int64_t threads;
    int64_t shared_bytes;

    int64_t shared_to_set;
};

struct tcpc_launch {
    size_t size;
    const char *name;
    const char *launcher;
    const struct tcpc_tensor *const *tensor;
    size_t ntensors;
    const struct tcpc_param *const *param;
    size_t nparams, ncomputed;
    const struct tcpc_check *const *check;
    size_t nchecks;
    const struct tcpc_variant *const *variant;
    size_t nvariants;
    size_t argument_bytes;
    size_t argument_align;
};

enum tcpc_launch_status {
    TCPC_LAUNCH_OK,
    TCPC_LAUNCH_NULL,
    TCPC_LAUNCH_ALIGNMENT,
    TCPC_LAUNCH_PRECONDITION,
    TCPC_LAUNCH_OVERLAP,
    TCPC_LAUNCH_GRID,
    TCPC_LAUNCH_BAD_CALL = -1
};

enum { TCPC_MESSAGE_BYTES = 512 };

struct tcpc_call {
    size_t size;
    enum tcpc_launch_status status;
    const struct tcpc_variant *variant;
    uint32_t grid[3];
    char message[TCPC_MESSAGE_BYTES];
};

TCPC_API enum tcpc_launch_status tcpc_launch_evaluate(const struct tcpc_launch *l,
                                                      const int64_t *param, const uint64_t *address,
                                                      void *arguments, struct tcpc_call *call);

TCPC_API const struct tcpc_variant *
tcpc_launch_variant(const struct tcpc_launch *l, const int64_t *param, const uint64_t *address);

TCPC_API int tcpc_value_at(const struct tcpc_value *v, const int64_t *param, int64_t *out);

TCPC_API const struct tcpc_launch *tcpc_launch_keep(const struct tcpc_launch *l);

TCPC_API void tcpc_launch_free(const struct tcpc_launch *l);

struct tcpc_text {
    const char *bytes;
    size_t size;
};

enum tcpc_emit {
    TCPC_EMIT_CUDA,
    TCPC_EMIT_HEADER,
    TCPC_EMIT_KERNEL,
    TCPC_EMIT_PLAN,
    TCPC_EMIT_AST,

    TCPC_EMIT_DEVICE
};

struct tcpc_define {
    const char *name, *value;
};

typedef int tcpc_read(void *user, const char *name, struct tcpc_text *text);

struct tcpc_options {
    size_t size;
    enum tcpc_emit emit;
    const char *arch;
    const struct tcpc_define *define;
    size_t ndefines;
    const char *const *warning;
    size_t nwarnings;
    unsigned long proof_limit;
    int error_limit;
    int no_line;
    const char *emitted;

    tcpc_read *read;
    void *user;
    const char *const *folder;
    size_t nfolders;
};

enum tcpc_status { TCPC_OK, TCPC_WRONG, TCPC_BAD_OPTION, TCPC_NO_MEMORY, TCPC_BUG };

enum tcpc_severity { TCPC_ERROR, TCPC_WARNING, TCPC_NOTE };

struct tcpc_place {
    const char *file;
    int line, column, end_line, end_column;
};

struct tcpc_fixit {
    size_t size;
    struct tcpc_place at;
    const char *text;
};

struct tcpc_message {
    size_t size;
    enum tcpc_severity severity;
    struct tcpc_place at;
    const char *text;
    const char *warning;
    const char *page;
    const struct tcpc_message *const *note;
    size_t nnotes;
    const struct tcpc_fixit *const *fixit;
    size_t nfixits;
};

struct tcpc_result {
    size_t size;
    enum tcpc_status status;
    struct tcpc_text output;
    const struct tcpc_message *const *message;
    size_t nmessages;
    size_t nerrors, nwarnings;

    const struct tcpc_launch *const *launch;
    size_t nlaunches;
    const char *const *file;
    size_t nfiles;
};

TCPC_API enum tcpc_status tcpc_compile(const char *name, const char *text, size_t size,
                                       const struct tcpc_options *options,
                                       struct tcpc_result **out);

TCPC_API void tcpc_free(struct tcpc_result *r);

TCPC_API const char *tcpc_version(void);

#endif
