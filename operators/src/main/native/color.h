/*
 * The changes of colour of io.millrace.image.ColorKernel, which defines the formulas. Each change has two implementations, and the
 * results of both are those of ScalarColorKernel, to the bit.
 */
#ifndef MILLRACE_COLOR_H
#define MILLRACE_COLOR_H

#include <stddef.h>
#include <stdint.h>

/* The weights of gray by ITU-R BT.601, as torchvision rounds them. */
#define GRAY_RED 0.2989f
#define GRAY_GREEN 0.587f
#define GRAY_BLUE 0.114f

/* The constants of io.millrace.image.Hue. */
#define HUE_UNIT ((float) (1.0 / 255))
#define HUE_SIXTH ((float) (1.0 / 6))
#define HUE_LEVELS 255.999f

/* By the order of the channels, 4 * (r >= g) + 2 * (g >= b) + (b > r), of which 0 and 7 do not occur. */
#define HUE_SIGN 0, 1, 1, -1, 1, -1, -1, 0
#define HUE_FIRST 0, 4, 2, 3, 0, 5, 1, 0
#define HUE_SECOND 0, -1, -1, 0, -1, 0, 0, 0

/* The channels that hold the largest, the middle and the smallest value, by sector: sector 6 equals sector 0. */
#define HUE_LARGEST 0, 1, 1, 2, 2, 0, 0, 0
#define HUE_MIDDLE 1, 0, 2, 1, 0, 2, 1, 0
#define HUE_SMALLEST 2, 2, 0, 0, 1, 1, 2, 0

/* The numbers of a change. Each change uses some of them. */
struct color_change {
    float other, ratio, rest; /* of blend and saturate */
    float turn;               /* of turn_hue: whole turns, -0.5 to 0.5 */
};

/* Changes a number of units in place. A unit is a byte for blend, and a pixel of three bytes for the others. */
typedef void (*color_loop)(uint8_t *units, size_t count, struct color_change by);

struct color_loops {
    color_loop blend, saturate, grayscale, turn_hue;
    uint64_t (*gray_sum)(const uint8_t *pixels, size_t count);
    /* Writes one byte for each pixel. */
    void (*gray)(const uint8_t *pixels, size_t count, uint8_t *result);
};

extern const struct color_loops plain_color;

#if defined(__x86_64__)
/* For CPUs with AVX2 and FMA. */
extern const struct color_loops avx2_color;
#endif

#endif
