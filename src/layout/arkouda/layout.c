/* The layout of Arkouda (Arkouda notes), whose objects lie in files of their own. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf/metadata/links.h"
#include "layout/arkouda/read/array.h"
#include "layout/arkouda/read/array_group.h"
#include "layout/arkouda/read/file_set.h"
#include "layout/arkouda/read/kind.h"
#include "layout/arkouda/write/write_files.h"
#include "layout/arkouda/write/write_type.h"
#include "layout/layout.h"

extern const stoa_layout_class stoa_arkouda_objects; /* probe.c */
extern const stoa_layout_class stoa_arkouda_root;    /* array_group.c: its arrays as one table */

/* The first versions of Arkouda wrote strings without attributes, in groups. */
static bool may_be(hid_t object)
{
    return H5Iget_type(object) == H5I_GROUP && stoa_arkouda_class_of(object, true).is_known;
}

/* Objects of all later versions have an ObjType, and roots a word of their own. */
static bool is_said(hid_t object)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is = H5Aexists(object, STOA_ARKOUDA_OBJ_TYPE) > 0 ||
                    (stoa_object_is_at(object, "/") && stoa_arkouda_is_signed(object, ""));

    stoa_error_stack_discard(&errors);
    return is;
}

/* --- options --------------------------------------------------------------------------------- */

static const char *const modes[] = {"append", "truncate", NULL};

static const stoa_layout_option options[] = {
    {.key = "as",
     .value = "FORM",
     .help = "columns (each an object of its own), dataframe, index, groupby, arrayview; if left "
             "out, what Arkouda's objects are, and columns of other tables"},
    {.key = "locales",
     .value = "N",
     .help = "N files, NAME_LOCALE0000.h5 and so on of NAME.h5",
     .count_of = "files"},
    {.key = "mode",
     .value = "MODE",
     .help = "append (the default: add objects to files that are there) or truncate (replace the "
             "files)",
     .choices = modes},
    {.key = "no-offsets", .help = "in one file: strings without their offsets"},
    {.key = NULL}};

/* --- files ----------------------------------------------------------------------------------- */

static stoa_status open_files(const char *file, const stoa_layout_options *how, bool safe,
                              const stoa_file_patience *patience, void **files, stoa_error *err)
{
    stoa_arkouda_options own = STOA_ARKOUDA_OPTIONS_INIT;
    stoa_arkouda_files *opened = NULL;
    const char *const locales = stoa_layout_setting_of(how, "locales");
    const char *const mode = stoa_layout_setting_of(how, "mode");

    *files = NULL;
    own.locales = locales != NULL ? strtoull(locales, NULL, 10) : 0;
    own.truncate = mode != NULL && strcmp(mode, "truncate") == 0;
    own.safe = safe;
    own.patience = patience;
    STOA_RETURN_NOT_OK(stoa_arkouda_files_open(file, &own, &opened, err));
    *files = opened;
    return STOA_OK;
}

/* The name that a set of locales was written under, and how many there are. */
static stoa_status find_set(const char *file, char **name, uint64_t *n, stoa_error *err)
{
    size_t at = 0;
    size_t n_digits = 0;
    struct stat about;
    bool is_there = true;

    *n = 0;
    *name = stoa_strdup(file);
    STOA_RETURN_NO_MEMORY(err, *name);
    if (!stoa_arkouda_is_locale_file(file, &at, &n_digits)) {
        return STOA_OK;
    }
    const char *const after = file + at + strlen(STOA_ARKOUDA_LOCALE) + n_digits;
    memcpy(*name + at, after, strlen(after) + 1);
    while (is_there) {
        char *const locale = stoa_arkouda_locale_file(*name, *n);
        STOA_RETURN_NO_MEMORY(err, locale);
        is_there = stat(locale, &about) == 0;
        *n += is_there;
        free(locale);
    }
    return STOA_OK;
}

static stoa_status open_again(const char *file, bool safe, const stoa_file_patience *patience,
                              void **files, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_options own = STOA_ARKOUDA_OPTIONS_INIT;
    stoa_arkouda_files *opened = NULL;
    char *name = NULL;

    *files = NULL;
    own.safe = safe;
    own.patience = patience;
    STOA_TRY(find_set(file, &name, &own.locales, err));
    STOA_TRY(stoa_arkouda_files_open(name, &own, &opened, err));
    *files = opened;

done:
    free(name);
    return status;
}

/* What is computed of other rows, and arrays of several dimensions, get none. */
static stoa_status may_append(const stoa_table *table, stoa_error *err)
{
    const stoa_arkouda_class is = stoa_arkouda_class_of(table->group, true);
    const char *const kind = stoa_arkouda_class_name(&is);

    return strcmp(kind, "groupby") != 0 && strcmp(kind, "arrayview") != 0
               ? STOA_OK
               : stoa_fail(
                     err, STOA_ELAYOUT,
                     "is a %s, which gets no rows; append to what it was made of, and make it "
                     "again",
                     kind);
}

static const char *name_of(const void *files, size_t i)
{
    const stoa_arkouda_files *const all = files;

    return i < all->n ? all->all[i].name : NULL;
}

/* Report limits of the new files that their writer should know. */
static void tell_limits(const stoa_arkouda_files *files, const char *form, const stoa_table *table,
                        const stoa_layout_options *how, stoa_layout_remark *remark, void *context)
{
    const size_t n = stoa_table_n_columns(table);

    if (strcmp(form, "arrayview") == 0) {
        remark(context, NULL,
               "ArrayViews are read by Arkouda up to v2024.06.21, and refused by later ones");
    }
    if ((strcmp(form, "groupby") == 0 || strcmp(form, "index") == 0) &&
        n > STOA_ARKOUDA_PARTS_IN_ORDER) {
        remark(context, NULL,
               "Arkouda puts more than ten keys, or levels, in another order: 0, 1, 10, 2 ...");
    }
    if (files->is_distributed && stoa_layout_setting_of(how, "no-offsets") != NULL) {
        remark(context, NULL,
               "files of locales always have offsets: --no-offsets is without effect");
    }
}

static const char *last_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The form that writes an object of the given kind. */
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

/* Copy the settings of the options, and add the form. */
static stoa_status set_form(const stoa_layout_options *how, const char *form,
                            stoa_layout_setting **settings, stoa_layout_options *own,
                            stoa_error *err)
{
    *own = *how;
    *settings = stoa_alloc(how->n_settings + 1, sizeof **settings);
    STOA_RETURN_NO_MEMORY(err, *settings);
    for (size_t i = 0; i < how->n_settings; i++) {
        (*settings)[i] = how->settings[i];
    }
    (*settings)[how->n_settings] = (stoa_layout_setting){"as", form};
    own->settings = *settings;
    own->n_settings = how->n_settings + 1;
    return STOA_OK;
}

static stoa_status write(void *files, stoa_table *from, const char *name, const char *kind,
                         bool is_one_of_several, const stoa_layout_options *how,
                         stoa_layout_remark *remark, void *context, uint64_t *n_rows,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_setting *settings = NULL;
    stoa_layout_options own;
    const char *const said = stoa_layout_setting_of(how, "as");
    const char *const form = said != NULL ? said : form_of(kind);
    const bool has_own_name = strcmp(form, "columns") != 0;
    const bool is_called_so = has_own_name && (is_one_of_several || said == NULL);

    STOA_TRY(set_form(how, form, &settings, &own, err));
    STOA_TRY(stoa_arkouda_files_write_table(
        files, from, name == NULL && is_called_so ? last_name(stoa_table_path(from)) : name, &own,
        n_rows, err));
    tell_limits(files, form, from, how, remark, context);

done:
    free(settings);
    return status;
}

static stoa_status commit(void *files, stoa_error *err)
{
    return stoa_arkouda_files_commit(files, err);
}

static void close_files(void *files)
{
    stoa_arkouda_files_close(files);
}

const stoa_layout stoa_layout_arkouda = {
    .name = "arkouda",
    .title = "Arkouda",
    .classes = (const stoa_layout_class *const[]){&stoa_arkouda_root, &stoa_arkouda_objects, NULL},
    .paths = &(const stoa_layout_paths){stoa_arkouda_is_array_group, stoa_arkouda_array_group_open},
    .find_file = stoa_arkouda_find_file,
    .may_be = may_be,
    .is_said = is_said,
    .bare = &stoa_arkouda_objects,
    .sum_kind = "columns",
    .missing = &stoa_arkouda_missing,
    .takes_all = true,
    .files =
        &(const stoa_layout_files){open_files, open_again, name_of, write, commit, close_files},
    .may_append = may_append,
    .options = options};
