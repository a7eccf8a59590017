/* The pattern language of `like`: % matches any text, _ matches one character. */
#include "query/eval/eval.h"

/* Length of the UTF-8 character at p. Invalid UTF-8 counts byte by byte. */
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
 * Match greedily. On a mismatch, extend the text of the last % by one character. Earlier % need not
 * be reconsidered, so the time is bounded by the product of the lengths.
 */
bool stoa_like(const char *text, size_t length, const char *pattern, size_t pattern_length,
               int escape)
{
    const char *const end = text + length;
    const char *const pattern_end = pattern + pattern_length;
    const char *star = NULL;  /* after the last % */
    const char *retry = NULL; /* end of the text it matches so far */

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
