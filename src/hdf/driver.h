/* The HDF5 virtual file driver over a transaction. */
#ifndef STOA_HDF_DRIVER_H
#define STOA_HDF_DRIVER_H

#include "core/error.h"
#include "hdf/blocks.h"
#include "hdf/elsewhere.h"
#include "hdf/hdf5.h"
#include "hdf/journal.h"
#include "hdf/superblock.h"

/*
 * Make an access list open its file through `journal`, whatever the name it is given.
 *
 * `superblock` is the file's: blocks that libhdf5 reads are looked at (blocks.h). All zeros: the
 * file is new, and what lies in it our own. The journal is borrowed; it must outlive the file.
 * Other files that libhdf5 reaches from there by external links or virtual datasets are opened,
 * read-only, as `elsewhere` says.
 *
 * The driver is registered for this one file, so that nothing is global. Its id must be dropped,
 * but only after the file is closed: libhdf5 (up to 2.2) looks into the driver's table once more
 * after it has let go of the driver's last reference.
 */
stoa_status stoa_driver_use(hid_t access_list, stoa_journal *journal,
                            const stoa_superblock *superblock, const stoa_elsewhere *elsewhere,
                            hid_t *driver, stoa_error *err);
/* Questions: properties of the access list that H5Fget_vfd_handle() is given, whose values lead to
 * where the answer goes. They are asked by the calls below. */
#define STOA_ELSEWHERE_QUESTION "stoa_elsewhere"
#define STOA_DESCRIPTOR_QUESTION "stoa_descriptor"
#define STOA_BLOCKS_QUESTION "stoa_blocks"

/*
 * What a file's driver says of it, if it is one of these: false of others, which know no such
 * question. libhdf5 prints nothing meanwhile.
 */
bool stoa_driver_elsewhere(hid_t file, stoa_elsewhere *elsewhere);
/* Of a file all of whose bytes are its own: else false. */
bool stoa_driver_descriptor(hid_t file, int *fd);
/* What its blocks are read by: `file` and `journal`, both borrowed. */
bool stoa_driver_blocks(hid_t file, stoa_block *blocks);

/* H5I_INVALID_HID is fine. */
void stoa_driver_drop(hid_t *driver);

#endif
