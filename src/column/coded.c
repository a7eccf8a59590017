/* Rows of a column of strings as the codes of its lexicon; see reader.h. */
#include <string.h>

#include "column/lexicon.h"
#include "column/reader_parts.h"

/* Less than this part of a chunk is no reason to find the codes of all of it. */
enum { LITTLE_PART = 64 };

/* The file was changed since all of it was read. */
static stoa_status fail_unknown(uint64_t first, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA,
                     "a text from row %llu on was not there before: the file has been changed "
                     "while it was open",
                     (unsigned long long)first);
}

/* Have the codes of a chunk, if they are kept, or shall be. */
static stoa_status hold(stoa_column_reader *reader, uint64_t chunk, bool makes, stoa_error *err)
{
    const stoa_column *column = reader->column;
    const uint64_t first = chunk * column->chunk_rows;
    const uint64_t left = column->n_rows - first;
    const uint64_t n = left < column->chunk_rows ? left : column->chunk_rows;
    const uint8_t *elements = NULL;
    bool found = true;

    if (reader->codes != NULL && reader->codes_number == chunk) {
        return STOA_OK;
    }
    stoa_lexicon_release(reader->lexicon, reader->codes);
    reader->codes = stoa_lexicon_hold(reader->lexicon, chunk);
    reader->codes_number = chunk;
    if (reader->codes == NULL && makes) {
        STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, n, &elements, err));
        reader->codes = stoa_lexicon_keep(reader->lexicon, chunk, elements, n, &found);
        STOA_RETURN_NOT_OK(found ? STOA_OK : fail_unknown(first, err));
    }
    return STOA_OK;
}

/* Rows of one chunk: where they lie, or in `room`. */
static stoa_status read_part(stoa_column_reader *reader, uint64_t first, uint64_t n, uint8_t *room,
                             const uint8_t **codes, stoa_error *err)
{
    const uint64_t rows = reader->column->chunk_rows;
    const size_t width = stoa_lexicon_width(reader->lexicon);
    const uint8_t *elements = NULL;

    STOA_RETURN_NOT_OK(
        hold(reader, first / rows, reader->keeps_codes && n >= rows / LITTLE_PART, err));
    if (reader->codes != NULL) {
        *codes = stoa_held_bytes(reader->codes) + (size_t)(first % rows) * width;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_reader_elements(reader, first, n, &elements, err));
    STOA_RETURN_NOT_OK(stoa_lexicon_encode(reader->lexicon, elements, n, room)
                           ? STOA_OK
                           : fail_unknown(first, err));
    *codes = room;
    return STOA_OK;
}

static stoa_status read_parts(stoa_column_reader *reader, uint64_t first, uint64_t count,
                              const uint8_t **codes, stoa_error *err)
{
    const uint64_t rows = reader->column->chunk_rows;
    const size_t width = stoa_lexicon_width(reader->lexicon);
    uint8_t *room = NULL;

    STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_PRESENTED,
                                                (size_t)count * width + 1, &room, err));
    if (count <= rows - first % rows) {
        STOA_RETURN_NOT_OK(read_part(reader, first, count, room, codes, err));
        return STOA_OK;
    }
    for (uint64_t at = 0, n; at < count; at += n) {
        const uint64_t left = rows - (first + at) % rows;
        const uint8_t *part = NULL;
        n = left < count - at ? left : count - at;
        STOA_RETURN_NOT_OK(read_part(reader, first + at, n, room + (size_t)at * width, &part, err));
        if (part != room + (size_t)at * width) {
            memcpy(room + (size_t)at * width, part, (size_t)n * width);
        }
    }
    *codes = room;
    return STOA_OK;
}

stoa_status stoa_column_reader_codes(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                     stoa_view *view, stoa_error *err)
{
    const int place = stoa_marks_place(stoa_lexicon_width(reader->lexicon));
    const uint8_t *codes = NULL;
    uint8_t *validity = NULL;
    uint64_t n_missing = 0;
    uint64_t missing;

    STOA_RETURN_NOT_OK(read_parts(reader, first, count, &codes, err));
    if (stoa_lexicon_missing(reader->lexicon, &missing)) {
        STOA_RETURN_NOT_OK(stoa_column_reader_block(reader, STOA_READER_VALIDITY,
                                                    stoa_bit_bytes(count) + 1, &validity, err));
        n_missing = reader->marks->unequal[place](codes, count, missing, validity);
    }
    *view = reader->frame;
    view->length = (int64_t)count;
    view->null_count = (int64_t)n_missing;
    view->validity = n_missing != 0 ? validity : NULL;
    view->values = codes;
    return STOA_OK;
}
