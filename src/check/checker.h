/*
 * The state of a running check, and the table that it checks.
 *
 * The checker reads with libhdf5 alone. The code that opens tables for use is lenient where the
 * checker must be exact, and sharing it would hide its errors.
 *
 * Check functions return nothing. Findings go to stoa_check_report(). The checker remembers when
 * memory runs out or the visitor stops, and each loop asks stoa_check_over().
 */
#ifndef STOA_CHECK_CHECKER_H
#define STOA_CHECK_CHECKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stoa/check.h>

#include "check/rules.h"
#include "core/memory.h"
#include "core/string_set.h"
#include "core/threads.h"
#include "hdf/ids.h"

/* Larger attributes and elements are not read. */
#define STOA_CHECK_MAX_BYTES ((uint64_t)16 << 20)

typedef struct stoa_checker {
    stoa_finding_visitor visitor;
    void *context;
    stoa_checked_visitor checked;
    stoa_workers *workers; /* that undo filters; NULL: only the caller's thread */
    const stoa_listener *listener;
    const char *stage;      /* that the listener is told; static storage */
    uint64_t n_rows;        /* of the current table */
    stoa_revision asked;    /* judge every table by it; STOA_REVISION_TOLD: by what it tells */
    stoa_revision revision; /* by which the current table is judged */
    const char *column;     /* that the current index describes; NULL: unknown, or no index */
    bool indexes;           /* recompute the contents of search indexes */
    bool strict;            /* also refuse a broken SHOULD and undescribed objects */
    uint64_t memory;        /* bytes that a comparison may hold at once */
    bool stopped;           /* the visitor returned false */
    bool muted;             /* check, but report nothing */
    stoa_status status;
    stoa_error *err;
    uint64_t n_findings;
    uint64_t n_refused;
    uint64_t n_tables;
    uint64_t n_old_references; /* of the current table: of H5T_STD_REF_OBJ */
    char filter[64];           /* the last missing one */
} stoa_checker;

static inline bool stoa_check_over(const stoa_checker *checker)
{
    return checker->stopped || checker->status != STOA_OK;
}

/* Whether the current table is judged by the revision of July 2026. */
static inline bool stoa_check_is_july(const stoa_checker *checker)
{
    return checker->revision == STOA_REVISION_2026_07;
}

/* Report a broken rule on the object at `path`, unless the rule does not hold in this revision. The
 * message becomes one line, whatever it quotes. */
void stoa_check_report(stoa_checker *checker, const char *path, stoa_rule_id id, const char *format,
                       ...) STOA_PRINTF(4, 5);
/* Tell the listener that rows up to `row` of the current table were looked at. It may end the
 * check. */
void stoa_check_tell(stoa_checker *checker, uint64_t row);
/* Memory has run out: end the check. */
void stoa_check_memory(stoa_checker *checker);

/* An open object, and its path for messages. */
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
    STOA_MEMBER_BROKEN    /* a hard link to an object that cannot be opened */
} stoa_member_kind;

/* One link of a group, and what the check knows of the object behind it. */
typedef struct stoa_member {
    char *name;
    char *path; /* absolute, for findings */
    stoa_member_kind kind;
    H5O_token_t token; /* of a hard link */
    int rank;          /* of a dataset; -1: a null dataspace */
    uint64_t extent;   /* of a dataset of rank 1 */

    size_t n_users; /* number of columns that reference it */
    size_t user;    /* the last of them */
    bool has_kind;  /* search index: has a KIND attribute */
    char *family;   /* search index: value of KIND; NULL if absent or unreadable */
    bool required;  /* search index: another index references it, and its KIND needs it */
    bool spare;     /* search index: another one references it without need */
    size_t labels;  /* column: position of its categories dataset, SIZE_MAX if none */
} stoa_member;

/* Some or all members of one group, indexed by the object they lead to. */
typedef struct stoa_members {
    stoa_member *items;
    size_t n;
    size_t capacity;
    stoa_string_set tokens; /* number -> firsts[number], the first member with that token */
    stoa_buffer firsts;
} stoa_members;

/* The links of a group, sorted by name; false (after a finding) if they cannot be listed. */
bool stoa_members_read(stoa_checker *checker, const stoa_subject *group, stoa_members *members);
/* Move a member to another list; the source is left empty. */
void stoa_members_move(stoa_checker *checker, stoa_member *from, stoa_members *to);
/* The first member that leads to this object; NULL if there is none. */
stoa_member *stoa_members_find(const stoa_members *members, const H5O_token_t *token);
void stoa_members_clear(stoa_members *members);
/*
 * Open the target of a hard link by its address, so that no name can redirect it.
 * @return for the caller to close; H5I_INVALID_HID after a finding
 */
hid_t stoa_member_open(stoa_checker *checker, hid_t file, const stoa_member *member);

/* A table, as the check has collected it. */
typedef struct stoa_checked_table {
    stoa_subject group;
    unsigned long fileno; /* of this file, which references must not leave */
    H5O_token_t token;
    bool has_n_rows; /* NROWS could be read */
    uint64_t n_rows;
    stoa_members columns;
    stoa_members lists;      /* groups of list columns (July) */
    stoa_members categories; /* datasets of CATEGORIES */
    stoa_members indexes;    /* datasets of SEARCH_INDEXES */
    bool has_generation;     /* GENERATION can be compared (July) */
    uint64_t generation;
    bool has_unknown_kind; /* an index has a KIND that these rules do not know */
    bool is_newer;         /* has a later MINOR version, which may add unknown objects */
} stoa_checked_table;

/* Whether CLASS is this text, in any form. */
bool stoa_check_has_class(stoa_checker *checker, hid_t object, const char *class);
/* Whether CLASS is COLUMN_TABLE, in any form (§7.1). */
bool stoa_check_is_table(stoa_checker *checker, hid_t object);
/* Which revision a table tells. `members` are those of its group. */
stoa_revision stoa_check_tell_revision(stoa_checker *checker, const stoa_subject *group,
                                       const stoa_members *members);
/* Check everything in one table, whose group is open. */
void stoa_check_table(stoa_checker *checker, const stoa_subject *group);

/* Each checks one kind of object. Call them in this order: later ones use marks of earlier ones. */
void stoa_check_contents(stoa_checker *checker, stoa_checked_table *table); /* §7.6 */
void stoa_check_columns(stoa_checker *checker, stoa_checked_table *table);  /* §8, §12 */
void stoa_check_lists(stoa_checker *checker, stoa_checked_table *table);    /* HEP001-2026-07 §9 */
void stoa_check_categories(stoa_checker *checker, stoa_checked_table *table); /* §8.7 */
void stoa_check_indexes(stoa_checker *checker, stoa_checked_table *table);    /* §10 */

/* Report an object that has no place where it was found; `group_rule` is the one about groups and
 * datasets there. */
void stoa_check_stranger(stoa_checker *checker, const stoa_checked_table *table,
                         const stoa_member *member, stoa_rule_id group_rule);

/* The role of an object, which decides the reserved attributes that it may have (§13). */
typedef enum stoa_role {
    STOA_ROLE_TABLE = 1,
    STOA_ROLE_COLUMN = 2,
    STOA_ROLE_CATEGORIES = 4, /* a categories dataset */
    STOA_ROLE_INDEX = 8,      /* a search index of a known KIND other than BITMAP */
    STOA_ROLE_BITMAP = 16,    /* a BITMAP index, or one of an unknown KIND */
    STOA_ROLE_OTHER = 32,     /* an accompanying dataset, a member of a list, or a subgroup */
    STOA_ROLE_LIST = 64,      /* a list, at any level */
    STOA_ROLE_STRINGS = 128,  /* a group of strings in a list */
    STOA_ROLE_LEAF = 256      /* a dataset of the elements of lists */
} stoa_role;

/* Check the names of an object's attributes (§13.1, §13.3). */
void stoa_check_attribute_names(stoa_checker *checker, const stoa_subject *object, stoa_role role);
/* Whether the revision of the current table reserves a name for itself (§13.2). */
bool stoa_check_is_reserved(const stoa_checker *checker, const char *name);

#endif
