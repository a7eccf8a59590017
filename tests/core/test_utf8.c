/* Well-formed UTF-8 as RFC 3629 §4 and the Unicode Standard's table 3-7 define it, for
 * src/core/utf8.c */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "support/check.h"

static size_t valid(const char *text)
{
    return stoa_utf8_valid(text, strlen(text));
}

static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6) {
        out[i] = (char)(0x80 | (c & 0x3f));
    }
    out[0] = (char)(first[n] | c);
    return n;
}

static void every_character_is_valid_but_surrogates(void)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char text[4];
        const size_t n = encode(c, text);
        const bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
        CHECK(stoa_utf8_valid(text, n) == (is_surrogate ? 0 : n));
        CHECK(stoa_utf8_valid(text, n - 1) == 0);
    }
}

static void what_rfc_3629_forbids_is_invalid(void)
{
    CHECK_U64(valid("\x80"), 0);             /* a continuation alone */
    CHECK_U64(valid("\xc0\x80"), 0);         /* overlong NUL */
    CHECK_U64(valid("\xc1\xbf"), 0);         /* overlong DEL */
    CHECK_U64(valid("\xe0\x9f\xbf"), 0);     /* overlong U+07FF */
    CHECK_U64(valid("\xf0\x8f\xbf\xbf"), 0); /* overlong U+FFFF */
    CHECK_U64(valid("\xf4\x90\x80\x80"), 0); /* U+110000 */
    CHECK_U64(valid("\xf5\x80\x80\x80"), 0);
    CHECK_U64(valid("\xff"), 0);
    CHECK_U64(valid("\xe2\x82("), 0); /* cut off by another character */
}

static void the_valid_prefix_ends_where_the_text_goes_wrong(void)
{
    CHECK_U64(valid(""), 0);
    CHECK_U64(valid("plain text of more than eight bytes"), 35);
    CHECK_U64(valid("gr\xc3\xbc\xc3\x9f"
                    "e\xff"),
              7);
    CHECK_U64(valid("1234567\xff"), 7);
    CHECK_U64(valid("12345678\xff"), 8);
    CHECK_U64(valid("123456789\xe2\x82"), 9);
    CHECK_U64(stoa_utf8_valid("a\0b", 3), 3); /* NUL is a character */
    CHECK_U64(valid("\xc3\xbc"
                    "12345678"),
              10); /* whole words up to the end */
}

static void a_code_point_is_written_as_its_bytes_and_read_of_them(void)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        const bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
        char found[4];
        char expected[4];
        const size_t n = encode(is_surrogate ? 0xfffd : c, expected);
        CHECK_U64(stoa_utf8_put(c, found), n);
        CHECK_MEM(found, expected, n);
        uint32_t point = 0;
        CHECK_U64(stoa_utf8_get(found, &point), n);
        CHECK_U64(point, is_surrogate ? 0xfffd : c);
    }
}

/* The replacement character's, which is valid. */
static void what_is_no_code_point_is_written_as_another(void)
{
    char found[4];

    CHECK_U64(stoa_utf8_put(0x110000, found), 3);
    CHECK_MEM(found, "\xef\xbf\xbd", 3);
    CHECK_U64(stoa_utf8_put(UINT32_MAX, found), 3);
    CHECK_MEM(found, "\xef\xbf\xbd", 3);
}

static void check_mended(const char *text, const char *wanted)
{
    char *const mended = stoa_utf8_mended(text);

    CHECK_STR(mended, wanted);
    free(mended);
}

static void each_byte_that_is_not_utf8_is_replaced(void)
{
    check_mended("", "");
    check_mended("\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9");
    check_mended("caf\xe9", "caf\xef\xbf\xbd");
    check_mended("\xff\xfe!", "\xef\xbf\xbd\xef\xbf\xbd!");
    check_mended("a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"); /* a character that is cut */
}

/* At every length and place, since words of eight bytes are looked at together. */
static void a_byte_above_127_is_no_ascii(void)
{
    for (size_t n = 0; n < 40; n++) {
        char text[40];
        memset(text, 0x7f, sizeof text);
        CHECK(stoa_is_ascii(text, n));
        for (size_t at = 0; at < sizeof text; at++) {
            text[at] = (char)0x80;
            CHECK(stoa_is_ascii(text, n) == (at >= n));
            text[at] = 0;
        }
    }
}

TEST_MAIN(TEST(a_byte_above_127_is_no_ascii), TEST(each_byte_that_is_not_utf8_is_replaced),
          TEST(a_code_point_is_written_as_its_bytes_and_read_of_them),
          TEST(what_is_no_code_point_is_written_as_another),
          TEST(every_character_is_valid_but_surrogates), TEST(what_rfc_3629_forbids_is_invalid),
          TEST(the_valid_prefix_ends_where_the_text_goes_wrong))
