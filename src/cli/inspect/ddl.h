/* Writes HDF5's data description language as h5dump does: datatypes, dataspaces and filters. */
#ifndef STOA_CLI_DDL_H
#define STOA_CLI_DDL_H

#include <hdf5.h>

#include "codec/pipeline.h"
#include "layout/text/sink.h"

/* Write `indent` blanks. */
void cli_ddl_indent(stoa_sink *sink, int indent);
/* printf() into a sink. */
void cli_ddl_print(stoa_sink *sink, const char *format, ...) STOA_PRINTF(2, 3);
/* A whole line, after `indent` blanks. */
void cli_ddl_line(stoa_sink *sink, int indent, const char *format, ...) STOA_PRINTF(3, 4);

/* Write a datatype: "H5T_STD_I32LE", or a block whose lines after the first are indented by
 * `indent`. */
void cli_ddl_type(stoa_sink *sink, hid_t type, int indent);
/* Write a dataspace: "SIMPLE { ( 13, 10 ) / ( 13, H5S_UNLIMITED ) }". */
void cli_ddl_space(stoa_sink *sink, hid_t space);
/* Write a filter as one or more lines of FILTERS { }: "COMPRESSION DEFLATE { LEVEL 9 }". */
void cli_ddl_filter(stoa_sink *sink, const stoa_filter *filter, int indent);

#endif
