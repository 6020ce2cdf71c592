/*
 * Compares the resize, the exchange of left and right, and the conversion to floats with the simplest code for each, and the changes
 * of colour with AVX2 with those in plain C, for random sizes, weights and values. All memory has exactly the promised size, so that AddressSanitizer finds a read or a write outside of it. In the
 * folder operators:
 *
 *     cd src/main/native && gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -ffp-contract=off -mavx2 -mfma -I. \
 *         -o /tmp/pixelcheck ../../test/native/pixelcheck.c resize.c resize_avx2.c mirror_avx2.c floats_avx2.c \
 *         color.c color_avx2.c -lm
 *     /tmp/pixelcheck 20000 1      # 20,000 cases, from seed 1
 *
 * On a CPU without AVX2, leave out -mavx2 -mfma and the files with avx2 in their names, and use -DMILLRACE_PLAIN. Then only the resize
 * without instructions for vectors is examined. The exit status is 0 if there is no difference.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "floats.h"
#include "mirror.h"
#include "resize.h"

/* ---- Random numbers ---- */

static uint64_t state;

static int below(int end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int) ((state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % end;
}

static int between(int first, int last)
{
    return first + below(last - first + 1);
}

static uint8_t *random_bytes(size_t count)
{
    uint8_t *bytes = malloc(count > 0 ? count : 1);
    bool extreme = below(4) == 0;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t) (extreme ? below(2) * 255 : below(256));
    }
    return bytes;
}

/* ---- Resize ---- */

struct table {
    int in, out, taps;
    int32_t *start, *weights;
};

/* Weights that add up to 1, some of them negative, as those of a Lanczos filter. */
static struct table random_table(bool ordered)
{
    struct table table = {between(1, below(4) == 0 ? 300 : 40), between(1, below(4) == 0 ? 300 : 40), 0, NULL, NULL};
    table.taps = between(1, table.in < 16 || below(8) == 0 ? table.in : 16);
    table.start = malloc((size_t) table.out * sizeof *table.start);
    table.weights = malloc((size_t) table.out * (size_t) table.taps * sizeof *table.weights);
    int last = table.in - table.taps;
    for (int x = 0; x < table.out; x++) {
        bool edge = below(4) == 0;
        table.start[x] = ordered ? (int32_t) ((int64_t) last * x / table.out) : edge ? last : between(0, last);
        int32_t rest = 1 << FRACTION_BITS;
        for (int tap = 0; tap < table.taps; tap++) {
            int32_t share = (1 << FRACTION_BITS) / table.taps;
            int32_t weight = tap == table.taps - 1 ? rest : below(2 * share + 1) - (below(3) == 0 ? share / 2 : 0);
            weight = weight > rest + share ? rest : weight;
            table.weights[x * table.taps + tap] = weight;
            rest -= weight;
        }
    }
    return table;
}

static void table_free(struct table table)
{
    free(table.start);
    free(table.weights);
}

/* The rows of an image, each in memory of its own with only the slack behind it. A row lives until the next but one. */
struct rows {
    const uint8_t *pixels;
    size_t row_bytes;
    uint8_t *memory[2];
};

static const uint8_t *next_row(void *of, int row)
{
    struct rows *rows = of;
    uint8_t **memory = &rows->memory[row % 2];
    free(*memory);
    *memory = malloc(rows->row_bytes + ROW_SLACK);
    memset(*memory + rows->row_bytes, below(256), ROW_SLACK);
    memcpy(*memory, rows->pixels + (size_t) row * rows->row_bytes, rows->row_bytes);
    return *memory;
}

static uint8_t pillow(int64_t sum)
{
    int64_t value = sum >> FRACTION_BITS;
    return (uint8_t) (value < 0 ? 0 : value > 255 ? 255 : value);
}

static uint8_t *expected_resize(const uint8_t *pixels, int channels, struct table across, struct table down)
{
    uint8_t *narrow = malloc((size_t) down.in * (size_t) across.out * (size_t) channels);
    uint8_t *result = malloc((size_t) down.out * (size_t) across.out * (size_t) channels);
    for (int y = 0; y < down.in; y++) {
        for (int i = 0; i < across.out * channels; i++) {
            int x = i / channels;
            int64_t sum = HALF;
            for (int tap = 0; tap < across.taps; tap++) {
                int column = across.start[x] + tap;
                sum += (int64_t) pixels[(y * across.in + column) * channels + i % channels]
                    * across.weights[x * across.taps + tap];
            }
            narrow[y * across.out * channels + i] = pillow(sum);
        }
    }
    for (int y = 0; y < down.out; y++) {
        for (int i = 0; i < across.out * channels; i++) {
            int64_t sum = HALF;
            for (int tap = 0; tap < down.taps; tap++) {
                sum += (int64_t) narrow[(down.start[y] + tap) * across.out * channels + i] * down.weights[y * down.taps + tap];
            }
            result[y * across.out * channels + i] = pillow(sum);
        }
    }
    free(narrow);
    return result;
}

/* Returns whether the weights of each result add up to little enough for 32 bits, which Java's tables ensure. */
static bool fits(struct table table)
{
    for (int x = 0; x < table.out; x++) {
        int64_t size = 0;
        for (int tap = 0; tap < table.taps; tap++) {
            int64_t weight = table.weights[x * table.taps + tap];
            size += weight < 0 ? -weight : weight;
        }
        if (size > (INT64_C(1) << 31) / 256 - 1 - HALF / 256) {
            return false;
        }
    }
    return true;
}

static int check_resize(struct resizer *resizer, const struct passes *passes, int *resized)
{
    struct table across = random_table(false), down = random_table(true);
    int channels = below(4) == 0 ? 1 : 3;
    size_t row_bytes = (size_t) across.in * (size_t) channels;
    uint8_t *pixels = random_bytes(row_bytes * (size_t) down.in);
    size_t result_bytes = (size_t) down.out * (size_t) across.out * (size_t) channels;
    uint8_t *result = malloc(result_bytes);
    int wrong = 0;
    if (fits(across) && fits(down)) {
        uint8_t *expected = expected_resize(pixels, channels, across, down);
        struct rows rows = {pixels, row_bytes, {NULL, NULL}};
        resizer->passes = *passes;
        bool done = axis_set(&resizer->across, across.in, across.out, across.taps, across.start, across.weights)
            && axis_set(&resizer->down, down.in, down.out, down.taps, down.start, down.weights)
            && resize(resizer, channels, next_row, &rows, result) == DONE;
        wrong = !done || memcmp(result, expected, result_bytes) != 0;
        ++*resized;
        free(rows.memory[0]);
        free(rows.memory[1]);
        free(expected);
    }
    free(result);
    free(pixels);
    table_free(across);
    table_free(down);
    return wrong;
}

/* ---- Mirror, floats and colours ---- */

#if !defined(MILLRACE_PLAIN)
static int check_mirror(void)
{
    int height = between(1, 4), width = between(1, 90);
    size_t channels = below(2) == 0 ? 1 : 3;
    size_t bytes = channels * (size_t) (height * width);
    uint8_t *pixels = random_bytes(bytes);
    uint8_t *mirrored = malloc(bytes);
    for (int i = 0; i < height * width; i++) {
        int from = i / width * width + width - 1 - i % width;
        memcpy(mirrored + channels * (size_t) i, pixels + channels * (size_t) from, channels);
    }
    avx2_mirror(pixels, (size_t) height, (size_t) width, channels);
    int wrong = memcmp(pixels, mirrored, bytes) != 0;
    free(pixels);
    free(mirrored);
    return wrong;
}

/* The divisors and deviations are those of which every byte's quotient is exact: the caller of avx2_floats checks that. */
static int check_floats(void)
{
    static const float means[] = {0.485f, 0.456f, 0.406f, 0.5f}, deviations[] = {0.229f, 0.224f, 0.225f, 0.5f};
    static const float rows[] = {0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f};
    struct float_steps steps = {below(3) == 0, below(2) == 0, below(2) == 0, false};
    steps.by_inverses = !steps.mixes && below(2) == 0;
    struct float_constants constants;
    int channels = steps.mixes ? 3 : between(1, 4);
    for (int i = 0; i < FLOATS_GROUP; i++) {
        int channel = i % channels;
        constants.divisor[i] = 255;
        constants.divisor_inverse[i] = 1 / 255.0f;
        constants.mean[i] = means[channel];
        constants.deviation[i] = deviations[channel];
        constants.deviation_inverse[i] = 1 / deviations[channel];
        constants.red[i] = rows[3 * (i % 3)];
        constants.green[i] = rows[3 * (i % 3) + 1];
        constants.blue[i] = rows[3 * (i % 3) + 2];
        constants.offset[i] = i % 3 == 0 ? 0 : 128;
    }
    size_t count = (size_t) (channels * below(200 / channels));
    uint8_t *bytes = random_bytes(count);
    float *floats = malloc((count > 0 ? count : 1) * sizeof *floats);
    avx2_floats(&constants, steps, bytes, floats, count);
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        volatile float value = bytes[i]; /* each operation rounds */
        if (steps.mixes) {
            const uint8_t *pixel = bytes + i / 3 * 3;
            const float *row = rows + i % 3 * 3;
            value = (float) pixel[0] * row[0];
            value = fmaf(pixel[2], row[2], fmaf(pixel[1], row[1], value));
            value = value + (i % 3 == 0 ? 0.0f : 128.0f);
        }
        if (steps.divides) {
            value = value / 255.0f;
        }
        if (steps.standardizes) {
            value = value - means[i % (size_t) channels];
            value = value / deviations[i % (size_t) channels];
        }
        wrong |= floats[i] != value;
    }
    free(bytes);
    free(floats);
    return wrong;
}

static int check_change(color_loop plain, color_loop fast, size_t unit, struct color_change by)
{
    size_t count = (size_t) below(100), bytes = count * unit;
    uint8_t *expected = random_bytes(bytes);
    uint8_t *changed = malloc(bytes > 0 ? bytes : 1);
    for (size_t i = 3; below(4) == 0 && i < bytes; i++) {
        expected[i] = expected[i - i % 3]; /* gray pixels */
    }
    memcpy(changed, expected, bytes);
    plain(expected, count, by);
    fast(changed, count, by);
    int wrong = memcmp(expected, changed, bytes) != 0;
    free(expected);
    free(changed);
    return wrong;
}

static int check_grays(void)
{
    size_t count = (size_t) below(100);
    uint8_t *pixels = random_bytes(3 * count), *expected = malloc(count + 1), *grays = malloc(count > 0 ? count : 1);
    plain_color.gray(pixels, count, expected);
    avx2_color.gray(pixels, count, grays);
    int wrong = memcmp(expected, grays, count) != 0
        || plain_color.gray_sum(pixels, count) != avx2_color.gray_sum(pixels, count);
    free(pixels);
    free(expected);
    free(grays);
    return wrong;
}

static int check_colors(void)
{
    double factor = below(4000) / 1000.0;
    struct color_change by = {(float) below(256), (float) factor, (float) (1 - factor), (float) between(-500, 500) / 1000};
    const struct color_loops *plain = &plain_color, *fast = &avx2_color;
    return check_change(plain->blend, fast->blend, 1, by) || check_change(plain->saturate, fast->saturate, 3, by)
        || check_change(plain->grayscale, fast->grayscale, 3, by) || check_change(plain->turn_hue, fast->turn_hue, 3, by)
        || check_grays();
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "expected the number of cases and the first seed\n");
        return 2;
    }
    int cases = atoi(argv[1]);
    struct resizer resizer = {0};
    int resized = 0, resizes = 0, mirrors = 0, floats = 0, colors = 0;
    for (int i = 0; i < cases; i++) {
        state = ((uint64_t) atoll(argv[2]) + (uint64_t) i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (int warm = 0; warm < 8; warm++) {
            below(2);
        }
        int wrong = check_resize(&resizer, &plain_passes, &resized);
#if !defined(MILLRACE_PLAIN)
        wrong += check_resize(&resizer, &avx2_passes, &resized);
        mirrors += check_mirror();
        floats += check_floats();
        colors += check_colors();
#endif
        if (wrong && resizes == 0) {
            printf("case %d: another result of the resize\n", i);
        }
        resizes += wrong;
    }
    resizer_free(&resizer);
    printf("%d cases with %d resizes: %d different resizes, %d different mirrors, %d different floats, %d different colours\n", cases,
           resized, resizes, mirrors, floats, colors);
    return resizes + mirrors + floats + colors > 0;
}
