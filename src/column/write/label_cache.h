/* Cache of the labels that were looked up last. The batches of a stream often repeat their
 * labels. */
#ifndef STOA_COLUMN_LABEL_CACHE_H
#define STOA_COLUMN_LABEL_CACHE_H

#include "arrow/read.h"
#include "core/memory.h"

/* Zero-initialise; free with stoa_label_cache_clear(). */
typedef struct stoa_label_cache {
    stoa_buffer bytes;
    stoa_buffer offsets; /* int32_t, from 0 on */
    stoa_buffer codes;   /* int64_t */
} stoa_label_cache;

/* Look up the codes of all labels at once. False unless the labels are the cached ones, in the same
 * order. */
bool stoa_label_cache_recall(const stoa_label_cache *known, const stoa_view *labels,
                             int64_t *codes);
/* Replace the cached labels. Nothing is cached if memory runs out or their type does not allow
 * it. */
void stoa_label_cache_keep(stoa_label_cache *known, const stoa_view *labels, const int64_t *codes);
void stoa_label_cache_clear(stoa_label_cache *known);

#endif
