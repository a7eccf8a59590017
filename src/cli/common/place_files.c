/* Places of several files, given as a pattern or as several operands. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/place_parts.h"

static stoa_status expand(cli_args *args, const char *text, cli_texts *places, stoa_error *err)
{
    cli_place place = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, err));
    STOA_TRY(stoa_at(err, cli_place_find_files(&place, err), "%s", place.place.file));
    const char *const path = place.place.path;
    for (size_t i = 0; i < place.n_files; i++) {
        char *const one = cli_sprintf("%s%s%s", place.files[i], path != NULL ? ":" : "",
                                      path != NULL ? path : "");
        cli_texts_add(args, places, cli_keep(args, one));
    }
    if (place.n_files == 0) {
        cli_texts_add(args, places, text);
    }
done:
    cli_place_close(&place);
    return status;
}

stoa_status cli_places_expand(cli_args *args, const cli_texts *operands, cli_texts *places,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < operands->n && status == STOA_OK; i++) {
        status = expand(args, operands->items[i], places, err);
    }
    return status;
}

stoa_status cli_place_parse_all(cli_args *args, cli_place *place, const cli_texts *operands,
                                stoa_error *err)
{
    cli_texts places = {0};
    stoa_place other = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(place, operands->items[0], err));
    if (operands->n == 1) {
        return STOA_OK;
    }
    STOA_TRY(cli_places_expand(args, operands, &places, err));
    for (size_t i = 0; i < places.n; i++) {
        STOA_TRY(stoa_place_parse(places.items[i], &other, err));
        if (place->place.path == NULL && other.path != NULL) {
            cli_place_set_path(place, other.path);
        }
        if (other.path != NULL && strcmp(other.path, place->place.path) != 0) {
            STOA_FAIL(err, STOA_EINVAL,
                      "'%s' has another path than '%s'; files are read as one table of one path",
                      places.items[i], place->place.path);
        }
        place->files = cli_one_more(place->files, place->n_files, sizeof *place->files);
        place->files[place->n_files++] = cli_copy(other.file);
        stoa_place_clear(&other);
    }
    free(place->place.file);
    place->place.file = cli_copy(place->files[0]);
    cli_place_rename(place);
done:
    stoa_place_clear(&other);
    return status;
}
