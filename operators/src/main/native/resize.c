#include "resize.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **memory, size_t *capacity, size_t count, size_t size)
{
    if (*capacity >= count) {
        return true;
    }
    free(*memory);
    *memory = calloc(count, size);
    *capacity = *memory ? count : 0;
    return *memory != NULL;
}

static bool axis_grow(struct axis *axis)
{
    size_t out = ((size_t) axis->out + 3) / 4 * 4; /* the vector code goes through the columns in steps of four */
    size_t pairs = out * (size_t) axis->pairs;
    if (!grow((void **) &axis->start, &axis->capacity_out, out, sizeof *axis->start)) {
        return false;
    }
    if (axis->capacity_pairs >= pairs) {
        return true;
    }
    free(axis->weights);
    free(axis->high);
    free(axis->low);
    axis->weights = malloc(2 * pairs * sizeof *axis->weights);
    axis->high = malloc(pairs * sizeof *axis->high);
    axis->low = malloc(pairs * sizeof *axis->low);
    bool enough = axis->weights && axis->high && axis->low;
    axis->capacity_pairs = enough ? pairs : 0;
    return enough;
}

static uint32_t two(int32_t first, int32_t second)
{
    return ((uint32_t) first & 0xffff) | ((uint32_t) second << 16);
}

bool axis_set(struct axis *axis, int in, int out, int taps, const int32_t *start, const int32_t *weights)
{
    axis->in = in;
    axis->out = out;
    axis->taps = taps;
    axis->pairs = (taps + 1) / 2;
    if (!axis_grow(axis)) {
        return false;
    }
    size_t pairs = (size_t) axis->pairs;
    for (int x = 0; x < out; x++) {
        size_t to = (size_t) x;
        const int32_t *from = weights + to * (size_t) taps;
        int32_t *packed = axis->weights + to * 2 * pairs;
        packed[2 * pairs - 1] = 0;
        memcpy(packed, from, (size_t) taps * sizeof *packed);
        axis->start[to] = start[x];
        for (size_t pair = 0; pair < pairs; pair++) {
            int32_t a = packed[2 * pair];
            int32_t b = packed[2 * pair + 1];
            /* The arithmetic shift keeps weight == (weight >> LOW_BITS) * 2^LOW_BITS + low bits, also below 0. */
            axis->high[to * pairs + pair] = two(a >> LOW_BITS, b >> LOW_BITS);
            axis->low[to * pairs + pair] = two(a & ((1 << LOW_BITS) - 1), b & ((1 << LOW_BITS) - 1));
        }
    }
    return true;
}

static inline uint8_t rounded(int32_t sum)
{
    int32_t value = sum >> FRACTION_BITS;
    return (uint8_t) (value < 0 ? 0 : value > 255 ? 255 : value);
}

static inline __attribute__((always_inline)) void across_three(
    const struct axis *axis, int taps, const uint8_t *in, uint8_t *out)
{
    for (int x = 0; x < axis->out; x++) {
        const int32_t *weights = axis->weights + (size_t) x * 2 * (size_t) axis->pairs;
        const uint8_t *at = in + (size_t) axis->start[x] * 3;
        int32_t red = HALF, green = HALF, blue = HALF;
        for (int tap = 0; tap < taps; tap++, at += 3) {
            red += at[0] * weights[tap];
            green += at[1] * weights[tap];
            blue += at[2] * weights[tap];
        }
        uint8_t *to = out + (size_t) x * 3;
        to[0] = rounded(red);
        to[1] = rounded(green);
        to[2] = rounded(blue);
    }
}

static void across_one(const struct axis *axis, const uint8_t *in, uint8_t *out)
{
    for (int x = 0; x < axis->out; x++) {
        const int32_t *weights = axis->weights + (size_t) x * 2 * (size_t) axis->pairs;
        const uint8_t *at = in + axis->start[x];
        int32_t sum = HALF;
        for (int tap = 0; tap < axis->taps; tap++) {
            sum += at[tap] * weights[tap];
        }
        out[x] = rounded(sum);
    }
}

static void plain_across(const struct axis *axis, int channels, const uint8_t *const in[2], uint8_t *const out[2])
{
    for (int row = 0; row < 2; row++) {
        if (channels == 1) {
            across_one(axis, in[row], out[row]);
            continue;
        }
        switch (axis->taps) { /* the usual numbers as constants, so that the compiler unrolls their loops */
        case 2:
            across_three(axis, 2, in[row], out[row]);
            break;
        case 3:
            across_three(axis, 3, in[row], out[row]);
            break;
        case 4:
            across_three(axis, 4, in[row], out[row]);
            break;
        default:
            across_three(axis, axis->taps, in[row], out[row]);
        }
    }
}

static void plain_down(const struct axis *axis, int y, const uint8_t *const *rows, uint8_t *out, size_t count)
{
    enum { BLOCK = 256 };
    const int32_t *weights = axis->weights + (size_t) y * 2 * (size_t) axis->pairs;
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t length = count - at < BLOCK ? count - at : BLOCK;
        int32_t sums[BLOCK];
        for (size_t i = 0; i < BLOCK; i++) {
            sums[i] = HALF;
        }
        for (int tap = 0; tap < axis->taps; tap++) {
            const uint8_t *row = rows[tap] + at;
            int32_t weight = weights[tap];
            for (size_t i = 0; i < length; i++) {
                sums[i] += row[i] * weight;
            }
        }
        for (size_t i = 0; i < length; i++) {
            out[at + i] = rounded(sums[i]);
        }
    }
}

const struct passes plain_passes = {plain_across, plain_down};

static bool prepare(struct resizer *resizer, size_t stride, size_t rows)
{
    return grow((void **) &resizer->memory, &resizer->capacity, stride * (rows + 2) + 64, 1)
        && grow((void **) &resizer->taps, &resizer->capacity_taps, 2 * (size_t) resizer->down.pairs, sizeof *resizer->taps);
}

enum outcome resize(struct resizer *resizer, int channels, row_source next, void *state, uint8_t *result)
{
    const struct axis *across = &resizer->across;
    const struct axis *down = &resizer->down;
    size_t bytes = (size_t) across->out * (size_t) channels;
    size_t total = bytes * (size_t) down->out;
    size_t stride = (bytes + ROW_SLACK + 63) / 64 * 64;
    /* The taps of one output row, and the second row of the pair with the last of them. */
    size_t ring = (size_t) down->taps + 1;
    if (!prepare(resizer, stride, ring)) {
        return NO_MEMORY;
    }
    uint8_t *memory = (uint8_t *) (((uintptr_t) resizer->memory + 63) / 64 * 64);
    uint8_t *line = memory + ring * stride;
    uint8_t *unused = line + stride;
    int filtered = 0;
    for (int y = 0; y < down->out; y++) {
        int first = down->start[y];
        while (filtered < first + down->taps) {
            bool both = filtered + 1 < down->in;
            const uint8_t *in[2];
            in[0] = next(state, filtered);
            in[1] = both && in[0] ? next(state, filtered + 1) : in[0];
            if (!in[1]) {
                return UNSUPPORTED;
            }
            uint8_t *out[2] = {
                memory + (size_t) filtered % ring * stride,
                both ? memory + (size_t) (filtered + 1) % ring * stride : unused,
            };
            resizer->passes.across(across, channels, in, out);
            filtered += both ? 2 : 1;
        }
        for (int tap = 0; tap < 2 * down->pairs; tap++) {
            int row = first + (tap < down->taps ? tap : down->taps - 1);
            resizer->taps[tap] = memory + (size_t) row % ring * stride;
        }
        bool direct = (size_t) (y + 1) * bytes + ROW_SLACK <= total;
        uint8_t *out = direct ? result + (size_t) y * bytes : line;
        resizer->passes.down(down, y, resizer->taps, out, bytes);
        if (!direct) {
            memcpy(result + (size_t) y * bytes, line, bytes);
        }
    }
    return DONE;
}

static void axis_free(struct axis *axis)
{
    free(axis->start);
    free(axis->weights);
    free(axis->high);
    free(axis->low);
}

void resizer_free(struct resizer *resizer)
{
    axis_free(&resizer->across);
    axis_free(&resizer->down);
    free(resizer->memory);
    free(resizer->taps);
}
