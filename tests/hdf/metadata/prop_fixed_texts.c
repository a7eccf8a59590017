/* src/hdf/metadata/fixed_texts.c: as byte by byte, for every size, padding and tail. */
#include "hdf/metadata/fixed_texts.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* notes C7: NULLTERM ends at the first NUL, the others lose what fills them up at the end. */
static size_t naive_length(const uint8_t *text, size_t size, H5T_str_t padding)
{
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        if (padding == H5T_STR_NULLTERM && text[i] == 0) {
            break;
        }
        if (text[i] != (padding == H5T_STR_SPACEPAD ? ' ' : 0)) {
            length = i + 1;
        }
    }
    return length;
}

/* Bytes of which many are padding, some are 0x80 or 1 (where tricks with words go wrong). */
static uint8_t *some_elements(size_t n_bytes, bool is_full)
{
    static const uint8_t bytes[] = {0, 0, ' ', ' ', 1, 0x80, 0xff, 'a', 0x81};
    uint8_t *elements = malloc(n_bytes + (n_bytes == 0));

    CHECK(elements != NULL);
    for (size_t i = 0; i < n_bytes; i++) {
        elements[i] = is_full ? 'x' : bytes[check_random_below(sizeof bytes)];
    }
    return elements;
}

static void check_texts(const stoa_fixed_texts *texts)
{
    const size_t n = (size_t)texts->n;
    uint8_t *bytes = malloc(n * texts->size + STOA_TEXTS_SLACK);
    int32_t *offsets = malloc((n + 1) * sizeof *offsets);
    bool are_full = texts->padding != H5T_STR_NULLTERM && texts->missing == NULL;
    size_t at = 0;

    CHECK(bytes != NULL && offsets != NULL);
    CHECK(stoa_fixed_texts_decode(texts, bytes, offsets));
    CHECK_I64(offsets[0], 0);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *text = texts->elements + i * texts->size;
        const bool is_missing = texts->missing != NULL && stoa_bit_get(texts->missing, i);
        const size_t length = is_missing ? 0 : naive_length(text, texts->size, texts->padding);
        CHECK_U64((size_t)offsets[i + 1], at + length);
        CHECK_MEM(bytes + at, text, length);
        at += length;
        are_full = are_full && length == texts->size;
    }
    CHECK(stoa_fixed_texts_are_full(texts) == are_full);
    free(bytes);
    free(offsets);
}

static void texts_are_what_they_are_byte_by_byte(void)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};

    for (uint64_t k = 0; k < check_n_cases(2000); k++) {
        const size_t size = 1 + check_random_below(40);
        const size_t n = check_random_below(200);
        const bool has_missing = check_random_below(3) == 0;
        uint8_t *missing = some_elements(n / 8 + 1, false);
        uint8_t *elements = some_elements(n * size, check_random_below(4) == 0);

        for (int p = 0; p < 3; p++) {
            check_texts(&(stoa_fixed_texts){elements, (int64_t)n, size, paddings[p],
                                            has_missing ? missing : NULL});
        }
        free(elements);
        free(missing);
    }
}

/* One padded text anywhere, in the last of many too. */
static void one_text_with_padding_is_enough(void)
{
    const size_t size = 3;
    const size_t n = 10000;
    uint8_t *elements = some_elements(n * size, true);
    const stoa_fixed_texts texts = {elements, (int64_t)n, size, H5T_STR_SPACEPAD, NULL};

    for (int k = 0; k < 50; k++) {
        const size_t i = k == 0 ? n - 1 : check_random_below(n);
        CHECK(stoa_fixed_texts_are_full(&texts));
        elements[i * size + 2] = ' ';
        CHECK(!stoa_fixed_texts_are_full(&texts));
        elements[i * size + 2] = 'x';
    }
    free(elements);
}

TEST_MAIN(TEST(texts_are_what_they_are_byte_by_byte), TEST(one_text_with_padding_is_enough))
