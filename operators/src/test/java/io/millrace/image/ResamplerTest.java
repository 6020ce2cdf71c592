package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResamplerTest {
    @Test
    void pixelsAreThoseOfPillow() {
        List<Row> rows = new ArrayList<>(ImageVectors.table("resize.csv"));
        assertThat(rows).hasSizeGreaterThan(500);
        List<Row> rarerFilters = ImageVectors.tableAt("/vectors/transform/geometry/resize.csv");
        assertThat(rarerFilters).hasSizeGreaterThan(140);
        rows.addAll(rarerFilters);
        Map<Interpolation, Resampler> resamplers = new EnumMap<>(Interpolation.class);
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            Interpolation filter = Interpolation.valueOf(row.text("filter").toUpperCase(Locale.ROOT));
            Field image = ImageVectors.pixels(
                    row.number("seed"),
                    row.text("kind"),
                    row.number("height"),
                    row.number("width"),
                    row.number("channels"));
            // One resampler for all, so that scratch memory of other sizes would show.
            Field resized = resamplers
                    .computeIfAbsent(filter, Resampler::new)
                    .resize(image, row.number("out_height"), row.number("out_width"));
            if (!ImageVectors.sha256(resized).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(different).isEmpty();
    }

    @Test
    void cropIsCutOutBeforeResizing() {
        Field image = ImageVectors.pixels(3, "noise", 120, 160, 3);
        Resampler resampler = new Resampler(Interpolation.BILINEAR);
        for (Row row : ImageVectors.table("resized_crop.csv")) {
            Crop crop = new Crop(row.number("top"), row.number("left"), row.number("height"), row.number("width"));
            Field resized = resampler.resize(image, crop, row.number("out_height"), row.number("out_width"));
            assertThat(ImageVectors.sha256(resized)).as("%s", row).isEqualTo(row.text("sha256"));
        }
    }

    @Test
    void cropOutsideOfTheImageIsRefused() {
        Field image = ImageVectors.pixels(1, "noise", 4, 4, 3);
        assertThatThrownBy(() -> new Resampler(Interpolation.BILINEAR).resize(image, new Crop(2, 0, 3, 4), 8, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2,0 3x4");
    }
}
