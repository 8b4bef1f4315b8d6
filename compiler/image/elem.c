// Element types: which copies convert, and how a conversion changes a tag.
//
// The final value of an element depends on all types that it had. A conversion to a type that
// represents every value of the previous type exactly changes nothing, so that it is not recorded:
// converting there and back equals converting once. This includes integers that become floating
// point numbers, unless these then become integers of a type that cannot represent them.
#include "image/elem.h"

#include <string.h>

#include "base/session.h"
#include "image/image.h"

const struct elem_type elem_types[] = {
    {"u8", "uint8_t", 8, ELEM_UINT},         {"s8", "int8_t", 8, ELEM_SINT},
    {"u16", "uint16_t", 16, ELEM_UINT},      {"s16", "int16_t", 16, ELEM_SINT},
    {"u32", "uint32_t", 32, ELEM_UINT},      {"s32", "int32_t", 32, ELEM_SINT},
    {"u64", "uint64_t", 64, ELEM_UINT},      {"s64", "int64_t", 64, ELEM_SINT},
    {"f16", "tcp_f16", 16, ELEM_FLOAT},      {"bf16", "tcp_bf16", 16, ELEM_FLOAT},
    {"f32", "float", 32, ELEM_FLOAT},        {"f64", "double", 64, ELEM_FLOAT},
    {"f8e4m3", "tcp_f8e4m3", 8, ELEM_FLOAT}, {"f8e5m2", "tcp_f8e5m2", 8, ELEM_FLOAT},
    {"b8", "tcp_b8", 8, ELEM_RAW},           {"b16", "tcp_b16", 16, ELEM_RAW},
    {"b32", "tcp_b32", 32, ELEM_RAW},        {"b64", "tcp_b64", 64, ELEM_RAW},
    {"b128", "tcp_b128", 128, ELEM_RAW},
};
const int n_elem_types = sizeof elem_types / sizeof elem_types[0];

const struct elem_type *elem_type_find(const char *name) {
    for (int i = 0; i < n_elem_types; ++i) {
        if (strcmp(elem_types[i].name, name) == 0) return &elem_types[i];
    }
    return NULL;
}

bool elem_converts(const struct elem_type *from, const struct elem_type *to) {
    return from != to && from->cls != ELEM_RAW && to->cls != ELEM_RAW;
}

static int digits(const struct elem_type *f) {
    static const int by_name[] = {11, 8, 24, 53, 4, 3};  // f16 bf16 f32 f64 f8e4m3 f8e5m2
    return by_name[f - elem_type_find("f16")];
}

// Whether "b" represents every value of "a" exactly, and both are floats or both integers.
static bool stands_in(const struct elem_type *a, const struct elem_type *b) {
    if (a == b) return true;
    if ((a->cls == ELEM_FLOAT) != (b->cls == ELEM_FLOAT)) return false;
    if (a->cls == ELEM_FLOAT)  // bf16 has the widest range below f32, and fewer digits than f16
        return b->bits > a->bits && digits(b) >= digits(a);
    if (a->cls == b->cls) return b->bits >= a->bits;
    return a->cls == ELEM_UINT && b->bits > a->bits;
}

// Binary digits of the largest value of the integer type "a". (The least one is a power of two,
// which needs only one.)
static int integer_digits(const struct elem_type *a) {
    return a->cls == ELEM_SINT ? a->bits - 1 : a->bits;
}

bool elem_loses_digits(const struct elem_type *from, const struct elem_type *to) {
    if (!elem_converts(from, to) || stands_in(from, to)) return false;
    bool floats = to->cls == ELEM_FLOAT;
    return !floats || (from->cls != ELEM_FLOAT && integer_digits(from) > digits(to));
}

bool elem_rounds(const struct elem_type *from, const struct elem_type *to) {
    return from->cls == ELEM_FLOAT && to->cls == ELEM_FLOAT && !stands_in(from, to);
}

// Whether converting an element that was of type "last" from "from" to "to" gives the same value as
// converting it from "last" to "to".
static bool changes_nothing(const struct elem_type *last, const struct elem_type *from,
                            const struct elem_type *to) {
    if (stands_in(last, from)) return true;
    if (last->cls == ELEM_FLOAT || from->cls != ELEM_FLOAT || integer_digits(last) > digits(from))
        return false;
    // the same integers, represented as floats; these convert to the nearest integer in range,
    // where integers keep their low bits
    return to->cls == ELEM_FLOAT || stands_in(last, to);
}

int64_t elem_convert_tag(int64_t tag, const struct elem_type *from, const struct elem_type *to) {
    if (!elem_converts(from, to) || tag == IMAGE_POISON || image_is_opaque(tag)) return tag;
    int last = image_tag_types(tag);
    if (last == IMAGE_TOO_OFTEN) return tag;
    for (; last >> IMAGE_TYPE_BITS; last >>= IMAGE_TYPE_BITS) {
    }
    if (last && changes_nothing(&elem_types[last - 1], from, to)) return tag;
    return image_tag_had(tag, (int)(from - elem_types) + 1);
}

const char *elem_tag_types(struct session *s, int64_t tag) {
    int types = image_tag_types(tag);
    const char *text = "";
    for (; types; types >>= IMAGE_TYPE_BITS)
        text = arena_printf(&s->arena, "%s, once %s", text,
                            elem_types[(types & ((1 << IMAGE_TYPE_BITS) - 1)) - 1].name);
    return text;
}
