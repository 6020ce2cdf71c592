package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A maker of intentionally broken files. */
final class BadPhotos {
    private static final int HUGE = 30_000;
    private static final int OVERWRITTEN_BYTES = 2048;
    private static final ImageSize SMALL = new ImageSize(16, 16);

    private BadPhotos() {}

    /**
     * Returns the bytes of one broken file.
     *
     * @param index the index of the image that is damaged
     */
    static byte[] make(BadKind kind, PhotoStudio studio, long index) throws IOException {
        return switch (kind) {
            case TRUNCATED -> truncated(studio.photograph(index));
            case CORRUPT -> corrupt(studio.photograph(index), index);
            case EMPTY -> new byte[0];
            case WRONG_EXTENSION ->
                "This is text, whatever the name of its file says.\n".getBytes(StandardCharsets.UTF_8);
            case TWELVE_BITS -> twelveBits(studio.photograph(index));
            case HUGE_HEADER -> huge(studio.paint(index));
        };
    }

    private static byte[] truncated(byte[] jpeg) {
        return Arrays.copyOf(jpeg, (JpegBytes.pixels(jpeg) + jpeg.length) / 2);
    }

    private static byte[] corrupt(byte[] jpeg, long index) {
        GeneratorRandom random = new GeneratorRandom(index, 1, index);
        int start = JpegBytes.pixels(jpeg);
        int bytes = Math.min(OVERWRITTEN_BYTES, (jpeg.length - start) / 2);
        int from = (start + jpeg.length - bytes) / 2;
        for (int i = from; i < from + bytes; i++) {
            jpeg[i] = (byte) random.below(256);
        }
        return jpeg;
    }

    private static byte[] twelveBits(byte[] jpeg) {
        jpeg[JpegBytes.segment(jpeg, JpegBytes.SOF0) + 4] = 12;
        return jpeg;
    }

    private static byte[] huge(byte[] pixels) {
        byte[] jpeg;
        try (JpegEncoder encoder = new JpegEncoder(SMALL.width(), SMALL.height(), 90)) {
            jpeg = encoder.encode(pixels);
        }
        int heightAt = JpegBytes.segment(jpeg, JpegBytes.SOF0) + 5;
        for (int at = heightAt; at < heightAt + 4; at += 2) {
            jpeg[at] = (byte) (HUGE >> 8);
            jpeg[at + 1] = (byte) HUGE;
        }
        return jpeg;
    }
}
