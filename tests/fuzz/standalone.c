// A fuzz target without libFuzzer: runs the inputs in folders, then changes of them by mutator.c.
//
// usage: fuzz_NAME [--runs N] [--seed S] [--last FILE] FOLDER... [--from FOLDER]...
//
// Inputs are the plans below a folder and the files without an ending.  Those that --from names are
// only changed, N times in all.  What is run comes of the seed alone, which is told first: S, else
// TCPC_SEED, else the time.  FILE holds the input at hand, also after a crash.
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 6000, MOST_INPUTS = 4096, SECONDS_EACH = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

struct input {
    uint8_t *data;
    size_t size;
};

struct work {
    struct input input[MOST_INPUTS];
    int n;
    uint64_t random;
    int last;  // a file that holds the input at hand, or -1
};

static unsigned next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33);
}

// Changes of bytes, as libFuzzer makes them: one is set, taken out or put in.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    static uint64_t state = 1;
    size_t at = size ? next_random(&state) % size : 0;
    switch (next_random(&state) % 3) {
    case 0:
        if (size) data[at] = (uint8_t)next_random(&state);
        return size;
    case 1:
        if (size) memmove(data + at, data + at + 1, size - at - 1);
        return size - (size > 0);
    default:
        if (size == most) return size;
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)next_random(&state);
        return size + 1;
    }
}

static int fail(const char *what) {
    perror(what);
    return 2;
}

static void add_file(struct work *w, const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MOST_BYTES);
    size_t size = f && data ? fread(data, 1, MOST_BYTES, f) : 0;
    if (f) fclose(f);
    if (f && data && w->n < MOST_INPUTS)
        w->input[w->n++] = (struct input){data, size};
    else
        free(data);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct work *w, const char *folder) {
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, by_name), status = 0;
    if (n < 0) return fail(folder);
    for (int i = 0; i < n; ++i) {
        char path[4096];
        struct stat st;
        const char *name = entry[i]->d_name, *dot = strrchr(name, '.');
        if (name[0] != '.' && (!dot || strcmp(dot, ".tcp") == 0) &&
            snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
            stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                status |= add_folder(w, path);
            else
                add_file(w, path);
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

// A run that takes longer is ended by a signal.
static void try_one(struct work *w, const uint8_t *data, size_t size) {
    const struct itimerval limit = {.it_value = {SECONDS_EACH, 0}}, none = {0};
    if (w->last >= 0 &&
        (pwrite(w->last, data, size, 0) != (ssize_t)size || ftruncate(w->last, (off_t)size) != 0))
        exit(fail("--last"));
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    LLVMFuzzerTestOneInput(data, size);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
}

int main(int argc, char **argv) {
    static struct work w = {.last = -1};
    static uint8_t data[MOST_BYTES];
    const char *given = getenv("TCPC_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    int runs = 1000, run = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
            runs = atoi(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--last") == 0 && i + 1 < argc) {
            w.last = open(argv[++i], O_RDWR | O_CREAT | O_TRUNC, 0666);
            if (w.last < 0) return fail(argv[i]);
        } else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc) {
            if (add_folder(&w, argv[++i])) return 2;
        } else {
            int before = w.n;
            if (add_folder(&w, argv[i])) return 2;
            if (before != run) return fputs("--from stands behind\n", stderr), 2;
            run = w.n;
        }
    }
    if (!w.n) return fputs("no inputs\n", stderr), 2;
    printf("seed %u\n", seed);
    fflush(stdout);
    for (int i = 0; i < run; ++i) try_one(&w, w.input[i].data, w.input[i].size);
    w.random = seed;
    for (int k = 0; k < runs; ++k) {
        const struct input *x = &w.input[next_random(&w.random) % (unsigned)w.n];
        size_t size = x->size;
        memcpy(data, x->data, size);
        for (unsigned left = 1 + next_random(&w.random) % 3; left; --left)
            size = LLVMFuzzerCustomMutator(data, size, MOST_BYTES, next_random(&w.random));
        try_one(&w, data, size);
    }
    printf("%d inputs and %d changes of %d\n", run, runs, w.n);
    for (int i = 0; i < w.n; ++i) free(w.input[i].data);
    return 0;
}
