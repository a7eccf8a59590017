/* Arrow schemas whose strings and children are owned by their private data. */
#include "arrow/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"

/* Bounds the recursion; valid data is not nested more deeply. */
enum { SCHEMA_MAX_DEPTH = 64 };

/* The private data of a schema made here. Consumers may move children out one by one. So children
 * are released through their `release`, and their memory is freed with the parent. */
typedef struct schema_owner {
    char *format;
    char *name;
    char *metadata;
    struct ArrowSchema *children;        /* one block of n_children */
    struct ArrowSchema **child_pointers; /* into that block */
    struct ArrowSchema *dictionary;
} schema_owner;

static void schema_free(struct ArrowSchema *schema)
{
    schema_owner *owner = schema->private_data;

    for (int64_t i = 0; i < schema->n_children; i++) {
        stoa_schema_release(schema->children[i]);
    }
    stoa_schema_release(owner->dictionary);
    free(owner->children);
    free(owner->child_pointers);
    free(owner->dictionary);
    free(owner->metadata);
    free(owner->name);
    free(owner->format);
    free(owner);
    schema->private_data = NULL;
    schema->release = NULL;
}

/* Only schemas made by these functions can be changed: memory of others has other owners. */
static stoa_status schema_owner_of(struct ArrowSchema *schema, schema_owner **owner,
                                   stoa_error *err)
{
    if (schema->release != schema_free) {
        return stoa_fail(err, STOA_EINVAL,
                         "an Arrow schema that another program made cannot be edited; copy it "
                         "first");
    }
    *owner = schema->private_data;
    return STOA_OK;
}

stoa_status stoa_schema_make(struct ArrowSchema *schema, const char *name, const char *format,
                             stoa_error *err)
{
    schema_owner *owner = stoa_alloc_zero(1, sizeof *owner);

    *schema = (struct ArrowSchema){0};
    STOA_RETURN_NO_MEMORY(err, owner);
    schema->flags = ARROW_FLAG_NULLABLE;
    schema->private_data = owner;
    schema->release = schema_free;

    schema->format = owner->format = stoa_strdup(format);
    schema->name = owner->name = stoa_strdup(name != NULL ? name : "");
    if (owner->format == NULL || owner->name == NULL) {
        schema_free(schema);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

stoa_status stoa_schema_make_type(struct ArrowSchema *schema, const char *name,
                                  const stoa_type *type, stoa_error *err)
{
    char text[24];
    const stoa_kind kind = type->kind == STOA_KIND_DICTIONARY ? type->index : type->kind;
    const char *format = stoa_kind_format(kind);

    if (kind == STOA_KIND_FIXED_BINARY) {
        (void)snprintf(text, sizeof text, "w:%d", (int)type->width);
        format = text;
    } else if (kind == STOA_KIND_FIXED_LIST) {
        (void)snprintf(text, sizeof text, "+w:%d", (int)type->width);
        format = text;
    } else if (kind == STOA_KIND_TIMESTAMP && type->unit != STOA_TIME_DAY) {
        (void)snprintf(text, sizeof text, "ts%c:%s", "smun"[type->unit - STOA_TIME_SECOND],
                       type -> utc ? "UTC" : "");
        format = text;
    } else if (kind == STOA_KIND_DURATION && type->unit != STOA_TIME_DAY) {
        (void)snprintf(text, sizeof text, "tD%c", "smun"[type->unit - STOA_TIME_SECOND]);
        format = text;
    }
    if (format == NULL) {
        char type_text[64];
        *schema = (struct ArrowSchema){0};
        return stoa_fail(err, STOA_ETYPE, "field '%s': no Arrow format for %s", name,
                         stoa_type_name(type, type_text));
    }
    return stoa_schema_make(schema, name, format, err);
}

stoa_status stoa_schema_children(struct ArrowSchema *schema, int64_t n, stoa_error *err)
{
    schema_owner *owner = NULL;

    STOA_RETURN_NOT_OK(schema_owner_of(schema, &owner, err));
    if (n < 0 || owner->children != NULL) {
        return stoa_fail(err, STOA_EINVAL, "an Arrow schema gets its children once, not %lld more",
                         (long long)n);
    }
    owner->children = stoa_alloc_zero((size_t)n, sizeof *owner->children);
    owner->child_pointers = stoa_alloc((size_t)n, sizeof *owner->child_pointers);
    if (owner->children == NULL || owner->child_pointers == NULL) {
        return stoa_fail_memory(err); /* the owner frees what there is */
    }
    for (int64_t i = 0; i < n; i++) {
        owner->child_pointers[i] = &owner->children[i];
    }
    schema->children = owner->child_pointers;
    schema->n_children = n;
    return STOA_OK;
}

/* Make an empty dictionary that the owner will free. */
static stoa_status schema_dictionary_slot(struct ArrowSchema *schema, struct ArrowSchema **slot,
                                          stoa_error *err)
{
    schema_owner *owner = NULL;

    STOA_RETURN_NOT_OK(schema_owner_of(schema, &owner, err));
    if (owner->dictionary != NULL) {
        return stoa_fail(err, STOA_EINVAL, "field '%s' has a dictionary already", schema->name);
    }
    owner->dictionary = stoa_alloc_zero(1, sizeof *owner->dictionary);
    STOA_RETURN_NO_MEMORY(err, owner->dictionary);
    *slot = owner->dictionary;
    return STOA_OK;
}

/* Undo schema_dictionary_slot() after the dictionary could not be filled. */
static void schema_dictionary_undo(struct ArrowSchema *schema)
{
    schema_owner *owner = schema->private_data;

    free(owner->dictionary);
    owner->dictionary = NULL;
}

stoa_status stoa_schema_dictionary(struct ArrowSchema *schema, const char *value_format,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema *slot = NULL;

    STOA_RETURN_NOT_OK(schema_dictionary_slot(schema, &slot, err));
    status = stoa_schema_make(slot, "", value_format, err);
    if (status != STOA_OK) {
        schema_dictionary_undo(schema);
        return status;
    }
    schema->dictionary = slot;
    return status;
}

stoa_status stoa_schema_rename(struct ArrowSchema *schema, const char *name, stoa_error *err)
{
    schema_owner *owner = NULL;

    STOA_RETURN_NOT_OK(schema_owner_of(schema, &owner, err));
    char *copy = stoa_strdup(name);
    STOA_RETURN_NO_MEMORY(err, copy);
    free(owner->name);
    schema->name = owner->name = copy;
    return STOA_OK;
}

stoa_status stoa_schema_retype(struct ArrowSchema *schema, const char *format, stoa_error *err)
{
    schema_owner *owner = NULL;

    STOA_RETURN_NOT_OK(schema_owner_of(schema, &owner, err));
    char *copy = stoa_strdup(format);
    STOA_RETURN_NO_MEMORY(err, copy);
    free(owner->format);
    schema->format = owner->format = copy;
    return STOA_OK;
}

stoa_status stoa_schema_set(struct ArrowSchema *schema, const char *key, const char *value,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    schema_owner *owner = NULL;
    stoa_buffer metadata = {0};

    STOA_TRY(schema_owner_of(schema, &owner, err));
    STOA_TRY(stoa_metadata_with(schema->metadata, key, value, &metadata, err));
    free(owner->metadata);
    owner->metadata = stoa_buffer_detach(&metadata);
    schema->metadata = owner->metadata;

done:
    stoa_buffer_clear(&metadata);
    return status;
}

typedef struct noting {
    struct ArrowSchema *to;
    bool is_same; /* formats are equal */
} noting;

static stoa_status set_one_more(void *context, const char *key, const char *value, stoa_error *err)
{
    static const char extension[] = "ARROW:extension:";
    const noting *const n = context;
    const char *there = NULL;
    size_t length = 0;

    if (stoa_metadata_find(n->to->metadata, key, &there, &length) ||
        (!n->is_same && strncmp(key, extension, sizeof extension - 1) == 0)) {
        return STOA_OK;
    }
    return stoa_schema_set(n->to, key, value, err);
}

/* The child of a schema that matches child i of another; NULL if there is none. */
static struct ArrowSchema *part_of(const struct ArrowSchema *schema,
                                   const struct ArrowSchema *other, int64_t i)
{
    if (strcmp(schema->format, "+s") != 0) {
        return schema->n_children == 1 && other->n_children == 1 ? schema->children[0] : NULL;
    }
    for (int64_t k = 0; k < schema->n_children; k++) {
        if (strcmp(schema->children[k]->name, other->children[i]->name) == 0) {
            return schema->children[k];
        }
    }
    return NULL;
}

stoa_status stoa_schema_set_more(struct ArrowSchema *schema, const struct ArrowSchema *from,
                                 stoa_error *err)
{
    noting n = {.to = schema, .is_same = strcmp(schema->format, from->format) == 0};

    STOA_RETURN_NOT_OK(stoa_metadata_visit(from->metadata, set_one_more, &n, err));
    for (int64_t i = 0; i < from->n_children; i++) {
        struct ArrowSchema *const part = part_of(schema, from, i);
        if (part != NULL) {
            STOA_RETURN_NOT_OK(stoa_schema_set_more(part, from->children[i], err));
        }
    }
    return STOA_OK;
}

static stoa_status schema_copy(const struct ArrowSchema *from, struct ArrowSchema *to, int depth,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    schema_owner *owner = NULL;

    *to = (struct ArrowSchema){0};
    if (depth > SCHEMA_MAX_DEPTH || from->release == NULL || from->format == NULL ||
        from->n_children < 0 || (from->n_children > 0 && from->children == NULL)) {
        STOA_FAIL(err, STOA_ETYPE,
                  "field '%s': the Arrow schema is released, malformed or nested "
                  "more than %d deep",
                  from->name != NULL ? from->name : "", SCHEMA_MAX_DEPTH);
    }
    STOA_TRY(stoa_schema_make(to, from->name, from->format, err));
    to->flags = from->flags;
    owner = to->private_data;

    const size_t n_bytes = stoa_metadata_size(from->metadata);
    if (n_bytes != 0) {
        to->metadata = owner->metadata = stoa_alloc(n_bytes, 1);
        STOA_TRY(owner->metadata != NULL ? STOA_OK : stoa_fail_memory(err));
        memcpy(owner->metadata, from->metadata, n_bytes);
    }
    if (from->n_children > 0) {
        STOA_TRY(stoa_schema_children(to, from->n_children, err));
    }
    for (int64_t i = 0; i < from->n_children; i++) {
        STOA_TRY(schema_copy(from->children[i], to->children[i], depth + 1, err));
    }
    if (from->dictionary != NULL) {
        struct ArrowSchema *slot = NULL;
        STOA_TRY(schema_dictionary_slot(to, &slot, err));
        STOA_TRY(schema_copy(from->dictionary, slot, depth + 1, err));
        to->dictionary = slot;
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(to);
    }
    return status;
}

stoa_status stoa_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *to,
                             stoa_error *err)
{
    return schema_copy(from, to, 0, err);
}
