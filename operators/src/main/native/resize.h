/*
 * A resize whose pixels equal Pillow's: a horizontal pass rounded to bytes, then a vertical pass over its rows. Each result is
 *
 *     clamp((2^21 + sum(pixel * weight)) >> 22, 0, 255)
 *
 * The weights come from Java (ResampleTable), so this code uses no floating point. A resizer serves one thread.
 */
#ifndef MILLRACE_RESIZE_H
#define MILLRACE_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outcome.h"

#define FRACTION_BITS 22
#define HALF (1 << (FRACTION_BITS - 1))

/* A weight is split into weight >> LOW_BITS and its low bits, which both fit into 16 bits: see resize_avx2.c. */
#define LOW_BITS 11

/*
 * The number of bytes after the last byte of a row that must be readable (source rows) or writable (rows between the passes).
 */
#define ROW_SLACK 32

/* The weights of one axis: output x is the sum of `taps` inputs from start[x] on. */
struct axis {
    int in, out, taps;
    int pairs;         /* (taps + 1) / 2: the vector code processes two taps at a time, the last of which may weigh 0 */
    int32_t *start;    /* out */
    int32_t *weights;  /* out * 2 * pairs */
    uint32_t *high;    /* out * pairs: weight >> LOW_BITS of two taps, 16 bits each */
    uint32_t *low;     /* out * pairs: their low bits */
    size_t capacity_out, capacity_pairs;
};

/* Filters two rows of `channels` bytes per pixel into two rows. */
typedef void (*horizontal_pass)(const struct axis *axis, int channels, const uint8_t *const in[2], uint8_t *const out[2]);

/* Computes `count` bytes of output row y from 2 * pairs rows. It may write up to ROW_SLACK - 1 further bytes. */
typedef void (*vertical_pass)(const struct axis *axis, int y, const uint8_t *const *rows, uint8_t *out, size_t count);

struct passes {
    horizontal_pass across;
    vertical_pass down;
};

extern const struct passes plain_passes;
#if defined(__x86_64__)
extern const struct passes avx2_passes;
#endif

struct resizer {
    struct passes passes;
    struct axis across, down;
    uint8_t *memory;       /* the ring of filtered rows, and two rows of scratch */
    size_t capacity;
    const uint8_t **taps;  /* the rows from which one output row is computed */
    size_t capacity_taps;
};

/*
 * Returns the source rows in order, each once. A row and the one before it stay valid until the next call, and ROW_SLACK bytes
 * behind a row can be read. Returns NULL when there is no further row.
 */
typedef const uint8_t *(*row_source)(void *state, int row);

/* Copies a table into the layout of the passes. Returns false when there is no memory. */
bool axis_set(struct axis *axis, int in, int out, int taps, const int32_t *start, const int32_t *weights);

/*
 * Resizes down.in rows of across.in pixels from `next` into `result`: down.out * across.out * channels bytes. Returns
 * NO_MEMORY when there is none, and UNSUPPORTED when a row is missing.
 */
enum outcome resize(struct resizer *resizer, int channels, row_source next, void *state, uint8_t *result);

void resizer_free(struct resizer *resizer);

#endif
