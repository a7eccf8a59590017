/* Writes frames of AnnData, dataframe 0.2.0 (PyTables notes §11). A frame is a group with a
 * dataset, or a group of two datasets, for each column. Each has the two encoding attributes. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/frame.h"
#include "layout/common/column_datasets.h"
#include "table/write/target.h"

/* --- attributes ------------------------------------------------------------------------------ */

/* Write column-order. Without columns, AnnData writes an empty array of numbers. */
static stoa_status write_order(const stoa_frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(f->n_columns, sizeof *names);
    hsize_t n = 0;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < f->n_columns; i++) {
        if (!f->columns[i].is_index && f->columns[i].lists == NULL) {
            names[n++] = f->columns[i].field->name;
        }
    }
    STOA_HDF(err, space = H5Screate_simple(1, &n, NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(f->group, "column-order", n > 0 ? f->text : H5T_IEEE_F64LE, space,
                                 &attribute, err));
    if (n > 0) {
        STOA_HDF(err, H5Awrite(attribute, f->text, names), "write attribute 'column-order'");
    }

done:
    free(names);
    status = stoa_hdf_close(&attribute, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status write_frame_attributes(const stoa_frame *f, const char *index, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_anndata_write_text(f->group, "_index", index, err));
    STOA_RETURN_NOT_OK(write_order(f, err));
    return stoa_anndata_encode(f->group, "dataframe", "0.2.0", err);
}

/* --- columns --------------------------------------------------------------------------------- */

static bool is_nullable(const stoa_frame_column *column)
{
    return (column->stats->n_missing > 0 || (column->was_nullable && !column->is_index)) &&
           !stoa_kind_is_float(column->type.kind) && column->type.kind != STOA_KIND_DICTIONARY;
}

static stoa_status make_nullable(const stoa_frame *f, stoa_frame_column *column, hid_t group,
                                 hid_t type, stoa_error *err)
{
    const bool is_text = stoa_kind_is_string(column->type.kind);
    const char *encoding = is_text                               ? "nullable-string-array"
                           : column->type.kind == STOA_KIND_BOOL ? "nullable-boolean"
                                                                 : "nullable-integer";

    STOA_RETURN_NOT_OK(stoa_anndata_encode(group, encoding, "0.1.0", err));
    if (is_text) {
        STOA_RETURN_NOT_OK(stoa_anndata_write_text(
            group, "na-value", column->na_value != NULL ? column->na_value : "NA", err));
    }
    STOA_RETURN_NOT_OK(stoa_frame_array(f, group, "values", is_text ? f->text : type,
                                        f->source->n_rows, &column->values, err));
    return stoa_frame_array(f, group, "mask", f->truth, f->source->n_rows, &column->mask, err);
}

static stoa_status make_categorical(const stoa_frame *f, stoa_frame_column *column, hid_t group,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool ordered = (column->field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    hid_t codes = H5I_INVALID_HID;

    STOA_TRY(stoa_anndata_encode(group, "categorical", "0.2.0", err));
    STOA_TRY(stoa_attribute_write_bool(group, "ordered", ordered, err));
    STOA_TRY(stoa_column_dataset_stored(STOA_KIND_INT32, &codes, err));
    STOA_TRY(stoa_frame_array(f, group, "codes", codes, f->source->n_rows, &column->values, err));

done:
    return stoa_hdf_close(&codes, status, err);
}

static stoa_status make_column(const stoa_frame *f, stoa_frame_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_coded = column->type.kind == STOA_KIND_DICTIONARY && !column->is_index;
    const stoa_kind kind = column->type.kind;
    hid_t type = H5I_INVALID_HID;
    hid_t group = H5I_INVALID_HID;

    if (stoa_kind_is_list(kind)) {
        return stoa_awkward_writer_open(f->file, column->field, column->stats,
                                        f->source->options->codec, &column->lists, err);
    }
    STOA_TRY(stoa_frame_type(f, kind, &type, err));
    if (!is_coded && !is_nullable(column)) {
        STOA_TRY(stoa_frame_array(f, f->group, column->field->name,
                                  stoa_frame_is_text(f, column) ? f->text : type, f->source->n_rows,
                                  &column->values, err));
        goto done;
    }
    STOA_HDF(err,
             group =
                 H5Gcreate2(f->group, column->field->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             "make a group");
    STOA_TRY(is_coded ? make_categorical(f, column, group, err)
                      : make_nullable(f, column, group, type, err));

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* --- choosing columns ------------------------------------------------------------------------ */

/* Lists go beside the frame, where nothing of that name may be. */
static stoa_status check_lists(const stoa_frame *f, const stoa_frame_column *column,
                               stoa_error *err)
{
    const char *const name = column->field->name;
    char text[64];

    if (f->beside == NULL) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is of type %s, which a frame of AnnData cannot hold; its "
                         "lists have a place beside /obs and /var only",
                         name, stoa_type_name(&column->type, text));
    }
    if (column->is_index) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has lists, which label no rows in AnnData",
                         name);
    }
    char *const path = stoa_format("%s/%s", f->beside, name);
    STOA_RETURN_NO_MEMORY(err, path);
    const bool is_taken = stoa_object_exists(f->file, path) && !f->source->options->replace;
    stoa_status status = stoa_table_check_above(f->file, path, err);
    status = status != STOA_OK ? status
             : is_taken
                 ? stoa_fail(err, STOA_EEXISTS,
                             "column '%s' has lists for '%s', which is there already; rename the "
                             "column",
                             name, path)
                 : STOA_OK;
    free(path);
    return status;
}

static stoa_status check_type(const stoa_frame *f, const stoa_frame_column *column, stoa_error *err)
{
    const stoa_kind kind = column->type.kind;
    const bool is_text = stoa_kind_is_string(kind) || kind == STOA_KIND_DICTIONARY;
    const char *const name = column->field->name;
    char text[64];

    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0) {
        return stoa_fail(err, STOA_ETYPE, "AnnData knows no column called '%s'; rename it", name);
    }
    if (stoa_kind_is_list(kind)) {
        return check_lists(f, column, err);
    }
    if (!is_text && !stoa_kind_is_integer(kind) && !stoa_kind_is_float(kind) &&
        kind != STOA_KIND_BOOL) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is of type %s, which a frame of AnnData cannot hold; "
                         "leave it out, or make it a number or text",
                         name, stoa_type_name(&column->type, text));
    }
    if (is_text && column->stats->domain.has_nul) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has a text with a NUL in it, which AnnData cuts", name);
    }
    if (column->is_index && column->stats->n_missing > 0) {
        return stoa_layout_refuse_missing(name, column->stats->n_missing,
                                          "the row labels of AnnData", "VALUE", err);
    }
    return STOA_OK;
}

static stoa_status plan(stoa_frame *f, stoa_error *err)
{
    const stoa_layout_source *const source = f->source;
    const size_t n = (size_t)source->schema->n_children;

    f->columns = stoa_alloc_zero(n, sizeof *f->columns);
    STOA_RETURN_NO_MEMORY(err, f->columns);
    if (source->n_index_columns > 1) {
        return stoa_fail(err, STOA_ETYPE, "%zu columns label the rows; in AnnData it is one",
                         source->n_index_columns);
    }
    for (size_t i = 0; i < n; i++) {
        stoa_frame_column *const column = &f->columns[f->n_columns++];
        *column = (stoa_frame_column){.field = source->schema->children[i],
                                      .stats = &source->columns[i],
                                      .is_index = source->n_index_columns > 0 &&
                                                  source->index_columns[0] == i,
                                      .values = H5I_INVALID_HID,
                                      .mask = H5I_INVALID_HID};
        column->was_nullable =
            stoa_anndata_was_nullable(source->table, column->field->name, &column->na_value);
        column->categories = stoa_anndata_categories_kind(source->table, column->field->name);
        STOA_RETURN_NOT_OK(stoa_type_of(column->field, &column->type, err));
        STOA_RETURN_NOT_OK(check_type(f, column, err));
    }
    return STOA_OK;
}

/* --- writing --------------------------------------------------------------------------------- */

/* The group beside an axis that has arrays of its rows; NULL if there is none. */
static const char *beside(const char *path)
{
    static const char *const places[][2] = {
        {"obs", "/obsm"}, {"var", "/varm"}, {"raw/var", "/raw/varm"}};

    for (size_t i = 0; path != NULL && i < sizeof places / sizeof *places; i++) {
        if (strcmp(path + strspn(path, "/"), places[i][0]) == 0) {
            return places[i][1];
        }
    }
    return NULL;
}

static stoa_status link_lists(const stoa_frame *f, const stoa_frame_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const path = stoa_format("%s/%s", f->beside, column->field->name);
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_awkward_writer_finish(column->lists, err));
    STOA_TRY(stoa_table_link(stoa_awkward_writer_group(column->lists), f->file, path, err));
    STOA_HDF(err, group = stoa_open_here(f->file, f->beside), "open '%s'", f->beside);
    STOA_TRY(stoa_anndata_encode_plain(group, err));

done:
    free(path);
    return stoa_hdf_close(&group, status, err);
}

/* Name the lists when all else is written, so that a failure leaves none of them. */
static stoa_status link_all_lists(const stoa_frame *f, stoa_error *err)
{
    for (size_t i = 0; i < f->n_columns; i++) {
        STOA_RETURN_NOT_OK(f->columns[i].lists != NULL ? link_lists(f, &f->columns[i], err)
                                                       : STOA_OK);
    }
    return STOA_OK;
}

static stoa_status fill_group(stoa_frame *f, stoa_error *err)
{
    const stoa_layout_source *const source = f->source;
    const bool has_index = source->n_index_columns > 0;
    const char *index =
        has_index ? source->schema->children[source->index_columns[0]]->name : "_index";

    for (size_t i = 0; i < f->n_columns; i++) {
        if (!has_index && strcmp(f->columns[i].field->name, index) == 0) {
            return stoa_fail(err, STOA_ETYPE,
                             "column '_index' has a name that AnnData keeps for the row "
                             "labels; rename it");
        }
        STOA_RETURN_NOT_OK(make_column(f, &f->columns[i], err));
    }
    if (!has_index && !f->is_unlabelled) {
        STOA_RETURN_NOT_OK(stoa_frame_number_rows(f, source->n_rows, err));
    }
    STOA_RETURN_NOT_OK(stoa_frame_put(f, err));
    STOA_RETURN_NOT_OK(write_frame_attributes(f, index, err));
    return link_all_lists(f, err);
}

static stoa_status begin(stoa_frame *f, hid_t file, stoa_error *err)
{
    f->group = f->text = f->truth = H5I_INVALID_HID;
    STOA_RETURN_NOT_OK(stoa_anndata_text_type(&f->text, err));
    STOA_RETURN_NOT_OK(stoa_boolean_type(&f->truth, err));
    STOA_RETURN_HDF_ERROR(err, f->group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT),
                          "make a group");
    return STOA_OK;
}

/* Release the frame. The caller owns its group, unless something has failed. */
static stoa_status end(stoa_frame *f, stoa_status status, hid_t *group, stoa_error *err)
{
    for (size_t i = 0; i < f->n_columns; i++) {
        status = stoa_hdf_close(&f->columns[i].values, status, err);
        status = stoa_hdf_close(&f->columns[i].mask, status, err);
        stoa_awkward_writer_close(f->columns[i].lists);
        free(f->columns[i].na_value);
    }
    free(f->columns);
    status = stoa_hdf_close(&f->truth, status, err);
    status = stoa_hdf_close(&f->text, status, err);
    if (status != STOA_OK) {
        return stoa_hdf_close(&f->group, status, err);
    }
    *group = f->group;
    return status;
}

static stoa_status write_any(stoa_frame *f, const stoa_layout_source *source, hid_t file,
                             hid_t *object, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *object = H5I_INVALID_HID;
    f->source = source;
    f->file = file;
    f->beside = beside(source->path);
    STOA_TRY(begin(f, file, err));
    STOA_TRY(plan(f, err));
    STOA_TRY(fill_group(f, err));

done:
    return end(f, status, object, err);
}

static stoa_status write_frame(const stoa_layout_source *source, hid_t file, hid_t *object,
                               stoa_error *err)
{
    return write_any(&(stoa_frame){.is_axis = false}, source, file, object, err);
}

static stoa_status write_axis(const stoa_layout_source *source, hid_t file, hid_t *object,
                              stoa_error *err)
{
    return write_any(&(stoa_frame){.is_axis = true}, source, file, object, err);
}

static stoa_status write_columns(const stoa_layout_source *source, hid_t file, hid_t *object,
                                 stoa_error *err)
{
    return write_any(&(stoa_frame){.is_unlabelled = true}, source, file, object, err);
}

/* A frame without columns. */
static stoa_status write_empty(hid_t loc, const char *path, bool has_labels, uint64_t n,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const stoa_layout_source source = {.options = &options};
    stoa_frame f = {.source = &source};
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(begin(&f, loc, err));
    STOA_TRY(has_labels ? stoa_frame_number_rows(&f, n, err) : STOA_OK);
    STOA_TRY(write_frame_attributes(&f, "_index", err));

done:
    status = end(&f, status, &group, err);
    if (status == STOA_OK) {
        status = stoa_table_link(group, loc, path, err);
    }
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_anndata_write_labels(hid_t loc, const char *path, uint64_t n, stoa_error *err)
{
    return write_empty(loc, path, true, n, err);
}

stoa_status stoa_anndata_write_unlabelled(hid_t loc, const char *path, stoa_error *err)
{
    return write_empty(loc, path, false, 0, err);
}

/* Columns of every type can be nullable. */
static bool holds_missing(const struct ArrowSchema *field)
{
    (void)field;
    return true;
}

const stoa_layout_writer stoa_anndata_writer = {.write = write_frame,
                                                .missing.holds = holds_missing,
                                                .plain = stoa_categories_times};
const stoa_layout_writer stoa_anndata_axis_writer = {.write = write_axis,
                                                     .missing.holds = holds_missing};
const stoa_layout_writer stoa_anndata_unlabelled_writer = {.write = write_columns,
                                                           .missing.holds = holds_missing,
                                                           .plain = stoa_categories_times};
