/* Places: `FILE[:PATH]`, and the objects of a file that Stoa knows. */
#ifndef STOA_PLACE_H
#define STOA_PLACE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** A file and an object in it. */
typedef struct stoa_place {
    char *file;
    char *path; /**< absolute path in the file; NULL if left out */
} stoa_place;

/**
 * Split `FILE[:PATH]` at the last colon that is followed by `/`. A text without one is a file name.
 *
 * @param[out] place  yours, released by stoa_place_clear()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_place_parse(const char *text, stoa_place *place,
                                                      stoa_error *err);
STOA_API void stoa_place_clear(stoa_place *place);

/** One object that Stoa knows, as `stoa ls` lists it. Strings are borrowed for the call. */
typedef struct stoa_object {
    const char *path;   /**< absolute path in the file */
    const char *layout; /**< such as "hep001" */
    const char *kind;   /**< "table"; "columns": a combination of arrays that are also listed
                             separately */
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n_bytes;     /**< bytes of its datasets in the file */
    const char *left_out; /**< objects in the table that no call reads: "'hits' (group)"; NULL
                               if there are none (stoa_table_left_out()) */
} stoa_object;

/** Return false to stop the walk. */
typedef bool (*stoa_object_visitor)(void *context, const stoa_object *object);

/** Visit every object below `loc` that Stoa knows, sorted by path. An object with several links is
 * visited once. Soft and external links are not followed. */
STOA_MUST_CHECK STOA_API stoa_status stoa_place_visit(hid_t loc, stoa_object_visitor visitor,
                                                      void *context, stoa_error *err);

/**
 * The path of the only table below `loc`, for a place without a path.
 *
 * @param[out] path  yours, released by stoa_free()
 * @return STOA_ENOTFOUND if there is no table; STOA_EINVAL, naming them, if there are several
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_place_only_table(hid_t loc, char **path, stoa_error *err);

STOA_END_DECLS

#endif
