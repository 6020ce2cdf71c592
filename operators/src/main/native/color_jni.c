/* The functions of io.millrace.image.NativeColorKernel. Java calls them with avx2 only if the CPU has AVX2 and FMA. */
#include <stdbool.h>
#include <stdio.h>

#include "color.h"
#include "java.h"

#define NATIVE(name) JNICALL Java_io_millrace_image_NativeColorKernel_##name

/*
 * The bytes that are changed while the garbage collector waits: less than 0.1 ms with AVX2. A multiple of the registers' bytes and
 * pixels, so that only the last part has a rest.
 */
#define PART (1024 * 96)

static const struct color_loops *loops(jboolean avx2)
{
#if defined(__x86_64__)
    if (avx2) {
        return &avx2_color;
    }
#else
    (void) avx2;
#endif
    return &plain_color;
}

static uint8_t *borrow_pixels(JNIEnv *env, jbyteArray pixels)
{
    return borrow(env, pixels, "no memory for the pixels of an image");
}

static bool has_whole_units(JNIEnv *env, jsize length, jsize unit)
{
    if (length % unit == 0) {
        return true;
    }
    char message[64];
    snprintf(message, sizeof message, "expected pixels of %d bytes, found %d bytes", (int) unit, (int) length);
    throw(env, "java/lang/IllegalArgumentException", message);
    return false;
}

static size_t part_at(jlong at, jsize length)
{
    return (size_t) (length - at < PART ? length - at : PART);
}

static void change(JNIEnv *env, jbyteArray pixels, color_loop loop, jsize unit, struct color_change by)
{
    jsize length = (*env)->GetArrayLength(env, pixels);
    if (!has_whole_units(env, length, unit)) {
        return;
    }
    for (jlong at = 0; at < length; at += PART) {
        uint8_t *bytes = borrow_pixels(env, pixels);
        if (!bytes) {
            return;
        }
        loop(bytes + at, part_at(at, length) / (size_t) unit, by);
        (*env)->ReleasePrimitiveArrayCritical(env, pixels, bytes, 0);
    }
}

JNIEXPORT void NATIVE(blend)(
    JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels, jfloat other, jfloat ratio, jfloat rest)
{
    (void) type;
    change(env, pixels, loops(avx2)->blend, 1, (struct color_change) {.other = other, .ratio = ratio, .rest = rest});
}

JNIEXPORT void NATIVE(saturate)(JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels, jfloat ratio, jfloat rest)
{
    (void) type;
    change(env, pixels, loops(avx2)->saturate, 3, (struct color_change) {.ratio = ratio, .rest = rest});
}

JNIEXPORT void NATIVE(grayscale)(JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels)
{
    (void) type;
    change(env, pixels, loops(avx2)->grayscale, 3, (struct color_change) {0});
}

JNIEXPORT void NATIVE(turnHue)(JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels, jfloat turn)
{
    (void) type;
    change(env, pixels, loops(avx2)->turn_hue, 3, (struct color_change) {.turn = turn});
}

JNIEXPORT jlong NATIVE(graySum)(JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels)
{
    (void) type;
    jsize length = (*env)->GetArrayLength(env, pixels);
    uint64_t sum = 0;
    if (!has_whole_units(env, length, 3)) {
        return 0;
    }
    for (jlong at = 0; at < length; at += PART) {
        uint8_t *bytes = borrow_pixels(env, pixels);
        if (!bytes) {
            return 0;
        }
        sum += loops(avx2)->gray_sum(bytes + at, part_at(at, length) / 3);
        (*env)->ReleasePrimitiveArrayCritical(env, pixels, bytes, JNI_ABORT);
    }
    return (jlong) sum;
}

JNIEXPORT void NATIVE(gray)(JNIEnv *env, jclass type, jboolean avx2, jbyteArray pixels, jbyteArray result)
{
    (void) type;
    jsize length = (*env)->GetArrayLength(env, pixels);
    jsize count = (*env)->GetArrayLength(env, result);
    if (!has_whole_units(env, length, 3)) {
        return;
    }
    if (count != length / 3) {
        throw(env, "java/lang/IllegalArgumentException", "expected one byte for the gray of each pixel");
        return;
    }
    for (jlong at = 0; at < length; at += PART) {
        uint8_t *from = borrow_pixels(env, pixels);
        uint8_t *to = from ? (*env)->GetPrimitiveArrayCritical(env, result, NULL) : NULL;
        if (to) {
            loops(avx2)->gray(from + at, part_at(at, length) / 3, to + at / 3);
            (*env)->ReleasePrimitiveArrayCritical(env, result, to, 0);
        }
        if (from) {
            (*env)->ReleasePrimitiveArrayCritical(env, pixels, from, JNI_ABORT);
        }
        if (!to) {
            if (!(*env)->ExceptionCheck(env)) {
                throw(env, "java/lang/OutOfMemoryError", "no memory for the gray of an image");
            }
            return;
        }
    }
}
