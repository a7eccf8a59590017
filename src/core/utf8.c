/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

/* Length of the well-formed character at `p`, or 0 if it is malformed (RFC 3629 §4,
 * "UTF8-char"). */
static size_t character_length(const uint8_t *p, size_t left)
{
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    size_t length;

    if (p[0] < 0x80) {
        return 1;
    }
    if (p[0] >= 0xc2 && p[0] <= 0xdf) {
        length = 2;
    } else if (p[0] >= 0xe0 && p[0] <= 0xef) {
        length = 3;
        low = p[0] == 0xe0 ? 0xa0 : low;   /* below: overlong */
        high = p[0] == 0xed ? 0x9f : high; /* above: a surrogate */
    } else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
        length = 4;
        low = p[0] == 0xf0 ? 0x90 : low;   /* below: overlong */
        high = p[0] == 0xf4 ? 0x8f : high; /* above: beyond U+10FFFF */
    } else {
        return 0;
    }
    if (left < length || p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t stoa_utf8_valid(const char *text, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t i = 0;

    while (i < length) {
        /* Most text is ASCII: skip eight bytes at a time while no top bit is set. */
        for (uint64_t word; length - i >= sizeof word; i += sizeof word) {
            memcpy(&word, bytes + i, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) != 0) {
                break;
            }
        }
        if (i == length) {
            break;
        }
        const size_t n = character_length(bytes + i, length - i);
        if (n == 0) {
            break;
        }
        i += n;
    }
    return i;
}

size_t stoa_utf8_put(uint32_t point, char *out)
{
    if ((point >= 0xd800 && point < 0xe000) || point > 0x10ffff) {
        point = 0xfffd;
    }
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

size_t stoa_utf8_get(const char *text, uint32_t *point)
{
    const unsigned char *const at = (const unsigned char *)text;
    const size_t length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    *point = length == 1 ? at[0] : (uint32_t)(at[0] & (0x7f >> length));
    for (size_t i = 1; i < length; i++) {
        *point = (*point << 6) | (at[i] & 0x3fu);
    }
    return length;
}

char *stoa_utf8_mended(const char *text)
{
    const size_t length = strlen(text);
    char *const mended = stoa_alloc(3 * length + 1, 1);
    size_t n = 0;

    for (size_t i = 0; mended != NULL && i < length;) {
        const size_t valid = stoa_utf8_valid(text + i, length - i);
        memcpy(mended + n, text + i, valid);
        n += valid;
        i += valid;
        if (i < length) {
            n += stoa_utf8_put(0xfffd, mended + n);
            i++;
        }
    }
    if (mended != NULL) {
        mended[n] = '\0';
    }
    return mended;
}
