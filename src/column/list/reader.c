#include "column/list/reader.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/take.h"
#include "column/list/offsets.h"
#include "column/read/block.h"
#include "column/read/decode.h"
#include "core/memory.h"

typedef struct list_reader {
    const stoa_list *list;            /* borrowed from the column */
    const struct ArrowSchema *schema; /* of the lists; borrowed from the column */
    struct ArrowSchema bare_schema;   /* of lists without items */
    stoa_buffer_pool *blocks;         /* buffers of batches */
    bool is_large;                    /* there are more values than 32 bits can count */
    bool has_values;                  /* stored values have Arrow's memory form */
} list_reader;

/* Upper bound of the memory kept from released batches for later ones. Each column has a pool of
 * its own, because a pool keeps 16 buffers, which several columns would take from each other. It is
 * not in the budget of the read context, which a column knows only once a query prepares it. */
static const size_t most_idle = (size_t)8 << 20;

/* --- missing entries ------------------------------------------------------------------------- */

/* Read which entries are missing (HEP001-2026-07 §9.3): those whose MASK is FALSE, whatever their
 * slice is. The validity is allocated, or NULL if none is missing. */
static stoa_status read_mask(const list_reader *is, stoa_scratch *scratch, uint64_t first,
                             uint64_t count, uint8_t **validity, int64_t *n_missing,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_validity_kernels *const marks = stoa_validity_kernels_of(stoa_simd_of_cpu());
    const stoa_list_numbers mask = {is->list->mask, scratch};
    uint8_t *stored = NULL;

    *validity = NULL;
    *n_missing = 0;
    if (mask.column == NULL || count == 0) {
        return STOA_OK;
    }
    stored = stoa_buffer_pool_get(is->blocks, (size_t)count);
    STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_list_numbers_read(&mask, first, count, stored, err));
    if (!marks->below[0](stored, count, 2)) {
        uint64_t i = 0;
        while (i + 1 < count && stored[i] < 2) {
            i++;
        }
        STOA_FAIL(err, STOA_EDATA,
                  "MASK is %u at entry %llu, which is neither FALSE nor TRUE (HEP001-2026-07 §8.8)",
                  stored[i], (unsigned long long)(first + i));
    }
    *validity = stoa_alloc((size_t)stoa_bit_bytes(count) + 1, 1);
    STOA_TRY(*validity != NULL ? STOA_OK : stoa_fail_memory(err));
    *n_missing = (int64_t)marks->unequal[0](stored, count, 0, *validity);
    if (*n_missing == 0) {
        free(*validity);
        *validity = NULL;
    }

done:
    stoa_buffer_pool_put(stored);
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

static void give_back_map(void *map)
{
    stoa_file_map_release(map);
}

/* Mark the missing ones of n numbers. The validity is allocated, or NULL if none is missing. */
static stoa_status mark_numbers(const stoa_column *column, const void *values, uint64_t n,
                                uint8_t **validity, int64_t *n_missing, stoa_error *err)
{
    *validity = NULL;
    *n_missing = 0;
    if (column->fill == NULL || n == 0) {
        return STOA_OK;
    }
    uint8_t *const bits = stoa_alloc((size_t)stoa_bit_bytes(n) + 1, 1);
    STOA_RETURN_NO_MEMORY(err, bits);
    *n_missing = (int64_t)stoa_column_mark_valid(
        column, stoa_validity_kernels_of(stoa_simd_of_cpu()), values, n, bits);
    if (*n_missing == 0) {
        free(bits);
    } else {
        *validity = bits;
    }
    return STOA_OK;
}

/* Lend the values in the map of the file. Nothing is made if they must be read. */
static stoa_status lend_numbers(const stoa_column *column, const stoa_list_span *span,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file_map *map = NULL;
    uint8_t *validity = NULL;
    int64_t n_missing = 0;
    const void *const lent =
        stoa_column_may_change(column)
            ? stoa_direct_lend(column->reader.direct, span->first, span->count, &map)
            : NULL;

    if (lent == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_array_make_lent(out, (int64_t)span->count, lent, give_back_map, map, err));
    STOA_TRY(mark_numbers(column, lent, span->count, &validity, &n_missing, err));
    STOA_TRY(validity != NULL ? stoa_array_hide(out, validity, 0, err) : STOA_OK);

done:
    free(validity);
    return status;
}

/* Read numbers that have Arrow's memory form. */
static stoa_status read_numbers(const list_reader *is, stoa_scratch *scratch,
                                const stoa_list_span *span, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = is->list->values;
    const stoa_list_numbers numbers = {column, scratch};
    uint8_t *validity = NULL;
    void *values = NULL;
    int64_t n_missing = 0;

    STOA_TRY(scratch != NULL ? lend_numbers(column, span, out, err) : STOA_OK);
    if (out->release != NULL) {
        goto done;
    }
    STOA_TRY(span->count <= SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    values = stoa_buffer_pool_get(is->blocks, (size_t)span->count * column->element.size);
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_list_numbers_read(&numbers, span->first, span->count, values, err));
    STOA_TRY(mark_numbers(column, values, span->count, &validity, &n_missing, err));
    void *const buffers[] = {validity, values};
    validity = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make_of_blocks(out, (int64_t)span->count, n_missing, 2, buffers, err));

done:
    free(validity);
    stoa_buffer_pool_put(values);
    return status;
}

/* Read other elements of a dataset: booleans, times, strings, structs. */
static stoa_status read_elements(stoa_column *column, stoa_scratch *scratch,
                                 const stoa_list_span *span, struct ArrowArray *out,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_list_numbers numbers = {column, scratch};
    stoa_block block = {.count = span->count};

    STOA_TRY(span->count <= SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    block.elements = stoa_alloc((size_t)span->count, column->element.size);
    STOA_TRY(block.elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_list_numbers_read(&numbers, span->first, span->count, block.elements, err));
    STOA_TRY(stoa_column_missing(column, block.elements, span->count, &block.missing,
                                 &block.n_missing, err));
    STOA_TRY(stoa_block_present(column, &block, out, err));

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

/* The scratches are NULL if libhdf5 may be called. */
static stoa_status read_values(const list_reader *is, stoa_scratch *inner, stoa_scratch *scratch,
                               const stoa_list_span *span, struct ArrowArray *out, stoa_error *err)
{
    stoa_column *const values = is->list->values;
    const stoa_column_source *const source = &values->source;

    if (is->has_values) {
        return read_numbers(is, scratch, span, out, err);
    }
    if (scratch == NULL) {
        return stoa_column_read(values, span->first, span->count, out, err);
    }
    if (stoa_column_is_dataset(values)) {
        return read_elements(values, scratch, span, out, err);
    }
    return stoa_column_at(
        values,
        source->read_free(source->context, inner, scratch, span->first, span->count, out, err),
        err);
}

/* --- entries --------------------------------------------------------------------------------- */

/* Make strings of their offsets and bytes. `buffers` has the validity and the offsets, and is moved
 * from. */
static stoa_status read_texts(const list_reader *is, stoa_scratch *scratch,
                              const stoa_list_span *span, uint64_t count, int64_t n_missing,
                              void **buffers, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_list_numbers chars = {is->list->values, scratch};
    void *bytes = NULL;

    STOA_TRY(span->count <= SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    bytes = stoa_buffer_pool_get(is->blocks, (size_t)span->count);
    STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_list_numbers_read(&chars, span->first, span->count, bytes, err));
    void *const all[] = {buffers[0], buffers[1], bytes};
    buffers[0] = buffers[1] = bytes = NULL;
    STOA_TRY(stoa_array_make_of_blocks(out, (int64_t)count, n_missing, 3, all, err));

done:
    stoa_buffer_pool_put(bytes);
    return status;
}

/* Where entries lie, and which are missing. */
typedef struct places {
    void *buffers[2]; /* the validity, allocated, and the offsets, of the pool */
    int64_t n_missing;
    stoa_list_span span;
} places;

/* Read the places of entries. The caller clears them, after a failure, too. */
static stoa_status read_places(const list_reader *is, stoa_scratch *scratch, uint64_t first,
                               uint64_t count, places *p, stoa_error *err)
{
    const size_t width = is->is_large ? sizeof(int64_t) : sizeof(int32_t);
    uint8_t *validity = NULL;

    *p = (places){.n_missing = 0};
    STOA_RETURN_NO_MEMORY(err, count < SIZE_MAX / 16);
    p->buffers[1] = stoa_buffer_pool_get(is->blocks, ((size_t)count + 1) * width);
    STOA_RETURN_NO_MEMORY(err, p->buffers[1]);
    STOA_RETURN_NOT_OK(stoa_list_offsets_read(is->list, scratch, first, count, is->blocks,
                                              is->is_large, p->buffers[1], &p->span, err));
    STOA_RETURN_NOT_OK(read_mask(is, scratch, first, count, &validity, &p->n_missing, err));
    p->buffers[0] = validity;
    return STOA_OK;
}

static void clear_places(places *p)
{
    free(p->buffers[0]);
    stoa_buffer_pool_put(p->buffers[1]);
}

/* Make lists of places and values, both of which are moved from. */
static stoa_status make_lists(places *p, uint64_t count, struct ArrowArray *values,
                              struct ArrowArray *out, stoa_error *err)
{
    void *const buffers[] = {p->buffers[0], p->buffers[1]};

    p->buffers[0] = p->buffers[1] = NULL;
    STOA_RETURN_NOT_OK(
        stoa_array_make_of_blocks(out, (int64_t)count, p->n_missing, 2, buffers, err));
    STOA_RETURN_NOT_OK(stoa_array_children(out, 1, err));
    stoa_array_move(values, out->children[0]);
    return STOA_OK;
}

/* Find out which of the cells that were read each entry is; -1 if it is missing. */
static stoa_status place_cells(const list_reader *is, const places *p, uint64_t first,
                               uint64_t count, int64_t *cells, stoa_error *err)
{
    const int64_t width = is->list->width;
    const uint8_t *const validity = p->buffers[0];
    const int32_t *const near = p->buffers[1];
    const int64_t *const far = p->buffers[1];

    for (uint64_t i = 0; i < count; i++) {
        const bool is_missing = validity != NULL && !stoa_bit_get(validity, i);
        const int64_t at = is->is_large ? far[i] : near[i];
        const int64_t n = (is->is_large ? far[i + 1] : near[i + 1]) - at;
        if (n != width && !(is_missing && n == 0)) {
            return stoa_fail(err, STOA_EDATA,
                             "entry %llu has %lld values, not %lld as the attribute %s says; "
                             "without it the rows are lists of any length",
                             (unsigned long long)(first + i), (long long)n, (long long)width,
                             STOA_COLUMN_ARROW_TYPE);
        }
        cells[i] = is_missing ? -1 : at / width;
    }
    return STOA_OK;
}

/* Make fixed-size lists of the values, which are moved from. */
static stoa_status make_cells(const list_reader *is, const places *p, uint64_t first,
                              uint64_t count, struct ArrowArray *values, struct ArrowArray *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *const cells = stoa_alloc((size_t)count, sizeof *cells);
    struct ArrowArray present = {.release = NULL};
    stoa_view view;

    STOA_TRY(cells != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(place_cells(is, p, first, count, cells, err));
    STOA_TRY(stoa_array_list(&present, values->length / is->list->width, 0, 1,
                             (void *const[]){NULL}, values, err));
    if (p->n_missing == 0) {
        stoa_array_move(&present, out);
    } else {
        STOA_TRY(stoa_view_of_sound(is->schema, &present, &view, err));
        STOA_TRY(stoa_take_rows(&view, cells, (int64_t)count, out, err));
    }

done:
    stoa_array_release(&present);
    free(cells);
    return status;
}

/* Read lists, or nothing of them but their places. */
static stoa_status read_entries(const list_reader *is, stoa_scratch *for_offsets,
                                stoa_scratch *for_values, uint64_t first, uint64_t count,
                                bool are_bare, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray values = {.release = NULL};
    places p;

    out->release = NULL;
    STOA_TRY(read_places(is, for_offsets, first, count, &p, err));
    const int64_t n = (int64_t)p.span.count;
    if (is->list->is_text) {
        STOA_TRY(read_texts(is, for_values, &p.span, count, p.n_missing, p.buffers, out, err));
        goto done;
    }
    STOA_TRY(are_bare ? stoa_array_make(&values, n, n, 0, NULL, err)
                      : read_values(is, for_offsets, for_values, &p.span, &values, err));
    STOA_TRY(is->list->width > 0 && !are_bare ? make_cells(is, &p, first, count, &values, out, err)
                                              : make_lists(&p, count, &values, out, err));

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_array_release(&values);
    clear_places(&p);
    return status;
}

static stoa_status read_free(void *context, stoa_scratch *for_offsets, stoa_scratch *for_values,
                             uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    return read_entries(context, for_offsets, for_values, first, count, false, out, err);
}

static stoa_status read_bare(void *context, stoa_scratch *scratch, uint64_t first, uint64_t count,
                             struct ArrowArray *out, stoa_error *err)
{
    return read_entries(context, scratch, NULL, first, count, true, out, err);
}

static stoa_status read_lists(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    return read_free(context, NULL, NULL, first, count, out, err);
}

/* --- presenting ------------------------------------------------------------------------------ */

/* Share the labels of values once. Sharing them later changes only a count, so that threads need no
 * lock for it. */
static stoa_status share_labels(stoa_column *values, stoa_error *err)
{
    struct ArrowArray labels = {.release = NULL};
    stoa_status status = STOA_OK;

    if (values->dictionary.release != NULL) {
        status = stoa_array_share(&values->dictionary, &labels, err);
        stoa_array_release(&labels);
    }
    return status;
}

static stoa_status prepare(void *context, stoa_read_context *read_context, bool *is_free,
                           stoa_error *err)
{
    const list_reader *const is = context;
    stoa_column *const values = is->list->values;
    stoa_column *const members[] = {is->list->offsets, is->list->mask,
                                    stoa_column_is_dataset(values) ? values : NULL};

    *is_free = members[2] != NULL || values->source.prepare != NULL;
    for (size_t i = 0; *is_free && i < sizeof members / sizeof *members; i++) {
        STOA_RETURN_NOT_OK(members[i] != NULL
                               ? stoa_list_numbers_find(members[i], read_context, is_free, err)
                               : STOA_OK);
    }
    STOA_RETURN_NOT_OK(share_labels(values, err));
    return *is_free && members[2] == NULL
               ? values->source.prepare(values->source.context, read_context, is_free, err)
               : STOA_OK;
}

static void close_reader(void *context)
{
    list_reader *const is = context;

    stoa_buffer_pool_close(is->blocks);
    stoa_schema_release(&is->bare_schema);
    free(is);
}

/* Whether numbers in memory are those of Arrow; they may be missing. */
static bool has_values(const stoa_column *values)
{
    return stoa_column_is_dataset(values) && stoa_column_are_values(values);
}

/* Whether the arrays that are read need no check: values have no offsets and codes of their own, or
 * these are checked while they are read. */
static bool is_sound(const stoa_list *list)
{
    const stoa_column *const values = list->values;

    if (!stoa_column_is_dataset(values)) {
        return values->source.is_sound;
    }
    return list->is_text || has_values(values) ||
           (values->element.class == STOA_ELEMENT_INTEGER &&
            values->type.kind != STOA_KIND_DICTIONARY);
}

static stoa_status make_list_schema(const stoa_column *column, bool is_large,
                                    struct ArrowSchema *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, column->name, is_large ? "+L" : "+l", err));
    return stoa_schema_children(out, 1, err);
}

static stoa_status make_schema(const stoa_column *column, bool is_large, struct ArrowSchema *out,
                               stoa_error *err)
{
    const stoa_list *const list = column->list;
    const stoa_type cell = {.kind = STOA_KIND_FIXED_LIST, .width = list->width};

    if (list->is_text) {
        return stoa_schema_make(out, column->name, is_large ? "U" : "u", err);
    }
    if (list->width > 0) {
        STOA_RETURN_NOT_OK(stoa_schema_make_type(out, column->name, &cell, err));
        STOA_RETURN_NOT_OK(stoa_schema_children(out, 1, err));
    } else {
        STOA_RETURN_NOT_OK(make_list_schema(column, is_large, out, err));
    }
    STOA_RETURN_NOT_OK(stoa_column_schema(list->values, out->children[0], err));
    return stoa_schema_rename(out->children[0], "item", err);
}

static stoa_status make_bare_schema(const stoa_column *column, bool is_large,
                                    struct ArrowSchema *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(make_list_schema(column, is_large, out, err));
    return stoa_schema_make(out->children[0], "item", stoa_kind_format(STOA_KIND_NULL), err);
}

stoa_status stoa_list_present(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_list *const list = column->list;
    list_reader *reader = stoa_alloc_zero(1, sizeof *reader);

    STOA_RETURN_NO_MEMORY(err, reader);
    reader->list = list;
    reader->schema = &column->source_schema;
    reader->is_large = list->values->n_rows > INT32_MAX;
    reader->has_values = !list->is_text && has_values(list->values);
    STOA_TRY(stoa_buffer_pool_open(most_idle, &reader->blocks, err));
    STOA_TRY(make_schema(column, reader->is_large, &column->source_schema, err));
    STOA_TRY(make_bare_schema(column, reader->is_large, &reader->bare_schema, err));
    STOA_TRY(stoa_type_of(&column->source_schema, &column->type, err));
    column->element.class = STOA_ELEMENT_OPAQUE; /* only the size is used */
    column->element.size = 1;
    column->source = (stoa_column_source){.read_array = read_lists,
                                          .prepare = prepare,
                                          .read_free = read_free,
                                          .read_bare = list->is_text ? NULL : read_bare,
                                          .bare_schema = &reader->bare_schema,
                                          .close = close_reader,
                                          .context = reader,
                                          .is_sound = is_sound(list)};
    reader = NULL;

done:
    if (reader != NULL) {
        close_reader(reader);
        stoa_schema_release(&column->source_schema);
    }
    return status;
}

stoa_status stoa_list_of_members(const char *name, const stoa_list *list, uint64_t n_rows,
                                 stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *made = NULL;
    stoa_list *own = stoa_alloc(1, sizeof *own);

    *column = NULL;
    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    *own = *list;
    STOA_TRY(stoa_column_note(H5I_INVALID_HID, name, n_rows, NULL, &made, err));
    made->list = own;
    made->is_loaded = true;
    made->is_foreign = true;
    made->extent = n_rows;
    (void)strcpy(made->element.text, "made by its layout");
    STOA_TRY(stoa_list_present(made, err));
    *column = made;

done:
    if (status != STOA_OK && made != NULL) {
        stoa_column_close(made);
    } else if (status != STOA_OK) {
        stoa_column_close(list->offsets);
        stoa_column_close(list->mask);
        stoa_column_close(list->values);
        free(own);
    }
    return status;
}

static stoa_status look_for_packed(const stoa_list *list, stoa_read_context *read_context,
                                   bool *has, stoa_error *err)
{
    stoa_column *const members[] = {list->offsets, list->mask, list->values};
    const stoa_direct *direct = NULL;
    bool is_free = false;

    for (size_t i = 0; !*has && i < sizeof members / sizeof *members; i++) {
        if (members[i] != NULL && members[i]->list != NULL) {
            STOA_RETURN_NOT_OK(look_for_packed(members[i]->list, read_context, has, err));
        } else if (members[i] != NULL) {
            STOA_RETURN_NOT_OK(stoa_list_numbers_find(members[i], read_context, &is_free, err));
            STOA_RETURN_NOT_OK(is_free ? stoa_column_direct(members[i], &direct, err) : STOA_OK);
            *has = !is_free || stoa_direct_is_packed(direct);
        }
    }
    return STOA_OK;
}

stoa_status stoa_list_is_unpacked(stoa_column *column, bool *is, stoa_error *err)
{
    bool has_packed = false;

    STOA_RETURN_NOT_OK(look_for_packed(column->list, column->read_context, &has_packed, err));
    *is = !has_packed;
    return STOA_OK;
}

uint64_t stoa_list_bare_bytes(const stoa_column *column)
{
    const stoa_list *const list = column->list;

    return stoa_column_stored_bytes(list->offsets) +
           (list->mask != NULL ? stoa_column_stored_bytes(list->mask) : 0);
}

uint64_t stoa_list_row_bytes(const stoa_column *column)
{
    const stoa_list *const list = column->list;
    const uint64_t n_values = list->values->n_rows;
    const uint64_t each =
        list->values->list != NULL ? stoa_list_row_bytes(list->values) : list->values->element.size;

    return column->n_rows == 0 ? 1
           : n_values / column->n_rows > (UINT64_MAX >> 1) / (each + 1)
               ? UINT64_MAX >> 1
               : n_values / column->n_rows * each + 1;
}
