/* Python objects that pandas stores as one pickled array in a VLArray (PyTables notes §8, §9.2). */
#ifndef STOA_LAYOUT_PANDAS_OBJECTS_H
#define STOA_LAYOUT_PANDAS_OBJECTS_H

#include "column/read/foreign.h"
#include "layout/pickle/pickle.h"

/* An array of objects, in C order. */
typedef struct stoa_pandas_objects {
    stoa_pickle *pickle;
    stoa_pickled *const *items; /* n_rows * n_columns of them */
    uint64_t n_rows;
    uint64_t n_columns;
} stoa_pandas_objects;

/*
 * Read the array in the first row of a VLArray.
 *
 * @param dataset  ownership is taken, also on failure
 * @return STOA_EDATA if it is not such an array
 */
stoa_status stoa_pandas_objects_read(hid_t dataset, stoa_pandas_objects *objects, stoa_error *err);
/* The same from the bytes of a pickle, which are copied. */
stoa_status stoa_pandas_objects_parse(const void *bytes, size_t n, stoa_pandas_objects *objects,
                                      stoa_error *err);
void stoa_pandas_objects_clear(stoa_pandas_objects *objects);

/* Whether an object stands for a missing value. */
bool stoa_pandas_is_missing(const stoa_pickled *node);

/* Metadata of a field whose texts were other objects: "Decimal", "of several kinds". */
#define STOA_PANDAS_OBJECTS "pandas.objects"

/* Make a column of one column of the array. It holds integers, floats, booleans, dates or bytes if
 * all objects are such, and strings otherwise: the digits of decimals, and words for objects of
 * several kinds. STOA_ETYPE if other objects occur, or bytes among others. */
stoa_status stoa_pandas_objects_column(const stoa_pandas_objects *objects, uint64_t number,
                                       const char *name, stoa_column **out, stoa_error *err);

#endif
