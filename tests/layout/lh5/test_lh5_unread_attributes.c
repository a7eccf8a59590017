/* Attributes of LH5 that stay behind (src/layout/lh5/write/unread_attributes.c). */
#include "layout/lh5/write/saved_metadata.h"

#include <stdio.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "support/check.h"
#include "support/sweep.h"

static hid_t file = H5I_INVALID_HID;

/* One list, which lies in the file's heap. */
static void add_list(hid_t object)
{
    int32_t numbers[] = {1, 2};
    const hvl_t list = {2, numbers};
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, "codes", type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, type, &list));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* /x, a table of one column, each with a list; what they say that they are is in their headers. */
static void make(const char *path)
{
    stoa_error err = STOA_ERROR_INIT;

    file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t table = CHECK_H5(H5Gcreate2(file, "x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const hid_t column = CHECK_H5(
        H5Dcreate2(table, "a", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_ascii(table, "datatype", "table{a}", &err), &err);
    CHECK_OK(stoa_attribute_write_ascii(column, "datatype", "array<1>{real}", &err), &err);
    add_list(table);
    add_list(column);
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(table));
    CHECK_H5(H5Fclose(file));
}

/* No heap begins with these letters any more. */
static void damage_heaps(const char *path)
{
    static char bytes[1 << 16];
    FILE *const opened = fopen(path, "r+b");

    CHECK(opened != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, opened);
    for (size_t i = 0; i + 4 <= n; i++) {
        if (memcmp(bytes + i, "GCOL", 4) == 0) {
            memcpy(bytes + i, "gone", 4);
        }
    }
    rewind(opened);
    CHECK(fwrite(bytes, 1, n, opened) == n);
    CHECK(fclose(opened) == 0);
}

/* "/x codes", and whether each has a reason. */
typedef struct told {
    char text[200];
    bool all_have_reasons;
} told;

static void tell(void *context, const char *path, const char *attribute, const char *why)
{
    told *const t = context;
    const size_t length = strlen(t->text);

    (void)snprintf(t->text + length, sizeof t->text - length, "%s %s;", path, attribute);
    t->all_have_reasons = t->all_have_reasons && why[0] != '\0';
}

static const char *unread_at(const char *path)
{
    static told t;
    stoa_error err = STOA_ERROR_INIT;

    t = (told){.all_have_reasons = true};
    CHECK_OK(stoa_lh5_each_unread(file, path, tell, &t, &err), &err);
    CHECK(t.all_have_reasons);
    return t.text;
}

static stoa_status all(stoa_error *err)
{
    told t = {.all_have_reasons = true};

    return stoa_lh5_each_unread(file, "/", tell, &t, err);
}

static void those_that_cannot_be_read_are_told_of_and_no_others(void)
{
    const char *const path = check_path("unread.lh5");

    make(path);
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_STR(unread_at("/"), "");
    CHECK(stoa_lh5_is_at(file, "/x") && !stoa_lh5_is_at(file, "/"));
    CHECK_H5(H5Fclose(file));

    damage_heaps(path);
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_STR(unread_at("/"), "/x codes;/x/a codes;");
    CHECK_STR(unread_at("/x/a"), "/x/a codes;");
    CHECK_STR(unread_at("/nowhere"), "");
    CHECK(sweep_memory(all) > 5);
    CHECK_H5(H5Fclose(file));
}

static void put_references(hid_t object, const char *name, hsize_t n, hobj_ref_t *references)
{
    const hid_t space = CHECK_H5(n == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, H5T_STD_REF_OBJ, references));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static void keep_reason(void *context, const char *path, const char *attribute, const char *why)
{
    (void)path;
    (void)attribute;
    (void)snprintf(context, 200, "%s", why);
}

static void references_are_told_of(void)
{
    const char *const path = check_path("refers.lh5");
    hobj_ref_t references[2] = {0, 0};
    char why[200] = "";
    stoa_error err = STOA_ERROR_INIT;

    make(path);
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t table = CHECK_H5(H5Gopen2(file, "x", H5P_DEFAULT));
    const hid_t column = CHECK_H5(H5Dopen2(table, "a", H5P_DEFAULT));
    CHECK_H5(H5Rcreate(&references[0], file, "/x", H5R_OBJECT, H5I_INVALID_HID));
    put_references(table, "one", 0, references);
    put_references(table, "none", 0, references + 1);
    put_references(column, "list", 2, references);
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Gclose(table));
    CHECK_STR(unread_at("/"), "/x none;/x one;/x/a list;");
    CHECK_OK(stoa_lh5_each_unread(file, "/x/a", keep_reason, why, &err), &err);
    CHECK_STR(why, "has references");
    CHECK(sweep_memory(all) > 5);
    CHECK_H5(H5Fclose(file));
}

/* --- copies ---------------------------------------------------------------------------------- */

static hid_t copy = H5I_INVALID_HID;

static bool has(const char *path, const char *name)
{
    return CHECK_H5(H5Aexists_by_name(copy, path, name, H5P_DEFAULT)) > 0;
}

static void put_reference_at(hid_t in, const char *path, const char *name)
{
    const hid_t object = CHECK_H5(H5Oopen(in, path, H5P_DEFAULT));

    put_references(object, name, 0, &(hobj_ref_t){0});
    CHECK_H5(H5Oclose(object));
}

static stoa_status drop_all(stoa_error *err)
{
    const hid_t from = CHECK_H5(H5Gopen2(file, "/", H5P_DEFAULT));
    const hid_t to = CHECK_H5(H5Gopen2(copy, "/", H5P_DEFAULT));
    const stoa_status status = stoa_lh5_drop_references(from, to, err);

    CHECK_H5(H5Gclose(to));
    CHECK_H5(H5Gclose(from));
    return status;
}

/* The copy has references of its own: at its root, at /x, and at /y, which the original lacks. */
static void a_copy_loses_the_references_of_its_original_alone(void)
{
    const char *const path = check_path("original.lh5");

    make(path);
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    put_reference_at(file, "/x", "one");
    put_reference_at(file, "/x/a", "one");
    copy = CHECK_H5(H5Fcreate(check_path("copy.lh5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Ocopy(file, "/x", copy, "x", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Ocopy(file, "/x", copy, "y", H5P_DEFAULT, H5P_DEFAULT));
    put_reference_at(copy, "/", "own");
    put_reference_at(copy, "/x", "own");
    CHECK(sweep_memory(drop_all) > 5);
    CHECK(!has("/x", "one") && !has("/x/a", "one") && has("/x", "codes") && has("/x", "datatype"));
    CHECK(has("/", "own") && has("/x", "own") && has("/y", "one") && has("/y/a", "one"));
    CHECK_H5(H5Fclose(copy));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(those_that_cannot_be_read_are_told_of_and_no_others), TEST(references_are_told_of),
          TEST(a_copy_loses_the_references_of_its_original_alone))
