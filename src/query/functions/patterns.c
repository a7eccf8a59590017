/*
 * Functions of regular expressions, by PCRE2, which is opened when a query has one.
 *
 * DuckDB uses RE2. Both understand the same patterns but for rare ones: PCRE2 has references to
 * groups as well. A search that takes more steps than PCRE2 allows, ten million, is an error.
 */
#include <stdlib.h>
#include <string.h>

#include "core/library.h"
#include "core/memory.h"
#include "query/functions/functions.h"

/* PCRE2 ------------------------------------------------------------------------------------- */

/* Constants of pcre2.h. */
#define CASELESS UINT32_C(0x00000008)
#define DOTALL UINT32_C(0x00000020)
#define MULTILINE UINT32_C(0x00000400)
#define UTF UINT32_C(0x00080000)
#define NEVER_BACKSLASH_C UINT32_C(0x00100000)
#define LITERAL UINT32_C(0x02000000)
#define MATCH_INVALID_UTF UINT32_C(0x04000000)
#define ENDANCHORED UINT32_C(0x20000000)
#define ANCHORED UINT32_C(0x80000000)
#define JIT_COMPLETE UINT32_C(0x00000001)
#define NO_JIT UINT32_C(0x00002000)
enum { ERROR_NOMATCH = -1, ERROR_JIT_STACKLIMIT = -46 };

static const stoa_library_name pcre2 = {
    .files = {"libpcre2-8.so.0", "libpcre2-8.0.dylib"},
    .calls = {"pcre2_compile_8", "pcre2_jit_compile_8", "pcre2_match_data_create_from_pattern_8",
              "pcre2_match_8", "pcre2_get_ovector_pointer_8", "pcre2_get_ovector_count_8",
              "pcre2_match_data_free_8", "pcre2_code_free_8", "pcre2_get_error_message_8"},
};

/* The calls, as pcre2.h declares them. */
typedef struct pcre2_calls {
    void *(*compile)(const char *pattern, size_t length, uint32_t options, int *error,
                     size_t *offset, void *context);
    int (*jit_compile)(void *code, uint32_t options);
    void *(*data_create)(const void *code, void *context);
    int (*match)(const void *code, const char *text, size_t length, size_t start, uint32_t options,
                 void *data, void *context);
    size_t *(*ovector)(void *data);
    uint32_t (*ovector_count)(void *data);
    void (*data_free)(void *data);
    void (*code_free)(void *code);
    int (*error_message)(int error, unsigned char *out, size_t size);
} pcre2_calls;

/* A compiled pattern and its last match. Zero-initialise. */
typedef struct matcher {
    stoa_library library;
    pcre2_calls call;
    const stoa_syntax *syntax; /* of the pattern, for messages */
    void *code;
    void *data;
    size_t *ends; /* of the match and its groups: [2 k] and [2 k + 1] */
    uint32_t n_groups;
} matcher;

static void matcher_close(matcher *m)
{
    if (m->data != NULL) {
        m->call.data_free(m->data);
    }
    if (m->code != NULL) {
        m->call.code_free(m->code);
    }
    stoa_library_close(&m->library);
    *m = (matcher){.code = NULL};
}

/* The bits of options such as "i"; `global` is for replacements alone. */
static stoa_status read_options(const stoa_expr *options, bool *is_global, uint32_t *bits,
                                stoa_error *err)
{
    const stoa_bytes text = options->value.as.bytes[0];

    for (size_t i = 0; i < text.length; i++) {
        switch (text.data[i]) {
        case 'c':
            *bits &= ~CASELESS;
            break;
        case 'i':
            *bits |= CASELESS;
            break;
        case 'l':
            *bits |= LITERAL;
            break;
        case 'm':
            *bits |= MULTILINE;
            break;
        case 's':
            *bits |= DOTALL;
            break;
        case 'g':
            if (is_global != NULL) {
                *is_global = true;
                break;
            } /* fall through */
        default:
            return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, options->syntax,
                                    "the options of a pattern are c, i, l, m and s, and g of a "
                                    "replacement, not '%c'",
                                    text.data[i]);
        }
    }
    return STOA_OK;
}

static stoa_status compile(matcher *m, stoa_bytes pattern, uint32_t bits, stoa_error *err)
{
    unsigned char message[128] = "";
    size_t offset = 0;
    int error = 0;

    bits |= (bits & LITERAL) != 0 ? UTF | MATCH_INVALID_UTF
                                  : UTF | MATCH_INVALID_UTF | NEVER_BACKSLASH_C;
    m->code = m->call.compile(pattern.data, pattern.length, bits, &error, &offset, NULL);
    if (m->code == NULL) {
        (void)m->call.error_message(error, message, sizeof message);
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, m->syntax,
                                "it is no pattern: at its byte %zu, %s", offset, (char *)message);
    }
    (void)m->call.jit_compile(m->code, JIT_COMPLETE); /* without, it is only slower */
    m->data = m->call.data_create(m->code, NULL);
    STOA_RETURN_NO_MEMORY(err, m->data);
    m->ends = m->call.ovector(m->data);
    m->n_groups = m->call.ovector_count(m->data);
    return STOA_OK;
}

/* Open the pattern of a call, which is its second argument. */
static stoa_status matcher_open(const stoa_expr *call, uint32_t bits, matcher *m, stoa_error *err)
{
    m->syntax = call->args[1]->syntax;
    if (!stoa_library_open(&m->library, &pcre2)) {
        return STOA_FAIL_SYNTAX(err, STOA_EIO, call->syntax,
                                "%s() needs PCRE2, which this system lacks; install it (Debian: "
                                "libpcre2-8-0)",
                                call->function->text.name);
    }
    memcpy(&m->call, m->library.calls, sizeof m->call);
    return compile(m, call->args[1]->value.as.bytes[0], bits, err);
}

/* Search from a byte on. */
static stoa_status search(matcher *m, stoa_bytes text, size_t from, bool *found, stoa_error *err)
{
    const char *const data = text.data != NULL ? text.data : "";
    int n = m->call.match(m->code, data, text.length, from, 0, m->data, NULL);

    if (n == ERROR_JIT_STACKLIMIT) {
        n = m->call.match(m->code, data, text.length, from, NO_JIT, m->data, NULL);
    }
    *found = n >= 0;
    if (n < 0 && n != ERROR_NOMATCH) {
        unsigned char message[128] = "";
        (void)m->call.error_message(n, message, sizeof message);
        return STOA_FAIL_SYNTAX(err, STOA_ERANGE, m->syntax,
                                "the search for the pattern in some row was given up: %s",
                                (char *)message);
    }
    return STOA_OK;
}

/* Tests ------------------------------------------------------------------------------------- */

static stoa_status check_options(const stoa_expr *call, size_t place, bool *is_global,
                                 uint32_t *bits, stoa_error *err)
{
    return call->n_args > place ? read_options(call->args[place], is_global, bits, err) : STOA_OK;
}

/* Find the mistakes of a pattern before a row is read. */
static stoa_status check_pattern(const stoa_expr *call, uint32_t bits, stoa_error *err)
{
    matcher m = {.code = NULL};
    const stoa_status status = matcher_open(call, bits, &m, err);

    matcher_close(&m);
    return status;
}

static stoa_status test_rows(stoa_call *call, uint32_t bits, stoa_error *err)
{
    stoa_status status = STOA_OK;
    matcher m = {.code = NULL};
    bool found = false;

    STOA_TRY(check_options(call->expr, 2, NULL, &bits, err));
    STOA_TRY(matcher_open(call->expr, bits, &m, err));
    for (int64_t i = 0; i < call->n; i++) {
        if (!stoa_call_misses(call, i)) {
            STOA_TRY(search(&m, AT(call->args[0], bytes, i), 0, &found, err));
            if (found) {
                stoa_bit_set(call->out, (uint64_t)i);
            }
        }
    }

done:
    matcher_close(&m);
    return status;
}

static stoa_status check_test(stoa_expr *call, stoa_error *err)
{
    uint32_t bits = 0;

    STOA_RETURN_NOT_OK(check_options(call, 2, NULL, &bits, err));
    return check_pattern(call, bits, err);
}

static stoa_status matches_of(stoa_call *call, stoa_error *err)
{
    return test_rows(call, 0, err);
}

static stoa_status full_match_of(stoa_call *call, stoa_error *err)
{
    return test_rows(call, ANCHORED | ENDANCHORED, err);
}

/* Parts ------------------------------------------------------------------------------------- */

static stoa_status check_extract(stoa_expr *call, stoa_error *err)
{
    return check_pattern(call, 0, err);
}

/* A group that is not in the match, and a text without one, give an empty text. */
static stoa_status extract_of(stoa_call *call, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bytes *const to = call->out;
    const int64_t group = call->n_args > 2 ? call->args[2].as.i64[0] : 0;
    matcher m = {.code = NULL};

    STOA_TRY(matcher_open(call->expr, 0, &m, err));
    const bool is_there = group >= 0 && group < m.n_groups;
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_bytes text = AT(call->args[0], bytes, i);
        bool found = false;
        to[i] = (stoa_bytes){"", 0};
        if (is_there && !stoa_call_misses(call, i)) {
            STOA_TRY(search(&m, text, 0, &found, err));
            const size_t begin = m.ends[2 * group];
            if (found && begin <= text.length) { /* else it is unset */
                to[i] = (stoa_bytes){text.data + begin, m.ends[2 * group + 1] - begin};
            }
        }
    }

done:
    matcher_close(&m);
    return status;
}

/* Replacement ------------------------------------------------------------------------------- */

/* Append the replacement, in which \\0 is the match and \\1 to \\9 are its groups. */
static stoa_status rewrite(const matcher *m, stoa_bytes text, stoa_bytes with, stoa_buffer *out,
                           stoa_error *err)
{
    for (size_t i = 0; i < with.length; i++) {
        const bool is_escape = with.data[i] == '\\' && i + 1 < with.length;
        const char next = is_escape ? with.data[i + 1] : 0;
        if (next >= '0' && next <= '9') {
            const uint32_t group = (uint32_t)(next - '0');
            const size_t begin = group < m->n_groups ? m->ends[2 * group] : SIZE_MAX;
            if (begin <= text.length) {
                STOA_RETURN_NOT_OK(stoa_buffer_append(out, text.data + begin,
                                                      m->ends[2 * group + 1] - begin, err));
            }
            i++;
        } else {
            i += next == '\\';
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, with.data + i, 1, err));
        }
    }
    return STOA_OK;
}

/* The bytes of the character at a place. */
static size_t character_at(stoa_bytes text, size_t at)
{
    size_t n = 1;

    while (at + n < text.length && ((unsigned char)text.data[at + n] & 0xc0) == 0x80) {
        n++;
    }
    return n;
}

/* An empty match at the end of the one before does not count. */
static stoa_status replace_in(matcher *m, stoa_bytes text, stoa_bytes with, bool is_global,
                              stoa_buffer *out, stoa_error *err)
{
    size_t last = SIZE_MAX;
    size_t at = 0;
    bool found = true;

    out->size = 0;
    while (at <= text.length) {
        STOA_RETURN_NOT_OK(search(m, text, at, &found, err));
        if (!found) {
            break;
        }
        const size_t begin = m->ends[0];
        const size_t end = m->ends[1];
        STOA_RETURN_NOT_OK(stoa_buffer_append(out, text.data + at, begin - at, err));
        if (begin == last && end == begin) {
            const size_t n = begin < text.length ? character_at(text, begin) : 1;
            STOA_RETURN_NOT_OK(
                stoa_buffer_append(out, text.data + begin, begin < text.length ? n : 0, err));
            at = begin + n;
            continue;
        }
        STOA_RETURN_NOT_OK(rewrite(m, text, with, out, err));
        at = last = end;
        if (!is_global) {
            break;
        }
    }
    return at < text.length ? stoa_buffer_append(out, text.data + at, text.length - at, err)
                            : STOA_OK;
}

static stoa_status check_replace(stoa_expr *call, stoa_error *err)
{
    bool is_global = false;
    uint32_t bits = 0;

    STOA_RETURN_NOT_OK(check_options(call, 3, &is_global, &bits, err));
    return check_pattern(call, bits, err);
}

static stoa_status replace_of(stoa_call *call, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bytes *const to = call->out;
    stoa_buffer out = {0};
    matcher m = {.code = NULL};
    bool is_global = false;
    uint32_t bits = 0;

    STOA_TRY(check_options(call->expr, 3, &is_global, &bits, err));
    STOA_TRY(matcher_open(call->expr, bits, &m, err));
    for (int64_t i = 0; i < call->n; i++) {
        to[i] = (stoa_bytes){"", 0};
        if (!stoa_call_misses(call, i)) {
            STOA_TRY(replace_in(&m, AT(call->args[0], bytes, i), AT(call->args[2], bytes, i),
                                is_global, &out, err));
            to[i].data = stoa_arena_text(call->arena, (const char *)out.data, out.size);
            to[i].length = out.size;
            STOA_TRY(to[i].data != NULL ? STOA_OK : stoa_fail_memory(err));
        }
    }

done:
    stoa_buffer_clear(&out);
    matcher_close(&m);
    return status;
}

/* The table --------------------------------------------------------------------------------- */

static const stoa_function functions[] = {
    {{"regexp_matches", "regexp", "regexp_matches(s, pattern, options)",
      "whether the pattern is somewhere in s; options: i for any case, m, s, l for plain text",
      "regexp_matches('abc', '^a.c$')"},
     "sS?S>b",
     .loop = matches_of,
     .check = check_test},
    {{"regexp_full_match", NULL, "regexp_full_match(s, pattern, options)",
      "whether s is the pattern, from end to end", "regexp_full_match('abc', '[a-c]+')"},
     "sS?S>b",
     .loop = full_match_of,
     .check = check_test},
    {{"regexp_extract", NULL, "regexp_extract(s, pattern, group)",
      "the first match, or a group of it; an empty text if there is none",
      "regexp_extract('a-17', '([a-z])-([0-9]+)', 2) = '17'"},
     "sS?I>s",
     .loop = extract_of,
     .check = check_extract},
    {{"regexp_replace", NULL, "regexp_replace(s, pattern, new, options)",
      "with new, in which \\\\1 is a group, in place of the first match, or of all with option g",
      "regexp_replace('a-b-c', '-', '', 'g') = 'abc'"},
     "sSs?S>s",
     .loop = replace_of,
     .check = check_replace},
};

const stoa_function_group stoa_pattern_functions = {"Patterns", functions,
                                                    sizeof functions / sizeof functions[0]};
