/* Reads one row of JSON into the tree of keys. */
#ifndef STOA_LAYOUT_JSONL_READ_H
#define STOA_LAYOUT_JSONL_READ_H

#include "core/json.h"
#include "layout/jsonl/node.h"

/* Zero-initialise all but `tree`; free `json` by stoa_json_clear(). */
typedef struct stoa_jsonl_reader {
    stoa_jsonl_tree *tree; /* borrowed */
    stoa_json json;
    bool is_second;        /* values go into builders; before, types are learned from them */
    uint64_t n_objects;    /* read so far */
    uint64_t n_filled;     /* missing values that structs stand for, in the second pass */
    uint64_t n_filled_row; /* at the start of the row */
    int depth;
} stoa_jsonl_reader;

/* Read the row that `json` begins with. */
stoa_status stoa_jsonl_read_row(stoa_jsonl_reader *reader, stoa_error *err);
/* Let a builder have n rows, the last of them missing. */
stoa_status stoa_jsonl_fill(stoa_jsonl_node *node, int64_t n, stoa_error *err);

#endif
