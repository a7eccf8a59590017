/*
 * The callback table of the driver (H5FDdevelop.h). It makes no decisions: bytes go to the journal.
 *
 * H5FD_FEAT_POSIX_COMPAT_HANDLE is not set: changed published bytes are in memory, so other code
 * may not read the file directly. Stoa does so only if there are no such bytes (descriptor.h).
 */
#include "hdf/file/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/hdf5.h"
#include "hdf/ids.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/superblock.h"

/* Driver info of the access list. */
typedef struct driver_info {
    stoa_journal *journal; /* NULL: the list is for another file */
    stoa_superblock superblock;
    stoa_other_files elsewhere;
} driver_info;

typedef struct driver_file {
    H5FD_t pub; /* first, since libhdf5 casts */
    stoa_journal *journal;
    stoa_superblock superblock; /* all zeros: unknown */
    int own_fd; /* of a file reached through a link; -1 if the caller owns the journal */
    dev_t device;
    ino_t inode;
    unsigned n_pauses; /* made for a SWMR writer */
    stoa_other_files elsewhere;
} driver_file;

/* libhdf5 shows its own error stack to the user, so the reason must be in it. Returns -1. */
static herr_t explain(hid_t major, const char *doing, int error_number)
{
    (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa file driver", __LINE__, H5E_ERR_CLS, major,
                   H5E_SYSERRSTR, "%s: %s", doing, strerror(error_number));
    return -1;
}

/* Open a file that another one refers to. Read-only. */
static int open_other(driver_file *file, const char *name, unsigned flags)
{
    stoa_superblock superblock = {0};
    uint64_t size = 0;

    if ((flags & (H5F_ACC_RDWR | H5F_ACC_TRUNC | H5F_ACC_CREAT)) != 0) {
        return EROFS;
    }
    int failed = stoa_other_files_open(&file->elsewhere, name, &file->own_fd);
    if (failed == 0) {
        failed = stoa_disk_size(file->own_fd, &size);
    }
    if (failed == 0 && stoa_superblock_read_fd(file->own_fd, size, &superblock, NULL) != STOA_OK) {
        failed = EIO;
    }
    file->superblock = superblock;
    if (failed == 0 && stoa_journal_plain(file->own_fd, &file->journal, NULL) != STOA_OK) {
        failed = ENOMEM;
    }
    return failed;
}

static void release(driver_file *file)
{
    if (file->own_fd >= 0) {
        if (file->journal != NULL) {
            stoa_journal_end_transaction(file->journal);
        }
        (void)close(file->own_fd);
    } else if (file->journal != NULL) {
        stoa_journal_release(file->journal);
    }
    free(file);
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    const driver_info *info = H5Pget_driver_info(fapl);
    driver_file *file = stoa_alloc_zero(1, sizeof *file);
    struct stat about;
    int failed = 0;

    (void)maxaddr;
    if (file == NULL) {
        (void)explain(H5E_RESOURCE, "open", ENOMEM);
        return NULL;
    }
    file->own_fd = -1;
    if (info != NULL) {
        file->elsewhere = info->elsewhere;
    }
    if (info != NULL && info->journal != NULL) {
        file->journal = info->journal;
        file->superblock = info->superblock;
        stoa_journal_hold(file->journal);
    } else {
        failed = open_other(file, name, flags);
    }
    if (failed == 0 && fstat(stoa_journal_fd(file->journal), &about) != 0) {
        failed = errno;
    }
    if (failed != 0) {
        (void)explain(H5E_FILE, "open", failed);
        release(file);
        return NULL;
    }
    file->device = about.st_dev;
    file->inode = about.st_ino;
    return &file->pub;
}

static driver_file *of(H5FD_t *pub)
{
    return (driver_file *)pub;
}

static const driver_file *of_const(const H5FD_t *pub)
{
    return (const driver_file *)pub;
}

/* Driver info for files that this one refers to. libhdf5 frees it. */
static void *driver_fapl_get(H5FD_t *pub)
{
    driver_info *info = H5allocate_memory(sizeof *info, true);

    if (info != NULL) {
        info->elsewhere = of(pub)->elsewhere;
    }
    return info;
}

static herr_t driver_close(H5FD_t *pub)
{
    release(of(pub));
    return 0;
}

static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
    const driver_file *left = of_const(a);
    const driver_file *right = of_const(b);

    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    return (left->inode > right->inode) - (left->inode < right->inode);
}

static herr_t driver_query(const H5FD_t *pub, unsigned long *flags)
{
    if (flags != NULL) {
        /* No H5FD_FEAT_ACCUMULATE_METADATA: libhdf5 would merge adjacent blocks, and read parts of
         * blocks, which cannot be validated. */
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                 H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
        if (pub != NULL && of_const(pub)->superblock.is_swmr) {
            *flags |= H5FD_FEAT_SUPPORTS_SWMR_IO;
        }
    }
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *pub, H5FD_mem_t type)
{
    (void)type;
    return stoa_journal_end(of_const(pub)->journal);
}

static herr_t driver_set_eoa(H5FD_t *pub, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    stoa_journal_set_end(of(pub)->journal, end);
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *pub, H5FD_mem_t type)
{
    (void)type;
    return stoa_journal_size(of_const(pub)->journal);
}

static void *asks(hid_t access_list, const char *question)
{
    void *answer = NULL;

    return H5Pexist(access_list, question) > 0 &&
                   H5Pget(access_list, question, (void *)&answer) >= 0
               ? answer
               : NULL;
}

static herr_t driver_get_handle(H5FD_t *pub, hid_t access_list, void **handle)
{
    const driver_file *file = of(pub);
    stoa_other_files *elsewhere;
    stoa_block *blocks;
    int *fd;

    *handle = NULL;
    if (access_list == H5P_DEFAULT) {
        return -1;
    }
    if ((elsewhere = asks(access_list, STOA_OTHER_FILES_QUESTION)) != NULL) {
        *elsewhere = file->elsewhere;
        *handle = elsewhere;
    } else if ((blocks = asks(access_list, STOA_BLOCKS_QUESTION)) != NULL) {
        *blocks = (stoa_block){.file = &file->superblock, .journal = file->journal};
        *handle = blocks;
    } else if (stoa_journal_is_plain(file->journal) &&
               (fd = asks(access_list, STOA_DESCRIPTOR_QUESTION)) != NULL) {
        *fd = stoa_journal_fd(file->journal);
        *handle = fd;
    }
    return *handle != NULL ? 0 : -1;
}

/* A SWMR writer may be about to write a block. It gets some milliseconds for each, and not too many
 * in all, since a damaged file may bear the mark of such a writer. */
enum { MAX_PAUSES_PER_BLOCK = 100, MAX_PAUSES = 1000 };

static bool pause_for_writer(driver_file *file, unsigned n_before)
{
    static const struct timespec millisecond = {0, 1000000};

    if (!file->superblock.is_swmr || n_before >= MAX_PAUSES_PER_BLOCK ||
        file->n_pauses >= MAX_PAUSES) {
        return false;
    }
    file->n_pauses++;
    (void)nanosleep(&millisecond, NULL);
    return true;
}

/* The reason why a block cannot be right, else NULL. */
static const char *read_block(driver_file *file, H5FD_mem_t type, haddr_t address, size_t size,
                              void *out, int *failed)
{
    /* A SWMR writer makes the file longer. */
    *failed = file->superblock.is_swmr ? stoa_journal_follow(file->journal) : 0;
    if (*failed == 0) {
        *failed = stoa_journal_read(file->journal, address, out, size);
    }
    if (*failed != 0) {
        return NULL;
    }
    const stoa_block block = {.file = &file->superblock,
                              .journal = file->journal,
                              .address = address,
                              .bytes = out,
                              .n = size,
                              .is_data = type == H5FD_MEM_DRAW || type == H5FD_MEM_GHEAP,
                              .is_object = type == H5FD_MEM_OHDR};
    return stoa_block_fault(&block);
}

static herr_t driver_read(H5FD_t *pub, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                          void *out)
{
    driver_file *file = of(pub);
    const char *fault = NULL;
    unsigned n_pauses = 0;
    int failed = 0;

    (void)dxpl;
    do {
        fault = read_block(file, type, address, size, out, &failed);
    } while (fault != NULL && pause_for_writer(file, n_pauses++));
    if (failed != 0) {
        return explain(H5E_IO, "read", failed);
    }
    if (fault != NULL) {
        (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa file driver", __LINE__, H5E_ERR_CLS, H5E_IO,
                       H5E_BADVALUE, "%s is damaged", fault);
        return -1;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *pub, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                           const void *bytes)
{
    (void)type;
    (void)dxpl;
    const int failed = stoa_journal_write(of(pub)->journal, address, bytes, size);
    return failed == 0 ? 0 : explain(H5E_IO, "write", failed);
}

/* The caller of stoa_file_open() has locked its own file already. */
static herr_t driver_lock(H5FD_t *pub, bool exclusive)
{
    const driver_file *file = of(pub);
    const int failed = file->own_fd < 0 ? 0 : stoa_disk_lock(file->own_fd, exclusive);

    return failed == 0 ? 0 : explain(H5E_VFL, "lock", failed);
}

static herr_t driver_unlock(H5FD_t *pub)
{
    const driver_file *file = of(pub);
    const int failed = file->own_fd < 0 ? 0 : stoa_disk_unlock(file->own_fd);

    return failed == 0 ? 0 : explain(H5E_VFL, "unlock", failed);
}

static const H5FD_class_t driver_class = {
    .version = H5FD_CLASS_VERSION,
    .value = 497, /* from the range for drivers that are not registered with The HDF Group */
    .name = "stoa-journal",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_info),
    .fapl_get = driver_fapl_get,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_cmp,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    /* No .truncate: in a transaction, the commit sets the file's length. */
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

stoa_status stoa_driver_use(hid_t access_list, stoa_journal *journal,
                            const stoa_superblock *superblock, const stoa_other_files *elsewhere,
                            hid_t *driver, stoa_error *err)
{
    const driver_info info = {journal, *superblock, *elsewhere};

    STOA_RETURN_HDF_ERROR(err, *driver = H5FDregister(&driver_class), "register the file driver");
    STOA_RETURN_HDF_ERROR(err, H5Pset_driver(access_list, *driver, &info),
                          "choose the file driver");
    return STOA_OK;
}

/* Other drivers return their own handles, so the answer is compared. */
static bool ask(hid_t file, const char *question, void *answer)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    void *handle = NULL;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    const bool is_answered = list >= 0 &&
                             H5Pinsert2(list, question, sizeof answer, (void *)&answer, NULL, NULL,
                                        NULL, NULL, NULL, NULL) >= 0 &&
                             H5Fget_vfd_handle(file, list, &handle) >= 0 && handle == answer;

    (void)stoa_hdf_close(&list, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    return is_answered;
}

bool stoa_driver_other_files(hid_t file, stoa_other_files *elsewhere)
{
    return ask(file, STOA_OTHER_FILES_QUESTION, elsewhere);
}

bool stoa_driver_descriptor(hid_t file, int *fd)
{
    return ask(file, STOA_DESCRIPTOR_QUESTION, fd);
}

bool stoa_driver_blocks(hid_t file, stoa_block *blocks)
{
    return ask(file, STOA_BLOCKS_QUESTION, blocks);
}

void stoa_driver_drop(hid_t *driver)
{
    if (*driver >= 0) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)H5FDunregister(*driver);
        stoa_error_stack_end(&errors);
        *driver = H5I_INVALID_HID;
    }
}
