/*
 * What the files of this room share: the check that is running, and the table it looks at.
 *
 * Everything here is read with libhdf5 alone, not with the code that opens tables for use: that
 * code is lenient where this one must be exact, and a check that shares its eyes shares its blind
 * spots.
 *
 * Check functions return nothing. What they find goes to stoa_check_report(); where memory runs out
 * or the visitor has had enough the checker remembers it, and every loop asks stoa_check_over().
 */
#ifndef STOA_CHECK_CHECKER_H
#define STOA_CHECK_CHECKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stoa/check.h>

#include "check/rules.h"
#include "core/memory.h"
#include "core/strings.h"
#include "hdf/ids.h"
#include "table/names.h"

/* An attribute or element larger than this is not read. */
#define STOA_CHECK_MAX_BYTES ((uint64_t)16 << 20)

typedef struct stoa_checker {
    stoa_finding_visitor visitor;
    void *context;
    bool indexes;    /* recompute the contents of search indexes */
    bool strict;     /* refuse a broken SHOULD and what is not described */
    uint64_t memory; /* bytes that a comparison may hold at a time */
    bool stopped;    /* the visitor has had enough */
    bool muted;      /* look, but report nothing */
    stoa_status status;
    stoa_error *err;
    uint64_t n_refused;
    uint64_t n_tables;
    char filter[64]; /* that was missed last */
} stoa_checker;

static inline bool stoa_check_over(const stoa_checker *checker)
{
    return checker->stopped || checker->status != STOA_OK;
}

/* Report a broken rule on the object at `path`; the message is one line, whatever it quotes. */
void stoa_check_report(stoa_checker *checker, const char *path, stoa_rule_id id, const char *format,
                       ...) STOA_PRINTF(4, 5);
/* Memory has run out: the check is over. */
void stoa_check_memory(stoa_checker *checker);

/* An open object and what to call it. */
typedef struct stoa_subject {
    hid_t id;
    const char *path;
} stoa_subject;

typedef enum stoa_member_kind {
    STOA_MEMBER_DATASET,
    STOA_MEMBER_GROUP,
    STOA_MEMBER_TYPE,
    STOA_MEMBER_SOFT,     /* a soft link */
    STOA_MEMBER_EXTERNAL, /* an external or user-defined link */
    STOA_MEMBER_BROKEN    /* a hard link to what cannot be opened */
} stoa_member_kind;

/* One link of a group, and what the check has learned about the object behind it. */
typedef struct stoa_member {
    char *name;
    char *path; /* absolute, for findings */
    stoa_member_kind kind;
    H5O_token_t token; /* of a hard link */
    int rank;          /* of a dataset; -1: a null dataspace */
    uint64_t extent;   /* of a dataset of rank 1 */

    size_t n_users; /* columns whose references lead here */
    size_t user;    /* the last of them */
    bool has_kind;  /* search index: has a KIND attribute */
    char *family;   /* search index: KIND's value, NULL if it has none or it is unreadable */
    bool required;  /* search index: some index references it */
    size_t labels;  /* column: the categories dataset it uses, SIZE_MAX if none */
} stoa_member;

/* The members of one group, or some of them, findable by the object they lead to. */
typedef struct stoa_members {
    stoa_member *items;
    size_t n;
    size_t capacity;
    stoa_strings tokens; /* number -> firsts[number], the first member with that token */
    stoa_buffer firsts;
} stoa_members;

/* The links of a group, in order of their names; false (after a finding) if they cannot be listed.
 */
bool stoa_members_read(stoa_checker *checker, const stoa_subject *group, stoa_members *members);
/* Take a member over from another list; the source is left empty. */
void stoa_members_move(stoa_checker *checker, stoa_member *from, stoa_members *to);
/* The first member that leads to this object; NULL if there is none. */
stoa_member *stoa_members_find(const stoa_members *members, const H5O_token_t *token);
void stoa_members_clear(stoa_members *members);
/* Open what a hard link leads to, by its address, so that no name can lead astray. The caller
 * closes it; H5I_INVALID_HID after a finding. */
hid_t stoa_member_open(stoa_checker *checker, hid_t file, const stoa_member *member);

/* A table as the check has collected it. */
typedef struct stoa_checked_table {
    stoa_subject group;
    unsigned long fileno; /* references must not lead out of this file */
    H5O_token_t token;
    bool has_n_rows; /* NROWS could be read */
    uint64_t n_rows;
    stoa_members columns;
    stoa_members categories; /* datasets of CATEGORIES */
    stoa_members indexes;    /* datasets of SEARCH_INDEXES */
    bool has_unknown_kind;   /* an index of a KIND that these rules do not know is there */
    bool is_newer;           /* of a later MINOR: there may be more than these rules know */
} stoa_checked_table;

/* Does CLASS say COLUMN_TABLE, however it is stored (§7.1)? */
bool stoa_check_is_table(stoa_checker *checker, hid_t object);
/* Everything about one table; its group is open. */
void stoa_check_table(stoa_checker *checker, const stoa_subject *group);

/* One object kind each, in this order; every later one relies on marks of the earlier ones. */
void stoa_check_contents(stoa_checker *checker, stoa_checked_table *table);   /* §7.6 */
void stoa_check_columns(stoa_checker *checker, stoa_checked_table *table);    /* §8, §12 */
void stoa_check_categories(stoa_checker *checker, stoa_checked_table *table); /* §8.7 */
void stoa_check_indexes(stoa_checker *checker, stoa_checked_table *table);    /* §10 */

/* What an object is to the specification: decides which reserved attributes it may carry (§13). */
typedef enum stoa_role {
    STOA_ROLE_TABLE = 1,
    STOA_ROLE_COLUMN = 2,
    STOA_ROLE_CATEGORIES = 4, /* a categories dataset */
    STOA_ROLE_INDEX = 8,      /* a search index of a known KIND other than BITMAP */
    STOA_ROLE_BITMAP = 16,    /* a BITMAP index, or one of an unknown KIND */
    STOA_ROLE_OTHER = 32      /* an accompanying dataset, or one of the two subgroups */
} stoa_role;

/* The names of an object's attributes (§13.1, §13.3). */
void stoa_check_attribute_names(stoa_checker *checker, const stoa_subject *object, stoa_role role);

#endif
