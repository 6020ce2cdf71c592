package io.millrace.sample;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A description of bytes by their number and their kind, for messages about bytes that nothing can decode. It shows none of
 * the bytes, because they may come from a file that does not belong to the dataset.
 */
public final class FirstBytes {
    private static final int SEARCHED = 1024;

    /** The beginnings of formats that are not decoded, as ISO-8859-1, after the offset at which they stand. */
    private static final List<Known> KNOWN = List.of(
            new Known(0, "\0\0\1\0", "ICO"),
            new Known(0, "\0\0\2\0", "CUR"),
            new Known(0, "\0\0\0\fJXL ", "JPEG XL"),
            new Known(0, "\u00ff\n", "JPEG XL"),
            new Known(0, "\0\0\0\fjP  ", "JPEG 2000"),
            new Known(0, "\u00ffO\u00ffQ", "JPEG 2000"),
            new Known(0, "II+\0", "BigTIFF"),
            new Known(0, "MM\0+", "BigTIFF"),
            new Known(0, "8BPS", "PSD"),
            new Known(0, "v/1\1", "OpenEXR"),
            new Known(0, "#?RADIANCE", "Radiance HDR"),
            new Known(0, "DDS ", "DDS"),
            new Known(0, "qoif", "QOI"),
            new Known(0, "%PDF", "PDF"),
            new Known(0, "%!PS", "PostScript"),
            new Known(0, "\u001f\u008b", "gzip"),
            new Known(0, "PK\3\4", "ZIP"),
            new Known(0, "\u0093NUMPY", "NumPy"),
            new Known(0, "version https://git-lfs", "a Git LFS pointer"),
            new Known(0, "fLaC", "FLAC"),
            new Known(0, "OggS", "Ogg"),
            new Known(0, "ID3", "MP3"),
            new Known(0, "\u00ff\u00fb", "MP3"),
            new Known(0, "\u00ff\u00f3", "MP3"),
            new Known(0, "\u00ff\u00f2", "MP3"),
            new Known(0, ".snd", "AU"),
            new Known(0, "caff", "CAF"),
            new Known(8, "AIFF", "AIFF"),
            new Known(8, "AIFC", "AIFF"),
            new Known(8, "AVI ", "AVI"),
            new Known(8, "WAVE", "WAV"),
            new Known(8, "WEBP", "WebP"),
            new Known(0, "\u00ff\u00d8\u00ff", "JPEG"),
            new Known(0, "\u0089PNG", "PNG"),
            new Known(0, "GIF8", "GIF"),
            new Known(0, "\u001aE\u00df\u00a3", "Matroska or WebM"));

    private record Known(int offset, String text, String name) {}

    private FirstBytes() {}

    /** Returns the number of bytes and their kind, such as "1,204 bytes that begin like HTML". */
    public static String describe(byte[] bytes) {
        String count = String.format(Locale.ROOT, "%,d %s", bytes.length, bytes.length == 1 ? "byte" : "bytes");
        if (bytes.length == 0) {
            return count;
        }
        if (isZero(bytes)) {
            return bytes.length == 1 ? count + " that is 0" : count + " that are all 0";
        }
        String name = name(new String(bytes, 0, Math.min(bytes.length, SEARCHED), StandardCharsets.ISO_8859_1));
        if (name != null) {
            return count + " that begin like " + name;
        }
        return count + (isText(bytes) ? " of text" : " of an unknown kind");
    }

    private static boolean isZero(byte[] bytes) {
        for (byte value : bytes) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String name(String start) {
        for (Known known : KNOWN) {
            if (start.startsWith(known.text, known.offset)) {
                return known.name;
            }
        }
        if (start.startsWith("ftyp", 4)) {
            String brands = start.substring(8, Math.min(start.length(), 64));
            return brands.contains("avi") ? "AVIF" : brands.contains("hei") || brands.contains("mif1") ? "HEIC" : "MP4";
        }
        String markup = start.replace("\u00ef\u00bb\u00bf", "").stripLeading().toLowerCase(Locale.ROOT);
        if (markup.startsWith("<!doctype html") || markup.startsWith("<html")) {
            return "HTML";
        }
        if (markup.startsWith("<svg") || (markup.startsWith("<?xml") && markup.contains("<svg"))) {
            return "SVG";
        }
        return markup.startsWith("<?xml") ? "XML" : null;
    }

    /** Returns whether the bytes begin as UTF-8 without control characters that no text file has. */
    private static boolean isText(byte[] bytes) {
        int searched = Math.min(bytes.length, SEARCHED);
        String start = new String(bytes, 0, searched, StandardCharsets.UTF_8);
        // The last character may be cut.
        int whole = searched < bytes.length ? start.length() - 1 : start.length();
        return start.chars()
                .limit(whole)
                .allMatch(letter -> letter != '\uFFFD' && (letter >= ' ' || Character.isWhitespace(letter)));
    }
}
