package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskDecoderTest {
    private final ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);

    static List<Row> masks() {
        return ImageVectors.table("masks.csv");
    }

    @ParameterizedTest
    @MethodSource("masks")
    void classNumbersAreThoseOfPillow(Row row) throws Exception {
        Field mask = MaskDecoder.decode(decoder.check(ImageVectors.file("mask/" + row.text("file"))));
        assertThat(mask.kind()).isEqualTo(FieldKind.MASK);
        assertThat(mask.shape()).containsExactly(21, 35, 1);
        assertThat(ImageVectors.sha256(mask)).isEqualTo(row.text("sha256"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rgb.png", "gray.jpg", "palette.gif", "gray-alpha.png"})
    void imagesWithoutClassNumbersAreRefused(String file) throws Exception {
        CheckedImage image = decoder.check(ImageVectors.file("decode/" + file));
        assertThatThrownBy(() -> MaskDecoder.decode(image))
                .isInstanceOf(MalformedImageException.class)
                .hasMessageStartingWith(
                        "expected a mask: a PNG with a palette or in gray, of at most 8 bits; found a ");
    }

    @Test
    void damagedMaskIsMalformed() {
        byte[] encoded = ImageVectors.file("mask/gray.png");
        encoded[60] ^= 1;
        assertThatThrownBy(() -> MaskDecoder.decode(decoder.check(encoded)))
                .isInstanceOf(MalformedImageException.class);
    }
}
