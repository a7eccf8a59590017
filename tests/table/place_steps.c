/* Edits of a table's place, at random. */
#include "table/place_steps.h"

#include <string.h>

/* One where the table is not. */
static const char *other_path(const stoa_table *table)
{
    static const char *const paths[] = {"/t", "/u", "/groups/on the/way"};
    size_t i = check_random_below(3);

    return strcmp(paths[i], stoa_table_path(table)) == 0 ? paths[(i + 1) % 3] : paths[i];
}

static void move(stoa_table *table)
{
    const char *path = other_path(table);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_move(table, path, &err), &err);
    CHECK_STR(stoa_table_path(table), path);
}

static void repack(stoa_table *table)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_repack(table, NULL, &err), &err);
}

static void copy_within(hid_t file, stoa_table **table)
{
    const char *path = other_path(*table);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_copy(*table, file, path, NULL, &err), &err);
    CHECK_OK(stoa_table_remove(file, stoa_table_path(*table), &err), &err);
    stoa_table_close(*table);
    *table = open_table(file, path);
}

/* At the root now and then, from where it can be copied alone. */
static void copy_across(hid_t *file, stoa_table **table)
{
    const char *path = check_random_below(3) == 0 ? "/" : other_path(*table);
    const hid_t other = other_file(*file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_copy(*table, other, path, NULL, &err), &err);
    stoa_table_close(*table);
    CHECK_H5(H5Fclose(*file));
    *file = other;
    *table = open_table(other, path);
}

void place_step(hid_t *file, stoa_table **table)
{
    const bool is_at_root = strcmp(stoa_table_path(*table), "/") == 0;

    switch (check_random_below(4)) {
    case 0:
        repack(*table);
        break;
    case 1:
        copy_across(file, table);
        break;
    case 2:
        if (!is_at_root) {
            move(*table);
        }
        break;
    default:
        if (!is_at_root) {
            copy_within(*file, table);
        }
        break;
    }
}
