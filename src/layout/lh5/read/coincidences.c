/*
 * A time coincidence map (TCM) of LEGEND: which rows of which tables are of one event. It is a
 * table of two vectors, `table_key` and `row_in_table`, with one vector an event. The key of a
 * table is the first number in its path, as 1104000 of /ch1104000/hit.
 *
 * A filter of events, or of the rows of one of the tables, selects events. These select rows of all
 * tables. The map itself is selected with them, and its rows get their new numbers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/read/subset.h"
#include "layout/subset/ends.h"

enum { MAX_HITS = 1 << 16 }; /* read at a time */

/* The rows of one table that are kept. */
typedef struct hits {
    int64_t key;
    stoa_buffer bits;
    stoa_axis_lines lines;
    uint32_t *places; /* in the copy, of each row; NULL until needed */
} hits;

typedef struct coincidences {
    stoa_subset_plan *plan;
    hid_t keys; /* the groups of the two vectors */
    hid_t rows;
    uint64_t n_events;
    stoa_axis_lines *events;      /* owned by the plan */
    const stoa_axis_lines *items; /* of the vectors of these events; NULL unless it is written */
    char *path;                   /* of the map in the file; NULL if it is in another */
    hits *tables;
    size_t n_tables;
    hits *last; /* that was looked up */
} coincidences;

/* --- tables ---------------------------------------------------------------------------------- */

static bool find_key(const char *path, int64_t *key)
{
    while (*path != '\0' && !isdigit((unsigned char)*path)) {
        path++;
    }
    *key = strtoll(path, NULL, 10);
    return *path != '\0';
}

static hits *table_of(coincidences *c, int64_t key)
{
    if (c->last != NULL && c->last->key == key) {
        return c->last;
    }
    c->last = NULL;
    for (size_t i = 0; i < c->n_tables && c->last == NULL; i++) {
        c->last = c->tables[i].key == key ? &c->tables[i] : NULL;
    }
    return c->last;
}

static stoa_status add_table(coincidences *c, int64_t key, stoa_error *err)
{
    if (table_of(c, key) == NULL) {
        hits *const more = stoa_one_more(c->tables, c->n_tables, sizeof *more);
        STOA_RETURN_NO_MEMORY(err, more);
        c->tables = more;
        more[c->n_tables++] = (hits){.key = key};
    }
    return STOA_OK;
}

static stoa_status mark_row(hits *table, uint64_t row, stoa_error *err)
{
    const uint64_t n = row / 8 + 1;

    if (row >= STOA_LINE_DROPPED) {
        return stoa_fail(err, STOA_EDATA, "'row_in_table' has %llu", (unsigned long long)row);
    }
    if (n > table->bits.size) {
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&table->bits, (size_t)(n - table->bits.size), err));
    }
    stoa_bit_set(table->bits.data, row);
    return STOA_OK;
}

/* --- hits ------------------------------------------------------------------------------------ */

typedef struct hit {
    uint64_t event;
    int64_t key;
    uint64_t row;
} hit;

typedef stoa_status (*hit_visit)(coincidences *c, const hit *one, void *context, stoa_error *err);

typedef struct hit_reader {
    hid_t datasets[2]; /* items of keys and rows */
    stoa_checked_reader readers[2];
    int64_t *items[2];
} hit_reader;

static stoa_status open_items(hit_reader *r, int i, hid_t vectors, stoa_error *err)
{
    r->datasets[i] = stoa_object_open(vectors, STOA_LH5_ITEMS);
    r->items[i] = stoa_alloc(MAX_HITS, sizeof(int64_t));
    STOA_RETURN_NO_MEMORY(err, r->items[i]);
    if (r->datasets[i] < 0 || H5Iget_type(r->datasets[i]) != H5I_DATASET ||
        stoa_class_of(r->datasets[i]) != H5T_INTEGER) {
        return stoa_fail(err, STOA_EDATA, "'table_key' or 'row_in_table' has no integers");
    }
    return stoa_checked_reader_open(&r->readers[i], r->datasets[i], H5T_NATIVE_INT64, NULL, err);
}

static stoa_status visit_items(coincidences *c, hit_reader *r, uint64_t event, uint64_t first,
                               uint64_t n, hit_visit visit, void *context, stoa_error *err)
{
    for (int i = 0; i < 2; i++) {
        STOA_RETURN_NOT_OK(
            stoa_checked_reader_read(&r->readers[i], first, n, NULL, NULL, r->items[i], err));
    }
    for (uint64_t k = 0; k < n; k++) {
        const hit one = {event, r->items[0][k], (uint64_t)r->items[1][k]};
        STOA_RETURN_NOT_OK(visit(c, &one, context, err));
    }
    return STOA_OK;
}

/* Visit the hits of some events, which end at the numbers `at`. */
static stoa_status visit_events(coincidences *c, hit_reader *r, uint64_t event, const int64_t *at,
                                uint64_t n, hit_visit visit, void *context, stoa_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t k = (uint64_t)at[i], count; k < (uint64_t)at[i + 1]; k += count) {
            const uint64_t rest = (uint64_t)at[i + 1] - k;
            count = rest < MAX_HITS ? rest : MAX_HITS;
            STOA_RETURN_NOT_OK(visit_items(c, r, event + i, k, count, visit, context, err));
        }
    }
    return STOA_OK;
}

/* Visit the hits of all events, or of those that are kept. */
static stoa_status visit_hits(coincidences *c, const stoa_axis_lines *events, hit_visit visit,
                              void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hit_reader r = {.datasets = {H5I_INVALID_HID, H5I_INVALID_HID},
                    .readers = {STOA_CHECKED_READER_INIT, STOA_CHECKED_READER_INIT}};
    hid_t ends_of = stoa_object_open(c->keys, STOA_LH5_LENGTHS);
    stoa_line_cursor cursor = {0};
    stoa_ends ends;
    stoa_range run;

    STOA_TRY(stoa_ends_open(&ends, ends_of, c->n_events, false, err));
    STOA_TRY(open_items(&r, 0, c->keys, err));
    STOA_TRY(open_items(&r, 1, c->rows, err));
    while (stoa_axis_lines_next(events, &cursor, c->n_events, UINT64_MAX, &run)) {
        while (run.count > 0) {
            const int64_t *at = NULL;
            uint64_t n = 0;
            STOA_TRY(stoa_ends_read(&ends, run, &n, &at, err));
            STOA_TRY(visit_events(c, &r, run.first, at, n, visit, context, err));
            run = (stoa_range){run.first + n, run.count - n};
        }
    }

done:
    for (int i = 0; i < 2; i++) {
        stoa_checked_reader_close(&r.readers[i]);
        free(r.items[i]);
        status = stoa_hdf_close(&r.datasets[i], status, err);
    }
    stoa_ends_close(&ends);
    return stoa_hdf_close(&ends_of, status, err);
}

/* --- which events, and which rows ------------------------------------------------------------ */

static stoa_status see_key(coincidences *c, const hit *one, void *context, stoa_error *err)
{
    (void)context;
    return add_table(c, one->key, err);
}

/* The rows of one table that pass a filter. */
typedef struct passing {
    int64_t key;
    uint8_t *bits;
    uint64_t n;
} passing;

static stoa_status see_event(coincidences *c, const hit *one, void *context, stoa_error *err)
{
    const passing *const p = context;
    const stoa_rowset *const kept = &c->events->kept;
    const stoa_range *const last = kept->n_ranges > 0 ? kept->ranges + kept->n_ranges - 1 : NULL;

    if (one->key != p->key) {
        return STOA_OK;
    }
    if (one->row >= p->n) {
        return stoa_fail(err, STOA_EDATA, "'row_in_table' has %llu; table %lld has %llu rows",
                         (unsigned long long)one->row, (long long)one->key,
                         (unsigned long long)p->n);
    }
    return !stoa_bit_get(p->bits, one->row) ||
                   (last != NULL && one->event < last->first + last->count)
               ? STOA_OK
               : stoa_axis_lines_keep(c->events, one->event, 1, err);
}

static stoa_status keep_events(coincidences *c, int64_t key, const stoa_axis_lines *rows,
                               stoa_error *err)
{
    passing p = {key, stoa_alloc_zero((size_t)stoa_bit_bytes(rows->n) + 1, 1), rows->n};
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, p.bits);
    for (size_t i = 0; i < rows->kept.n_ranges; i++) {
        const stoa_range range = rows->kept.ranges[i];
        for (uint64_t k = range.first; k < range.first + range.count; k++) {
            stoa_bit_set(p.bits, k);
        }
    }
    status = visit_hits(c, NULL, see_event, &p, err);
    free(p.bits);
    return status;
}

static stoa_status find_events(coincidences *c, const char *table, const stoa_axis_lines *rows,
                               stoa_error *err)
{
    int64_t key = 0;

    c->events = stoa_subset_lines(c->plan, c->n_events);
    STOA_RETURN_NO_MEMORY(err, c->events);
    STOA_RETURN_NOT_OK(visit_hits(c, NULL, see_key, NULL, err));
    if (find_key(table, &key) && table_of(c, key) != NULL) {
        return keep_events(c, key, rows, err);
    }
    if (rows->n != c->n_events) {
        return stoa_fail(err, STOA_EDATA,
                         "has %llu events; '%s' has %llu rows, and no number of a table of the map",
                         (unsigned long long)c->n_events, table, (unsigned long long)rows->n);
    }
    for (size_t i = 0; i < rows->kept.n_ranges; i++) {
        const stoa_range range = rows->kept.ranges[i];
        STOA_RETURN_NOT_OK(stoa_axis_lines_keep(c->events, range.first, range.count, err));
    }
    return STOA_OK;
}

static stoa_status see_row(coincidences *c, const hit *one, void *context, stoa_error *err)
{
    (void)context;
    return mark_row(table_of(c, one->key), one->row, err);
}

static stoa_status find_rows(coincidences *c, stoa_error *err)
{
    STOA_RETURN_NOT_OK(visit_hits(c, c->events, see_row, NULL, err));
    for (size_t i = 0; i < c->n_tables; i++) {
        hits *const table = &c->tables[i];
        table->lines.n = 8 * (uint64_t)table->bits.size;
        for (uint64_t row = 0; row < table->lines.n; row++) {
            STOA_RETURN_NOT_OK(stoa_bit_get(table->bits.data, row)
                                   ? stoa_axis_lines_keep(&table->lines, row, 1, err)
                                   : STOA_OK);
        }
    }
    return STOA_OK;
}

/* --- the objects of the file ----------------------------------------------------------------- */

typedef struct visitor {
    coincidences *c;
    const char *parent; /* its path */
    bool goes_on;       /* into groups */
    stoa_error *err;
    stoa_status status;
} visitor;

/* Rows of an object whose path has the number of a table. */
static stoa_status select_hits(coincidences *c, hid_t object, const char *path, const hits *table,
                               uint64_t n_rows, stoa_error *err)
{
    stoa_axis_lines *const rows = stoa_subset_lines(c->plan, n_rows);

    STOA_RETURN_NO_MEMORY(err, rows);
    for (size_t i = 0; i < table->lines.kept.n_ranges; i++) {
        const stoa_range range = table->lines.kept.ranges[i];
        STOA_RETURN_NOT_OK(stoa_axis_lines_keep(rows, range.first, range.count, err));
    }
    return stoa_lh5_select_rows(c->plan, object, path, rows, err);
}

static herr_t see_object(hid_t group, const char *name, const H5L_info2_t *link, void *context);

static stoa_status see_path(visitor *v, hid_t object, const char *path, stoa_error *err)
{
    visitor below = {v->c, path, false, err, STOA_OK};
    uint64_t n_rows = 0;
    bool is_one = false;
    int64_t key = 0;

    STOA_RETURN_NOT_OK(stoa_lh5_count_lines(object, &is_one, &n_rows, err));
    const hits *const table = find_key(path, &key) ? table_of(v->c, key) : NULL;
    if (is_one && table != NULL) {
        return select_hits(v->c, object, path, table, n_rows, err);
    }
    if (!is_one && v->goes_on && H5Iget_type(object) == H5I_GROUP) {
        STOA_RETURN_NOT_OK(stoa_links_visit(object, see_object, &below, err));
    }
    return below.status;
}

static herr_t see_object(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    visitor *const v = context;
    char *const path = stoa_format("%s/%s", v->parent, name);
    hid_t object = stoa_object_open(group, name);

    (void)link;
    if (path == NULL) {
        v->status = stoa_fail_memory(v->err);
    } else if (object >= 0 && (v->c->path == NULL || strcmp(path, v->c->path) != 0)) {
        v->status = see_path(v, object, path, v->err);
        v->status = stoa_layout_error_at(group, path, v->status, v->err);
    }
    free(path);
    v->status = stoa_hdf_close(&object, v->status, v->err);
    return v->status == STOA_OK ? 0 : 1;
}

/* --- the map --------------------------------------------------------------------------------- */

static void clear(void *context)
{
    coincidences *const c = context;

    for (size_t i = 0; i < c->n_tables; i++) {
        stoa_buffer_clear(&c->tables[i].bits);
        stoa_axis_lines_clear(&c->tables[i].lines);
        free(c->tables[i].places);
    }
    free(c->tables);
    free(c->path);
    (void)stoa_hdf_close(&c->keys, STOA_OK, NULL);
    (void)stoa_hdf_close(&c->rows, STOA_OK, NULL);
    free(c);
}

typedef struct renumbering {
    stoa_chunk_writer writer;
    uint64_t n_written;
    size_t n;
    int64_t at[1 << 10];
} renumbering;

static stoa_status write_numbers(renumbering *r, stoa_error *err)
{
    if (r->n > 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&r->writer, r->n_written, r->n, r->at, err));
    }
    r->n_written += r->n;
    r->n = 0;
    return STOA_OK;
}

static stoa_status see_number(coincidences *c, const hit *one, void *context, stoa_error *err)
{
    renumbering *const r = context;
    hits *const table = table_of(c, one->key);

    if (table->places == NULL) {
        STOA_RETURN_NOT_OK(stoa_axis_lines_places(&table->lines, &table->places, err));
    }
    r->at[r->n++] = table->places[one->row];
    return r->n == sizeof r->at / sizeof *r->at ? write_numbers(r, err) : STOA_OK;
}

/* A stoa_subset_step.run: the rows of the kept hits, as they are numbered in the copy. */
static stoa_status write_map(void *context, hid_t from, hid_t to, stoa_error *err)
{
    coincidences *const c = context;
    stoa_status status = STOA_OK;
    renumbering r = {.writer = STOA_CHUNK_WRITER_INIT};
    hid_t items = H5I_INVALID_HID;
    char *path = NULL;

    (void)from;
    if (c->path == NULL) {
        return STOA_OK;
    }
    path = stoa_format("%s/row_in_table/" STOA_LH5_ITEMS, c->path);
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, items = stoa_open_here(to, path), "open '%s'", path);
    STOA_TRY(stoa_chunk_writer_open(&r.writer, items, H5T_NATIVE_INT64, err));
    STOA_TRY(visit_hits(c, c->events, see_number, &r, err));
    STOA_TRY(write_numbers(&r, err));
    STOA_TRY(stoa_chunk_writer_flush(&r.writer, err));

done:
    stoa_chunk_writer_close(&r.writer);
    free(path);
    return stoa_hdf_close(&items, status, err);
}

/* The map itself, if it is in the file: its rows are written by a step. */
static stoa_status select_map(coincidences *c, hid_t map, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t items = stoa_object_open(c->rows, STOA_LH5_ITEMS);
    hid_t ends = stoa_object_open(c->rows, STOA_LH5_LENGTHS);
    stoa_subset_item item = {.is_written = true};

    if (items < 0 || ends < 0) {
        STOA_FAIL(err, STOA_EDATA, "'row_in_table' is no vector of vectors");
    }
    STOA_TRY(stoa_subset_select_lists(c->plan, ends, c->events, false, stoa_lh5_count_rows(items),
                                      &c->items, err));
    item.extent = c->items->n_kept;
    STOA_TRY(stoa_subset_add(c->plan, items, &item, err));
    STOA_TRY(stoa_lh5_select_rows(c->plan, c->keys, c->path, c->events, err));
    (void)map;

done:
    status = stoa_hdf_close(&ends, status, err);
    return stoa_hdf_close(&items, status, err);
}

/* --- all ------------------------------------------------------------------------------------- */

static stoa_status open_map(coincidences *c, hid_t map, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *rule = NULL;

    STOA_TRY(stoa_attribute_read_optional(map, "hash_func", &rule, err));
    if (rule != NULL && strcmp(rule, "\\d+") != 0) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "numbers its tables by '%.40s'; only the first number of their names is known",
                  rule);
    }
    c->keys = H5Iget_type(map) == H5I_GROUP ? stoa_object_open(map, "table_key") : H5I_INVALID_HID;
    c->rows =
        H5Iget_type(map) == H5I_GROUP ? stoa_object_open(map, "row_in_table") : H5I_INVALID_HID;
    if (c->keys < 0 || c->rows < 0 || H5Iget_type(c->keys) != H5I_GROUP ||
        H5Iget_type(c->rows) != H5I_GROUP) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "is no time coincidence map: it needs the vectors table_key and row_in_table");
    }
    c->n_events = stoa_lh5_count_rows(c->keys);
    if (stoa_lh5_count_rows(c->rows) != c->n_events) {
        STOA_FAIL(err, STOA_EDATA, "table_key has %llu events, row_in_table %llu",
                  (unsigned long long)c->n_events,
                  (unsigned long long)stoa_lh5_count_rows(c->rows));
    }

done:
    free(rule);
    return status;
}

/* The table that the filter tests, if it has events and lies in the file. */
static stoa_status select_events(coincidences *c, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = path != NULL ? stoa_object_open(c->plan->from, path) : H5I_INVALID_HID;
    uint64_t n_rows = 0;
    bool is_one = false;

    STOA_TRY(object >= 0 ? stoa_lh5_count_lines(object, &is_one, &n_rows, err) : STOA_OK);
    if (is_one && n_rows == c->n_events && stoa_subset_find(c->plan, object) == NULL) {
        STOA_TRY(stoa_lh5_select_rows(c->plan, object, path, c->events, err));
    }

done:
    return stoa_hdf_close(&object, status, err);
}

static stoa_status plan_all(coincidences *c, hid_t map, const char *table, const char *path,
                            const stoa_axis_lines *rows, stoa_error *err)
{
    visitor v = {c, "", true, err, STOA_OK};
    int64_t key = 0;

    STOA_RETURN_NOT_OK(open_map(c, map, err));
    STOA_RETURN_NOT_OK(find_events(c, table, rows, err));
    STOA_RETURN_NOT_OK(find_rows(c, err));
    STOA_RETURN_NOT_OK(stoa_links_visit(c->plan->from, see_object, &v, err));
    STOA_RETURN_NOT_OK(v.status);
    STOA_RETURN_NOT_OK(c->path != NULL ? select_map(c, map, err) : STOA_OK);
    return path != NULL && !(find_key(path, &key) && table_of(c, key) != NULL)
               ? select_events(c, path, err)
               : STOA_OK;
}

stoa_status stoa_lh5_coincide(stoa_subset_plan *plan, hid_t map, bool is_own, const char *table,
                              const char *path, const stoa_axis_lines *rows, uint64_t *n_kept,
                              uint64_t *n_events, stoa_error *err)
{
    coincidences *const c = stoa_alloc_zero(1, sizeof *c);

    STOA_RETURN_NO_MEMORY(err, c);
    *c = (coincidences){.plan = plan, .keys = H5I_INVALID_HID, .rows = H5I_INVALID_HID};
    STOA_RETURN_NOT_OK(stoa_subset_add_step(plan, (stoa_subset_step){write_map, clear, c}, err));
    if (is_own) {
        c->path = stoa_hdf_name(map, H5Iget_name);
        STOA_RETURN_NO_MEMORY(err, c->path);
    }
    STOA_RETURN_NOT_OK(plan_all(c, map, table, path, rows, err));
    *n_kept = c->events->n_kept;
    *n_events = c->n_events;
    return STOA_OK;
}
