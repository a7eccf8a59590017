#include "layout/pytables/vlarray.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* At most so many rows, and bytes of their items, are packed at a time, but always a whole row. */
enum { MAX_ROWS = 4096 };
#define MAX_BYTES ((size_t)1 << 20)

/* --- what goes into a VLArray ---------------------------------------------------------------- */

static bool says_atom(const struct ArrowSchema *field, const char *atom)
{
    const char *value = NULL;
    size_t length = 0;

    return stoa_schema_get(field, STOA_PYTABLES_ATOM, &value, &length) && length == strlen(atom) &&
           memcmp(value, atom, length) == 0;
}

stoa_vlarray_form stoa_vlarray_form_of(const struct ArrowSchema *field, bool alone)
{
    stoa_type type;

    if (stoa_type_of(field, &type, NULL) != STOA_OK) {
        return STOA_VLARRAY_NONE;
    }
    switch (type.kind) {
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        return STOA_VLARRAY_ITEMS;
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
        return STOA_VLARRAY_BYTES;
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        return alone && says_atom(field, "vlunicode") ? STOA_VLARRAY_POINTS : STOA_VLARRAY_NONE;
    default:
        return STOA_VLARRAY_NONE;
    }
}

/* The pseudo-atom; NULL if it is an ordinary one. Bytes of HEP001 are lists of uint8. */
static const char *atom_of(const stoa_vlarray *to, const struct ArrowSchema *field)
{
    const bool is_bytes = to->form == STOA_VLARRAY_BYTES ||
                          (to->form == STOA_VLARRAY_ITEMS && to->item.type.kind == STOA_KIND_UINT8);

    return to->form == STOA_VLARRAY_POINTS            ? "vlunicode"
           : is_bytes && says_atom(field, "object")   ? "object"
           : is_bytes && says_atom(field, "vlstring") ? "vlstring"
           : to->form == STOA_VLARRAY_BYTES           ? "vlstring"
                                                      : NULL;
}

/* --- making one ------------------------------------------------------------------------------ */

/* What cells with a shape are made of. */
static const stoa_pack *leaf_of(const stoa_pack *item)
{
    while (item->how == STOA_PACK_ITEMS) {
        item = &item->parts[0];
    }
    return item;
}

/* PyTables opens no VLArray of other compounds than complex numbers. */
static stoa_status check_items(const struct ArrowSchema *field, const stoa_pack *item,
                               stoa_error *err)
{
    const stoa_pack *const leaf = leaf_of(item);

    if (leaf->how == STOA_PACK_FIELDS && !stoa_pack_is_complex(leaf)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has lists of structs, and a VLArray of PyTables holds none "
                         "but complex numbers; keep it in hep001, or export it to Arrow",
                         field->name);
    }
    return STOA_OK;
}

/* PyTables 3.11 cannot read an empty row of time64. So where there is one, times are integers with
 * units. */
static stoa_status make_item(stoa_vlarray *to, const struct ArrowSchema *field,
                             const stoa_column_stats *stats, stoa_error *err)
{
    stoa_type type;
    stoa_pack_rules plain = stoa_pytables_rules;

    plain.has_times = false;
    STOA_RETURN_NOT_OK(stoa_type_of(field->children[0], &type, err));
    if (type.kind == STOA_KIND_LIST || type.kind == STOA_KIND_LARGE_LIST) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has lists of lists, and a VLArray of PyTables has one level; "
                         "convert it to lh5, or export it to Arrow",
                         field->name);
    }
    to->items = *field->children[0];
    to->items.name = field->name;
    STOA_RETURN_NOT_OK(
        stoa_pack_make_cell(&to->items, &stats->fields[0], &stoa_pytables_rules, &to->item, err));
    if (leaf_of(&to->item)->how == STOA_PACK_SPLIT && stats->has_empty) {
        stoa_pack_clear(&to->item);
        STOA_RETURN_NOT_OK(
            stoa_pack_make_cell(&to->items, &stats->fields[0], &plain, &to->item, err));
    }
    return check_items(field, &to->item, err);
}

static stoa_status make_type(stoa_vlarray *to, const struct ArrowSchema *field,
                             const stoa_column_stats *stats, stoa_error *err)
{
    if (to->form == STOA_VLARRAY_ITEMS) {
        STOA_RETURN_NOT_OK(make_item(to, field, stats, err));
    }
    STOA_RETURN_HDF_ERROR(err,
                          to->type =
                              H5Tvlen_create(to->form == STOA_VLARRAY_ITEMS   ? to->item.stored
                                             : to->form == STOA_VLARRAY_BYTES ? H5T_STD_U8LE
                                                                              : H5T_STD_U32LE),
                          "make a variable-length type");
    return STOA_OK;
}

static stoa_status describe(const stoa_vlarray *to, const struct ArrowSchema *field,
                            const char *title, stoa_error *err)
{
    const char *const atom = atom_of(to, field);
    const stoa_pack plain = {.field = field};

    STOA_RETURN_NOT_OK(stoa_pytables_write_text(to->dataset, "CLASS", "VLARRAY", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(to->dataset, "VERSION", "1.4", err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(to->dataset, "TITLE", title, err));
    if (atom != NULL) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(to->dataset, "PSEUDOATOM", atom, err));
    }
    return stoa_pytables_write_notes(
        to->dataset, "", field, to->form == STOA_VLARRAY_ITEMS ? leaf_of(&to->item) : &plain, err);
}

stoa_status stoa_vlarray_open(stoa_vlarray *to, const stoa_layout_source *source, size_t i,
                              hid_t file, const char *title, stoa_error *err)
{
    const struct ArrowSchema *const field = source->schema->children[i];
    const stoa_column_stats *const stats = &source->columns[i];

    to->form = stoa_vlarray_form_of(field, true);
    if (stats->n_missing > 0) {
        return stoa_layout_refuse_missing(field->name, stats->n_missing, "a VLArray of PyTables",
                                          "[]|drop", err);
    }
    STOA_RETURN_NOT_OK(make_type(to, field, stats, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_make_dataset(source, file, to->type, "pytables", &to->dataset, err));
    STOA_RETURN_NOT_OK(describe(to, field, title, err));
    to->rows = stoa_alloc(MAX_ROWS, sizeof *to->rows);
    STOA_RETURN_NO_MEMORY(err, to->rows);
    return stoa_chunk_writer_open(&to->writer, to->dataset, to->type, err);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Items of rows that follow each other. */
typedef struct run {
    int64_t n; /* rows */
    int64_t start;
    int64_t end;
} run;

/* The rows from `first` on that are packed at a time. Missing lists are empty. */
static run find_run(const stoa_vlarray *to, const stoa_view *lists, int64_t first)
{
    const int64_t most = to->item.size < MAX_BYTES ? (int64_t)(MAX_BYTES / to->item.size) : 1;
    run is = {.n = 0};

    for (; is.n < MAX_ROWS && first + is.n < lists->length; is.n++) {
        int64_t at = 0;
        int64_t count = 0;
        stoa_view_range(lists, first + is.n, &at, &count);
        if (count == 0 || stoa_view_is_null(lists, first + is.n)) {
            to->rows[is.n] = (hvl_t){0, NULL};
            continue;
        }
        is.start = is.end == 0 ? at : is.start;
        if (is.end > 0 && at + count - is.start > most) {
            break;
        }
        is.end = at + count;
        to->rows[is.n] = (hvl_t){(size_t)count, NULL};
    }
    return is;
}

/* The items of a run as they are stored. Numbers are so in Arrow's memory already. */
static stoa_status pack_run(stoa_vlarray *to, const stoa_view *items, const run *is,
                            uint8_t **packed, stoa_error *err)
{
    const size_t size = to->item.size;
    const int64_t n = is->end - is->start;
    const bool is_packed = (to->item.how == STOA_PACK_BYTES || to->item.how == STOA_PACK_FLOAT) &&
                           items->null_count == 0;

    if (is_packed && n > 0) {
        *packed = (uint8_t *)(uintptr_t)items->values + (size_t)(items->offset + is->start) * size;
        return STOA_OK;
    }
    to->packed.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&to->packed, (size_t)n * size + 1, err)); /* of zeros */
    *packed = to->packed.data;
    return stoa_pack_rows(&to->item, items, is->start, n, to->packed.data, err);
}

static stoa_status put_items(stoa_vlarray *to, const stoa_view *lists, uint64_t first,
                             stoa_error *err)
{
    stoa_view items;
    run is = {.n = 0};
    uint8_t *packed = NULL;

    STOA_RETURN_NOT_OK(stoa_view_child(lists, 0, &items, err));
    STOA_RETURN_NOT_OK(stoa_pack_number_labels(&to->item, &items, err));
    for (int64_t done = 0; done < lists->length; done += is.n) {
        is = find_run(to, lists, done);
        STOA_RETURN_NOT_OK(pack_run(to, &items, &is, &packed, err));
        for (int64_t i = 0; i < is.n; i++) {
            int64_t at = 0;
            int64_t count = 0;
            stoa_view_range(lists, done + i, &at, &count);
            if (to->rows[i].len > 0) {
                to->rows[i].p = packed + (size_t)(at - is.start) * to->item.size;
            }
        }
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&to->writer, first + (uint64_t)done,
                                                   (uint64_t)is.n, to->rows, err));
    }
    return STOA_OK;
}

/* Append the code points of a string. */
static stoa_status add_points(stoa_vlarray *to, const char *text, size_t length, size_t *n,
                              stoa_error *err)
{
    if (stoa_utf8_valid(text, length) != length) {
        return stoa_fail(err, STOA_ELOSS, "has a text that is not UTF-8");
    }
    *n = 0;
    for (size_t at = 0; at < length; ++*n) {
        uint32_t point = 0;
        at += stoa_utf8_get(text + at, &point);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&to->packed, &point, sizeof point, err));
    }
    return STOA_OK;
}

static stoa_status put_bytes(stoa_vlarray *to, const stoa_view *texts, uint64_t first,
                             stoa_error *err)
{
    const bool are_points = to->form == STOA_VLARRAY_POINTS;
    int64_t n = 0;

    for (int64_t done = 0; done < texts->length; done += n) {
        to->packed.size = 0;
        for (n = 0; n < MAX_ROWS && done + n < texts->length && to->packed.size < MAX_BYTES; n++) {
            hvl_t *const row = &to->rows[n];
            const bool is_null = stoa_view_is_null(texts, done + n);
            row->p = (void *)(uintptr_t)stoa_view_bytes(texts, done + n, &row->len);
            row->len = is_null ? 0 : row->len;
            if (are_points) {
                STOA_RETURN_NOT_OK(add_points(to, row->p, row->len, &row->len, err));
            }
        }
        uint8_t *at = to->packed.data;
        for (int64_t i = 0; are_points && at != NULL && i < n;
             i++) { /* they have their place now */
            to->rows[i].p = at;
            at += to->rows[i].len * sizeof(uint32_t);
        }
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&to->writer, first + (uint64_t)done, (uint64_t)n,
                                                   to->rows, err));
    }
    return STOA_OK;
}

stoa_status stoa_vlarray_put(stoa_vlarray *to, const stoa_view *column, uint64_t first,
                             stoa_error *err)
{
    return to->form == STOA_VLARRAY_ITEMS ? put_items(to, column, first, err)
                                          : put_bytes(to, column, first, err);
}

stoa_status stoa_vlarray_close(stoa_vlarray *to, stoa_status status, stoa_error *err)
{
    stoa_chunk_writer_close(&to->writer);
    stoa_pack_clear(&to->item);
    stoa_buffer_clear(&to->packed);
    free(to->rows);
    status = stoa_hdf_close(&to->type, status, err);
    return stoa_hdf_close(&to->dataset, status, err);
}
