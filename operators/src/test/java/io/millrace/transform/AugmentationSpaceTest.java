package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AugmentationSpaceTest {
    private static final String FOLDER = "/vectors/transform/colour/";

    @Test
    void magnitudesAndSignsAreThoseOfTorchvision() {
        List<Row> rows = ImageVectors.tableAt(FOLDER + "spaces.csv");
        assertThat(rows).hasSizeGreaterThan(150);
        for (Row row : rows) {
            Augmentation operation = named(row.text("operation"));
            int bins = row.number("bins");
            ImageFields.Extent extent = new ImageFields.Extent(row.number("height"), row.number("width"));
            assertThat(operation.signed())
                    .as("%s", row)
                    .isEqualTo(row.text("signed").equals("True"));
            assertThat(operation.hasMagnitude())
                    .as("%s", row)
                    .isEqualTo(!row.text("magnitudes").isEmpty());
            if (operation.hasMagnitude()) {
                AugmentationSpace space = row.text("transform").equals("TrivialAugmentWide")
                        ? AugmentationSpace.WIDE
                        : AugmentationSpace.STANDARD;
                double[] magnitudes = IntStream.range(0, bins)
                        .mapToDouble(bin -> space.magnitude(operation, bin, bins, extent))
                        .toArray();
                double[] expected = Stream.of(row.text("magnitudes").split(" ", -1))
                        .mapToDouble(Float::parseFloat)
                        .toArray();
                assertThat(magnitudes).as("%s", row).isEqualTo(expected);
            }
        }
    }

    @Test
    void operationsAreThoseOfTorchvision() {
        for (String transform : List.of("RandAugment", "TrivialAugmentWide")) {
            List<Augmentation> theirs = ImageVectors.tableAt(FOLDER + "spaces.csv").stream()
                    .filter(row -> row.text("transform").equals(transform))
                    .map(row -> named(row.text("operation")))
                    .distinct()
                    .toList();
            assertThat(AugmentationSpace.OPERATIONS).containsExactlyElementsOf(theirs);
        }
    }

    /** Returns the operation with a name of torchvision. */
    static Augmentation named(String text) {
        return Stream.of(Augmentation.values())
                .filter(operation -> operation.toString().equals(text))
                .findFirst()
                .orElseThrow();
    }
}
