/* Attributes as stored: datatype, shape, size, padding and character set. */
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

/* False if the attribute is absent or (after a finding) unreadable; else the caller closes it. */
bool stoa_attribute_open(stoa_checker *checker, const stoa_subject *object, const char *name,
                         stoa_attribute *attribute);
void stoa_attribute_close(stoa_attribute *attribute);
/* The name of the datatype for messages ("uint8", "a variable-length string", ...); static
 * storage. */
const char *stoa_attribute_type_name(const stoa_attribute *attribute);

/* The rules that apply to a text attribute. */
typedef struct stoa_text_rules {
    stoa_rule_id type;    /* fixed-length string */
    stoa_rule_id shape;   /* scalar, or 1-D for a list */
    stoa_rule_id charset; /* the flag of the datatype */
    stoa_rule_id bytes;   /* the text */
    H5T_cset_t expected;  /* character set */
} stoa_text_rules;

/*
 * Check a scalar text attribute. `rules` NULL: only read it, whatever its form.
 * @return the value without padding, for the caller to free(); NULL if it is absent or unreadable
 */
char *stoa_check_text(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules);
/*
 * Check a list of texts. A list longer than `most` is not read.
 * @return false if there is no list that can be read
 */
bool stoa_check_texts(stoa_checker *checker, const stoa_subject *object, const char *name,
                      const stoa_text_rules *rules, uint64_t most, char ***values, size_t *n);

/*
 * Check a boolean attribute (§6); it may be absent.
 * @return 0 or 1; -1 if it is absent or has no boolean value
 */
int stoa_check_bool(stoa_checker *checker, const stoa_subject *object, const char *name,
                    stoa_rule_id shape);

/* Whether a datatype is a boolean as readers must take it: an enumeration over one byte with
 * exactly FALSE = 0 and TRUE = 1 (HEP001-2026-07 §6). */
bool stoa_check_is_boolean(hid_t type);
/* Whether a datatype is the unsigned integer of this size, in either byte order. */
bool stoa_check_is_unsigned(hid_t type, size_t size);
/* The rules that apply to an unsigned number. */
typedef struct stoa_number_rules {
    stoa_rule_id present;
    stoa_rule_id type;
    stoa_rule_id shape;
    size_t size; /* bytes */
} stoa_number_rules;

/* Check a required scalar attribute; false if no number can be read. */
bool stoa_check_number(stoa_checker *checker, const stoa_subject *object, const char *name,
                       const stoa_number_rules *rules, uint64_t *value);

/* The target of one reference. */
typedef struct stoa_target {
    bool is_null;
    bool resolves;     /* to an object of this file */
    H5O_token_t token; /* of that object */
} stoa_target;

/* Check an attribute of references (§5); false if it is absent. `scalar`: one reference in a scalar
 * dataspace, else 1-D. The caller frees *targets, which is NULL if they cannot be read; *n counts
 * them. */
bool stoa_check_references(stoa_checker *checker, const stoa_subject *object, const char *name,
                           bool scalar, stoa_rule_id shape, unsigned long fileno,
                           stoa_target **targets, size_t *n);

#endif
