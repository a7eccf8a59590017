/* Structs between callers and libraries of different age. For src/core/sized_struct.h. */
#include <stoa/error.h>

#include "core/sized_struct.h"
#include "support/check.h"

typedef struct pair {
    size_t size;
    int a;
    int b;
} pair;

/* The same of a later release. */
typedef struct triple {
    size_t size;
    int a;
    int b;
    int c;
} triple;

static stoa_status take(pair *own, const void *given, stoa_error *err)
{
    *own = (pair){sizeof *own, 1, 2};
    return STOA_SIZED_COPY(own, given, a, "PAIR_INIT", err);
}

static void without_a_struct_the_defaults_stay(void)
{
    pair own;

    CHECK_OK(take(&own, NULL, NULL));
    CHECK(own.a == 1 && own.b == 2);
}

static void what_an_older_caller_does_not_know_keeps_its_default(void)
{
    const pair given = {offsetof(pair, b), 10, 20};
    pair own;

    CHECK_OK(take(&own, &given, NULL));
    CHECK(own.a == 10 && own.b == 2);
    CHECK_U64(own.size, sizeof own);
}

static void what_the_library_does_not_know_is_not_read(void)
{
    const triple given = {sizeof given, 10, 20, 30};
    struct {
        pair own;
        int guard;
    } is = {.guard = 7};

    CHECK_OK(take(&is.own, &given, NULL));
    CHECK(is.own.a == 10 && is.own.b == 20 && is.guard == 7);
    CHECK_U64(is.own.size, sizeof is.own);
}

static void a_struct_without_its_first_members_is_refused_by_name(void)
{
    const pair given = {offsetof(pair, a), 10, 20};
    stoa_error err = STOA_ERROR_INIT;
    pair own;

    CHECK_STATUS(STOA_EINVAL, take(&own, &given, &err));
    CHECK_CONTAINS(err.message, "PAIR_INIT");
    CHECK(own.a == 1 && own.b == 2);
}

static void what_is_given_back_ends_where_either_struct_does(void)
{
    const pair own = {sizeof own, 1, 2};
    pair older = {offsetof(pair, b), 10, 20};
    triple later = {sizeof later, 10, 20, 30};

    STOA_SIZED_GIVE(&own, &older);
    CHECK(older.size == offsetof(pair, b) && older.a == 1 && older.b == 20);
    STOA_SIZED_GIVE(&own, &later);
    CHECK(later.size == sizeof later && later.a == 1 && later.b == 2 && later.c == 30);
    STOA_SIZED_GIVE(&own, (pair *)NULL);
}

TEST_MAIN(TEST(without_a_struct_the_defaults_stay),
          TEST(what_an_older_caller_does_not_know_keeps_its_default),
          TEST(what_the_library_does_not_know_is_not_read),
          TEST(a_struct_without_its_first_members_is_refused_by_name),
          TEST(what_is_given_back_ends_where_either_struct_does))
