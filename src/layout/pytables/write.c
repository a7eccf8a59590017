/* Writes tables as PyTables 3.11 and H5TB do (PyTables notes §3, §4, §10). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "column/column.h"
#include "column/type/codec.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/pack.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/row_writer.h"

/* --- the empty dataset ----------------------------------------------------------------------- */

/* Rows per chunk as PyTables chooses them: 64 KiB, doubled for each power of ten of MiB. */
static uint64_t chunk_rows_of(const stoa_layout_source *source, size_t row_size)
{
    const uint64_t n_bytes = source->n_rows * row_size;
    uint64_t chunk_bytes = UINT64_C(64) << 10;

    if (source->options->chunk_rows != 0 && source->options->chunk_rows != STOA_CONTIGUOUS) {
        return source->options->chunk_rows;
    }
    for (uint64_t mib = n_bytes >> 20; mib >= 10 && chunk_bytes < UINT64_C(1) << 20; mib /= 10) {
        chunk_bytes *= 2;
    }
    return chunk_bytes > row_size ? chunk_bytes / row_size : 1;
}

/* Only filters that PyTables or every libhdf5 has. The default is shuffle and deflate, which any
 * program can decode. */
static stoa_status set_codec(hid_t properties, const stoa_layout_source *source, hid_t type,
                             uint64_t chunk_rows, const char *layout, stoa_error *err)
{
    const char *codec = source->options->codec != NULL ? source->options->codec : "deflate";
    const stoa_element element = {
        .class = STOA_ELEMENT_COMPOUND, .mem_type = type, .size = H5Tget_size(type)};

    if (strcmp(codec, "none") != 0 && strcmp(codec, "blosc") != 0 &&
        strncmp(codec, "deflate", 7) != 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "codec '%s': tables of %s take none, deflate[:1-9] or blosc", codec,
                         layout);
    }
    return stoa_codec_apply(properties, codec, &element, chunk_rows, NULL, err);
}

stoa_status stoa_pytables_make_dataset(const stoa_layout_source *source, hid_t file, hid_t type,
                                       const char *layout, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t properties = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    const hsize_t chunk = chunk_rows_of(source, H5Tget_size(type));
    const hsize_t extent = source->n_rows;
    const hsize_t unlimited = H5S_UNLIMITED;

    STOA_HDF(err, properties = H5Pcreate(H5P_DATASET_CREATE), "make creation properties");
    STOA_HDF(err, H5Pset_chunk(properties, 1, &chunk), "set chunks of %llu rows",
             (unsigned long long)chunk);
    STOA_TRY(set_codec(properties, source, type, chunk, layout, err));
    STOA_HDF(err, space = H5Screate_simple(1, &extent, &unlimited), "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(file, type, space, properties, H5P_DEFAULT),
             "make a dataset");

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&properties, status, err);
}

/* --- attributes of PyTables ------------------------------------------------------------------ */

/* The nested column behind arrays, if it is nested for PyTables. Complex numbers are not. */
static const stoa_pack *nested(const stoa_pack *pack)
{
    const stoa_pack *cell = pack;

    while (cell->how == STOA_PACK_ITEMS) {
        cell = &cell->parts[0];
    }
    return cell->how == STOA_PACK_FIELDS && !stoa_pack_is_complex(cell) ? cell : NULL;
}

/* Write the default of a column: zero, in the column's own type (notes §3.2). Multidimensional
 * cells have the default of their items. */
static stoa_status write_fill(hid_t dataset, const stoa_pack *pack, unsigned n, stoa_error *err)
{
    static const uint8_t zeros[64] = {0};
    stoa_status status = STOA_OK;
    char name[32];
    hid_t type = H5I_INVALID_HID;

    (void)snprintf(name, sizeof name, "FIELD_%u_FILL", n);
    if (pack->how == STOA_PACK_ITEMS || pack->how == STOA_PACK_LABEL) {
        return write_fill(dataset, &pack->parts[0], n, err);
    }
    STOA_HDF(err,
             type = pack->how == STOA_PACK_CODE                 ? H5Tget_super(pack->stored)
                    : pack->how == STOA_PACK_SECONDS            ? H5Tcopy(H5T_STD_I32LE)
                    : pack->how == STOA_PACK_SPLIT              ? H5Tcopy(H5T_IEEE_F64LE)
                    : pack->how == STOA_PACK_TEXT               ? H5Tcopy(H5T_C_S1)
                    : pack->type.kind == STOA_KIND_FIXED_BINARY ? H5Tcopy(H5T_STD_U8LE)
                                                                : H5Tcopy(pack->stored),
             "copy a datatype");
    STOA_TRY(stoa_attribute_write_scalar(dataset, name, type, type, zeros, err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* Write the defaults of all leaf columns, breadth first (notes §3.2). `queue` holds the columns
 * whose parts are next. */
static stoa_status write_fills(hid_t dataset, const stoa_pack *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer queue = {0};
    unsigned n = 0;

    STOA_TRY(stoa_buffer_append(&queue, &rows, sizeof(const stoa_pack *), err));
    for (size_t at = 0; at < queue.size / sizeof(const stoa_pack *); at++) {
        const stoa_pack *const pack = ((const stoa_pack **)(void *)queue.data)[at];
        for (size_t i = 0; i < pack->n_parts; i++) {
            const stoa_pack *const inner = nested(&pack->parts[i]);
            if (inner == NULL) {
                STOA_TRY(write_fill(dataset, &pack->parts[i], n++, err));
            } else {
                STOA_TRY(stoa_buffer_append(&queue, &inner, sizeof(const stoa_pack *), err));
            }
        }
    }

done:
    stoa_buffer_clear(&queue);
    return status;
}

stoa_status stoa_pytables_write_names(hid_t object, const struct ArrowSchema *schema,
                                      stoa_text_writer write, stoa_error *err)
{
    char name[32];

    for (int64_t i = 0; i < schema->n_children; i++) {
        (void)snprintf(name, sizeof name, "FIELD_%lld_NAME", (long long)i);
        STOA_RETURN_NOT_OK(write(object, name, schema->children[i]->name, err));
    }
    return STOA_OK;
}

/* Write an attribute of a column: its metadata; the unit of times that are not H5T_TIME; that
 * durations are durations, in HEP001's form. */
static stoa_status write_note(hid_t object, const char *prefix, const struct ArrowSchema *field,
                              const stoa_pack *pack, const char *key, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char name[64];
    char *text = NULL;

    (void)snprintf(name, sizeof name, "%s%s", prefix, key);
    STOA_TRY(stoa_schema_get_text(field, key, &text, err));
    if (text == NULL && field != pack->field) {
        STOA_TRY(stoa_schema_get_text(pack->field, key, &text, err));
    }
    if (strcmp(key, "units") == 0 && stoa_kind_is_time(pack->type.kind) && text == NULL &&
        pack->how == STOA_PACK_BYTES) {
        text = stoa_strdup(stoa_time_units_text(pack->type.unit, pack->type.utc));
        STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    if (pack->type.kind == STOA_KIND_DURATION && strcmp(key, "description") != 0) {
        free(text);
        text = stoa_strdup(strcmp(key, "units") == 0 ? stoa_duration_units_text(pack->type.unit)
                                                     : STOA_COLUMN_DURATION);
        STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    if (text != NULL) {
        STOA_TRY(stoa_pytables_write_text(object, name, text, err));
    }

done:
    free(text);
    return status;
}

stoa_status stoa_pytables_write_notes(hid_t object, const char *prefix,
                                      const struct ArrowSchema *field, const stoa_pack *pack,
                                      stoa_error *err)
{
    static const char *const keys[] = {"units", "description", STOA_COLUMN_ARROW_TYPE};

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        STOA_RETURN_NOT_OK(write_note(object, prefix, field, pack, keys[k], err));
    }
    return STOA_OK;
}

static stoa_status write_notes(hid_t dataset, const stoa_pack *rows, stoa_error *err)
{
    char prefix[48];

    for (size_t i = 0; i < rows->n_parts; i++) {
        const stoa_pack *const part = &rows->parts[i];
        (void)snprintf(prefix, sizeof prefix, "FIELD_%zu_ATTR_", i);
        STOA_RETURN_NOT_OK(stoa_pytables_write_notes(dataset, prefix, part->field, part, err));
    }
    return STOA_OK;
}

static stoa_status describe_pytables(const stoa_layout_source *source, const stoa_pack *rows,
                                     hid_t dataset, stoa_error *err)
{
    const char *title = source->title != NULL ? source->title : "";
    const int64_t n_rows = (int64_t)source->n_rows;

    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "CLASS", "TABLE", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "VERSION", "2.7", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "TITLE", title, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_write_names(dataset, source->schema, stoa_pytables_write_text, err));
    STOA_RETURN_NOT_OK(write_fills(dataset, rows, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "FLAVOR", "numpy", err));
    STOA_RETURN_NOT_OK(write_notes(dataset, rows, err));
    return stoa_attribute_write_scalar(dataset, "NROWS", H5T_STD_I64LE, H5T_NATIVE_INT64, &n_rows,
                                       err);
}

/* As H5TBmake_table() does: ASCII with a terminator, no NROWS, and no defaults if there is no fill
 * record. */
static stoa_status describe_h5tb(const stoa_layout_source *source, const stoa_pack *rows,
                                 hid_t dataset, stoa_error *err)
{
    const char *title = source->title != NULL ? source->title : "";

    STOA_RETURN_NOT_OK(stoa_attribute_write_ascii(dataset, "CLASS", "TABLE", err));
    STOA_RETURN_NOT_OK(stoa_attribute_write_ascii(dataset, "VERSION", "3.0", err));
    STOA_RETURN_NOT_OK(stoa_attribute_write_ascii(dataset, "TITLE", title, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_write_names(dataset, source->schema, stoa_attribute_write_ascii, err));
    return write_notes(dataset, rows, err);
}

/* --- the writers ----------------------------------------------------------------------------- */

typedef stoa_status (*describer)(const stoa_layout_source *source, const stoa_pack *rows,
                                 hid_t dataset, stoa_error *err);

/* Make the table without rows. The caller closes the dataset and clears the pack. */
static stoa_status begin_table(const stoa_layout_source *source, const stoa_pack_rules *rules,
                               describer describe, hid_t file, stoa_pack *rows, hid_t *dataset,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pack_make(source->schema, source->columns, rules, rows, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_make_dataset(source, file, rows->stored, rules->layout, dataset, err));
    return describe(source, rows, *dataset, err);
}

static stoa_status write_table(const stoa_layout_source *source, const stoa_pack_rules *rules,
                               describer describe, hid_t file, hid_t *object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pack rows = {.stored = H5I_INVALID_HID};
    hid_t dataset = H5I_INVALID_HID;

    *object = H5I_INVALID_HID;
    STOA_TRY(begin_table(source, rules, describe, file, &rows, &dataset, err));
    STOA_TRY(stoa_pytables_put_rows(source, &rows, dataset, rows.stored, 0, err));
    *object = dataset;
    dataset = H5I_INVALID_HID;

done:
    stoa_pack_clear(&rows);
    return stoa_hdf_close(&dataset, status, err);
}

const stoa_pack_rules stoa_pytables_rules = {"pytables", true, 0, 0};

stoa_status stoa_pytables_begin(const stoa_layout_source *source, hid_t file, stoa_pack *rows,
                                hid_t *dataset, stoa_error *err)
{
    return begin_table(source, &stoa_pytables_rules, describe_pytables, file, rows, dataset, err);
}

stoa_status stoa_pytables_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                stoa_error *err)
{
    return write_table(source, &stoa_pytables_rules, describe_pytables, file, object, err);
}

/* H5TB is read by C programs. So strings end with a NUL, and H5T_TIME is not used, since it has no
 * memory type. */
stoa_status stoa_h5tb_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                            stoa_error *err)
{
    static const stoa_pack_rules rules = {"h5tb", false, 1, 0};

    return write_table(source, &rules, describe_h5tb, file, object, err);
}
