/* Ctrl-C and its relatives: the first asks the command to clean up and end, the second ends it. */
#ifndef STOA_CLI_INTERRUPT_H
#define STOA_CLI_INTERRUPT_H

/* From now on SIGINT and SIGTERM only set a flag, once; called by commands that look at it (through
 * cli_listener). Others keep the system's default: they have nothing to clean up. */
void cli_interrupt_catch(void);

/* The signal that arrived; 0 if none did. */
int cli_interrupted(void);

#endif
