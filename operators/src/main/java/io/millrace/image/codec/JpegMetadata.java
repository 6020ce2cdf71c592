package io.millrace.image.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the orientation in a JPEG's segments before its first scan. The EXIF blocks of several segments are one block. Of
 * several XMP packets, the last counts.
 */
final class JpegMetadata {
    private static final int APP1 = 0xe1;
    private static final int START_OF_SCAN = 0xda;
    private static final byte[] EXIF = {'E', 'x', 'i', 'f', 0, 0};
    private static final byte[] XMP = "http://ns.adobe.com/xap/1.0/\0".getBytes(StandardCharsets.US_ASCII);

    private final byte[] file;
    private byte @Nullable [] exif;
    private @Nullable ByteArrayOutputStream more;
    private byte @Nullable [] xmp;

    private JpegMetadata(byte[] file) {
        this.file = file;
    }

    static int orientation(byte[] file) {
        JpegMetadata metadata = new JpegMetadata(file);
        metadata.walk();
        ByteArrayOutputStream joined = metadata.more;
        return Orientations.of(joined == null ? metadata.exif : joined.toByteArray(), metadata.xmp);
    }

    /** Walks over the segments as Pillow does, which skips bytes between segments. */
    private void walk() {
        int at = 2;
        while (true) {
            while (at < file.length && file[at] != (byte) 0xff) {
                at++;
            }
            while (at < file.length && file[at] == (byte) 0xff) {
                at++;
            }
            if (at >= file.length) {
                return;
            }
            int marker = file[at++] & 0xff;
            if (marker != 0 && marker < 0xc0) {
                return;
            }
            if (!hasContent(marker)) {
                continue;
            }
            if (marker == START_OF_SCAN || at + 2 > file.length) {
                return;
            }
            int end = at + Math.max(2, ((file[at] & 0xff) << 8) | (file[at + 1] & 0xff));
            if (end > file.length) {
                return;
            }
            if (marker == APP1) {
                keep(at + 2, end);
            }
            at = end;
        }
    }

    private static boolean hasContent(int marker) {
        return marker == 0xfe
                || (marker >= 0xc0 && marker <= 0xef && marker != 0xc8 && !(marker >= 0xd0 && marker <= 0xd9));
    }

    private void keep(int from, int to) {
        if (startsWith(from, to, EXIF)) {
            byte[] known = exif;
            if (known == null) {
                exif = Arrays.copyOfRange(file, from, to);
                return;
            }
            ByteArrayOutputStream joined = more;
            if (joined == null) {
                joined = new ByteArrayOutputStream();
                joined.writeBytes(known);
                more = joined;
            }
            joined.write(file, from + EXIF.length, to - from - EXIF.length);
        } else if (startsWith(from, to, XMP)) {
            xmp = Arrays.copyOfRange(file, from + XMP.length, to);
        }
    }

    private boolean startsWith(int from, int to, byte[] name) {
        return to - from >= name.length && Arrays.equals(file, from, from + name.length, name, 0, name.length);
    }
}
