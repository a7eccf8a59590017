/* Matrices of 10x Genomics as AnnData, as scanpy.read_10x_h5() has them: a row for each barcode. */
#include "layout/anndata/tenx.h"

#include <string.h>

#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "table/open/foreign.h"

/* A dataset that is a column: of Cell Ranger 3 and later in `features`, of 1 and 2 in the group. */
typedef struct member {
    const char *path;
    const char *column;
    const char *unless; /* this is there, too */
    const char *with;   /* only if this is there, too */
} member;

static const member of_barcodes[] = {{.path = "barcodes", .column = "_index"}, {.path = NULL}};
static const member of_features[] = {
    {.path = "features/name", .column = "_index"},
    {.path = "gene_names", .column = "_index"},
    {.path = "features/gene_id", .column = "gene_ids"},
    {.path = "features/id", .column = "gene_ids", .unless = "features/gene_id"},
    {.path = "genes", .column = "gene_ids"},
    {.path = "features/id", .column = "probe_ids", .with = "features/gene_id"},
    {.path = "features/feature_type", .column = "feature_types"},
    {.path = "features/genome", .column = "genome"},
    {.path = "features/pattern", .column = "pattern"},
    {.path = "features/read", .column = "read"},
    {.path = "features/sequence", .column = "sequence"},
    {.path = "features/filtered_probes", .column = "filtered_probes"},
    {.path = "features/probe_region", .column = "probe_region"},
    {.path = NULL}};

static bool has(hid_t group, const char *path)
{
    hid_t object = stoa_object_open(group, path);
    const bool is_dataset = object >= 0 && H5Iget_type(object) == H5I_DATASET;

    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is_dataset;
}

static bool is_wanted(hid_t group, const member *m)
{
    return has(group, m->path) && (m->unless == NULL || !has(group, m->unless)) &&
           (m->with == NULL || has(group, m->with));
}

static stoa_status add_column(stoa_table *table, hid_t group, const member *m, stoa_error *err)
{
    stoa_column *column = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_anndata_values(group, m->path, m->column, &column, err));
    if (column->n_rows != table->n_rows) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has %llu rows, and the matrix %llu", m->path,
                  (unsigned long long)column->n_rows, (unsigned long long)table->n_rows);
    }
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

stoa_status stoa_anndata_tenx_names(hid_t group, bool are_barcodes, uint64_t n, stoa_table **table,
                                    stoa_error *err)
{
    const member *const members = are_barcodes ? of_barcodes : of_features;
    stoa_status status = STOA_OK;
    stoa_table *own = NULL;
    hid_t held = H5I_INVALID_HID;

    *table = NULL;
    STOA_HDF(err, held = stoa_open_here(group, "."), "open it");
    STOA_TRY(stoa_foreign_begin(held, ".", "", "anndata", n, &own, err));
    for (const member *m = members; m->path != NULL; m++) {
        if (is_wanted(group, m)) {
            STOA_TRY(add_column(own, group, m, err));
        }
    }
    if (stoa_table_n_columns(own) == 0 || strcmp(stoa_table_column_name(own, 0), "_index") != 0) {
        STOA_FAIL(err, STOA_EDATA, "the matrix has no names of its %s",
                  are_barcodes ? "barcodes" : "features");
    }
    *table = own;
    own = NULL;

done:
    stoa_table_close(own);
    return status;
}
