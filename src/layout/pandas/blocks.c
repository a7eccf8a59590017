/* Chooses the blocks of pandas' table format and the order of their columns. Both must match the
 * blocks that pandas makes of a frame when it appends (members.h). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/members.h"

/* Categoricals and times with a zone have blocks of their own in pandas. */
static bool stands_alone(const stoa_pandas_member *member)
{
    return !member->is_block || member->is_coded || member->shape.zone != NULL;
}

/* Ranks by kind: numbers, then strings, then anything else. */
enum { NUMBERS, TEXTS, OTHERS };

static int rank_of(const stoa_pickled *label)
{
    const stoa_pickle_kind kind = label != NULL ? label->kind : STOA_PICKLE_TEXT;

    return kind == STOA_PICKLE_INT || kind == STOA_PICKLE_FLOAT || kind == STOA_PICKLE_BOOL
               ? NUMBERS
           : kind == STOA_PICKLE_TEXT ? TEXTS
                                      : OTHERS;
}

static double number_of(const stoa_pickled *label)
{
    return label->kind == STOA_PICKLE_INT     ? (double)label->as.integer
           : label->kind == STOA_PICKLE_FLOAT ? label->as.number
                                              : (double)label->as.truth;
}

/* The sort key of pandas for the labels of a block. */
typedef struct sorting {
    stoa_pandas_member member;
    const stoa_pickled *label; /* NULL: the name is the label */
    size_t group; /* the same for columns of one block; ordered by their first column */
} sorting;

static int compare_labels(const sorting *a, const sorting *b)
{
    const int rank = rank_of(a->label);
    const bool is_integer = rank == NUMBERS && a->label->kind == STOA_PICKLE_INT &&
                            b->label != NULL && b->label->kind == STOA_PICKLE_INT;

    if (rank != rank_of(b->label)) {
        return rank < rank_of(b->label) ? -1 : 1;
    }
    if (is_integer) {
        return (a->label->as.integer > b->label->as.integer) -
               (a->label->as.integer < b->label->as.integer);
    }
    if (rank == NUMBERS) {
        const double x = number_of(a->label);
        const double y = number_of(b->label);
        return (x > y) - (x < y);
    }
    if (rank == TEXTS) {
        const char *const names[] = {a->member.shape.field->name, b->member.shape.field->name};
        const stoa_pickled *const labels[] = {a->label, b->label};
        const char *bytes[2];
        size_t lengths[2];
        for (int i = 0; i < 2; i++) {
            bytes[i] = labels[i] != NULL ? labels[i]->as.bytes.data : names[i];
            lengths[i] = labels[i] != NULL ? labels[i]->as.bytes.length : strlen(names[i]);
        }
        return stoa_compare_bytes(bytes[0], lengths[0], bytes[1], lengths[1]);
    }
    return 0;
}

static int by_group(const void *a, const void *b)
{
    const sorting *const left = a;
    const sorting *const right = b;

    return left->group != right->group ? (left->group > right->group) - (left->group < right->group)
                                       : (left->member.column > right->member.column) -
                                             (left->member.column < right->member.column);
}

static int by_label(const void *a, const void *b)
{
    const int order = compare_labels(a, b);

    return order != 0 ? order : by_group(a, b);
}

static bool is_same_block(const stoa_pandas_member *a, const stoa_pandas_member *b)
{
    return !stands_alone(a) && !stands_alone(b) && a->shape.as == b->shape.as &&
           (a->shape.as == STOA_PANDAS_TEXT || a->shape.kind == b->shape.kind) &&
           strcmp(a->shape.name, b->shape.name) == 0; /* units */
}

/*
 * The arrangement of the columns.
 *
 * pandas loses the name of the column axis when it has to restore the order of the columns. If the
 * axis has a name, the first way that keeps the order is used. The third always does. pandas can
 * append to it if no two blocks have the same type.
 */
typedef enum way {
    AS_EACH_CAN,   /* data columns where possible, else blocks */
    AS_BLOCKS,     /* the default of pandas */
    IN_THEIR_ORDER /* a block for each column */
} way;

/* Groups in order: row labels, then blocks, then data columns. */
static size_t group_of(const sorting *all, size_t i, size_t n, way how)
{
    const stoa_pandas_member *const member = &all[i].member;
    size_t first = i;

    if (member->is_index || member->is_level || how == IN_THEIR_ORDER) {
        return member->is_index || member->is_level ? 0 : 1 + i;
    }
    for (size_t k = 0; !stands_alone(member) && k < i && first == i; k++) {
        first = is_same_block(&all[k].member, member) ? k : i;
    }
    return 1 + first + (member->is_block ? 0 : n);
}

/* Put the columns of a group next to each other. pandas sorts the labels of blocks if there are
 * also data columns. */
static void sort_groups(const stoa_pandas_members *members, sorting *all, bool by_labels)
{
    size_t n = 1;

    qsort(all + members->n_labels, members->n - members->n_labels, sizeof *all, by_group);
    for (size_t i = members->n_labels; i < members->n; i += n) {
        n = 1;
        while (i + n < members->n && all[i + n].group == all[i].group) {
            n++;
        }
        if (by_labels) {
            qsort(all + i, n, sizeof *all, by_label);
        }
        for (size_t k = 0; k < n; k++) {
            all[i + k].member.item = k;
            all[i + k].member.n_items = k == 0 ? n : 1;
        }
    }
}

static stoa_status arrange(stoa_pandas_members *members, way how, bool is_unique, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool has_columns = false; /* there are data columns */
    sorting *all = stoa_alloc_zero(members->n, sizeof *all);

    STOA_TRY(all != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < members->n; i++) {
        stoa_pandas_member *const member = &members->all[i];
        const bool is_label = member->is_index || member->is_level;
        member->is_block = !is_label && (!member->can_stand_alone || how == AS_BLOCKS);
        has_columns = has_columns || (!member->is_block && !member->is_index);
        all[i].member = *member;
        all[i].label = stoa_pandas_label_of(members->source, member->shape.field->name);
    }
    qsort(all + members->n_labels, members->n - members->n_labels, sizeof *all, by_group);
    for (size_t i = 0; i < members->n; i++) {
        all[i].group = group_of(all, i, members->n, how);
    }
    sort_groups(members, all, has_columns && is_unique);
    for (size_t i = 0; i < members->n; i++) {
        members->all[i] = all[i].member;
        if (members->all[i].is_coded) {
            members->all[i].shape.stats = &members->all[i].codes.stats; /* the member has moved */
        }
    }

done:
    free(all);
    return status;
}

static bool are_in_order(const stoa_pandas_members *members)
{
    bool are = true;

    for (size_t i = members->n_labels + 1; i < members->n; i++) {
        are = are && members->all[i - 1].column < members->all[i].column;
    }
    return are;
}

static bool has_axis_name(const stoa_layout_source *source)
{
    const stoa_pickled *const names = stoa_pandas_names(source);
    bool has = false;

    for (size_t i = 0; i < stoa_pickled_count(names); i++) {
        has = has || stoa_pickled_item(names, i)->kind != STOA_PICKLE_NONE;
    }
    return has;
}

stoa_status stoa_pandas_arrange(stoa_pandas_members *members, bool is_unique, stoa_error *err)
{
    const bool is_free = !has_axis_name(members->source);

    for (way how = AS_EACH_CAN; how <= IN_THEIR_ORDER; how = (way)(how + 1)) {
        STOA_RETURN_NOT_OK(arrange(members, how, is_unique, err));
        if (is_free || are_in_order(members)) {
            break;
        }
    }
    return STOA_OK;
}
