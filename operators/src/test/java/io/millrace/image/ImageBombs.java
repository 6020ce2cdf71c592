package io.millrace.image;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** A maker of small files that claim a large size or unpack to a large size. */
final class ImageBombs {
    /** The number of zeros in a compressed block. */
    private static final int ZEROS = 1 << 20;

    /** The modulus of Adler-32, whose sums of n zeros are 1 and n. */
    private static final int ADLER_MODULUS = 65521;

    private ImageBombs() {}

    /** Returns a gray PNG of a size, whose pixels are {@code inflated} zeros. */
    static byte[] png(int width, int height, long inflated) {
        return png(width, height, 8, new byte[0], deflated(inflated));
    }

    /** Returns a gray PNG of 8x8 with a chunk that has a name and {@code inflated} zeros. */
    static byte[] pngWith(String type, String name, long inflated) {
        return png(8, 8, 8, chunk(type, named(name, inflated)), deflated(9 * 8));
    }

    /** Returns the same PNG with 16 bits. */
    static byte[] deepPngWith(String type, String name, long inflated) {
        return png(8, 8, 16, chunk(type, named(name, inflated)), deflated(17 * 8));
    }

    private static byte[] named(String name, long inflated) {
        return joined(name.getBytes(StandardCharsets.ISO_8859_1), new byte[1], deflated(inflated));
    }

    private static byte[] png(int width, int height, int bits, byte[] chunks, byte[] pixels) {
        byte[] header = ByteBuffer.allocate(13)
                .putInt(width)
                .putInt(height)
                .put((byte) bits)
                .array();
        byte[] signature = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
        return joined(signature, chunk("IHDR", header), chunks, chunk("IDAT", pixels), chunk("IEND", new byte[0]));
    }

    private static byte[] chunk(String type, byte[] data) {
        byte[] content = joined(type.getBytes(StandardCharsets.US_ASCII), data);
        CRC32 checksum = new CRC32();
        checksum.update(content);
        return joined(big(data.length), content, big((int) checksum.getValue()));
    }

    private static byte[] big(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /** Returns zeros as a zlib stream. It repeats one compressed block, because compressing 1 GB takes seconds. */
    private static byte[] deflated(long zeros) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0x78, (byte) 0x9c});
        byte[] block = zeros < ZEROS ? new byte[0] : compressed(ZEROS, false);
        for (long left = zeros; left >= ZEROS; left -= ZEROS) {
            out.writeBytes(block);
        }
        out.writeBytes(compressed((int) (zeros % ZEROS), true));
        out.writeBytes(big((int) (zeros % ADLER_MODULUS << 16 | 1)));
        return out.toByteArray();
    }

    /** Returns compressed zeros without a header, which do not refer to earlier bytes. */
    private static byte[] compressed(int zeros, boolean last) {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        deflater.setInput(new byte[zeros]);
        if (last) {
            deflater.finish();
        }
        byte[] buffer = new byte[1 << 16];
        int length = deflater.deflate(buffer, 0, buffer.length, Deflater.FULL_FLUSH);
        deflater.end();
        return Arrays.copyOf(buffer, length);
    }

    /** Returns a good JPEG whose frame header claims another size. */
    static byte[] jpegOfSize(int width, int height) {
        byte[] jpeg = ImageVectors.file("decode/rgb420.jpg");
        ByteBuffer.wrap(jpeg, find(jpeg, 0xc0) + 5, 4).putShort((short) height).putShort((short) width);
        return jpeg;
    }

    /** Returns a progressive JPEG of a million pixels whose last scan is repeated. */
    static byte[] jpegOfScans(int scans) {
        byte[] jpeg = ImageVectors.file("decode/gray-progressive.jpg");
        ByteBuffer.wrap(jpeg, find(jpeg, 0xc2) + 5, 4).putShort((short) 1000).putShort((short) 1000);
        int first = find(jpeg, 0xda);
        byte[] scan = Arrays.copyOfRange(jpeg, first, first + 10);
        byte[] all = Arrays.copyOf(jpeg, first + 10 * scans + 2);
        for (int i = 0; i < scans; i++) {
            System.arraycopy(scan, 0, all, first + 10 * i, 10);
        }
        all[all.length - 2] = (byte) 0xff;
        all[all.length - 1] = (byte) 0xd9;
        return all;
    }

    private static int find(byte[] jpeg, int marker) {
        int at = 2;
        while ((jpeg[at + 1] & 255) != marker) {
            at += 2 + (((jpeg[at + 2] & 255) << 8) | (jpeg[at + 3] & 255));
        }
        return at;
    }

    /** Returns a GIF of a screen size with many frames of that size, without palettes. */
    static byte[] gif(int width, int height, int frames, byte[] data) {
        byte[] frame = joined(frame(width, height), data);
        ByteBuffer gif = little(13 + frames * frame.length + 1);
        gif.put(screen(width, height));
        for (int i = 0; i < frames; i++) {
            gif.put(frame);
        }
        return bytes(gif.put((byte) ';'));
    }

    static byte[] gifFrame(int screenWidth, int screenHeight, int width, int height) {
        return joined(screen(screenWidth, screenHeight), frame(width, height), blackFrame());
    }

    private static byte[] screen(int width, int height) {
        return bytes(little(13)
                .put("GIF89a".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) width)
                .putShort((short) height));
    }

    private static byte[] frame(int width, int height) {
        return bytes(
                little(10).put((byte) ',').putInt(0).putShort((short) width).putShort((short) height));
    }

    /** Returns 64 pixels of index 0. There is a clear code after every second pixel, so that all codes have 3 bits. */
    static byte[] blackFrame() {
        int[] codes = new int[96];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = i % 3 == 0 ? 4 : 0;
        }
        byte[] packed = new byte[36];
        for (int i = 0; i < codes.length; i++) {
            int bit = 3 * i;
            packed[bit / 8] |= (byte) (codes[i] << (bit % 8));
            if (bit % 8 > 5) {
                packed[bit / 8 + 1] |= (byte) (codes[i] >> (8 - bit % 8));
            }
        }
        return joined(new byte[] {2, 36}, packed, new byte[1]);
    }

    /** Returns blocks of 255 bytes of the clear code of 8-bit indexes, which is 256 in 9 bits. */
    static byte[] clearCodes(int bytes) {
        byte[] data = new byte[1 + bytes / 256 * 256 + 1];
        data[0] = 8;
        long bit = 8;
        for (int block = 1; block + 256 < data.length; block += 256) {
            data[block] = (byte) 255;
            for (int i = 1; i < 256; i++) {
                while (bit / 8 < i + (block - 1L) / 256 * 255) {
                    bit += 9;
                }
                if (bit / 8 == i + (block - 1L) / 256 * 255) {
                    data[block + i] = (byte) (1 << (bit % 8));
                }
            }
        }
        return data;
    }

    /** Returns a WebP with an empty canvas. */
    static byte[] webp(int width, int height) {
        ByteBuffer webp =
                little(30).put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(22);
        webp.put("WEBPVP8X".getBytes(StandardCharsets.US_ASCII)).putInt(10).putInt(0);
        putTriple(webp, width - 1);
        putTriple(webp, height - 1);
        return bytes(webp);
    }

    private static void putTriple(ByteBuffer to, int value) {
        to.put((byte) value).put((byte) (value >> 8)).put((byte) (value >> 16));
    }

    static byte[] bmp(int width, int height, int bits, int method) {
        ByteBuffer bmp = little(200);
        bmp.put((byte) 'B').put((byte) 'M').putInt(200).putInt(0).putInt(54);
        bmp.putInt(40).putInt(width).putInt(height).putShort((short) 1).putShort((short) bits);
        return bytes(bmp.putInt(method));
    }

    static byte[] pnm(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a gray TIFF with one strip that claims to contain all pixels. */
    static byte[] tiff(int width, int height, int bits, int compression) {
        return tiff(width, height, bits, compression, 200, (int) Math.min(Integer.MAX_VALUE, (long) width * height), 0);
    }

    static byte[] tiffLoop() {
        return joined(tiff(8, 8, 8, 1, 8 + 2 + 8 * 12 + 4, 64, 8), new byte[64]);
    }

    static byte[] deflatedTiff(int bits, long inflated) {
        byte[] strip = deflated(inflated);
        return joined(tiff(8, 8, bits, 8, 8 + 2 + 8 * 12 + 4, strip.length, 0), strip);
    }

    private static byte[] tiff(int width, int height, int bits, int compression, int at, int length, int next) {
        int[][] entries = {
            {256, width},
            {257, height},
            {258, bits},
            {259, compression},
            {262, 1},
            {273, at},
            {278, height},
            {279, length}
        };
        return directory(entries, next);
    }

    /** Returns an image of 8x8 in a tile of an extent. */
    static byte[] tiledTiff(int extent) {
        int[][] entries = {
            {256, 8}, {257, 8}, {258, 8}, {259, 1}, {262, 1}, {322, extent}, {323, extent}, {324, 8}, {325, 64}
        };
        return directory(entries, 0);
    }

    static byte[] tiffEntries(int count) {
        byte[] tiff = tiff(8, 8, 8, 1);
        ByteBuffer.wrap(tiff).order(ByteOrder.LITTLE_ENDIAN).putShort(8, (short) count);
        return tiff;
    }

    static byte[] tiffStrips(int count) {
        byte[] tiff = tiff(1000, 1000, 16, 1);
        ByteBuffer.wrap(tiff)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(10 + 5 * 12 + 4, count)
                .putInt(10 + 7 * 12 + 4, count);
        return tiff;
    }

    /** Returns a directory of entries with one long each. */
    private static byte[] directory(int[][] entries, int next) {
        ByteBuffer tiff = little(8 + 2 + entries.length * 12 + 4);
        tiff.put((byte) 'I').put((byte) 'I').putShort((short) 42).putInt(8).putShort((short) entries.length);
        for (int[] entry : entries) {
            tiff.putShort((short) entry[0]).putShort((short) 4).putInt(1).putInt(entry[1]);
        }
        return bytes(tiff.putInt(next));
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] bytes(ByteBuffer written) {
        byte[] bytes = new byte[written.capacity()];
        written.get(0, bytes);
        return bytes;
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
