// The types of elements, and what becomes of a number that is converted on its way.
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

// Whether a copy from one type to the other converts: they differ, and neither is bits as such.
bool elem_converts(const struct elem_type *from, const struct elem_type *to);
// Whether a copy from one type to the other loses numbers, and one of the two is of integers: from
// float to float a narrower type is what the plan asks for.
bool elem_loses_digits(const struct elem_type *from, const struct elem_type *to);
// Whether a copy from one type of floats to another rounds some numbers.
bool elem_rounds(const struct elem_type *from, const struct elem_type *to);
// The tag (image.h) of an element that is copied from a tensor of "from" to one of "to".
int64_t elem_convert_tag(int64_t tag, const struct elem_type *from, const struct elem_type *to);
// ", once f32, once f16" for a tag of an element that was converted from these; else "".
const char *elem_tag_types(struct session *s, int64_t tag);

#endif
