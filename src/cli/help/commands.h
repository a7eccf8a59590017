/* Finds commands by their words. A list of commands ends with NULL. */
#ifndef STOA_CLI_COMMANDS_H
#define STOA_CLI_COMMANDS_H

#include "cli/common/cli.h"

/* Find the command named by the first one or two words; *n_words is their number. NULL if there is
 * none. */
const cli_command *cli_find_command(const cli_command *const *commands, char **words, size_t n,
                                    size_t *n_words);
/* Whether the word is the first of two-word commands, as in `stoa index`. */
bool cli_is_family(const cli_command *const *commands, const char *word);
/* List the second words of a family, or all one-word commands; `names` has room for one of each
 * command. Returns their number. */
size_t cli_list_words(const cli_command *const *commands, const char *family, const char **names);

#endif
