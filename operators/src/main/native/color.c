/* The changes of colour in plain C. */
#include "color.h"

#include <math.h>

/* Truncates and clamps a value; what is no number becomes 0, as in Java. */
static inline uint8_t level(float value)
{
    return value >= 255 ? 255 : value > 0 ? (uint8_t) value : 0;
}

/* These sums of products are exact in double, so that each is rounded once, to a float, as fmaf does. */
static inline uint8_t gray_of(const uint8_t *pixel)
{
    float sum = (float) ((double) pixel[1] * (double) GRAY_GREEN + (double) ((float) pixel[0] * GRAY_RED));
    return (uint8_t) (float) ((double) pixel[2] * (double) GRAY_BLUE + (double) sum);
}

static void blend(uint8_t *bytes, size_t count, struct color_change by)
{
    uint8_t table[256];
    for (int value = 0; value < 256; value++) {
        table[value] = level(fmaf(by.other, by.rest, (float) value * by.ratio));
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] = table[bytes[i]];
    }
}

static void saturate(uint8_t *pixels, size_t count, struct color_change by)
{
    for (uint8_t *pixel = pixels; pixel < pixels + 3 * count; pixel += 3) {
        float gray = gray_of(pixel);
        for (int channel = 0; channel < 3; channel++) {
            pixel[channel] = level(fmaf(gray, by.rest, (float) pixel[channel] * by.ratio));
        }
    }
}

static void grayscale(uint8_t *pixels, size_t count, struct color_change by)
{
    (void) by;
    for (uint8_t *pixel = pixels; pixel < pixels + 3 * count; pixel += 3) {
        pixel[0] = pixel[1] = pixel[2] = gray_of(pixel);
    }
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void turn_hue(uint8_t *pixels, size_t count, struct color_change by)
{
    static const float sign[] = {HUE_SIGN}, first[] = {HUE_FIRST}, second[] = {HUE_SECOND};
    static const uint8_t to_largest[] = {HUE_LARGEST}, to_middle[] = {HUE_MIDDLE}, to_smallest[] = {HUE_SMALLEST};
    for (uint8_t *pixel = pixels; pixel < pixels + 3 * count; pixel += 3) {
        int red = pixel[0], green = pixel[1], blue = pixel[2];
        int largest = larger(larger(red, green), blue);
        int smallest = smaller(smaller(red, green), blue);
        if (largest == smallest) {
            continue;
        }
        int middle = red + green + blue - largest - smallest;
        int order = 4 * (red >= green) + 2 * (green >= blue) + (blue > red);
        float value = (float) largest * HUE_UNIT;
        float range = value - (float) smallest * HUE_UNIT;
        float saturation = range / value;
        float ratio = (value - (float) middle * HUE_UNIT) / range;
        float hue = ((sign[order] * ratio + first[order]) + second[order]) * HUE_SIXTH + 1;
        float turned = (hue >= 1 ? hue - 1 : hue) + by.turn;
        turned = turned >= 1 ? turned - 1 : turned;
        turned = turned < 0 ? turned + 1 : turned;
        float six = turned * 6;
        int sector = (int) six;
        float part = saturation * (six - (float) sector);
        float mixed = (sector % 2 == 0 ? part + (1 - saturation) : 1 - part) * value;
        pixel[to_largest[sector]] = (uint8_t) largest;
        pixel[to_middle[sector]] = (uint8_t) (fminf(fmaxf(mixed, 0), 1) * HUE_LEVELS);
        pixel[to_smallest[sector]] = (uint8_t) smallest;
    }
}

static uint64_t gray_sum(const uint8_t *pixels, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += gray_of(pixels + 3 * i);
    }
    return sum;
}

static void gray(const uint8_t *pixels, size_t count, uint8_t *result)
{
    for (size_t i = 0; i < count; i++) {
        result[i] = gray_of(pixels + 3 * i);
    }
}

const struct color_loops plain_color = {blend, saturate, grayscale, turn_hue, gray_sum, gray};
