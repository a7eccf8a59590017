/* Sparse arrays as people see them: the words of the sparse RFC §4. */
#ifndef STOA_CLI_SPARSE_H
#define STOA_CLI_SPARSE_H

#include <hdf5.h>

#include "hdf/types.h"
#include "layout/sink.h"

/*
 * The block of one structured dataset in h5dump's language (§4.1): type, extent, the bytes
 * of each section, its filters.
 *
 * @param name    as it is to be called
 * @param indent  blanks before each line
 */
stoa_status cli_sparse_describe(stoa_sink *sink, hid_t dataset, const char *name, int indent,
                                stoa_error *err);

/* Where its defined elements are (§4.1, --sparse-locations), with their values where asked for
 * (--sparse). */
stoa_status cli_sparse_regions(stoa_sink *sink, hid_t dataset, const char *name, bool values,
                               stoa_error *err);

/* An element that is, or has parts, of variable length: "text" or NULL, (1, 2), {id: 1, name: "a"}.
 */
stoa_status cli_sparse_value(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err);
/* A value of fixed size as the tables of `stoa query` show it. */
stoa_status cli_sparse_plain(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err);

/* What both begin with: name, type, extent. */
stoa_status cli_sparse_head(stoa_sink *sink, hid_t type, hid_t space, const char *name, int indent);

/* What `stoa ls -l` adds (§4.2). */
stoa_status cli_sparse_sections(stoa_sink *sink, hid_t dataset, stoa_error *err);

#endif
