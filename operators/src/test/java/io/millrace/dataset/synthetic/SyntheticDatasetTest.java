package io.millrace.dataset.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SyntheticDatasetTest {
    @Test
    void defaultShapeIsAColourImageOf224() throws IOException {
        try (Dataset dataset = open(Map.of("size", 1_000_000_000L))) {
            Sample sample = dataset.read(999_999_999);

            assertThat(dataset.size()).isEqualTo(1_000_000_000);
            assertThat(dataset.classes()).hasSize(10);
            assertThat(dataset.resident()).isTrue();
            assertThat(sample.key()).isEqualTo("synthetic#999999999");
            assertThat(sample.image().dtype()).isEqualTo(DType.UINT8);
            assertThat(sample.image().shape()).containsExactly(224, 224, 3);
        }
    }

    @Test
    void equalIndexesReturnEqualSamplesAndOthersDiffer() throws IOException {
        Map<String, Object> options = Map.of("size", 500L, "shape", List.of(4L, 3L, 1L));
        Set<String> seen = new HashSet<>();
        try (Dataset dataset = open(options);
                Dataset again = open(options);
                Dataset otherSeed = open(Map.of("size", 500L, "shape", List.of(4L, 3L, 1L), "seed", 1L))) {
            for (int i = 0; i < 500; i++) {
                byte[] pixels = dataset.read(i).image().data();
                assertThat(again.read(i).image().data()).isEqualTo(pixels);
                assertThat(again.read(i).label()).isEqualTo(dataset.read(i).label());
                assertThat(otherSeed.read(i).image().data()).isNotEqualTo(pixels);
                seen.add(Arrays.toString(pixels));
            }
        }
        assertThat(seen).hasSize(500);
    }

    @Test
    void bytesAndLabelsAreUniform() throws IOException {
        long[] bytes = new long[256];
        long[] labels = new long[7];
        try (Dataset dataset = open(Map.of("size", 7000L, "shape", List.of(10L, 10L, 3L), "classes", 7L))) {
            for (int i = 0; i < 7000; i++) {
                Sample sample = dataset.read(i);
                labels[(int) sample.label()]++;
                for (byte value : sample.image().data()) {
                    bytes[value & 0xFF]++;
                }
            }
        }
        // Within five standard deviations of 8203 and of 1000.
        assertThat(Arrays.stream(bytes).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(8203L - 453, 8203L + 453));
        assertThat(Arrays.stream(labels).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(1000L - 147, 1000L + 147));
    }

    @Test
    void badOptionsAreRefused() {
        assertThatThrownBy(() -> open(Map.of())).hasMessageContaining("missing key 'size'");
        assertThatThrownBy(() -> open(Map.of("size", 0L)))
                .hasMessageContaining("expected a number from 1 to 2^40, found 0");
        assertThatThrownBy(() -> open(Map.of("size", 1L, "shape", List.of(2L, 2L))))
                .hasMessageContaining("'shape': expected [height, width, channels] with 1 or 3 channels, found [2, 2]");
        assertThatThrownBy(() -> open(Map.of("size", 1L, "shape", List.of(2L, 2L, 4L))))
                .hasMessageContaining("found [2, 2, 4]");
        assertThatThrownBy(() -> open(Map.of("size", 1L, "classes", 0L)))
                .hasMessageContaining("expected at least 1, found 0");
        assertThatThrownBy(() -> open(Map.of("size", 1L, "shape", List.of(100_000L, 100_000L, 3L))))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("images of shape [100000, 100000, 3] are too large");
    }

    @Test
    void indexOutsideTheDatasetIsRefused() throws IOException {
        try (Dataset dataset = open(Map.of("size", 5L))) {
            assertThatThrownBy(() -> dataset.read(5)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    private static Dataset open(Map<String, ?> options) throws IOException {
        return new DatasetSpec("synthetic", OptionValues.of(new SyntheticFormat().options(), options)).open();
    }
}
