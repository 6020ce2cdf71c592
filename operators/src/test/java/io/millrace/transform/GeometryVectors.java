package io.millrace.transform;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.Arrays;
import java.util.List;

/** The vectors that {@code src/test/python/geometry_vectors.py} made with torchvision. */
final class GeometryVectors {
    private GeometryVectors() {}

    static List<Row> table(String name) {
        return ImageVectors.tableAt("/vectors/transform/geometry/" + name);
    }

    static Field source(Row row) {
        return ImageVectors.pixels(
                row.number("seed"),
                row.text("kind"),
                row.number("height"),
                row.number("width"),
                row.number("channels"));
    }

    /** Returns the numbers of a cell as a pipeline file has them: whole numbers as longs. */
    static List<Object> raw(Row row, String column) {
        return Arrays.stream(row.reals(column))
                .mapToObj(value -> value == Math.rint(value) ? (Object) (long) value : (Object) value)
                .toList();
    }
}
