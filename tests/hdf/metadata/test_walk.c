/* Every group and dataset once, whatever circles links make: src/hdf/metadata/walk.c. */
#include "hdf/metadata/walk.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/memory_file.h"

static char seen[512];

static void make_group(hid_t file, const char *path)
{
    CHECK_H5(H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
}

static void make_dataset(hid_t file, const char *path)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Dclose(
        H5Dcreate2(file, path, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    CHECK_H5(H5Sclose(space));
}

/* Groups that hold themselves, the root, and each other; links that lead nowhere. */
static hid_t make_maze(void)
{
    const hid_t file = memory_file("walk.h5", false);

    make_group(file, "/b");
    make_group(file, "/a");
    make_group(file, "/a/c");
    make_dataset(file, "/d");
    make_dataset(file, "/a/x");
    make_dataset(file, "/a/y");
    CHECK_H5(H5Lcreate_hard(file, "/a", file, "/a/c/a", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "/", file, "/a/up", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "/a/x", file, "/b/again", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/s", file, "/s", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("none.h5", "/", file, "/e", H5P_DEFAULT, H5P_DEFAULT));
    seen[0] = '\0';
    return file;
}

static void note(const char *path)
{
    (void)strcat(strcat(seen, path), " ");
}

static stoa_status see_group(void *context, hid_t group, const char *path, bool *goes_on,
                             stoa_error *err)
{
    const char *const last = context;

    (void)err;
    CHECK(group >= 0);
    note(path);
    *goes_on = last == NULL || strcmp(path, last) != 0;
    return STOA_OK;
}

static stoa_status see_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    note(path);
    return context == NULL ? STOA_OK : stoa_fail(err, STOA_EDATA, "%d", dataset >= 0);
}

static stoa_status skip_a(void *context, hid_t group, const char *path, bool *visits,
                          stoa_error *err)
{
    (void)context;
    (void)group;
    (void)err;
    *visits = strcmp(path, "/a") != 0;
    return STOA_OK;
}

static void circles_end(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_maze();
    char last[] = "/a";

    CHECK_OK(stoa_groups_visit(file, see_group, NULL, &err), &err);
    CHECK_STR(seen, "/ /a /a/c /b ");
    seen[0] = '\0';
    CHECK_OK(stoa_groups_visit(file, see_group, last, &err), &err);
    CHECK_STR(seen, "/ /a ");
    CHECK_H5(H5Fclose(file));
}

static void a_dataset_is_seen_under_its_first_name(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_maze();

    CHECK_OK(stoa_datasets_visit(file, see_dataset, NULL, &err), &err);
    CHECK_STR(seen, "/d /a/x /a/y ");
    seen[0] = '\0';
    CHECK_OK(stoa_datasets_visit_in(file, NULL, skip_a, see_dataset, NULL, NULL, &err), &err);
    CHECK_STR(seen, "/d /b/again ");
    CHECK_H5(H5Fclose(file));
}

static void a_visitor_that_fails_ends_the_walk(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_maze();

    CHECK_STATUS(STOA_EDATA, stoa_datasets_visit(file, see_dataset, seen, &err));
    CHECK_STR(err.message, "1");
    CHECK_STR(seen, "/d ");
    CHECK_H5(H5Fclose(file));
}

/* A group that no link leads to is the beginning of all paths. */
static void a_nameless_group_is_walked_from_a_slash(void)
{
    const hid_t file = make_maze();
    const hid_t group = CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;

    make_group(group, "z");
    CHECK_OK(stoa_groups_visit(group, see_group, NULL, &err), &err);
    CHECK_STR(seen, "/ /z ");
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_nameless_group_is_walked_from_a_slash), TEST(circles_end),
          TEST(a_dataset_is_seen_under_its_first_name), TEST(a_visitor_that_fails_ends_the_walk))
