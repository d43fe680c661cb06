/* Open addressing with linear probing, at most half full. Each name is preceded in memory by its hash and size, so that
 * growing need not look at the text again and names may hold zeros. */
#include "support/intern.h"

#include <string.h>

typedef struct entry {
    uint32_t hash;
    uint32_t size;
    char text[];
} entry;

#define FIRST_CAPACITY 256u

static const entry *entry_of(cake_name name) {
    return (const entry *)(const void *)(name - offsetof(entry, text));
}

/* FNV-1a */
static uint32_t hash_bytes(const char *text, size_t size) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

void cake_interner_init(cake_interner *interner, cake_arena *arena) {
    *interner = (cake_interner){.arena = arena, .capacity = FIRST_CAPACITY};
    interner->slots = CAKE_NEW_ARRAY(arena, cake_name, FIRST_CAPACITY);
}

/* The slot that holds the text, or the free one where it belongs. */
static cake_name *find_slot(const cake_interner *interner, uint32_t hash, const char *text, size_t size) {
    uint32_t mask = interner->capacity - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        cake_name name = interner->slots[i];
        if (!name) return &interner->slots[i];
        const entry *found = entry_of(name);
        if (found->hash == hash && found->size == size && memcmp(name, text, size) == 0) return &interner->slots[i];
    }
}

static void grow(cake_interner *interner) {
    if (interner->capacity > UINT32_MAX / 2) longjmp(*interner->arena->out_of_memory, 1);
    cake_interner grown = *interner;
    grown.capacity *= 2;
    grown.slots = CAKE_NEW_ARRAY(interner->arena, cake_name, grown.capacity);
    for (uint32_t i = 0; i < interner->capacity; i++) {
        cake_name name = interner->slots[i];
        if (name) *find_slot(&grown, entry_of(name)->hash, name, entry_of(name)->size) = name;
    }
    *interner = grown;
}

cake_name cake_intern(cake_interner *interner, const char *text, size_t size) {
    if (size >= UINT32_MAX) longjmp(*interner->arena->out_of_memory, 1);
    uint32_t hash = hash_bytes(text, size);
    cake_name *slot = find_slot(interner, hash, text, size);
    if (*slot) return *slot;
    if (interner->count >= interner->capacity / 2) {
        grow(interner);
        slot = find_slot(interner, hash, text, size);
    }
    entry *added = cake_arena_alloc(interner->arena, sizeof *added + size + 1);
    added->hash = hash;
    added->size = (uint32_t)size;
    if (size) memcpy(added->text, text, size);
    interner->count++;
    return *slot = added->text;
}
