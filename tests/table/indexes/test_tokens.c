/*
 * Validity tokens (HEP001-2026-07 §12.2 to §12.6): which indexes a reader takes, what every edit
 * leaves, and repairs (src/index/common/tokens.c, src/table/write/tokens.c,
 * src/table/indexes/repair.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "table/edited.h"

/* --- the file, by libhdf5 alone ------------------------------------------------------------- */

static uint64_t number(hid_t object, const char *name)
{
    uint64_t value = 0;
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));

    CHECK_H5(H5Aread(attribute, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(attribute));
    return value;
}

static uint64_t generation_of(const stoa_table *table)
{
    return number(stoa_table_id(table), "GENERATION");
}

typedef struct seen {
    unsigned n;
    unsigned n_valid;
} seen;

static herr_t look(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    seen *const s = context;
    const hid_t index = H5Oopen(group, name, H5P_DEFAULT);
    hid_t table = H5I_INVALID_HID;

    (void)info;
    if (H5Aexists(index, "KIND") > 0) {
        table = H5Oopen(group, "/t", H5P_DEFAULT);
        s->n++;
        s->n_valid += H5Aexists(index, "SOURCE_GENERATION") > 0 &&
                      H5Aexists(index, "SOURCE_NROWS") > 0 &&
                      number(index, "SOURCE_GENERATION") == number(table, "GENERATION") &&
                      number(index, "SOURCE_NROWS") == number(table, "NROWS");
        H5Oclose(table);
    } else {
        CHECK(H5Aexists(index, "SOURCE_GENERATION") == 0); /* company has none */
    }
    H5Oclose(index);
    return 0;
}

static seen indexes_of(const stoa_table *table)
{
    seen s = {0, 0};
    const hid_t group = stoa_table_id(table);

    if (H5Lexists(group, "SEARCH_INDEXES", H5P_DEFAULT) > 0) {
        const hid_t indexes = CHECK_H5(H5Gopen2(group, "SEARCH_INDEXES", H5P_DEFAULT));
        CHECK_H5(H5Literate2(indexes, H5_INDEX_NAME, H5_ITER_INC, NULL, look, &s));
        H5Gclose(indexes);
    }
    return s;
}

/* All n indexes have the table's tokens, and describe their columns. */
static void all_valid(const stoa_table *table, unsigned n)
{
    const seen s = indexes_of(table);

    CHECK_U64(s.n, n);
    CHECK_U64(s.n_valid, n);
    CHECK_U64(n_indexes(table), n);
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        bool same = true;
        (void)!stoa_index_verify(table, stoa_column_name(stoa_table_column(table, i)), NULL, &same,
                                 NULL);
        CHECK(same);
    }
}

static const char i_index[] = "/t/SEARCH_INDEXES/i__chunk_minmax";
static const char s_index[] = "/t/SEARCH_INDEXES/s__chunk_minmax";
static const char t_index[] = "/t/SEARCH_INDEXES/t__chunk_minmax";

/* Set an attribute to a value of that type, scalar or of rank 1. */
static void put(hid_t file, const char *path, const char *name, hid_t type, bool is_scalar,
                uint64_t value)
{
    const hid_t object = CHECK_H5(H5Oopen(file, path, H5P_DEFAULT));
    const hid_t space =
        CHECK_H5(is_scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){1}, NULL));

    CHECK_OK(stoa_attribute_delete(object, name, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_UINT64, &value));
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
}

static void put_u64(hid_t file, const char *path, const char *name, uint64_t value)
{
    put(file, path, name, H5T_STD_U64LE, true, value);
}

static void take(hid_t file, const char *path, const char *name)
{
    CHECK_H5(H5Adelete_by_name(file, path, name, H5P_DEFAULT));
}

/* Spoil the content of an index of i in the file, and leave its tokens. */
static void spoil(hid_t file, const char *path)
{
    const hid_t index = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t type = H5Dget_type(index);
    uint8_t entries[2 * 128];

    CHECK(H5Tget_size(type) <= 128);
    CHECK_H5(H5Dread(index, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries));
    for (int k = 0; k < 2; k++) {
        entries[(size_t)k * H5Tget_size(type)] ^= 1; /* the least byte of `min` */
    }
    CHECK_H5(H5Dwrite(index, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries));
    H5Tclose(type);
    H5Dclose(index);
}

/* --- what a reader takes ---------------------------------------------------------------------- */

typedef struct verdict {
    const char *column;
    bool found, usable, stale;
    char problem[512];
} verdict;

static bool note_verdict(void *context, const stoa_index_info *info)
{
    verdict *const v = context;

    if (strcmp(info->column, v->column) == 0) {
        v->found = true;
        v->usable = info->usable;
        v->stale = info->stale;
        (void)snprintf(v->problem, sizeof v->problem, "%s", info->problem);
    }
    return true;
}

/* What the library's listing says of the index on a column, of a table that is opened anew. */
static verdict verdict_on(hid_t file, const char *column)
{
    verdict v = {.column = column};
    stoa_table *const table = open_table(file, "/t");

    CHECK_OK(stoa_index_visit(table, note_verdict, &v, NULL));
    CHECK(v.found && v.usable == (v.problem[0] == '\0') && !(v.usable && v.stale));
    stoa_table_close(table);
    return v;
}

static bool is_used(hid_t file, const char *column)
{
    return verdict_on(file, column).usable;
}

/* A file with the table of edited.h, closed. */
static hid_t sample_file(void)
{
    const hid_t file = new_file();

    stoa_table_close(sample_table(file, false));
    return file;
}

/* Make it a table of June. */
static hid_t june_file(void)
{
    static const char *const paths[] = {i_index, s_index, t_index};
    const hid_t file = sample_file();

    take(file, "/t", "GENERATION");
    for (int k = 0; k < 3; k++) {
        take(file, paths[k], "SOURCE_GENERATION");
        take(file, paths[k], "SOURCE_NROWS");
    }
    return file;
}

static void an_index_is_used_if_both_tokens_are_equal(void)
{
    const hid_t file = sample_file();
    stoa_table *const table = open_table(file, "/t");
    const uint64_t g = generation_of(table);

    stoa_table_close(table);
    CHECK(is_used(file, "i"));
    for (uint64_t other = 0; other < 4; other++) { /* larger means as little as smaller */
        put_u64(file, "/t", "GENERATION", g + other - 1);
        CHECK(is_used(file, "i") == (other == 1));
    }
    put_u64(file, "/t", "GENERATION", g);
    put_u64(file, i_index, "SOURCE_NROWS", 5);
    CHECK(!is_used(file, "i") && is_used(file, "s"));
    put_u64(file, i_index, "SOURCE_NROWS", 7);
    CHECK(!is_used(file, "i") && is_used(file, "s"));
    put(file, i_index, "SOURCE_NROWS", H5T_STD_U64BE, true, 6); /* any byte order */
    CHECK(is_used(file, "i"));
    H5Fclose(file);
}

static void the_listing_says_why_an_index_is_not_used(void)
{
    const hid_t file = sample_file();
    verdict v;

    put_u64(file, "/t", "GENERATION", 9);
    v = verdict_on(file, "i");
    CHECK(v.stale);
    CHECK_CONTAINS(v.problem, "out of date: it describes 6 rows at GENERATION 1; the table has 6 "
                              "at 9");
    take(file, i_index, "SOURCE_NROWS");
    CHECK_CONTAINS(verdict_on(file, "i").problem, "lacks valid SOURCE_GENERATION and SOURCE_NROWS");
    take(file, "/t", "GENERATION");
    CHECK_CONTAINS(verdict_on(file, "i").problem, "the table has no valid GENERATION");
    H5Fclose(file);
}

static void a_token_of_another_datatype_counts_as_absent(void)
{
    const struct {
        const char *path;
        const char *name;
        uint64_t value;
    } tokens[] = {
        {"/t", "GENERATION", 1}, {i_index, "SOURCE_GENERATION", 1}, {i_index, "SOURCE_NROWS", 6}};
    const hid_t types[] = {H5T_STD_I64LE, H5T_STD_U32LE, H5T_IEEE_F64LE};

    for (int k = 0; k < 3; k++) {
        const hid_t file = sample_file();
        for (int t = 0; t < 3; t++) {
            put(file, tokens[k].path, tokens[k].name, types[t], true, tokens[k].value);
            CHECK(verdict_on(file, "i").stale);
        }
        put(file, tokens[k].path, tokens[k].name, H5T_STD_U64LE, false, tokens[k].value);
        CHECK(verdict_on(file, "i").stale);
        CHECK(is_used(file, "s") == (k > 0));
        put_u64(file, tokens[k].path, tokens[k].name, tokens[k].value);
        CHECK(is_used(file, "i"));
        H5Fclose(file);
    }
}

static void a_table_without_any_token_is_one_of_june(void)
{
    const hid_t file = june_file();

    CHECK(is_used(file, "i") && is_used(file, "s") && is_used(file, "t"));
    put_u64(file, s_index, "SOURCE_NROWS", 6); /* a token on one index: it is not */
    CHECK(!is_used(file, "i") && !is_used(file, "s") && !is_used(file, "t"));
    take(file, s_index, "SOURCE_NROWS");
    CHECK(is_used(file, "i"));
    put_u64(file, "/t", "GENERATION", 0);
    CHECK(!is_used(file, "i") && !is_used(file, "s"));
    take(file, "/t", "GENERATION");
    put(file, "/t", "GENERATION", H5T_STD_I32LE, true, 0); /* of any type, it is shown */
    CHECK(!is_used(file, "i"));
    H5Fclose(file);
}

/* --- what every edit leaves ------------------------------------------------------------------- */

static void the_rows_of(stoa_table *table)
{
    batch b = sample();

    CHECK_OK(append(table, &b, NULL));
}

static void every_change_of_rows_is_a_generation(void)
{
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, false);
    uint64_t g = generation_of(table);

    all_valid(table, 3);
    the_rows_of(table);
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_OK(stoa_table_truncate(table, 8, NULL, NULL));
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(update(table, "i = 1", "x", "7"), 2); /* a column without an index */
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(update(table, "i = 1", "i", "2"), 2); /* in place */
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(update(table, "i = 2", "i", "100000"), 3); /* a wider column */
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(delete_rows(table, "i = 5"), 2); /* other rows move up */
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(delete_rows(table, "s is null"), 1);
    CHECK_U64(generation_of(table), ++g);
    all_valid(table, 3);
    CHECK_U64(delete_rows(table, "i = 77"), 0); /* no change */
    CHECK_U64(generation_of(table), g);
    close_table(table, file);
}

static void the_last_rows_are_cut_off_by_a_deletion_too(void)
{
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, false);
    const uint64_t g = generation_of(table);

    CHECK_U64(delete_rows(table, "t >= '1970-01-01T00:04:00'"), 2);
    CHECK_U64(generation_of(table), g + 1);
    all_valid(table, 3);
    close_table(table, file);
}

static void edits_of_columns_leave_valid_indexes(void)
{
    static const char *const labels[] = {"w", "v", "u", "new"};
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, false);
    const stoa_column_options codec = {.column = "i", .codec = "deflate"};
    const stoa_column_options chunks = {.column = "i", .chunk_rows = 2};
    uint64_t g = 0;

    CHECK_OK(stoa_index_add(table, "c", "bitmap", NULL, NULL));
    CHECK_OK(stoa_index_add(table, "i", "sorted", NULL, NULL));
    all_valid(table, 5);
    CHECK_OK(stoa_column_set_storage(table, &codec, NULL, NULL));
    all_valid(table, 5);
    CHECK_OK(stoa_column_set_storage(table, &chunks, NULL, NULL));
    all_valid(table, 5);
    g = generation_of(table);
    CHECK_OK(stoa_column_relabel(table, "c", labels, 4, false, NULL, NULL)); /* other codes */
    CHECK_U64(generation_of(table), g + 1);
    all_valid(table, 5);
    CHECK_OK(stoa_column_rename(table, "i", "number", NULL));
    all_valid(table, 5);
    CHECK_OK(stoa_column_drop(table, "x", NULL));
    all_valid(table, 5);
    CHECK_OK(stoa_column_drop(table, "t", NULL));
    all_valid(table, 4);
    CHECK_OK(stoa_table_preallocate(table, 100, NULL, NULL));
    all_valid(table, 4);
    CHECK_OK(stoa_table_repack(table, NULL, NULL));
    all_valid(table, 4);
    close_table(table, file);
}

static void columns_that_must_grow_leave_valid_indexes(void)
{
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, true); /* x is contiguous */

    CHECK_OK(stoa_index_add(table, "x", "minmax", NULL, NULL));
    the_rows_of(table);
    all_valid(table, 4);
    CHECK_OK(stoa_table_preallocate(table, 100, NULL, NULL));
    all_valid(table, 4);
    close_table(table, file);
}

static void a_copy_has_the_tokens_of_its_original(void)
{
    const hid_t file = sample_file();
    const hid_t other = other_file(file);
    stoa_table *table = open_table(file, "/t");

    CHECK_OK(stoa_table_copy(table, other, "/t", NULL, NULL));
    stoa_table_close(table);
    table = open_table(other, "/t");
    all_valid(table, 3);
    stoa_table_close(table);
    H5Fclose(other);
    H5Fclose(file);
}

/* A11: an index that is made later needs a number that was never used. */
static void generation_outlives_the_last_index(void)
{
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, false);
    uint64_t g = 0;

    CHECK_OK(stoa_index_drop(table, "i", NULL, NULL));
    CHECK_OK(stoa_index_drop(table, "s", NULL, NULL));
    CHECK_OK(stoa_index_drop(table, "t", NULL, NULL));
    g = generation_of(table);
    the_rows_of(table);
    CHECK_U64(generation_of(table), g + 1);
    CHECK_U64(update(table, "i = 1", "x", "7"), 2);
    CHECK_U64(generation_of(table), g + 2);
    CHECK_OK(stoa_index_add(table, "i", "minmax", NULL, NULL));
    CHECK_U64(generation_of(table), g + 2); /* building one changes no row */
    all_valid(table, 1);
    close_table(table, file);
}

static bool refuse_indexing(void *context, const stoa_progress *progress)
{
    return strcmp(progress->stage, context) != 0;
}

/* A cancelled edit has put everything back; the indexes are valid, whatever GENERATION is. */
static void an_edit_that_fails_leaves_valid_indexes(void)
{
    const hid_t file = new_file();
    stoa_table *const table = sample_table(file, false);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    const stoa_assignment narrow = {"i", "i + 1"};
    const stoa_assignment wide = {"i", "100000"};
    char stage[] = "indexing";

    options.listener = (stoa_listener){refuse_indexing, stage};
    CHECK(stoa_table_update(table, NULL, &narrow, 1, &options, NULL, NULL) != STOA_OK);
    all_valid(table, 3);
    CHECK(stoa_table_update(table, NULL, &wide, 1, &options, NULL, NULL) != STOA_OK);
    all_valid(table, 3);
    CHECK(stoa_table_delete(table, "i = 1", &options, NULL, NULL) != STOA_OK);
    all_valid(table, 3);
    CHECK(stoa_table_delete(table, "t >= '1970-01-01T00:04:00'", &options, NULL, NULL) != STOA_OK);
    all_valid(table, 3);
    CHECK(stoa_table_truncate(table, 3, &options, NULL) != STOA_OK);
    all_valid(table, 3);
    expect_as_made(table);
    the_rows_of(table);
    all_valid(table, 3);
    close_table(table, file);
}

/* --- stale indexes in edits ------------------------------------------------------------------- */

static void an_append_builds_stale_indexes_anew(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;

    put_u64(file, i_index, "SOURCE_NROWS", 5);
    spoil(file, i_index);
    table = open_table(file, "/t");
    the_rows_of(table);
    all_valid(table, 3);
    close_table(table, file);
}

/* An append that was cut short left the tokens that the next one of as many rows would make
 * valid. */
static void tokens_of_an_append_that_was_cut_short_stay_invalid(void)
{
    const hid_t file = sample_file();
    stoa_table *table = open_table(file, "/t");
    const uint64_t g = generation_of(table);

    stoa_table_close(table);
    put_u64(file, i_index, "SOURCE_GENERATION", g + 1);
    put_u64(file, i_index, "SOURCE_NROWS", 12);
    spoil(file, i_index);
    table = open_table(file, "/t");
    the_rows_of(table);
    all_valid(table, 3);
    close_table(table, file);
}

/* An update of another column has no business with it. */
static void an_update_does_not_make_a_stale_index_valid(void)
{
    const hid_t file = sample_file();
    stoa_table *table = open_table(file, "/t");
    const uint64_t g = generation_of(table);

    stoa_table_close(table);
    put_u64(file, i_index, "SOURCE_GENERATION", g + 1);
    spoil(file, i_index);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "i = 1", "x", "7"), 1);
    CHECK_U64(generation_of(table), g + 1);
    CHECK_U64(indexes_of(table).n_valid, 2);
    stoa_table_close(table);
    CHECK(!is_used(file, "i") && is_used(file, "s"));
    H5Fclose(file);
}

/* --- tables of June --------------------------------------------------------------------------- */

static void an_edit_leaves_a_table_of_june_as_one(void)
{
    const hid_t file = june_file();
    stoa_table *const table = open_table(file, "/t");
    seen s;

    the_rows_of(table);
    CHECK_U64(update(table, "i = 1", "i", "2"), 2);
    CHECK_U64(delete_rows(table, "i = 5"), 2);
    CHECK_OK(stoa_table_truncate(table, 4, NULL, NULL));
    s = indexes_of(table);
    CHECK(s.n == 3 && s.n_valid == 0);
    CHECK(!stoa_attribute_exists(stoa_table_id(table), "GENERATION"));
    CHECK(is_used(file, "i") && is_used(file, "s") && is_used(file, "t"));
    close_table(table, file);
}

static void a_new_index_gives_all_others_tokens(void)
{
    const hid_t file = june_file();
    stoa_table *table = NULL;

    spoil(file, i_index); /* wrong ones do not get any, but are built again */
    table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "x", "minmax", NULL, NULL));
    CHECK_U64(generation_of(table), 0);
    all_valid(table, 4);
    close_table(table, file);
}

static void the_first_index_of_an_old_table_gives_it_a_generation(void)
{
    const hid_t file = new_file();
    stoa_table *table = NULL;
    batch b = sample();

    write_batches(file, "/t", &b, 1, NULL);
    take(file, "/t", "GENERATION");
    table = open_table(file, "/t");
    the_rows_of(table);
    CHECK(!stoa_attribute_exists(stoa_table_id(table), "GENERATION"));
    CHECK_OK(stoa_index_add(table, "i", "sorted", NULL, NULL));
    CHECK_U64(generation_of(table), 0);
    all_valid(table, 1);
    the_rows_of(table);
    CHECK_U64(generation_of(table), 1);
    all_valid(table, 1);
    close_table(table, file);
}

/* --- repairs ---------------------------------------------------------------------------------- */

typedef struct repairs {
    unsigned n[STOA_REPAIR_LEFT + 1];
    char problem[512];
} repairs;

static void count_repair(void *context, const stoa_index_repaired *index)
{
    repairs *const r = context;

    r->n[index->done]++;
    if (index->problem[0] != '\0') {
        (void)snprintf(r->problem, sizeof r->problem, "%s", index->problem);
    }
}

static repairs repair(stoa_table *table)
{
    repairs r = {.problem = ""};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_repair(table, count_repair, &r, &err), &err);
    return r;
}

static void a_right_index_gets_its_tokens_back(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;
    repairs r;

    put_u64(file, i_index, "SOURCE_GENERATION", 77);
    table = open_table(file, "/t");
    r = repair(table);
    CHECK(r.n[STOA_REPAIR_TOKENS] == 1 && r.n[STOA_REPAIR_NOTHING] == 2);
    CHECK_CONTAINS(r.problem, "out of date");
    all_valid(table, 3);
    r = repair(table);
    CHECK(r.n[STOA_REPAIR_NOTHING] == 3);
    close_table(table, file);
}

/* What a listener of a repair heard. */
typedef struct heard {
    unsigned n_comparing;
    unsigned n_writing;
    unsigned n_left; /* calls after which it ends the repair */
} heard;

static bool hear(void *context, const stoa_progress *progress)
{
    heard *const h = context;

    h->n_comparing += strcmp(progress->stage, "comparing") == 0;
    h->n_writing += strcmp(progress->stage, "writing") == 0;
    return h->n_left == 0 || --h->n_left > 0;
}

static void a_repair_tells_its_progress_and_can_be_ended(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;
    heard h = {0};
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    options.listener = (stoa_listener){hear, &h};
    options.threads = 2;
    table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "i", "sorted", NULL, &err), &err);
    CHECK_OK(stoa_index_repair_with(table, &options, NULL, NULL, &err), &err);
    CHECK(h.n_comparing > 0 && h.n_writing == 0);
    stoa_table_close(table);
    put_u64(file, "/t/SEARCH_INDEXES/i__sorted_rows", "fill_tail_length", 4);
    table = open_table(file, "/t");
    CHECK_OK(stoa_index_repair_with(table, &options, NULL, NULL, &err), &err);
    CHECK(h.n_writing > 0);
    h.n_left = 1;
    CHECK_STATUS(STOA_ECANCELLED, stoa_index_repair_with(table, &options, NULL, NULL, &err));
    close_table(table, file);
}

static void a_wrong_index_is_built_again(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;
    repairs r;

    spoil(file, i_index); /* with tokens that pass */
    spoil(file, t_index);
    put_u64(file, t_index, "SOURCE_NROWS", 4);
    table = open_table(file, "/t");
    r = repair(table);
    CHECK(r.n[STOA_REPAIR_REBUILT] == 2 && r.n[STOA_REPAIR_NOTHING] == 1);
    all_valid(table, 3);
    close_table(table, file);
}

/* An append that was cut short, after its indexes had grown. */
static void entries_of_rows_that_were_not_committed_are_removed(void)
{
    const hid_t file = sample_file();
    stoa_table *table = open_table(file, "/t");
    const uint64_t g = generation_of(table);
    hsize_t length = 0;

    the_rows_of(table);
    stoa_table_close(table);
    put_u64(file, "/t", "NROWS", 8); /* two whole chunks */
    put_u64(file, "/t", "GENERATION", g);
    table = open_table(file, "/t");
    CHECK_U64(repair(table).n[STOA_REPAIR_TOKENS], 3);
    all_valid(table, 3);
    const hid_t index = CHECK_H5(H5Dopen2(file, i_index, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(index));
    CHECK_H5(H5Sget_simple_extent_dims(space, &length, NULL));
    CHECK_U64(length, 2);
    H5Sclose(space);
    H5Dclose(index);
    close_table(table, file);
}

/* A12: an old token may equal any number below. */
static void a_lost_generation_becomes_one_above_all_others(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;

    put(file, "/t", "GENERATION", H5T_STD_I32LE, true, 41);
    put_u64(file, s_index, "SOURCE_GENERATION", 44);
    table = open_table(file, "/t");
    CHECK_U64(repair(table).n[STOA_REPAIR_TOKENS], 3);
    CHECK_U64(generation_of(table), 45);
    all_valid(table, 3);
    stoa_table_close(table);
    put(file, "/t", "GENERATION", H5T_STD_I32LE, true, 60);
    table = open_table(file, "/t");
    the_rows_of(table); /* an edit repairs it as well */
    CHECK(generation_of(table) > 45);
    all_valid(table, 3);
    close_table(table, file);
}

static void an_index_of_unknown_kind_is_left_alone(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;
    hid_t index = CHECK_H5(H5Dopen2(file, i_index, H5P_DEFAULT));
    repairs r;

    CHECK_OK(stoa_attribute_write_ascii(index, "KIND", "LATER", NULL));
    H5Dclose(index);
    put_u64(file, i_index, "SOURCE_NROWS", 4);
    table = open_table(file, "/t");
    r = repair(table);
    CHECK(r.n[STOA_REPAIR_LEFT] == 1 && r.n[STOA_REPAIR_NOTHING] == 2);
    CHECK_U64(indexes_of(table).n_valid, 2);
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_index_that_cannot_be_added_twice_says_that_it_is_out_of_date(void)
{
    const hid_t file = sample_file();
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    put_u64(file, i_index, "SOURCE_NROWS", 4);
    table = open_table(file, "/t");
    CHECK_STATUS(STOA_EEXISTS, stoa_index_add(table, "i", "minmax", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "which is out of date");
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(an_index_is_used_if_both_tokens_are_equal),
          TEST(the_listing_says_why_an_index_is_not_used),
          TEST(a_token_of_another_datatype_counts_as_absent),
          TEST(a_table_without_any_token_is_one_of_june),
          TEST(every_change_of_rows_is_a_generation),
          TEST(the_last_rows_are_cut_off_by_a_deletion_too),
          TEST(edits_of_columns_leave_valid_indexes),
          TEST(columns_that_must_grow_leave_valid_indexes),
          TEST(a_copy_has_the_tokens_of_its_original), TEST(generation_outlives_the_last_index),
          TEST(an_edit_that_fails_leaves_valid_indexes), TEST(an_append_builds_stale_indexes_anew),
          TEST(tokens_of_an_append_that_was_cut_short_stay_invalid),
          TEST(an_update_does_not_make_a_stale_index_valid),
          TEST(an_edit_leaves_a_table_of_june_as_one), TEST(a_new_index_gives_all_others_tokens),
          TEST(the_first_index_of_an_old_table_gives_it_a_generation),
          TEST(a_right_index_gets_its_tokens_back),
          TEST(a_repair_tells_its_progress_and_can_be_ended), TEST(a_wrong_index_is_built_again),
          TEST(entries_of_rows_that_were_not_committed_are_removed),
          TEST(a_lost_generation_becomes_one_above_all_others),
          TEST(an_index_of_unknown_kind_is_left_alone),
          TEST(an_index_that_cannot_be_added_twice_says_that_it_is_out_of_date))
