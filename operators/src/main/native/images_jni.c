/*
 * The functions of io.millrace.image.NativeImages: decoders of other formats than JPEG. Java checks their arguments; lengths of
 * arrays are checked here again, because a mistake would write into the Java heap.
 */
#include <jni.h>
#include <stdbool.h>
#include <stdlib.h>

#include "jpeg_reader.h"
#include "scratch.h"
#if defined(MILLRACE_LIBDEFLATE)
#include "png.h"
#endif

#define NATIVE(name) JNICALL Java_io_millrace_image_NativeImages_##name

/* The memory of one thread. Its address is the handle that Java holds. */
struct images {
#if defined(MILLRACE_LIBDEFLATE)
    struct png_decoder *png;
#endif
    uint8_t *encoded;
    size_t encoded_capacity;
};

JNIEXPORT jboolean NATIVE(hasPngs)(JNIEnv *env, jclass type)
{
    (void) env, (void) type;
#if defined(MILLRACE_LIBDEFLATE)
    return JNI_TRUE;
#else
    return JNI_FALSE;
#endif
}

JNIEXPORT void NATIVE(close)(JNIEnv *env, jclass type, jlong handle)
{
    (void) env, (void) type;
    struct images *images = (struct images *) (intptr_t) handle;
#if defined(MILLRACE_LIBDEFLATE)
    png_decoder_free(images->png);
#endif
    free(images->encoded);
    free(images);
}

JNIEXPORT jlong NATIVE(open)(JNIEnv *env, jclass type)
{
    struct images *images = calloc(1, sizeof *images);
#if defined(MILLRACE_LIBDEFLATE)
    if (images) {
        images->png = png_decoder_new();
        if (!images->png) {
            NATIVE(close)(env, type, (jlong) (intptr_t) images);
            return 0;
        }
    }
#else
    (void) env, (void) type;
#endif
    return (jlong) (intptr_t) images;
}

#if defined(MILLRACE_LIBDEFLATE)
/* Copies the file, because decoding takes milliseconds, for which garbage collection must not wait. */
static bool take_encoded(JNIEnv *env, struct images *images, jbyteArray encoded, jsize size)
{
    if (!grow(&images->encoded, &images->encoded_capacity, (size_t) size)) {
        return false;
    }
    (*env)->GetByteArrayRegion(env, encoded, 0, size, (jbyte *) images->encoded);
    return true;
}

struct rows_to_java {
    JNIEnv *env;
    jbyteArray result;
    jsize row_bytes;
};

/* Copies a row into the Java array, while it is still in the cache. */
static void copy_row(void *state, int row, const uint8_t *rgb)
{
    struct rows_to_java *rows = state;
    (*rows->env)->SetByteArrayRegion(
        rows->env, rows->result, row * rows->row_bytes, rows->row_bytes, (const jbyte *) rgb);
}
#endif

JNIEXPORT jint NATIVE(decodePng)(
    JNIEnv *env, jclass type, jlong handle, jbyteArray encoded, jint imageHeight, jint imageWidth, jint top, jint left,
    jint height, jint width, jbyteArray result)
{
    (void) type;
#if defined(MILLRACE_LIBDEFLATE)
    struct images *images = (struct images *) (intptr_t) handle;
    jsize size = (*env)->GetArrayLength(env, encoded);
    if (height < 1 || width < 1 || top < 0 || left < 0 || top > imageHeight - height || left > imageWidth - width
        || (jlong) height * width * 3 != (*env)->GetArrayLength(env, result)) {
        return UNSUPPORTED;
    }
    if (!take_encoded(env, images, encoded, size)) {
        return NO_MEMORY;
    }
    struct rows_to_java rows = {env, result, width * 3};
    struct rectangle rectangle = {top, left, height, width};
    enum outcome outcome =
        png_decode(images->png, images->encoded, (size_t) size, imageHeight, imageWidth, rectangle, copy_row, &rows);
    shrink(&images->encoded, &images->encoded_capacity);
    return (jint) outcome;
#else
    (void) env, (void) handle, (void) encoded, (void) imageHeight, (void) imageWidth, (void) top, (void) left;
    (void) height, (void) width, (void) result;
    return UNSUPPORTED;
#endif
}
