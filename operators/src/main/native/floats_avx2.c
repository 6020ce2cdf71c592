/* This file is compiled with -mavx2 and -mfma, and its function is called only if the CPU has them. */
#include "floats.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define LANES 8
#define VECTORS (FLOATS_GROUP / LANES)

bool floats_has_instructions(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

INLINE __m256 quotient(__m256 x, __m256 divisor, __m256 inverse)
{
    __m256 q = _mm256_mul_ps(x, inverse);
    return _mm256_fmadd_ps(_mm256_fnmadd_ps(q, divisor, x), inverse, q);
}

INLINE void convert_groups(
    const struct float_constants *constants, bool divides, bool standardizes, const uint8_t *bytes, float *floats, size_t groups)
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
            __m256 x = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *) (bytes + i * LANES))));
            if (divides) {
                x = quotient(x, divisor, divisor_inverse);
            }
            if (standardizes) {
                x = quotient(_mm256_sub_ps(x, mean[i]), deviation[i], inverse[i]);
            }
            _mm256_storeu_ps(floats + i * LANES, x);
        }
    }
}

static void convert(
    const struct float_constants *constants, struct float_steps steps, const uint8_t *bytes, float *floats, size_t groups)
{
    if (steps.divides && steps.standardizes) {
        convert_groups(constants, true, true, bytes, floats, groups);
    } else if (steps.divides) {
        convert_groups(constants, true, false, bytes, floats, groups);
    } else if (steps.standardizes) {
        convert_groups(constants, false, true, bytes, floats, groups);
    } else {
        convert_groups(constants, false, false, bytes, floats, groups);
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
