package io.millrace.image.codec;

import java.util.Arrays;

/** The codec of PackBits: copied bytes and repeated bytes, with their counts (TIFF 6.0, section 9). */
final class TiffPackBits implements TiffCodec {
    private static final int NOTHING = 128;

    private byte[] data = {};
    private int at;
    private int to;
    /** The rest of the bytes to copy or to repeat, if the last count was more than a row. */
    private int left;

    private boolean repeats;

    @Override
    public void begin(byte[] bytes, int from, int end, int rows) {
        data = bytes;
        at = from;
        to = end;
        left = 0;
    }

    @Override
    public void read(byte[] row, int count) throws MalformedImageException {
        int filled = 0;
        while (filled < count) {
            if (left == 0) {
                start();
            }
            int next = Math.min(left, count - filled);
            if (to - at < (repeats ? 1 : next)) {
                throw TiffCodec.tooShort(to);
            }
            if (repeats) {
                Arrays.fill(row, filled, filled + next, data[at]);
            } else {
                System.arraycopy(data, at, row, filled, next);
                at += next;
            }
            filled += next;
            left -= next;
            if (left == 0 && repeats) {
                at++;
            }
        }
    }

    private void start() throws MalformedImageException {
        int count = NOTHING;
        while (count == NOTHING) {
            if (at == to) {
                throw TiffCodec.tooShort(to);
            }
            count = data[at++] & 255;
        }
        repeats = count > NOTHING;
        left = repeats ? 257 - count : count + 1;
    }
}
