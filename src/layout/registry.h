/* The list of layouts, and lookups in it. */
#ifndef STOA_LAYOUT_REGISTRY_H
#define STOA_LAYOUT_REGISTRY_H

#include "layout/layout.h"

/* All layouts, NULL-ended (registry.c). Objects are offered to them, and they are listed, in this
 * order. */
extern const stoa_layout *const stoa_layouts[];

/* Find a layout by its name; NULL if there is none. */
const stoa_layout *stoa_layout_find(const char *name);
/* The layout of HEP001 tables. */
const stoa_layout *stoa_layout_home(void);
/* Find a layout by the name that listings show for its tables; NULL if unknown. */
const stoa_layout *stoa_layout_find_listed(const char *name);
/* The layout of a table; NULL for a table of several files, or of no known layout. */
const stoa_layout *stoa_layout_of(const stoa_table *table);

/* The class that an open object belongs to; *found is NULL if it is not a table. */
stoa_status stoa_layout_find_class(hid_t object, const stoa_layout_class **found,
                                   stoa_object *shown, stoa_error *err);
/* What an object is that no class has claimed, in the layout of the rest. The caller clears
 * `found->parts`, also on failure. */
stoa_status stoa_layout_find_rest(hid_t object, const stoa_layout_rest **rest,
                                  stoa_layout_found *found, stoa_error *err);
/* Whether an object is an array that a layout keeps beside its tables: sparse ones, too. `shown`
 * gets all that ls shows of it, except the path. */
bool stoa_layout_is_array(hid_t object, stoa_array_object *shown);
/* See stoa_layout.parts_of_array. */
const char *const *stoa_layout_parts_of_array(hid_t object);
/* Whether an object declares that it is of some layout, even if it cannot be read. */
bool stoa_layout_is_said(hid_t object);
/* Whether an object is known by what it declares: stoa_layout_claims. */
stoa_status stoa_layout_is_claimed(hid_t object, bool *is_claimed, stoa_error *err);
/* Whether a file as a whole is of a layout, which then knows all that is in it. */
bool stoa_layout_is_whole(hid_t file);
/*
 * Open the entries of an array as a table: a sparse array, or one that a layout identifies.
 *
 * @param path         of the array; a box in brackets may follow, as in "/X[10:20, :]"
 * @param[out] is_one  false if there is no such array; nothing is open then
 * @param[out] box     what of the array it is; may be NULL
 */
stoa_status stoa_layout_open_entries(hid_t loc, const char *path, const char *file, bool *is_one,
                                     stoa_array_box *box, stoa_table **table, stoa_error *err);
/* Whether a path holds internal data of some layout. */
bool stoa_layout_is_hidden(const char *path);

/* Whether tables can be written in the layout. */
bool stoa_layout_writes(const stoa_layout *layout);
/* The rules of the layout for missing values. */
const stoa_missing_rules *stoa_layout_missing(const stoa_layout *layout);
/* Find an option by its key: of the layout, or of any layout that is read. NULL if there is
 * none. */
const stoa_layout_option *stoa_layout_option_of(const stoa_layout *layout, const char *key);
/* "hep001, pytables, ...": any NULL-ended list; for NULL the writable layouts. The caller frees it.
 * NULL if out of memory. */
char *stoa_layout_list_of(const char *const *names);

/* Copy options of any version, and find the layout that they name. STOA_EINVAL if it is not
 * writable or lacks one of the settings. */
stoa_status stoa_layout_options_resolve(const stoa_layout_options *options,
                                        stoa_layout_options *own, const stoa_layout **layout,
                                        stoa_error *err);
/* Prepare a table for the layout `to`: rename what HEP001 reserves. stoa_layout_convert_step() does
 * this itself. */
stoa_status stoa_layout_prepare(stoa_table *from, const stoa_layout *to, stoa_error *err);

/* Describe a group or dataset in words. The caller clears `shown`, also on failure. The error says
 * why the object cannot be read. */
stoa_status stoa_layout_describe(hid_t object, stoa_layout_description *shown, stoa_error *err);
void stoa_layout_names_clear(stoa_layout_names *names);
void stoa_layout_description_clear(stoa_layout_description *shown);
/* Open the histogram at a path. If there is none, *is_one is false and there is nothing to
 * close. */
stoa_status stoa_layout_find_histogram(hid_t loc, const char *path, bool *is_one,
                                       stoa_histogram *histogram, stoa_error *err);
/* Visit the user's attributes of a table, by name, in layouts that keep them. */
stoa_status stoa_layout_visit_user_attributes(const stoa_table *table,
                                              stoa_user_attribute_visit visit, void *context,
                                              stoa_error *err);

#endif
