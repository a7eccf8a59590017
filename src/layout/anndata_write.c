/*
 * Frames of AnnData, dataframe 0.2.0 (PyTables notes §11): a group with a dataset, or a group of
 * two, for each column, each with the two attributes that say how it is encoded.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "layout/lines.h"
#include "layout/writer.h"

/* A column under way. */
typedef struct putting {
    const struct ArrowSchema *field;
    const stoa_facts *facts;
    stoa_type type;
    bool is_index;
    bool is_labelled; /* its categories are written */
    hid_t values;     /* or codes */
    hid_t mask;       /* of a nullable column */
} putting;

typedef struct frame {
    const stoa_layout_source *source;
    hid_t group;
    hid_t text;    /* variable-length UTF-8 */
    hid_t boolean; /* an enumeration of FALSE and TRUE */
    putting *columns;
    size_t n_columns;
} frame;

/* --- attributes ------------------------------------------------------------------------------ */

static stoa_status say_text(const frame *f, hid_t object, const char *name, const char *value,
                            stoa_error *err)
{
    return stoa_attribute_write_scalar(object, name, f->text, f->text, &value, err);
}

static stoa_status say_encoding(const frame *f, hid_t object, const char *type, const char *version,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(say_text(f, object, "encoding-type", type, err));
    STOA_TRY(say_text(f, object, "encoding-version", version, err));

done:
    return status;
}

/* column-order; of no columns an empty array of numbers, which is what AnnData writes. */
static stoa_status say_order(const frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(f->n_columns, sizeof *names);
    hsize_t n = 0;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < f->n_columns; i++) {
        if (!f->columns[i].is_index) {
            names[n++] = f->columns[i].field->name;
        }
    }
    STOA_HDF(err, space = H5Screate_simple(1, &n, NULL), "make a dataspace");
    STOA_HDF(err,
             attribute = H5Acreate2(f->group, "column-order", n > 0 ? f->text : H5T_IEEE_F64LE,
                                    space, H5P_DEFAULT, H5P_DEFAULT),
             "create attribute 'column-order'");
    if (n > 0) {
        STOA_HDF(err, H5Awrite(attribute, f->text, names), "write attribute 'column-order'");
    }

done:
    free(names);
    status = stoa_hdf_close(&attribute, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* --- datasets -------------------------------------------------------------------------------- */

static stoa_status make_array(const frame *f, hid_t group, const char *name, hid_t type,
                              uint64_t n_rows, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    /* Filters do nothing for texts, of which a dataset holds references alone. */
    const char *codec = type != f->text ? f->source->options->codec : NULL;

    STOA_TRY(stoa_line_make(group, name, type, n_rows, 0, codec, dataset, err));
    STOA_TRY(say_encoding(f, *dataset, type == f->text ? "string-array" : "array", "0.2.0", err));

done:
    return status;
}

/* What a column's elements are stored as; the caller's. */
static stoa_status value_type(const frame *f, stoa_kind kind, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
        return stoa_line_stored(kind, type, err);
    }
    STOA_HDF(err, *type = H5Tcopy(kind == STOA_KIND_BOOL ? f->boolean : f->text),
             "make a datatype");

done:
    return status;
}

static bool is_nullable(const putting *column)
{
    return column->facts->n_missing > 0 && !stoa_kind_is_float(column->type.kind) &&
           column->type.kind != STOA_KIND_DICTIONARY;
}

static stoa_status make_nullable(const frame *f, putting *column, hid_t group, hid_t type,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_text = stoa_kind_is_string(column->type.kind);
    const char *encoding = is_text                               ? "nullable-string-array"
                           : column->type.kind == STOA_KIND_BOOL ? "nullable-boolean"
                                                                 : "nullable-integer";

    STOA_TRY(say_encoding(f, group, encoding, "0.1.0", err));
    if (is_text) {
        STOA_TRY(say_text(f, group, "na-value", "NA", err));
    }
    STOA_TRY(make_array(f, group, "values", is_text ? f->text : type, f->source->n_rows,
                        &column->values, err));
    STOA_TRY(make_array(f, group, "mask", f->boolean, f->source->n_rows, &column->mask, err));

done:
    return status;
}

static stoa_status make_categorical(const frame *f, putting *column, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool ordered = (column->field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    hid_t codes = H5I_INVALID_HID;

    STOA_TRY(say_encoding(f, group, "categorical", "0.2.0", err));
    STOA_TRY(stoa_attribute_write_bool(group, "ordered", ordered, err));
    STOA_TRY(stoa_line_stored(STOA_KIND_INT32, &codes, err));
    STOA_TRY(make_array(f, group, "codes", codes, f->source->n_rows, &column->values, err));

done:
    return stoa_hdf_close(&codes, status, err);
}

static stoa_status make_column(const frame *f, putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_coded = column->type.kind == STOA_KIND_DICTIONARY && !column->is_index;
    const stoa_kind kind = column->type.kind;
    hid_t type = H5I_INVALID_HID;
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(value_type(f, kind, &type, err));
    if (!is_coded && !is_nullable(column)) {
        const bool is_text = stoa_kind_is_string(kind) || kind == STOA_KIND_DICTIONARY;
        STOA_TRY(make_array(f, f->group, column->field->name, is_text ? f->text : type,
                            f->source->n_rows, &column->values, err));
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

/* --- which columns --------------------------------------------------------------------------- */

static stoa_status check_type(const putting *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_kind kind = column->type.kind;
    const bool is_text = stoa_kind_is_string(kind) || kind == STOA_KIND_DICTIONARY;
    const char *const name = column->field->name;
    char text[64];

    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0) {
        STOA_FAIL(err, STOA_ETYPE, "AnnData knows no column called '%s'; rename it", name);
    }
    if (!is_text && !stoa_kind_is_integer(kind) && !stoa_kind_is_float(kind) &&
        kind != STOA_KIND_BOOL) {
        STOA_FAIL(err, STOA_ETYPE,
                  "column '%s' is of type %s, which a frame of AnnData cannot hold; "
                  "leave it out, or make it a number or text",
                  name, stoa_type_name(&column->type, text));
    }
    if (is_text && column->facts->domain.has_nul) {
        STOA_FAIL(err, STOA_ELOSS, "column '%s' has a text with a NUL in it, which AnnData cuts",
                  name);
    }
    if (column->is_index && column->facts->n_missing > 0) {
        STOA_TRY(stoa_layout_refuse_missing(name, column->facts->n_missing,
                                            "the row labels of AnnData", err));
    }

done:
    return status;
}

static stoa_status plan(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = f->source;
    const size_t n = (size_t)source->schema->n_children;

    f->columns = stoa_alloc_zero(n, sizeof *f->columns);
    STOA_TRY(f->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    if (source->n_index_columns > 1) {
        STOA_FAIL(err, STOA_ETYPE, "%zu columns label the rows; in AnnData it is one",
                  source->n_index_columns);
    }
    for (size_t i = 0; i < n; i++) {
        putting *const column = &f->columns[f->n_columns++];
        *column =
            (putting){.field = source->schema->children[i],
                      .facts = &source->columns[i],
                      .is_index = source->n_index_columns > 0 && source->index_columns[0] == i,
                      .values = H5I_INVALID_HID,
                      .mask = H5I_INVALID_HID};
        STOA_TRY(stoa_type_of(column->field, &column->type, err));
        STOA_TRY(check_type(column, err));
    }

done:
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status put_texts(const frame *f, hid_t dataset, const stoa_view *view, uint64_t first,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer texts = {0};
    char **pointers = NULL;

    STOA_TRY(stoa_line_texts(view, &texts, &pointers, err));
    STOA_TRY(stoa_line_write(dataset, f->text, first, (uint64_t)view->length, pointers, err));

done:
    free(pointers);
    stoa_buffer_clear(&texts);
    return status;
}

static stoa_status put_plain(const frame *f, hid_t dataset, const stoa_view *view, uint64_t first,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_bool = view->type.kind == STOA_KIND_BOOL;
    void *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));
    hid_t float16 = H5I_INVALID_HID;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    if (is_bool) {
        stoa_line_bools(view, values);
    } else {
        stoa_line_numbers(view, values);
    }
    if (view->type.kind == STOA_KIND_FLOAT16) {
        STOA_TRY(stoa_line_stored(STOA_KIND_FLOAT16, &float16, err));
    }
    STOA_TRY(stoa_line_write(dataset,
                             is_bool        ? f->boolean
                             : float16 >= 0 ? float16
                                            : stoa_line_native(view->type.kind),
                             first, (uint64_t)view->length, values, err));

done:
    free(values);
    return stoa_hdf_close(&float16, status, err);
}

static stoa_status put_values(const frame *f, hid_t dataset, const stoa_view *view, uint64_t first,
                              stoa_error *err)
{
    return stoa_kind_is_string(view->type.kind) || view->type.kind == STOA_KIND_DICTIONARY
               ? put_texts(f, dataset, view, first, err)
               : put_plain(f, dataset, view, first, err);
}

/* The categories, which every batch has. */
static stoa_status put_labels(const frame *f, putting *column, const stoa_view *labels,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;

    column->is_labelled = true;
    STOA_HDF(err, group = H5Gopen2(f->group, column->field->name, H5P_DEFAULT), "open a group");
    STOA_TRY(value_type(f, labels->type.kind, &type, err));
    STOA_TRY(make_array(f, group, "categories",
                        stoa_kind_is_string(labels->type.kind) ? f->text : type,
                        (uint64_t)labels->length, &dataset, err));
    STOA_TRY(put_values(f, dataset, labels, 0, err));

done:
    status = stoa_hdf_close(&dataset, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&group, status, err);
}

static stoa_status put_codes(const frame *f, putting *column, const stoa_view *view, uint64_t first,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels;
    int32_t *codes = stoa_alloc((size_t)view->length, sizeof *codes);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_dictionary(view, &labels, err));
    if (!column->is_labelled) {
        STOA_TRY(put_labels(f, column, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        const int64_t code = stoa_view_is_null(view, i) ? -1 : stoa_view_i64(view, i);
        codes[i] = code >= 0 && stoa_view_is_null(&labels, code) ? -1 : (int32_t)code;
    }
    STOA_TRY(stoa_line_write(column->values, H5T_NATIVE_INT32, first, (uint64_t)view->length, codes,
                             err));

done:
    free(codes);
    return status;
}

static stoa_status put_mask(const frame *f, const putting *column, const stoa_view *view,
                            uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *mask = stoa_alloc((size_t)view->length, 1);

    STOA_TRY(mask != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_line_mask(view, mask);
    STOA_TRY(stoa_line_write(column->mask, f->boolean, first, (uint64_t)view->length, mask, err));

done:
    free(mask);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const frame *const f = context;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < f->n_columns; i++) {
        putting *const column = &f->columns[i];
        stoa_view view;
        STOA_TRY(stoa_view_child(rows, (int64_t)i, &view, err));
        STOA_TRY(view.type.kind == STOA_KIND_DICTIONARY && !column->is_index
                     ? put_codes(f, column, &view, first, err)
                     : put_values(f, column->values, &view, first, err));
        if (column->mask >= 0) {
            STOA_TRY(put_mask(f, column, &view, first, err));
        }
    }

done:
    return status;
}

/* Where no batch came: categoricals of no categories. */
static stoa_status put_no_labels(const frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_view none = {.type = {.kind = STOA_KIND_STRING}};

    for (size_t i = 0; i < f->n_columns; i++) {
        putting *const column = &f->columns[i];
        if (column->type.kind == STOA_KIND_DICTIONARY && !column->is_index &&
            !column->is_labelled) {
            STOA_TRY(put_labels(f, column, &none, err));
        }
    }

done:
    return status;
}

static stoa_status put_rows(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_layout_each_batch(f->source, put_batch, f, err));
    STOA_TRY(put_no_labels(f, err));

done:
    return status;
}

/* Rows without labels are called "0", "1" ..., as AnnData calls them. */
static stoa_status number_rows(const frame *f, stoa_error *err)
{
    enum { AT_ONCE = 4096 };
    stoa_status status = STOA_OK;
    const uint64_t n = f->source->n_rows;
    char(*texts)[STOA_NUMBER_SIZE] = stoa_alloc(AT_ONCE, sizeof *texts);
    char **pointers = stoa_alloc(AT_ONCE, sizeof *pointers);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(texts != NULL && pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(make_array(f, f->group, "_index", f->text, n, &dataset, err));
    for (uint64_t i = 0; i < n; i += AT_ONCE) {
        const uint64_t now = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (uint64_t k = 0; k < now; k++) {
            (void)stoa_format_u64(i + k, texts[k]);
            pointers[k] = texts[k];
        }
        STOA_TRY(stoa_line_write(dataset, f->text, i, now, pointers, err));
    }

done:
    free(pointers);
    free(texts);
    return stoa_hdf_close(&dataset, status, err);
}

/* --- all of it ------------------------------------------------------------------------------- */

static stoa_status make_types(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_HDF(err, f->text = H5Tcopy(H5T_C_S1), "make a datatype");
    STOA_HDF(err, H5Tset_size(f->text, H5T_VARIABLE), "make a datatype");
    STOA_HDF(err, H5Tset_cset(f->text, H5T_CSET_UTF8), "make a datatype");
    STOA_HDF(err, f->boolean = H5Tenum_create(H5T_STD_I8LE), "make a datatype");
    STOA_HDF(err, H5Tenum_insert(f->boolean, "FALSE", &(int8_t){0}), "make a datatype");
    STOA_HDF(err, H5Tenum_insert(f->boolean, "TRUE", &(int8_t){1}), "make a datatype");

done:
    return status;
}

static stoa_status fill_group(frame *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = f->source;
    const bool has_index = source->n_index_columns > 0;
    const char *index =
        has_index ? source->schema->children[source->index_columns[0]]->name : "_index";

    for (size_t i = 0; i < f->n_columns; i++) {
        if (!has_index && strcmp(f->columns[i].field->name, index) == 0) {
            STOA_FAIL(err, STOA_ETYPE,
                      "column '_index' has a name that AnnData keeps for the row "
                      "labels; rename it");
        }
        STOA_TRY(make_column(f, &f->columns[i], err));
    }
    if (!has_index) {
        STOA_TRY(number_rows(f, err));
    }
    STOA_TRY(put_rows(f, err));
    STOA_TRY(say_text(f, f->group, "_index", index, err));
    STOA_TRY(say_order(f, err));
    STOA_TRY(say_encoding(f, f->group, "dataframe", "0.2.0", err));

done:
    return status;
}

static stoa_status write_frame(const stoa_layout_source *source, hid_t file, hid_t *object,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    frame f = {.source = source,
               .group = H5I_INVALID_HID,
               .text = H5I_INVALID_HID,
               .boolean = H5I_INVALID_HID};

    *object = H5I_INVALID_HID;
    STOA_TRY(plan(&f, err));
    STOA_TRY(make_types(&f, err));
    STOA_HDF(err, f.group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(fill_group(&f, err));

done:
    for (size_t i = 0; f.columns != NULL && i < f.n_columns; i++) {
        status = stoa_hdf_close(&f.columns[i].values, status, err);
        status = stoa_hdf_close(&f.columns[i].mask, status, err);
    }
    free(f.columns);
    status = stoa_hdf_close(&f.boolean, status, err);
    status = stoa_hdf_close(&f.text, status, err);
    if (status != STOA_OK) {
        return stoa_hdf_close(&f.group, status, err);
    }
    *object = f.group;
    return status;
}

/* Nullable columns do, of every type that a frame has. */
static bool holds_missing(const struct ArrowSchema *field)
{
    (void)field;
    return true;
}

const stoa_layout_writer stoa_layout_write_anndata = {"anndata", write_frame, NULL, holds_missing,
                                                      NULL};
