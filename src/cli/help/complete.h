/*
 * Completion of a command line, for the scripts in completions/.
 *
 * `stoa __complete N WORD...` has the words behind `stoa`, without the shell's quotes. Word number
 * N (from 0) is completed; it is empty or missing if nothing is typed yet. Each line of the answer
 * is a word that may stand there, whole, and behind a tab what it is. The last line begins with a
 * tab. It says "files" if names of files may stand there, too, and "nospace" if the word goes on.
 *
 * Names come from files. One with control characters is not a candidate: a shell would print them.
 * Nothing waits for a file that is in use, and after two seconds there is no answer.
 */
#ifndef STOA_CLI_COMPLETE_H
#define STOA_CLI_COMPLETE_H

#include "cli/common/cli.h"

/* @param commands  end with NULL
 * @return the exit status */
int cli_complete(const cli_command *const *commands, char **words, size_t n);

#endif
