/* What the files of contents share: content.c has whole contents and what form they are in,
 * content_edit.c edits, content_get.c reads. */
#ifndef STOA_SPARSE_CONTENT_PARTS_H
#define STOA_SPARSE_CONTENT_PARTS_H

#include "sparse/content.h"
#include "sparse/field.h"
#include "sparse/map.h"

struct stoa_content {
    const stoa_sparse_format *format;
    size_t value_size;
    size_t allowed; /* bytes for a field */
    /* The elements where there is neither map nor field, else what stoa_content_list() made. */
    stoa_sparse_chunk list;
    bool is_listed;
    stoa_map map;
    stoa_field field;
};

static inline bool stoa_content_has_map(const stoa_content *c)
{
    return c->map.pages != NULL;
}

static inline bool stoa_content_has_field(const stoa_content *c)
{
    return c->field.values != NULL;
}

static inline bool stoa_content_is_list(const stoa_content *c)
{
    return !stoa_content_has_map(c) && !stoa_content_has_field(c);
}

/* A map or a field, for small edits. */
stoa_status stoa_content_make_editable(stoa_content *content, stoa_error *err);
/* Room for n elements, in the place of those that are there; no heap. */
stoa_status stoa_content_room(stoa_sparse_chunk *list, size_t n, size_t value_size,
                              stoa_error *err);

#endif
