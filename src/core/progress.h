/* Reporting progress to a listener. */
#ifndef STOA_CORE_PROGRESS_H
#define STOA_CORE_PROGRESS_H

#include <stddef.h>
#include <stoa/progress.h>

#include "core/error.h"

/* Return STOA_OK to continue, or STOA_ECANCELLED if the listener asked to stop. `listener` may be
 * NULL. */
static inline stoa_status stoa_report_progress(const stoa_listener *listener,
                                               const stoa_progress *progress, stoa_error *err)
{
    if (listener == NULL || listener->on_progress == NULL ||
        listener->on_progress(listener->context, progress)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ECANCELLED, "interrupted");
}

#endif
