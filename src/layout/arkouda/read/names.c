/* Arkouda's names of objects and files (arkouda.h). */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "layout/arkouda/read/arkouda.h"

static const struct {
    const char *word;
    const char *name;
} kinds[] = {
    [STOA_ARKOUDA_ARRAYVIEW] = {"arrayview", "ArrayView"},
    [STOA_ARKOUDA_PDARRAY] = {"pdarray", "array"},
    [STOA_ARKOUDA_STRINGS] = {"strings", "strings_array"},
    [STOA_ARKOUDA_SEGARRAY] = {"segarray", "segarray"},
    [STOA_ARKOUDA_CATEGORICAL] = {"categorical", "categorical_array"},
    [STOA_ARKOUDA_GROUPBY] = {"groupby", "groupby"},
    [STOA_ARKOUDA_DATAFRAME] = {"dataframe", "DataFrame"},
    [STOA_ARKOUDA_DATETIME] = {"datetime", "array"},
    [STOA_ARKOUDA_TIMEDELTA] = {"timedelta", "array"},
    [STOA_ARKOUDA_IPV4] = {"ipv4", "array"},
    [STOA_ARKOUDA_INDEX] = {"index", "index"},
    [STOA_ARKOUDA_MULTIINDEX] = {"multiindex", "index"},
};

static bool is_kind(int64_t kind)
{
    return kind >= 0 && kind < (int64_t)(sizeof kinds / sizeof *kinds);
}

const char *stoa_arkouda_word(int64_t kind)
{
    return is_kind(kind) ? kinds[kind].word : NULL;
}

const char *stoa_arkouda_default_name(stoa_arkouda_kind kind)
{
    return is_kind(kind) ? kinds[kind].name : NULL;
}

size_t stoa_arkouda_stem(const char *file)
{
    const char *const dot = strrchr(file, '.');

    return dot == NULL || strchr(dot, '/') != NULL ? strlen(file) : (size_t)(dot - file);
}

char *stoa_arkouda_locale_file(const char *file, uint64_t locale)
{
    const size_t stem = stoa_arkouda_stem(file);

    return stoa_format("%.*s" STOA_ARKOUDA_LOCALE "%04" PRIu64 "%s", (int)stem, file, locale,
                       file + stem);
}

/* ceil(n k / L) without an overflow in the product. */
uint64_t stoa_arkouda_first_row(uint64_t n_rows, uint64_t locale, uint64_t n_locales)
{
    const uint64_t whole = n_rows / n_locales;
    const uint64_t rest = n_rows % n_locales;

    return whole * locale + (rest * locale + n_locales - 1) / n_locales;
}
