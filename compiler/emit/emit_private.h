// Shared by the files that print a .cu file.
#ifndef TCPC_EMIT_EMIT_PRIVATE_H
#define TCPC_EMIT_EMIT_PRIVATE_H

#include "emit/write.h"

struct lines;

// A function being printed.
struct emission {
    struct session *s;
    struct buf *b;
    const struct kir_kernel *k;
    struct lines *lines;            // or NULL
    const struct kir_carry *carry;  // offsets carried by the loop around; or NULL
    int ncarries;
};

// A call, whose arguments are added before it is written; "head" ends with the opening parenthesis.
// arrivals.c: prints an arrival or a wait.
void emit_arrival(const struct emission *o, const struct kir_node *n, int indent);
// .. or what comes before the copies that are waited for: an ANNOUNCE, a FENCE.
void emit_before_copies(const struct emission *o, const struct kir_node *n, int indent);
struct call emit_call_of(const struct emission *o, int indent, const char *head, const char *tail);
// Prints the statements "list", which are between braces (statements.c).
void emit_inside(const struct emission *o, const struct kir_node *list, int indent);
// Prints the declaration "text", with "comment" (or NULL) behind it, or above it if that is too long.
void emit_constant(const struct emission *o, int indent, const char *text, const char *comment);
// Prints the body of a kernel or a device function, and the closing brace.
void emit_body(const struct emission *o);

// How "n" comes to its named barrier: "sync", "meet" or "arrive" (apart.c).
const char *emit_named(const struct kir_kernel *k, const struct kir_node *n);

// Comes before text for the host, which ends with #endif; NVRTC compiles only the rest.
extern const char emit_host_begins[];
void emit_launcher(const struct emission *o);
void emit_launcher_declaration(const struct emission *o);
void emit_device(const struct emission *o);
// A line of what a device function asks of its caller.
void emit_duty(const struct emission *o, const char *text);
// state.c, for device functions with copies that are counted in memory: what they ask of their caller, how
// they end, the function that makes the state, and on the host those that make their tensor maps.
void emit_state_duties(const struct emission *o);
void emit_state_end(const struct emission *o, const char *holds);
void emit_state_init(const struct emission *o);
void emit_state_maps(const struct emission *o);
// The boxes of "n", with the loops around them.
void emit_boxes(const struct emission *o, const struct kir_node *n, int indent);
// Whether argument "i" is a tensor that is accessed by its maps alone, so that its pointer is not needed.
bool emit_is_mapped(const struct kir_kernel *k, int i);
// In a launcher, or what makes a map for a device function: "m" as {address, rank, bytes of an element, {extents}, {strides in bytes}, {box},
// swizzle}, and the call that makes it.
void emit_map(const struct emission *o, int indent, const struct kir_map *m);

#endif
