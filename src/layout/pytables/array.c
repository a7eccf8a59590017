/*
 * PyTables' Array, CArray, EArray and VLArray as a table of one column. Its rows go along the first
 * dimension (PyTables format, "Array" ... "VLArray"; PyTables notes §6).
 *
 * Multidimensional rows are fixed-size lists. Rows of a VLArray are lists, strings (vlunicode) or
 * bytes. Those of vlstring need not be text, and pickled objects remain bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/pytables/rows.h"
#include "layout/pytables/vlarray.h"

/* --- recognising arrays ---------------------------------------------------------------------- */

static stoa_status find_array(hid_t dataset, bool *is_array, stoa_error *err)
{
    static const char *const classes[] = {"ARRAY", "CARRAY", "EARRAY", "VLARRAY", NULL};
    stoa_status status = STOA_OK;
    char *class = NULL;

    *is_array = false;
    STOA_TRY(stoa_attribute_read_optional(dataset, "CLASS", &class, err));
    *is_array = class != NULL && stoa_is_listed(class, classes);

done:
    free(class);
    return status;
}

static stoa_status count_rows(hid_t dataset, uint64_t *n_rows, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, extent, err));
    *n_rows = rank < 0 ? 0 : rank == 0 ? 1 : extent[0];
    return STOA_OK;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    *is_one = false;
    if (type == H5I_DATASET) {
        STOA_RETURN_NOT_OK(find_array(object, is_one, err));
    }
    if (!*is_one) {
        return STOA_OK;
    }
    shown->layout = "pytables";
    shown->kind = "array";
    shown->n_columns = 1;
    shown->n_bytes = H5Dget_storage_size(object);
    return count_rows(object, &shown->n_rows, err);
}

/* --- strings of VLArrays --------------------------------------------------------------------- */

/* A column of lists of bytes or code points that is shown as bytes or strings. */
typedef struct listed {
    stoa_column *lists;
    bool is_unicode; /* code points, shown as strings; otherwise bytes */
} listed;

/* Encode `count` lists of code points as UTF-8. */
static stoa_status encode_points(const stoa_view *lists, const stoa_view *points, int64_t count,
                                 stoa_buffer *text, int32_t *offsets, stoa_error *err)
{
    const int32_t *const starts = (const int32_t *)lists->offsets + lists->offset;

    for (int64_t i = 0; i < count; i++) {
        for (int32_t k = starts[i]; k < starts[i + 1]; k++) {
            char utf8[4];
            const uint32_t point = (uint32_t)stoa_view_i64(points, k);
            STOA_RETURN_NOT_OK(stoa_buffer_append(text, utf8, stoa_utf8_put(point, utf8), err));
        }
        if (text->size > INT32_MAX) {
            return stoa_fail(err, STOA_ERANGE, "texts are over 2 GiB; read fewer rows at once");
        }
        offsets[i + 1] = (int32_t)text->size;
    }
    return STOA_OK;
}

static stoa_status copy_bytes(const stoa_view *lists, const stoa_view *bytes, int64_t count,
                              stoa_buffer *text, int32_t *offsets, stoa_error *err)
{
    const int32_t *const starts = (const int32_t *)lists->offsets + lists->offset;
    const size_t n = (size_t)(starts[count] - starts[0]);

    for (int64_t i = 0; i < count; i++) {
        offsets[i + 1] = starts[i + 1] - starts[0];
    }
    return n == 0 ? STOA_OK
                  : stoa_buffer_append(
                        text, (const uint8_t *)bytes->values + bytes->offset + starts[0], n, err);
}

static stoa_status read_listed(void *context, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const listed *const is = context;
    stoa_column_rows rows = {.array.release = NULL};
    stoa_view items;
    stoa_buffer text = {0};
    int32_t *offsets = stoa_alloc_zero((size_t)count + 1, sizeof *offsets);

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_rows_read(is->lists, first, count, &rows, err));
    STOA_TRY(stoa_view_child(&rows.view, 0, &items, err));
    STOA_TRY((is->is_unicode ? encode_points : copy_bytes)(&rows.view, &items, (int64_t)count,
                                                           &text, offsets, err));
    void *const buffers[] = {NULL, offsets, text.data};
    offsets = NULL;
    text = (stoa_buffer){0};
    STOA_TRY(stoa_array_make(out, (int64_t)count, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&text);
    stoa_column_rows_clear(&rows);
    return status;
}

static void free_listed(void *context)
{
    stoa_column_close(((listed *)context)->lists);
    free(context);
}

/* Show lists as strings or bytes. Takes ownership of `lists`, also on failure. */
static stoa_status present_listed(stoa_column *lists, bool is_unicode, stoa_column **column,
                                  stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    listed *is = stoa_alloc(1, sizeof *is);
    const uint64_t n_rows = lists->n_rows;

    *column = NULL;
    if (is == NULL ||
        stoa_schema_make(&schema, lists->name, is_unicode ? "u" : "z", NULL) != STOA_OK) {
        free(is);
        stoa_column_close(lists);
        return stoa_fail_memory(err);
    }
    *is = (listed){.lists = lists, .is_unicode = is_unicode};
    const stoa_column_source source = {
        .read_array = read_listed, .close = free_listed, .context = is};
    return stoa_column_of_source(&schema, n_rows, &source, column, err);
}

/* --- opening --------------------------------------------------------------------------------- */

/* By the attribute PSEUDOATOM, or by FLAVOR in files of format 1.x. The column keeps the name that
 * pseudo-atoms have today. */
static stoa_status present_lists(hid_t dataset, stoa_column **column, stoa_error *err)
{
    static const struct {
        const char *name;
        const char *today;
        size_t item_size;
    } atoms[] = {{"vlunicode", "vlunicode", 4},
                 {"vlstring", "vlstring", 1},
                 {"object", "object", 1},
                 {"VLString", "vlstring", 1},
                 {"Object", "object", 1}};
    stoa_status status = STOA_OK;
    char *atom = stoa_attribute_optional(dataset, "PSEUDOATOM");
    const size_t item_size = (*column)->element.items[0].size;

    atom = atom != NULL ? atom : stoa_attribute_optional(dataset, "FLAVOR");
    for (size_t i = 0; atom != NULL && i < sizeof atoms / sizeof atoms[0]; i++) {
        if (strcmp(atom, atoms[i].name) == 0 && item_size == atoms[i].item_size) {
            stoa_column *const lists = *column;
            *column = NULL;
            STOA_TRY(present_listed(lists, item_size == 4, column, err));
            STOA_TRY(stoa_column_add_metadata(*column, STOA_PYTABLES_ATOM, atoms[i].today, err));
            break;
        }
    }

done:
    free(atom);
    return status;
}

stoa_status stoa_pytables_open_array(hid_t dataset, const char *name, stoa_column **column,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    *column = NULL;
    STOA_TRY(stoa_chunks_check(dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the array");
    STOA_TRY(stoa_extent_read(dataset, &rank, extent, err));
    STOA_TRY(stoa_column_of_dataset(name, dataset, rank <= 0 ? STOA_NO_AXIS : 0, STOA_WHOLE_ROWS,
                                    column, err));
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    stoa_pytables_present(*column, type);
    STOA_TRY(stoa_pytables_note_shape(*column, err));
    if ((*column)->element.class == STOA_ELEMENT_VLEN) {
        STOA_TRY(present_lists(dataset, column, err));
    }
    STOA_TRY(stoa_pytables_read_notes(dataset, "", *column, err));

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status open_array(hid_t dataset, const char *path, const char *file, stoa_table **out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_column *column = NULL;
    const char *const slash = strrchr(path, '/');
    char *name = NULL;

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(dataset, path, file, "pytables", 0, &table, err));
    table->has_user_attributes = true;
    STOA_TRY(stoa_attribute_read_optional(dataset, "TITLE", &table->title, err));
    STOA_TRY(stoa_attribute_read_optional(dataset, "FIELD_0_NAME", &name, err)); /* ragged.h */
    STOA_TRY(stoa_pytables_open_array(dataset,
                                      name != NULL    ? name
                                      : slash != NULL ? slash + 1
                                                      : path,
                                      &column, err));
    table->n_rows = column->n_rows;
    status = stoa_foreign_add(table, column, err);
    column = NULL;
    STOA_TRY(status);
    *out = table;
    table = NULL;

done:
    free(name);
    stoa_column_close(column);
    stoa_table_close(table);
    return status;
}

const stoa_layout_class stoa_pytables_arrays = {.identify = identify, .open = open_array};
