/* stoa_check(): what it visits, what it refuses, and what no file can make it do. */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

typedef struct findings {
    size_t n;
    size_t most; /* stop after this many */
    char rules[2048];
    char last_path[256];
    char last_message[1024];
} findings;

static bool keep_finding(void *context, const stoa_finding *finding)
{
    findings *found = context;
    const size_t length = strlen(found->rules);

    (void)snprintf(found->rules + length, sizeof found->rules - length, "%s ", finding->rule);
    (void)snprintf(found->last_path, sizeof found->last_path, "%s", finding->path);
    (void)snprintf(found->last_message, sizeof found->last_message, "%s", finding->message);
    found->n++;
    return found->most == 0 || found->n < found->most;
}

static hid_t memory_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 20, false));
    file = CHECK_H5(H5Fcreate("case.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static void put_text(hid_t object, const char *name, const char *value, H5T_cset_t charset)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, strlen(value) + 1));
    CHECK_H5(H5Tset_cset(type, charset));
    const hid_t id = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(id, type, value));
    CHECK_H5(H5Aclose(id));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* A conformant table without columns. */
static hid_t make_table(hid_t loc, const char *name, uint64_t n_rows)
{
    const hid_t group = CHECK_H5(H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    put_text(group, "CLASS", "COLUMN_TABLE", H5T_CSET_ASCII);
    put_text(group, "VERSION", "1.0", H5T_CSET_ASCII);
    const hid_t id =
        CHECK_H5(H5Acreate2(group, "NROWS", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(id, H5T_NATIVE_UINT64, &n_rows));
    CHECK_H5(H5Aclose(id));
    CHECK_H5(H5Sclose(space));
    return group;
}

/* A chunked uint64 column, never written; its fill is not the recommended one, so it is read. */
static hid_t make_column(hid_t group, const char *name, uint64_t n, uint64_t chunk, uint64_t fill)
{
    const hsize_t extent = n;
    const hsize_t chunk_rows = chunk;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &chunk_rows));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_UINT64, &fill));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, H5T_STD_U64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void put_reference(hid_t object, const char *name, H5R_ref_t *reference)
{
    const hsize_t one = 1;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &one, NULL));
    const hid_t id =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(id, H5T_STD_REF, reference));
    CHECK_H5(H5Aclose(id));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Rdestroy(reference));
}

static void check_all(hid_t file, findings *found, uint64_t *n_must, uint64_t *n_tables)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_check(file, NULL, &options, keep_finding, found, n_must, n_tables, &err), &err);
}

/* --- what is visited ------------------------------------------------------------------------- */

static void every_table_is_visited_once_and_nested_ones_too(void)
{
    const hid_t file = memory_file();
    const hid_t outer = make_table(file, "outer", 0);
    findings found = {.n = 0};
    uint64_t n_must = 0;
    uint64_t n_tables = 0;

    CHECK_H5(H5Gclose(make_table(outer, "inner", 0)));
    CHECK_H5(H5Gclose(make_table(file, "alone", 0)));
    CHECK_H5(H5Lcreate_hard(file, "alone", file, "twin", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/alone", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Gclose(outer));
    check_all(file, &found, &n_must, &n_tables);
    CHECK_U64(n_tables, 3);
    CHECK_U64(n_must, 1);
    CHECK_STR(found.rules, "7.6-NESTED-TABLE ");
    CHECK_STR(found.last_path, "/outer/inner");
    CHECK_H5(H5Fclose(file));
}

static void a_path_names_the_one_table_to_check(void)
{
    const hid_t file = memory_file();
    const hid_t good = make_table(file, "good", 0);
    const hid_t bad = make_table(file, "bad", 0);
    findings found = {.n = 0};
    uint64_t n_must = 7;
    uint64_t n_tables = 7;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Adelete(bad, "NROWS"));
    CHECK_OK(stoa_check(file, "good", NULL, keep_finding, &found, &n_must, &n_tables, &err), &err);
    CHECK_U64(n_must, 0);
    CHECK_U64(n_tables, 1);
    CHECK_OK(stoa_check(good, "/bad", NULL, keep_finding, &found, &n_must, NULL, &err), &err);
    CHECK_U64(n_must, 1);
    CHECK_STR(found.last_path, "/bad");
    CHECK_H5(H5Gclose(good));
    CHECK_H5(H5Gclose(bad));
    CHECK_H5(H5Fclose(file));
}

static void what_is_no_table_is_refused(void)
{
    const hid_t file = memory_file();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Dclose(make_column(file, "data", 10, 4, 0)));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_check(file, "nowhere", NULL, NULL, NULL, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "no such object");
    CHECK_STATUS(STOA_ELAYOUT, stoa_check(file, "/", NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_STATUS(STOA_ELAYOUT, stoa_check(file, "data", NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_H5(H5Fclose(file));
}

static void a_file_without_tables_has_no_findings(void)
{
    const hid_t file = memory_file();
    findings found = {.n = 0};
    uint64_t n_tables = 7;

    check_all(file, &found, NULL, &n_tables);
    CHECK_U64(n_tables, 0);
    CHECK_U64(found.n, 0);
    CHECK_H5(H5Fclose(file));
}

static void the_visitor_stops_the_check(void)
{
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", 0);
    findings found = {.most = 1};
    uint64_t n_must = 0;

    CHECK_H5(H5Adelete(table, "NROWS"));
    CHECK_H5(H5Adelete(table, "VERSION"));
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, &n_must, NULL);
    CHECK_U64(found.n, 1);
    CHECK_U64(n_must, 1);
    CHECK_H5(H5Fclose(file));
}

static void a_message_is_one_line_whatever_the_file_holds(void)
{
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", 0);
    findings found = {.n = 0};

    put_text(table, "_index", "two\nlines \x1b[31mand\xff red", H5T_CSET_UTF8);
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, NULL, NULL);
    CHECK_CONTAINS(found.rules, "7.4-INDEX-NAME-COLUMN");
    CHECK_CONTAINS(found.last_message, "two?lines ?[31mand? red");
    CHECK_H5(H5Fclose(file));
}

/* --- what no file can make it do ------------------------------------------------------------- */

static void a_chain_of_twenty_thousand_groups_is_walked(void)
{
    const hid_t file = memory_file();
    hid_t group = CHECK_H5(H5Gopen2(file, "/", H5P_DEFAULT));
    findings found = {.n = 0};
    uint64_t n_tables = 0;

    for (int depth = 0; depth < 20000; depth++) {
        const hid_t inner = CHECK_H5(H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Gclose(group));
        group = inner;
    }
    CHECK_H5(H5Gclose(make_table(group, "t", 0)));
    CHECK_H5(H5Gclose(group));
    check_all(file, &found, NULL, &n_tables);
    CHECK_U64(n_tables, 1);
    CHECK_U64(found.n, 0);
    CHECK_H5(H5Fclose(file));
}

static void rows_without_number_that_were_never_written_are_not_read(void)
{
    const uint64_t n = (uint64_t)1 << 60;
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", n);
    const hid_t column = make_column(table, "x", n, 64, 7);
    findings found = {.n = 0};

    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, NULL, NULL);
    CHECK_U64(found.n, 0);
    CHECK_H5(H5Fclose(file));
}

static void a_chunk_of_a_gigabyte_is_not_read(void)
{
    const uint64_t n = (uint64_t)1 << 27;
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", n);
    findings found = {.n = 0};

    CHECK_H5(H5Dclose(make_column(table, "x", n, n, 7)));
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, NULL, NULL);
    CHECK_STR(found.rules, "2-NOT-READ ");
    CHECK_H5(H5Fclose(file));
}

/* Eight rows in one chunk, by a filter that nobody has. */
static void make_packed_column(hid_t group, const char *name, uint64_t fill)
{
    const hsize_t extent = 8;
    const hsize_t first = 0;
    const uint64_t rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &extent));
    CHECK_H5(H5Pset_filter(dcpl, 32999, H5Z_FLAG_OPTIONAL, 0, NULL));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_UINT64, &fill));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, H5T_STD_U64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, sizeof rows, rows));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void a_filter_that_is_missing_is_told_by_its_name_and_breaks_no_rule(void)
{
    const hid_t file = memory_file();
    const hid_t tables[] = {make_table(file, "a", 8), make_table(file, "b", 8)};
    findings found = {.n = 0};
    uint64_t n_must = 7;

    make_packed_column(tables[0], "x", 0);
    make_packed_column(tables[1], "x", UINT64_MAX); /* no rule reads its rows */
    CHECK_H5(H5Gclose(tables[0]));
    CHECK_H5(H5Gclose(tables[1]));
    check_all(file, &found, &n_must, NULL);
    CHECK_STR(found.rules, "2-NOT-READ 2-NOT-READ ");
    CHECK_U64(n_must, 0);
    CHECK(strstr(found.last_message, "'filter 32999'") != NULL);
    CHECK_H5(H5Fclose(file));
}

/* Twice the rows and a MiB are the most that filters make of them; no order of filters is to blame.
 */
static void a_chunk_that_is_longer_than_filters_make_it_is_not_judged(void)
{
    const hsize_t extent = 20000;
    const hsize_t first = 0;
    const uint64_t fill = 0;
    const size_t n_bytes = (size_t)2 << 20;
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", extent);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint8_t *bytes = calloc(1, n_bytes);
    findings found = {.n = 0};

    CHECK(bytes != NULL);
    CHECK_H5(H5Pset_chunk(dcpl, 1, &extent));
    CHECK_H5(H5Pset_fletcher32(dcpl));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_UINT64, &fill));
    const hid_t column =
        CHECK_H5(H5Dcreate2(table, "x", H5T_STD_U64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite_chunk(column, H5P_DEFAULT, 0, &first, n_bytes, bytes));
    free(bytes);
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, NULL, NULL);
    CHECK_STR(found.rules, "2-NOT-READ ");
    CHECK_CONTAINS(found.last_message, "too large to be judged");
    CHECK_H5(H5Fclose(file));
}

/* libhdf5 would open that file, for writing, to resolve the reference. */
static void a_reference_into_another_file_is_not_followed(void)
{
    const char *const name = check_path("other.h5");
    const hid_t other = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t file = memory_file();
    const hid_t table = make_table(file, "t", 0);
    const char garbage[] = "no longer an HDF5 file";
    findings found = {.n = 0};
    char after[sizeof garbage] = "";
    FILE *stream = NULL;
    H5R_ref_t reference;

    CHECK_H5(H5Dclose(make_column(other, "x", 4, 4, 0)));
    CHECK_H5(H5Rcreate_object(other, "/x", H5P_DEFAULT, &reference));
    put_reference(table, "INDEX_COLUMNS", &reference);
    CHECK_H5(H5Fclose(other));
    stream = fopen(name, "wb");
    CHECK(stream != NULL && fwrite(garbage, 1, sizeof garbage, stream) == sizeof garbage);
    CHECK(fclose(stream) == 0);
    CHECK_H5(H5Gclose(table));
    check_all(file, &found, NULL, NULL);
    CHECK_STR(found.rules, "7.4-INDEX-COLUMNS-TARGET ");
    stream = fopen(name, "rb");
    CHECK(stream != NULL && fread(after, 1, sizeof after, stream) == sizeof after);
    CHECK(fclose(stream) == 0);
    CHECK_STR(after, garbage);
    CHECK_H5(H5Fclose(file));
}

/* A file in which the header of the dataset at `path` is damaged. */
static hid_t damage_header(hid_t file, const char *path)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    haddr_t address = HADDR_UNDEF;
    H5O_info2_t info;
    hid_t damaged = H5I_INVALID_HID;

    CHECK_H5(H5Oget_info_by_name3(file, path, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_H5(H5VLnative_token_to_addr(file, info.token, &address));
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const size_t n = (size_t)CHECK_H5(H5Fget_file_image(file, NULL, 0));
    uint8_t *bytes = malloc(n);
    CHECK(bytes != NULL && address < n);
    CHECK_H5(H5Fget_file_image(file, bytes, n));
    CHECK_H5(H5Fclose(file));
    bytes[address] = 0xee; /* its version */
    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    CHECK_H5(H5Pset_file_image(fapl, bytes, n));
    damaged = CHECK_H5(H5Fopen("damaged.h5", H5F_ACC_RDONLY, fapl));
    CHECK_H5(H5Pclose(fapl));
    free(bytes);
    return damaged;
}

static void a_column_that_cannot_be_opened_is_one_finding(void)
{
    const hid_t whole = memory_file();
    const hid_t table = make_table(whole, "t", 0);
    findings found = {.n = 0};

    CHECK_H5(H5Dclose(make_column(table, "x", 0, 4, 0)));
    CHECK_H5(H5Gclose(table));
    const hid_t file = damage_header(whole, "/t/x");
    check_all(file, &found, NULL, NULL);
    CHECK_STR(found.rules, "2-UNREADABLE ");
    CHECK_STR(found.last_path, "/t/x");
    CHECK_H5(H5Fclose(file));
}

static void an_object_beside_the_tables_that_cannot_be_opened_breaks_no_rule(void)
{
    const hid_t whole = memory_file();
    findings found = {.n = 0};
    uint64_t n_must = 7;

    CHECK_H5(H5Gclose(make_table(whole, "t", 0)));
    CHECK_H5(H5Dclose(make_column(whole, "x", 0, 4, 0)));
    const hid_t file = damage_header(whole, "/x");
    check_all(file, &found, &n_must, NULL);
    CHECK_STR(found.rules, "2-NOT-READ ");
    CHECK_U64(n_must, 0);
    CHECK_H5(H5Fclose(file));
}

/* Every attribute and reference kind the check reads, so that the sweep meets each allocation. */
static hid_t swept_file = H5I_INVALID_HID;

static stoa_status check_swept_file(stoa_error *err)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    findings found = {.n = 0};

    return stoa_check(swept_file, NULL, &options, keep_finding, &found, NULL, NULL, err);
}

static void memory_that_runs_out_is_a_failure_and_no_finding(void)
{
    hid_t table = H5I_INVALID_HID;
    hid_t column = H5I_INVALID_HID;
    const uint64_t rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    H5R_ref_t reference;

    swept_file = memory_file();
    table = make_table(swept_file, "t", 8);
    put_text(table, "_index", "x", H5T_CSET_UTF8);
    column = make_column(table, "x", 8, 2, 0);
    CHECK_H5(H5Dwrite(column, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    put_text(column, "units", "s", H5T_CSET_UTF8);
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Rcreate_object(table, "x", H5P_DEFAULT, &reference));
    put_reference(table, "INDEX_COLUMNS", &reference);
    CHECK_H5(H5Gclose(table));
    CHECK(sweep_memory(check_swept_file) > 10);
    CHECK_H5(H5Fclose(swept_file));
}

TEST_MAIN(TEST(every_table_is_visited_once_and_nested_ones_too),
          TEST(a_path_names_the_one_table_to_check), TEST(what_is_no_table_is_refused),
          TEST(a_file_without_tables_has_no_findings), TEST(the_visitor_stops_the_check),
          TEST(a_message_is_one_line_whatever_the_file_holds),
          TEST(a_chain_of_twenty_thousand_groups_is_walked),
          TEST(rows_without_number_that_were_never_written_are_not_read),
          TEST(a_chunk_of_a_gigabyte_is_not_read),
          TEST(a_chunk_that_is_longer_than_filters_make_it_is_not_judged),
          TEST(a_filter_that_is_missing_is_told_by_its_name_and_breaks_no_rule),
          TEST(a_reference_into_another_file_is_not_followed),
          TEST(a_column_that_cannot_be_opened_is_one_finding),
          TEST(an_object_beside_the_tables_that_cannot_be_opened_breaks_no_rule),
          TEST(memory_that_runs_out_is_a_failure_and_no_finding))
