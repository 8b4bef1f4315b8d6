// Digests against the examples of FIPS 180-4, and in parts.
#include "base/digest.h"

#include "check.h"

static const char *hex(struct digest d) {
    static char out[2 * DIGEST_BYTES + 1];
    for (int i = 0; i < DIGEST_BYTES; ++i) sprintf(out + 2 * i, "%02x", d.byte[i]);
    return out;
}

// The digest of "n" times "text", which is added in parts of "part" bytes.
static const char *of(const char *text, int n, size_t part) {
    struct digesting d;
    digest_begin(&d);
    for (int i = 0; i < n; ++i)
        for (size_t at = 0, size = strlen(text); at < size; at += part)
            digest_bytes(&d, text + at, part < size - at ? part : size - at);
    return hex(digest_end(&d));
}

static const char *of_int(int64_t a, const char *text) {
    struct digesting d;
    digest_begin(&d);
    digest_int(&d, a);
    digest_text(&d, text);
    return hex(digest_end(&d));
}

int main(void) {
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t part = 1; part < 70; part += 3) {
        CHECK_STR(of("", 1, part),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK_STR(of("abc", 1, part),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        CHECK_STR(of(two, 1, part),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
    CHECK_STR(of("aaaaaaaaaa", 100000, 10),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    char first[2 * DIGEST_BYTES + 1];
    strcpy(first, of_int(-1, "a"));
    HOLDS(strcmp(first, of_int(-1, "b")) != 0);
    HOLDS(strcmp(first, of_int(1, "a")) != 0);
    HOLDS(strcmp(first, of_int(-1, NULL)) != 0);
    strcpy(first, of_int(-1, NULL));
    HOLDS(strcmp(first, of_int(-1, "")) != 0);
    return check_done();
}
