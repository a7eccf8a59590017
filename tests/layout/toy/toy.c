/*
 * A layout of numbers, for tests/cli/test_toy_layout.py: a group that has the attribute "toy", with
 * a dataset of float64 for each column. All that a layout needs to be read, written, listed, helped
 * with and refused is in this file; registry.c lists it in a line.
 */
#include <stdlib.h>
#include <string.h>

#include "column/read/foreign.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/column_datasets.h"
#include "layout/layout.h"

/* --- reading --------------------------------------------------------------------------------- */

typedef struct opening {
    stoa_table *table;
    stoa_status status;
    stoa_error *err;
} opening;

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    H5G_info_t about = {.nlinks = 0};

    (void)err;
    *is_one = type == H5I_GROUP && stoa_attribute_exists(object, "toy");
    if (*is_one) {
        (void)H5Gget_info(object, &about);
        shown->layout = "toy";
        shown->kind = "table";
        shown->n_columns = about.nlinks;
    }
    return STOA_OK;
}

static herr_t add_column(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    opening *const o = context;
    stoa_column *column = NULL;
    const hid_t dataset = stoa_object_open(group, name);

    (void)info;
    o->status = stoa_column_of_dataset(name, dataset, 0, STOA_WHOLE_ROWS, &column, o->err);
    if (o->status == STOA_OK) {
        o->table->n_rows = column->n_rows;
        o->status = stoa_foreign_add(o->table, column, o->err);
    }
    return o->status == STOA_OK ? 0 : -1;
}

static stoa_status open_toy(hid_t group, const char *path, const char *file, stoa_table **table,
                            stoa_error *err)
{
    opening o = {.err = err};

    STOA_RETURN_NOT_OK(stoa_foreign_begin(group, path, file, "toy", 0, &o.table, err));
    const stoa_status status = stoa_links_visit(group, add_column, &o, err);
    *table = o.table;
    return o.status != STOA_OK ? o.status : status;
}

/* --- writing --------------------------------------------------------------------------------- */

enum { MAX_COLUMNS = 16 };

typedef struct writing {
    const stoa_layout_source *source;
    hid_t columns[MAX_COLUMNS];
    int64_t n_columns; /* that are made */
} writing;

static stoa_status put_column(hid_t dataset, const stoa_view *column, uint64_t first,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t *values = stoa_alloc_zero((size_t)column->length, sizeof *values);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_column_dataset_numbers(column, values);
    STOA_TRY(stoa_column_dataset_write(dataset, stoa_column_dataset_native(column->type.kind),
                                       first, (uint64_t)column->length, values, err));

done:
    free(values);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const writing *const w = context;

    for (int64_t i = 0; i < w->n_columns; i++) {
        stoa_view column;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, i, &column, err));
        STOA_RETURN_NOT_OK(put_column(w->columns[i], &column, first, err));
    }
    return STOA_OK;
}

static stoa_status make_columns(writing *w, hid_t group, stoa_error *err)
{
    for (int64_t i = 0; i < w->source->schema->n_children; i++) {
        const struct ArrowSchema *const field = w->source->schema->children[i];
        stoa_type type;
        STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
        if (i == MAX_COLUMNS || stoa_column_dataset_native(type.kind) < 0) {
            return stoa_fail(err, STOA_ETYPE, "column '%s' is none that a toy has", field->name);
        }
        if (w->source->columns[i].n_missing > 0) {
            return stoa_layout_refuse_missing(field->name, w->source->columns[i].n_missing, "toy",
                                              "VALUE|drop", err);
        }
        STOA_RETURN_NOT_OK(stoa_column_dataset_make(
            group, field->name, H5T_IEEE_F64LE, w->source->n_rows, 0, NULL, &w->columns[i], err));
        w->n_columns++;
    }
    return STOA_OK;
}

static stoa_status write_toy(const stoa_layout_source *source, hid_t file, hid_t *object,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    writing w = {.source = source};
    const char *const note = stoa_layout_setting_of(source->options, "toy-note");

    STOA_HDF(err, *object = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(stoa_attribute_write_utf8(*object, "toy", note != NULL ? note : "plain", err));
    STOA_TRY(make_columns(&w, *object, err));
    STOA_TRY(stoa_layout_each_batch(source, put_batch, &w, err));

done:
    for (int64_t i = 0; i < w.n_columns; i++) {
        status = stoa_hdf_close(&w.columns[i], status, err);
    }
    return status == STOA_OK ? STOA_OK : stoa_hdf_close(object, status, err);
}

static bool holds_missing(const struct ArrowSchema *field)
{
    (void)field;
    return false;
}

/* --- the layout ------------------------------------------------------------------------------ */

extern const stoa_layout stoa_layout_toy;
const stoa_layout stoa_layout_toy = {
    .name = "toy",
    .title = "Toys",
    .suffix = ".toy",
    .classes =
        (const stoa_layout_class *const[]){
            &(const stoa_layout_class){.identify = identify, .open = open_toy}, NULL},
    .writer = &(const stoa_layout_writer){.write = write_toy,
                                          .missing = {.holds = holds_missing, .drops = true}},
    .options = (const stoa_layout_option[]){
        {.key = "toy-note", .value = "TEXT", .help = "what the group says of itself"},
        {0}}};
