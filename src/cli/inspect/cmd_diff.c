/* stoa diff: whether datasets have the same values, in any storage (sparse RFC §4.5). */
#include <stdlib.h>
#include <string.h>

#include <stoa/sparse.h>

#include "cli/common/place.h"
#include "core/memory.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/types.h"
#include "hdf/metadata/walk.h"
#include "hdf/read/checked_reader.h"
#include "sparse/format/filter.h"
#include "sparse/store/connector_op.h"
#include "sparse/tools/storage.h"
#include "sparse/tools/stored_extent.h"

enum { SLAB_BYTES = 16 << 20 };

typedef struct comparison {
    cli_unopened unopened;
    cli_place *a;
    cli_place *b;
    bool defined; /* also compare which elements are defined */
    bool is_back; /* the walk through b, for objects that a lacks */
    uint64_t n_differences;
} comparison;

/* Two datasets of the same extent, read in boxes. */
typedef struct pair {
    hid_t datasets[2];
    stoa_checked_reader reader[2]; /* readers of the datasets */
    hid_t spaces[2];
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    stoa_element element;   /* element type that both are read as */
    stoa_sparse *arrays[2]; /* set for elements of variable length that H5Dread() may not find; else
                               NULL */
    uint64_t n_different;
    hsize_t first[H5S_MAX_RANK]; /* coordinates of the first one */
} pair;

static void tell(const char *path, uint64_t n, const char *what, int rank, const hsize_t *first)
{
    printf("%s: %llu %s %s", path, (unsigned long long)n, cli_plural(n, "element", "elements"),
           what);
    for (int i = 0; i < rank; i++) {
        printf("%s%llu", i == 0 ? ", the first at (" : ",", (unsigned long long)first[i]);
    }
    printf("%s\n", rank > 0 ? ")" : "");
}

static int order_of(int rank, const uint64_t *a, const uint64_t *b)
{
    for (int i = 0; i < rank; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Record that element `i` of the box at `start` differs. Boxes come in the order of chunks. */
static void note(pair *p, const hsize_t *start, const hsize_t *count, uint64_t i)
{
    hsize_t at[H5S_MAX_RANK];

    for (int d = p->rank; d-- > 0;) {
        at[d] = start[d] + i % count[d];
        i /= count[d];
    }
    if (p->n_different++ == 0 || order_of(p->rank, at, p->first) < 0) {
        memcpy(p->first, at, (size_t)p->rank * sizeof *at);
    }
}

static stoa_status compare_box(pair *p, const hsize_t *start, const hsize_t *count, stoa_error *err)
{
    uint8_t *values[2] = {NULL, NULL};
    uint64_t n = 1;
    stoa_status status = STOA_OK;

    for (int d = 0; d < p->rank; d++) {
        n *= count[d];
    }
    for (int i = 0; i < 2; i++) {
        values[i] = stoa_alloc_zero(n, p->element.size);
        STOA_TRY(values[i] != NULL ? STOA_OK : stoa_fail_memory(err));
        if (p->arrays[i] != NULL) {
            STOA_TRY(stoa_sparse_read_dense(p->arrays[i], start, count, p->element.mem_type,
                                            values[i], NULL, err));
            continue;
        }
        STOA_TRY(stoa_checked_reader_read_any(&p->reader[i], p->element.mem_type, start, count,
                                              H5P_DEFAULT, values[i], err));
    }
    for (uint64_t i = 0; i < n; i++) {
        const size_t at = (size_t)i * p->element.size;

        if (!stoa_element_equal(&p->element, values[0] + at, values[1] + at)) {
            note(p, start, count, i);
        }
    }

done:
    for (int i = 0; i < 2; i++) {
        if (values[i] != NULL) {
            stoa_element_reclaim(&p->element, values[i], n);
        }
        free(values[i]);
    }
    return status;
}

/* Compare a box in pieces that fit in memory. */
static stoa_status compare_in_pieces(pair *p, const hsize_t *start, const hsize_t *count,
                                     stoa_error *err)
{
    hsize_t at[H5S_MAX_RANK] = {0};
    hsize_t step[H5S_MAX_RANK] = {0};
    hsize_t from[H5S_MAX_RANK] = {0};
    hsize_t some[H5S_MAX_RANK] = {0};
    hsize_t budget = SLAB_BYTES / p->element.size + 1;
    int d = 0;

    for (int i = p->rank; i-- > 0;) {
        step[i] = count[i] < budget ? count[i] : budget;
        budget = budget / step[i] > 0 ? budget / step[i] : 1;
    }
    while (d >= 0) {
        for (int i = 0; i < p->rank; i++) {
            from[i] = start[i] + at[i];
            some[i] = count[i] - at[i] < step[i] ? count[i] - at[i] : step[i];
        }
        STOA_RETURN_NOT_OK(compare_box(p, from, some, err));
        for (d = p->rank - 1; d >= 0 && (at[d] += step[d]) >= count[d]; d--) {
            at[d] = 0;
        }
    }
    return STOA_OK;
}

/* Compare the elements that neither dataset stores: one element represents all. */
static stoa_status compare_fills(pair *p, const stoa_stored_extent *stored, stoa_error *err)
{
    const uint64_t before = p->n_different;
    hsize_t at[H5S_MAX_RANK];
    hsize_t one[H5S_MAX_RANK];

    stoa_stored_extent_elsewhere(stored, at);
    for (int i = 0; i < p->rank; i++) {
        one[i] = 1;
    }
    STOA_RETURN_NOT_OK(compare_box(p, at, one, err));
    if (p->n_different > before) {
        p->n_different = before + stored->n_elsewhere;
    }
    return STOA_OK;
}

static stoa_status compare_values(pair *p, stoa_error *err)
{
    stoa_stored_extent stored = {.rank = 0};
    hsize_t start[H5S_MAX_RANK] = {0};
    hsize_t count[H5S_MAX_RANK] = {0};
    stoa_status status = STOA_OK;

    if (p->rank == 0) {
        STOA_TRY(compare_box(p, start, count, err));
        goto done;
    }
    STOA_TRY(stoa_stored_extent_find(p->datasets, 2, &stored, err));
    for (size_t i = 0; i < stoa_stored_extent_n(&stored); i++) {
        stoa_stored_extent_cell(&stored, i, start, count);
        STOA_TRY(compare_in_pieces(p, start, count, err));
    }
    if (stored.n_elsewhere > 0) {
        STOA_TRY(compare_fills(p, &stored, err));
    }

done:
    stoa_stored_extent_clear(&stored);
    return status;
}

/* --- defined elements ------------------------------------------------------------------------ */

static void compare_points(int rank, const stoa_sparse_points *a, const stoa_sparse_points *b,
                           uint64_t *n, hsize_t *first)
{
    const size_t step = (size_t)rank;

    for (uint64_t i = 0, j = 0; i < a->n || j < b->n;) {
        const uint64_t *const x = a->coordinates + i * step;
        const uint64_t *const y = b->coordinates + j * step;
        const int order = i == a->n ? 1 : j == b->n ? -1 : order_of(rank, x, y);

        if (order != 0 && (*n)++ == 0) {
            for (int d = 0; d < rank; d++) {
                first[d] = order < 0 ? x[d] : y[d];
            }
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static stoa_status compare_defined(const pair *p, const char *path, uint64_t *n, stoa_error *err)
{
    const bool is_sparse[] = {stoa_is_structured(p->datasets[0]),
                              stoa_is_structured(p->datasets[1])};
    stoa_sparse_points points[2] = {{0}, {0}};
    hsize_t first[H5S_MAX_RANK] = {0};
    stoa_status status = STOA_OK;

    *n = 0;
    for (int i = 0; i < 2 && (is_sparse[0] || is_sparse[1]); i++) {
        stoa_sparse *array = NULL;

        if (is_sparse[i]) {
            STOA_TRY(stoa_sparse_open_dataset(p->datasets[i], NULL, &array, err));
            status = stoa_sparse_defined(array, NULL, NULL, &points[i], err);
            stoa_sparse_close(array);
            STOA_TRY(status);
        }
    }
    if (is_sparse[0] && is_sparse[1]) {
        compare_points(p->rank, &points[0], &points[1], n, first);
    } else if (is_sparse[0] || is_sparse[1]) { /* in a dense dataset, all elements are defined */
        *n = (uint64_t)H5Sget_simple_extent_npoints(p->spaces[0]) - points[0].n - points[1].n;
    }
    if (*n > 0) {
        tell(path, *n, *n == 1 ? "is defined in one only" : "are defined in one only",
             is_sparse[0] && is_sparse[1] ? p->rank : 0, first);
    }

done:
    stoa_sparse_points_clear(&points[0]);
    stoa_sparse_points_clear(&points[1]);
    return status;
}

/* --- datasets -------------------------------------------------------------------------------- */

/* Open as sparse arrays the datasets that may have strings or sequences in section 2, and those
 * whose chunks the connector hides. */
static void open_arrays(pair *p)
{
    for (int i = 0; i < 2; i++) {
        stoa_connected connected;
        if (stoa_is_structured(p->datasets[i]) &&
            (stoa_element_is_variable(&p->element) ||
             stoa_connected_dataset(p->datasets[i], &connected, NULL) == STOA_OK)) {
            stoa_error unused = STOA_ERROR_INIT;
            if (stoa_sparse_open_dataset(p->datasets[i], NULL, &p->arrays[i], &unused) != STOA_OK) {
                p->arrays[i] = NULL; /* libhdf5 reads those that cannot be opened */
            }
        }
    }
}

/* Compare all values as elements of the type of `of`. Called with both datasets, because one type
 * may hide differences that the other shows. */
static stoa_status compare_as(pair *p, hid_t of, stoa_error *err)
{
    hid_t type = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, type = H5Dget_type(of), "look up the type of elements");
    /* A region reference from before HDF5 1.12 is a position in a heap. As H5T_STD_REF it compares
     * by what it selects. */
    const bool is_region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    STOA_TRY(stoa_element_of(is_region ? H5T_STD_REF : type, &p->element, err));
    open_arrays(p);
    if (H5Sget_simple_extent_type(p->spaces[0]) != H5S_NULL) {
        for (int i = 0; i < 2; i++) {
            if (p->arrays[i] == NULL) {
                STOA_TRY(stoa_checked_reader_open(&p->reader[i], p->datasets[i], H5I_INVALID_HID,
                                                  NULL, err));
            }
        }
        STOA_TRY(compare_values(p, err));
    }

done:
    for (int i = 0; i < 2; i++) {
        stoa_checked_reader_close(&p->reader[i]);
        stoa_sparse_close(p->arrays[i]);
        p->arrays[i] = NULL;
    }
    stoa_element_clear(&p->element);
    p->element = (stoa_element){.mem_type = H5I_INVALID_HID};
    return stoa_hdf_close(&type, status, err);
}

static stoa_status compare_pair(comparison *c, pair *p, const char *path, stoa_error *err)
{
    uint64_t n = 0;

    for (int i = 0; i < 2; i++) {
        STOA_RETURN_NOT_OK(stoa_dataset_may_be_read(p->datasets[i], err));
    }
    STOA_RETURN_HDF_ERROR(err, p->spaces[0] = H5Dget_space(p->datasets[0]), "look up the extent");
    STOA_RETURN_HDF_ERROR(err, p->spaces[1] = H5Dget_space(p->datasets[1]), "look up the extent");
    if (H5Sextent_equal(p->spaces[0], p->spaces[1]) <= 0) {
        hsize_t other[H5S_MAX_RANK];

        p->rank = H5Sget_simple_extent_dims(p->spaces[0], p->extent, NULL);
        if (H5Sget_simple_extent_type(p->spaces[0]) != H5Sget_simple_extent_type(p->spaces[1]) ||
            H5Sget_simple_extent_dims(p->spaces[1], other, NULL) != p->rank ||
            memcmp(other, p->extent, (size_t)p->rank * sizeof *other) != 0) {
            printf("%s: the extents differ\n", path);
            c->n_differences++;
            return STOA_OK;
        }
    }
    p->rank = H5Sget_simple_extent_dims(p->spaces[0], p->extent, NULL);
    for (int i = 0; i < 2 && p->n_different == 0; i++) {
        STOA_RETURN_NOT_OK(compare_as(p, p->datasets[i], err));
    }
    if (p->n_different > 0) {
        tell(path, p->n_different, p->n_different == 1 ? "differs" : "differ", p->rank, p->first);
    }
    if (c->defined) {
        STOA_RETURN_NOT_OK(compare_defined(p, path, &n, err));
    }
    c->n_differences += p->n_different + n;
    return STOA_OK;
}

static stoa_status compare(comparison *c, hid_t first, hid_t second, const char *path,
                           stoa_error *err)
{
    pair p = {.datasets = {first, second},
              .reader = {STOA_CHECKED_READER_INIT, STOA_CHECKED_READER_INIT},
              .spaces = {H5I_INVALID_HID, H5I_INVALID_HID},
              .element = {.mem_type = H5I_INVALID_HID}};
    stoa_status status = compare_pair(c, &p, path, err);

    status = stoa_hdf_close(&p.spaces[1], status, err);
    status = stoa_hdf_close(&p.spaces[0], status, err);
    return stoa_at(err, status, "%s", path);
}

/* Open the dataset at a path; H5I_INVALID_HID if there is none. */
static hid_t find(const cli_place *place, const char *path)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t dataset = H5Dopen2(stoa_file_id(place->file), path, H5P_DEFAULT);

    stoa_error_stack_discard(&errors);
    return dataset;
}

static stoa_status visit(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    comparison *const c = context;
    hid_t other = find(c->is_back ? c->a : c->b, path);
    stoa_status status = STOA_OK;

    if (other < 0) {
        printf("%s: only in %s\n", path, c->is_back ? c->b->place.file : c->a->place.file);
        c->n_differences++;
        other = H5I_INVALID_HID;
    } else if (!c->is_back) {
        status = compare(c, dataset, other, path, err);
    }
    return stoa_hdf_close(&other, status, err);
}

static stoa_status compare_places(comparison *c, stoa_error *err)
{
    const char *const path = c->a->place.path;
    const char *const to = c->b->place.path != NULL ? c->b->place.path : path;
    hid_t first = H5I_INVALID_HID;
    hid_t second = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_filter_register(err));
    if (path == NULL) {
        c->unopened.file = c->a->place.file;
        STOA_TRY(stoa_datasets_visit_or_report(stoa_file_id(c->a->file), visit, cli_tell_unopened,
                                               c, err));
        c->is_back = true;
        c->unopened.file = c->b->place.file;
        STOA_TRY(stoa_datasets_visit_or_report(stoa_file_id(c->b->file), visit, cli_tell_unopened,
                                               c, err));
        goto done;
    }
    first = find(c->a, path);
    second = find(c->b, to);
    if (first < 0 || second < 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "there is no dataset %s in %s", first < 0 ? path : to,
                  first < 0 ? c->a->place.file : c->b->place.file);
    }
    STOA_TRY(compare(c, first, second, path, err));

done:
    status = stoa_hdf_close(&second, status, err);
    return stoa_hdf_close(&first, status, err);
}

static stoa_status diff(cli_args *args, stoa_error *err)
{
    const char *other = NULL;
    comparison c = {.a = cli_place_new(args), .b = cli_place_new(args)};

    cli_flag(args, &c.defined, "--defined", "compare which elements are defined, too");
    cli_follow_option(args, &c.a->follows);
    cli_operand(args, &args->subject, "A", "FILE:PATH, a dataset; or FILE, every dataset in it");
    cli_operand(args, &other, "B", "what it is compared with; the path of A where it is left out");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    c.b->follows = c.a->follows;
    STOA_RETURN_NOT_OK(cli_place_parse(c.a, args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_parse(c.b, other, err));
    if (c.a->place.path == NULL && c.b->place.path != NULL) {
        return cli_misused(args, "a file cannot be compared with a dataset; give A a path, too");
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(c.a, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(c.b, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(compare_places(&c, err));
    args->status = c.n_differences > 0 ? CLI_NO : cli_unopened_status(&c.unopened);
    return STOA_OK;
}

const cli_command cmd_diff = {"diff", "compare the values of datasets, however they are stored",
                              "stoa diff --defined a.h5:/hits b.h5", diff};
