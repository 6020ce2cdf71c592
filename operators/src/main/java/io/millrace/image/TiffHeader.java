package io.millrace.image;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the first directory of a TIFF file (TIFF 6.0). */
final class TiffHeader {
    private static final int WIDTH = 256;
    private static final int HEIGHT = 257;
    private static final int BITS = 258;
    private static final int PHOTOMETRIC = 262;
    private static final int ORIENTATION = 274;
    private static final int SAMPLES = 277;
    private static final int SAMPLE_FORMAT = 339;
    private static final int SEPARATED = 5;
    private static final int SHORT = 3;

    private TiffHeader() {}

    static ImageHeader parse(HeaderBytes bytes) throws MalformedImageException {
        Map<Integer, Long> tags = firstDirectory(bytes);
        if (!tags.containsKey(WIDTH) || !tags.containsKey(HEIGHT)) {
            throw new MalformedImageException(
                    4,
                    "corrupt TIFF: expected ImageWidth and ImageLength in its first directory, found neither or one");
        }
        int channels = (int) Math.min(tags.getOrDefault(SAMPLES, 1L), Integer.MAX_VALUE);
        int depth = (int) Math.min(tags.getOrDefault(BITS, 1L), Integer.MAX_VALUE);
        boolean cmyk = tags.getOrDefault(PHOTOMETRIC, 0L) == SEPARATED;
        ImageHeader plain =
                ImageHeader.plain(ImageFormat.TIFF, value(tags, WIDTH), value(tags, HEIGHT), channels, depth);
        return new ImageHeader(
                plain.format(),
                plain.width(),
                plain.height(),
                channels,
                depth,
                cmyk,
                1,
                obstacle(channels, depth, cmyk, tags));
    }

    private static long value(Map<Integer, Long> tags, int tag) {
        return tags.getOrDefault(tag, 0L);
    }

    private static @Nullable String obstacle(int channels, int depth, boolean cmyk, Map<Integer, Long> tags) {
        if (tags.getOrDefault(SAMPLE_FORMAT, 1L) != 1 || (depth != 8 && !(depth == 1 && channels == 1))) {
            return "a TIFF of other than 8-bit unsigned samples (" + depth + " bits)";
        }
        if (channels != 1 && channels != 3 && !(channels == 4 && cmyk)) {
            return "a TIFF of " + channels + " samples per pixel: drop its alpha channel first";
        }
        // Pillow turns TIFFs upright by itself, unlike every other format.
        return tags.getOrDefault(ORIENTATION, 1L) == 1 ? null : "a TIFF with an orientation: turn it upright first";
    }

    /** The tags with their first value. */
    private static Map<Integer, Long> firstDirectory(HeaderBytes bytes) throws MalformedImageException {
        boolean little = bytes.text(0, 1, "byte order").equals("I");
        long directory = u32(bytes, 4, little);
        int entries = u16(bytes, directory, little);
        Map<Integer, Long> tags = new HashMap<>();
        for (int i = 0; i < entries; i++) {
            long entry = directory + 2 + 12L * i;
            int type = u16(bytes, entry + 2, little);
            long count = u32(bytes, entry + 4, little);
            // Three or more shorts do not fit the entry: it holds the offset of the first.
            long at = type == SHORT && count > 2 ? u32(bytes, entry + 8, little) : entry + 8;
            tags.put(u16(bytes, entry, little), type == SHORT ? u16(bytes, at, little) : u32(bytes, at, little));
        }
        return tags;
    }

    private static int u16(HeaderBytes bytes, long at, boolean little) throws MalformedImageException {
        return little ? bytes.u16Little(at, "its first directory") : bytes.u16Big(at, "its first directory");
    }

    private static long u32(HeaderBytes bytes, long at, boolean little) throws MalformedImageException {
        return little ? bytes.u32Little(at, "its first directory") : bytes.u32Big(at, "its first directory");
    }
}
