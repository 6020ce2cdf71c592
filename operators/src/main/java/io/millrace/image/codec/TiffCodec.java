package io.millrace.image.codec;

/**
 * A decoder of the data of strips and tiles, one after the other. It returns as many decoded bytes as its user wants, and never
 * fewer. Belongs to one thread and one image.
 */
interface TiffCodec extends AutoCloseable {
    /**
     * Begins a strip or tile.
     *
     * @param data the bytes that contain its data
     * @param from the offset of its first byte
     * @param to the offset after its last byte
     * @param rows the number of rows that will be read
     */
    void begin(byte[] data, int from, int to, int rows) throws MalformedImageException;

    /**
     * Decodes the next {@code count} bytes.
     *
     * @throws MalformedImageException when the data is damaged, or ends before
     */
    void read(byte[] row, int count) throws MalformedImageException;

    /**
     * Ends a strip or tile, of which all rows have been read. Data after its rows is ignored, as in libtiff, but a checksum after
     * them is compared.
     */
    default void end() throws MalformedImageException {}

    /** Frees the native memory, if there is any. */
    @Override
    default void close() {}

    /** Returns the exception for data that ends too early. */
    static MalformedImageException tooShort(long at) {
        return new MalformedImageException(
                at, "corrupt TIFF: expected more pixels in a strip or tile, found the end of its data");
    }
}
