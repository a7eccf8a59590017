/* A hash table of texts that never grows. Lookups need no lock; additions hold the mutex. A text is
 * stored before the slot that refers to it. */
#include "column/read/learned_dictionary.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"

/* Most bytes of all texts, and of one text. */
enum { MAX_BYTES = 1 << 20, MAX_LENGTH = 256 };
/* Each text must stand for at least so many rows on average, or codes do not pay off. */
enum { REPEATS = 4 };

enum { WORD = sizeof(uint64_t), NARROW_TEXTS = 256 };
static const uint32_t nothing = UINT32_MAX;

/* TOO_MANY texts: learning has stopped. WHOLE: every chunk is known. */
enum { LEARNING, TOO_MANY, WHOLE };

struct stoa_learned_dictionary {
    stoa_learned learned;    /* first; the other members are set by begin() */
    stoa_chunk_cache *cache; /* borrowed */
    uint64_t owners[2];      /* cache keys for codes of one byte and of two */
    size_t size;             /* of an element */
    size_t n_words;          /* of a text: an element padded with zeros */
    uint32_t most_texts;
    size_t n_slots;        /* a power of two */
    pthread_mutex_t mutex; /* held to add a text */
    uint64_t *texts;
    _Atomic uint32_t *slots; /* a text's code + 1; 0: free */
    _Atomic uint32_t n_texts;
    _Atomic uint64_t n_known; /* chunks */
    _Atomic int state;
    unsigned n_learners;
    bool has_missing;
    uint32_t missing;
    struct ArrowArray labels; /* made at the first request for the whole dictionary */
    struct ArrowSchema schema;
};

/* Opening ----------------------------------------------------------------------------------- */

bool stoa_learned_dictionary_suits(const stoa_column *column)
{
    const stoa_element *element = &column->element;

    return element->class == STOA_ELEMENT_FIXED_STRING && column->type.kind == STOA_KIND_STRING &&
           element->size > 0 && element->size <= MAX_LENGTH && column->read_context != NULL &&
           column->chunk_rows != 0 && column->n_rows >= REPEATS;
}

static void drop_texts(stoa_learned_dictionary *learned_dictionary)
{
    free(learned_dictionary->texts);
    free((void *)(uintptr_t)learned_dictionary->slots);
    learned_dictionary->texts = NULL;
    learned_dictionary->slots = NULL;
}

static void end(stoa_learned *learned)
{
    stoa_learned_dictionary *const learned_dictionary = (stoa_learned_dictionary *)learned;

    drop_texts(learned_dictionary);
    stoa_array_release(&learned_dictionary->labels);
    stoa_schema_release(&learned_dictionary->schema);
    (void)pthread_mutex_destroy(&learned_dictionary->mutex);
}

/* Allocate for the largest number of texts. The system provides the memory as it is written. */
static stoa_status make_room(stoa_learned_dictionary *learned_dictionary, const stoa_column *column,
                             stoa_error *err)
{
    const size_t size = column->element.size;
    uint64_t most = column->n_rows / REPEATS;

    learned_dictionary->size = size;
    learned_dictionary->n_words = (size + WORD - 1) / WORD;
    most = most < STOA_LEARNED_DICTIONARY_TEXTS ? most : STOA_LEARNED_DICTIONARY_TEXTS;
    if (most > MAX_BYTES / (learned_dictionary->n_words * WORD)) {
        most = MAX_BYTES / (learned_dictionary->n_words * WORD);
    }
    learned_dictionary->most_texts = (uint32_t)most;
    for (learned_dictionary->n_slots = 64; learned_dictionary->n_slots < 2 * most;) {
        learned_dictionary->n_slots *= 2;
    }
    learned_dictionary->cache = stoa_read_context_cache(column->read_context);
    learned_dictionary->owners[0] = stoa_chunk_cache_owner(learned_dictionary->cache);
    learned_dictionary->owners[1] = stoa_chunk_cache_owner(learned_dictionary->cache);
    learned_dictionary->texts = stoa_alloc_zero((size_t)most * learned_dictionary->n_words, WORD);
    learned_dictionary->slots =
        stoa_alloc_zero(learned_dictionary->n_slots, sizeof *learned_dictionary->slots);
    if (learned_dictionary->texts == NULL || learned_dictionary->slots == NULL) {
        drop_texts(learned_dictionary);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

static stoa_status begin(stoa_learned *learned, const stoa_column *column, stoa_error *err)
{
    stoa_learned_dictionary *const learned_dictionary = (stoa_learned_dictionary *)learned;

    STOA_RETURN_NOT_OK(make_room(learned_dictionary, column, err));
    const int failed = pthread_mutex_init(&learned_dictionary->mutex, NULL);
    if (failed != 0) {
        drop_texts(learned_dictionary);
        return stoa_fail_errno(err, failed, "cannot make a lock");
    }
    atomic_init(&learned_dictionary->state, LEARNING);
    return STOA_OK;
}

stoa_status stoa_learned_dictionary_join(stoa_column *column,
                                         stoa_learned_dictionary **learned_dictionary,
                                         stoa_error *err)
{
    static const stoa_learned_kind kind = {sizeof **learned_dictionary, begin, end};
    stoa_learned *learned = NULL;

    *learned_dictionary = NULL;
    if (stoa_learned_dictionary_suits(column)) {
        STOA_RETURN_NOT_OK(
            stoa_learned_ask(column, &kind, &column->learned_dictionary, &learned, err));
    }
    stoa_learned_dictionary *const joined = (stoa_learned_dictionary *)learned;
    if (joined != NULL && atomic_load(&joined->state) == LEARNING) {
        joined->n_learners++;
        *learned_dictionary = joined;
    }
    return STOA_OK;
}

/* Free texts that are of no use once no thread works with them. */
static void drop_useless(stoa_learned_dictionary *learned_dictionary)
{
    if (learned_dictionary->n_learners == 0 &&
        atomic_load(&learned_dictionary->state) == TOO_MANY) {
        drop_texts(learned_dictionary);
    }
}

void stoa_learned_dictionary_leave(stoa_learned_dictionary *learned_dictionary)
{
    if (learned_dictionary != NULL) {
        learned_dictionary->n_learners--;
        drop_useless(learned_dictionary);
    }
}

/* Texts to codes ---------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

/* The code of a text; `nothing` if it has none. */
static inline uint32_t find(const stoa_learned_dictionary *learned_dictionary, const uint64_t *text,
                            size_t n_words)
{
    const size_t mask = learned_dictionary->n_slots - 1;
    uint64_t hash = 0;

    for (size_t i = 0; i < n_words; i++) {
        hash = mix(hash, text[i]);
    }
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        const uint32_t slot =
            atomic_load_explicit(&learned_dictionary->slots[at], memory_order_acquire);
        uint64_t differences = 0;
        if (slot == 0) {
            return nothing;
        }
        const uint64_t *known = learned_dictionary->texts + (size_t)(slot - 1) * n_words;
        for (size_t i = 0; i < n_words; i++) {
            differences |= known[i] ^ text[i];
        }
        if (differences == 0) {
            return slot - 1;
        }
    }
}

/* Add a text at the end, unless there are too many. */
static uint32_t add(stoa_learned_dictionary *learned_dictionary, const uint64_t *text)
{
    const size_t n_words = learned_dictionary->n_words;
    const size_t mask = learned_dictionary->n_slots - 1;
    uint64_t hash = 0;

    (void)pthread_mutex_lock(&learned_dictionary->mutex);
    uint32_t code = find(learned_dictionary, text, n_words);
    if (code == nothing &&
        atomic_load(&learned_dictionary->n_texts) == learned_dictionary->most_texts) {
        atomic_store(&learned_dictionary->state, TOO_MANY);
    } else if (code == nothing) {
        code = atomic_load(&learned_dictionary->n_texts);
        memcpy(learned_dictionary->texts + (size_t)code * n_words, text, n_words * WORD);
        for (size_t i = 0; i < n_words; i++) {
            hash = mix(hash, text[i]);
        }
        size_t at = (size_t)hash & mask;
        while (atomic_load_explicit(&learned_dictionary->slots[at], memory_order_relaxed) != 0) {
            at = (at + 1) & mask;
        }
        atomic_store(&learned_dictionary->n_texts, code + 1);
        atomic_store_explicit(&learned_dictionary->slots[at], code + 1, memory_order_release);
    }
    (void)pthread_mutex_unlock(&learned_dictionary->mutex);
    return code;
}

/* Encode n elements. Elements of up to three words are loaded as words; this reads past their end,
 * so the last elements are copied. False if a text has no code, or none that the type can hold.
 * `adds`: the dictionary that new texts are added to, or NULL. */
#define DEFINE_ENCODE(name, type, words)                                                           \
    static bool name(const stoa_learned_dictionary *learned_dictionary,                            \
                     stoa_learned_dictionary *adds, const uint8_t *elements, uint64_t n,           \
                     type *codes)                                                                  \
    {                                                                                              \
        const size_t size = learned_dictionary->size;                                              \
        const size_t n_words = (words) != 0 ? (words) : learned_dictionary->n_words;               \
        const uint64_t tail = WORD * n_words / size + 1;                                           \
        const uint64_t n_safe = can_load && (words) != 0 && n > tail ? n - tail : 0;               \
        const uint64_t mask =                                                                      \
            size % WORD != 0 ? UINT64_MAX >> (64 - 8 * (size % WORD)) : UINT64_MAX;                \
        uint64_t text[MAX_LENGTH / WORD] = {0};                                                    \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            if (i < n_safe) {                                                                      \
                memcpy(text, elements + i * size, n_words * WORD);                                 \
                text[n_words - 1] &= mask;                                                         \
            } else {                                                                               \
                memcpy(text, elements + i * size, size);                                           \
            }                                                                                      \
            uint32_t code = find(learned_dictionary, text, n_words);                               \
            if (code == nothing && adds != NULL) {                                                 \
                code = add(adds, text);                                                            \
            }                                                                                      \
            if (code > (type)UINT64_MAX) {                                                         \
                return false;                                                                      \
            }                                                                                      \
            codes[i] = (type)code;                                                                 \
        }                                                                                          \
        return true;                                                                               \
    }

enum { can_load = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

DEFINE_ENCODE(encode_1_to_u8, uint8_t, 1)
DEFINE_ENCODE(encode_2_to_u8, uint8_t, 2)
DEFINE_ENCODE(encode_3_to_u8, uint8_t, 3)
DEFINE_ENCODE(encode_any_to_u8, uint8_t, 0)
DEFINE_ENCODE(encode_1_to_u16, uint16_t, 1)
DEFINE_ENCODE(encode_2_to_u16, uint16_t, 2)
DEFINE_ENCODE(encode_3_to_u16, uint16_t, 3)
DEFINE_ENCODE(encode_any_to_u16, uint16_t, 0)

static bool encode(const stoa_learned_dictionary *learned_dictionary, stoa_learned_dictionary *adds,
                   const uint8_t *elements, uint64_t n, size_t width, void *codes)
{
    const size_t n_words = learned_dictionary->n_words;

    if (width == sizeof(uint8_t)) {
        return (n_words == 1   ? encode_1_to_u8
                : n_words == 2 ? encode_2_to_u8
                : n_words == 3 ? encode_3_to_u8
                               : encode_any_to_u8)(learned_dictionary, adds, elements, n, codes);
    }
    return (n_words == 1   ? encode_1_to_u16
            : n_words == 2 ? encode_2_to_u16
            : n_words == 3 ? encode_3_to_u16
                           : encode_any_to_u16)(learned_dictionary, adds, elements, n, codes);
}

/* Chunks ------------------------------------------------------------------------------------ */

size_t stoa_learned_dictionary_width(const stoa_learned_dictionary *learned_dictionary)
{
    return atomic_load(&learned_dictionary->n_texts) <= NARROW_TEXTS ? sizeof(uint8_t)
                                                                     : sizeof(uint16_t);
}

static stoa_chunk_key key_of(const stoa_learned_dictionary *learned_dictionary, size_t width,
                             uint64_t chunk)
{
    return (stoa_chunk_key){learned_dictionary->owners[width - 1], chunk};
}

/* Encode n elements into a held chunk that is not in the cache yet. NULL if memory runs out or a
 * text has no code. */
static stoa_held_chunk *make_codes(const stoa_learned_dictionary *learned_dictionary,
                                   stoa_learned_dictionary *adds, const uint8_t *elements,
                                   uint64_t n, size_t width, bool *found)
{
    stoa_held_chunk *made = stoa_chunk_cache_make(
        learned_dictionary->cache, (size_t)learned_dictionary->learned.chunk_rows * width);

    *found =
        made == NULL || encode(learned_dictionary, adds, elements, n, width, stoa_held_bytes(made));
    if (!*found) {
        stoa_chunk_cache_release(learned_dictionary->cache, made);
        made = NULL;
    }
    return made;
}

static bool learn_chunk(stoa_learned_dictionary *learned_dictionary, uint64_t chunk,
                        const uint8_t *elements, uint64_t n, bool keeps)
{
    stoa_held_chunk *made = NULL;
    bool found = false;

    for (size_t width = stoa_learned_dictionary_width(learned_dictionary);
         width <= sizeof(uint16_t) && !found && atomic_load(&learned_dictionary->state) == LEARNING;
         width++) {
        made = make_codes(learned_dictionary, learned_dictionary, elements, n, width, &found);
        if (made != NULL && keeps) {
            stoa_chunk_cache_keep(learned_dictionary->cache,
                                  key_of(learned_dictionary, width, chunk), made);
        }
    }
    stoa_chunk_cache_release(learned_dictionary->cache, made);
    return made != NULL;
}

void stoa_learned_dictionary_learn(stoa_learned_dictionary *learned_dictionary, uint64_t first,
                                   uint64_t count, const uint8_t *elements, bool keeps)
{
    stoa_learned_chunk chunk;

    for (uint64_t at = first;
         atomic_load(&learned_dictionary->state) == LEARNING &&
         stoa_learned_claim(&learned_dictionary->learned, &at, first + count, &chunk);) {
        const uint8_t *const rows = elements + (chunk.first - first) * learned_dictionary->size;
        const bool is_known = learn_chunk(learned_dictionary, chunk.number, rows, chunk.n, keeps);
        stoa_learned_settle(&learned_dictionary->learned, &chunk, is_known);
        if (is_known && atomic_fetch_add(&learned_dictionary->n_known, 1) + 1 ==
                            learned_dictionary->learned.n_chunks) {
            int learning = LEARNING; /* unless another thread has set TOO_MANY meanwhile */
            (void)atomic_compare_exchange_strong(&learned_dictionary->state, &learning, WHOLE);
        }
    }
}

bool stoa_learned_dictionary_encode(const stoa_learned_dictionary *learned_dictionary,
                                    const uint8_t *elements, uint64_t n, void *codes)
{
    return encode(learned_dictionary, NULL, elements, n,
                  stoa_learned_dictionary_width(learned_dictionary), codes);
}

stoa_held_chunk *stoa_learned_dictionary_hold(const stoa_learned_dictionary *learned_dictionary,
                                              uint64_t chunk)
{
    return stoa_chunk_cache_hold(
        learned_dictionary->cache,
        key_of(learned_dictionary, stoa_learned_dictionary_width(learned_dictionary), chunk));
}

stoa_held_chunk *stoa_learned_dictionary_keep(const stoa_learned_dictionary *learned_dictionary,
                                              uint64_t chunk, const uint8_t *elements, uint64_t n,
                                              bool *found)
{
    const size_t width = stoa_learned_dictionary_width(learned_dictionary);
    stoa_held_chunk *made = make_codes(learned_dictionary, NULL, elements, n, width, found);

    if (made != NULL) {
        stoa_chunk_cache_keep(learned_dictionary->cache, key_of(learned_dictionary, width, chunk),
                              made);
    }
    return made;
}

void stoa_learned_dictionary_release(const stoa_learned_dictionary *learned_dictionary,
                                     stoa_held_chunk *held)
{
    if (held != NULL) {
        stoa_chunk_cache_release(learned_dictionary->cache, held);
    }
}

/* The whole dictionary ---------------------------------------------------------------------- */

/* Find the text of missing rows. *is_one is false if there are several. */
static stoa_status find_missing(stoa_learned_dictionary *learned_dictionary,
                                const stoa_column *column, const uint8_t *elements, uint64_t n,
                                bool *is_one, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *missing = NULL;
    uint64_t n_missing = 0;

    STOA_TRY(stoa_column_missing(column, elements, n, &missing, &n_missing, err));
    *is_one = n_missing <= 1;
    for (uint64_t i = 0; missing != NULL && i < n; i++) {
        if (stoa_bit_get(missing, i)) {
            learned_dictionary->has_missing = true;
            learned_dictionary->missing = (uint32_t)i;
        }
    }

done:
    free(missing);
    return status;
}

static stoa_status make_labels(stoa_learned_dictionary *learned_dictionary,
                               const stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = atomic_load(&learned_dictionary->n_texts);
    const size_t size = learned_dictionary->size;
    uint8_t *elements = stoa_alloc(n, size);
    struct ArrowArray labels = {.release = NULL};
    struct ArrowArray shared = {.release = NULL};
    bool is_one = false;

    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint32_t i = 0; i < n; i++) {
        memcpy(elements + i * size, learned_dictionary->texts + i * learned_dictionary->n_words,
               size);
    }
    STOA_TRY(find_missing(learned_dictionary, column, elements, n, &is_one, err));
    if (!is_one) {
        atomic_store(&learned_dictionary->state, TOO_MANY);
        drop_useless(learned_dictionary);
        goto done;
    }
    void *block = elements;
    elements = NULL;
    STOA_TRY(stoa_element_decode(&column->element, block, n, NULL, &labels, err));
    stoa_schema_release(&learned_dictionary->schema);
    STOA_TRY(stoa_element_schema(&column->element, "labels", &learned_dictionary->schema, err));
    STOA_TRY(stoa_array_share(&labels, &shared, err)); /* sharing it later changes only a count */
    stoa_array_move(&labels, &learned_dictionary->labels);

done:
    stoa_array_release(&shared);
    stoa_array_release(&labels);
    free(elements);
    return status;
}

stoa_status stoa_learned_dictionary_of(stoa_column *column,
                                       const stoa_learned_dictionary **learned_dictionary,
                                       stoa_error *err)
{
    stoa_learned_dictionary *known = (stoa_learned_dictionary *)column->learned_dictionary;

    *learned_dictionary = NULL;
    if (known == NULL || known->learned.n_rows != column->n_rows || known->learned.chunks == NULL ||
        atomic_load(&known->state) != WHOLE) {
        return STOA_OK;
    }
    if (known->labels.release == NULL) {
        STOA_RETURN_NOT_OK(make_labels(known, column, err));
    }
    *learned_dictionary = known->labels.release != NULL ? known : NULL;
    return STOA_OK;
}

stoa_status stoa_learned_dictionary_labels(const stoa_learned_dictionary *learned_dictionary,
                                           stoa_view *labels, stoa_error *err)
{
    return stoa_view_of(&learned_dictionary->schema, &learned_dictionary->labels, labels, err);
}

stoa_status stoa_learned_dictionary_share_labels(const stoa_learned_dictionary *learned_dictionary,
                                                 struct ArrowArray *out, stoa_error *err)
{
    /* made shareable in make_labels(): only a count is written to */
    return stoa_array_share((struct ArrowArray *)(uintptr_t)&learned_dictionary->labels, out, err);
}

bool stoa_learned_dictionary_missing(const stoa_learned_dictionary *learned_dictionary,
                                     uint64_t *code)
{
    *code = learned_dictionary->missing;
    return learned_dictionary->has_missing;
}

stoa_status stoa_learned_dictionary_schema(const stoa_learned_dictionary *learned_dictionary,
                                           const char *name, struct ArrowSchema *out,
                                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_kind kind =
        stoa_learned_dictionary_width(learned_dictionary) == 1 ? STOA_KIND_UINT8 : STOA_KIND_UINT16;

    STOA_TRY(stoa_schema_make(out, name, stoa_kind_format(kind), err));
    STOA_TRY(stoa_schema_dictionary(out, learned_dictionary->schema.format, err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}
