/*
 * The functions of io.millrace.image.NativeCode. Java checks their arguments; lengths of arrays are checked here again,
 * because a mistake would write into the Java heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "entry_store.h"
#include "floats.h"
#include "java.h"
#include "jpeg.h"
#include "mirror.h"
#include "resize.h"
#include "scratch.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

#define NATIVE(name) JNICALL Java_io_millrace_image_NativeCode_##name

/* The memory of one thread. Its address is the handle that Java holds. */
struct workspace {
    struct baseline_decoder *baseline; /* NULL without vector instructions */
    struct jpeg_decoder *libjpeg;      /* NULL in builds without libjpeg */
    jlong baseline_decodes;
    struct resizer resizer;
    uint8_t *encoded;
    size_t encoded_capacity;
    uint8_t *pixels;
    size_t pixels_capacity;
    uint8_t *points; /* the entry points of one file */
    size_t points_capacity;
    double resize_share;
};

/* AVX2, BMI2 and FMA. All CPUs of Intel and AMD with one of them have all. */
static bool has_avx2(void)
{
#if defined(__x86_64__)
    return baseline_has_instructions() && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

JNIEXPORT jboolean NATIVE(hasAvx2)(JNIEnv *env, jclass type)
{
    (void) env, (void) type;
    return has_avx2();
}

JNIEXPORT jboolean NATIVE(hasLibjpeg)(JNIEnv *env, jclass type)
{
    (void) env, (void) type;
#if defined(MILLRACE_LIBJPEG)
    return JNI_TRUE;
#else
    return JNI_FALSE;
#endif
}

static void free_workspace(struct workspace *workspace)
{
#if defined(MILLRACE_LIBJPEG)
    jpeg_decoder_free(workspace->libjpeg);
#endif
#if defined(__x86_64__)
    baseline_decoder_free(workspace->baseline);
#endif
    resizer_free(&workspace->resizer);
    free(workspace->encoded);
    free(workspace->pixels);
    free(workspace->points);
    free(workspace);
}

/* Returns false when there is no memory. */
static bool open_decoders(struct workspace *workspace, bool avx2)
{
#if defined(MILLRACE_LIBJPEG)
    workspace->libjpeg = jpeg_decoder_new();
    if (!workspace->libjpeg) {
        return false;
    }
#endif
#if defined(__x86_64__)
    if (avx2) {
        workspace->baseline = baseline_decoder_new();
        return workspace->baseline != NULL;
    }
#else
    (void) avx2;
#endif
    return true;
}

JNIEXPORT jlong NATIVE(open)(JNIEnv *env, jclass type, jboolean avx2)
{
    (void) env, (void) type;
    struct workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace) {
        return 0;
    }
    bool vectorized = avx2 && has_avx2();
    if (!open_decoders(workspace, vectorized)) {
        free_workspace(workspace);
        return 0;
    }
    workspace->resizer.passes = plain_passes;
#if defined(__x86_64__)
    if (vectorized) {
        workspace->resizer.passes = avx2_passes;
    }
#endif
    return (jlong) (intptr_t) workspace;
}

JNIEXPORT void NATIVE(close)(JNIEnv *env, jclass type, jlong handle)
{
    (void) env, (void) type;
    free_workspace((struct workspace *) (intptr_t) handle);
}

/* Copies a Java ResampleTable. The arrays are small, and no code between the critical sections calls Java. */
static bool set_axis(JNIEnv *env, struct axis *axis, jint in, jintArray start, jintArray weights)
{
    jint out = (*env)->GetArrayLength(env, start);
    jint taps = out > 0 ? (*env)->GetArrayLength(env, weights) / out : 0;
    if (taps < 1 || taps > in) {
        return false;
    }
    jint *starts = (*env)->GetPrimitiveArrayCritical(env, start, NULL);
    jint *values = starts ? (*env)->GetPrimitiveArrayCritical(env, weights, NULL) : NULL;
    bool set = values && axis_set(axis, in, out, taps, (const int32_t *) starts, (const int32_t *) values);
    for (jint x = 0; set && x < out; x++) {
        set = starts[x] >= 0 && starts[x] <= in - taps;
    }
    if (values) {
        (*env)->ReleasePrimitiveArrayCritical(env, weights, values, JNI_ABORT);
    }
    if (starts) {
        (*env)->ReleasePrimitiveArrayCritical(env, start, starts, JNI_ABORT);
    }
    return set;
}

/* The rows of an image in memory. Rows near its end are copied, because the passes read ROW_SLACK bytes beyond a row. */
struct image {
    const uint8_t *corner, *end;
    size_t stride, row_bytes;
    uint8_t *copies;
};

static const uint8_t *image_row(void *state, int row)
{
    struct image *image = state;
    const uint8_t *at = image->corner + (size_t) row * image->stride;
    if (at + image->row_bytes + ROW_SLACK <= image->end) {
        return at;
    }
    uint8_t *copy = image->copies + (size_t) (row % 2) * (image->row_bytes + ROW_SLACK);
    memcpy(copy, at, image->row_bytes);
    return copy;
}

/*
 * Reads and writes the Java arrays directly, because copying half a megabyte in and out would take as long as the resize
 * itself. The garbage collector waits during this time, which is less than 0.1 ms for a photo.
 */
JNIEXPORT jint NATIVE(resize)(
    JNIEnv *env, jclass type, jlong handle, jbyteArray pixels, jint corner, jint stride, jint channels, jint height,
    jint width, jintArray acrossStart, jintArray acrossWeights, jintArray downStart, jintArray downWeights,
    jbyteArray result)
{
    (void) type;
    struct workspace *workspace = (struct workspace *) (intptr_t) handle;
    struct resizer *resizer = &workspace->resizer;
    if (!set_axis(env, &resizer->across, width, acrossStart, acrossWeights)
        || !set_axis(env, &resizer->down, height, downStart, downWeights)) {
        return NO_MEMORY;
    }
    jlong row_bytes = (jlong) width * channels;
    jlong length = (*env)->GetArrayLength(env, pixels);
    jlong needed = (jlong) resizer->across.out * resizer->down.out * channels;
    if ((channels != 1 && channels != 3) || corner < 0 || stride < row_bytes
        || corner + (jlong) (height - 1) * stride + row_bytes > length || needed != (*env)->GetArrayLength(env, result)) {
        return UNSUPPORTED;
    }
    if (!grow(&workspace->pixels, &workspace->pixels_capacity, 2 * ((size_t) row_bytes + ROW_SLACK))) {
        return NO_MEMORY;
    }
    uint8_t *from = (*env)->GetPrimitiveArrayCritical(env, pixels, NULL);
    uint8_t *to = from ? (*env)->GetPrimitiveArrayCritical(env, result, NULL) : NULL;
    enum outcome outcome = NO_MEMORY;
    if (to) {
        struct image image = {
            from + corner, from + length, (size_t) stride, (size_t) row_bytes, workspace->pixels};
        outcome = resize(resizer, channels, image_row, &image, to);
        (*env)->ReleasePrimitiveArrayCritical(env, result, to, 0);
    }
    if (from) {
        (*env)->ReleasePrimitiveArrayCritical(env, pixels, from, JNI_ABORT);
    }
    return (jint) outcome;
}

/* Uses AVX2 without asking the CPU again: Java calls it only if hasAvx2 returned true. */
JNIEXPORT void NATIVE(mirror)(JNIEnv *env, jclass type, jbyteArray pixels, jint height, jint width, jint channels)
{
    (void) type;
#if defined(__x86_64__)
    jsize length = (*env)->GetArrayLength(env, pixels);
    if (height < 1 || width < 1 || (channels != 1 && channels != 3) || (jlong) height * width * channels != length) {
        char message[160];
        snprintf(
            message, sizeof message,
            "expected height %d x width %d x %d bytes, height and width at least 1, and 1 or 3 channels, found %d bytes",
            (int) height, (int) width, (int) channels, (int) length);
        throw(env, "java/lang/IllegalArgumentException", message);
        return;
    }
    uint8_t *at = borrow(env, pixels, "no memory for the pixels of an image to mirror");
    if (!at) {
        return;
    }
    avx2_mirror(at, (size_t) height, (size_t) width, (size_t) channels);
    (*env)->ReleasePrimitiveArrayCritical(env, pixels, at, 0);
#else
    (void) pixels, (void) height, (void) width, (void) channels;
    throw(env, "java/lang/UnsupportedOperationException", "this CPU has no AVX2");
#endif
}

/*
 * Uses AVX2 without asking the CPU again: Java calls it only if hasAvx2 returned true. The garbage collector waits during the search,
 * which takes less than 0.1 ms for a photo of 8 megapixels.
 */
JNIEXPORT jint NATIVE(nextMarker)(JNIEnv *env, jclass type, jbyteArray encoded, jint from)
{
    (void) type;
#if defined(__x86_64__)
    jsize length = (*env)->GetArrayLength(env, encoded);
    if (from < 0 || from > length) {
        char message[64];
        snprintf(message, sizeof message, "expected an index of 0 to %d, found %d", (int) length, (int) from);
        throw(env, "java/lang/IllegalArgumentException", message);
        return 0;
    }
    uint8_t *bytes = borrow(env, encoded, "no memory for the bytes of a JPEG to search");
    if (!bytes) {
        return 0;
    }
    jint marker = (jint) (scan_find_marker(bytes + from, bytes + length) - bytes);
    (*env)->ReleasePrimitiveArrayCritical(env, encoded, bytes, JNI_ABORT);
    return marker;
#else
    (void) encoded, (void) from;
    throw(env, "java/lang/UnsupportedOperationException", "this CPU has no AVX2");
    return 0;
#endif
}

/* Uses AVX2 and FMA without asking the CPU again: Java calls it only if hasAvx2 returned true. */
JNIEXPORT void NATIVE(floats)(
    JNIEnv *env, jclass type, jfloatArray constants, jboolean mixes, jboolean divides, jboolean standardizes, jboolean byInverses,
    jobject bytes, jobject floats, jint count)
{
    (void) type;
#if defined(__x86_64__)
    const uint8_t *from = (*env)->GetDirectBufferAddress(env, bytes);
    float *to = (*env)->GetDirectBufferAddress(env, floats);
    if (!from || !to || count < 0 || (*env)->GetDirectBufferCapacity(env, bytes) < count
        || (*env)->GetDirectBufferCapacity(env, floats) < count) {
        throw(env, "java/lang/IllegalArgumentException", "expected direct buffers with room for the bytes and as many floats");
        return;
    }
    struct float_constants copied;
    (*env)->GetFloatArrayRegion(env, constants, 0, sizeof copied / sizeof(float), (jfloat *) &copied);
    if ((*env)->ExceptionCheck(env)) { /* an array of another length */
        return;
    }
    avx2_floats(&copied, (struct float_steps) {mixes, divides, standardizes, byInverses}, from, to, (size_t) count);
#else
    (void) constants, (void) mixes, (void) divides, (void) standardizes, (void) byInverses, (void) bytes, (void) floats, (void) count;
    throw(env, "java/lang/UnsupportedOperationException", "this CPU has no AVX2");
#endif
}

/* Copies the file, because decoding takes at least half a millisecond, for which garbage collection must not wait. */
static bool take_encoded(JNIEnv *env, struct workspace *workspace, jbyteArray encoded, jsize size)
{
    if (!grow(&workspace->encoded, &workspace->encoded_capacity, (size_t) size + 1)) {
        return false;
    }
    (*env)->GetByteArrayRegion(env, encoded, 0, size, (jbyte *) workspace->encoded);
    return true;
}

struct rows_to_java {
    JNIEnv *env;
    jbyteArray result;
    jsize height, row_bytes;
};

/* Copies row by row into the Java array, while each row is still in the cache. */
static enum outcome copy_rows(jpeg_rows fetch, void *decoder, void *state)
{
    struct rows_to_java *rows = state;
    for (jsize row = 0; row < rows->height; row++) {
        const uint8_t *at = fetch(decoder, row);
        if (!at) {
            return UNSUPPORTED;
        }
        (*rows->env)->SetByteArrayRegion(
            rows->env, rows->result, row * rows->row_bytes, rows->row_bytes, (const jbyte *) at);
    }
    return DONE;
}

/* A clock for ratios of durations, which is read twice for each row. */
static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
#endif
}

/* A resize of the rows of a decoder. */
struct resizing {
    struct resizer *resizer;
    uint8_t *result;
    jpeg_rows fetch;
    void *decoder;
    uint64_t fetching, all; /* ticks of the decoder for its rows, and of both */
};

static const uint8_t *fetch_row(void *state, int row)
{
    struct resizing *resizing = state;
    uint64_t began = ticks();
    const uint8_t *at = resizing->fetch(resizing->decoder, row);
    resizing->fetching += ticks() - began;
    return at;
}

/* Resizes the rows while they are in the cache. Libjpeg may leave it by longjmp; the resizer keeps its memory. */
static enum outcome resize_rows(jpeg_rows fetch, void *decoder, void *state)
{
    struct resizing *resizing = state;
    resizing->fetch = fetch;
    resizing->decoder = decoder;
    uint64_t began = ticks();
    enum outcome outcome = resize(resizing->resizer, 3, fetch_row, resizing, resizing->result);
    resizing->all += ticks() - began;
    return outcome;
}

_Static_assert(READER_SLACK >= ROW_SLACK, "the passes of a resize read beyond the rows of a decoder");

/* What a caller of decode wants. */
struct request {
    int height, width, reduction;
    struct rectangle rectangle;
    bool entry_points;
    jpeg_reader reader; /* gets the rows, and `state` */
    void *state;
};

#if defined(__x86_64__)
static bool take_points(struct workspace *workspace, int height, int width, struct entry_points *entries)
{
    size_t needed = baseline_most_entry_points(height, width) * sizeof *entries->points;
    if (!grow(&workspace->points, &workspace->points_capacity, needed)) {
        return false;
    }
    entries->points = (struct entry_point *) workspace->points;
    return true;
}

/* Decodes the encoded file of the workspace with our own decoder, and keeps its entry points for later decodes. */
static enum outcome decode_baseline(
    struct workspace *workspace, size_t size, const struct request *request)
{
    struct entry_points known = {NULL, 0, false};
    struct content content = {0, 0};
    if (request->entry_points) {
        content = content_of(workspace->encoded, size);
        if (!take_points(workspace, request->height, request->width, &known)) {
            return NO_MEMORY;
        }
        entry_store_get(content, &known, (int) baseline_most_entry_points(request->height, request->width));
    }
    int first_known = known.known;
    enum outcome outcome = baseline_decode(
        workspace->baseline, workspace->encoded, size, request->height, request->width, request->rectangle,
        known.points ? &known : NULL, request->reader, request->state);
    if (outcome == DONE && known.known > first_known) {
        entry_store_put(content, &known);
    }
    shrink(&workspace->points, &workspace->points_capacity);
    workspace->baseline_decodes += outcome == DONE;
    return outcome;
}
#endif

/* Decodes the encoded file of the workspace with the first decoder that supports it. */
static enum outcome decode(struct workspace *workspace, size_t size, const struct request *request)
{
    enum outcome outcome = UNSUPPORTED;
#if defined(__x86_64__)
    if (workspace->baseline && request->reduction == 1) {
        outcome = decode_baseline(workspace, size, request);
    }
#endif
#if defined(MILLRACE_LIBJPEG)
    if (outcome == UNSUPPORTED) {
        outcome = jpeg_decode(
            workspace->libjpeg, workspace->encoded, size, request->height, request->width, request->reduction,
            request->rectangle, request->reader, request->state);
    }
#endif
    return outcome;
}

JNIEXPORT jint NATIVE(decode)(
    JNIEnv *env, jclass type, jlong handle, jbyteArray encoded, jint imageHeight, jint imageWidth, jint reduction,
    jint top, jint left, jint height, jint width, jboolean entryPoints, jbyteArray result)
{
    (void) type;
    struct workspace *workspace = (struct workspace *) (intptr_t) handle;
    jsize size = (*env)->GetArrayLength(env, encoded);
    if (height < 1 || width < 1 || (jlong) height * width * 3 != (*env)->GetArrayLength(env, result)) {
        return UNSUPPORTED;
    }
    if (!take_encoded(env, workspace, encoded, size)) {
        return NO_MEMORY;
    }
    struct rows_to_java rows = {env, result, height, width * 3};
    struct request request = {imageHeight, imageWidth, reduction, {top, left, height, width}, entryPoints, copy_rows, &rows};
    enum outcome outcome = decode(workspace, (size_t) size, &request);
    shrink(&workspace->encoded, &workspace->encoded_capacity);
    return (jint) outcome;
}

JNIEXPORT jint NATIVE(decodeResized)(
    JNIEnv *env, jclass type, jlong handle, jbyteArray encoded, jint imageHeight, jint imageWidth, jint top, jint left, jint height,
    jint width, jboolean entryPoints, jintArray acrossStart, jintArray acrossWeights, jintArray downStart, jintArray downWeights,
    jbyteArray result, jobject place)
{
    (void) type;
    struct workspace *workspace = (struct workspace *) (intptr_t) handle;
    struct resizer *resizer = &workspace->resizer;
    uint64_t began = ticks();
    workspace->resize_share = 0;
    if (!set_axis(env, &resizer->across, width, acrossStart, acrossWeights)
        || !set_axis(env, &resizer->down, height, downStart, downWeights)) {
        return NO_MEMORY;
    }
    jsize size = (*env)->GetArrayLength(env, encoded);
    jlong needed = (jlong) resizer->across.out * resizer->down.out * 3;
    uint8_t *pixels = place ? (*env)->GetDirectBufferAddress(env, place) : NULL;
    if (needed != (pixels ? (*env)->GetDirectBufferCapacity(env, place) : (*env)->GetArrayLength(env, result))) {
        return UNSUPPORTED;
    }
    if (!take_encoded(env, workspace, encoded, size)
        || (!pixels && !grow(&workspace->pixels, &workspace->pixels_capacity, (size_t) needed))) {
        return NO_MEMORY;
    }
    struct resizing resizing = {resizer, pixels ? pixels : workspace->pixels, NULL, NULL, 0, 0};
    struct request request = {imageHeight, imageWidth, 1, {top, left, height, width}, entryPoints, resize_rows, &resizing};
    enum outcome outcome = decode(workspace, (size_t) size, &request);
    if (outcome == DONE) {
        uint64_t decoded = ticks();
        if (!pixels) {
            (*env)->SetByteArrayRegion(env, result, 0, (jsize) needed, (const jbyte *) workspace->pixels);
        }
        uint64_t ended = ticks();
        double resized = (double) (resizing.all - resizing.fetching + (ended - decoded));
        workspace->resize_share = resized / (double) (ended - began + 1);
    }
    shrink(&workspace->encoded, &workspace->encoded_capacity);
    shrink(&workspace->pixels, &workspace->pixels_capacity);
    return (jint) outcome;
}

/* The share of the time of the latest decodeResized that belongs to the resize, 0 to 1. */
JNIEXPORT jdouble NATIVE(resizeShare)(JNIEnv *env, jclass type, jlong handle)
{
    (void) env, (void) type;
    return ((struct workspace *) (intptr_t) handle)->resize_share;
}

/* Frees what outlives the workspaces. A cluster unloads the library with the classes of a job. */
JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved)
{
    (void) vm, (void) reserved;
    entry_store_limit(0);
}

/* A file that is known to be intact is only hashed. */
JNIEXPORT jint NATIVE(check)(
    JNIEnv *env, jclass type, jlong handle, jbyteArray encoded, jint height, jint width, jboolean entryPoints)
{
    (void) type;
    enum finding found = NOT_CHECKED;
#if defined(__x86_64__)
    struct workspace *workspace = (struct workspace *) (intptr_t) handle;
    jsize size = (*env)->GetArrayLength(env, encoded);
    struct entry_points known = {NULL, 0, false};
    if (workspace->baseline) {
        if (!take_encoded(env, workspace, encoded, size)) {
            return -1;
        }
        struct content content = {0, 0};
        if (entryPoints) {
            content = content_of(workspace->encoded, (size_t) size);
            found = entry_store_is_intact(content) ? INTACT : NOT_CHECKED;
        }
        if (found != INTACT) {
            bool keeps = entryPoints && take_points(workspace, height, width, &known);
            found = baseline_check(workspace->baseline, workspace->encoded, (size_t) size, height, width, keeps ? &known : NULL);
            known.intact = found == INTACT;
            if (known.intact && keeps) {
                entry_store_put(content, &known);
            }
            shrink(&workspace->points, &workspace->points_capacity);
        }
        shrink(&workspace->encoded, &workspace->encoded_capacity);
    }
#else
    (void) env, (void) handle, (void) encoded, (void) height, (void) width, (void) entryPoints;
#endif
    return (jint) found;
}

/* The bytes that entry points of the files of this process may need; 0 for no entry points. */
JNIEXPORT void NATIVE(limitEntryPoints)(JNIEnv *env, jclass type, jlong bytes)
{
    (void) env, (void) type;
    entry_store_limit(bytes > 0 ? (size_t) bytes : 0);
}

JNIEXPORT jlong NATIVE(entryPointBytes)(JNIEnv *env, jclass type)
{
    (void) env, (void) type;
    return (jlong) entry_store_bytes();
}

/* The number of rectangles that the workspace's own decoder, and not libjpeg, has decoded. */
JNIEXPORT jlong NATIVE(baselineDecodes)(JNIEnv *env, jclass type, jlong handle)
{
    (void) env, (void) type;
    return ((struct workspace *) (intptr_t) handle)->baseline_decodes;
}
