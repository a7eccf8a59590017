/* The two functions that libhdf5 requires of a plugin. Nothing else is exported. */
#ifndef STOA_PLUGIN_H
#define STOA_PLUGIN_H

#include <H5PLextern.h>
#include <stoa/error.h>

/* Defines them: the kind of plugin, and its class. */
#define STOA_PLUGIN(kind, class)                                                                   \
    STOA_API H5PL_type_t H5PLget_plugin_type(void)                                                 \
    {                                                                                              \
        return kind;                                                                               \
    }                                                                                              \
    STOA_API const void *H5PLget_plugin_info(void)                                                 \
    {                                                                                              \
        return &(class);                                                                           \
    }

#endif
