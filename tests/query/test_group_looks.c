/* How often groups of many keys tell their listener, which may end them. Work is counted, not
 * time. */
#include <stdio.h>
#include <stdlib.h>

#include "core/string_set.h"
#include "tables.h"

/* Rows, each with keys of its own; rows and groups that are handled without a look. */
enum { N_ROWS = 1 << 19, WINDOW = 8192, MERGED = 4096, SLOTS = 65536 };

typedef struct hearing {
    uint64_t n_told;
    uint64_t ends_at; /* 0: never */
} hearing;

static bool hear(void *context, const stoa_progress *progress)
{
    hearing *const h = context;

    (void)progress;
    return ++h->n_told != h->ends_at;
}

static home make_home(void)
{
    batch b = batch_begin(2, N_ROWS);
    int64_t *const numbers = malloc(N_ROWS * sizeof *numbers);
    char(*const texts)[24] = malloc(N_ROWS * sizeof *texts);
    const char **const pointers = malloc(N_ROWS * sizeof *pointers);

    CHECK(numbers != NULL && texts != NULL && pointers != NULL);
    for (int64_t i = 0; i < N_ROWS; i++) {
        numbers[i] = i * 7368787 % N_ROWS; /* each of 0 .. N_ROWS - 1 */
        (void)snprintf(texts[i], sizeof texts[i], "%lld", (long long)i);
        pointers[i] = texts[i];
    }
    batch_integers(&b, 0, "k", "l", numbers, NULL);
    batch_strings(&b, 1, "t", pointers);
    free(numbers);
    free(texts);
    free((void *)pointers);
    return home_of(&b, N_ROWS / 8, NULL, 0);
}

/* Ask; count how often the listener was told. */
static stoa_status told(home *h, const char *aggregates, const char *by, unsigned threads,
                        hearing *is)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    const stoa_query_options *options =
        OPTIONS(.aggregates = aggregates, .by = by, .threads = threads, .limit = -1,
                .listener = {hear, is});

    STOA_TRY(stoa_query_open(h->table, options, &query, &err));
    STOA_TRY(stoa_query_run(query, &stream, &err));
    do {
        stoa_array_release(&array);
        STOA_TRY(stoa_stream_next(&stream, &array, &err));
    } while (array.release != NULL);

done:
    stoa_array_release(&array);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static void every_window_tells_when_it_is_read_and_when_partitions_took_it(void)
{
    static const char *const keys[] = {"k", "t"};
    home h = make_home();

    for (int i = 0; i < 2; i++) {
        hearing is = {0, 0};
        CHECK_OK(told(&h, "count()", keys[i], 1, &is));
        CHECK(is.n_told >= 2 * (N_ROWS / WINDOW));
    }
    home_leave(&h);
}

static void distinct_values_tell_while_they_are_merged(void)
{
    static const char *const distinct[] = {"distinct(k)", "distinct(t)"};
    home h = make_home();

    for (int i = 0; i < 2; i++) {
        hearing is = {0, 0};
        CHECK_OK(told(&h, distinct[i], NULL, 1, &is));
        CHECK(is.n_told >= N_ROWS / WINDOW + N_ROWS / MERGED);
    }
    home_leave(&h);
}

static void medians_tell_while_values_are_merged_and_brought_together(void)
{
    hearing is = {0, 0};
    home h = make_home();

    CHECK_OK(told(&h, "median(k)", "t", 1, &is));
    CHECK(is.n_told >= 2 * (N_ROWS / WINDOW) + N_ROWS / MERGED); /* read, taken, together */
    is = (hearing){0, 0};
    CHECK_OK(told(&h, "median(k)", NULL, 1, &is)); /* each pass leaves about half of the values */
    CHECK(is.n_told >= N_ROWS / WINDOW + N_ROWS / MERGED + 5);
    home_leave(&h);
}

static void the_listener_ends_groups_wherever_it_is_told(void)
{
    home h = make_home();

    for (uint64_t at = 1; at < 190; at += 47) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            hearing is = {0, at};
            CHECK_STATUS(STOA_ECANCELLED, told(&h, "distinct(k)", "t", threads, &is));
            CHECK_U64(is.n_told, at);
        }
    }
    home_leave(&h);
}

/* Add texts until there are n. */
static stoa_status add_texts(stoa_string_set *set, uint32_t n)
{
    char text[16];
    uint32_t number = 0;

    while (set->count < n) {
        const int length = snprintf(text, sizeof text, "%u", set->count);
        STOA_RETURN_NOT_OK(stoa_string_set_add(set, text, (size_t)length, &number, NULL));
    }
    return STOA_OK;
}

static void a_set_that_grows_tells_and_is_whole_when_it_is_ended(void)
{
    hearing is = {0, 0};
    const stoa_listener listener = {hear, &is};
    stoa_string_set set = {.listener = &listener};
    uint32_t number = 0;

    CHECK_OK(add_texts(&set, N_ROWS));
    CHECK(is.n_told >= set.n_slots / SLOTS + set.count / 2 / SLOTS);
    const size_t n_slots = set.n_slots;
    is.ends_at = is.n_told + 3;
    CHECK_STATUS(STOA_ECANCELLED, add_texts(&set, (uint32_t)n_slots));
    CHECK_U64(set.n_slots, n_slots);
    CHECK_U64(set.count, n_slots / 2);
    CHECK(stoa_string_set_find(&set, "77777", 5, &number));
    CHECK_U64(number, 77777);
    CHECK_OK(add_texts(&set, (uint32_t)n_slots)); /* goes on where it ended */
    stoa_string_set_clear(&set);
}

TEST_MAIN(TEST(every_window_tells_when_it_is_read_and_when_partitions_took_it),
          TEST(distinct_values_tell_while_they_are_merged),
          TEST(medians_tell_while_values_are_merged_and_brought_together),
          TEST(the_listener_ends_groups_wherever_it_is_told),
          TEST(a_set_that_grows_tells_and_is_whole_when_it_is_ended))
