/* A new file's name is given once, after its bytes, and durably: invariant 7 of
 * docs/crash-safety.md, kept by src/hdf/file/new_file.c. */
#include <stoa/file.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/journal/disk.h"
#include "support/check.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* The calls that a file is made with, a letter each, and what happens to some of them. */
typedef struct log {
    char letters[4096];
    size_t n;
    bool nameless_is_refused;
    int names_fail;     /* with this, the sync of a directory */
    const char *name;   /* of the file to be made; NULL: not looked for */
    bool early;         /* it was there before it may be */
    bool late;          /* it was not there when its directory was synced */
    struct stat parent; /* of the directory that was synced */
} log;

static int note(void *context, const stoa_disk_call *call)
{
    static const char letters[] = {
        [STOA_DISK_WRITE] = 'w',   [STOA_DISK_TRUNCATE] = 't', [STOA_DISK_SYNC] = 's',
        [STOA_DISK_PUBLISH] = 'p', [STOA_DISK_NAMELESS] = '-', [STOA_DISK_RENAME] = 'n',
        [STOA_DISK_COPY] = 'c',    [STOA_DISK_REPLACE] = 'r',  [STOA_DISK_SYNC_NAMES] = 'd'};
    log *const l = context;
    const bool is_there = l->name != NULL && access(l->name, F_OK) == 0;

    if ((size_t)call->op >= sizeof letters || letters[call->op] == '\0') {
        return 0; /* a lock, which leaves nothing on the disk */
    }
    if (call->op == STOA_DISK_SHARE) { /* a lock, of no name */
        return 0;
    }
    if (l->n + 1 < sizeof l->letters) {
        l->letters[l->n++] = letters[call->op];
        l->letters[l->n] = '\0';
    }
    if (call->op == STOA_DISK_SYNC_NAMES) {
        l->late = l->late || (l->name != NULL && !is_there);
        CHECK_I64(fstat(call->fd, &l->parent), 0);
        return l->names_fail;
    }
    l->early = l->early || is_there;
    return call->op == STOA_DISK_NAMELESS && l->nameless_is_refused ? EOPNOTSUPP : 0;
}

static stoa_status make(const char *path, stoa_file_mode mode, log *l, stoa_error *err)
{
    stoa_file *file = NULL;
    stoa_status status;

    stoa_disk_watch(note, l);
    status = stoa_file_open(path, mode, &file, err);
    if (status == STOA_OK) {
        CHECK_H5(H5Gclose((hid_t)CHECK_H5(
            H5Gcreate2(stoa_file_id(file), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
        status = stoa_file_commit(file, err);
    }
    stoa_disk_watch(NULL, NULL);
    return status;
}

/* Whether it ends with these calls, the first of which is the only one of its kind. */
static bool ends_with(const log *l, const char *letters)
{
    const char *const first = strchr(l->letters, letters[0]);

    return l->n >= strlen(letters) && strcmp(l->letters + l->n - strlen(letters), letters) == 0 &&
           (letters[0] == 's' || first == l->letters + l->n - strlen(letters));
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_new_file_is_synced_then_named_then_its_directory_is_synced(void)
{
    for (int refused = 0; refused < 2; refused++) {
        const char *path = check_path(refused ? "temporary.h5" : "nameless.h5");
        log l = {.nameless_is_refused = refused != 0, .name = path};
        struct stat parent;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(make(path, STOA_FILE_CREATE, &l, &err), &err);
        CHECK(ends_with(&l, refused ? "spnd" : "spd"));
        CHECK(!l.early);
        CHECK(!l.late);
        CHECK_I64(stat(check_path("."), &parent), 0);
        CHECK_U64((uint64_t)l.parent.st_ino, (uint64_t)parent.st_ino);
        CHECK_I64(access(path, F_OK), 0);
    }
}

static void a_file_that_replaces_another_is_synced_then_named_then_its_directory_is_synced(void)
{
    const char *path = check_path("old.h5");

    for (int refused = 0; refused < 2; refused++) {
        log l = {.nameless_is_refused = refused != 0};
        stoa_error err = STOA_ERROR_INIT;

        (void)unlink(path);
        H5Fclose((hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
        CHECK_OK(make(path, STOA_FILE_SAFE, &l, &err), &err);
        CHECK(ends_with(&l, "sprd"));
    }
}

static void a_name_that_cannot_be_made_durable_is_taken_back(void)
{
    const char *path = check_path("a.h5");
    log l = {.names_fail = EIO};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EIO, make(path, STOA_FILE_CREATE, &l, &err));
    CHECK(access(path, F_OK) != 0);
    CHECK_CONTAINS(err.message, "cannot be created");
}

static void a_file_system_that_syncs_no_directories_is_taken_at_its_word(void)
{
    static const int harmless[] = {EINVAL, ENOTSUP, EROFS};

    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        const char *path = check_path("a.h5");
        log l = {.names_fail = harmless[i]};
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(make(path, STOA_FILE_CREATE, &l, &err), &err);
        CHECK_I64(unlink(path), 0);
    }
}

TEST_MAIN(TEST(a_new_file_is_synced_then_named_then_its_directory_is_synced),
          TEST(a_file_that_replaces_another_is_synced_then_named_then_its_directory_is_synced),
          TEST(a_name_that_cannot_be_made_durable_is_taken_back),
          TEST(a_file_system_that_syncs_no_directories_is_taken_at_its_word))
