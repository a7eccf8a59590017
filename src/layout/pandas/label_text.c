/* Labels as text (frame.h). */
#include <stdlib.h>

#include "layout/pandas/fixed_read.h"
#include "layout/pandas/frame.h"

void stoa_pandas_label_clear(stoa_pandas_label_text *label)
{
    free(label->name);
    free(label->said);
    *label = (stoa_pandas_label_text){NULL, NULL, false};
}

stoa_status stoa_pandas_label_make(const stoa_pickled *node, const char *otherwise,
                                   stoa_pandas_label_text *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer said = {0};
    const bool is_label = stoa_pandas_is_label(node);
    bool is_plain = is_label || (node != NULL && node->kind == STOA_PICKLE_NONE);

    if (is_plain) {
        STOA_TRY(stoa_pandas_put_node(&said, node, STOA_PANDAS_FOR_STOA, &is_plain, err));
    }
    label->name = is_plain && is_label ? stoa_pandas_label(node) : stoa_strdup(otherwise);
    STOA_TRY(label->name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (is_plain) {
        STOA_TRY(stoa_buffer_take_text(&said, &label->said, err));
    }

done:
    stoa_buffer_clear(&said);
    return status;
}

void stoa_pandas_free_labels(stoa_pandas_label_text *labels, size_t n)
{
    for (size_t i = 0; labels != NULL && i < n; i++) {
        stoa_pandas_label_clear(&labels[i]);
    }
    free(labels);
}
