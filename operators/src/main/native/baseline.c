/*
 * The decoder works on one row of MCUs at a time, a "band", which stays in the cache. In front of the band's rows of samples lies
 * the last one of the band above, because upsampling mixes it with the first one. The samples begin at the first column of MCUs
 * that the rectangle needs; MCUs outside of it are parsed only.
 */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "jpeg_blocks.h"
#include "jpeg_color.h"
#include "jpeg_header.h"
#include "jpeg_scan.h"

/* The rows of pixels in memory. */
#define ROWS 4

/* Pairs of blocks in an MCU: two of luma at most, and one of colour. */
#define PAIRS 3

#define COMPONENTS 3
#define ALIGNMENT 64

/* The number of 16-bit numbers in front of a row of sums. The one before the first is used. */
#define SUMS_MARGIN 32

/* Closed intervals of MCUs. */
struct interval {
    int first, last;
};

/* What a rectangle needs of a file. */
struct plan {
    struct rectangle rectangle;
    int unit_width, unit_height; /* pixels of an MCU */
    int columns;                 /* MCUs in a row of the image */
    int start;                   /* the first column of pixels that is converted: left, or the even one before */
    int converted;               /* pixels of a row */
    struct interval chroma;      /* samples of colour that a row needs; unused without subsampling across */
    int chroma_width, chroma_height; /* samples of colour of the image */
    struct interval across;      /* MCUs that are decoded */
    struct interval luma;        /* those of them whose luma is needed */
    int first_band;
    int luma_pairs;
    int row_entries;             /* entry points of a row */
};

struct baseline_decoder {
    int16_t pairs[PAIRS][BLOCK_PAIR] __attribute__((aligned(ALIGNMENT))); /* 0 but at BLOCK_NOWHERE, between two MCUs */
    int16_t quanta[PAIRS][2 * 64] __attribute__((aligned(ALIGNMENT)));
    struct jpeg_header header;
    struct huffman_cache cache;
    struct scan scan;
    struct plan plan;
    int band;                       /* the row of MCUs in memory; first_band - 1 at the beginning */
    int64_t unit;                   /* the MCUs before the next one */
    struct entry_points *entries;   /* the caller's; NULL for none */
    bool records;                   /* whether the next entry points can be added */
    bool jumps;                     /* whether restart markers serve instead of entry points */
    uint8_t *memory;                /* owned: samples, sums and rows */
    size_t capacity;
    uint8_t *samples[COMPONENTS];   /* the row above the band, and the rows of the band */
    ptrdiff_t stride[COMPONENTS];
    int16_t *sums[2];
    uint8_t *rows[ROWS];
};

bool baseline_has_instructions(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

#if defined(__x86_64__) || defined(MILLRACE_PLAIN)

size_t baseline_most_entry_points(int height, int width)
{
    size_t row = (size_t) width / (8 * ENTRY_UNITS) + 1;
    return row * ((size_t) height / 8 + 1);
}

struct baseline_decoder *baseline_decoder_new(void)
{
    size_t size = (sizeof(struct baseline_decoder) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct baseline_decoder *decoder = aligned_alloc(ALIGNMENT, size);
    if (decoder) {
        memset(decoder, 0, size);
    }
    return decoder;
}

void baseline_decoder_free(struct baseline_decoder *decoder)
{
    if (decoder) {
        free(decoder->memory);
        free(decoder);
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* The rows of samples of colour that are nearest to row y of the image, if there are half as many of them. */
struct neighbours {
    int near, far;
};

static struct neighbours rows_of_color(const struct plan *plan, int y)
{
    int near = y / 2;
    int far = y % 2 == 0 ? most(near - 1, 0) : least(near + 1, plan->chroma_height - 1);
    return (struct neighbours) {near, far};
}

/* The first band after which row y of the image can be converted. */
static int band_of_row(const struct baseline_decoder *decoder, int y)
{
    if (decoder->header.down == 1) {
        return y / 8;
    }
    struct neighbours rows = rows_of_color(&decoder->plan, y);
    return most(rows.near, rows.far) / 8;
}

static void make_plan(struct baseline_decoder *decoder, struct rectangle rectangle)
{
    const struct jpeg_header *header = &decoder->header;
    struct plan *plan = &decoder->plan;
    int end = rectangle.left + rectangle.width;
    plan->rectangle = rectangle;
    plan->unit_width = 8 * header->across;
    plan->unit_height = 8 * header->down;
    plan->columns = (header->width + plan->unit_width - 1) / plan->unit_width;
    plan->chroma_width = (header->width + header->across - 1) / header->across;
    plan->chroma_height = (header->height + header->down - 1) / header->down;
    plan->start = header->across == 2 ? rectangle.left / 2 * 2 : rectangle.left;
    plan->converted = end - plan->start;
    plan->luma = (struct interval) {plan->start / plan->unit_width, (end - 1) / plan->unit_width};
    plan->across = plan->luma;
    if (header->across == 2) {
        plan->chroma.first = most(plan->start / 2 - 1, 0);
        plan->chroma.last = least((end - 1) / 2 + 1, plan->chroma_width - 1);
        plan->across = (struct interval) {plan->chroma.first / 8, plan->chroma.last / 8};
    }
    plan->first_band = rectangle.top / plan->unit_height;
    if (header->down == 2) {
        struct neighbours rows = rows_of_color(plan, rectangle.top);
        plan->first_band = least(rows.near, rows.far) / 8;
    }
    plan->luma_pairs = (header->across * header->down + 1) / 2;
    plan->row_entries = (plan->columns + ENTRY_UNITS - 1) / ENTRY_UNITS;
    decoder->band = plan->first_band - 1;
    decoder->unit = 0;
}

/* Memory that is divided into aligned parts. Without memory, the parts are only counted. */
struct division {
    uint8_t *memory;
    size_t used;
};

static uint8_t *take(struct division *division, size_t bytes)
{
    uint8_t *taken = division->memory ? division->memory + division->used : NULL;
    division->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return taken;
}

/* Sets the decoder's samples, sums and rows. Returns the bytes that they need. */
static size_t divide(struct baseline_decoder *decoder, uint8_t *memory)
{
    const struct plan *plan = &decoder->plan;
    size_t units = (size_t) (plan->across.last - plan->across.first + 1);
    struct division division = {memory, 0};
    for (int i = 0; i < decoder->header.components; i++) {
        size_t width = units * (size_t) (i == 0 ? plan->unit_width : 8);
        size_t stride = (width + COLOR_SLACK + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        decoder->stride[i] = (ptrdiff_t) stride;
        decoder->samples[i] = take(&division, stride * (size_t) (1 + (i == 0 ? plan->unit_height : 8)));
    }
    for (int i = 0; i < 2; i++) {
        decoder->sums[i] = (int16_t *) take(&division, sizeof(int16_t) * (SUMS_MARGIN + units * 8 + COLOR_SLACK));
    }
    size_t steps = ((size_t) plan->converted + COLOR_STEP - 1) / COLOR_STEP;
    for (int i = 0; i < ROWS; i++) {
        decoder->rows[i] = take(&division, 3 * steps * COLOR_STEP + COLOR_SLACK);
    }
    return division.used;
}

static bool make_memory(struct baseline_decoder *decoder)
{
    size_t needed = divide(decoder, NULL) + ALIGNMENT;
    if (decoder->capacity < needed) {
        free(decoder->memory);
        /* Zeros, because the steps of the conversion read behind the samples. */
        decoder->memory = calloc(needed, 1);
        decoder->capacity = decoder->memory ? needed : 0;
        if (!decoder->memory) {
            return false;
        }
    }
    divide(decoder, (uint8_t *) (((uintptr_t) decoder->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
    return true;
}

/* The component of one side of a pair. A side without a block gets that of luma. */
static int component_of(const struct baseline_decoder *decoder, int pair, int side)
{
    return pair < decoder->plan.luma_pairs ? 0 : 1 + side;
}

static void set_quanta(struct baseline_decoder *decoder)
{
    int pairs = decoder->plan.luma_pairs + (decoder->header.components == 3);
    for (int pair = 0; pair < pairs; pair++) {
        for (int side = 0; side < 2; side++) {
            int table = decoder->header.component[component_of(decoder, pair, side)].quanta;
            for (int i = 0; i < 64; i++) {
                decoder->quanta[pair][i / 8 * 16 + side * 8 + i % 8] = (int16_t) decoder->header.quanta[table][i];
            }
        }
    }
}

/* Returns whether the rectangle needs rows of a pair of luma. */
static bool needs_luma(const struct plan *plan, int band, int pair)
{
    int height = plan->unit_height / plan->luma_pairs;
    int top = band * plan->unit_height + pair * height;
    return top < plan->rectangle.top + plan->rectangle.height && top + height > plan->rectangle.top;
}

/* Keeps the last row of the band for the next one. */
static void keep_last_rows(struct baseline_decoder *decoder)
{
    for (int i = 0; i < decoder->header.components; i++) {
        int rows = i == 0 ? decoder->plan.unit_height : 8;
        memcpy(decoder->samples[i], decoder->samples[i] + rows * decoder->stride[i], (size_t) decoder->stride[i]);
    }
}

static bool transform_pair(struct baseline_decoder *decoder, int pair, int last, int unit)
{
    const struct plan *plan = &decoder->plan;
    struct block_places to;
    if (pair < plan->luma_pairs) {
        to.stride = decoder->stride[0];
        to.joined = decoder->header.across == 2;
        to.one = decoder->samples[0] + (1 + 8 * pair) * to.stride + unit * plan->unit_width;
        to.other = to.joined ? to.one + 8 : decoder->header.down == 2 ? to.one + 8 * to.stride : to.one;
    } else {
        to.stride = decoder->stride[1];
        to.joined = false;
        to.one = decoder->samples[1] + to.stride + unit * 8;
        to.other = decoder->samples[2] + to.stride + unit * 8;
    }
    return avx2_transform(decoder->pairs[pair], decoder->quanta[pair], last, to);
}

/* The index of the last entry point that is not behind a MCU. */
static int64_t entry_of(const struct plan *plan, int64_t unit)
{
    return unit / plan->columns * plan->row_entries + unit % plan->columns / ENTRY_UNITS;
}

/* The number of MCUs before an entry point. */
static int64_t unit_of(const struct plan *plan, int64_t entry)
{
    return entry / plan->row_entries * plan->columns + entry % plan->row_entries * ENTRY_UNITS;
}

/* Adds the entry point before the next MCU, if that is the first unknown one. */
static void record(struct baseline_decoder *decoder)
{
    struct entry_points *entries = decoder->entries;
    if (decoder->records && decoder->unit == unit_of(&decoder->plan, entries->known)) {
        decoder->records = scan_tell(&decoder->scan, entries->points + entries->known);
        entries->known += decoder->records;
    }
}

/* A jump costs about as much as to parse so many MCUs. */
#define LEAST_JUMP 5

/* Goes to a MCU, which is not before the next one. Returns false for irregular data. */
static bool go_to(struct baseline_decoder *decoder, int64_t unit)
{
    const struct plan *plan = &decoder->plan;
    if (decoder->entries && decoder->entries->known > 0) {
        int64_t entry = entry_of(plan, unit);
        entry = entry < decoder->entries->known ? entry : decoder->entries->known - 1;
        int64_t place = unit_of(plan, entry);
        if (place - decoder->unit >= LEAST_JUMP && scan_seek(&decoder->scan, decoder->entries->points[entry], place)) {
            decoder->unit = place;
        }
    }
    if (decoder->jumps && unit - decoder->unit >= LEAST_JUMP) {
        scan_jump(&decoder->scan, &decoder->unit, unit);
    }
    while (decoder->unit < unit) {
        int64_t next = decoder->records ? unit_of(plan, decoder->entries->known) : unit;
        next = next > decoder->unit && next < unit ? next : unit;
        if (!scan_skip(&decoder->scan, next - decoder->unit)) {
            return false;
        }
        decoder->unit = next;
        record(decoder);
    }
    return true;
}

/* Decodes the MCUs of the band that the rectangle needs. */
static bool decode_units(struct baseline_decoder *decoder)
{
    const struct plan *plan = &decoder->plan;
    struct scan *scan = &decoder->scan;
    struct block_task all[SCAN_BLOCKS], colors[SCAN_BLOCKS];
    int last[PAIRS];
    int pairs = plan->luma_pairs + (decoder->header.components == 3);
    bool needed[PAIRS];
    bool drops = false;
    for (int pair = 0; pair < pairs; pair++) {
        needed[pair] = pair >= plan->luma_pairs || needs_luma(plan, decoder->band, pair);
    }
    int lumas = decoder->header.across * decoder->header.down;
    for (int i = 0; i < scan->blocks; i++) {
        int pair = i < lumas ? i / 2 : plan->luma_pairs;
        int side = i < lumas ? i % 2 : i - lumas;
        int16_t *block = needed[pair] ? decoder->pairs[pair] + 8 * side : NULL;
        all[i] = (struct block_task) {scan->dc[i], scan->ac[i], block, scan->predictor + scan->component[i], last + pair};
        colors[i] = all[i];
        if (i < lumas) {
            colors[i].block = NULL;
        }
        drops |= !block;
    }
    drops |= plan->across.first < plan->luma.first || plan->across.last > plan->luma.last;
    if (drops) {
        scan_prepare_skips(scan);
    }
    for (int x = plan->across.first; x <= plan->across.last; x++) {
        bool inside = x >= plan->luma.first && x <= plan->luma.last;
        memset(last, 0, sizeof last);
        if (x % ENTRY_UNITS == 0) {
            record(decoder);
        }
        decoder->unit++;
        if (!scan_unit(scan, inside ? all : colors)) {
            return false;
        }
        for (int pair = inside ? 0 : plan->luma_pairs; pair < pairs; pair++) {
            if (needed[pair] && !transform_pair(decoder, pair, last[pair], x - plan->across.first)) {
                return false;
            }
        }
    }
    return scan_is_regular(scan);
}

/* Decodes the next band. Returns false for irregular data. */
static bool next_band(struct baseline_decoder *decoder)
{
    const struct plan *plan = &decoder->plan;
    decoder->band++;
    if (decoder->band > plan->first_band && decoder->header.down == 2) {
        keep_last_rows(decoder);
    }
    return go_to(decoder, (int64_t) decoder->band * plan->columns + plan->across.first) && decode_units(decoder);
}

/* The samples of a component at the first column of a row of its own; near the band. */
static const uint8_t *samples_of(const struct baseline_decoder *decoder, int component, int row)
{
    int rows = component == 0 ? decoder->plan.unit_height : 8;
    return decoder->samples[component] + (row - decoder->band * rows + 1) * decoder->stride[component];
}

/* Computes the sums of the samples of one colour that a row needs, and returns the one of the first pixel. */
static const int16_t *make_sums(const struct baseline_decoder *decoder, int color, int y)
{
    const struct plan *plan = &decoder->plan;
    int origin = 8 * plan->across.first;
    int first = plan->chroma.first - origin;
    int count = plan->chroma.last - plan->chroma.first + 1;
    int16_t *sums = decoder->sums[color] + SUMS_MARGIN;
    if (decoder->header.down == 2) {
        struct neighbours rows = rows_of_color(plan, y);
        struct color_rows from = {
            samples_of(decoder, 1 + color, rows.near) + first, samples_of(decoder, 1 + color, rows.far) + first};
        avx2_sum_rows(from, sums + first, count);
    } else {
        avx2_widen_row(samples_of(decoder, 1 + color, y) + first, sums + first, count);
    }
    /* At the edges of the image, the last sample stands for the missing one. */
    if (plan->start == 0) {
        sums[-1] = sums[0];
    }
    if (plan->chroma.last == plan->chroma_width - 1) {
        sums[first + count] = sums[first + count - 1];
    }
    return sums + (plan->start / 2 - origin);
}

/* Converts row y of the image. */
static void convert_row(const struct baseline_decoder *decoder, int y, uint8_t *rgb)
{
    const struct plan *plan = &decoder->plan;
    const struct jpeg_header *header = &decoder->header;
    int skipped = plan->start - plan->across.first * plan->unit_width;
    const uint8_t *luma = samples_of(decoder, 0, y) + skipped;
    if (header->components == 1) {
        avx2_interleave(luma, luma, luma, rgb, plan->converted);
    } else if (header->across == 2) {
        const int16_t *cb = make_sums(decoder, 0, y);
        const int16_t *cr = make_sums(decoder, 1, y);
        (header->down == 2 ? avx2_convert_420 : avx2_convert_422)(luma, cb, cr, rgb, plan->converted);
    } else if (header->down == 2) {
        struct neighbours rows = rows_of_color(plan, y);
        struct color_rows cb = {
            samples_of(decoder, 1, rows.near) + skipped, samples_of(decoder, 1, rows.far) + skipped};
        struct color_rows cr = {
            samples_of(decoder, 2, rows.near) + skipped, samples_of(decoder, 2, rows.far) + skipped};
        avx2_convert_440(luma, cb, cr, y % 2 != 0, rgb, plan->converted);
    } else {
        const uint8_t *second = samples_of(decoder, 1, y) + skipped;
        const uint8_t *third = samples_of(decoder, 2, y) + skipped;
        (header->rgb ? avx2_interleave : avx2_convert_444)(luma, second, third, rgb, plan->converted);
    }
}

/* Rows are fetched in order, so a row needs the band in memory or a later one. */
static const uint8_t *decoded_row(void *state, int row)
{
    struct baseline_decoder *decoder = state;
    const struct plan *plan = &decoder->plan;
    int y = plan->rectangle.top + row;
    int band = band_of_row(decoder, y);
    while (decoder->band < band) {
        if (!next_band(decoder)) {
            return NULL;
        }
    }
    uint8_t *rgb = decoder->rows[row % ROWS];
    convert_row(decoder, y, rgb);
    return rgb + 3 * (plan->rectangle.left - plan->start);
}

/* Begins a file. Restart markers that are as near as the rows of MCUs serve as entry points by themselves. */
static void use_entries(struct baseline_decoder *decoder, struct entry_points *entries)
{
    int interval = decoder->header.restart_interval;
    decoder->jumps = interval > 0 && interval <= decoder->plan.columns;
    decoder->entries = decoder->jumps ? NULL : entries;
    decoder->records = decoder->entries != NULL;
}

/*
 * The largest DC coefficient. For samples of 8 bits it lies between -1024 and 1016; the limit is 1.5 times as large, for encoders
 * that overshoot.
 */
#define LARGEST_DC 1536

enum finding baseline_check(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct entry_points *entries)
{
    struct jpeg_header *header = &decoder->header;
    if (!jpeg_header_read(header, data, size) || header->height != height || header->width != width) {
        return NOT_CHECKED;
    }
    make_plan(decoder, (struct rectangle) {0, 0, header->height, header->width});
    use_entries(decoder, entries);
    if (!scan_begin(&decoder->scan, header, &decoder->cache)) {
        return NOT_CHECKED;
    }
    int32_t limits[COMPONENTS] = {0};
    for (int i = 0; i < header->components; i++) {
        int quantum = most(header->quanta[header->component[i].quanta][0], 1);
        limits[i] = (LARGEST_DC + quantum) / quantum;
    }
    record(decoder);
    int64_t rows = (header->height + decoder->plan.unit_height - 1) / decoder->plan.unit_height;
    int64_t units = rows * decoder->plan.columns;
    while (decoder->unit < units) {
        int64_t next = decoder->records ? unit_of(&decoder->plan, decoder->entries->known) : units;
        next = next > decoder->unit && next < units ? next : units;
        if (!scan_check(&decoder->scan, next - decoder->unit, limits)) {
            return scan_ends_unusually(&decoder->scan, false) ? NOT_CHECKED : DAMAGED;
        }
        decoder->unit = next;
        if (next < units) {
            record(decoder);
        }
    }
    return scan_is_complete(&decoder->scan) ? INTACT : scan_ends_unusually(&decoder->scan, true) ? NOT_CHECKED : DAMAGED;
}

/* A row of at most two samples of colour is not interpolated by libjpeg. */
static bool is_supported(const struct jpeg_header *header, int height, int width, struct rectangle rectangle)
{
    return header->height == height && header->width == width && (header->across == 1 || width > 4) && rectangle.top >= 0
        && rectangle.left >= 0 && rectangle.height >= 1 && rectangle.width >= 1
        && rectangle.height <= height - rectangle.top && rectangle.width <= width - rectangle.left;
}

enum outcome baseline_decode(
    struct baseline_decoder *decoder, const uint8_t *data, size_t size, int height, int width, struct rectangle rectangle,
    struct entry_points *entries, jpeg_reader read, void *state)
{
    if (!jpeg_header_read(&decoder->header, data, size) || !is_supported(&decoder->header, height, width, rectangle)) {
        return UNSUPPORTED;
    }
    make_plan(decoder, rectangle);
    use_entries(decoder, entries);
    set_quanta(decoder);
    memset(decoder->pairs, 0, sizeof decoder->pairs);
    if (!make_memory(decoder)) {
        return NO_MEMORY;
    }
    if (!scan_begin(&decoder->scan, &decoder->header, &decoder->cache)) {
        return UNSUPPORTED;
    }
    record(decoder);
    return read(decoded_row, decoder, state);
}

#endif
