/* stoa column categories: values as categories, and their labels (HEP001 §8.7). */
#include <stdlib.h>

#include "cli/edit/edit.h"

typedef struct request {
    cli_texts columns;
    cli_texts labels;
    const char *share;
    bool plain;
    bool relabel;
    bool ordered;
} request;

static stoa_status change_one(stoa_table *table, const request *r, const char *column,
                              const stoa_edit_options *options, stoa_error *err)
{
    if (r->relabel) {
        return stoa_column_relabel(table, column, r->labels.items, r->labels.n, r->ordered, options,
                                   err);
    }
    return r->share != NULL ? stoa_column_share(table, column, r->share, options, err)
                            : stoa_column_categorize(table, column, !r->plain, options, err);
}

static const char *what_happened(const request *r)
{
    const bool one = r->columns.n == 1;

    if (r->relabel) {
        return one ? "has the labels given" : "have the labels given";
    }
    if (r->share != NULL) {
        return one ? "shares its categories with" : "share their categories with";
    }
    if (r->plain) {
        return one ? "is a plain column" : "are plain columns";
    }
    return one ? "is categorical" : "are categorical";
}

static stoa_status column_categories(cli_args *args, stoa_error *err)
{
    const char *labels = NULL;
    request r = {0};
    cli_edit edit = {0};

    cli_flag(args, &r.plain, "--plain", "make categories plain values again");
    cli_text(args, &labels, "--labels TEXT,TEXT",
             "all labels in this order; those that rows use must be among them");
    cli_flag(args, &r.ordered, "--ordered", "with --labels: their order means something");
    cli_text(args, &r.share, "--share COLUMN", "use the categories of that column too");
    cli_edit_options(args, &edit);
    cli_operands(args, &r.columns, "COLUMN...", "columns that change");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    r.relabel = labels != NULL;
    if (r.plain + r.relabel + (r.share != NULL) > 1) {
        return cli_misused(args, "--plain, --labels and --share exclude each other");
    }
    if (r.ordered && !r.relabel) {
        return cli_misused(args, "--ordered needs --labels, which say the order");
    }
    if (r.relabel) {
        cli_split_names_of(args, labels, &r.labels);
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    for (size_t i = 0; i < r.columns.n; i++) {
        STOA_RETURN_NOT_OK(
            change_one(edit.place->table, &r, r.columns.items[i], &edit.options, err));
    }
    return cli_edit_publish(&edit, err, "%s %s%s%s now", cli_list_names(args, &r.columns),
                            what_happened(&r), r.share != NULL ? " " : "",
                            r.share != NULL ? r.share : "");
}

const cli_command cmd_column_categories = {
    "column categories", "make values categories, or change the labels",
    "stoa column categories run.h5:/events size --labels low,mid,high --ordered",
    column_categories};
