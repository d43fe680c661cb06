/* Arena: memory that is freed as a whole.
 *
 * Every phase (parse, plan, lower, read a manifest) allocates from one arena and frees it at its end. Allocations are
 * zeroed and aligned to 16 bytes. An arena has a byte limit, so that hostile input ends in a status and not in a
 * swapped-out machine. When the limit or the system's memory is exhausted, the arena jumps to the handler that its
 * owner installed; whoever creates an arena is where 'out of memory' becomes a status.
 *
 *     jmp_buf out_of_memory;
 *     cake_arena arena;
 *     if (setjmp(out_of_memory)) { cake_arena_fini(&arena); return CAKE_STATUS_NO_MEMORY; }
 *     cake_arena_init(&arena, CAKE_ARENA_DEFAULT_LIMIT, &out_of_memory);
 *
 * Not safe for concurrent use: one arena belongs to one thread at a time.
 */
#ifndef CAKE_SUPPORT_ARENA_H
#define CAKE_SUPPORT_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define CAKE_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#define CAKE_MUST_USE                             __attribute__((warn_unused_result))
#define CAKE_NORETURN                             __attribute__((noreturn))
#else
#define CAKE_PRINTF(format_index, first_argument)
#define CAKE_MUST_USE
#define CAKE_NORETURN
#endif

#define CAKE_ARENA_DEFAULT_LIMIT ((size_t)1 << 30)

typedef struct cake_arena_block cake_arena_block;

typedef struct cake_arena {
    cake_arena_block *newest;
    size_t used;            /* bytes handed out so far */
    size_t limit;           /* bytes that may be handed out */
    jmp_buf *out_of_memory; /* where to go when they are gone; never null */
} cake_arena;

void cake_arena_init(cake_arena *arena, size_t limit_bytes, jmp_buf *out_of_memory);
void cake_arena_fini(cake_arena *arena);

/* Zeroed memory; never null. */
void *cake_arena_alloc(cake_arena *arena, size_t bytes);

/* A copy of bytes[0 .. size), with a terminating zero. */
char *cake_arena_copy(cake_arena *arena, const char *bytes, size_t size);

/* sprintf into the arena. */
char *cake_arena_format(cake_arena *arena, const char *format, ...) CAKE_PRINTF(2, 3);
char *cake_arena_vformat(cake_arena *arena, const char *format, va_list arguments) CAKE_PRINTF(2, 0);

#define CAKE_NEW(arena, type)              ((type *)cake_arena_alloc((arena), sizeof(type)))
#define CAKE_NEW_ARRAY(arena, type, count) ((type *)cake_arena_alloc_array((arena), sizeof(type), (count)))

/* count * size bytes; an overflowing product counts as out of memory. */
void *cake_arena_alloc_array(cake_arena *arena, size_t size, size_t count);

#endif
