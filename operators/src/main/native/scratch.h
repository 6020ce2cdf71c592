/* Scratch memory that grows as needed, and keeps its size for the next image. */
#ifndef MILLRACE_SCRATCH_H
#define MILLRACE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Larger scratch memory is freed at once, so that one huge image does not occupy memory for ever. */
#define RETAINED_BYTES (64 << 20)

/* Makes room for `needed` bytes, whose content is undefined. Returns false when there is no memory. */
static inline bool grow(uint8_t **memory, size_t *capacity, size_t needed)
{
    if (*capacity >= needed) {
        return true;
    }
    free(*memory);
    *memory = malloc(needed);
    *capacity = *memory ? needed : 0;
    return *memory != NULL;
}

/* Frees memory that is too large to be kept. */
static inline void shrink(uint8_t **memory, size_t *capacity)
{
    if (*capacity > RETAINED_BYTES) {
        free(*memory);
        *memory = NULL;
        *capacity = 0;
    }
}

#endif
