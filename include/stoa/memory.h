/* Memory that calls hand out. */
#ifndef STOA_MEMORY_H
#define STOA_MEMORY_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/** Release a text or buffer that a call handed out, as its description says. NULL is fine. */
STOA_API void stoa_free(void *memory);

STOA_END_DECLS

#endif
