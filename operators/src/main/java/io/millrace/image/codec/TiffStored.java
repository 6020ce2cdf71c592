package io.millrace.image.codec;

/** The codec of data that is not compressed. */
final class TiffStored implements TiffCodec {
    private byte[] data = {};
    private int at;
    private int to;

    @Override
    public void begin(byte[] bytes, int from, int end, int rows) {
        data = bytes;
        at = from;
        to = end;
    }

    @Override
    public void read(byte[] row, int count) throws MalformedImageException {
        if (to - at < count) {
            throw TiffCodec.tooShort(to);
        }
        System.arraycopy(data, at, row, 0, count);
        at += count;
    }
}
