#include "cli/output/store.h"
#include "cli/common/index_kinds.h"

#include <string.h>
#include <strings.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/progress.h"
#include "hdf/ids.h"
#include "layout/common/mended_texts.h"
#include "layout/common/texts_as_categories.h"

static bool has_path_behind(const char *name, const char *suffix)
{
    const char *at = name;

    while ((at = strcasestr(at, suffix)) != NULL && strncmp(at + strlen(suffix), ":/", 2) != 0) {
        at++;
    }
    return at != NULL;
}

bool cli_store_is_meant(const cli_store *store, const char *name)
{
    static const char *const suffixes[] = {".h5", ".hdf5", ".hdf"};
    bool is = store->options.layout != NULL && strstr(name, ":/") != NULL;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        is |= has_path_behind(name, suffixes[i]);
    }
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        is |= stoa_layouts[i]->suffix != NULL && has_path_behind(name, stoa_layouts[i]->suffix);
    }
    return is;
}

void cli_store_options(cli_args *args, cli_store *store)
{
    char *const help = cli_sprintf("of a table: %s; by default what FILE's suffix says",
                                   cli_layouts_written(args));

    store->options = (stoa_layout_options)STOA_LAYOUT_OPTIONS_INIT;
    cli_text(args, &store->options.layout, "--to LAYOUT", cli_keep(args, help));
    cli_text(args, &store->indexes, "--index A[:KIND],B",
             "columns of a table that get a search index: " CLI_INDEX_KINDS);
    cli_text(args, &store->row_index, "--row-index A,B",
             "columns of a table that label its rows, outermost first");
    cli_text(args, &store->options.title, "--title TEXT", "the title of a table");
    cli_missing_option(args, &store->missing);
    cli_flag(args, &store->options.replace, "--force", "replace a table that is there already");
    cli_safe_option(args, &store->safe);
}

/* The first of the options that was given; NULL if none was. */
static const char *given(const cli_store *store)
{
    const stoa_layout_options *const o = &store->options;

    return o->layout != NULL          ? "--to"
           : store->indexes != NULL   ? "--index"
           : store->row_index != NULL ? "--row-index"
           : o->title != NULL         ? "--title"
           : store->missing.n > 0     ? "--missing"
           : o->replace               ? "--force"
           : store->safe              ? "--safe"
                                      : NULL;
}

static bool layout_accepted(cli_args *args, cli_store *store, const char *name)
{
    stoa_layout_options *const o = &store->options;
    cli_place place = {0};
    stoa_error err = STOA_ERROR_INIT;

    if (o->layout == NULL) {
        if (cli_place_parse(&place, name, &err) != STOA_OK) {
            cli_misused(args, "%s: %s", name, err.message);
            cli_place_close(&place);
            return false;
        }
        o->layout = cli_layout_of_file(place.place.file)->name;
        cli_place_close(&place);
    }
    const stoa_layout *const layout = stoa_layout_find(o->layout);
    if (layout == NULL || !stoa_layout_is_written(o->layout)) {
        cli_misused(args, "--to '%s': no such layout is written; there are %s", o->layout,
                    cli_layouts_written(args));
        return false;
    }
    if (layout->files != NULL) {
        cli_misused(args,
                    "--to %s: tables of %s are files of their own; write FILE.h5:/PATH, and "
                    "'stoa convert' that",
                    o->layout, layout->title);
        return false;
    }
    if (store->indexes != NULL && !layout->is_home) {
        cli_misused(args, "--index: tables of %s have no search indexes", layout->title);
        return false;
    }
    return true;
}

bool cli_store_accepted(cli_args *args, cli_store *store, const char *name, bool is_table)
{
    stoa_layout_options *const o = &store->options;
    cli_texts labels = {0};

    if (!is_table) {
        if (given(store) != NULL) {
            cli_misused(args, "%s is for tables in HDF5 files: name one, as out.h5:/t",
                        given(store));
        }
        return given(store) == NULL;
    }
    o->missing = cli_missing_values(args, &store->missing);
    o->n_missing = store->missing.n;
    if (store->row_index != NULL) {
        cli_split_names_of(args, store->row_index, &labels);
        o->index_columns = labels.items;
        o->n_index_columns = labels.n;
    }
    return layout_accepted(args, store, name) &&
           cli_index_list(args, store->indexes, &o->indexes, &o->n_indexes);
}

/* A table replaces no file that is read, nor a part of it. */
static stoa_status refuse_inputs(const char *file, const cli_texts *inputs, stoa_error *err)
{
    for (size_t i = 0; i < inputs->n; i++) {
        if (cli_is_same_file(inputs->items[i], file)) {
            return stoa_at(err,
                           stoa_fail(err, STOA_EINVAL,
                                     "is being read; write to another file, and 'stoa copy' the "
                                     "table then"),
                           "%s", file);
        }
    }
    return STOA_OK;
}

static void tell(void *context, const char *path, const char *words)
{
    cli_remark("%s:%s %s", (const char *)context, path, words);
}

/* Report texts of the rows' fields that HEP001 does not hold as they are. */
static stoa_status tell_mended(const cli_place *place, struct ArrowArrayStream *stream,
                               const stoa_table *like, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;

    if (like != NULL) {
        return stoa_mended_texts_of_table(like, stoa_table_path(like), tell, place->place.file,
                                          err);
    }
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(stoa_mended_texts_of_fields(&schema, "", tell, place->place.file, err));

done:
    stoa_schema_release(&schema);
    return status;
}

stoa_status cli_store_write(const cli_store *store, const char *name,
                            struct ArrowArrayStream *stream, const cli_store_origin *origin,
                            const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    stoa_layout_options options = store->options;
    cli_place place = {.safe = store->safe};
    stoa_label_sets *sets = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, name, err));
    STOA_TRY(refuse_inputs(place.place.file, &origin->inputs, err));
    STOA_TRY(cli_place_open_target(&place, err));
    const hid_t file = stoa_file_id(place.file);
    const bool is_replaced = options.replace && stoa_object_exists(file, place.place.path);
    options.listener = *listener;
    options.like = origin->are_rows ? origin->table : NULL;
    if (!origin->are_rows && origin->table != NULL) {
        STOA_TRY(stoa_texts_as_categories(stream, origin->table, &sets, err));
    }
    STOA_TRY(stoa_layout_write(file, place.place.path, stream, &options, n_rows, err));
    cli_progress_clear();
    if (stoa_layout_find(options.layout)->is_home) {
        STOA_TRY(tell_mended(&place, stream, options.like, err));
    }
    STOA_TRY(cli_place_commit(&place, options.n_indexes > 0, err));
    if (is_replaced) {
        cli_remark("%s: the old table is gone; 'stoa repack %s' gives its space back", name,
                   place.place.file);
    }

done:
    cli_place_close(&place);
    stoa_stream_release(stream);
    stoa_label_sets_free(sets);
    return status;
}
