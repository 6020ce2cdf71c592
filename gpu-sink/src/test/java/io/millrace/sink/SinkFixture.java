package io.millrace.sink;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sink.files.Events;
import io.millrace.sink.files.Ledger;
import io.millrace.sink.spec.RingSpec;
import io.millrace.sink.spec.RunSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainStepOpener;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;

/** Samples for tests. Their content depends on their index, and they have a column in each wire form. */
public final class SinkFixture {
    public static final BatchSpec ROWS = new BatchSpec(List.of(
            new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(2, 3, 1)),
            new BatchSpec.Column("mask", DType.UINT8, List.of(5, 3, 1), FieldKind.MASK, Form.BITS),
            new BatchSpec.Column("words", DType.INT32, List.of(), FieldKind.RAGGED, Form.RAGGED)));

    private SinkFixture() {}

    /**
     * Returns a sample's index, which differs from its position, so that no test passes by mistaking one for the other.
     */
    public static long index(BatchPlan plan, long position) {
        BatchPlan.Place place = plan.place(position);
        return (place.i() * 7 + place.epoch()) % (place.split() == Split.TRAIN ? plan.size() : plan.evaluationSize());
    }

    public static SinkSpec spec(BatchPlan plan, TrainStepOpener opener, int ring, double maxQuarantined, Path folder) {
        Component none = new Component("none", OptionValues.none());
        TrainSpec train = new TrainSpec(
                new TrainData(ROWS, List.of()),
                new Recipe(none, none, none, none, 1),
                new RunLength(plan.stepsPerEpoch(), plan.epochs()),
                Tuning.ofThreads(1));
        return new SinkSpec(
                new RunSpec(plan, folder.toString(), maxQuarantined, Ledger.WRITTEN, Events.WRITTEN),
                TrainerSpec.alone(plan, train, opener),
                RingSpec.ofHost(ring));
    }

    /** Returns a micro-batch as the network delivers it, with memory of its own. */
    public static MicroBatch microBatch(BufferAllocator allocator, BatchPlan plan, List<Long> positions, Set<Long> bad)
            throws Exception {
        try (Packer packer = new Packer(allocator, ROWS, PackLimits.ofRows(positions.size()))) {
            for (long position : positions) {
                packer.add(sample(plan, position, bad));
            }
            return ReceivedRows.of(ROWS, packer);
        }
    }

    /** Returns the sample at a position; {@code bad} has indexes in the training dataset. */
    private static Sample sample(BatchPlan plan, long position, Set<Long> bad) {
        BatchPlan.Place place = plan.place(position);
        long index = index(plan, position);
        Sample sample = new Sample(index, "k" + index, index % 10).placeAt(position, place.epoch(), place.split());
        if (place.split() == Split.TRAIN && bad.contains(index)) {
            sample.quarantine(new BadSample("read", "d", "f" + index, 12 + index, "bad \u00e9"));
            return sample;
        }
        byte[] pixels = new byte[6];
        Arrays.fill(pixels, (byte) index);
        byte[] mask = new byte[15];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = (byte) ((index >> (i % 8)) & 1);
        }
        byte[] words = new byte[Integer.BYTES * (int) (index % 4)];
        Arrays.fill(words, (byte) index);
        return sample.put(Sample.IMAGE, Field.image(2, 3, 1, pixels))
                .put("mask", Field.of(DType.UINT8, new int[] {5, 3, 1}, mask))
                .put("words", Field.of(DType.INT32, new int[] {(int) (index % 4)}, words));
    }
}
