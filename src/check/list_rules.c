/*
 * List columns, which June does not have (HEP001-2026-07 §9).
 *
 * A list column is a chain of levels. Each has OFFSETS, perhaps a MASK, and VALUES. VALUES is the
 * next level, or the leaf at the end. The number of entries of a level is the number of elements of
 * the level above it. So the chain is walked from the top, and contents are checked for as long as
 * that number is known.
 */
#include <stdlib.h>
#include <string.h>

#include "check/attributes.h"
#include "check/column_rules.h"
#include "core/text.h"

/* Lists that nest deeper are not followed: a link may lead back to a group above. */
#define MAX_LEVELS 64
/* More entries or bytes than this are not read unless they are stored: a file may claim any
 * number. */
#define MAX_UNSTORED ((uint64_t)1 << 24)
#define UNKNOWN UINT64_MAX

typedef struct level {
    stoa_checker *checker;
    const stoa_checked_table *table;
    stoa_subject group;
    char *path; /* of the group; NULL: the column's */
    bool is_strings;
    uint64_t n; /* entries; UNKNOWN: not to be had */
    stoa_members members;
    stoa_member *offsets; /* members; NULL: absent, or nothing that can be read */
    stoa_member *mask;
    stoa_member *values; /* CHARS in a group of strings */
    uint64_t n_elements; /* as OFFSETS say, once they are known to be right; else UNKNOWN */
} level;

/* --- §9.1, §9.4 CLASS and KIND --------------------------------------------------------------- */

/* One finding for the first deviation of a tag. */
static void check_tag(stoa_checker *checker, const stoa_subject *group, const char *name,
                      stoa_rule_id rule)
{
    stoa_attribute attribute;
    const char *what = NULL;
    char *value = NULL;

    if (!stoa_attribute_open(checker, group, name, &attribute)) {
        return;
    }
    value = stoa_check_text(checker, group, name, NULL);
    if (attribute.class != H5T_STRING || H5Tis_variable_str(attribute.type) != 0) {
        what = "a fixed-length string";
    } else if (attribute.shape != H5S_SCALAR) {
        what = "scalar";
    } else if (H5Tget_cset(attribute.type) != H5T_CSET_ASCII) {
        what = "marked as ASCII";
    } else if (H5Tget_strpad(attribute.type) != H5T_STR_NULLTERM) {
        what = "null-terminated";
    } else if (value != NULL && strlen(value) >= attribute.size) {
        what = "long enough for its NUL";
    }
    if (what != NULL) {
        stoa_check_report(checker, group->path, rule, "attribute '%s' is not %s", name, what);
    }
    free(value);
    stoa_attribute_close(&attribute);
}

/* False if the KIND is not known, so that nothing more can be said of the level. */
static bool check_kind(stoa_checker *checker, const stoa_subject *group)
{
    char *kind = NULL;
    bool is_known = false;

    if (H5Aexists(group->id, "KIND") == 0) {
        stoa_check_report(checker, group->path, STOA_RULE_LIST_KIND_PRESENT,
                          "the list has no KIND");
        return true; /* what it holds may still be as OFFSETS want it */
    }
    check_tag(checker, group, "KIND", STOA_RULE_LIST_KIND);
    kind = stoa_check_text(checker, group, "KIND", NULL);
    is_known = kind != NULL && strcmp(kind, "OFFSETS") == 0;
    if (kind != NULL && !is_known) {
        stoa_check_report(checker, group->path, STOA_RULE_LIST_KIND_UNKNOWN,
                          "KIND is '%s'; a list of an unknown kind cannot be read", kind);
    }
    free(kind);
    return is_known;
}

/* --- §9.2, §9.4 members ---------------------------------------------------------------------- */

static bool is_named(const stoa_member *member, const char *name)
{
    return strcmp(member->name, name) == 0;
}

/* Only a VALUES of a list may be a group. */
static bool has_its_kind(const level *l, const stoa_member *member)
{
    return member->kind == STOA_MEMBER_DATASET ||
           (member->kind == STOA_MEMBER_GROUP && !l->is_strings && is_named(member, "VALUES"));
}

static void sort_members(level *l, bool *has_offsets, bool *has_values)
{
    const char *const elements = l->is_strings ? "CHARS" : "VALUES";
    const stoa_rule_id rule = l->is_strings ? STOA_RULE_STRINGS_MEMBERS : STOA_RULE_LIST_MEMBERS;

    for (size_t i = 0; i < l->members.n && !stoa_check_over(l->checker); i++) {
        stoa_member *const member = &l->members.items[i];
        const bool is_offsets = is_named(member, "OFFSETS");
        const bool is_elements = is_named(member, elements);
        const bool is_mask = is_named(member, "MASK");

        *has_offsets = *has_offsets || is_offsets;
        *has_values = *has_values || is_elements;
        if ((is_offsets || is_elements || is_mask) && has_its_kind(l, member)) {
            *(is_offsets ? &l->offsets : is_mask ? &l->mask : &l->values) = member;
        } else if (member->kind == STOA_MEMBER_DATASET && !l->table->is_newer) {
            stoa_check_report(l->checker, member->path, rule,
                              "a list has no member '%s'; move it out of the table", member->name);
        } else {
            stoa_check_stranger(l->checker, l->table, member, rule);
        }
    }
}

static void find_members(level *l)
{
    const char *const elements = l->is_strings ? "CHARS" : "VALUES";
    const stoa_rule_id rule = l->is_strings ? STOA_RULE_STRINGS_MEMBERS : STOA_RULE_LIST_MEMBERS;
    bool has_offsets = false;
    bool has_values = false;

    if (!stoa_members_read(l->checker, &l->group, &l->members)) {
        return;
    }
    sort_members(l, &has_offsets, &has_values);
    if (!has_offsets) {
        stoa_check_report(l->checker, l->group.path, rule, "there are no OFFSETS");
    }
    if (!has_values) {
        stoa_check_report(l->checker, l->group.path, rule, "there are no %s", elements);
    }
}

/* An open member and the places of its rows. */
typedef struct array {
    stoa_subject subject;
    hid_t type;
    stoa_rows rows;
    stoa_rows_status status;
} array;

static bool array_open(level *l, const stoa_member *member, array *a)
{
    *a =
        (array){.subject = {stoa_member_open(l->checker, l->table->group.id, member), member->path},
                .type = H5I_INVALID_HID};
    if (a->subject.id >= 0) {
        a->type = H5Dget_type(a->subject.id);
        stoa_check_attribute_names(l->checker, &a->subject, STOA_ROLE_OTHER);
    }
    return a->type >= 0;
}

static void array_close(array *a)
{
    stoa_rows_clear(&a->rows);
    (void)stoa_hdf_close(&a->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&a->subject.id, STOA_OK, NULL);
}

/* Whether `count` elements can be read; if not, a finding says why. */
static bool array_is_readable(level *l, array *a, uint64_t count)
{
    uint64_t stored = 0;

    a->status = stoa_rows_of(l->checker, a->subject.id, &a->rows);
    stored = a->rows.chunk_rows == 0 ? (a->rows.is_allocated ? a->rows.extent : 0)
                                     : a->rows.n_chunks * a->rows.chunk_rows;
    if (a->status == STOA_ROWS_OK && count > stored && count - stored > MAX_UNSTORED) {
        a->status = STOA_ROWS_TOO_LARGE;
    }
    stoa_rows_report(l->checker, a->subject.path, a->status);
    return a->status == STOA_ROWS_OK && !stoa_check_over(l->checker);
}

static bool array_read(level *l, array *a, hid_t memory_type, size_t size, uint64_t first,
                       uint64_t count, stoa_rows_visitor visitor, void *context)
{
    a->status = stoa_rows_read(l->checker, a->subject.id, &a->rows, memory_type, size, first, count,
                               visitor, context);
    stoa_rows_report(l->checker, a->subject.path, a->status);
    return a->status == STOA_ROWS_OK && !stoa_check_over(l->checker);
}

/* --- §9.2 OFFSETS ---------------------------------------------------------------------------- */

typedef struct ascent {
    uint64_t last;
    bool is_late; /* OFFSETS[0] is not 0 */
    bool falls;
    uint64_t entry; /* that ends before it begins */
    uint64_t to;
} ascent;

static uint64_t load(const void *elements, size_t i)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)elements + i * sizeof value, sizeof value);
    return value;
}

static bool visit_offsets(void *context, uint64_t first, const void *elements, size_t n)
{
    ascent *a = context;

    for (size_t i = 0; i < n; i++) {
        const uint64_t offset = load(elements, i);
        if (first + i == 0) {
            a->is_late = offset != 0;
        } else if (offset < a->last) {
            a->falls = true;
            a->entry = first + i - 1;
            a->to = offset;
            return false;
        }
        a->last = offset;
    }
    return true;
}

static void read_offsets(level *l, array *offsets)
{
    const char *const path = offsets->subject.path;
    ascent a = {0};

    if (!array_is_readable(l, offsets, l->n + 1) ||
        !array_read(l, offsets, H5T_NATIVE_UINT64, sizeof(uint64_t), 0, l->n + 1, visit_offsets,
                    &a)) {
        return;
    }
    if (a.is_late) {
        stoa_check_report(l->checker, path, STOA_RULE_LIST_OFFSETS_FIRST, "OFFSETS[0] is not 0");
    }
    if (a.falls) {
        stoa_check_report(l->checker, path, STOA_RULE_LIST_OFFSETS_ORDER,
                          "entry %llu begins at %llu and ends at %llu", (unsigned long long)a.entry,
                          (unsigned long long)a.last, (unsigned long long)a.to);
    } else {
        l->n_elements = a.last;
    }
}

static void check_offsets(level *l, array *offsets)
{
    const char *const path = offsets->subject.path;

    if (l->offsets->rank != 1 || !stoa_check_is_unsigned(offsets->type, 8)) {
        stoa_check_report(l->checker, path, STOA_RULE_LIST_OFFSETS,
                          "OFFSETS must be of uint64 and have rank 1");
        return;
    }
    if (l->n == UNKNOWN) {
        return;
    }
    if (l->offsets->extent <= l->n) {
        stoa_check_report(l->checker, path, STOA_RULE_LIST_OFFSETS_EXTENT,
                          "there are %llu offsets; %llu entries need one more than there are "
                          "entries",
                          (unsigned long long)l->offsets->extent, (unsigned long long)l->n);
        return;
    }
    read_offsets(l, offsets);
}

/* --- §9.2 MASK ------------------------------------------------------------------------------- */

typedef struct nulls {
    level *l;
    array *offsets; /* NULL: slices are not known */
    const char *path;
    const uint8_t *mask; /* of the slice that is looked at */
    uint64_t first;
    uint64_t last; /* the offset before the slice of offsets */
    bool is_strange;
    bool has_slice;
} nulls;

/* Offsets [first, first + n] of the mask's slice, in pieces. */
static bool visit_slices(void *context, uint64_t first, const void *elements, size_t n)
{
    nulls *const s = context;

    for (size_t i = 0; i < n && !s->has_slice; i++) {
        const uint64_t offset = load(elements, i);
        const uint64_t at = first + i;
        if (at > s->first && s->mask[at - 1 - s->first] == 0 && offset != s->last) {
            s->has_slice = true;
            stoa_check_report(s->l->checker, s->path, STOA_RULE_LIST_NULL_SLICE,
                              "entry %llu is null and has %llu elements",
                              (unsigned long long)(at - 1), (unsigned long long)(offset - s->last));
        }
        s->last = offset;
    }
    return !s->has_slice;
}

static bool visit_mask(void *context, uint64_t first, const void *elements, size_t n)
{
    nulls *const s = context;

    s->mask = elements;
    s->first = first;
    for (size_t i = 0; i < n && !s->is_strange; i++) {
        if (s->mask[i] > 1) {
            s->is_strange = true;
            stoa_check_report(s->l->checker, s->path, STOA_RULE_LIST_MASK_VALUE,
                              "element %llu is %d, which is neither FALSE nor TRUE",
                              (unsigned long long)(first + i), (int)(int8_t)s->mask[i]);
        }
    }
    if (s->offsets != NULL && !s->has_slice &&
        !array_read(s->l, s->offsets, H5T_NATIVE_UINT64, sizeof(uint64_t), first, (uint64_t)n + 1,
                    visit_slices, s)) {
        return false;
    }
    return !s->is_strange || (s->offsets != NULL && !s->has_slice);
}

/* `offsets` NULL: they are broken. */
static void check_mask(level *l, array *offsets)
{
    array mask;
    nulls s = {.l = l, .offsets = l->n_elements == UNKNOWN ? NULL : offsets};

    if (array_open(l, l->mask, &mask)) {
        hid_t base = stoa_check_is_boolean(mask.type) ? H5Tget_super(mask.type) : H5I_INVALID_HID;
        s.path = mask.subject.path;
        if (l->mask->rank != 1 || base < 0 || H5Tequal(base, H5T_STD_I8LE) <= 0) {
            stoa_check_report(
                l->checker, s.path, STOA_RULE_LIST_MASK,
                "MASK must have rank 1 and the boolean datatype: FALSE = 0 and TRUE = "
                "1 over H5T_STD_I8LE");
        } else if (l->n == UNKNOWN) {
            ; /* how much of it counts is not known */
        } else if (l->mask->extent < l->n) {
            stoa_check_report(l->checker, s.path, STOA_RULE_LIST_MASK_EXTENT,
                              "MASK has %llu elements for %llu entries",
                              (unsigned long long)l->mask->extent, (unsigned long long)l->n);
        } else if (l->n > 0 && array_is_readable(l, &mask, l->n)) {
            (void)array_read(l, &mask, mask.type, 1, 0, l->n, visit_mask, &s);
        }
        (void)stoa_hdf_close(&base, STOA_OK, NULL);
    }
    array_close(&mask);
}

/* --- §9.4 CHARS ------------------------------------------------------------------------------ */

typedef struct texts {
    level *l;
    array *chars;
    const void *ends; /* offsets of a piece, and the number of the first of them */
    uint64_t first;
    size_t next;        /* of them: where the string ends that is looked at */
    uint64_t begin;     /* of the next piece of bytes */
    uint8_t pending[4]; /* a character of which bytes are missing yet */
    size_t n_pending;
    bool is_broken;
} texts;

/* Bytes of one string. A character may be cut by the end of a piece, not by that of its string. */
static bool is_text(texts *t, const uint8_t *bytes, size_t n, bool is_end)
{
    while (n > 0 && t->n_pending > 0) {
        t->pending[t->n_pending++] = *bytes++;
        n--;
        if (stoa_utf8_valid((const char *)t->pending, t->n_pending) == t->n_pending) {
            t->n_pending = 0;
        } else if (t->n_pending == sizeof t->pending) {
            return false;
        }
    }
    const size_t valid = stoa_utf8_valid((const char *)bytes, n);
    if (n - valid >= sizeof t->pending) {
        return false;
    }
    if (n > valid) {
        memcpy(t->pending, bytes + valid, n - valid);
        t->n_pending = n - valid;
    }
    return !is_end || t->n_pending == 0;
}

static bool visit_bytes(void *context, uint64_t first, const void *elements, size_t n)
{
    texts *const t = context;

    for (uint64_t at = first; at < first + n && !t->is_broken;) {
        while (load(t->ends, t->next) <= at) {
            t->next++; /* the last one is past the bytes that are read */
        }
        const uint64_t end = load(t->ends, t->next);
        const uint64_t stop = end < first + n ? end : first + n;
        t->is_broken =
            !is_text(t, (const uint8_t *)elements + (at - first), (size_t)(stop - at), stop == end);
        at = stop;
    }
    if (t->is_broken) {
        stoa_check_report(t->l->checker, t->chars->subject.path, STOA_RULE_STRINGS_UTF8,
                          "string %llu is not valid UTF-8",
                          (unsigned long long)(t->first + t->next - 1));
    }
    return !t->is_broken;
}

/* Look at the strings that end at these offsets. */
static bool visit_ends(void *context, uint64_t first, const void *elements, size_t n)
{
    texts *const t = context;
    const uint64_t begin = t->begin;
    const uint64_t end = load(elements, n - 1);

    t->ends = elements;
    t->first = first;
    t->next = 0;
    t->begin = end;
    return end == begin ||
           (array_read(t->l, t->chars, H5T_NATIVE_UINT8, 1, begin, end - begin, visit_bytes, t) &&
            !t->is_broken);
}

static void check_chars(level *l, array *offsets)
{
    array chars;
    texts t = {.l = l, .chars = &chars};

    if (array_open(l, l->values, &chars)) {
        const char *const path = chars.subject.path;
        if (l->values->rank != 1 || !stoa_check_is_unsigned(chars.type, 1)) {
            stoa_check_report(l->checker, path, STOA_RULE_STRINGS_CHARS,
                              "CHARS must be of uint8 and have rank 1");
        } else if (l->n_elements == UNKNOWN) {
            ; /* where strings end is not known */
        } else if (l->values->extent < l->n_elements) {
            stoa_check_report(l->checker, path, STOA_RULE_STRINGS_CHARS_EXTENT,
                              "there are %llu bytes; OFFSETS speak of %llu",
                              (unsigned long long)l->values->extent,
                              (unsigned long long)l->n_elements);
        } else if (l->n_elements > 0 && array_is_readable(l, &chars, l->n_elements)) {
            (void)array_read(l, offsets, H5T_NATIVE_UINT64, sizeof(uint64_t), 0, l->n + 1,
                             visit_ends, &t);
        }
    }
    array_close(&chars);
}

/* --- a level --------------------------------------------------------------------------------- */

/* False if VALUES is a group, and so the next level. */
static bool check_values(level *l, array *offsets)
{
    if (l->values == NULL) {
        return true;
    }
    if (l->values->kind == STOA_MEMBER_GROUP) {
        return false;
    }
    if (l->is_strings) {
        check_chars(l, offsets);
    } else if (l->values->rank != 1) {
        stoa_check_report(l->checker, l->values->path, STOA_RULE_LIST_VALUES,
                          "VALUES must have rank 1");
    } else {
        stoa_check_leaf(l->checker, l->table, l->values, l->n_elements);
    }
    return true;
}

static bool check_members(level *l)
{
    array offsets = {.subject = {H5I_INVALID_HID, NULL}, .type = H5I_INVALID_HID};
    bool is_last = true;

    find_members(l);
    if (l->offsets != NULL && array_open(l, l->offsets, &offsets)) {
        check_offsets(l, &offsets);
    }
    if (l->mask != NULL) {
        check_mask(l, &offsets);
    }
    is_last = check_values(l, &offsets);
    array_close(&offsets);
    return is_last;
}

static void close_level(level *l)
{
    stoa_members_clear(&l->members);
    (void)stoa_hdf_close(&l->group.id, STOA_OK, NULL);
    free(l->path);
}

/* Go to the group that VALUES is; false if it is neither list nor strings. */
static bool descend(level *l)
{
    level next = {
        .checker = l->checker, .table = l->table, .n = l->n_elements, .n_elements = UNKNOWN};

    next.group.id = stoa_member_open(l->checker, l->table->group.id, l->values);
    if (next.group.id < 0) {
        return false;
    }
    next.is_strings = stoa_check_has_class(l->checker, next.group.id, "STRING_VALUES");
    if (!next.is_strings && !stoa_check_has_class(l->checker, next.group.id, "LIST_COLUMN")) {
        stoa_check_report(l->checker, l->values->path, STOA_RULE_LIST_VALUES,
                          "CLASS of the group VALUES is neither LIST_COLUMN nor STRING_VALUES");
        (void)stoa_hdf_close(&next.group.id, STOA_OK, NULL);
        return false;
    }
    next.path = l->values->path;
    next.group.path = next.path;
    l->values->path = NULL;
    close_level(l);
    *l = next;
    return true;
}

/* Whether the level can be followed by what is in it. */
static bool check_identity(level *l)
{
    stoa_checker *const checker = l->checker;

    stoa_check_attribute_names(checker, &l->group,
                               l->is_strings ? STOA_ROLE_STRINGS : STOA_ROLE_LIST);
    if (l->is_strings) {
        check_tag(checker, &l->group, "CLASS", STOA_RULE_STRINGS_CLASS);
        return true;
    }
    check_tag(checker, &l->group, "CLASS", STOA_RULE_LIST_CLASS);
    if (H5Aexists(l->group.id, "SEARCH_INDEX_LIST") > 0) {
        stoa_check_report(checker, l->group.path, STOA_RULE_LIST_INDEX_LIST,
                          "a list column has SEARCH_INDEX_LIST; there are no indexes of lists");
    }
    return check_kind(checker, &l->group);
}

static void check_levels(level *l)
{
    for (int depth = 1; check_identity(l) && !check_members(l) && !stoa_check_over(l->checker);
         depth++) {
        if (depth == MAX_LEVELS) {
            stoa_check_report(l->checker, l->values->path, STOA_RULE_NOT_READ,
                              "lists that nest deeper than %d levels are not judged", MAX_LEVELS);
            return;
        }
        if (!descend(l)) {
            return;
        }
    }
}

static void check_list(stoa_checker *checker, const stoa_checked_table *table,
                       const stoa_member *member)
{
    level l = {.checker = checker,
               .table = table,
               .group = {stoa_member_open(checker, table->group.id, member), member->path},
               .n = table->has_n_rows ? table->n_rows : UNKNOWN,
               .n_elements = UNKNOWN};

    stoa_check_column_name(checker, member);
    if (l.group.id >= 0) {
        stoa_check_column_texts(checker, &l.group);
        check_levels(&l);
    }
    close_level(&l);
}

void stoa_check_lists(stoa_checker *checker, stoa_checked_table *table)
{
    for (size_t i = 0; i < table->lists.n && !stoa_check_over(checker); i++) {
        check_list(checker, table, &table->lists.items[i]);
    }
}
