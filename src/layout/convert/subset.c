/* The public call of <stoa/subset.h>. */
#include <stdlib.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <stoa/subset.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/hdf5.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "layout/registry.h"
#include "layout/subset/plain.h"
#include "layout/subset/plan.h"
#include "sparse/format/filter.h"
#include "sparse/tools/relayout.h"
#include "table/open/table.h"

typedef struct subset {
    stoa_subset_options options;
    stoa_relayouts none; /* sparse arrays keep their form */
    stoa_subset_plan plan;
    stoa_axis_lines axes[STOA_LAYOUT_MAX_AXES];
    stoa_subset_counts counts;
} subset;

/* --- filters --------------------------------------------------------------------------------- */

static stoa_status keep_batch(stoa_axis_lines *lines, const struct ArrowArray *batch,
                              stoa_error *err)
{
    const struct ArrowArray *const column = batch->children[0];
    const uint64_t *const rows = (const uint64_t *)column->buffers[1] + column->offset;

    for (int64_t i = 0, n; i < batch->length; i += n) {
        for (n = 1; i + n < batch->length && rows[i + n] == rows[i] + (uint64_t)n; n++) {
        }
        STOA_RETURN_NOT_OK(stoa_axis_lines_keep(lines, rows[i], (uint64_t)n, err));
    }
    return STOA_OK;
}

/* The rows of a table that pass. `lines` has the table's length. */
static stoa_status keep_passing(stoa_table *table, const stoa_subset_filter *filter,
                                const subset *s, stoa_axis_lines *lines, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;
    bool is_end = false;

    options.where = filter->where;
    options.parameters = filter->parameters;
    options.n_parameters = filter->n_parameters;
    options.row_numbers = true;
    options.listener = s->options.listener;
    options.threads = s->options.threads;
    lines->n = stoa_table_n_rows(table);
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    while (!is_end) {
        STOA_TRY(stoa_stream_next(&stream, &batch, err));
        is_end = batch.release == NULL;
        STOA_TRY(is_end ? STOA_OK : keep_batch(lines, &batch, err));
        stoa_array_release(&batch);
    }

done:
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

/* --- whole files ----------------------------------------------------------------------------- */

static const stoa_layout_subset *whole_of(hid_t file)
{
    const stoa_layout_subset *found = NULL;

    for (size_t i = 0; stoa_layouts[i] != NULL && found == NULL; i++) {
        const stoa_layout_subset *const one = stoa_layouts[i]->subset;
        found = one != NULL && one->is_one != NULL && one->is_one(file) ? one : NULL;
    }
    return found;
}

static stoa_status find_axis(const stoa_layout_subset *layout, const char *table, int *axis,
                             stoa_error *err)
{
    for (*axis = 0; *axis < STOA_LAYOUT_MAX_AXES; (*axis)++) {
        const char *const name = layout->axes[*axis];
        if (table != NULL && strcmp(table[0] == '/' ? table : name + 1, name) == 0 &&
            strcmp(name + 1, table + (table[0] == '/')) == 0) {
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_EINVAL, "such a file has the axes '%s' and '%s'; filter these",
                     layout->axes[0], layout->axes[1]);
}

static stoa_status keep_axis(subset *s, const stoa_layout_subset *layout,
                             const stoa_subset_filter *filter, const stoa_axis_lines **axes,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    int axis = 0;

    STOA_TRY(find_axis(layout, filter->table, &axis, err));
    if (axes[axis] != NULL) {
        STOA_FAIL(err, STOA_EINVAL, "'%s' has two filters; join them by 'and'", filter->table);
    }
    axes[axis] = &s->axes[axis];
    STOA_TRY(stoa_table_open(s->plan.from, layout->axes[axis], &table, err));
    STOA_TRY(keep_passing(table, filter, s, &s->axes[axis], err));

done:
    stoa_table_close(table);
    return status;
}

/* Rows of an axis that has no filter, for the counts. */
static stoa_status count_axis(subset *s, const char *path, stoa_axis_lines *lines, stoa_error *err)
{
    stoa_table *table = NULL;

    STOA_RETURN_NOT_OK(stoa_table_open(s->plan.from, path, &table, err));
    lines->n = lines->n_kept = stoa_table_n_rows(table);
    stoa_table_close(table);
    return STOA_OK;
}

static stoa_status plan_whole(subset *s, const stoa_layout_subset *layout, stoa_error *err)
{
    const stoa_axis_lines *axes[STOA_LAYOUT_MAX_AXES] = {NULL};

    if (s->options.by > 0 || s->options.path != NULL || s->options.map != NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "the filters of such a file are those of its axes, '%s' and '%s'",
                         layout->axes[0], layout->axes[1]);
    }
    for (size_t i = 0; i < s->options.n_filters; i++) {
        STOA_RETURN_NOT_OK(keep_axis(s, layout, &s->options.filters[i], axes, err));
    }
    STOA_RETURN_NOT_OK(layout->plan(&s->plan, axes, err));
    for (int i = 0; i < STOA_LAYOUT_MAX_AXES; i++) {
        STOA_RETURN_NOT_OK(axes[i] == NULL ? count_axis(s, layout->axes[i], &s->axes[i], err)
                                           : STOA_OK);
    }
    s->counts.n_columns = s->axes[1].n_kept;
    s->counts.of_columns = s->axes[1].n;
    return STOA_OK;
}

/* --- tables and what is in step -------------------------------------------------------------- */

/* Find the layout that knows the rows of an object; NULL if none does. */
static stoa_status find_layout(hid_t object, const stoa_layout_subset **found, uint64_t *n_rows,
                               stoa_error *err)
{
    bool is_one = false;

    *found = NULL;
    for (size_t i = 0; stoa_layouts[i] != NULL && !is_one; i++) {
        const stoa_layout_subset *const layout = stoa_layouts[i]->subset;
        if (layout != NULL && layout->count != NULL) {
            STOA_RETURN_NOT_OK(layout->count(object, &is_one, n_rows, err));
            *found = is_one ? layout : NULL;
        }
    }
    if (!is_one) {
        STOA_RETURN_NOT_OK(stoa_subset_plain.count(object, &is_one, n_rows, err));
        *found = is_one ? &stoa_subset_plain : NULL;
    }
    return STOA_OK;
}

typedef struct siblings {
    subset *s;
    const char *parent; /* path */
    stoa_error *err;
    stoa_status status;
} siblings;

/* Select an object if it has as many rows as the axis. */
static stoa_status select_in_step(subset *s, const char *path, bool *is_one, stoa_error *err)
{
    const stoa_layout_subset *layout = NULL;
    stoa_status status = STOA_OK;
    uint64_t n_rows = 0;
    hid_t object = stoa_object_open(s->plan.from, path);

    *is_one = false;
    STOA_TRY(object >= 0 ? find_layout(object, &layout, &n_rows, err) : STOA_OK);
    if (layout != NULL && n_rows == s->axes[0].n) {
        STOA_TRY(layout->select(&s->plan, object, path, &s->axes[0], err));
        *is_one = true;
    }

done:
    status = stoa_layout_error_at(s->plan.from, path, status, err);
    return stoa_hdf_close(&object, status, err);
}

static herr_t see_sibling(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    siblings *const them = context;
    char *const path = stoa_format("%s/%s", them->parent, name);
    bool unused = false;

    (void)group;
    (void)link;
    them->status = path != NULL ? select_in_step(them->s, path, &unused, them->err)
                                : stoa_fail_memory(them->err);
    free(path);
    return them->status == STOA_OK ? 0 : 1;
}

/* The members of a group; none of the root group, whose tables are not in step. */
static stoa_status select_members(subset *s, const char *group_path, stoa_error *err)
{
    siblings them = {s, group_path, err, STOA_OK};
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    if (group_path[0] == '\0') {
        return STOA_OK;
    }
    STOA_HDF(err, group = stoa_open_here(s->plan.from, group_path), "open '%s'", group_path);
    STOA_TRY(stoa_links_visit(group, see_sibling, &them, err));
    status = them.status;

done:
    return stoa_hdf_close(&group, status, err);
}

/* Select in a group that is no table of its layout, but holds datasets with as many rows. */
static stoa_status select_group(subset *s, const char *path, bool *is_one, stoa_error *err)
{
    const uint32_t before = s->plan.tokens.count;

    STOA_RETURN_NOT_OK(select_members(s, path, err));
    *is_one = s->plan.tokens.count > before;
    return STOA_OK;
}

/* @param layout  of the table that was tested */
static stoa_status select_path(subset *s, const char *path, const stoa_layout *layout,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_one = false;
    char *const parent = stoa_format("%s%s", path[0] == '/' ? "" : "/", path);

    STOA_RETURN_NO_MEMORY(err, parent);
    for (size_t n = strlen(parent); n > 0 && parent[n - 1] == '/'; n--) {
        parent[n - 1] = '\0';
    }
    STOA_TRY(select_in_step(s, parent[0] != '\0' ? parent : "/", &is_one, err));
    if (!is_one && layout != NULL && layout->subset != NULL && parent[0] != '\0') {
        STOA_TRY(select_group(s, parent, &is_one, err));
        if (is_one) {
            goto done;
        }
    }
    if (!is_one) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "'%s' has nothing with the %llu rows of the filter's table, of which a part "
                  "could be taken; 'stoa query -o' writes rows of one table",
                  path, (unsigned long long)s->axes[0].n);
    }
    *strrchr(parent, '/') = '\0';
    STOA_TRY(select_members(s, parent, err));

done:
    free(parent);
    return status;
}

/* --- events ---------------------------------------------------------------------------------- */

static stoa_status select_events(subset *s, const stoa_subset_filter *filter, stoa_error *err)
{
    const bool is_own = s->options.map_file <= 0;
    const hid_t file = is_own ? s->plan.from : s->options.map_file;
    const char *const own = s->options.by > 0 ? s->options.path : filter->table;
    const stoa_layout_subset *found = NULL;
    stoa_status status = STOA_OK;
    hid_t map = H5I_INVALID_HID;

    for (size_t i = 0; stoa_layouts[i] != NULL && found == NULL; i++) {
        const stoa_layout_subset *const one = stoa_layouts[i]->subset;
        found = one != NULL && one->coincide != NULL ? one : NULL;
    }
    map = stoa_object_open(file, s->options.map);
    if (map < 0 || found == NULL) {
        STOA_TRY(stoa_object_not_found(file, s->options.map, "no such object", NULL, err));
    }
    STOA_TRY(found->coincide(&s->plan, map, is_own, filter->table, own, &s->axes[0],
                             &s->counts.n_rows, &s->counts.of_rows, err));

done:
    status = stoa_layout_error_at(file, s->options.map, status, err);
    return stoa_hdf_close(&map, status, err);
}

static stoa_status plan_rows(subset *s, stoa_error *err)
{
    const stoa_subset_filter *const filter = s->options.filters;
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    if (s->options.n_filters != 1 || filter->table == NULL) {
        return stoa_fail(err, STOA_EINVAL, "rows are selected by one filter, of a table");
    }
    STOA_TRY(stoa_table_open(s->options.by > 0 ? s->options.by : s->plan.from, filter->table,
                             &table, err));
    STOA_TRY(keep_passing(table, filter, s, &s->axes[0], err));
    if (s->options.map != NULL) {
        STOA_TRY(select_events(s, filter, err));
        goto done;
    }
    STOA_TRY(select_path(s, s->options.path != NULL ? s->options.path : filter->table,
                         stoa_layout_of(table), err));

done:
    stoa_table_close(table);
    return status;
}

/* --- all ------------------------------------------------------------------------------------- */

static stoa_status check_filters(const subset *s, stoa_error *err)
{
    if (s->options.n_filters == 0) {
        return stoa_fail(err, STOA_EINVAL, "a subset needs a filter");
    }
    for (size_t i = 0; i < s->options.n_filters; i++) {
        if (s->options.filters[i].where == NULL) {
            return stoa_fail(err, STOA_EINVAL, "filter %zu has no predicate", i + 1);
        }
    }
    return STOA_OK;
}

/* Bytes of a file, for the progress. */
static uint64_t size_of(hid_t object)
{
    hid_t file = H5Iget_file_id(object);
    hsize_t size = 0;

    if (file >= 0 && H5Fget_filesize(file, &size) < 0) {
        size = 0;
    }
    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return size;
}

static stoa_status make_subset(subset *s, hid_t to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    const stoa_layout_subset *const layout = whole_of(s->plan.from);

    STOA_TRY(layout != NULL ? plan_whole(s, layout, err) : plan_rows(s, err));
    STOA_TRY(stoa_sparse_filter_register(err));
    STOA_HDF(err, target = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_subset_write(&s->plan, target, &s->options.listener, size_of(s->plan.from), err));
    if (s->options.map == NULL) {
        s->counts.n_rows = s->axes[0].n_kept;
        s->counts.of_rows = s->axes[0].n;
    }
    s->counts.n_datasets = s->plan.tokens.count;

done:
    return stoa_hdf_close(&target, status, err);
}

stoa_status stoa_subset(hid_t from, hid_t to, const stoa_subset_options *options,
                        stoa_subset_counts *counts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    subset s = {.options = STOA_SUBSET_OPTIONS_INIT,
                .counts = STOA_SUBSET_COUNTS_INIT,
                .plan = {.from = H5I_INVALID_HID}};

    if (counts != NULL) {
        STOA_RETURN_NOT_OK(STOA_SIZED_CHECK(counts, n_datasets, "STOA_SUBSET_COUNTS_INIT", err));
    }
    STOA_TRY(STOA_SIZED_COPY(&s.options, options, threads, "STOA_SUBSET_OPTIONS_INIT", err));
    STOA_TRY(check_filters(&s, err));
    s.plan.inner = stoa_relayout_storage(&s.none);
    STOA_HDF(err, s.plan.from = H5Gopen2(from, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(make_subset(&s, to, err));
    STOA_SIZED_GIVE(&s.counts, counts);

done:
    for (int i = 0; i < STOA_LAYOUT_MAX_AXES; i++) {
        stoa_axis_lines_clear(&s.axes[i]);
    }
    stoa_subset_plan_clear(&s.plan);
    return stoa_hdf_close(&s.plan.from, status, err);
}
