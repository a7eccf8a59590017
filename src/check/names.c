/* Reserved names of attributes and datasets (HEP001 §13). */
#include <string.h>

#include "check/checker.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "table/open/reserved_names.h"

/* Who says what a name means, and so what a name in another place is. */
typedef enum name_kind {
    BOTH,      /* §13.2 */
    JULY,      /* reserved by July, and any name in June */
    BORROWED,  /* §13.3: names that keep their meaning in AnnData */
    ANNOTATION /* §13.1 rule 4: free to use anywhere, but defined on these objects */
} name_kind;

#define ASSIGNED(name, revision, roles) {name, revision, roles},

static const struct assigned_name {
    const char *name;
    name_kind kind;
    unsigned roles; /* objects that may have it as an attribute; 0: none */
} assigned[] = {
    STOA_RESERVED_NAMES(ASSIGNED)
    /* names that are not reserved */
    {"column-order", BORROWED, STOA_ROLE_TABLE},
    {"_index", BORROWED, STOA_ROLE_TABLE},
    {"ordered", BORROWED, STOA_ROLE_CATEGORIES | STOA_ROLE_INDEX | STOA_ROLE_BITMAP},
    {"encoding-type", BORROWED, ~0u},
    {"encoding-version", BORROWED, ~0u},
    {"units", ANNOTATION, STOA_ROLE_COLUMN | STOA_ROLE_LIST},
    {"units_vocabulary", ANNOTATION, STOA_ROLE_TABLE | STOA_ROLE_COLUMN | STOA_ROLE_LIST},
    {"description", ANNOTATION,
     STOA_ROLE_TABLE | STOA_ROLE_COLUMN | STOA_ROLE_INDEX | STOA_ROLE_BITMAP | STOA_ROLE_LIST},
};

enum { N_ASSIGNED = sizeof assigned / sizeof assigned[0] };

/* Fold case, and map the hyphen to the underscore that it is mistaken for. */
static char fold(char c)
{
    return c == '-' ? '_' : stoa_lower(c);
}

static bool is_alike(const char *a, const char *b)
{
    while (*a != '\0' && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

static bool is_of_revision(const stoa_checker *checker, const struct assigned_name *entry)
{
    return entry->kind != JULY || stoa_check_is_july(checker);
}

bool stoa_check_is_reserved(const stoa_checker *checker, const char *name)
{
    for (size_t i = 0; i < N_ASSIGNED; i++) {
        if ((assigned[i].kind == BOTH || assigned[i].kind == JULY) &&
            is_of_revision(checker, &assigned[i]) && strcmp(assigned[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_name(stoa_checker *checker, const char *path, stoa_role role, const char *name)
{
    const struct assigned_name *entry = NULL;
    const struct assigned_name *alike = NULL;

    for (size_t i = 0; i < N_ASSIGNED; i++) {
        if (!is_of_revision(checker, &assigned[i])) {
            continue;
        }
        if (strcmp(assigned[i].name, name) == 0) {
            entry = &assigned[i];
        } else if (alike == NULL && (assigned[i].roles & role) != 0 &&
                   is_alike(name, assigned[i].name)) {
            alike = &assigned[i];
        }
    }
    if (entry == NULL && alike != NULL) {
        stoa_check_report(checker, path, STOA_RULE_CASE,
                          "attribute '%s' is not '%s' and has no meaning here", name, alike->name);
    } else if (entry == NULL || (entry->roles & role) != 0) {
        return;
    } else if (entry->kind == BOTH || entry->kind == JULY) {
        stoa_check_report(checker, path, STOA_RULE_ATTRIBUTE,
                          "attribute '%s' has a reserved name that is not assigned to this "
                          "object; rename it",
                          name);
    } else if (entry->kind == BORROWED) {
        stoa_check_report(checker, path, STOA_RULE_REPURPOSED,
                          "attribute '%s' means nothing on this object", name);
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
