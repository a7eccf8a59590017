/* Arrow columns as rows of a packed compound datatype, without gaps: the tables of PyTables and
 * H5TB. */
#ifndef STOA_LAYOUT_PACK_H
#define STOA_LAYOUT_PACK_H

#include "arrow/read.h"
#include "hdf/ids.h"
#include "layout/common/writer.h"

/* Metadata of a field, for cells as they were: the bytes of its strings, "30"; the stored kind of
 * integers and the code of each label of an enumeration, "uint8\n4=red\n2=green\n". */
#define STOA_PACK_WIDTH "cell.width"
#define STOA_PACK_CODES "cell.codes"
/* The width that a field asks for; 0 if none. */
size_t stoa_pack_width_of(const struct ArrowSchema *field);

/* How values of a field become cells. */
typedef enum stoa_pack_how {
    STOA_PACK_BYTES,   /* as they are */
    STOA_PACK_FLOAT,   /* as they are; NaN if missing */
    STOA_PACK_BOOL,    /* one-byte bit fields */
    STOA_PACK_TEXT,    /* fixed-length strings */
    STOA_PACK_SECONDS, /* time32: 32-bit seconds */
    STOA_PACK_SPLIT,   /* time64: seconds in the high half, microseconds in the low half (PyTables
                          notes §4) */
    STOA_PACK_CODE,    /* an enumeration */
    STOA_PACK_LABEL,   /* the value of the dictionary entry */
    STOA_PACK_ITEMS,   /* an array */
    STOA_PACK_FIELDS   /* a compound */
} stoa_pack_how;

typedef struct stoa_pack stoa_pack;
struct stoa_pack {
    stoa_pack_how how;
    stoa_type type;                  /* of the field */
    const struct ArrowSchema *field; /* borrowed, as are the facts */
    const stoa_column_stats *stats;
    hid_t stored;
    size_t size;   /* of a cell, in bytes */
    size_t offset; /* of the cell in its row or compound */
    size_t n;      /* ITEMS: items of a cell, over all dimensions */
    /* FIELDS: one for each field. ITEMS, LABEL: one, for the values. NULL otherwise. */
    stoa_pack *parts;
    size_t n_parts;
    /* LABEL, CODE: the last dictionary that was met, and the cell of each of its labels; NULL if
     * the cells of LABEL would take too much memory. */
    struct ArrowArray dictionary;
    uint8_t *cells;
    uint32_t *own_codes; /* CODE: of each of stats->labels; NULL: their numbers */
};

/* Differences between the layouts. */
typedef struct stoa_pack_rules {
    const char *layout;  /* for messages */
    bool has_times;      /* the layout knows H5T_TIME */
    size_t n_terminator; /* bytes after the longest string of a column */
    /* A compound whose members give the storage types of their columns; 0 if there is none. */
    hid_t target;
} stoa_pack_rules;

/*
 * @param schema     a struct of the columns, borrowed for longer than the pack lives
 * @param[out] pack  describes a row; the caller clears it by stoa_pack_clear(), also on failure
 * @return STOA_ETYPE or STOA_ELOSS, naming the column that cannot be stored as cells
 */
stoa_status stoa_pack_make(const struct ArrowSchema *schema, const stoa_column_stats *columns,
                           const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err);
/* The same for the cells of one field, which is borrowed as long. */
stoa_status stoa_pack_make_cell(const struct ArrowSchema *field, const stoa_column_stats *stats,
                                const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err);
void stoa_pack_clear(stoa_pack *pack);
/* Make the cells of all labels of a batch, or of the field of the cells, given as a view.
 * Call it before the rows of the batch are packed. */
stoa_status stoa_pack_number_labels(stoa_pack *pack, const stoa_view *rows, stoa_error *err);
/* Pack rows [first, first + n) of such a view. `out` is zeroed and has n * pack->size bytes. May
 * run on several threads at once. */
stoa_status stoa_pack_rows(const stoa_pack *pack, const stoa_view *rows, int64_t first, int64_t n,
                           uint8_t *out, stoa_error *err);

/* Whether a field is a complex number: a struct {r, i} of two floats of the same kind. */
bool stoa_pack_is_complex(const stoa_pack *pack);

#endif
