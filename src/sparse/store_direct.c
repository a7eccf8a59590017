/* Chunks of a file that nobody can write to: libhdf5 has said where they lie, and their bytes are
 * read past it, by any thread. */
#include <errno.h>

#include "hdf/direct.h"
#include "hdf/disk.h"
#include "sparse/store_parts.h"

stoa_status stoa_store_read_past(stoa_store *store, hid_t dataset, stoa_error *err)
{
    return stoa_direct_is_off() ? STOA_OK : stoa_descriptor_open(&store->file, dataset, err);
}

bool stoa_store_reads_past(const stoa_store *store)
{
    return store->file.fd >= 0;
}

bool stoa_store_reaches(const stoa_store *store, const stoa_chunk_entry *entry)
{
    const stoa_descriptor *file = &store->file;

    return stoa_store_reads_past(store) && entry->n_bytes > 0 && entry->address <= file->size &&
           entry->n_bytes <= file->size - entry->address;
}

stoa_status stoa_store_pull(const stoa_store *store, const stoa_chunk_entry *entry, size_t n,
                            uint8_t *bytes, stoa_error *err)
{
    const int failed = stoa_disk_read_whole(store->file.fd, entry->address, bytes, n);

    if (failed == ENODATA) {
        return stoa_fail(err, STOA_EIO, "the file has been cut off while it was read");
    }
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "it cannot be read");
}
