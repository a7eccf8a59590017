/* Handles signals: interrupts such as Ctrl-C, and crashes. However the command ends, unfinished
 * output is removed (core/exit_cleanup.h). */
#ifndef STOA_CLI_INTERRUPT_H
#define STOA_CLI_INTERRUPT_H

/* From now on, SIGINT, SIGTERM and SIGHUP end the command at once, with status 128 + signal. A
 * crash, for example in libhdf5, ends it with a one-line message and CLI_FAILED. */
void cli_signals_catch(void);
/* Make handlers write to this descriptor instead of stderr, while stderr is redirected. */
void cli_signals_say_to(int descriptor);

/* Call this before a handler says anything: it gives a terminal back as it was. It must be
 * async-signal-safe. NULL: nothing. */
void cli_signals_restore(void (*restore)(void));

/* From now on, the first signal sets a flag that the command polls through cli_listener, to end in
 * order. The command is ended if it takes more than 0.3 s, or if a second signal arrives. */
void cli_interrupt_listen(void);

/* The signal that arrived; 0 if there was none. */
int cli_interrupted(void);
/* Go on as if none had arrived: what it was meant for has ended. */
void cli_interrupt_forget(void);

#endif
