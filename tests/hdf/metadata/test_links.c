/* Links in the order of their names, from compact and from dense storage: src/hdf/metadata/links.c.
 */
#include "hdf/metadata/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hdf/ids.h"
#include "support/check.h"
#include "support/small_cache.h"

static hid_t file_with_groups(const char *const *names, size_t n)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    file = CHECK_H5(H5Fcreate("links.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    for (size_t i = 0; i < n; i++) {
        CHECK_H5(H5Gclose(H5Gcreate2(file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    return file;
}

typedef struct heard {
    char names[256];
    const char *last; /* where to stop; NULL: nowhere */
    herr_t result;    /* there */
} heard;

static herr_t hear(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    heard *h = context;

    CHECK(group >= 0 && info->type == H5L_TYPE_HARD);
    (void)strcat(strcat(h->names, name), " ");
    return h->last != NULL && strcmp(name, h->last) == 0 ? h->result : 0;
}

static const char *const names[] = {"m", "b", "Z", "k", "a", "l", "ab", "y", "0", "x", "n", "c"};

static void many_links_come_in_the_order_of_their_names(void)
{
    const hid_t file = file_with_groups(names, sizeof names / sizeof names[0]);
    heard h = {.names = ""};

    CHECK_OK(stoa_links_visit(file, hear, &h, NULL));
    CHECK_STR(h.names, "0 Z a ab b c k l m n x y ");
    CHECK_H5(H5Fclose(file));
}

static void few_links_come_in_the_order_of_their_names(void)
{
    const hid_t file = file_with_groups(names, 3);
    heard h = {.names = ""};

    CHECK_OK(stoa_links_visit(file, hear, &h, NULL));
    CHECK_STR(h.names, "Z b m ");
    CHECK_H5(H5Fclose(file));
}

static void a_visitor_ends_the_walk(void)
{
    const hid_t file = file_with_groups(names, 3);
    heard h = {.names = "", .last = "b", .result = 1};

    CHECK_OK(stoa_links_visit(file, hear, &h, NULL));
    CHECK_STR(h.names, "Z b ");
    h = (heard){.names = "", .last = "b", .result = -1};
    CHECK_STATUS(STOA_EHDF5, stoa_links_visit(file, hear, &h, NULL));
    CHECK_STR(h.names, "Z b ");
    CHECK_H5(H5Fclose(file));
}

/* The next objects push earlier ones out of the metadata cache. */
static void crowd_the_cache(hid_t file)
{
    shrink_metadata_cache(file);
    for (int i = 0; i < 100; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "crowd%d", i);
        CHECK_H5(H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
}

static unsigned count_links(hid_t object)
{
    H5O_info2_t info;

    CHECK_H5(H5Oget_info3(object, &info, H5O_INFO_BASIC));
    return info.rc;
}

/* It counts the one link that it has, and outlives its id. (With a count of two libhdf5 frees its
 * place in the file, where it may be found until something else is written there.) */
static void check_named(hid_t file, hid_t object)
{
    CHECK_H5(stoa_link_nameless(object, file, "named", H5P_DEFAULT));
    CHECK_U64(count_links(object), 1);
    CHECK_H5(H5Oclose(object));
    const hid_t again = CHECK_H5(H5Oopen(file, "named", H5P_DEFAULT));
    CHECK_U64(count_links(again), 1);
    CHECK_H5(H5Oclose(again));
}

static void a_nameless_object_that_left_the_cache_keeps_the_name_it_gets(void)
{
    const hid_t file = file_with_groups(names, 1);
    const hid_t group = CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));

    crowd_the_cache(file);
    check_named(file, group);
    CHECK_H5(H5Fclose(file));
}

static void a_nameless_object_in_the_cache_keeps_the_name_it_gets(void)
{
    const hid_t file = file_with_groups(names, 1);

    check_named(file, CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT)));
    CHECK_H5(H5Fclose(file));
}

/* libhdf5 would look for one in all of the file, and go through 2,500,000 links here. */
static void a_name_of_a_nameless_object_is_not_looked_for(void)
{
    const hid_t file = file_with_groups(NULL, 0);
    char name[16];
    clock_t began;

    for (int i = 0; i < 5000; i++) {
        (void)snprintf(name, sizeof name, "g%d", i);
        CHECK_H5(H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    began = clock();
    for (int i = 0; i < 500; i++) {
        const hid_t group = CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
        char *found = stoa_hdf_name(group, H5Iget_name);
        CHECK_STR(found, "");
        free(found);
        CHECK_H5(H5Gclose(group));
    }
    CHECK(clock() - began < 2 * CLOCKS_PER_SEC);
    CHECK_H5(H5Fclose(file));
}

static void a_long_name_of_an_object_is_whole(void)
{
    const hid_t file = file_with_groups(NULL, 0);
    char name[1000];

    for (size_t n = 509; n < 515; n++) {
        memset(name, 'x', n);
        name[0] = '/';
        name[n] = '\0';
        const hid_t group = CHECK_H5(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        char *found = stoa_hdf_name(group, H5Iget_name);
        CHECK_STR(found, name);
        free(found);
        CHECK_H5(H5Gclose(group));
    }
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(many_links_come_in_the_order_of_their_names),
          TEST(few_links_come_in_the_order_of_their_names), TEST(a_visitor_ends_the_walk),
          TEST(a_nameless_object_that_left_the_cache_keeps_the_name_it_gets),
          TEST(a_name_of_a_nameless_object_is_not_looked_for),
          TEST(a_long_name_of_an_object_is_whole),
          TEST(a_nameless_object_in_the_cache_keeps_the_name_it_gets))
