/* stoa_file: opens HDF5 files for reading, and for edits that happen wholly or not at all, in place
 * or on a copy. New files are not visible until they are complete (docs/crash-safety.md). */
#include <stoa/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/file/descriptor.h"
#include "hdf/file/driver.h"
#include "hdf/file/file.h"
#include "hdf/file/lock.h"
#include "hdf/file/new_file.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/journal.h"
#include "hdf/journal/superblock.h"
#include "hdf/metadata/other_files.h"

struct stoa_file {
    char *name;
    stoa_file_mode mode;
    hid_t id;
    hid_t driver;
    hid_t connector; /* borrowed while the file is opened; then invalid */
    int fd;          /* below the journal */
    stoa_journal *journal;
    stoa_superblock superblock; /* as found in the file; all zeros for a new file */
    stoa_new_file newfile;  /* owns fd in STOA_FILE_CREATE, STOA_FILE_REPLACE and STOA_FILE_SAFE */
    int old_fd;             /* the file to be replaced, locked; else -1 */
    bool is_oldest;         /* opened by stoa_file_open_oldest() */
    bool holds_edits;       /* as in stoa_file_options */
    bool is_unlocked;       /* the lock is released */
    bool is_under;          /* opened with a VOL connector */
    stoa_lock_state rested; /* state of the file when it was put to rest */
    bool is_settled;        /* all its bytes are durable */
    bool is_alone; /* readers are excluded during the whole edit, so the commit need not wait */
    stoa_other_files elsewhere;
};

/* ---- The file below libhdf5 ----------------------------------------------------------------- */

static stoa_status cannot_open(int error_number, stoa_error *err)
{
    if (error_number == ENOENT || error_number == ENOTDIR) {
        return stoa_fail(err, STOA_ENOTFOUND, "no such file");
    }
    return stoa_fail_errno(err, error_number, "cannot be opened");
}

/* Whether the name still refers to the file. It may have been replaced while we waited for a
 * lock. */
static bool is_current(const char *name, int fd)
{
    struct stat named;
    struct stat opened;

    return stat(name, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

/* Checks the type before opening: open() of a FIFO would block. */
static stoa_status open_regular(const char *name, bool writable, int *fd, stoa_error *err)
{
    struct stat about;

    if (stat(name, &about) != 0) {
        return cannot_open(errno, err);
    }
    if (S_ISDIR(about.st_mode)) {
        return stoa_fail(err, STOA_EIO, "is a directory, not a file");
    }
    if (!S_ISREG(about.st_mode)) {
        return stoa_fail(err, STOA_EIO, "is not a regular file");
    }
    *fd = stoa_descriptor_raise(open(name, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    return *fd < 0 ? cannot_open(errno, err) : STOA_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* Open and lock the file that has the name now: for reading if `alone` is NULL, else for writing.
 * The name is checked after locking, since an edit of a replaced file would be lost. */
static stoa_status open_locked(const stoa_file *file, int *fd, bool *alone, stoa_error *err)
{
    const char *const name = file->name;
    stoa_lock_wait wait = {.name = name, .patience = &file->elsewhere.patience};
    stoa_status status = STOA_OK;
    bool is_found = false;

    while (status == STOA_OK && !is_found) {
        status = open_regular(name, alone != NULL, fd, err);
        if (status == STOA_OK) {
            status = alone != NULL       ? stoa_lock_to_write(*fd, &wait, alone, err)
                     : file->holds_edits ? stoa_lock_to_hold(*fd, &wait, err)
                                         : stoa_lock_to_read(*fd, &wait, err);
        }
        is_found = status == STOA_OK && is_current(name, *fd);
        if (!is_found) {
            close_fd(fd);
        }
    }
    return status;
}

static int read_journal(void *from, uint64_t at, void *out, size_t n)
{
    return stoa_journal_read(from, at, out, n);
}

/* Reads through the journal: in the file itself, the superblock may be barred by a commit. */
static stoa_status examine(stoa_journal *journal, bool is_reading, stoa_superblock *superblock,
                           stoa_error *err)
{
    const stoa_superblock_source source = {read_journal, journal, stoa_journal_size(journal)};
    const stoa_status status = stoa_superblock_read(&source, superblock, err);

    if (status == STOA_OK && superblock->open_to_write && !(is_reading && superblock->is_swmr)) {
        return stoa_fail(err, STOA_EIO,
                         "is marked as open for writing: by a running program, or by one that was "
                         "killed; if none is running, 'h5clear -s' takes the mark away");
    }
    return status;
}

/* ---- The file as libhdf5 sees it ------------------------------------------------------------ */

/* Chunks of at least aligned_bytes start at a cache line. The system copies such bytes faster, and
 * values can be used in place (direct.h). This wastes at most 63 bytes before each chunk. */
static const hsize_t aligned_bytes = 16384;
static const hsize_t alignment = 64;

/* Beside a SWMR writer, libhdf5 reads a block again if its checksum is wrong, and doubles the pause
 * each time: from 1 ns to 17 ms here. Its default, 100 times, would never end over damage. */
static const unsigned swmr_attempts = 25;

/* Format versions: 1.8 has dense attributes and links, but not the consistency flags of 1.10
 * superblocks, which a killed program would leave set. Newer formats are used if a type needs them
 * (H5T_STD_REF: 1.12). */
static stoa_status make_access_list(stoa_file *file, hid_t *list, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *list = H5Pcreate(H5P_FILE_ACCESS), "make an access list");
    STOA_RETURN_HDF_ERROR(
        err,
        H5Pset_libver_bounds(*list, file->is_oldest ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18,
                             H5F_LIBVER_LATEST),
        "choose format versions");
    /* Closing the file closes all ids in it: a commit must not wait for leaked ids. */
    STOA_RETURN_HDF_ERROR(err, H5Pset_fclose_degree(*list, H5F_CLOSE_STRONG),
                          "choose how the file closes");
    STOA_RETURN_HDF_ERROR(err, H5Pset_alignment(*list, aligned_bytes, alignment),
                          "choose an alignment");
    if (file->superblock.is_swmr) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_metadata_read_attempts(*list, swmr_attempts),
                              "choose how often a block is read");
    }
    if (file->connector >= 0) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_vol(*list, file->connector, NULL), "use a connector");
    }
    return stoa_driver_use(*list, file->journal, &file->superblock, &file->elsewhere, &file->driver,
                           err);
}

static stoa_status open_id(stoa_file *file, unsigned flags, stoa_error *err)
{
    hid_t list = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(make_access_list(file, &list, err));
    STOA_HDF(err, file->id = H5Fopen(file->name, flags, list), "open the file");

done:
    return stoa_hdf_close(&list, status, err);
}

/* A file may contain a list of its free space, which libhdf5 trusts. If the list is damaged, an
 * edit overwrites live data. So an edit begins without the list, and allocates at the end of the
 * file. libhdf5 has a property for h5clear that drops the list, but it does not write a new one
 * while that is set. So the file is opened twice. */
static stoa_status drop_free_space(stoa_file *file, stoa_error *err)
{
    static const char property[] = "null_fsm_addr";
    const bool is_dropped = true;
    hid_t list = H5I_INVALID_HID;
    hid_t dropped = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(make_access_list(file, &list, err));
    if (H5Pexist(list, property) > 0) {
        STOA_HDF(err, H5Pset(list, property, &is_dropped), "drop the list of free space");
        STOA_HDF(err, dropped = H5Fopen(file->name, H5F_ACC_RDWR, list), "open the file");
    }

done:
    status = stoa_hdf_close(&dropped, status, err);
    return stoa_hdf_close(&list, status, err);
}

static stoa_status open_id_to_edit(stoa_file *file, stoa_error *err)
{
    hid_t creation = H5I_INVALID_HID;
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
    hbool_t is_kept = false;
    hsize_t threshold = 0;
    stoa_status status = STOA_OK;

    if (file->superblock.is_extended) {
        STOA_TRY(open_id(file, H5F_ACC_RDONLY, err));
        STOA_HDF(err, creation = H5Fget_create_plist(file->id), "get the creation properties");
        STOA_HDF(err, H5Pget_file_space_strategy(creation, &strategy, &is_kept, &threshold),
                 "ask whether free space is listed");
        STOA_TRY(stoa_hdf_close(&file->id, STOA_OK, err));
        STOA_TRY(is_kept ? drop_free_space(file, err) : STOA_OK);
    }
    STOA_TRY(open_id(file, H5F_ACC_RDWR, err));

done:
    return stoa_hdf_close(&creation, status, err);
}

static stoa_status create_id(stoa_file *file, hid_t creation, stoa_error *err)
{
    hid_t list = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(make_access_list(file, &list, err));
    STOA_HDF(err, file->id = H5Fcreate(file->name, H5F_ACC_EXCL, creation, list),
             "create the file");

done:
    return stoa_hdf_close(&list, status, err);
}

/* ---- Opening -------------------------------------------------------------------------- */

/* Complete an interrupted commit. Requires both locks. */
static stoa_status replay(int fd, stoa_error *err)
{
    stoa_journal_record record;
    bool found = false;

    STOA_RETURN_NOT_OK(stoa_journal_record_find(fd, &found, &record, err));
    if (found) {
        STOA_RETURN_NOT_OK(stoa_journal_record_replay(fd, &record, err));
    }
    return STOA_OK;
}

/* A reader found a journal record. Its writer is about to cut the record off, or has died. In the
 * latter case this process completes the commit if it can lock the file at once. */
static stoa_status recover_for_reader(stoa_file *file, stoa_error *err)
{
    int fd = -1;
    stoa_status status = STOA_OK;

    close_fd(&file->fd); /* our shared lock would prevent the exclusive one */
    if (open_regular(file->name, true, &fd, NULL) == STOA_OK && stoa_lock_at_once(fd) &&
        is_current(file->name, fd)) {
        STOA_TRY(replay(fd, err));
    }
    close_fd(&fd);
    STOA_TRY(open_locked(file, &file->fd, NULL, err));

done:
    close_fd(&fd);
    return status;
}

/* Read a file through the record of a commit, if it has one. No record becomes valid while we hold
 * our lock (6). So a record that is still valid after loading was valid throughout. If it is gone,
 * its writer has cut it off, and the pages are in place. */
static stoa_status view(stoa_file *file, stoa_error *err)
{
    stoa_journal_record record;
    stoa_journal_record again;
    bool found = false;
    bool is_still = false;

    STOA_RETURN_NOT_OK(stoa_journal_record_find(file->fd, &found, &record, err));
    if (found) {
        const stoa_status loaded = stoa_journal_view(file->fd, &record, &file->journal, err);
        STOA_RETURN_NOT_OK(stoa_journal_record_find(file->fd, &is_still, &again, err));
        if (is_still) {
            STOA_RETURN_NOT_OK(loaded);
        } else {
            stoa_journal_end_transaction(file->journal);
            file->journal = NULL;
        }
    }
    if (file->journal == NULL) { /* our driver validates what it reads; libhdf5's does not */
        STOA_RETURN_NOT_OK(stoa_journal_plain(file->fd, &file->journal, err));
    }
    return STOA_OK;
}

/* Read beside a SWMR writer, which holds no lock. It may end meanwhile; then the mark is gone. */
static stoa_status open_swmr(stoa_file *file, stoa_error *err)
{
    stoa_error ended = STOA_ERROR_INIT;

    if (stoa_disk_is_remote(file->fd)) {
        return stoa_fail(err, STOA_EIO,
                         "is being written by a SWMR writer, and a network file system does not "
                         "keep the order of its writes; read it on the machine that has the disk, "
                         "or when the writer has closed it");
    }
    if (open_id(file, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, &ended) == STOA_OK) {
        return STOA_OK;
    }
    stoa_driver_drop(&file->driver);
    STOA_RETURN_NOT_OK(examine(file->journal, true, &file->superblock, err));
    return open_id(file, H5F_ACC_RDONLY | (file->superblock.is_swmr ? H5F_ACC_SWMR_READ : 0), err);
}

static stoa_status open_to_read(stoa_file *file, stoa_error *err)
{
    stoa_superblock superblock = {0};
    stoa_journal_record record;
    bool found = false;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(open_locked(file, &file->fd, NULL, err));
    STOA_RETURN_NOT_OK(stoa_journal_record_find(file->fd, &found, &record, err));
    if (found) {
        STOA_RETURN_NOT_OK(recover_for_reader(file, err));
    }
    STOA_RETURN_NOT_OK(view(file, err));
    STOA_RETURN_NOT_OK(examine(file->journal, true, &superblock, err));
    file->superblock = superblock;
    status = superblock.is_swmr ? open_swmr(file, err) : open_id(file, H5F_ACC_RDONLY, err);
    if (status != STOA_OK && superblock.version > STOA_SUPERBLOCK_MAX && err != NULL) {
        *err = (stoa_error)STOA_ERROR_INIT;
        return stoa_fail(err, STOA_EVERSION,
                         "has superblock version %u, which is newer than this HDF5 library reads",
                         superblock.version);
    }
    return status;
}

/* Complete an interrupted commit. Only for this may an edit wait for readers before its own
 * commit. */
static stoa_status complete(const stoa_file *file, int fd, stoa_error *err)
{
    stoa_lock_wait wait = {.name = file->name, .patience = &file->elsewhere.patience};
    bool changed = false;

    if (!file->is_alone) {
        STOA_RETURN_NOT_OK(stoa_lock_exclude(fd, &wait, &changed, err));
    }
    STOA_RETURN_NOT_OK(replay(fd, err));
    if (!file->is_alone) {
        stoa_lock_readmit(fd);
    }
    return STOA_OK;
}

/* Open and lock the file itself, and complete an interrupted commit. */
static stoa_status open_whole(stoa_file *file, int *fd, stoa_superblock *superblock,
                              stoa_error *err)
{
    stoa_journal *whole = NULL;
    stoa_journal_record record;
    bool found = false;
    stoa_status status = STOA_OK;

    STOA_TRY(open_locked(file, fd, &file->is_alone, err));
    STOA_TRY(stoa_journal_record_find(*fd, &found, &record, err));
    if (found) {
        STOA_TRY(complete(file, *fd, err));
    }
    STOA_TRY(stoa_journal_plain(*fd, &whole, err));
    STOA_TRY(examine(whole, false, superblock, err));
    if (superblock->version > STOA_SUPERBLOCK_MAX) {
        STOA_FAIL(err, STOA_EVERSION, "has superblock version %u, which Stoa cannot edit safely",
                  superblock->version);
    }

done:
    stoa_journal_end_transaction(whole);
    return status;
}

static stoa_status open_to_edit(stoa_file *file, stoa_error *err)
{
    stoa_superblock superblock;

    STOA_RETURN_NOT_OK(open_whole(file, &file->fd, &superblock, err));
    file->superblock = superblock;
    STOA_RETURN_NOT_OK(stoa_journal_begin(file->fd, superblock.end, &file->journal, err));
    return open_id_to_edit(file, err);
}

/* The old file stays locked until it is replaced, so no other edit can come between. */
static stoa_status open_safely(stoa_file *file, stoa_error *err)
{
    stoa_superblock superblock;

    STOA_RETURN_NOT_OK(open_whole(file, &file->old_fd, &superblock, err));
    file->superblock = superblock;
    STOA_RETURN_NOT_OK(stoa_new_file_open_successor(file->name, file->old_fd, &file->newfile, err));
    file->fd = file->newfile.fd;
    const int failed = stoa_disk_copy(file->old_fd, file->fd, superblock.end);
    if (failed != 0) {
        return stoa_fail_errno(err, failed, "cannot be copied");
    }
    STOA_RETURN_NOT_OK(stoa_journal_begin(file->fd, 0, &file->journal, err));
    stoa_journal_copied(file->journal, file->old_fd);
    return open_id_to_edit(file, err);
}

static stoa_status open_to_create(stoa_file *file, stoa_error *err)
{
    hid_t creation = H5I_INVALID_HID;
    stoa_superblock superblock;
    stoa_status status = STOA_OK;

    if (file->mode == STOA_FILE_REPLACE) { /* locked until the new file has its name */
        STOA_TRY(open_whole(file, &file->old_fd, &superblock, err));
        STOA_TRY(stoa_new_file_open_successor(file->name, file->old_fd, &file->newfile, err));
    } else {
        STOA_TRY(stoa_new_file_open(file->name, &file->newfile, err));
    }
    file->fd = file->newfile.fd;
    STOA_TRY(stoa_journal_begin(file->fd, 0, &file->journal, err));
    STOA_HDF(err, creation = H5Pcreate(H5P_FILE_CREATE), "make a creation list");
    /* No times, so that the same input gives the same bytes. */
    STOA_HDF(err, H5Pset_obj_track_times(creation, false), "leave out times");
    STOA_TRY(create_id(file, creation, err));

done:
    return stoa_hdf_close(&creation, status, err);
}

/* Copy the bytes before the HDF5 content, which libhdf5 ignores. */
static stoa_status copy_user_block(int from, stoa_file *to, hid_t creation, stoa_error *err)
{
    hsize_t size = 0;
    uint8_t *bytes = NULL;
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Pget_userblock(creation, &size), "get the size of the user block");
    bytes = stoa_alloc((size_t)size, 1);
    STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    int failed = stoa_disk_read(from, 0, bytes, (size_t)size);
    if (failed == 0 && size != 0) {
        failed = stoa_journal_write(to->journal, 0, bytes, (size_t)size);
    }
    status = failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "cannot copy the user block");

done:
    free(bytes);
    return status;
}

static stoa_file *make_handle(const char *name, stoa_file_mode mode)
{
    stoa_file *file = stoa_alloc_zero(1, sizeof *file);

    if (file == NULL) {
        return NULL;
    }
    file->mode = mode;
    file->id = H5I_INVALID_HID;
    file->driver = H5I_INVALID_HID;
    file->connector = H5I_INVALID_HID;
    file->fd = -1;
    file->old_fd = -1;
    file->newfile = (stoa_new_file)STOA_NEW_FILE_INIT;
    file->elsewhere = (stoa_other_files)STOA_OTHER_FILES_INIT;
    file->name = stoa_strdup(name);
    if (file->name == NULL) {
        free(file);
        return NULL;
    }
    return file;
}

/* ---- Ending --------------------------------------------------------------------------------- */

/* Close the id, and everything that is open in the file. */
static stoa_status close_id(stoa_file *file, stoa_error *err)
{
    if (file->journal != NULL) {
        stoa_journal_closing(file->journal);
    }
    return stoa_hdf_close(&file->id, STOA_OK, err);
}

/* Stamp of the file that has the name now, if it is one of our files, which are locked. */
static char *stamp_of(const stoa_file *file)
{
    const int fds[] = {file->fd, file->old_fd};
    char *stamp = NULL;

    for (size_t i = 0; i < 2 && stamp == NULL; i++) {
        if (fds[i] >= 0 && is_current(file->name, fds[i])) {
            const stoa_lock_state now = stoa_lock_read_state(fds[i]);
            stamp = now.is_settled ? stoa_lock_stamp(&now.about) : NULL;
        }
    }
    return stamp;
}

/* Release everything and undo what was not committed. `stamp` may be NULL. */
static void end_stamped(stoa_file *file, char **stamp)
{
    (void)close_id(file, NULL);
    stoa_driver_drop(&file->driver);
    stoa_journal_end_transaction(file->journal);
    if (stamp != NULL) {
        *stamp = stamp_of(file);
    }
    if (file->newfile.fd < 0) {
        close_fd(&file->fd);
    }
    stoa_new_file_close(&file->newfile);
    close_fd(&file->old_fd);
    free(file->name);
    free(file);
}

static void end(stoa_file *file)
{
    end_stamped(file, NULL);
}

/* Other open ids mean that an edit is incomplete: publishing now would publish a part of it. */
static stoa_status check_all_closed(const stoa_file *file, stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const ssize_t n = H5Fget_obj_count(file->id, H5F_OBJ_ALL);

    stoa_error_stack_end(&errors);
    if (n == 1) {
        return STOA_OK;
    }
    if (n < 1) {
        return stoa_fail(err, STOA_EINVAL, "cannot be committed: the program has closed its id");
    }
    return stoa_fail(err, STOA_EINVAL,
                     "cannot be committed: %ld of its objects are still open; close them first",
                     (long)n - 1);
}

/* Close the ids that H5F_CLOSE_STRONG does not close: other file ids, from H5Freopen() and the
 * like. */
static void close_other_file_ids(const stoa_file *file)
{
    hid_t ids[16];
    ssize_t n = 1;

    while (n > 0) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        ssize_t closed = 0;
        n = H5Fget_obj_ids(file->id, H5F_OBJ_FILE, sizeof ids / sizeof ids[0], ids);
        for (ssize_t i = 0; i < n; i++) {
            closed += ids[i] != file->id && H5Fclose(ids[i]) >= 0;
        }
        stoa_error_stack_end(&errors);
        n = closed;
    }
}

static stoa_status open_in_mode(stoa_file *file, stoa_error *err)
{
    switch (file->mode) {
    case STOA_FILE_READ:
        return open_to_read(file, err);
    case STOA_FILE_EDIT:
        return open_to_edit(file, err);
    case STOA_FILE_CREATE:
    case STOA_FILE_REPLACE:
        return open_to_create(file, err);
    case STOA_FILE_SAFE:
        return open_safely(file, err);
    default:
        return stoa_fail(err, STOA_EINVAL, "no such way to open a file: %d", (int)file->mode);
    }
}

static stoa_status copy_options(const stoa_file_options *options, stoa_file_options *own,
                                stoa_file_patience *patience, stoa_error *err)
{
    *own = (stoa_file_options)STOA_FILE_OPTIONS_INIT;
    *patience = (stoa_file_patience)STOA_FILE_PATIENCE_INIT;
    STOA_RETURN_NOT_OK(
        STOA_SIZED_COPY(own, options, follow_external, "STOA_FILE_OPTIONS_INIT", err));
    return STOA_SIZED_COPY(patience, own->patience, seconds, "STOA_FILE_PATIENCE_INIT", err);
}

static stoa_status open_file(const char *name, stoa_file_mode mode, hid_t connector, bool is_oldest,
                             const stoa_file_options *options, stoa_file **out, stoa_error *err)
{
    stoa_file *file = NULL;
    stoa_file_options own;
    stoa_file_patience patience;
    stoa_status status = copy_options(options, &own, &patience, err);

    *out = NULL;
    if (status == STOA_OK) {
        file = make_handle(name, mode);
        status = file != NULL ? STOA_OK : stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        return stoa_at(err, status, "%s", name);
    }
    file->connector = connector;
    file->is_under = connector >= 0;
    file->is_oldest = is_oldest;
    file->holds_edits = own.holds_edits;
    file->elsewhere.patience = patience;
    file->elsewhere.maps = own.map && mode == STOA_FILE_READ;
    if (own.follow_external && mode == STOA_FILE_READ) {
        status = stoa_other_files_below(name, &file->elsewhere, err);
    }
    if (status == STOA_OK) {
        status = open_in_mode(file, err);
    }
    if (status != STOA_OK) {
        end(file);
        return stoa_at(err, status, "%s", name);
    }
    file->connector = H5I_INVALID_HID;
    *out = file;
    return STOA_OK;
}

stoa_status stoa_file_open(const char *name, stoa_file_mode mode, stoa_file **out, stoa_error *err)
{
    return open_file(name, mode, H5I_INVALID_HID, false, NULL, out, err);
}

stoa_status stoa_file_open_with(const char *name, stoa_file_mode mode,
                                const stoa_file_options *options, stoa_file **out, stoa_error *err)
{
    return open_file(name, mode, H5I_INVALID_HID, false, options, out, err);
}

stoa_status stoa_file_open_under(const char *name, stoa_file_mode mode, hid_t connector,
                                 const stoa_file_options *options, stoa_file **out, stoa_error *err)
{
    return open_file(name, mode, connector, false, options, out, err);
}

stoa_status stoa_file_open_oldest(const char *name, stoa_file_mode mode,
                                  const stoa_file_options *options, stoa_file **out,
                                  stoa_error *err)
{
    return open_file(name, mode, H5I_INVALID_HID, true, options, out, err);
}

/* A descriptor of the file that has the handle's name; -1 if none is open. */
static int fd_of(const stoa_file *file)
{
    return file->old_fd >= 0 ? file->old_fd : file->fd;
}

stoa_status stoa_file_create_like(const stoa_file *like, const char *name, hid_t creation,
                                  stoa_file **out, stoa_error *err)
{
    const char *made = name != NULL ? name : like->name;
    stoa_file *file = make_handle(made, STOA_FILE_CREATE);
    int reading = -1;
    stoa_status status = STOA_OK;

    *out = NULL;
    if (file == NULL) {
        return stoa_at(err, stoa_fail_memory(err), "%s", made);
    }
    file->is_oldest = like->is_oldest;
    file->elsewhere.patience = like->elsewhere.patience;
    reading = fd_of(like) >= 0 ? dup(fd_of(like)) : open(like->name, O_RDONLY | O_CLOEXEC);
    if (reading < 0) {
        STOA_TRY(cannot_open(errno, err));
    }
    if (name != NULL) {
        STOA_TRY(stoa_new_file_open(name, &file->newfile, err));
    } else {
        STOA_TRY(stoa_new_file_open_successor(made, reading, &file->newfile, err));
    }
    file->fd = file->newfile.fd;
    STOA_TRY(stoa_journal_begin(file->fd, 0, &file->journal, err));
    STOA_TRY(create_id(file, creation, err));
    STOA_TRY(copy_user_block(reading, file, creation, err));

done:
    close_fd(&reading);
    if (status != STOA_OK) {
        end(file);
        return stoa_at(err, status, "%s", made);
    }
    *out = file;
    return STOA_OK;
}

hid_t stoa_file_id(const stoa_file *file)
{
    return file->id;
}

const char *stoa_file_name(const stoa_file *file)
{
    return file->name;
}

/* Exclude the readers when an edit in place is prepared. */
static stoa_status exclude(stoa_file *file, stoa_error *err)
{
    stoa_lock_wait wait = {.name = file->name, .patience = &file->elsewhere.patience};
    bool changed = false;
    stoa_status status = stoa_lock_exclude(file->fd, &wait, &changed, err);

    if (changed) {
        stoa_journal_abandon(file->journal);
    }
    if (status == STOA_OK && (changed || !is_current(file->name, file->fd))) {
        status = stoa_fail(err, STOA_EIO,
                           "was changed or replaced by another program while this edit was at "
                           "work; nothing of the edit was kept: try again");
    }
    return status;
}

static stoa_status settle(stoa_file *file, stoa_error *err)
{
    const bool is_shared = file->mode == STOA_FILE_EDIT && !file->is_alone;

    STOA_RETURN_NOT_OK(check_all_closed(file, err));
    STOA_RETURN_NOT_OK(close_id(file, err));
    STOA_RETURN_NOT_OK(stoa_memory_ran_out() ? stoa_fail_memory(err) : STOA_OK);
    STOA_RETURN_NOT_OK(stoa_journal_prepare(file->journal, err));
    if (is_shared && stoa_journal_has_changes(file->journal)) {
        STOA_RETURN_NOT_OK(exclude(file, err));
    }
    STOA_RETURN_NOT_OK(stoa_journal_publish(file->journal, err));
    if (is_shared) {
        stoa_lock_readmit(file->fd);
    }
    STOA_RETURN_NOT_OK(stoa_journal_finish(file->journal, err));
    file->is_settled = true;
    return STOA_OK;
}

stoa_status stoa_file_settle(stoa_file *file, stoa_error *err)
{
    const stoa_status status =
        file->newfile.fd < 0
            ? stoa_fail(err, STOA_EINVAL, "is edited in place: it has one step to its commit")
            : settle(file, err);

    return stoa_at(err, status, "%s", file->name);
}

stoa_status stoa_file_commit_stamped(stoa_file *file, char **stamp, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (file->mode != STOA_FILE_READ && !file->is_settled) {
        STOA_TRY(settle(file, err));
    }
    if (file->newfile.fd >= 0) {
        if (stamp != NULL) { /* locked before others can open it */
            (void)stoa_disk_lock(file->newfile.fd, false);
        }
        STOA_TRY(stoa_new_file_publish(&file->newfile, err));
    }

done:
    status = stoa_at(err, status, "%s", file->name);
    stoa_file_close_stamped(file, stamp);
    return status;
}

stoa_status stoa_file_commit(stoa_file *file, stoa_error *err)
{
    return stoa_file_commit_stamped(file, NULL, err);
}

static void set_unlocked(stoa_file *file, bool is_unlocked)
{
    file->is_unlocked = is_unlocked;
    stoa_journal_set_unlocked(file->journal, is_unlocked);
}

stoa_status stoa_file_unlock(stoa_file *file, stoa_error *err)
{
    if (file->mode != STOA_FILE_READ || file->is_under) {
        return stoa_at(err, stoa_fail(err, STOA_EINVAL, "is not open for reading alone"), "%s",
                       file->name);
    }
    if (!file->is_unlocked) {
        if (!file->rested.is_known) { /* else the state is that of the last rest */
            file->rested = stoa_lock_read_state(file->fd);
        }
        (void)stoa_disk_unlock(file->fd);
        set_unlocked(file, true);
    }
    return STOA_OK;
}

stoa_status stoa_file_lock_same(stoa_file *file, bool *same, stoa_error *err)
{
    stoa_lock_wait wait = {.name = file->name, .patience = &file->elsewhere.patience};
    stoa_status status = STOA_OK;

    *same = !file->is_unlocked;
    if (file->is_unlocked && file->fd >= 0) {
        STOA_TRY(stoa_lock_to_read(file->fd, &wait, err));
        struct stat now; /* status of the file with that name: any change changes its times */
        *same = file->rested.is_known && stat(file->name, &now) == 0 &&
                stoa_lock_is_untouched(&file->rested.about, &now);
        if (*same) {
            set_unlocked(file, false);
        } else {
            (void)stoa_disk_unlock(file->fd);
        }
    }

done:
    return stoa_at(err, status, "%s", file->name);
}

stoa_status stoa_file_lock(stoa_file *file, bool *changed, stoa_error *err)
{
    bool same = false;
    stoa_status status = STOA_OK;

    *changed = false;
    STOA_TRY(stoa_file_lock_same(file, &same, err));
    if (same) {
        goto done;
    }
    *changed = true;
    if (file->fd >= 0) {
        close_other_file_ids(file);
        (void)close_id(file, NULL);
    }
    stoa_driver_drop(&file->driver);
    stoa_journal_end_transaction(file->journal);
    file->journal = NULL;
    close_fd(&file->fd);
    file->rested.is_known = false;
    status = open_to_read(file, err);
    if (status == STOA_OK) {
        file->is_unlocked = false;
    } else {
        close_fd(&file->fd);
    }

done:
    return stoa_at(err, status, "%s", file->name);
}

void stoa_file_close_stamped(stoa_file *file, char **stamp)
{
    if (file->journal != NULL && file->id >= 0) {
        close_other_file_ids(file);
    }
    end_stamped(file, stamp);
}

void stoa_file_close(stoa_file *file)
{
    if (file != NULL) {
        stoa_file_close_stamped(file, NULL);
    }
}
