package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors.Row;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that compare all kernels that run on this machine with Pillow's pixels and with each other. */
class KernelsTest {
    static List<Kernels> kernels() {
        return KernelChoice.available();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void resizedPixelsAreThoseOfPillow(Kernels kernels) {
        Map<Interpolation, Resampler> resamplers = new EnumMap<>(Interpolation.class);
        List<Row> rows = new ArrayList<>(ImageVectors.table("resize.csv"));
        List<Row> rarerFilters = ImageVectors.tableAt("/vectors/transform/geometry/resize.csv");
        assertThat(rarerFilters).hasSizeGreaterThan(140);
        rows.addAll(rarerFilters);
        List<Row> different = new ArrayList<>();
        for (Row row : rows) {
            Interpolation filter = Interpolation.valueOf(row.text("filter").toUpperCase(Locale.ROOT));
            Field image = ImageVectors.pixels(
                    row.number("seed"),
                    row.text("kind"),
                    row.number("height"),
                    row.number("width"),
                    row.number("channels"));
            // One resampler for all sizes, so that scratch memory of other sizes would cause failures.
            Field resized = resamplers
                    .computeIfAbsent(filter, kind -> new Resampler(kind, kernels))
                    .resize(image, row.number("out_height"), row.number("out_width"));
            if (!ImageVectors.sha256(resized).equals(row.text("sha256"))) {
                different.add(row);
            }
        }
        assertThat(rows).hasSizeGreaterThan(500);
        assertThat(different).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void cropsAreResizedAsByPillow(Kernels kernels) {
        Field image = ImageVectors.pixels(3, "noise", 120, 160, 3);
        Resampler resampler = new Resampler(Interpolation.BILINEAR, kernels);
        for (Row row : ImageVectors.table("resized_crop.csv")) {
            Crop crop = new Crop(row.number("top"), row.number("left"), row.number("height"), row.number("width"));
            Field resized = resampler.resize(image, crop, row.number("out_height"), row.number("out_width"));
            assertThat(ImageVectors.sha256(resized)).as("%s", row).isEqualTo(row.text("sha256"));
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void decodedPixelsAreThoseOfPillow(Kernels kernels) throws Exception {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, kernels)) {
            for (Row row : ImageVectors.table("decode.csv")) {
                Field image = decoder.decode(ImageVectors.file("decode/" + row.text("file")));
                assertThat(ImageVectors.sha256(image)).as("%s", row).isEqualTo(row.text("sha256"));
            }
        }
    }
}
