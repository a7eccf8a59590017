/* Finds the narrowest type that takes the values of two others (cast.h). */
#include <string.h>

#include "arrow/cast/cast.h"
#include "arrow/cast/cast_values.h"

enum { MAX_DEPTH = 64 };

/* --- numbers ---------------------------------------------------------------------------------- */

static int bits_of(const stoa_count *integer)
{
    return 8 * integer->width - integer->is_signed;
}

/* Integers: the narrowest that holds both; none holds uint64 and negative numbers. */
static const char *common_integer(const stoa_count *a, const stoa_count *b)
{
    static const char *const signed_formats[] = {"c", "s", "i", "l"};
    static const char *const unsigned_formats[] = {"C", "S", "I", "L"};
    const bool is_signed = a->is_signed || b->is_signed;
    const int bits = bits_of(a) > bits_of(b) ? bits_of(a) : bits_of(b);

    for (int i = 0; i < 4; i++) {
        if ((8 << i) - is_signed >= bits) {
            return is_signed ? signed_formats[i] : unsigned_formats[i];
        }
    }
    return NULL;
}

/* Floats, or a float and an integer. float64 is the widest, so an integer of 64 bits must do with
 * it: the cast refuses what it does not hold. */
static const char *common_float(const stoa_count *a, const stoa_count *b)
{
    static const char *const formats[] = {"e", "f", "g"};
    static const int digits[] = {11, 24, 53};
    int least = 0;

    for (int i = 0; i < 2; i++) {
        const stoa_count *const one = i == 0 ? a : b;
        int k = 0;
        while (k < 2 && (one->is_float ? 2 << k < one->width : digits[k] < bits_of(one))) {
            k++;
        }
        least = k > least ? k : least;
    }
    return formats[least];
}

static bool is_plain_number(const stoa_count *count)
{
    return count->what == STOA_COUNTED_NUMBER && count->precision == 0 && count->scale == 0;
}

/* Times and durations: the finer unit. */
static const char *common_ticks(const stoa_count *a, const stoa_count *b, const char *format_a,
                                const char *format_b)
{
    const bool are_alike =
        a->what == b->what && (a->what == STOA_COUNTED_MOMENT || a->what == STOA_COUNTED_DURATION);
    const bool has_one_zone = (a->zone == NULL) == (b->zone == NULL) &&
                              (a->zone == NULL || strcmp(a->zone, b->zone) == 0);

    return !are_alike || !has_one_zone ? NULL : a->per_unit >= b->per_unit ? format_a : format_b;
}

/* --- types ------------------------------------------------------------------------------------ */

static bool is_either(const char *a, const char *b, const char *first, const char *second)
{
    return (strcmp(a, first) == 0 || strcmp(a, second) == 0) &&
           (strcmp(b, first) == 0 || strcmp(b, second) == 0);
}

/* The format of the outer level; NULL if there is none. */
static const char *common_format(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        return a;
    }
    if (is_either(a, b, "u", "U") || is_either(a, b, "z", "Z") || is_either(a, b, "+l", "+L")) {
        return a[0] == '+' ? "+L" : a[0] == 'u' || a[0] == 'U' ? "U" : "Z";
    }
    const stoa_count x = stoa_count_of(a);
    const stoa_count y = stoa_count_of(b);
    if (is_plain_number(&x) && is_plain_number(&y)) {
        return x.is_float || y.is_float ? common_float(&x, &y) : common_integer(&x, &y);
    }
    return common_ticks(&x, &y, a, b);
}

static stoa_status make(const struct ArrowSchema *a, const struct ArrowSchema *b, int depth,
                        struct ArrowSchema *out, bool *found, stoa_error *err)
{
    const struct ArrowSchema *const x = a->dictionary != NULL ? a->dictionary : a;
    const struct ArrowSchema *const y = b->dictionary != NULL ? b->dictionary : b;
    const char *const format = common_format(x->format, y->format);
    const bool has_fields = strcmp(x->format, "+s") == 0;

    *found = format != NULL && x->n_children == y->n_children && depth < MAX_DEPTH;
    if (!*found) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(out, a->name, format, err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, x->n_children, err));
    for (int64_t i = 0; *found && i < x->n_children; i++) {
        const char *const name = x->children[i]->name != NULL ? x->children[i]->name : "";
        const char *const other = y->children[i]->name != NULL ? y->children[i]->name : "";
        *found = !has_fields || strcmp(name, other) == 0;
        STOA_RETURN_NOT_OK(
            *found ? make(x->children[i], y->children[i], depth + 1, out->children[i], found, err)
                   : STOA_OK);
    }
    return STOA_OK;
}

stoa_status stoa_cast_common(const struct ArrowSchema *a, const struct ArrowSchema *b,
                             struct ArrowSchema *out, stoa_error *err)
{
    bool found = false;

    out->release = NULL;
    const stoa_status status = make(a, b, 0, out, &found, err);
    if (status != STOA_OK || !found) {
        stoa_schema_release(out);
    }
    return status;
}
