/* Comparing labels byte by byte is much cheaper than looking each of them up. */
#include "column/write/label_cache.h"

#include <string.h>

/* Fewer labels are looked up just as fast. */
enum { MIN_LABELS = 64 };

static bool is_kept(const stoa_view *labels)
{
    return labels->type.kind == STOA_KIND_STRING && labels->null_count == 0 &&
           labels->length >= MIN_LABELS;
}

bool stoa_label_cache_recall(const stoa_label_cache *known, const stoa_view *labels, int64_t *codes)
{
    const size_t n = (size_t)labels->length;
    const int32_t *ours = (const int32_t *)(const void *)known->offsets.data;
    int32_t differences = 0;

    if (!is_kept(labels) || known->codes.size != n * sizeof *codes) {
        return false;
    }
    const int32_t *theirs = (const int32_t *)labels->offsets + labels->offset;
    for (size_t i = 0; i <= n; i++) {
        differences |= ours[i] ^ (theirs[i] - theirs[0]);
    }
    if (differences != 0 || (known->bytes.size != 0 &&
                             memcmp(known->bytes.data, (const char *)labels->values + theirs[0],
                                    known->bytes.size) != 0)) {
        return false;
    }
    memcpy(codes, known->codes.data, known->codes.size);
    return true;
}

void stoa_label_cache_keep(stoa_label_cache *known, const stoa_view *labels, const int64_t *codes)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)labels->length;

    known->bytes.size = 0;
    known->offsets.size = 0;
    known->codes.size = 0;
    if (!is_kept(labels)) {
        return;
    }
    const int32_t *theirs = (const int32_t *)labels->offsets + labels->offset;
    STOA_TRY(stoa_buffer_append(&known->bytes, (const char *)labels->values + theirs[0],
                                (size_t)(theirs[n] - theirs[0]), NULL));
    STOA_TRY(stoa_buffer_append(&known->offsets, theirs, (n + 1) * sizeof *theirs, NULL));
    int32_t *const ours = (int32_t *)(void *)known->offsets.data;
    for (size_t i = n + 1; i-- > 0;) {
        ours[i] -= ours[0];
    }
    STOA_TRY(stoa_buffer_append(&known->codes, codes, n * sizeof *codes, NULL));

done:
    if (status != STOA_OK) {
        stoa_label_cache_clear(known);
    }
}

void stoa_label_cache_clear(stoa_label_cache *known)
{
    stoa_buffer_clear(&known->bytes);
    stoa_buffer_clear(&known->offsets);
    stoa_buffer_clear(&known->codes);
}
