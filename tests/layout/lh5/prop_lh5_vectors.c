/*
 * Vectors of LH5 however they are stored: rows that are read are those that were written, and stay
 * so while others are read, when the table is closed, in whatever order and on whatever thread they
 * are released (src/column/list/reader.c).
 */
#include <pthread.h>
#include <stdlib.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "layout/lh5_kit.h"
#include "support/check.h"

enum { MANY_ROWS = 400000, MAX_ROWS = 3000, MAX_LENGTH = 12, N_HELD = 12 };

/* Vectors of numbers; items are 0, 1, 2... in the file's type. */
typedef struct example {
    uint64_t n_rows;
    uint64_t ends[MANY_ROWS + 1]; /* after a first 0 */
    hid_t ends_type;
    hid_t item_type;
    const char *format; /* of items, in Arrow */
} example;

static bool maybe(uint64_t one_in)
{
    return check_random_below(one_in) == 0;
}

/* In chunks or not, packed or not. */
static void put(hid_t file, const char *path, hid_t type, hsize_t n, const uint64_t *values)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const bool is_chunked = !maybe(4);
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &n, is_chunked ? &(hsize_t){H5S_UNLIMITED} : NULL));

    if (is_chunked) {
        CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){1 + check_random_below(maybe(2) ? 50 : 2000)}));
        if (maybe(2)) {
            CHECK_H5(H5Pset_shuffle(dcpl));
            CHECK_H5(H5Pset_deflate(dcpl, 1));
        }
    }
    const hid_t set = CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    lh5_say(set, "datatype", "array<1>{real}");
    CHECK_H5(H5Dclose(set));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static void write_example(const example *e, const char *name)
{
    const uint64_t n_items = e->ends[e->n_rows];
    uint64_t *const items = malloc(((size_t)n_items + 1) * sizeof *items);
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    CHECK(items != NULL);
    for (uint64_t i = 0; i < n_items; i++) {
        items[i] = i;
    }
    lh5_group(file, "t", "table{v}");
    lh5_group(file, "t/v", "array<1>{array<1>{real}}");
    put(file, "t/v/cumulative_length", e->ends_type, e->n_rows, e->ends + 1);
    put(file, "t/v/flattened_data", e->item_type, n_items, items);
    free(items);
    CHECK_H5(H5Fclose(file));
}

static void an_example(example *e, uint64_t n_rows)
{
    const struct {
        hid_t type;
        uint64_t most;
    } ends[] = {
        {H5T_STD_I8LE, INT8_MAX},    {H5T_STD_U8LE, UINT8_MAX},   {H5T_STD_I16LE, INT16_MAX},
        {H5T_STD_U16BE, UINT16_MAX}, {H5T_STD_I32LE, INT32_MAX},  {H5T_STD_U32LE, UINT32_MAX},
        {H5T_STD_I64LE, INT64_MAX},  {H5T_STD_U64LE, UINT64_MAX}, {H5T_STD_I64BE, INT64_MAX},
    };
    const struct {
        hid_t type;
        const char *format;
    } items[] = {
        {H5T_IEEE_F32LE, "f"}, {H5T_IEEE_F64BE, "g"}, {H5T_STD_I64LE, "l"}, {H5T_STD_I32LE, "i"}};
    const size_t end = check_random_below(sizeof ends / sizeof ends[0]);
    const size_t item = check_random_below(sizeof items / sizeof items[0]);

    e->n_rows = n_rows;
    e->ends[0] = 0;
    e->ends_type = ends[end].type;
    e->item_type = items[item].type;
    e->format = items[item].format;
    for (uint64_t i = 0; i < e->n_rows; i++) {
        const uint64_t length = maybe(3) ? 0 : check_random_below(MAX_LENGTH);
        const uint64_t left = ends[end].most - e->ends[i];
        e->ends[i + 1] = e->ends[i] + (length < left ? length : left);
    }
}

static uint64_t some_rows(void)
{
    return 1 + check_random_below(maybe(3) ? 20 : MAX_ROWS);
}

/* --- rows that were read --------------------------------------------------------------------- */

static double item_at(const example *e, const void *values, int64_t i)
{
    switch (e->format[0]) {
    case 'f':
        return (double)((const float *)values)[i];
    case 'g':
        return ((const double *)values)[i];
    case 'l':
        return (double)((const int64_t *)values)[i];
    default:
        return (double)((const int32_t *)values)[i];
    }
}

/* Whether an array has rows [first, first + its length). */
static bool has_rows(const example *e, uint64_t first, const struct ArrowArray *rows)
{
    const int32_t *const offsets = rows->buffers[1];
    const struct ArrowArray *const items = rows->children[0];
    bool has = true;

    for (int64_t i = rows->offset; i < rows->offset + rows->length; i++) {
        const uint64_t row = first + (uint64_t)(i - rows->offset);
        const uint64_t begin = e->ends[row];
        const uint64_t length = e->ends[row + 1] - begin;
        has = has && (uint64_t)(offsets[i + 1] - offsets[i]) == length;
        for (uint64_t k = 0; has && k < length; k++) {
            has = item_at(e, items->buffers[1], items->offset + offsets[i] + (int64_t)k) ==
                  (double)(begin + k);
        }
    }
    return has;
}

/* Some rows that somebody has. */
typedef struct held {
    uint64_t first;
    struct ArrowArray rows;
} held;

static void let_go(const example *e, held *h)
{
    if (h->rows.release != NULL) {
        CHECK(has_rows(e, h->first, &h->rows));
        h->rows.release(&h->rows);
    }
    h->rows.release = NULL;
}

static void *release_all(void *context)
{
    held *const all = context;

    for (size_t i = 0; i < N_HELD; i++) {
        if (all[i].rows.release != NULL) {
            all[i].rows.release(&all[i].rows);
        }
    }
    return NULL;
}

/* Half of them here, the rest on a thread of its own. */
static void let_all_go(const example *e, held *all)
{
    pthread_t thread;

    for (size_t i = 0; i < N_HELD; i++) {
        if (maybe(2)) {
            let_go(e, &all[i]);
        } else if (all[i].rows.release != NULL) {
            CHECK(has_rows(e, all[i].first, &all[i].rows));
        }
    }
    CHECK_I64(pthread_create(&thread, NULL, release_all, all), 0);
    CHECK_I64(pthread_join(thread, NULL), 0);
}

static void open_example(const char *name, hid_t *file, stoa_table **table)
{
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    *file = CHECK_H5(H5Fopen(name, maybe(5) ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT));
    options.map = maybe(2);
    CHECK_OK(stoa_table_open_with(*file, "/t", &options, table, &err), &err);
}

static void rows_that_are_read_stay_as_they_are(void)
{
    const uint64_t n_cases = check_n_cases(60);
    static example e;

    for (uint64_t c = 0; c < n_cases; c++) {
        const char *const name = check_path("vectors.lh5");
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;
        held all[N_HELD] = {{.rows = {.release = NULL}}};
        hid_t file;
        an_example(&e, some_rows());
        write_example(&e, name);
        open_example(name, &file, &table);
        for (size_t turn = 0; turn < 40; turn++) {
            held *const h = &all[check_random_below(N_HELD)];
            let_go(&e, h);
            h->first = check_random_below(e.n_rows + 1);
            const uint64_t most = e.n_rows - h->first;
            const uint64_t count = maybe(2) ? most : check_random_below(most + 1);
            CHECK_OK(stoa_column_read(stoa_table_column(table, 0), h->first, count, &h->rows, &err),
                     &err);
            CHECK_I64(h->rows.length, (int64_t)count);
        }
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
        let_all_go(&e, all);
    }
}

/* --- batches --------------------------------------------------------------------------------- */

/* On this thread while another one reads on: the last few batches. */
typedef struct releasing {
    pthread_t thread;
    struct ArrowArray batch;
    bool is_running;
} releasing;

static void *release_one(void *context)
{
    struct ArrowArray *const batch = context;

    batch->release(batch);
    return NULL;
}

static void end_releasing(releasing *r)
{
    if (r->is_running) {
        CHECK_I64(pthread_join(r->thread, NULL), 0);
    }
    r->is_running = false;
}

static void begin_releasing(releasing *r, const struct ArrowArray *batch)
{
    end_releasing(r);
    r->batch = *batch;
    CHECK_I64(pthread_create(&r->thread, NULL, release_one, &r->batch), 0);
    r->is_running = true;
}

static void batches_are_released_by_others_while_the_next_are_read(void)
{
    const uint64_t n_cases = check_n_cases(20);
    static example e;

    for (uint64_t c = 0; c < n_cases; c++) {
        const char *const name = check_path("batches.lh5");
        stoa_error err = STOA_ERROR_INIT;
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        stoa_table *table = NULL;
        stoa_query *query = NULL;
        releasing others[3] = {{.is_running = false}};
        uint64_t at = 0;
        hid_t file;
        an_example(&e, c % 5 == 0 ? MANY_ROWS : some_rows()); /* for each thread some */
        write_example(&e, name);
        open_example(name, &file, &table);
        options.threads = 1 + (unsigned)check_random_below(3);
        options.columns = "v";
        CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        for (size_t i = 0;; i++) {
            CHECK_I64(stream.get_next(&stream, &batch), 0);
            if (batch.release == NULL) {
                break;
            }
            CHECK(has_rows(&e, at, batch.children[0]));
            at += (uint64_t)batch.length;
            begin_releasing(&others[i % 3], &batch);
        }
        CHECK_U64(at, e.n_rows);
        stream.release(&stream);
        stoa_query_close(query);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
        for (size_t i = 0; i < 3; i++) {
            end_releasing(&others[i]);
        }
    }
}

/* --- what is no vectors ---------------------------------------------------------------------- */

static void ends_that_descend_or_go_too_far_are_refused(void)
{
    const uint64_t n_cases = check_n_cases(60);
    static example e;

    for (uint64_t c = 0; c < n_cases; c++) {
        const char *const name = check_path("bad.lh5");
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArray rows;
        stoa_table *table = NULL;
        hid_t file;
        an_example(&e, some_rows());
        const uint64_t row = check_random_below(e.n_rows);
        const uint64_t n_items = e.ends[e.n_rows];
        write_example(&e, name);
        file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
        const hid_t set = CHECK_H5(H5Dopen2(file, "t/v/cumulative_length", H5P_DEFAULT));
        /* behind the last item; or, as libhdf5 converts it, the type's least or greatest number */
        const int64_t wrong = maybe(2) ? (int64_t)n_items + 1 : INT64_MIN;
        int64_t stored = wrong;
        const hid_t space = CHECK_H5(H5Dget_space(set));
        const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));
        CHECK_H5(
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){row}, NULL, &(hsize_t){1}, NULL));
        CHECK_H5(H5Dwrite(set, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &stored));
        CHECK_H5(H5Dread(set, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &stored));
        CHECK_H5(H5Sclose(one));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(set));
        CHECK_H5(H5Fclose(file));
        open_example(name, &file, &table);
        const bool is_fine = stored >= (int64_t)e.ends[row] && stored <= (int64_t)n_items &&
                             (row + 1 == e.n_rows || stored <= (int64_t)e.ends[row + 2]);
        const stoa_status status =
            stoa_column_read(stoa_table_column(table, 0), 0, e.n_rows, &rows, &err);
        CHECK_U64(status, is_fine ? STOA_OK : STOA_EDATA);
        if (status == STOA_OK) {
            rows.release(&rows);
        }
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(rows_that_are_read_stay_as_they_are),
          TEST(batches_are_released_by_others_while_the_next_are_read),
          TEST(ends_that_descend_or_go_too_far_are_refused))
