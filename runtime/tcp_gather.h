// Accesses whose elements are scattered in a fragment. Which registers make up a vector, and in
// which order, is free. The GPU and the CPU compile the same text.
//
// "Steps" has one step for each binary digit of an element's number within the access, lowest digit
// first: with <8, 1, 4, 16>, elements of 8 bits and the steps 1, 4 and 16, element 5 is at "at" + 1
// + 16 of the fragment.
// Everything is known after loop unrolling. So the fragment stays in registers, elements of whole
// words cost nothing, and narrower elements are collected by byte permutations. Adjacent words
// share permutations: transposing 16x16 bytes takes 128.
#ifndef TCP_GATHER_H
#define TCP_GATHER_H

// Picks four bytes from "a" (bytes 0 .. 3) and "b" (4 .. 7): hexadecimal digit i of "how", lowest
// first, says which one becomes byte i.
TCP_DEVICE tcp_b32 tcp_permute(tcp_b32 a, tcp_b32 b, unsigned how) {
#ifdef __CUDACC__
    return __byte_perm(a, b, how);
#else
    const tcp_b64 all = (tcp_b64)b << 32 | a;
    tcp_b32 word = 0;
    for (int i = 0; i < 4; ++i) word |= (tcp_b32)(all >> 8 * (how >> 4 * i & 7) & 255) << 8 * i;
    return word;
#endif
}

template <int... Steps> TCP_DEVICE int tcp_step_to(int element) {
    const int step[] = {Steps..., 0};
    int at = 0;
    for (int i = 0; i < (int)sizeof...(Steps); ++i) at += (element >> i & 1) * step[i];
    return at;
}

TCP_DEVICE tcp_b32 tcp_word_of(const void *frag, int word) {
    return tcp_ld_frag_32((const unsigned char *)frag + 4 * word);
}

// Two bytes of a fragment, which are at positions "low" and "high" of "word".
struct tcp_byte_pair {
    tcp_b32 word;
    unsigned low, high;
};

// Bytes "a" and "b" of a fragment. If they are in two words, merges the halves that contain them
// byte by byte, so that the pair of the next bytes comes from the same word.
TCP_DEVICE tcp_byte_pair tcp_pair_of(const void *frag, int a, int b) {
    if (a / 4 == b / 4) return tcp_byte_pair{tcp_word_of(frag, a / 4), a & 3u, b & 3u};
    const unsigned i = a & 2u, j = (b & 2u) + 4;
    const tcp_b32 word = tcp_permute(tcp_word_of(frag, a / 4), tcp_word_of(frag, b / 4),
                                     i | j << 4 | (i + 1) << 8 | (j + 1) << 12);
    return tcp_byte_pair{word, 2 * (a & 1u), 2 * (b & 1u) + 1};
}

// Combines bytes "a" .. "d" of a fragment into one word.
TCP_DEVICE tcp_b32 tcp_bytes_of(const void *frag, int a, int b, int c, int d) {
    const int x = a / 4, y = b / 4 != x ? b / 4 : c / 4 != x ? c / 4 : d / 4;
    if ((c / 4 == x || c / 4 == y) && (d / 4 == x || d / 4 == y)) {
        const unsigned how = (a & 3u) | (b & 3u) << 4 | (c & 3u) << 8 | (d & 3u) << 12;
        const unsigned of_y = (b / 4 != x) << 6 | (c / 4 != x) << 10 | (d / 4 != x) << 14;
        if ((how | of_y) == 0x3210) return tcp_word_of(frag, x);
        return tcp_permute(tcp_word_of(frag, x), tcp_word_of(frag, y), how | of_y);
    }
    const tcp_byte_pair low = tcp_pair_of(frag, a, b), high = tcp_pair_of(frag, c, d);
    return tcp_permute(low.word, high.word,
                       low.low | low.high << 4 | (high.low + 4) << 8 | (high.high + 4) << 12);
}

// Gathers word "k" of an access.
template <int Bits, int... Steps>
TCP_DEVICE tcp_b32 tcp_gather_word(const void *frag, int at, int k) {
    if (Bits >= 32) {
        const int words = Bits / 32 > 0 ? Bits / 32 : 1;
        return tcp_word_of(frag, (at + tcp_step_to<Steps...>(k / words)) * words + k % words);
    }
    // elements in a word; 2 when they are 16 bits wide
    const int n = Bits == 16 ? 2 : 4;
    const int a = at + tcp_step_to<Steps...>(n * k), b = at + tcp_step_to<Steps...>(n * k + 1);
    if (Bits == 16) return tcp_bytes_of(frag, 2 * a, 2 * a + 1, 2 * b, 2 * b + 1);
    return tcp_bytes_of(frag, a, b, at + tcp_step_to<Steps...>(n * k + 2),
                        at + tcp_step_to<Steps...>(n * k + 3));
}

template <int Bits, int... Steps> TCP_DEVICE tcp_b16 tcp_gather_16(const void *frag, int at) {
    const int a = at, b = at + tcp_step_to<Steps...>(1);
    return (tcp_b16)tcp_bytes_of(frag, a, b, a, b);
}
template <int Bits, int... Steps> TCP_DEVICE tcp_b32 tcp_gather_32(const void *frag, int at) {
    return tcp_gather_word<Bits, Steps...>(frag, at, 0);
}
template <int Bits, int... Steps> TCP_DEVICE tcp_b64 tcp_gather_64(const void *frag, int at) {
    return (tcp_b64)tcp_gather_word<Bits, Steps...>(frag, at, 1) << 32 |
           tcp_gather_word<Bits, Steps...>(frag, at, 0);
}
template <int Bits, int... Steps> TCP_DEVICE tcp_b128 tcp_gather_128(const void *frag, int at) {
    return tcp_b128{tcp_gather_word<Bits, Steps...>(frag, at, 0),
                    tcp_gather_word<Bits, Steps...>(frag, at, 1),
                    tcp_gather_word<Bits, Steps...>(frag, at, 2),
                    tcp_gather_word<Bits, Steps...>(frag, at, 3)};
}

// Stores "bytes" bytes of "value", starting with its byte "from", at byte "to" of a fragment. They
// must not cross a word.
TCP_DEVICE void tcp_put_bytes(void *frag, int to, tcp_b32 value, unsigned from, int bytes) {
    unsigned char *const word = (unsigned char *)frag + to / 4 * 4;
    unsigned how = 0x3210;
    for (int i = 0; i < bytes; ++i) {
        const int digit = 4 * (to % 4 + i);
        how = (how & ~(15u << digit)) | (from + i + 4) << digit;
    }
    if (bytes == 4)
        tcp_st_frag_32(word, value);
    else
        tcp_st_frag_32(word, tcp_permute(tcp_ld_frag_32(word), value, how));
}

// Stores the first "n" elements of word "k" of an access in their places.
template <int Bits, int... Steps>
TCP_DEVICE void tcp_scatter_word(void *frag, int at, tcp_b32 value, int k, int n) {
    const int bytes = Bits < 32 ? Bits / 8 : 4, words = Bits < 32 ? 1 : Bits / 32;
#pragma unroll
    for (int i = 0; i < n; ++i) {
        const int element = Bits < 32 ? n * k + i : k / words;
        const int to = (at + tcp_step_to<Steps...>(element)) * (Bits / 8) + 4 * (k % words);
        tcp_put_bytes(frag, to, value, (unsigned)(bytes * i), bytes);
    }
}

template <int Bits, int... Steps>
TCP_DEVICE void tcp_scatter_16(void *frag, int at, tcp_b16 value) {
    tcp_scatter_word<Bits, Steps...>(frag, at, value, 0, 2);
}
template <int Bits, int... Steps>
TCP_DEVICE void tcp_scatter_32(void *frag, int at, tcp_b32 value) {
    tcp_scatter_word<Bits, Steps...>(frag, at, value, 0, Bits < 32 ? 32 / Bits : 1);
}
template <int Bits, int... Steps>
TCP_DEVICE void tcp_scatter_64(void *frag, int at, tcp_b64 value) {
    const int n = Bits < 32 ? 32 / Bits : 1;
    tcp_scatter_word<Bits, Steps...>(frag, at, (tcp_b32)value, 0, n);
    tcp_scatter_word<Bits, Steps...>(frag, at, (tcp_b32)(value >> 32), 1, n);
}
template <int Bits, int... Steps>
TCP_DEVICE void tcp_scatter_128(void *frag, int at, tcp_b128 value) {
    const int n = Bits < 32 ? 32 / Bits : 1;
    tcp_scatter_word<Bits, Steps...>(frag, at, value.x, 0, n);
    tcp_scatter_word<Bits, Steps...>(frag, at, value.y, 1, n);
    tcp_scatter_word<Bits, Steps...>(frag, at, value.z, 2, n);
    tcp_scatter_word<Bits, Steps...>(frag, at, value.w, 3, n);
}

#endif
