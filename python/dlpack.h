// DLPack 1.3, as far as the warm path needs it.
#ifndef TCPC_DLPACK_H
#define TCPC_DLPACK_H

#include <stdint.h>

struct data_type {
    uint8_t code, bits;
    uint16_t lanes;
};

struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    struct data_type dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

struct managed_tensor {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct managed_tensor *);
    uint64_t flags;
    struct dl_tensor tensor;
};

struct exchange {
    uint32_t major, minor;
    const void *before;
    int (*allocate)(struct dl_tensor *prototype, struct managed_tensor **out, void *context,
                    void (*error)(void *context, const char *kind, const char *message));
    int (*managed_of)(void *object, struct managed_tensor **out);
    int (*object_of)(struct managed_tensor *tensor, void **object);
    int (*tensor_of)(void *object, struct dl_tensor *out);
    int (*current_stream)(int device_type, int32_t device, void **stream);
};

#endif
