/* Places of several files, given as a pattern or as several operands. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/place_parts.h"
#include "layout/open/chain.h"

/* The places that an operand stands for. */
typedef struct expansion {
    cli_args *args;
    cli_texts *places;
    const char *file;
    size_t n; /* of this file */
} expansion;

static stoa_status add_path(void *context, const char *path, stoa_error *err)
{
    expansion *const e = context;

    (void)err;
    cli_texts_add(e->args, e->places, cli_keep(e->args, cli_sprintf("%s:%s", e->file, path)));
    e->n++;
    return STOA_OK;
}

/* Add the objects of a file that a path matches. A path that is no pattern stays as it is. */
static stoa_status expand_path(expansion *e, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file *file = NULL;

    if (!stoa_path_is_pattern(path)) {
        return add_path(e, path, err);
    }
    STOA_TRY(stoa_file_open(e->file, STOA_FILE_READ, &file, err));
    STOA_TRY(stoa_path_is_literal(stoa_file_id(file), path)
                 ? add_path(e, path, err)
                 : stoa_paths_match(stoa_file_id(file), path, add_path, e, err));
    if (e->n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "'%s' matches nothing", path);
    }

done:
    stoa_file_close(file);
    return stoa_at(err, status, "%s", e->file);
}

static stoa_status expand(cli_args *args, const char *text, bool splits, cli_texts *places,
                          stoa_error *err)
{
    cli_place place = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, err));
    STOA_TRY(stoa_at(err, cli_place_find_files(&place, err), "%s", place.place.file));
    const char *const path = place.place.path;
    for (size_t i = 0; i < place.n_files || i == 0; i++) {
        const char *const file = place.n_files > 0 ? place.files[i] : place.place.file;
        expansion e = {args, places, file, 0};
        if (path != NULL && splits) {
            STOA_TRY(expand_path(&e, path, err));
        } else if (path != NULL) {
            STOA_TRY(add_path(&e, path, err));
        } else {
            cli_texts_add(args, places, place.n_files > 0 ? cli_kept(args, file) : text);
        }
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
        status = expand(args, operands->items[i], true, places, err);
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
    for (size_t i = 0; i < operands->n; i++) {
        STOA_TRY(expand(args, operands->items[i], false, &places, err));
    }
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
