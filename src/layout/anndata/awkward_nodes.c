/*
 * Opens the nodes of an awkward array as columns (awkward_nodes.h). A buffer is a dataset that is
 * called by the node's `form_key` and the buffer's part: "node0-offsets".
 *
 * Nothing is believed. The lengths of nodes follow from that of the array, from offsets, and below
 * an index from the datasets. A dataset must have as many elements, of the type that the form says.
 * It may have more, which are ignored, as awkward does.
 */
#include "layout/anndata/awkward_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "column/list/list.h"
#include "column/list/offsets.h"
#include "column/list/reader.h"
#include "column/read/foreign.h"
#include "core/memory.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward/columns.h"
#include "layout/pandas/pandas.h"

/* As a number of rows: as many as there are. */
#define ALL UINT64_MAX

static const char rule[] = "awkward, ListOffsetArray";

/* --- buffers --------------------------------------------------------------------------------- */

static stoa_status open_buffer(hid_t group, const stoa_awkward_form *form, const char *part,
                               stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;

    *column = NULL;
    if (form->key == NULL) {
        return stoa_fail(err, STOA_EDATA, "its form has a '%.40s' without form_key",
                         form->class_name != NULL ? form->class_name : form->primitive);
    }
    name = stoa_format("%s-%s", form->key, part);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_anndata_values(group, name, name, column, err));

done:
    free(name);
    return status;
}

/* Take the first n elements. */
static stoa_status take_rows(stoa_column *column, uint64_t n, stoa_error *err)
{
    if (column->n_rows < n) {
        return stoa_fail(err, STOA_EDATA, "'%s' has %llu elements, and %llu are needed",
                         column->name, (unsigned long long)column->n_rows, (unsigned long long)n);
    }
    column->n_rows = n;
    return STOA_OK;
}

/* Name a column, which is called by its buffer so far. Messages go on calling it so. */
static stoa_status rename_column(stoa_column *column, const char *name, stoa_error *err)
{
    char *const own = stoa_strdup(name);

    STOA_RETURN_NO_MEMORY(err, own);
    free(column->place);
    column->place = column->name;
    column->name = own;
    return STOA_OK;
}

static bool is_integer(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_INTEGER && !column->element.is_bitfield;
}

/* Open the integers of a node. A mask may be of booleans. */
static stoa_status open_integers(hid_t group, const stoa_awkward_form *form, const char *part,
                                 stoa_column **column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(open_buffer(group, form, part, column, err));
    if (!is_integer(*column) && (*column)->type.kind != STOA_KIND_BOOL) {
        return stoa_fail(err, STOA_EDATA, "'%s' is of %s, not integers", (*column)->name,
                         (*column)->element.text);
    }
    return STOA_OK;
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Whether the form says times or durations that Arrow has. */
static bool is_time(const char *primitive)
{
    static const char *const times[] = {"datetime64[s]",   "datetime64[ms]",  "datetime64[us]",
                                        "datetime64[ns]",  "timedelta64[s]",  "timedelta64[ms]",
                                        "timedelta64[us]", "timedelta64[ns]", NULL};

    return stoa_is_listed(primitive, times);
}

/* Check that the elements are of the type that the form says, and present them as that type. */
static stoa_status settle_type(const stoa_awkward_form *form, stoa_column *column, stoa_error *err)
{
    const stoa_element *const element = &column->element;
    const bool is_number = is_integer(column) || element->class == STOA_ELEMENT_FLOAT;
    char text[64];

    if (is_integer(column) && element->kind == STOA_KIND_INT64 && is_time(form->primitive)) {
        return stoa_pandas_set_type(column, form->primitive, NULL, NULL, err);
    }
    const char *const name = column->type.kind == STOA_KIND_BOOL ? "bool"
                             : is_number ? stoa_type_name(&(stoa_type){.kind = element->kind}, text)
                             : element->class == STOA_ELEMENT_COMPOUND && element->n_members == 2
                                 ? (element->size == 8 ? "complex64" : "complex128")
                                 : "";
    if (strcmp(name, form->primitive) != 0) {
        return stoa_fail(err, STOA_EDATA, "its form says '%.40s' of '%s', which is of %s",
                         form->primitive, column->name, element->text);
    }
    return STOA_OK;
}

/* Wrap values in lists of fixed length. `content` is consumed in every case. */
static stoa_status wrap_fixed(const char *name, stoa_column *content, uint64_t size, uint64_t n,
                              stoa_column **column, stoa_error *err)
{
    stoa_awkward_parts parts = {.class = STOA_AWKWARD_FIXED, .size = size};

    *column = NULL;
    if (size == 0 || size > INT32_MAX) {
        stoa_column_close(content);
        return stoa_fail(err, STOA_EDATA,
                         "its form has lists of %llu items each, which no column can show",
                         (unsigned long long)size);
    }
    parts.columns = stoa_alloc(1, sizeof(stoa_column *));
    if (parts.columns == NULL) {
        stoa_column_close(content);
        return stoa_fail_memory(err);
    }
    parts.columns[0] = content;
    parts.n_columns = 1;
    return stoa_awkward_combine(name, &parts, n, column, err);
}

/* Multiply numbers of a file. */
static stoa_status multiply(uint64_t a, uint64_t b, uint64_t *product, stoa_error *err)
{
    return __builtin_mul_overflow(a, b, product) || *product > INT64_MAX
               ? stoa_fail(err, STOA_EDATA, "its form has more values than can be")
               : STOA_OK;
}

static stoa_status wrap_shape(const char *name, const stoa_awkward_form *form, uint64_t n,
                              stoa_column **column, stoa_error *err)
{
    for (size_t i = form->rank; i-- > 0;) {
        stoa_column *const content = *column;
        uint64_t n_here = n;
        *column = NULL;
        for (size_t k = 0; k < i; k++) {
            n_here *= form->shape[k]; /* fits: the product of all does */
        }
        STOA_RETURN_NOT_OK(
            wrap_fixed(i == 0 ? name : "item", content, form->shape[i], n_here, column, err));
    }
    return STOA_OK;
}

static stoa_status open_numbers(hid_t group, const stoa_awkward_form *form, const char *name,
                                uint64_t n, stoa_column **column, stoa_error *err)
{
    uint64_t each = 1;
    uint64_t n_all = 0;

    STOA_RETURN_NOT_OK(open_buffer(group, form, "data", column, err));
    STOA_RETURN_NOT_OK(settle_type(form, *column, err));
    for (size_t i = 0; i < form->rank; i++) {
        STOA_RETURN_NOT_OK(multiply(each, form->shape[i], &each, err));
    }
    if (n == ALL) {
        n = each > 0 ? (*column)->n_rows / each : 0;
    }
    STOA_RETURN_NOT_OK(multiply(n, each, &n_all, err));
    STOA_RETURN_NOT_OK(take_rows(*column, n_all, err));
    STOA_RETURN_NOT_OK(stoa_list_check_written(*column, err));
    STOA_RETURN_NOT_OK(rename_column(*column, name, err));
    return wrap_shape(name, form, n, column, err);
}

/* No values, of no type: those of numbers, as awkward makes them. */
static stoa_status open_empty(const char *name, uint64_t n, stoa_column **column, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    void *const values = stoa_alloc(0, 8);
    void *const buffers[] = {NULL, values};
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(stoa_array_make(&array, 0, 0, 2, buffers, err));
    if (n != 0 && n != ALL) {
        STOA_FAIL(err, STOA_EDATA, "its form has an EmptyArray where there must be %llu values",
                  (unsigned long long)n);
    }
    STOA_TRY(stoa_schema_make(&schema, name, "g", err));
    STOA_TRY(stoa_column_of_array(&schema, &array, column, err));

done:
    stoa_array_release(&array);
    return status;
}

/* --- lists ----------------------------------------------------------------------------------- */

static bool is_kind(const stoa_awkward_form *form, const char *kind)
{
    return form->kind != NULL && strcmp(form->kind, kind) == 0;
}

/* Open the offsets of n lists, and find out how many values these have. */
static stoa_status open_offsets(hid_t group, const stoa_awkward_form *form, uint64_t *n,
                                stoa_list *list, uint64_t *end, stoa_error *err)
{
    *end = 0;
    STOA_RETURN_NOT_OK(open_integers(group, form, "offsets", &list->offsets, err));
    if (*n == ALL) {
        *n = list->offsets->n_rows > 0 ? list->offsets->n_rows - 1 : 0;
    }
    if (*n == 0) {
        return STOA_OK; /* not even one offset need be there */
    }
    STOA_RETURN_NOT_OK(take_rows(list->offsets, *n + 1, err));
    STOA_RETURN_NOT_OK(stoa_list_offset_at(list, *n, end, err));
    if (*end > INT64_MAX) {
        return stoa_fail(err, STOA_EDATA, "'%s' ends with a negative number", list->offsets->name);
    }
    return STOA_OK;
}

static stoa_status open_bytes(hid_t group, const stoa_awkward_form *form, uint64_t n,
                              stoa_column **bytes, stoa_error *err)
{
    if (form->class != STOA_AWKWARD_NUMBERS || strcmp(form->primitive, "uint8") != 0 ||
        form->rank > 0) {
        return stoa_fail(err, STOA_EDATA, "its form has strings that are not made of uint8");
    }
    return open_numbers(group, form, "item", n, bytes, err);
}

static stoa_status open_lists(hid_t group, const stoa_awkward_form *form, const char *name,
                              uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list list = {.is_text = is_kind(form, "string"), .rule = rule};
    const stoa_awkward_form *const content = &form->contents[0];
    uint64_t end = 0;

    STOA_TRY(open_offsets(group, form, &n, &list, &end, err));
    STOA_TRY(list.is_text ? open_bytes(group, content, end, &list.values, err)
                          : stoa_awkward_open_node(group, content, "item", end, &list.values, err));
    status = stoa_list_of_members(name, &list, n, column, err);
    list.offsets = list.values = NULL;
    STOA_TRY(status);

done:
    stoa_column_close(list.offsets);
    stoa_column_close(list.values);
    return status;
}

/* --- other nodes ----------------------------------------------------------------------------- */

/* Begin the parts of a node that has `n` columns. */
static stoa_status begin_parts(const stoa_awkward_form *form, size_t n, stoa_awkward_parts *parts,
                               stoa_error *err)
{
    *parts = (stoa_awkward_parts){.class = form->class,
                                  .size = form->size,
                                  .valid_when = form->valid_when,
                                  .lsb_order = form->lsb_order};
    parts->columns = stoa_alloc_zero(n, sizeof(stoa_column *));
    STOA_RETURN_NO_MEMORY(err, parts->columns);
    parts->n_columns = n;
    return STOA_OK;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

static stoa_status open_fixed(hid_t group, const stoa_awkward_form *form, const char *name,
                              uint64_t n, stoa_column **column, stoa_error *err)
{
    uint64_t n_items = ALL;
    stoa_column *content = NULL;

    STOA_RETURN_NOT_OK(n != ALL ? multiply(n, form->size, &n_items, err) : STOA_OK);
    STOA_RETURN_NOT_OK(
        stoa_awkward_open_node(group, &form->contents[0], "item", n_items, &content, err));
    if (n == ALL) {
        n = form->size > 0 ? content->n_rows / form->size : 0;
    }
    return wrap_fixed(name, content, form->size, n, column, err);
}

stoa_status stoa_awkward_open_field(hid_t group, const stoa_awkward_form *form, size_t i,
                                    uint64_t n, stoa_column **column, stoa_error *err)
{
    char number[STOA_NUMBER_SIZE];

    (void)stoa_format_u64(i, number); /* fields of a tuple */
    return stoa_awkward_open_node(group, &form->contents[i],
                                  form->names != NULL ? form->names[i] : number, n, column, err);
}

static stoa_status open_records(hid_t group, const stoa_awkward_form *form, const char *name,
                                uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_parts parts;
    uint64_t n_rows = n;

    STOA_TRY(begin_parts(form, form->n_contents, &parts, err));
    for (size_t i = 0; i < form->n_contents; i++) {
        STOA_TRY(stoa_awkward_open_field(group, form, i, n, &parts.columns[i], err));
        n_rows = at_most(n_rows, parts.columns[i]->n_rows);
    }
    STOA_TRY(stoa_awkward_combine(name, &parts, n_rows, column, err));

done:
    stoa_awkward_parts_clear(&parts);
    return status;
}

static stoa_status open_ranges(hid_t group, const stoa_awkward_form *form, const char *name,
                               uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_parts parts;

    STOA_TRY(begin_parts(form, 3, &parts, err));
    if (is_kind(form, "string")) {
        STOA_FAIL(err, STOA_EDATA,
                  "its form has strings as a ListArray; pack the array by ak.to_packed()");
    }
    STOA_TRY(open_integers(group, form, "starts", &parts.columns[1], err));
    STOA_TRY(open_integers(group, form, "stops", &parts.columns[2], err));
    if (n == ALL) {
        n = at_most(parts.columns[1]->n_rows, parts.columns[2]->n_rows);
    }
    STOA_TRY(take_rows(parts.columns[1], n, err));
    STOA_TRY(take_rows(parts.columns[2], n, err));
    STOA_TRY(
        stoa_awkward_open_node(group, &form->contents[0], "item", ALL, &parts.columns[0], err));
    STOA_TRY(stoa_awkward_combine(name, &parts, n, column, err));

done:
    stoa_awkward_parts_clear(&parts);
    return status;
}

static stoa_status open_masked(hid_t group, const stoa_awkward_form *form, const char *name,
                               uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool are_bits = form->class == STOA_AWKWARD_BIT_MASKED;
    stoa_awkward_parts parts;

    STOA_TRY(begin_parts(form, 2, &parts, err));
    STOA_TRY(open_integers(group, form, "mask", &parts.columns[1], err));
    stoa_column *const mask = parts.columns[1];
    if (mask->element.size != 1) {
        STOA_FAIL(err, STOA_EDATA, "'%s' is of %s, not of bytes", mask->name, mask->element.text);
    }
    STOA_TRY(stoa_awkward_open_node(group, &form->contents[0], "item", n, &parts.columns[0], err));
    if (n == ALL) {
        const uint64_t n_marks =
            are_bits && mask->n_rows <= INT64_MAX / 8 ? mask->n_rows * 8 : mask->n_rows;
        n = at_most(n_marks, parts.columns[0]->n_rows);
    }
    STOA_TRY(take_rows(mask, are_bits ? stoa_bit_bytes(n) : n, err));
    STOA_TRY(stoa_awkward_combine(name, &parts, n, column, err));

done:
    stoa_awkward_parts_clear(&parts);
    return status;
}

/* Codes of categories that are strings. Others are shown as what they stand for. */
static bool are_codes(const stoa_awkward_form *form)
{
    const stoa_awkward_form *const content = &form->contents[0];

    return is_kind(form, "categorical") && content->class == STOA_AWKWARD_LISTS &&
           is_kind(content, "string");
}

static stoa_status open_codes(hid_t group, const stoa_awkward_form *form, const char *name,
                              uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_column *labels = NULL;

    STOA_RETURN_NOT_OK(open_integers(group, form, "index", column, err));
    STOA_RETURN_NOT_OK(take_rows(*column, n == ALL ? (*column)->n_rows : n, err));
    STOA_RETURN_NOT_OK(rename_column(*column, name, err));
    STOA_RETURN_NOT_OK(
        stoa_awkward_open_node(group, &form->contents[0], "labels", ALL, &labels, err));
    return stoa_anndata_label(*column, labels, false, err);
}

static stoa_status open_indexed(hid_t group, const stoa_awkward_form *form, const char *name,
                                uint64_t n, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_parts parts;

    if (are_codes(form)) {
        return open_codes(group, form, name, n, column, err);
    }
    STOA_TRY(begin_parts(form, 2, &parts, err));
    STOA_TRY(open_integers(group, form, "index", &parts.columns[1], err));
    n = n == ALL ? parts.columns[1]->n_rows : n;
    STOA_TRY(take_rows(parts.columns[1], n, err));
    STOA_TRY(
        stoa_awkward_open_node(group, &form->contents[0], "item", ALL, &parts.columns[0], err));
    STOA_TRY(stoa_awkward_combine(name, &parts, n, column, err));

done:
    stoa_awkward_parts_clear(&parts);
    return status;
}

static stoa_status open_class(hid_t group, const stoa_awkward_form *form, const char *name,
                              uint64_t n, stoa_column **column, stoa_error *err)
{
    switch (form->class) {
    case STOA_AWKWARD_NUMBERS:
        return open_numbers(group, form, name, n, column, err);
    case STOA_AWKWARD_EMPTY:
        return open_empty(name, n, column, err);
    case STOA_AWKWARD_LISTS:
        return open_lists(group, form, name, n, column, err);
    case STOA_AWKWARD_RANGES:
        return open_ranges(group, form, name, n, column, err);
    case STOA_AWKWARD_FIXED:
        return open_fixed(group, form, name, n, column, err);
    case STOA_AWKWARD_RECORDS:
        return open_records(group, form, name, n, column, err);
    case STOA_AWKWARD_INDEXED:
    case STOA_AWKWARD_OPTIONS:
        return open_indexed(group, form, name, n, column, err);
    case STOA_AWKWARD_BYTE_MASKED:
    case STOA_AWKWARD_BIT_MASKED:
        return open_masked(group, form, name, n, column, err);
    case STOA_AWKWARD_UNMASKED:
        break;
    }
    return stoa_awkward_open_node(group, &form->contents[0], name, n, column, err);
}

stoa_status stoa_awkward_open_node(hid_t group, const stoa_awkward_form *form, const char *name,
                                   uint64_t n, stoa_column **column, stoa_error *err)
{
    *column = NULL;
    const stoa_status status = open_class(group, form, name, n, column, err);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}
