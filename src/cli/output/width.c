/*
 * The width of text on a terminal. Combining marks have no width. East Asian wide characters and
 * most pictographs have two columns (Unicode Standard Annex #11), all others one.
 *
 * The C library's wcwidth() would need a locale. The table has only the ranges that matter.
 */
#include "cli/output/grid.h"

typedef struct range {
    uint32_t first;
    uint32_t last;
} range;

static const range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c},   {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e}, {0x2060, 0x2064},   {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

static const range double_width[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff},
    {0x20000, 0x3fffd},
};

static bool is_in(const range *ranges, size_t n, uint32_t character)
{
    for (size_t i = 0; i < n && ranges[i].first <= character; i++) {
        if (character <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* Decode one character of valid UTF-8. An invalid byte counts as one column. */
static size_t decode(const unsigned char *text, uint32_t *character)
{
    const size_t length = text[0] < 0xc0 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;

    *character = length == 1 ? text[0] : (uint32_t)(text[0] & (0x7f >> length));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            *character = '?';
            return 1;
        }
        *character = (*character << 6) | (text[i] & 0x3fu);
    }
    return length;
}

static size_t width_of(uint32_t character)
{
    if (character < 0x0300) {
        return 1;
    }
    if (is_in(zero_width, sizeof zero_width / sizeof *zero_width, character)) {
        return 0;
    }
    return is_in(double_width, sizeof double_width / sizeof *double_width, character) ? 2 : 1;
}

/* Count the columns of a text until they would be more than `limit`. */
static size_t measure(const char *text, size_t limit, size_t *n_bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t width = 0;

    while (*at != '\0') {
        uint32_t character;
        const size_t n = decode(at, &character);
        const size_t more = width_of(character);

        if (more > limit - width) {
            break;
        }
        width += more;
        at += n;
    }
    *n_bytes = (size_t)((const char *)at - text);
    return width;
}

size_t cli_width(const char *text)
{
    size_t n_bytes = 0;

    return measure(text, SIZE_MAX, &n_bytes);
}

size_t cli_fitting(const char *text, size_t width)
{
    size_t n_bytes = 0;

    (void)measure(text, width, &n_bytes);
    return n_bytes;
}
