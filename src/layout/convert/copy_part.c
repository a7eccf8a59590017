#include "layout/convert/copy_part.h"

#include "layout/registry.h"
#include "table/open/table.h"

stoa_status stoa_layout_copy_part(stoa_table *from, const stoa_query_options *what, hid_t *file,
                                  stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options plain = STOA_LAYOUT_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;

    plain.layout = stoa_layout_home()->name;
    plain.codec = "none";
    STOA_TRY(stoa_layout_open_temporary(file, err));
    STOA_TRY(stoa_layout_prepare(from, stoa_layout_home(), err));
    if (what == NULL) {
        STOA_TRY(stoa_layout_write_table(from, *file, "/rows", &plain, NULL, err));
    } else {
        plain.like = from;
        STOA_TRY(stoa_query_open(from, what, &query, err));
        STOA_TRY(stoa_query_run(query, &stream, err));
        STOA_TRY(stoa_layout_write(*file, "/rows", &stream, &plain, NULL, err));
    }
    STOA_TRY(stoa_hep001_open(*file, "/rows", table, err));

done:
    if (stream.release != NULL) {
        stream.release(&stream);
    }
    stoa_query_close(query);
    return status;
}
