/* Where a table of another layout may be put, for src/layout/convert/target.c. */
#include "layout/convert/target.h"

#include "table/write/target.h"

#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

static hid_t make_file(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, 1);

    const hid_t file = memory_file("target.h5", false);

    batch_integers(&b, 0, "n", "l", (int64_t[]){1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    return file;
}

static void targets_are_judged(void)
{
    static const struct {
        const char *path;
        stoa_status status; /* replacing nothing, */
        stoa_status replacing;
    } rows[] = {
        {"/", STOA_EINVAL, STOA_EINVAL},        {"/new", STOA_OK, STOA_OK},
        {"/deep/down/new", STOA_OK, STOA_OK},   {"/t", STOA_EEXISTS, STOA_OK},
        {"/g", STOA_EEXISTS, STOA_EEXISTS},     {"/g/new", STOA_OK, STOA_OK},
        {"/t/inner", STOA_EINVAL, STOA_EINVAL}, {"/t/n/new", STOA_EINVAL, STOA_EINVAL},
    };
    const hid_t file = make_file();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_I64(stoa_layout_check_target(file, rows[i].path, false, &err), rows[i].status);
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_I64(stoa_layout_check_target(file, rows[i].path, true, &err), rows[i].replacing);
    }
    CHECK_H5(H5Fclose(file));
}

/* The new object takes the name; PyTables' indexes on the old one go with it. */
static void a_name_changes_hands_with_the_indexes_on_it(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_file();
    H5O_info2_t mine;
    H5O_info2_t found;

    CHECK_H5(H5Gclose(H5Gcreate2(file, "_i_t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    const hid_t made = CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Oget_info3(made, &mine, H5O_INFO_BASIC));
    CHECK_OK(stoa_layout_make_way(file, "/t", &err), &err);
    CHECK_OK(stoa_table_link(made, file, "/t", &err), &err);
    CHECK_H5(H5Oget_info_by_name3(file, "/t", &found, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_MEM(&found.token, &mine.token, sizeof mine.token);
    CHECK_I64(H5Lexists(file, "_i_t", H5P_DEFAULT), 0);
    CHECK_H5(H5Gclose(made));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(targets_are_judged), TEST(a_name_changes_hands_with_the_indexes_on_it))
