/* The column handle: noting, writing and closing (HEP001 §8). Loading is in open.c. */
#include "column/read/learned.h"

#include <stdlib.h>

#include "core/memory.h"

stoa_status stoa_column_note(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err)
{
    stoa_column *made = stoa_alloc_zero(1, sizeof *made);

    *column = NULL;
    if (made == NULL) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
        return stoa_fail_memory(err);
    }
    made->dataset = dataset;
    made->group = H5I_INVALID_HID;
    made->home = H5I_INVALID_HID;
    made->reader = (stoa_checked_reader)STOA_CHECKED_READER_INIT;
    made->categories = H5I_INVALID_HID;
    made->element.mem_type = H5I_INVALID_HID;
    made->member = (stoa_row_member)STOA_ROW_MEMBER_INIT;
    made->n_rows = n_rows;
    made->name = stoa_strdup(name);
    made->units_vocabulary = vocabulary != NULL ? stoa_strdup(vocabulary) : NULL;
    if (made->name == NULL || (vocabulary != NULL && made->units_vocabulary == NULL)) {
        stoa_column_close(made);
        return stoa_fail_memory(err);
    }
    *column = made;
    return STOA_OK;
}

stoa_status stoa_column_note_link(hid_t group, const char *name, uint64_t n_rows,
                                  const char *vocabulary, stoa_column **column, stoa_error *err)
{
    const stoa_status status =
        stoa_column_note(H5I_INVALID_HID, name, n_rows, vocabulary, column, err);

    if (status == STOA_OK) {
        (*column)->group = group;
    }
    return status;
}

/* Drop the rows that a source reads, and the members of a list column. */
static void close_source(stoa_column *column)
{
    stoa_list *const list = column->list;

    if (column->source.close != NULL) {
        column->source.close(column->source.context);
    }
    column->source = (stoa_column_source){.close = NULL};
    stoa_schema_release(&column->source_schema);
    if (list != NULL) {
        stoa_column_close(list->offsets);
        stoa_column_close(list->mask);
        stoa_column_close(list->values);
        list->offsets = list->mask = list->values = NULL;
    }
}

void stoa_column_renew(stoa_column *column)
{
    stoa_checked_reader_close(&column->reader);
    stoa_column_close_writer(column);
    column->is_guarded = false;
}

void stoa_column_unload(stoa_column *column)
{
    if (stoa_column_is_list_group(column)) {
        close_source(column);
    }
    stoa_learned_free(column->learned_dictionary);
    stoa_learned_free(column->zones);
    stoa_learned_free(column->complete);
    stoa_element_reclaim(&column->element, column->fill, column->fill != NULL ? 1 : 0);
    stoa_array_release(&column->dictionary);
    stoa_schema_release(&column->dictionary_schema);
    stoa_element_clear(&column->element);
    (void)stoa_hdf_close(&column->categories, STOA_OK, NULL);
    free(column->fill);
    free(column->valid_min);
    free(column->valid_max);
    free(column->units);
    free(column->description);
    free(column->extension);
    free(column->extension_metadata);
    free(column->item_extension);
    free(column->item_extension_metadata);
    free(column->narrower);
    free(column->zone);
    column->element = (stoa_element){.mem_type = H5I_INVALID_HID};
    column->learned_dictionary = NULL;
    column->zones = NULL;
    column->complete = NULL;
    column->fill = NULL;
    column->valid_min = NULL;
    column->valid_max = NULL;
    column->units = NULL;
    column->description = NULL;
    column->extension = NULL;
    column->extension_metadata = NULL;
    column->item_extension = NULL;
    column->item_extension_metadata = NULL;
    column->narrower = NULL;
    column->zone = NULL;
    column->has_read_categories = false;
    column->is_loaded = false;
}

void stoa_column_let_go(stoa_column *column)
{
    if (column->is_one_of_many && !stoa_column_is_list_group(column) &&
        (!column->is_guarded || column->reader.direct != NULL)) {
        (void)stoa_hdf_close(&column->dataset, STOA_OK, NULL); /* nothing was written to it */
    }
}

void stoa_column_close(stoa_column *column)
{
    if (column == NULL) {
        return;
    }
    stoa_checked_reader_close(&column->reader);
    stoa_column_close_writer(column);
    stoa_column_unload(column);
    stoa_row_member_close(&column->member);
    close_source(column);
    if (column->opener.close != NULL) {
        column->opener.close(column->opener.context);
    }
    free(column->list);
    stoa_field_metadata_free(column->metadata, column->n_metadata);
    (void)stoa_hdf_close(&column->dataset, STOA_OK, NULL);
    free(column->name);
    free(column->place);
    free(column->damage);
    free(column->units_vocabulary);
    stoa_column_close(column->mask);
    free(column);
}

stoa_status stoa_column_at(const stoa_column *column, stoa_status status, stoa_error *err)
{
    return stoa_within(err, status, "%s", column->place != NULL ? column->place : column->name);
}

stoa_status stoa_column_check_rows(const stoa_column *column, uint64_t first, uint64_t count,
                                   stoa_error *err)
{
    const unsigned long long end = first + count;

    if (first <= column->n_rows && count <= column->n_rows - first) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ERANGE, "'%s': rows %llu to %llu pass NROWS %llu (HEP001 §7.3)",
                     column->name, (unsigned long long)first, end,
                     (unsigned long long)column->n_rows);
}

/* --- field metadata -------------------------------------------------------------------------- */

stoa_status stoa_field_metadata_add(stoa_field_metadata **metadata, size_t *n, const char *key,
                                    const char *value, stoa_error *err)
{
    stoa_field_metadata *more = NULL;

    if (value == NULL) {
        return STOA_OK;
    }
    more = stoa_one_more(*metadata, *n, sizeof *more);
    STOA_RETURN_NO_MEMORY(err, more);
    *metadata = more;
    const stoa_field_metadata entry = {stoa_strdup(key), stoa_strdup(value)};
    more[(*n)++] = entry;
    return entry.key != NULL && entry.value != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_field_metadata_free(stoa_field_metadata *metadata, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(metadata[i].key);
        free(metadata[i].value);
    }
    free(metadata);
}

stoa_status stoa_column_add_metadata(stoa_column *column, const char *key, const char *value,
                                     stoa_error *err)
{
    return stoa_field_metadata_add(&column->metadata, &column->n_metadata, key, value, err);
}

/* --- writing --------------------------------------------------------------------------------- */

stoa_status stoa_column_open_writer(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_writer *writer = NULL;

    if (column->writer != NULL) {
        return STOA_OK;
    }
    writer = stoa_alloc(1, sizeof *writer);
    STOA_TRY(writer != NULL ? STOA_OK : stoa_fail_memory(err));
    *writer = (stoa_chunk_writer)STOA_CHUNK_WRITER_INIT;
    column->writer = writer;
    STOA_TRY(stoa_chunk_writer_open(writer, column->dataset, column->element.mem_type, err));

done:
    if (status != STOA_OK) {
        stoa_column_close_writer(column);
    }
    return status;
}

void stoa_column_close_writer(stoa_column *column)
{
    if (column->writer != NULL) {
        stoa_chunk_writer_close(column->writer);
        free(column->writer);
        column->writer = NULL;
    }
}

stoa_status stoa_column_write_elements(stoa_column *column, uint64_t first, uint64_t count,
                                       const void *elements, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_open_writer(column, err));
    return stoa_chunk_writer_write(column->writer, first, count, elements, err);
}

stoa_status stoa_column_flush(stoa_column *column, stoa_error *err)
{
    return column->writer != NULL ? stoa_chunk_writer_flush(column->writer, err) : STOA_OK;
}

void stoa_column_discard(stoa_column *column)
{
    if (column->writer != NULL) {
        stoa_chunk_writer_discard(column->writer);
    }
}
