#include "layout/input/arrow_lgdo.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"
#include "core/json.h"

/* A text of JSON without its quotes; *plain is NULL for anything else. */
static stoa_status read_text(const char *value, char **plain, stoa_error *err)
{
    stoa_json json = {.start = NULL};
    stoa_json_kind kind = STOA_JSON_NULL;
    stoa_status status = STOA_OK;

    *plain = NULL;
    if (value[0] != '"') {
        return STOA_OK;
    }
    stoa_json_begin(&json, value, strlen(value), 1);
    status = stoa_json_value(&json, &kind, NULL);
    if (status == STOA_OK && kind == STOA_JSON_STRING &&
        memchr(json.text, 0, json.length) == NULL && stoa_json_is_blank(&json)) {
        *plain = stoa_strndup(json.text, json.length);
        status = *plain != NULL ? STOA_OK : stoa_fail_memory(err);
    }
    stoa_json_clear(&json);
    return status == STOA_ENOMEM ? status : STOA_OK;
}

/* Its datatypes are those of LH5: array<1>{real}, table{a,b}. */
static bool is_own(const struct ArrowSchema *field)
{
    const char *value = NULL;
    size_t length = 0;

    return stoa_metadata_find(field->metadata, "datatype", &value, &length) && length > 3 &&
           value[0] == '"' && value[length - 1] == '"' && value[length - 2] == '}';
}

bool stoa_arrow_is_of_lgdo(const struct ArrowSchema *schema)
{
    bool is = is_own(schema);

    for (int64_t i = 0; i < schema->n_children && !is; i++) {
        is = stoa_arrow_is_of_lgdo(schema->children[i]);
    }
    return is;
}

static stoa_status make_plain(void *context, const char *key, const char *value, stoa_error *err)
{
    char *plain = NULL;

    STOA_RETURN_NOT_OK(read_text(value, &plain, err));
    const stoa_status status = plain != NULL ? stoa_schema_set(context, key, plain, err) : STOA_OK;
    free(plain);
    return status;
}

static stoa_status make_all_plain(struct ArrowSchema *field, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema copy = {.release = NULL};

    if (is_own(field)) {
        STOA_TRY(stoa_schema_copy(field, &copy, err)); /* which is visited while `field` changes */
        STOA_TRY(stoa_metadata_visit(copy.metadata, make_plain, field, err));
    }
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_TRY(make_all_plain(field->children[i], err));
    }

done:
    stoa_schema_release(&copy);
    return status;
}

/* --- the stream ------------------------------------------------------------------------------ */

typedef struct renamed {
    struct ArrowArrayStream from;
    struct ArrowSchema schema;
} renamed;

static stoa_status give_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const renamed *const r = self;

    return stoa_schema_copy(&r->schema, out, err);
}

static stoa_status next(void *self, struct ArrowArray *out, stoa_error *err)
{
    renamed *const r = self;

    return stoa_stream_next(&r->from, out, err);
}

static void release(void *self)
{
    renamed *const r = self;

    stoa_stream_release(&r->from);
    stoa_schema_release(&r->schema);
    free(r);
}

stoa_status stoa_arrow_plain_texts(struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {give_schema, next, release};
    stoa_status status = STOA_OK;
    renamed *r = stoa_alloc_zero(1, sizeof *r);

    STOA_RETURN_NO_MEMORY(err, r);
    STOA_TRY(stoa_stream_schema(stream, &r->schema, err));
    if (!stoa_arrow_is_of_lgdo(&r->schema)) {
        goto done;
    }
    STOA_TRY(make_all_plain(&r->schema, err));
    r->from = *stream;
    stream->release = NULL;
    renamed *const own = r;
    r = NULL; /* the stream's, even if it is not made */
    STOA_TRY(stoa_stream_make(stream, &producer, own, err));

done:
    if (r != NULL) {
        release(r);
    }
    return status;
}
