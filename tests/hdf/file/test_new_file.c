/* New files and what becomes of their names: src/hdf/file/new_file.c. */
#include "hdf/file/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "hdf/journal/disk.h"
#include "support/check.h"
#include "support/sweep.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static void make_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    CHECK(fd >= 0 && write(fd, "old", 3) == 3 && close(fd) == 0);
}

static char *below(const char *directory, const char *name)
{
    char *path = NULL;

    CHECK(asprintf(&path, "%s/%s", directory, name) >= 0);
    return path;
}

static struct stat about(const char *path)
{
    struct stat found;

    CHECK_I64(lstat(path, &found), 0);
    return found;
}

static void check_name(const char *name, const char *expected)
{
    char *found = stoa_new_file_name(name);

    CHECK_STR(found, expected);
    free(found);
}

static int refuse(void *context, const stoa_disk_call *call)
{
    const int *const refused = context; /* -1: files without a name */

    return call->op == STOA_DISK_NAMELESS                  ? (*refused == 0 ? 0 : EOPNOTSUPP)
           : call->op == STOA_DISK_PUBLISH && *refused > 0 ? *refused
                                                           : 0;
}

static const int with_names = -1;

static void watch(const int *refused)
{
    stoa_disk_watch(refuse, (void *)(uintptr_t)refused);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Names are below a directory without links. */
static void a_name_is_what_its_links_lead_to_though_nothing_is_there(void)
{
    char *top = realpath(check_path("."), NULL);
    char *sub = below(top, "sub");
    char *link = below(top, "sub/link");
    char *to = below(top, "sub/new");
    int ends[2];

    CHECK_I64(mkdir(sub, 0777), 0);
    check_name(link, link);
    CHECK_I64(symlink("new", link), 0);
    check_name(link, to);
    make_file(to);
    check_name(link, to);
    CHECK_I64(unlink(to), 0);
    CHECK_I64(unlink(link), 0);
    CHECK_I64(symlink("../sub/other", link), 0);
    free(to);
    to = below(sub, "../sub/other");
    check_name(link, to);
    CHECK_I64(unlink(link), 0);
    CHECK_I64(symlink("/none/at all", link), 0);
    check_name(link, "/none/at all");
    CHECK_I64(unlink(link), 0);
    CHECK_I64(symlink("link", link), 0);
    check_name(link, link); /* a ring, which opening it tells */
    CHECK_I64(chdir(sub), 0);
    CHECK_I64(unlink("link"), 0);
    check_name("link", "link");
    CHECK_I64(symlink("new", "link"), 0);
    check_name("link", "new");
    CHECK_I64(chdir("/"), 0);
    CHECK_I64(pipe(ends), 0); /* as /dev/stdout may be: there, but of no path */
    char of_pipe[64];
    (void)snprintf(of_pipe, sizeof of_pipe, "/proc/self/fd/%d", ends[1]);
    if (access(of_pipe, F_OK) == 0) {
        check_name(of_pipe, of_pipe);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    free(to);
    free(link);
    free(sub);
    free(top);
}

/* As many as the system follows. */
static void forty_links_are_followed_and_no_more(void)
{
    char *top = realpath(check_path("."), NULL);
    char name[32];
    char *first = below(top, "link0");
    char *last = below(top, "link40");

    CHECK_I64(chdir(top), 0);
    for (int i = 0; i < 40; i++) {
        char next[32];
        (void)snprintf(name, sizeof name, "link%d", i);
        (void)snprintf(next, sizeof next, "link%d", i + 1);
        CHECK_I64(symlink(next, name), 0);
    }
    check_name(first, last);
    CHECK_I64(symlink("link41", "link40"), 0);
    check_name(first, first);
    CHECK_I64(chdir("/"), 0);
    free(last);
    free(first);
    free(top);
}

static void check_refused(const char *name, stoa_status status, const char *words)
{
    stoa_new_file file;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(status, stoa_new_file_open(name, &file, &err), &err);
    CHECK_CONTAINS(err.message, words);
    CHECK(file.fd == -1 && file.name == NULL && file.temporary == NULL);
}

static void names_that_no_file_can_have_are_refused(void)
{
    for (int named = 0; named < 2; named++) {
        watch(named ? &with_names : &(int){0});
        check_refused("", STOA_EINVAL, "is no file name");
        check_refused(check_path("a/"), STOA_EINVAL, "is no file name");
        check_refused(check_path("none/a"), STOA_ENOTFOUND, "no directory '");
        make_file(check_path("file"));
        check_refused(check_path("file"), STOA_EEXISTS, "exists already");
        check_refused(check_path("file/a"), STOA_ENOTFOUND, "no directory '");
        check_refused("/proc/stoa", STOA_ENOTFOUND, "cannot be created in '/proc'");
        stoa_disk_watch(NULL, NULL);
    }
}

/* ---- Temporary names ------------------------------------------------------------------------ */

static void a_temporary_name_is_hidden_beside_the_file_and_goes_with_it(void)
{
    char longest[256];
    char expected[300];
    stoa_new_file file;
    stoa_new_file other;
    stoa_error err = STOA_ERROR_INIT;

    memset(longest, 'n', 255);
    longest[255] = '\0';
    watch(&with_names);
    for (size_t n = 1; n <= 255; n += n < 199 ? 66 : 1) {
        const char *const name = longest + 255 - n;
        const int kept = n < 200 ? (int)n : 200;
        CHECK_OK(stoa_new_file_open(check_path(name), &file, &err), &err);
        CHECK_OK(stoa_new_file_open(check_path(name), &other, &err), &err);
        const char *base = strrchr(file.temporary, '/') + 1;
        const int m =
            snprintf(expected, sizeof expected, ".%.*s.stoa-%ld-", kept, name, (long)getpid());
        CHECK(strncmp(base, expected, (size_t)m) == 0);
        CHECK_U64(strlen(base), (size_t)m + 8);
        CHECK_U64(strspn(base + m, "0123456789abcdef"), 8);
        CHECK(strncmp(file.temporary, check_path("."), (size_t)(base - file.temporary) - 1) == 0);
        CHECK(strcmp(file.temporary, other.temporary) != 0);
        CHECK_U64(about(file.temporary).st_nlink, 1);
        char *temporary = strdup(file.temporary);
        stoa_new_file_close(&file);
        CHECK(file.fd == -1 && file.name == NULL && file.temporary == NULL);
        CHECK(access(temporary, F_OK) != 0);
        CHECK_I64(access(other.temporary, F_OK), 0);
        stoa_new_file_close(&other);
        free(temporary);
    }
    stoa_disk_watch(NULL, NULL);
}

/* A name without a slash is in the working directory. */
static void a_file_is_made_where_its_name_says(void)
{
    for (int named = 0; named < 2; named++) {
        stoa_new_file file;
        stoa_error err = STOA_ERROR_INIT;
        struct stat made;
        const mode_t mask = umask(027);

        watch(named ? &with_names : &(int){0});
        CHECK_I64(chdir(check_path(".")), 0);
        CHECK_OK(stoa_new_file_open("plain", &file, &err), &err);
        CHECK_STR(file.name, "plain");
        CHECK(!file.replaces && (named == 0 || file.temporary != NULL));
        CHECK(!named || strncmp(file.temporary, "./.plain.stoa-", 14) == 0);
        CHECK_I64(fstat(file.fd, &made), 0);
        CHECK_U64(made.st_mode & 07777, 0640);
        CHECK_I64(write(file.fd, "new", 3), 3);
        CHECK(access("plain", F_OK) != 0);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_OK(stoa_new_file_publish(&file, &err), &err);
        CHECK_U64(stoa_exit_cleanup_is(), STOA_CHANGED);
        CHECK_U64(about("plain").st_ino, made.st_ino);
        CHECK_U64(about("plain").st_nlink, 1);
        CHECK(file.temporary == NULL);
        stoa_new_file_close(&file);
        CHECK_U64(about("plain").st_size, 3);
        CHECK_I64(unlink("plain"), 0);
        CHECK_I64(chdir("/"), 0);
        stoa_disk_watch(NULL, NULL);
        (void)umask(mask);
    }
}

/* Undone by a process that ends: what was made and has no name yet, and nothing that is over. */
static void an_ending_process_takes_temporary_names_along(void)
{
    stoa_new_file gone;
    stoa_new_file published;
    stoa_new_file left;
    int how = 0;

    watch(&with_names);
    CHECK_OK(stoa_new_file_open(check_path("gone"), &gone, NULL));
    CHECK_OK(stoa_new_file_open(check_path("published"), &published, NULL));
    CHECK_OK(stoa_new_file_open(check_path("left"), &left, NULL));
    char *temporary = strdup(gone.temporary);
    char *renamed = strdup(published.temporary);
    stoa_new_file_close(&gone);
    CHECK_OK(stoa_new_file_publish(&published, NULL));
    make_file(temporary); /* others', of names that are free again */
    make_file(renamed);
    const pid_t child = fork();
    if (child == 0) {
        stoa_exit_cleanup_undo();
        _exit(0);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK(access(left.temporary, F_OK) != 0);
    CHECK_I64(access(temporary, F_OK), 0);
    CHECK_I64(access(renamed, F_OK), 0);
    CHECK_I64(access(check_path("published"), F_OK), 0);
    stoa_new_file_close(&published);
    stoa_new_file_close(&left);
    stoa_disk_watch(NULL, NULL);
    free(renamed);
    free(temporary);
}

static void a_file_that_is_not_published_never_was(void)
{
    static const struct {
        int refused;
        stoa_status status;
        const char *words;
    } cases[] = {{ENOSPC, STOA_EIO, "cannot be created: No space left on device"},
                 {EEXIST, STOA_EEXISTS, "exists already"}};

    for (size_t i = 0; i < 2; i++) {
        stoa_new_file file;
        stoa_error err = STOA_ERROR_INIT;
        watch(&cases[i].refused);
        CHECK_OK(stoa_new_file_open(check_path("new"), &file, &err), &err);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_STATUS(cases[i].status, stoa_new_file_publish(&file, &err), &err);
        CHECK_CONTAINS(err.message, cases[i].words);
        CHECK_U64(stoa_exit_cleanup_is(), STOA_UNCHANGED);
        stoa_new_file_close(&file);
        stoa_disk_watch(NULL, NULL);
        CHECK(access(check_path("new"), F_OK) != 0);
    }
    /* Its directory is gone. */
    stoa_new_file file;
    stoa_error err = STOA_ERROR_INIT;
    CHECK_I64(mkdir(check_path("d"), 0777), 0);
    CHECK_OK(stoa_new_file_open(check_path("d/new"), &file, &err), &err);
    if (file.temporary == NULL) {
        CHECK_I64(rmdir(check_path("d")), 0);
        CHECK_STATUS(STOA_ENOTFOUND, stoa_new_file_publish(&file, &err), &err);
        CHECK_CONTAINS(err.message, "cannot be created: No such file or directory");
    }
    stoa_new_file_close(&file);
}

/* ---- Successors ----------------------------------------------------------------------------- */

/* The successor of a file takes its place. */
static void succeed(const char *name, bool named)
{
    stoa_new_file file;
    stoa_error err = STOA_ERROR_INIT;
    struct stat made;
    const int old = open(name, O_RDONLY);

    watch(named ? &with_names : &(int){0});
    CHECK(old >= 0);
    CHECK_OK(stoa_new_file_open_successor(name, old, &file, &err), &err);
    CHECK(file.replaces);
    CHECK_I64(fstat(file.fd, &made), 0);
    CHECK_I64(write(file.fd, "new!", 4), 4);
    CHECK_U64(about(name).st_size, 3);
    CHECK_OK(stoa_new_file_publish(&file, &err), &err);
    CHECK_U64(about(name).st_ino, made.st_ino);
    CHECK_U64(about(name).st_nlink, 1);
    stoa_new_file_close(&file);
    stoa_disk_watch(NULL, NULL);
    CHECK_I64(close(old), 0);
}

static void a_successor_has_the_permissions_and_attributes_of_the_old_file(void)
{
    static const mode_t modes[] = {0600, 0666, 0444, 0705, 04711, 02750, 01644};
    const char *const name = check_path("a");

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (geteuid() != 0 && (modes[i] & 06000) != 0) {
            continue; /* a write takes these bits away, but not root's */
        }
        make_file(name);
        CHECK_I64(chmod(name, modes[i]), 0);
#if defined(__linux__)
        const bool has = setxattr(name, "user.one", "1", 1, 0) == 0 &&
                         setxattr(name, "user.three", "333", 3, 0) == 0;
#endif
        succeed(name, i % 2 != 0);
        CHECK_U64(about(name).st_mode & 07777, modes[i]);
        CHECK_U64(about(name).st_size, 4);
#if defined(__linux__)
        char value[8] = "";
        if (has) {
            CHECK_I64(getxattr(name, "user.one", value, sizeof value), 1);
            CHECK_I64(getxattr(name, "user.three", value, sizeof value), 3);
            CHECK_MEM(value, "333", 3);
        }
#endif
        CHECK_I64(unlink(name), 0);
    }
}

static stoa_status make_successor(stoa_error *err)
{
    stoa_new_file file;
    const int old = open(check_path("old"), O_RDONLY);

    CHECK(old >= 0);
    const stoa_status status = stoa_new_file_open_successor(check_path("old"), old, &file, err);
    CHECK(status != STOA_OK || sweep_is_over(0));
    stoa_new_file_close(&file);
    CHECK_I64(close(old), 0);
    return status;
}

static void a_successor_is_made_whole_or_not_at_all_when_memory_runs_out(void)
{
    make_file(check_path("old"));
    CHECK(sweep_memory(make_successor) > 2);
}

/* Who may not give a file away does not give what its owner alone had: as user 65534. */
static mode_t mode_made_by_another(uid_t owner, gid_t group, mode_t mode)
{
    const char *const name = check_path("given");
    int how = 0;

    make_file(name);
    CHECK_I64(chown(name, owner, group), 0);
    CHECK_I64(chmod(name, mode), 0);
    const int old = open(name, O_RDONLY);
    const pid_t child = fork();
    if (child == 0) {
        stoa_new_file file;
        struct stat made;
        if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0 ||
            stoa_new_file_open_successor(name, old, &file, NULL) != STOA_OK ||
            fstat(file.fd, &made) != 0) {
            _exit(1);
        }
        made.st_mode &= 07777;
        _exit(stoa_new_file_publish(&file, NULL) == STOA_OK && about(name).st_uid == 65534 &&
                      (about(name).st_mode & 07777) == made.st_mode
                  ? 0
                  : 2);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
    CHECK_I64(WEXITSTATUS(how), 0);
    CHECK_I64(close(old), 0);
    const mode_t found = about(name).st_mode & 07777;
    CHECK_I64(unlink(name), 0);
    return found;
}

static void a_file_that_cannot_be_given_away_loses_what_only_its_owner_may(void)
{
    char *top = realpath(check_path("."), NULL);

    if (geteuid() != 0) {
        free(top);
        SKIP("only root can make files of others");
    }
    const char *const name = check_path("a");
    make_file(name);
    CHECK_I64(chown(name, 1234, 4321), 0);
    succeed(name, false);
    CHECK(about(name).st_uid == 1234 && about(name).st_gid == 4321); /* root can */
    CHECK_I64(chmod(top, 0777), 0);
    for (char *slash = strrchr(top, '/'); slash != top; slash = strrchr(top, '/')) {
        *slash = '\0';
        if ((about(top).st_mode & S_IXOTH) == 0) {
            free(top);
            SKIP("the tests' directory is root's alone");
        }
    }
    free(top);
    CHECK_U64(mode_made_by_another(65534, 65534, 06777), 06777);
    CHECK_U64(mode_made_by_another(0, 65534, 06775), 02775);
    CHECK_U64(mode_made_by_another(0, 0, 06775), 0705);
    CHECK_U64(mode_made_by_another(65534, 0, 06775), 0705);
}

static void a_successor_of_nothing_is_refused(void)
{
    stoa_new_file file;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_new_file_open_successor(check_path("none"), -1, &file, &err),
                 &err);
    CHECK_CONTAINS(err.message, "cannot be found again");
    CHECK(file.fd == -1 && file.name == NULL);
    make_file(check_path("a"));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EIO, stoa_new_file_open_successor(check_path("a"), -1, &file, &err), &err);
    CHECK_CONTAINS(err.message, "cannot be looked at");
    CHECK(file.fd == -1 && file.name == NULL);
}

static void a_successor_that_is_not_published_leaves_the_old_file(void)
{
    static const int refused = ENOSPC;
    const char *const name = check_path("a");
    stoa_new_file file;
    stoa_error err = STOA_ERROR_INIT;

    make_file(name);
    const ino_t old_number = about(name).st_ino;
    const int old = open(name, O_RDONLY);
    watch(&refused);
    CHECK_OK(stoa_new_file_open_successor(name, old, &file, &err), &err);
    CHECK_STATUS(STOA_EIO, stoa_new_file_publish(&file, &err), &err);
    CHECK_CONTAINS(err.message, "cannot be replaced: No space left on device");
    stoa_new_file_close(&file);
    stoa_disk_watch(NULL, NULL);
    CHECK_U64(about(name).st_ino, old_number);
    CHECK_I64(close(old), 0);
}

TEST_MAIN(TEST(a_name_is_what_its_links_lead_to_though_nothing_is_there),
          TEST(forty_links_are_followed_and_no_more), TEST(names_that_no_file_can_have_are_refused),
          TEST(a_temporary_name_is_hidden_beside_the_file_and_goes_with_it),
          TEST(a_file_is_made_where_its_name_says),
          TEST(an_ending_process_takes_temporary_names_along),
          TEST(a_file_that_is_not_published_never_was),
          TEST(a_successor_has_the_permissions_and_attributes_of_the_old_file),
          TEST(a_successor_is_made_whole_or_not_at_all_when_memory_runs_out),
          TEST(a_file_that_cannot_be_given_away_loses_what_only_its_owner_may),
          TEST(a_successor_of_nothing_is_refused),
          TEST(a_successor_that_is_not_published_leaves_the_old_file))
