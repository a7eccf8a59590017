#include "cli/inspect/ddl.h"
#include "cli/common/terminal.h"

#include <stdarg.h>
#include <string.h>

#include "hdf/ids.h"

enum { STEP = 2, MAX_DEPTH = 32 }; /* deeper nesting means damage */

void cli_ddl_indent(stoa_sink *sink, int indent)
{
    for (int i = 0; i < indent; i++) {
        stoa_sink_char(sink, ' ');
    }
}

static void print(stoa_sink *sink, const char *format, va_list values) STOA_PRINTF(2, 0);

static void print(stoa_sink *sink, const char *format, va_list values)
{
    char text[256];

    (void)vsnprintf(text, sizeof text, format, values);
    stoa_sink_text(sink, text);
}

void cli_ddl_print(stoa_sink *sink, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print(sink, format, values);
    va_end(values);
}

void cli_ddl_line(stoa_sink *sink, int indent, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    cli_ddl_indent(sink, indent);
    print(sink, format, values);
    stoa_sink_char(sink, '\n');
    va_end(values);
}

/* Begin a new line of a block. */
static void begin_line(stoa_sink *sink, int indent)
{
    stoa_sink_char(sink, '\n');
    cli_ddl_indent(sink, indent);
}

static void line(stoa_sink *sink, int indent, const char *format, ...) STOA_PRINTF(3, 4);

static void line(stoa_sink *sink, int indent, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    begin_line(sink, indent);
    print(sink, format, values);
    va_end(values);
}

/* --- datatypes ------------------------------------------------------------------------------- */

static void put_type(stoa_sink *sink, hid_t type, int indent, int depth);

/* "LE", "BE", or "" for any other byte order. */
static const char *order_of(hid_t type)
{
    const H5T_order_t order = H5Tget_order(type);

    return order == H5T_ORDER_BE                              ? "BE"
           : order == H5T_ORDER_LE || order == H5T_ORDER_NONE ? "LE"
                                                              : "";
}

static bool is_whole(hid_t type)
{
    const size_t size = H5Tget_size(type);

    return (size == 1 || size == 2 || size == 4 || size == 8) &&
           H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
}

static void put_number(stoa_sink *sink, hid_t type, H5T_class_t class)
{
    const size_t bits = 8 * H5Tget_size(type);

    if (!is_whole(type) || *order_of(type) == '\0' || (class == H5T_FLOAT && bits < 16)) {
        cli_ddl_print(sink, "%zu-bit %s, %zu bits of precision", bits,
                      class == H5T_FLOAT     ? "float"
                      : class == H5T_INTEGER ? "integer"
                                             : "bitfield",
                      H5Tget_precision(type));
    } else if (class == H5T_FLOAT) {
        cli_ddl_print(sink, "H5T_IEEE_F%zu%s", bits, order_of(type));
    } else {
        const char kind = class == H5T_BITFIELD               ? 'B'
                          : H5Tget_sign(type) == H5T_SGN_NONE ? 'U'
                                                              : 'I';
        cli_ddl_print(sink, "H5T_STD_%c%zu%s", kind, bits, order_of(type));
    }
}

static void put_string(stoa_sink *sink, hid_t type, int indent)
{
    static const char *const paddings[] = {"NULLTERM", "NULLPAD", "SPACEPAD"};
    const H5T_str_t padding = H5Tget_strpad(type);

    stoa_sink_text(sink, "H5T_STRING {");
    if (H5Tis_variable_str(type) > 0) {
        line(sink, indent + STEP, "STRSIZE H5T_VARIABLE;");
    } else {
        line(sink, indent + STEP, "STRSIZE %zu;", H5Tget_size(type));
    }
    line(sink, indent + STEP, "STRPAD H5T_STR_%s;",
         padding >= 0 && padding <= H5T_STR_SPACEPAD ? paddings[padding] : "ERROR");
    line(sink, indent + STEP, "CSET H5T_CSET_%s;",
         H5Tget_cset(type) == H5T_CSET_UTF8 ? "UTF8" : "ASCII");
    line(sink, indent + STEP, "CTYPE H5T_C_S1;");
    line(sink, indent, "}");
}

/* Write a name in double quotes, and free it in libhdf5. */
static void put_name(stoa_sink *sink, char *name)
{
    stoa_sink_char(sink, '"');
    cli_escaped(sink, name != NULL ? name : "", name != NULL ? strlen(name) : 0);
    stoa_sink_char(sink, '"');
    (void)H5free_memory(name);
}

static void put_inner(stoa_sink *sink, hid_t inner, int indent, int depth)
{
    put_type(sink, inner, indent, depth + 1);
    (void)stoa_hdf_close(&inner, STOA_OK, NULL);
}

static void put_compound(stoa_sink *sink, hid_t type, int indent, int depth)
{
    const int n = H5Tget_nmembers(type);

    stoa_sink_text(sink, "H5T_COMPOUND {");
    for (int i = 0; i < n; i++) {
        begin_line(sink, indent + STEP);
        put_inner(sink, H5Tget_member_type(type, (unsigned)i), indent + STEP, depth);
        stoa_sink_char(sink, ' ');
        put_name(sink, H5Tget_member_name(type, (unsigned)i));
        stoa_sink_char(sink, ';');
    }
    line(sink, indent, "}");
}

static void put_enum(stoa_sink *sink, hid_t type, int indent, int depth)
{
    const int n = H5Tget_nmembers(type);
    hid_t base = H5Tget_super(type);

    stoa_sink_text(sink, "H5T_ENUM {");
    begin_line(sink, indent + STEP);
    put_type(sink, base, indent + STEP, depth + 1);
    stoa_sink_char(sink, ';');
    for (int i = 0; i < n && H5Tget_size(type) <= sizeof(int64_t); i++) {
        int64_t value = 0;

        if (H5Tget_member_value(type, (unsigned)i, &value) < 0 ||
            H5Tconvert(base, H5T_NATIVE_INT64, 1, &value, NULL, H5P_DEFAULT) < 0) {
            continue;
        }
        begin_line(sink, indent + STEP);
        put_name(sink, H5Tget_member_name(type, (unsigned)i));
        cli_ddl_print(sink, " %lld;", (long long)value);
    }
    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    line(sink, indent, "}");
}

static void put_array(stoa_sink *sink, hid_t type, int indent, int depth)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Tget_array_dims2(type, dims);

    stoa_sink_text(sink, "H5T_ARRAY { ");
    for (int i = 0; i < rank; i++) {
        cli_ddl_print(sink, "[%llu]", (unsigned long long)dims[i]);
    }
    stoa_sink_char(sink, ' ');
    put_inner(sink, H5Tget_super(type), indent, depth);
    stoa_sink_text(sink, " }");
}

static void put_type(stoa_sink *sink, hid_t type, int indent, int depth)
{
    const H5T_class_t class = depth < MAX_DEPTH ? H5Tget_class(type) : H5T_NO_CLASS;

    switch (class) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
        put_number(sink, type, class);
        break;
    case H5T_STRING:
        put_string(sink, type, indent);
        break;
    case H5T_COMPOUND:
        put_compound(sink, type, indent, depth);
        break;
    case H5T_ENUM:
        put_enum(sink, type, indent, depth);
        break;
    case H5T_ARRAY:
        put_array(sink, type, indent, depth);
        break;
    case H5T_VLEN:
        stoa_sink_text(sink, "H5T_VLEN { ");
        put_inner(sink, H5Tget_super(type), indent, depth);
        stoa_sink_text(sink, " }");
        break;
    case H5T_OPAQUE:
        stoa_sink_text(sink, "H5T_OPAQUE { OPAQUE_TAG ");
        put_name(sink, H5Tget_tag(type));
        stoa_sink_text(sink, "; }");
        break;
    case H5T_REFERENCE:
        stoa_sink_text(sink, "H5T_REFERENCE");
        break;
    default:
        stoa_sink_text(sink, "unknown datatype");
    }
}

void cli_ddl_type(stoa_sink *sink, hid_t type, int indent)
{
    put_type(sink, type, indent, 0);
}

/* --- dataspaces and filters ------------------------------------------------------------------ */

static void put_extent(stoa_sink *sink, int rank, const hsize_t *extent)
{
    stoa_sink_text(sink, "(");
    for (int i = 0; i < rank; i++) {
        stoa_sink_text(sink, i > 0 ? ", " : " ");
        if (extent[i] == H5S_UNLIMITED) {
            stoa_sink_text(sink, "H5S_UNLIMITED");
        } else {
            cli_ddl_print(sink, "%llu", (unsigned long long)extent[i]);
        }
    }
    stoa_sink_text(sink, " )");
}

void cli_ddl_space(stoa_sink *sink, hid_t space)
{
    hsize_t extent[H5S_MAX_RANK];
    hsize_t most[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, extent, most);

    stoa_sink_text(sink, "SIMPLE { ");
    put_extent(sink, rank, extent);
    stoa_sink_text(sink, " / ");
    put_extent(sink, rank, most);
    stoa_sink_text(sink, " }");
}

static uint32_t value_of(const stoa_filter *filter, uint32_t i)
{
    return i < filter->n_values ? filter->values[i] : 0;
}

/* Options of szip that libhdf5 sets internally and does not name in its headers. */
enum { SZIP_LSB = 8, SZIP_MSB = 16, SZIP_RAW = 128 };

static void put_szip(stoa_sink *sink, const stoa_filter *filter, int indent)
{
    const uint32_t mask = value_of(filter, 0);

    stoa_sink_text(sink, "COMPRESSION SZIP {");
    line(sink, indent + STEP, "PIXELS_PER_BLOCK %u", (unsigned)value_of(filter, 1));
    if ((mask & (H5_SZIP_CHIP_OPTION_MASK | H5_SZIP_ALLOW_K13_OPTION_MASK)) != 0) {
        line(sink, indent + STEP, "MODE %s",
             (mask & H5_SZIP_CHIP_OPTION_MASK) != 0 ? "HARDWARE" : "K13");
    }
    if ((mask & (H5_SZIP_EC_OPTION_MASK | H5_SZIP_NN_OPTION_MASK)) != 0) {
        line(sink, indent + STEP, "CODING %s",
             (mask & H5_SZIP_EC_OPTION_MASK) != 0 ? "ENTROPY" : "NEAREST NEIGHBOUR");
    }
    if ((mask & (SZIP_LSB | SZIP_MSB)) != 0) {
        line(sink, indent + STEP, "BYTE_ORDER %s", (mask & SZIP_LSB) != 0 ? "LSB" : "MSB");
    }
    if ((mask & SZIP_RAW) != 0) {
        line(sink, indent + STEP, "HEADER RAW");
    }
    line(sink, indent, "}");
}

static void put_other(stoa_sink *sink, const stoa_filter *filter, int indent)
{
    stoa_sink_text(sink, "USER_DEFINED_FILTER {");
    line(sink, indent + STEP, "FILTER_ID %u", (unsigned)filter->id);
    if (filter->n_values > 0) {
        line(sink, indent + STEP, "PARAMS {");
        for (uint32_t i = 0; i < filter->n_values; i++) {
            cli_ddl_print(sink, " %u", (unsigned)filter->values[i]);
        }
        stoa_sink_text(sink, " }");
    }
    line(sink, indent, "}");
}

void cli_ddl_filter(stoa_sink *sink, const stoa_filter *filter, int indent)
{
    switch (filter->id) {
    case H5Z_FILTER_DEFLATE:
        cli_ddl_print(sink, "COMPRESSION DEFLATE { LEVEL %u }", (unsigned)value_of(filter, 0));
        break;
    case H5Z_FILTER_SHUFFLE:
        stoa_sink_text(sink, "PREPROCESSING SHUFFLE");
        break;
    case H5Z_FILTER_FLETCHER32:
        stoa_sink_text(sink, "CHECKSUM FLETCHER32");
        break;
    case H5Z_FILTER_NBIT:
        stoa_sink_text(sink, "COMPRESSION NBIT");
        break;
    case H5Z_FILTER_SCALEOFFSET:
        cli_ddl_print(sink, "COMPRESSION SCALEOFFSET { MIN BITS %u }",
                      (unsigned)value_of(filter, 1));
        break;
    case H5Z_FILTER_SZIP:
        put_szip(sink, filter, indent);
        break;
    default:
        put_other(sink, filter, indent);
    }
}
