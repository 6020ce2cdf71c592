package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests with small files that were made to need much time or memory. Each file is refused, or decoded within the
 * limits, quickly and in little memory. All kernels agree on the result.
 */
class DecompressionBombTest {
    private static final DecodeLimits LIMITS = new DecodeLimits(1_000_000, 16_000_000);
    private static final Duration MOST_TIME = Duration.ofSeconds(20);
    private static final long MOST_HEAP_BYTES = 128L << 20;
    private static final long MOST_RESIDENT_GROWTH_KB = 400_000;

    record Bomb(String name, Supplier<byte[]> file, boolean refused) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Bomb> bombs() {
        Map<String, Supplier<byte[]>> refused = new LinkedHashMap<>();
        refused.put("PNG of 2^31-1 x 2^31-1", () -> ImageBombs.png(Integer.MAX_VALUE, Integer.MAX_VALUE, 100));
        refused.put("JPEG of 65500x65500", () -> ImageBombs.jpegOfSize(65500, 65500));
        refused.put("progressive JPEG of 5000 scans", () -> ImageBombs.jpegOfScans(5000));
        refused.put("GIF with a screen of 65535x65535", () -> ImageBombs.gif(65535, 65535, 1, new byte[] {2, 1, 0, 0}));
        refused.put("GIF whose frame widens the screen", () -> ImageBombs.gifFrame(1, 1, 65535, 65535));
        refused.put(
                "GIF of nothing but clear codes",
                () -> ImageBombs.gif(1000, 1000, 1, ImageBombs.clearCodes(4_000_000)));
        refused.put("WebP with a canvas of 2^24 x 2^24", () -> ImageBombs.webp(1 << 24, 1 << 24));
        refused.put("BMP of height 2^31-1", () -> ImageBombs.bmp(1, Integer.MAX_VALUE, 24, 0));
        refused.put("BMP of runs of 2^30 x 1", () -> ImageBombs.bmp(1 << 30, 1, 8, 1));
        refused.put("PNM of 10^9 x 10^9", () -> ImageBombs.pnm("P5 1000000000 1000000000 65535\n"));
        refused.put("plain PNM that ends at once", () -> ImageBombs.pnm("P2 1000 1000 7\n1 2"));
        refused.put("TIFF of 2^31-1 x 2^31-1", () -> ImageBombs.tiff(Integer.MAX_VALUE, Integer.MAX_VALUE, 8, 1));
        refused.put("TIFF with a tile of 2^15 x 2^15 for 8x8", () -> ImageBombs.tiledTiff(1 << 15));
        refused.put("TIFF with a strip after its end", () -> ImageBombs.tiff(1000, 1000, 16, 1));
        refused.put("TIFF whose directory has 65535 entries", () -> ImageBombs.tiffEntries(65535));
        refused.put("TIFF of 2^31 strips", () -> ImageBombs.tiffStrips(Integer.MAX_VALUE));
        Map<String, Supplier<byte[]>> decoded = new LinkedHashMap<>();
        refused.put("PNG whose IDAT inflates to 1 GB", () -> ImageBombs.png(8, 8, 1 << 30));
        decoded.put("PNG whose IDAT inflates to 60 MB", () -> ImageBombs.png(8, 8, 60 << 20));
        decoded.put("PNG with zTXt of 1 GB", () -> ImageBombs.pngWith("zTXt", "Comment\0", 1 << 30));
        decoded.put("PNG with iCCP of 1 GB", () -> ImageBombs.pngWith("iCCP", "profile\0", 1 << 30));
        decoded.put("16-bit PNG with iCCP of 1 GB", () -> ImageBombs.deepPngWith("iCCP", "profile\0", 1 << 30));
        decoded.put("GIF of 100000 frames", () -> ImageBombs.gif(8, 8, 100_000, ImageBombs.blackFrame()));
        decoded.put("TIFF whose strip inflates to 1 GB", () -> ImageBombs.deflatedTiff(8, 1 << 30));
        decoded.put("16-bit TIFF whose strip inflates to 1 GB", () -> ImageBombs.deflatedTiff(16, 1 << 29));
        decoded.put("TIFF whose next directory is the first", () -> ImageBombs.tiffLoop());
        List<Bomb> bombs = new ArrayList<>();
        refused.forEach((name, bytes) -> bombs.add(new Bomb(name, bytes, true)));
        decoded.forEach((name, bytes) -> bombs.add(new Bomb(name, bytes, false)));
        return bombs;
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void bombNeedsLittleTimeAndMemoryWithEveryKernel(Bomb bomb) throws IOException {
        byte[] encoded = bomb.file().get();
        assertThat((long) encoded.length).isLessThan(LIMITS.maxEncodedBytes());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<String> outcomes = new ArrayList<>();
        for (Kernels kernels : KernelChoice.available()) {
            try (ImageDecoder decoder = new ImageDecoder(LIMITS, ImageIntegrity.STRUCTURE, kernels)) {
                long resident = residentPeakKilobytes();
                long allocated = threads.getCurrentThreadAllocatedBytes();
                long start = System.nanoTime();
                outcomes.add(outcome(decoder, encoded));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(MOST_TIME);
                assertThat(threads.getCurrentThreadAllocatedBytes() - allocated).isLessThan(MOST_HEAP_BYTES);
                assertThat(residentPeakKilobytes() - resident).isLessThan(MOST_RESIDENT_GROWTH_KB);
            }
        }
        assertThat(outcomes).containsOnly(outcomes.get(0));
        assertThat(outcomes.get(0).startsWith("refused")).as(outcomes.get(0)).isEqualTo(bomb.refused());
    }

    private static String outcome(ImageDecoder decoder, byte[] encoded) {
        try {
            Field image = decoder.decode(encoded);
            return "decoded to " + ImageVectors.sha256(image);
        } catch (MalformedImageException e) {
            return "refused: " + e.getMessage();
        }
    }

    /** Returns the peak memory of this process, as Linux counts it. */
    private static long residentPeakKilobytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }
}
