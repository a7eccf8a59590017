/* See interrupt.h. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t arrived;

static void note(int signal_number)
{
    arrived = signal_number;
}

void cli_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note};

    /* SA_RESETHAND gives the second signal its default effect. No SA_RESTART: a read from a
     * terminal or a pipe that has nothing to give ends too. */
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int cli_interrupted(void)
{
    return arrived;
}
