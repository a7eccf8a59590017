/* The name of a place, and the files that it matches. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/place_parts.h"

void cli_place_rename(cli_place *place)
{
    free(place->name);
    place->name = place->place.path == NULL
                      ? cli_copy(place->place.file)
                      : cli_sprintf("%s:%s", place->place.file, place->place.path);
}

stoa_status cli_place_parse(cli_place *place, const char *text, stoa_error *err)
{
    const stoa_status status = stoa_place_parse(text, &place->place, err);

    if (status == STOA_OK) {
        cli_place_rename(place);
    }
    return stoa_at(err, status, "%s", text);
}

void cli_place_set_path(cli_place *place, const char *path)
{
    free(place->place.path);
    place->place.path = cli_copy(path);
    cli_place_rename(place);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* If the file does not exist and the name is a pattern, find the files it matches, sorted. */
stoa_status cli_place_find_files(cli_place *place, stoa_error *err)
{
    const char *const name = place->place.file;
    struct stat about;
    glob_t found = {.gl_pathc = 0};

    if (place->n_files > 0 || strpbrk(name, "*?[") == NULL || stat(name, &about) == 0) {
        return STOA_OK;
    }
    const int failed = glob(name, 0, NULL, &found);
    for (size_t i = 0; failed == 0 && i < found.gl_pathc; i++) {
        place->files = cli_one_more(place->files, place->n_files, sizeof *place->files);
        place->files[place->n_files++] = cli_copy(found.gl_pathv[i]);
    }
    globfree(&found);
    if (place->n_files == 0) {
        return stoa_fail(err, failed == GLOB_NOSPACE ? STOA_ENOMEM : STOA_ENOTFOUND,
                         "no file has a name of this pattern");
    }
    qsort(place->files, place->n_files, sizeof *place->files, by_name);
    return STOA_OK;
}

stoa_status cli_place_find_file(cli_place *place, stoa_error *err)
{
    char *found = NULL;
    const stoa_status status = stoa_layout_find_file(place->place.file, &found, err);

    if (found != NULL) {
        free(place->place.file);
        place->place.file = cli_copy(found);
        stoa_free(found);
        cli_place_rename(place);
    }
    return status;
}
