/* The table of all functions, by subject. */
#include "query/functions/functions.h"

static const stoa_function_group *const groups[] = {
    &stoa_number_functions, &stoa_text_functions,   &stoa_pattern_functions,
    &stoa_time_functions,   &stoa_choice_functions, &stoa_cast_functions,
};

const stoa_function_group *stoa_function_group_at(size_t i)
{
    return i < sizeof groups / sizeof groups[0] ? groups[i] : NULL;
}

const stoa_function *stoa_function_next(const char *name, size_t length, const stoa_function *after)
{
    bool is_behind = after == NULL;

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        for (size_t k = 0; k < groups[i]->n; k++) {
            const stoa_function *const function = &groups[i]->functions[k];
            if (is_behind && stoa_function_is(&function->text, name, length)) {
                return function;
            }
            is_behind = is_behind || function == after;
        }
    }
    return NULL;
}
