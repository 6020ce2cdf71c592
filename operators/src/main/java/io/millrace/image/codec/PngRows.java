package io.millrace.image.codec;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The rows of a PNG: decompressed, and without their filters (W3C PNG, sections 8 to 10). The rows of an interlaced PNG come in
 * seven passes.
 *
 * <p>Only IHDR and the first run of IDAT chunks are read, so the image of an animated PNG is its default image, as in Pillow.
 *
 * <p>Tested by {@code ImageDecoderTest}.
 */
final class PngRows {
    private static final int SPARE_BYTES = 512;
    private static final int MOST_SPARE_BYTES = 1 << 16;
    private static final Pass WHOLE = new Pass(0, 0, 1, 1);
    private static final Pass[] ADAM7 = {
        new Pass(0, 0, 8, 8),
        new Pass(4, 0, 8, 8),
        new Pass(0, 4, 4, 8),
        new Pass(2, 0, 4, 4),
        new Pass(0, 2, 2, 4),
        new Pass(1, 0, 2, 2),
        new Pass(0, 1, 1, 2)
    };

    private final byte[] encoded;
    private final HeaderBytes bytes;
    private final ImageHeader header;
    private final Inflater inflater;
    private final int pixelBits;
    private long chunkAt;
    private long written;

    private PngRows(CheckedImage image, Inflater inflater) {
        this.encoded = image.encoded();
        this.bytes = new HeaderBytes(encoded, "PNG");
        this.header = image.header();
        this.inflater = inflater;
        this.pixelBits = header.channels() * header.bitDepth();
    }

    /**
     * The pixels of a pass, which are a grid in the image.
     *
     * @param left the column of the image of the first pixel of a row
     * @param top the row of the image of the first row
     * @param across the distance of two pixels of a row in the image
     * @param down the distance of two rows in the image
     */
    record Pass(int left, int top, int across, int down) {
        int width(ImageHeader header) {
            return count(header.width(), left, across);
        }

        int height(ImageHeader header) {
            return count(header.height(), top, down);
        }

        private static int count(int extent, int first, int step) {
            return extent <= first ? 0 : (extent - first - 1) / step + 1;
        }
    }

    /** A consumer of rows. */
    @FunctionalInterface
    interface Taker {
        /**
         * Takes a row.
         *
         * @param row the samples as stored, which are valid during the call
         * @param y the row of the image
         * @param pass the columns of the image: pixel i of the row is in column {@code pass.left() + i * pass.across()}
         * @param width the number of pixels
         */
        void take(byte[] row, int y, Pass pass, int width);
    }

    /**
     * Reads all rows.
     *
     * @param image an image that {@link PngStructure} has accepted
     * @throws MalformedImageException when a row is missing or has an unknown filter, or the compressed data is damaged
     */
    static void read(CheckedImage image, Taker taker) throws MalformedImageException {
        Inflater inflater = new Inflater();
        try {
            PngRows rows = new PngRows(image, inflater);
            rows.chunkAt = PngStructure.firstData(rows.bytes);
            rows.input();
            for (Pass pass : PngHeader.interlaced(rows.bytes) ? ADAM7 : new Pass[] {WHOLE}) {
                rows.read(pass, taker);
            }
            rows.finish();
        } finally {
            inflater.end();
        }
    }

    private void read(Pass pass, Taker taker) throws MalformedImageException {
        int width = pass.width(header);
        int height = width == 0 ? 0 : pass.height(header);
        int rowBytes = Math.toIntExact(((long) width * pixelBits + 7) / 8);
        int distance = Math.max(1, pixelBits / 8);
        byte[] above = new byte[1 + rowBytes];
        byte[] row = new byte[1 + rowBytes];
        byte[] samples = new byte[rowBytes];
        for (int i = 0; i < height; i++) {
            int y = pass.top + i * pass.down;
            inflate(row, y);
            written += row.length;
            unfilter(row, above, distance, y);
            System.arraycopy(row, 1, samples, 0, rowBytes);
            taker.take(samples, y, pass, width);
            byte[] swapped = above;
            above = row;
            row = swapped;
        }
    }

    private void inflate(byte[] row, int y) throws MalformedImageException {
        int filled = 0;
        while (filled < row.length) {
            try {
                filled += inflater.inflate(row, filled, row.length - filled);
            } catch (DataFormatException e) {
                throw damaged("corrupt", y, "damaged data (" + e.getMessage() + ")");
            }
            if (filled < row.length) {
                if (inflater.finished() || inflater.needsDictionary()) {
                    throw damaged("truncated", y, "the end of the compressed pixels");
                }
                if (inflater.needsInput() && !nextInput()) {
                    throw damaged("truncated", y, "the end of the IDAT chunks");
                }
            }
        }
    }

    /**
     * Reads on to the checksum behind the last row, because damaged data may have all rows. As in Pillow, the checksum may be
     * missing, and some data may precede it.
     */
    private void finish() throws MalformedImageException {
        byte[] spare = new byte[SPARE_BYTES];
        while (!inflater.finished() && inflater.getBytesWritten() - written < MOST_SPARE_BYTES) {
            if (inflater.needsInput() && !nextInput()) {
                return;
            }
            try {
                inflater.inflate(spare);
            } catch (DataFormatException e) {
                throw damaged("corrupt", header.height() - 1, "damaged data (" + e.getMessage() + ")");
            }
        }
    }

    /** Passes on to the next IDAT chunk, which must follow at once. Returns false if there is none. */
    private boolean nextInput() throws MalformedImageException {
        chunkAt += PngStructure.CHUNK_OVERHEAD_BYTES + bytes.u32Big(chunkAt, "a chunk");
        if (!PngStructure.type(bytes, chunkAt).equals("IDAT")) {
            return false;
        }
        input();
        return true;
    }

    private void input() throws MalformedImageException {
        inflater.setInput(encoded, (int) chunkAt + 8, (int) bytes.u32Big(chunkAt, "a chunk"));
    }

    /** Undoes the filter of a row, whose first byte is the filter's type. */
    private void unfilter(byte[] row, byte[] above, int distance, int y) throws MalformedImageException {
        switch (row[0]) {
            case 0 -> {}
            case 1 -> {
                for (int i = 1 + distance; i < row.length; i++) {
                    row[i] += row[i - distance];
                }
            }
            case 2 -> {
                for (int i = 1; i < row.length; i++) {
                    row[i] += above[i];
                }
            }
            case 3 -> {
                for (int i = 1; i < row.length; i++) {
                    int left = i > distance ? row[i - distance] & 255 : 0;
                    row[i] += (byte) ((left + (above[i] & 255)) >> 1);
                }
            }
            case 4 -> {
                for (int i = 1; i < row.length; i++) {
                    row[i] += i > distance
                            ? (byte) paeth(row[i - distance] & 255, above[i] & 255, above[i - distance] & 255)
                            : above[i];
                }
            }
            default -> throw damaged("corrupt", y, "unknown filter " + (row[0] & 255));
        }
    }

    private static int paeth(int left, int above, int corner) {
        int byLeft = Math.abs(above - corner);
        int byAbove = Math.abs(left - corner);
        int byCorner = Math.abs(left + above - 2 * corner);
        if (byLeft <= byAbove && byLeft <= byCorner) {
            return left;
        }
        return byAbove <= byCorner ? above : corner;
    }

    private MalformedImageException damaged(String state, int y, String found) {
        return new MalformedImageException(
                chunkAt,
                state + " PNG: expected the pixels of " + header.width() + "x" + header.height() + ", found " + found
                        + " in row " + y);
    }
}
