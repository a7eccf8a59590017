/* Internals of contents: content.c has whole contents and changes of their form, content_edit.c
 * edits, and content_get.c reads. */
#ifndef STOA_SPARSE_CONTENT_PARTS_H
#define STOA_SPARSE_CONTENT_PARTS_H

#include "sparse/store/content.h"
#include "sparse/store/content_dense.h"
#include "sparse/store/content_map.h"

struct stoa_content {
    const stoa_sparse_format *format;
    size_t value_size;
    size_t allowed; /* bytes that a field may use */
    /* The elements, if there is neither map nor field; otherwise the result of
     * stoa_content_list(). */
    stoa_sparse_chunk list;
    bool is_listed;
    stoa_content_map map;
    stoa_content_dense field;
};

static inline bool stoa_content_has_map(const stoa_content *c)
{
    return c->map.pages != NULL;
}

static inline bool stoa_content_has_dense(const stoa_content *c)
{
    return c->field.values != NULL;
}

static inline bool stoa_content_is_list(const stoa_content *c)
{
    return !stoa_content_has_map(c) && !stoa_content_has_dense(c);
}

/* Change the content to a map or a field, for small edits. */
stoa_status stoa_content_make_editable(stoa_content *content, stoa_error *err);
#endif
