/* Ids closed, libhdf5's words in one line, and names of objects, for src/hdf/ids.c. */
#include "hdf/ids.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

static hid_t make_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    const hid_t file = CHECK_H5(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* --- failures --------------------------------------------------------------------------------- */

/* A failure of libhdf5's with one frame, and one around it. */
static stoa_status fail_by(const char *function, hid_t major, hid_t minor, const char *words,
                           stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    *err = (stoa_error)STOA_ERROR_INIT;
    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    CHECK_H5(H5Epush2(H5E_DEFAULT, "f.c", function, 1, H5E_ERR_CLS, major, minor, "%s", words));
    CHECK_H5(H5Epush2(H5E_DEFAULT, "g.c", "stoa_outer", 2, H5E_ERR_CLS, H5E_RESOURCE, H5E_NOSPACE,
                      "memory of the outer frame"));
    stoa_error_stack_end(&errors);
    return stoa_hdf_fail(err, "do %d things", 7);
}

static void a_failure_is_told_by_libhdf5s_innermost_words(void)
{
    stoa_error err;

    CHECK_STATUS(STOA_EHDF5, fail_by("H5D_x", H5E_DATASET, H5E_CANTINIT, "inner words", &err));
    CHECK_STR(err.message, "cannot do 7 things: inner words");
    CHECK_I64(H5Eget_num(H5E_DEFAULT), 0); /* the stack is cleared */
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(&err, "do it"));
    CHECK_STR(err.message, "cannot do it");
    CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(&err, "do more")); /* the first message stays */
    CHECK_STR(err.message, "cannot do it");
    CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(NULL, "do it"));
}

static void memory_that_ran_out_is_told_as_that(void)
{
    stoa_error err;

    CHECK_STATUS(STOA_ENOMEM, fail_by("stoa_read", H5E_IO, H5E_NOSPACE, "ours", &err));
    CHECK_U64(err.status, STOA_ENOMEM);
    CHECK_STATUS(STOA_EHDF5, fail_by("stoa_read", H5E_IO, H5E_READERROR, "ours", &err));
    CHECK_STATUS(STOA_EHDF5, fail_by("H5F_read", H5E_IO, H5E_NOSPACE, "no memory", &err));
    CHECK_STATUS(STOA_ENOMEM, fail_by("H5D_x", H5E_RESOURCE, H5E_NOSPACE, "memory is out", &err));
    CHECK_STATUS(STOA_ENOMEM, fail_by("H5D_x", H5E_RESOURCE, H5E_CANTALLOC, "no memory", &err));
    CHECK_STATUS(STOA_EHDF5, fail_by("H5D_x", H5E_RESOURCE, H5E_NOSPACE, "no file space", &err));
    CHECK_STATUS(STOA_EHDF5, fail_by("H5D_x", H5E_RESOURCE, H5E_CANTINIT, "no memory", &err));
    CHECK_STATUS(STOA_EHDF5, fail_by("H5D_x", H5E_DATASET, H5E_CANTALLOC, "no memory", &err));
}

static void a_link_into_another_file_is_told_with_the_option(void)
{
    stoa_error err;

    CHECK_STATUS(STOA_EHDF5,
                 fail_by("H5L_x", H5E_LINK, H5E_CANTOPENFILE,
                         "unable to open external file, external link file name = 'b'", &err));
    CHECK_STR(err.message, "cannot do 7 things: another file is opened only with "
                           "--follow-external, external link file name = 'b'");
}

static void printing_is_off_between_begin_and_end(void)
{
    H5E_auto2_t before = NULL;
    H5E_auto2_t print = NULL;
    void *context = NULL;

    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &before, &context));
    const stoa_error_stack outer = stoa_error_stack_begin();
    const stoa_error_stack inner = stoa_error_stack_begin();
    stoa_error_stack_end(&inner);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    CHECK(print == NULL);
    stoa_error_stack_end(&outer);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    CHECK(print == before);
}

static void a_dropped_failure_leaves_nothing_behind(void)
{
    H5E_auto2_t print = NULL;
    void *context = NULL;
    const stoa_error_stack errors = stoa_error_stack_begin();

    CHECK(H5Gopen2(-1, "a", H5P_DEFAULT) < 0);
    CHECK(H5Eget_num(H5E_DEFAULT) > 0);
    stoa_error_stack_discard(&errors);
    CHECK_I64(H5Eget_num(H5E_DEFAULT), 0);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    CHECK(print != NULL && print == errors.print);
}

/* --- closing ---------------------------------------------------------------------------------- */

static void ids_of_every_kind_are_closed_once(void)
{
    hid_t file = make_file();
    hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    hid_t ids[] = {
        CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
        CHECK_H5(H5Acreate2(file, "a", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT)),
        CHECK_H5(H5Tcopy(H5T_STD_I8LE)),
        CHECK_H5(H5Pcreate(H5P_DATASET_CREATE)),
        CHECK_H5(H5Ecreate_stack()),
        space,
        file};

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const hid_t id = ids[i];
        CHECK(H5Iis_valid(id) > 0);
        CHECK_OK(stoa_hdf_close(&ids[i], STOA_OK, NULL));
        CHECK_I64(ids[i], H5I_INVALID_HID);
        CHECK(H5Iis_valid(id) == 0);
        CHECK_OK(stoa_hdf_close(&ids[i], STOA_OK, NULL)); /* there is nothing to close */
    }
    CHECK_STATUS(STOA_EDATA, stoa_hdf_close(&ids[0], STOA_EDATA, NULL));
}

/* The first error is the one that is told. */
static void a_close_that_fails_is_a_failure(void)
{
    stoa_error err = STOA_ERROR_INIT;
    hid_t type = H5T_STD_I8LE; /* libhdf5's own */

    CHECK_STATUS(STOA_EHDF5, stoa_hdf_close(&type, STOA_OK, &err));
    CHECK_CONTAINS(err.message, "cannot close an object");
    CHECK_I64(type, H5I_INVALID_HID);
    type = H5T_STD_I8LE;
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_hdf_close(&type, STOA_EDATA, &err));
    CHECK_STR(err.message, "");
    CHECK_U64(H5Tget_size(H5T_STD_I8LE), 1);
}

/* --- names ------------------------------------------------------------------------------------ */

static hid_t named_object;

static stoa_status ask_for_name(stoa_error *err)
{
    char *name = stoa_hdf_name(named_object, H5Iget_name);

    if (name == NULL) {
        return stoa_fail_memory(err);
    }
    CHECK_STR(name, "/g");
    free(name);
    return STOA_OK;
}

static void objects_are_named_however_long_their_names_are(void)
{
    const hid_t file = make_file();
    char name[1200];

    for (size_t length = 1; length < sizeof name - 1; length += length < 509 ? 127 : 1) {
        memset(name, 'n', length);
        name[0] = '/';
        name[length] = '\0';
        const hid_t group =
            CHECK_H5(length > 1 ? H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                                : H5Gopen2(file, "/", H5P_DEFAULT));
        char *found = stoa_hdf_name(group, H5Iget_name);
        CHECK_STR(found, name);
        free(found);
        CHECK_H5(H5Gclose(group));
        length += length > 520 ? 300 : 0;
    }
    char *found = stoa_hdf_name(file, H5Fget_name);
    CHECK_STR(found, "a.h5");
    free(found);
    hid_t group = CHECK_H5(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    found = stoa_hdf_name(group, H5Iget_name);
    CHECK_STR(found, "");
    free(found);
    CHECK_H5(H5Gclose(group));
    named_object = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_U64(sweep_memory(ask_for_name), 1);
    CHECK_H5(H5Gclose(named_object));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_failure_is_told_by_libhdf5s_innermost_words),
          TEST(memory_that_ran_out_is_told_as_that),
          TEST(a_link_into_another_file_is_told_with_the_option),
          TEST(printing_is_off_between_begin_and_end),
          TEST(a_dropped_failure_leaves_nothing_behind), TEST(ids_of_every_kind_are_closed_once),
          TEST(a_close_that_fails_is_a_failure),
          TEST(objects_are_named_however_long_their_names_are))
