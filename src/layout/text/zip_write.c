/* Writes archives whose members are stored. Sizes and checksums stand before the bytes. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "core/text.h"
#include "layout/text/zip_write.h"

enum { VERSION = 45, DOS_DATE = 0x21, IS_UTF8 = 0x800 }; /* 4.5: above 4 GiB; 1980-01-01 */

stoa_status stoa_zip_write(stoa_zip_writer *zip, const void *bytes, uint64_t n, stoa_error *err)
{
    if (n > 0 && fwrite(bytes, 1, (size_t)n, zip->out) != n) {
        return stoa_fail_errno(err, errno, "cannot write the output");
    }
    zip->at += n;
    return STOA_OK;
}

static void put_number(uint8_t **to, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++, value >>= 8) {
        *(*to)++ = (uint8_t)value;
    }
}

/* What the local header and the directory share: from the version to the length of the name. All
 * sizes are in the extra field. */
static void put_shared(uint8_t **to, uint32_t crc, const char *name, unsigned n_extra)
{
    const size_t n_name = strlen(name);

    put_number(to, VERSION, 2);
    put_number(to, stoa_is_ascii(name, n_name) ? 0 : IS_UTF8, 2);
    put_number(to, 0, 2); /* stored */
    put_number(to, 0, 2);
    put_number(to, DOS_DATE, 2);
    put_number(to, crc, 4);
    put_number(to, UINT32_MAX, 4);
    put_number(to, UINT32_MAX, 4);
    put_number(to, n_name, 2);
    put_number(to, n_extra, 2);
}

stoa_status stoa_zip_begin(stoa_zip_writer *zip, const char *name, uint64_t n_bytes, uint32_t crc,
                           stoa_error *err)
{
    const size_t n_name = strlen(name);
    const uint64_t at = zip->at;
    uint8_t local[50];
    uint8_t entry[80];
    uint8_t *to = local;

    memcpy(to, "PK\3\4", 4);
    to += 4;
    put_shared(&to, crc, name, 20);
    STOA_RETURN_NOT_OK(stoa_zip_write(zip, local, (uint64_t)(to - local), err));
    STOA_RETURN_NOT_OK(stoa_zip_write(zip, name, n_name, err));
    to = local;
    put_number(&to, 1, 2); /* the extra field of 64-bit sizes */
    put_number(&to, 16, 2);
    put_number(&to, n_bytes, 8);
    put_number(&to, n_bytes, 8);
    STOA_RETURN_NOT_OK(stoa_zip_write(zip, local, (uint64_t)(to - local), err));
    to = entry;
    memcpy(to, "PK\1\2", 4);
    to += 4;
    put_number(&to, VERSION, 2);
    put_shared(&to, crc, name, 28);
    put_number(&to, 0, 2); /* comment, volume and attributes */
    put_number(&to, 0, 4);
    put_number(&to, 0, 4);
    put_number(&to, UINT32_MAX, 4);
    STOA_RETURN_NOT_OK(stoa_buffer_append(&zip->directory, entry, (size_t)(to - entry), err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&zip->directory, name, n_name, err));
    to = entry;
    put_number(&to, 1, 2);
    put_number(&to, 24, 2);
    put_number(&to, n_bytes, 8);
    put_number(&to, n_bytes, 8);
    put_number(&to, at, 8);
    zip->n++;
    return stoa_buffer_append(&zip->directory, entry, (size_t)(to - entry), err);
}

stoa_status stoa_zip_put(stoa_zip_writer *zip, const char *name, const void *head, size_t n_head,
                         const void *body, uint64_t n_body, stoa_error *err)
{
    const uint32_t crc =
        (uint32_t)crc32_z(crc32_z(0, head, n_head), n_body > 0 ? body : head, (size_t)n_body);

    STOA_RETURN_NOT_OK(stoa_zip_begin(zip, name, n_head + n_body, crc, err));
    STOA_RETURN_NOT_OK(stoa_zip_write(zip, head, n_head, err));
    return stoa_zip_write(zip, body, n_body, err);
}

stoa_status stoa_zip_end(stoa_zip_writer *zip, stoa_error *err)
{
    const uint64_t at = zip->at;
    const uint64_t size = zip->directory.size;
    uint8_t end[98];
    uint8_t *to = end;

    STOA_RETURN_NOT_OK(stoa_zip_write(zip, zip->directory.data, size, err));
    const uint64_t end_at = zip->at;
    memcpy(to, "PK\6\6", 4);
    to += 4;
    put_number(&to, 44, 8);
    put_number(&to, VERSION, 2);
    put_number(&to, VERSION, 2);
    put_number(&to, 0, 8); /* volumes */
    put_number(&to, zip->n, 8);
    put_number(&to, zip->n, 8);
    put_number(&to, size, 8);
    put_number(&to, at, 8);
    memcpy(to, "PK\6\7", 4);
    to += 4;
    put_number(&to, 0, 4);
    put_number(&to, end_at, 8);
    put_number(&to, 1, 4);
    memcpy(to, "PK\5\6", 4);
    to += 4;
    put_number(&to, 0, 4);
    put_number(&to, UINT16_MAX, 2);
    put_number(&to, UINT16_MAX, 2);
    put_number(&to, UINT32_MAX, 4);
    put_number(&to, UINT32_MAX, 4);
    put_number(&to, 0, 2);
    STOA_RETURN_NOT_OK(stoa_zip_write(zip, end, (uint64_t)(to - end), err));
    return fflush(zip->out) == 0 ? STOA_OK : stoa_fail_errno(err, errno, "cannot write the output");
}

void stoa_zip_writer_clear(stoa_zip_writer *zip)
{
    stoa_buffer_clear(&zip->directory);
}
