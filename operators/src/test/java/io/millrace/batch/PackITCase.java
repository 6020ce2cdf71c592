package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class PackITCase {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .build());

    private static final int SAMPLES = 2000;

    /** Micro-batches of 300 kB span several of Flink's 32 kB network buffers. */
    private static final PackLimits LIMITS = new PackLimits(300_000, 1000, Duration.ofMillis(20));

    private static final BatchSpec SPEC =
            new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(64, 64, 3))));

    /** A function that creates the samples and quarantines every 50th sample. */
    private static final class Read implements MapFunction<Long, Sample> {
        private static final long serialVersionUID = 1;

        private final BatchSpec spec;

        Read(BatchSpec spec) {
            this.spec = spec;
        }

        @Override
        public Sample map(Long position) {
            return position % 50 == 0 ? Rows.bad(spec, position) : Rows.good(spec, position);
        }
    }

    /** An operator in place of the trainer, which checks every byte, emits the positions and closes the micro-batch. */
    private static final class Check extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<MicroBatch, Long> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(StreamRecord<MicroBatch> element) {
            try (MicroBatch batch = element.getValue()) {
                for (int row = 0; row < batch.rows(); row++) {
                    Rows.check(batch, row);
                    assertThat(batch.isQuarantined(row)).isEqualTo(batch.position(row) % 50 == 0);
                    output.collect(new StreamRecord<>(batch.position(row)));
                }
            }
        }
    }

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @ParameterizedTest(name = "object reuse {0}")
    @ValueSource(booleans = {false, true})
    void everyRowArrivesOnceWithItsBytes(boolean objectReuse) throws Exception {
        List<Long> positions = packed(environment(objectReuse), SPEC).executeAndCollect(2 * SAMPLES);
        assertThat(positions)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, SAMPLES).boxed().toList());
    }

    @Test
    void mismatchEndsTheJobWithItsMessageAndWithoutRestart() {
        BatchSpec larger = new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(64, 65, 3))));
        assertThatException()
                .isThrownBy(() -> packed(environment(false), larger).executeAndCollect(2 * SAMPLES))
                .havingRootCause()
                .withMessageContaining("the batch expects UINT8[64, 65, 3]");
    }

    private static DataStream<Long> packed(StreamExecutionEnvironment environment, BatchSpec expected) {
        return environment
                .fromSequence(0, SAMPLES - 1)
                .map(new Read(SPEC))
                .returns(SampleType.INSTANCE)
                .transform(PackOperator.NAME, new MicroBatchType(expected), new PackOperator<Sample>(expected, LIMITS))
                .rebalance()
                .transform("check", Types.LONG, new Check())
                .setParallelism(1);
    }

    private static StreamExecutionEnvironment environment(boolean objectReuse) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, objectReuse);
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        return environment;
    }
}
