#include "cli/transfer/convert_arrow.h"

#include "arrow/build.h"
#include "cli/common/progress.h"
#include "cli/transfer/convert_into.h"
#include "layout/input/arrow_file.h"

stoa_status cli_convert_arrow(const char *from, const char *to, stoa_layout_mode mode, bool safe,
                              const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {.release = NULL};
    cli_place place = {.safe = safe};

    STOA_TRY(cli_place_parse(&place, to, err));
    if (place.place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "an Arrow file has no paths; give one, as %s:/rows", to);
    }
    STOA_TRY(stoa_arrow_open(from, &options->listener, &stream, err));
    STOA_TRY(cli_place_open_file(&place, cli_mode_of_file(mode, place.place.file), err));
    STOA_TRY(stoa_layout_write(stoa_file_id(place.file), place.place.path, &stream, options, n_rows,
                               err));
    cli_progress_clear();
    STOA_TRY(cli_place_commit(&place, false, err));

done:
    stoa_stream_release(&stream);
    cli_place_close(&place);
    return status;
}
