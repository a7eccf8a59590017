/* The columns of a table: candidates, and which of them have equally many rows. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/links.h"
#include "layout/common/extent.h"
#include "layout/plain/plain.h"

static void clear_member(stoa_plain_member *member)
{
    free(member->name);
    free(member->path);
}

void stoa_plain_clear(stoa_plain_members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        clear_member(&members->at[i]);
    }
    free(members->at);
    *members = (stoa_plain_members){.at = NULL};
}

static bool is_taken(const stoa_plain_members *members, const char *name)
{
    bool is = false;

    for (size_t i = 0; i < members->n && !is; i++) {
        is = strcmp(members->at[i].name, name) == 0;
    }
    return is;
}

/* Make a name UTF-8, as those of columns are. It gets a number if another column has it then. */
static void mend_name(const stoa_plain_members *members, char **name)
{
    char *mended = stoa_utf8_mended(*name);

    for (size_t n = 2; mended != NULL && is_taken(members, mended); n++) {
        char *const bare = stoa_utf8_mended(*name);
        free(mended);
        mended = bare != NULL ? stoa_format("%s_%zu", bare, n) : NULL;
        free(bare);
    }
    free(*name);
    *name = mended;
}

stoa_status stoa_plain_add(stoa_plain_members *members, const stoa_plain_member *member,
                           stoa_error *err)
{
    stoa_plain_member own = *member;

    if (own.name != NULL && !stoa_is_utf8(own.name)) {
        mend_name(members, &own.name);
    }
    stoa_plain_member *const grown =
        own.name != NULL && own.path != NULL
            ? stoa_one_more(members->at, members->n, sizeof *members->at)
            : NULL;

    if (grown == NULL) {
        clear_member(&own);
        return stoa_fail_memory(err);
    }
    members->at = grown;
    members->at[members->n++] = own;
    return STOA_OK;
}

/* --- candidates ------------------------------------------------------------------------------ */

/* A compound of a real and an imaginary part, which is one value. Other compounds are tables. */
static bool is_complex(hid_t dataset)
{
    static const char *const parts[][2] = {{"r", "i"}, {"real", "imag"}, {"re", "im"}};
    hid_t type = H5Dget_type(dataset);
    bool is = false;

    if (type >= 0 && H5Tget_nmembers(type) == 2) {
        char *const first = H5Tget_member_name(type, 0);
        char *const second = H5Tget_member_name(type, 1);
        for (size_t i = 0; first != NULL && second != NULL && i < 3 && !is; i++) {
            is = strcmp(first, parts[i][0]) == 0 && strcmp(second, parts[i][1]) == 0;
        }
        (void)H5free_memory(first);
        (void)H5free_memory(second);
    }
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return is;
}

stoa_status stoa_plain_add_dataset(stoa_plain_members *members, hid_t group, const char *path,
                                   const char *name, stoa_layout_claims *claims, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(group, path);
    stoa_plain_member member = {.open = stoa_plain_open_column};
    stoa_plain_shape shape;

    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET ||
        stoa_plain_shape_of(dataset, &shape, NULL) != STOA_OK) {
        (void)H5Eclear2(H5E_DEFAULT);
        goto done;
    }
    const bool is_scalar =
        shape.rank <= 0 || (shape.is_matlab && shape.at == 0 && shape.n_rows == 1);
    const bool is_table =
        shape.rank == 1 && stoa_class_of(dataset) == H5T_COMPOUND && !is_complex(dataset);
    bool is_claimed = false;
    if (is_scalar || is_table || stoa_plain_is_bare_dimension(dataset)) {
        goto done;
    }
    STOA_TRY(claims(dataset, &is_claimed, err));
    if (is_claimed) {
        goto done;
    }
    STOA_TRY(stoa_plain_scale_of(dataset, &member.has_scale, &member.scale, err));
    member.n_rows = shape.n_rows;
    member.n_bytes = H5Dget_storage_size(dataset);
    member.name = stoa_strdup(name);
    member.path = stoa_strdup(path);
    STOA_TRY(stoa_plain_add(members, &member, err));

done:
    return stoa_hdf_close(&dataset, status, NULL);
}

/* --- the table of several -------------------------------------------------------------------- */

static int by_rows(const void *a, const void *b)
{
    const stoa_plain_member *const x = a;
    const stoa_plain_member *const y = b;

    if (x->n_rows != y->n_rows) {
        return x->n_rows < y->n_rows ? -1 : 1;
    }
    if (x->has_scale != y->has_scale) {
        return x->has_scale ? 1 : -1; /* those without a scale first */
    }
    return x->has_scale ? memcmp(&x->scale, &y->scale, sizeof x->scale) : 0;
}

/* The more datasets have a number of rows, the better; of equally many, the greatest number. One
 * row and no rows are what all other lengths are better than. */
static bool is_better(size_t n, uint64_t n_rows, size_t best, uint64_t best_rows)
{
    const bool is_long = n_rows > 1;
    const bool best_is_long = best_rows > 1;

    return is_long != best_is_long ? is_long : n != best ? n > best : n_rows > best_rows;
}

/* The number of rows, and the scale, that most of the datasets share. False if no two share them.
 */
static bool find_common(const stoa_plain_member *sorted, size_t n, stoa_plain_member *common)
{
    size_t best = 0;
    size_t n_free = 0; /* with the same rows, and no scale */

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && by_rows(&sorted[i], &sorted[end]) == 0) {
            end++;
        }
        if (i == 0 || sorted[i - 1].n_rows != sorted[i].n_rows) {
            n_free = 0;
        }
        const size_t count = end - i + n_free;
        if (count > 1 && (best == 0 || is_better(count, sorted[i].n_rows, best, common->n_rows))) {
            best = count;
            *common = sorted[i];
        }
        n_free = sorted[i].has_scale ? n_free : end - i;
        i = end;
    }
    return best > 1;
}

static bool is_member(const stoa_plain_member *common, const stoa_plain_member *member)
{
    return member->n_rows == common->n_rows &&
           (!member->has_scale || (common->has_scale && memcmp(&member->scale, &common->scale,
                                                               sizeof common->scale) == 0));
}

stoa_status stoa_plain_keep_common(stoa_plain_members *members, stoa_error *err)
{
    stoa_plain_member *sorted = stoa_alloc(members->n + 1, sizeof *sorted);
    stoa_plain_member common = {.n_rows = 0};
    size_t n = 0;

    STOA_RETURN_NO_MEMORY(err, sorted);
    if (members->n > 0) {
        memcpy(sorted, members->at, members->n * sizeof *sorted);
        qsort(sorted, members->n, sizeof *sorted, by_rows);
    }
    const bool is_table = find_common(sorted, members->n, &common);
    for (size_t i = 0; i < members->n; i++) {
        if (is_table && is_member(&common, &members->at[i])) {
            members->at[n++] = members->at[i];
        } else {
            clear_member(&members->at[i]);
        }
    }
    members->n = n;
    members->n_rows = common.n_rows;
    free(sorted);
    return STOA_OK;
}

void stoa_plain_move(stoa_plain_members *members, const char *name, size_t *to)
{
    for (size_t i = *to; name != NULL && i < members->n; i++) {
        if (strcmp(members->at[i].name, name) == 0) {
            const stoa_plain_member member = members->at[i];
            memmove(&members->at[*to + 1], &members->at[*to], (i - *to) * sizeof member);
            members->at[(*to)++] = member;
            return;
        }
    }
}
