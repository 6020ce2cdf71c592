package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;

/**
 * The codec of strips and tiles that are JPEGs. Their tables may be stored once for all of them. The TIFF, and not the JPEG,
 * states whether their colours are stored as YCbCr.
 */
final class TiffJpeg implements TiffCodec {
    private static final int APP0 = 0xe0;
    private static final int APP15 = 0xef;
    private static final int COMMENT = 0xfe;
    private static final int START_OF_SCAN = 0xda;
    private static final int END_OF_IMAGE = 0xd9;
    private static final int UNSAMPLED = 0x11;

    private final JpegDecoding decoding;
    private final TiffParts parts;
    private final int channels;
    private final boolean transformed;
    private final byte[] tables;

    private byte[] rgb = {};
    private int at;
    private int sampling;

    TiffJpeg(TiffHeader header, TiffParts parts, JpegDecoding decoding) throws MalformedImageException {
        this.decoding = decoding;
        this.parts = parts;
        this.channels = header.together();
        this.transformed = header.photometric == TiffHeader.YCBCR;
        this.tables = header.tags.bytes(TiffDirectory.JPEG_TABLES);
    }

    @Override
    public void begin(byte[] data, int from, int to, int rows) throws MalformedImageException {
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream(tables.length + to - from + 32);
        jpeg.writeBytes(new byte[] {(byte) 0xff, (byte) 0xd8});
        // Adobe's marker states whether the three components are YCbCr (1) or RGB (0).
        jpeg.writeBytes(new byte[] {
            (byte) 0xff, (byte) 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, (byte) (transformed ? 1 : 0)
        });
        if (tables.length > 0) {
            copy(new HeaderBytes(tables, "TIFF"), 0, tables.length, jpeg, true);
        }
        copy(new HeaderBytes(data, "TIFF"), from, to, jpeg, false);
        byte[] bytes = jpeg.toByteArray();
        ImageHeader header = ImageHeader.parse(bytes);
        // Some programs fill the last strip up with rows, which libtiff ignores.
        int most = parts.tiled() || (parts.down() > 1 && rows == parts.height()) ? rows : parts.height() + 15;
        if (header.width() != parts.width()
                || header.height() < rows
                || header.height() > most
                || header.channels() != channels) {
            throw new MalformedImageException(
                    from,
                    "corrupt TIFF: expected a JPEG of " + parts.width() + "x" + rows + " pixels with " + channels
                            + " components in a strip or tile, found " + header.width() + "x" + header.height()
                            + " with " + header.channels());
        }
        if (header.obstacle() != null) {
            throw new MalformedImageException(
                    from, "expected a JPEG of 8 bits in a strip or tile of a TIFF, found " + header.obstacle());
        }
        rgb = decoding.rgb(bytes);
        at = 0;
    }

    /** Copies the segments of a JPEG without its first marker, and without those that state how colours are stored. */
    private void copy(HeaderBytes bytes, int from, int to, ByteArrayOutputStream jpeg, boolean abbreviated)
            throws MalformedImageException {
        int next = from + 2;
        if (!bytes.startsWith(from, 0xff, 0xd8)) {
            throw new MalformedImageException(
                    from, "corrupt TIFF: expected a JPEG in a strip or tile, found " + bytes.describe(from, 4));
        }
        while (next < to) {
            int marker = bytes.u8(next + 1, "a marker");
            if (bytes.u8(next, "a marker") != 0xff) {
                throw new MalformedImageException(
                        next, "corrupt TIFF: expected a marker in a JPEG, found " + bytes.describe(next, 4));
            }
            if (marker == 0xff) {
                next++;
                continue;
            }
            if (marker == END_OF_IMAGE && abbreviated) {
                return;
            }
            int length = marker == START_OF_SCAN ? to - next - 2 : bytes.u16Big(next + 2, "a segment's length");
            if (next + 2 + length > to) {
                throw TiffCodec.tooShort(to);
            }
            if (JpegHeader.isFrame(marker)) {
                requireSampling(bytes, next + 2, length);
            }
            if (marker != COMMENT && (marker < APP0 || marker > APP15)) {
                byte[] segment = new byte[2 + length];
                bytes.copy(next, segment, segment.length, "a segment");
                jpeg.writeBytes(segment);
            }
            next += 2 + length;
        }
    }

    /** Checks the sampling of the components like libtiff: only YCbCr has fewer chroma samples, the same in all parts. */
    private void requireSampling(HeaderBytes bytes, int at, int length) throws MalformedImageException {
        for (int component = 0; component < (length - 8) / 3; component++) {
            int found = bytes.u8(at + 9 + 3L * component, "the frame header");
            if (component == 0 && transformed && channels == 3) {
                if (sampling != 0 && sampling != found) {
                    throw unexpected(at, found);
                }
                sampling = found;
            } else if (found != UNSAMPLED) {
                throw unexpected(at, found);
            }
        }
    }

    private static MalformedImageException unexpected(long at, int found) {
        return new MalformedImageException(
                at,
                "corrupt TIFF: expected a JPEG with the sampling of the image, found " + Integer.toHexString(found));
    }

    @Override
    public void read(byte[] row, int count) {
        if (channels == 3) {
            System.arraycopy(rgb, at, row, 0, count);
            at += count;
            return;
        }
        for (int i = 0; i < count; i++, at += 3) {
            row[i] = rgb[at];
        }
    }
}
