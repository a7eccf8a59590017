/* What an ending process undoes, for src/core/exit_cleanup.c */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "support/check.h"

static void make(const char *name)
{
    const int fd = open(name, O_CREAT | O_RDWR, 0600);

    CHECK(fd >= 0 && ftruncate(fd, 1000) == 0 && close(fd) == 0);
}

static long size_of(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 ? (long)about.st_size : -1;
}

/* A child runs `work` and ends as a handler of signals ends it. */
static void end_after(void (*work)(void))
{
    int how = 0;
    const pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        work();
        stoa_exit_cleanup_undo();
        _exit(7);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 7);
}

static void note_two_forget_one(void)
{
    stoa_exit_cleanup_note(check_path("a"));
    stoa_exit_cleanup_note("/nowhere/at/all");
    stoa_exit_cleanup_forget("not noted");
    stoa_exit_cleanup_forget(NULL);
}

static void a_file_that_is_noted_goes(void)
{
    make(check_path("a"));
    end_after(note_two_forget_one);
    CHECK_I64(size_of(check_path("a")), -1);
}

static void note_and_forget(void)
{
    static char name[4096];

    (void)snprintf(name, sizeof name, "%s", check_path("a"));
    for (int i = 0; i < 5000; i++) { /* more than the table holds */
        stoa_exit_cleanup_note(name);
        stoa_exit_cleanup_forget(name);
    }
}

static void a_file_that_is_forgotten_stays(void)
{
    make(check_path("a"));
    end_after(note_and_forget);
    CHECK_I64(size_of(check_path("a")), 1000);
}

static void note_too_many(void)
{
    static char names[2000][2];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        stoa_exit_cleanup_note(names[i]);
    }
    note_and_forget();
}

static void a_full_table_notes_no_more(void)
{
    make(check_path("a"));
    end_after(note_too_many);
    CHECK_I64(size_of(check_path("a")), 1000);
}

static void cut_one_keep_one(void)
{
    const int a = open(check_path("a"), O_RDWR);
    const int b = open(check_path("b"), O_RDWR);

    stoa_exit_cleanup_cut(b, 10);
    stoa_exit_cleanup_cut(a, 400);
    stoa_exit_cleanup_keep(b);
}

static void a_file_is_cut_back_unless_it_is_kept(void)
{
    make(check_path("a"));
    make(check_path("b"));
    end_after(cut_one_keep_one);
    CHECK_I64(size_of(check_path("a")), 400);
    CHECK_I64(size_of(check_path("b")), 1000);
}

int main(int argc, char **argv)
{
    static const check_test tests[] = {
        TEST(a_file_that_is_noted_goes), TEST(a_file_that_is_forgotten_stays),
        TEST(a_full_table_notes_no_more), TEST(a_file_is_cut_back_unless_it_is_kept)};

    return check_run(tests, sizeof tests / sizeof tests[0], argc, argv);
}
