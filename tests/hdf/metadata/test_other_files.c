/* Other files that a file leads to: which may be opened, and what is said of the others. For
 * src/hdf/metadata/other_files.c and other_files_paths.c. */
#include <stoa/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/metadata/other_files.h"
#include "support/check.h"

enum { N = 8 };

static void put_file(const char *path)
{
    FILE *stream = fopen(path, "wb");

    CHECK(stream != NULL);
    for (int32_t i = 0; i < N; i++) {
        CHECK(fwrite(&i, sizeof i, 1, stream) == 1);
    }
    CHECK(fclose(stream) == 0);
}

/* --- what may be opened ----------------------------------------------------------------------- */

static void check_open(const stoa_other_files *elsewhere, const char *name, int expected)
{
    int fd = 77;

    CHECK_I64(stoa_other_files_open(elsewhere, name, &fd), expected);
    if (expected == 0) {
        const int flags = fcntl(fd, F_GETFL);
        CHECK(fd >= 0 && (flags & O_ACCMODE) == O_RDONLY);
        CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK(close(fd) == 0);
    } else {
        CHECK_I64(fd, -1);
    }
}

static void regular_files_below_the_directory_may_be_opened(void)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(mkdir(check_path("here"), 0700) == 0 && mkdir(check_path("here/sub"), 0700) == 0);
    CHECK(mkdir(check_path("here2"), 0700) == 0);
    put_file(check_path("here/a.h5"));
    put_file(check_path("here/sub/b.h5"));
    put_file(check_path("here2/c.h5"));
    put_file(check_path("d.h5"));
    CHECK(symlink("a.h5", check_path("here/near")) == 0);
    CHECK(symlink("../d.h5", check_path("here/far")) == 0);
    CHECK(symlink("here/sub", check_path("way")) == 0);
    CHECK(symlink("here/a.h5", check_path("first.h5")) == 0);
    CHECK(mkfifo(check_path("here/fifo"), 0600) == 0);

    CHECK_OK(stoa_other_files_below(check_path("first.h5"), &elsewhere, &err), &err); /* resolved */
    CHECK(elsewhere.is_followed);
    check_open(&elsewhere, check_path("here/a.h5"), 0);
    check_open(&elsewhere, check_path("here/sub/b.h5"), 0);
    check_open(&elsewhere, check_path("here/sub/../a.h5"), 0);
    check_open(&elsewhere, check_path("way/b.h5"), 0);
    check_open(&elsewhere, check_path("here/near"), 0);
    check_open(&elsewhere, check_path("here/far"), EACCES);
    check_open(&elsewhere, check_path("d.h5"), EACCES);
    check_open(&elsewhere, check_path("here2/c.h5"), EACCES); /* begins alike */
    check_open(&elsewhere, check_path("here"), EACCES);
    check_open(&elsewhere, check_path("here/sub"), EACCES);
    check_open(&elsewhere, check_path("here/fifo"), EACCES);
    check_open(&elsewhere, "/dev/null", EACCES);
    check_open(&elsewhere, check_path("here/none"), ENOENT);
    elsewhere.is_followed = false;
    check_open(&elsewhere, check_path("here/a.h5"), EACCES);

    CHECK_STATUS(STOA_ENOTFOUND, stoa_other_files_below(check_path("none/a.h5"), &elsewhere, &err),
                 &err);
    CHECK_CONTAINS(err.message, "cannot find out the directory");
    CHECK(!elsewhere.is_followed);
}

/* --- values elsewhere ------------------------------------------------------------------------- */

static hid_t put_dataset(hid_t file, const char *name, hid_t dcpl)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void put_external(hid_t file, const char *name, const char *const *others, size_t n)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    for (size_t i = 0; i < n; i++) {
        CHECK_H5(H5Pset_external(dcpl, others[i], 0, N * sizeof(int32_t) / n));
    }
    CHECK_H5(H5Dclose(put_dataset(file, name, dcpl)));
    CHECK_H5(H5Pclose(dcpl));
}

static void put_virtual(hid_t file, const char *name, const char *other)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));

    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-9}));
    CHECK_H5(H5Pset_virtual(dcpl, space, other, "d", space));
    CHECK_H5(H5Dclose(put_dataset(file, name, dcpl)));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

/* Sources block by block: "%b" in the name. */
static void put_blocks(hid_t file, const char *name, const char *pattern)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t source = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t whole = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, &(hsize_t){H5S_UNLIMITED}));

    CHECK_H5(H5Sselect_hyperslab(whole, H5S_SELECT_SET, &(hsize_t){0}, &(hsize_t){N},
                                 &(hsize_t){H5S_UNLIMITED}, &(hsize_t){N}));
    CHECK_H5(H5Pset_virtual(dcpl, whole, pattern, "d", source));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, name, H5T_STD_I32LE, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(whole));
    CHECK_H5(H5Sclose(source));
    CHECK_H5(H5Pclose(dcpl));
}

static void put_source(const char *path)
{
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dclose(put_dataset(file, "d", H5P_DEFAULT)));
    CHECK_H5(H5Fclose(file));
}

static const char *make_file(void)
{
    static const char *const two[] = {"raw.bin", "more.bin"};
    static const char *const missing[] = {"raw.bin", "none.bin"};
    const char *path = check_path("main.h5");

    put_file(check_path("raw.bin"));
    put_file(check_path("more.bin"));
    CHECK(mkdir(check_path("sub"), 0700) == 0);
    put_source(check_path("src.h5"));
    put_source(check_path("b-0%.h5"));
    put_source(check_path("b-1%.h5"));
    const char *const outside[] = {"/dev/zero"};
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dclose(put_dataset(file, "d", H5P_DEFAULT)));
    put_external(file, "external", two, 2);
    put_external(file, "missing", missing, 2);
    put_external(file, "outside", outside, 1);
    put_virtual(file, "own", ".");
    put_virtual(file, "virtual", "src.h5");
    put_virtual(file, "lost", "none.h5");
    put_virtual(file, "text", "raw.bin");
    put_blocks(file, "blocks", "b-%b%%.h5");
    CHECK_H5(H5Lcreate_external("src.h5", "/d", file, "link", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/link", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Lcreate_soft("../x", file, "g/nowhere", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("near", file, "g/soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("other.h5", "/", file, "g/near", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("circle", file, "circle", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "d", file, "g/hard", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Fclose(file));
    return path;
}

/* In the directory of the file, since names are relative to where a program runs. */
static void go_there(char *before, size_t n)
{
    CHECK(getcwd(before, n) != NULL && chdir(check_path(".")) == 0);
}

static const struct {
    const char *name;
    const char *refused;  /* part of what is said without the option; NULL: it may be read */
    const char *followed; /* with it */
    bool is_elsewhere;
} cases[] = {
    {"d", NULL, NULL, false},
    {"external", "lie in another file, 'raw.bin', which is opened only with", NULL, true},
    {"missing", "lie in another file, 'raw.bin'", "none.bin', which cannot be opened", true},
    {"outside", "lie in another file, '/dev/zero'", "'/dev/zero', which is no regular file", true},
    {"own", NULL, NULL, true},
    {"virtual", "lie in another file, 'src.h5'", NULL, true},
    {"lost", "lie in another file, 'none.h5'", "'none.h5', which cannot be opened", true},
    {"text", "lie in another file, 'raw.bin'", "'raw.bin', which cannot be opened", true},
    {"blocks", "lie in another file, 'b-%b%%.h5'", NULL, true},
};

/* The least descriptor that is free: as it was, where none was left open. */
static int next_descriptor(void)
{
    const int fd = open("/", O_RDONLY);

    CHECK(fd >= 0 && close(fd) == 0);
    return fd;
}

static void values_elsewhere_may_be_read_if_that_is_asked_for(void)
{
    const int descriptor = next_descriptor();
    char before[4096];
    const char *path = make_file();

    go_there(before, sizeof before);
    for (int follow = 0; follow < 2; follow++) {
        stoa_file_options options = STOA_FILE_OPTIONS_INIT;
        stoa_file *file = NULL;
        stoa_error err = STOA_ERROR_INIT;

        options.follow_external = follow == 1;
        CHECK_OK(stoa_file_open_with(path, STOA_FILE_READ, &options, &file, &err), &err);
        CHECK(stoa_follows_elsewhere(stoa_file_id(file)) == (follow == 1));
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const char *const part = follow ? cases[i].followed : cases[i].refused;
            const hid_t dataset =
                CHECK_H5(H5Dopen2(stoa_file_id(file), cases[i].name, H5P_DEFAULT));
            err = (stoa_error)STOA_ERROR_INIT;
            CHECK(stoa_dataset_is_elsewhere(dataset) == cases[i].is_elsewhere);
            CHECK(stoa_extent_is_here(dataset)); /* the driver is asked what libhdf5 opens */
            CHECK_U64(stoa_dataset_may_be_read(dataset, &err),
                      part == NULL                             ? STOA_OK
                      : follow && strstr(part, "none") != NULL ? STOA_ENOTFOUND
                                                               : STOA_EIO);
            if (part != NULL) {
                CHECK_CONTAINS(err.message, part);
            }
            err = (stoa_error)STOA_ERROR_INIT;
            CHECK_U64(stoa_values_may_be_written(dataset, &err),
                      cases[i].is_elsewhere ? STOA_EINVAL : STOA_OK);
            CHECK(!cases[i].is_elsewhere || strstr(err.message, "Stoa never writes") != NULL);
            CHECK_H5(H5Dclose(dataset));
        }
        stoa_file_close(file);
        CHECK_I64(next_descriptor(), descriptor);
    }
    CHECK(chdir(before) == 0);
}

/* The option would not help an edit. */
static void an_edit_is_told_another_way_out(void)
{
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(make_file(), STOA_FILE_EDIT, &file, &err), &err);
    const hid_t dataset = CHECK_H5(H5Dopen2(stoa_file_id(file), "external", H5P_DEFAULT));
    CHECK_STATUS(STOA_EIO, stoa_dataset_may_be_read(dataset, &err), &err);
    CHECK_CONTAINS(err.message, "where Stoa never writes; 'stoa convert --follow-external'");
    CHECK_H5(H5Dclose(dataset));
    stoa_file_close(file);
}

/* A program's own file, whose driver asks nobody. */
static void a_file_that_a_program_opened_leads_nowhere(void)
{
    const hid_t file = CHECK_H5(H5Fopen(make_file(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t access = stoa_access_here(file);

    CHECK(!stoa_follows_elsewhere(file));
    CHECK(access >= 0 && access != H5P_DEFAULT);
    CHECK(stoa_object_open(file, "link") == H5I_INVALID_HID);
    CHECK(stoa_object_open(file, "soft") == H5I_INVALID_HID);
    CHECK(!stoa_object_exists(file, "link"));
    CHECK(stoa_object_exists(file, "g/hard"));
    const hid_t hard = stoa_object_open(file, "g/hard");
    CHECK(hard >= 0 && stoa_object_is_at(hard, "/d") && !stoa_object_is_at(hard, "/own"));
    CHECK(!stoa_object_is_at(hard, "/none"));
    CHECK_H5(H5Dclose(hard));
    stoa_access_close(access);
    stoa_access_close(H5P_DEFAULT);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t dataset = CHECK_H5(H5Dopen2(file, cases[i].name, H5P_DEFAULT));
        /* External storage has its extent in the file. */
        const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
        const bool is_virtual = H5Pget_layout(dcpl) == H5D_VIRTUAL;
        CHECK_H5(H5Pclose(dcpl));
        CHECK(stoa_extent_is_here(dataset) == (cases[i].refused == NULL || !is_virtual));
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_H5(H5Fclose(file));
}

/* Nor does it open a dataset whose shape libhdf5 would look for in other files. */
static void a_virtual_dataset_is_not_opened_where_its_sources_may_not_be(void)
{
    const hid_t file = CHECK_H5(H5Fopen(make_file(), H5F_ACC_RDONLY, H5P_DEFAULT));

    CHECK_F64(stoa_patience_of(file).seconds, 60);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        const bool is_opened = cases[i].refused == NULL || strstr(cases[i].name, "external") ||
                               strstr(cases[i].name, "missing") || strstr(cases[i].name, "outside");
        const stoa_error_stack errors = stoa_error_stack_begin();
        hid_t dataset = stoa_open_here(file, cases[i].name);
        stoa_error_stack_end(&errors);
        CHECK((dataset >= 0) == is_opened);
        if (dataset < 0) {
            CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(&err, "open it"), &err);
            CHECK_CONTAINS(err.message, cases[i].refused);
        }
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    CHECK_H5(H5Fclose(file));
}

static void each_reader_waits_as_long_as_it_was_told(void)
{
    const stoa_file_patience patience = {.size = sizeof patience, .seconds = 7};
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_file *file = NULL;

    options.patience = &patience;
    CHECK_OK(stoa_file_open_with(make_file(), STOA_FILE_READ, &options, &file, NULL));
    CHECK_F64(stoa_patience_of(stoa_file_id(file)).seconds, 7);
    CHECK(stoa_is_in_own_file(stoa_file_id(file)));
    CHECK(stoa_access_here(stoa_file_id(file)) == H5P_DEFAULT);
    CHECK(!stoa_is_in_own_file(H5P_DEFAULT));
    stoa_file_close(file);
}

/* libhdf5 does not say how long they are. */
static void names_of_external_files_may_be_long(void)
{
    static const size_t lengths[] = {1, 254, 255, 256, 257, 4000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char name[4097] = "";
        const char *const names[] = {name};
        stoa_error err = STOA_ERROR_INIT;
        memset(name, 'n', lengths[i]);
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("long.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        put_external(file, "d", names, 1);
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        CHECK_STATUS(STOA_EIO, stoa_dataset_may_be_read(dataset, &err), &err);
        CHECK_CONTAINS(err.message,
                       lengths[i] < 256 ? name : "its values lie in another file, 'nnn");
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
}

/* Beside the file, wherever a program runs; and of blocks none but the first that is missing ends
 * them. */
static void sources_are_looked_for_beside_the_file(void)
{
    static const struct {
        const char *name, *words;
    } sources[] = {
        {"virtual", NULL}, {"blocks", NULL}, {"lost", "none.h5', which cannot be opened"}};
    const char *const path = make_file();
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;

    options.follow_external = true;
    for (int is_broken = 0; is_broken < 2; is_broken++) {
        stoa_file *file = NULL;
        CHECK_OK(stoa_file_open_with(path, STOA_FILE_READ, &options, &file, NULL));
        for (size_t i = 0; i < 3; i++) {
            stoa_error err = STOA_ERROR_INIT;
            const char *const words =
                is_broken && i == 1 ? "b-1%.h5', which cannot be opened" : sources[i].words;
            const hid_t dataset =
                CHECK_H5(H5Dopen2(stoa_file_id(file), sources[i].name, H5P_DEFAULT));
            CHECK((stoa_dataset_may_be_read(dataset, &err) == STOA_OK) == (words == NULL));
            if (words != NULL) {
                CHECK_CONTAINS(err.message, words);
            }
            CHECK_H5(H5Dclose(dataset));
        }
        stoa_file_close(file);
        put_file(check_path("b-1%.h5")); /* no HDF5 any more */
    }
}

static void creation_properties_are_made_over_for_values_here(void)
{
    const hid_t file = CHECK_H5(H5Fopen(make_file(), H5F_ACC_RDONLY, H5P_DEFAULT));
    static const char *const names[] = {"virtual", "external"};

    for (size_t i = 0; i < 2; i++) {
        const hid_t dataset = CHECK_H5(H5Dopen2(file, names[i], H5P_DEFAULT));
        hid_t creation = CHECK_H5(H5Dget_create_plist(dataset));
        H5D_fill_value_t defined;
        int32_t fill = 0;
        CHECK_OK(stoa_creation_here(&creation, H5T_STD_I32LE, NULL));
        CHECK(!stoa_values_are_elsewhere(creation));
        CHECK(H5Pget_layout(creation) == H5D_CONTIGUOUS);
        CHECK_H5(H5Pfill_value_defined(creation, &defined));
        CHECK((defined == H5D_FILL_VALUE_USER_DEFINED) == (i == 0));
        CHECK_H5(H5Pget_fill_value(creation, H5T_NATIVE_INT32, &fill));
        CHECK_I64(fill, i == 0 ? -9 : 0);
        CHECK_H5(H5Pclose(creation));
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_H5(H5Fclose(file));
}

/* --- paths ------------------------------------------------------------------------------------ */

static void the_file_that_a_path_leads_to_is_named(void)
{
    static const struct {
        const char *from, *path, *file;
    } paths[] = {{"/", "/link", "src.h5"},
                 {"/", "link", "src.h5"},
                 {"/", "/link/more", "src.h5"},
                 {"/", "//soft", "src.h5"},
                 {"/", "/soft/more", "src.h5"},
                 {"/", "/./g/./near", "other.h5"},
                 {"/", "/g/soft", "other.h5"},
                 {"g", "soft", "other.h5"},
                 {"g", "/soft", "src.h5"},
                 {"g", "near", "other.h5"},
                 {"/", "/d", NULL},
                 {"/", "/d/more", NULL},
                 {"/", "/g", NULL},
                 {"/", "/g/hard", NULL},
                 {"/", "/circle", NULL},
                 {"/", "/none/link", NULL},
                 {"/", "/g/nowhere", NULL},
                 {"/", "/", NULL},
                 {"/", ".", NULL}};
    const hid_t file = CHECK_H5(H5Fopen(make_file(), H5F_ACC_RDONLY, H5P_DEFAULT));

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const hid_t from = CHECK_H5(H5Oopen(file, paths[i].from, H5P_DEFAULT));
        char *found = stoa_path_leads_to(from, paths[i].path);
        CHECK_STR(found, paths[i].file);
        free(found);
        CHECK_H5(H5Oclose(from));
    }
    CHECK_H5(H5Fclose(file));
}

static void who_finds_nothing_is_told_why(void)
{
    const hid_t file = CHECK_H5(H5Fopen(make_file(), H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_object_not_found(file, "/soft", "no table", "a.h5", &err));
    CHECK_CONTAINS(err.message, "lies in another file, 'src.h5', which is opened only with");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_object_not_found(file, "/none", "no table", "a.h5", &err));
    CHECK_STR(err.message, "no table; 'stoa ls a.h5' lists what there is");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_object_not_found(file, "/g/none", "no table", NULL, &err));
    CHECK_STR(err.message, "no table");
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(regular_files_below_the_directory_may_be_opened),
          TEST(values_elsewhere_may_be_read_if_that_is_asked_for),
          TEST(an_edit_is_told_another_way_out), TEST(a_file_that_a_program_opened_leads_nowhere),
          TEST(a_virtual_dataset_is_not_opened_where_its_sources_may_not_be),
          TEST(each_reader_waits_as_long_as_it_was_told), TEST(names_of_external_files_may_be_long),
          TEST(sources_are_looked_for_beside_the_file),
          TEST(creation_properties_are_made_over_for_values_here),
          TEST(the_file_that_a_path_leads_to_is_named), TEST(who_finds_nothing_is_told_why))
