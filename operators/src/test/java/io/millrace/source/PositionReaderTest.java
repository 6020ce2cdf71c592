package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.DatasetException;
import io.millrace.order.BatchPlan;
import io.millrace.order.DrawnOrder;
import io.millrace.order.EpochOrder;
import io.millrace.order.Order;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.order.WeightTable;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PositionReaderTest {
    private static final BatchPlan PLAN = new BatchPlan(6, 2, false, 2, 3, 1);
    private static final EpochOrder ORDER = new EpochOrder(7, 6, Shuffle.FULL);

    private final FakeDataset train = FakeDataset.inMemory(6);
    private final FakeDataset evaluation = FakeDataset.inFiles(3);

    private PositionReader open() throws IOException {
        return new PositionReader(
                PLAN,
                ORDER,
                Sources.single(PLAN.size()),
                List.of(new NamedDataset("train-set", train)),
                new NamedDataset("test-set", evaluation));
    }

    @Test
    void trainingFollowsTheEpochsOrderAndEvaluationTheStorageOrder() throws IOException {
        try (PositionReader reader = open()) {
            for (int epoch = 0; epoch < 2; epoch++) {
                for (int i = 0; i < 9; i++) {
                    long position = epoch * 9L + i;
                    Sample sample = reader.read(position);
                    assertThat(sample.position()).isEqualTo(position);
                    assertThat(sample.epoch()).isEqualTo(epoch);
                    assertThat(sample.split()).isEqualTo(i < 6 ? Split.TRAIN : Split.EVALUATE);
                    assertThat(sample.index()).isEqualTo(i < 6 ? ORDER.index(epoch, i) : i - 6);
                }
            }
        }
        assertThat(train.closed()).isTrue();
        assertThat(evaluation.closed()).isTrue();
    }

    @Test
    void eachDrawOfASampleHasItsOwnRandomNumbers() throws IOException {
        DrawnOrder drawn = new DrawnOrder(7, 8, WeightTable.of(new double[] {0, 3, 0, 1, 0, 0}));
        BatchPlan plan = new BatchPlan(8, 2, false, 2, 3, 1);
        try (PositionReader reader = new PositionReader(
                plan,
                drawn,
                Sources.single(6),
                List.of(new NamedDataset("train-set", train)),
                new NamedDataset("test-set", evaluation))) {
            PositionSequence sequence = reader.sequence(0, plan.positions());
            Set<Integer> rounds = new HashSet<>();
            for (int position = 0; position < 22; position++) {
                Sample sample = sequence.read(position);
                BatchPlan.Place place = plan.place(position);
                if (place.split() == Split.TRAIN) {
                    Order.Pick pick = drawn.at(place.epoch(), place.i());
                    assertThat(sample.index()).isEqualTo(pick.index()).isIn(1L, 3L);
                    assertThat(sample.epoch()).isEqualTo(pick.round());
                    rounds.add(sample.epoch());
                }
                assertThat(sample.position()).isEqualTo(position);
                assertThat(reader.read(position).index()).isEqualTo(sample.index());
            }
            assertThat(rounds).hasSize(16);
        }
    }

    @Test
    void badSampleIsQuarantinedAtItsPosition() throws IOException {
        train.bad(ORDER.index(1, 4));
        try (PositionReader reader = open()) {
            Sample sample = reader.read(9 + 4);
            String file = "file" + ORDER.index(1, 4);
            assertThat(sample.badSample())
                    .isEqualTo(new BadSample("read", "train-set", file, 42, "expected a marker, found none"));
            assertThat(sample.position()).isEqualTo(13);
            assertThat(sample.index()).isEqualTo(ORDER.index(1, 4));
            assertThat(sample.key()).isEqualTo(file);
            assertThat(sample.fieldNames()).isEmpty();
        }
    }

    @Test
    void failedReadNamesDatasetFileAndIndex() throws IOException {
        evaluation.unreadable(2);
        try (PositionReader reader = open()) {
            assertThatThrownBy(() -> reader.read(8))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("dataset test-set")
                    .hasMessageContaining("sample 2")
                    .hasMessageContaining("position 8")
                    .hasMessageContaining("file2: input/output error");
        }
    }

    @Test
    void readerIsResidentOnlyWhenBothDatasetsAre() throws IOException {
        try (PositionReader both = open();
                PositionReader alone = new PositionReader(
                        new BatchPlan(6, 2, false, 2, 0, 1),
                        ORDER,
                        Sources.single(new BatchPlan(6, 2, false, 2, 0, 1).size()),
                        List.of(new NamedDataset("a", train)),
                        null)) {
            assertThat(both.resident()).isFalse();
            assertThat(alone.resident()).isTrue();
        }
    }

    @Test
    void datasetOfAnotherSizeThanPlannedIsRefused() {
        FakeDataset grown = FakeDataset.inMemory(7);
        assertThatThrownBy(() -> new PositionReader(
                        PLAN,
                        ORDER,
                        Sources.single(PLAN.size()),
                        List.of(new NamedDataset("train-set", grown)),
                        new NamedDataset("test-set", evaluation)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("dataset train-set has 7 samples, but had 6 when the run was planned");
        assertThatThrownBy(() -> new PositionReader(
                        PLAN,
                        ORDER,
                        Sources.single(PLAN.size()),
                        List.of(new NamedDataset("train-set", train)),
                        new NamedDataset("test-set", grown)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("dataset test-set has 7 samples, but had 3");
    }
}
