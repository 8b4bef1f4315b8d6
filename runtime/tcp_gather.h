// Accesses whose elements are apart in a fragment: which registers make a vector, and in what
// order, is free.  One text for both machines.
//
// "Steps" are of the binary digits of an element's number within the access: element 5 of <8, 1, 4,
// 16> is at "at" + 1 + 16 of a fragment of bytes.  All is known once loops are unrolled, so
// that a fragment stays in registers, elements of words are renamed and no more, and narrower ones
// go by byte permutations.  A word of four bytes from four words takes the same two halves of
// permutations as the words that are made of their neighbours: 16x16 bytes are turned by 128 of
// them.
#ifndef TCP_GATHER_H
#define TCP_GATHER_H

// Of the bytes of "a", 0 .. 3, and "b", 4 .. 7, those that the digits of "how" name, lowest first.
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

// The two bytes of a pair, where they are now: in a word, at "low" and "high" of it.
struct tcp_byte_pair {
    tcp_b32 word;
    unsigned low, high;
};

// Bytes "a" and "b" of a fragment.  Of two words their halves are taken, byte by byte, so that the
// pair of the next bytes is in the same word.
TCP_DEVICE tcp_byte_pair tcp_pair_of(const void *frag, int a, int b) {
    if (a / 4 == b / 4) return tcp_byte_pair{tcp_word_of(frag, a / 4), a & 3u, b & 3u};
    const unsigned i = a & 2u, j = (b & 2u) + 4;
    const tcp_b32 word = tcp_permute(tcp_word_of(frag, a / 4), tcp_word_of(frag, b / 4),
                                     i | j << 4 | (i + 1) << 8 | (j + 1) << 12);
    return tcp_byte_pair{word, 2 * (a & 1u), 2 * (b & 1u) + 1};
}

// Bytes "a" .. "d" of a fragment as one word.
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

// Word "k" of an access.
template <int Bits, int... Steps>
TCP_DEVICE tcp_b32 tcp_gather_word(const void *frag, int at, int k) {
    if (Bits >= 32) {
        const int words = Bits / 32 > 0 ? Bits / 32 : 1;
        return tcp_word_of(frag, (at + tcp_step_to<Steps...>(k / words)) * words + k % words);
    }
    const int n = Bits == 16 ? 2 : 4;  // elements of a word; of one half of it where it is less
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

// Puts "bytes" bytes of "value" from "from" on to byte "to" of a fragment; a word holds them all.
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

// Puts word "k" of an access, or its first "n" elements, to where they are.
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
