/* Texts of other files on their way into HEP001 (src/layout/common/mended_texts.c). */
#include "layout/common/mended_texts.h"

#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

#include "layout/hep001/hep001.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

static void put_text(hid_t object, const char *name, const char *text, H5T_cset_t charset)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    CHECK_H5(H5Tset_cset(type, charset));
    if (H5Aexists(object, name) > 0) {
        CHECK_H5(H5Adelete(object, name));
    }
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, text));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void put_number(hid_t object, const char *name)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT, &(int){2}));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

/* A table "/t" of one column "x". */
static hid_t make(const char *name)
{
    const hid_t file = memory_file(name, false);
    batch b = batch_begin(1, 2);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "x", "l", (const int64_t[]){1, 2}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    return file;
}

/* Remarks, one a line. */
typedef struct told {
    char text[2000];
} told;

static void tell(void *context, const char *path, const char *words)
{
    told *const t = context;
    const size_t n = strlen(t->text);

    (void)snprintf(t->text + n, sizeof t->text - n, "%s %s\n", path, words);
}

static void check_text(hid_t object, const char *name, const char *wanted)
{
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));
    char text[64] = "";

    CHECK(H5Tget_cset(type) == H5T_CSET_UTF8 && H5Tis_variable_str(type) == 0);
    CHECK(H5Tget_size(type) < sizeof text);
    CHECK_H5(H5Aread(attribute, type, text));
    CHECK_STR(text, wanted);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
}

static bool print_must(void *context, const stoa_finding *finding)
{
    (void)context;
    if (strcmp(finding->level, "MUST") == 0) {
        (void)printf("%s: %s\n", finding->path, finding->message);
    }
    return true;
}

static void texts_become_utf8_and_are_named(void)
{
    const hid_t from = make("from.h5");
    const hid_t to = memory_file("to.h5", false);
    const hid_t group = CHECK_H5(H5Gopen2(from, "/t", H5P_DEFAULT));
    const hid_t column = CHECK_H5(H5Dopen2(from, "/t/x", H5P_DEFAULT));
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_check_options checks = STOA_CHECK_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    uint64_t n_must = 0;
    told t = {""};

    put_text(group, "TITLE", "caf\xe9", H5T_CSET_UTF8);
    put_text(group, "encoding-type", "data\xff", H5T_CSET_ASCII);
    put_number(group, "encoding-version");
    put_text(group, "own", "as it is", H5T_CSET_ASCII);
    put_text(column, "units", "\xb5m", H5T_CSET_UTF8);
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Gclose(group));

    CHECK_OK(stoa_hep001_open(from, "/t", &table, &err), &err);
    CHECK_OK(stoa_mended_texts_of_table(table, "/t", tell, &t, &err), &err);
    CHECK_STR(
        t.text,
        "/t has a title that is not UTF-8; U+FFFD takes the place of the wrong bytes\n"
        "/t has a text 'encoding-type' that is not UTF-8; U+FFFD takes the place of the wrong "
        "bytes\n"
        "/t has an attribute 'encoding-version' that is not one text; it is left behind\n"
        "/t/x has units that are not UTF-8; U+FFFD takes the place of the wrong bytes\n");
    options.layout = STOA_HEP001;
    CHECK_OK(stoa_layout_write_table(table, to, "/t", &options, NULL, &err), &err);
    stoa_table_close(table);
    const hid_t made = CHECK_H5(H5Gopen2(to, "/t", H5P_DEFAULT));
    check_text(made, "TITLE", "caf\xef\xbf\xbd");
    check_text(made, "encoding-type", "data\xef\xbf\xbd");
    CHECK(H5Aexists(made, "encoding-version") == 0);
    CHECK(H5Aexists(made, "own") > 0);
    CHECK_H5(H5Gclose(made));
    CHECK_OK(stoa_check(to, "/t", &checks, print_must, NULL, &n_must, NULL, &err), &err);
    CHECK_U64(n_must, 0);
    CHECK_H5(H5Fclose(to));
    CHECK_H5(H5Fclose(from));
}

static void a_table_of_sound_texts_has_none_to_tell(void)
{
    const hid_t file = make("sound.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    told t = {""};

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_mended_texts_of_table(table, "/t", tell, &t, &err), &err);
    CHECK_STR(t.text, "");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Whoever calls the library is told, and nothing is written. */
static void options_that_are_not_utf8_are_refused(void)
{
    for (int i = 0; i < 3; i++) {
        const hid_t file = memory_file("options.h5", false);
        stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
        struct ArrowArrayStream stream;
        stoa_error err = STOA_ERROR_INIT;
        batch b = batch_begin(1, 1);
        *(i == 0   ? &options.title
          : i == 1 ? &options.description
                   : &options.units_vocabulary) = "\xe9";

        batch_integers(&b, 0, "x", "l", (const int64_t[]){1}, NULL);
        stream_of(&b, 1, &stream);
        CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/t", &stream, &options, NULL, &err),
                     &err);
        CHECK_CONTAINS(err.message, "is not UTF-8");
        CHECK(H5Lexists(file, "t", H5P_DEFAULT) == 0);
        stoa_stream_release(&stream);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(texts_become_utf8_and_are_named), TEST(a_table_of_sound_texts_has_none_to_tell),
          TEST(options_that_are_not_utf8_are_refused))
