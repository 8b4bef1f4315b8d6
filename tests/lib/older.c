// A program that was compiled with the first header, in the folder "older", gets from the library of today what one with today's
// header gets. Its functions are there in the version that it asks for.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

void tell_older(FILE *to), tell_newer(FILE *to);

static char *told(void tell(FILE *to)) {
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    tell(to);
    fclose(to);
    return text;
}

static void functions_have_their_version(void) {
    static const char *const first[] = {"tcpc_compile",        "tcpc_free",
                                        "tcpc_version",        "tcpc_launch_evaluate",
                                        "tcpc_launch_variant", "tcpc_value_at",
                                        "tcpc_launch_keep",    "tcpc_launch_free"};
    for (size_t i = 0; i < sizeof first / sizeof *first; ++i)
        CHECK(dlvsym(RTLD_DEFAULT, first[i], "TCPC_1"), "there is no %s of TCPC_1", first[i]);
    HOLDS(!dlvsym(RTLD_DEFAULT, first[0], "TCPC_0"));
}

// The first line in which they differ.
static void are_the_same(const char *older, const char *newer) {
    size_t at = 0, begin = 0;
    for (; older[at] && older[at] == newer[at]; ++at)
        if (older[at] == '\n') begin = at + 1;
    CHECK(older[at] == newer[at], "\nolder: %.*s\nnewer: %.*s", (int)strcspn(older + begin, "\n"),
          older + begin, (int)strcspn(newer + begin, "\n"), newer + begin);
}

// Each kind of what there is was told.
static void something_was_told(const char *text) {
    static const char *const part[] = {
        "c->kind=0 ",       "c->kind=1 ",      "c->kind=2 ",       "c->kind=3 ",
        "c->kind=4 ",       "c->kind=5 ",      "c->kind=6 ",       "call->status=0 ",
        "call->status=1 ",  "call->status=2 ", "call->status=3 ",  "call->status=4 ",
        "c->multiple=8 ",   "c->multiple=16 ", "l->ncomputed=1",   "m->name='cols'",
        "t->swizzled=1",    "t->direction=2",  "c->interleaved=1", "r->file[i]='sizes.tcp'",
        "f->text='tcp 1;",  "m->severity=0 ",  "m->severity=1 ",   "m->severity=2 ",
        "m->page='unused'", " \"b.cu\"\n",     "--proof-limit",    "for sm_90: change the plan"};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i)
        CHECK(strstr(text, part[i]), "nothing has %s", part[i]);
}

int main(void) {
    functions_have_their_version();
    char *older = told(tell_older), *newer = told(tell_newer);
    are_the_same(older, newer);
    something_was_told(newer);
    free(older);
    free(newer);
    return check_done();
}
