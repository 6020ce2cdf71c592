/*
 * Compares the baseline decoder (src/main/native/baseline.c) with libjpeg-turbo and with the same decoder without instructions for
 * vectors (baseline_plain.c), and measures it. In the folder operators:
 *
 *     cd src/main/native && gcc -std=gnu11 -O3 -mavx2 -mbmi2 -fno-strict-aliasing -Wall -Wextra -Wno-clobbered -I. \
 *         -o /tmp/jpegcheck ../../test/native/jpegcheck.c ../../test/native/baseline_plain.c \
 *         baseline.c entry_store.c huffman.c jpeg.c jpeg_*.c -l:libjpeg.a -lm -pthread
 *     /tmp/jpegcheck random 20000 1         # random JPEGs from seed 1: the whole, and random rectangles
 *     /tmp/jpegcheck files 20 FILE...       # 20 rectangles of each file
 *     /tmp/jpegcheck time 61 FILE...        # CPU time of 61 rounds: rectangles of RandomResizedCrop, and whole images
 *
 * and with `-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all` instead of -O3:
 *
 *     /tmp/jpegcheck fuzz 20000 1 [FILE...] # damaged files, or damaged random JPEGs
 *
 * On a CPU without AVX2, use -DMILLRACE_PLAIN instead of -mavx2 -mbmi2, and leave out baseline.c and the files with avx2 in their
 * names. Then only the decoder without instructions for vectors is compared with libjpeg-turbo.
 *
 * The exit status is 0 if there is no difference.
 */
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "baseline.h"
#include "baseline_plain.h"
#include "entry_store.h"
#include "jpeg.h"
#include "jpeg_header.h"

#define MOST_PIXELS (2 << 20)
#define SHOWN 10

/* One in so many damaged files is also decoded without instructions for vectors, which takes half of the time. */
#define FUZZED_TWINS 4

/* The extents of random JPEGs. About one JPEG in 3000 is large in both directions. */
#define MOST_EXTENT 4100
#define LARGE_EXTENT 2000
#define LARGE 0.0003

/* ---- Random numbers ---- */

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double) ((state * UINT64_C(0x2545f4914f6cdd1d)) >> 11) / 9007199254740992.0;
}

static int below(int end)
{
    return (int) (uniform() * end);
}

static int between(int first, int last)
{
    return first + below(last - first + 1);
}

static bool chance(double probability)
{
    return uniform() < probability;
}

static void seed(uint64_t number)
{
    state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 8; i++) {
        uniform();
    }
}

/* ---- Files ---- */

struct file {
    uint8_t *data;
    size_t size;
    int height, width;
    char name[256];
};

static struct file *files;
static int count;

static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(2);
}

static void load(int names, char **name)
{
    files = calloc((size_t) names + 1, sizeof *files);
    for (int i = 0; i < names; i++) {
        struct file *file = files + count;
        FILE *in = fopen(name[i], "rb");
        if (!in) {
            fail("cannot read a file");
        }
        fseek(in, 0, SEEK_END);
        file->size = (size_t) ftell(in);
        rewind(in);
        file->data = malloc(file->size + 1);
        if (fread(file->data, 1, file->size, in) != file->size) {
            fail("cannot read a file");
        }
        fclose(in);
        snprintf(file->name, sizeof file->name, "%s", name[i]);
        struct jpeg_header header;
        if (jpeg_header_read(&header, file->data, file->size)) {
            file->height = header.height;
            file->width = header.width;
            count++;
        } else {
            printf("not supported: %s\n", name[i]);
            free(file->data);
        }
    }
}

/* ---- Random JPEGs ---- */

/* A table of `symbols` in a random order, with random lengths. Codes of ones only do not occur. */
static void random_codes(j_compress_ptr jpeg, JHUFF_TBL **table, const uint8_t *symbols, int number)
{
    if (!*table) {
        *table = jpeg_alloc_huff_table((j_common_ptr) jpeg);
    }
    memset(*table, 0, sizeof **table);
    int rest = number;
    long free_codes = 1;
    bool uneven = chance(0.5);
    for (int length = 1; length <= 16; length++) {
        free_codes *= 2;
        long most = free_codes - 1 < rest ? free_codes - 1 : rest;
        long taken = length == 16 ? rest : uneven ? below(2) : below((int) (most < 40 ? most : 40) + 1);
        taken = taken < most ? taken : most;
        /* What is left must fit into the longer codes. */
        while (taken > 0 && (free_codes - taken) << (16 - length) <= rest - taken) {
            taken--;
        }
        (*table)->bits[length] = (UINT8) taken;
        rest -= (int) taken;
        free_codes -= taken;
    }
    if (rest > 0) {
        fail("no codes for all symbols");
    }
    memcpy((*table)->huffval, symbols, (size_t) number);
    for (int i = number - 1; i > 0; i--) {
        int j = below(i + 1);
        UINT8 kept = (*table)->huffval[i];
        (*table)->huffval[i] = (*table)->huffval[j];
        (*table)->huffval[j] = kept;
    }
}

static void use_random_codes(j_compress_ptr jpeg)
{
    uint8_t dc[12], ac[162];
    int symbols = 0;
    for (int i = 0; i < 12; i++) {
        dc[i] = (uint8_t) i;
    }
    ac[symbols++] = 0;
    ac[symbols++] = 0xf0;
    for (int run = 0; run < 16; run++) {
        for (int size = 1; size <= 10; size++) {
            ac[symbols++] = (uint8_t) (run << 4 | size);
        }
    }
    for (int i = 0; i < 2; i++) {
        random_codes(jpeg, &jpeg->dc_huff_tbl_ptrs[i], dc, 12);
        random_codes(jpeg, &jpeg->ac_huff_tbl_ptrs[i], ac, symbols);
    }
}

/* Pixels between a smooth image and noise. */
static uint8_t *random_pixels(int height, int width, int channels)
{
    uint8_t *pixels = malloc((size_t) height * (size_t) width * (size_t) channels);
    double noise = chance(0.3) ? 255 : uniform() * 60;
    double phase[8];
    for (int i = 0; i < 8; i++) {
        phase[i] = uniform() * (i < 4 ? 0.4 : 6);
    }
    bool extremes = chance(0.15);
    bool flat = chance(0.15);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < channels; c++) {
                double value = flat ? 40 * phase[4 + c] : 128 + 90 * sin(phase[c] * x + phase[3] * y + phase[4 + c]);
                value += flat && chance(0.98) ? 0 : (uniform() - 0.5) * noise;
                if (extremes) {
                    value = value < 128 ? 0 : 255;
                }
                *pixels++ = (uint8_t) (value < 0 ? 0 : value > 255 ? 255 : value);
            }
        }
    }
    return pixels - (size_t) height * (size_t) width * (size_t) channels;
}

static int random_extent(void)
{
    double kind = uniform();
    if (kind > 0.998) {
        return between(1, MOST_EXTENT);
    }
    return kind < 0.3 ? between(1, 20) : kind < 0.8 ? between(1, 120) : between(1, 420);
}

static void ignore_message(j_common_ptr jpeg, int level)
{
    (void) jpeg, (void) level;
}

/* The default quantization table of mozjpeg, for quality 50. It serves luma and colour, and all other qualities multiply it. */
static const unsigned int mozjpeg_quanta[64] = {
    16, 16, 16, 18,  25,  37,  56,  85,  16, 17, 20,  27,  34,  40,  53,  75,  16, 20, 24,  31,  43,  62,  91,  135,
    18, 27, 31, 40,  53,  74,  106, 156, 25, 34, 43,  53,  69,  94,  131, 189, 37, 40, 62,  74,  94,  124, 169, 238,
    56, 53, 91, 106, 131, 169, 226, 311, 85, 75, 135, 156, 189, 238, 311, 418};

/* Moves coefficients towards 0, and ends blocks early, as an encoder does that weighs bits against errors ("trellis"). */
static void thin_out(JBLOCKROW row, JDIMENSION blocks)
{
    for (JDIMENSION i = 0; i < blocks; i++) {
        int last = chance(0.3) ? between(1, 63) : 63;
        for (int k = 1; k < 64; k++) {
            int value = row[i][k];
            int toward = value > 0 ? value - 1 : value + 1;
            row[i][k] = (JCOEF) (k > last || (value * value == 1 && chance(0.6)) ? 0 : value != 0 && chance(0.2) ? toward : value);
        }
    }
}

/* Replaces a JPEG by one with fewer coefficients and Huffman tables that are made for it. */
static void thin_out_file(struct file *file, unsigned int restart_interval)
{
    struct jpeg_decompress_struct from;
    struct jpeg_compress_struct to;
    struct jpeg_error_mgr errors;
    uint8_t *data = NULL;
    unsigned long size = 0;
    from.err = jpeg_std_error(&errors);
    to.err = &errors;
    errors.emit_message = ignore_message;
    jpeg_create_decompress(&from);
    jpeg_mem_src(&from, file->data, file->size);
    jpeg_read_header(&from, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&from);
    for (int c = 0; c < from.num_components; c++) {
        jpeg_component_info *part = from.comp_info + c;
        for (JDIMENSION row = 0; row < part->height_in_blocks; row++) {
            thin_out(from.mem->access_virt_barray((j_common_ptr) &from, arrays[c], row, 1, TRUE)[0], part->width_in_blocks);
        }
    }
    jpeg_create_compress(&to);
    jpeg_mem_dest(&to, &data, &size);
    jpeg_copy_critical_parameters(&from, &to);
    to.optimize_coding = TRUE;
    to.restart_interval = restart_interval;
    jpeg_write_coefficients(&to, arrays);
    jpeg_finish_compress(&to);
    jpeg_destroy_compress(&to);
    jpeg_finish_decompress(&from);
    jpeg_destroy_decompress(&from);
    free(file->data);
    file->data = data;
    file->size = size;
}

/* Writes a JPEG. Nearly all of them are of kinds that the baseline decoder supports. */
static struct file random_jpeg(void)
{
    static const int samplings[][2] = {{2, 2}, {2, 2}, {2, 1}, {1, 2}, {1, 1}, {4, 1}, {2, 4}};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct file file = {0};
    unsigned long size = 0;
    bool large = chance(LARGE);
    file.height = large ? between(LARGE_EXTENT, MOST_EXTENT) : random_extent();
    file.width = large ? between(LARGE_EXTENT, MOST_EXTENT) : random_extent();
    int sampling = chance(0.02) ? between(5, 6) : between(0, 4);
    int space = chance(0.12) ? JCS_GRAYSCALE : chance(0.1) ? JCS_RGB : JCS_YCbCr;
    jpeg.err = jpeg_std_error(&errors);
    errors.emit_message = ignore_message;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file.data, &size);
    jpeg.image_width = (JDIMENSION) file.width;
    jpeg.image_height = (JDIMENSION) file.height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, (J_COLOR_SPACE) space);
    int quality = between(1, 100);
    bool wide = chance(0.3);
    jpeg_set_quality(&jpeg, quality, !wide);
    bool mozjpeg = chance(0.2);
    if (mozjpeg) {
        jpeg_add_quant_table(&jpeg, 0, mozjpeg_quanta, jpeg_quality_scaling(quality), !wide);
        jpeg_add_quant_table(&jpeg, 1, mozjpeg_quanta, jpeg_quality_scaling(quality), !wide);
    } else if (chance(0.15)) {
        unsigned int quanta[64];
        int largest = chance(0.3) ? 4000 : 255;
        for (int i = 0; i < 64; i++) {
            quanta[i] = (unsigned int) between(1, largest);
        }
        jpeg_add_quant_table(&jpeg, below(2), quanta, 100, largest <= 255);
    }
    if (space != JCS_GRAYSCALE && (space == JCS_YCbCr || chance(0.1))) {
        jpeg.comp_info[0].h_samp_factor = samplings[sampling][0];
        jpeg.comp_info[0].v_samp_factor = samplings[sampling][1];
    } else if (space == JCS_GRAYSCALE) {
        jpeg.comp_info[0].h_samp_factor = between(1, 3);
        jpeg.comp_info[0].v_samp_factor = between(1, 3);
    }
    jpeg.restart_interval = chance(0.35) ? (unsigned int) between(1, chance(0.5) ? 4 : 60) : 0;
    if (chance(0.1)) {
        jpeg.restart_in_rows = between(1, 3);
    }
    jpeg.optimize_coding = chance(0.4);
    if (!jpeg.optimize_coding && chance(0.4)) {
        use_random_codes(&jpeg);
    }
    if (chance(0.1)) {
        jpeg.write_JFIF_header = FALSE;
    }
    if (chance(0.05)) {
        jpeg.write_Adobe_marker = !jpeg.write_Adobe_marker;
    }
    if (chance(0.02)) {
        jpeg_simple_progression(&jpeg);
    }
    snprintf(
        file.name, sizeof file.name, "random %dx%d, space %d, sampling %dx%d, quality %d%s, restarts %u, %s tables", file.height,
        file.width, space, jpeg.comp_info[0].h_samp_factor, jpeg.comp_info[0].v_samp_factor, quality, wide ? " of 16 bits" : "",
        jpeg.restart_interval, mozjpeg ? "mozjpeg's" : jpeg.optimize_coding ? "optimised" : "other");
    uint8_t *pixels = random_pixels(file.height, file.width, 3);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < file.height; y++) {
        JSAMPROW row = pixels + (size_t) y * (size_t) file.width * 3;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    unsigned int restart_interval = jpeg.restart_interval;
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(pixels);
    file.size = size;
    if (mozjpeg || chance(0.1)) {
        thin_out_file(&file, restart_interval);
    }
    return file;
}

/* ---- Decoders ---- */

static struct baseline_decoder *ours;

/* The one without instructions for vectors. It is also `ours` if the program is compiled without the other one. */
static struct baseline_decoder *twin;
static bool compares_twins = true;

#if defined(MILLRACE_PLAIN)
#define baseline_has_instructions() true
#define baseline_most_entry_points plain_baseline_most_entry_points
#define baseline_decoder_new plain_baseline_decoder_new
#define baseline_decoder_free plain_baseline_decoder_free
#define baseline_decode plain_baseline_decode
#define baseline_check plain_baseline_check
#endif

/* The entry points of the file that is decoded; used if `entries.points` is set. */
static struct entry_points entries;
static long jumped;
static struct jpeg_decoder *theirs;

/* Where the rows of a rectangle go; NULL to fetch them only. */
struct rows {
    uint8_t *to;
    int height;
    size_t bytes;
};

static enum outcome read_rows(jpeg_rows fetch, void *decoder, void *state)
{
    struct rows *rows = state;
    for (int row = 0; row < rows->height; row++) {
        const uint8_t *at = fetch(decoder, row);
        if (!at) {
            return UNSUPPORTED;
        }
        if (rows->to) {
            memcpy(rows->to + (size_t) row * rows->bytes, at, rows->bytes);
        }
    }
    return DONE;
}

static enum outcome decode_ours(const struct file *file, struct rectangle rectangle, uint8_t *to)
{
    struct rows rows = {to, rectangle.height, 3 * (size_t) rectangle.width};
    return baseline_decode(ours, file->data, file->size, file->height, file->width, rectangle, entries.points ? &entries : NULL, read_rows, &rows);
}

/* The same with the entry points of the store, as io.millrace.image uses it. */
static enum outcome decode_stored(const struct file *file, struct rectangle rectangle, uint8_t *to)
{
    static struct entry_point *points;
    static size_t capacity;
    size_t most = baseline_most_entry_points(file->height, file->width);
    if (most > capacity) {
        free(points);
        points = malloc(most * sizeof *points);
        capacity = most;
    }
    struct content content = content_of(file->data, file->size);
    entries.points = points;
    entry_store_get(content, &entries, (int) most);
    int known = entries.known;
    enum outcome outcome = decode_ours(file, rectangle, to);
    if (outcome == DONE && entries.known > known) {
        entry_store_put(content, &entries);
    }
    entries.points = NULL;
    return outcome;
}

/* The same for a file that the store does not know. */
static enum outcome decode_first(const struct file *file, struct rectangle rectangle, uint8_t *to)
{
    static int decodes;
    if (decodes++ % count == 0) {
        entry_store_limit(0);
        entry_store_limit(SIZE_MAX);
    }
    return decode_stored(file, rectangle, to);
}

static enum outcome decode_theirs(const struct file *file, struct rectangle rectangle, uint8_t *to)
{
    struct rows rows = {to, rectangle.height, 3 * (size_t) rectangle.width};
    return jpeg_decode(theirs, file->data, file->size, file->height, file->width, 1, rectangle, read_rows, &rows);
}

static struct rectangle whole(const struct file *file)
{
    return (struct rectangle) {0, 0, file->height, file->width};
}

static struct rectangle any_rectangle(const struct file *file)
{
    struct rectangle r;
    r.height = chance(0.2) ? between(1, file->height < 4 ? file->height : 4) : between(1, file->height);
    r.width = chance(0.2) ? between(1, file->width < 4 ? file->width : 4) : between(1, file->width);
    r.top = between(0, file->height - r.height);
    r.left = between(0, file->width - r.width);
    return r;
}

/* The rectangle of torchvision's RandomResizedCrop with its defaults. */
static struct rectangle random_crop(const struct file *file)
{
    struct rectangle r;
    for (int i = 0; i < 10; i++) {
        double area = (double) file->width * file->height * (0.08 + 0.92 * uniform());
        double ratio = exp(log(3.0 / 4) + (log(4.0 / 3) - log(3.0 / 4)) * uniform());
        r.width = (int) rint(sqrt(area * ratio));
        r.height = (int) rint(sqrt(area / ratio));
        if (r.width > 0 && r.width <= file->width && r.height > 0 && r.height <= file->height) {
            r.top = between(0, file->height - r.height);
            r.left = between(0, file->width - r.width);
            return r;
        }
    }
    return whole(file);
}

/* ---- Comparisons ---- */

static long undetected, compared, different, unsupported, refused, twins;

static void report(const struct file *file, struct rectangle r, const char *what)
{
    if (different++ < SHOWN) {
        printf("%s: %s, rectangle top %d left %d height %d width %d\n", what, file->name, r.top, r.left, r.height, r.width);
    }
}

/* Decodes a rectangle with both decoders, which must not differ in anything, not even in the entry points that they add. */
static enum outcome decode_both(const struct file *file, struct rectangle r, uint8_t *to)
{
    struct entry_points before = entries;
    enum outcome outcome = decode_ours(file, r, to);
    if (!compares_twins) {
        return outcome;
    }
    size_t bytes = 3 * (size_t) r.height * (size_t) r.width;
    struct rows rows = {malloc(bytes), r.height, 3 * (size_t) r.width};
    size_t most = baseline_most_entry_points(file->height, file->width);
    struct entry_points added = {before.points ? malloc(most * sizeof *before.points) : NULL, before.known, before.intact};
    if (added.points) {
        memcpy(added.points, before.points, (size_t) before.known * sizeof *before.points);
    }
    enum outcome other = plain_baseline_decode(
        twin, file->data, file->size, file->height, file->width, r, added.points ? &added : NULL, read_rows, &rows);
    bool same = outcome == other && (outcome != DONE || !memcmp(to, rows.to, bytes));
    if (added.points) {
        same &= added.known == entries.known && !memcmp(added.points, entries.points, (size_t) added.known * sizeof *added.points);
    }
    if (!same) {
        report(file, r, "another result without vectors");
    }
    twins++;
    free(added.points);
    free(rows.to);
    return outcome;
}

/* Begins a file without known entry points. */
static void begin_entries(const struct file *file)
{
    free(entries.points);
    entries.points = malloc(baseline_most_entry_points(file->height, file->width) * sizeof *entries.points);
    entries.known = 0;
    entries.intact = false;
}

static void end_entries(void)
{
    free(entries.points);
    entries.points = NULL;
}

/* Finds all entry points. */
static bool is_intact(const struct file *file)
{
    enum finding found = baseline_check(ours, file->data, file->size, file->height, file->width, &entries);
    if (compares_twins && found != plain_baseline_check(twin, file->data, file->size, file->height, file->width, NULL)) {
        report(file, whole(file), "another check without vectors");
    }
    return found == INTACT;
}

/* Compares a rectangle with the one of the whole image; returns whether it was decoded. */
static bool compare(const struct file *file, struct rectangle r, const uint8_t *image, uint8_t *to)
{
    if (decode_both(file, r, to) != DONE) {
        unsupported++;
        return false;
    }
    compared++;
    size_t bytes = 3 * (size_t) r.width;
    for (int y = 0; y < r.height; y++) {
        const uint8_t *expected = image + 3 * ((size_t) (r.top + y) * (size_t) file->width + (size_t) r.left);
        if (memcmp(to + (size_t) y * bytes, expected, bytes)) {
            report(file, r, "different pixels");
            return true;
        }
    }
    return true;
}

static void compare_file(const struct file *file, int crops)
{
    size_t bytes = 3 * (size_t) file->height * (size_t) file->width;
    uint8_t *image = malloc(bytes);
    uint8_t *to = malloc(bytes);
    if (decode_theirs(file, whole(file), image) != DONE) {
        refused++;
        if (decode_ours(file, whole(file), to) == DONE) {
            report(file, whole(file), "libjpeg refuses");
        }
    } else {
        bool supported = compare(file, whole(file), image, to);
        for (int i = 0; i < crops; i++) {
            compare(file, any_rectangle(file), image, to);
        }
        begin_entries(file);
        if (supported && !is_intact(file)) {
            report(file, whole(file), "not found intact");
        }
        compare(file, any_rectangle(file), image, to);
        /* Each rectangle uses the entry points of those before it. */
        begin_entries(file);
        for (int i = 0; i < crops; i++) {
            jumped += entries.known > 0;
            compare(file, any_rectangle(file), image, to);
        }
        compare(file, whole(file), image, to);
        compare(file, any_rectangle(file), image, to);
        end_entries();
    }
    free(image);
    free(to);
}

/* Returns a copy with one to four changes, in memory of its exact size. */
static struct file damaged(const struct file *file)
{
    struct file copy = *file;
    size_t most = file->size + 64;
    uint8_t *bytes = malloc(most);
    memcpy(bytes, file->data, file->size);
    size_t size = file->size;
    for (int change = between(1, 4); change > 0 && size > 4; change--) {
        size_t at = chance(0.25) ? (size_t) below(size < 700 ? (int) size : 700) : (size_t) (uniform() * (double) size);
        size_t length = (size_t) between(1, chance(0.7) ? 2 : 12);
        length = at + length > size ? size - at : length;
        switch (below(7)) {
        case 0:
            bytes[at] ^= (uint8_t) (1 << below(8));
            break;
        case 1:
            bytes[at] = (uint8_t) below(256);
            break;
        case 2: /* a loss */
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
            break;
        case 3: /* a repetition */
            if (size + length <= most) {
                memmove(bytes + at + length, bytes + at, size - at);
                size += length;
            }
            break;
        case 4: /* a marker */
            bytes[at] = 0xff;
            if (at + 1 < size && chance(0.5)) {
                bytes[at + 1] = (uint8_t) (chance(0.6) ? 0xd0 + below(10) : below(256));
            }
            break;
        case 5:
            for (size_t i = 0; i < length; i++) {
                bytes[at + i] = (uint8_t) below(256);
            }
            break;
        default:
            if (chance(0.3)) {
                size = at;
            }
        }
    }
    copy.data = malloc(size ? size : 1);
    memcpy(copy.data, bytes, size);
    copy.size = size;
    free(bytes);
    snprintf(copy.name, sizeof copy.name, "damaged %.200s", file->name);
    return copy;
}

static enum outcome compare_damaged(const struct file *file, struct rectangle r)
{
    size_t bytes = 3 * (size_t) r.height * (size_t) r.width;
    uint8_t *mine = malloc(bytes);
    uint8_t *expected = malloc(bytes);
    enum outcome outcome = decode_both(file, r, mine);
    if (outcome != DONE) {
        unsupported++;
    } else {
        compared++;
        if (decode_theirs(file, r, expected) != DONE) {
            refused++;
            report(file, r, "libjpeg refuses");
        } else if (memcmp(mine, expected, bytes)) {
            report(file, r, "different pixels");
        }
    }
    free(mine);
    free(expected);
    return outcome;
}

static int compare_random(int number)
{
    for (int i = 0; i < number; i++) {
        struct file file = random_jpeg();
        compare_file(&file, 4);
        free(file.data);
    }
    return number;
}

static int fuzz(int number)
{
    int decodable = 0;
    for (int i = 0; i < number; i++) {
        compares_twins = i % FUZZED_TWINS == 0;
        struct file made = count == 0 ? random_jpeg() : files[i % count];
        struct file file = damaged(&made);
        struct jpeg_header header;
        if (jpeg_header_read(&header, file.data, file.size) && (long) header.height * header.width <= MOST_PIXELS) {
            decodable++;
            file.height = header.height;
            file.width = header.width;
            compare_damaged(&file, whole(&file));
            struct rectangle rectangle = any_rectangle(&file);
            enum outcome without = compare_damaged(&file, rectangle);
            /* What is left to libjpeg does not depend on entry points. */
            begin_entries(&file);
            compare_damaged(&file, any_rectangle(&file));
            jumped += entries.known > 0;
            if (compare_damaged(&file, rectangle) != without) {
                report(&file, rectangle, "another outcome with entry points");
            }
            begin_entries(&file);
            bool intact = is_intact(&file);
            undetected += intact;
            if (compare_damaged(&file, rectangle) != without) {
                report(&file, rectangle, "another outcome after the check");
            }
            /* Entry points of other data give any pixels, but nothing outside of the file is read. */
            for (int point = 0; point < entries.known; point++) {
                entries.points[point].bit = (uint32_t) (uniform() * (chance(0.5) ? 16.0 * (double) file.size : UINT32_MAX));
            }
            uint8_t *any = malloc(3 * (size_t) rectangle.height * (size_t) rectangle.width);
            decode_both(&file, rectangle, any);
            free(any);
            end_entries();
        }
        free(file.data);
        if (count == 0) {
            free(made.data);
        }
    }
    return decodable;
}

/* Returns the number of samples for which the factors of jpeg_color_avx2.c differ from libjpeg's formulas. */
static int wrong_factors(void)
{
    int wrong = 0;
    for (int a = -128; a < 128; a++) {
        wrong += a + ((a * 13173 + 16384) >> 15) != (91881 * a + 32768) >> 16;
        wrong += (2 * a * 29033 + 16384) >> 15 != (116130 * a + 32768) >> 16;
    }
    return wrong;
}

/* ---- Times ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *) a;
    double y = *(const double *) b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int number)
{
    qsort(values, (size_t) number, sizeof *values, by_value);
    return values[number / 2];
}

/* The two decode different images in turns, because the second of two decodes would find caches and branches prepared. */
static enum outcome check_only(const struct file *file, struct rectangle rectangle, uint8_t *to)
{
    (void) rectangle, (void) to;
    return baseline_check(ours, file->data, file->size, file->height, file->width, NULL) == INTACT ? DONE : FAILED;
}

static void measure(int rounds, const char *what, bool crops, enum outcome (*decode)(const struct file *, struct rectangle, uint8_t *))
{
    double *own = calloc((size_t) rounds, sizeof(double));
    double *turbo = calloc((size_t) rounds, sizeof(double));
    double *ratio = calloc((size_t) rounds, sizeof(double));
    struct rectangle *rectangles = calloc((size_t) count, sizeof *rectangles);
    for (int round = -1; round < rounds; round++) {
        double spent[2] = {0};
        for (int i = 0; i < count; i++) {
            rectangles[i] = crops ? random_crop(files + i) : whole(files + i);
        }
        for (int i = 0; i < count; i++) {
            for (int side = 0; side < 2; side++) {
                int which = (side + i) % 2;
                int at = (i + which * 7) % count;
                double begin = now();
                enum outcome outcome = (which ? decode_theirs : decode)(files + at, rectangles[at], NULL);
                spent[which] += now() - begin;
                if (outcome != DONE) {
                    fail("a file of the measurement is not supported");
                }
            }
        }
        if (round >= 0) {
            own[round] = spent[0] / count;
            turbo[round] = spent[1] / count;
            ratio[round] = spent[0] / spent[1];
        }
    }
    double middle = median(ratio, rounds);
    printf(
        "%s: ours %.4f ms, libjpeg-turbo %.4f ms, ratio %.3f (%.3f to %.3f), %.2f times as fast\n",
        what, median(own, rounds), median(turbo, rounds), middle, ratio[0],
        ratio[rounds - 1], 1 / middle);
    free(own);
    free(turbo);
    free(ratio);
    free(rectangles);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fail("usage: see the beginning of jpegcheck.c");
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!baseline_has_instructions()) {
        fail("this CPU has no AVX2 or no BMI2");
    }
    ours = baseline_decoder_new();
    twin = plain_baseline_decoder_new();
    theirs = jpeg_decoder_new();
    const char *mode = argv[1];
    int number = atoi(argv[2]);
    bool seeded = !strcmp(mode, "random") || !strcmp(mode, "fuzz");
    seed(seeded && argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    int first = seeded ? 4 : 3;
    load(argc > first ? argc - first : 0, argv + first);
    int judged = count;
    different += wrong_factors();
    if (!strcmp(mode, "random")) {
        judged = compare_random(number);
    } else if (!strcmp(mode, "files")) {
        for (int i = 0; i < count; i++) {
            compare_file(files + i, number);
        }
    } else if (!strcmp(mode, "fuzz")) {
        judged = fuzz(number);
    } else if (!strcmp(mode, "time") && count > 0 && number > 0) {
        entry_store_limit(SIZE_MAX);
        measure(number, "random crops", true, decode_ours);
        measure(number, "random crops, first epoch with entry points", true, decode_first);
        measure(number, "random crops, later epochs with entry points", true, decode_stored);
        measure(number, "whole images", false, decode_ours);
        measure(number, "check for damage, against the decoding of whole images", false, check_only);
        printf("%zu bytes of entry points for %d files\n", entry_store_bytes(), count);
        return 0;
    } else {
        fail("usage: see the beginning of jpegcheck.c");
    }
    if (!strcmp(mode, "fuzz")) {
        printf("%ld damaged files found intact; ", undetected);
    }
    printf(
        "%d files: %ld rectangles compared, %ld with entry points, %ld different, %ld left to libjpeg, %ld refused by libjpeg, "
        "%ld decoded without vectors too\n",
        judged, compared, jumped, different, unsupported, refused, twins);
    baseline_decoder_free(ours);
    plain_baseline_decoder_free(twin);
    jpeg_decoder_free(theirs);
    return different > 0;
}
