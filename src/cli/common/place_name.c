/* The name of a place, and the files that it matches. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/place_parts.h"
#include "core/file_names.h"

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

stoa_status cli_place_find_files(cli_place *place, stoa_error *err)
{
    const char *const name = place->place.file;
    struct stat about;
    stoa_file_names found = {.n = 0};

    if (place->n_files > 0 || !stoa_file_is_pattern(name) || stat(name, &about) == 0) {
        return STOA_OK;
    }
    const stoa_status status = stoa_file_names_match(&found, name, err);
    place->files = found.names;
    place->n_files = found.n;
    return status;
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
