// What a kernel over a mesh gets: its device's place in the mesh, and tables of addresses. C99, C++
// and device code; includes no header of the C or C++ library. tcp_mesh.h has what programs call.
#ifndef TCP_MESH_CALL_H
#define TCP_MESH_CALL_H

#include "tcp_types.h"

enum {
    TCP_MESH_DEVICES = 64,  // of a mesh, at most
    TCP_MESH_TENSORS = 4,   // of a kernel that peers access, at most
    TCP_MESH_WINDOWS = 16   // that the pool of a device grows by, at most
};

// The words that peers write, "size" of each: one for each of them.
enum { TCP_MESH_BEGIN, TCP_MESH_END, TCP_MESH_PLACES, TCP_MESH_ROWS = 2 + TCP_MESH_TENSORS };

// The words of a device itself. Those that a block reads at its begin are in one line of the cache.
enum {
    TCP_MESH_EPOCH,         // launches that have ended
    TCP_MESH_DEAD,          // the error, or 0; then no launch does anything
    TCP_MESH_DECISION,      // 2 * the launch, and 1 if its blocks may begin
    TCP_MESH_ARRIVED = 16,  // blocks at the end of the running launch
    TCP_MESH_STATE = 32
};

// A word of a peer: the launch, 32 bits, and above it the hash of the call. No call has this hash; the
// word is then that of a device that gave up, and says for what fault.
#define TCP_MESH_GAVE_UP 0xffffffffu
// A place of a tensor: 16 bits of the launch, 8 of the window, 40 of the offset in it.
#define TCP_MESH_OFFSET_BITS 40
#define TCP_MESH_WINDOW_BITS 8

// A fault: what happened, above 16 bits of the device that it is about. An error: the fault, above 32
// bits of the launch.
enum tcp_mesh_error {
    TCP_MESH_FINE,
    TCP_MESH_LATE_BEGIN,   // the device did not come
    TCP_MESH_LATE_END,     // it began, and did not come to the end
    TCP_MESH_OTHER_CALL,   // it runs another plan, or the same with other sizes or types
    TCP_MESH_OTHER_EPOCH,  // it has made more or fewer launches
    TCP_MESH_PEER_DEAD     // it gave up before this device came
};

// By value. The pointers are to memory of the device, apart from "error".
typedef struct tcp_mesh_call {
    uint32_t rank, size;
    uint32_t hash;                     // of the plan, the sizes and the types; equal on all devices
    uint32_t tensors;                  // that peers access
    uint64_t timeout;                  // ns
    uint64_t *state;                   // TCP_MESH_STATE words of this device
    uint64_t *flags;                   // TCP_MESH_ROWS * size words, which the peers write
    uint64_t *const *peers;            // the flags of each device, as seen from this one
    unsigned char *const *base;        // the windows of each device: [window * size + device]
    uint64_t place[TCP_MESH_TENSORS];  // of this device's tensors: window, offset
    uint64_t *error;                   // memory of the host: the first error
} tcp_mesh_call;

#endif
