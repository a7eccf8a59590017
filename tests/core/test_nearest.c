/* Which of some names a mistyped one was meant to be. For src/core/nearest.c. */
#include <string.h>

#include "core/nearest.h"
#include "support/check.h"

static const char *meant_by(const char *name, size_t farther)
{
    static const char *const names[] = {"energy", "energy_2", "time", "t", "Baseline"};
    stoa_nearest nearest = stoa_nearest_to(name, strlen(name), farther);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stoa_nearest_try(&nearest, names[i], strlen(names[i]));
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
    stoa_nearest nearest = stoa_nearest_to(name, sizeof name, 0);
    stoa_nearest_try(&nearest, name, sizeof name);
    CHECK(nearest.found == NULL);
    nearest = stoa_nearest_to(name, 64, 0);
    stoa_nearest_try(&nearest, name, sizeof name);
    CHECK(nearest.found == NULL);
    stoa_nearest_try(&nearest, name, 64);
    CHECK(nearest.found == name);
}

TEST_MAIN(TEST(a_slip_or_two_are_seen_through), TEST(what_is_far_is_not_offered),
          TEST(long_names_are_near_to_none))
