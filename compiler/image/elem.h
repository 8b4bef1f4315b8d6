// Element types, and the effect of converting an element on its tag.
#ifndef TCPC_IMAGE_ELEM_H
#define TCPC_IMAGE_ELEM_H

#include <stdbool.h>
#include <stdint.h>

struct session;

enum elem_class { ELEM_UINT, ELEM_SINT, ELEM_FLOAT, ELEM_RAW };

struct elem_type {
    const char *name;    // "f16"
    const char *c_name;  // "tcp_f16"
    int bits;            // 8, 16, 32, 64 or 128
    enum elem_class cls;
};
const struct elem_type *elem_type_find(const char *name);  // NULL when there is none
extern const struct elem_type elem_types[];
extern const int n_elem_types;

// Whether a copy between these types converts: they differ, and neither is a type of raw bits.
bool elem_converts(const struct elem_type *from, const struct elem_type *to);
// Whether a copy between these types loses digits and one of them is an integer type. From float to
// float a narrower type is intended, and does not count.
bool elem_loses_digits(const struct elem_type *from, const struct elem_type *to);
// Whether a copy from one floating point type to another rounds some values.
bool elem_rounds(const struct elem_type *from, const struct elem_type *to);
// The tag (image.h) of an element that is copied from a tensor of type "from" to one of type "to".
int64_t elem_convert_tag(int64_t tag, const struct elem_type *from, const struct elem_type *to);
// The types that the element of "tag" had before, as text: ", once f32, once f16"; "" when it was
// not converted.
const char *elem_tag_types(struct session *s, int64_t tag);

#endif
