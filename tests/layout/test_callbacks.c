/*
 * The lock of libhdf5 (stoa/hdf5_lock.h) is not held while a program's own code runs: within each
 * kind of callback another thread opens another file and reads it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define STOA_H5SPARSE_DECLARATIONS_ONLY
#include <stoa/h5sparse.h>
#include <stoa/stoa.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

enum { N_ROWS = 70000, N_OTHERS = 3, SECONDS = 20 };

/* What a callback waits for. */
typedef struct watch {
    char other[256]; /* a file that nobody else uses */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned n_calls;
    int64_t n_rows; /* that the other thread has read; -1: it has not */
    bool was_blocked;
} watch;

static void *read_other(void *context)
{
    watch *const w = context;
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    int64_t n = 0;

    if (stoa_file_open(w->other, STOA_FILE_READ, &file, NULL) == STOA_OK &&
        stoa_table_open(stoa_file_id(file), "/t", &table, NULL) == STOA_OK) {
        n = (int64_t)stoa_table_n_rows(table);
    }
    stoa_table_close(table);
    stoa_file_close(file);
    (void)pthread_mutex_lock(&w->mutex);
    w->n_rows = n;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* What every callback does, the first time. */
static void let_another_read(watch *w)
{
    struct timespec until;

    if (w->n_calls++ > 0) {
        return;
    }
    if (pthread_create(&w->thread, NULL, read_other, w) != 0) {
        abort();
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS;
    (void)pthread_mutex_lock(&w->mutex);
    while (w->n_rows < 0 && !w->was_blocked) {
        w->was_blocked = pthread_cond_timedwait(&w->changed, &w->mutex, &until) != 0;
    }
    (void)pthread_mutex_unlock(&w->mutex);
}

static watch watching(void)
{
    watch w = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .n_rows = -1};

    (void)snprintf(w.other, sizeof w.other, "%s", check_path("other.h5"));
    return w;
}

static void has_let_another_read(watch *w)
{
    CHECK(w->n_calls > 0);
    CHECK(pthread_join(w->thread, NULL) == 0);
    CHECK(!w->was_blocked);
    CHECK_I64(w->n_rows, N_OTHERS);
}

/* --- files ----------------------------------------------------------------------------------- */

static void write_table(const char *name, int n_rows, struct ArrowArrayStream *through)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv = NULL;
    struct ArrowArrayStream stream;
    stoa_file *file = NULL;
    const char *const text = check_path("rows.csv");
    FILE *const out = fopen(text, "w");

    CHECK(out != NULL && fputs("a,b\n", out) >= 0);
    for (int i = 0; i < n_rows; i++) {
        CHECK(fprintf(out, "%d,%d\n", i, i % 10) > 0);
    }
    CHECK(fclose(out) == 0);
    CHECK_OK(stoa_csv_open(text, NULL, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    if (through != NULL) {
        *(struct ArrowArrayStream **)through->private_data = &stream;
    }
    CHECK_OK(stoa_file_open(name, STOA_FILE_CREATE, &file, &err), &err);
    CHECK_OK(stoa_table_write(stoa_file_id(file), "/t", through != NULL ? through : &stream, NULL,
                              NULL, &err),
             &err);
    stream.release(&stream);
    stoa_csv_close(csv);
    CHECK_OK(stoa_file_commit(file, &err), &err);
}

static stoa_file *opened(const char *name, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_OK(stoa_file_open(check_path(name), mode, &file, &err), &err);
    return file;
}

static stoa_table *table_of(stoa_file *file)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    CHECK_OK(stoa_table_open(stoa_file_id(file), "/t", &table, &err), &err);
    return table;
}

/* Two files: one for the thread that reads, and one with a table. */
static void make_files(void)
{
    write_table(check_path("other.h5"), N_OTHERS, NULL);
    write_table(check_path("file.h5"), N_ROWS, NULL);
}

/* --- callbacks ------------------------------------------------------------------------------- */

static bool on_progress(void *context, const stoa_progress *progress)
{
    (void)progress;
    let_another_read(context);
    return true;
}

static bool see_object(void *context, const stoa_object *object)
{
    (void)object;
    let_another_read(context);
    return true;
}

static bool see_finding(void *context, const stoa_finding *finding)
{
    (void)finding;
    let_another_read(context);
    return true;
}

static void a_finding_is_told_without_the_lock(void)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n_refused = 0;

    make_files();
    for (int all = 0; all < 2; all++) {
        watch w = watching();
        stoa_file *const file = opened("file.h5", all == 0 ? STOA_FILE_EDIT : STOA_FILE_READ);
        if (all == 0) {
            const hid_t group = (hid_t)CHECK_H5(H5Gopen2(stoa_file_id(file), "/t", H5P_DEFAULT));
            const hid_t space = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
            CHECK_H5(H5Aclose(
                H5Acreate2(group, "Title", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT)));
            CHECK_H5(H5Sclose(space));
            CHECK_H5(H5Gclose(group));
        }
        CHECK_OK(stoa_check(stoa_file_id(file), all == 0 ? "/t" : NULL, NULL, see_finding, &w,
                            &n_refused, NULL, &err),
                 &err);
        CHECK_OK(stoa_file_commit(file, &err), &err);
        has_let_another_read(&w);
    }
}

static void tables_are_listed_without_the_lock(void)
{
    stoa_error err = STOA_ERROR_INIT;
    watch place = watching();
    watch layout = watching();

    make_files();
    stoa_file *const file = opened("file.h5", STOA_FILE_READ);
    CHECK_OK(stoa_place_visit(stoa_file_id(file), see_object, &place, &err), &err);
    CHECK_OK(stoa_layout_visit(stoa_file_id(file), see_object, &layout, &err), &err);
    stoa_file_close(file);
    has_let_another_read(&place);
    has_let_another_read(&layout);
}

/* One for each kind. */
typedef struct kinds {
    watch table;
    watch array;
    watch link;
    watch unopened;
} kinds;

static bool see_table(void *context, const stoa_object *object)
{
    return see_object(&((kinds *)context)->table, object);
}

static bool see_array(void *context, const stoa_array_object *array)
{
    (void)array;
    let_another_read(&((kinds *)context)->array);
    return true;
}

static bool see_link(void *context, const stoa_link *link)
{
    (void)link;
    let_another_read(&((kinds *)context)->link);
    return true;
}

static void see_unopened(void *context, const char *path, const char *why)
{
    (void)path;
    (void)why;
    let_another_read(&((kinds *)context)->unopened);
}

/* An array, a link, and a group whose header is overwritten. */
static void add_objects(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *const file = opened("file.h5", STOA_FILE_EDIT);
    const hid_t id = stoa_file_id(file);
    const uint64_t extent[2] = {4, 4};
    stoa_sparse *array = NULL;
    H5O_info2_t info;
    haddr_t address = HADDR_UNDEF;

    CHECK_OK(stoa_sparse_create(id, "/s", H5T_NATIVE_DOUBLE, 2, extent, NULL, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Lcreate_soft("/nowhere", id, "soft", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = (hid_t)CHECK_H5(H5Gcreate2(id, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Oget_info3(group, &info, H5O_INFO_BASIC));
    CHECK_H5(H5VLnative_token_to_addr(group, info.token, &address));
    CHECK_H5(H5Gclose(group));
    CHECK_OK(stoa_file_commit(file, &err), &err);
    FILE *const bytes = fopen(check_path("file.h5"), "r+b");
    CHECK(bytes != NULL && fseek(bytes, (long)address, SEEK_SET) == 0);
    CHECK(fputs("no header", bytes) >= 0 && fclose(bytes) == 0);
}

static void objects_of_every_kind_are_listed_without_the_lock(void)
{
    const stoa_layout_visitors visitors = {sizeof visitors, see_table, see_array, see_link,
                                           see_unopened};
    stoa_error err = STOA_ERROR_INIT;
    kinds k = {watching(), watching(), watching(), watching()};

    make_files();
    add_objects();
    stoa_file *const file = opened("file.h5", STOA_FILE_READ);
    CHECK_OK(stoa_layout_visit_all(stoa_file_id(file), &visitors, &k, &err), &err);
    stoa_file_close(file);
    has_let_another_read(&k.table);
    has_let_another_read(&k.array);
    has_let_another_read(&k.link);
    has_let_another_read(&k.unopened);
}

static bool see_index(void *context, const stoa_index_info *info)
{
    (void)info;
    let_another_read(context);
    return true;
}

static void indexes_are_built_and_listed_without_the_lock(void)
{
    static const char *const kinds_of_index[] = {"minmax", "sorted", "bitmap", "bloom"};
    stoa_error err = STOA_ERROR_INIT;
    watch list = watching();

    make_files();
    for (size_t i = 0; i < sizeof kinds_of_index / sizeof kinds_of_index[0]; i++) {
        watch w = watching();
        stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
        stoa_file *const file = opened("file.h5", STOA_FILE_EDIT);
        stoa_table *const table = table_of(file);
        options.listener = (stoa_listener){on_progress, &w};
        CHECK_OK(stoa_index_add(table, "b", kinds_of_index[i], &options, &err), &err);
        CHECK_OK(i > 0 ? STOA_OK : stoa_index_visit(table, see_index, &list, &err), &err);
        stoa_table_close(table);
        stoa_file_close(file);
        has_let_another_read(&w);
    }
    has_let_another_read(&list);
}

/* --- streams --------------------------------------------------------------------------------- */

/* A program's stream, which waits and then hands out another's. */
typedef struct source {
    struct ArrowArrayStream *stream; /* first: write_table() sets it */
    watch schema;
    watch next;
} source;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    source *const s = stream->private_data;

    let_another_read(&s->schema);
    return s->stream->get_schema(s->stream, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    source *const s = stream->private_data;

    let_another_read(&s->next);
    return s->stream->get_next(s->stream, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    source *const s = stream->private_data;

    return s->stream->get_last_error(s->stream);
}

static void release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void streams_are_read_without_the_lock(void)
{
    source s = {NULL, watching(), watching()};
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release, &s};

    write_table(check_path("other.h5"), N_OTHERS, NULL);
    write_table(check_path("file.h5"), N_ROWS, &stream);
    has_let_another_read(&s.schema);
    has_let_another_read(&s.next);
}

static void a_query_tells_without_the_lock(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    watch w = watching();

    make_files();
    stoa_file *const file = opened("file.h5", STOA_FILE_READ);
    stoa_table *const table = table_of(file);
    options.where = "b = 3";
    options.sort = "a";
    options.listener = (stoa_listener){on_progress, &w};
    CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK(stream.get_next(&stream, &batch) == 0 && batch.release != NULL);
    batch.release(&batch);
    stream.release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    stoa_file_close(file);
    has_let_another_read(&w);
}

static void edits_and_conversions_tell_without_the_lock(void)
{
    static const char *const layouts[] = {"hep001",       "pytables", "h5tb", "pandas-table",
                                          "pandas-fixed", "anndata",  "lh5"};
    const stoa_assignment assignment = {"a", "a + 1"};
    stoa_error err = STOA_ERROR_INIT;
    watch edit = watching();
    stoa_edit_options how = STOA_EDIT_OPTIONS_INIT;

    make_files();
    how.listener = (stoa_listener){on_progress, &edit};
    stoa_file *const file = opened("file.h5", STOA_FILE_EDIT);
    stoa_table *const table = table_of(file);
    CHECK_OK(stoa_table_update(table, "b = 3", &assignment, 1, &how, NULL, &err), &err);
    has_let_another_read(&edit);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        watch w = watching();
        stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
        stoa_file *const to = opened("to.h5", STOA_FILE_CREATE);
        options.layout = layouts[i];
        options.listener = (stoa_listener){on_progress, &w};
        CHECK_OK(stoa_layout_write_table(table, stoa_file_id(to), "/t", &options, NULL, &err),
                 &err);
        stoa_file_close(to);
        has_let_another_read(&w);
    }
    stoa_table_close(table);
    stoa_file_close(file);
}

/* --- what lies beside tables ----------------------------------------------------------------- */

static bool see_rest(void *context, const stoa_unconverted *rest)
{
    (void)rest;
    let_another_read(context);
    return true;
}

static bool see_step(void *context, const stoa_layout_step *step)
{
    (void)step;
    let_another_read(context);
    return true;
}

static void a_conversion_of_a_file_tells_without_the_lock(void)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    watch rest = watching();
    watch step = watching();
    const char *const path = "/t";

    make_files();
    stoa_file *const file = opened("file.h5", STOA_FILE_EDIT);
    const hid_t id = stoa_file_id(file);
    options.layout = "lh5";
    CHECK_H5(
        H5Gclose((hid_t)CHECK_H5(H5Gcreate2(id, "rest", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_OK(stoa_layout_visit_unconverted(id, &path, 1, see_rest, &rest, &err), &err);
    CHECK_OK(stoa_layout_visit_steps(id, "/t", NULL, &options, see_step, &step, &err), &err);
    stoa_file_close(file);
    has_let_another_read(&rest);
    has_let_another_read(&step);
}

static bool copy_is_told(const char *name, const stoa_listener *listener)
{
    stoa_error err = STOA_ERROR_INIT;
    const char *const path = "/t";
    stoa_file *const file = opened(name, STOA_FILE_READ);
    stoa_file *const to = opened("copy.h5", STOA_FILE_CREATE);

    CHECK_OK(stoa_layout_copy_unconverted(stoa_file_id(file), stoa_file_id(to), &path, 0, listener,
                                          &err),
             &err);
    stoa_file_close(to);
    stoa_file_close(file);
    return true;
}

static void a_copy_tells_without_the_lock(void)
{
    watch w = watching();
    const stoa_listener listener = {on_progress, &w};

    make_files();
    CHECK(copy_is_told("file.h5", &listener));
    has_let_another_read(&w);
}

/* --- sparse arrays --------------------------------------------------------------------------- */

static bool see_part(void *context, const stoa_sparse_part *part)
{
    (void)part;
    let_another_read(context);
    return true;
}

static int see_chunk(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *address,
                     hsize_t *n_bytes, void *context)
{
    (void)offset;
    (void)info;
    (void)address;
    (void)n_bytes;
    let_another_read(context);
    return 0;
}

static void parts_of_an_array_are_seen_without_the_lock(void)
{
    const uint64_t extent[2] = {100, 100};
    const uint64_t at[2] = {3, 4};
    const double value = 5;
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    watch part = watching();
    watch chunk = watching();

    make_files();
    stoa_file *const file = opened("file.h5", STOA_FILE_EDIT);
    CHECK_OK(stoa_sparse_create(stoa_file_id(file), "/s", H5T_NATIVE_DOUBLE, 2, extent, NULL, NULL,
                                &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, 1, at, &value, H5T_NATIVE_DOUBLE, &err), &err);
    CHECK_OK(stoa_sparse_visit(array, NULL, NULL, H5T_NATIVE_DOUBLE, see_part, &part, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(stoa_file_id(file), "s", H5P_DEFAULT));
    CHECK_H5(stoa_h5d_struct_chunk_iter(dataset, H5P_DEFAULT, see_chunk, &chunk));
    CHECK_H5(H5Dclose(dataset));
    stoa_file_close(file);
    has_let_another_read(&part);
    has_let_another_read(&chunk);
}

static int see_dense(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                     void *context)
{
    CHECK(mask == 0 && address != HADDR_UNDEF);
    CHECK_U64(n_bytes, 8);
    CHECK_U64(offset[0] % 8, 0);
    let_another_read(context);
    return offset[0] == 16 ? 42 : 0;
}

static void dense_chunks_are_seen_without_the_lock(void)
{
    const hsize_t extent = 32;
    const hsize_t chunk = 8;
    const uint8_t values[32] = {0};
    watch w = watching();

    make_files();
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("dense.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &chunk));
    const hid_t dataset =
        (hid_t)CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_I64(stoa_h5d_chunk_iter(dataset, H5P_DEFAULT, see_dense, &w), 42);
    CHECK_U64(w.n_calls, 3);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    has_let_another_read(&w);
}

/* --- waiting --------------------------------------------------------------------------------- */

static bool stop_waiting(void *context)
{
    let_another_read(context);
    return true;
}

static void a_file_that_another_has_is_waited_for_without_the_lock(void)
{
    stoa_error err = STOA_ERROR_INIT;
    watch w = watching();
    stoa_file_patience patience = STOA_FILE_PATIENCE_INIT;
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_file *second = NULL;

    make_files();
    stoa_file *const first = opened("file.h5", STOA_FILE_EDIT);
    patience.stop = stop_waiting;
    patience.context = &w;
    options.patience = &patience;
    CHECK(stoa_file_open_with(check_path("file.h5"), STOA_FILE_EDIT, &options, &second, &err) !=
          STOA_OK);
    stoa_file_close(first);
    has_let_another_read(&w);
}

TEST_MAIN(TEST(a_finding_is_told_without_the_lock), TEST(tables_are_listed_without_the_lock),
          TEST(objects_of_every_kind_are_listed_without_the_lock),
          TEST(indexes_are_built_and_listed_without_the_lock),
          TEST(streams_are_read_without_the_lock), TEST(a_query_tells_without_the_lock),
          TEST(edits_and_conversions_tell_without_the_lock),
          TEST(a_conversion_of_a_file_tells_without_the_lock), TEST(a_copy_tells_without_the_lock),
          TEST(parts_of_an_array_are_seen_without_the_lock),
          TEST(dense_chunks_are_seen_without_the_lock),
          TEST(a_file_that_another_has_is_waited_for_without_the_lock))
