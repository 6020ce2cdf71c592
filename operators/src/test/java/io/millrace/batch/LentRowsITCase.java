package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StageOperator;
import io.millrace.transform.StagePlace;
import io.millrace.transform.TransformSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests in tasks of Flink that the resize writes to the rows of its own task's packer only, with the same pixels. */
@Timeout(120)
class LentRowsITCase {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .build());

    private static final int SAMPLES = 500;
    private static final List<TransformSpec> TRANSFORMS = List.of(
            TransformSpec.of("decode", Map.of()),
            TransformSpec.of("RandomResizedCrop", Map.of("size", 24L)),
            TransformSpec.of("RandomHorizontalFlip", Map.of()));
    private static final BatchSpec SPEC =
            new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(24, 24, 3))));

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** Creates the samples. Every 50th file is damaged. */
    private static final class Read implements MapFunction<Long, Sample> {
        private static final long serialVersionUID = 1;

        @Override
        public Sample map(Long position) {
            byte[] file = ImageVectors.file("decode/" + (position % 3 == 0 ? "gray.jpg" : "rgb420.jpg"));
            return new Sample(position, "photos/" + position, 0)
                    .placeAt(position, 0, Split.TRAIN)
                    .put(Sample.IMAGE, Field.encoded(position % 50 == 49 ? Arrays.copyOf(file, 100) : file));
        }
    }

    /** Makes the label 1 if the pixels lie outside the heap. */
    private static final class Mark implements MapFunction<Sample, Sample> {
        private static final long serialVersionUID = 1;

        @Override
        public Sample map(Sample sample) {
            return sample.relabel(sample.badSample() == null && sample.image().stored() != null ? 1 : 0);
        }
    }

    /** Describes the received rows. */
    private static final class Describe extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<MicroBatch, String> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(StreamRecord<MicroBatch> element) {
            try (MicroBatch batch = element.getValue()) {
                for (int row = 0; row < batch.rows(); row++) {
                    String pixels = "bad";
                    if (!batch.isQuarantined(row)) {
                        byte[] found = new byte[batch.bytes(0, row)];
                        MemoryUtil.copyFromMemory(batch.address(0, row), found, 0, found.length);
                        pixels = Integer.toHexString(Arrays.hashCode(found));
                    }
                    output.collect(new StreamRecord<>(batch.label(row) + " " + batch.position(row) + " " + pixels));
                }
            }
        }
    }

    @Test
    void pixelsAreTheSameInOneTaskAndInSeveral() throws Exception {
        List<String> inPlace = run(true);
        List<String> copied = run(false);
        assertThat(copied).hasSize(SAMPLES).allMatch(row -> row.startsWith("0 "));
        assertThat(inPlace.stream().map(row -> row.substring(2)))
                .containsExactlyInAnyOrderElementsOf(
                        copied.stream().map(row -> row.substring(2)).toList());
        assertThat(inPlace).filteredOn(row -> row.endsWith(" bad")).hasSize(SAMPLES / 50);
        // A crop that already has 24 rows or columns is resized in two steps, in the heap.
        int least = ImageVectors.kernelsDecodeParts() ? SAMPLES * 9 / 10 : 0;
        int most = ImageVectors.kernelsDecodeParts() ? SAMPLES - SAMPLES / 50 : 0;
        assertThat(inPlace).filteredOn(row -> row.startsWith("1 ")).hasSizeBetween(least, most);
    }

    private static List<String> run(boolean oneTask) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        SingleOutputStreamOperator<Sample> samples =
                environment.fromSequence(0, SAMPLES - 1).map(new Read()).returns(SampleType.INSTANCE);
        for (int i = 0; i < TRANSFORMS.size(); i++) {
            TransformSpec spec = TRANSFORMS.get(i);
            samples = samples.transform(
                    spec.name(),
                    SampleType.INSTANCE,
                    StageOperator.of(
                            new StagePlace(
                                    spec.name(),
                                    spec,
                                    Split.TRAIN,
                                    "photos",
                                    42,
                                    i,
                                    new Neighbors(null, following(i + 1))),
                            null));
        }
        samples = samples.map(new Mark()).returns(SampleType.INSTANCE);
        if (!oneTask) {
            samples.startNewChain();
        }
        DataStream<MicroBatch> packed = samples.transform(
                PackOperator.NAME, new MicroBatchType(SPEC), new PackOperator<Sample>(SPEC, PackLimits.ofRows(16)));
        return packed.rebalance()
                .transform("describe", Types.STRING, new Describe())
                .setParallelism(1)
                .executeAndCollect(2 * SAMPLES);
    }

    private static @Nullable FollowingTransform following(int number) {
        return number == TRANSFORMS.size()
                ? null
                : new FollowingTransform(TRANSFORMS.get(number), number, true, following(number + 1));
    }
}
