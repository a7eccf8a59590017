#include "cli/view/object_list.h"

#include <stdlib.h>
#include <string.h>

bool cli_object_list_add(void *context, const cli_tree_line *line)
{
    cli_object_list *const list = context;

    list->all = cli_one_more(list->all, list->n, sizeof *list->all);
    if (list->n > 0) {
        cli_listed *const before = &list->all[list->n - 1];
        before->has_inner = line->level > before->level;
    }
    list->all[list->n++] = (cli_listed){
        .name = cli_copy(line->name),
        .path = line->path != NULL ? cli_copy(line->path) : NULL,
        .words = cli_copy(strncmp(line->words, " · ", 4) == 0 ? line->words + 4 : line->words),
        .level = line->level,
        .is_table = line->is_table,
    };
    return true;
}

static void find_shown(cli_object_list *list)
{
    unsigned hidden = UINT32_MAX; /* levels below this one are */

    list->n_shown = 0;
    for (size_t i = 0; i < list->n; i++) {
        const cli_listed *const one = &list->all[i];
        if (one->level <= hidden) {
            hidden = one->is_folded ? one->level : UINT32_MAX;
            list->shown[list->n_shown++] = i;
        }
    }
}

void cli_object_list_finish(cli_object_list *list)
{
    list->shown = cli_resize(list->shown, list->n + 1, sizeof *list->shown);
    for (size_t i = 0; i < list->n; i++) {
        list->all[i].is_folded = list->all[i].has_inner && list->all[i].is_table;
    }
    find_shown(list);
}

const cli_listed *cli_object_list_at(const cli_object_list *list, uint64_t line)
{
    return line < list->n_shown ? &list->all[list->shown[line]] : NULL;
}

void cli_object_list_fold(cli_object_list *list, uint64_t line, bool is_folded)
{
    if (line < list->n_shown) {
        cli_listed *const one = &list->all[list->shown[line]];
        one->is_folded = is_folded && one->has_inner;
        find_shown(list);
    }
}

uint64_t cli_object_list_parent(const cli_object_list *list, uint64_t line)
{
    const cli_listed *const one = cli_object_list_at(list, line);

    for (uint64_t at = line; one != NULL && at > 0;) {
        at--;
        if (list->all[list->shown[at]].level < one->level) {
            return at;
        }
    }
    return line;
}

/* Unfold what an object is in. Returns its line. */
static uint64_t reveal(cli_object_list *list, size_t number)
{
    unsigned level = list->all[number].level;

    for (size_t i = number; i > 0 && level > 0;) {
        i--;
        if (list->all[i].level < level) {
            level = list->all[i].level;
            list->all[i].is_folded = false;
        }
    }
    find_shown(list);
    for (size_t line = 0; line < list->n_shown; line++) {
        if (list->shown[line] == number) {
            return line;
        }
    }
    return UINT64_MAX;
}

uint64_t cli_object_list_find(cli_object_list *list, uint64_t from, const char *text,
                              bool is_backward)
{
    const size_t start = from < list->n_shown ? list->shown[from] : 0;

    for (size_t i = 1; i <= list->n; i++) {
        const size_t at = (start + (is_backward ? list->n - i : i)) % list->n;
        if (strcasestr(list->all[at].name, text) != NULL) {
            return reveal(list, at);
        }
    }
    return UINT64_MAX;
}

void cli_object_list_clear(cli_object_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->all[i].name);
        free(list->all[i].path);
        free(list->all[i].words);
    }
    free(list->all);
    free(list->shown);
    *list = (cli_object_list){.all = NULL};
}
