// Conversions of elements: exact expectations, and every pair of types against the harness's own
// arithmetic.
#include <math.h>

#include <random>

#include "check.h"
#include "tcp_device.cuh"
#include "tcp_harness_convert.h"

template <typename T> static uint64_t bits_of(T x) {
    uint64_t word = 0;
    memcpy(&word, &x, sizeof x);
    return word;
}

template <typename To, typename From> static void gives(From from, uint64_t want) {
    const uint64_t got = bits_of(tcp_convert_element<To>(from));
    CHECK(got == want, "0x%llx of %zu bytes becomes 0x%llx, want 0x%llx",
          (unsigned long long)bits_of(from), sizeof from, (unsigned long long)got,
          (unsigned long long)want);
}

static tcp_f16 half(uint16_t bits) {
    return tcp_f16{bits};
}

static void floats_to_floats() {
    gives<tcp_f16>(1.0f, 0x3c00);
    gives<tcp_f16>(65519.99f, 0x7bff);  // the last below the half that goes to infinity
    gives<tcp_f16>(65520.0f, 0x7c00);
    gives<tcp_f16>(-1e30f, 0xfc00);
    gives<tcp_f16>((float)NAN, 0x7fff);
    gives<tcp_f16>(-(float)NAN, 0x7fff);
    gives<tcp_f16>((float)-INFINITY, 0xfc00);
    gives<tcp_f16>(-0.0f, 0x8000);
    gives<tcp_f16>(ldexpf(1, -25), 0);  // half of the least: to the even neighbour
    gives<tcp_f16>(nextafterf(ldexpf(1, -25), 1), 1);
    gives<tcp_f16>(ldexpf(3, -25), 2);
    gives<tcp_f16>(2049.0f, 0x6800);  // halfway from 2048 to 2050
    gives<tcp_f16>(2051.0f, 0x6802);
    // rounding once: by way of f32 this would be a tie
    gives<tcp_f16>(2049.0 + ldexp(1, -40), 0x6801);
    gives<tcp_f16>(2049.0 - ldexp(1, -40), 0x6800);
    gives<tcp_f16>(-2049.0 - ldexp(1, -40), 0xe801);
    gives<tcp_f16>(ldexp(1, -25) + ldexp(1, -70), 1);
    gives<tcp_f16>(1e300, 0x7c00);
    gives<tcp_f16>(-1e-300, 0x8000);
    gives<tcp_bf16>(3.4e38f, 0x7f80);
    gives<tcp_bf16>(1 + ldexpf(1, -8), 0x3f80);
    gives<tcp_bf16>(1 + ldexpf(3, -8), 0x3f82);
    gives<tcp_bf16>(1 + ldexp(1, -8) + ldexp(1, -50), 0x3f81);
    gives<tcp_bf16>((float)NAN, 0x7fff);
    gives<tcp_bf16>(ldexpf(1, -133), 1);
    gives<tcp_f8e4m3>(448.0f, 0x7e);
    gives<tcp_f8e4m3>(464.0f, 0x7e);  // a tie, and 448 is even
    gives<tcp_f8e4m3>(465.0f, 0x7e);
    gives<tcp_f8e4m3>((float)INFINITY, 0x7e);
    gives<tcp_f8e4m3>(-1e30f, 0xfe);
    gives<tcp_f8e4m3>((float)NAN, 0x7f);
    gives<tcp_f8e4m3>(1000000, 0x7e);
    gives<tcp_f8e4m3>(ldexpf(1, -9), 1);
    gives<tcp_f8e5m2>(57344.0f, 0x7b);
    gives<tcp_f8e5m2>(61440.0f, 0x7b);
    gives<tcp_f8e5m2>((float)-INFINITY, 0xfb);
    gives<tcp_f8e5m2>(1e300, 0x7b);
    gives<tcp_f8e5m2>((float)NAN, 0x7f);
    gives<float>(half(0x3c01), bits_of(1 + ldexpf(1, -10)));
    gives<float>(half(1), bits_of(ldexpf(1, -24)));
    gives<float>(half(0x83ff), bits_of(-ldexpf(1023, -24)));
    gives<float>(half(0xfc00), 0xff800000);
    gives<float>(half(0x7c01), 0x7fffffff);
    gives<float>(half(0xfe00), 0x7fffffff);
    gives<float>(tcp_bf16{0xff81}, 0x7fffffff);
    gives<float>(tcp_f8e4m3{0xff}, 0x7fffffff);
    gives<float>(tcp_f8e4m3{0x01}, bits_of(ldexpf(1, -9)));
    gives<double>((float)NAN, 0x7fffffffffffffff);
    gives<double>(half(0x7c00), bits_of((double)INFINITY));
    gives<float>(1e300, 0x7f800000);
    gives<float>(1 + ldexp(1, -24), 0x3f800000);
    gives<tcp_bf16>(half(0x3c01), 0x3f80);
}

static void floats_to_integers() {
    gives<int8_t>(-1.9f, 0xff);
    gives<int8_t>(127.9f, 127);
    gives<int8_t>(128.0f, 127);
    gives<int8_t>(-128.9f, 0x80);
    gives<int8_t>(-1e30f, 0x80);
    gives<uint8_t>(-0.5f, 0);
    gives<uint8_t>(-7.0f, 0);
    gives<uint8_t>(255.99f, 255);
    gives<uint8_t>(256.0f, 255);
    gives<uint8_t>((float)NAN, 0);
    gives<int32_t>((float)INFINITY, 0x7fffffff);
    gives<int32_t>(2147483647.0f, 0x7fffffff);
    gives<int32_t>(-2147483648.0f, 0x80000000);
    gives<int32_t>(2147483646.9, 2147483646);
    gives<uint32_t>(4294967295.0f, 0xffffffff);
    gives<int64_t>(9.3e18, INT64_MAX);
    gives<int64_t>(-9.3e18, (uint64_t)INT64_MIN);
    gives<int64_t>((double)NAN, 0);
    gives<uint64_t>(1.8e19, 18000000000000000000u);
    gives<uint64_t>(1.9e19, UINT64_MAX);
    gives<int16_t>(half(0x7c00), 32767);
    gives<int16_t>(half(0xc0ff), (uint16_t)-2);
}

static void integers() {
    gives<uint8_t>((int32_t)-1, 255);
    gives<int8_t>((uint16_t)0x1280, 0x80);
    gives<int64_t>((int8_t)-2, (uint64_t)-2);
    gives<uint64_t>((uint32_t)0xffffffff, 0xffffffff);
    gives<int32_t>((uint32_t)0x80000001, 0x80000001);
    gives<float>((uint32_t)0xffffffff, bits_of(4294967296.0f));
    gives<float>((int32_t)16777217, bits_of(16777216.0f));
    gives<float>((uint64_t)UINT64_MAX, bits_of(18446744073709551616.0f));
    gives<double>((int64_t)9007199254740993, bits_of(9007199254740992.0));
    gives<tcp_f16>((int32_t)65519, 0x7bff);
    gives<tcp_f16>((int32_t)65520, 0x7c00);
    gives<tcp_f16>((int64_t)-2051, 0xe802);
    gives<tcp_bf16>((int64_t)0x4040000000000001, 0x5e81);  // a digit beyond those of a double
    gives<tcp_bf16>((int64_t)0x4040000000000000, 0x5e80);
    gives<tcp_bf16>(INT64_MIN, 0xdf00);
    gives<tcp_bf16>((uint64_t)0x8080000000000001, 0x5f01);
}

template <typename From, typename To> static void both(tcp_element from, tcp_element to) {
    std::mt19937_64 random(from * 64 + to);
    const int64_t all = sizeof(From) < 4 ? (int64_t)1 << 8 * sizeof(From) : 0;
    for (int64_t i = 0; i < std::max<int64_t>(all, 20000); ++i) {
        From x;
        uint64_t word = i < all ? (uint64_t)i : random();
        unsigned char bytes[8], want[8] = {0};
        memcpy(bytes, &word, 8);
        if (i >= all && i % 4) harness_put_any(from, to, i, bytes);
        memcpy(&x, bytes, sizeof x);
        harness_convert(from, bytes, to, want);
        const To got = tcp_convert_element<To>(x);
        CHECK(!memcmp(&got, want, sizeof got), "%s 0x%llx becomes %s 0x%llx, want 0x%llx",
              tcp_element_text(from), (unsigned long long)bits_of(x), tcp_element_text(to),
              (unsigned long long)bits_of(got), (unsigned long long)*(uint64_t *)want);
    }
}

template <typename From> static void to_all(tcp_element from) {
    both<From, uint8_t>(from, TCP_U8);
    both<From, int8_t>(from, TCP_S8);
    both<From, uint16_t>(from, TCP_U16);
    both<From, int16_t>(from, TCP_S16);
    both<From, uint32_t>(from, TCP_U32);
    both<From, int32_t>(from, TCP_S32);
    both<From, uint64_t>(from, TCP_U64);
    both<From, int64_t>(from, TCP_S64);
    if (from != TCP_F16) both<From, tcp_f16>(from, TCP_F16);
    if (from != TCP_BF16) both<From, tcp_bf16>(from, TCP_BF16);
    if (from != TCP_F32) both<From, float>(from, TCP_F32);
    if (from != TCP_F64) both<From, double>(from, TCP_F64);
    if (from != TCP_F8E4M3) both<From, tcp_f8e4m3>(from, TCP_F8E4M3);
    if (from != TCP_F8E5M2) both<From, tcp_f8e5m2>(from, TCP_F8E5M2);
}

// Elements keep their order in an access.
static void accesses() {
    const float four[] = {1, -2, 65520, 0.5f};
    tcp_b128 wide;
    memcpy(&wide, four, sizeof wide);
    const tcp_b64 got = tcp_convert<tcp_f16, float>(wide);
    CHECK(got == 0x38007c00c0003c00, "0x%llx", (unsigned long long)got);
    const tcp_b128 back = tcp_convert<float, tcp_f16>(got);
    float is[4];
    memcpy(is, &back, sizeof back);
    CHECK(is[0] == 1 && is[1] == -2 && isinf(is[2]) && is[3] == 0.5f, "%g %g", is[0], is[2]);
    CHECK((tcp_convert<uint8_t, double>(bits_of(200.7)) == 200), "of one element");
}

int main() {
    floats_to_floats();
    floats_to_integers();
    integers();
    accesses();
    to_all<uint8_t>(TCP_U8);
    to_all<int8_t>(TCP_S8);
    to_all<uint16_t>(TCP_U16);
    to_all<int16_t>(TCP_S16);
    to_all<uint32_t>(TCP_U32);
    to_all<int32_t>(TCP_S32);
    to_all<uint64_t>(TCP_U64);
    to_all<int64_t>(TCP_S64);
    to_all<tcp_f16>(TCP_F16);
    to_all<tcp_bf16>(TCP_BF16);
    to_all<float>(TCP_F32);
    to_all<double>(TCP_F64);
    to_all<tcp_f8e4m3>(TCP_F8E4M3);
    to_all<tcp_f8e5m2>(TCP_F8E5M2);
    return check_done();
}
