// Names in emitted code that C, C++, CUDA and the runtime have taken.  tests/emit/names-of-compilers.test finds
// out from the compilers whether one is missing.
#include "plan/c_names.h"

#include <stdbool.h>
#include <string.h>

#include "base/session.h"
#include "base/words.h"
#include "plan/plan.h"

// -- the table ------------------------------------------------------------------------------------

// Of every standard up to C23 and C++26, and of GNU.
static const char words[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue contract_assert decltype default delete do double dynamic_cast else enum "
    "explicit export extern false float for friend goto if inline int long mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq ";

static const char macros[] =
    " BIG_ENDIAN BUFSIZ BYTE_ORDER CHAR_BIT CLOCKS_PER_SEC EOF EXIT_FAILURE EXIT_SUCCESS HUGE_VAL "
    "HUGE_VALF "
    "HUGE_VALL INFINITY LITTLE_ENDIAN LONG_BIT L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT "
    "MATH_ERRNO MAXFLOAT MAX_CANON MAX_INPUT NAN NFDBITS NULL NZERO PDP_ENDIAN PIPE_BUF "
    "PTHREAD_DESTRUCTOR_ITERATIONS P_tmpdir RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT SNAN "
    "SNANF SNANL "
    "TIMER_ABSTIME TIME_UTC WCONTINUED WEXITED WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED "
    "WNOHANG WNOWAIT WORD_BIT WSTOPPED WUNTRACED WSTOPSIG "
    "WTERMSIG WEXITSTATUS alloca assert assert_perror errno isascii issubnormal i386 linux "
    "math_errhandling offsetof stderr stdin stdout strdupa strndupa toascii unix va_arg va_copy "
    "va_end va_start ";

// Macros too, by how they begin: an upper-case letter or a digit follows.
static const char *const macro_heads[] = {
    "ADJ_",      "CLOCK_", "CUDA", "CU_", "FD_",   "FP_",
    "HUGE_VAL_", "MOD_",   "M_",   "NL_", "SEEK_", "STA_",
};

// By how they end, if all of it is upper case.
static const char *const macro_tails[] = {"_MAX", "_MIN", "_WIDTH"};

// Of the C library and CUDA, at file scope.
static const char outside[] =
    " CUuuid FILE MAJOR_VERSION MINOR_VERSION PATCH_LEVEL blockDim blockIdx cuda daylight dim3 "
    "fd_mask fd_set getdate_err gridDim libraryPropertyType main signgam std threadIdx timezone "
    "tzname u_char u_int u_long u_short uint ulong ushort va_list warpSize blkcnt64_t blkcnt_t "
    "blksize_t caddr_t clock_t clockid_t comparison_fn_t cookie_close_function_t "
    "cookie_io_functions_t cookie_read_function_t cookie_seek_function_t cookie_write_function_t "
    "daddr_t dev_t div_t double_t float_t fpos64_t fpos_t fsblkcnt64_t fsblkcnt_t fsfilcnt64_t "
    "fsfilcnt_t fsid_t gid_t id_t ino64_t ino_t key_t ldiv_t lldiv_t locale_t loff_t max_align_t "
    "mode_t nlink_t nullptr_t off64_t off_t pid_t ptrdiff_t quad_t register_t sigset_t size_t "
    "ssize_t suseconds_t time_t timer_t u_quad_t uid_t useconds_t ";

static bool listed(const char *list, const char *name) {
    return word_listed(list, name, strlen(name));
}

static bool begins(const char *name, const char *head) {
    return strncmp(name, head, strlen(head)) == 0;
}

static bool ends(const char *name, const char *tail) {
    size_t n = strlen(name), m = strlen(tail);
    return n > m && strcmp(name + n - m, tail) == 0;
}

static bool is_capital(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_behind_head(char c) {
    return is_capital(c) || c == '_';
}

static bool is_macro(const char *name) {
    if (listed(macros, name)) return true;
    // isalpha_l, htobe16, le32toh
    if ((begins(name, "is") || begins(name, "to")) && ends(name, "_l")) return true;
    if (begins(name, "htobe") || begins(name, "htole") ||
        ((begins(name, "be") || begins(name, "le")) && ends(name, "toh")))
        return true;
    for (unsigned i = 0; i < sizeof macro_heads / sizeof *macro_heads; ++i)
        if (begins(name, macro_heads[i]) && is_behind_head(name[strlen(macro_heads[i])]))
            return true;
    // SNANF32X, PRIu64
    if (begins(name, "SNANF") && is_capital(name[5])) return true;
    if ((begins(name, "PRI") || begins(name, "SCN")) && name[3] && strchr("diouxX", name[3]) &&
        is_capital(name[4]))
        return true;
    if ((begins(name, "INT") || begins(name, "UINT")) && ends(name, "_C")) return true;
    for (const char *c = name; *c; ++c)
        if (!is_capital(*c) && *c != '_') return false;
    for (unsigned i = 0; i < sizeof macro_tails / sizeof *macro_tails; ++i)
        if (ends(name, macro_tails[i])) return true;
    return false;
}

// Whether "name" is one of CUDA's vector types: float4, double4_16a.
static bool is_vector(const char *name) {
    static const char *const of[] = {"char", "short", "int", "long", "longlong", "float", "double"};
    for (unsigned i = 0; i < sizeof of / sizeof *of; ++i) {
        const char *at = name + (*name == 'u');
        if (!begins(at, of[i])) continue;
        at += strlen(of[i]);
        if (*at < '1' || *at > '4') continue;
        if (!at[1] || strcmp(at + 1, "_16a") == 0 || strcmp(at + 1, "_32a") == 0) return true;
    }
    return false;
}

// Whether "name" is one of the types of <stdint.h>, or of the threads of POSIX.
static bool is_type(const char *name) {
    static const char *const sizes[] = {"8", "16", "32", "64", "max", "ptr"};
    if (!ends(name, "_t")) return false;
    if (begins(name, "pthread_")) return true;
    const char *at = name + (begins(name, "u_") ? 2 : *name == 'u');
    if (!begins(at, "int")) return false;
    at += 3;
    at += begins(at, "_fast") ? 5 : begins(at, "_least") ? 6 : 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (begins(at, sizes[i]) && strcmp(at + strlen(sizes[i]), "_t") == 0) return true;
    return false;
}

const char *c_name_taken(const char *name) {
    if (listed(words, name)) return "a word of C or C++";
    if (name[0] == '_') return "a name that is left to the compilers";
    if (c_name_is_ours(name)) return "a name of the runtime";
    if (ends(name, "_")) return NULL;  // so a name with enough of them is free
    if (is_macro(name)) return "a macro of the C library or of a compiler";
    if (begins(name, "cuda") && is_capital(name[4])) return "a name of CUDA";
    if (is_vector(name)) return "a type of CUDA";
    if (listed(outside, name) || is_type(name)) return "a name of the C library or of CUDA";
    return NULL;
}

// -- names of the plan ----------------------------------------------------------------------------

const char *const c_name_kernel_ends[] = {"_launch", "_variant", "_prepare", NULL};
const char *const c_name_device_ends[] = {"_THREADS", "_SMEM_BYTES", "_ALIGN", "_GROUPS", NULL};

bool c_name_is_ours(const char *name) {
    return name[0] == '_' || begins(name, "tcp_") || begins(name, "TCP_");
}

const char *c_name_own(struct session *s, const char *name) {
    return c_name_is_ours(name) ? arena_printf(&s->arena, "x%s%s", name[0] == '_' ? "" : "_", name)
                                : name;
}

const char *c_name_of_kernel(struct session *s, const struct plan *p, const struct kernel *k) {
    const char *name = c_name_own(s, k->name);
    while (name != k->name && plan_find_kernel(p, name))
        name = arena_printf(&s->arena, "%s_", name);
    return name;
}

bool c_name_is_made(const char *name, const char *stem, const char *const *ends) {
    size_t n = strlen(stem);
    if (strncmp(name, stem, n) != 0) return false;
    for (int i = 0; ends[i]; ++i)
        if (strcmp(name + n, ends[i]) == 0) return true;
    return false;
}

// Whether a device function, one of its constants or an extern function is called "name".
static bool is_function(const struct plan *p, const char *name) {
    for (int i = 0; i < p->nfunctions; ++i)
        if (strcmp(p->function[i]->name, name) == 0) return true;
    for (const struct kernel *k = p->devices; k; k = k->next)
        if (strcmp(k->name, name) == 0 || c_name_is_made(name, k->name, c_name_device_ends))
            return true;
    return false;
}

const char *c_name_of_function(struct session *s, const struct plan *p, const char *stem, int tag) {
    const char *name = tag ? arena_printf(&s->arena, "%s_kernel_%d", stem, tag)
                           : arena_printf(&s->arena, "%s_kernel", stem);
    while (is_function(p, name)) name = arena_printf(&s->arena, "%s_", name);
    return name;
}
