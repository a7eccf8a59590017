#include "cli/output/type_name.h"

#include <string.h>

#include "arrow/type.h"
#include "cli/common/args.h"
#include "layout/text/sink.h"

/* A type name with its time zone, such as "timestamp[ns, Europe/Berlin]": stoa_type knows only
 * UTC. */
static char *zoned_name(const char *name, const char *format)
{
    enum { MAX_LENGTH = 64 };
    static const char in_utc[] = "UTC]";
    const char *const colon = strchr(format, ':');
    stoa_error unused = STOA_ERROR_INIT;
    stoa_sink zone = {.err = &unused};
    char *shown = NULL;

    if (colon != NULL && strlen(colon + 1) <= MAX_LENGTH) {
        stoa_sink_text(&zone, colon + 1);
        shown = cli_sprintf("%.*s%.*s]", (int)(strlen(name) - strlen(in_utc)), name,
                            (int)zone.text.size,
                            zone.text.data != NULL ? (const char *)zone.text.data : "");
    }
    stoa_sink_clear(&zone);
    return shown != NULL ? shown : cli_copy(name);
}

char *cli_type_name(const struct ArrowSchema *schema)
{
    stoa_error unused = STOA_ERROR_INIT;
    char name[64];
    stoa_type type;

    if (stoa_type_of(schema, &type, &unused) != STOA_OK) {
        return cli_copy("?");
    }
    if (type.kind == STOA_KIND_DICTIONARY) {
        return cli_copy("category");
    }
    if (type.kind == STOA_KIND_TIMESTAMP && type.utc) {
        return zoned_name(stoa_type_name(&type, name), schema->format);
    }
    return cli_copy(stoa_type_name(&type, name));
}
