/* How often long sorts tell their listener, which may end them: src/query/sort. Work is counted,
 * not time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/sort/sort.h"
#include "support/batches.h"

enum { N_ROWS = 1 << 18 };

typedef struct hearing {
    uint64_t n_told;
    uint64_t ends_at; /* 0: never */
} hearing;

static bool hear(void *context, const stoa_progress *progress)
{
    hearing *const h = context;

    CHECK_STR(progress->stage, "sorting");
    return ++h->n_told != h->ends_at;
}

static uint64_t scramble(uint64_t i)
{
    i ^= i >> 31;
    i *= UINT64_C(0x9e3779b97f4a7c15);
    return i ^ i >> 29;
}

/* A column to sort, which is its own key: numbers that differ in all bytes, or long texts that
 * begin alike. */
static batch make(bool is_text)
{
    batch b = batch_begin(2, N_ROWS);
    int64_t *const numbers = malloc(N_ROWS * sizeof *numbers);
    char(*const texts)[24] = malloc(N_ROWS * sizeof *texts);
    const char **const pointers = malloc(N_ROWS * sizeof *pointers);

    for (uint64_t i = 0; i < N_ROWS; i++) {
        numbers[i] = (int64_t)scramble(i + 1);
        (void)snprintf(texts[i], sizeof texts[i], "abcdefgh%014llu",
                       (unsigned long long)(scramble(i + 1) % 100000000000000));
        pointers[i] = texts[i];
    }
    for (int64_t c = 0; c < 2; c++) {
        if (is_text) {
            batch_strings(&b, c, c == 0 ? "x" : "key", pointers);
        } else {
            batch_integers(&b, c, c == 0 ? "x" : "key", "l", numbers, NULL);
        }
    }
    free(numbers);
    free(texts);
    free((void *)pointers);
    return b;
}

/* Sort all rows; *n_finish is how often the listener was told from the last batch to the first row.
 */
static stoa_status sort(bool is_text, hearing *h, uint64_t memory, uint64_t *n_finish)
{
    const bool descending = false;
    const stoa_listener listener = {hear, h};
    stoa_status status = STOA_OK;
    stoa_sorter sorter = {.is_open = false};
    struct ArrowArray out = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    batch b = make(is_text);
    const stoa_sort_request request = {.schema = &b.schema,
                                       .n_outputs = 1,
                                       .descending = &descending,
                                       .limit = UINT64_MAX,
                                       .memory = memory,
                                       .listener = &listener};
    uint64_t n_before = 0;

    STOA_TRY(stoa_sorter_open(&sorter, &request, &err));
    STOA_TRY(stoa_sorter_add(&sorter, &b.array, &err));
    n_before = h->n_told;
    STOA_TRY(stoa_sorter_finish(&sorter, &err));
    *n_finish = h->n_told - n_before;
    do {
        stoa_array_release(&out);
        n_before = h->n_told;
        STOA_TRY(stoa_sorter_next(&sorter, 4096, &out, &err));
        CHECK_U64(h->n_told - n_before, out.release != NULL ? 1 : 0);
    } while (out.release != NULL);

done:
    stoa_array_release(&out);
    stoa_sorter_clear(&sorter);
    stoa_schema_release(&b.schema);
    stoa_array_release(&b.array);
    return status;
}

static void every_pass_of_a_radix_sort_tells_in_the_middle(void)
{
    const uint64_t n_passes = 8 * 2; /* each byte of the number is counted, and then moved */
    hearing h = {0, 0};
    uint64_t n_finish = 0;

    CHECK_OK(sort(false, &h, UINT64_MAX, &n_finish));
    CHECK(n_finish >= n_passes * N_ROWS / STOA_SORT_LOOK);
    CHECK(n_finish <= (n_passes + 4) * N_ROWS / STOA_SORT_LOOK);
}

static void every_pass_over_texts_that_begin_alike_tells_in_the_middle(void)
{
    const uint64_t n_passes = 2 + 6 * 2; /* each digit behind the beginning, and the buckets */
    hearing h = {0, 0};
    uint64_t n_finish = 0;

    CHECK_OK(sort(true, &h, UINT64_MAX, &n_finish));
    CHECK(n_finish >= n_passes * N_ROWS / STOA_SORT_LOOK);
}

static void the_listener_ends_a_sort_wherever_it_is_told(void)
{
    for (uint64_t at = 1; at < 80; at += 13) {
        for (int is_text = 0; is_text < 2; is_text++) {
            hearing h = {0, at};
            uint64_t n_finish = 0;

            CHECK_STATUS(STOA_ECANCELLED, sort(is_text != 0, &h, UINT64_MAX, &n_finish));
            CHECK_U64(h.n_told, at);
        }
    }
}

TEST_MAIN(TEST(every_pass_of_a_radix_sort_tells_in_the_middle),
          TEST(every_pass_over_texts_that_begin_alike_tells_in_the_middle),
          TEST(the_listener_ends_a_sort_wherever_it_is_told))
