/* Attributes of files of every layout that Stoa writes, each said anew at random: read or refused
 * (fuzz_query.c), and nothing that a pickle wants called is called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/layout.h>
#include <stoa/stoa.h>

#include "fuzz/fuzz.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

enum { ROOM = 1 << 18, MAX_OBJECTS = 128, ROWS = 7, LONGEST = 3000 };

static const char *const layouts[] = {"pytables", "h5tb", "pandas-table", "pandas-fixed",
                                      "anndata"};
enum { N_LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* --- files ----------------------------------------------------------------------------------- */

static batch make_rows(bool has_times)
{
    batch b = batch_begin(has_times ? 5 : 4, ROWS);

    batch_integers(&b, 0, "i", "s", (int64_t[]){1, 2, 300, -4, 5, 5, 1}, NULL);
    batch_floats(&b, 1, "x", "g", (double[]){1, 2, 3, -0.0, 7.5, 2, 1e300}, NULL);
    batch_strings(&b, 2, "s", (const char *[]){"a", "bb", "longer", "", "b", "a", "abc"});
    batch_categories(&b, 3, "c", (const char *[]){"u", "w", "v", "u", "w", "v", "u"});
    if (has_times) {
        batch_integers(&b, 4, "t", "tsn:Europe/Berlin", (int64_t[]){5, 6, 7, 8, 9, 10, 11}, NULL);
    }
    return b;
}

/* What users note of a table: a pickle, too. */
static void note(hid_t file)
{
    static const char pickle[] = "(dp0\nVa\np1\n(lp2\nI1\naF2.5\nasVb\np3\nNs.";
    const hid_t table = CHECK_H5(H5Oopen(file, "/t", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, sizeof pickle - 1));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(table, "noted", type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, pickle));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Oclose(table));
}

static void make_file(const char *layout, const char *name)
{
    const hid_t file = memory_file(name, true);
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    batch b = make_rows(strcmp(layout, "anndata") != 0);
    stoa_error err = STOA_ERROR_INIT;

    options.layout = layout;
    options.chunk_rows = 3;
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_layout_write(file, "/t", &stream, &options, NULL, &err), &err);
    stream.release(&stream);
    note(file);
    CHECK_H5(H5Fclose(file));
}

static size_t load(const char *name, uint8_t *bytes)
{
    FILE *const file = fopen(name, "rb");

    CHECK(file != NULL);
    const size_t n = fread(bytes, 1, ROOM, file);
    CHECK(n > 0 && n < ROOM && fclose(file) == 0);
    return n;
}

/* --- attributes ------------------------------------------------------------------------------ */

typedef struct objects {
    char *paths[MAX_OBJECTS];
    size_t n;
} objects;

static herr_t keep(hid_t file, const char *path, const H5O_info2_t *info, void *context)
{
    objects *const kept = context;

    (void)file;
    if (info->num_attrs > 0 && kept->n < MAX_OBJECTS) {
        kept->paths[kept->n++] = strdup(path);
    }
    return 0;
}

/* Opcodes are likelier than chance has them, and what layouts say. */
static void put_text(char *text, size_t n)
{
    static const char letters[] = "().012FIKLNRSTVacdegijlnpqrstu\n\x80\x8c\xff 64[,:/_-";

    for (size_t i = 0; i < n; i++) {
        text[i] = check_random_below(5) > 0 ? letters[check_random_below(sizeof letters - 1)]
                                            : (char)check_random_below(256);
    }
}

/* A type of `n` elements at most, and whether a value of it is a text. */
static hid_t make_type(hid_t *space, size_t *n_bytes, bool *is_text)
{
    const hid_t numbers[] = {H5T_STD_I8LE,  H5T_STD_U64LE, H5T_IEEE_F64LE,
                             H5T_STD_I32BE, H5T_STD_B8LE,  H5T_STD_REF_OBJ};
    const hsize_t n = check_random_below(6);
    const uint64_t way = check_random_below(8);
    hid_t type;

    *is_text = way < 4;
    if (*is_text) {
        static const size_t longest[] = {1, 12, 40, LONGEST};
        *n_bytes = 1 + check_random_below(longest[check_random_below(4)]);
        type = CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(type, *n_bytes));
        CHECK_H5(H5Tset_cset(type, check_random_below(2) ? H5T_CSET_UTF8 : H5T_CSET_ASCII));
        *space = CHECK_H5(H5Screate(H5S_SCALAR));
        return type;
    }
    if (way == 4) {
        type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 12));
        CHECK_H5(H5Tinsert(type, "r", 0, H5T_IEEE_F64LE));
        CHECK_H5(H5Tinsert(type, "i", 8, H5T_STD_I32LE));
    } else if (way == 5) {
        type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
        CHECK_H5(H5Tenum_insert(type, "TRUE", (int8_t[]){1}));
    } else {
        type = CHECK_H5(H5Tcopy(numbers[check_random_below(6)]));
    }
    *space = CHECK_H5(n == 0   ? H5Screate(H5S_NULL)
                      : n == 1 ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(1, &n, NULL));
    *n_bytes = H5Tget_size(type) * (n == 0 ? 1 : (size_t)n);
    return type;
}

static void say_anew(hid_t object, const char *name)
{
    static char bytes[LONGEST + 1];
    hid_t space;
    size_t n;
    bool is_text;
    const hid_t type = make_type(&space, &n, &is_text);

    put_text(bytes, n);
    if (!is_text && check_random_below(2) == 0) { /* a small number */
        memset(bytes, 0, n);
        bytes[0] = (char)check_random_below(9);
    }
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (H5Tget_class(type) != H5T_REFERENCE) {
        CHECK_H5(H5Awrite(attribute, type, bytes));
    }
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* One byte of a text, if it is of a length of its own: of a pickle most others would break it. */
static bool change_byte(hid_t object, const char *name)
{
    static char bytes[1 << 16];
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));
    const size_t n = H5Tget_size(type);
    const bool can = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                     H5Aget_storage_size(attribute) == n && n > 0 && n < sizeof bytes;

    if (can) {
        CHECK_H5(H5Aread(attribute, type, bytes));
        put_text(&bytes[check_random_below(n)], 1);
        CHECK_H5(H5Awrite(attribute, type, bytes));
    }
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
    return can;
}

static void change_one(hid_t file, const objects *kept)
{
    const hid_t object =
        CHECK_H5(H5Oopen(file, kept->paths[check_random_below(kept->n)], H5P_DEFAULT));
    H5O_info2_t info;
    char name[256];

    CHECK_H5(H5Oget_info3(object, &info, H5O_INFO_NUM_ATTRS));
    if (info.num_attrs > 0) {
        CHECK_H5(H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC,
                                    check_random_below(info.num_attrs), name, sizeof name,
                                    H5P_DEFAULT));
        if (check_random_below(3) == 0 || !change_byte(object, name)) {
            CHECK_H5(H5Adelete(object, name));
            if (check_random_below(6) > 0) {
                say_anew(object, name);
            }
        }
    }
    CHECK_H5(H5Oclose(object));
}

/* The image with some attributes said otherwise. */
static size_t change(const uint8_t *image, size_t n, uint8_t *out)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    objects kept = {.n = 0};

    memcpy(out, image, n);
    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 14, false));
    CHECK_H5(H5Pset_file_image(fapl, out, n));
    const hid_t file = CHECK_H5(H5Fopen("changed.h5", H5F_ACC_RDWR, fapl));
    CHECK_H5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, keep, &kept,
                       H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS));
    CHECK(kept.n > 0);
    for (uint64_t i = 1 + check_random_below(3); i > 0; i--) {
        change_one(file, &kept);
    }
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const ssize_t size = H5Fget_file_image(file, out, ROOM);
    CHECK(size > 0);
    for (size_t i = 0; i < kept.n; i++) {
        free(kept.paths[i]);
    }
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
    return (size_t)size;
}

static void attributes_that_lie_are_survived(void)
{
    static uint8_t images[N_LAYOUTS][ROOM];
    static uint8_t changed[ROOM];
    size_t sizes[N_LAYOUTS];
    H5E_auto2_t print = NULL;
    void *context = NULL;

    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    for (size_t i = 0; i < N_LAYOUTS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s.h5", layouts[i]);
        make_file(layouts[i], check_path(name));
        sizes[i] = load(check_path(name), images[i]);
        fuzz_layout(images[i], sizes[i]);
    }
    for (uint64_t i = check_n_cases(200); i > 0; i--) {
        const size_t k = (size_t)check_random_below(N_LAYOUTS);
        CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
        const size_t n = change(images[k], sizes[k], changed);
        fuzz_layout(changed, n);
    }
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
}

TEST_MAIN(TEST(attributes_that_lie_are_survived))
