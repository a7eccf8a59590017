#include "cli/common/missing.h"

#include "cli/common/layouts.h"

static bool drops(const stoa_layout *layout)
{
    return stoa_layout_missing(layout)->drops;
}

static bool empties(const stoa_layout *layout)
{
    return stoa_layout_missing(layout)->empties;
}

static bool masks(const stoa_layout *layout)
{
    return stoa_layout_missing(layout)->masks;
}

void cli_missing_option(cli_args *args, cli_texts *missing)
{
    char *const help = cli_sprintf(
        "what stands for missing values that the layout cannot hold: a value of the column's "
        "type (of its items, if they are lists), or nan, which makes numbers float64; for %s also "
        "drop (leave the rows out), for %s [] (empty lists), for %s mask (a column of bools "
        "beside); may be repeated",
        cli_layout_names(args, drops), cli_layout_names(args, empties),
        cli_layout_names(args, masks));

    cli_list(args, missing, "--missing [COL=]VALUE", cli_keep(args, help));
}

void cli_fill_option(cli_args *args, cli_texts *fills)
{
    cli_list(
        args, fills, "--fill COL=VALUE",
        "what stands for a missing value of a column (nan among others), which must not be one "
        "of its values; may be repeated");
}

bool cli_fill_values(cli_args *args, const cli_texts *fills, const stoa_missing_value **values)
{
    stoa_missing_value *const made = cli_keep(args, cli_resize(NULL, fills->n, sizeof *made));

    for (size_t i = 0; i < fills->n; i++) {
        made[i].column = cli_cut(args, fills->items[i], '=', &made[i].value);
        if (made[i].value == NULL) {
            cli_misused(args, "--fill '%s' is not COL=VALUE", fills->items[i]);
            return false;
        }
    }
    *values = made;
    return true;
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
