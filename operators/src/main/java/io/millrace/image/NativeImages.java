package io.millrace.image;

import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.ImageHeader;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * The decoder of PNGs in the native library, with its memory for one thread. The garbage collection of this object frees the
 * memory.
 */
final class NativeImages implements ImageKernel {
    private static final Cleaner CLEANER = Cleaner.create();

    private final long handle;
    private long decodes;

    private NativeImages(long handle) {
        this.handle = handle;
        CLEANER.register(this, () -> close(handle));
    }

    /** Returns a decoder; null if the native library, which must have been loaded, was built without it. */
    static @Nullable NativeImages create() {
        if (!hasPngs()) {
            return null;
        }
        long handle = open();
        if (handle == 0) {
            throw noMemory();
        }
        return new NativeImages(handle);
    }

    @Override
    public boolean decode(byte[] encoded, ImageHeader header, Crop crop, byte[] rgb) {
        if (header.format() != ImageFormat.PNG) {
            return false;
        }
        try {
            int outcome = decodePng(
                    handle,
                    encoded,
                    header.height(),
                    header.width(),
                    crop.top(),
                    crop.left(),
                    crop.height(),
                    crop.width(),
                    rgb);
            if (outcome == NativeCode.NO_MEMORY) {
                throw noMemory();
            }
            decodes += outcome == NativeCode.DONE ? 1 : 0;
            return outcome == NativeCode.DONE;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns how many rectangles this decoder has decoded. */
    long decodes() {
        return decodes;
    }

    private static OutOfMemoryError noMemory() {
        return new OutOfMemoryError("no native memory for the decoder of images");
    }

    /** Returns whether the library can decode PNGs, for which its build needs libdeflate. */
    static native boolean hasPngs();

    /** Creates the memory of one thread. Returns its handle, or 0 when there is not enough memory. */
    private static native long open();

    /** Frees the memory. */
    private static native void close(long handle);

    /** Decodes a rectangle. Returns an outcome as the functions of {@link NativeCode} do. */
    private static native int decodePng(
            long handle,
            byte[] encoded,
            int imageHeight,
            int imageWidth,
            int top,
            int left,
            int height,
            int width,
            byte[] rgb);
}
