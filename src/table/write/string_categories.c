#include "table/write/string_categories.h"

#include <stddef.h>
#include <stdlib.h>

#include "arrow/decode_dictionary.h"
#include "column/read/block.h"
#include "column/type/cf_attributes.h"
#include "column/type/codec.h"
#include "core/text.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"

/* Starting as categories ---------------------------------------------------------------------- */

bool stoa_text_may_be_coded(const struct ArrowSchema *field, const char *codec,
                            const stoa_table_options *options)
{
    const char *said;
    size_t length;
    stoa_type type;

    /* A source that declares string lengths has seen all values, and would have made categories
     * itself. */
    return stoa_codec_packs_any(codec) && !options->plain_strings && field->dictionary == NULL &&
           stoa_type_of(field, &type, NULL) == STOA_OK && stoa_kind_is_string(type.kind) &&
           !stoa_schema_get(field, "stoa.max_bytes", &said, &length);
}

/* Whether the values repeat often enough for categories. */
static bool is_worth(const stoa_categories *book, uint64_t n_values)
{
    return book->labels.count > 0 &&
           n_values / STOA_CATEGORIES_REPEATS >= (uint64_t)book->labels.count;
}

stoa_status stoa_text_begin(const stoa_view *values, bool is_all, stoa_categories *book,
                            stoa_stored_form *codes, bool *is_coded, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *is_coded = false;
    STOA_TRY(stoa_categories_start(values->schema, book, err));
    stoa_categories_limit(book, STOA_CATEGORIES_LABELS, STOA_CATEGORIES_BYTES);
    STOA_TRY(stoa_stored_form_of(NULL, values, book, codes, err));
    *is_coded = !book->is_over &&
                (!is_all || is_worth(book, (uint64_t)(values->length - values->null_count)));

done:
    if (!*is_coded) {
        stoa_stored_form_clear(codes);
        stoa_categories_clear(book);
    }
    return status;
}

/* Converting back to strings ------------------------------------------------------------------ */

/* A view of the categories' labels. */
static stoa_view labels_of(const stoa_categories *book)
{
    static const struct ArrowSchema schema = {.name = "labels"};

    return (stoa_view){.type = {.kind = STOA_KIND_LARGE_STRING},
                       .length = book->labels.count,
                       .values = book->labels.bytes.data,
                       .offsets = book->labels.offsets.data,
                       .schema = &schema};
}

/* State of a conversion from codes to strings. */
typedef struct spelling {
    const stoa_column *from;
    stoa_column *to;
    stoa_view labels;
    struct ArrowSchema schema;
} spelling;

static stoa_status check_codes(const spelling *spell, const stoa_view *codes, stoa_error *err)
{
    for (int64_t i = 0; i < codes->length; i++) {
        if (!stoa_view_is_null(codes, i) &&
            (uint64_t)stoa_view_i64(codes, i) >= (uint64_t)spell->labels.length) {
            return stoa_fail(err, STOA_EDATA,
                             "'%s' holds a code without a label (HEP001 §8.7); see stoa check",
                             spell->from->name);
        }
    }
    return STOA_OK;
}

static stoa_status spell_block(void *context, uint64_t first, const stoa_view *codes,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    spelling *spell = context;
    struct ArrowArray array = {.release = NULL};
    stoa_view texts;
    void *elements = NULL;
    bool collides = false;

    STOA_TRY(check_codes(spell, codes, err));
    STOA_TRY(stoa_decode_dictionary(codes, &spell->labels, STOA_KIND_LARGE_STRING, &array, err));
    STOA_TRY(stoa_view_of(&spell->schema, &array, &texts, err));
    STOA_TRY(stoa_column_elements_of(spell->to, &texts, &elements, &collides, err));
    if (collides) {
        STOA_TRY(stoa_column_no_fill_left(spell->to, err));
    }
    STOA_TRY(stoa_column_write_elements(spell->to, first, (uint64_t)texts.length, elements, err));

done:
    stoa_element_reclaim(&spell->to->element, elements,
                         elements != NULL ? (size_t)codes->length : 0);
    free(elements);
    stoa_array_release(&array);
    return status;
}

/* Create a string dataset that can hold every label, with the column's attributes. */
static stoa_status make_plain(const stoa_column_writer *writer, const struct ArrowSchema *field,
                              const stoa_view *labels, stoa_column **fresh, stoa_error *err)
{
    static const char *const except[] = {
        "CATEGORIES",          STOA_COLUMN_CATEGORIES_PATH, STOA_CF_FILL, STOA_CF_FLAG_VALUES,
        STOA_CF_FLAG_MEANINGS, STOA_COLUMN_ARROW_TYPE,      NULL};
    stoa_status status = STOA_OK;
    const stoa_column *column = writer->column;
    const stoa_storage storage = {
        .extent = column->extent,
        .chunk_rows = column->chunk_rows != 0 ? column->chunk_rows : STOA_CHUNK_ROWS,
        .codec = writer->codec != NULL ? writer->codec : "auto",
    };
    stoa_domain domain = {0};
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_domain_add(&domain, labels, err));
    STOA_TRY(stoa_column_create(writer->group, field, &domain, NULL, 0, &storage, &dataset, err));
    STOA_TRY(stoa_attributes_copy(column->dataset, dataset, except, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold column '%s'", column->name);
    STOA_TRY(stoa_column_open(dataset, column->name, 0, column->units_vocabulary, fresh, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* Unlink the categories' dataset, and delete the group if it is then empty. */
static stoa_status drop_book(hid_t table, stoa_shared_categories *shared, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    H5G_info_t info = {.nlinks = 1};

    STOA_HDF(err, group = stoa_open_here(table, "CATEGORIES"), "open the group CATEGORIES");
    STOA_HDF(err, stoa_unlink(group, shared->name), "delete categories '%s'", shared->name);
    stoa_categories_clear(&shared->book);
    free(shared->name);
    shared->name = NULL;
    STOA_HDF(err, H5Gget_info(group, &info), "look into the group CATEGORIES");
    if (info.nlinks == 0) {
        STOA_HDF(err, stoa_unlink(table, "CATEGORIES"), "delete the group CATEGORIES");
    }

done:
    return stoa_hdf_close(&group, status, err);
}

/* Replace a column by its values as strings. After that, its categories are unused. */
static stoa_status make_strings(stoa_appender *appender, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_writer *writer = &appender->writers[i];
    stoa_column *column = writer->column;
    stoa_column *fresh = NULL;
    spelling spell = {.from = column, .labels = labels_of(writer->book)};

    STOA_TRY(stoa_column_flush(column, err)); /* its rows are read next */
    STOA_TRY(stoa_schema_make(&spell.schema, column->name, stoa_kind_format(STOA_KIND_LARGE_STRING),
                              err));
    STOA_TRY(make_plain(writer, &spell.schema, &spell.labels, &fresh, err));
    spell.to = fresh;
    STOA_TRY(stoa_column_visit(column, 0, writer->n_rows, spell_block, &spell, err));
    STOA_TRY(stoa_column_flush(fresh, err));
    STOA_TRY(stoa_column_publish(writer->group, column, fresh, err));
    writer->was_replaced = true;
    stoa_shared_categories *shared = (stoa_shared_categories *)(void *)writer->book;
    writer->book = NULL;
    STOA_TRY(drop_book(appender->table->group, shared, err));

done:
    stoa_column_close(fresh);
    stoa_schema_release(&spell.schema);
    return stoa_at(err, status, "%s", column->name);
}

void stoa_texts_limit(stoa_appender *appender)
{
    for (size_t k = 0; k < appender->n_books; k++) {
        stoa_categories *book = &appender->books[k].book;
        size_t n_users = 0;
        bool are_texts = true;
        for (size_t i = 0; i < appender->table->n_columns; i++) {
            if (appender->writers[i].book == book) {
                n_users++;
                are_texts = are_texts && appender->writers[i].column->is_text;
            }
        }
        if (are_texts && n_users == 1) { /* shared categories concern other columns */
            stoa_categories_limit(book, UINT64_MAX, UINT64_MAX);
        }
    }
}

stoa_status stoa_texts_give_up(stoa_appender *appender, const stoa_view *rows, stoa_error *err)
{
    stoa_view values;

    for (size_t i = 0; i < appender->table->n_columns; i++) {
        stoa_column_writer *writer = &appender->writers[i];
        if (writer->book == NULL || !writer->book->is_over) {
            continue;
        }
        STOA_RETURN_NOT_OK(make_strings(appender, i, err));
        stoa_column_batch_clear(writer, &appender->batch[i]);
        STOA_RETURN_NOT_OK(stoa_view_child(rows, appender->sources[i], &values, err));
        STOA_RETURN_NOT_OK(stoa_column_batch_check(writer, &values, &appender->batch[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_texts_settle(stoa_appender *appender, stoa_error *err)
{
    for (size_t i = 0; i < appender->table->n_columns; i++) {
        const stoa_column_writer *writer = &appender->writers[i];
        if (writer->book != NULL && writer->column->is_text &&
            !is_worth(writer->book, writer->n_values)) {
            STOA_RETURN_NOT_OK(make_strings(appender, i, err));
        }
    }
    return STOA_OK;
}
