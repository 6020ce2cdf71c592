package io.millrace.image.codec;

import org.jspecify.annotations.Nullable;

/**
 * A decoder of TIFFs. It reads strips and tiles one after the other, and refuses an image in which one of them is damaged or has
 * fewer pixels than the image needs. Its memory is the image and a row of a strip or tile; for JPEG it is the whole part.
 *
 * <p>Tested by {@code ImageDecoderTest}.
 */
final class TiffPixels {
    private final byte[] encoded;
    private final ImageHeader image;
    private final TiffHeader header;
    private final TiffParts parts;
    private final @Nullable TiffYcbcr blocks;
    private final int rowBytes;

    private TiffPixels(CheckedImage checked) throws MalformedImageException {
        encoded = checked.encoded();
        image = checked.header();
        header = new TiffHeader(new TiffDirectory(new HeaderBytes(encoded, "TIFF")));
        parts = TiffParts.of(header, image.width(), image.height());
        boolean transformed = header.photometric == TiffHeader.YCBCR
                && header.together() == 3
                && header.compression.method() != TiffCompression.Method.JPEG;
        blocks = transformed ? new TiffYcbcr(header.tags, image) : null;
        long bytes = blocks != null
                ? blocks.rowBytes(parts.width())
                : ((long) parts.width() * header.together() * header.depth + 7) / 8;
        if (bytes > Integer.MAX_VALUE / 2) {
            throw new MalformedImageException(4, "expected rows of fewer than 2^30 bytes in a TIFF, found " + bytes);
        }
        rowBytes = (int) bytes;
        for (long part = 0; part < (long) parts.across() * parts.down() * header.planes(); part++) {
            end(part);
        }
    }

    static byte[] decode(CheckedImage image, JpegDecoding jpegs) throws MalformedImageException {
        return new TiffPixels(image).decode(jpegs);
    }

    private byte[] decode(JpegDecoding jpegs) throws MalformedImageException {
        byte[] rgb = new byte[Math.toIntExact(3 * image.pixels())];
        TiffSamples samples = new TiffSamples(header, image, rgb);
        try (TiffCodec codec = codec(jpegs)) {
            Rows rows = new Rows(codec, samples);
            long part = 0;
            for (int plane = 0; plane < header.planes(); plane++) {
                for (int down = 0; down < parts.down(); down++) {
                    for (int across = 0; across < parts.across(); across++) {
                        rows.decode(part++, plane, down, across);
                    }
                }
            }
        }
        samples.finish();
        return rgb;
    }

    private TiffCodec codec(JpegDecoding jpegs) throws MalformedImageException {
        return switch (header.compression.method()) {
            case NONE -> new TiffStored();
            case FAX ->
                new TiffFax(
                        parts.width(),
                        (int) header.compression.number(),
                        header.tags.first(TiffDirectory.FAX_OPTIONS, 0));
            case LZW -> new TiffLzw();
            case JPEG -> new TiffJpeg(header, parts, jpegs);
            case DEFLATE -> new TiffInflate();
            case PACK_BITS -> new TiffPackBits();
            case ZSTD -> new TiffZstd();
            case OTHER -> throw new IllegalArgumentException("compression " + header.compression.number());
        };
    }

    /** Returns the offset after the last byte of a part, which is within the file. */
    private int end(long part) throws MalformedImageException {
        long at = parts.at(part);
        long bytes = parts.bytes(part);
        boolean single = parts.across() == 1 && parts.down() == 1 && header.planes() == 1;
        if (header.compression.method() == TiffCompression.Method.NONE) {
            // Like Pillow, ignore the stated number of bytes, which some programs write wrong.
            int row = (int) (part / parts.across() % parts.down());
            int rows = parts.rows(row, image.height());
            bytes = (long) rowBytes * (blocks == null ? rows : (rows + blocks.down() - 1) / blocks.down());
        } else if (bytes == 0 && single) {
            bytes = Math.max(1, encoded.length - at);
        }
        if (at < 8 || bytes < 1 || at + bytes > encoded.length) {
            throw new MalformedImageException(
                    Math.min(at, encoded.length),
                    "truncated TIFF: expected " + bytes + " bytes of a strip or tile at offset " + at
                            + ", found a file of " + encoded.length + " bytes");
        }
        return (int) (at + bytes);
    }

    /** The rows of the parts, in buffers that are used again. */
    private final class Rows {
        private final TiffCodec codec;
        private final TiffSamples samples;
        private final TiffPredictor predictor = new TiffPredictor(header, rowBytes);
        private final byte[] row = new byte[rowBytes];
        private final byte[] converted = new byte[blocks == null ? 0 : 3 * parts.width()];

        Rows(TiffCodec codec, TiffSamples samples) {
            this.codec = codec;
            this.samples = samples;
        }

        void decode(long part, int plane, int down, int across) throws MalformedImageException {
            int at = (int) parts.at(part);
            int end = end(part);
            int stored = parts.rows(down, image.height());
            if (header.reversed && header.compression.method() != TiffCompression.Method.JPEG) {
                codec.begin(reversed(at, end), 0, end - at, stored);
            } else {
                codec.begin(encoded, at, end, stored);
            }
            int x = across * parts.width();
            int y = down * parts.height();
            int columns = Math.min(parts.width(), image.width() - x);
            int rows = Math.min(stored, image.height() - y);
            int step = blocks == null ? 1 : blocks.down();
            for (int from = 0; from < stored; from += step) {
                codec.read(row, rowBytes);
                predictor.restore(row, rowBytes);
                for (int i = from; i < Math.min(from + step, rows); i++) {
                    put(plane, i - from, y + i, x, columns);
                }
            }
            codec.end();
        }

        private void put(int plane, int blockRow, int y, int x, int columns) {
            if (blocks == null) {
                samples.put(row, plane, y, x, columns);
            } else {
                blocks.row(row, blockRow, converted, columns);
                samples.put(converted, plane, y, x, columns);
            }
        }
    }

    private byte[] reversed(int from, int to) {
        byte[] copy = new byte[to - from];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = (byte) (Integer.reverse(encoded[from + i]) >>> 24);
        }
        return copy;
    }
}
