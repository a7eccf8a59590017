/* Describes the storage of structured datasets in the form of h5dump and h5ls. */
#include "cli/inspect/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/terminal.h"
#include "cli/inspect/ddl.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"
#include "sparse/tools/storage.h"

/* Print a ratio: "2:1", "1.633:1". */
static void put_ratio(stoa_sink *sink, const stoa_section_bytes *bytes)
{
    char text[32];
    size_t n = (size_t)snprintf(text, sizeof text, "%.3f",
                                (double)bytes->n_original / (double)bytes->n_stored);

    while (n > 0 && text[n - 1] == '0') {
        n--;
    }
    n -= n > 0 && text[n - 1] == '.';
    cli_ddl_print(sink, " (%.*s:1 COMPRESSION)", (int)n, text);
}

static void put_layout(stoa_sink *sink, const stoa_sparse_storage *s, int indent)
{
    cli_ddl_line(sink, indent, "STORAGE_LAYOUT {");
    cli_ddl_indent(sink, indent + 2);
    stoa_sink_text(sink, s->format.is_sparse ? "SPARSE_CHUNK (" : "VL_CHUNK (");
    for (unsigned i = 0; i < s->shape.rank; i++) {
        cli_ddl_print(sink, "%s %llu", i > 0 ? "," : "", (unsigned long long)s->shape.chunk[i]);
    }
    stoa_sink_text(sink, " )\n");
    for (unsigned i = 0; i < stoa_sparse_n_sections(&s->format); i++) {
        const stoa_section_bytes *bytes = &s->sections[i];

        cli_ddl_indent(sink, indent + 2);
        cli_ddl_print(sink, "SECTION %u %s SIZE %llu", i, stoa_section_name(i),
                      (unsigned long long)bytes->n_stored);
        if (s->format.sections[i].n > 0 && bytes->n_stored > 0) {
            put_ratio(sink, bytes);
        }
        stoa_sink_char(sink, '\n');
    }
    cli_ddl_line(sink, indent, "}");
}

static void put_filters(stoa_sink *sink, const stoa_sparse_storage *s, int indent)
{
    for (unsigned i = 0; i < stoa_sparse_n_sections(&s->format); i++) {
        const stoa_section_filters *filters = &s->format.sections[i];

        cli_ddl_line(sink, indent, "FILTERS SECTION %u {", i);
        for (size_t f = 0; f < filters->n; f++) {
            cli_ddl_indent(sink, indent + 2);
            cli_ddl_filter(sink, &filters->filters[f], indent + 2);
            stoa_sink_char(sink, '\n');
        }
        if (filters->n == 0) {
            cli_ddl_line(sink, indent + 2, "NONE");
        }
        cli_ddl_line(sink, indent, "}");
    }
}

/* Print the fill value even if it is HDF5's default, because undefined elements read as it. */
static stoa_status put_fill_value(stoa_sink *sink, hid_t dcpl, hid_t type, stoa_error *err)
{
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    void *value = NULL;
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Pfill_value_defined(dcpl, &defined), "ask for the fill value");
    if (defined == H5D_FILL_VALUE_UNDEFINED) {
        stoa_sink_text(sink, "H5D_FILL_VALUE_UNDEFINED");
        goto done;
    }
    STOA_TRY(stoa_element_of(type, &element, err));
    const bool is_variable = stoa_element_is_variable(&element);
    if (element.is_reference || (is_variable && defined == H5D_FILL_VALUE_DEFAULT)) {
        stoa_sink_text(sink, "H5D_FILL_VALUE_DEFAULT");
        goto done;
    }
    value = stoa_alloc_zero(1, element.size);
    STOA_TRY(value != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Pget_fill_value(dcpl, element.mem_type, value), "read the fill value");
    status = (is_variable ? cli_sparse_value : cli_sparse_plain)(sink, &element, value, err);
    stoa_element_reclaim(&element, value, 1);

done:
    free(value);
    stoa_element_clear(&element);
    return status;
}

static stoa_status put_times(stoa_sink *sink, hid_t dcpl, hid_t type, int indent, stoa_error *err)
{
    static const char *const fill_times[] = {"ALLOC", "NEVER", "IFSET"};
    static const char *const alloc_times[] = {"EARLY", "LATE", "INCR"};
    H5D_fill_time_t fill_time = H5D_FILL_TIME_IFSET;
    H5D_alloc_time_t alloc_time = H5D_ALLOC_TIME_INCR;

    STOA_RETURN_HDF_ERROR(err, H5Pget_fill_time(dcpl, &fill_time),
                          "ask when fill values are written");
    STOA_RETURN_HDF_ERROR(err, H5Pget_alloc_time(dcpl, &alloc_time), "ask when chunks are made");
    cli_ddl_line(sink, indent, "FILLVALUE {");
    cli_ddl_line(sink, indent + 2, "FILL_TIME H5D_FILL_TIME_%s",
                 fill_time >= 0 && fill_time < 3 ? fill_times[fill_time] : "ERROR");
    cli_ddl_indent(sink, indent + 2);
    stoa_sink_text(sink, "VALUE ");
    STOA_RETURN_NOT_OK(put_fill_value(sink, dcpl, type, err));
    stoa_sink_char(sink, '\n');
    cli_ddl_line(sink, indent, "}");
    cli_ddl_line(sink, indent, "ALLOCATION_TIME {");
    cli_ddl_line(sink, indent + 2, "H5D_ALLOC_TIME_%s",
                 alloc_time >= H5D_ALLOC_TIME_EARLY && alloc_time <= H5D_ALLOC_TIME_INCR
                     ? alloc_times[alloc_time - H5D_ALLOC_TIME_EARLY]
                     : "ERROR");
    cli_ddl_line(sink, indent, "}");
    return STOA_OK;
}

stoa_status cli_sparse_head(stoa_sink *sink, hid_t type, hid_t space, const char *name, int indent)
{
    cli_ddl_indent(sink, indent);
    stoa_sink_text(sink, "DATASET \"");
    cli_escaped(sink, name, strlen(name));
    stoa_sink_text(sink, "\" {\n");
    cli_ddl_indent(sink, indent + 2);
    stoa_sink_text(sink, "DATATYPE  ");
    cli_ddl_type(sink, type, indent + 2);
    stoa_sink_char(sink, '\n');
    cli_ddl_indent(sink, indent + 2);
    stoa_sink_text(sink, "DATASPACE  ");
    cli_ddl_space(sink, space);
    stoa_sink_char(sink, '\n');
    return sink->status;
}

stoa_status cli_sparse_describe(stoa_sink *sink, hid_t dataset, const char *name, int indent,
                                stoa_error *err)
{
    stoa_sparse_storage storage;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_storage_of(dataset, &storage, err));
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "look up how a dataset was made");
    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    STOA_TRY(cli_sparse_head(sink, type, space, name, indent));
    put_layout(sink, &storage, indent + 2);
    put_filters(sink, &storage, indent + 2);
    STOA_TRY(put_times(sink, dcpl, type, indent + 2, err));
    cli_ddl_line(sink, indent, "}");
    status = sink->status;

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* --- h5ls ------------------------------------------------------------------------------------ */

/* Print a filter: "Filter-0: deflate-1 OPT {5}". */
static void put_filter_line(stoa_sink *sink, const stoa_section_filters *filters, size_t i)
{
    static const struct {
        uint32_t id;
        const char *name;
    } names[] = {{H5Z_FILTER_DEFLATE, "deflate"},
                 {H5Z_FILTER_SHUFFLE, "shuffle"},
                 {H5Z_FILTER_FLETCHER32, "fletcher32"},
                 {H5Z_FILTER_SZIP, "szip"},
                 {H5Z_FILTER_NBIT, "nbit"},
                 {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
                 {STOA_FILTER_BLOSC, "blosc"},
                 {STOA_FILTER_LZ4, "lz4"},
                 {STOA_FILTER_BITSHUFFLE, "bitshuffle"},
                 {STOA_FILTER_ZSTD, "zstd"}};
    const stoa_filter *filter = &filters->filters[i];
    const char *name = "filter";

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        name = names[n].id == filter->id ? names[n].name : name;
    }
    cli_ddl_print(sink, "  Filter-%zu: %s-%u %s{", i, name, (unsigned)filter->id,
                  ((filters->optional >> i) & 1) != 0 ? "OPT " : "");
    for (uint32_t v = 0; v < filter->n_values; v++) {
        cli_ddl_print(sink, "%s%u", v > 0 ? ", " : "", (unsigned)filter->values[v]);
    }
    stoa_sink_text(sink, "}\n");
}

static void put_section_lines(stoa_sink *sink, const stoa_sparse_storage *s, unsigned i)
{
    const stoa_section_bytes *bytes = &s->sections[i];

    cli_ddl_print(sink, "  Section %u %s\n", i, stoa_section_name(i));
    cli_ddl_print(sink, "  Storage: %llu logical bytes, %llu allocated bytes",
                  (unsigned long long)bytes->n_original, (unsigned long long)bytes->n_stored);
    if (bytes->n_stored > 0) {
        cli_ddl_print(sink, ", %.2f%% utilization",
                      100.0 * (double)bytes->n_original / (double)bytes->n_stored);
    }
    stoa_sink_char(sink, '\n');
    for (size_t f = 0; f < s->format.sections[i].n; f++) {
        put_filter_line(sink, &s->format.sections[i], f);
    }
}

/* The name that h5ls uses for native types; Stoa's name for others. */
static const char *type_name(hid_t type, const stoa_element *element)
{
    const struct {
        hid_t type;
        const char *name;
    } natives[] = {
        {H5T_NATIVE_SCHAR, "native signed char"}, {H5T_NATIVE_UCHAR, "native unsigned char"},
        {H5T_NATIVE_INT, "native int"},           {H5T_NATIVE_UINT, "native unsigned int"},
        {H5T_NATIVE_SHORT, "native short"},       {H5T_NATIVE_USHORT, "native unsigned short"},
        {H5T_NATIVE_LONG, "native long"},         {H5T_NATIVE_ULONG, "native unsigned long"},
        {H5T_NATIVE_FLOAT, "native float"},       {H5T_NATIVE_DOUBLE, "native double"}};

    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        if (H5Tequal(type, natives[i].type) > 0) {
            return natives[i].name;
        }
    }
    return element->text;
}

stoa_status cli_sparse_sections(stoa_sink *sink, hid_t dataset, stoa_error *err)
{
    stoa_sparse_storage s;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t type = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_storage_of(dataset, &s, err));
    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_TRY(stoa_element_of(type, &element, err));
    stoa_sink_text(sink, s.format.is_sparse ? "  Sparse Chunks: {" : "  Variable-length Chunks: {");
    for (unsigned i = 0; i < s.shape.rank; i++) {
        cli_ddl_print(sink, "%s%llu", i > 0 ? ", " : "", (unsigned long long)s.shape.chunk[i]);
    }
    cli_ddl_print(sink, "} %llu bytes\n",
                  (unsigned long long)(s.shape.n_elements * s.format.element_size));
    for (unsigned i = 0; i < stoa_sparse_n_sections(&s.format); i++) {
        put_section_lines(sink, &s, i);
    }
    cli_ddl_print(sink, "  Type: %s\n", type_name(type, &element));
    status = sink->status;

done:
    stoa_element_clear(&element);
    return stoa_hdf_close(&type, status, err);
}
