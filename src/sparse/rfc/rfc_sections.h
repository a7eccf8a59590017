/*
 * The sections of a structured chunk as the RFC's direct calls exchange them. Section 0 is an
 * encoded selection (sparse/rfc/encoded_selection.h), the others are as in the file. Each has
 * passed the user's filters.
 */
#ifndef STOA_SPARSE_RFC_SECTIONS_H
#define STOA_SPARSE_RFC_SECTIONS_H

#include "sparse/format/chunk.h"
#include "sparse/rfc/rfc_dataset.h"

/* Zero-initialise; free with stoa_rfc_sections_clear(). */
typedef struct stoa_rfc_sections {
    bool is_there; /* the chunk is stored */
    unsigned n;
    stoa_stored_section sections[STOA_MAX_SECTIONS]; /* valid as long as this struct */
    stoa_buffer packed;                              /* the stored chunk */
    stoa_buffer selection;                           /* section 0 */
} stoa_rfc_sections;

void stoa_rfc_sections_clear(stoa_rfc_sections *sections);

/* The chunk's number. STOA_ERANGE if no chunk begins at `offset`. */
stoa_status stoa_rfc_number(const stoa_rfc_dataset *d, const hsize_t *offset, uint64_t *number,
                            stoa_error *err);
/* Read a chunk. One that is not stored has empty sections. */
stoa_status stoa_rfc_sections_read(const stoa_rfc_dataset *d, uint64_t number,
                                   stoa_rfc_sections *sections, stoa_error *err);
/* Write a chunk made of the sections `given`, replacing the stored one. */
stoa_status stoa_rfc_sections_write(const stoa_rfc_dataset *d, uint64_t number,
                                    const stoa_stored_section *given, stoa_error *err);

#endif
