/* Functions of texts. Places and lengths count characters (code points), not bytes. */
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wctype.h>

#include "core/text.h"
#include "query/functions/functions.h"

/* Characters -------------------------------------------------------------------------------- */

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static __attribute__((noinline)) int64_t count_wide_characters(stoa_bytes text)
{
    uint64_t n = text.length; /* less the bytes 10xxxxxx */

    for (size_t i = 0; i < text.length; i += 8) {
        const uint64_t word = stoa_word_of(text.data + i, text.length - i);
        n -= ((word & ~(word << 1)) >> 7 & STOA_LOW_BITS) * STOA_LOW_BITS >> 56;
    }
    return (int64_t)n;
}

static inline int64_t count_characters(stoa_bytes text)
{
    return stoa_is_ascii(text.data, text.length) ? (int64_t)text.length
                                                 : count_wide_characters(text);
}

/* The bytes before the character at `place`, counted from 0; all bytes if there are fewer. */
static size_t bytes_before(stoa_bytes text, int64_t place)
{
    size_t at = 0;

    while (place > 0 && at < text.length) {
        at++;
        while (at < text.length && !begins_character(text.data[at])) {
            at++;
        }
        place--;
    }
    return at;
}

static __attribute__((noinline)) stoa_bytes part_of_wide(stoa_bytes text, int64_t from, int64_t to)
{
    const size_t start = bytes_before(text, from);
    const stoa_bytes rest = {text.data + start, text.length - start};

    return (stoa_bytes){rest.data, bytes_before(rest, to - from)};
}

/* Characters [from, to) of a text; from >= 0. */
static inline stoa_bytes part_of(stoa_bytes text, int64_t from, int64_t to)
{
    if (from >= to) {
        return (stoa_bytes){text.data, 0};
    }
    const size_t end = to < (int64_t)text.length ? (size_t)to : text.length;
    if (!stoa_is_ascii(text.data, end)) {
        return part_of_wide(text, from, to);
    }
    const size_t start = from < (int64_t)end ? (size_t)from : end;
    return (stoa_bytes){text.data + start, end - start};
}

static bool is_at(stoa_bytes text, size_t at, stoa_bytes part)
{
    return part.length <= text.length - at &&
           stoa_same_bytes(text.data + at, part.data, part.length);
}

/* The first place of `part` from byte `from` on, within the text; SIZE_MAX if there is none. */
static size_t find(stoa_bytes text, size_t from, stoa_bytes part)
{
    const size_t at = stoa_find_bytes(text.data + from, text.length - from, part.data, part.length);

    return at != SIZE_MAX ? from + at : SIZE_MAX;
}

#define TEXT(k, i) AT(call->args[k], bytes, i)
#define INTEGER(k, i) AT(call->args[k], i64, i)

/* Texts that are parts of others ------------------------------------------------------------- */

#define PART_OF(name, RESULT)                                                                      \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        (void)err;                                                                                 \
        for (int64_t i = 0; i < call->n; i++) {                                                    \
            const stoa_bytes text = TEXT(0, i);                                                    \
            ((stoa_bytes *)call->out)[i] =                                                         \
                stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : (RESULT);                        \
        }                                                                                          \
        return STOA_OK;                                                                            \
    }

/* a + b, at the ends of int64 where it overflows. */
static int64_t add_up(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

/* Places count from 1, or from the end if negative. A negative length goes towards the front. */
static stoa_bytes substr(stoa_bytes text, int64_t place, int64_t length)
{
    const int64_t n = place < 0 ? count_characters(text) : 0;
    int64_t from = place > 0 ? place - 1 : place < 0 ? add_up(n, place) : -1;
    int64_t to = add_up(from, length);

    if (length < 0) {
        const int64_t end = from;
        from = to;
        to = end;
    }
    from = from > 0 ? from : 0;
    return part_of(text, from, to);
}

static stoa_bytes left(stoa_bytes text, int64_t n)
{
    return part_of(text, 0, n >= 0 ? n : add_up(count_characters(text), n));
}

static stoa_bytes right(stoa_bytes text, int64_t n)
{
    const int64_t all = count_characters(text);
    const int64_t from = n >= 0 ? (n < all ? all - n : 0) : n == INT64_MIN ? all : -n;

    return part_of(text, from, all);
}

static bool has_character(stoa_bytes set, const char *c, size_t length)
{
    for (size_t at = 0; at < set.length;) {
        const stoa_bytes rest = {set.data + at, set.length - at};
        const size_t next = bytes_before(rest, 1);
        if (next == length && memcmp(rest.data, c, length) == 0) {
            return true;
        }
        at += next;
    }
    return false;
}

/* Without the characters of `set` at its ends. */
static stoa_bytes trim(stoa_bytes text, stoa_bytes set, bool at_front, bool at_end)
{
    while (at_front && text.length > 0) {
        const size_t n = bytes_before(text, 1);
        if (!has_character(set, text.data, n)) {
            break;
        }
        text = (stoa_bytes){text.data + n, text.length - n};
    }
    while (at_end && text.length > 0) {
        size_t last = text.length - 1;
        while (last > 0 && !begins_character(text.data[last])) {
            last--;
        }
        if (!has_character(set, text.data + last, text.length - last)) {
            break;
        }
        text.length = last;
    }
    return text;
}

static const stoa_bytes blank = {" ", 1};

#define SET(i) (call->n_args > 1 ? TEXT(1, i) : blank)

/* The n-th part between separators, from the end if n is negative; empty beyond either end. */
static stoa_bytes split_part(stoa_bytes text, stoa_bytes separator, int64_t n)
{
    int64_t n_parts = 1;
    size_t at = 0;

    if (separator.length == 0) { /* each character is a part */
        n = n < 0 ? add_up(n, count_characters(text) + 1) : n;
        return part_of(text, n > 0 ? n - 1 : 0, n);
    }
    for (size_t next = 0; n < 0 && (next = find(text, next, separator)) != SIZE_MAX;
         next += separator.length) {
        n_parts++;
    }
    n = n < 0 ? add_up(n, n_parts + 1) : n;
    for (int64_t k = 1; n > 0; k++) {
        const size_t next = find(text, at, separator);
        if (k == n) {
            return (stoa_bytes){text.data + at, (next != SIZE_MAX ? next : text.length) - at};
        }
        if (next == SIZE_MAX) {
            break;
        }
        at = next + separator.length;
    }
    return (stoa_bytes){text.data, 0};
}

PART_OF(substr, substr(text, INTEGER(1, i), call->n_args > 2 ? INTEGER(2, i) : INT64_MAX))
PART_OF(left, left(text, INTEGER(1, i)))
PART_OF(right, right(text, INTEGER(1, i)))
PART_OF(trim, trim(text, SET(i), true, true))
PART_OF(ltrim, trim(text, SET(i), true, false))
PART_OF(rtrim, trim(text, SET(i), false, true))
PART_OF(split_part, split_part(text, TEXT(1, i), INTEGER(2, i)))

/* New texts --------------------------------------------------------------------------------- */

/* Allocate the text of a row. */
static stoa_status make_text(stoa_call *call, int64_t row, size_t length, char **out,
                             stoa_error *err)
{
    *out = stoa_arena_alloc(call->arena, length, 1);
    STOA_RETURN_NO_MEMORY(err, *out);
    ((stoa_bytes *)call->out)[row] = (stoa_bytes){*out, length};
    return STOA_OK;
}

/* A locale of UTF-8, which is kept until the process ends. */
static locale_t utf8_locale;

static void open_locale(void)
{
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Returns the length of the changed character. Bytes that are no UTF-8 stay as they are. */
static size_t shift_character(const char *from, size_t left, wint_t (*shift)(wint_t, locale_t),
                              char *to, size_t *at)
{
    uint32_t c;

    if (utf8_locale == (locale_t)0 || stoa_utf8_valid(from, left < 4 ? left : 4) == 0) {
        *to = *from;
        ++*at;
        return 1;
    }
    *at += stoa_utf8_get(from, &c);
    return stoa_utf8_put((uint32_t)shift((wint_t)c, utf8_locale), to);
}

/* The bytes of a word of ASCII that are from `first` to `last`: the highest bit of each. */
static uint64_t between(uint64_t word, unsigned char first, unsigned char last)
{
    return (word + (0x80u - first) * STOA_LOW_BITS) & ~(word + (0x7fu - last) * STOA_LOW_BITS) &
           STOA_HIGH_BITS;
}

/* Change letters by `shift`, which maps a character of a locale of UTF-8. The C library has the
 * tables of Unicode. Where it has no such locale, letters beyond ASCII stay as they are. */
static stoa_status shift_case(stoa_call *call, wint_t (*shift)(wint_t, locale_t), stoa_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const bool is_upper = shift == towupper_l;

    (void)pthread_once(&once, open_locale);
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_bytes text = stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : TEXT(0, i);
        const bool is_ascii = stoa_is_ascii(text.data, text.length);
        size_t n = 0;
        char *to;
        STOA_RETURN_NOT_OK(
            make_text(call, i, text.length * (is_ascii ? 1 : 2), &to, err)); /* at most twice */
        for (; is_ascii && n < text.length; n += 8) {
            const uint64_t word = stoa_word_of(text.data + n, text.length - n);
            const uint64_t letters = is_upper ? between(word, 'a', 'z') : between(word, 'A', 'Z');
            stoa_write_word(to + n, word ^ letters >> 2, text.length - n); /* ^ 0x20 */
        }
        n = is_ascii ? text.length : 0;
        for (size_t at = 0; !is_ascii && at < text.length;) {
            const char first = text.data[at];
            if ((first & 0x80) == 0) {
                to[n++] = is_upper ? stoa_upper(first) : stoa_lower(first);
                at++;
            } else {
                n += shift_character(text.data + at, text.length - at, shift, to + n, &at);
            }
        }
        ((stoa_bytes *)call->out)[i].length = n;
    }
    return STOA_OK;
}

static stoa_status lower_of(stoa_call *call, stoa_error *err)
{
    return shift_case(call, towlower_l, err);
}

static stoa_status upper_of(stoa_call *call, stoa_error *err)
{
    return shift_case(call, towupper_l, err);
}

static stoa_status reverse_of(stoa_call *call, stoa_error *err)
{
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_bytes text = stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : TEXT(0, i);
        char *to;
        STOA_RETURN_NOT_OK(make_text(call, i, text.length, &to, err));
        if (stoa_is_ascii(text.data, text.length)) {
            for (size_t at = 0, n; at < text.length; at += n) {
                n = text.length - at < 8 ? text.length - at : 8;
                const uint64_t word = __builtin_bswap64(stoa_word_of(text.data + at, n));
                stoa_write_word(to + text.length - at - n, word >> 8 * (8 - n), n);
            }
            continue;
        }
        for (size_t at = 0; at < text.length;) {
            const stoa_bytes rest = {text.data + at, text.length - at};
            const size_t n = bytes_before(rest, 1);
            at += n;
            memcpy(to + text.length - at, rest.data, n);
        }
    }
    return STOA_OK;
}

/* The arguments one behind the other; missing ones are empty (`||` gives a missing text). */
static stoa_status concat_of(stoa_call *call, stoa_error *err)
{
    stoa_bytes *const out = call->out;
    size_t n_bytes = 0;

    for (int64_t i = 0; i < call->n; i++) {
        out[i].length = 0;
        for (size_t k = 0; k < call->n_args; k++) {
            out[i].length += stoa_vector_is_null(&call->args[k], i) ? 0 : TEXT(k, i).length;
        }
        n_bytes += out[i].length;
    }
    char *to = stoa_arena_alloc(call->arena, n_bytes, 1);
    STOA_RETURN_NO_MEMORY(err, to);
    for (int64_t i = 0; i < call->n; i++) {
        out[i].data = to;
        for (size_t k = 0; k < call->n_args; k++) {
            if (!stoa_vector_is_null(&call->args[k], i)) {
                stoa_copy_bytes(to, TEXT(k, i).data, TEXT(k, i).length);
                to += TEXT(k, i).length;
            }
        }
    }
    return STOA_OK;
}

static stoa_status replace_of(stoa_call *call, stoa_error *err)
{
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_bytes text = stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : TEXT(0, i);
        const stoa_bytes old = TEXT(1, i);
        const stoa_bytes new = TEXT(2, i);
        size_t n = 0;
        size_t at = 0;
        char *to;
        for (size_t next = 0; old.length > 0 && (next = find(text, next, old)) != SIZE_MAX;
             next += old.length) {
            n++;
        }
        STOA_RETURN_NOT_OK(
            make_text(call, i, text.length + n * new.length - n *old.length, &to, err));
        for (; n > 0; n--) {
            const size_t next = find(text, at, old);
            stoa_copy_bytes(to, text.data + at, next - at);
            stoa_copy_bytes(to + (next - at), new.data, new.length);
            to += next - at + new.length;
            at = next + old.length;
        }
        stoa_copy_bytes(to, text.data + at, text.length - at);
    }
    return STOA_OK;
}

/* Numbers and tests -------------------------------------------------------------------------- */

static stoa_status length_of(stoa_call *call, stoa_error *err)
{
    (void)err;
    for (int64_t i = 0; i < call->n; i++) {
        ((int64_t *)call->out)[i] = stoa_call_misses(call, i) ? 0 : count_characters(TEXT(0, i));
    }
    return STOA_OK;
}

/* The place of the second text in the first, counted from 1; 0 if it is not in it. */
static stoa_status position_of(stoa_call *call, stoa_error *err)
{
    (void)err;
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_bytes text = stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : TEXT(0, i);
        const size_t at = find(text, 0, TEXT(1, i));
        ((int64_t *)call->out)[i] = stoa_is_ascii(text.data, text.length) || at == SIZE_MAX
                                        ? (int64_t)(at + 1) /* SIZE_MAX + 1 is 0 */
                                        : count_wide_characters((stoa_bytes){text.data, at}) + 1;
    }
    return STOA_OK;
}

#define TEXT_TEST_OF(name, IS_SO)                                                                  \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        (void)err;                                                                                 \
        for (int64_t i = 0; i < call->n; i++) {                                                    \
            const stoa_bytes text = stoa_call_misses(call, i) ? (stoa_bytes){"", 0} : TEXT(0, i);  \
            const stoa_bytes part = TEXT(1, i);                                                    \
            ((uint8_t *)call->out)[i / 8] |= (uint8_t)((unsigned)(IS_SO) << (i % 8));              \
        }                                                                                          \
        return STOA_OK;                                                                            \
    }
TEXT_TEST_OF(starts_with, is_at(text, 0, part))
TEXT_TEST_OF(ends_with, part.length <= text.length && is_at(text, text.length - part.length, part))
TEXT_TEST_OF(contains, find(text, 0, part) != SIZE_MAX)

/* The table --------------------------------------------------------------------------------- */

static const stoa_function functions[] = {
    {{"concat", NULL, "concat(s, ...)",
      "the texts one behind the other, without missing ones; s || t is missing if one is",
      "concat('a', null, 'b') = 'ab'"},
     "s*>s",
     .loop = concat_of,
     .takes_missing = true},
    {{"||", NULL, "s || t", "one text behind the other", "'a' || 'b' = 'ab'"},
     "ss>s",
     .loop = concat_of},
    {{"contains", NULL, "contains(s, part)", "whether part is somewhere in s",
      "contains('abc', 'bc')"},
     "ss>b",
     .loop = contains_of},
    {{"ends_with", "suffix", "ends_with(s, part)", "whether s ends with part",
      "ends_with('abc', 'bc')"},
     "ss>b",
     .loop = ends_with_of},
    {{"left", NULL, "left(s, n)", "the first n characters; all but the last -n if n is negative",
      "left('abc', 2) = 'ab'"},
     "si>s",
     .loop = left_of},
    {{"length", "len char_length", "length(s)", "the number of characters (code points)",
      "length('abc') = 3"},
     "s>i",
     .loop = length_of},
    {{"lower", "lcase", "lower(s)", "in small letters", "lower('ABC') = 'abc'"},
     "s>s",
     .loop = lower_of},
    {{"ltrim", NULL, "ltrim(s, set)", "without the characters of set (blanks) at the front",
      "ltrim('  a ') = 'a '"},
     "s?s>s",
     .loop = ltrim_of},
    {{"position", "instr strpos", "position(s, part)",
      "the place of part in s, from 1; 0 if it is not in it", "position('abc', 'c') = 3"},
     "ss>i",
     .loop = position_of},
    {{"replace", NULL, "replace(s, old, new)", "with new in place of each old",
      "replace('a-b-c', '-', '') = 'abc'"},
     "sss>s",
     .loop = replace_of},
    {{"reverse", NULL, "reverse(s)", "the characters from the end to the front",
      "reverse('abc') = 'cba'"},
     "s>s",
     .loop = reverse_of},
    {{"right", NULL, "right(s, n)", "the last n characters; all but the first -n if n is negative",
      "right('abc', 2) = 'bc'"},
     "si>s",
     .loop = right_of},
    {{"rtrim", NULL, "rtrim(s, set)", "without the characters of set (blanks) at the end",
      "rtrim(' a  ') = ' a'"},
     "s?s>s",
     .loop = rtrim_of},
    {{"split_part", NULL, "split_part(s, separator, n)",
      "the n-th part, from 1, or from the end if n is negative",
      "split_part('a/b/c', '/', -1) = 'c'"},
     "ssi>s",
     .loop = split_part_of},
    {{"starts_with", "prefix", "starts_with(s, part)", "whether s begins with part",
      "starts_with('abc', 'ab')"},
     "ss>b",
     .loop = starts_with_of},
    {{"substr", "substring", "substr(s, place, n)",
      "n characters (or the rest) from place, which counts from 1, or from the end if negative",
      "substr('abcd', 2, 2) = 'bc'"},
     "si?i>s",
     .loop = substr_of},
    {{"trim", NULL, "trim(s, set)", "without the characters of set (blanks) at both ends",
      "trim('--a-', '-') = 'a'"},
     "s?s>s",
     .loop = trim_of},
    {{"upper", "ucase", "upper(s)", "in capitals", "upper('abc') = 'ABC'"},
     "s>s",
     .loop = upper_of},
};

const stoa_function_group stoa_text_functions = {"Texts", functions,
                                                 sizeof functions / sizeof functions[0]};
