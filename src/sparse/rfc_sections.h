/*
 * The sections of a structured chunk as the RFC's direct calls hand them over: section 0 an encoded
 * selection (sparse/blob.h), the others as they lie in the file, each after the user's filters.
 */
#ifndef STOA_SPARSE_RFC_SECTIONS_H
#define STOA_SPARSE_RFC_SECTIONS_H

#include "sparse/chunk.h"
#include "sparse/rfc_dataset.h"

/* Zero-initialise; free with stoa_rfc_sections_clear(). */
typedef struct stoa_rfc_sections {
    bool is_there; /* the chunk */
    unsigned n;
    stoa_stored_section sections[STOA_MAX_SECTIONS]; /* good as long as this */
    stoa_buffer packed;                              /* the chunk in the file */
    stoa_buffer selection;                           /* section 0 */
} stoa_rfc_sections;

void stoa_rfc_sections_clear(stoa_rfc_sections *sections);

/* The chunk's number, or STOA_ERANGE where none begins at `offset`. */
stoa_status stoa_rfc_number(const stoa_rfc_dataset *d, const hsize_t *offset, uint64_t *number,
                            stoa_error *err);
/* A chunk that is not there has empty sections. */
stoa_status stoa_rfc_sections_read(const stoa_rfc_dataset *d, uint64_t number,
                                   stoa_rfc_sections *sections, stoa_error *err);
/* Put a chunk in the place of whatever was there. `given`: the sections. */
stoa_status stoa_rfc_sections_write(const stoa_rfc_dataset *d, uint64_t number,
                                    const stoa_stored_section *given, stoa_error *err);

#endif
