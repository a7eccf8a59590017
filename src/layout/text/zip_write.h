/* Writes ZIP archives whose members are stored (PKWARE's APPNOTE 6.3). */
#ifndef STOA_LAYOUT_ZIP_WRITE_H
#define STOA_LAYOUT_ZIP_WRITE_H

#include <stdio.h>

#include "core/memory.h"

/* Zero-initialise all but `out`; free with stoa_zip_writer_clear(). Nothing is sought, so `out` may
 * be a pipe. */
typedef struct stoa_zip_writer {
    FILE *out;
    uint64_t at;
    stoa_buffer directory;
    uint64_t n;
} stoa_zip_writer;

/* Begin a member of n_bytes bytes, which stoa_zip_write() then writes. The name is UTF-8. */
stoa_status stoa_zip_begin(stoa_zip_writer *zip, const char *name, uint64_t n_bytes, uint32_t crc,
                           stoa_error *err);
stoa_status stoa_zip_write(stoa_zip_writer *zip, const void *bytes, uint64_t n, stoa_error *err);
/* Write a whole member of two parts. */
stoa_status stoa_zip_put(stoa_zip_writer *zip, const char *name, const void *head, size_t n_head,
                         const void *body, uint64_t n_body, stoa_error *err);
/* Write the directory, and flush. */
stoa_status stoa_zip_end(stoa_zip_writer *zip, stoa_error *err);
void stoa_zip_writer_clear(stoa_zip_writer *zip);

#endif
