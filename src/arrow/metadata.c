/* Reads and rewrites Arrow's metadata encoding. */
#include "arrow/metadata.h"

#include <stdlib.h>
#include <string.h>

/* A cursor over pairs. The encoding has no total size, so a negative length is the only detectable
 * error; the walk ends there. */
typedef struct metadata_walk {
    const char *at;
    int32_t n_left;
    const char *key;
    const char *value;
    int32_t key_length;
    int32_t value_length;
} metadata_walk;

static int32_t read_i32(const char **at)
{
    int32_t value;

    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

static metadata_walk walk_from(const char *metadata)
{
    metadata_walk walk = {.at = metadata};

    if (metadata != NULL) {
        walk.n_left = read_i32(&walk.at);
    }
    return walk;
}

static bool walk_next(metadata_walk *walk)
{
    if (walk->n_left <= 0) {
        return false;
    }
    const char *at = walk->at;
    walk->key_length = read_i32(&at);
    if (walk->key_length < 0) {
        return false;
    }
    walk->key = at;
    at += walk->key_length;
    walk->value_length = read_i32(&at);
    if (walk->value_length < 0) {
        return false;
    }
    walk->value = at;
    walk->at = at + walk->value_length;
    walk->n_left--;
    return true;
}

static bool key_is(const metadata_walk *walk, const char *key)
{
    const size_t length = strlen(key);

    return (size_t)walk->key_length == length && memcmp(walk->key, key, length) == 0;
}

size_t stoa_metadata_size(const char *metadata)
{
    metadata_walk walk = walk_from(metadata);

    while (walk_next(&walk)) {
    }
    return metadata != NULL ? (size_t)(walk.at - metadata) : 0;
}

bool stoa_metadata_find(const char *metadata, const char *key, const char **value, size_t *length)
{
    for (metadata_walk walk = walk_from(metadata); walk_next(&walk);) {
        if (key_is(&walk, key)) {
            *value = walk.value;
            *length = (size_t)walk.value_length;
            return true;
        }
    }
    return false;
}

stoa_status stoa_metadata_visit(const char *metadata, stoa_metadata_visitor *visit, void *context,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (metadata_walk walk = walk_from(metadata); status == STOA_OK && walk_next(&walk);) {
        char *const key = stoa_strndup(walk.key, (size_t)walk.key_length);
        char *const value = stoa_strndup(walk.value, (size_t)walk.value_length);
        status =
            key != NULL && value != NULL ? visit(context, key, value, err) : stoa_fail_memory(err);
        free(key);
        free(value);
    }
    return status;
}

static stoa_status put_text(stoa_buffer *out, const char *text, size_t length, stoa_error *err)
{
    const int32_t stored = (int32_t)length;

    if (length > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE,
                         "field metadata of %zu bytes is longer than Arrow can say", length);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, &stored, sizeof stored, err));
    return stoa_buffer_append(out, text, length, err);
}

static stoa_status put_pair(stoa_buffer *out, const char *key, size_t key_length, const char *value,
                            size_t value_length, stoa_error *err)
{
    const stoa_status status = put_text(out, key, key_length, err);

    return status == STOA_OK ? put_text(out, value, value_length, err) : status;
}

stoa_status stoa_metadata_with(const char *metadata, const char *key, const char *value,
                               stoa_buffer *out, stoa_error *err)
{
    const size_t start = out->size;
    int32_t n_pairs = 0;
    bool found = false;

    STOA_RETURN_NOT_OK(stoa_buffer_grow(out, sizeof n_pairs, err));
    for (metadata_walk walk = walk_from(metadata); walk_next(&walk);) {
        const bool same = key_is(&walk, key);
        if (same && found) {
            continue;
        }
        STOA_RETURN_NOT_OK(put_pair(out, walk.key, (size_t)walk.key_length,
                                    same ? value : walk.value,
                                    same ? strlen(value) : (size_t)walk.value_length, err));
        found = found || same;
        n_pairs++;
    }
    if (!found) {
        STOA_RETURN_NOT_OK(put_pair(out, key, strlen(key), value, strlen(value), err));
        n_pairs++;
    }
    memcpy(out->data + start, &n_pairs, sizeof n_pairs);
    return STOA_OK;
}
