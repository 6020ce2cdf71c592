/* This file is compiled with -mavx2 and -mfma, and its function is called only if the CPU has them. */
#include "floats.h"

#if defined(__x86_64__)

#include <string.h>

#include "pixels_avx2.h"

#define VECTORS (FLOATS_GROUP / LANES)

_Static_assert(FLOATS_GROUP == PIXELS_BYTES, "a group is eight pixels of three bytes");

INLINE __m256 quotient(__m256 x, __m256 divisor, __m256 inverse, bool by_inverses)
{
    if (!by_inverses) {
        return _mm256_div_ps(x, divisor);
    }
    __m256 q = _mm256_mul_ps(x, inverse);
    return _mm256_fmadd_ps(_mm256_fnmadd_ps(q, divisor, x), inverse, q);
}

INLINE __m256 floats_of(const uint8_t *bytes)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *) bytes)));
}

/* Each lane of a register gets its whole pixel, and then its own row of the matrix. */
INLINE __m256 mixed(const struct float_constants *constants, __m256i eight, int i)
{
    const __m256i pixel_of[VECTORS] = {
        _mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2),
        _mm256_setr_epi32(2, 3, 3, 3, 4, 4, 4, 5),
        _mm256_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7),
    };
    __m256i pixels = _mm256_permutevar8x32_epi32(eight, pixel_of[i]);
    __m256 red = _mm256_cvtepi32_ps(channel_of(pixels, 0));
    __m256 green = _mm256_cvtepi32_ps(channel_of(pixels, 1));
    __m256 blue = _mm256_cvtepi32_ps(channel_of(pixels, 2));
    __m256 sum = _mm256_mul_ps(red, _mm256_loadu_ps(constants->red + i * LANES));
    sum = _mm256_fmadd_ps(green, _mm256_loadu_ps(constants->green + i * LANES), sum);
    sum = _mm256_fmadd_ps(blue, _mm256_loadu_ps(constants->blue + i * LANES), sum);
    return _mm256_add_ps(sum, _mm256_loadu_ps(constants->offset + i * LANES));
}

INLINE void convert_groups(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t groups)
{
    __m256 mean[VECTORS], deviation[VECTORS], inverse[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        mean[i] = _mm256_loadu_ps(constants->mean + i * LANES);
        deviation[i] = _mm256_loadu_ps(constants->deviation + i * LANES);
        inverse[i] = _mm256_loadu_ps(constants->deviation_inverse + i * LANES);
    }
    const __m256 divisor = _mm256_loadu_ps(constants->divisor);
    const __m256 divisor_inverse = _mm256_loadu_ps(constants->divisor_inverse);
    for (size_t group = 0; group < groups; group++, bytes += FLOATS_GROUP, floats += FLOATS_GROUP) {
        for (int i = 0; i < VECTORS; i++) {
            __m256 x = steps.mixes ? mixed(constants, open_pixels(bytes), i) : floats_of(bytes + i * LANES);
            if (steps.divides) {
                x = quotient(x, divisor, divisor_inverse, steps.by_inverses);
            }
            if (steps.standardizes) {
                x = quotient(_mm256_sub_ps(x, mean[i]), deviation[i], inverse[i], steps.by_inverses);
            }
            _mm256_storeu_ps(floats + i * LANES, x);
        }
    }
}

/* Calls convert_groups with constants for the usual steps, so that the compiler removes the conditions from its loop. */
static void convert(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t groups)
{
    if (steps.by_inverses && steps.divides && steps.standardizes) {
        convert_groups(constants, (struct float_steps) {false, true, true, true}, bytes, floats, groups);
    } else if (steps.by_inverses && steps.divides) {
        convert_groups(constants, (struct float_steps) {false, true, false, true}, bytes, floats, groups);
    } else if (steps.by_inverses && steps.standardizes) {
        convert_groups(constants, (struct float_steps) {false, false, true, true}, bytes, floats, groups);
    } else if (steps.mixes) {
        convert_groups(constants, (struct float_steps) {true, steps.divides, steps.standardizes, false}, bytes, floats, groups);
    } else {
        convert_groups(constants, (struct float_steps) {false, steps.divides, steps.standardizes, false}, bytes, floats, groups);
    }
}

void avx2_floats(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t count)
{
    size_t groups = count / FLOATS_GROUP;
    size_t rest = count % FLOATS_GROUP;
    convert(constants, steps, bytes, floats, groups);
    if (rest > 0) {
        uint8_t last[FLOATS_GROUP] = {0};
        float converted[FLOATS_GROUP];
        memcpy(last, bytes + groups * FLOATS_GROUP, rest);
        convert(constants, steps, last, converted, 1);
        memcpy(floats + groups * FLOATS_GROUP, converted, rest * sizeof *floats);
    }
}

#endif
