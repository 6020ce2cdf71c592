package io.millrace.image.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the orientation in a PNG's chunks, before and after the pixels: {@code eXIf}, the text {@code Raw profile type exif}
 * that ImageMagick writes, and XMP in a text. Of several chunks of one kind, the last counts. In an animation, the chunks after
 * the first frame do not count.
 *
 * <p>Tested by {@code OrientationsTest}.
 */
final class PngMetadata {
    private static final int SIGNATURE_BYTES = 8;
    private static final int CHUNK_HEADER_BYTES = 8;
    private static final int CHECKSUM_BYTES = 4;
    private static final String RAW_PROFILE = "Raw profile type exif";
    private static final String XMP = "XML:com.adobe.xmp";
    private static final String EXIF = "exif";

    /** The largest text after decompression, as in Pillow, which rejects the image otherwise. */
    private static final int MOST_TEXT_BYTES = 1 << 20;

    private static final byte[] DAMAGED = {0};

    private final byte[] file;
    private byte @Nullable [] exif;
    private @Nullable String rawProfile;
    private byte @Nullable [] xmpText;
    private byte @Nullable [] xmp;

    /** The number of frames that acTL states; 0 without a valid one. */
    private long frames;

    private boolean frameBeforePixels;

    private PngMetadata(byte[] file) {
        this.file = file;
    }

    static int orientation(byte[] file) {
        PngMetadata metadata = new PngMetadata(file);
        metadata.walk();
        byte[] exif = metadata.exif;
        String profile = metadata.rawProfile;
        if (exif == null && profile != null) {
            exif = ofProfile(profile);
        }
        byte[] text = metadata.xmpText;
        return Orientations.of(exif, text != null && text.length > 0 ? text : metadata.xmp);
    }

    private void walk() {
        boolean pixels = false;
        long at = SIGNATURE_BYTES;
        while (at + CHUNK_HEADER_BYTES <= file.length) {
            long length = ByteBuffer.wrap(file).getInt((int) at) & 0xffffffffL;
            if (at + CHUNK_HEADER_BYTES + length > file.length || !isType((int) at + 4)) {
                return;
            }
            int from = (int) at + CHUNK_HEADER_BYTES;
            int to = from + (int) length;
            switch (new String(file, (int) at + 4, 4, StandardCharsets.ISO_8859_1)) {
                case "IDAT", "fdAT" -> pixels = true;
                case "IEND" -> {
                    return;
                }
                case "fcTL" -> {
                    if (pixels && animated()) {
                        return;
                    }
                    frameBeforePixels |= !pixels;
                }
                case "acTL" -> {
                    if (!pixels && length >= 4) {
                        keepFrames(ByteBuffer.wrap(file).getInt(from) & 0xffffffffL);
                    }
                }
                case "eXIf" -> exif = Arrays.copyOfRange(file, from, to);
                case "tEXt" -> keepText(from, to);
                case "zTXt" -> keepCompressed(from, to);
                case "iTXt" -> keepInternational(from, to);
                default -> {}
            }
            at += CHUNK_HEADER_BYTES + length + CHECKSUM_BYTES;
        }
    }

    /** Returns whether the type of a chunk has characters that Pillow accepts; it reads no chunk behind another one. */
    private boolean isType(int at) {
        for (int i = at; i < at + 4; i++) {
            if (!Character.isLetterOrDigit(file[i]) && file[i] != '_') {
                return false;
            }
        }
        return true;
    }

    /** Keeps the number of frames. A second animation cancels the first, and a third is one again, as in Pillow. */
    private void keepFrames(long stated) {
        if (frames > 0) {
            frames = 0;
        } else if (stated <= 0x80000000L) {
            frames = stated;
        }
    }

    /** Returns whether there are several frames, of which the pixels in IDAT are one even if no fcTL precedes them. */
    private boolean animated() {
        return frames > 1 || (frames == 1 && !frameBeforePixels);
    }

    private void keepText(int from, int to) {
        int end = endOfKey(from, to);
        keep(key(from, end), content(end, to));
    }

    private void keepCompressed(int from, int to) {
        int end = endOfKey(from, to);
        byte[] content = content(end, to);
        if (!isRead(key(from, end)) || (content.length > 0 && content[0] != 0)) {
            return;
        }
        byte[] text = content.length == 0 ? content : inflated(content, 1);
        keepString(key(from, end), text == null ? new byte[0] : text);
    }

    private void keepInternational(int from, int to) {
        int end = endOfKey(from, to);
        String key = key(from, end);
        if (!isRead(key) || to - end < 3) {
            return;
        }
        boolean compressed = file[end + 1] != 0;
        int language = endOfKey(end + 3, to);
        int translated = language < to ? endOfKey(language + 1, to) : to;
        if (translated >= to || (compressed && file[end + 2] != 0)) {
            return;
        }
        byte[] content = content(translated, to);
        byte[] text = compressed ? inflated(content, 0) : content;
        if (text == null) {
            return;
        }
        if (key.equals(XMP)) {
            xmp = text;
        }
        if (isUtf8(Arrays.copyOfRange(file, end + 3, language))
                && isUtf8(Arrays.copyOfRange(file, language + 1, translated))
                && isUtf8(text)) {
            keepString(key, text);
        }
    }

    private static boolean isRead(String key) {
        return key.equals(EXIF) || key.equals(RAW_PROFILE) || key.equals(XMP);
    }

    /** Keeps the text of a chunk tEXt, in which {@code exif} may be a block of bytes. */
    private void keep(String key, byte[] content) {
        if (key.equals(EXIF)) {
            exif = content;
        } else {
            keepString(key, content);
        }
    }

    private void keepString(String key, byte[] content) {
        switch (key) {
            case EXIF -> exif = content.length == 0 ? content : DAMAGED; // Pillow fails, because it expects bytes
            case RAW_PROFILE -> rawProfile = new String(content, StandardCharsets.ISO_8859_1);
            case XMP -> xmpText = content;
            default -> {}
        }
    }

    private int endOfKey(int from, int to) {
        int end = from;
        while (end < to && file[end] != 0) {
            end++;
        }
        return end;
    }

    private String key(int from, int end) {
        return new String(file, from, end - from, StandardCharsets.ISO_8859_1);
    }

    private byte[] content(int end, int to) {
        return Arrays.copyOfRange(file, Math.min(end + 1, to), to);
    }

    private static boolean isUtf8(byte[] text) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** Returns the text after decompression, as far as it is there; null when it is damaged or too large. */
    private static byte @Nullable [] inflated(byte[] compressed, int from) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(compressed, from, compressed.length - from);
            byte[] text = new byte[(int) Math.min(MOST_TEXT_BYTES, 256 + 8L * compressed.length)];
            int length = 0;
            while (true) {
                int count = inflater.inflate(text, length, text.length - length);
                length += count;
                if (length == text.length && !inflater.finished()) {
                    if (length == MOST_TEXT_BYTES) {
                        return null;
                    }
                    text = Arrays.copyOf(text, Math.min(MOST_TEXT_BYTES, 2 * length));
                } else if (count == 0 || inflater.finished()) {
                    return inflater.needsDictionary() ? null : Arrays.copyOf(text, length);
                }
            }
        } catch (DataFormatException e) {
            return null;
        } finally {
            inflater.end();
        }
    }

    /** Returns the EXIF block of a text of three lines, which are ignored, and hexadecimal digits. */
    private static byte[] ofProfile(String profile) {
        int at = 0;
        for (int line = 0; line < 3; line++) {
            int next = profile.indexOf('\n', at);
            if (next < 0) {
                return new byte[0];
            }
            at = next + 1;
        }
        String digits = profile.substring(at).replace("\n", "");
        byte[] block = new byte[digits.length() / 2];
        int count = 0;
        for (int i = 0; i < digits.length(); ) {
            if (isSpace(digits.charAt(i))) {
                i++;
                continue;
            }
            int high = Character.digit(digits.charAt(i), 16);
            int low = i + 1 < digits.length() ? Character.digit(digits.charAt(i + 1), 16) : -1;
            if (high < 0 || low < 0) {
                return DAMAGED;
            }
            block[count++] = (byte) (high << 4 | low);
            i += 2;
        }
        return Arrays.copyOf(block, count);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }
}
