/* Elements of H5T_STD_REF: what they lead to is shown, never what libhdf5 keeps in them. */
#include <string.h>

#include "arrow/read.h"
#include "core/memory.h"
#include "hdf/metadata/types.h"
#include "support/check.h"

/* To the group, to the dataset itself, and to nothing. */
static hid_t make(const char *name, H5R_ref_t references[3])
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    memset(references, 0, 3 * sizeof *references);
    CHECK_H5(H5Rcreate_object(file, "g", H5P_DEFAULT, &references[0]));
    CHECK_H5(H5Rcreate_object(file, "d", H5P_DEFAULT, &references[1]));
    CHECK_H5(H5Dwrite(dataset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    CHECK_H5(H5Rdestroy(&references[0]));
    CHECK_H5(H5Rdestroy(&references[1]));
    CHECK_H5(H5Dread(dataset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(group));
    return file;
}

static void references_are_shown_as_paths(void)
{
    H5R_ref_t references[3];
    struct ArrowArray array = {.release = NULL};
    stoa_element element;
    const hid_t file = make("a.h5", references);

    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    CHECK_I64(element.kind, STOA_KIND_STRING);
    void *const copy = stoa_alloc(3, sizeof *references);
    CHECK(copy != NULL);
    memcpy(copy, references, sizeof references);
    CHECK_OK(stoa_element_decode(&element, copy, 3, NULL, &array, NULL), NULL);
    const int32_t *const offsets = array.buffers[1];
    CHECK_I64(array.null_count, 1);
    CHECK(offsets[1] == 2 && offsets[2] == 4 && offsets[3] == 4);
    CHECK(memcmp(array.buffers[2], "/g/d", 4) == 0);
    array.release(&array);
    stoa_element_reclaim(&element, references, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Fclose(file));
}

static void references_are_equal_if_they_lead_to_the_same_path(void)
{
    H5R_ref_t here[3];
    H5R_ref_t there[3];
    stoa_element element;
    const hid_t file = make("a.h5", here);
    const hid_t other = make("b.h5", there);

    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            CHECK(stoa_element_equal(&element, &here[i], &there[k]) == (i == k));
        }
    }
    stoa_element_reclaim(&element, here, 3);
    stoa_element_reclaim(&element, there, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

static void put_attribute(hid_t object, const char *name)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Aclose(
        CHECK_H5(H5Acreate2(object, name, H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
}

/* One object has many, and a name may be short. */
static void references_to_different_attributes_are_different(void)
{
    H5R_ref_t made[3];
    H5R_ref_t references[5];
    stoa_element element;
    const hid_t file = make("a.h5", made);

    memset(references, 0, sizeof references);
    put_attribute(file, "one");
    put_attribute(file, "two");
    put_attribute(file, "a");
    put_attribute(file, "b");
    CHECK_H5(H5Rcreate_attr(file, "/", "one", H5P_DEFAULT, &references[0]));
    CHECK_H5(H5Rcreate_attr(file, "/", "two", H5P_DEFAULT, &references[1]));
    CHECK_H5(H5Rcreate_attr(file, "/", "one", H5P_DEFAULT, &references[2]));
    CHECK_H5(H5Rcreate_attr(file, "/", "a", H5P_DEFAULT, &references[3]));
    CHECK_H5(H5Rcreate_attr(file, "/", "b", H5P_DEFAULT, &references[4]));
    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    CHECK(!stoa_element_equal(&element, &references[0], &references[1]));
    CHECK(stoa_element_equal(&element, &references[0], &references[2]));
    CHECK(!stoa_element_equal(&element, &references[3], &references[4]));
    CHECK(!stoa_element_equal(&element, &references[0], &made[0]));
    stoa_element_reclaim(&element, references, 5);
    stoa_element_reclaim(&element, made, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Fclose(file));
}

/* An attribute's name behind its object's; a null reference is missing, besides those that are. */
static void references_to_attributes_are_shown_with_their_names(void)
{
    H5R_ref_t made[3];
    H5R_ref_t references[3];
    stoa_element element;
    const hid_t file = make("a.h5", made);
    const hid_t group = CHECK_H5(H5Gopen2(file, "g", H5P_DEFAULT));

    memset(references, 0, sizeof references);
    put_attribute(group, "note");
    put_attribute(file, "a");
    CHECK_H5(H5Rcreate_attr(file, "g", "note", H5P_DEFAULT, &references[0]));
    CHECK_H5(H5Rcreate_attr(file, "/", "a", H5P_DEFAULT, &references[1]));
    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    for (uint8_t missing = 0; missing < 8; missing++) {
        struct ArrowArray array = {.release = NULL};
        void *const copy = stoa_alloc(3, sizeof *references);
        uint8_t *const bits = stoa_alloc(1, 1);
        CHECK(copy != NULL && bits != NULL);
        *bits = missing;
        memcpy(copy, references, sizeof references);
        CHECK_OK(stoa_element_decode(&element, copy, 3, bits, &array, NULL), NULL);
        const int32_t *const offsets = array.buffers[1];
        const uint8_t *const valid = array.buffers[0];
        CHECK_I64(array.null_count, (missing & 1) + (missing >> 1 & 1) + 1);
        CHECK_U64(valid[0] & 7, ~(missing | 4u) & 7);
        CHECK_I64(offsets[1], 7);
        CHECK_I64(offsets[2], 10);
        CHECK_I64(offsets[3], 10);
        CHECK_MEM(array.buffers[2], "/g@note/@a", 10);
        array.release(&array);
    }
    stoa_element_reclaim(&element, references, 3);
    stoa_element_reclaim(&element, made, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

/* `how`: 0: rows 0 and 1, 1: the same in two blocks, 2: rows 1 and 2, 3: rows 0 and 2, 4 and 5:
 * points, 6: all, 7: none. */
static hid_t region_space(int how)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const hsize_t points[] = {how == 4 ? 0 : 2, 1};

    switch (how) {
    case 0:
    case 2:
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){how == 2}, NULL,
                                     &(hsize_t){1}, &(hsize_t){2}));
        break;
    case 1:
    case 3:
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){0},
                                     &(hsize_t){how == 1 ? 1 : 2}, &(hsize_t){2}, NULL));
        break;
    case 4:
    case 5:
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 2, points));
        break;
    case 6:
        break;
    default:
        CHECK_H5(H5Sselect_none(space));
        break;
    }
    return space;
}

static void references_to_regions_are_equal_if_the_same_elements_are_selected(void)
{
    H5R_ref_t made[3];
    stoa_element element;
    const hid_t file = make("a.h5", made);
    H5R_ref_t references[2][8];

    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 8; i++) {
            const hid_t space = region_space(i);
            memset(&references[side][i], 0, sizeof references[side][i]);
            CHECK_H5(H5Rcreate_region(file, "d", space, H5P_DEFAULT, &references[side][i]));
            CHECK_H5(H5Sclose(space));
        }
    }
    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            const bool are_same = i == k || (i < 2 && k < 2);
            CHECK(stoa_element_equal(&element, &references[0][i], &references[1][k]) == are_same);
        }
    }
    for (int side = 0; side < 2; side++) {
        stoa_element_reclaim(&element, references[side], 8);
    }
    stoa_element_reclaim(&element, made, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Fclose(file));
}

/* Two blocks in a plane that no start, stride and count give. */
static void irregular_regions_are_compared_too(void)
{
    H5R_ref_t made[3];
    stoa_element element;
    const hid_t file = make("a.h5", made);
    const hid_t plane = CHECK_H5(H5Screate_simple(2, (hsize_t[]){8, 8}, NULL));
    const hsize_t ends[][2] = {{3, 5}, {3, 5}, {6, 1}};
    const hsize_t block[] = {2, 1};
    H5R_ref_t references[3];

    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, "p", H5T_STD_U8LE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    for (int i = 0; i < 3; i++) {
        CHECK_H5(H5Sselect_hyperslab(plane, H5S_SELECT_SET, (hsize_t[]){0, 0}, NULL,
                                     (hsize_t[]){1, 1}, (hsize_t[]){1, 3}));
        CHECK_H5(
            H5Sselect_hyperslab(plane, H5S_SELECT_OR, ends[i], NULL, (hsize_t[]){1, 1}, block));
        memset(&references[i], 0, sizeof references[i]);
        CHECK_H5(H5Rcreate_region(file, "p", plane, H5P_DEFAULT, &references[i]));
    }
    CHECK_OK(stoa_element_of(H5T_STD_REF, &element, NULL), NULL);
    CHECK(stoa_element_equal(&element, &references[0], &references[1]));
    CHECK(!stoa_element_equal(&element, &references[0], &references[2]));
    stoa_element_reclaim(&element, references, 3);
    stoa_element_reclaim(&element, made, 3);
    stoa_element_clear(&element);
    CHECK_H5(H5Sclose(plane));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(irregular_regions_are_compared_too),
          TEST(references_to_regions_are_equal_if_the_same_elements_are_selected),
          TEST(references_to_attributes_are_shown_with_their_names),
          TEST(references_to_different_attributes_are_different),
          TEST(references_are_shown_as_paths),
          TEST(references_are_equal_if_they_lead_to_the_same_path))
