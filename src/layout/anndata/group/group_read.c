/*
 * Reads CSR and CSC groups of AnnData (<stoa/matrix_group.h>). They go into sparse arrays line by
 * line, so that neither all pointers nor all entries are in memory. A "line" is a row of CSR, or a
 * column of CSC.
 *
 * The file is untrusted. Shape, lengths and types are checked first, and pointers and indices as
 * they are read. The datasets themselves are read by hdf/read/checked_reader.h.
 */
#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/sized_struct.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "layout/anndata/group/group.h"
#include "layout/anndata/tenx.h"
#include "layout/common/writer.h"
#include "sparse/array/array.h"
#include "sparse/store/numbers.h"

enum {
    MAX_ENTRIES = 1 << 21,
    MAX_LINES = 1 << 18,
    MAX_MEMORY = 2 << 20 /* of decoded chunks that are read in part */
};                       /* read at a time; for entries, rounded up to whole lines */

/* Limit on the bytes of elements per stored byte, beyond what compression reaches. Otherwise a
 * small file could take forever to read. */
#define MAX_BYTES_A_BYTE UINT64_C(100000)

/* --- attributes ------------------------------------------------------------------------------ */

static stoa_status take_shape(const char *name, const int64_t both[2], uint64_t shape[2],
                              stoa_error *err)
{
    if (both[0] < 0 || both[1] < 0) {
        return stoa_fail(err, STOA_EDATA, "'%s' is %lld x %lld", name, (long long)both[0],
                         (long long)both[1]);
    }
    shape[0] = (uint64_t)both[0];
    shape[1] = (uint64_t)both[1];
    return STOA_OK;
}

static stoa_status read_shape(hid_t group, const char *name, uint64_t *shape, stoa_error *err)
{
    hid_t attribute = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    int64_t both[2] = {-1, -1};
    stoa_status status = STOA_OK;

    if (!stoa_attribute_exists(group, name)) {
        STOA_FAIL(err, STOA_EDATA, "the attribute '%s' is missing", name);
    }
    STOA_HDF(err, attribute = H5Aopen(group, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attribute), "get the extent of '%s'", name);
    if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 2 ||
        !stoa_attribute_fits(attribute, type, 2)) {
        STOA_FAIL(err, STOA_EDATA, "'%s' is not two integers", name);
    }
    STOA_HDF(err, H5Aread(attribute, H5T_NATIVE_INT64, both), "read attribute '%s'", name);
    STOA_TRY(take_shape(name, both, shape, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

static stoa_status read_version(hid_t group, stoa_error *err)
{
    char *version = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_attribute_read_text(group, "encoding-version", &version, err));
    if (version != NULL && strcmp(version, "0.1.0") != 0) {
        STOA_FAIL(err, STOA_EVERSION, "version '%.20s' of a sparse matrix; known is 0.1.0",
                  version);
    }

done:
    free(version);
    return status;
}

bool stoa_anndata_is_tenx(hid_t group)
{
    return stoa_object_exists(group, "indptr") && stoa_object_exists(group, "indices") &&
           stoa_object_exists(group, "data") && stoa_object_exists(group, "shape") &&
           stoa_object_exists(group, "barcodes") && !stoa_attribute_exists(group, "shape");
}

/* Read `shape` of such a group. */
static stoa_status read_tenx_shape(hid_t group, uint64_t shape[2], stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(group, "shape");
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    int64_t both[2] = {-1, -1};
    hsize_t n = 0;

    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "'shape' is no dataset");
    }
    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of 'shape'");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the extent of 'shape'");
    if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &n, NULL) < 0 || n != 2) {
        STOA_FAIL(err, STOA_EDATA, "'shape' is not two integers");
    }
    STOA_TRY(stoa_chunks_read(dataset, false, H5T_NATIVE_INT64, &(hsize_t){0}, &(hsize_t){2},
                              H5P_DEFAULT, both, err));
    STOA_TRY(take_shape("shape", both, shape, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dataset, status, err);
}

/* Read the encoding, in the current form or in that from before AnnData 0.7. *format is NULL if
 * there is none. */
static stoa_status read_format(hid_t group, bool *is_legacy, char **format, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_attribute_read_text(group, "encoding-type", format, err));
    *is_legacy = *format == NULL;
    if (*is_legacy) {
        STOA_RETURN_NOT_OK(stoa_attribute_read_text(group, "h5sparse_format", format, err));
    }
    return STOA_OK;
}

static bool is_format(const char *format, bool is_legacy, const char *legacy, const char *name)
{
    return format != NULL && strcmp(format, is_legacy ? legacy : name) == 0;
}

static stoa_status read_encoding(stoa_anndata_group *g, stoa_error *err)
{
    bool is_legacy = false;
    char *format = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(read_format(g->group, &is_legacy, &format, err));
    if (format == NULL && stoa_anndata_is_tenx(g->group)) {
        STOA_TRY(read_tenx_shape(g->group, g->shape, err));
        g->n_lines = g->shape[1];
        goto done;
    }
    g->is_csr = is_format(format, is_legacy, "csr", "csr_matrix");
    if (!g->is_csr && !is_format(format, is_legacy, "csc", "csc_matrix")) {
        STOA_FAIL(err, STOA_ELAYOUT, "no group of AnnData's csr_matrix or csc_matrix");
    }
    if (!is_legacy) {
        STOA_TRY(read_version(g->group, err));
    }
    g->is_legacy = is_legacy;
    STOA_TRY(read_shape(g->group, is_legacy ? "h5sparse_shape" : "shape", g->shape, err));
    g->n_lines = g->shape[g->is_csr ? 0 : 1];

done:
    free(format);
    return status;
}

bool stoa_matrix_group_is_one(hid_t loc, const char *path)
{
    hid_t object = stoa_object_open(loc, path);
    bool is_legacy = false;
    char *format = NULL;

    if (object < 0) {
        return false;
    }
    const bool is = H5Iget_type(object) == H5I_GROUP &&
                    read_format(object, &is_legacy, &format, NULL) == STOA_OK &&
                    (is_format(format, is_legacy, "csr", "csr_matrix") ||
                     is_format(format, is_legacy, "csc", "csc_matrix") ||
                     (format == NULL && stoa_anndata_is_tenx(object)));
    free(format);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

/* --- the three datasets ---------------------------------------------------------------------- */

static stoa_status must_have_bytes(const stoa_anndata_group_part *p, const char *name,
                                   stoa_error *err)
{
    const uint64_t n_bytes = H5Dget_storage_size(p->dataset);
    const uint64_t size = H5Tget_size(p->type);

    if (p->n > MAX_ENTRIES && p->n / MAX_BYTES_A_BYTE > n_bytes / size) {
        return stoa_fail(err, STOA_EDATA, "'%s' has %llu elements in %llu bytes", name,
                         (unsigned long long)p->n, (unsigned long long)n_bytes);
    }
    return STOA_OK;
}

/* Find a dataset, and its element type in the file. */
static stoa_status find_part(hid_t group, const char *name, stoa_anndata_group_part *p,
                             stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    hsize_t n = 0;
    stoa_status status = STOA_OK;

    hid_t object = stoa_object_open(group, name);
    if (object < 0 || H5Iget_type(object) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "the dataset '%s' is missing", name);
    }
    p->dataset = object;
    object = H5I_INVALID_HID;
    STOA_HDF(err, p->type = H5Dget_type(p->dataset), "get the type of '%s'", name);
    STOA_HDF(err, space = H5Dget_space(p->dataset), "get the extent of '%s'", name);
    if (H5Sget_simple_extent_ndims(space) != 1) {
        STOA_FAIL(err, STOA_EDATA, "'%s' is not one-dimensional", name);
    }
    STOA_HDF(err, H5Sget_simple_extent_dims(space, &n, NULL), "get the extent of '%s'", name);
    p->n = n;
    STOA_TRY(must_have_bytes(p, name, err));

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&object, status, err);
}

/* Read integers as int64, or as int32 if that holds them all. */
static stoa_status read_as_integers(stoa_anndata_group_part *p, const char *name,
                                    bool may_be_narrow, unsigned *size, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (H5Tget_class(p->type) != H5T_INTEGER) {
        return stoa_fail(err, STOA_EDATA, "'%s' has no integers", name);
    }
    const size_t stored = H5Tget_size(p->type);
    const bool is_signed = H5Tget_sign(p->type) == H5T_SGN_2;
    const bool is_narrow = may_be_narrow && (stored < 4 || (stored == 4 && is_signed));
    STOA_RETURN_NOT_OK(stoa_hdf_close(&p->type, status, err));
    STOA_RETURN_HDF_ERROR(err, p->type = H5Tcopy(is_narrow ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64),
                          "copy a type");
    *size = is_narrow ? 4 : 8;
    return status;
}

/* Read values in a type of the caller's. */
static stoa_status read_as(stoa_anndata_group_part *p, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (type != STOA_FILE_NATIVE) {
        STOA_RETURN_NOT_OK(stoa_elements_must_convert(p->type, type, err));
    }
    const hid_t wanted =
        type != STOA_FILE_NATIVE ? H5Tcopy(type) : H5Tget_native_type(p->type, H5T_DIR_ASCEND);
    STOA_RETURN_HDF_ERROR(err, wanted, "look up the type of values");
    status = stoa_hdf_close(&p->type, status, err);
    p->type = wanted;
    return status;
}

/* `type` is that of values in memory. H5I_INVALID_HID: they stay as they are stored, and indices
 * are as narrow as they can be. */
static stoa_status open_parts(stoa_anndata_group *g, hid_t type, stoa_error *err)
{
    const bool is_stored = type == H5I_INVALID_HID;
    const bool is_narrow = is_stored && g->shape[0] <= INT32_MAX && g->shape[1] <= INT32_MAX;
    stoa_number_form form;
    unsigned unused = 0;

    STOA_RETURN_NOT_OK(find_part(g->group, "indptr", &g->pointers, err));
    STOA_RETURN_NOT_OK(find_part(g->group, "indices", &g->indices, err));
    STOA_RETURN_NOT_OK(find_part(g->group, "data", &g->values, err));
    if (g->n_lines > UINT64_MAX - 1 || g->pointers.n != g->n_lines + 1) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %llu elements, and there are %llu %s",
                         (unsigned long long)g->pointers.n, (unsigned long long)g->n_lines,
                         g->is_csr ? "rows" : "columns");
    }
    if (g->indices.n != g->values.n) {
        return stoa_fail(err, STOA_EDATA, "'indices' has %llu elements, 'data' %llu",
                         (unsigned long long)g->indices.n, (unsigned long long)g->values.n);
    }
    if (!stoa_type_is_plain(g->values.type)) {
        return stoa_fail(err, STOA_ETYPE, "the elements of 'data' are not their bytes alone");
    }
    STOA_RETURN_NOT_OK(stoa_read_context_open(&g->context, err));
    stoa_read_context_limit(g->context, MAX_MEMORY);
    if (!is_stored) {
        STOA_RETURN_NOT_OK(read_as(&g->values, type, err));
    }
    STOA_RETURN_NOT_OK(read_as_integers(&g->pointers, "indptr", false, &unused, err));
    STOA_RETURN_NOT_OK(read_as_integers(&g->indices, "indices", is_narrow, &g->index_size, err));
    STOA_RETURN_NOT_OK(stoa_checked_reader_open(&g->pointers.reader, g->pointers.dataset,
                                                g->pointers.type, g->context, err));
    STOA_RETURN_NOT_OK(stoa_checked_reader_open(&g->indices.reader, g->indices.dataset,
                                                g->indices.type, g->context, err));
    STOA_RETURN_NOT_OK(stoa_checked_reader_open(&g->values.reader, g->values.dataset,
                                                g->values.type, g->context, err));
    g->duplicates = stoa_number_form_of(g->values.type, &form, NULL) == STOA_OK ? STOA_MATRIX_SUM
                                                                                : STOA_MATRIX_LAST;
    return STOA_OK;
}

static stoa_status close_part(stoa_anndata_group_part *p, stoa_status status, stoa_error *err)
{
    stoa_checked_reader_close(&p->reader);
    status = stoa_hdf_close(&p->type, status, err);
    return stoa_hdf_close(&p->dataset, status, err);
}

stoa_status stoa_anndata_group_close(stoa_anndata_group *g, stoa_status status, stoa_error *err)
{
    status = close_part(&g->pointers, status, err);
    status = close_part(&g->indices, status, err);
    status = close_part(&g->values, status, err);
    stoa_read_context_close(g->context);
    return stoa_hdf_close(&g->group, status, err);
}

static stoa_status find_group(hid_t loc, const char *path, stoa_anndata_group *g, stoa_error *err)
{
    const stoa_anndata_group_part closed = {
        .dataset = H5I_INVALID_HID, .type = H5I_INVALID_HID, .reader = STOA_CHECKED_READER_INIT};

    *g = (stoa_anndata_group){.pointers = closed, .indices = closed, .values = closed};
    g->group = stoa_object_open(loc, path);
    if (g->group < 0) {
        STOA_RETURN_NOT_OK(stoa_object_not_found(loc, path, "no such object", NULL, err));
    }
    if (H5Iget_type(g->group) != H5I_GROUP) {
        return stoa_fail(err, STOA_ELAYOUT, "no group of AnnData's csr_matrix or csc_matrix");
    }
    return read_encoding(g, err);
}

stoa_status stoa_anndata_group_open(hid_t loc, const char *path, hid_t type, stoa_anndata_group *g,
                                    stoa_error *err)
{
    STOA_RETURN_NOT_OK(find_group(loc, path, g, err));
    return open_parts(g, type, err);
}

stoa_status stoa_matrix_group_describe(hid_t loc, const char *path, stoa_matrix_group_info *info,
                                       stoa_error *err)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    stoa_anndata_group g;
    stoa_matrix_group_info own = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(STOA_SIZED_CHECK(info, n_bytes, "STOA_MATRIX_GROUP_INFO_INIT", err));
    status = find_group(loc, path, &g, err);
    STOA_TRY(stoa_layout_error_at(loc, path, status, err));
    own.form = g.is_csr ? STOA_MATRIX_CSR : STOA_MATRIX_CSC;
    own.n_rows = g.shape[0];
    own.n_columns = g.shape[1];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hid_t dataset = stoa_object_open(g.group, names[i]);
        if (dataset >= 0 && H5Iget_type(dataset) == H5I_DATASET) {
            own.n_bytes += H5Dget_storage_size(dataset);
        }
        status = stoa_hdf_close(&dataset, status, err);
    }
    STOA_SIZED_GIVE(&own, info);

done:
    return stoa_anndata_group_close(&g, status, err);
}

/* --- entries --------------------------------------------------------------------------------- */

/* The line of each entry, in the type of the indices. */
static void *make_lines(const stoa_anndata_group *g, uint64_t first_line, const int64_t *pointers,
                        uint64_t n)
{
    const uint64_t n_entries = (uint64_t)(pointers[n] - pointers[0]);
    void *const lines = stoa_alloc((size_t)n_entries, g->index_size);
    size_t to = 0;

    for (uint64_t i = 0; lines != NULL && i < n; i++) {
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++, to++) {
            if (g->index_size == 4) {
                ((int32_t *)lines)[to] = (int32_t)(first_line + i);
            } else {
                ((int64_t *)lines)[to] = (int64_t)(first_line + i);
            }
        }
    }
    return lines;
}

stoa_status stoa_anndata_group_entries(stoa_anndata_group *g, uint64_t first, uint64_t n,
                                       void *indices, void *values, stoa_error *err)
{
    const stoa_status status =
        stoa_checked_reader_read(&g->indices.reader, first, n, NULL, NULL, indices, err);

    STOA_RETURN_NOT_OK(stoa_at(err, status, "indices"));
    return values == NULL ? STOA_OK
                          : stoa_at(err,
                                    stoa_checked_reader_read(&g->values.reader, first, n, NULL,
                                                             NULL, values, err),
                                    "data");
}

/* Write the entries of n lines, whose pointers are valid. */
static stoa_status write_lines(stoa_anndata_group *g, stoa_sparse *array, uint64_t first_line,
                               const int64_t *pointers, uint64_t n, stoa_error *err)
{
    const uint64_t first = (uint64_t)pointers[0];
    const uint64_t n_entries = (uint64_t)(pointers[n] - pointers[0]);
    stoa_matrix m = {.form = STOA_MATRIX_COO,
                     .index_size = g->index_size,
                     .n_rows = g->shape[0],
                     .n_columns = g->shape[1],
                     .n = n_entries};
    void *across = NULL;
    stoa_status status = STOA_OK;

    if (n_entries == 0) {
        return STOA_OK;
    }
    across = stoa_alloc((size_t)n_entries, g->index_size);
    void *const lines = make_lines(g, first_line, pointers, n);
    m.values = stoa_alloc((size_t)n_entries, H5Tget_size(g->values.type));
    m.rows = g->is_csr ? lines : across;
    m.columns = g->is_csr ? across : lines;
    STOA_TRY(across != NULL && lines != NULL && m.values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_anndata_group_entries(g, first, n_entries, across, m.values, err));
    status = stoa_matrix_write(array, &m, g->values.type, g->duplicates, err);
    if (status == STOA_ERANGE) { /* the file is at fault, not the caller */
        status = STOA_EDATA;
        if (err != NULL) {
            err->status = status;
        }
    }

done:
    stoa_matrix_clear(&m);
    return status;
}

/* Check the pointers of n lines, and the one after them. */
static stoa_status check_pointers(const stoa_anndata_group *g, uint64_t first_line,
                                  const int64_t *pointers, uint64_t n, int64_t from,
                                  stoa_error *err)
{
    if (pointers[0] != from) {
        return stoa_fail(err, STOA_EDATA, "'indptr' begins with %lld, not with %lld",
                         (long long)pointers[0], (long long)from);
    }
    for (uint64_t i = 1; i <= n; i++) {
        const uint64_t line = first_line + i;
        if (pointers[i] < pointers[i - 1] || (uint64_t)pointers[i] > g->values.n) {
            return stoa_fail(err, STOA_EDATA,
                             "'indptr' has %lld at %llu, behind %lld; there are %llu entries",
                             (long long)pointers[i], (unsigned long long)line,
                             (long long)pointers[i - 1], (unsigned long long)g->values.n);
        }
    }
    return STOA_OK;
}

static stoa_status write_some(stoa_anndata_group *g, stoa_sparse *array, uint64_t first_line,
                              const int64_t *pointers, uint64_t n, stoa_error *err)
{
    uint64_t begin = 0;

    for (uint64_t i = 1; i <= n; i++) {
        if (i == n || pointers[i + 1] - pointers[begin] > MAX_ENTRIES) {
            STOA_RETURN_NOT_OK(
                write_lines(g, array, first_line + begin, pointers + begin, i - begin, err));
            begin = i;
        }
    }
    return STOA_OK;
}

static stoa_status write_all(stoa_anndata_group *g, stoa_sparse *array,
                             const stoa_listener *listener, stoa_error *err)
{
    int64_t *const pointers = stoa_alloc(MAX_LINES + 1, sizeof *pointers);
    int64_t at = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t line = 0; line < g->n_lines; line += MAX_LINES) {
        const uint64_t rest = g->n_lines - line;
        const uint64_t n = rest < MAX_LINES ? rest : MAX_LINES;
        status =
            stoa_checked_reader_read(&g->pointers.reader, line, n + 1, NULL, NULL, pointers, err);
        STOA_TRY(stoa_at(err, status, "indptr"));
        STOA_TRY(check_pointers(g, line, pointers, n, at, err));
        STOA_TRY(write_some(g, array, line, pointers, n, err));
        at = pointers[n];
        const stoa_progress progress = {
            .stage = "reading", .rows = (uint64_t)at, .total_rows = g->values.n};
        STOA_TRY(stoa_report_progress(listener, &progress, err));
    }
    if ((uint64_t)at != g->values.n) {
        STOA_FAIL(err, STOA_EDATA, "'indptr' ends with %lld; there are %llu entries", (long long)at,
                  (unsigned long long)g->values.n);
    }

done:
    free(pointers);
    return status;
}

stoa_status stoa_matrix_group_import(hid_t group_loc, const char *group, hid_t loc,
                                     const char *path, const stoa_sparse_options *options,
                                     const stoa_sparse_access *access,
                                     const stoa_listener *listener, stoa_sparse **array,
                                     stoa_error *err)
{
    stoa_anndata_group g;
    stoa_sparse *made = NULL;
    stoa_status status = STOA_OK;

    *array = NULL;
    status = stoa_anndata_group_open(group_loc, group, H5I_INVALID_HID, &g, err);
    STOA_TRY(stoa_layout_error_at(group_loc, group, status, err));
    STOA_TRY(stoa_sparse_create(loc, path, g.values.type, 2, g.shape, options, access, &made, err));
    status = write_all(&g, made, listener, err);
    STOA_TRY(stoa_layout_error_at(group_loc, group, status, err));
    *array = made;
    made = NULL;

done:
    stoa_sparse_close(made); /* after a failure */
    return stoa_anndata_group_close(&g, status, err);
}

/* --- lines ----------------------------------------------------------------------------------- */

static stoa_status check_indices(const stoa_anndata_group *g, const int64_t *indices, uint64_t n,
                                 stoa_error *err)
{
    const uint64_t extent = g->shape[g->is_csr ? 1 : 0];

    for (uint64_t i = 0; i < n; i++) {
        if (indices[i] < 0 || (uint64_t)indices[i] >= extent) {
            return stoa_fail(err, STOA_EDATA, "'indices' has %lld; there are %llu %s",
                             (long long)indices[i], (unsigned long long)extent,
                             g->is_csr ? "columns" : "rows");
        }
    }
    return STOA_OK;
}

stoa_status stoa_anndata_group_pointers(stoa_anndata_group *g, uint64_t first, uint64_t count,
                                        int64_t *pointers, stoa_error *err)
{
    stoa_status status =
        stoa_checked_reader_read(&g->pointers.reader, first, count + 1, NULL, NULL, pointers, err);

    STOA_RETURN_NOT_OK(stoa_at(err, status, "indptr"));
    if (pointers[0] < 0 || (first == 0 && pointers[0] != 0)) {
        return stoa_fail(err, STOA_EDATA, "'indptr' has %lld at %llu", (long long)pointers[0],
                         (unsigned long long)first);
    }
    return check_pointers(g, first, pointers, count, pointers[0], err);
}

static stoa_status read_lines(stoa_anndata_group *g, uint64_t first, uint64_t count,
                              stoa_matrix *matrix, stoa_error *err)
{
    if (first > g->n_lines || count > g->n_lines - first) {
        return stoa_fail(err, STOA_ERANGE, "%llu %s from %llu on; there are %llu",
                         (unsigned long long)count, g->is_csr ? "rows" : "columns",
                         (unsigned long long)first, (unsigned long long)g->n_lines);
    }
    int64_t *const pointers = stoa_alloc((size_t)count + 1, sizeof *pointers);
    matrix->pointers = pointers;
    STOA_RETURN_NO_MEMORY(err, pointers);
    STOA_RETURN_NOT_OK(stoa_anndata_group_pointers(g, first, count, pointers, err));
    const uint64_t from = (uint64_t)pointers[0];
    matrix->n = (uint64_t)pointers[count] - from;
    for (uint64_t i = 0; i <= count; i++) {
        pointers[i] -= (int64_t)from;
    }
    int64_t *const indices = stoa_alloc((size_t)matrix->n, sizeof *indices);
    *(g->is_csr ? &matrix->columns : &matrix->rows) = indices;
    STOA_RETURN_NO_MEMORY(err, indices);
    matrix->values = stoa_alloc((size_t)matrix->n, H5Tget_size(g->values.type));
    STOA_RETURN_NO_MEMORY(err, matrix->values);
    if (matrix->n > 0) {
        STOA_RETURN_NOT_OK(
            stoa_anndata_group_entries(g, from, matrix->n, indices, matrix->values, err));
    }
    return check_indices(g, indices, matrix->n, err);
}

stoa_status stoa_matrix_group_read(hid_t loc, const char *path, uint64_t first, uint64_t count,
                                   hid_t type, stoa_matrix *matrix, stoa_error *err)
{
    stoa_anndata_group g;
    stoa_status status = stoa_anndata_group_open(loc, path, type, &g, err);

    *matrix = (stoa_matrix){.form = STOA_MATRIX_COO};
    STOA_TRY(stoa_layout_error_at(loc, path, status, err));
    *matrix = (stoa_matrix){.form = g.is_csr ? STOA_MATRIX_CSR : STOA_MATRIX_CSC,
                            .index_size = 8,
                            .n_rows = g.is_csr ? count : g.shape[0],
                            .n_columns = g.is_csr ? g.shape[1] : count};
    status = read_lines(&g, first, count, matrix, err);
    STOA_TRY(stoa_layout_error_at(loc, path, status, err));

done:
    status = stoa_anndata_group_close(&g, status, err);
    if (status != STOA_OK) {
        stoa_matrix_clear(matrix);
    }
    return status;
}
