/* Frames of pandas and AnnData, written where memory runs out; and the pickles in them. */
#include "layout/pickle/pickle.h"
#include "layout/pickle/write.h"

#include <string.h>

#include <stoa/layout.h>

#include "hdf/metadata/attributes.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

/* --- pickles --------------------------------------------------------------------------------- */

/* pickle.dumps(["a", "é\\", None], 0), but for its memo, and with é escaped. */
static void a_list_is_what_python_writes_of_it(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};
    const char *const texts[] = {"a", "\xc3\xa9\\", NULL};
    static const char wanted[] = "(lVa\naV\\u00e9\\u005c\naNa.";

    CHECK_OK(stoa_pickle_put_texts(&out, texts, 3, &err), &err);
    CHECK_OK(stoa_pickle_put(&out, ".", &err), &err);
    CHECK_U64(out.size, sizeof wanted - 1);
    CHECK(memcmp(out.data, wanted, sizeof wanted - 1) == 0);
    stoa_buffer_clear(&out);
}

static void points_beyond_the_first_plane_have_eight_digits(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};
    static const char wanted[] = "V\\U0001f600\\u20ac\\u000a\n";

    CHECK_OK(stoa_pickle_put_text(&out, "\xf0\x9f\x98\x80\xe2\x82\xac\n", &err), &err);
    CHECK_U64(out.size, sizeof wanted - 1);
    CHECK(memcmp(out.data, wanted, sizeof wanted - 1) == 0);
    stoa_buffer_clear(&out);
}

/* Read by the machine that reads Python's own: two texts, one of them long, and a NaN. */
static void an_array_of_objects_is_read_again(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};
    stoa_pickle *pickle = NULL;
    char text[300];

    memset(text, 'x', sizeof text);
    CHECK_OK(stoa_pickle_begin_objects(&out, 3, true, &err), &err);
    CHECK_OK(stoa_pickle_put_object(&out, "a", 1, &err), &err);
    CHECK_OK(stoa_pickle_put_nan(&out, &err), &err);
    CHECK_OK(stoa_pickle_put_object(&out, text, sizeof text, &err), &err);
    CHECK_OK(stoa_pickle_end_objects(&out, &err), &err);
    CHECK_OK(stoa_pickle_read(out.data, out.size, &pickle, &err), &err);
    const stoa_pickled *const root = stoa_pickle_root(pickle);
    CHECK_I64(root->kind, STOA_PICKLE_OBJECT);
    const stoa_pickled *const state = root->as.items.at[2];
    CHECK_I64(stoa_pickled_item(stoa_pickled_item(state, 1), 0)->as.integer, 3);
    CHECK_I64(stoa_pickled_item(stoa_pickled_item(state, 1), 1)->as.integer, 1);
    const stoa_pickled *const items = stoa_pickled_item(state, 4);
    CHECK_U64(stoa_pickled_count(items), 3);
    CHECK(stoa_pickled_is_text(stoa_pickled_item(items, 0), "a"));
    CHECK_I64(stoa_pickled_item(items, 1)->kind, STOA_PICKLE_FLOAT);
    CHECK_U64(stoa_pickled_item(items, 2)->as.bytes.length, sizeof text);
    stoa_pickle_close(pickle);
    stoa_buffer_clear(&out);
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_table *source;
static hid_t target = H5I_INVALID_HID;
static const char *layout;

static stoa_status write_frame(stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.layout = layout;
    options.threads = 1;
    options.replace = true;
    return stoa_layout_write_table(source, target, "/t", &options, NULL, err);
}

static void make_source(hid_t file)
{
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const texts[] = {"a", NULL, "nun"};
    static const char *const labels[] = {"x", "y", NULL};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_strings(&b, 1, "s", texts);
    batch_categories(&b, 2, "c", labels);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/source", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/source", &source, &err), &err);
}

static void memory_may_run_out_in_every_writer(void)
{
    static const char *const layouts[] = {"pandas-table", "pandas-fixed", "anndata"};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK(H5Pset_fapl_core(fapl, 1 << 16, false) >= 0);
    target = H5Fcreate("frames.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    make_source(target);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        layout = layouts[i];
        CHECK(sweep_memory_throughout(write_frame) > 20);
    }
    stoa_table_close(source);
    CHECK(H5Fclose(target) >= 0);
    CHECK(H5Pclose(fapl) >= 0);
}

/* --- what a frame said ------------------------------------------------------------------------ */

/* What is written from: a table, and what is said of it. */
static void write_source(hid_t file, batch *rows, const char *frame,
                         const char *const *index_columns, size_t n_index_columns)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;

    options.replace = true;
    options.index_columns = index_columns;
    options.n_index_columns = n_index_columns;
    stream_of(rows, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/frame", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    const hid_t group = H5Gopen2(file, "/frame", H5P_DEFAULT);
    CHECK_OK(stoa_attribute_write_utf8(group, "stoa_pandas_frame", frame, &err), &err);
    CHECK(H5Gclose(group) >= 0);
    CHECK_OK(stoa_hep001_open(file, "/frame", &source, &err), &err);
}

/* Three columns of integers, n, m and k, and a text of what they were in pandas. */
static void make_frame(hid_t file, const char *frame)
{
    static const int64_t numbers[] = {3, 1, 2};
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_integers(&b, 1, "m", "l", numbers, NULL);
    batch_integers(&b, 2, "k", "l", numbers, NULL);
    write_source(file, &b, frame, NULL, 0);
}

/* Labels of two levels, one of them a time, one without a second; and categories of n. */
static const char whole_frame[] =
    "(dVcolumns\n(dVn\n(Va\nI1\ntsVm\n(Va\n(dVdatetime64[ns]\nI5\nstsVk\n(Vb\nNtss"
    "Vnames\n(lVp\naNasVcategories\n(dVn\n(lI00\naI1\naI2\naI3\nass.";

static void memory_may_run_out_while_labels_are_written(void)
{
    static const char *const layouts[] = {"pandas-table", "pandas-fixed"};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK(H5Pset_fapl_core(fapl, 1 << 16, false) >= 0);
    target = H5Fcreate("labels.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    make_frame(target, whole_frame);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        layout = layouts[i];
        CHECK(sweep_memory_throughout(write_frame) > 20);
    }
    CHECK(H5Lexists(target, "/t/axis0_level1", H5P_DEFAULT) > 0);
    stoa_table_close(source);
    CHECK(H5Fclose(target) >= 0);
    CHECK(H5Pclose(fapl) >= 0);
}

/* What others wrote there is not believed; the rows are written all the same. */
static void a_frame_that_says_nonsense_is_written_by_its_names(void)
{
    static const char *const frames[] = {
        "",
        "N.",
        "(d.",
        "(l.",
        "(dVcolumns\nNs.",
        "(dVcolumns\n(dVn\n(dss.",
        "(dVcolumns\n(dVn\n(dVdate\nVx\nsss.",
        "(dVcolumns\n(dVn\n((tNtss.",
        "(dVcolumns\n(dVn\n(dVdatetime64[ns]\nI-9223372036854775808\nsss.",
        "(dVcolumns\n(dVn\n(dVdate\nI9223372036854775807\nsss.",
        "(dVcolumns\n(dVn\n(dVtimedelta64[s]\nI9223372036854775807\nsss.",
        "(dVcolumns\n(dVn\n(dVx\nI1\nssVm\nI1\nss.",
        "(dVcolumns\n(dVn\n(dVdate\nI9223372036854775807\nssVm\n(dVdate\nI-9223372036854775807\nss"
        "Vk\n(dVdate\nI9223372036854775806\nsss.",
        "(dVcolumns\n(dVn\n(dVdate\nI-9223372036854775808\nssVm\n(dVdate\nI1\nss"
        "Vk\n(dVdate\nI2\nsss.",
        "(dVnames\n(l(dVx\nI1\nsas.",
        "(dVcolumns\n(dVn\n(Va\nI1\ntssVnames\n(lNaNas.", /* of n alone */
        "(dVnames\n(lNaNaNas.",
        "(dVnames\n(dVx\nI1\nss.",
        "(dVindex\n(l(dVdate\nI1\nsas.",
        "(dVcategories\n(lI1\nas.",
        "(dVcategories\n(dVn\nNss.",
        "(dVcategories\n(dVn\n(lss.",
        "(dVcategories\n(dVn\n(lI1\nass.",
        "(dVcategories\n(dVn\n(lI01\nass.",
        "(dVcategories\n(dVn\n(lI01\naVx\nass.",
        "(dVcategories\n(dVn\n(lI01\naI1\naI1\nass.",
        "(dVcategories\n(dVn\n(lI01\naF1.0\nass.",
        "(dVcategories\n(dVn\n(lI01\naNass.",
        "(dVcategories\n(dVn\n(lI01\na(dVdate\nI1\nsass.",
        "(dVtype\nVseries\ns.",
        "(dVx\n(lp0\ng0\nas.",
        whole_frame,
    };
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *written = NULL;
    uint64_t n_rows = 0;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.replace = true;
    target = H5Fcreate(check_path("nonsense.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        if (i > 0) {
            CHECK(H5Ldelete(target, "/frame", H5P_DEFAULT) >= 0);
        }
        make_frame(target, frames[i]);
        for (int k = 0; k < 2; k++) {
            options.layout = k == 0 ? "pandas-table" : "pandas-fixed";
            CHECK_OK(stoa_layout_write_table(source, target, "/t", &options, &n_rows, &err), &err);
            CHECK_U64(n_rows, 3);
            CHECK_OK(stoa_table_open(target, "/t", &written, &err), &err);
            CHECK_U64(stoa_table_n_columns(written), 4); /* the index as well */
            stoa_table_close(written);
        }
        stoa_table_close(source);
    }
    CHECK(H5Fclose(target) >= 0);
}

/* --- what it said of its index ---------------------------------------------------------------- */

/* Three days, a second level beside them if there are to be two, and what they were in pandas. */
static void make_days(hid_t file, const char *frame, size_t n_index_columns)
{
    static const int64_t days[] = {0, 86400, 172800};
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const names[] = {"t", "n"};
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "t", "tss:", days, NULL);
    batch_integers(&b, 1, "n", "l", numbers, NULL);
    batch_integers(&b, 2, "m", "l", numbers, NULL);
    write_source(file, &b, frame, names, n_index_columns);
}

/* A frequency that is true, periods, and levels, one of them a categorical. */
static const struct {
    const char *frame;
    size_t n_index_columns;
} indexes[] = {
    {"(dVfreq\n(lVD\naI3\naI0\naI172800\nasVdtypes\n(dVt\nVdatetime64[s]\nss.", 1},
    {"(dVdtypes\n(dVt\nVperiod[h]\nss.", 1},
    {"(dVindex\n(lI7\na(Va\nI1\ntasVdtypes\n(dVn\nVcategory\nssVcategories\n"
     "(dVn\n(lI00\naI1\naI2\naI3\nass.",
     2},
};

static void memory_may_run_out_while_an_index_is_written(void)
{
    static const char *const layouts[] = {"pandas-table", "pandas-fixed"};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK(H5Pset_fapl_core(fapl, 1 << 16, false) >= 0);
    target = H5Fcreate("days.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        make_days(target, indexes[i].frame, indexes[i].n_index_columns);
        for (size_t k = 0; k < 2; k++) {
            layout = layouts[k];
            CHECK(sweep_memory_throughout(write_frame) > 20);
        }
        stoa_table_close(source);
    }
    CHECK(H5Fclose(target) >= 0);
    CHECK(H5Pclose(fapl) >= 0);
}

/* In the fixed format, which pandas believes: whether axis1 has a frequency, by what was said. */
static void a_frequency_is_written_where_it_is_true(void)
{
    static const struct {
        const char *frame;
        bool has_freq;
    } frames[] = {
        {"(dVfreq\n(lVD\naI3\naI0\naI172800\nas.", true},
        {"(dVfreq\n(lV24h\naI3\naI0\naI172800\nas.", true},
        {"(dVfreq\n(lVB\naI3\naI0\naI172800\nas.", true},
        {"(dVdtypes\n(dVt\nVperiod[h]\nss.", true},
        {"(dVfreq\n(lV2D\naI3\naI0\naI172800\nas.", false},
        {"(dVfreq\n(lV-1D\naI3\naI0\naI172800\nas.", false},
        {"(dVfreq\n(lVD\naI4\naI0\naI172800\nas.", false},
        {"(dVfreq\n(lVD\naI3\naI1\naI172800\nas.", false},
        {"(dVfreq\n(lVD\naI3\naI0\naI172801\nas.", false},
        {"(dVfreq\n(lVD\naI3\naI0\nas.", false},
        {"(dVfreq\n(lVD\naI3\naNaNas.", false},
        {"(dVfreq\n(lI1\naI3\naI0\naI172800\nas.", false},
        {"(dVfreq\n(lVnever\naI3\naI0\naI172800\nas.", false},
        {"(dVfreq\nVD\ns.", false},
        {"(dVdtypes\n(dVt\nVperiod[M]\nss.", false}, /* which are days */
        {"(dVdtypes\n(dVt\nVperiod[ms]\nss.", false},
        {"(dVdtypes\n(dVt\nVdate\nss.", false},
        {"(dVdtypes\n(dVt\nVdatetime64[us]\nss.", false},
        {"(dVdtypes\n(dVt\nVcategory\nss.", false},
        {"(dVdtypes\n(dVt\nNss.", false},
        {"(dVdtypes\nVt\ns.", false},
        {"(dVindex\n(lNaNas.", false},
        {"(dVindex\n(l(dVx\nI1\nsas.", false},
        {"(dVaxis\n(dVdtype\nVint8\nsVfreq\nVD\nsVn\nI2\nss.", false},
        {"(dVaxis\nVint8\ns.", false},
    };
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *written = NULL;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.replace = true;
    target = H5Fcreate(check_path("true.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        make_days(target, frames[i].frame, 1);
        for (int k = 0; k < 2; k++) {
            options.layout = k == 0 ? "pandas-table" : "pandas-fixed";
            CHECK_OK(stoa_layout_write_table(source, target, "/t", &options, NULL, &err), &err);
            CHECK_OK(stoa_table_open(target, "/t", &written, &err), &err);
            CHECK_U64(stoa_table_n_columns(written), 3);
            stoa_table_close(written);
        }
        const hid_t axis = H5Dopen2(target, "/t/axis1", H5P_DEFAULT);
        CHECK(stoa_attribute_exists(axis, "freq") == frames[i].has_freq);
        CHECK(H5Dclose(axis) >= 0);
        stoa_table_close(source);
    }
    CHECK(H5Fclose(target) >= 0);
}

/* Three dates that were periods of pandas; the ordinals of the first two in the fixed format, where
 * they are written. */
static void a_date_within_a_period_is_no_period(void)
{
    static const struct {
        const char *frame;
        int64_t dates[3];
        int64_t ordinals[2];
        const char *refused; /* NULL: none is */
        const char *as;
    } cases[] = {
        {"(dVdtypes\n(dVt\nVperiod[M]\nss.", {0, 31, 18262}, {0, 1}, NULL, NULL},
        {"(dVdtypes\n(dVt\nVperiod[M]\nss.", {0, 31, 18276}, {0}, "2020-01-15", "2020-01;"},
        {"(dVdtypes\n(dVt\nVperiod[Y-DEC]\nss.", {365, 0, -365}, {1, 0}, NULL, NULL},
        {"(dVdtypes\n(dVt\nVperiod[Y-DEC]\nss.", {365, -1, 0}, {0}, "1969-12-31", "1969;"},
        {"(dVdtypes\n(dVt\nVperiod[B]\nss.", {0, 1, 4}, {0, 1}, NULL, NULL},
        {"(dVdtypes\n(dVt\nVperiod[B]\nss.", {0, 1, 2}, {0}, "1970-01-03", "1970-01-05;"},
        {"(dVdtypes\n(dVt\nVperiod[D]\nss.", {0, 18276, 2}, {0, 18276}, NULL, NULL},
    };
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const names[] = {"t"};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.replace = true;
    target = H5Fcreate(check_path("periods.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        batch b = batch_begin(2, 3);
        batch_integers(&b, 0, "t", "tdD", cases[i].dates, NULL);
        batch_integers(&b, 1, "n", "l", numbers, NULL);
        write_source(target, &b, cases[i].frame, names, 1);
        for (int k = 0; k < 2; k++) {
            stoa_error err = STOA_ERROR_INIT;
            options.layout = k == 0 ? "pandas-table" : "pandas-fixed";
            const stoa_status status =
                stoa_layout_write_table(source, target, "/t", &options, NULL, &err);
            CHECK_STATUS(cases[i].refused == NULL ? STOA_OK : STOA_ELOSS, status, &err);
            if (cases[i].refused != NULL) {
                CHECK_CONTAINS(err.message, "'t'");
                CHECK_CONTAINS(err.message, cases[i].refused);
                CHECK_CONTAINS(err.message, cases[i].as);
            }
        }
        int64_t ordinals[3] = {0};
        const hid_t axis = H5Dopen2(target, "/t/axis1", H5P_DEFAULT); /* of what was written last */
        CHECK(H5Dread(axis, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ordinals) >= 0);
        for (size_t r = 0; r < 2 && cases[i].refused == NULL; r++) {
            CHECK_I64(ordinals[r], cases[i].ordinals[r]);
        }
        CHECK(H5Dclose(axis) >= 0);
        stoa_table_close(source);
    }
    CHECK(H5Fclose(target) >= 0);
}

TEST_MAIN(TEST(a_list_is_what_python_writes_of_it),
          TEST(points_beyond_the_first_plane_have_eight_digits),
          TEST(an_array_of_objects_is_read_again), TEST(memory_may_run_out_in_every_writer),
          TEST(memory_may_run_out_while_labels_are_written),
          TEST(a_frame_that_says_nonsense_is_written_by_its_names),
          TEST(memory_may_run_out_while_an_index_is_written),
          TEST(a_frequency_is_written_where_it_is_true), TEST(a_date_within_a_period_is_no_period))
