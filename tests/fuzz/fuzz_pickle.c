/*
 * Any bytes as a pickle: read within its bounds or refused, and whatever a reader of pandas' files
 * asks of one: its names, a zone, the columns of an array of objects. Nothing is called.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "layout/pandas/label.h"
#include "layout/pandas/objects.h"
#include "layout/pandas/pandas.h"

enum { MAX_DEPTH = 12, MAX_ITEMS = 16, MAX_COLUMNS = 3 };

/* What every asker may ask of a node, and of those that it leads to. */
static void look_at_node(const stoa_pickled *node, int depth)
{
    if (node == NULL || depth > MAX_DEPTH) {
        return;
    }
    free(stoa_pandas_label(node));
    free(stoa_pandas_zone(node));
    (void)stoa_pandas_is_missing(node);
    look_at_node(stoa_pickled_get(node, "tz"), MAX_DEPTH);
    look_at_node(stoa_pickled_get_int(node, 1), MAX_DEPTH);
    if (node->kind >= STOA_PICKLE_LIST && node->kind != STOA_PICKLE_GLOBAL) {
        for (size_t i = 0; i < node->as.items.n && i < (size_t)MAX_ITEMS >> depth; i++) {
            look_at_node(node->as.items.at[i], depth + 1);
        }
    }
}

static void look_at_objects(const uint8_t *bytes, size_t n)
{
    stoa_pandas_objects objects;

    if (stoa_pandas_objects_parse(bytes, n, &objects, NULL) != STOA_OK) {
        return;
    }
    for (uint64_t i = 0; i <= objects.n_columns && i < MAX_COLUMNS; i++) {
        stoa_column *column = NULL;
        struct ArrowArray array = {.release = NULL};
        if (stoa_pandas_objects_column(&objects, i, "c", &column, NULL) == STOA_OK) {
            if (stoa_column_read(column, 0, column->n_rows, &array, NULL) == STOA_OK) {
                array.release(&array);
            }
        } else if (column != NULL) {
            abort();
        }
        stoa_column_close(column);
    }
    stoa_pandas_objects_clear(&objects);
}

void fuzz_pickle(const uint8_t *bytes, size_t n)
{
    stoa_pickle *pickle = NULL;
    const stoa_status status = stoa_pickle_read(bytes, n, &pickle, NULL);

    if ((status == STOA_OK) != (pickle != NULL)) {
        abort();
    }
    if (pickle != NULL) {
        look_at_node(stoa_pickle_root(pickle), 0);
        stoa_pickle_close(pickle);
    }
    look_at_objects(bytes, n);
}
