#include "png_filter.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum filter { NONE, SUB, UP, AVERAGE, PAETH };

static void up(const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        line[i] = raw[i] + above[i];
    }
}

/* The one of left, above and corner that is closest to left + above - corner, in this order. */
static inline uint8_t paeth(int left, int above, int corner)
{
    int across = above - corner, down = left - corner;
    int from_left = abs(across), from_above = abs(down), from_corner = abs(across + down);
    int nearest = from_above < from_left ? above : left;
    int distance = from_above < from_left ? from_above : from_left;
    return (uint8_t) (from_corner < distance ? corner : nearest);
}

/* One sample after the other. `step` is a constant in each call. */
static inline __attribute__((always_inline)) void samples(
    enum filter filter, const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes, size_t step)
{
    uint8_t left[8] = {0}, corner[8] = {0};
    for (size_t at = 0; at < bytes; at += step) {
        for (size_t i = 0; i < step; i++) {
            uint8_t upper = above[at + i];
            uint8_t predicted = filter == SUB ? left[i]
                : filter == AVERAGE           ? (uint8_t) ((left[i] + upper) >> 1)
                                              : paeth(left[i], upper, corner[i]);
            corner[i] = upper;
            line[at + i] = left[i] = raw[at + i] + predicted;
        }
    }
}

#if defined(__SSE2__)
/* Four or eight bytes, of which the last one or two belong to the next pixel if a pixel has 3 or 6. */
static inline __attribute__((always_inline)) __m128i load(const uint8_t *at, size_t step)
{
    if (step > 4) {
        return _mm_loadl_epi64((const __m128i *) at);
    }
    int value;
    memcpy(&value, at, 4);
    return _mm_cvtsi32_si128(value);
}

/* Writes up to two bytes beyond the pixel, which the next pixel overwrites. */
static inline __attribute__((always_inline)) void store(uint8_t *at, __m128i pixel, size_t step)
{
    if (step > 4) {
        _mm_storel_epi64((__m128i *) at, pixel);
    } else {
        int value = _mm_cvtsi128_si32(pixel);
        memcpy(at, &value, 4);
    }
}

static inline __m128i absolute(__m128i words)
{
    return _mm_max_epi16(words, _mm_sub_epi16(_mm_setzero_si128(), words));
}

static inline __m128i chosen(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* One pixel after the other: all samples of a pixel at once. `step` is a constant in each call. */
static inline __attribute__((always_inline)) void pixels(
    enum filter filter, const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes, size_t step)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i left = zero;
    if (filter == SUB) {
        for (size_t at = 0; at < bytes; at += step) {
            left = _mm_add_epi8(left, load(raw + at, step));
            store(line + at, left, step);
        }
    } else if (filter == AVERAGE) {
        const __m128i one = _mm_set1_epi8(1);
        for (size_t at = 0; at < bytes; at += step) {
            __m128i upper = load(above + at, step);
            /* The instruction rounds up. */
            __m128i odd = _mm_and_si128(_mm_xor_si128(left, upper), one);
            left = _mm_add_epi8(_mm_sub_epi8(_mm_avg_epu8(left, upper), odd), load(raw + at, step));
            store(line + at, left, step);
        }
    } else { /* Paeth, in words: `left` and `corner` have a sample in each */
        __m128i corner = zero;
        const __m128i low = _mm_set1_epi16(255);
        for (size_t at = 0; at < bytes; at += step) {
            __m128i upper = _mm_unpacklo_epi8(load(above + at, step), zero);
            __m128i across = _mm_sub_epi16(upper, corner), down = _mm_sub_epi16(left, corner);
            __m128i from_left = absolute(across), from_above = absolute(down);
            __m128i from_corner = absolute(_mm_add_epi16(across, down));
            __m128i least = _mm_min_epi16(from_corner, _mm_min_epi16(from_left, from_above));
            __m128i nearest = chosen(
                _mm_cmpeq_epi16(least, from_left), left,
                chosen(_mm_cmpeq_epi16(least, from_above), upper, corner));
            __m128i added = _mm_unpacklo_epi8(load(raw + at, step), zero);
            left = _mm_and_si128(_mm_add_epi16(nearest, added), low);
            corner = upper;
            store(line + at, _mm_packus_epi16(left, left), step);
        }
    }
}
#else
#define pixels samples
#endif

static inline __attribute__((always_inline)) void filtered(
    enum filter filter, const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes, int pixel_bytes)
{
    switch (pixel_bytes) {
    case 1: samples(filter, raw, above, line, bytes, 1); break;
    case 2: samples(filter, raw, above, line, bytes, 2); break;
    case 3: pixels(filter, raw, above, line, bytes, 3); break;
    case 4: pixels(filter, raw, above, line, bytes, 4); break;
    case 6: pixels(filter, raw, above, line, bytes, 6); break;
    default: pixels(filter, raw, above, line, bytes, 8); break;
    }
}

void png_unfilter(int filter, const uint8_t *raw, const uint8_t *above, uint8_t *line, size_t bytes, int pixel_bytes)
{
    switch (filter) {
    case SUB: filtered(SUB, raw, above, line, bytes, pixel_bytes); break;
    case UP: up(raw, above, line, bytes); break;
    case AVERAGE: filtered(AVERAGE, raw, above, line, bytes, pixel_bytes); break;
    case PAETH: filtered(PAETH, raw, above, line, bytes, pixel_bytes); break;
    default: memcpy(line, raw, bytes); break;
    }
}
