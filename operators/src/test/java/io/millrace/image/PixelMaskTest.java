package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PixelMaskTest {
    static List<Row> masks() {
        return ImageVectors.table("mask.csv");
    }

    @ParameterizedTest
    @MethodSource("masks")
    void growsAndBlackensLikeScipy(Row row) {
        int height = row.number("height");
        int width = row.number("width");
        Field noise = ImageVectors.pixels(height + width, "noise", height, width, 1);
        PixelMask mask = new PixelMask(height, width);
        for (int y = 0; y < height; y++) {
            for (int word = 0; word < mask.wordsPerRow(); word++) {
                long bits = 0;
                for (int x = word * 64; x < Math.min(width, word * 64 + 64); x++) {
                    bits |= (noise.data()[y * width + x] & 255) < 30 ? 1L << x : 0;
                }
                mask.set(y, word, bits);
            }
        }
        assertThat(mask.count()).isEqualTo(row.number("masked"));
        PixelMask grown = mask.grown();
        assertThat(grown.count()).isEqualTo(row.number("grown"));
        Field image = ImageVectors.pixels(1, "noise", height, width, row.number("channels"));
        grown.blacken(image);
        assertThat(ImageVectors.sha256(image)).isEqualTo(row.text("sha256"));
    }
}
