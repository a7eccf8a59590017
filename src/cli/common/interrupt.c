/* Signal handlers; they call only async-signal-safe functions. */
#include "cli/common/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/pager.h"
#include "core/exit_cleanup.h"

/* Grace period of an interrupted command in tenths of a second. It is longer during a commit, which
 * the next opening of the file would have to complete. */
enum { PATIENCE = 3, PATIENCE_TO_COMMIT = 9 };

static volatile sig_atomic_t arrived;
static volatile sig_atomic_t is_heard; /* the command polls `arrived` */
static volatile sig_atomic_t n_ticks;

static volatile sig_atomic_t told = STDERR_FILENO;

void cli_signals_say_to(int descriptor)
{
    told = descriptor;
}

static void (*volatile restore_terminal)(void);

void cli_signals_restore(void (*restore)(void))
{
    restore_terminal = restore;
}

static void undo(void)
{
    stoa_exit_cleanup_undo();
    if (restore_terminal != NULL) {
        restore_terminal();
    }
}

static void print(const char *text)
{
    (void)!write((int)told, text, strlen(text));
}

static void print_what_changed(void)
{
    static const char *const texts[] = {
        [STOA_UNCHANGED] = "no file was changed\n",
        [STOA_COMMITTING] = "opening the file with Stoa completes the change or undoes it\n",
        [STOA_CHANGED] = "a change was made wholly or not at all\n",
    };

    print(texts[stoa_exit_cleanup_is()]);
}

static void end_interrupted(void)
{
    undo();
    print("stoa: interrupted; ");
    print_what_changed();
    cli_pager_end_in_handler();
    _exit(128 + (int)arrived);
}

static void on_tick(int signal_number)
{
    const bool commits = stoa_exit_cleanup_is() != STOA_UNCHANGED;

    (void)signal_number;
    n_ticks++;
    if (n_ticks >= (commits ? PATIENCE_TO_COMMIT : PATIENCE)) {
        end_interrupted();
    }
}

static void on_interrupt(int signal_number)
{
    const bool is_first = arrived == 0;
    const bool commits = stoa_exit_cleanup_is() != STOA_UNCHANGED;
    const struct itimerval tenth = {{0, 100000}, {0, 100000}};

    arrived = is_first ? signal_number : arrived;
    if (!is_first || !(is_heard || commits) || setitimer(ITIMER_REAL, &tenth, NULL) != 0) {
        end_interrupted();
    }
    n_ticks = is_heard ? 0 : PATIENCE; /* a command that does not poll gets no time to clean up */
}

void cli_interrupt_listen(void)
{
    is_heard = 1;
}

int cli_interrupted(void)
{
    return arrived;
}

void cli_interrupt_forget(void)
{
    const struct itimerval none = {{0, 0}, {0, 0}};

    (void)setitimer(ITIMER_REAL, &none, NULL);
    n_ticks = 0;
    arrived = 0;
}

/* ---- Crashes -------------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHERS_TELL true /* sanitizers report crashes themselves */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHERS_TELL true
#endif
#endif
#ifndef OTHERS_TELL
#define OTHERS_TELL false
#endif

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

static void on_crash(int signal_number)
{
    static const char *const names[] = {
        [SIGSEGV] = "segmentation fault", [SIGBUS] = "bus error",           [SIGABRT] = "aborted",
        [SIGFPE] = "arithmetic error",    [SIGILL] = "illegal instruction",
    };

    undo();
    print("stoa: crashed (");
    print(names[signal_number]);
    print("): a file is damaged in a way that was not foreseen, or memory ran out; ");
    print_what_changed();
    cli_pager_end_in_handler();
    _exit(CLI_FAILED);
}

/* Uses an alternate stack, because the stack itself may have overflowed. */
static void catch_crashes(void)
{
    static uint8_t stack[64 << 10];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_crash};

    action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&other, NULL) == 0) {
        for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
            (void)sigaction(crashes[i], &action, NULL);
        }
    }
}

static void catch_one(int signal_number, void (*handler)(int))
{
    static const int others[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction action = {.sa_handler = handler};

    /* No SA_RESTART, so that a read that blocks on a terminal or a pipe also ends. */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sigaddset(&action.sa_mask, others[i]);
    }
    (void)sigaction(signal_number, &action, NULL);
}

void cli_signals_catch(void)
{
    struct sigaction old;

    catch_one(SIGINT, on_interrupt);
    catch_one(SIGTERM, on_interrupt);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) { /* ignored under nohup */
        catch_one(SIGHUP, on_interrupt);
    }
    catch_one(SIGALRM, on_tick);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write past the limit then fails with an error */
    if (!OTHERS_TELL) {
        catch_crashes();
    }
}
