/* The set of distinct strings, for src/core/string_set.c */
#include <stdio.h>
#include <string.h>

#include "core/string_set.h"
#include "support/check.h"
#include "support/sweep.h"

static uint32_t add(stoa_string_set *set, const char *text, size_t length)
{
    stoa_error err = STOA_ERROR_INIT;
    uint32_t number = UINT32_MAX;

    CHECK_OK(stoa_string_set_add(set, text, length, &number, &err), &err);
    return number;
}

static void numbers_follow_the_order_of_first_sight(void)
{
    stoa_string_set set = {0};

    CHECK_U64(add(&set, "wren", 4), 0);
    CHECK_U64(add(&set, "owl", 3), 1);
    CHECK_U64(add(&set, "wren", 4), 0);
    CHECK_U64(add(&set, "", 0), 2);
    CHECK_U64(add(&set, "owl", 3), 1);
    CHECK_U64(set.count, 3);
    stoa_string_set_clear(&set);
    CHECK_U64(set.count, 0);
}

static void strings_are_bytes_not_text(void)
{
    stoa_string_set set = {0};
    size_t length;

    CHECK_U64(add(&set, "a\0b", 3), 0);
    CHECK_U64(add(&set, "a\0c", 3), 1);
    CHECK_U64(add(&set, "a", 1), 2);
    CHECK_U64(add(&set, "a\0", 2), 3);
    CHECK(memcmp(stoa_string_set_get(&set, 1, &length), "a\0c", 3) == 0);
    CHECK_U64(length, 3);
    stoa_string_set_clear(&set);
}

static void many_strings_are_found_again(void)
{
    enum { N = 20000 };
    stoa_string_set set = {0};
    char text[16];
    uint32_t number;

    for (uint32_t i = 0; i < N; i++) {
        const int length = snprintf(text, sizeof text, "bird%u", i);
        CHECK_U64(add(&set, text, (size_t)length), i);
    }
    for (uint32_t i = 0; i < N; i++) {
        const int length = snprintf(text, sizeof text, "bird%u", i);
        size_t stored;
        CHECK(stoa_string_set_find(&set, text, (size_t)length, &number));
        CHECK_U64(number, i);
        CHECK(memcmp(stoa_string_set_get(&set, i, &stored), text, (size_t)length) == 0);
    }
    CHECK(!stoa_string_set_find(&set, "fish", 4, &number));
    stoa_string_set_clear(&set);
    CHECK(!stoa_string_set_find(&set, "bird1", 5, &number));
}

/* Texts of 0 to 69 bytes, four of each length, that differ in one byte at most: the first, one in
 * the middle or the last. Every third one is not in the set. */
static void many_at_once_are_found_as_one_by_one(void)
{
    enum { N = 70 * 4 };
    static char room[N][72];
    const char *texts[N];
    size_t lengths[N];
    uint32_t numbers[N];
    stoa_string_set set = {0};

    for (size_t i = 0; i < N; i++) {
        texts[i] = room[i];
        lengths[i] = i / 4;
        memset(room[i], 'a', lengths[i]);
        if (lengths[i] != 0 && i % 4 != 0) {
            room[i][i % 4 == 1 ? 0 : i % 4 == 2 ? lengths[i] / 3 : lengths[i] - 1] = 'b';
        }
    }
    stoa_string_set_find_many(&set, texts, lengths, N, numbers);
    for (size_t i = 0; i < N; i++) {
        CHECK_U64(numbers[i], STOA_STRING_SET_NONE);
    }
    for (size_t i = 0; i < N; i++) {
        if (i % 3 != 0) {
            (void)add(&set, texts[i], lengths[i]);
        }
    }
    stoa_string_set_find_many(&set, texts, lengths, N, numbers);
    for (size_t i = 0; i < N; i++) {
        uint32_t first = STOA_STRING_SET_NONE; /* among the set's own, by comparing all */
        for (uint32_t k = 0; k < set.count && first == STOA_STRING_SET_NONE; k++) {
            size_t length;
            const char *text = stoa_string_set_get(&set, k, &length);
            if (stoa_compare_bytes(text, length, texts[i], lengths[i]) == 0) {
                first = k;
            }
        }
        uint32_t one;
        const bool is_there = stoa_string_set_find(&set, texts[i], lengths[i], &one);
        CHECK_U64(numbers[i], first);
        CHECK_U64(is_there ? one : STOA_STRING_SET_NONE, first);
    }
    stoa_string_set_clear(&set);
}

/* Slots that hold each other's tags are told apart by the bytes, wherever they differ. */
static void the_empty_string_alone_is_found_among_others(void)
{
    stoa_string_set set = {0};
    const char *const texts[] = {"", "a"};
    const size_t lengths[] = {0, 1};
    uint32_t numbers[2];

    CHECK_OK(stoa_string_set_add(&set, "", 0, numbers, NULL), NULL);
    stoa_string_set_find_many(&set, texts, lengths, 2, numbers);
    CHECK_U64(numbers[0], 0);
    CHECK_U64(numbers[1], STOA_STRING_SET_NONE);
    stoa_string_set_clear(&set);
}

static void equal_tags_are_told_apart_by_the_bytes(void)
{
    enum { MOST = 50 };

    for (uint32_t length = 1; length <= MOST; length++) {
        stoa_string_set set = {0};
        char text[MOST];
        const char *const sought = text;
        const size_t n_bytes = length;
        uint32_t number = 0;
        memset(text, 'a', sizeof text);
        for (uint32_t i = 0; i < length; i++) {
            text[i] = 'b';
            (void)add(&set, text, length);
            text[i] = 'a';
        }
        (void)add(&set, text, length - 1);
        (void)add(&set, text, length); /* the one that is sought */
        memset(set.slots, 0, set.n_slots * sizeof *set.slots);
        for (uint32_t i = 0; i < set.count; i++) { /* all with its tag, and where it would be */
            const uint64_t hash = stoa_hash_bytes(text, length, 0);
            set.slots[((size_t)hash + i) & (set.n_slots - 1)] = (hash >> 32 << 32) | (i + 1);
        }
        stoa_string_set_find_many(&set, &sought, &n_bytes, 1, &number);
        CHECK_U64(number, length + 1);
        CHECK(stoa_string_set_find(&set, text, length, &number));
        CHECK_U64(number, length + 1);
        stoa_string_set_clear(&set);
    }
}

static void order_is_bytewise_and_shorter_first(void)
{
    CHECK(stoa_compare_bytes("a", 1, "b", 1) < 0);
    CHECK(stoa_compare_bytes("b", 1, "ab", 2) > 0);
    CHECK(stoa_compare_bytes("ab", 2, "abc", 3) < 0);
    CHECK(stoa_compare_bytes("", 0, "", 0) == 0);
    CHECK(stoa_compare_bytes("", 0, "a", 1) < 0);
    CHECK(stoa_compare_bytes("z", 1, "\xc3\xa9", 2) < 0); /* bytes are unsigned: z before é */
    CHECK(stoa_compare_bytes("name-001", 8, "name-010", 8) < 0);
    CHECK(stoa_compare_bytes("\xc3name-0", 8, "zname-000", 9) > 0);
    CHECK(stoa_compare_bytes("aname-0b", 8, "bname-0a", 8) < 0);
    CHECK(stoa_compare_bytes("name-000", 8, "name-0001", 9) < 0);
    CHECK(stoa_compare_bytes("name-0002", 9, "name-0001", 9) > 0);
    CHECK(stoa_compare_bytes("name-0001", 9, "name-0001", 9) == 0);
}

static void equal_bytes_hash_alike_whatever_their_place(void)
{
    char shifted[40];
    const char *text = "a longer string than one word";

    memcpy(shifted + 3, text, strlen(text));
    CHECK_U64(stoa_hash_bytes(text, strlen(text), 1),
              stoa_hash_bytes(shifted + 3, strlen(text), 1));
    CHECK(stoa_hash_bytes(text, 5, 0) != stoa_hash_bytes(text, 6, 0));
    CHECK(stoa_hash_bytes(text, 5, 0) != stoa_hash_bytes(text, 5, 1));
}

/* A set that could not grow is as it was, and can grow later. */
static void a_failed_add_changes_nothing(void)
{
    stoa_string_set set = {0};
    char text[16];

    for (uint32_t i = 0; i < 300; i++) {
        const int length = snprintf(text, sizeof text, "bird%u", i);
        for (uint64_t n = 0;; n++) {
            uint32_t number;
            stoa_memory_fail_after(n);
            const stoa_status status =
                stoa_string_set_add(&set, text, (size_t)length, &number, NULL);
            stoa_memory_fail_after(UINT64_MAX);
            if (status == STOA_OK) {
                CHECK_U64(number, i);
                break;
            }
            CHECK_U64(set.count, i);
            CHECK(!stoa_string_set_find(&set, text, (size_t)length, &number));
        }
    }
    stoa_string_set_clear(&set);
}

static stoa_status collect(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set set = {0};
    uint32_t number;

    for (uint32_t i = 0; i < 200; i++) {
        STOA_TRY(stoa_string_set_add(&set, &i, sizeof i, &number, err));
    }

done:
    stoa_string_set_clear(&set);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(collect) > 5);
}

static void merged_sets_number_what_is_new_behind_what_was_there(void)
{
    stoa_string_set set = {0};
    stoa_string_set other = {0};
    uint32_t numbers[300];
    char text[16];

    for (int i = 0; i < 200; i++) { /* 0, 2, 4, ... */
        (void)snprintf(text, sizeof text, "s%d", 2 * i);
        add(&set, text, strlen(text));
    }
    for (uint32_t i = 0; i < 300; i++) { /* 0, 1, 2, ... */
        (void)snprintf(text, sizeof text, "s%u", i);
        add(&other, text, strlen(text));
    }
    CHECK_OK(stoa_string_set_merge(&set, &other, numbers, NULL));
    CHECK_U64(set.count, 350);
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_U64(numbers[i], i % 2 == 0 ? i / 2 : 200 + i / 2);
    }
    CHECK_OK(stoa_string_set_merge(&set, &other, NULL, NULL));
    CHECK_U64(set.count, 350);
    stoa_string_set_clear(&set);
    stoa_string_set_clear(&other);
}

static void room_for_more_than_memory_holds_is_refused(void)
{
    stoa_string_set set = {0};
    uint32_t number = 7;

    (void)add(&set, "one", 3);
    CHECK_STATUS(STOA_ENOMEM, stoa_string_set_reserve(&set, SIZE_MAX / 2, NULL));
    CHECK(stoa_string_set_find(&set, "one", 3, &number));
    CHECK_U64(number, 0);
    stoa_string_set_clear(&set);
}

TEST_MAIN(TEST(room_for_more_than_memory_holds_is_refused),
          TEST(merged_sets_number_what_is_new_behind_what_was_there),
          TEST(numbers_follow_the_order_of_first_sight), TEST(strings_are_bytes_not_text),
          TEST(many_strings_are_found_again), TEST(many_at_once_are_found_as_one_by_one),
          TEST(the_empty_string_alone_is_found_among_others),
          TEST(equal_tags_are_told_apart_by_the_bytes), TEST(order_is_bytewise_and_shorter_first),
          TEST(equal_bytes_hash_alike_whatever_their_place), TEST(a_failed_add_changes_nothing),
          TEST(no_allocation_is_taken_for_granted))
