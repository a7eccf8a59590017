/* Allocation, buffers and bitmaps, for src/core/memory.c */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <string.h>

#include "core/memory.h"
#include "support/check.h"
#include "support/sweep.h"

static void a_size_that_overflows_is_refused(void)
{
    CHECK(stoa_alloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(stoa_alloc_zero(SIZE_MAX, 2) == NULL);
    CHECK(stoa_alloc(SIZE_MAX, SIZE_MAX) == NULL);
    CHECK(stoa_realloc(NULL, SIZE_MAX / 4, 8) == NULL);
}

static void nothing_is_a_valid_block(void)
{
    void *block = stoa_alloc(0, 8);
    void *zeroed = stoa_alloc_zero(8, 0);

    CHECK(block != NULL && zeroed != NULL);
    free(zeroed);
    block = stoa_realloc(block, 0, 1);
    CHECK(block != NULL);
    free(block);
}

static void the_fuse_burns_once(void)
{
    stoa_memory_fail_after(2);
    void *blocks[4];
    for (int i = 0; i < 4; i++) {
        blocks[i] = stoa_alloc(1, 1);
    }
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(blocks[0] != NULL && blocks[1] != NULL && blocks[2] == NULL && blocks[3] != NULL);
    for (int i = 0; i < 4; i++) {
        free(blocks[i]);
    }
}

static void an_array_has_room_for_one_more(void)
{
    uint32_t *array = NULL;

    for (size_t n = 0; n < 100; n++) {
        array = stoa_one_more(array, n, sizeof *array);
        CHECK(array != NULL);
        array[n] = (uint32_t)n;
    }
    for (size_t n = 0; n < 100; n++) {
        CHECK(array[n] == n);
    }
    free(array);
}

/* Of huge pages or not, it is a block like others. */
static void a_large_block_grows_as_others_do(void)
{
    const size_t sizes[] = {0, 100, (size_t)3 << 20};

    CHECK(stoa_alloc_large(SIZE_MAX / 4, 8) == NULL);
    for (int i = 0; i < 3; i++) {
        uint8_t *block = stoa_alloc_large(sizes[i], 2);
        CHECK(block != NULL);
        memset(block, 7, 2 * sizes[i]);
        block = stoa_realloc(block, 3 * sizes[i] + 1, 2);
        CHECK(block != NULL);
        for (size_t k = 0; k < 2 * sizes[i]; k++) {
            CHECK(block[k] == 7);
        }
        free(block);
    }
}

static void text_is_copied_and_ended(void)
{
    char *a = stoa_strdup("heron");
    char *b = stoa_strndup("heron", 2);
    char *c = stoa_format("%s-%03d", "rye", 7);

    CHECK_STR(a, "heron");
    CHECK_STR(b, "he");
    CHECK_STR(c, "rye-007");
    free(a);
    free(b);
    free(c);
}

static void a_buffer_keeps_what_it_was_given(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer buffer = {0};

    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_OK(stoa_buffer_append(&buffer, &i, sizeof i, &err), &err);
    }
    CHECK_U64(buffer.size, 4000);
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK(memcmp(buffer.data + i * sizeof i, &i, sizeof i) == 0);
    }
    CHECK_OK(stoa_buffer_grow(&buffer, 3, &err), &err);
    CHECK_U64(buffer.size, 4003);
    CHECK(buffer.data[4000] == 0 && buffer.data[4002] == 0);
    CHECK_OK(stoa_buffer_append(&buffer, NULL, 0, &err), &err);
    stoa_buffer_clear(&buffer);
    CHECK(buffer.data == NULL && buffer.size == 0 && buffer.capacity == 0);
}

static void printed_text_is_ended_but_its_end_not_counted(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer buffer = {0};

    CHECK_OK(stoa_buffer_print(&buffer, &err, "%d rows", 12), &err);
    CHECK_OK(stoa_buffer_print(&buffer, &err, ", %s ", "sorted"), &err);
    CHECK_OK(stoa_buffer_quote(&buffer, '"', "a \"b'\" ...", strlen("a \"b'\""), &err), &err);
    CHECK_U64(buffer.size, strlen("12 rows, sorted \"a \"\"b'\"\"\""));
    char *text = stoa_buffer_detach(&buffer);
    CHECK_STR(text, "12 rows, sorted \"a \"\"b'\"\"\"");
    CHECK(buffer.data == NULL && buffer.size == 0);
    free(text);
}

static void bytes_are_taken_as_a_text_with_its_end(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer buffer = {0};
    char *text = NULL;
    char untouched = 'x';

    /* As many as there is room for: the end needs more, and does not stay from what was there. */
    CHECK_OK(stoa_buffer_reserve(&buffer, 1, &err), &err);
    const size_t n = buffer.capacity;
    CHECK_OK(stoa_buffer_grow(&buffer, n, &err), &err);
    memset(buffer.data, 'a', n);
    CHECK_OK(stoa_buffer_detach_text(&buffer, &text, &err), &err);
    CHECK_U64(strlen(text), n);
    CHECK(buffer.data == NULL && buffer.size == 0);
    free(text);

    CHECK_OK(stoa_buffer_detach_text(&buffer, &text, &err), &err);
    CHECK_STR(text, "");
    free(text);

    text = &untouched;
    stoa_memory_fail_after(0);
    CHECK_STATUS(STOA_ENOMEM, stoa_buffer_detach_text(&buffer, &text, &err));
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(text == &untouched);
    stoa_buffer_clear(&buffer);
}

static void a_buffer_without_end_is_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer buffer = {0};

    CHECK_STATUS(STOA_ENOMEM, stoa_buffer_reserve(&buffer, SIZE_MAX, &err));
    CHECK(buffer.data == NULL);
}

static void bits_are_counted_from_any_place_to_any_place(void)
{
    uint8_t bits[40];
    uint64_t state = 88172645463325252u;

    for (size_t i = 0; i < sizeof bits; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        bits[i] = (uint8_t)state;
    }
    for (uint64_t first = 0; first < 320; first += 7) {
        uint64_t expected = 0;
        for (uint64_t n = 0; first + n <= 320; n++) {
            CHECK_U64(stoa_bit_count(bits, first, n), expected);
            if (first + n < 320) {
                expected += (bits[(first + n) / 8] >> ((first + n) % 8)) & 1u;
            }
        }
    }
}

static void bits_are_least_significant_first(void)
{
    uint8_t bits[2] = {0};

    stoa_bit_set(bits, 0);
    stoa_bit_set(bits, 9);
    CHECK_U64(bits[0], 0x01);
    CHECK_U64(bits[1], 0x02);
    CHECK(stoa_bit_get(bits, 9) && !stoa_bit_get(bits, 8));
    stoa_bit_clear(bits, 9);
    CHECK_U64(bits[1], 0x00);
    CHECK_U64(stoa_bit_bytes(0), 0);
    CHECK_U64(stoa_bit_bytes(8), 1);
    CHECK_U64(stoa_bit_bytes(9), 2);
    CHECK_U64(stoa_bit_bytes(UINT64_MAX), UINT64_MAX / 8 + 1);
}

static stoa_status fill_a_buffer(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer buffer = {0};

    for (uint64_t i = 0; i < 100; i++) {
        STOA_TRY(stoa_buffer_append(&buffer, &i, sizeof i, err));
        STOA_TRY(stoa_buffer_print(&buffer, err, "%d", (int)i));
        STOA_TRY(stoa_buffer_grow(&buffer, 5, err));
    }

done:
    stoa_buffer_clear(&buffer);
    return status;
}

/* A leak, were it not. */
static void a_callers_text_is_freed(void)
{
    char *text = stoa_format("%d", 7);

    CHECK(text != NULL);
    CHECK_STR(text, "7");
    stoa_free(text);
    stoa_free(NULL);
}

/* Linux says it by itself, too. */
static void the_machines_memory_is_what_the_kernel_says(void)
{
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");

    if (file != NULL) {
        CHECK(fscanf(file, "MemTotal: %llu", &kib) == 1);
        CHECK(fclose(file) == 0);
        CHECK(stoa_machine_memory() == kib * 1024);
    }
}

static void a_sort_takes_a_quarter_of_the_machine_at_most_768_mib(void)
{
    const uint64_t all = stoa_machine_memory();
    const uint64_t most = UINT64_C(768) << 20;

    CHECK(stoa_sort_memory() == (all / 4 < most ? all / 4 : most));
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(fill_a_buffer) > 3);
}

TEST_MAIN(TEST(a_size_that_overflows_is_refused), TEST(nothing_is_a_valid_block),
          TEST(an_array_has_room_for_one_more), TEST(the_fuse_burns_once),
          TEST(a_large_block_grows_as_others_do), TEST(text_is_copied_and_ended),
          TEST(a_buffer_keeps_what_it_was_given),
          TEST(printed_text_is_ended_but_its_end_not_counted),
          TEST(bytes_are_taken_as_a_text_with_its_end), TEST(a_buffer_without_end_is_refused),
          TEST(bits_are_counted_from_any_place_to_any_place),
          TEST(bits_are_least_significant_first), TEST(a_callers_text_is_freed),
          TEST(the_machines_memory_is_what_the_kernel_says),
          TEST(a_sort_takes_a_quarter_of_the_machine_at_most_768_mib),
          TEST(no_allocation_is_taken_for_granted))
