/* The labels of categorical columns (HEP001 §8.7), as an Arrow array. */
#ifndef STOA_COLUMN_LABELS_H
#define STOA_COLUMN_LABELS_H

#include "column/column.h"

/*
 * Read all labels of an open categories dataset. Enumerations become strings.
 *
 * @param labels  from stoa_labels_open()
 * @return STOA_EDATA if there are too many to be held in memory
 */
stoa_status stoa_labels_read(const stoa_column *labels, struct ArrowSchema *schema,
                             struct ArrowArray *array, stoa_error *err);

/* A label for messages, as text of up to STOA_NUMBER_SIZE - 1 bytes. `element` is in memory
 * form. */
void stoa_label_text(const stoa_column *labels, const void *element, char *out);

#endif
