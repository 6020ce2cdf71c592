/*
 * Pillow's resize, to the bit: a horizontal pass rounded to bytes, then a vertical pass over its rows. Each result is
 *
 *     clamp((2^21 + sum(pixel * weight)) >> 22, 0, 255)
 *
 * The weights come from Java (ResampleTable), so nothing here computes with floating point. A resizer serves one thread.
 */
#ifndef MILLRACE_RESIZE_H
#define MILLRACE_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRACTION_BITS 22
#define HALF (1 << (FRACTION_BITS - 1))

/* A weight is split into weight >> LOW_BITS and its low bits, which both fit 16 bits: see resize_avx2.c. */
#define LOW_BITS 11

/* Source rows must be readable, and rows between the passes writable, this far behind their last byte. */
#define ROW_SLACK 32

/* One axis: output x is made of `taps` inputs from start[x] on. */
struct axis {
    int in, out, taps;
    int pairs;         /* (taps + 1) / 2: the vector code takes two taps at a time, the last may weigh 0 */
    int32_t *start;    /* out */
    int32_t *weights;  /* out * 2 * pairs */
    uint32_t *high;    /* out * pairs: weight >> LOW_BITS of two taps, 16 bits each */
    uint32_t *low;     /* out * pairs: their low bits */
    size_t capacity_out, capacity_pairs;
};

/* Filters two rows of `channels` bytes per pixel into two rows. */
typedef void (*horizontal_pass)(const struct axis *axis, int channels, const uint8_t *const in[2], uint8_t *const out[2]);

/* Makes `count` bytes of output row y out of 2 * pairs rows; writes up to ROW_SLACK - 1 bytes more. */
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
    const uint8_t **taps;  /* the rows that one output row is made of */
    size_t capacity_taps;
};

/* The next source row, in order; it and the one before stay valid until the call after. */
typedef const uint8_t *(*row_source)(void *state, int row);

/* Packs a table for use. Returns false when there is no memory. */
bool axis_set(struct axis *axis, int in, int out, int taps, const int32_t *start, const int32_t *weights);

/*
 * Resizes down.in rows of across.in pixels from `next` into `result`: down.out * across.out * channels bytes. Returns
 * false when there is no memory.
 */
bool resize(struct resizer *resizer, int channels, row_source next, void *state, uint8_t *result);

void resizer_free(struct resizer *resizer);

#endif
