/*
 * What a column of an Arkouda file is read through: numbers, strings, lists and wide integers, each
 * over all files of a set (Arkouda notes §E, §F, §L).
 */
#ifndef STOA_LAYOUT_ARKOUDA_NODE_H
#define STOA_LAYOUT_ARKOUDA_NODE_H

#include "arrow/build.h"
#include "layout/arkouda/array.h"

/* The first member of each kind of node. */
typedef struct stoa_arkouda_node stoa_arkouda_node;
struct stoa_arkouda_node {
    uint64_t *starts; /* of each file's rows in the whole; the last is the number of rows */
    size_t n_files;
    bool is_free; /* is read without libhdf5, on any thread */
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
/* NULL is fine. */
void stoa_arkouda_node_close(stoa_arkouda_node *node);
/* A node of `size` bytes, zeroed but for the starts, one more than files of the set, which are 0 as
 * well; its close() frees what it adds, and must be set before anything else fails. */
stoa_status stoa_arkouda_node_make(size_t size, const stoa_arkouda_set *set,
                                   void (*close)(stoa_arkouda_node *node), void *out,
                                   stoa_error *err);

/* Nodes of objects at absolute paths; each is the caller's. --------------------------------------
 */

/* @param wish  as stoa_arkouda_array_open() takes it */
stoa_status stoa_arkouda_numbers_open(stoa_arkouda_set *set, const char *path,
                                      const stoa_arkouda_wish *wish, stoa_arkouda_node **node,
                                      stoa_error *err);
/* A group of bytes and, unless they are left out, of the offsets of strings among them.
 *
 * @param may_lack  files without such a group hold no strings */
stoa_status stoa_arkouda_strings_open(stoa_arkouda_set *set, const char *path, bool may_lack,
                                      stoa_arkouda_node **node, stoa_error *err);
/* A group of Limb_0, Limb_1 ... */
stoa_status stoa_arkouda_bigint_open(stoa_arkouda_set *set, const char *path,
                                     stoa_arkouda_node **node, stoa_error *err);
/*
 * Lists: of the items, those from one offset up to the next.
 *
 * @param segments   path of the offsets
 * @param items      taken over in every case
 * @param is_global  the offsets go on from file to file, as those of 2022 did (§M)
 */
stoa_status stoa_arkouda_lists_open(stoa_arkouda_set *set, const char *segments,
                                    stoa_arkouda_node *items, bool is_global,
                                    stoa_arkouda_node **node, stoa_error *err);
/* The rows of a node of numbers, and then missing ones, up to `n_rows`; `node` is taken over in
 * every case. */
stoa_status stoa_arkouda_padded_open(stoa_arkouda_set *set, stoa_arkouda_node *node,
                                     uint64_t n_rows, stoa_arkouda_node **out, stoa_error *err);
/* The array that a node of numbers reads; NULL of another. Borrowed. */
const stoa_arkouda_array *stoa_arkouda_numbers_of(const stoa_arkouda_node *node);

/* Offsets of strings and lists. ------------------------------------------------------------------
 */

/*
 * Where rows [first, first + count) begin among the items, and, as the last of `count` + 1 numbers,
 * where the last of these rows ends.
 *
 * @param items      starts of the files' items
 * @param is_global  as stoa_arkouda_lists_open() takes it
 * @return STOA_EDATA naming the row whose offset goes down or leaves the items of its file
 */
stoa_status stoa_arkouda_offsets_read(const stoa_arkouda_array *segments, const uint64_t *items,
                                      bool is_global, uint64_t first, uint64_t count,
                                      int64_t *offsets, stoa_error *err);
/* What must hold of all offsets, as far as it is cheap: the first of a file is 0, and there is one
 * where there are items. */
stoa_status stoa_arkouda_offsets_check(const stoa_arkouda_array *segments, const uint64_t *items,
                                       bool is_global, stoa_error *err);

#endif
