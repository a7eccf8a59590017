#include "column/members.h"

static void add(stoa_members *members, stoa_column *column, stoa_column *level)
{
    if (column != NULL) {
        members->items[members->n++] = (stoa_member){column, level};
    }
}

/* Levels are nested as deeply as they were loaded: at most STOA_LIST_MAX_LEVELS. */
static void add_level(stoa_members *members, stoa_column *level)
{
    const stoa_list *const list = level->list;

    if (list->values != NULL && stoa_column_is_list_group(list->values)) {
        add_level(members, list->values);
    } else {
        add(members, list->values, level);
    }
    add(members, list->mask, level);
    add(members, list->offsets, level);
}

void stoa_members_of(const stoa_column *column, stoa_members *members)
{
    stoa_column *const own = (stoa_column *)(uintptr_t)column; /* as for stoa_column_load() */

    members->n = 0;
    if (stoa_column_is_list_group(column)) {
        add_level(members, own);
    } else {
        add(members, own, NULL);
    }
}

stoa_status stoa_column_has_more_links(const stoa_column *column, bool *has, stoa_error *err)
{
    H5O_info2_t info;

    *has = false;
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(column->dataset, &info, H5O_INFO_BASIC),
                          "look at column '%s'", column->name);
    *has = info.rc > 1;
    return STOA_OK;
}
