/* Reads ZIP archives as NumPy writes them: members are stored or deflated (PKWARE's APPNOTE 6.3).
 */
#ifndef STOA_LAYOUT_NUMPY_ZIP_H
#define STOA_LAYOUT_NUMPY_ZIP_H

#include "core/memory.h"

typedef struct stoa_zip stoa_zip;

/* Whether a file begins as an archive with members does. */
bool stoa_zip_is_one(const char *name);
/* @return STOA_EDATA if it is damaged; STOA_ETYPE if it is encrypted or has several volumes */
stoa_status stoa_zip_open(const char *name, stoa_zip **zip, stoa_error *err);
void stoa_zip_close(stoa_zip *zip);
size_t stoa_zip_n_members(const stoa_zip *zip);
/* Borrowed. */
const char *stoa_zip_member_name(const stoa_zip *zip, size_t i);
/* The number of the member of that name; SIZE_MAX if there is none. */
size_t stoa_zip_find(const stoa_zip *zip, const char *name);

/* Bytes of a file, or of a member of an archive. */
typedef struct stoa_bytes stoa_bytes;
stoa_status stoa_bytes_open_file(const char *name, stoa_bytes **bytes, stoa_error *err);
/* The archive must stay open. */
stoa_status stoa_bytes_open_member(stoa_zip *zip, size_t i, stoa_bytes **bytes, stoa_error *err);
/* Read n bytes. STOA_EDATA if there are fewer, or if a member's checksum is wrong. */
stoa_status stoa_bytes_read(stoa_bytes *bytes, void *out, size_t n, stoa_error *err);
/* Whether n more bytes may be there: at most 1032 times as many as are stored. */
bool stoa_bytes_may_have(const stoa_bytes *bytes, uint64_t n);
void stoa_bytes_close(stoa_bytes *bytes);

#endif
