/* Attributes looked at exactly: their datatype, shape, size, padding and character set as stored.
 */
#ifndef STOA_CHECK_ATTRIBUTES_H
#define STOA_CHECK_ATTRIBUTES_H

#include "check/checker.h"

/* An open attribute. */
typedef struct stoa_attribute {
    hid_t id;
    hid_t type;
    H5T_class_t class;
    size_t size; /* bytes of one element */
    H5S_class_t shape;
    int rank;
    uint64_t n; /* elements; 0 for a null dataspace */
} stoa_attribute;

/* False where it is absent or (after a finding) unreadable; else the caller closes it. */
bool stoa_attribute_open(stoa_checker *checker, const stoa_subject *object, const char *name,
                         stoa_attribute *attribute);
void stoa_attribute_close(stoa_attribute *attribute);
/* "uint8", "a variable-length string", ... for messages; static storage. */
const char *stoa_attribute_type_name(const stoa_attribute *attribute);

/* The rules a text attribute answers to. */
typedef struct stoa_text_rules {
    stoa_rule_id type;    /* fixed-length string */
    stoa_rule_id shape;   /* scalar, or 1-D for a list */
    stoa_rule_id charset; /* the flag of the datatype */
    stoa_rule_id bytes;   /* the text itself */
    H5T_cset_t expected;  /* character set */
} stoa_text_rules;

/* Check a scalar text attribute; its value without padding (free()), NULL where it is absent or
 * cannot be read. `rules` NULL: only read, whatever its form. */
char *stoa_check_text(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules);
/* Check a list of texts; a list longer than `most` is not read. False where there is none to read.
 */
bool stoa_check_texts(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules, uint64_t most, char ***values, size_t *n);

/* Check a boolean attribute (§6); absence is fine. 0 or 1 where it says one of them, else -1. */
int stoa_check_bool(stoa_checker *checker, const stoa_subject *object, const char *name,
                    stoa_rule_id shape);

/* Whether a datatype is the unsigned integer of this size, in either byte order. */
bool stoa_check_is_unsigned(hid_t type, size_t size);
/* The rules an unsigned number answers to. */
typedef struct stoa_number_rules {
    stoa_rule_id present;
    stoa_rule_id type;
    stoa_rule_id shape;
    size_t size; /* bytes */
} stoa_number_rules;

/* Check a scalar attribute that must be there; false where no number can be read. */
bool stoa_check_number(stoa_checker *checker, const stoa_subject *object, const char *name,
                       const stoa_number_rules *rules, uint64_t *value);

/* Where one reference leads. */
typedef struct stoa_target {
    bool is_null;
    bool resolves;     /* to an object of this file */
    H5O_token_t token; /* of that object */
} stoa_target;

/* Check an attribute of references (§5); absent: false. `scalar`: one reference in a scalar
 * dataspace, else 1-D. *targets (free()) is NULL where they cannot be read; *n counts them. */
bool stoa_check_references(stoa_checker *checker, const stoa_subject *object, const char *name,
                           bool scalar, stoa_rule_id shape, unsigned long fileno,
                           stoa_target **targets, size_t *n);

#endif
