/* Reserved names of attributes and datasets (HEP001 §13). */
#include <string.h>

#include "check/checker.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"

typedef struct assigned_name {
    const char *name;
    unsigned roles; /* objects that may have it as an attribute; 0: none */
} assigned_name;

/* §13.2, all of them. */
static const assigned_name reserved[] = {
    {"CATEGORIES", STOA_ROLE_COLUMN},
    {"SEARCH_INDEXES", 0},
    {"CLASS", STOA_ROLE_TABLE},
    {"VERSION", STOA_ROLE_TABLE},
    {"NROWS", STOA_ROLE_TABLE},
    {"TITLE", STOA_ROLE_TABLE},
    {"INDEX_COLUMNS", STOA_ROLE_TABLE},
    {"SEARCH_INDEX_LIST", STOA_ROLE_COLUMN},
    {"valid_min", STOA_ROLE_COLUMN},
    {"valid_max", STOA_ROLE_COLUMN},
    {"KIND", STOA_ROLE_INDEX | STOA_ROLE_BITMAP},
    {"VALUES", STOA_ROLE_BITMAP},
    {"CHUNK_MINMAX", 0},
    {"SORTED_ROWS", 0},
    {"BITMAP", 0},
    {"CHUNK_BLOOM", 0},
};

/* §13.3: names that keep their meaning in AnnData. */
static const assigned_name borrowed[] = {
    {"column-order", STOA_ROLE_TABLE},
    {"_index", STOA_ROLE_TABLE},
    {"ordered", STOA_ROLE_CATEGORIES | STOA_ROLE_INDEX | STOA_ROLE_BITMAP},
    {"encoding-type", ~0u},
    {"encoding-version", ~0u},
};

/* §13.1 rule 4: free to use anywhere, but defined on these objects. */
static const assigned_name annotations[] = {
    {"units", STOA_ROLE_COLUMN},
    {"units_vocabulary", STOA_ROLE_TABLE | STOA_ROLE_COLUMN},
    {"description", STOA_ROLE_TABLE | STOA_ROLE_COLUMN | STOA_ROLE_INDEX | STOA_ROLE_BITMAP},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const assigned_name *find(const assigned_name *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

/* Fold case, and map the hyphen to the underscore that it is mistaken for. */
static char fold(char c)
{
    return c == '-' ? '_' : stoa_lower(c);
}

static const char *find_alike(const assigned_name *list, size_t n, const char *name, unsigned role)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (name[k] != '\0' && fold(name[k]) == fold(list[i].name[k])) {
            k++;
        }
        if (name[k] == '\0' && list[i].name[k] == '\0' && (list[i].roles & role) != 0) {
            return list[i].name;
        }
    }
    return NULL;
}

static void check_name(stoa_checker *checker, const char *path, stoa_role role, const char *name)
{
    const assigned_name *entry = find(reserved, COUNT(reserved), name);
    const char *alike = NULL;

    if (entry != NULL) {
        if ((entry->roles & role) == 0) {
            stoa_check_report(checker, path, STOA_RULE_ATTRIBUTE,
                              "attribute '%s' has a reserved name that is not assigned to this "
                              "object; rename it",
                              name);
        }
        return;
    }
    entry = find(borrowed, COUNT(borrowed), name);
    if (entry != NULL) {
        if ((entry->roles & role) == 0) {
            stoa_check_report(checker, path, STOA_RULE_REPURPOSED,
                              "attribute '%s' means nothing on this object", name);
        }
        return;
    }
    if (find(annotations, COUNT(annotations), name) != NULL) {
        return;
    }
    alike = find_alike(reserved, COUNT(reserved), name, role);
    if (alike == NULL) {
        alike = find_alike(borrowed, COUNT(borrowed), name, role);
    }
    if (alike == NULL) {
        alike = find_alike(annotations, COUNT(annotations), name, role);
    }
    if (alike != NULL) {
        stoa_check_report(checker, path, STOA_RULE_CASE,
                          "attribute '%s' is not '%s' and has no meaning here", name, alike);
    }
}

void stoa_check_attribute_names(stoa_checker *checker, const stoa_subject *object, stoa_role role)
{
    stoa_buffer names = {0};
    bool are_listed = false;

    if (stoa_attribute_names(object->id, &names, &are_listed, checker->err) != STOA_OK) {
        stoa_check_memory(checker);
    } else if (!are_listed) {
        stoa_check_report(checker, object->path, STOA_RULE_UNREADABLE,
                          "the object's attributes cannot be listed; the file is damaged");
    }
    for (size_t at = 0; at < names.size && !stoa_check_over(checker);
         at += strlen((char *)names.data + at) + 1) {
        check_name(checker, object->path, role, (char *)names.data + at);
    }
    stoa_buffer_clear(&names);
}
