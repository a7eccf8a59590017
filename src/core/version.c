#include <stoa/stoa.h>

const char *stoa_version(void)
{
    return STOA_VERSION;
}

unsigned stoa_version_number(void)
{
    return STOA_VERSION_NUMBER;
}
