#include "core/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"

static stoa_status open_file(stoa_spill *spill, stoa_error *err)
{
    const char *directory = getenv("TMPDIR");
    const bool is_set = directory != NULL && directory[0] != '\0';
    char *name = stoa_format("%s/stoa-sort-XXXXXX", is_set ? directory : "/tmp");

    STOA_RETURN_NO_MEMORY(err, name);
    stoa_exit_cleanup_note(name); /* mkstemp() fills it in place */
    spill->descriptor = mkstemp(name);
    const int error_number = errno;
    stoa_status status = STOA_OK;
    if (spill->descriptor >= 0) {
        (void)unlink(name);
        spill->is_open = true;
    } else {
        status = stoa_fail_errno(err, error_number, "cannot make the temporary file '%s'", name);
        stoa_advise(err, "; set TMPDIR to a directory with room for the sort");
    }
    stoa_exit_cleanup_forget(name);
    free(name);
    return status;
}

stoa_status stoa_spill_append(stoa_spill *spill, const void *bytes, size_t n, stoa_error *err)
{
    const char *from = bytes;

    if (n != 0 && !spill->is_open) {
        const stoa_status status = open_file(spill, err);
        if (status != STOA_OK) {
            return status;
        }
    }
    while (n > 0) {
        const ssize_t written = pwrite(spill->descriptor, from, n, (off_t)spill->size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            const stoa_status status = stoa_fail_errno(err, written < 0 ? errno : ENOSPC,
                                                       "cannot write the temporary file of a sort");
            stoa_advise(err, "; set TMPDIR to a directory with room for it, or allow the sort more "
                             "memory");
            return status;
        }
        from += written;
        n -= (size_t)written;
        spill->size += (uint64_t)written;
    }
    return STOA_OK;
}

stoa_status stoa_spill_read(const stoa_spill *spill, uint64_t at, void *bytes, size_t n,
                            stoa_error *err)
{
    char *to = bytes;

    while (n > 0) {
        const ssize_t got = pread(spill->descriptor, to, n, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return stoa_fail_errno(err, got < 0 ? errno : EIO,
                                   "cannot read the temporary file of a sort");
        }
        to += got;
        n -= (size_t)got;
        at += (uint64_t)got;
    }
    return STOA_OK;
}

void stoa_spill_close(stoa_spill *spill)
{
    if (spill->is_open) {
        (void)close(spill->descriptor);
    }
    *spill = (stoa_spill){.is_open = false};
}
