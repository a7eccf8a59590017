#include "arrow/cast/original.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"

static const char name_key[] = "ARROW:extension:name";
static const char text_key[] = "ARROW:extension:metadata";
enum { MAX_DEPTH = 64, MAX_FORMAT = 63 };

/* --- notes ------------------------------------------------------------------------------------ */

/* Whether stored values of this level do not tell its type. */
static bool is_lost(const char *format, bool is_inside)
{
    return strncmp(format, "d:", 2) == 0 || strncmp(format, "tt", 2) == 0 ||
           strcmp(format, "z") == 0 || strcmp(format, "Z") == 0 || strcmp(format, "vz") == 0 ||
           (is_inside && strncmp(format, "tD", 2) == 0) ||
           (is_inside && strncmp(format, "ts", 2) == 0 && strlen(format) > 4 &&
            strcmp(format + 4, "UTC") != 0);
}

static bool is_any_lost(const struct ArrowSchema *field, bool is_inside)
{
    const bool holds =
        is_inside || strcmp(field->format, "+s") == 0 || strncmp(field->format, "+w:", 3) == 0;
    bool is = is_lost(field->format, is_inside) ||
              (field->dictionary != NULL && is_any_lost(field->dictionary, is_inside));

    for (int64_t i = 0; !is && i < field->n_children; i++) {
        is = is_any_lost(field->children[i], holds);
    }
    return is;
}

bool stoa_original_is_needed(const struct ArrowSchema *field)
{
    return is_any_lost(field, false);
}

static stoa_status put(stoa_buffer *out, const char *text, stoa_error *err)
{
    return stoa_buffer_append(out, text, strlen(text), err);
}

/* @param is_inside  whether the level is part of a struct or of a list of a fixed size */
static stoa_status note_level(const struct ArrowSchema *from, bool is_inside, stoa_buffer *out,
                              stoa_error *err)
{
    const size_t before = out->size;
    bool is_empty = true;

    if (strcmp(from->format, "+r") == 0) {
        return note_level(from->children[1], is_inside, out, err);
    }
    if (from->dictionary != NULL) {
        return note_level(from->dictionary, is_inside, out, err);
    }
    if (is_lost(from->format, is_inside)) {
        return put(out, strcmp(from->format, "vz") == 0 ? "z" : from->format, err);
    }
    if (from->n_children == 0) {
        return STOA_OK;
    }
    const bool is_struct = strcmp(from->format, "+s") == 0;
    const bool is_fixed = strncmp(from->format, "+w:", 3) == 0;
    STOA_RETURN_NOT_OK(put(out, is_struct || is_fixed ? from->format : "+L", err));
    for (int64_t i = 0; i < from->n_children; i++) {
        STOA_RETURN_NOT_OK(put(out, i == 0 ? "(" : "|", err));
        const size_t start = out->size;
        STOA_RETURN_NOT_OK(
            note_level(from->children[i], is_inside || is_struct || is_fixed, out, err));
        is_empty = is_empty && out->size == start;
    }
    if (is_empty) {
        out->size = before;
        return STOA_OK;
    }
    return put(out, ")", err);
}

stoa_status stoa_original_note(const struct ArrowSchema *from, struct ArrowSchema *to,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    STOA_TRY(note_level(from, false, &text, err));
    if (text.size > 0 &&
        !stoa_metadata_find(to->metadata, name_key, &(const char *){NULL}, &(size_t){0})) {
        STOA_TRY(stoa_buffer_append(&text, "", 1, err));
        STOA_TRY(stoa_schema_set(to, name_key, STOA_ORIGINAL, err));
        STOA_TRY(stoa_schema_set(to, text_key, (const char *)text.data, err));
    }

done:
    stoa_buffer_clear(&text);
    return status;
}

bool stoa_original_takes(const char *note, const char *other)
{
    return note == NULL || (strstr(note, "tt") == NULL && strstr(note, "d:") == NULL) ||
           (other != NULL && strcmp(note, other) == 0);
}

/* --- fields ----------------------------------------------------------------------------------- */

/* Metadata of the stored field, without the note. */
static stoa_status keep(void *context, const char *key, const char *value, stoa_error *err)
{
    return strcmp(key, name_key) == 0 || strcmp(key, text_key) == 0
               ? STOA_OK
               : stoa_schema_set(context, key, value, err);
}

static stoa_status keep_of_number(void *context, const char *key, const char *value,
                                  stoa_error *err)
{
    return strcmp(key, STOA_ORIGINAL_NUMBER) == 0 ? STOA_OK
                                                  : stoa_schema_set(context, key, value, err);
}

stoa_kind stoa_original_kind(const char *name, stoa_kind kind)
{
    char own[64];

    for (stoa_kind k = STOA_KIND_INT8; name != NULL && k <= STOA_KIND_FLOAT64; k++) {
        if (stoa_kind_is_float(k) == stoa_kind_is_float(kind) &&
            stoa_kind_width(k) <= stoa_kind_width(kind) &&
            strcmp(stoa_type_name(&(stoa_type){.kind = k}, own), name) == 0) {
            return k;
        }
    }
    return kind;
}

/* Make the field of numbers, or of lists of them, with their own type. `out` stays released if that
 * is the stored one. */
static stoa_status number_of(const struct ArrowSchema *field, int depth, struct ArrowSchema *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema item = {.release = NULL};
    char *name = NULL;
    stoa_type type;

    if (field->dictionary != NULL || depth > MAX_DEPTH) {
        return STOA_OK;
    }
    if (strcmp(field->format, "+l") == 0 || strcmp(field->format, "+L") == 0) {
        STOA_TRY(number_of(field->children[0], depth + 1, &item, err));
        if (item.release != NULL) {
            STOA_TRY(stoa_schema_copy(field, out, err));
            stoa_schema_release(out->children[0]);
            stoa_schema_move(&item, out->children[0]);
        }
        goto done;
    }
    STOA_TRY(stoa_schema_get_text(field, STOA_ORIGINAL_NUMBER, &name, err));
    if (name == NULL) {
        goto done;
    }
    STOA_TRY(stoa_type_of(field, &type, err));
    if (stoa_kind_is_integer(type.kind) || stoa_kind_is_float(type.kind)) {
        const stoa_kind kind = stoa_original_kind(name, type.kind);
        STOA_TRY(stoa_schema_make(out, field->name, stoa_kind_format(kind), err));
        out->flags = field->flags;
        STOA_TRY(stoa_metadata_visit(field->metadata, keep_of_number, out, err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    stoa_schema_release(&item);
    free(name);
    return status;
}

/* Read one level from *at; a note for another type leaves `out` released. */
static stoa_status read_level(const char **at, const struct ArrowSchema *field, int depth,
                              struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t length = strcspn(*at, "(|)");
    char format[MAX_FORMAT + 1];

    out->release = NULL;
    if (length > MAX_FORMAT || depth > MAX_DEPTH) {
        return STOA_OK;
    }
    if (length == 0) {
        return stoa_schema_copy(field, out, err);
    }
    memcpy(format, *at, length);
    format[length] = '\0';
    *at += length;
    STOA_TRY(stoa_schema_make(out, field->name, format, err));
    out->flags = field->flags;
    STOA_TRY(stoa_metadata_visit(field->metadata, keep, out, err));
    if (**at != '(') {
        return STOA_OK;
    }
    STOA_TRY(stoa_schema_children(out, field->n_children, err));
    for (int64_t i = 0; i < field->n_children; i++) {
        if (**at != (i == 0 ? '(' : '|')) {
            stoa_schema_release(out);
            return STOA_OK;
        }
        ++*at;
        STOA_TRY(read_level(at, field->children[i], depth + 1, out->children[i], err));
        if (out->children[i]->release == NULL) {
            stoa_schema_release(out);
            return STOA_OK;
        }
    }
    if (field->n_children == 0 || **at != ')') {
        stoa_schema_release(out);
        return STOA_OK;
    }
    ++*at;

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

stoa_status stoa_original_of(const struct ArrowSchema *field, struct ArrowSchema *out,
                             stoa_error *err)
{
    static const size_t n_name = sizeof STOA_ORIGINAL - 1;
    stoa_status status = STOA_OK;
    const char *name = NULL;
    size_t length = 0;
    char *text = NULL;

    out->release = NULL;
    if (!stoa_schema_get(field, name_key, &name, &length) || length != n_name ||
        memcmp(name, STOA_ORIGINAL, n_name) != 0) {
        return number_of(field, 0, out, err);
    }
    STOA_TRY(stoa_schema_get_text(field, text_key, &text, err));
    const char *at = text != NULL ? text : "";
    STOA_TRY(*at != '\0' ? read_level(&at, field, 0, out, err) : STOA_OK);
    if (*at != '\0') {
        stoa_schema_release(out);
    }

done:
    free(text);
    return status;
}
