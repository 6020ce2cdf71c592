package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.order.Sources;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleRows;
import io.millrace.sample.Samples;
import io.millrace.sample.Split;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of {@link RangeReader} with records of several samples, from memory and from files. */
class RowsReaderTest {
    private static final int SIZE = 300;
    private static final int EVALUATION = 10;
    private static final EpochOrder ORDER = new EpochOrder(3, SIZE, Shuffle.FULL);

    /** Two epochs of 300 samples, with the evaluation of 10 samples after each. */
    private static final BatchPlan PLAN = new BatchPlan(SIZE, 4, false, 2, EVALUATION, 1);

    private final TestingReaderContext context = new TestingReaderContext();
    private final TestingReaderOutput<Samples> output = new TestingReaderOutput<>();
    private final List<RangeReader<Samples>> opened = new ArrayList<>();

    private RangeReader<Samples> reader(boolean resident, long... bad) {
        FakeDataset train = resident ? FakeDataset.inMemory(SIZE) : FakeDataset.inFiles(SIZE);
        FakeDataset evaluation = resident ? FakeDataset.inMemory(EVALUATION) : FakeDataset.inFiles(EVALUATION);
        for (long index : bad) {
            train.bad(index);
        }
        RangeReader<Samples> reader = new RangeReader<>(
                Samples.class,
                context,
                () -> new PositionReader(
                        PLAN,
                        ORDER,
                        Sources.single(PLAN.size()),
                        List.of(new NamedDataset("train", train.withRows())),
                        new NamedDataset("evaluation", evaluation.withRows())),
                new ReadOptions(4, 8, 3, 2),
                null);
        opened.add(reader);
        return reader;
    }

    @AfterEach
    void close() throws IOException {
        for (RangeReader<Samples> reader : opened) {
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsEndWithTheEpochAndHaveTheSamplesOfTheirPositions(boolean resident) throws Exception {
        RangeReader<Samples> reader = reader(resident);
        reader.start();
        reader.addSplits(List.of(new Range(0, PLAN.positions())));
        List<Samples> records = emitAll(reader, PLAN.positions());

        assertThat(records).hasOnlyElementsOfType(SampleRows.class);
        assertThat(records).hasSizeLessThan(12);
        assertPositions(records, 0, PLAN.positions());
        for (Samples record : records) {
            SampleRows rows = (SampleRows) record;
            for (int row = 0; row < rows.count(); row++) {
                BatchPlan.Place place = PLAN.place(rows.position(row));
                assertThat(PLAN.place(rows.position(0)).split()).isEqualTo(place.split());
                assertThat(rows.index(row))
                        .isEqualTo(place.split() == Split.TRAIN ? ORDER.index(place.epoch(), place.i()) : place.i());
                assertThat(rows.label(row)).isEqualTo(rows.index(row) % 10);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void samplesNearABadLabelAreReadOneByOne(boolean resident) throws Exception {
        long bad = ORDER.index(0, 150);
        RangeReader<Samples> reader = reader(resident, bad);
        reader.start();
        reader.addSplits(List.of(new Range(0, SIZE)));
        List<Samples> records = emitAll(reader, SIZE);

        assertPositions(records, 0, SIZE);
        List<Sample> single = records.stream()
                .filter(Sample.class::isInstance)
                .map(Sample.class::cast)
                .toList();
        assertThat(single).hasSize(128);
        assertThat(single.stream().filter(sample -> sample.badSample() != null))
                .extracting(Sample::index)
                .containsExactly(bad);
        assertThat(records).hasSize(128 + 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stateBetweenTwoRecordsIsTheRestOfTheRange(boolean resident) throws Exception {
        RangeReader<Samples> first = reader(resident);
        first.start();
        first.addSplits(List.of(new Range(20, 280)));
        List<Samples> before = emitRecord(first);
        long next = 20L + before.get(0).count();
        List<Range> left = first.snapshotState(1);
        assertThat(left).containsExactly(new Range(next, 280));

        RangeReader<Samples> second = reader(resident);
        second.addSplits(left);
        second.start();
        assertPositions(emitAll(second, 280 - next), next, 280);
        assertThat(second.snapshotState(2)).isEmpty();
    }

    private static void assertPositions(List<Samples> records, long from, long to) {
        List<Long> positions = new ArrayList<>();
        for (Samples record : records) {
            for (int i = 0; i < record.count(); i++) {
                positions.add(record instanceof SampleRows rows ? rows.position(i) : ((Sample) record).position());
            }
        }
        assertThat(positions)
                .containsExactlyElementsOf(LongStream.range(from, to).boxed().toList());
    }

    private List<Samples> emitRecord(RangeReader<Samples> reader) throws Exception {
        output.clearEmittedRecords();
        while (output.getEmittedRecords().isEmpty()) {
            poll(reader);
        }
        return output.getEmittedRecords();
    }

    private List<Samples> emitAll(RangeReader<Samples> reader, long samples) throws Exception {
        output.clearEmittedRecords();
        while (output.getEmittedRecords().stream().mapToLong(Samples::count).sum() < samples) {
            poll(reader);
        }
        return output.getEmittedRecords();
    }

    private void poll(RangeReader<Samples> reader) throws Exception {
        if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
            reader.isAvailable().get();
        }
    }
}
