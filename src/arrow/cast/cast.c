/* Goes through two types at once, from the leaves up. */
#include "arrow/cast/cast.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/cast/cast_values.h"
#include "arrow/take.h"

enum { MAX_DEPTH = 64 };

/* --- types ------------------------------------------------------------------------------------ */

static bool is_one_of(const char *format, const char *first, const char *second)
{
    return strcmp(format, first) == 0 || strcmp(format, second) == 0;
}

static bool is_list(const char *format)
{
    return is_one_of(format, "+l", "+L");
}

static bool is_bytes(const char *format)
{
    return is_one_of(format, "u", "U") || is_one_of(format, "z", "Z");
}

/* Lists of bytes, as HEP001 has them, become the bytes. */
static bool makes_bytes(const struct ArrowSchema *from, const struct ArrowSchema *to)
{
    return is_list(from->format) && is_one_of(to->format, "z", "Z") && from->n_children == 1 &&
           stoa_count_of(from->children[0]->format).what == STOA_COUNTED_NUMBER &&
           !stoa_count_of(from->children[0]->format).is_float;
}

static bool is_known(const struct ArrowSchema *from, const struct ArrowSchema *to, int depth);

static bool are_parts_known(const struct ArrowSchema *from, const struct ArrowSchema *to, int depth)
{
    bool is = from->n_children == to->n_children;

    for (int64_t i = 0; is && i < from->n_children; i++) {
        const char *const name = from->children[i]->name;
        const char *const other = to->children[i]->name;

        is = is_known(from->children[i], to->children[i], depth + 1) &&
             (strcmp(from->format, "+s") != 0 ||
              strcmp(name != NULL ? name : "", other != NULL ? other : "") == 0);
    }
    return is;
}

static bool is_known(const struct ArrowSchema *from, const struct ArrowSchema *to, int depth)
{
    const stoa_count count = stoa_count_of(from->format);
    const stoa_count wanted = stoa_count_of(to->format);

    if (depth > MAX_DEPTH) {
        return false;
    }
    if (to->dictionary != NULL) {
        return from->dictionary != NULL && stoa_count_is_cast(&count, &wanted) &&
               is_known(from->dictionary, to->dictionary, depth + 1);
    }
    if (from->dictionary != NULL) {
        return is_known(from->dictionary, to, depth + 1);
    }
    if (makes_bytes(from, to)) {
        return true;
    }
    return (strcmp(from->format, to->format) == 0 || stoa_count_is_cast(&count, &wanted) ||
            (is_list(from->format) && is_list(to->format)) ||
            (is_one_of(from->format, "u", "U") && is_one_of(to->format, "u", "U")) ||
            (is_one_of(from->format, "z", "Z") && is_one_of(to->format, "z", "Z"))) &&
           are_parts_known(from, to, depth);
}

bool stoa_cast_is_known(const struct ArrowSchema *from, const struct ArrowSchema *to)
{
    return is_known(from, to, 0);
}

/* --- levels ----------------------------------------------------------------------------------- */

typedef struct casting {
    const char *column;
    const struct ArrowSchema *from;
    const struct ArrowSchema *to;
    const stoa_around *around;
} casting;

/* Copy the validity, so that it begins at the first bit. */
static stoa_status copy_validity(const stoa_view *view, void **bits, stoa_error *err)
{
    uint8_t *const to = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)view->length) + 1, 1);

    STOA_RETURN_NO_MEMORY(err, to);
    for (int64_t i = 0; i < view->length; i++) {
        if (!stoa_view_is_null(view, i)) {
            stoa_bit_set(to, (uint64_t)i);
        }
    }
    *bits = to;
    return STOA_OK;
}

/* Offsets of the other width, which begin at 0 if `from_zero`. */
static stoa_status copy_offsets(const casting *c, const stoa_view *view, bool from_zero,
                                void **offsets, stoa_error *err)
{
    const bool is_wide = c->to->format[strlen(c->to->format) - 1] <= 'Z';
    const int64_t n = view->length;
    const int64_t base = from_zero && n > 0 ? stoa_view_offset(view, 0) : 0;
    uint8_t *const to = stoa_alloc_zero((size_t)n + 1, is_wide ? 8 : 4);

    STOA_RETURN_NO_MEMORY(err, to);
    *offsets = to;
    for (int64_t i = 0; n > 0 && i <= n; i++) {
        const int64_t at = stoa_view_offset(view, i) - base;

        if (is_wide) {
            ((int64_t *)(void *)to)[i] = at;
        } else if (at > INT32_MAX) {
            return stoa_fail(err, STOA_ERANGE,
                             "column '%s': a batch is too long for 32-bit offsets; ask for a type "
                             "of large offsets",
                             c->column);
        } else {
            ((int32_t *)(void *)to)[i] = (int32_t)at;
        }
    }
    return STOA_OK;
}

static stoa_status cast_list(const casting *c, struct ArrowArray *array, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *buffers[2] = {NULL, NULL};
    stoa_view view;
    struct ArrowSchema plain = *c->from; /* its items have been cast already */

    plain.children = c->to->children;
    STOA_TRY(stoa_view_of_sound(&plain, array, &view, err));
    STOA_TRY(copy_validity(&view, &buffers[0], err));
    STOA_TRY(copy_offsets(c, &view, false, &buffers[1], err));
    void *const taken[] = {buffers[0], buffers[1]};
    memset(buffers, 0, sizeof buffers);
    STOA_TRY(stoa_array_list(out, view.length, view.null_count, 2, taken, array->children[0], err));

done:
    free(buffers[0]);
    free(buffers[1]);
    return status;
}

/* Copy the bytes of strings, or integers that are bytes. */
static stoa_status copy_bytes(const casting *c, const stoa_view *view, int64_t first, int64_t n,
                              uint8_t *to, stoa_error *err)
{
    stoa_view items;

    if (!stoa_kind_is_list(view->type.kind)) {
        memcpy(to, n > 0 ? (const char *)view->values + first : "", (size_t)n);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    for (int64_t i = 0; i < n; i++) {
        const int64_t value =
            stoa_view_is_null(&items, first + i) ? -1 : stoa_view_i64(&items, first + i);
        if (value < 0 || value > UINT8_MAX) {
            return stoa_fail(err, STOA_ELOSS, "column '%s': an item is no byte", c->column);
        }
        to[i] = (uint8_t)value;
    }
    return STOA_OK;
}

/* Strings, bytes and lists of bytes, as strings or bytes. */
static stoa_status cast_text(const casting *c, const struct ArrowArray *array,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *buffers[3] = {NULL, NULL, NULL};
    stoa_view view;

    STOA_TRY(stoa_view_of_sound(c->from, array, &view, err));
    const int64_t first = view.length > 0 ? stoa_view_offset(&view, 0) : 0;
    const int64_t end = view.length > 0 ? stoa_view_offset(&view, view.length) : 0;
    STOA_TRY(copy_validity(&view, &buffers[0], err));
    STOA_TRY(copy_offsets(c, &view, true, &buffers[1], err));
    buffers[2] = stoa_alloc((size_t)(end - first) + 1, 1);
    STOA_TRY(buffers[2] != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(copy_bytes(c, &view, first, end - first, buffers[2], err));
    void *const taken[] = {buffers[0], buffers[1], buffers[2]};
    memset(buffers, 0, sizeof buffers);
    STOA_TRY(stoa_array_make(out, view.length, view.null_count, 3, taken, err));

done:
    for (size_t i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

/* The values of a dictionary array, whose dictionary has been cast already. */
static stoa_status decode(const casting *c, const struct ArrowArray *array, struct ArrowArray *out,
                          stoa_error *err)
{
    stoa_view values;

    STOA_RETURN_NOT_OK(stoa_view_of(c->to, array->dictionary, &values, err));
    return stoa_take_labels(c->from, array, &values, c->column, out, err);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static stoa_status cast_array(const casting *c, struct ArrowArray *array, stoa_error *err);

static stoa_status cast_parts(const casting *c, struct ArrowArray *array, stoa_error *err)
{
    const struct ArrowSchema *const labels = c->to->dictionary != NULL ? c->to->dictionary : c->to;
    const stoa_around around = stoa_around_of(c->from->format, array, c->around);

    for (int64_t i = 0; i < c->to->n_children && c->from->dictionary == NULL; i++) {
        const casting part = {c->column, c->from->children[i], c->to->children[i], &around};
        STOA_RETURN_NOT_OK(cast_array(&part, array->children[i], err));
    }
    if (c->from->dictionary != NULL) {
        const casting part = {c->column, c->from->dictionary, labels, NULL};
        STOA_RETURN_NOT_OK(cast_array(&part, array->dictionary, err));
    }
    return STOA_OK;
}

/* Cast one level; `made` stays released if its values are as wanted already. */
static stoa_status cast_level(const casting *c, struct ArrowArray *array, struct ArrowArray *made,
                              stoa_error *err)
{
    const stoa_count from = stoa_count_of(c->from->format);
    const stoa_count to = stoa_count_of(c->to->format);

    if (c->from->dictionary != NULL && c->to->dictionary == NULL) {
        return decode(c, array, made, err);
    }
    if (strcmp(c->from->format, c->to->format) == 0) {
        return STOA_OK;
    }
    if (is_bytes(c->from->format) || makes_bytes(c->from, c->to)) {
        return cast_text(c, array, made, err);
    }
    if (is_list(c->from->format)) {
        return cast_list(c, array, made, err);
    }
    STOA_RETURN_NOT_OK(stoa_count_cast(&from, &to, array, c->around, c->column, made, err));
    return array->dictionary != NULL ? stoa_array_dictionary(made, array->dictionary, err)
                                     : STOA_OK;
}

static stoa_status cast_array(const casting *c, struct ArrowArray *array, stoa_error *err)
{
    struct ArrowArray made = {.release = NULL};

    STOA_RETURN_NOT_OK(cast_parts(c, array, err));
    const stoa_status status = cast_level(c, array, &made, err);
    if (status == STOA_OK && made.release != NULL) {
        stoa_array_release(array);
        stoa_array_move(&made, array);
    }
    stoa_array_release(&made);
    return status;
}

stoa_status stoa_array_cast(const struct ArrowSchema *from, const struct ArrowSchema *to,
                            struct ArrowArray *array, stoa_error *err)
{
    const casting c = {from->name != NULL ? from->name : "", from, to, NULL};

    return cast_array(&c, array, err);
}
