/* What the functions that Java calls have in common. */
#ifndef MILLRACE_JAVA_H
#define MILLRACE_JAVA_H

#include <jni.h>
#include <stdint.h>

static inline void throw(JNIEnv *env, const char *type, const char *message)
{
    jclass thrown = (*env)->FindClass(env, type);
    if (thrown) {
        (*env)->ThrowNew(env, thrown, message);
    }
}

/*
 * Returns the bytes of an array for a short time, without a copy: the garbage collector waits until they are released. Throws and
 * returns NULL when there is no memory; `missing` is the message.
 */
static inline uint8_t *borrow(JNIEnv *env, jbyteArray array, const char *missing)
{
    uint8_t *bytes = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    if (!bytes && !(*env)->ExceptionCheck(env)) {
        throw(env, "java/lang/OutOfMemoryError", missing);
    }
    return bytes;
}

#endif
