/* stoa stat: storage statistics of a file's datasets, as in h5stat (sparse RFC §4.3). */
#include <string.h>

#include "cli/common/place.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/walk.h"
#include "sparse/format/filter.h"
#include "sparse/tools/storage.h"

enum {
    LAYOUT_COMPACT,
    LAYOUT_CONTIGUOUS,
    LAYOUT_CHUNKED,
    LAYOUT_SPARSE,
    LAYOUT_VL,
    LAYOUT_VIRTUAL,
    N_LAYOUTS
};
enum { FILTER_NONE, FILTER_OTHER = 7, N_FILTERS };

static const char *const layout_names[N_LAYOUTS] = {
    "COMPACT", "CONTIG", "CHUNKED", "STRUCTURED CHUNK SPARSE", "STRUCTURED CHUNK VL", "VIRTUAL"};
/* By filter number; entry 0 means no filter. */
static const char *const filter_names[N_FILTERS] = {"NO",   "GZIP", "SHUFFLE",     "FLETCHER32",
                                                    "SZIP", "NBIT", "SCALEOFFSET", "USER-DEFINED"};

typedef struct counts {
    cli_unopened unopened;
    uint64_t n;
    uint64_t layouts[N_LAYOUTS];
    uint64_t filters[N_FILTERS];
} counts;

/* One bit per filter. */
static unsigned bit_of(int64_t id)
{
    return 1u << (id > FILTER_NONE && id < FILTER_OTHER ? id : FILTER_OTHER);
}

/* A structured chunk has the filters of its sections; its own structured-chunk filter does not
 * count. */
static unsigned structured_filters(const stoa_sparse_format *format)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        for (size_t f = 0; f < format->sections[i].n; f++) {
            bits |= bit_of(format->sections[i].filters[f].id);
        }
    }
    return bits;
}

static unsigned plain_filters(hid_t dcpl)
{
    const int n = H5Pget_nfilters(dcpl);
    unsigned bits = 0;

    for (int i = 0; i < n; i++) {
        unsigned flags = 0;
        size_t n_values = 0;

        bits |= bit_of(H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL));
    }
    return bits;
}

static void count_list(counts *c, hid_t dcpl)
{
    stoa_error unused = STOA_ERROR_INIT;
    stoa_sparse_format format;
    const bool is_chunked = H5Pget_layout(dcpl) == H5D_CHUNKED;
    unsigned bits;

    if (is_chunked && stoa_sparse_format_of_list(dcpl, &format, &unused) == STOA_OK) {
        c->layouts[format.is_sparse ? LAYOUT_SPARSE : LAYOUT_VL]++;
        bits = structured_filters(&format);
    } else {
        const H5D_layout_t layout = H5Pget_layout(dcpl);

        c->layouts[layout == H5D_COMPACT      ? LAYOUT_COMPACT
                   : layout == H5D_CONTIGUOUS ? LAYOUT_CONTIGUOUS
                   : layout == H5D_CHUNKED    ? LAYOUT_CHUNKED
                                              : LAYOUT_VIRTUAL]++;
        bits = plain_filters(dcpl);
    }
    bits |= bits == 0; /* no filter */
    for (int i = 0; i < N_FILTERS; i++) {
        c->filters[i] += (bits >> i) & 1;
    }
}

static stoa_status count_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    counts *const c = context;
    hid_t dcpl = stoa_dataset_properties(dataset);

    (void)path;
    if (dcpl < 0) {
        return STOA_OK; /* damaged */
    }
    c->n++;
    count_list(c, dcpl);
    return stoa_hdf_close(&dcpl, STOA_OK, err);
}

static void print(const counts *c, const char *name)
{
    printf("Filename: %s\nDataset layout information:\n", name);
    for (int i = 0; i < N_LAYOUTS; i++) {
        if (i != LAYOUT_VL || c->layouts[i] > 0) {
            printf("  Dataset layout counts[%s]: %llu\n", layout_names[i],
                   (unsigned long long)c->layouts[i]);
        }
    }
    printf("Dataset filters information:\n  Number of datasets with:\n");
    for (int i = 0; i < N_FILTERS; i++) {
        printf("    %s filter: %llu\n", filter_names[i], (unsigned long long)c->filters[i]);
    }
    printf("Total number of datasets: %llu\n", (unsigned long long)c->n);
}

static stoa_status count(cli_args *args, stoa_error *err)
{
    cli_place *const place = cli_place_new(args);
    counts c = {0};
    hid_t start = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", "FILE, or FILE:GROUP to count below a group");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_parse(place, args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_READ, err));
    STOA_HDF(err,
             start = H5Gopen2(stoa_file_id(place->file),
                              place->place.path != NULL ? place->place.path : "/", H5P_DEFAULT),
             "open the group");
    c.unopened.file = place->place.file;
    STOA_TRY(stoa_datasets_visit_or_report(start, count_dataset, cli_tell_unopened, &c, err));
    print(&c, place->name);
    args->status = cli_unopened_status(&c.unopened);
done:
    return stoa_hdf_close(&start, status, err);
}

const cli_command cmd_stat = {"stat", "count datasets by layout and filters", "stoa stat run.h5",
                              count};
