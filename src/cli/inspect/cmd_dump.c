/* stoa dump: print sparse arrays in h5dump's language (sparse RFC §4.1). */
#include <stdlib.h>
#include <string.h>

#include "cli/common/place.h"
#include "cli/common/terminal.h"
#include "cli/inspect/ddl.h"
#include "cli/inspect/sparse.h"
#include "hdf/metadata/walk.h"
#include "sparse/tools/storage.h"

typedef struct dumping {
    stoa_sink sink;
    const cli_place *place;
    bool locations;
    bool values;
    char *group; /* group whose block is open, "" for the root; NULL: none */
    uint64_t n;
} dumping;

static int depth_of(const char *group)
{
    int n = 0;

    for (; *group != '\0'; group++) {
        n += *group == '/';
    }
    return n;
}

/* Close blocks until the path of the open group has length `keep`. */
static void close_groups(dumping *d, size_t keep)
{
    while (strlen(d->group) > keep) {
        cli_ddl_line(&d->sink, 2 * depth_of(d->group), "}");
        *strrchr(d->group, '/') = '\0';
    }
}

/* Open the blocks of the groups that lead to `group` ("" or "/a/b"), and close others. */
static void enter(dumping *d, const char *group)
{
    size_t same = 0;

    if (d->group == NULL) {
        stoa_sink_text(&d->sink, "HDF5 \"");
        cli_escaped(&d->sink, d->place->place.file, strlen(d->place->place.file));
        stoa_sink_text(&d->sink, "\" {\nGROUP \"/\" {\n");
        d->group = cli_copy("");
    }
    for (size_t i = 0; d->group[i] == group[i] || (d->group[i] == '\0' && group[i] == '/') ||
                       (d->group[i] == '/' && group[i] == '\0');
         i++) {
        if ((d->group[i] == '/' || d->group[i] == '\0') && (group[i] == '/' || group[i] == '\0')) {
            same = i;
        }
        if (d->group[i] == '\0' || group[i] == '\0') {
            break;
        }
    }
    close_groups(d, same);
    for (const char *at = group + same; *at == '/';) {
        const size_t length = strcspn(at + 1, "/");

        at += 1 + length;
        free(d->group);
        d->group = cli_sprintf("%.*s", (int)(at - group), group);
        cli_ddl_indent(&d->sink, 2 * depth_of(d->group));
        stoa_sink_text(&d->sink, "GROUP \"");
        cli_escaped(&d->sink, at - length, length);
        stoa_sink_text(&d->sink, "\" {\n");
    }
}

/* Add the path of the array to an error, since an error about a damaged chunk does not name it. */
static void add_path(const dumping *d, const char *path, stoa_error *err)
{
    char *const where = cli_sprintf("%s:%s%s%s", d->place->place.file, path,
                                    err->where[0] != '\0' ? ": " : "", err->where);

    (void)snprintf(err->where, sizeof err->where, "%s", where);
    free(where);
}

static stoa_status dump_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    dumping *const d = context;
    char *group = NULL;
    stoa_status status = STOA_OK;

    if (!stoa_is_structured(dataset)) {
        goto done;
    }
    d->n++;
    if (d->locations || d->values) {
        STOA_TRY(cli_sparse_regions(&d->sink, dataset, path + 1, d->values, err));
        goto done;
    }
    group = cli_copy(path);
    *strrchr(group, '/') = '\0';
    enter(d, group);
    STOA_TRY(
        cli_sparse_describe(&d->sink, dataset, strrchr(path, '/') + 1, 2 * depth_of(path), err));

done:
    free(group);
    if (status != STOA_OK) {
        add_path(d, path, err);
    }
    return status;
}

/* Dump the dataset at a place, or all those in a group or file. */
static stoa_status dump_place(dumping *d, stoa_error *err)
{
    const char *const path = d->place->place.path;
    const hid_t file = stoa_file_id(d->place->file);
    hid_t object = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, object = H5Oopen(file, path != NULL ? path : "/", H5P_DEFAULT), "open it");
    if (H5Iget_type(object) == H5I_DATASET) {
        STOA_TRY(dump_dataset(d, object, path, err));
    } else {
        STOA_TRY(stoa_datasets_visit(object, dump_dataset, d, err));
    }
    if (d->n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "there is no sparse array; h5dump shows the others");
    }
    if (d->group != NULL) {
        close_groups(d, 0);
        stoa_sink_text(&d->sink, "}\n}\n");
    }
    STOA_TRY(stoa_sink_flush(&d->sink));

done:
    return stoa_hdf_close(&object, status, err);
}

static stoa_status dump(cli_args *args, stoa_error *err)
{
    cli_place *const place = cli_place_new(args);
    dumping d = {.sink = {.out = stdout, .err = err}, .place = place};
    stoa_status status = STOA_OK;

    cli_flag(args, &d.locations, "--sparse-locations", "where the defined elements are");
    cli_flag(args, &d.values, "--sparse", "where they are, and their values");
    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", "FILE:PATH, or FILE for every sparse array in it");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_parse(place, args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_READ, err));
    status = dump_place(&d, err);
    (void)stoa_sink_flush(&d.sink);
    stoa_sink_clear(&d.sink);
    free(d.group);
    return status;
}

const cli_command cmd_dump = {"dump", "describe sparse arrays in the language of h5dump",
                              "stoa dump --sparse-locations run.h5:/hits", dump};
