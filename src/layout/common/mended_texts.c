#include "layout/common/mended_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/user_attribute.h"

static void tell(const char *path, const char *what, const char *text, stoa_layout_remark *remark,
                 void *context)
{
    char words[256];

    if (text != NULL && !stoa_is_utf8(text)) {
        (void)snprintf(words, sizeof words,
                       "has %s that %s not UTF-8; U+FFFD takes the place of the wrong bytes", what,
                       strcmp(what, "units") == 0 ? "are" : "is");
        remark(context, path, words);
    }
}

/* A vocabulary that columns have of their table is reported for the table alone. */
static stoa_status tell_fields(const struct ArrowSchema *schema, const char *vocabulary,
                               const char *path, stoa_layout_remark *remark, void *context,
                               stoa_error *err)
{
    static const char *const keys[][2] = {{"units", "units"},
                                          {"units_vocabulary", "a vocabulary of units"},
                                          {"description", "a description"}};
    stoa_status status = STOA_OK;
    char *place = NULL;
    char *text = NULL;

    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *const field = schema->children[i];
        place = stoa_format("%s/%s", strcmp(path, "/") != 0 ? path : "",
                            field->name != NULL ? field->name : "");
        STOA_TRY(place != NULL ? STOA_OK : stoa_fail_memory(err));
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            STOA_TRY(stoa_schema_get_text(field, keys[k][0], &text, err));
            const bool is_inherited =
                k == 1 && text != NULL && vocabulary != NULL && strcmp(text, vocabulary) == 0;
            tell(place, keys[k][1], is_inherited ? NULL : text, remark, context);
            free(text);
            text = NULL;
        }
        free(place);
        place = NULL;
    }

done:
    free(place);
    free(text);
    return status;
}

/* encoding-* (§13.3): left behind unless they are one text. */
static void tell_encodings(const stoa_table *table, const char *path, stoa_layout_remark *remark,
                           void *context)
{
    for (size_t i = 0; table->group >= 0 && stoa_attribute_encodings[i] != NULL; i++) {
        const char *const name = stoa_attribute_encodings[i];
        char *const text = stoa_attribute_optional(table->group, name);
        char words[128];
        if (text != NULL) {
            (void)snprintf(words, sizeof words, "a text '%s'", name);
            tell(path, words, text, remark, context);
        } else if (stoa_attribute_exists(table->group, name)) {
            (void)snprintf(words, sizeof words,
                           "has an attribute '%s' that is not one text; it is left behind", name);
            remark(context, path, words);
        }
        free(text);
    }
}

/* A column that cannot be opened has no texts: the command names it. */
static stoa_status tell_column(const stoa_table *table, const stoa_column *column, const char *path,
                               stoa_layout_remark *remark, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    struct ArrowSchema schema = {.release = NULL};

    STOA_TRY(stoa_schema_make(&schema, "", "+s", err));
    STOA_TRY(stoa_schema_children(&schema, 1, err));
    const stoa_status opened = stoa_column_schema(column, schema.children[0], &ignored);
    if (opened == STOA_OK) {
        STOA_TRY(
            tell_fields(&schema, stoa_table_units_vocabulary(table), path, remark, context, err));
    } else if (opened == STOA_ENOMEM) {
        status = stoa_fail_memory(err);
    }

done:
    stoa_schema_release(&schema);
    return status;
}

stoa_status stoa_mended_texts_of_table(const stoa_table *table, const char *path,
                                       stoa_layout_remark *remark, void *context, stoa_error *err)
{
    tell(path, "a title", stoa_table_title(table), remark, context);
    tell(path, "a description", stoa_table_description(table), remark, context);
    tell(path, "a vocabulary of units", stoa_table_units_vocabulary(table), remark, context);
    tell_encodings(table, path, remark, context);
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        STOA_RETURN_NOT_OK(
            tell_column(table, stoa_table_column(table, i), path, remark, context, err));
    }
    return STOA_OK;
}

stoa_status stoa_mended_texts_of_fields(const struct ArrowSchema *schema, const char *path,
                                        stoa_layout_remark *remark, void *context, stoa_error *err)
{
    return tell_fields(schema, NULL, path, remark, context, err);
}
