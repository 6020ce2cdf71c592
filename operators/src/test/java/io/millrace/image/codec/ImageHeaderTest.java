package io.millrace.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ImageHeaderTest {
    private static final List<Row> FILES = ImageVectors.table("decode.csv");

    static List<Row> files() {
        return FILES;
    }

    @ParameterizedTest
    @MethodSource("files")
    void sizeIsReadFromEveryFormat(Row row) throws Exception {
        ImageHeader header = ImageHeader.parse(ImageVectors.file("decode/" + row.text("file")));
        assertThat(header.width()).isEqualTo(row.number("width"));
        assertThat(header.height()).isEqualTo(row.number("height"));
        assertThat(header.obstacle()).isNull();
    }

    @Test
    void formatFollowsTheContentAndNotTheName() throws Exception {
        assertThat(ImageHeader.parse(ImageVectors.file("decode/png-named.jpg")).format())
                .isEqualTo(ImageFormat.PNG);
    }

    @Test
    void cmykIsReported() throws Exception {
        ImageHeader header = ImageHeader.parse(ImageVectors.file("decode/cmyk.jpg"));
        assertThat(header.cmyk()).isTrue();
        assertThat(header.channels()).isEqualTo(4);
    }

    @Test
    void headerWithoutPixelsIsMalformed() {
        assertThatThrownBy(() -> ImageHeader.parse("P6 0 5 255\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isInstanceOf(MalformedImageException.class)
                .hasMessage("expected a PNM of at least 1x1 pixels, found 0x5 in its header");
    }

    @Property(tries = 3000)
    void damagedHeadersGiveAHeaderOrAMalformedImage(
            @ForAll @IntRange(max = 1000) int file, @ForAll int seed, @ForAll @IntRange(max = 12) int changes) {
        byte[] bytes =
                ImageVectors.file("decode/" + FILES.get(file % FILES.size()).text("file"));
        Random random = new Random(seed);
        for (int i = 0; i < changes; i++) {
            bytes[random.nextInt(Math.min(bytes.length, 200))] = (byte) random.nextInt();
        }
        try {
            ImageHeader header = ImageHeader.parse(bytes);
            assertThat(header.width()).isPositive();
            assertThat(header.height()).isPositive();
            if (header.format() == ImageFormat.JPEG) {
                new JpegStructure(JpegStructure::nextEscape).check(bytes);
            }
        } catch (MalformedImageException e) {
            assertThat(e.reason()).contains("expected").contains("found");
            assertThat(e.offset()).isBetween(-1L, (long) bytes.length);
        }
    }
}
