/* The columns of a table that is shown: their names, types and widths, and which are in sight. */
#ifndef STOA_CLI_VIEW_COLUMNS_H
#define STOA_CLI_VIEW_COLUMNS_H

#include "cli/common/cli.h"
#include "cli/output/float_style.h"

/* Rows of at most so many numbers are shown as that many columns, if a table has one column. */
enum { CLI_MOST_ITEMS = 4096 };
/* A row of more values than this is not read. */
enum { CLI_MOST_VALUES = 1 << 22 };
enum { CLI_COLUMN_GAP = 2 };

typedef struct cli_column {
    stoa_column *of; /* borrowed from the table; NULL in tests */
    int64_t item;    /* of each row's list; -1: the whole value */
    char *name;      /* owned, as are all texts */
    bool is_known;   /* what follows is */
    char *type;      /* "float64", "list of int8"; or why it cannot be read, if: */
    bool is_unreadable;
    char *units;       /* NULL: none */
    bool is_right;     /* right-aligned */
    bool is_time;      /* a time or duration, whose units are part of its type */
    bool is_text;      /* strings, or categories of them */
    uint64_t n_values; /* of a row; 0: not known */
    cli_float_style style;
    size_t width; /* of what was shown so far */
} cli_column;

/* Zero-initialise. */
typedef struct cli_columns {
    cli_column *all;
    size_t n;
    size_t first;  /* the first one in sight */
    size_t cursor; /* the chosen one */
} cli_columns;

/* The columns of a table. What each of them is, is found when it comes into sight. */
stoa_status cli_columns_load(cli_columns *columns, const stoa_table *table, stoa_error *err);
/* Find what a column is. One that cannot be read is marked so. */
void cli_columns_look(cli_columns *columns, size_t i);

/* What stands below its name: its units, or its type. Borrowed. */
const char *cli_column_below(const cli_column *column);

/* Widen a column for a text. */
void cli_columns_widen(cli_columns *columns, size_t i, const char *shown);
/* The width that a column is drawn with, where there is room for that many screen columns. */
size_t cli_columns_width(const cli_columns *columns, size_t i, size_t room);
/* How many columns, from the first one in sight on, begin within the room. 1 or more, if there are
 * any. */
size_t cli_columns_in_sight(const cli_columns *columns, size_t room);
/* Choose the first column so that the chosen one is in sight, whole if it can be. */
void cli_columns_settle(cli_columns *columns, size_t room);
/* Move the choice. */
void cli_columns_by(cli_columns *columns, int64_t by);
void cli_columns_clear(cli_columns *columns);

#endif
