#include "column/type/item_units.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"

/* --- writing --------------------------------------------------------------------------------- */

/* The attribute's text while it is built. */
typedef struct leaves {
    stoa_buffer text;
    bool has_time;
} leaves;

static stoa_status add_leaves(leaves *to, const struct ArrowSchema *field, stoa_error *err)
{
    stoa_type type;

    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_RETURN_NOT_OK(add_leaves(to, field->children[i], err));
    }
    if (field->n_children == 0) {
        STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
        const bool is_time = stoa_kind_is_time(type.kind) && field->dictionary == NULL;
        const char *const units = is_time ? stoa_time_units_text(type.unit, type.utc) : "";
        STOA_RETURN_NOT_OK(stoa_buffer_append(&to->text, units, strlen(units), err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&to->text, ";", 1, err));
        to->has_time = to->has_time || is_time;
    }
    return STOA_OK;
}

stoa_status stoa_item_units_write(hid_t dataset, const struct ArrowSchema *field, stoa_error *err)
{
    stoa_status status = STOA_OK;
    leaves all = {.text = {0}};

    if (field->n_children == 0) {
        return STOA_OK;
    }
    STOA_TRY(add_leaves(&all, field, err));
    if (all.has_time) {
        all.text.data[all.text.size - 1] = '\0'; /* replaces the last semicolon */
        STOA_TRY(stoa_attribute_write_utf8(dataset, STOA_COLUMN_ITEM_UNITS,
                                           (const char *)all.text.data, err));
    }

done:
    stoa_buffer_clear(&all.text);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Other epochs and multiples of units are only supported for columns. */
static bool is_plain(const stoa_time_units *units)
{
    return units->ticks_per == 1 && units->epoch_ticks == 0;
}

/* Get the next leaf's units. False if there are no more, or they are too long. */
static bool next_leaf(const char **text, char *units, size_t size)
{
    if (*text == NULL) {
        return false;
    }
    const size_t n = strcspn(*text, ";");
    if (n >= size) {
        return false;
    }
    memcpy(units, *text, n);
    units[n] = '\0';
    *text = (*text)[n] == ';' ? *text + n + 1 : NULL;
    return true;
}

/* Apply the units to the leaves, depth first. Without `shows`, only check that there are enough and
 * that times are on integers. */
static bool walk(stoa_element *element, const char **text, bool shows)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members : 1;
    char words[64];
    stoa_time_units units;
    bool fits = true;

    if (element->items != NULL) {
        for (size_t i = 0; i < n && fits; i++) {
            fits = walk(&element->items[i], text, shows);
        }
        return fits;
    }
    if (!next_leaf(text, words, sizeof words)) {
        return false;
    }
    if (words[0] == '\0') {
        return true;
    }
    fits = element->class == STOA_ELEMENT_INTEGER && element->kind == STOA_KIND_INT64 &&
           stoa_parse_time_units(words, &units) && is_plain(&units);
    if (fits && shows) {
        element->logical = STOA_LOGICAL_TIME;
        element->units = units;
    }
    return fits;
}

stoa_status stoa_item_units_read(hid_t dataset, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *note = NULL;

    if (element->items == NULL) {
        return STOA_OK;
    }
    STOA_TRY(stoa_attribute_read_optional(dataset, STOA_COLUMN_ITEM_UNITS, &note, err));
    const char *text = note;
    if (note != NULL && walk(element, &text, false) && text == NULL) {
        text = note;
        (void)walk(element, &text, true);
    }

done:
    free(note);
    return status;
}

bool stoa_item_count(const stoa_element *element, const stoa_type *from, int64_t *value)
{
    if (element->logical != STOA_LOGICAL_TIME || !stoa_kind_is_time(from->kind)) {
        return true;
    }
    const stoa_rescaling scale = stoa_rescaling_of(from->unit, element->units.unit);
    if (__builtin_mul_overflow(*value, scale.up, value) || *value % scale.down != 0) {
        return false;
    }
    *value /= scale.down;
    return true;
}
