#include "cli/common/index_kinds.h"

#include <stdlib.h>
#include <string.h>

const char *const cli_index_kinds[] = {"minmax", "sorted", "bitmap", "bloom", NULL};

bool cli_is_index_kind(const char *name)
{
    for (size_t i = 0; cli_index_kinds[i] != NULL; i++) {
        if (strcmp(name, cli_index_kinds[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_index_list(cli_args *args, const char *text, const stoa_column_index **list, size_t *n)
{
    stoa_column_index *entries = NULL;
    const char *rest = text;

    *n = 0;
    while (rest != NULL) {
        const char *end = NULL;
        const char *const piece = cli_cut_piece(args, rest, ',', &end);
        const char *kind = NULL;
        const char *const column = cli_cut(args, piece, ':', &kind);

        if (kind != NULL && !cli_is_index_kind(kind)) {
            free(entries);
            cli_misused(args, "--index '%s': there is no kind '%s'; there are %s", piece, kind,
                        CLI_INDEX_KINDS);
            return false;
        }
        entries = cli_one_more(entries, *n, sizeof *entries);
        entries[(*n)++] = (stoa_column_index){column, kind};
        rest = end;
    }
    *list = cli_keep(args, entries);
    return true;
}
