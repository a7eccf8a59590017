/* Memory that the library returns. */
#ifndef STOA_MEMORY_H
#define STOA_MEMORY_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/** Release a text or buffer that a call returned, if its description names stoa_free(). NULL is
 * allowed. */
STOA_API void stoa_free(void *memory);

STOA_END_DECLS

#endif
