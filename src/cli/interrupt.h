/* Signals: Ctrl-C and its relatives, and crashes. Whatever ends the command, what it has not
 * finished goes (core/unfinished.h). */
#ifndef STOA_CLI_INTERRUPT_H
#define STOA_CLI_INTERRUPT_H

/* From now on SIGINT, SIGTERM and SIGHUP end the command at once, with status 128 + signal, and a
 * crash (in libhdf5, say) with one line and CLI_FAILED. */
void cli_signals_catch(void);
/* What the handlers say goes to this descriptor, not to stderr: while that leads nowhere. */
void cli_signals_say_to(int descriptor);

/* From now on the first signal sets a flag that the command looks at (through cli_listener), to end
 * in order. If it has not ended 0.3 s later, or a second signal arrives, it is ended. */
void cli_interrupt_listen(void);

/* The signal that arrived; 0 if none did. */
int cli_interrupted(void);

#endif
