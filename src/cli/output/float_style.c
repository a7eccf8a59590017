#include "cli/output/float_style.h"

#include <math.h>
#include <string.h>

#include "cli/common/cli.h"

enum { MAX_DECIMALS = 4 };

void cli_float_learn(cli_float_style *style, const stoa_view *view, int64_t i)
{
    char digits[STOA_NUMBER_SIZE];
    const double value =
        style->is_float && !stoa_view_is_null(view, i) ? stoa_view_f64(view, i) : 0;
    const char *point;
    int decimals;

    if (!isfinite(value) || value == 0) {
        return;
    }
    if (view->type.kind == STOA_KIND_FLOAT64) {
        stoa_format_f64(value, digits);
    } else {
        stoa_format_f32((float)value, digits);
    }
    point = strchr(digits, '.');
    decimals = point == NULL ? 0 : (int)strspn(point + 1, "0123456789");
    if (strchr(digits, 'e') != NULL || fabs(value) < 1e-3) {
        style->is_scientific = true;
    }
    if (decimals > style->decimals) {
        style->decimals = decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS;
    }
}

char *cli_float_text(const cli_float_style *style, double value)
{
    if (!isfinite(value) || (style->is_scientific && value == 0)) {
        return NULL;
    }
    return style->is_scientific ? cli_sprintf("%.5g", value)
                                : cli_sprintf("%.*f", style->decimals, value);
}
