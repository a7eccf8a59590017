/* Arrow columns as rows of a compound datatype, packed without gaps: PyTables' and H5TB's tables.
 */
#ifndef STOA_LAYOUT_PACK_H
#define STOA_LAYOUT_PACK_H

#include "arrow/read.h"
#include "hdf/ids.h"
#include "layout/writer.h"

/* How values of a field become cells. */
typedef enum stoa_pack_how {
    STOA_PACK_BYTES,   /* as they are */
    STOA_PACK_FLOAT,   /* as they are, and NaN where they are missing */
    STOA_PACK_BOOL,    /* bit fields of one byte */
    STOA_PACK_TEXT,    /* fixed-length strings */
    STOA_PACK_SECONDS, /* time32: 32-bit seconds */
    STOA_PACK_SPLIT,   /* time64: seconds above, microseconds below (PyTables notes §4) */
    STOA_PACK_CODE,    /* an enumeration */
    STOA_PACK_LABEL,   /* what the dictionary says */
    STOA_PACK_ITEMS,   /* an array */
    STOA_PACK_FIELDS   /* a compound */
} stoa_pack_how;

typedef struct stoa_pack stoa_pack;
struct stoa_pack {
    stoa_pack_how how;
    stoa_type type;                  /* of the field */
    const struct ArrowSchema *field; /* borrowed, as the facts are */
    const stoa_facts *facts;
    hid_t stored;
    size_t size;      /* bytes a cell, */
    size_t offset;    /* that begin there in the row or compound it is a part of */
    size_t n;         /* ITEMS: of one cell, all dimensions */
    stoa_pack *parts; /* FIELDS: each; ITEMS, LABEL: the one of the values; else NULL */
    size_t n_parts;
    uint32_t *codes; /* CODE: of the labels of the batch under way */
    size_t n_codes;
};

/* What differs between layouts. */
typedef struct stoa_pack_rules {
    const char *layout;  /* for messages */
    bool has_times;      /* H5T_TIME is known there */
    size_t n_terminator; /* bytes behind the longest string of a column */
    hid_t target;        /* a compound whose members say how their columns are packed; else 0 */
} stoa_pack_rules;

/*
 * @param schema     a struct of the columns, borrowed longer than the pack
 * @param[out] pack  of rows; release it with stoa_pack_clear(), after a failure as well
 * @return STOA_ETYPE, STOA_ELOSS naming the column that cannot be such cells
 */
stoa_status stoa_pack_make(const struct ArrowSchema *schema, const stoa_facts *columns,
                           const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err);
void stoa_pack_clear(stoa_pack *pack);
/* Rows [first, first + n) of a batch, given as a view, into zeroed `out` of n * pack->size bytes.
 */
stoa_status stoa_pack_rows(stoa_pack *pack, const stoa_view *rows, int64_t first, int64_t n,
                           uint8_t *out, stoa_error *err);

/* Whether a field is a complex number: a struct {r, i} of one kind of floats. */
bool stoa_pack_is_complex(const stoa_pack *pack);

#endif
