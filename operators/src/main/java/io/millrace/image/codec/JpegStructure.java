package io.millrace.image.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A check of a JPEG from its first marker to EOI. It skips segments by their lengths, and searches entropy-coded data for
 * markers. Bytes after EOI are ignored, because many good files have some. So are bytes between the segments in front of the first
 * scan, which libjpeg skips. Behind it they are damage, because they can be a lost scan. Not thread-safe.
 *
 * <p>Tested by {@code ImageHeaderTest}.
 */
public final class JpegStructure {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EVERY_BYTE = 0x0101010101010101L;

    /**
     * The largest number of scans. A progressive image has about ten, and in theory at most 64 for each of 4 components. A
     * scan of a few bytes can cost as much time as a whole image.
     */
    private static final int MOST_SCANS = 100;

    private final MarkerSearch markers;
    private final JpegTables tables = new JpegTables();
    private final JpegCoefficients coefficients = new JpegCoefficients();
    private boolean restarts;

    /** Creates a check that finds the markers by the given search. */
    public JpegStructure(MarkerSearch markers) {
        this.markers = markers;
    }

    /**
     * Checks a JPEG.
     *
     * @return true when a part of the image can be decoded alone, because no later bytes can change it. This holds when
     *     the JPEG is sequential and Huffman-coded, its header has all tables, and only one scan and EOI follow the header.
     * @throws MalformedImageException when the JPEG is damaged
     */
    public boolean check(byte[] encoded) throws MalformedImageException {
        HeaderBytes bytes = new HeaderBytes(encoded, "JPEG");
        tables.begin();
        coefficients.begin();
        int scans = 0;
        boolean plain = true;
        boolean regular = true;
        restarts = false;
        int at = 2;
        while (true) {
            if (at + 2 > encoded.length) {
                throw truncated(encoded.length);
            }
            int next = scans == 0 ? JpegMarkers.nextInHeader(bytes, at) : JpegMarkers.next(bytes, at);
            regular &= JpegMarkers.isFilled(bytes, at, next);
            at = next;
            int marker = bytes.u8(at + 1, "a marker");
            if (marker == 0xd9) {
                if (scans == 0) {
                    throw new MalformedImageException(at, "corrupt JPEG: expected a scan before EOI, found none");
                }
                coefficients.requireComponents(at);
                return plain;
            }
            plain &= scans == 0 && (!JpegHeader.isFrame(marker) || marker <= 0xc1);
            int length = JpegMarkers.length(bytes, at);
            if (marker == 0xda) {
                scans++;
                if (scans > MOST_SCANS) {
                    throw new MalformedImageException(
                            at, "expected a JPEG of at most " + MOST_SCANS + " scans, found another");
                }
                boolean tablesSuffice = tables.suffice(bytes, at, length);
                if (!regular && !tablesSuffice) {
                    // A decoder would use the tables of the standard instead of those that are damaged.
                    throw new MalformedImageException(
                            at,
                            "corrupt JPEG: expected the tables of a scan before it, found bytes that are no segment");
                }
                plain &= tablesSuffice;
                coefficients.scan(bytes, at);
                at = endOfScan(encoded, bytes, at + 2 + length);
            } else {
                if (marker == 0xdd) {
                    restarts = bytes.u16Big(at + 4, "the restart interval") > 0;
                }
                if (JpegHeader.isFrame(marker)) {
                    coefficients.frame(bytes, at);
                }
                tables.segment(bytes, at, marker, length);
                at += 2 + length;
            }
        }
    }

    /** Returns the offset of the marker that ends the entropy-coded data that begins at {@code from}. */
    private int endOfScan(byte[] encoded, HeaderBytes bytes, int from) throws MalformedImageException {
        int restart = 0;
        int at = from;
        while (true) {
            at = markers.next(encoded, at);
            if (at + 1 >= encoded.length) {
                throw truncated(encoded.length);
            }
            int code = encoded[at + 1] & 255;
            if (code == 0) {
                at += 2; // the zero is stuffed, and the ff before it is data
            } else if (code == 0xff) {
                at++;
            } else if (JpegMarkers.isRestart(code) && endsScan(encoded, at + 2)) {
                // Some encoders write a restart marker behind every interval, also the last one.
                return at + 2;
            } else if (JpegMarkers.isRestart(code)) {
                if (!restarts || code != 0xd0 + restart) {
                    throw new MalformedImageException(
                            at,
                            String.format(
                                    "corrupt JPEG: expected %s, found restart marker ff %02x",
                                    restarts ? String.format("ff %02x", 0xd0 + restart) : "no restarts", code));
                }
                restart = (restart + 1) & 7;
                at += 2;
            } else if (code < 0xc0 || code == 0xd8) {
                throw new MalformedImageException(
                        at,
                        "corrupt JPEG: expected entropy-coded data or a known marker, found " + bytes.describe(at, 4));
            } else {
                return at;
            }
        }
    }

    /** Returns whether another marker than a restart follows at offset {@code at}, so that there is no data. */
    private static boolean endsScan(byte[] encoded, int at) {
        int next = at;
        while (next + 1 < encoded.length && encoded[next] == -1 && encoded[next + 1] == -1) {
            next++;
        }
        return next + 1 < encoded.length && encoded[next] == -1 && JpegMarkers.isKnown(encoded[next + 1] & 255);
    }

    /** Returns the offset of the next byte ff, or the length. It reads eight bytes at a time, because it reads the whole JPEG. */
    public static int nextEscape(byte[] encoded, int from) {
        int at = from;
        for (; at + Long.BYTES <= encoded.length; at += Long.BYTES) {
            long word = (long) LONGS.get(encoded, at);
            // The lowest set bit marks the first ff. The complement of ff is 0, and borrows only go upwards.
            long found = (~word - EVERY_BYTE) & word & (EVERY_BYTE << 7);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < encoded.length && encoded[at] != -1) {
            at++;
        }
        return at;
    }

    private static MalformedImageException truncated(int length) {
        return new MalformedImageException(
                length, "truncated JPEG: expected the EOI marker (ff d9), found the end of the file at " + length);
    }
}
