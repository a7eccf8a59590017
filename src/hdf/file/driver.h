/* The HDF5 virtual file driver on top of a transaction. */
#ifndef STOA_HDF_DRIVER_H
#define STOA_HDF_DRIVER_H

#include "core/error.h"
#include "hdf/format/blocks.h"
#include "hdf/hdf5.h"
#include "hdf/journal/journal.h"
#include "hdf/journal/superblock.h"
#include "hdf/metadata/other_files.h"

/*
 * Set up an access list that opens its file through `journal`, under any name.
 *
 * `superblock` is the file's: blocks that libhdf5 reads are validated (blocks.h). All zeros means
 * that the file is new and its content is our own. The journal is borrowed and must outlive the
 * file. Other files that libhdf5 reaches through external links or virtual datasets are opened
 * read-only, as `elsewhere` allows.
 *
 * The driver is registered for this one file, so there is no global state. Drop its id only after
 * the file is closed: libhdf5 (up to 2.2) uses the driver's table once more after it has released
 * the driver's last reference.
 */
stoa_status stoa_driver_use(hid_t access_list, stoa_journal *journal,
                            const stoa_superblock *superblock, const stoa_other_files *elsewhere,
                            hid_t *driver, stoa_error *err);
/* Property names of the access list for H5Fget_vfd_handle(). The property's value points to where
 * the answer is stored. The calls below use them. */
#define STOA_OTHER_FILES_QUESTION "stoa_other_files"
#define STOA_DESCRIPTOR_QUESTION "stoa_descriptor"
#define STOA_BLOCKS_QUESTION "stoa_blocks"

/* Query the driver of a file. False if it is not one of Stoa's drivers. libhdf5 prints nothing. */
bool stoa_driver_other_files(hid_t file, stoa_other_files *elsewhere);
/* False unless all bytes of the file are in the file itself, not in a journal. */
bool stoa_driver_descriptor(hid_t file, int *fd);
/* What is needed to read its blocks: `file` and `journal`, both borrowed. */
bool stoa_driver_blocks(hid_t file, stoa_block *blocks);

/* H5I_INVALID_HID is allowed. */
void stoa_driver_drop(hid_t *driver);

#endif
