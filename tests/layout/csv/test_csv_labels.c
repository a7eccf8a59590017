/* Labels of a CSV column in bytewise order, for src/layout/csv/labels.c; the order that is right is
 * found by comparing each with each. */
#include <stdlib.h>
#include <string.h>

#include "layout/csv/columns.h"
#include "support/check.h"
#include "support/sweep.h"

/* Bytewise, a beginning before what it begins; written out, not by what is tested. */
static bool is_before(const stoa_string_set *labels, uint32_t a, uint32_t b)
{
    size_t n_a;
    size_t n_b;
    const unsigned char *x = (const unsigned char *)stoa_string_set_get(labels, a, &n_a);
    const unsigned char *y = (const unsigned char *)stoa_string_set_get(labels, b, &n_b);
    size_t i = 0;

    while (i < n_a && i < n_b && x[i] == y[i]) {
        i++;
    }
    return i < n_b && (i == n_a || x[i] < y[i]);
}

static void check_order(const stoa_string_set *labels)
{
    uint32_t *order = malloc((labels->count + 1) * sizeof *order);
    uint8_t *seen = calloc(labels->count + 1, 1);
    stoa_error err = STOA_ERROR_INIT;

    CHECK(order != NULL && seen != NULL);
    CHECK_OK(stoa_csv_order_labels(labels, order, &err), &err);
    for (uint32_t i = 0; i < labels->count; i++) {
        CHECK(order[i] < labels->count && !seen[order[i]]);
        seen[order[i]] = 1;
        CHECK(i == 0 || is_before(labels, order[i - 1], order[i]));
    }
    free(order);
    free(seen);
}

static void add(stoa_string_set *labels, const char *text, size_t length)
{
    CHECK_OK(stoa_string_set_add(labels, text, length, &(uint32_t){0}, NULL), NULL);
}

static void labels_come_in_bytewise_order(void)
{
    static const char *const beginnings[] = {"", "detector-", "\xc3\xa4\xff", "aaaaaaaaaaaaaaaa"};

    for (uint64_t k = 0; k < 200; k++) {
        stoa_string_set labels = {0};
        const char *beginning = beginnings[k % 4];
        const uint64_t n = check_random_below(k < 20 ? 3 : 600);
        const uint64_t longest = 1 + check_random_below(14); /* over and below a key's bytes */
        const uint64_t n_letters = 1 + check_random_below(5);
        for (uint64_t i = 0; i < n; i++) {
            char text[64];
            size_t length = strlen(beginning);
            memcpy(text, beginning, length);
            for (uint64_t left = check_random_below(longest + 1); left > 0; left--) {
                text[length++] = "a\0\xffz~"[check_random_below(n_letters)];
            }
            add(&labels, text, length);
        }
        check_order(&labels);
        stoa_string_set_clear(&labels);
    }
}

static void no_label_and_one_are_in_order(void)
{
    stoa_string_set labels = {0};

    check_order(&labels);
    add(&labels, "", 0);
    check_order(&labels);
    stoa_string_set_clear(&labels);
}

static stoa_status order_some(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set labels = {0};
    uint32_t order[2];

    STOA_TRY(stoa_string_set_add(&labels, "b", 1, order, err));
    STOA_TRY(stoa_string_set_add(&labels, "a", 1, order, err));
    STOA_TRY(stoa_csv_order_labels(&labels, order, err));
    CHECK(order[0] == 1 && order[1] == 0);

done:
    stoa_string_set_clear(&labels);
    return status;
}

static void memory_that_runs_out_is_told(void)
{
    CHECK(sweep_memory(order_some) >= 2);
}

TEST_MAIN(TEST(labels_come_in_bytewise_order), TEST(no_label_and_one_are_in_order),
          TEST(memory_that_runs_out_is_told))
