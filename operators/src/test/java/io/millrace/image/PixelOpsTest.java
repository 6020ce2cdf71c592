package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PixelOpsTest {
    static List<Row> flips() {
        return ImageVectors.table("flips.csv");
    }

    @ParameterizedTest
    @MethodSource("flips")
    void mirrorsLikeNumpy(Row row) {
        Field columns = image(row);
        PixelOps.mirrorColumns(columns);
        assertThat(ImageVectors.sha256(columns)).isEqualTo(row.text("horizontal"));
        Field rows = image(row);
        PixelOps.mirrorRows(rows);
        assertThat(ImageVectors.sha256(rows)).isEqualTo(row.text("vertical"));
    }

    private static Field image(Row row) {
        int height = row.number("height");
        return ImageVectors.pixels(height, "noise", height, row.number("width"), row.number("channels"));
    }
}
