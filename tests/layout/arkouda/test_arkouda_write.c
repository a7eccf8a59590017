/* Arkouda's files, written where memory runs out, and by callers who make mistakes. */
#include <stoa/arkouda.h>

#include <string.h>
#include <unistd.h>

#include "hdf/ids.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

static stoa_table *source;
static stoa_arkouda_files *target;
static const char *form;

static stoa_status write_all(stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const stoa_missing_value mask = {NULL, "mask"};

    const stoa_layout_setting as = {"as", form};

    options.settings = &as;
    options.n_settings = 1;
    options.threads = 1;
    options.replace = true;
    options.missing = &mask;
    options.n_missing = strcmp(form, "columns") == 0;
    return stoa_arkouda_files_write_table(target, source, NULL, &options, NULL, err);
}

static void make_source(hid_t file, bool has_gaps)
{
    static const int64_t numbers[] = {3, 1, 3};
    static const char *const gaps[] = {"a", NULL, "nun"};
    static const char *const texts[] = {"a", "", "nun"};
    static const char *const labels[] = {"x", "N/A", NULL};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_strings(&b, 1, "s", has_gaps ? gaps : texts);
    batch_categories(&b, 2, "c", labels);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, has_gaps ? "/gaps" : "/whole", &stream, NULL, NULL, &err),
             &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, has_gaps ? "/gaps" : "/whole", &source, &err), &err);
}

static hid_t make_file(void)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    CHECK(H5Pset_fapl_core(fapl, 1 << 16, false) >= 0);
    file = H5Fcreate("rows.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK(file >= 0);
    CHECK(H5Pclose(fapl) >= 0);
    return file;
}

static void memory_may_run_out_in_every_form(void)
{
    static const char *const forms[] = {"columns", "dataframe", "index", "groupby"};
    const hid_t file = make_file();
    stoa_error err = STOA_ERROR_INIT;
    stoa_arkouda_options which = STOA_ARKOUDA_OPTIONS_INIT;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        form = forms[i];
        which.locales = i % 2 == 0 ? 2 : 0;
        make_source(file, i == 0);
        CHECK_OK(stoa_arkouda_files_open("swept.h5", &which, &target, &err), &err);
        CHECK(sweep_memory_throughout(write_all) > 20);
        stoa_arkouda_files_close(target);
        stoa_table_close(source);
        CHECK(H5Ldelete(file, i == 0 ? "/gaps" : "/whole", H5P_DEFAULT) >= 0);
    }
    CHECK(access("swept.h5", F_OK) != 0);
    CHECK(access("swept_LOCALE0000.h5", F_OK) != 0);
    CHECK(H5Fclose(file) >= 0);
}

static void files_with_half_an_object_are_not_committed(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_file();
    stoa_arkouda_files *files = NULL;

    make_source(file, true);
    CHECK_OK(stoa_arkouda_files_open("half.h5", NULL, &files, &err), &err);
    CHECK_U64(stoa_arkouda_files_write_table(files, source, NULL, NULL, NULL, &err), STOA_ELOSS);
    CHECK(strstr(err.message, "column 's' has 1 missing value") != NULL);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_U64(stoa_arkouda_files_commit(files, &err), STOA_EINVAL);
    CHECK(access("half.h5", F_OK) != 0);
    stoa_table_close(source);
    CHECK(H5Fclose(file) >= 0);
}

static void files_that_belong_to_arkouda_are_not_written_into_others(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const hid_t file = make_file();

    make_source(file, false);
    options.layout = "arkouda";
    CHECK(stoa_layout_is_written("arkouda"));
    CHECK_U64(stoa_layout_write_table(source, file, "/t", &options, NULL, &err), STOA_EINVAL);
    stoa_table_close(source);
    CHECK(H5Fclose(file) >= 0);
}

/* Two batches over two files: rows 0 to 2, and 3 to 5, are a batch each, and a file each. */
static void streams_are_written_as_tables_are(void)
{
    static const int64_t numbers[2][3] = {{3, 1, 3}, {5, -7, 9}};
    static const char *const texts[2][3] = {{"a", "", "nun"}, {"b", "cc", ""}};
    static const char *const names[] = {"stream_LOCALE0000.h5", "stream_LOCALE0001.h5"};
    static const char text[2][8] = {"a\0\0nun", "b\0cc\0"}; /* each string with its NUL */
    stoa_error err = STOA_ERROR_INIT;
    stoa_arkouda_options which = STOA_ARKOUDA_OPTIONS_INIT;
    stoa_arkouda_files *files = NULL;
    struct ArrowArrayStream stream;
    batch batches[2];
    uint64_t n_rows = 0;

    for (size_t k = 0; k < 2; k++) {
        batches[k] = batch_begin(2, 3);
        batch_integers(&batches[k], 0, "n", "l", numbers[k], NULL);
        batch_strings(&batches[k], 1, "s", texts[k]);
    }
    stream_of(batches, 2, &stream);
    which.locales = 2;
    CHECK_OK(stoa_arkouda_files_open("stream.h5", &which, &files, &err), &err);
    CHECK_OK(stoa_arkouda_files_write(files, &stream, NULL, NULL, &n_rows, &err), &err);
    stoa_stream_release(&stream);
    CHECK_U64(n_rows, 6);
    CHECK(access("stream_LOCALE0000.h5", F_OK) != 0); /* before the commit */
    CHECK_OK(stoa_arkouda_files_commit(files, &err), &err);
    for (size_t k = 0; k < 2; k++) {
        const hid_t file = H5Fopen(names[k], H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t n = H5Dopen2(file, "n", H5P_DEFAULT);
        const hid_t values = H5Dopen2(file, "s/values", H5P_DEFAULT);
        int64_t found[3] = {0};
        char bytes[8] = {0};
        CHECK(H5Dget_storage_size(n) == sizeof found && H5Dget_storage_size(values) < 8);
        CHECK(H5Dread(n, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
        CHECK(H5Dread(values, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
        CHECK(memcmp(found, numbers[k], sizeof found) == 0);
        CHECK(memcmp(bytes, text[k], sizeof bytes) == 0);
        CHECK(H5Dclose(n) >= 0 && H5Dclose(values) >= 0 && H5Fclose(file) >= 0);
        CHECK(unlink(names[k]) == 0);
    }
}

static void options_without_a_size_are_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_arkouda_options none = {.size = 0};
    stoa_arkouda_files *files = NULL;

    CHECK_U64(stoa_arkouda_files_open("none.h5", &none, &files, &err), STOA_EINVAL);
    CHECK(files == NULL);
}

TEST_MAIN(TEST(memory_may_run_out_in_every_form), TEST(files_with_half_an_object_are_not_committed),
          TEST(files_that_belong_to_arkouda_are_not_written_into_others),
          TEST(streams_are_written_as_tables_are), TEST(options_without_a_size_are_refused))
