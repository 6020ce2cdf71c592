/* The changes of colour with AVX2 and FMA. This file is compiled with -mavx2 and -mfma, and is used only if the CPU has them. */
#include "color.h"

#if defined(__x86_64__)

#include <string.h>

#include "pixels_avx2.h"

/* Truncates and clamps values; what is no number becomes 0, because max then returns its second argument. */
INLINE __m256i level(__m256 values)
{
    return _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(values, _mm256_setzero_ps()), _mm256_set1_ps(255)));
}

INLINE __m256i mixed(__m256 other, __m256i values, struct color_change by)
{
    __m256 share = _mm256_mul_ps(_mm256_cvtepi32_ps(values), _mm256_set1_ps(by.ratio));
    return level(_mm256_fmadd_ps(other, _mm256_set1_ps(by.rest), share));
}

INLINE __m256i gray_of(__m256i pixels)
{
    __m256 red = _mm256_cvtepi32_ps(channel_of(pixels, 0));
    __m256 green = _mm256_cvtepi32_ps(channel_of(pixels, 1));
    __m256 blue = _mm256_cvtepi32_ps(channel_of(pixels, 2));
    __m256 sum = _mm256_fmadd_ps(green, _mm256_set1_ps(GRAY_GREEN), _mm256_mul_ps(red, _mm256_set1_ps(GRAY_RED)));
    return _mm256_cvttps_epi32(_mm256_fmadd_ps(blue, _mm256_set1_ps(GRAY_BLUE), sum));
}

/* ---- Changes of bytes ---- */

INLINE __m256i mixed_at(const uint8_t *at, struct color_change by)
{
    return mixed(_mm256_set1_ps(by.other), _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *) at)), by);
}

INLINE void blend_register(uint8_t *at, struct color_change by)
{
    __m256i front = _mm256_packus_epi32(mixed_at(at, by), mixed_at(at + LANES, by));
    __m256i back = _mm256_packus_epi32(mixed_at(at + 2 * LANES, by), mixed_at(at + 3 * LANES, by));
    /* The packs work within halves of registers: this order restores that of the bytes. */
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256((__m256i *) at, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(front, back), order));
}

static void blend(uint8_t *bytes, size_t count, struct color_change by)
{
    for (; count >= 4 * LANES; count -= 4 * LANES, bytes += 4 * LANES) {
        blend_register(bytes, by);
    }
    uint8_t last[4 * LANES] = {0};
    memcpy(last, bytes, count);
    blend_register(last, by);
    memcpy(bytes, last, count);
}

/* ---- Changes of pixels ---- */

INLINE __m256i joined(__m256i red, __m256i green, __m256i blue)
{
    return _mm256_or_si256(red, _mm256_or_si256(_mm256_slli_epi32(green, 8), _mm256_slli_epi32(blue, 16)));
}

INLINE __m256i saturated(__m256i pixels, struct color_change by)
{
    __m256 gray = _mm256_cvtepi32_ps(gray_of(pixels));
    return joined(
        mixed(gray, channel_of(pixels, 0), by), mixed(gray, channel_of(pixels, 1), by), mixed(gray, channel_of(pixels, 2), by));
}

INLINE __m256i grayed(__m256i pixels, struct color_change by)
{
    (void) by;
    __m256i gray = gray_of(pixels);
    return joined(gray, gray, gray);
}

/* Returns 1 in the lanes with a mask, 0 in the others. */
INLINE __m256 ones(__m256 mask)
{
    return _mm256_and_ps(mask, _mm256_set1_ps(1));
}

INLINE __m256 number_of(__m256i order, float a, float b, float c, float d, float e, float f, float g, float h)
{
    return _mm256_permutevar8x32_ps(_mm256_setr_ps(a, b, c, d, e, f, g, h), order);
}

/* Moves values to the channels that a table has for their sectors. */
INLINE __m256i placed(__m256i values, __m256i sector, int a, int b, int c, int d, int e, int f, int g, int h)
{
    __m256i channel = _mm256_permutevar8x32_epi32(_mm256_setr_epi32(a, b, c, d, e, f, g, h), sector);
    return _mm256_sllv_epi32(values, _mm256_slli_epi32(channel, 3));
}

/* Expands the macros of tables into arguments. */
#define NUMBER_OF(order, ...) number_of(order, __VA_ARGS__)
#define PLACED(values, sector, ...) placed(values, sector, __VA_ARGS__)

INLINE __m256i turned(__m256i pixels, struct color_change by)
{
    const __m256 one = _mm256_set1_ps(1), zero = _mm256_setzero_ps(), unit = _mm256_set1_ps(HUE_UNIT);
    __m256i red = channel_of(pixels, 0), green = channel_of(pixels, 1), blue = channel_of(pixels, 2);
    __m256i largest = _mm256_max_epi32(_mm256_max_epi32(red, green), blue);
    __m256i smallest = _mm256_min_epi32(_mm256_min_epi32(red, green), blue);
    __m256i all = _mm256_add_epi32(_mm256_add_epi32(red, green), blue);
    __m256i middle = _mm256_sub_epi32(_mm256_sub_epi32(all, largest), smallest);
    __m256i order = _mm256_or_si256(
        _mm256_or_si256(
            _mm256_andnot_si256(_mm256_cmpgt_epi32(green, red), _mm256_set1_epi32(4)),
            _mm256_andnot_si256(_mm256_cmpgt_epi32(blue, green), _mm256_set1_epi32(2))),
        _mm256_and_si256(_mm256_cmpgt_epi32(blue, red), _mm256_set1_epi32(1)));

    __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(largest), unit);
    __m256 range = _mm256_sub_ps(value, _mm256_mul_ps(_mm256_cvtepi32_ps(smallest), unit));
    __m256 saturation = _mm256_div_ps(range, value);
    __m256 ratio = _mm256_div_ps(_mm256_sub_ps(value, _mm256_mul_ps(_mm256_cvtepi32_ps(middle), unit)), range);
    __m256 hue = _mm256_add_ps(_mm256_mul_ps(NUMBER_OF(order, HUE_SIGN), ratio), NUMBER_OF(order, HUE_FIRST));
    hue = _mm256_add_ps(hue, NUMBER_OF(order, HUE_SECOND));
    hue = _mm256_add_ps(_mm256_mul_ps(hue, _mm256_set1_ps(HUE_SIXTH)), one);
    hue = _mm256_sub_ps(hue, ones(_mm256_cmp_ps(hue, one, _CMP_GE_OQ)));
    hue = _mm256_add_ps(hue, _mm256_set1_ps(by.turn));
    hue = _mm256_sub_ps(hue, ones(_mm256_cmp_ps(hue, one, _CMP_GE_OQ)));
    hue = _mm256_add_ps(hue, ones(_mm256_cmp_ps(hue, zero, _CMP_LT_OQ)));
    __m256 six = _mm256_mul_ps(hue, _mm256_set1_ps(6));
    __m256i sector = _mm256_cvttps_epi32(six);
    __m256 part = _mm256_mul_ps(saturation, _mm256_sub_ps(six, _mm256_cvtepi32_ps(sector)));
    __m256 even = _mm256_add_ps(part, _mm256_sub_ps(one, saturation));
    __m256 odd = _mm256_sub_ps(one, part);
    __m256 is_odd = _mm256_castsi256_ps(_mm256_slli_epi32(sector, 31));
    __m256 share = _mm256_mul_ps(_mm256_blendv_ps(even, odd, is_odd), value);
    share = _mm256_min_ps(_mm256_max_ps(share, zero), one);
    middle = _mm256_cvttps_epi32(_mm256_mul_ps(share, _mm256_set1_ps(HUE_LEVELS)));

    __m256i changed = _mm256_or_si256(
        _mm256_or_si256(PLACED(largest, sector, HUE_LARGEST), PLACED(middle, sector, HUE_MIDDLE)),
        PLACED(smallest, sector, HUE_SMALLEST));
    /* Gray pixels, whose ratio is no number, stay unchanged. */
    return _mm256_blendv_epi8(changed, pixels, _mm256_cmpeq_epi32(largest, smallest));
}

/* ---- Loops over pixels, the last of which are copied to a register's length of memory ---- */

INLINE void change(
    uint8_t *pixels, size_t count, struct color_change by, __m256i (*changed)(__m256i pixels, struct color_change by))
{
    for (; count >= LANES; count -= LANES, pixels += PIXELS_BYTES) {
        close_pixels(changed(open_pixels(pixels), by), pixels);
    }
    uint8_t last[PIXELS_BYTES] = {0};
    memcpy(last, pixels, 3 * count);
    close_pixels(changed(open_pixels(last), by), last);
    memcpy(pixels, last, 3 * count);
}

static void saturate(uint8_t *pixels, size_t count, struct color_change by)
{
    change(pixels, count, by, saturated);
}

static void grayscale(uint8_t *pixels, size_t count, struct color_change by)
{
    change(pixels, count, by, grayed);
}

static void turn_hue(uint8_t *pixels, size_t count, struct color_change by)
{
    change(pixels, count, by, turned);
}

INLINE __m256i sum_of(const uint8_t *pixels)
{
    return _mm256_sad_epu8(gray_of(open_pixels(pixels)), _mm256_setzero_si256());
}

static uint64_t gray_sum(const uint8_t *pixels, size_t count)
{
    __m256i sums = _mm256_setzero_si256();
    for (; count >= LANES; count -= LANES, pixels += PIXELS_BYTES) {
        sums = _mm256_add_epi64(sums, sum_of(pixels));
    }
    uint8_t last[PIXELS_BYTES] = {0};
    memcpy(last, pixels, 3 * count);
    sums = _mm256_add_epi64(sums, sum_of(last));
    uint64_t four[4];
    _mm256_storeu_si256((__m256i *) four, sums);
    return four[0] + four[1] + four[2] + four[3];
}

INLINE void gray_register(const uint8_t *pixels, uint8_t *result)
{
    __m256i gray = gray_of(open_pixels(pixels));
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(gray), _mm256_extracti128_si256(gray, 1));
    _mm_storel_epi64((__m128i *) result, _mm_packus_epi16(words, words));
}

static void gray(const uint8_t *pixels, size_t count, uint8_t *result)
{
    for (; count >= LANES; count -= LANES, pixels += PIXELS_BYTES, result += LANES) {
        gray_register(pixels, result);
    }
    uint8_t last[PIXELS_BYTES] = {0}, grays[LANES];
    memcpy(last, pixels, 3 * count);
    gray_register(last, grays);
    memcpy(result, grays, count);
}

const struct color_loops avx2_color = {blend, saturate, grayscale, turn_hue, gray_sum, gray};

#endif
