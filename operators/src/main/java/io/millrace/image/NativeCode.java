package io.millrace.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The library of {@code src/main/native}: loading it, and its functions. These trust their handle, check the arrays'
 * lengths, and return what became of the call.
 */
final class NativeCode {
    /** The call did what it should. */
    static final int DONE = 0;

    /** There was no memory; 1 and 2 mean that a JPEG is not for this decoder, or refused by libjpeg. */
    static final int NO_MEMORY = 3;

    private static final String LIBRARY = "libmillrace.so";

    private static final @Nullable String OBSTACLE = load();

    private NativeCode() {}

    /** Why the functions cannot be called, or null where they can. */
    static @Nullable String obstacle() {
        return OBSTACLE;
    }

    /**
     * Unpacks the library for this machine and loads it. Each JVM has a copy of its own, whose name is gone as soon as it
     * is loaded: nothing is shared, so nothing can be half written, and nothing stays behind.
     */
    private static @Nullable String load() {
        String platform = platform();
        try (InputStream packed = NativeCode.class.getResourceAsStream("/natives/" + platform + "/" + LIBRARY)) {
            if (packed == null) {
                return "this build has none for " + platform;
            }
            Path unpacked = Files.createTempFile("libmillrace", ".so");
            try {
                Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
                System.load(unpacked.toString());
                return null;
            } finally {
                Files.deleteIfExists(unpacked);
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            return "they cannot be unpacked to " + System.getProperty("java.io.tmpdir") + " and loaded: "
                    + e.getMessage();
        }
    }

    /** As the build names its folder, after {@code uname -m}. */
    private static String platform() {
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-"
                + (machine.equals("amd64") ? "x86_64" : machine);
    }

    /** Whether the processor has AVX2, so that {@link #open} may be asked for it. */
    static native boolean hasAvx2();

    /** A workspace for one thread, with vector instructions or in plain C; 0 where there is no memory. */
    static native long open(boolean avx2);

    /** Frees a workspace. */
    static native void close(long handle);

    /** See {@link ResizeKernel#resize}; {@code height} and {@code width} are the crop's. */
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

    /** See {@link JpegKernel#decode}. */
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
            byte[] result);
}
