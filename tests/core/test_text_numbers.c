/* Texts that several threads add get one number each, without gaps, and are found by it. */
#include "core/text_numbers.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

enum { N_TEXTS = 20000, N_THREADS = 4, WIDTH = 16, AT_ONCE = 777 };

static char texts[N_TEXTS][WIDTH];
static const char *pointers[N_TEXTS];
static size_t lengths[N_TEXTS];
static uint32_t found[N_THREADS][N_TEXTS];
static stoa_text_numbers *numbers;

static void make_texts(void)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        (void)snprintf(texts[i], WIDTH, "%zu", i);
        pointers[i] = texts[i];
        lengths[i] = i > 0 ? strlen(texts[i]) : 0; /* one is empty */
    }
}

/* Add all texts, beginning at another one in each thread: half of them one by one. */
static void *add_all(void *context)
{
    uint32_t *const out = context;
    const size_t first = (size_t)(out - found[0]) / N_TEXTS * 1234;
    size_t n = 0;

    for (size_t done = 0; done < N_TEXTS; done += n) {
        const size_t at = (first + done) % N_TEXTS;
        n = at % 2 != 0 ? 1 : AT_ONCE;
        n = n < N_TEXTS - at ? n : N_TEXTS - at;
        n = n < N_TEXTS - done ? n : N_TEXTS - done;
        if (stoa_text_numbers_add(numbers, pointers + at, lengths + at, n, out + at, NULL) !=
            STOA_OK) {
            return out;
        }
    }
    return NULL;
}

static void every_thread_gets_the_same_numbers_without_gaps(void)
{
    pthread_t threads[N_THREADS];
    void *failed = NULL;
    static bool is_taken[N_TEXTS];
    size_t length;

    make_texts();
    CHECK_OK(stoa_text_numbers_open(&numbers, NULL));
    for (size_t i = 0; i < N_THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, add_all, found[i]) == 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        CHECK(pthread_join(threads[i], &failed) == 0);
        CHECK(failed == NULL);
    }
    CHECK_U64(stoa_text_numbers_count(numbers), N_TEXTS);
    for (size_t i = 0; i < N_TEXTS; i++) {
        const uint32_t number = found[0][i];
        CHECK(number < N_TEXTS && !is_taken[number]);
        is_taken[number] = true;
        for (size_t k = 1; k < N_THREADS; k++) {
            CHECK_U64(found[k][i], number);
        }
        const char *const text = stoa_text_numbers_get(numbers, number, &length);
        CHECK_U64(length, lengths[i]);
        CHECK_MEM(text, texts[i], length);
    }
    stoa_text_numbers_close(numbers);
}

static void nothing_is_closed_and_no_text_is_added(void)
{
    stoa_text_numbers_close(NULL);
    CHECK_OK(stoa_text_numbers_open(&numbers, NULL));
    CHECK_OK(stoa_text_numbers_add(numbers, NULL, NULL, 0, NULL, NULL));
    CHECK_U64(stoa_text_numbers_count(numbers), 0);
    stoa_text_numbers_close(numbers);
}

static void the_first_list_has_numbers_by_place_that_all_share(void)
{
    _Atomic uint32_t *one = NULL;
    _Atomic uint32_t *again = NULL;
    _Atomic uint32_t *other = NULL;

    CHECK_OK(stoa_text_numbers_open(&numbers, NULL));
    CHECK_OK(stoa_text_numbers_of_list(numbers, texts, N_TEXTS, &one, NULL));
    for (size_t i = 0; i < N_TEXTS; i++) {
        CHECK_U64(one[i], 0);
    }
    one[N_TEXTS - 1] = 5;
    CHECK_OK(stoa_text_numbers_of_list(numbers, texts, N_TEXTS, &again, NULL));
    CHECK(again == one && again[N_TEXTS - 1] == 5);
    CHECK_OK(stoa_text_numbers_of_list(numbers, texts, N_TEXTS - 1, &other, NULL));
    CHECK(other == NULL);
    CHECK_OK(stoa_text_numbers_of_list(numbers, lengths, N_TEXTS, &other, NULL));
    CHECK(other == NULL);
    stoa_text_numbers_close(numbers);
}

TEST_MAIN(TEST(every_thread_gets_the_same_numbers_without_gaps),
          TEST(the_first_list_has_numbers_by_place_that_all_share),
          TEST(nothing_is_closed_and_no_text_is_added))
