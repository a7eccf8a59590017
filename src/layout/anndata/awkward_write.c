/* Awkward arrays, written batch by batch (awkward_write.h). A tree of nodes follows the type. Each
 * node has at most one buffer, whose dataset is made when it is known whether it needs chunks. */
#include "layout/anndata/awkward_write.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/decode_dictionary.h"
#include "arrow/gather.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward/form.h"
#include "layout/anndata/awkward_read.h"
#include "layout/common/column_datasets.h"
#include "layout/common/tensor.h"

/* Bytes of a buffer that are held. What never passes them is stored in one piece. */
enum { MAX_HELD = 1 << 20 };

/* The elements of a node. */
typedef struct buffer {
    const char *part; /* "offsets"; NULL: the node has none */
    stoa_kind kind;   /* BOOL, or of numbers */
    size_t size;
    stoa_buffer held;
    uint64_t n_written;
    hid_t dataset; /* once more than MAX_HELD bytes have come */
} buffer;

typedef struct node {
    stoa_awkward_class class;
    const char *kind; /* the parameter __array__; NULL: none */
    unsigned number;  /* of its key */
    const struct ArrowSchema *field;
    int32_t width; /* of FIXED: items */
    bool is_inner; /* FIXED: a dimension within another one. Its rows are the values themselves */
    buffer buffer;
    int64_t end; /* of LISTS: values so far */
    struct node *contents;
    size_t n_contents;
} node;

struct stoa_awkward_writer {
    hid_t group;
    hid_t truth; /* stoa_boolean_type() */
    const struct ArrowSchema *field;
    const char *codec;
    node top;
    unsigned n_nodes;
    uint64_t n_rows;
};

/* --- buffers --------------------------------------------------------------------------------- */

static void begin_buffer(buffer *b, const char *part, stoa_kind kind)
{
    b->part = part;
    b->kind = kind;
    b->size = kind == STOA_KIND_BOOL ? 1 : (size_t)stoa_kind_width(kind);
}

/* The types in the file and in memory. The caller closes `stored`, and not `memory`. */
static stoa_status types_of(const stoa_awkward_writer *w, const buffer *b, hid_t *stored,
                            hid_t *memory, stoa_error *err)
{
    if (b->kind == STOA_KIND_BOOL) {
        STOA_RETURN_HDF_ERROR(err, *stored = H5Tcopy(w->truth), "make a datatype");
    } else {
        STOA_RETURN_NOT_OK(stoa_column_dataset_stored(b->kind, stored, err));
    }
    *memory = stoa_column_dataset_native(b->kind);
    *memory = *memory >= 0 ? *memory : *stored;
    return STOA_OK;
}

/* Write what is held. */
static stoa_status flush(const stoa_awkward_writer *w, const node *n, buffer *b, bool is_last,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_held = b->held.size / b->size;
    hid_t stored = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    char name[64];

    (void)snprintf(name, sizeof name, "node%u-%s", n->number, b->part);
    STOA_TRY(types_of(w, b, &stored, &memory, err));
    if (b->dataset < 0) {
        STOA_TRY(is_last ? stoa_column_dataset_make(w->group, name, stored, n_held, 0, w->codec,
                                                    &b->dataset, err)
                         : stoa_column_dataset_make_growing(w->group, name, stored, w->codec,
                                                            &b->dataset, err));
        STOA_TRY(stoa_anndata_encode(b->dataset, "array", "0.2.0", err));
        STOA_TRY(is_last ? STOA_OK : stoa_column_dataset_grow(b->dataset, n_held, err));
    } else {
        STOA_TRY(stoa_column_dataset_grow(b->dataset, b->n_written + n_held, err));
    }
    STOA_TRY(
        stoa_column_dataset_write(b->dataset, memory, b->n_written, n_held, b->held.data, err));
    b->n_written += n_held;
    b->held.size = 0;

done:
    return stoa_hdf_close(&stored, status, err);
}

/* Make room for n elements, which the caller fills at once. */
static stoa_status add(const stoa_awkward_writer *w, node *n, uint64_t n_more, void **room,
                       stoa_error *err)
{
    buffer *const b = &n->buffer;

    if (b->held.size >= MAX_HELD) {
        STOA_RETURN_NOT_OK(flush(w, n, b, false, err));
    }
    STOA_RETURN_NOT_OK(n_more <= SIZE_MAX / 16
                           ? stoa_buffer_grow(&b->held, (size_t)n_more * b->size, err)
                           : stoa_fail_memory(err));
    *room = b->held.data + b->held.size - (size_t)n_more * b->size;
    return STOA_OK;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void clear_node(node *n)
{
    for (size_t i = 0; i < n->n_contents; i++) {
        clear_node(&n->contents[i]);
    }
    free(n->contents);
    stoa_buffer_clear(&n->buffer.held);
    (void)stoa_hdf_close(&n->buffer.dataset, STOA_OK, NULL);
}

static stoa_status begin_contents(node *n, size_t n_contents, stoa_error *err)
{
    n->contents = stoa_alloc_zero(n_contents, sizeof *n->contents);
    STOA_RETURN_NO_MEMORY(err, n->contents);
    n->n_contents = n_contents;
    for (size_t i = 0; i < n_contents; i++) {
        n->contents[i].buffer.dataset = H5I_INVALID_HID;
    }
    return STOA_OK;
}

static stoa_status begin_node(stoa_awkward_writer *w, node *n, const struct ArrowSchema *field,
                              const stoa_column_stats *stats, unsigned depth, bool is_present,
                              stoa_error *err);

/* The nodes below: one for each child of the type. */
static stoa_status begin_children(stoa_awkward_writer *w, node *n, const stoa_column_stats *stats,
                                  unsigned depth, stoa_error *err)
{
    const struct ArrowSchema *const field = n->field;

    STOA_RETURN_NOT_OK(begin_contents(n, (size_t)field->n_children, err));
    for (size_t i = 0; i < n->n_contents; i++) {
        STOA_RETURN_NOT_OK(begin_node(w, &n->contents[i], field->children[i], &stats->fields[i],
                                      depth + 1, false, err));
    }
    return STOA_OK;
}

/* Offsets begin with 0, also where there is no list. */
static stoa_status begin_lists(stoa_awkward_writer *w, node *n, stoa_error *err)
{
    void *first = NULL;

    n->class = STOA_AWKWARD_LISTS;
    begin_buffer(&n->buffer, "offsets", STOA_KIND_INT64);
    return add(w, n, 1, &first, err);
}

/* Strings are lists of characters. */
static stoa_status begin_texts(stoa_awkward_writer *w, node *n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(begin_lists(w, n, err));
    STOA_RETURN_NOT_OK(begin_contents(n, 1, err));
    n->kind = "string";
    node *const bytes = &n->contents[0];
    bytes->class = STOA_AWKWARD_NUMBERS;
    bytes->kind = "char";
    bytes->number = w->n_nodes++;
    begin_buffer(&bytes->buffer, "data", STOA_KIND_UINT8);
    return STOA_OK;
}

/* Values that may be missing, and the same without those. */
static stoa_status begin_option(stoa_awkward_writer *w, node *n, const stoa_column_stats *stats,
                                unsigned depth, stoa_error *err)
{
    n->class = STOA_AWKWARD_BYTE_MASKED;
    begin_buffer(&n->buffer, "mask", STOA_KIND_INT8);
    STOA_RETURN_NOT_OK(begin_contents(n, 1, err));
    return begin_node(w, &n->contents[0], n->field, stats, depth + 1, true, err);
}

/* A fixed-size list of one dimension, or of more if the field is a tensor. */
static stoa_status begin_fixed(stoa_awkward_writer *w, node *n, int32_t width,
                               const stoa_column_stats *stats, unsigned depth, stoa_error *err)
{
    const struct ArrowSchema *const field = n->field;
    hsize_t shape[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_tensor_shape(field, (hsize_t)width, shape, &rank, err));
    n->class = STOA_AWKWARD_FIXED;
    n->width = rank > 0 ? (int32_t)shape[0] : width;
    for (int i = 1; i < rank; i++) {
        STOA_RETURN_NOT_OK(begin_contents(n, 1, err));
        n = &n->contents[0];
        *n = (node){.class = STOA_AWKWARD_FIXED,
                    .number = w->n_nodes++,
                    .field = field,
                    .width = (int32_t)shape[i],
                    .is_inner = true,
                    .buffer.dataset = H5I_INVALID_HID};
    }
    return begin_children(w, n, stats, depth, err);
}

static stoa_status refuse(const stoa_awkward_writer *w, const stoa_type *type, stoa_error *err)
{
    char text[64];

    return stoa_fail(err, STOA_ETYPE,
                     "column '%s' has lists of %s, which no awkward array of AnnData holds; leave "
                     "it out, or make them numbers or text",
                     w->field->name, stoa_type_name(type, text));
}

static stoa_status begin_values(stoa_awkward_writer *w, node *n, const stoa_type *type,
                                const stoa_column_stats *stats, unsigned depth, stoa_error *err)
{
    switch (type->kind) {
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        STOA_RETURN_NOT_OK(begin_lists(w, n, err));
        return begin_children(w, n, stats, depth, err);
    case STOA_KIND_FIXED_LIST:
        return begin_fixed(w, n, type->width, stats, depth, err);
    case STOA_KIND_STRUCT:
        n->class = STOA_AWKWARD_RECORDS;
        return begin_children(w, n, stats, depth, err);
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        return begin_texts(w, n, err);
    default:
        break;
    }
    if (type->kind != STOA_KIND_BOOL && !stoa_kind_is_integer(type->kind) &&
        !stoa_kind_is_float(type->kind)) {
        return refuse(w, type, err);
    }
    n->class = STOA_AWKWARD_NUMBERS;
    begin_buffer(&n->buffer, "data", type->kind);
    return STOA_OK;
}

/* @param is_present  a mask above says which values are missing */
static stoa_status begin_node(stoa_awkward_writer *w, node *n, const struct ArrowSchema *field,
                              const stoa_column_stats *stats, unsigned depth, bool is_present,
                              stoa_error *err)
{
    stoa_type type;

    n->field = field;
    n->number = w->n_nodes++;
    if (depth >= STOA_AWKWARD_MAX_DEPTH || w->n_nodes > STOA_AWKWARD_MAX_NODES) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has lists of too many levels or fields",
                         w->field->name);
    }
    STOA_RETURN_NOT_OK(
        stoa_type_of(field->dictionary != NULL ? field->dictionary : field, &type, err));
    if (field->dictionary != NULL &&
        (stoa_kind_is_list(type.kind) || type.kind == STOA_KIND_STRUCT)) {
        return refuse(w, &type, err);
    }
    return stats->n_missing > 0 && !is_present && !stoa_kind_is_float(type.kind)
               ? begin_option(w, n, stats, depth, err)
               : begin_values(w, n, &type, stats, depth, err);
}

/* --- rows ------------------------------------------------------------------------------------ */

static stoa_status put(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                       stoa_error *err);

static stoa_status put_mask(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                            stoa_error *err)
{
    void *room = NULL;

    STOA_RETURN_NOT_OK(add(w, n, (uint64_t)view->length, &room, err));
    for (int64_t i = 0; i < view->length; i++) {
        ((uint8_t *)room)[i] = !stoa_view_is_null(view, i);
    }
    return put(w, &n->contents[0], view, err);
}

static stoa_status put_bytes(const stoa_awkward_writer *w, node *n, const char *bytes,
                             int64_t count, stoa_error *err)
{
    void *room = NULL;

    STOA_RETURN_NOT_OK(add(w, n, (uint64_t)count, &room, err));
    if (count > 0) {
        memcpy(room, bytes, (size_t)count);
    }
    return STOA_OK;
}

static stoa_status put_texts(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                             stoa_error *err)
{
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        void *end = NULL;
        const char *const bytes =
            stoa_view_is_null(view, i) ? "" : stoa_view_bytes(view, i, &length);
        STOA_RETURN_NOT_OK(put_bytes(w, &n->contents[0], bytes, (int64_t)length, err));
        n->end += (int64_t)length;
        STOA_RETURN_NOT_OK(add(w, n, 1, &end, err));
        memcpy(end, &n->end, sizeof n->end);
    }
    return STOA_OK;
}

/* Items of lists that follow each other are put together. A missing list has none. */
static stoa_status put_lists(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                             stoa_error *err)
{
    stoa_view items;
    stoa_view some;
    stoa_row_range range = {0, 0};
    void *room = NULL;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    STOA_RETURN_NOT_OK(add(w, n, (uint64_t)view->length, &room, err));
    for (int64_t i = 0; i < view->length; i++) {
        int64_t first = 0;
        int64_t count = 0;
        if (!stoa_view_is_null(view, i)) {
            stoa_view_range(view, i, &first, &count);
        }
        n->end += count;
        memcpy((uint8_t *)room + (size_t)i * sizeof n->end, &n->end, sizeof n->end);
        if (count > 0 && range.first + range.count != first) {
            some = stoa_view_slice(&items, range.first, range.count);
            STOA_RETURN_NOT_OK(put(w, &n->contents[0], &some, err));
            range = (stoa_row_range){first, 0};
        }
        range.count += count;
    }
    some = stoa_view_slice(&items, range.first, range.count);
    return put(w, &n->contents[0], &some, err);
}

static stoa_status put_fixed(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                             stoa_error *err)
{
    stoa_view items;
    int64_t first = 0;
    int64_t count = 0;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    stoa_view_range(view, 0, &first, &count);
    items = stoa_view_slice(&items, first, view->length * count);
    return put(w, &n->contents[0], &items, err);
}

static stoa_status put_fields(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                              stoa_error *err)
{
    for (size_t i = 0; i < n->n_contents; i++) {
        stoa_view field;
        STOA_RETURN_NOT_OK(stoa_view_child(view, (int64_t)i, &field, err));
        STOA_RETURN_NOT_OK(put(w, &n->contents[i], &field, err));
    }
    return STOA_OK;
}

static stoa_status put_numbers(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                               stoa_error *err)
{
    void *room = NULL;

    STOA_RETURN_NOT_OK(add(w, n, (uint64_t)view->length, &room, err));
    if (n->buffer.kind == STOA_KIND_BOOL) {
        stoa_column_dataset_bools(view, room);
    } else {
        stoa_column_dataset_numbers(view, room);
    }
    return STOA_OK;
}

/* Categories are written as what they stand for. */
static stoa_status put_decoded(const stoa_awkward_writer *w, node *n, const stoa_view *codes,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view labels;
    stoa_view view;

    STOA_TRY(stoa_view_dictionary(codes, &labels, err));
    if (stoa_kind_is_string(labels.type.kind)) {
        STOA_TRY(stoa_schema_make(&schema, "", "U", err));
        STOA_TRY(stoa_decode_dictionary(codes, &labels, STOA_KIND_LARGE_STRING, &array, err));
    } else {
        STOA_TRY(stoa_schema_copy(labels.schema, &schema, err));
        STOA_TRY(stoa_decode_values(codes, &labels, &array, err));
    }
    STOA_TRY(stoa_view_of_sound(&schema, &array, &view, err));
    STOA_TRY(put(w, n, &view, err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status put(const stoa_awkward_writer *w, node *n, const stoa_view *view,
                       stoa_error *err)
{
    if (view->length == 0) {
        return STOA_OK;
    }
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        return put_decoded(w, n, view, err);
    }
    switch (n->class) {
    case STOA_AWKWARD_BYTE_MASKED:
        return put_mask(w, n, view, err);
    case STOA_AWKWARD_LISTS:
        return n->kind != NULL ? put_texts(w, n, view, err) : put_lists(w, n, view, err);
    case STOA_AWKWARD_FIXED:
        return n->is_inner ? put(w, &n->contents[0], view, err) : put_fixed(w, n, view, err);
    case STOA_AWKWARD_RECORDS:
        return put_fields(w, n, view, err);
    default:
        return put_numbers(w, n, view, err);
    }
}

/* --- the form -------------------------------------------------------------------------------- */

static stoa_status print_node(const node *n, stoa_buffer *out, stoa_error *err);

static stoa_status print_fields(const node *n, stoa_buffer *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", \"fields\": ["));
    for (size_t i = 0; i < n->n_contents; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, i > 0 ? ", " : ""));
        const char *const name = n->field->children[i]->name;
        STOA_RETURN_NOT_OK(stoa_json_quote(out, name, strlen(name), err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "], \"contents\": ["));
    for (size_t i = 0; i < n->n_contents; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, i > 0 ? ", " : ""));
        STOA_RETURN_NOT_OK(print_node(&n->contents[i], out, err));
    }
    return stoa_buffer_print(out, err, "]");
}

/* What is particular to a class. */
static stoa_status print_class(const node *n, stoa_buffer *out, stoa_error *err)
{
    char text[64];

    switch (n->class) {
    case STOA_AWKWARD_BYTE_MASKED:
        return stoa_buffer_print(out, err,
                                 "\"ByteMaskedArray\", \"mask\": \"i8\", \"valid_when\": true");
    case STOA_AWKWARD_LISTS:
        return stoa_buffer_print(out, err, "\"ListOffsetArray\", \"offsets\": \"i64\"");
    case STOA_AWKWARD_FIXED:
        return stoa_buffer_print(out, err, "\"RegularArray\", \"size\": %d", (int)n->width);
    case STOA_AWKWARD_RECORDS:
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "\"RecordArray\""));
        return print_fields(n, out, err);
    default:
        return stoa_buffer_print(out, err,
                                 "\"NumpyArray\", \"primitive\": \"%s\", \"inner_shape\": []",
                                 stoa_type_name(&(stoa_type){.kind = n->buffer.kind}, text));
    }
}

static stoa_status print_node(const node *n, stoa_buffer *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "{\"class\": "));
    STOA_RETURN_NOT_OK(print_class(n, out, err));
    if (n->class != STOA_AWKWARD_RECORDS && n->n_contents > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", \"content\": "));
        STOA_RETURN_NOT_OK(print_node(&n->contents[0], out, err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", \"parameters\": {"));
    if (n->kind != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "\"__array__\": \"%s\"", n->kind));
    }
    return stoa_buffer_print(out, err, "}, \"form_key\": \"node%u\"}", n->number);
}

/* --- the writer ------------------------------------------------------------------------------ */

stoa_status stoa_awkward_writer_open(hid_t file, const struct ArrowSchema *field,
                                     const stoa_column_stats *stats, const char *codec,
                                     stoa_awkward_writer **writer, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_writer *w = stoa_alloc_zero(1, sizeof *w);

    *writer = NULL;
    STOA_RETURN_NO_MEMORY(err, w);
    w->group = w->truth = w->top.buffer.dataset = H5I_INVALID_HID;
    w->field = field;
    w->codec = codec;
    STOA_TRY(begin_node(w, &w->top, field, stats, 0, false, err));
    STOA_TRY(stoa_boolean_type(&w->truth, err));
    STOA_HDF(err, w->group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    *writer = w;
    w = NULL;

done:
    stoa_awkward_writer_close(w);
    return status;
}

void stoa_awkward_writer_close(stoa_awkward_writer *w)
{
    if (w != NULL) {
        clear_node(&w->top);
        (void)stoa_hdf_close(&w->truth, STOA_OK, NULL);
        (void)stoa_hdf_close(&w->group, STOA_OK, NULL);
        free(w);
    }
}

hid_t stoa_awkward_writer_group(const stoa_awkward_writer *w)
{
    return w->group;
}

stoa_status stoa_awkward_writer_put(stoa_awkward_writer *w, const stoa_view *rows, stoa_error *err)
{
    w->n_rows += (uint64_t)rows->length;
    return put(w, &w->top, rows, err);
}

static stoa_status finish_node(const stoa_awkward_writer *w, node *n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(n->buffer.part != NULL ? flush(w, n, &n->buffer, true, err) : STOA_OK);
    for (size_t i = 0; i < n->n_contents; i++) {
        STOA_RETURN_NOT_OK(finish_node(w, &n->contents[i], err));
    }
    return STOA_OK;
}

/* The notes of the column, which no frame of AnnData has a place for. */
static stoa_status write_notes(const stoa_awkward_writer *w, stoa_error *err)
{
    static const char *const keys[] = {"units", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        STOA_TRY(stoa_schema_get_text(w->field, keys[i], &text, err));
        STOA_TRY(text != NULL ? stoa_anndata_write_text(w->group, keys[i], text, err) : STOA_OK);
        free(text);
        text = NULL;
    }

done:
    free(text);
    return status;
}

stoa_status stoa_awkward_writer_finish(stoa_awkward_writer *w, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t length = (int64_t)w->n_rows;
    stoa_buffer form = {0};

    STOA_TRY(finish_node(w, &w->top, err));
    STOA_TRY(print_node(&w->top, &form, err));
    STOA_TRY(stoa_anndata_write_text(w->group, "form", (const char *)form.data, err));
    STOA_TRY(stoa_attribute_write_scalar(w->group, "length", H5T_STD_I64LE, H5T_NATIVE_INT64,
                                         &length, err));
    STOA_TRY(stoa_anndata_encode(w->group, STOA_AWKWARD_ENCODING, "0.1.0", err));
    STOA_TRY(write_notes(w, err));

done:
    stoa_buffer_clear(&form);
    return status;
}
