/* Status codes, and errors that name the object and the broken rule. You own the error. */
#ifndef STOA_ERROR_H
#define STOA_ERROR_H

#if defined(_WIN32)
#define STOA_API
#else
#define STOA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define STOA_BEGIN_DECLS extern "C" {
#define STOA_END_DECLS }
#else
#define STOA_BEGIN_DECLS
#define STOA_END_DECLS
#endif

/* Compilers warn if you ignore a status. */
#if defined(__GNUC__)
#define STOA_MUST_CHECK __attribute__((warn_unused_result))
#define STOA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define STOA_MUST_CHECK
#define STOA_PRINTF(fmt, args)
#endif

STOA_BEGIN_DECLS

/** The result of a call. Failures that you may want to distinguish have a status of their own. */
typedef enum stoa_status {
    STOA_OK = 0,
    STOA_EINVAL = 1,     /**< an argument or option is wrong */
    STOA_ENOTFOUND = 2,  /**< no such file, object or column */
    STOA_EEXISTS = 3,    /**< the object exists already */
    STOA_ELAYOUT = 4,    /**< the object is not of the requested layout */
    STOA_EVERSION = 5,   /**< the object has a newer revision of its layout than this library
                              reads */
    STOA_ETYPE = 6,      /**< types do not match */
    STOA_ERANGE = 7,     /**< a row, size or value is out of range */
    STOA_EDATA = 8,      /**< data is damaged or breaks its specification */
    STOA_ELOSS = 9,      /**< the call would lose information */
    STOA_ESYNTAX = 10,   /**< a text (expression, place, CSV) cannot be parsed */
    STOA_EIO = 11,       /**< the operating system refused: permission, full disk, ... */
    STOA_EHDF5 = 12,     /**< libhdf5 refused */
    STOA_ENOMEM = 13,    /**< memory ran out */
    STOA_ECANCELLED = 14 /**< your progress callback stopped the job */
} stoa_status;

/** A failure, in one line: `where: message`. You own it; it needs no clean-up. */
typedef struct stoa_error {
    stoa_status status;
    char where[512];    /**< `FILE:PATH`, or the known part of it; may be empty */
    char message[1024]; /**< what is wrong, the rule in parentheses, then what to do */
} stoa_error;

#define STOA_ERROR_INIT                                                                            \
    {                                                                                              \
        STOA_OK, "", ""                                                                            \
    }

/** A short name of a status, such as "not found"; static storage. */
STOA_API const char *stoa_status_name(stoa_status status);

STOA_END_DECLS

#endif
