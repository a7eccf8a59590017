/* The descriptor of a matrix or vector: the JSON attribute of binsparse 0.1. */
#ifndef STOA_LAYOUT_BINSPARSE_H
#define STOA_LAYOUT_BINSPARSE_H

#include "layout/common/entries.h"
#include "layout/common/writer.h"

#define STOA_BINSPARSE                                                                             \
    "binsparse" /* name of the layout, the attribute, and the JSON object in it */
#define STOA_BINSPARSE_RULE "binsparse 0.1"

/* A predefined format: the datasets that it has beside "values". */
typedef struct stoa_binsparse_format {
    const char *name;
    const char *kind; /* in listings; NULL: a dense format, which is no matter of this layout */
    unsigned rank;
    unsigned line_axis;
    const char *pointers; /* as in stoa_entries; NULL if it has none */
    const char *lines;
    const char *indices;
} stoa_binsparse_format;

typedef struct stoa_binsparse_descriptor {
    const stoa_binsparse_format *format; /* NULL: not known */
    unsigned rank;
    uint64_t shape[2];
    uint64_t n_stored;
    bool is_iso;     /* `values` has one for all entries */
    bool is_complex; /* it has pairs of numbers */
    bool is_bool;    /* it has integers that are booleans */
    bool has_fill;   /* `fill_value` has the elements that are not stored */
    stoa_entries_mirror mirror;
    bool is_upper;
} stoa_binsparse_descriptor;

/*
 * Read the descriptor of a group. Parts of it are set after a failure, too: the format, if it is
 * known.
 *
 * @return STOA_EDATA if the attribute is no such descriptor, or contradicts itself; STOA_EVERSION
 *         for another major version
 */
stoa_status stoa_binsparse_describe(hid_t group, stoa_binsparse_descriptor *d, stoa_error *err);

/* Say in an error about the file which rule it breaks. Returns the status. */
stoa_status stoa_binsparse_name_rule(stoa_status status, stoa_error *err);

/* See stoa_layout.open_entries. */
stoa_status stoa_binsparse_open_entries(hid_t object, const char *path, const char *file,
                                        const char *text, stoa_array_box *box, stoa_table **table,
                                        stoa_error *err);
/* See stoa_layout_writer.write. The columns are those of entries. The matrix is in memory
 * meanwhile. */
stoa_status stoa_binsparse_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                 stoa_error *err);

#endif
