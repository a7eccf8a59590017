/* Reads archives. Nothing of them is trusted: each position is checked against the file's size. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "layout/numpy/zip.h"

enum {
    END_SIZE = 22,
    MOST_COMMENT = 65535,
    END64_LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MOST_MEMBERS = 1 << 20,
    MOST_DIRECTORY = 1 << 28,
    STORED = 0,
    DEFLATED = 8,
    IN_SIZE = 1 << 16,
    DEFLATE_RATIO = 1032 /* no deflate stream yields more */
};

typedef struct member {
    char *name;
    unsigned method;
    uint32_t crc;
    uint64_t n_packed;
    uint64_t n_bytes;
    uint64_t at; /* of the local header */
} member;

struct stoa_zip {
    int file;
    uint64_t size;
    member *members;
    size_t n;
};

struct stoa_bytes {
    int file;
    bool is_own;   /* the file is closed with it */
    uint64_t at;   /* where stored bytes are read next */
    uint64_t left; /* stored bytes that are left */
    uint64_t n_bytes;
    uint64_t n_read;
    bool is_packed;
    bool has_crc;
    uint32_t crc;
    uint32_t wanted;
    z_stream stream;
    uint8_t *in;
};

static uint64_t number(const uint8_t *bytes, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = n; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static stoa_status read_at(int file, uint64_t at, void *out, size_t n, stoa_error *err)
{
    uint8_t *to = out;

    while (n > 0) {
        const ssize_t got = pread(file, to, n, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? stoa_fail_errno(err, errno, "cannot be read")
                           : stoa_fail(err, STOA_EDATA, "the file ends too early");
        }
        to += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return STOA_OK;
}

bool stoa_zip_is_one(const char *name)
{
    uint8_t head[4] = {0};
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    const bool is = file >= 0 && read_at(file, 0, head, sizeof head, NULL) == STOA_OK &&
                    (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);

    if (file >= 0) {
        close(file);
    }
    return is;
}

/* --- the directory --------------------------------------------------------------------------- */

/* Find the end record, before a comment. */
static stoa_status find_end(const stoa_zip *zip, uint8_t *record, uint64_t *at, stoa_error *err)
{
    const uint64_t n =
        zip->size < END_SIZE + MOST_COMMENT ? zip->size : (uint64_t)END_SIZE + MOST_COMMENT;
    uint8_t *const tail = stoa_alloc((size_t)n + 1, 1);
    stoa_status status = STOA_OK;

    STOA_TRY(tail != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_at(zip->file, zip->size - n, tail, (size_t)n, err));
    for (uint64_t i = n >= END_SIZE ? n - END_SIZE + 1 : 0; i-- > 0;) {
        if (memcmp(tail + i, "PK\5\6", 4) == 0) {
            memcpy(record, tail + i, END_SIZE);
            *at = zip->size - n + i;
            goto done;
        }
    }
    STOA_FAIL(err, STOA_EDATA, "is no whole archive of NumPy: its directory is missing");

done:
    free(tail);
    return status;
}

/* Read where the directory is, also of archives above 4 GiB. */
static stoa_status find_directory(const stoa_zip *zip, uint64_t *at, uint64_t *size, uint64_t *n,
                                  stoa_error *err)
{
    uint8_t end[END_SIZE] = {0};
    uint8_t locator[END64_LOCATOR_SIZE];
    uint8_t end64[END64_SIZE];
    uint64_t end_at = 0;

    STOA_RETURN_NOT_OK(find_end(zip, end, &end_at, err));
    if (number(end + 4, 2) != number(end + 6, 2) && number(end + 4, 2) != UINT16_MAX) {
        return stoa_fail(err, STOA_ETYPE, "is one of several volumes of an archive");
    }
    *n = number(end + 10, 2);
    *size = number(end + 12, 4);
    *at = number(end + 16, 4);
    if (end_at >= END64_LOCATOR_SIZE && (*n == UINT16_MAX || *at == UINT32_MAX)) {
        STOA_RETURN_NOT_OK(
            read_at(zip->file, end_at - END64_LOCATOR_SIZE, locator, sizeof locator, err));
        const uint64_t at64 = number(locator + 8, 8);
        if (memcmp(locator, "PK\6\7", 4) == 0) {
            STOA_RETURN_NOT_OK(at64 <= zip->size - END64_SIZE
                                   ? read_at(zip->file, at64, end64, sizeof end64, err)
                                   : stoa_fail(err, STOA_EDATA, "the archive is damaged"));
            *n = number(end64 + 32, 8);
            *size = number(end64 + 40, 8);
            *at = number(end64 + 48, 8);
        }
    }
    if (*at > zip->size || *size > zip->size - *at || *n > MOST_MEMBERS || *size > MOST_DIRECTORY ||
        *n > *size / ENTRY_SIZE) {
        return stoa_fail(err, STOA_EDATA, "the directory of the archive is damaged");
    }
    return STOA_OK;
}

/* The 64-bit numbers of a member: an extra field has those that do not fit. */
static void widen(member *m, const uint8_t *extra, size_t n)
{
    uint64_t *const wide[] = {&m->n_bytes, &m->n_packed, &m->at};

    for (size_t at = 0; at + 4 <= n;) {
        const size_t size = (size_t)number(extra + at + 2, 2);
        size_t from = at + 4;
        const size_t end = size <= n - from ? from + size : n;
        for (size_t i = 0; number(extra + at, 2) == 1 && i < 3; i++) {
            if (*wide[i] == UINT32_MAX && from + 8 <= end) {
                *wide[i] = number(extra + from, 8);
                from += 8;
            }
        }
        at = end;
    }
}

static stoa_status read_entry(stoa_zip *zip, const uint8_t *entry, size_t left, size_t *size,
                              stoa_error *err)
{
    member *const m = &zip->members[zip->n];

    if (left < ENTRY_SIZE || memcmp(entry, "PK\1\2", 4) != 0) {
        return stoa_fail(err, STOA_EDATA, "the directory of the archive is damaged");
    }
    const size_t n_name = (size_t)number(entry + 28, 2);
    const size_t n_extra = (size_t)number(entry + 30, 2);
    *size = ENTRY_SIZE + n_name + n_extra + (size_t)number(entry + 32, 2);
    if (*size > left) {
        return stoa_fail(err, STOA_EDATA, "the directory of the archive is damaged");
    }
    if ((number(entry + 8, 2) & 1) != 0) {
        return stoa_fail(err, STOA_ETYPE, "the archive is encrypted");
    }
    *m = (member){.method = (unsigned)number(entry + 10, 2),
                  .crc = (uint32_t)number(entry + 16, 4),
                  .n_packed = number(entry + 20, 4),
                  .n_bytes = number(entry + 24, 4),
                  .at = number(entry + 42, 4)};
    widen(m, entry + ENTRY_SIZE + n_name, n_extra);
    m->name = stoa_strndup((const char *)entry + ENTRY_SIZE, n_name);
    STOA_RETURN_NO_MEMORY(err, m->name);
    zip->n++;
    return STOA_OK;
}

static stoa_status read_directory(stoa_zip *zip, stoa_error *err)
{
    uint64_t at = 0;
    uint64_t size = 0;
    uint64_t n = 0;
    uint8_t *directory = NULL;
    stoa_status status = STOA_OK;
    size_t from = 0;

    STOA_TRY(find_directory(zip, &at, &size, &n, err));
    directory = stoa_alloc((size_t)size + 1, 1);
    zip->members = stoa_alloc_zero((size_t)n + 1, sizeof *zip->members);
    STOA_TRY(directory != NULL && zip->members != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_at(zip->file, at, directory, (size_t)size, err));
    for (uint64_t i = 0; i < n; i++) {
        size_t used = 0;
        STOA_TRY(read_entry(zip, directory + from, (size_t)size - from, &used, err));
        from += used;
    }

done:
    free(directory);
    return status;
}

stoa_status stoa_zip_open(const char *name, stoa_zip **zip, stoa_error *err)
{
    stoa_zip *const z = stoa_alloc_zero(1, sizeof *z);
    struct stat about;
    stoa_status status = STOA_OK;

    *zip = NULL;
    STOA_RETURN_NO_MEMORY(err, z);
    z->file = open(name, O_RDONLY | O_CLOEXEC);
    if (z->file < 0 || fstat(z->file, &about) != 0) {
        status = stoa_fail_errno(err, errno, "cannot be opened");
        goto done;
    }
    z->size = (uint64_t)about.st_size;
    STOA_TRY(read_directory(z, err));
    *zip = z;
    return STOA_OK;

done:
    stoa_zip_close(z);
    return status;
}

void stoa_zip_close(stoa_zip *zip)
{
    if (zip != NULL) {
        for (size_t i = 0; i < zip->n; i++) {
            free(zip->members[i].name);
        }
        free(zip->members);
        if (zip->file >= 0) {
            close(zip->file);
        }
        free(zip);
    }
}

size_t stoa_zip_n_members(const stoa_zip *zip)
{
    return zip->n;
}

const char *stoa_zip_member_name(const stoa_zip *zip, size_t i)
{
    return zip->members[i].name;
}

size_t stoa_zip_find(const stoa_zip *zip, const char *name)
{
    for (size_t i = 0; i < zip->n; i++) {
        if (strcmp(zip->members[i].name, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* --- bytes ----------------------------------------------------------------------------------- */

static voidpf zip_alloc(voidpf opaque, uInt n, uInt size)
{
    (void)opaque;
    return stoa_alloc(n, size);
}

static void zip_free(voidpf opaque, voidpf block)
{
    (void)opaque;
    free(block);
}

stoa_status stoa_bytes_open_file(const char *name, stoa_bytes **bytes, stoa_error *err)
{
    stoa_bytes *const b = stoa_alloc_zero(1, sizeof *b);
    struct stat about;

    *bytes = NULL;
    STOA_RETURN_NO_MEMORY(err, b);
    b->is_own = true;
    b->file = open(name, O_RDONLY | O_CLOEXEC);
    if (b->file < 0 || fstat(b->file, &about) != 0) {
        const stoa_status status = stoa_fail_errno(err, errno, "cannot be opened");
        stoa_bytes_close(b);
        return status;
    }
    b->left = b->n_bytes = (uint64_t)about.st_size;
    *bytes = b;
    return STOA_OK;
}

static stoa_status start_inflating(stoa_bytes *b, stoa_error *err)
{
    b->in = stoa_alloc(IN_SIZE, 1);
    STOA_RETURN_NO_MEMORY(err, b->in);
    b->stream.zalloc = zip_alloc;
    b->stream.zfree = zip_free;
    if (inflateInit2(&b->stream, -15) != Z_OK) { /* without a header */
        return stoa_fail_memory(err);
    }
    b->is_packed = true;
    return STOA_OK;
}

stoa_status stoa_bytes_open_member(stoa_zip *zip, size_t i, stoa_bytes **bytes, stoa_error *err)
{
    const member *const m = &zip->members[i];
    uint8_t local[LOCAL_SIZE];
    stoa_bytes *b = NULL;
    stoa_status status = STOA_OK;

    *bytes = NULL;
    if (m->method != STORED && m->method != DEFLATED) {
        return stoa_fail(err, STOA_ETYPE, "'%s' is packed by method %u, which NumPy does not use",
                         m->name, m->method);
    }
    if (m->at > zip->size || zip->size - m->at < LOCAL_SIZE) {
        return stoa_fail(err, STOA_EDATA, "'%s' lies outside of the archive", m->name);
    }
    STOA_RETURN_NOT_OK(read_at(zip->file, m->at, local, sizeof local, err));
    const uint64_t at = m->at + LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2);
    if (memcmp(local, "PK\3\4", 4) != 0 || at > zip->size || m->n_packed > zip->size - at ||
        (m->method == STORED && m->n_packed != m->n_bytes)) {
        return stoa_fail(err, STOA_EDATA, "'%s' lies outside of the archive", m->name);
    }
    b = stoa_alloc_zero(1, sizeof *b);
    STOA_RETURN_NO_MEMORY(err, b);
    b->file = zip->file;
    b->at = at;
    b->left = m->n_packed;
    b->n_bytes = m->n_bytes;
    b->has_crc = true;
    b->wanted = m->crc;
    STOA_TRY(m->method == DEFLATED ? start_inflating(b, err) : STOA_OK);
    *bytes = b;
    return STOA_OK;

done:
    stoa_bytes_close(b);
    return status;
}

static stoa_status inflate_some(stoa_bytes *b, uint8_t *out, size_t n, stoa_error *err)
{
    z_stream *const s = &b->stream;

    while (n > 0) {
        if (s->avail_in == 0 && b->left > 0) {
            const size_t more = b->left < IN_SIZE ? (size_t)b->left : IN_SIZE;
            STOA_RETURN_NOT_OK(read_at(b->file, b->at, b->in, more, err));
            b->at += more;
            b->left -= more;
            s->next_in = b->in;
            s->avail_in = (uInt)more;
        }
        const uInt now = n < UINT32_MAX / 2 ? (uInt)n : UINT32_MAX / 2;
        s->next_out = out;
        s->avail_out = now;
        const int result = inflate(s, Z_NO_FLUSH);
        const size_t got = now - s->avail_out;
        out += got;
        n -= got;
        if (result == Z_MEM_ERROR) {
            return stoa_fail_memory(err);
        }
        if ((result != Z_OK && result != Z_STREAM_END) || (got == 0 && n > 0)) {
            return stoa_fail(err, STOA_EDATA, "compressed data is damaged or truncated");
        }
    }
    return STOA_OK;
}

stoa_status stoa_bytes_read(stoa_bytes *b, void *out, size_t n, stoa_error *err)
{
    if (n > b->n_bytes - b->n_read) {
        return stoa_fail(err, STOA_EDATA, "an array ends too early");
    }
    if (b->is_packed) {
        STOA_RETURN_NOT_OK(inflate_some(b, out, n, err));
    } else {
        STOA_RETURN_NOT_OK(read_at(b->file, b->at, out, n, err));
        b->at += n;
        b->left -= n;
    }
    b->n_read += n;
    if (b->has_crc) {
        b->crc = (uint32_t)crc32_z(b->crc, out, n);
        if (b->n_read == b->n_bytes && b->crc != b->wanted) {
            return stoa_fail(err, STOA_EDATA, "the checksum of the archive is wrong");
        }
    }
    return STOA_OK;
}

bool stoa_bytes_may_have(const stoa_bytes *b, uint64_t n)
{
    const uint64_t left = b->n_bytes - b->n_read;

    return n <= left && (!b->is_packed || n / DEFLATE_RATIO <= b->left + b->stream.avail_in);
}

void stoa_bytes_close(stoa_bytes *b)
{
    if (b != NULL) {
        if (b->is_packed) {
            (void)inflateEnd(&b->stream);
        }
        free(b->in);
        if (b->is_own && b->file >= 0) {
            close(b->file);
        }
        free(b);
    }
}
