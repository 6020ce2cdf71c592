package io.millrace.image.codec;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** The codec of Deflate, with the header and the checksum of zlib. */
final class TiffInflate implements TiffCodec {
    /** The most bytes that are inflated only to reach the checksum: a last strip may be stored with the rows of a whole strip. */
    private static final int MOST_REST = 1 << 22;

    private final Inflater inflater = new Inflater();
    private final byte[] rest = new byte[1 << 12];
    private int to;

    @Override
    public void begin(byte[] data, int from, int end, int rows) {
        inflater.reset();
        inflater.setInput(data, from, end - from);
        to = end;
    }

    @Override
    public void read(byte[] row, int count) throws MalformedImageException {
        int filled = 0;
        while (filled < count) {
            int inflated = inflate(row, filled, count - filled);
            if (inflated == 0) {
                throw TiffCodec.tooShort(to - inflater.getRemaining());
            }
            filled += inflated;
        }
    }

    /** Compares the checksum, if it is there and not far away. */
    @Override
    public void end() throws MalformedImageException {
        int inflated = 1;
        for (int left = MOST_REST; left > 0 && inflated > 0; left -= inflated) {
            inflated = inflate(rest, 0, rest.length);
        }
    }

    private int inflate(byte[] target, int at, int count) throws MalformedImageException {
        try {
            return inflater.inflate(target, at, count);
        } catch (DataFormatException e) {
            MalformedImageException malformed = new MalformedImageException(
                    to - inflater.getRemaining(),
                    "corrupt TIFF: expected data compressed with Deflate, but it is damaged: " + e.getMessage());
            malformed.initCause(e);
            throw malformed;
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
