package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrayscaleTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void pixelsAndChannelsAreThoseOfTorchvision(int channels) throws Exception {
        TransformFixture gray = TransformFixture.of("Grayscale", Map.of("num_output_channels", (long) channels));
        int compared = 0;
        for (Row row : ImageVectors.tableAt("/vectors/transform/colour/pixels.csv")) {
            if (row.text("operation").equals("grayscale")
                    && row.number("value") == channels
                    && !row.text("kind").contains(".")) {
                Field result = gray.apply(ImageVectors.pixels(
                        row.number("seed"),
                        row.text("kind"),
                        row.number("height"),
                        row.number("width"),
                        row.number("channels")));
                assertThat(result.channels()).isEqualTo(channels);
                assertThat(ImageVectors.sha256(result)).as("%s", row).startsWith(row.text("digest"));
                compared++;
            }
        }
        assertThat(compared).isEqualTo(14);
    }

    @Test
    void oneChannelIsTheDefault() throws Exception {
        assertThat(TransformFixture.of("Grayscale", Map.of())
                        .apply(TransformFixture.noise(4, 5, 3))
                        .shape())
                .containsExactly(4, 5, 1);
    }

    @Test
    void twoChannelsAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("Grayscale", Map.of("num_output_channels", 2L)))
                .hasMessage("'num_output_channels': expected 1 or 3, found 2");
    }
}
