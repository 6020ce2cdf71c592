package io.millrace.image;

import io.millrace.file.ProgramFolders;
import io.millrace.image.codec.MarkerSearch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The native library of {@code src/main/native} and its functions. The functions do not check their handle. They check
 * the lengths of arrays, and return an outcome or throw.
 *
 * <p>Tested by {@code NativeKernelsTest}.
 */
final class NativeCode {
    /** The outcome of a successful call. */
    static final int DONE = 0;

    /**
     * The outcome when there is not enough memory. The outcome 1 means that no native decoder supports the JPEG, and 2
     * means that libjpeg refuses it.
     */
    static final int NO_MEMORY = 3;

    private static final String LIBRARY = "libmillrace.so";

    private static final @Nullable String OBSTACLE = load();

    private NativeCode() {}

    /** Returns the reason for which the functions cannot be called, or null if they can. */
    static @Nullable String obstacle() {
        return OBSTACLE;
    }

    /** Returns whether this build has the library for this machine, which {@link #obstacle} nevertheless may prevent from loading. */
    static boolean isPacked() {
        return NativeCode.class.getResource(resource()) != null;
    }

    private static @Nullable String load() {
        List<String> failures = new ArrayList<>();
        for (Path folder : ProgramFolders.candidates()) {
            try (InputStream packed = NativeCode.class.getResourceAsStream(resource())) {
                if (packed == null) {
                    return "this build has none for " + platform();
                }
                load(packed, folder);
                return null;
            } catch (IOException | UnsatisfiedLinkError e) {
                failures.add(folder + ": " + e.getMessage());
            }
        }
        return "they cannot be unpacked and loaded in any of these folders: " + String.join("; ", failures);
    }

    /**
     * Unpacks the library and loads it. Each JVM uses its own copy and deletes the file as soon as it is loaded. No file is shared,
     * so no JVM can find an incomplete file, and no file is left behind.
     */
    private static void load(InputStream packed, Path folder) throws IOException {
        Path unpacked = Files.createTempFile(folder, "libmillrace", ".so");
        try {
            Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
            System.load(unpacked.toString());
        } finally {
            Files.deleteIfExists(unpacked);
        }
    }

    private static String resource() {
        return "/natives/" + platform() + "/" + LIBRARY;
    }

    /** Returns the name of the build's folder for this machine, after {@code uname -m}. */
    private static String platform() {
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-"
                + (machine.equals("amd64") ? "x86_64" : machine);
    }

    /** Returns whether the CPU has AVX2, BMI2 and FMA, so that the functions of all classes can use them. */
    static native boolean hasAvx2();

    /** Returns whether the library contains libjpeg-turbo, which decodes what the library's own decoder does not. */
    static native boolean hasLibjpeg();

    /**
     * Creates a workspace for one thread, with vector instructions or in plain C.
     *
     * @return the handle; 0 when there is not enough memory
     */
    static native long open(boolean avx2);

    /** Frees a workspace. */
    static native void close(long handle);

    /** Resizes a crop, see {@link ResizeKernel#resize}. {@code height} and {@code width} are those of the crop. */
    static native int resize(
            long handle,
            byte[] pixels,
            int corner,
            int stride,
            int channels,
            int height,
            int width,
            int[] acrossStart,
            int[] acrossWeights,
            int[] downStart,
            int[] downWeights,
            byte[] result);

    /**
     * Swaps left and right of pixels of 1 or 3 bytes, in place. Call it only if the CPU has AVX2, see {@link #hasAvx2}.
     *
     * @throws IllegalArgumentException when the array is not {@code height * width * channels} bytes long
     * @throws OutOfMemoryError when there is no memory for the pixels
     */
    static native void mirror(byte[] pixels, int height, int width, int channels);

    /**
     * Returns the index of the next marker of a JPEG's entropy-coded data, see {@link MarkerSearch}. Call it only if the
     * CPU has AVX2, see {@link #hasAvx2}.
     *
     * @throws IllegalArgumentException when {@code from} is not within the array or at its end
     * @throws OutOfMemoryError when there is no memory for the bytes
     */
    static native int nextMarker(byte[] encoded, int from);

    /**
     * Converts bytes to floats, see {@link NativeFloatKernel}. Call it only if the CPU has AVX2, see {@link #hasAvx2}.
     *
     * @param constants nine groups of 24 numbers: divisor, 1 / divisor, mean, deviation, 1 / deviation, and the columns
     *     of the matrix and the offset
     * @param mixes whether the pixels are multiplied by the matrix
     * @param divides whether the results are divided by the divisor
     * @param standardizes whether the mean is subtracted and the rest is divided by the deviation
     * @param byInverses whether divisions are multiplications with a correction
     * @param bytes a direct buffer, read from its beginning
     * @param floats a direct buffer in native byte order, written from its beginning
     * @param count the number of bytes
     * @throws IllegalArgumentException when a buffer is not direct or too small
     */
    static native void floats(
            float[] constants,
            boolean mixes,
            boolean divides,
            boolean standardizes,
            boolean byInverses,
            ByteBuffer bytes,
            FloatBuffer floats,
            int count);

    /**
     * Decodes a rectangle, see {@link JpegKernel#decode}.
     *
     * @param entryPoints whether to use and to keep the file's entry points
     */
    static native int decode(
            long handle,
            byte[] encoded,
            int imageHeight,
            int imageWidth,
            int reduction,
            int top,
            int left,
            int height,
            int width,
            boolean entryPoints,
            byte[] result);

    /**
     * Decodes a rectangle and resizes it, see {@link JpegKernel#decodeResized}.
     *
     * @param result an array for the pixels; null to write them to {@code place}
     * @param place a direct buffer for the pixels, written from its beginning; null to write them to {@code result}
     */
    static native int decodeResized(
            long handle,
            byte[] encoded,
            int imageHeight,
            int imageWidth,
            int top,
            int left,
            int height,
            int width,
            boolean entryPoints,
            int[] acrossStart,
            int[] acrossWeights,
            int[] downStart,
            int[] downWeights,
            byte @Nullable [] result,
            @Nullable ByteBuffer place);

    /** Returns the share of the time of the latest successful {@link #decodeResized} that the resize took, 0 to 1. */
    static native double resizeShare(long handle);

    /** The results of {@link #check}: the data are damaged, or there is no memory. Others say that no damage is known. */
    static final int DAMAGED = 2;

    static final int NOT_CHECKED_FOR_MEMORY = -1;

    /**
     * Checks the entropy-coded data of a JPEG, see {@link JpegKernel#isDamaged}.
     *
     * @param entryPoints whether to keep the file's entry points
     */
    static native int check(long handle, byte[] encoded, int height, int width, boolean entryPoints);

    /** Sets the bytes that the entry points of JPEGs may need in this process; 0 also frees them. */
    static native void limitEntryPoints(long bytes);

    /** Returns the bytes that the entry points of JPEGs need in this process. */
    static native long entryPointBytes();

    /** Returns how many rectangles the library's own decoder, and not libjpeg-turbo, has decoded in a workspace. */
    static native long baselineDecodes(long handle);
}
