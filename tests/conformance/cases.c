/* The lists of cases together. */
#include "conformance/cases.h"

const case_list *const all_cases[N_CASE_LISTS] = {
    &conformant_cases, &whole_indexes, &table_cases, &column_cases, &index_cases, &sorted_cases,
    &bitmap_cases,     &bloom_cases,   &name_cases,  &july_cases,   &list_cases};

void make_case(hid_t file, const conformance_case *one)
{
    if (!one->from_nothing) {
        if (one->is_july) {
            build_july(file);
        } else {
            build_table(file);
        }
    }
    one->make(file);
}
