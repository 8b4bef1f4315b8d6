// The fuzz target's inputs, and what is left of each when it is cut off, without the fuzzer.
#include <dirent.h>
#include <stdio.h>

#include "../../fuzz/fuzz_parse.c"
#include "check.h"

enum { STEP = 11, LONGEST = 4096 };

int main(void) {
    static const char folder[] = TEST_SOURCE_DIR "/tests/fuzz/parse";
    DIR *dir = opendir(folder);
    if (!CHECK(dir, "no folder '%s'", folder)) return check_done();
    int files = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[LONGEST];
        uint8_t data[LONGEST];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *in = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!in) continue;
        size_t size = fread(data, 1, sizeof data, in);
        fclose(in);
        for (size_t cut = 0; cut < size; cut += STEP)
            CHECK(LLVMFuzzerTestOneInput(data, size - cut) == 0, "%s", path);
        files++;
    }
    closedir(dir);
    CHECK(files > 100, "%d inputs in '%s'", files, folder);
    return check_done();
}
