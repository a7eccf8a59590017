/* Prints sparse arrays in the notation of the sparse RFC §4. */
#ifndef STOA_CLI_SPARSE_H
#define STOA_CLI_SPARSE_H

#include <hdf5.h>

#include "hdf/metadata/types.h"
#include "layout/text/sink.h"

/*
 * Print the block of one structured dataset in h5dump's language (§4.1): type, extent, the bytes
 * and filters of each section.
 *
 * @param name    name to print
 * @param indent  blanks before each line
 */
stoa_status cli_sparse_describe(stoa_sink *sink, hid_t dataset, const char *name, int indent,
                                stoa_error *err);

/* Print the positions of its defined elements (§4.1, --sparse-locations), and their values if
 * `values` is set (--sparse). */
stoa_status cli_sparse_regions(stoa_sink *sink, hid_t dataset, const char *name, bool values,
                               stoa_error *err);

/* Print an element that is or contains variable-length data: "text" or NULL, (1, 2), {id: 1, name:
 * "a"}. */
stoa_status cli_sparse_value(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err);
/* Print a fixed-size value as in the tables of `stoa query`. */
stoa_status cli_sparse_plain(stoa_sink *sink, const stoa_element *element, const uint8_t *value,
                             stoa_error *err);

/* The common start of both: name, type, extent. */
stoa_status cli_sparse_head(stoa_sink *sink, hid_t type, hid_t space, const char *name, int indent);

/* Print the columns that `stoa ls -l` adds (§4.2). */
stoa_status cli_sparse_sections(stoa_sink *sink, hid_t dataset, stoa_error *err);

#endif
