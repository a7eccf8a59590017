/*
 * stoa_check(): checks one table, or every table below a group.
 *
 * The walk visits each object once and follows hard links only. It keeps its own stack, so that
 * deeply nested groups need memory in proportion to the file and cannot overflow the call stack.
 */
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "core/sized_struct.h"
#include "hdf/metadata/other_files.h"

/* An eighth of the machine's, within bounds. */
static uint64_t usual_memory(void)
{
    const uint64_t least = (uint64_t)128 << 20;
    const uint64_t most = (uint64_t)4 << 30;
    const uint64_t part = stoa_machine_memory() / 8;

    return part < least ? least : part > most ? most : part;
}

/* A group to visit. */
typedef struct waiting {
    char *path;
    H5O_token_t token;
} waiting;

typedef struct walk {
    stoa_checker *checker;
    hid_t loc;
    stoa_string_set seen; /* tokens */
    stoa_buffer stack;    /* of waiting */
} walk;

/* Push the group unless it was pushed before; `path` is consumed in both cases. */
static void push(walk *w, char *path, const H5O_token_t *token)
{
    const uint32_t n_before = w->seen.count;
    const waiting group = {path, *token};
    uint32_t number = 0;

    bool has_memory = path != NULL && stoa_string_set_add(&w->seen, token, sizeof *token, &number,
                                                          w->checker->err) == STOA_OK;

    if (has_memory && number == n_before) {
        has_memory =
            stoa_buffer_append(&w->stack, &group, sizeof group, w->checker->err) == STOA_OK;
        path = has_memory ? NULL : path;
    }
    if (!has_memory) {
        stoa_check_memory(w->checker);
    }
    free(path);
}

static bool pop(walk *w, waiting *group)
{
    if (w->stack.size == 0) {
        return false;
    }
    w->stack.size -= sizeof *group;
    memcpy(group, w->stack.data + w->stack.size, sizeof *group);
    return true;
}

/* Push the subgroups of a group. Returns why some were missed; NULL if none were. */
static const char *push_groups(walk *w, const stoa_subject *group)
{
    stoa_members members = {0};
    const char *missed = NULL;

    w->checker->muted = true; /* table objects are checked elsewhere, and other objects are not
                                 checked */
    if (!stoa_members_read(w->checker, group, &members)) {
        missed = "its links cannot be listed: the file is damaged";
    }
    w->checker->muted = false;
    for (size_t i = members.n; i > 0 && !stoa_check_over(w->checker); i--) {
        stoa_member *member = &members.items[i - 1];
        if (missed == NULL && member->kind == STOA_MEMBER_BROKEN) {
            missed = "it holds what cannot be opened";
        }
        if (member->kind == STOA_MEMBER_GROUP) {
            push(w, member->path, &member->token);
            member->path = NULL;
        }
    }
    stoa_members_clear(&members);
    return missed;
}

static void visit_group(walk *w, const waiting *waits)
{
    stoa_subject group = {H5Oopen_by_token(w->loc, waits->token), waits->path};
    const bool is_table = group.id >= 0 && stoa_check_is_table(w->checker, group.id);

    if (is_table) {
        stoa_check_table(w->checker, &group);
    }
    const char *const missed = group.id < 0 ? "it cannot be opened" : push_groups(w, &group);
    if (missed != NULL && !is_table) {
        stoa_check_report(w->checker, waits->path, STOA_RULE_NOT_READ,
                          "%s; a table there is not checked", missed);
    }
    (void)stoa_hdf_close(&group.id, STOA_OK, NULL);
}

static stoa_status check_all(stoa_checker *checker, hid_t loc, stoa_error *err)
{
    walk w = {.checker = checker, .loc = loc};
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    waiting group;
    char path[4096] = "/";

    STOA_HDF(err, H5Oget_info3(loc, &info, H5O_INFO_BASIC), "read the object to check");
    if (H5Iget_type(loc) != H5I_FILE) {
        (void)H5Iget_name(loc, path, sizeof path);
    }
    push(&w, stoa_strdup(path), &info.token);
    while (!stoa_check_over(checker) && pop(&w, &group)) {
        visit_group(&w, &group);
        free(group.path);
    }

done:
    while (pop(&w, &group)) {
        free(group.path);
    }
    stoa_buffer_clear(&w.stack);
    stoa_string_set_clear(&w.seen);
    return status;
}

/* The absolute path of `path` below `loc`; the caller frees it. */
static char *absolute_path(hid_t group, const char *path)
{
    const ssize_t length = H5Iget_name(group, NULL, 0);
    char *name = length <= 0 ? NULL : stoa_alloc(1, (size_t)length + 1);

    if (length <= 0) {
        return stoa_strdup(path);
    }
    if (name != NULL) {
        (void)H5Iget_name(group, name, (size_t)length + 1);
    }
    return name;
}

static stoa_status check_one(stoa_checker *checker, hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_subject group = {H5I_INVALID_HID, NULL};
    char *name = NULL;

    group.id = stoa_open_here(loc, path);
    if (group.id < 0) {
        status = stoa_object_not_found(loc, path, "there is no such object", NULL, err);
        goto done;
    }
    if (H5Iget_type(group.id) != H5I_GROUP || !stoa_check_is_table(checker, group.id)) {
        status = stoa_fail(err, STOA_ELAYOUT,
                           "'%s' is no table: it is no group whose CLASS is COLUMN_TABLE "
                           "(HEP001 §7.1)",
                           path);
        goto done;
    }
    name = absolute_path(group.id, path);
    if (name == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    group.path = name;
    stoa_check_table(checker, &group);

done:
    free(name);
    return stoa_hdf_close(&group.id, status, err);
}

stoa_status stoa_check(hid_t loc, const char *path, const stoa_check_options *options,
                       stoa_finding_visitor visitor, void *context, uint64_t *n_refused,
                       uint64_t *n_tables, stoa_error *err)
{
    stoa_checker checker = {.visitor = visitor,
                            .context = context,
                            .err = err,
                            .stage = "checking",
                            .memory = usual_memory()};
    stoa_check_options own = STOA_CHECK_OPTIONS_INIT;
    stoa_status status = STOA_SIZED_COPY(&own, options, indexes, "STOA_CHECK_OPTIONS_INIT", err);

    stoa_error_printing_off();
    if (status == STOA_OK) {
        checker.indexes = own.indexes;
        checker.asked = own.revision;
        checker.checked = own.checked;
        checker.listener = &own.listener;
        checker.strict = own.strict;
        checker.memory = own.memory > 0 ? own.memory : checker.memory;
        status = stoa_workers_open(own.threads, &checker.workers, err);
    }
    if (status == STOA_OK) {
        status = path == NULL ? check_all(&checker, loc, err) : check_one(&checker, loc, path, err);
    }
    stoa_workers_close(checker.workers);
    if (status == STOA_OK) {
        status = checker.status;
    }
    if (n_refused != NULL) {
        *n_refused = checker.n_refused;
    }
    if (n_tables != NULL) {
        *n_tables = checker.n_tables;
    }
    stoa_error_printing_on();
    return status;
}
