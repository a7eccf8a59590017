/* See arkouda.h. */
#include "cli/arkouda.h"
#include "layout/arkouda/write_files.h"

#include <stdlib.h>
#include <string.h>

/* Arkouda sorts keys and levels by their names as text: KEY_10 comes before KEY_2. */
enum { PARTS_IN_ORDER = 10 };

void cli_arkouda_options(cli_args *args, cli_arkouda *arkouda)
{
    cli_text(
        args, &arkouda->form, "--as FORM",
        "for arkouda: columns (each an object of its own), dataframe, index, groupby, arrayview; "
        "if left out, what Arkouda's objects are, and columns of other tables");
    cli_text(args, &arkouda->locales, "--locales N",
             "for arkouda: N files, NAME_LOCALE0000.h5 and so on of NAME.h5");
    cli_text(args, &arkouda->mode, "--mode MODE",
             "for arkouda: append (the default: add objects to files that are there) or truncate "
             "(replace the files)");
    cli_flag(args, &arkouda->no_offsets, "--no-offsets",
             "for arkouda, in one file: strings without their offsets");
}

bool cli_arkouda_accepted(cli_args *args, cli_arkouda *arkouda, stoa_layout_options *options)
{
    const bool is_used = arkouda->form != NULL || arkouda->locales != NULL ||
                         arkouda->mode != NULL || arkouda->no_offsets;
    char *end = NULL;

    arkouda->is_target = strcmp(options->layout, "arkouda") == 0;
    arkouda->options = (stoa_arkouda_options)STOA_ARKOUDA_OPTIONS_INIT;
    if (is_used && !arkouda->is_target) {
        cli_misused(args, "--as, --locales, --mode and --no-offsets go with --to arkouda");
        return false;
    }
    if (arkouda->locales != NULL) {
        arkouda->options.locales = strtoull(arkouda->locales, &end, 10);
        if (arkouda->locales[0] < '1' || arkouda->locales[0] > '9' || *end != '\0') {
            cli_misused(args, "--locales '%s' is no number of files", arkouda->locales);
            return false;
        }
    }
    if (arkouda->mode != NULL && strcmp(arkouda->mode, "append") != 0 &&
        strcmp(arkouda->mode, "truncate") != 0) {
        cli_misused(args, "--mode '%s': there are append and truncate", arkouda->mode);
        return false;
    }
    arkouda->options.truncate = arkouda->mode != NULL && strcmp(arkouda->mode, "truncate") == 0;
    options->form = arkouda->form;
    options->no_offsets = arkouda->no_offsets;
    return true;
}

stoa_status cli_arkouda_open(cli_arkouda *arkouda, const cli_place *to, stoa_error *err)
{
    char *const path = to->place.path;

    arkouda->options.safe = to->safe;
    arkouda->options.patience = cli_patience();
    arkouda->name = path != NULL && path[0] == '/' ? path + 1 : path;
    if (arkouda->name != NULL && arkouda->name[0] == '\0') {
        arkouda->name = NULL;
    }
    return stoa_arkouda_files_open(to->place.file, &arkouda->options, &arkouda->files, err);
}

stoa_status cli_arkouda_check_source(const cli_arkouda *arkouda, const cli_place *from,
                                     stoa_error *err)
{
    const size_t n_sources = from->n_files > 1 ? from->n_files : 1;

    for (size_t i = 0; i < n_sources; i++) {
        const char *const source = from->n_files > 1 ? from->files[i] : from->place.file;
        for (uint64_t k = 0; k < arkouda->files->n; k++) {
            if (cli_is_same_file(source, arkouda->files->all[k].name)) {
                return stoa_at(
                    err,
                    stoa_fail(err, STOA_EINVAL, "is being read; write to files of another name"),
                    "%s", source);
            }
        }
    }
    return STOA_OK;
}

/* What the files are not fit for, which whoever wrote them should hear. */
static void remark(const cli_arkouda *arkouda, const char *form, const stoa_table *table)
{
    const size_t n = stoa_table_n_columns(table);

    if (strcmp(form, "arrayview") == 0) {
        cli_remark("ArrayViews are read by Arkouda up to v2024.06.21, and refused by later ones");
    }
    if ((strcmp(form, "groupby") == 0 || strcmp(form, "index") == 0) && n > PARTS_IN_ORDER) {
        cli_remark("Arkouda puts more than ten keys, or levels, in another order: 0, 1, 10, 2 ...");
    }
    if (arkouda->no_offsets && arkouda->options.locales > 0) {
        cli_remark("files of locales always have offsets: --no-offsets is without effect");
    }
}

static const char *last_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The form that makes an object of the kind once more. */
static const char *form_of(const char *kind)
{
    static const char *const forms[] = {"dataframe", "index", "groupby", "arrayview"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(kind, forms[i]) == 0) {
            return forms[i];
        }
    }
    return strcmp(kind, "multiindex") == 0 ? "index" : "columns";
}

stoa_status cli_arkouda_write(cli_arkouda *arkouda, stoa_table *table, const char *kind,
                              bool is_one_of_several, const stoa_layout_options *options,
                              uint64_t *n_rows, stoa_error *err)
{
    stoa_layout_options own = *options;

    own.form = arkouda->form != NULL ? arkouda->form : form_of(kind);
    const bool has_own_name = strcmp(own.form, "columns") != 0;
    const bool is_called_so = has_own_name && (is_one_of_several || arkouda->form == NULL);
    const char *const name =
        arkouda->name == NULL && is_called_so ? last_name(stoa_table_path(table)) : arkouda->name;
    const stoa_status status =
        stoa_arkouda_files_write_table(arkouda->files, table, name, &own, n_rows, err);

    if (status == STOA_OK) {
        remark(arkouda, own.form, table);
    }
    return status;
}

stoa_status cli_arkouda_commit(cli_arkouda *arkouda, stoa_error *err)
{
    stoa_arkouda_files *const files = arkouda->files;

    arkouda->files = NULL;
    return stoa_arkouda_files_commit(files, err);
}

void cli_arkouda_close(cli_arkouda *arkouda)
{
    stoa_arkouda_files_close(arkouda->files);
    arkouda->files = NULL;
}
