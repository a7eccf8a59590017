/* The links of a group; links that lead out of it are not followed. */
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"

static void member_clear(stoa_member *member)
{
    free(member->name);
    free(member->path);
    free(member->family);
}

void stoa_members_clear(stoa_members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        member_clear(&members->items[i]);
    }
    free(members->items);
    stoa_string_set_clear(&members->tokens);
    stoa_buffer_clear(&members->firsts);
    *members = (stoa_members){0};
}

/* Join "/a" and "b" to "/a/b"; NULL if memory runs out, which ends the check. */
static char *path_in(stoa_checker *checker, const char *group, const char *name)
{
    const bool is_root = strcmp(group, "/") == 0;
    char *path = stoa_format("%s/%s", is_root ? "" : group, name);

    if (path == NULL) {
        stoa_check_memory(checker);
    }
    return path;
}

/* Append a zeroed member; NULL if memory runs out. */
static stoa_member *add(stoa_checker *checker, stoa_members *members)
{
    if (members->n == members->capacity) {
        const size_t capacity = members->capacity == 0 ? 16 : members->capacity * 2;
        stoa_member *items = stoa_realloc(members->items, capacity, sizeof *items);
        if (items == NULL) {
            stoa_check_memory(checker);
            return NULL;
        }
        members->items = items;
        members->capacity = capacity;
    }

    stoa_member *member = &members->items[members->n];
    *member = (stoa_member){.labels = SIZE_MAX};
    return member;
}

/* Index the last member by its token. Of several links to one object the first counts. */
static void remember_token(stoa_checker *checker, stoa_members *members)
{
    const size_t position = members->n - 1;
    const uint32_t n_before = members->tokens.count;
    uint32_t number = 0;

    /* Reserve first: a token without its position must not be found. */
    if (stoa_buffer_reserve(&members->firsts, sizeof position, checker->err) != STOA_OK ||
        stoa_string_set_add(&members->tokens, &members->items[position].token, sizeof(H5O_token_t),
                            &number, checker->err) != STOA_OK) {
        stoa_check_memory(checker);
    } else if (number == n_before) {
        memcpy(members->firsts.data + members->firsts.size, &position, sizeof position);
        members->firsts.size += sizeof position;
    }
}

stoa_member *stoa_members_find(const stoa_members *members, const H5O_token_t *token)
{
    uint32_t number = 0;
    size_t position = 0;

    if (!stoa_string_set_find(&members->tokens, token, sizeof *token, &number)) {
        return NULL;
    }
    memcpy(&position, members->firsts.data + number * sizeof position, sizeof position);
    return &members->items[position];
}

void stoa_members_move(stoa_checker *checker, stoa_member *from, stoa_members *to)
{
    stoa_member *member = add(checker, to);

    if (member != NULL) {
        *member = *from;
        *from = (stoa_member){.labels = SIZE_MAX};
        to->n++;
        remember_token(checker, to);
    }
}

hid_t stoa_member_open(stoa_checker *checker, hid_t file, const stoa_member *member)
{
    const hid_t id = H5Oopen_by_token(file, member->token);

    if (id < 0) {
        stoa_check_report(checker, member->path, STOA_RULE_UNREADABLE,
                          "the object cannot be opened; the file is damaged or made by a library "
                          "that can more than this one");
    }
    return id;
}

/* Find the kind of a hard link's target, and the shape of a dataset. */
static void classify(stoa_checker *checker, hid_t file, stoa_member *member)
{
    hid_t id = stoa_member_open(checker, file, member);
    hid_t space = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK];

    member->kind = STOA_MEMBER_BROKEN;
    switch (id < 0 ? H5I_BADID : H5Iget_type(id)) {
    case H5I_GROUP:
        member->kind = STOA_MEMBER_GROUP;
        break;
    case H5I_DATATYPE:
        member->kind = STOA_MEMBER_TYPE;
        break;
    case H5I_DATASET:
        if (!stoa_extent_is_here(id)) {
            stoa_check_report(checker, member->path, STOA_RULE_NOT_READ,
                              "its extent depends on other files; it is not judged");
            break;
        }
        space = H5Dget_space(id);
        member->rank =
            H5Sget_simple_extent_type(space) == H5S_NULL ? -1 : H5Sget_simple_extent_ndims(space);
        if (space >= 0) {
            member->kind = STOA_MEMBER_DATASET;
        }
        if (member->rank == 1 && H5Sget_simple_extent_dims(space, extent, NULL) == 1) {
            member->extent = extent[0];
        }
        break;
    default:
        break;
    }
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&id, STOA_OK, NULL);
}

typedef struct walk {
    stoa_checker *checker;
    const char *path;
    stoa_members *members;
} walk;

static herr_t visit_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    const walk *w = context;
    stoa_member *member = add(w->checker, w->members);

    (void)group;
    if (member == NULL) {
        return 1;
    }
    member->name = stoa_strdup(name);
    member->path = path_in(w->checker, w->path, name);
    w->members->n++;
    if (member->name == NULL || member->path == NULL) {
        stoa_check_memory(w->checker);
        return 1;
    }
    switch (info->type) {
    case H5L_TYPE_HARD:
        member->kind = STOA_MEMBER_BROKEN;
        member->token = info->u.token;
        break;
    case H5L_TYPE_SOFT:
        member->kind = STOA_MEMBER_SOFT;
        break;
    default:
        member->kind = STOA_MEMBER_EXTERNAL;
        break;
    }
    return 0;
}

bool stoa_members_read(stoa_checker *checker, const stoa_subject *group, stoa_members *members)
{
    walk w = {checker, group->path, members};
    const stoa_status status = stoa_links_visit(group->id, visit_link, &w, NULL);
    const bool is_listed = status == STOA_OK;

    if (status == STOA_ENOMEM) {
        stoa_check_memory(checker);
    } else if (!is_listed) {
        stoa_check_report(checker, group->path, STOA_RULE_UNREADABLE,
                          "the group's links cannot be listed; the file is damaged");
    }
    for (size_t i = 0; i < members->n && !stoa_check_over(checker); i++) {
        if (members->items[i].kind == STOA_MEMBER_BROKEN) {
            classify(checker, group->id, &members->items[i]);
        }
    }
    return is_listed;
}
