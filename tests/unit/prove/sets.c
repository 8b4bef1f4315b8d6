// Sets that the prover makes of others, for random ones: those that are joined or expanded have the same instances, each once; those that are
// widened have all of them; and where elements get other coordinates, those that were equal are equal still, and no others.
//
// usage: sets [COUNT [SEED]]
#include "ask.h"
#include "brute.h"
#include "drawn.h"
#include "prove/private.h"

enum { MOST_NAMED = 8000, MOST_IDS = 20000, MOST_SETS = 64 };

struct element {
    int64_t at[RADIX_MODES + 1];
};

struct named {
    int n, nouts;
    struct element of[MOST_NAMED];
};

static struct ask x;
static char text[3 * TEXT];
static int64_t var[MOST_IDS], sym[MOST_IDS];

// -- elements -------------------------------------------------------------------------------------

static int64_t value(const struct ix *e) {
    struct ix_env env = {var, sym};
    int64_t n = 0;
    CHECK(e && ix_eval(e, &env, &n), "%s: no value", text);
    return n;
}

static void name_from(const struct prove_set *set, int i, struct named *to) {
    if (i < set->nvars) {
        int64_t begin = value(set->var[i].begin), end = value(set->var[i].end);
        for (int64_t n = begin; n < end; ++n) {
            var[set->var[i].var->id] = n;
            name_from(set, i + 1, to);
        }
        return;
    }
    for (int k = 0; k < set->nconds; ++k)
        if (value(set->cond[k]) < 0) return;
    if (to->n == MOST_NAMED) return;
    struct element *e = &to->of[to->n++];
    *e = (struct element){0};
    for (int k = 0; k < set->nouts; ++k) e->at[k] = value(set->out[k]);
}

static void name_all(const struct prove_set *set, int n, struct named *to) {
    to->n = 0;
    to->nouts = set[0].nouts;
    for (int i = 0; i < n; ++i) name_from(&set[i], 0, to);
}

static int compare(const void *a, const void *b) {
    const struct element *p = a, *q = b;
    for (int i = 0; i <= RADIX_MODES; ++i)
        if (p->at[i] != q->at[i]) return p->at[i] < q->at[i] ? -1 : 1;
    return 0;
}

// Whether what is in "a" is in "b", as often at least.
static bool within(struct named *a, struct named *b) {
    int k = 0;
    qsort(a->of, (size_t)a->n, sizeof *a->of, compare);
    qsort(b->of, (size_t)b->n, sizeof *b->of, compare);
    for (int i = 0; i < a->n; ++i, ++k) {
        while (k < b->n && compare(&b->of[k], &a->of[i]) < 0) ++k;
        if (k == b->n || compare(&b->of[k], &a->of[i])) return false;
    }
    return true;
}

// -- all ways -------------------------------------------------------------------------------------

static struct named was, is;

static bool too_many(void) {
    return was.n == MOST_NAMED || is.n == MOST_NAMED;
}

static void check_same(const char *how, const struct prove_set *in, int nin,
                       const struct prove_set *out, int nout) {
    name_all(in, nin, &was);
    name_all(out, nout, &is);
    CHECK(too_many() || (was.n == is.n && within(&was, &is)), "%s: %s has %d instances, not %d",
          text, how, is.n, was.n);
}

static void check_more(const char *how, const struct prove_set *in, int nin,
                       const struct prove_set *out, int nout) {
    name_all(in, nin, &was);
    name_all(out, nout, &is);
    CHECK(too_many() || within(&was, &is), "%s: %s leaves something out", text, how);
}

// The instances are in the same order in both.
static void check_radix(const struct prove_set *in, const struct prove_set *out, int n) {
    static struct element pair[MOST_NAMED][2];
    name_all(in, n, &was);
    name_all(out, n, &is);
    if (too_many() || !CHECK(was.n == is.n, "%s: %d instances, not %d", text, is.n, was.n)) return;
    for (int i = 0; i < was.n; ++i) {
        pair[i][0] = was.of[i];
        pair[i][1] = is.of[i];
    }
    qsort(pair, (size_t)was.n, sizeof pair[0], compare);
    for (int i = 1; i < was.n; ++i)
        CHECK(!compare(&pair[i][0], &pair[i - 1][0]) == !compare(&pair[i][1], &pair[i - 1][1]),
              "%s: elements are taken for others by a radix", text);
    for (int i = 0; i < was.n; ++i) memcpy(&pair[i][0], &pair[i][1], sizeof pair[i][0]);
    qsort(is.of, (size_t)is.n, sizeof *is.of, compare);
    qsort(was.of, (size_t)was.n, sizeof *was.of, compare);
    int before = 0, after = 0;
    for (int i = 1; i < was.n; ++i) {
        before += compare(&was.of[i], &was.of[i - 1]) != 0;
        after += compare(&is.of[i], &is.of[i - 1]) != 0;
    }
    CHECK(before == after, "%s: %d elements, and %d by a radix", text, before + 1, after + 1);
}

// Whether each element of the box 0 .. extent is named; changes "n".
static bool whole(const struct ix *const *extent, struct named *n) {
    int64_t box = 1, found = 0;
    for (int i = 0; i < n->nouts; ++i) box *= value(extent[i]);
    qsort(n->of, (size_t)n->n, sizeof *n->of, compare);
    for (int i = 0; i < n->n; ++i) {
        bool in = i == 0 || compare(&n->of[i], &n->of[i - 1]);
        for (int k = 0; k < n->nouts && in; ++k)
            in = n->of[i].at[k] >= 0 && n->of[i].at[k] < value(extent[k]);
        found += in;
    }
    return found == box;
}

static void check_extents(const struct prove_set *in, const struct prove_set *out, int n,
                          const struct ix *const *extent, const struct ix *const *extents) {
    name_all(in, n, &was);
    name_all(out, n, &is);
    CHECK(too_many() || whole(extent, &was) || !whole(extents, &is),
          "%s: all is named by a radix alone", text);
}

// -- answers --------------------------------------------------------------------------------------

enum { ONCE, APART, ALL_ONCE, WHOLE, NASKED };
static const char *const asked[] = {"once", "apart", "all once", "whole"};
// Of those that are so, so many of the sets drawn without arguments may be not known.
static const int most_unknown[] = {20, 12, 189, 4};

static bool are_once(struct named *n) {
    bool once = true;
    qsort(n->of, (size_t)n->n, sizeof *n->of, compare);
    for (int i = 1; i < n->n; ++i) once = once && compare(&n->of[i], &n->of[i - 1]);
    return once;
}

static bool are_apart(struct named *a, struct named *b) {
    qsort(a->of, (size_t)a->n, sizeof *a->of, compare);
    qsort(b->of, (size_t)b->n, sizeof *b->of, compare);
    for (int i = 0, k = 0; i < a->n && k < b->n;) {
        int c = compare(&a->of[i], &b->of[k]);
        if (c == 0) return false;
        c < 0 ? ++i : ++k;
    }
    return true;
}

// Whether it is so for these values of the params.
static bool is_so(int what, const struct prove_set *in, int n, const struct ix *const *extent) {
    name_all(in, what == ALL_ONCE || what == WHOLE ? n : 1, &was);
    if (what == WHOLE) return whole(extent, &was);
    if (what != APART) return are_once(&was);
    name_all(&in[n - 1], 1, &is);
    return are_apart(&was, &is);
}

static bool proven(int what, const struct prove_set *in, int n, const struct ix *const *extent) {
    struct prover *p = x.prover;
    struct prove_witness w = {0};
    switch (what) {
    case ONCE: return prove_once(p, &in[0], 0, &w) == PROVE_YES;
    case APART: return prove_apart(p, &in[0], &in[n - 1], 0, 0, &w) == PROVE_YES;
    case ALL_ONCE: return prove_all_once(p, in, n);
    default: return prove_whole(p, extent, in[0].nouts, in, n, &w) == PROVE_YES;
    }
}

// -- one or two sets ------------------------------------------------------------------------------

static int joins, widened, expanded, split, known[NASKED], unknown[NASKED];

static void check_sets(const struct prove_set *in, int n, const struct ix *const *extent,
                       const struct params *p) {
    struct prove_set joined[MOST_SETS], widely[MOST_SETS], wide[2], *parts[2], radix[2], boxed[2];
    const struct ix *extents[RADIX_MODES + 1];
    int nparts[2], njoined = join_sets(x.prover, in, n, joined);
    int nwidely = join_widely(x.prover, in, n, widely);
    bool is_wide[2], any[2];
    for (int i = 0; i < n; ++i) {
        is_wide[i] = join_widen(x.prover, &in[i], &wide[i]);
        any[i] = expand_set(x.prover, &in[i], &parts[i], &nparts[i]);
    }
    bool by_radix = radix_split(x.prover, in, n, radix, NULL, NULL);
    bool in_box = radix_split(x.prover, in, n, boxed, extent, extents);
    if (!CHECK(x.s.next_var < MOST_IDS, "%s: many variables", text)) return;
    joins += njoined < n || nwidely < n;
    split += by_radix;
    bool yes[NASKED], so[NASKED];
    for (int i = 0; i < NASKED; ++i) {
        so[i] = true;
        yes[i] = proven(i, in, n, extent);
    }
    struct values v = {{0}};
    for (int i = 0; i < p->n; ++i) v.of[(int)p->name[i]] = p->lo[i];
    do {
        for (int i = 0; i < p->n; ++i) sym[x.sym[(int)p->name[i]]->id] = v.of[(int)p->name[i]];
        check_same("joined", in, n, joined, njoined);
        check_more("joined widely", in, n, widely, nwidely);
        for (int i = 0; i < n; ++i) {
            if (is_wide[i]) check_more("widened", &in[i], 1, &wide[i], 1);
            check_same("expanded", &in[i], 1, parts[i], nparts[i]);
        }
        if (by_radix) check_radix(in, radix, n);
        if (in_box) check_extents(in, boxed, n, extent, extents);
        for (int i = 0; i < NASKED; ++i) so[i] = so[i] && is_so(i, in, n, extent);
    } while (next_params(p, &v));
    for (int i = 0; i < NASKED; ++i) {
        CHECK(so[i] || !yes[i], "%s: it is not so that they are %s", text, asked[i]);
        known[i] += yes[i];
        unknown[i] += so[i] && !yes[i];
    }
    for (int i = 0; i < n; ++i) {
        widened += is_wide[i];
        expanded += any[i];
    }
}

// -- random sets ----------------------------------------------------------------------------------

// What random sets seldom have, and how it is whole: "N,M".
static const struct {
    struct set set;
    const char *extent;
} shapes[] = {
    {{2, 1, "ij", {"0", "i*N/M+1"}, {"M", "(i+1)*N/M"}, "", {"j"}}, "N"},
    {{2, 1, "ij", {"0", "i"}, {"M", "N"}, "", {"N*i+j"}}, "N*M"},
    {{2, 2, "ij", {"0", "0"}, {"M", "N/2"}, "", {"(j+2*i)%N", "i"}}, "N,M"},
    {{2, 2, "ij", {"0", "0"}, {"M", "N"}, "", {"(j+i)%N", "i"}}, "N,M"},
    {{2, 1, "ij", {"0", "0"}, {"M", "N"}, "", {"N*i+(j+i)%N"}}, "N*M"},
    {{2, 1, "ij", {"0", "0"}, {"M", "N"}, "", {"N*i+N-1-j"}}, "N*M"},
    {{2, 1, "ij", {"0", "0"}, {"M", "N"}, "", {"N*i-j"}}, "N*M"},
    {{2, 1, "ij", {"0", "0"}, {"M", "2*N"}, "", {"2*N*i+j"}}, "2*N*M"},
    {{2, 1, "ij", {"0", "1"}, {"M", "N+1"}, "", {"N*i+j"}}, "N*M+1"},
    {{2, 2, "ij", {"0", "0"}, {"M", "N"}, "N*M-1-N*i-j", {"N*i+j", "j"}}, "N*M,N"},
    {{2, 1, "ij", {"0", "M"}, {"N", "2*M"}, "", {"2*M*i+j-M"}}, "2*N*M"},
    {{2, 1, "ij", {"1", "i"}, {"3", "i+N"}, "", {"i+2*j"}}, "N"},
    {{1, 1, "i", {"0"}, {"N"}, "", {"2*i%N"}}, "N"},
};

// The same set with variables of other names; with "swap" what it names has two of them exchanged.
static struct set renamed(const struct set *s, bool swap) {
    struct set r = *s;
    char *const texts[] = {r.begin[0], r.end[0], r.begin[1], r.end[1], r.begin[2], r.end[2],
                           r.begin[3], r.end[3], r.cond,     r.out[0], r.out[1]};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); ++i)
        for (char *c = texts[i]; *c; ++c) {
            if (!strchr("ijkl", *c)) continue;
            bool other = swap && i > 8 && s->nvars > 1 && *c < 'k';
            *c = (char)(other ? 'u' + 'j' - *c : *c - 'i' + 'u');
        }
    for (int i = 0; i < s->nvars; ++i) r.name[i] = (char)(s->name[i] - 'i' + 'u');
    return r;
}

// Sets that are said to be alike name the same.
static void check_alike(const struct set *s, const struct prove_set *in, const struct params *p) {
    for (int swap = 0; swap < 2; ++swap) {
        struct set other = renamed(s, swap);
        char words[TEXT] = "";
        put_set(words, &other);
        struct prove_set y = ask_set(&x, words);
        bool alike = draft_alike(in, &y);
        CHECK(alike || swap, "%s and %s are not alike", text, words);
        struct values v = {{0}};
        for (int i = 0; i < p->n; ++i) v.of[(int)p->name[i]] = p->lo[i];
        do {
            for (int i = 0; i < p->n; ++i) sym[x.sym[(int)p->name[i]]->id] = v.of[(int)p->name[i]];
            if (alike) check_same(words, in, 1, &y, 1);
        } while (next_params(p, &v));
    }
}

static void draw_pair(struct set set[2], const struct params *p, char *extent) {
    int nouts = 1 + draw(2);
    strcpy(extent, nouts == 1 ? "N*M" : "N,M");
    if (draw(3)) {
        int k = draw((int)(sizeof shapes / sizeof *shapes));
        set[0] = shapes[k].set;
        strcpy(extent, shapes[k].extent);
    } else {
        draw_set(&set[0], p, "ijkl", NULL, 0, nouts);
    }
    set[1] = set[0];
    if (draw(8) == 0) return;
    // the second one goes on along a variable where the first one ends, with a gap, or earlier
    static const char *const middles[] = {"1", "2", "N", "N/2", "M", "i", "N-1"};
    static const char *const ends[] = {"3", "2*N", "N+2", "N+M", "2*M"};
    int at = draw(set[0].nvars);
    const char *middle = middles[draw(at && set[0].name[0] == 'i' ? 7 : 5)];
    if (draw(2)) middle = set[0].end[at];
    char from[TEXT];
    strcpy(from, middle);
    strcpy(set[0].end[at], from);
    strcpy(set[1].begin[at], from);
    if (draw(3) == 0) add_text(set[1].begin[at], "+%d", draw(3));
    if (draw(2)) strcpy(set[1].end[at], ends[draw(5)]);
    if (draw(6) == 0) spoil_text(draw(2) ? set[1].out[0] : set[1].end[at]);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 400;
    state = argc > 2 ? (uint32_t)atoi(argv[2]) : 20261128;
    for (int i = 0; i < count; ++i) {
        struct params p;
        struct set set[2];
        char one[2][TEXT] = {"", ""}, extent[TEXT];
        struct prove_set in[2];
        int n = 1 + draw(2), rank;
        do draw_params(&p);
        while (p.n < 2);
        draw_pair(set, &p, extent);
        ask_begin(&x, p.text);
        for (int k = 0; k < 2; ++k) put_set(one[k], &set[k]);
        for (int k = 0; k < n; ++k) in[k] = ask_set(&x, one[k]);
        snprintf(text, sizeof text, "%s: %s%s%s", p.text, one[0], n > 1 ? "; " : "",
                 n > 1 ? one[1] : "");
        x.at = extent;
        const struct ix *const *e = ask_list(&x, &rank);
        if (rank == in[0].nouts) check_sets(in, n, e, &p);
        check_alike(&set[0], &in[0], &p);
        ask_end(&x);
    }
    printf("%d joined, %d widened, %d expanded, %d by a radix\n", joins, widened, expanded, split);
    CHECK(joins * 8 > count && widened * 8 > count && expanded * 8 > count && split * 8 > count,
          "too few are made of others");
    for (int i = 0; i < NASKED; ++i) {
        printf("%s: %d are known, %d are not\n", asked[i], known[i], unknown[i]);
        CHECK(argc > 1 || unknown[i] <= most_unknown[i], "%s: %d are not known", asked[i],
              unknown[i]);
    }
    return check_done();
}
