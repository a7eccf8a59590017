/* The pattern language of `like`: % is any text, _ is any one character. */
#include "query/eval.h"

/* Bytes of the UTF-8 character at p; what is no UTF-8 counts byte by byte. */
static size_t character_length(const char *p, const char *end)
{
    size_t n = 1;

    if ((unsigned char)*p >= 0xc0) {
        while (n < 4 && p + n < end && ((unsigned char)p[n] & 0xc0) == 0x80) {
            n++;
        }
    }
    return n;
}

/*
 * Match greedily; on a mismatch, let the last % take one character more. Only the last one needs to
 * be reconsidered, so that the time is bounded by the product of the lengths.
 */
bool stoa_like(const char *text, size_t length, const char *pattern, size_t pattern_length,
               int escape)
{
    const char *const end = text + length;
    const char *const pattern_end = pattern + pattern_length;
    const char *star = NULL;  /* behind the last % */
    const char *retry = NULL; /* where its text ends so far */

    while (text < end) {
        const bool escaped =
            pattern < pattern_end && (unsigned char)*pattern == escape && pattern + 1 < pattern_end;
        if (escaped && pattern[1] == *text) {
            pattern += 2;
            text++;
        } else if (!escaped && pattern < pattern_end && *pattern == '%') {
            star = ++pattern;
            retry = text;
        } else if (!escaped && pattern < pattern_end && *pattern == '_') {
            pattern++;
            text += character_length(text, end);
        } else if (!escaped && pattern < pattern_end && *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            retry += character_length(retry, end);
            text = retry;
            pattern = star;
        } else {
            return false;
        }
    }
    while (pattern < pattern_end && *pattern == '%' && escape != '%') {
        pattern++;
    }
    return pattern == pattern_end;
}
