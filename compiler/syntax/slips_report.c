// What is reported of a row of slips that applies (see slips.h).
#include <string.h>

#include "base/buf.h"
#include "base/words.h"
#include "syntax/foreign.h"
#include "syntax/match.h"
#include "syntax/parse.h"
#include "syntax/slips.h"

// Rewrites are tried in sources of so many bytes at most.
enum { MOST_TRIED = 1 << 16 };

// Whether "word" is one of the words in "of", which are joined by '.' or '::'.
static bool has(const char *of, const char *word) {
    size_t n;
    for (; *of; of += n ? n : 1) {
        n = word_length(of);
        if (n == strlen(word) && memcmp(of, word, n) == 0) return true;
    }
    return false;
}

// Writes the atom that is an access of PTX: "ld.global.v4.f32", of which a number alone has 32 bits.
static void put_access(struct buf *b, const char *of) {
    int each = 32, parts = 1, number;
    for (const char *at = strchr(of, '.'); at; at = strchr(at + 1, '.')) {
        if (sscanf(at, ".v%1d", &number) == 1) parts = number;
        if (strchr("fbus", at[1]) && sscanf(at + 2, "%2d", &number) == 1) each = number;
    }
    int bits = each * parts;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) bits = 128;
    buf_printf(b, "universal(%d%s)", bits, has(of, "nc") ? ", ld=nc" : "");
}

// Writes the captured text "of" as "how" says (see slips.h).
static void put_capture(struct buf *b, struct match *m, char how, const char *of) {
    struct session *s = m->p->s;
    const char *ours, *joined = "", *inside;
    int parts = 0;
    size_t length;
    switch (how) {
    case 't':
        ours = foreign_type(of) ? foreign_type(of) : foreign_vector(of, &parts);
        buf_puts(b, ours ? ours : of);
        break;
    case 'u': buf_printf(b, "u%s", foreign_type(of) + 1); break;
    case 'q': buf_write(b, of + 1, strlen(of) - 2); break;
    case '+': buf_printf(b, "%lld", strtoll(of, NULL, 10) + 1); break;
    case 'k': buf_puts(b, match_text(m, match_declared(m, of, D_CONST)->value->at)); break;
    case '^': buf_printf(b, "%lld", 1LL << (atoi(of) & 31)); break;
    case '*':
    case '/': buf_printf(b, "%d", how == '*' ? atoi(of) % 10000 * 8 : atoi(of) / 8); break;
    case 'i': buf_printf(b, "%d", atoi(of)); break;
    case 'w':  // of a WARNING and more words
        while (!(ours = match_warning(of)))
            of = arena_strndup(&s->arena, of, (size_t)(strrchr(of, '-') - of));
        buf_puts(b, ours);
        break;
    case 'a': put_access(b, of); break;
    case 'b': buf_puts(b, *of ? of : "16"); break;  // bytes
    case 'c': buf_puts(b, has(of, "ca") ? "ca" : "cg"); break;
    case 'l':
        ours = has(of, "64B") ? "64" : has(of, "128B") ? "128" : has(of, "256B") ? "256" : NULL;
        if (ours) buf_printf(b, ", l2=%s", ours);
        break;
    case 'o':
        ours = has(of, "x1") ? "x1" : has(of, "x2") ? "x2" : "x4";
        buf_printf(b, "%s%s", ours, has(of, "trans") ? ".trans" : "");
        break;
    case 'm': buf_puts(b, *of == 'L' ? "ldmatrix" : "stmatrix"); break;
    case 'n':  // of "transpose=True, num_matrices=4"
        inside = strpbrk(of, "124");
        buf_printf(b, "x%c%s", inside ? *inside : '4', strstr(of, "True") ? ".trans" : "");
        break;
    case 'v': buf_write(b, of, strlen(of) - 2); break;
    case '.': buf_printf(b, "%s%s", of, strchr(of, '.') ? "" : ".tcp"); break;
    case 'x': buf_char(b, "xyz"[(*of - '0') % 3]); break;
    case 'h': buf_puts(b, foreign_find(FOREIGN_VALUE, of)->help); break;
    case '_':
        for (; *of; ++of) buf_char(b, *of == '-' ? '_' : *of);
        break;
    case ',':
    case 'r':
        for (; (inside = foreign_brackets(s, of, strlen(of), &length)); of += length)
            joined = arena_printf(&s->arena, "%s%s%s", joined, parts++ ? "," : "", inside);
        buf_printf(b, how == ',' ? "%s" : parts > 1 ? "row(%s)" : "(%s)", joined);
        break;
    default: buf_puts(b, of);
    }
}

// "text" with the captures in it.
static const char *expand(struct match *m, const char *text, size_t length) {
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < length; ++i) {
        if (text[i] != '$' || i + 1 == length) {
            buf_char(&b, text[i]);
            continue;
        }
        char how = text[++i];
        bool marked = how == '#' || how == '~', plain = how >= '0' && how <= '9';
        if (!marked && !plain) ++i;
        struct range of = how == '#'   ? m->m.fix[0]
                          : how == '~' ? m->m.at
                                       : m->m.capture[text[i] - '0'];
        put_capture(&b, m, marked ? '#' : how, match_text(m, of));
    }
    return buf_finish(&b, &m->p->s->arena);
}

// Whether the parser gets past the error with the fix-its: then they are a mend.
static bool parses(struct match *m, const struct fixit *ours) {
    struct parser *p = m->p;
    if (p->s->trial || m->f->size > MOST_TRIED) return true;
    size_t size;
    const char *text = fixit_text(p->s, (uint32_t)p->file, ours, &size);
    struct session s;
    session_init(&s);
    s.trial = true;
    s.diags.error_limit = p->s->diags.nerrors + 20;
    int file = source_add(&s, m->f->path, text, size);
    if (p->start == TOK_START_EXPR)
        parse_expr_text(&s, text);
    else
        parse_source(&s, file);
    // Errors before are in the source as it is, those behind were not reported yet.
    int64_t from = ours->at.begin, to = p->now.at.end, moved = 0;
    for (const struct fixit *x = ours; x && x->at.begin <= p->now.at.end; x = x->next) {
        if (x->at.end > to) to = x->at.end;
        moved += (int64_t)strlen(x->replacement) - (x->at.end - x->at.begin);
    }
    bool right = true;
    for (const struct diag *d = s.diags.first; d; d = d->next)
        right &= d->severity != SEV_ERROR || d->at.begin < from || d->at.begin >= to + moved;
    session_release(&s);
    return right;
}

static void skip(struct match *m, enum slip_then then) {
    struct parser *p = m->p;
    const char *text = slip_from(p, p->now.at.end);
    size_t k = strcspn(text, ";\n");
    uint32_t end = m->m.reported ? m->m.at.end : 0;
    switch (then) {
    case THEN_NOTHING: break;
    case THEN_STOP: p->stopped = true; break;
    case THEN_REST:
    case THEN_STATEMENT:
        k += then == THEN_STATEMENT && p->now.token == ';' && text[k] == ';';
        p->skip_end = p->now.at.end + (uint32_t)k;
        break;
    case THEN_PAST:
        for (int i = 0; i < m->m.fixes; ++i)
            if (m->m.fix[i].end > end) end = m->m.fix[i].end;
        p->skip_end = end;
        break;
    case THEN_MARKED: p->skip_end = end; break;
    case THEN_LINE:
        if (m->end > 0) end = m->token[m->end - 1].end;
        p->skip_end = end - (m->f->text[end - 1] == ';');
        break;
    }
}

void slip_report(struct match *m, const struct slip_row *row) {
    if (!row->message) return;
    struct parser *p = m->p;
    struct range at = m->m.reported ? m->m.at : p->now.at;
    const char *fix = row->fix, *text = row->message;
    struct fixit *ours = NULL;
    for (int k = 0; fix && k < m->m.fixes; ++k) {
        size_t length = strcspn(fix, "|");
        fixit_add(&p->s->arena, &ours, m->m.fix[k], expand(m, fix, length));
        if (fix[length]) fix += length + 1;
    }
    size_t length = strcspn(text, "|");
    diag_error(p->s, at, "%s", expand(m, text, length));
    if (text[length])
        diag_note(p->s, at, "%s", expand(m, text + length + 1, strlen(text + length + 1)));
    if (ours && parses(m, ours))
        for (; ours; ours = ours->next) diag_fixit(p->s, ours->at, ours->replacement);
    skip(m, row->then);
}
