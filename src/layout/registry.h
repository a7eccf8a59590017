/* The layouts that there are, and what is looked up in the list of them. */
#ifndef STOA_LAYOUT_REGISTRY_H
#define STOA_LAYOUT_REGISTRY_H

#include "layout/layout.h"

/* All of them, and NULL: registry.c. In the order in which they are listed, and asked whether an
 * object is one of theirs. */
extern const stoa_layout *const stoa_layouts[];

/* By its name; NULL: there is none. */
const stoa_layout *stoa_layout_find(const char *name);
/* By what its tables are called; NULL: none that is known. */
const stoa_layout *stoa_layout_shown_as(const char *name);
/* The one that a table is of; NULL: of several files, or none that is known. */
const stoa_layout *stoa_layout_of(const stoa_table *table);

/* The class that an open object is a table of; *found is NULL where it is none. */
stoa_status stoa_layout_find_class(hid_t object, const stoa_layout_class **found,
                                   stoa_object *shown, stoa_error *err);
/* Whether a path is one where a layout keeps what is no user's. */
bool stoa_layout_is_hidden(const char *path);

/* Whether tables are written in it. */
bool stoa_layout_writes(const stoa_layout *layout);
/* What becomes of missing values where they are. */
const stoa_missing_rules *stoa_layout_missing(const stoa_layout *layout);
/* An option by its key: of the layout, or of any layout that is read. NULL: there is none. */
const stoa_layout_option *stoa_layout_option_of(const stoa_layout *layout, const char *key);
/* "hep001, pytables, ...": those that are written; and the same of any list that ends with NULL.
 * The caller's (free()); NULL: for want of memory. */
char *stoa_layout_written_names(void);
char *stoa_layout_list_of(const char *const *names);

/* The options, of whatever version, and the layout that they name, which is written: STOA_EINVAL
 * else, and for settings that it does not have. */
stoa_status stoa_layout_options_take(const stoa_layout_options *options, stoa_layout_options *own,
                                     const stoa_layout **layout, stoa_error *err);
/* Have a table be ready to become one of the layout, which stoa_layout_convert_step() does itself:
 * names that HEP001 reserves become others. */
stoa_status stoa_layout_prepare(stoa_table *from, const stoa_layout *to, stoa_error *err);

/* What a group or dataset is, in words; cleared in the end, also after a failure, which says why it
 * cannot be read. */
stoa_status stoa_layout_show(hid_t object, stoa_layout_shown *shown, stoa_error *err);
void stoa_layout_names_clear(stoa_layout_names *names);
void stoa_layout_shown_clear(stoa_layout_shown *shown);
/* The histogram at a path, where there is one; else *is_one is false, and nothing to close. */
stoa_status stoa_layout_find_histogram(hid_t loc, const char *path, bool *is_one,
                                       stoa_histogram *histogram, stoa_error *err);
/* What users noted of a table, by name: of layouts that keep it. */
stoa_status stoa_layout_visit_notes(const stoa_table *table, stoa_note_visit visit, void *context,
                                    stoa_error *err);

#endif
