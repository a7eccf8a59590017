/* Awkward arrays of AnnData that lie, and memory that runs out. For src/layout/anndata/awkward/;
 * arrays that anndata wrote are read by tests/cli/test_awkward.py. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/anndata.h>
#include <stoa/layout.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/anndata/awkward/form.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"
#include "table/open/table.h"

/* --- arrays ---------------------------------------------------------------------------------- */

#define NUMBERS(key) "{\"class\":\"NumpyArray\",\"primitive\":\"int64\",\"form_key\":\"" key "\"}"
#define BYTES(key) "{\"class\":\"NumpyArray\",\"primitive\":\"uint8\",\"form_key\":\"" key "\"}"
#define LISTS(key, content)                                                                        \
    "{\"class\":\"ListOffsetArray\",\"offsets\":\"i64\",\"content\":" content                      \
    ",\"form_key\":\"" key "\"}"
#define FIXED(size, content)                                                                       \
    "{\"class\":\"RegularArray\",\"size\":" size ",\"content\":" content "}"
#define OPTION(key, content)                                                                       \
    "{\"class\":\"IndexedOptionArray\",\"index\":\"i64\",\"content\":" content                     \
    ",\"form_key\":\"" key "\"}"
#define MASKED(key, content)                                                                       \
    "{\"class\":\"ByteMaskedArray\",\"mask\":\"i8\",\"valid_when\":true,\"content\":" content      \
    ",\"form_key\":\"" key "\"}"
#define RANGES(key, content)                                                                       \
    "{\"class\":\"ListArray\",\"starts\":\"i64\",\"stops\":\"i64\",\"content\":" content           \
    ",\"form_key\":\"" key "\"}"

/* Begin an array "a" of the root. The caller closes it. `form` NULL: it has none. */
static hid_t begin_array(hid_t file, const char *form, int64_t length)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t group = CHECK_H5(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_ascii(group, "encoding-type", "awkward-array", &err), &err);
    CHECK_OK(stoa_attribute_write_ascii(group, "encoding-version", "0.1.0", &err), &err);
    CHECK_OK(stoa_attribute_write_scalar(group, "length", H5T_STD_I64LE, H5T_NATIVE_INT64, &length,
                                         &err),
             &err);
    if (form != NULL) { /* of any length */
        const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
        CHECK_OK(stoa_attribute_write_scalar(group, "form", type, type, &form, &err), &err);
        CHECK_H5(H5Tclose(type));
    }
    return group;
}

static void put(hid_t group, const char *name, hid_t type, hsize_t n, const int64_t *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t set =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    if (n > 0) {
        CHECK_H5(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Dclose(set));
    CHECK_H5(H5Sclose(space));
}

#define PUT(group, name, ...)                                                                      \
    put((group), (name), H5T_STD_I64LE, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),        \
        (const int64_t[]){__VA_ARGS__})

static void append(char *text, size_t size, const char *more)
{
    const size_t n = strlen(text);

    CHECK(strlen(more) < size - n);
    (void)snprintf(text + n, size - n, "%s", more);
}

static void show(const stoa_view *view, int64_t i, char *text, size_t size)
{
    stoa_view child;
    int64_t first = 0;
    int64_t count = 0;

    if (stoa_view_is_null(view, i) || view->array->n_children == 0) {
        append(text, size, value_text(view, i));
        return;
    }
    append(text, size, "[");
    if (view->type.kind == STOA_KIND_STRUCT) {
        for (int64_t k = 0; k < view->array->n_children; k++) {
            CHECK_OK(stoa_view_child(view, k, &child, NULL));
            append(text, size, k > 0 ? " " : "");
            show(&child, i, text, size);
        }
    } else {
        CHECK_OK(stoa_view_child(view, 0, &child, NULL));
        stoa_view_range(view, i, &first, &count);
        for (int64_t k = first; k < first + count; k++) {
            append(text, size, k > first ? " " : "");
            show(&child, k, text, size);
        }
    }
    append(text, size, "]");
}

/* Append rows [first, first + count) of a column to a text. */
static stoa_status read_rows(stoa_column *column, uint64_t first, uint64_t count, char *text,
                             size_t size, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_column_read(column, first, count, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    for (int64_t i = 0; i < view.length; i++) {
        append(text, size, first + (uint64_t)i > 0 ? " " : "");
        show(&view, i, text, size);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Open an array, and append the rows of its first column to a text. They are read at once, and one
 * by one. */
static stoa_status read_at(hid_t file, const char *path, char *text, size_t size, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    char alone[1024] = "";
    const size_t before = strlen(text);

    STOA_TRY(stoa_table_open(file, path, &table, err));
    stoa_column *const column = table->columns[0];
    STOA_TRY(read_rows(column, 0, stoa_table_n_rows(table), text, size, err));
    for (uint64_t i = 0; i < stoa_table_n_rows(table); i++) {
        STOA_TRY(read_rows(column, i, 1, alone, sizeof alone, err));
    }
    CHECK_STR(alone, text + before);

done:
    stoa_table_close(table);
    return status;
}

/* The file's array is refused with these words. The file is closed. */
static void is_refused(hid_t file, hid_t group, stoa_status expected, const char *says)
{
    stoa_error err = STOA_ERROR_INIT;
    char text[1024] = "";

    CHECK_H5(H5Gclose(group));
    CHECK_STATUS(expected, read_at(file, "/a", text, sizeof text, &err), &err);
    CHECK_CONTAINS(err.message, says);
    CHECK_CONTAINS(err.where, "/a");
    CHECK_H5(H5Fclose(file));
}

static void reads_as(hid_t file, hid_t group, const char *rows)
{
    stoa_error err = STOA_ERROR_INIT;
    char text[1024] = "";

    CHECK_H5(H5Gclose(group));
    CHECK_OK(read_at(file, "/a", text, sizeof text, &err), &err);
    CHECK_STR(text, rows);
    CHECK_H5(H5Fclose(file));
}

static hid_t new_file(void)
{
    return memory_file("awkward.h5ad", false);
}

/* --- forms ----------------------------------------------------------------------------------- */

static void form_is_refused(const char *text, const char *says)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_awkward_form form;

    CHECK_STATUS(STOA_EDATA, stoa_awkward_form_parse(text, &form, &err), &err);
    CHECK_CONTAINS(err.message, says);
    stoa_awkward_form_clear(&form);
}

static void a_form_is_a_tree(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_awkward_form form;
    static const char text[] =
        "{\"class\": \"RecordArray\", \"fields\": [\"x\", \"\\u00e9\"], \"contents\": ["
        "{\"class\": \"ListOffsetArray\", \"offsets\": \"i32\", \"content\": \"float32\","
        " \"parameters\": {\"__doc__\": [1, {\"a\": null}]}, \"form_key\": \"k\"},"
        "{\"class\": \"BitMaskedArray\", \"valid_when\": false, \"lsb_order\": false, \"content\":"
        " {\"class\": \"NumpyArray\", \"primitive\": \"int8\", \"inner_shape\": [2, 3],"
        " \"parameters\": {\"__array__\": \"char\"}}}], \"form_key\": null}";

    CHECK_OK(stoa_awkward_form_parse(text, &form, &err), &err);
    CHECK_U64(form.class, STOA_AWKWARD_RECORDS);
    CHECK(form.key == NULL);
    CHECK_U64(form.n_names, 2);
    CHECK_STR(form.names[1], "\xc3\xa9");
    const stoa_awkward_form *const lists = &form.contents[0];
    CHECK_U64(lists->class, STOA_AWKWARD_LISTS);
    CHECK_STR(lists->key, "k");
    CHECK(lists->kind == NULL);
    CHECK_STR(lists->contents[0].primitive, "float32");
    const stoa_awkward_form *const masked = &form.contents[1];
    CHECK_U64(masked->class, STOA_AWKWARD_BIT_MASKED);
    CHECK(!masked->valid_when && !masked->lsb_order);
    CHECK_U64(masked->contents[0].rank, 2);
    CHECK_U64(masked->contents[0].shape[1], 3);
    CHECK_STR(masked->contents[0].kind, "char");
    stoa_awkward_form_clear(&form);
}

static void forms_that_are_none_are_refused_by_name(void)
{
    form_is_refused("", "not JSON");
    form_is_refused("{\"class\": \"NumpyArray\"", "not JSON");
    form_is_refused("[]", "no object");
    form_is_refused("{}", "''");
    form_is_refused(NUMBERS("a") "x", "not JSON");
    form_is_refused("{\"class\": \"NumpyArray\"}", "without primitive");
    form_is_refused("{\"class\": \"ListOffsetArray16\"}", "'ListOffsetArray16'");
    form_is_refused("{\"class\": \"VirtualArray\"}", "'VirtualArray'");
    form_is_refused("{\"class\": \"ListArray\"}", "'ListArray' without content");
    form_is_refused("{\"class\": \"UnionArray\", \"contents\": [\"int8\", \"int16\"]}",
                    "several types");
    form_is_refused("{\"class\": \"RecordArray\", \"contents\": [], \"fields\": []}",
                    "without fields");
    form_is_refused("{\"class\": \"RecordArray\", \"contents\": [\"int8\"], \"fields\": "
                    "[\"a\", \"b\"]}",
                    "2 names for 1 fields");
    form_is_refused("{\"class\": \"RecordArray\", \"contents\": [\"int8\"], \"fields\": [1]}",
                    "fields without names");
    form_is_refused(FIXED("-1", "\"int8\""), "'size'");
    form_is_refused(FIXED("1.5", "\"int8\""), "'size'");
    form_is_refused("{\"valid_when\": 1}", "'valid_when'");
    form_is_refused("{\"form_key\": \"a\\u0000b\"}", "NUL");
}

/* A text of `n` parts between a beginning and an end. */
static char *repeated(const char *first, const char *part, size_t n, const char *last)
{
    const size_t length = strlen(part);
    char *const text = malloc(strlen(first) + n * length + strlen(last) + 1);

    CHECK(text != NULL);
    (void)strcpy(text, first);
    char *at = text + strlen(first);
    for (size_t i = 0; i < n; i++, at += length) {
        memcpy(at, part, length);
    }
    (void)strcpy(at, last);
    return text;
}

static void forms_without_end_are_refused(void)
{
    char *const deep = repeated("", "{\"class\":\"UnmaskedArray\",\"content\":", 100000, "1");
    char *const skipped = repeated("{\"parameters\":{\"x\":", "[", 100000, "");
    char *const wide =
        repeated("{\"class\":\"RecordArray\",\"contents\":[\"int8\"", ",\"int8\"", 5000, "]}");
    char *const names =
        repeated("{\"class\":\"RecordArray\",\"fields\":[\"a\"", ",\"a\"", 5000, "]}");
    char *const shape = repeated("{\"inner_shape\":[1", ",1", 100, "]}");

    form_is_refused(deep, "deeper than 64");
    form_is_refused(skipped, "fewer than 64 levels");
    form_is_refused(wide, "more than 4096");
    form_is_refused(names, "too many");
    form_is_refused(shape, "dimensions");
    free(deep);
    free(skipped);
    free(wide);
    free(names);
    free(shape);
}

/* --- buffers that lie ------------------------------------------------------------------------ */

static void offsets_that_lie_are_refused(void)
{
    static const struct {
        int64_t offsets[4];
        const char *says;
    } cases[] = {
        {{0, 3, 1, 4}, "descends, or is negative at entry 1"},
        {{0, 9, 2, 4}, "descends, or is negative at entry 1"},
        {{-1, 1, 2, 3}, "descends, or is negative at entry 0"},
        {{0, 1, 2, -3}, "ends with a negative number"},
        {{0, 1, 2, 9}, "'node1-data' has 4 elements, and 9 are needed"},
        {{0, 1, 2, INT64_MAX}, "'node1-data' has 4 elements"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hid_t file = new_file();
        const hid_t group = begin_array(file, LISTS("node0", NUMBERS("node1")), 3);
        put(group, "node0-offsets", H5T_STD_I64LE, 4, cases[i].offsets);
        PUT(group, "node1-data", 5, 6, 7, 8);
        is_refused(file, group, STOA_EDATA, cases[i].says);
    }
}

static void what_is_not_needed_is_ignored(void)
{
    const hid_t file = new_file();
    const hid_t group = begin_array(file, LISTS("node0", NUMBERS("node1")), 3);

    PUT(group, "node0-offsets", 1, 3, 3, 4, -9, 7);
    PUT(group, "node1-data", 5, 6, 7, 8, 9, 10);
    PUT(group, "other", 1);
    reads_as(file, group, "[6 7] [] [8]");
}

static void an_array_without_values_needs_no_offsets(void)
{
    const hid_t file = new_file();
    const hid_t group = begin_array(file, LISTS("node0", LISTS("node1", NUMBERS("node2"))), 0);

    put(group, "node0-offsets", H5T_STD_I64LE, 0, NULL);
    put(group, "node1-offsets", H5T_STD_I64LE, 0, NULL);
    put(group, "node2-data", H5T_STD_I64LE, 0, NULL);
    reads_as(file, group, "");
}

static void buffers_that_are_missing_or_others_are_refused(void)
{
    static const struct {
        const char *form;
        const char *says;
    } cases[] = {
        {LISTS("node0", NUMBERS("node9")), "there is no dataset 'node9-data'"},
        {LISTS("node9", NUMBERS("node1")), "there is no dataset 'node9-offsets'"},
        {LISTS("node0", "\"int64\""), "a 'int64' without form_key"},
        {LISTS("node0", NUMBERS("group")), "there is no dataset 'group-data'"},
        {LISTS("node0", NUMBERS("flat")), "of 'flat-data', which is of"},
        {LISTS("node0", BYTES("node1")), "says 'uint8' of 'node1-data', which is of int64"},
        {LISTS("floats", NUMBERS("node1")), "'floats-offsets' is of float64, not integers"},
        {LISTS("node0", "{\"class\":\"EmptyArray\"}"), "EmptyArray where there must be 4"},
        {"{\"class\":\"ListOffsetArray\",\"content\":" NUMBERS(
             "node1") ",\"form_key\":\"node0\",\"parameters\":{\"__array__\":\"string\"}}",
         "strings that are not made of uint8"},
        {MASKED("node0", NUMBERS("node1")), "'node0-mask' is of int64, not of bytes"},
        {MASKED("short", NUMBERS("node1")), "'short-mask' has 2 elements, and 3 are needed"},
        {FIXED("0", NUMBERS("node1")), "lists of 0 items each"},
        {FIXED("1", FIXED("3000000000", NUMBERS("node1"))), "'node1-data' has 4 elements"},
        {FIXED("4611686018427387904", NUMBERS("node1")), "more values than can be"},
        {OPTION("node1", FIXED("3000000000", NUMBERS("node1"))), "lists of 3000000000 items each"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hid_t file = new_file();
        const hid_t group = begin_array(file, cases[i].form, 3);
        const hid_t flat = CHECK_H5(H5Screate_simple(2, (const hsize_t[]){2, 2}, NULL));
        PUT(group, "node0-offsets", 0, 1, 1, 4);
        PUT(group, "node0-mask", 0, 1, 1);
        PUT(group, "node1-data", 5, 6, 7, 8);
        PUT(group, "node1-index", 0, -1, 0);
        put(group, "short-mask", H5T_STD_I8LE, 2, (const int64_t[]){0, 1});
        put(group, "floats-offsets", H5T_IEEE_F64LE, 4, (const int64_t[]){0, 1, 1, 4});
        CHECK_H5(H5Gclose(
            CHECK_H5(H5Gcreate2(group, "group-data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
        CHECK_H5(H5Dclose(CHECK_H5(H5Dcreate2(group, "flat-data", H5T_STD_I64LE, flat, H5P_DEFAULT,
                                              H5P_DEFAULT, H5P_DEFAULT))));
        CHECK_H5(H5Sclose(flat));
        is_refused(file, group, STOA_EDATA, cases[i].says);
    }
}

static void arrays_that_do_not_say_what_they_are_are_refused(void)
{
    hid_t file = new_file();
    is_refused(file, begin_array(file, NULL, 3), STOA_EDATA, "attribute 'form'");
    file = new_file();
    is_refused(file, begin_array(file, NUMBERS("node0"), -3), STOA_EDATA, "'length'");
    file = new_file();
    hid_t group = begin_array(file, NUMBERS("node0"), 3);
    CHECK_H5(H5Adelete(group, "length"));
    is_refused(file, group, STOA_EDATA, "'length'");
    file = new_file();
    group =
        begin_array(file,
                    "{\"class\":\"RecordArray\",\"fields\":[\"a\",\"a\"],\"contents\":[" NUMBERS(
                        "node0") "," NUMBERS("node0") "]}",
                    1);
    PUT(group, "node0-data", 1);
    is_refused(file, group, STOA_EDATA, "two columns 'a'");
}

static void an_index_that_lies_is_refused(void)
{
    static const struct {
        int64_t index[3];
        bool is_option;
        const char *says;
    } cases[] = {
        {{0, 2, 1}, true, "is 2 at entry 1, and there are 2 values"},
        {{0, INT64_MAX, 1}, false, "at entry 1, and there are 2 values"},
        {{0, 1, -1}, false, "is -1 at entry 2, and there are 2 values"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hid_t file = new_file();
        const hid_t group =
            begin_array(file,
                        cases[i].is_option ? OPTION("node0", NUMBERS("node1"))
                                           : "{\"class\":\"IndexedArray\",\"content\":" NUMBERS(
                                                 "node1") ",\"form_key\":\"node0\"}",
                        3);
        put(group, "node0-index", H5T_STD_I64LE, 3, cases[i].index);
        PUT(group, "node1-data", 5, 6);
        is_refused(file, group, STOA_EDATA, cases[i].says);
    }
}

static void ranges_that_lie_are_refused(void)
{
    static const int64_t cases[][2] = {{1, 0}, {-1, 1}, {0, 3}, {INT64_MIN, INT64_MAX}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hid_t file = new_file();
        const hid_t group = begin_array(file, RANGES("node0", NUMBERS("node1")), 2);
        PUT(group, "node0-starts", 0, cases[i][0]);
        PUT(group, "node0-stops", 2, cases[i][1]);
        PUT(group, "node1-data", 5, 6);
        is_refused(file, group, STOA_EDATA, "at entry 1, and there are 2 values");
    }
}

/* Few bytes of a file must not become many of memory. */
static void values_that_nobody_wrote_are_refused(void)
{
    const hid_t file = new_file();
    const hid_t group = begin_array(file, LISTS("node0", NUMBERS("node1")), 1);
    const hsize_t many = (hsize_t)1 << 40;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &many, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){1024}));
    PUT(group, "node0-offsets", 0, (int64_t)many);
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(group, "node1-data", H5T_STD_I64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    is_refused(file, group, STOA_ERANGE, "hardly any was ever written");
}

static void missing_lists_of_many_items_are_refused(void)
{
    enum { N = 1000 };
    int64_t index[N];
    const hid_t file = new_file();
    const hid_t group = begin_array(file, OPTION("node0", FIXED("1000000", NUMBERS("node1"))), N);

    for (int i = 0; i < N; i++) {
        index[i] = -1;
    }
    put(group, "node0-index", H5T_STD_I64LE, N, index);
    put(group, "node1-data", H5T_STD_I64LE, 0, NULL);
    is_refused(file, group, STOA_ERANGE, "1000 values are missing that have 1000000 parts");
}

static void lists_that_overlap_without_end_are_refused(void)
{
    enum { N = 8192 };
    int64_t *const values = calloc(1 << 16, sizeof *values);
    int64_t stops[N];
    const hid_t file = new_file();
    const hid_t group = begin_array(file, RANGES("node0", NUMBERS("node1")), N);

    CHECK(values != NULL);
    for (int i = 0; i < N; i++) {
        stops[i] = 1 << 16;
    }
    put(group, "node0-starts", H5T_STD_I64LE, N, values);
    put(group, "node0-stops", H5T_STD_I64LE, N, stops);
    put(group, "node1-data", H5T_STD_I64LE, 1 << 16, values);
    free(values);
    is_refused(file, group, STOA_ERANGE, "its lists have");
}

/* --- rows that are read ---------------------------------------------------------------------- */

/* Missing records of a number, a string, a list and a pair, one of which is missing itself. */
static hid_t put_everything(hid_t file)
{
    const hid_t group = begin_array(
        file,
        OPTION(
            "node0",
            "{\"class\":\"RecordArray\",\"fields\":[\"n\",\"l\",\"p\"],\"contents\":[" NUMBERS(
                "node1") "," MASKED("node2",
                                    LISTS("node3",
                                          NUMBERS("node4"))) "," FIXED("2", NUMBERS("node5")) "]}"),
        4);

    PUT(group, "node0-index", 1, -1, 0, 2);
    PUT(group, "node1-data", 5, 6, 7);
    put(group, "node2-mask", H5T_STD_I8LE, 3, (const int64_t[]){1, 0, 1});
    PUT(group, "node3-offsets", 0, 1, 2, 2);
    PUT(group, "node4-data", 8, 9);
    PUT(group, "node5-data", 1, 2, 3, 4, 5, 6);
    return group;
}

static void what_is_nested_is_read_as_a_struct(void)
{
    const hid_t file = new_file();

    reads_as(file, put_everything(file), "[6 null [3 4]] null [5 [8] [1 2]] [7 [] [5 6]]");
}

static void bits_are_counted_from_either_end(void)
{
    static const char *const forms[] = {
        "{\"class\":\"BitMaskedArray\",\"mask\":\"u8\",\"valid_when\":true,\"lsb_order\":true,"
        "\"content\":" NUMBERS("node1") ",\"form_key\":\"node0\"}",
        "{\"class\":\"BitMaskedArray\",\"mask\":\"u8\",\"valid_when\":false,\"lsb_order\":false,"
        "\"content\":" NUMBERS("node1") ",\"form_key\":\"node0\"}"};
    static const char *const rows[] = {"0 null null null null null null 7 null 9 null",
                                       "null 1 2 3 4 5 6 null 8 9 null"};

    for (size_t i = 0; i < 2; i++) {
        const hid_t file = new_file();
        const hid_t group = begin_array(file, forms[i], 11);
        put(group, "node0-mask", H5T_STD_U8LE, 2,
            i == 0 ? (const int64_t[]){0x81, 0x02} : (const int64_t[]){0x81, 0x20});
        PUT(group, "node1-data", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        reads_as(file, group, rows[i]);
    }
}

static hid_t source = H5I_INVALID_HID;

static stoa_status read_source(stoa_error *err)
{
    char text[1024] = "";
    const stoa_status status = read_at(source, "/a", text, sizeof text, err);

    if (status == STOA_OK) {
        CHECK_STR(text, "[6 null [3 4]] null [5 [8] [1 2]] [7 [] [5 6]]");
    }
    return status;
}

static void memory_may_run_out_while_reading(void)
{
    source = new_file();
    CHECK_H5(H5Gclose(put_everything(source)));
    CHECK(sweep_memory_throughout(read_source) > 100);
    CHECK_H5(H5Fclose(source));
}

/* --- writing --------------------------------------------------------------------------------- */

/* Lists of strings, one of them missing, and of lists of integers, some of which are missing. */
static stoa_table *make_table(hid_t file)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;
    batch strings = batch_begin(1, 3);
    batch integers = batch_begin(1, 4);
    batch lists = batch_begin(1, 3);
    batch b = batch_begin(3, 3);

    batch_strings(&strings, 0, "item", (const char *const[]){"x", NULL, "é"});
    batch_integers(&integers, 0, "item", "i", (const int64_t[]){1, 2, 3, 4},
                   (const bool[]){true, false, true, true});
    batch_lists(&lists, 0, "item", "+l", &integers, (const int64_t[]){2, 0, 2}, NULL);
    batch_integers(&b, 0, "n", "l", (const int64_t[]){3, 1, 2}, NULL);
    batch_lists(&b, 1, "s", "+l", &strings, (const int64_t[]){1, 2, 0},
                (const bool[]){true, true, false});
    batch_lists(&b, 2, "v", "+l", &lists, (const int64_t[]){1, 1, 1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    return table;
}

static stoa_status write_source(stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_table *table = NULL;
    const hid_t file = memory_file("new.h5ad", false);
    char text[1024] = "";
    uint64_t n_rows = 0;
    stoa_status status = STOA_OK;

    options.threads = 1;
    STOA_TRY(stoa_hep001_open(source, "/t", &table, err));
    STOA_TRY(stoa_anndata_of_table(table, file, &options, &n_rows, err));
    STOA_TRY(read_at(file, "/obsm/s", text, sizeof text, err));
    append(text, sizeof text, ";");
    STOA_TRY(read_at(file, "/obsm/v", text, sizeof text, err));
    CHECK_STR(text, "['x'] [null '\xc3\xa9'] null;[[1 null]] [[]] [[3 4]]");

done:
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    return status;
}

static void lists_are_written_beside_obs(void)
{
    stoa_error err = STOA_ERROR_INIT;

    source = memory_file("own.h5", false);
    stoa_table_close(make_table(source));
    CHECK_OK(write_source(&err), &err);
    CHECK_H5(H5Fclose(source));
}

/* What is there is kept, unless the options replace it, lists as well as the frame. */
static void lists_are_replaced_with_their_frame(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const hid_t file = memory_file("new.h5ad", false);
    char text[1024] = "";
    uint64_t n_rows = 0;

    source = memory_file("own.h5", false);
    stoa_table *const table = make_table(source);
    const hid_t group = begin_array(file, NUMBERS("node0"), 3);
    options.layout = "anndata";
    options.threads = 1;
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "obsm", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Lcreate_hard(file, "a", file, "obsm/v", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_STATUS(STOA_EEXISTS,
                 stoa_layout_write_table(table, file, "/obs", &options, &n_rows, &err), &err);
    CHECK_CONTAINS(err.message, "'/obsm/v'");
    CHECK(H5Lexists(file, "obs", H5P_DEFAULT) == 0);
    CHECK(H5Lexists(file, "obsm/s", H5P_DEFAULT) == 0);
    options.replace = true;
    CHECK_OK(stoa_layout_write_table(table, file, "obs", &options, &n_rows, &err), &err);
    CHECK_OK(read_at(file, "/obsm/v", text, sizeof text, &err), &err);
    CHECK_STR(text, "[[1 null]] [[]] [[3 4]]");
    stoa_table_close(table);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Fclose(source));
}

static void memory_may_run_out_while_writing(void)
{
    source = memory_file("own.h5", false);
    stoa_table_close(make_table(source));
    CHECK(sweep_memory_throughout(write_source) > 100);
    CHECK_H5(H5Fclose(source));
}

TEST_MAIN(TEST(a_form_is_a_tree), TEST(forms_that_are_none_are_refused_by_name),
          TEST(forms_without_end_are_refused), TEST(offsets_that_lie_are_refused),
          TEST(what_is_not_needed_is_ignored), TEST(an_array_without_values_needs_no_offsets),
          TEST(buffers_that_are_missing_or_others_are_refused),
          TEST(arrays_that_do_not_say_what_they_are_are_refused),
          TEST(an_index_that_lies_is_refused), TEST(ranges_that_lie_are_refused),
          TEST(values_that_nobody_wrote_are_refused), TEST(missing_lists_of_many_items_are_refused),
          TEST(lists_that_overlap_without_end_are_refused),
          TEST(what_is_nested_is_read_as_a_struct), TEST(bits_are_counted_from_either_end),
          TEST(memory_may_run_out_while_reading), TEST(lists_are_written_beside_obs),
          TEST(lists_are_replaced_with_their_frame), TEST(memory_may_run_out_while_writing))
