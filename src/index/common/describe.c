/* KIND and description of a search-index dataset (HEP001 §10.3). */
#include <stdlib.h>
#include <time.h>

#include <stoa/stoa.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "index/common/kind.h"

stoa_status stoa_index_describe(hid_t dataset, const char *kind, const char *parameters,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    char when[STOA_NUMBER_SIZE];
    char *text = NULL;

    (void)stoa_format_time((int64_t)time(NULL), STOA_TIME_SECOND, true, when);
    text = stoa_format("Built by Stoa %s, %s%s%s", STOA_VERSION, when,
                       parameters != NULL ? "; " : "", parameters != NULL ? parameters : "");
    STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_write_ascii(dataset, "KIND", kind, err));
    STOA_TRY(stoa_attribute_write_utf8(dataset, "description", text, err));

done:
    free(text);
    return status;
}
