/* Which of some names a mistyped one was meant to be. For src/core/nearest_name.c. */
#include <string.h>

#include "core/nearest_name.h"
#include "support/check.h"

static const char *meant_by(const char *name, size_t farther)
{
    static const char *const names[] = {"energy", "energy_2", "time", "t", "Baseline"};
    stoa_nearest_name nearest = stoa_nearest_name_to(name, strlen(name), farther);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stoa_nearest_name_try(&nearest, names[i], strlen(names[i]));
    }
    return nearest.found != NULL ? nearest.found : "none";
}

static void a_slip_or_two_are_seen_through(void)
{
    CHECK_STR(meant_by("enrgy", 0), "energy");      /* one left out */
    CHECK_STR(meant_by("energyy", 0), "energy");    /* one too many; energy_2 is two away */
    CHECK_STR(meant_by("energy-2", 0), "energy_2"); /* one for another */
    CHECK_STR(meant_by("tiem", 0), "time");         /* two for others */
    CHECK_STR(meant_by("BASELINE", 0), "Baseline");
}

/* Letters left out, put in or changed, as Levenshtein counts them. */
static void each_letter_counts_once(void)
{
    static const struct {
        const char *a, *b;
        size_t far;
    } pairs[] = {{"", "", 0},
                 {"", "ab", 2},
                 {"ab", "", 2},
                 {"a", "b", 1},
                 {"ab", "a", 1},
                 {"a", "ab", 1},
                 {"flaw", "lawn", 2},
                 {"kitten", "sitting", 3},
                 {"saturday", "sunday", 3},
                 {"abc", "xabcy", 2},
                 {"xabcy", "abc", 2},
                 {"abcdef", "f", 5}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        stoa_nearest_name nearest = stoa_nearest_name_to(pairs[i].a, strlen(pairs[i].a), 100);
        stoa_nearest_name_try(&nearest, pairs[i].b, strlen(pairs[i].b));
        CHECK_U64(nearest.least, pairs[i].far);
    }
}

static void what_is_far_is_not_offered(void)
{
    CHECK_STR(meant_by("temperature", 0), "none");
    CHECK_STR(meant_by("xyz", 0), "none");
    CHECK_STR(meant_by("x", 0), "t"); /* one for another: a third of one letter and two more */
    CHECK_STR(meant_by("x", 1), "none");
    CHECK_STR(meant_by("tiem", 2), "none");
}

static void long_names_are_near_to_none(void)
{
    char name[80];

    memset(name, 'a', sizeof name);
    stoa_nearest_name nearest = stoa_nearest_name_to(name, sizeof name, 0);
    stoa_nearest_name_try(&nearest, name, sizeof name);
    CHECK(nearest.found == NULL);
    nearest = stoa_nearest_name_to(name, 64, 0);
    stoa_nearest_name_try(&nearest, name, sizeof name);
    CHECK(nearest.found == NULL);
    stoa_nearest_name_try(&nearest, name, 64);
    CHECK(nearest.found == name);
}

TEST_MAIN(TEST(a_slip_or_two_are_seen_through), TEST(each_letter_counts_once),
          TEST(what_is_far_is_not_offered), TEST(long_names_are_near_to_none))
