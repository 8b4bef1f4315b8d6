/* The launcher of a kernel as data: what it checks, in which order, how it chooses a variant, and
 * what it launches.  A program that compiles the device code itself (TCPC_EMIT_ALONE, or TCPC_EMIT_DEVICE
 * and a folder of headers) launches by this data, without a C++ compiler:
 *
 *   struct tcpc_call c = {.size = sizeof c};
 *   if (tcpc_launch_evaluate(l, param, address, arguments, &c) != TCPC_LAUNCH_OK) puts(c.message);
 *   else if (c.variant) the driver launches c.variant->symbol with c.grid, c.variant->threads, ..
 *
 * tcpc.h includes this header; a program includes that one.
 *
 * Structures grow at their end only.  Those that may grow begin with their size in bytes, as the
 * library that filled them in has it: TCPC_HAS says whether a member is there.  They are reached
 * through pointers only, never in arrays of structures.  Those without a size never change. */
#ifndef TCPC_LAUNCH_H
#define TCPC_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TCPC_API __attribute__((visibility("default")))
#else
#define TCPC_API
#endif

/* Whether the structure that "p" points to has this member. */
#define TCPC_HAS(p, member)                                                                        \
    ((p)->size >= (size_t)((const char *)(&(p)->member + 1) - (const char *)(p)))

#ifdef __cplusplus
extern "C" {
#endif

struct tcpc_expression;

/* A number, or an expression of the params. */
struct tcpc_value {
    int64_t number;                           /* 0 for an expression */
    const char *text;                         /* as plans have it: "ceil_div(M,64)", "128" */
    const struct tcpc_expression *expression; /* for tcpc_value_at; NULL: a number */
};

enum tcpc_direction { TCPC_IN, TCPC_OUT, TCPC_INOUT };

struct tcpc_mode {
    size_t size;
    const char *name; /* as the plan names it, also for each part of a nested mode; or NULL */
    struct tcpc_value extent;
    struct tcpc_value stride; /* elements; may be negative */
};

/* A tensor in global memory.  Element (0,0,..) is "offset" elements behind the pointer. */
struct tcpc_tensor {
    size_t size;
    const char *name;
    const char *element; /* "f16", as plans have it */
    int element_bits;
    enum tcpc_direction direction;
    int64_t align;      /* bytes that its address is to be a multiple of */
    const char *layout; /* as plans have it, with a swizzle if there is one */
    int swizzled;       /* not 0: a swizzle permutes what offset and strides give */
    struct tcpc_value offset;
    const struct tcpc_mode *const *mode; /* nested modes are flat here */
    size_t nmodes;
    /* from the pointer to the end of the last element; over devices: of the part of one */
    struct tcpc_value bytes;
    /* The same memory as the plan declares it, if the layout above is one that the planner wrote,
     * with modes that are sorted, merged and parts; otherwise NULL.  "bytes" is not set there, and
     * a value that depends on a param that the kernel does not have does not fit 64 bits. */
    const struct tcpc_tensor *declared;
};

/* An integer that a launch is given; behind these, those that the launcher computes itself.  The name
 * of one that is computed is an expression, "M*N + 4". */
struct tcpc_param {
    size_t size;
    const char *name;
    int64_t least, most, multiple; /* "least" <= it <= "most", and it is a multiple */
    struct tcpc_value value;       /* the param itself, or what it is computed from */
};

enum tcpc_check_kind {
    TCPC_CHECK_RANGE,    /* "param" is in its range */
    TCPC_CHECK_MULTIPLE, /* .. and is a multiple of what it promises */
    TCPC_CHECK_FITS,     /* "left" fits 64 bits; "text" is its name */
    TCPC_CHECK_RELATION, /* "left" and "right" are as "text" says */
    TCPC_CHECK_NOTHING,  /* no check: there is nothing to do when each of "zero" has a zero */
    TCPC_CHECK_POINTER,  /* the address of "tensor" [0] is not 0, and is aligned */
    TCPC_CHECK_APART     /* the two of "tensor" share no element */
};

enum tcpc_relation { TCPC_EQ, TCPC_NE, TCPC_LT, TCPC_LE, TCPC_GT, TCPC_GE };

struct tcpc_values {
    const struct tcpc_value *value;
    size_t n;
};

struct tcpc_check {
    size_t size;
    enum tcpc_check_kind kind;
    const char *text; /* of FITS and RELATION */
    const struct tcpc_param *param;
    enum tcpc_relation relation;
    struct tcpc_value left, right;
    const struct tcpc_tensor *tensor[2];
    int interleaved; /* of APART: addresses may interleave, as columns of a matrix do */
    /* extents; POINTER and APART are not checked when one of their only group is zero */
    const struct tcpc_values *zero;
    size_t nzeros;
};

/* The address of "tensor", or "value", is a multiple of "multiple"; with "unless", that is not
 * asked where its value is at most 1.  A value that does not fit 64 bits is no multiple. */
struct tcpc_condition {
    size_t size;
    const struct tcpc_tensor *tensor; /* or NULL */
    struct tcpc_value value;
    int64_t multiple;
    const struct tcpc_value *unless; /* or NULL */
};

/* A tensor map.  The contiguous mode comes first, all element strides are 1, nothing is interleaved,
 * what is beyond the tensor is 0. */
struct tcpc_map {
    size_t size;
    const struct tcpc_tensor *tensor; /* its address and "offset" are the map's address */
    int rank, element_bytes;
    int swizzle_bytes;               /* of a row: 32, 64, 128; 0: no swizzle */
    const struct tcpc_value *extent; /* of each mode, in elements */
    const struct tcpc_value *stride; /* of each mode, in bytes */
    const int64_t *box;              /* of each mode, in elements */
    int l2_bytes;                    /* that the L2 cache fetches together: 64, 128 or 256 */
    struct tcpc_value offset;        /* in bytes */
    int type;                        /* CUtensorMapDataType; unsigned where nothing is reduced */
};

/* The address of "tensor", the integer "param", or a tensor map: an argument of a kernel. */
struct tcpc_argument {
    size_t size;
    const struct tcpc_tensor *tensor; /* or NULL */
    const struct tcpc_param *param;   /* or NULL */
    size_t offset, bytes;             /* where it is among the arguments, and how large */
    const struct tcpc_map *map;       /* or NULL */
};

/* A kernel in the emitted text. */
struct tcpc_variant {
    size_t size;
    const char *symbol; /* its name there, and in what DEVICE and ALONE compile to */
    int bits;           /* its widest access that needs its conditions; 0: it has none */
    int number;         /* what NAME_variant returns for it: the bits, or the number of a case */
    const char *when;   /* the conditions as text; or NULL */
    const struct tcpc_condition *const *condition;
    size_t nconditions;
    const struct tcpc_argument *const *argument;
    size_t narguments;
    size_t argument_bytes;            /* all of them, each at its offset */
    const struct tcpc_value *grid[3]; /* blocks along x, y and z */
    int64_t threads;                  /* of a block, along x */
    int64_t shared_bytes;             /* of a block, all of it asked for at the launch */
    /* What CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES has to be set to, once on each device;
     * 0: nothing is to be set. */
    int64_t shared_to_set;
};

struct tcpc_launch {
    size_t size;
    const char *name;     /* of the kernel in the plan */
    const char *launcher; /* `tcp_status LAUNCHER(tensors.., int64_t params.., tcp_stream)` */
    const struct tcpc_tensor *const *tensor; /* the kernel's arguments, in their order */
    size_t ntensors;
    /* "nparams" that are given, those of the plan that the kernel depends on, in the order in which
     * the plan declares them; behind them "ncomputed" others */
    const struct tcpc_param *const *param;
    size_t nparams, ncomputed;
    const struct tcpc_check *const *check; /* in the order in which they are made */
    size_t nchecks;
    const struct tcpc_variant *const *variant; /* the first whose conditions hold is taken; the
                                                  last one has none */
    size_t nvariants;
    size_t argument_bytes; /* room for the arguments of any variant */
    size_t argument_align; /* of this room, in bytes */
    /* The devices of a mesh, which launch it together.  Its launcher takes an end of the mesh before the
     * stream; the kernel takes a tcp_mesh_call behind the arguments above, which the caller makes as
     * the launcher does.  0: it is for one device. */
    int64_t devices;
};

/* The first ones are tcp_status in tcp_runtime.h. */
enum tcpc_launch_status {
    TCPC_LAUNCH_OK,
    TCPC_LAUNCH_NULL,         /* an address is 0 */
    TCPC_LAUNCH_ALIGNMENT,    /* an address is not aligned as the plan promises */
    TCPC_LAUNCH_PRECONDITION, /* a param breaks a promise, or a value does not fit 64 bits */
    TCPC_LAUNCH_OVERLAP,      /* two tensors overlap */
    TCPC_LAUNCH_GRID,         /* the grid is larger than any GPU accepts */
    TCPC_LAUNCH_BAD_CALL = -1 /* "size" of the call is not set; nothing else is filled in */
};

enum { TCPC_MESSAGE_BYTES = 512 };

/* What a launch comes to. */
struct tcpc_call {
    size_t size; /* the caller sets it: sizeof(struct tcpc_call) */
    enum tcpc_launch_status status;
    const struct tcpc_variant *variant; /* NULL: nothing is to be launched */
    uint32_t grid[3];                   /* set with a variant */
    char message[TCPC_MESSAGE_BYTES];   /* what tcp_last_error() would say; "" for OK */
};

/* Does what the launcher does, up to the launch: param[i], below "nparams", is for l->param[i], and
 * address[i], one of the device, for l->tensor[i].  Returns call->status.
 * "arguments" gets the kernel's arguments, each at its offset: what cuLaunchKernel takes as
 * CU_LAUNCH_PARAM_BUFFER_POINTER, or by a pointer to each.  It has "argument_bytes" of the launch
 * and is aligned to "argument_align"; NULL: not wanted.  Tensor maps there are left as they are:
 * tcpc_launch_map says how they are made.  A kernel with maps takes its arguments by a pointer to each
 * alone, because compilers align a map by where all arguments are, and so have it at another offset.
 * Allocates nothing and takes no lock; any number of threads may use one launch. */
TCPC_API enum tcpc_launch_status tcpc_launch_evaluate(const struct tcpc_launch *l,
                                                      const int64_t *param, const uint64_t *address,
                                                      void *arguments, struct tcpc_call *call);

enum { TCPC_MAP_RANK = 5, TCPC_MAP_BYTES = 128, TCPC_MAP_ZEROS = 16 };

/* What cuTensorMapEncodeTiled takes for a map, as its types. */
struct tcpc_map_call {
    size_t size;   /* the caller sets it: sizeof(struct tcpc_map_call) */
    int type;      /* CUtensorMapDataType */
    uint32_t rank; /* tensorRank */
    /* 0: the tensor has no element, and all that is read of it is 0.  The caller takes the address of
     * TCPC_MAP_ZEROS bytes of zeros in the memory of the device instead, aligned to as many; if the
     * kernel writes the tensor, of as many bytes that nobody reads. */
    uint64_t address;
    uint64_t extent[TCPC_MAP_RANK];     /* globalDim */
    uint64_t stride[TCPC_MAP_RANK - 1]; /* globalStrides: of the modes from the second on */
    uint32_t box[TCPC_MAP_RANK];        /* boxDim */
    uint32_t step[TCPC_MAP_RANK];       /* elementStrides */
    int swizzle;                        /* CUtensorMapSwizzle */
    int promotion;                      /* CUtensorMapL2promotion */
    int clear; /* drivers up to 13.1: clear bit 21 of the second 8 bytes of the map */
};

/* Does for an argument that is a map what the launcher does before it calls the driver: checks its rules,
 * and sets "out".  Returns call->status, as tcpc_launch_evaluate does, after which it is called.
 * The caller then has the driver make the map at its offset among the arguments, with
 * CU_TENSOR_MAP_INTERLEAVE_NONE and CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE. */
TCPC_API enum tcpc_launch_status tcpc_launch_map(const struct tcpc_launch *l,
                                                 const struct tcpc_map *map, const int64_t *param,
                                                 const uint64_t *address, struct tcpc_map_call *out,
                                                 struct tcpc_call *call);

/* The variant for these, whether or not they keep the promises: what NAME_variant returns. */
TCPC_API const struct tcpc_variant *
tcpc_launch_variant(const struct tcpc_launch *l, const int64_t *param, const uint64_t *address);

/* The value for these params of its launch, those that are given.  Returns 1; 0 if it does not fit 64
 * bits. */
TCPC_API int tcpc_value_at(const struct tcpc_value *v, const int64_t *param, int64_t *out);

/* Makes one more owner of the launch, which then outlives the result that it came with, and all
 * that it points to with it.  Returns "l". */
TCPC_API const struct tcpc_launch *tcpc_launch_keep(const struct tcpc_launch *l);
/* .. and one less; the last one frees it.  NULL is allowed. */
TCPC_API void tcpc_launch_free(const struct tcpc_launch *l);

#ifdef __cplusplus
}
#endif

#endif
