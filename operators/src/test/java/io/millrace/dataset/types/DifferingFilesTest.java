package io.millrace.dataset.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.arrow.ArrowFormat;
import io.millrace.dataset.hdf5.Hdf5Format;
import io.millrace.dataset.parquet.ParquetFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns whose type differs from file to file, in files of other programs: see src/test/python/differing_vectors.py. */
class DifferingFilesTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/differing");

    /** The first file has more rows than a run inspects. */
    private static final int FIRST = 1100;

    private static Dataset open(List<String> names, List<String> fields) throws IOException {
        DatasetFormat format =
                switch (names.get(0).substring(names.get(0).lastIndexOf('.'))) {
                    case ".h5" -> new Hdf5Format();
                    case ".arrow" -> new ArrowFormat();
                    default -> new ParquetFormat();
                };
        List<String> paths =
                names.stream().map(name -> VECTORS.resolve(name).toString()).toList();
        return format.open(OptionValues.of(format.options(), Map.of("path", paths, "fields", fields)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "arrow", "h5"})
    void allFilesDecideTheTypesOfNumbersAndNotOnlyTheFirstRows(String extension) throws IOException {
        List<String> files = List.of("a." + extension, "b." + extension);
        Dataset dataset = open(files, List.of("real", "whole", "mixed"));
        FieldTypes types = TypeInspection.of("differing", dataset, place -> place);
        try (Dataset settled = SettledDataset.of(dataset, types)) {
            assertThat(numbers(settled, "real", DType.FLOAT64, 9, FIRST, FIRST + 1))
                    .containsExactly(9 / 8.0, 0.1, 1e300);
            assertThat(numbers(settled, "whole", DType.INT64, 1099, FIRST, FIRST + 1))
                    .containsExactly(1099L, 1L << 40, -1L);
            assertThat(numbers(settled, "mixed", DType.FLOAT32, 7, FIRST, FIRST + 1))
                    .containsExactly(7f, 0.5f, 2f);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "arrow", "h5"})
    void textInOneFileAndNumbersInAnotherAreNotMixed(String extension) throws IOException {
        Dataset dataset = open(List.of("a." + extension, "b." + extension), List.of("word"));
        FieldTypes types = TypeInspection.of("differing", dataset, place -> place);
        try (Dataset settled = SettledDataset.of(dataset, types)) {
            assertThat(settled.read(4).field("word").data())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("word 1");
            assertThatThrownBy(() -> settled.read(FIRST))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("expected 'word' as text or bytes")
                    .hasMessageContaining("found int64 []");
        }
    }

    private static List<Number> numbers(Dataset dataset, String name, DType dtype, long... rows) throws IOException {
        List<Number> found = new ArrayList<>();
        for (long row : rows) {
            Field field = dataset.read(row).field(name);
            assertThat(field.dtype()).isEqualTo(dtype);
            ByteBuffer value = ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
            found.add(
                    switch (dtype) {
                        case FLOAT64 -> value.getDouble();
                        case FLOAT32 -> value.getFloat();
                        default -> value.getLong();
                    });
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"twice.parquet", "twice.arrow"})
    void nameOfTwoColumnsIsRefused(String file) {
        assertThatThrownBy(() -> open(List.of(file), List.of("x")))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith(file + " has several columns 'x', expected one");
    }

    @Test
    void permutedTensorsAreRefused() {
        assertThatThrownBy(() -> open(List.of("permuted.arrow"), List.of("x")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("column 'x' is a fixed_shape_tensor with a permutation");
    }
}
