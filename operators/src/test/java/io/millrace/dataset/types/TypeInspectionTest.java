package io.millrace.dataset.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Tests which samples are inspected, and how the result is applied. */
class TypeInspectionTest {
    private static final Field WHOLE = Field.of(DType.INT64, new int[0], new byte[8]);
    private static final Field REAL = Field.of(DType.FLOAT64, new int[0], new byte[8]);
    private static final Field EMPTY = Field.of(DType.INT64, new int[1], new byte[0]);

    /** A dataset with one field, which is its own view. Null stands for a bad sample. */
    private record OneField(long size, LongFunction<Field> values, OptionalLong storedBytes, Set<Long> read)
            implements Dataset {
        OneField(long size, LongFunction<Field> values) {
            this(size, values, OptionalLong.empty(), new ConcurrentSkipListSet<>());
        }

        @Override
        public Sample read(long index) throws IOException {
            read.add(index);
            Field value = values.apply(index);
            if (value == null) {
                throw new BadSampleException("file", -1, "expected a value, found none");
            }
            return new Sample(index, "file#" + index, 0).put("x", value);
        }

        @Override
        public Optional<Dataset> undeclared() {
            return Optional.of(this);
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private static DType settled(FieldTypes types) {
        return types.byName().values().iterator().next().dtype();
    }

    @Test
    void thousandSamplesOfTheOrderDecideAndNoOther() throws Exception {
        OneField dataset = new OneField(5000, index -> index == 4000 ? REAL : WHOLE);
        assertThat(settled(TypeInspection.of("d", dataset, place -> place))).isEqualTo(DType.INT64);
        assertThat(dataset.read()).hasSize(1000).contains(0L, 999L);
        dataset.read().clear();
        assertThat(settled(TypeInspection.of("d", dataset, place -> 4999 - place)))
                .isEqualTo(DType.FLOAT64);
        assertThat(dataset.read()).hasSize(1000).contains(4999L, 4000L);
    }

    @Test
    void badSamplesAreSkipped() throws Exception {
        OneField dataset = new OneField(10, index -> index < 9 ? null : REAL);
        assertThat(settled(TypeInspection.of("d", dataset, place -> place))).isEqualTo(DType.FLOAT64);
        assertThat(TypeInspection.of("d", new OneField(3, index -> null), place -> place))
                .isEqualTo(FieldTypes.NONE);
    }

    @Test
    void inspectionOfLargeSamplesEndsAfterTheirBytes() throws Exception {
        long most = 256 << 20;
        OneField dataset = new OneField(
                5000,
                index -> index == 20 ? REAL : WHOLE,
                OptionalLong.of(5000 * (most / 20)),
                new ConcurrentSkipListSet<>());
        assertThat(settled(TypeInspection.of("d", dataset, place -> place)))
                .as("21 samples are enough, the last of which is a float")
                .isEqualTo(DType.FLOAT64);
        assertThat(settled(TypeInspection.of("d", dataset, place -> (place + 4979) % 5000)))
                .isEqualTo(DType.INT64);
        assertThat(dataset.read()).hasSizeLessThan(300);
    }

    @Test
    void emptyListsAloneAreRefusedUnlessTheyAreAllSamples() throws Exception {
        assertThatExceptionOfType(DatasetException.class)
                .isThrownBy(() -> TypeInspection.of("data/boxes", new OneField(1001, index -> EMPTY), place -> place))
                .withMessage("dataset data/boxes: 'x' is an empty list in all good samples among the first 1000 of the"
                        + " order, so its type is not known: expected at least one with elements. Another order.seed"
                        + " changes the order");
        assertThat(TypeInspection.of("d", new OneField(1000, index -> EMPTY), place -> place))
                .isEqualTo(FieldTypes.NONE);
    }

    @Test
    void typesOfAnEarlierRunStayAndNewFieldsAreSettled() throws Exception {
        FieldTypes earlier = new FieldTypes(Map.of("x", new FieldType(FieldKind.TENSOR, DType.FLOAT64, List.of())));
        OneField dataset = new OneField(2000, index -> WHOLE);
        assertThat(TypeInspection.of("d", dataset, place -> place, earlier)).isEqualTo(earlier);
        assertThat(dataset.read()).hasSize(1);
        FieldTypes other = new FieldTypes(Map.of("y", new FieldType(FieldKind.TENSOR, DType.FLOAT64, List.of())));
        assertThat(TypeInspection.of("d", dataset, place -> place, other).byName())
                .containsOnlyKeys("x", "y")
                .containsEntry("x", new FieldType(FieldKind.TENSOR, DType.INT64, List.of()));
    }

    @Test
    void everyWayToReadASampleGivesTheSettledType() throws Exception {
        OneField dataset = new OneField(4, index -> index == 1 ? REAL : WHOLE);
        try (Dataset settled = SettledDataset.of(dataset, TypeInspection.of("d", dataset, place -> place))) {
            assertThat(settled.read(0).field("x").dtype()).isEqualTo(DType.FLOAT64);
            assertThat(settled.reading(new SampleRandom(0, SampleRandom.READ), 0, 4, i -> i)
                            .read(2)
                            .field("x")
                            .dtype())
                    .isEqualTo(DType.FLOAT64);
            assertThat(settled.undeclared()).isEmpty();
        }
    }
}
