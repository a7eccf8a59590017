#include "column/write/overwrite.h"

#include <stdlib.h>
#include <string.h>

#include "column/read/block.h"
#include "column/write/encode.h"
#include "column/write/rewrite_list.h"
#include "column/write/stored_form.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"

/* Up to so many rows between two changed ones are rewritten along with them. */
#define MAX_GAP 512
/* Rows read, changed and written at once. */
#define BLOCK_ROWS UINT64_C(65536)
/* Most bytes of old rows that are kept in memory for one column. */
#define MAX_SAVED_BYTES (UINT64_C(64) << 20)
/* Fewer bytes are overwritten in place, even if they are most of the column. */
#define FEW_BYTES (UINT64_C(1) << 20)
/* Estimated bytes of an element with variable-length parts. */
#define VARIABLE_BYTES 256

static void reclaim(const stoa_column *column, void *elements, uint64_t n)
{
    if (elements != NULL) {
        stoa_element_reclaim(&column->element, elements, (size_t)n);
    }
    free(elements);
}

/* List columns ------------------------------------------------------------------------------ */

/* Write new lists to a column of their own, where they can be read when their rows are known. */
static stoa_status stage(stoa_overwrite *overwrite, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scratch scratch = {0};

    if (overwrite->staged == NULL) {
        STOA_TRY(stoa_list_twin(overwrite->column, &overwrite->staged, err));
        STOA_TRY(stoa_list_writer_open(overwrite->staged, &overwrite->staging, err));
    }
    STOA_TRY(stoa_list_writer_check(overwrite->staging, view, err));
    STOA_TRY(stoa_list_writer_fit(overwrite->staging, err));
    STOA_TRY(stoa_list_writer_pack(overwrite->staging, &scratch, err));
    STOA_TRY(stoa_list_writer_put(overwrite->staging, err));
    overwrite->n_staged += (uint64_t)view->length;

done:
    if (overwrite->staging != NULL) {
        stoa_list_writer_clear(overwrite->staging);
    }
    stoa_scratch_clear(&scratch);
    return status;
}

/* Make the fresh column, which can hold the old lists and the new ones. */
static stoa_status open_fresh_lists(stoa_overwrite *overwrite, stoa_error *err)
{
    stoa_column *column = overwrite->column;

    STOA_RETURN_NOT_OK(stoa_column_may_be_rewritten(column, err));
    if (overwrite->staged != NULL) {
        STOA_RETURN_NOT_OK(stoa_list_writer_flush(overwrite->staging, err));
        stoa_list_writer_close(overwrite->staging);
        overwrite->staging = NULL;
        stoa_column_unload(overwrite->staged);
        overwrite->staged->n_rows = overwrite->n_staged;
        STOA_RETURN_NOT_OK(stoa_column_load(overwrite->staged, err));
    }
    STOA_RETURN_NOT_OK(stoa_list_twin(column, &overwrite->fresh, err));
    return overwrite->staged != NULL
               ? stoa_list_twin_widen(overwrite->fresh, column, overwrite->staged, err)
               : STOA_OK;
}

/* Copy the old lists before row `end`, but put new ones in place of those in `rows`. */
static stoa_status pass_lists(stoa_overwrite *overwrite, uint64_t end, const uint64_t *rows,
                              size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_part *const parts = stoa_alloc(2 * n + 1, sizeof *parts);
    size_t n_parts = 0;

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i <= n; i++) {
        const uint64_t next = i < n ? rows[i] : end;
        if (next < overwrite->n_copied) {
            STOA_FAIL(err, STOA_EINVAL, "rows are to be overwritten in another order than theirs");
        }
        stoa_list_part_add(
            parts, &n_parts,
            (stoa_list_part){.first = overwrite->n_copied, .count = next - overwrite->n_copied});
        overwrite->n_copied = next;
        if (i < n) {
            stoa_list_part_add(parts, &n_parts, (stoa_list_part){true, overwrite->n_put++, 1});
            overwrite->n_copied++;
        }
    }
    STOA_TRY(stoa_list_copy(overwrite->column, overwrite->staged, overwrite->fresh, parts, n_parts,
                            err));

done:
    free(parts);
    return status;
}

/* Checking ---------------------------------------------------------------------------------- */

/* Check whether the values fit into the present dataset. Only encoding shows whether a value equals
 * the fill. */
static stoa_status check_fit(stoa_overwrite *overwrite, const stoa_view *view,
                             const stoa_categories *book, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = overwrite->column;
    void *elements = NULL;
    bool collides = false;

    overwrite->is_unfit = overwrite->is_unfit || (column->fill == NULL && view->null_count > 0) ||
                          (book != NULL ? !stoa_column_holds_codes(column, book->labels.count)
                                        : !stoa_column_holds(column, &overwrite->domain));
    if (!overwrite->is_unfit) {
        STOA_TRY(stoa_column_elements_of(column, view, &elements, &collides, err));
        overwrite->is_unfit = collides;
        overwrite->is_taken = collides;
    }

done:
    reclaim(column, elements, (uint64_t)view->length);
    return status;
}

stoa_status stoa_overwrite_check(stoa_overwrite *overwrite, const stoa_view *view,
                                 stoa_categories *book, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = overwrite->column;
    stoa_stored_form plain = {.validity = NULL};

    if (stoa_column_is_list_group(column)) {
        STOA_TRY(stage(overwrite, view, err));
        goto done;
    }
    STOA_TRY(stoa_column_accepts(column, view, err));
    STOA_TRY(stoa_stored_form_of(column, view, book, &plain, err));
    overwrite->domain.has_missing |= plain.view.null_count > 0;
    if (book == NULL && plain.view.null_count < plain.view.length) {
        STOA_TRY(stoa_domain_add(&overwrite->domain, &plain.view, err));
    }
    STOA_TRY(check_fit(overwrite, &plain.view, book, err));

done:
    stoa_stored_form_clear(&plain);
    return stoa_at(err, status, "%s", column->name);
}

/* Number of leading rows that are near enough to each other to be written at once. */
static size_t run_length(const uint64_t *rows, size_t n)
{
    size_t length = 1;

    while (length < n && rows[length] - rows[length - 1] <= MAX_GAP &&
           rows[length] - rows[0] < BLOCK_ROWS) {
        length++;
    }
    return length;
}

uint64_t stoa_overwrite_touches(const uint64_t *rows, size_t n)
{
    uint64_t count = 0;

    for (size_t at = 0; at < n;) {
        const size_t length = run_length(rows + at, n - at);
        count += rows[at + length - 1] - rows[at] + 1;
        at += length;
    }
    return count;
}

/* Preparing --------------------------------------------------------------------------------- */

static bool has_old_reference(const stoa_element *element)
{
    const size_t n = element->items != NULL ? element->n_members : 0;
    bool has = element->is_old_reference;

    for (size_t i = 0; i < n && !has; i++) {
        has = has_old_reference(&element->items[i]);
    }
    return has;
}

/* Refuse elements that can be read but not written. */
static stoa_status check_element(const stoa_column *column, stoa_error *err)
{
    return has_old_reference(&column->element)
               ? stoa_fail(err, STOA_ETYPE,
                           "column '%s' is of references of a deprecated type (HEP001 §5), which "
                           "cannot be written",
                           column->name)
               : STOA_OK;
}

/* Whether a fresh dataset is better: the old rows would take too much memory, or they are most of
 * the column. */
static bool is_much(const stoa_column *column, uint64_t n_touched)
{
    const uint64_t size =
        stoa_element_is_variable(&column->element) ? VARIABLE_BYTES : column->element.size;

    if (n_touched > MAX_SAVED_BYTES / size) {
        return true;
    }
    return n_touched * size > FEW_BYTES && n_touched > column->n_rows / 2;
}

/* A search that looks at new values. */
typedef struct showing {
    const stoa_column *column;
    stoa_elements_look look;
    void *looker;
} showing;

static stoa_status show_view(void *context, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const showing *const s = context;
    stoa_stored_form plain = {.validity = NULL};
    void *elements = NULL;

    STOA_TRY(stoa_stored_form_of(s->column, view, NULL, &plain, err));
    STOA_TRY(stoa_column_encode(s->column, &plain.view, &elements, err));
    s->look(s->looker, elements, (uint64_t)view->length);

done:
    reclaim(s->column, elements, (uint64_t)view->length);
    stoa_stored_form_clear(&plain);
    return status;
}

static stoa_status show_values(void *context, stoa_elements_look look, void *looker,
                               stoa_error *err)
{
    const stoa_overwrite *const overwrite = context;
    const stoa_values_again *const again = &overwrite->again;
    showing s = {overwrite->column, look, looker};

    return again->visit(again->context, again->which, show_view, &s, err);
}

stoa_status stoa_overwrite_prepare(stoa_overwrite *overwrite, uint64_t n_touched,
                                   const stoa_categories *book, stoa_error *err)
{
    stoa_column *column = overwrite->column;
    const uint64_t n_labels = book != NULL ? book->labels.count : 0;
    bool needs = overwrite->is_unfit;

    if (stoa_column_is_list_group(column)) {
        return stoa_at(err, open_fresh_lists(overwrite, err), "%s", column->name);
    }
    if (book != NULL) {
        needs = needs || !stoa_column_holds_codes(column, n_labels);
    }
    STOA_RETURN_NOT_OK(stoa_values_may_be_written(column->dataset, err));
    STOA_RETURN_NOT_OK(check_element(column, err));
    STOA_RETURN_NOT_OK(stoa_column_may_be_rewritten(column, err));
    if (needs || is_much(column, n_touched)) {
        const stoa_elements_to_come to_come = {show_values, overwrite};
        const stoa_rewriting how = {.domain = &overwrite->domain,
                                    .n_labels = n_labels,
                                    .extent = column->extent,
                                    .fill_is_taken = overwrite->is_taken,
                                    .to_come = &to_come};
        STOA_RETURN_NOT_OK(
            stoa_column_remake(column, column->n_rows, &how, &overwrite->fresh, err));
    }
    return STOA_OK;
}

/* Create an unlinked dataset exactly like the column's, with its attributes but no rows. */
static stoa_status make_twin(const stoa_column *column, hid_t *dataset, stoa_error *err)
{
    static const char *const none[] = {NULL};
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_TRY(stoa_values_may_be_written(column->dataset, err));
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    STOA_HDF(err, dcpl = stoa_dataset_properties(column->dataset), "get the creation properties");
    const bool is_chunked = H5Pget_layout(dcpl) == H5D_CHUNKED;
    STOA_HDF(err,
             space = H5Screate_simple(1, &(hsize_t){column->extent},
                                      is_chunked ? &(hsize_t){H5S_UNLIMITED} : NULL),
             "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(column->dataset, type, space, dcpl, H5P_DEFAULT),
             "create a dataset of %s", column->element.text);
    STOA_TRY(stoa_attributes_copy(column->dataset, *dataset, none, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* Open a new twin of the column's dataset as the fresh column, and copy rows [0, n_kept). */
static stoa_status open_twin(stoa_overwrite *overwrite, uint64_t n_kept, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = overwrite->column;
    const stoa_direct *direct = NULL;
    hid_t dataset = H5I_INVALID_HID;
    void *elements = NULL;
    uint64_t count = 0;

    STOA_TRY(make_twin(column, &dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold column '%s'", column->name);
    STOA_TRY(stoa_column_open(dataset, column->name, column->n_rows, column->units_vocabulary,
                              &overwrite->fresh, err));
    for (uint64_t first = 0; first < n_kept; first += count) {
        count = n_kept - first < BLOCK_ROWS ? n_kept - first : BLOCK_ROWS;
        STOA_TRY(stoa_column_read_elements(column, first, count, &elements, err));
        STOA_TRY(stoa_column_write_elements(overwrite->fresh, first, count, elements, err));
        reclaim(column, elements, count);
        elements = NULL;
    }
    overwrite->n_copied = column->n_rows;               /* the other rows are moved */
    STOA_TRY(stoa_column_direct(column, &direct, err)); /* checks the dataset, for all threads */
    overwrite->moves_apart = stoa_column_can_share(column) && column->chunk_rows != 0 &&
                             STOA_MOVED_ROWS % column->chunk_rows == 0;

done:
    reclaim(column, elements, count);
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_overwrite_prepare_moves(stoa_overwrite *overwrite, uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = overwrite->column;

    if (stoa_column_is_list_group(column)) {
        STOA_TRY(open_fresh_lists(overwrite, err));
        STOA_TRY(pass_lists(overwrite, first, NULL, 0, err));
        overwrite->n_copied = column->n_rows; /* the other rows are moved */
        goto done;
    }
    STOA_TRY(stoa_values_may_be_written(column->dataset, err));
    STOA_TRY(check_element(column, err));
    STOA_TRY(stoa_column_may_be_rewritten(column, err));
    if (is_much(column, column->n_rows - first)) {
        STOA_TRY(open_twin(overwrite, first, err));
    }

done:
    return stoa_at(err, status, "%s", column->name);
}

/* Writing ----------------------------------------------------------------------------------- */

/* Save the old rows. The elements are taken over in every case. */
static stoa_status keep(stoa_overwrite *overwrite, uint64_t first, uint64_t count, void *elements,
                        stoa_error *err)
{
    if (overwrite->n_saved == overwrite->capacity) {
        const size_t capacity = overwrite->capacity * 2 + 16;
        stoa_saved_rows *grown = stoa_realloc(overwrite->saved, capacity, sizeof *grown);
        if (grown == NULL) {
            reclaim(overwrite->column, elements, count);
            return stoa_fail_memory(err);
        }
        overwrite->saved = grown;
        overwrite->capacity = capacity;
    }
    overwrite->saved[overwrite->n_saved++] = (stoa_saved_rows){first, count, elements};
    return STOA_OK;
}

/* Write consecutive rows. In place, the old ones are saved first. */
static stoa_status write_run(stoa_overwrite *overwrite, uint64_t first, uint64_t count,
                             const void *elements, stoa_error *err)
{
    void *old = NULL;

    if (overwrite->fresh != NULL) {
        return stoa_column_write_elements(overwrite->fresh, first, count, elements, err);
    }
    STOA_RETURN_NOT_OK(stoa_column_read_elements(overwrite->column, first, count, &old, err));
    STOA_RETURN_NOT_OK(keep(overwrite, first, count, old, err));
    return stoa_column_write_elements(overwrite->column, first, count, elements, err);
}

/* Write elements to rows that are near each other, and the unchanged rows between them. */
static stoa_status write_scattered(stoa_overwrite *overwrite, const uint64_t *rows, size_t n,
                                   const uint8_t *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = overwrite->column;
    const size_t size = column->element.size;
    const uint64_t first = rows[0];
    const uint64_t count = rows[n - 1] - first + 1;
    void *old = NULL;
    uint8_t *changed = NULL; /* variable parts belong to `old` and the elements */

    if (count == n) {
        return write_run(overwrite, first, count, elements, err);
    }
    STOA_TRY(stoa_column_read_elements(column, first, count, &old, err));
    changed = stoa_alloc((size_t)count, size);
    if (changed == NULL) {
        reclaim(column, old, count);
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(changed, old, (size_t)count * size);
    for (size_t i = 0; i < n; i++) {
        memcpy(changed + (size_t)(rows[i] - first) * size, elements + i * size, size);
    }
    STOA_TRY(keep(overwrite, first, count, old, err));
    STOA_TRY(stoa_column_write_elements(column, first, count, changed, err));

done:
    free(changed);
    return status;
}

static stoa_status write_in_place(stoa_overwrite *overwrite, const uint64_t *rows, size_t n,
                                  const uint8_t *elements, stoa_error *err)
{
    for (size_t at = 0; at < n;) {
        const size_t length = run_length(rows + at, n - at);
        STOA_RETURN_NOT_OK(write_scattered(overwrite, rows + at, length,
                                           elements + at * overwrite->column->element.size, err));
        at += length;
    }
    return STOA_OK;
}

/* State of copying rows to the fresh dataset, with the elements that replace some of them. */
typedef struct passing {
    stoa_column *to;
    const uint64_t *rows;
    size_t n;
    const uint8_t *elements; /* in the fresh dataset's memory form */
} passing;

static stoa_status pass_block(void *context, uint64_t first, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    passing *p = context;
    const size_t size = p->to->element.size;
    const uint64_t count = (uint64_t)view->length;
    void *old = NULL;
    uint8_t *changed = NULL; /* variable parts belong to `old` and the elements */

    STOA_TRY(stoa_column_encode(p->to, view, &old, err));
    if (p->n > 0 && p->rows[0] - first < count) {
        changed = stoa_alloc((size_t)count, size);
        STOA_TRY(changed != NULL ? STOA_OK : stoa_fail_memory(err));
        memcpy(changed, old, (size_t)count * size);
    }
    for (; p->n > 0 && p->rows[0] - first < count; p->n--) {
        memcpy(changed + (size_t)(p->rows[0] - first) * size, p->elements, size);
        p->rows++;
        p->elements += size;
    }
    STOA_TRY(stoa_column_write_elements(p->to, first, count, changed != NULL ? changed : old, err));

done:
    free(changed);
    reclaim(p->to, old, count);
    return status;
}

/* Copy the rows of the fresh dataset from n_copied up to `end`. */
static stoa_status pass(stoa_overwrite *overwrite, uint64_t end, const uint64_t *rows, size_t n,
                        const uint8_t *elements, stoa_error *err)
{
    passing p = {overwrite->fresh, rows, n, elements};

    if (n > 0 && rows[0] < overwrite->n_copied) {
        return stoa_fail(err, STOA_EINVAL,
                         "rows are to be overwritten in another order than theirs");
    }
    STOA_RETURN_NOT_OK(
        stoa_column_visit(overwrite->column, overwrite->n_copied, end, pass_block, &p, err));
    overwrite->n_copied = end;
    return STOA_OK;
}

stoa_status stoa_overwrite_put(stoa_overwrite *overwrite, const stoa_view *view,
                               stoa_categories *book, const uint64_t *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *target = overwrite->fresh != NULL ? overwrite->fresh : overwrite->column;
    stoa_stored_form plain = {.validity = NULL};
    void *elements = NULL;
    bool collides = false;
    const size_t n = (size_t)view->length;

    if (stoa_column_is_list_group(overwrite->column)) {
        STOA_TRY(n > 0 ? pass_lists(overwrite, rows[n - 1] + 1, rows, n, err) : STOA_OK);
        goto done;
    }
    STOA_TRY(stoa_stored_form_of(target, view, book, &plain, err));
    STOA_TRY(stoa_column_elements_of(target, &plain.view, &elements, &collides, err));
    if (collides) {
        STOA_TRY(stoa_column_no_fill_left(target, err));
    }
    if (plain.view.null_count > 0) {
        STOA_TRY(stoa_column_show_fill(target, &overwrite->shows_fill, err));
    }
    if (overwrite->fresh == NULL) {
        STOA_TRY(write_in_place(overwrite, rows, n, elements, err));
    } else if (n > 0) {
        STOA_TRY(pass(overwrite, rows[n - 1] + 1, rows, n, elements, err));
    }

done:
    reclaim(target, elements, n);
    stoa_stored_form_clear(&plain);
    return stoa_at(err, status, "%s", overwrite->column->name);
}

/* Drop the rows that are gone from the elements of the others. */
static void close_up(const stoa_column *column, const stoa_row_move *move, uint8_t *elements)
{
    const size_t size = column->element.size;
    uint64_t to = move->n_gone > 0 ? move->gone[0] - move->first : 0;

    for (size_t i = 0; i < move->n_gone; i++) {
        const uint64_t from = move->gone[i] - move->first;
        const uint64_t end = i + 1 < move->n_gone ? move->gone[i + 1] - move->first : move->count;
        stoa_element_reclaim(&column->element, elements + (size_t)from * size, 1);
        memmove(elements + (size_t)to * size, elements + (size_t)(from + 1) * size,
                (size_t)(end - from - 1) * size);
        to += end - from - 1;
    }
}

static stoa_status move_rows(stoa_overwrite *overwrite, const stoa_row_move *move, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = overwrite->column;
    const uint64_t n_staying = move->count - move->n_gone;
    void *elements = NULL;

    STOA_TRY(stoa_column_read_elements(column, move->first, move->count, &elements, err));
    close_up(column, move, elements);
    if (n_staying > 0) {
        STOA_TRY(write_run(overwrite, move->to, n_staying, elements, err));
    }

done:
    reclaim(column, elements, n_staying);
    return status;
}

/* The same for a list column: rows that stay go behind those that the fresh one has. */
static stoa_status move_lists(stoa_overwrite *overwrite, const stoa_row_move *move, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_part *const parts = stoa_alloc(move->n_gone + 1, sizeof *parts);
    size_t n_parts = 0;
    uint64_t at = move->first;

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i <= move->n_gone; i++) {
        const uint64_t end = i < move->n_gone ? move->gone[i] : move->first + move->count;
        stoa_list_part_add(parts, &n_parts, (stoa_list_part){.first = at, .count = end - at});
        at = end + 1;
    }
    STOA_TRY(stoa_list_copy(overwrite->column, NULL, overwrite->fresh, parts, n_parts, err));

done:
    free(parts);
    return status;
}

stoa_status stoa_overwrite_move_begin(stoa_overwrite *overwrite, const stoa_row_move *move,
                                      stoa_error *err)
{
    overwrite->mover = (stoa_column_writer){.column = overwrite->fresh, .n_rows = move->to};
    return overwrite->moves_apart
               ? stoa_column_batch_fit_elements(&overwrite->mover, move->count - move->n_gone,
                                                &overwrite->moved, err)
               : STOA_OK;
}

stoa_status stoa_overwrite_move_pack(stoa_overwrite *overwrite, const stoa_row_move *move,
                                     stoa_workers *workers, stoa_scratch *scratch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = overwrite->column;
    stoa_block_reader reader = {.column = column, .workers = workers, .scratch = *scratch};

    if (!overwrite->moves_apart) {
        return STOA_OK;
    }
    STOA_TRY(stoa_block_reader_elements(&reader, move->first, move->count,
                                        &overwrite->moved.elements, err));
    close_up(column, move, overwrite->moved.elements);
    STOA_TRY(stoa_column_batch_pack(&overwrite->mover, &overwrite->moved, &reader.scratch, err));

done:
    *scratch = reader.scratch;
    return status;
}

stoa_status stoa_overwrite_move_put(stoa_overwrite *overwrite, const stoa_row_move *move,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (overwrite->moves_apart) {
        status = stoa_column_batch_put(&overwrite->mover, &overwrite->moved, err);
        stoa_column_batch_clear(&overwrite->mover, &overwrite->moved);
        return status;
    }
    status = (stoa_column_is_list_group(overwrite->column) ? move_lists : move_rows)(overwrite,
                                                                                     move, err);
    return stoa_at(err, status, "%s", overwrite->column->name);
}

/* Ending ------------------------------------------------------------------------------------ */

stoa_status stoa_overwrite_publish(stoa_overwrite *overwrite, hid_t group, stoa_error *err)
{
    stoa_column *target = overwrite->fresh != NULL ? overwrite->fresh : overwrite->column;

    if (target == NULL) {
        return STOA_OK; /* the column does not change */
    }
    if (overwrite->n_copied < overwrite->column->n_rows && overwrite->fresh != NULL) {
        const uint64_t end = overwrite->column->n_rows;
        STOA_RETURN_NOT_OK(stoa_column_is_list_group(overwrite->column)
                               ? pass_lists(overwrite, end, NULL, 0, err)
                               : pass(overwrite, end, NULL, 0, NULL, err));
    }
    if (overwrite->fresh != NULL && stoa_column_is_list_group(target)) {
        /* NROWS is committed later. Until then, there must be so many entries. */
        STOA_RETURN_NOT_OK(stoa_list_pad(target, overwrite->column->n_rows, err));
        STOA_RETURN_NOT_OK(stoa_list_finish(target, err));
    }
    STOA_RETURN_NOT_OK(stoa_column_flush(target, err));
    if (overwrite->fresh != NULL && !overwrite->is_published) {
        STOA_RETURN_NOT_OK(stoa_column_publish(group, overwrite->column, overwrite->fresh, err));
        overwrite->is_published = true;
    }
    return STOA_OK;
}

void stoa_overwrite_undo(stoa_overwrite *overwrite, hid_t group)
{
    stoa_error ignored = STOA_ERROR_INIT;

    if (overwrite->is_published) {
        overwrite->is_published =
            stoa_column_exchange(group, overwrite->column, overwrite->fresh, &ignored) != STOA_OK;
    }
    while (overwrite->n_saved > 0) {
        const stoa_saved_rows *rows = &overwrite->saved[--overwrite->n_saved];
        (void)stoa_column_write_elements(overwrite->column, rows->first, rows->count,
                                         rows->elements, &ignored);
        reclaim(overwrite->column, rows->elements, rows->count);
    }
    (void)stoa_column_flush(overwrite->column, &ignored);
}

void stoa_overwrite_clear(stoa_overwrite *overwrite)
{
    while (overwrite->n_saved > 0) {
        const stoa_saved_rows *rows = &overwrite->saved[--overwrite->n_saved];
        reclaim(overwrite->column, rows->elements, rows->count);
    }
    free(overwrite->saved);
    if (overwrite->moves_apart) {
        stoa_column_batch_clear(&overwrite->mover, &overwrite->moved);
    }
    stoa_list_writer_close(overwrite->staging);
    stoa_column_close(overwrite->staged);
    stoa_column_close(overwrite->fresh);
    *overwrite = (stoa_overwrite){.column = NULL};
}
