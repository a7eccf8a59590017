/* The labels that were numbered last: those of a stream's batches are often the same ones. */
#ifndef STOA_COLUMN_KNOWN_LABELS_H
#define STOA_COLUMN_KNOWN_LABELS_H

#include "arrow/read.h"
#include "core/memory.h"

/* Zero-initialise; free with stoa_known_labels_clear(). */
typedef struct stoa_known_labels {
    stoa_buffer bytes;
    stoa_buffer offsets; /* int32_t, from 0 on */
    stoa_buffer codes;   /* int64_t */
} stoa_known_labels;

/* Whether these are the labels, every one and in their order; then their codes. */
bool stoa_known_labels_recall(const stoa_known_labels *known, const stoa_view *labels,
                              int64_t *codes);
/* Remember them instead of those before, if memory and their type allow. */
void stoa_known_labels_keep(stoa_known_labels *known, const stoa_view *labels,
                            const int64_t *codes);
void stoa_known_labels_clear(stoa_known_labels *known);

#endif
