/* See missing.h. */
#include "cli/missing.h"

void cli_missing_option(cli_args *args, cli_texts *missing)
{
    cli_list(
        args, missing, "--missing [COL=]VALUE",
        "what stands for missing values that the layout cannot hold: a value of the column's "
        "type, or nan, which makes numbers float64; for lh5 and arkouda also drop (leave the rows "
        "out), for arkouda mask (a column of bools beside); may be repeated");
}

const stoa_missing_value *cli_missing_values(cli_args *args, const cli_texts *missing)
{
    stoa_missing_value *const values = cli_keep(args, cli_resize(NULL, missing->n, sizeof *values));

    for (size_t i = 0; i < missing->n; i++) {
        values[i].column = cli_cut(args, missing->items[i], '=', &values[i].value);
        if (values[i].value == NULL) {
            values[i] = (stoa_missing_value){NULL, missing->items[i]};
        }
    }
    return values;
}
