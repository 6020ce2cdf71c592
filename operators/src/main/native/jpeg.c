#include "jpeg.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/* The limit of scans. All of them are read before the first row is complete, and each costs as much as the others. */
#define MOST_SCANS 200

/* The limit of libjpeg's memory for one file: 64 million pixels with three full coefficient arrays fit. */
#define MOST_MEMORY (512L << 20)

/* The number of rows in memory. libjpeg decodes one or two at a time. */
#define ROWS 4

/* The linked library, for the list of what a release contains. */
#define AS_TEXT(name) #name
#define VALUE_AS_TEXT(name) AS_TEXT(name)
__attribute__((used)) static const char linked_library[] =
    "millrace links libjpeg-turbo " VALUE_AS_TEXT(LIBJPEG_TURBO_VERSION);

struct jpeg_decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    uint8_t *memory;
    size_t capacity;
    JSAMPROW rows[ROWS];
    size_t skipped; /* bytes of each row in front of the rectangle */
    int decoded;    /* rows of the rectangle so far */
};

/* libjpeg's own error manager prints and ends the process. This error manager does neither. */
static void on_error(j_common_ptr jpeg)
{
    struct jpeg_decoder *decoder = jpeg->client_data;
    longjmp(decoder->failed, 1);
}

/*
 * Counts a warning, which means damage that libjpeg fills with gray. Warnings are not an error here: rows below the rectangle
 * are never decoded, so the result would depend on the crop. The checks in Java cover the whole file for all kernels.
 */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0) {
        jpeg->err->num_warnings++;
    }
}

static void on_output(j_common_ptr jpeg)
{
    (void) jpeg;
}

static void on_format(j_common_ptr jpeg, char *text)
{
    (void) jpeg;
    text[0] = 0;
}

static void on_reset(j_common_ptr jpeg)
{
    jpeg->err->num_warnings = 0;
    jpeg->err->msg_code = 0;
}

static void on_progress(j_common_ptr jpeg)
{
    if (jpeg->is_decompressor && ((j_decompress_ptr) jpeg)->input_scan_number > MOST_SCANS) {
        on_error(jpeg);
    }
}

struct jpeg_decoder *jpeg_decoder_new(void)
{
    struct jpeg_decoder *volatile decoder = calloc(1, sizeof *decoder);
    if (!decoder) {
        return NULL;
    }
    decoder->errors.error_exit = on_error;
    decoder->errors.emit_message = on_message;
    decoder->errors.output_message = on_output;
    decoder->errors.format_message = on_format;
    decoder->errors.reset_error_mgr = on_reset;
    decoder->progress.progress_monitor = on_progress;
    decoder->jpeg.err = &decoder->errors;
    decoder->jpeg.client_data = decoder;
    if (setjmp(decoder->failed)) {
        jpeg_destroy_decompress(&decoder->jpeg);
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->jpeg);
    decoder->jpeg.progress = &decoder->progress;
    return decoder;
}

/* Returns whether a rectangle certainly has the same pixels as in the whole image: colour of full, half or quarter size. */
static bool supported(const struct jpeg_decompress_struct *jpeg)
{
    if (jpeg->data_precision != 8 || jpeg->arith_code) {
        return false;
    }
    if (jpeg->num_components == 1) {
        return jpeg->jpeg_color_space == JCS_GRAYSCALE;
    }
    if (jpeg->num_components != 3 || (jpeg->jpeg_color_space != JCS_YCbCr && jpeg->jpeg_color_space != JCS_RGB)) {
        return false;
    }
    const jpeg_component_info *parts = jpeg->comp_info;
    bool plain = parts[1].h_samp_factor == 1 && parts[1].v_samp_factor == 1 && parts[2].h_samp_factor == 1
        && parts[2].v_samp_factor == 1;
    int across = parts[0].h_samp_factor;
    int down = parts[0].v_samp_factor;
    return plain && (across == 1 || across == 2) && (down == 1 || down == 2);
}

static bool make_rows(struct jpeg_decoder *decoder)
{
    size_t stride = ((size_t) decoder->jpeg.output_width * 3 + 63) / 64 * 64;
    size_t needed = ROWS * stride + 128;
    if (decoder->capacity < needed) {
        free(decoder->memory);
        decoder->memory = calloc(needed, 1);
        decoder->capacity = decoder->memory ? needed : 0;
        if (!decoder->memory) {
            return false;
        }
    }
    /*
     * Rows begin 16 bytes after a multiple of 64. libjpeg-turbo's colour conversion writes rows that are aligned to 32 bytes
     * past the cache, and reading them again waits for memory, which made the whole decoding a third slower.
     */
    uint8_t *first = (uint8_t *) (((uintptr_t) decoder->memory + 63) / 64 * 64) + 16;
    for (int i = 0; i < ROWS; i++) {
        decoder->rows[i] = first + (size_t) i * stride;
    }
    return true;
}

static enum outcome start(
    struct jpeg_decoder *decoder, const uint8_t *data, size_t size, int height, int width, int reduction,
    struct rectangle rectangle)
{
    j_decompress_ptr jpeg = &decoder->jpeg;
    jpeg_mem_src(jpeg, data, size);
    jpeg->mem->max_memory_to_use = MOST_MEMORY;
    jpeg_read_header(jpeg, TRUE);
    if ((int) jpeg->image_height != height || (int) jpeg->image_width != width || !supported(jpeg)) {
        return UNSUPPORTED;
    }
    jpeg->out_color_space = JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg->do_fancy_upsampling = TRUE;
    jpeg->scale_num = 1;
    jpeg->scale_denom = (unsigned int) reduction;
    jpeg_start_decompress(jpeg);
    int rows = (int) jpeg->output_height;
    int columns = (int) jpeg->output_width;
    if (rectangle.top < 0 || rectangle.left < 0 || rectangle.height < 1 || rectangle.width < 1
        || rectangle.height > rows - rectangle.top || rectangle.width > columns - rectangle.left) {
        return UNSUPPORTED;
    }
    /*
     * Colour of half width is interpolated between neighbours, so two more pixels on either side are decoded, which libjpeg
     * widens to whole blocks. Rows need no such margin, because skipping keeps the neighbours of the next row.
     */
    JDIMENSION from = (JDIMENSION) (rectangle.left > 2 ? rectangle.left - 2 : 0);
    JDIMENSION end = (JDIMENSION) (columns - rectangle.width - 2 > rectangle.left ? rectangle.left + rectangle.width + 2 : columns);
    JDIMENSION wide = end - from;
    if (wide < (JDIMENSION) columns) {
        jpeg_crop_scanline(jpeg, &from, &wide);
    }
    decoder->skipped = (size_t) ((JDIMENSION) rectangle.left - from) * 3;
    if (!make_rows(decoder)) {
        return NO_MEMORY;
    }
    if (rectangle.top > 0) {
        jpeg_skip_scanlines(jpeg, (JDIMENSION) rectangle.top);
    }
    decoder->decoded = 0;
    return DONE;
}

static const uint8_t *decoded_row(void *state, int row)
{
    struct jpeg_decoder *decoder = state;
    while (decoder->decoded <= row) {
        int place = decoder->decoded % ROWS;
        int wanted = place + 1 < ROWS ? 2 : 1;
        decoder->decoded += (int) jpeg_read_scanlines(&decoder->jpeg, decoder->rows + place, (JDIMENSION) wanted);
    }
    return decoder->rows[row % ROWS] + decoder->skipped;
}

enum outcome jpeg_decode(
    struct jpeg_decoder *decoder, const uint8_t *data, size_t size, int height, int width, int reduction,
    struct rectangle rectangle, jpeg_reader read, void *state)
{
    if (setjmp(decoder->failed)) {
        jpeg_abort_decompress(&decoder->jpeg);
        return FAILED;
    }
    enum outcome outcome = start(decoder, data, size, height, width, reduction, rectangle);
    if (outcome == DONE) {
        outcome = read(decoded_row, decoder, state);
    }
    /* Ends without reading the rows below, and frees libjpeg's memory for this file. */
    jpeg_abort_decompress(&decoder->jpeg);
    return outcome;
}

void jpeg_decoder_free(struct jpeg_decoder *decoder)
{
    if (decoder) {
        jpeg_destroy_decompress(&decoder->jpeg);
        free(decoder->memory);
        free(decoder);
    }
}
