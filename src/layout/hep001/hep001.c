#include "layout/hep001/hep001.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "core/memory.h"
#include "core/text.h"
#include "layout/common/conversion.h"
#include "layout/layout.h"
#include "layout/pytables/user_attributes.h"
#include "table/open/table.h"
#include "table/write/update_indexes.h"

/* --- settings --------------------------------------------------------------------------------- */

static const char *const revisions[] = {"2026-06", "2026-07", NULL};
static const char *const reference_types[] = {"standard", "object", NULL};

static const stoa_layout_option options_of_tables[] = {
    {.key = "revision",
     .value = "REVISION",
     .help = "2026-06 or 2026-07: write what this revision of HEP001 has, instead of what both "
             "allow; 2026-06 has no lists",
     .choices = revisions},
    {.key = "references",
     .value = "TYPE",
     .help = "standard: H5T_STD_REF, as HEP001 demands; object: H5T_STD_REF_OBJ, for programs that "
             "know no other, as h5col",
     .choices = reference_types},
    {.key = "portable",
     .help = "use only what every reader of HDF5 has: deflate, ASCII where that is enough, and the "
             "earliest format of files"},
    {.key = NULL}};

static void use_settings(const stoa_layout_options *options, stoa_table_options *to)
{
    const char *const revision = stoa_layout_setting_of(options, "revision");
    const char *const references = stoa_layout_setting_of(options, "references");

    if (revision != NULL) {
        to->revision =
            strcmp(revision, revisions[0]) == 0 ? STOA_REVISION_2026_06 : STOA_REVISION_2026_07;
    }
    to->object_references = references != NULL && strcmp(references, reference_types[1]) == 0;
    to->portable = stoa_layout_setting_of(options, "portable") != NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The texts that a copy of a table takes over. */
typedef struct taken_texts {
    char *title;
    char *description;
    char *units_vocabulary;
} taken_texts;

static stoa_status mend(const char *text, char **mended, stoa_error *err)
{
    *mended = text != NULL ? stoa_utf8_mended(text) : NULL;
    return text == NULL || *mended != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status take_texts(const stoa_table *from, taken_texts *own, stoa_error *err)
{
    STOA_RETURN_NOT_OK(mend(stoa_table_title(from), &own->title, err));
    STOA_RETURN_NOT_OK(mend(stoa_table_description(from), &own->description, err));
    return mend(stoa_table_units_vocabulary(from), &own->units_vocabulary, err);
}

/* Write the rows of a stream with what belongs to the table `like`, NULL for none. */
static stoa_status write_rows(struct ArrowArrayStream *stream, const stoa_table *like,
                              const char *const *labels, size_t n_labels, hid_t loc,
                              const char *path, const stoa_layout_options *options,
                              uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_options storage = {.codec = options->codec, .chunk_rows = options->chunk_rows};
    stoa_table_options own = STOA_TABLE_OPTIONS_INIT;
    taken_texts texts = {NULL, NULL, NULL};
    hid_t group = H5I_INVALID_HID;

    if (options->n_missing > 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    STOA_TRY(like != NULL ? take_texts(like, &texts, err) : STOA_OK);
    own.title = options->title != NULL ? options->title : texts.title;
    own.description = texts.description;
    own.units_vocabulary = texts.units_vocabulary;
    own.columns = &storage;
    own.n_columns = 1;
    own.index_columns = labels;
    own.n_index_columns = n_labels;
    own.indexes = options->indexes;
    own.n_indexes = options->n_indexes;
    own.replace = options->replace;
    own.listener = options->listener;
    own.threads = options->threads;
    own.fills = options->fills;
    own.n_fills = options->n_fills;
    use_settings(options, &own);
    STOA_TRY(stoa_table_write(loc, path, stream, &own, n_rows, err));
    if (like != NULL) {
        STOA_HDF(err, group = H5Gopen2(loc, path, H5P_DEFAULT), "open the table");
        STOA_TRY(stoa_user_attributes_copy(like, group, false, err));
    }

done:
    free(texts.title);
    free(texts.description);
    free(texts.units_vocabulary);
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_hep001_write(stoa_table *from, hid_t loc, const char *path,
                              const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_conversion j = {.table = from, .options = options};
    const char **names = NULL;

    STOA_TRY(stoa_layout_conversion_read(&j, err));
    STOA_TRY(stoa_stream_schema(&j.stream, &j.schema, err));
    STOA_TRY(stoa_layout_conversion_labels(&j, err));
    names = stoa_alloc(j.n_index_columns, sizeof *names);
    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < j.n_index_columns; i++) {
        names[i] = j.schema.children[j.index_columns[i]]->name;
    }
    STOA_TRY(
        write_rows(&j.stream, from, names, j.n_index_columns, loc, path, options, n_rows, err));

done:
    free(names);
    stoa_layout_conversion_end(&j);
    return stoa_layout_error_at(loc, path, status, err);
}

static stoa_status write_stream(struct ArrowArrayStream *stream, hid_t loc, const char *path,
                                const stoa_layout_options *options, uint64_t *n_rows,
                                stoa_error *err)
{
    return write_rows(stream, options->like, options->index_columns, options->n_index_columns, loc,
                      path, options, n_rows, err);
}

const stoa_layout stoa_layout_hep001 = {.name = STOA_HEP001,
                                        .title = "HEP001",
                                        .is_home = true,
                                        .options = options_of_tables,
                                        .use_settings = use_settings,
                                        .write_table = stoa_hep001_write,
                                        .write_stream = write_stream,
                                        .visit_user_attributes = stoa_user_attributes_visit};
