/* Frames of pandas and AnnData, written where memory runs out; and the pickles in them. */
#include "layout/pickle.h"
#include "layout/pickle_write.h"

#include <string.h>

#include <stoa/layout.h>

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
    CHECK_OK(stoa_table_open(file, "/source", &source, &err), &err);
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

TEST_MAIN(TEST(a_list_is_what_python_writes_of_it),
          TEST(points_beyond_the_first_plane_have_eight_digits),
          TEST(an_array_of_objects_is_read_again), TEST(memory_may_run_out_in_every_writer))
