/* Interned names: equal text has an equal pointer, so names compare by '=='. */
#ifndef CAKE_SUPPORT_INTERN_H
#define CAKE_SUPPORT_INTERN_H

#include "support/arena.h"

#include <stdint.h>

typedef const char *cake_name; /* interned, zero-terminated; null is 'no name' */

typedef struct cake_interner {
    cake_arena *arena; /* owns the text and the table */
    cake_name *slots;  /* open addressing, a power of two */
    uint32_t capacity, count;
} cake_interner;

void cake_interner_init(cake_interner *interner, cake_arena *arena);
cake_name cake_intern(cake_interner *interner, const char *text, size_t size);

#endif
