/* Readers of a column of an Arkouda file: numbers, strings, lists and big integers, each over all
 * files of a set (Arkouda notes §E, §F, §L). */
#ifndef STOA_LAYOUT_ARKOUDA_NODE_H
#define STOA_LAYOUT_ARKOUDA_NODE_H

#include "arrow/build.h"
#include "layout/arkouda/read/array.h"

/* The first member of each kind of node. */
typedef struct stoa_arkouda_node stoa_arkouda_node;
struct stoa_arkouda_node {
    uint64_t *starts; /* where each file's rows start in the whole; the last entry is the number of
                         rows */
    size_t n_files;
    bool is_free; /* can be read without libhdf5, on any thread */
    stoa_status (*schema)(const stoa_arkouda_node *node, const char *name, struct ArrowSchema *out,
                          stoa_error *err);
    stoa_status (*read)(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                        struct ArrowArray *out, stoa_error *err);
    void (*close)(stoa_arkouda_node *node);
};

static inline uint64_t stoa_arkouda_rows(const stoa_arkouda_node *node)
{
    return node->starts[node->n_files];
}
/* Accepts NULL. */
void stoa_arkouda_node_close(stoa_arkouda_node *node);
/* Allocate a zeroed node of `size` bytes, with starts for all files of the set plus one, also zero.
 * close() frees what the node adds, and must be set before anything else can fail. */
stoa_status stoa_arkouda_node_make(size_t size, const stoa_arkouda_set *set,
                                   void (*close)(stoa_arkouda_node *node), void *out,
                                   stoa_error *err);

/* --- nodes of objects at absolute paths; the caller closes them ------------------------------ */

/* @param wish  see stoa_arkouda_array_open() */
stoa_status stoa_arkouda_numbers_open(stoa_arkouda_set *set, const char *path,
                                      const stoa_arkouda_requirements *wish,
                                      stoa_arkouda_node **node, stoa_error *err);
/*
 * A group of bytes and, unless they were left out, string offsets.
 *
 * @param may_lack  files without such a group hold no strings
 */
stoa_status stoa_arkouda_strings_open(stoa_arkouda_set *set, const char *path, bool may_lack,
                                      stoa_arkouda_node **node, stoa_error *err);
/* A group of Limb_0, Limb_1 ... */
stoa_status stoa_arkouda_bigint_open(stoa_arkouda_set *set, const char *path,
                                     stoa_arkouda_node **node, stoa_error *err);
/*
 * Lists: each holds the items from one offset to the next.
 *
 * @param segments   path of the offsets
 * @param items      ownership is taken, also on failure
 * @param is_global  offsets continue from file to file, as in files of 2022 (§M)
 */
stoa_status stoa_arkouda_lists_open(stoa_arkouda_set *set, const char *segments,
                                    stoa_arkouda_node *items, bool is_global,
                                    stoa_arkouda_node **node, stoa_error *err);
/* The rows of a node of numbers, padded with missing values to `n_rows`. Takes ownership of `node`,
 * also on failure. */
stoa_status stoa_arkouda_padded_open(stoa_arkouda_set *set, stoa_arkouda_node *node,
                                     uint64_t n_rows, stoa_arkouda_node **out, stoa_error *err);
/* The array that a node of numbers reads, borrowed; NULL for other nodes. */
const stoa_arkouda_array *stoa_arkouda_numbers_of(const stoa_arkouda_node *node);

/* --- offsets of strings and lists ------------------------------------------------------------ */

/*
 * The starts of rows [first, first + count) among the items, and the end of the last of them:
 * `count` + 1 offsets.
 *
 * @param items      where the items of each file start
 * @param is_global  see stoa_arkouda_lists_open()
 * @return STOA_EDATA, naming the row whose offset decreases or leaves the items of its file
 */
stoa_status stoa_arkouda_offsets_read(const stoa_arkouda_array *segments, const uint64_t *items,
                                      bool is_global, uint64_t first, uint64_t count,
                                      int64_t *offsets, stoa_error *err);
/* Check offsets as far as it is cheap: the first of a file is 0, and a file with items has one. */
stoa_status stoa_arkouda_offsets_check(const stoa_arkouda_array *segments, const uint64_t *items,
                                       bool is_global, stoa_error *err);

#endif
