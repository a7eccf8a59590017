#include "sparse/rfc/rfc_sections.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/format/positions.h"
#include "sparse/rfc/encoded_selection.h"

void stoa_rfc_sections_clear(stoa_rfc_sections *sections)
{
    stoa_buffer_clear(&sections->packed);
    stoa_buffer_clear(&sections->selection);
    *sections = (stoa_rfc_sections){.n = 0};
}

stoa_status stoa_rfc_number(const stoa_rfc_dataset *d, const hsize_t *offset, uint64_t *number,
                            stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(d->store);
    uint64_t position = 0;

    for (unsigned i = 0; i < shape->rank; i++) {
        if (offset[i] % shape->chunk[i] != 0 || offset[i] >= shape->extent[i]) {
            return stoa_fail(err, STOA_ERANGE,
                             "no chunk begins at %llu in dimension %u; chunks begin at multiples "
                             "of %llu below %llu",
                             (unsigned long long)offset[i], i, (unsigned long long)shape->chunk[i],
                             (unsigned long long)shape->extent[i]);
        }
    }
    *number = stoa_shape_locate(shape, offset, &position);
    return STOA_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

static bool are_inside(const stoa_shape *shape, const uint64_t *offset,
                       const stoa_sparse_chunk *chunk)
{
    for (size_t i = 0; i < chunk->n; i++) {
        uint64_t at[H5S_MAX_RANK];
        stoa_shape_element(shape, offset, chunk->positions[i], at);
        for (unsigned k = 0; k < shape->rank; k++) {
            if (at[k] >= shape->extent[k]) {
                return false;
            }
        }
    }
    return true;
}

/* Make section 0 from these positions, and apply its filters. */
static stoa_status make_selection(const stoa_rfc_dataset *d, const uint64_t *offset,
                                  const stoa_sparse_chunk *chunk, stoa_sparse_coder *coder,
                                  stoa_rfc_sections *out, stoa_error *err)
{
    stoa_stored_section *section = &out->sections[STOA_SECTION_POSITIONS];
    stoa_buffer blob = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_encoded_selection_write(stoa_store_shape(d->store), offset, chunk->positions,
                                          chunk->n, &blob, err));
    STOA_TRY(stoa_sparse_section_apply(stoa_store_format(d->store), STOA_SECTION_POSITIONS,
                                       blob.data, blob.size, coder, section, err));
    out->selection.size = 0;
    STOA_TRY(stoa_buffer_append(&out->selection, section->bytes, section->n_bytes, err));
    section->bytes = out->selection.data;

done:
    stoa_buffer_clear(&blob);
    return status;
}

/* Pack the chunk again, because it has elements outside of the extent, or because the filter
 * refused it and it is dense. */
static stoa_status pack_anew(const stoa_rfc_dataset *d, uint64_t number, stoa_sparse_coder *coder,
                             const stoa_sparse_chunk **chunk, stoa_buffer *packed, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_store_read_chunk(d->store, number, true, chunk, err));
    packed->size = 0;
    return stoa_sparse_chunk_pack(stoa_store_format(d->store), *chunk, stoa_store_fill(d->store),
                                  coder, packed, err);
}

stoa_status stoa_rfc_sections_read(const stoa_rfc_dataset *d, uint64_t number,
                                   stoa_rfc_sections *sections, stoa_error *err)
{
    const stoa_sparse_format *format = stoa_store_format(d->store);
    const stoa_shape *shape = stoa_store_shape(d->store);
    uint64_t offset[H5S_MAX_RANK];
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_sparse_chunk own = {.n = 0};
    const stoa_sparse_chunk *chunk = &own;
    stoa_split_chunk split;
    uint32_t mask = 0;
    stoa_status status = STOA_OK;

    sections->n = stoa_sparse_n_sections(format);
    memset(sections->sections, 0, sizeof sections->sections);
    STOA_TRY(stoa_store_get_packed(d->store, number, &sections->packed, &mask, err));
    sections->is_there = sections->packed.size > 0;
    if (!sections->is_there) {
        goto done;
    }
    STOA_TRY(stoa_sparse_coder_open(format, &coder, err));
    stoa_shape_offset(shape, number, offset);
    if (mask == 0) {
        STOA_TRY(stoa_sparse_chunk_unpack(format, sections->packed.data, sections->packed.size, 1,
                                          &coder, &own, err));
    }
    if (mask != 0 || (!stoa_shape_is_whole(shape, offset) && !are_inside(shape, offset, &own))) {
        STOA_TRY(pack_anew(d, number, &coder, &chunk, &sections->packed, err));
    }
    STOA_TRY(
        stoa_sparse_chunk_split(format, sections->packed.data, sections->packed.size, &split, err));
    memcpy(sections->sections, split.sections, sizeof sections->sections);
    if (chunk->n > 0 && format->is_sparse) {
        STOA_TRY(make_selection(d, offset, chunk, &coder, sections, err));
    } else {
        sections->sections[STOA_SECTION_POSITIONS] = (stoa_stored_section){.n_bytes = 0};
    }

done:
    stoa_sparse_chunk_clear(&own);
    stoa_sparse_coder_close(&coder);
    return status;
}

/* --- writing --------------------------------------------------------------------------------- */

/* A chunk that is assembled from given sections. */
typedef struct making {
    const stoa_sparse_format *format;
    const stoa_shape *shape;
    uint64_t offset[H5S_MAX_RANK];
    stoa_sparse_coder coder;
    uint32_t *positions; /* in the given order; allocated */
    size_t n;
    stoa_split_chunk split;
    stoa_buffer kept[2]; /* sections 0 and 1, if they differ from those given */
} making;

/* Apply the filters of a section and keep the result. */
static stoa_status keep(making *m, stoa_section which, const stoa_buffer *bytes, stoa_error *err)
{
    stoa_stored_section *section = &m->split.sections[which];
    stoa_buffer *kept = &m->kept[which];

    STOA_RETURN_NOT_OK(stoa_sparse_section_apply(m->format, which, bytes->data, bytes->size,
                                                 &m->coder, section, err));
    kept->size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_append(kept, section->bytes, section->n_bytes, err));
    section->bytes = kept->data;
    return STOA_OK;
}

static stoa_status read_selection(making *m, const stoa_stored_section *given, stoa_error *err)
{
    stoa_room room = {.data = NULL};
    const uint8_t *blob = NULL;
    stoa_status status = STOA_OK;

    if (given->n_original == 0) {
        goto done; /* no element is defined, or all of them in a dense dataset */
    }
    STOA_TRY(stoa_room_for(&room, given->n_original, err));
    STOA_TRY(stoa_sparse_section_undo(m->format, STOA_SECTION_POSITIONS, given, &m->coder,
                                      room.data, &blob, err));
    STOA_TRY(stoa_encoded_selection_read(m->shape, m->offset, blob, given->n_original,
                                         &m->positions, &m->n, err));

done:
    free(room.data);
    return status;
}

/* Select all elements of a chunk, for a dense dataset. */
static stoa_status select_all(making *m, stoa_error *err)
{
    free(m->positions);
    m->n = (size_t)m->format->n_elements;
    m->positions = stoa_alloc(m->n, sizeof *m->positions);
    STOA_RETURN_NO_MEMORY(err, m->positions);
    for (size_t i = 0; i < m->n; i++) {
        m->positions[i] = (uint32_t)i;
    }
    return STOA_OK;
}

/* A position and the index of its value. */
typedef struct placed {
    uint32_t position;
    uint32_t value;
} placed;

static int by_position(const void *a, const void *b)
{
    const placed *one = a;
    const placed *other = b;

    if (one->position != other->position) {
        return one->position > other->position ? 1 : -1;
    }
    return (one->value > other->value) - (one->value < other->value);
}

/* Sort values by position. Of equal positions the later is kept. */
static stoa_status sort_values(making *m, const uint8_t *values, stoa_buffer *sorted,
                               stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(m->format);
    placed *places = stoa_alloc(m->n, sizeof *places);
    size_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(places != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < m->n; i++) {
        places[i] = (placed){.position = m->positions[i], .value = (uint32_t)i};
    }
    qsort(places, m->n, sizeof *places, by_position);
    for (size_t i = 0; i < m->n; i++) {
        if (i + 1 == m->n || places[i + 1].position != places[i].position) {
            m->positions[n++] = places[i].position;
            STOA_TRY(stoa_buffer_append(sorted, values + places[i].value * size, size, err));
        }
    }
    m->n = n;

done:
    free(places);
    return status;
}

/* Reorder section 1 to ascending positions. */
static stoa_status order_values(making *m, const stoa_stored_section *given, stoa_error *err)
{
    stoa_room room = {.data = NULL};
    stoa_buffer sorted = {NULL, 0, 0};
    const uint8_t *values = NULL;
    stoa_status status = STOA_OK;

    if (m->format->has_heap) {
        STOA_FAIL(err, STOA_EINVAL,
                  "section 0 selects elements of variable length out of order; select them in "
                  "row-major order, each once");
    }
    STOA_TRY(stoa_room_for(&room, given->n_original, err));
    STOA_TRY(stoa_sparse_section_undo(m->format, STOA_SECTION_VALUES, given, &m->coder, room.data,
                                      &values, err));
    STOA_TRY(sort_values(m, values, &sorted, err));
    STOA_TRY(keep(m, STOA_SECTION_VALUES, &sorted, err));

done:
    stoa_buffer_clear(&sorted);
    free(room.data);
    return status;
}

/* Assemble all sections from those given. */
static stoa_status make(making *m, const stoa_stored_section *given, stoa_error *err)
{
    stoa_buffer packed = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(read_selection(m, &given[STOA_SECTION_POSITIONS], err));
    if (!m->format->is_sparse) {
        STOA_TRY(select_all(m, err));
    }
    if (given[STOA_SECTION_VALUES].n_original != m->n * stoa_sparse_value_size(m->format)) {
        STOA_FAIL(err, STOA_EDATA,
                  "section 1 has %zu bytes before its filters; %zu elements that section 0 selects "
                  "have %zu",
                  given[STOA_SECTION_VALUES].n_original, m->n,
                  m->n * stoa_sparse_value_size(m->format));
    }
    memcpy(m->split.sections, given, sizeof m->split.sections);
    if (!stoa_positions_ascend(m->positions, m->n)) {
        STOA_TRY(order_values(m, &given[STOA_SECTION_VALUES], err));
    }
    STOA_TRY(stoa_positions_encode(m->positions, m->n, m->format->n_elements, &packed, err));
    STOA_TRY(keep(m, STOA_SECTION_POSITIONS, &packed, err));
    m->split.n = m->n;

done:
    stoa_buffer_clear(&packed);
    return status;
}

stoa_status stoa_rfc_sections_write(const stoa_rfc_dataset *d, uint64_t number,
                                    const stoa_stored_section *given, stoa_error *err)
{
    making m = {.format = stoa_store_format(d->store), .shape = stoa_store_shape(d->store)};
    const unsigned n_sections = stoa_sparse_n_sections(m.format);
    stoa_sparse_chunk chunk = {.n = 0};
    stoa_buffer packed = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    stoa_shape_offset(m.shape, number, m.offset);
    STOA_TRY(stoa_sparse_coder_open(m.format, &m.coder, err));
    STOA_TRY(make(&m, given, err));
    if (m.format->fill_is_elsewhere) {
        m.split.fill = stoa_store_fill(d->store);
    }
    STOA_TRY(stoa_sparse_chunk_join(m.format, &m.split, &packed, err));
    /* Validate the caller's data before they are written. */
    STOA_TRY(stoa_sparse_chunk_unpack(m.format, packed.data, packed.size, n_sections, &m.coder,
                                      &chunk, err));
    STOA_TRY(stoa_store_check(d->store, &chunk, err));
    STOA_TRY(stoa_store_put_packed(d->store, number, packed.data, packed.size, m.n, err));

done:
    stoa_sparse_chunk_clear(&chunk);
    stoa_buffer_clear(&packed);
    for (unsigned i = 0; i < 2; i++) {
        stoa_buffer_clear(&m.kept[i]);
    }
    free(m.positions);
    stoa_sparse_coder_close(&m.coder);
    return status;
}
