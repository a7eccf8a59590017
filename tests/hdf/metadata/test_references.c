/* References and names of objects (src/hdf/metadata/references.c), and what groups are made with
 * and emptied of (src/hdf/copy/groups.c). */
#include "hdf/metadata/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/copy/groups.h"
#include "hdf/metadata/attributes.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"

static hid_t make_file(const char *name)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static hid_t make_group(hid_t file, const char *name)
{
    return CHECK_H5(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* The shape of an attribute: -1 of a scalar. */
static int64_t n_values(hid_t object, const char *name)
{
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Aget_space(attribute));
    const int64_t n =
        H5Sget_simple_extent_ndims(space) == 0 ? -1 : H5Sget_simple_extent_npoints(space);

    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Aclose(attribute));
    return n;
}

static void references_lead_back_to_what_they_were_made_of(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t objects[] = {make_group(file, "x"), make_group(file, "y")};
    stoa_error err = STOA_ERROR_INIT;
    hid_t *targets = NULL;
    size_t n = 0;

    for (size_t count = 0; count <= 2; count++) { /* each replaces the one before */
        CHECK_OK(stoa_references_write(file, "refs", objects, count, false, false, &err), &err);
        CHECK_I64(n_values(file, "refs"), (int64_t)count);
        CHECK_OK(stoa_references_read(file, "refs", &targets, &n, &err), &err);
        CHECK_U64(n, count);
        for (size_t i = 0; i < n; i++) {
            CHECK(stoa_same_object(targets[i], objects[i]));
            CHECK(!stoa_same_object(targets[i], objects[1 - i]));
            CHECK_H5(H5Oclose(targets[i]));
        }
        free(targets);
    }
    CHECK_OK(stoa_references_write(file, "refs", objects, 1, true, false, &err), &err);
    CHECK_I64(n_values(file, "refs"), -1);
    CHECK_OK(stoa_references_read(file, "refs", &targets, &n, &err), &err);
    CHECK(n == 1 && stoa_same_object(targets[0], objects[0]));
    CHECK_H5(H5Oclose(targets[0]));
    free(targets);
    CHECK_OK(stoa_references_read(file, "none", &targets, &n, &err), &err);
    CHECK(n == 0 && targets == NULL);
    CHECK_H5(H5Gclose(objects[0]));
    CHECK_H5(H5Gclose(objects[1]));
    CHECK_H5(H5Fclose(file));
}

static void put_references(hid_t object, const char *name, H5R_ref_t *references, hsize_t n)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, H5T_STD_REF, references));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

/* A datatype that says 5 bytes where a reference takes 18. */
static void an_attribute_shorter_than_its_references_is_refused(void)
{
    const char *path = check_path("short.h5");
    static const uint8_t size[] = {18, 0, 0, 0};
    static uint8_t bytes[1 << 16];
    stoa_error err = STOA_ERROR_INIT;
    H5R_ref_t reference;
    hid_t *targets = NULL;
    size_t n = 0;
    size_t n_found = 0;
    hid_t file = memory_file(path, true);

    CHECK_H5(H5Gclose(make_group(file, "here")));
    CHECK_H5(H5Rcreate_object(file, "here", H5P_DEFAULT, &reference));
    put_references(file, "refs", &reference, 1);
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Fclose(file));
    FILE *stream = fopen(path, "r+b");
    CHECK(stream != NULL);
    const size_t n_bytes = fread(bytes, 1, sizeof bytes, stream);
    for (size_t i = 0; i + 8 <= n_bytes; i++) { /* class 7, in version 4 */
        if (bytes[i] == 0x47 && memcmp(bytes + i + 4, size, sizeof size) == 0) {
            bytes[i + 4] = 5;
            n_found++;
        }
    }
    CHECK_U64(n_found, 1);
    CHECK(fseek(stream, 0, SEEK_SET) == 0 && fwrite(bytes, 1, n_bytes, stream) == n_bytes);
    CHECK(fclose(stream) == 0);
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_STATUS(STOA_EDATA, stoa_references_read(file, "refs", &targets, &n, &err), &err);
    CHECK_CONTAINS(err.message, "attribute 'refs' is shorter than its references");
    CHECK(targets == NULL && n == 0);
    CHECK_H5(H5Fclose(file));
}

/* Null, of a deleted object, of an attribute, of a region, of another file. */
static void references_that_lead_to_no_object_here_are_data(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t other = make_file("b.h5");
    const hid_t here = make_group(file, "here");
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2}, NULL));
    H5R_ref_t references[6];
    hid_t *targets = NULL;
    size_t n = 0;

    memset(references, 0, sizeof references);
    CHECK_H5(H5Gclose(make_group(file, "gone")));
    CHECK_H5(H5Gclose(make_group(other, "here")));
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, "d", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_OK(stoa_attribute_write_utf8(here, "title", "x", NULL));
    CHECK_H5(H5Rcreate_object(file, "gone", H5P_DEFAULT, &references[1]));
    CHECK_H5(H5Rcreate_attr(file, "here", "title", H5P_DEFAULT, &references[2]));
    CHECK_H5(H5Rcreate_region(file, "d", space, H5P_DEFAULT, &references[3]));
    CHECK_H5(H5Rcreate_object(other, "here", H5P_DEFAULT, &references[4]));
    CHECK_H5(H5Rcreate_object(file, "here", H5P_DEFAULT, &references[5]));
    put_references(file, "refs", references, 6);
    CHECK(stoa_reference_leads_elsewhere(&references[4], file));
    CHECK(!stoa_reference_leads_elsewhere(&references[4], other));
    CHECK(!stoa_reference_leads_elsewhere(&references[5], here));
    for (int i = 1; i < 6; i++) {
        CHECK_H5(H5Rdestroy(&references[i]));
    }
    CHECK_H5(H5Ldelete(file, "gone", H5P_DEFAULT));
    CHECK_OK(stoa_references_read(file, "refs", &targets, &n, NULL));
    CHECK_U64(n, 6);
    for (size_t i = 0; i < 5; i++) {
        CHECK_I64(targets[i], H5I_INVALID_HID);
    }
    CHECK(stoa_same_object(targets[5], here));
    CHECK_H5(H5Oclose(targets[5]));
    free(targets);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(here));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

static void references_of_the_old_type_are_read_and_written(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t group = make_group(file, "x");
    const hid_t other = make_group(file, "y");
    const hid_t others[] = {group, file};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const hid_t list =
        CHECK_H5(H5Acreate2(group, "list", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;
    hobj_ref_t old[3] = {0};
    hid_t *targets = NULL;
    hid_t target = H5I_INVALID_HID;
    size_t n = 0;

    CHECK_H5(H5Rcreate(&old[0], file, "x", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Rcreate(&old[2], file, "y", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Awrite(list, H5T_STD_REF_OBJ, old)); /* the second one is null */
    CHECK_OK(stoa_references_read(group, "list", &targets, &n, &err), &err);
    CHECK_U64(n, 3);
    CHECK(stoa_same_object(targets[0], group) && stoa_same_object(targets[2], other));
    CHECK_I64(targets[1], H5I_INVALID_HID);
    CHECK_H5(H5Oclose(targets[0]));
    CHECK_H5(H5Oclose(targets[2]));
    free(targets);
    CHECK_OK(stoa_attribute_write_scalar(file, "old", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, old, &err),
             &err);
    CHECK(stoa_references_are_old(file, "old"));
    CHECK_OK(stoa_references_read(file, "old", &targets, &n, &err), &err);
    CHECK_U64(n, 1);
    CHECK(stoa_same_object(targets[0], group));
    CHECK_H5(H5Oclose(targets[0]));
    free(targets);
    CHECK_OK(stoa_references_write(file, "made", others, 2, false, true, &err), &err);
    CHECK(stoa_references_are_old(file, "made"));
    CHECK_OK(stoa_references_read(file, "made", &targets, &n, &err), &err);
    CHECK_U64(n, 2);
    CHECK(stoa_same_object(targets[0], group) && stoa_same_object(targets[1], file));
    CHECK_H5(H5Oclose(targets[0]));
    CHECK_H5(H5Oclose(targets[1]));
    free(targets);
    CHECK_OK(stoa_reference_open(file, "old", &target, NULL));
    CHECK(stoa_same_object(target, group));
    CHECK_H5(H5Oclose(target));
    CHECK_OK(stoa_references_write(file, "new", others, 2, false, false, NULL));
    CHECK_OK(stoa_reference_open(file, "new", &target, NULL)); /* the first one */
    CHECK(stoa_same_object(target, group));
    CHECK_H5(H5Oclose(target));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_reference_open(file, "none", &target, &err), &err);
    CHECK_CONTAINS(err.message, "attribute 'none' points to no object");
    CHECK_OK(stoa_attribute_write_scalar(file, "old", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ,
                                         &(hobj_ref_t){0}, NULL));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_reference_open(file, "old", &target, &err), &err);
    CHECK_I64(target, H5I_INVALID_HID);
    CHECK_H5(H5Aclose(list));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(other));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

static void a_type_that_is_no_reference_is_refused(void)
{
    const hid_t file = make_file("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    hid_t *targets = NULL;
    size_t n = 0;

    CHECK_OK(stoa_attribute_write_u64(file, "number", 5, NULL));
    CHECK_STATUS(STOA_EDATA, stoa_references_read(file, "number", &targets, &n, &err), &err);
    CHECK_CONTAINS(err.message, "attribute 'number' is not of H5T_STD_REF");
    CHECK(n == 0 && targets == NULL);
    CHECK_H5(H5Fclose(file));
}

static void a_link_is_found_by_what_it_leads_to(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t other = make_file("b.h5");
    const hid_t group = make_group(file, "m");
    const hid_t alike = make_group(other, "m"); /* of the same address, in another file */
    char *name = NULL;

    CHECK_H5(H5Gclose(make_group(file, "a")));
    CHECK_H5(H5Lcreate_soft("/m", file, "b", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("c.h5", "/", file, "c", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_link_name(file, group, &name, NULL));
    CHECK_STR(name, "m");
    free(name);
    CHECK_OK(stoa_link_name(group, group, &name, NULL));
    CHECK(name == NULL);
    CHECK_OK(stoa_link_name(file, alike, &name, NULL));
    CHECK(name == NULL);
    CHECK(!stoa_same_object(group, H5I_INVALID_HID));
    CHECK_H5(H5Gclose(alike));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* --- groups ----------------------------------------------------------------------------------- */

static void a_group_is_made_like_another(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t like = CHECK_H5(H5Pcreate(H5P_GROUP_CREATE));
    hid_t list = H5I_INVALID_HID;
    unsigned order = 0;
    unsigned many = 0;
    unsigned few = 0;
    hbool_t times = true;

    CHECK_H5(H5Pset_link_creation_order(like, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    CHECK_H5(H5Pset_attr_creation_order(like, H5P_CRT_ORDER_TRACKED));
    CHECK_H5(H5Pset_link_phase_change(like, 20, 10));
    CHECK_H5(H5Pset_attr_phase_change(like, 7, 3));
    CHECK_H5(H5Pset_obj_track_times(like, false));
    const hid_t old = CHECK_H5(H5Gcreate2(file, "old", H5P_DEFAULT, like, H5P_DEFAULT));
    CHECK_OK(stoa_group_creation(old, &list, NULL));
    const hid_t new = CHECK_H5(H5Gcreate2(file, "new", H5P_DEFAULT, list, H5P_DEFAULT));
    CHECK_H5(H5Pclose(list));
    CHECK_OK(stoa_creation_list(new, &list, NULL));
    CHECK_H5(H5Pget_link_creation_order(list, &order));
    CHECK_U64(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    CHECK_H5(H5Pget_attr_creation_order(list, &order));
    CHECK_U64(order, H5P_CRT_ORDER_TRACKED);
    CHECK_H5(H5Pget_link_phase_change(list, &many, &few));
    CHECK(many == 20 && few == 10);
    CHECK_H5(H5Pget_attr_phase_change(list, &many, &few));
    CHECK(many == 7 && few == 3);
    CHECK_H5(H5Pget_obj_track_times(list, &times));
    CHECK(!times);
    CHECK_H5(H5Pclose(list));
    CHECK_H5(H5Gclose(new));
    CHECK_H5(H5Gclose(old));
    CHECK_H5(H5Pclose(like));
    CHECK_H5(H5Fclose(file));
}

static void creation_properties_are_found_of_objects_of_each_kind(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I8LE));
    const hid_t objects[] = {
        make_group(file, "g"),
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), type};

    CHECK_H5(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t classes[] = {H5P_GROUP_CREATE, H5P_DATASET_CREATE, H5P_DATATYPE_CREATE};
    for (size_t i = 0; i < 3; i++) {
        hid_t list = H5I_INVALID_HID;
        CHECK_OK(stoa_creation_list(objects[i], &list, NULL));
        CHECK(H5Pisa_class(list, classes[i]) > 0);
        CHECK_H5(H5Pclose(list));
    }
    CHECK_H5(H5Gclose(objects[0]));
    CHECK_H5(H5Dclose(objects[1]));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

static void a_comment_goes_with_a_copy(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t from = make_group(file, "from");
    const hid_t to = make_group(file, "to");
    char comment[64] = "";

    CHECK_OK(stoa_comment_copy(from, to, NULL)); /* there is none */
    CHECK_I64(H5Oget_comment(to, NULL, 0), 0);
    CHECK_H5(H5Oset_comment(from, "of some length"));
    CHECK_OK(stoa_comment_copy(from, to, NULL));
    CHECK_H5(H5Oget_comment(to, comment, sizeof comment));
    CHECK_STR(comment, "of some length");
    CHECK_H5(H5Gclose(to));
    CHECK_H5(H5Gclose(from));
    CHECK_H5(H5Fclose(file));
}

static void fill_group(hid_t group)
{
    for (int i = 0; i < 20; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        CHECK_OK(stoa_attribute_write_utf8(group, name, name, NULL));
        CHECK_H5(H5Gclose(make_group(group, name)));
    }
    CHECK_H5(H5Lcreate_soft("/nowhere", group, "soft", H5P_DEFAULT, H5P_DEFAULT));
}

static void check_group(hid_t group, uint64_t n_links, uint64_t n_attributes)
{
    H5G_info_t links;
    H5O_info2_t object;

    CHECK_H5(H5Gget_info(group, &links));
    CHECK_H5(H5Oget_info3(group, &object, H5O_INFO_NUM_ATTRS));
    CHECK_U64(links.nlinks, n_links);
    CHECK_U64(object.num_attrs, n_attributes);
}

static void a_group_is_emptied(void)
{
    const hid_t file = make_file("a.h5");
    const hid_t group = make_group(file, "g");

    fill_group(group);
    check_group(group, 21, 20);
    stoa_group_unlink_all(group);
    check_group(group, 0, 20);
    for (int i = 0; i < 20; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        CHECK_H5(H5Gclose(make_group(group, name)));
    }
    CHECK_OK(stoa_group_empty(group, NULL));
    check_group(group, 0, 0);
    CHECK_OK(stoa_group_empty(group, NULL));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

/* --- memory ----------------------------------------------------------------------------------- */

static hid_t swept;

static stoa_status write_read_and_name(stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t group = CHECK_H5(H5Gopen2(swept, "g", H5P_DEFAULT));
    hid_t *targets = NULL;
    char *name = NULL;
    size_t n = 0;

    STOA_TRY(stoa_references_write(swept, "refs", &group, 1, false, false, err));
    STOA_TRY(stoa_references_read(swept, "refs", &targets, &n, err));
    STOA_TRY(stoa_link_name(swept, group, &name, err));
    STOA_TRY(stoa_comment_copy(group, swept, err));

done:
    for (size_t i = 0; i < n; i++) {
        CHECK_H5(H5Oclose(targets[i]));
    }
    free(targets);
    free(name);
    CHECK_H5(H5Gclose(group));
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    swept = make_file("a.h5");
    const hid_t group = make_group(swept, "g");
    CHECK_H5(H5Oset_comment(group, "x"));
    CHECK_H5(H5Gclose(group));
    CHECK(sweep_memory(write_read_and_name) >= 5);
    CHECK_H5(H5Fclose(swept));
}

TEST_MAIN(TEST(an_attribute_shorter_than_its_references_is_refused),
          TEST(references_lead_back_to_what_they_were_made_of),
          TEST(references_that_lead_to_no_object_here_are_data),
          TEST(references_of_the_old_type_are_read_and_written),
          TEST(a_type_that_is_no_reference_is_refused), TEST(a_link_is_found_by_what_it_leads_to),
          TEST(a_group_is_made_like_another),
          TEST(creation_properties_are_found_of_objects_of_each_kind),
          TEST(a_comment_goes_with_a_copy), TEST(a_group_is_emptied),
          TEST(no_allocation_is_taken_for_granted))
