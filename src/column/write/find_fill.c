/*
 * The bytes of a fill value are chosen one after another. For each, a pass over the rows counts the
 * values of this byte among the elements that have the chosen ones so far. The rarest value is
 * taken. As soon as no element is left, the other bytes are free. Every pass leaves at most 1 in
 * 100 of the elements, so that a few passes are enough for any number of rows.
 */
#include "column/write/find_fill.h"

#include <stdlib.h>
#include <string.h>

#include "column/type/fill.h"
#include "core/memory.h"

/* Rows read at once. */
#define BLOCK_ROWS UINT64_C(65536)

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct search {
    stoa_column *column;
    uint64_t n_rows;
    const stoa_elements_to_come *to_come;
} search;

/* Look at all elements. */
static stoa_status visit(const search *s, stoa_elements_look look_at, void *context,
                         stoa_error *err)
{
    const stoa_element *element = &s->column->element;

    for (uint64_t first = 0; first < s->n_rows; first += BLOCK_ROWS) {
        const uint64_t n = s->n_rows - first < BLOCK_ROWS ? s->n_rows - first : BLOCK_ROWS;
        void *elements = NULL;
        STOA_RETURN_NOT_OK(stoa_column_read_elements(s->column, first, n, &elements, err));
        look_at(context, elements, n);
        stoa_element_reclaim(element, elements, (size_t)n);
        free(elements);
    }
    return s->to_come != NULL ? s->to_come->show(s->to_come->context, look_at, context, err)
                              : STOA_OK;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Which values a byte of an element may take. */
typedef enum byte_use {
    KEPT, /* that of the recommended fill value */
    ANY,
    TEXT,    /* a character of ASCII that is no padding */
    EXPONENT /* the high bits of a float, which must not make it infinite or NaN */
} byte_use;

static void note_uses(const stoa_element *element, uint8_t *uses)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members
                     : element->class == STOA_ELEMENT_ARRAY  ? element->n_items
                                                             : 0;
    const uint16_t one = 1;
    const bool is_little = (*(const uint8_t *)&one == 1) != element->turns;

    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        memset(uses,
               element->is_odd || element->is_truth || element->logical == STOA_LOGICAL_BOOL ? KEPT
                                                                                             : ANY,
               element->size);
        break;
    case STOA_ELEMENT_FLOAT:
        memset(uses, element->is_odd ? KEPT : ANY, element->size);
        uses[is_little ? element->size - 1 : 0] = element->is_odd ? KEPT : EXPONENT;
        break;
    case STOA_ELEMENT_FIXED_STRING:
        memset(uses, element->padding == H5T_STR_NULLTERM ? KEPT : TEXT, element->size);
        break;
    case STOA_ELEMENT_OPAQUE:
        memset(uses, element->is_reference ? KEPT : ANY, element->size);
        break;
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < n; i++) {
            note_uses(&element->items[i], uses + element->offsets[i]);
        }
        break;
    case STOA_ELEMENT_ARRAY:
        for (size_t i = 0; i < n; i++) {
            note_uses(&element->items[0], uses + i * element->items[0].size);
        }
        break;
    default:
        memset(uses, KEPT, element->size);
        break;
    }
}

static bool may_be(byte_use use, unsigned byte)
{
    switch (use) {
    case ANY:
        return true;
    case TEXT:
        return byte >= 1 && byte < 0x7f && byte != ' ';
    case EXPONENT:
        return (byte & 0x7f) < 0x7c;
    default:
        return false;
    }
}

/* The state of a search for bytes. */
typedef struct byte_search {
    size_t size;
    size_t at;            /* the byte that is counted */
    const uint8_t *fill;  /* the bytes chosen so far */
    const size_t *chosen; /* their places */
    size_t n_chosen;
    uint64_t counts[256];
} byte_search;

static void count_bytes(void *context, const uint8_t *elements, uint64_t n)
{
    byte_search *const b = context;

    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *const element = elements + i * b->size;
        bool is_alike = true;
        for (size_t k = 0; is_alike && k < b->n_chosen; k++) {
            is_alike = element[b->chosen[k]] == b->fill[b->chosen[k]];
        }
        b->counts[element[b->at]] += is_alike;
    }
}

/* The allowed value of the byte that fewest elements have. Zero comes last, since it is padding,
 * and the sign of zero has no order. */
static unsigned rarest(const byte_search *b, byte_use use)
{
    unsigned best = 256;

    for (unsigned byte = 1; byte <= 256; byte++) {
        const unsigned value = byte & 0xff;
        if (may_be(use, value) && (best == 256 || b->counts[value] < b->counts[best])) {
            best = value;
        }
    }
    return best;
}

/* Choose bytes until no element has all of them. The bytes that are left become 1, so that no
 * number is zero and no string ends early. */
static stoa_status find_bytes(const search *s, const uint8_t *uses, size_t *chosen, uint8_t *fill,
                              bool *found, stoa_error *err)
{
    const size_t size = s->column->element.size;
    byte_search b = {.size = size, .fill = fill, .chosen = chosen};

    *found = false;
    for (size_t i = 0; i < size; i++) {
        fill[i] = uses[i] != KEPT ? 1 : fill[i];
    }
    for (size_t i = size; i-- > 0 && !*found;) {
        if (uses[i] == KEPT) {
            continue;
        }
        b.at = i;
        memset(b.counts, 0, sizeof b.counts);
        STOA_RETURN_NOT_OK(visit(s, count_bytes, &b, err));
        fill[i] = (uint8_t)rarest(&b, uses[i]);
        *found = b.counts[fill[i]] == 0;
        chosen[b.n_chosen++] = i;
    }
    return STOA_OK;
}

/* --- whole elements --------------------------------------------------------------------------- */

typedef struct comparison {
    const stoa_element *element;
    const uint8_t *fill;
    bool is_taken;
} comparison;

static void compare(void *context, const uint8_t *elements, uint64_t n)
{
    comparison *const c = context;

    for (uint64_t i = 0; i < n && !c->is_taken; i++) {
        c->is_taken = stoa_element_equal(c->element, elements + i * c->element->size, c->fill);
    }
}

/* Try ever longer strings or sequences. */
static stoa_status find_long(const search *s, uint8_t *fill, bool *found, stoa_error *err)
{
    enum { MAX_DOUBLINGS = 20 };
    const stoa_element *element = &s->column->element;
    comparison c = {.element = element, .fill = fill};

    for (unsigned i = 0; i < MAX_DOUBLINGS && !*found; i++) {
        stoa_element_reclaim(element, fill, 1);
        memset(fill, 0, element->size);
        STOA_RETURN_NOT_OK(stoa_fill_candidate(element, i, fill, err));
        c.is_taken = false;
        STOA_RETURN_NOT_OK(visit(s, compare, &c, err));
        *found = !c.is_taken;
    }
    return STOA_OK;
}

stoa_status stoa_column_find_fill(stoa_column *column, uint64_t n_rows,
                                  const stoa_elements_to_come *to_come, void **fill,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    const search s = {column, n_rows, to_come};
    uint8_t *uses = stoa_alloc_zero(element->size, sizeof *uses);
    size_t *chosen = stoa_alloc_zero(element->size, sizeof *chosen);
    uint8_t *made = stoa_alloc_zero(1, element->size);
    bool found = false;

    *fill = NULL;
    STOA_TRY(uses != NULL && chosen != NULL && made != NULL ? STOA_OK : stoa_fail_memory(err));
    note_uses(element, uses);
    stoa_fill_parts(element, made);
    STOA_TRY(find_bytes(&s, uses, chosen, made, &found, err));
    if (!found && stoa_element_is_variable(element)) {
        STOA_TRY(find_long(&s, made, &found, err));
    }
    if (!found) {
        STOA_FAIL(err, STOA_ELOSS,
                  "%s has no value left to stand for 'missing' (HEP001 §8.5); store it as strings",
                  element->text);
    }
    *fill = made;
    made = NULL;

done:
    stoa_element_reclaim(element, made, made != NULL ? 1 : 0);
    free(made);
    free(chosen);
    free(uses);
    return status;
}
