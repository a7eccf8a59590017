/* Nested LH5 tables in conversions of whole files: see stoa_layout_nesting. */
#ifndef STOA_LAYOUT_LH5_NESTED_H
#define STOA_LAYOUT_LH5_NESTED_H

#include "layout/layout.h"

stoa_status stoa_lh5_list_inner(hid_t file, const stoa_layout_step *step, bool is_split,
                                stoa_layout_step_visitor visitor, void *context, stoa_error *err);
stoa_status stoa_lh5_open_split(hid_t from, const char *path, stoa_table **table, stoa_error *err);
stoa_status stoa_lh5_list_nested(hid_t file, const char *path, const char *attribute,
                                 stoa_layout_step_visitor visitor, void *context, stoa_error *err);
stoa_status stoa_lh5_nest(hid_t to, const stoa_layout_step *step, stoa_error *err);

#endif
