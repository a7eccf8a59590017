#include "cli/help/commands.h"

#include <string.h>

const cli_command *cli_find_command(const cli_command *const *commands, char **words, size_t n,
                                    size_t *n_words)
{
    for (size_t i = 0; n > 0 && commands[i] != NULL; i++) {
        const char *const name = commands[i]->name;
        const size_t first = strcspn(name, " ");

        if (strlen(words[0]) != first || strncmp(name, words[0], first) != 0) {
            continue;
        }
        if (name[first] == '\0' || (n > 1 && strcmp(name + first + 1, words[1]) == 0)) {
            *n_words = name[first] == '\0' ? 1 : 2;
            return commands[i];
        }
    }
    return NULL;
}

bool cli_is_family(const cli_command *const *commands, const char *word)
{
    const size_t length = strlen(word);
    bool is = false;

    for (size_t i = 0; commands[i] != NULL && !is; i++) {
        is = strncmp(commands[i]->name, word, length) == 0 && commands[i]->name[length] == ' ';
    }
    return is;
}

size_t cli_list_words(const cli_command *const *commands, const char *family, const char **names)
{
    const size_t length = family != NULL ? strlen(family) : 0;
    size_t n = 0;

    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *const name = commands[i]->name;

        if (family == NULL && strchr(name, ' ') == NULL) {
            names[n++] = name;
        } else if (family != NULL && strncmp(name, family, length) == 0 && name[length] == ' ') {
            names[n++] = name + length + 1;
        }
    }
    return n;
}
