/* Texts of other files that HEP001 cannot hold as they are. */
#ifndef STOA_LAYOUT_MENDED_TEXTS_H
#define STOA_LAYOUT_MENDED_TEXTS_H

#include "layout/layout.h"

/*
 * Report the texts of a table that change when it becomes one of HEP001. In its title, its
 * description and the notes of its columns, U+FFFD takes the place of bytes that are not UTF-8
 * (§7.4, §8.6). An encoding-* that is not one text is left behind (§13.3).
 *
 * @param path  of the table, for the remarks
 */
stoa_status stoa_mended_texts_of_table(const stoa_table *table, const char *path,
                                       stoa_layout_remark *remark, void *context, stoa_error *err);
/* The same for the metadata of a stream's fields. */
stoa_status stoa_mended_texts_of_fields(const struct ArrowSchema *schema, const char *path,
                                        stoa_layout_remark *remark, void *context, stoa_error *err);

#endif
