/* The rule book as an array. */
#include "check/rules.h"

static const stoa_rule rules[STOA_N_RULES] = {
#define STOA_RULE_ENTRY(name, section, text, level, object, meaning)                               \
    [STOA_RULE_##name] = {section "-" text, section, #level, object, meaning},
    STOA_RULES(STOA_RULE_ENTRY)
#undef STOA_RULE_ENTRY
};

const stoa_rule *stoa_rule_at(size_t id)
{
    return &rules[id];
}
