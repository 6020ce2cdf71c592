package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of images of all formats that are damaged at every tenth of the file. */
class DamagedImagesTest {
    private static final int NOISE_BYTES = 16;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rgb420.jpg",
                "rgb420-progressive.jpg",
                "cmyk-progressive.jpg",
                "rgb.png",
                "gray16.png",
                "palette4.png",
                "animated.png",
                "rgb.bmp",
                "palette.bmp",
                "rle4.bmp",
                "palette.gif",
                "lossy.webp",
                "lossless.webp",
                "animated.webp",
                "rgb.ppm",
                "bilevel.pbm",
                "plain.ppm"
            })
    void partOfAFileIsMalformedAndNoiseGivesTheSameResultEachTime(String file) {
        byte[] whole = ImageVectors.file("decode/" + file);
        Random random = new Random(28);
        for (int tenth = 1; tenth < 10; tenth++) {
            int at = whole.length * tenth / 10;
            assertThatThrownBy(() -> decoded(Arrays.copyOf(whole, at)), "%s, %d bytes", file, at)
                    .isInstanceOf(MalformedImageException.class);
            byte[] noisy = whole.clone();
            for (int i = at; i < Math.min(at + NOISE_BYTES, whole.length); i++) {
                noisy[i] = (byte) random.nextInt(256);
            }
            assertThat(result(noisy)).as("%s, noise at %d", file, at).isEqualTo(result(noisy));
        }
    }

    /** The checksums of the chunks are right, so only the decoder can find the damage. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "rgb.png",
                "rgba.png",
                "gray.png",
                "gray16.png",
                "rgb16.png",
                "palette4.png",
                "bilevel.png",
                "animated.png",
                "gray-alpha.png"
            })
    void pngWhoseDataIsCutOrChangedIsMalformed(String file) {
        byte[] png = ImageVectors.file("decode/" + file);
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        int first = -1;
        int end = 8;
        for (int at = 8; at < png.length; ) {
            int length = ByteBuffer.wrap(png).getInt(at);
            if (new String(png, at + 4, 4, StandardCharsets.ISO_8859_1).equals("IDAT")) {
                first = first < 0 ? at : first;
                data.write(png, at + 8, length);
                end = at + 12 + length;
            }
            at += 12 + length;
        }
        byte[] whole = data.toByteArray();
        Random random = new Random(28);
        for (int tenth = 1; tenth < 10; tenth++) {
            int at = whole.length * tenth / 10;
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            for (byte[] damaged : new byte[][] {Arrays.copyOf(whole, at), changed}) {
                byte[] rebuilt = rebuilt(png, first, damaged, end);
                assertThatThrownBy(() -> decoded(rebuilt), "%s, damage at %d", file, at)
                        .isInstanceOf(MalformedImageException.class)
                        .hasMessageContaining(" PNG: expected the pixels of ");
            }
        }
    }

    private static byte[] rebuilt(byte[] png, int first, byte[] data, int end) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(png, 0, first);
        ByteBuffer chunk = ByteBuffer.allocate(12 + data.length).putInt(data.length);
        chunk.put("IDAT".getBytes(StandardCharsets.ISO_8859_1)).put(data);
        CRC32 crc = new CRC32();
        crc.update(chunk.array(), 4, 4 + data.length);
        out.writeBytes(chunk.putInt((int) crc.getValue()).array());
        out.write(png, end, png.length - end);
        return out.toByteArray();
    }

    private static String result(byte[] encoded) {
        try {
            return decoded(encoded);
        } catch (MalformedImageException e) {
            return e.reason();
        }
    }

    /** Returns a hash of the pixels from a decoder that has decoded nothing before. */
    private static String decoded(byte[] encoded) throws MalformedImageException {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            return ImageVectors.sha256(decoder.decode(encoded));
        }
    }
}
