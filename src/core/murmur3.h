/* MurmurHash3_x64_128: the hash of HEP001 §10.7. */
#ifndef STOA_CORE_MURMUR3_H
#define STOA_CORE_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

/* hash[0] is h1, the first eight bytes of the reference implementation's output read as a
 * little-endian number; hash[1] is h2. The same on every processor. */
void stoa_murmur3(const void *data, size_t length, uint32_t seed, uint64_t hash[2]);

#endif
