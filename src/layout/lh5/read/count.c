/* Count the columns of LH5 tables. One table may be linked from several others (see lh5.h). */
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/read/lh5.h"

/* Limits of a table's columns. Hard links can nest the same table twice at each of 64 levels, which
 * no machine could open. Tables with repeated tables have a lower limit, because a file can hold
 * many of them. */
enum { MAX_COLUMNS = 1 << 14, MAX_REPEATED = 1 << 10 };

/* Tables counted so far. A table may be linked from several others, and several times from one. */
typedef struct counted {
    stoa_string_set seen; /* object tokens */
    stoa_buffer counts;   /* size_t for each token */
    bool repeats;         /* some table occurs twice */
} counted;

static size_t count_fields(counted *all, hid_t group, const stoa_lh5_datatype *type,
                           unsigned depth);

/* Columns of a field: 1, or those of a table. Counts are capped at MAX_COLUMNS + 1. */
static size_t count_field(counted *all, hid_t object, unsigned depth)
{
    stoa_lh5_datatype type = {0};
    H5O_info2_t info;
    uint32_t number = 0;
    size_t n = 1;

    if (depth >= STOA_LH5_MAX_TABLE_DEPTH ||
        stoa_lh5_type_of(object, &type, NULL, NULL) != STOA_OK || type.kind != STOA_LH5_TABLE ||
        H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0) {
        goto done;
    }
    if (stoa_string_set_find(&all->seen, &info.token, sizeof info.token, &number) &&
        number < all->counts.size / sizeof n) {
        memcpy(&n, all->counts.data + number * sizeof n, sizeof n);
        all->repeats = true;
        goto done;
    }
    n = count_fields(all, object, &type, depth + 1);
    if (!stoa_string_set_find(&all->seen, &info.token, sizeof info.token, &number) &&
        stoa_string_set_add(&all->seen, &info.token, sizeof info.token, &number, NULL) == STOA_OK) {
        (void)!stoa_buffer_append(&all->counts, &n, sizeof n, NULL);
    }

done:
    stoa_lh5_datatype_clear(&type);
    return n;
}

static size_t count_fields(counted *all, hid_t group, const stoa_lh5_datatype *type, unsigned depth)
{
    size_t n = 0;

    for (size_t i = 0; i < type->n_names && n <= MAX_COLUMNS; i++) {
        hid_t member = stoa_object_open(group, type->names[i]);
        n += member >= 0 ? count_field(all, member, depth) : 1;
        (void)stoa_hdf_close(&member, STOA_OK, NULL);
    }
    return n <= MAX_COLUMNS ? n : MAX_COLUMNS + 1;
}

size_t stoa_lh5_count_columns(hid_t group, const stoa_lh5_datatype *type, size_t *most)
{
    counted all = {.seen = {.count = 0}};
    const size_t n = count_fields(&all, group, type, 0);

    stoa_string_set_clear(&all.seen);
    stoa_buffer_clear(&all.counts);
    *most = all.repeats ? MAX_REPEATED : MAX_COLUMNS;
    return n;
}

stoa_status stoa_lh5_check_columns(hid_t group, const stoa_lh5_datatype *type, stoa_error *err)
{
    size_t most = 0;

    return stoa_lh5_count_columns(group, type, &most) <= most
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "it has more than %zu columns%s", most,
                           most < MAX_COLUMNS ? ", of tables that are in it again and again" : "");
}
