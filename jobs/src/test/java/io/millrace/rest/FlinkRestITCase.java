package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.metrics.Figure;
import io.millrace.metrics.Figures;
import io.millrace.metrics.MachineCores;
import io.millrace.metrics.StageMetrics;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.InjectClusterRESTAddress;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reads metrics of a real Flink, to check its ids, aggregates and escaping. */
class FlinkRestITCase {
    /** A name with every character that Flink replaces in ids, and some that a URL must escape. */
    private static final String ODD_NAME = "RandomCrop: size=[224, 224], p=0.5 & 50%";

    private static final int PARALLELISM = 2;
    private static final int RECORDS = 100;

    /** The number of equal readings after which the figures do not change any more. */
    private static final int SETTLED = 10;

    private static final Duration INTERVAL = Duration.ofMillis(50);

    /** Static, because Flink creates the operators in its tasks, which run in this JVM. */
    private static CountDownLatch handled = new CountDownLatch(0);

    private static CountDownLatch release = new CountDownLatch(0);

    private static CountDownLatch begun = new CountDownLatch(0);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberSlotsPerTaskManager(PARALLELISM)
            .setConfiguration(new Configuration().set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, INTERVAL))
            .build());

    private final BlockingQueue<JobReading> readings = new ArrayBlockingQueue<>(10_000);
    private @Nullable JobClient job;

    @BeforeEach
    void holdTheJob() {
        handled = new CountDownLatch(RECORDS);
        release = new CountDownLatch(1);
        begun = new CountDownLatch(PARALLELISM);
    }

    /** Releases the job, because the job of the next test needs its slots. */
    @AfterEach
    void releaseTheJob() throws Exception {
        release.countDown();
        if (job != null) {
            job.getJobExecutionResult().get(5, TimeUnit.MINUTES);
        }
    }

    @Test
    void chainedStagesAndTheTrainerAreReadAndKeptAfterTheEnd(@InjectClusterRESTAddress URI address) throws Exception {
        List<String> stages = List.of("read", ODD_NAME, "train", "absent");
        JobClient started = start(List.of(ODD_NAME));
        String id = started.getJobID().toString();

        JobReading running;
        try (JobWatch watch = JobWatch.start(new FlinkRest(address), id, stages, INTERVAL, readings::add)) {
            assertThat(handled.await(5, TimeUnit.MINUTES)).isTrue();
            running = await(settled(reading -> Long.valueOf(RECORDS)
                            .equals(reading.stages().get(1).records())
                    && reading.stages().get(1).recordsPerOwnSecondSum() != null
                    && Long.valueOf(PARALLELISM).equals(reading.stages().get(0).records())
                    && Long.valueOf(PARALLELISM * 448L).equals(reading.trainer().samples())
                    && reading.machines().taskManagerCores() != null));
            release.countDown();
            started.getJobExecutionResult().get(5, TimeUnit.MINUTES);
            JobReading ended = await(reading -> reading.state().equals("FINISHED"));
            assertThat(withoutCoreWait(ended.stages())).isEqualTo(withoutCoreWait(running.stages()));
            assertThat(ended.trainer()).isEqualTo(running.trainer());
            assertThat(watch.latest().state()).isEqualTo("FINISHED");
        }

        assertThat(running.state()).isEqualTo("RUNNING");
        assertThat(running.stages()).extracting(StageReading::name).containsExactlyElementsOf(stages);
        StageReading read = running.stages().get(0);
        assertThat(read.parallelism()).isEqualTo(PARALLELISM);
        assertThat(read.ownMillis()).as("3 ms in each subtask").isEqualTo(6.0);
        assertThat(read.cpuMillis()).isEqualTo(2.0);
        assertThat(read.bytes()).isEqualTo(20L);
        assertThat(read.coreWaitMillis()).isEqualTo(0.5);
        assertThat(read.recordsPerOwnSecondSum())
                .as("one record in 3 ms, in each of two subtasks")
                .isCloseTo(2 / 0.003, within(1e-6));
        assertThat(read.recordsPerOwnSecondMax()).isCloseTo(1 / 0.003, within(1e-6));
        assertThat(read.ownP50Millis()).isCloseTo(3, withinPercentage(1));
        assertThat(read.ownP99Millis()).isCloseTo(3, withinPercentage(1));
        assertThat(read.ownMaxMillis()).isCloseTo(3, withinPercentage(1));
        StageReading crop = running.stages().get(1);
        assertThat(crop.parallelism()).isEqualTo(PARALLELISM);
        assertThat(crop.ownMillis()).isPositive();
        assertThat(crop.failures()).isZero();
        assertThat(running.stages().get(3)).isEqualTo(StageReading.unknown("absent"));
        StageReading train = running.stages().get(2);
        assertThat(train.ownP50Millis()).as("no histogram").isNull();
        assertThat(train.ownMaxMillis()).isNull();
        assertThat(running.tasks())
                .extracting(TaskReading::stages)
                .contains(List.of("read", ODD_NAME))
                .hasSize(2);
        assertThat(running.tasks()).allSatisfy(task -> {
            assertThat(task.parallelism()).isEqualTo(PARALLELISM);
            assertThat(task.busyMillisPerSecond()).isBetween(0.0, 1000.0);
            assertThat(task.idleMillisPerSecond()).isBetween(0.0, 1000.0);
            assertThat(task.backPressuredMillisPerSecond()).isBetween(0.0, 1000.0);
        });
        int cores = Runtime.getRuntime().availableProcessors();
        assertThat(running.machines().machines()).isEqualTo(1);
        assertThat(running.machines().cores()).isEqualTo(cores);
        assertThat(running.machines().busyCores()).isBetween(0.0, (double) cores);
        assertThat(running.machines().taskManagerCores()).isNotNegative();
        TrainerReading trainer = running.trainer();
        assertThat(trainer.steps()).isEqualTo(7);
        assertThat(trainer.epoch()).isEqualTo(1);
        assertThat(trainer.loss()).isEqualTo(0.25);
        assertThat(trainer.starvedMillis()).as("the mean of the trainers").isEqualTo(5.0);
        assertThat(trainer.accuracy())
                .as("not a number before the first evaluation")
                .isNull();
        assertThat(trainer.waitingRows()).as("not registered").isNull();
        assertThat(trainer.assembleMillis()).as("the sum of the trainers").isEqualTo(4.0);
        assertThat(trainer.checkpoints()).isEqualTo(3);
        assertThat(trainer.checkpointCopyMillis()).isEqualTo(6.0);
        assertThat(trainer.checkpointRefillMillis()).isEqualTo(8.0);
        assertThat(trainer.checkpointDrainMillis()).isEqualTo(7.0);
        assertThat(trainer.cpuMillis()).isEqualTo(16.0);
        assertThat(trainer.bytes()).isEqualTo(18);
        assertThat(trainer.coreWaitMillis()).as("not a number: unknown").isNull();
    }

    /** Returns the readings without a figure that changes between two readings, because tasks keep waiting for cores. */
    private static List<StageReading> withoutCoreWait(List<StageReading> stages) {
        return stages.stream()
                .map(stage -> stage.with(Figures.CORE_WAIT_NANOS, null))
                .toList();
    }

    @Test
    void moreIdsThanOneRequestCanHoldAreAllRead(@InjectClusterRESTAddress URI address) throws Exception {
        List<String> stages = IntStream.range(0, 20)
                .mapToObj(i -> "stage " + i + " with a long name, as transforms with their options have")
                .toList();
        String id = start(stages).getJobID().toString();

        try (JobWatch watch = JobWatch.start(new FlinkRest(address), id, stages, INTERVAL, readings::add)) {
            await(reading -> reading.stages().stream().allMatch(stage -> stage.records() != null));
            assertThat(watch.latest().stages()).extracting(StageReading::name).containsExactlyElementsOf(stages);
        }
    }

    @Test
    void missingJobIsAnError(@InjectClusterRESTAddress URI address) {
        assertThatThrownBy(() -> new FlinkRest(address).read("0".repeat(32), List.of("read")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("status 404");
    }

    @Test
    void addressWithoutAServerIsAnError() {
        URI nobody = URI.create("http://localhost:1");
        assertThatThrownBy(() -> new FlinkRest(nobody).read("0".repeat(32), List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no answer from Flink at http://localhost:1");
    }

    private JobClient start(List<String> crops) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(PARALLELISM);
        DataStream<Long> stream =
                environment.fromSource(new MeasuredSource(), WatermarkStrategy.noWatermarks(), "read");
        for (String name : crops) {
            stream = stream.map(new Crop()).name(name);
        }
        stream.rebalance().map(new Train()).name("train").sinkTo(new DiscardingSink<>());
        JobClient started = environment.executeAsync();
        job = started;
        return started;
    }

    /**
     * Returns a condition that holds when some readings in a row meet another one and have the same figures. Flink collects the
     * values of a task while it works, so a first reading may have the last count and an older time.
     */
    private static Predicate<JobReading> settled(Predicate<JobReading> condition) {
        List<JobReading> alike = new ArrayList<>();
        return reading -> {
            boolean met = condition.test(reading);
            if (!met || !alike.stream().allMatch(other -> sameFigures(other, reading))) {
                alike.clear();
            }
            if (met) {
                alike.add(reading);
            }
            return alike.size() == SETTLED;
        };
    }

    private static boolean sameFigures(JobReading one, JobReading other) {
        return withoutCoreWait(one.stages()).equals(withoutCoreWait(other.stages()))
                && one.trainer().equals(other.trainer());
    }

    private JobReading await(Predicate<JobReading> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        JobReading last = null;
        while (System.nanoTime() < deadline) {
            JobReading reading = readings.poll(10, TimeUnit.SECONDS);
            last = reading == null ? last : reading;
            if (reading != null && condition.test(reading)) {
                return reading;
            }
        }
        throw new AssertionError("no such reading within 5 minutes; the last: " + last);
    }

    private static final class MeasuredSource extends NumberSequenceSource {
        MeasuredSource() {
            super(1, RECORDS);
        }

        @Override
        public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
            StageMetrics metrics = new StageMetrics(context.metricGroup());
            metrics.worksOnOtherThreads();
            metrics.addWork(3_000_000, 1_000_000, 1, 10);
            metrics.addRecords(3_000_000, 1);
            metrics.addCoreWait(OptionalLong.of(250_000));
            MachineCores.register(context.metricGroup());
            return super.createReader(context);
        }
    }

    private static final class Crop extends RichMapFunction<Long, Long> {
        private transient StageMetrics metrics;
        private transient boolean begins;

        @Override
        public void open(OpenContext context) {
            metrics = new StageMetrics(getRuntimeContext().getMetricGroup());
            begins = true;
        }

        /**
         * Waits with its first record for the first one of the other subtask. Readers ask for the ranges of the source, so one
         * that starts early could take them all, and a subtask without records has no rate that a sum could contain.
         */
        @Override
        public Long map(Long value) throws InterruptedException {
            if (begins) {
                begins = false;
                begun.countDown();
                begun.await();
            }
            metrics.received();
            metrics.worked(Long.BYTES);
            metrics.handedOn();
            handled.countDown();
            return value;
        }

        /** Keeps the task running, because a sum covers all subtasks only while all of them run. */
        @Override
        public void close() throws InterruptedException {
            release.await();
        }
    }

    /** Holds the job until it is released, so that its metrics stay. */
    private static final class Train extends RichMapFunction<Long, Long> {
        @Override
        public void open(OpenContext context) {
            MetricGroup group = getRuntimeContext().getMetricGroup().addGroup(Figure.GROUP);
            group.gauge(Figures.STEPS.name(), (Gauge<Long>) () -> value(7L));
            group.gauge(Figures.SAMPLES.name(), (Gauge<Long>) () -> value(448L));
            group.gauge(Figures.EPOCH.name(), (Gauge<Integer>) () -> value(1));
            group.gauge(Figures.LOSS.name(), (Gauge<Double>) () -> value(0.25));
            group.gauge(Figures.ACCURACY.name(), (Gauge<Double>) () -> value(Double.NaN));
            group.gauge(Figures.STARVED_NANOS.name(), (Gauge<Long>) () -> value(5_000_000L));
            group.gauge(Figures.ASSEMBLE_NANOS.name(), (Gauge<Long>) () -> value(2_000_000L));
            group.gauge(Figures.CHECKPOINTS.name(), (Gauge<Long>) () -> value(3L));
            group.gauge(Figures.CHECKPOINT_COPY_NANOS.name(), (Gauge<Long>) () -> value(6_000_000L));
            group.gauge(Figures.CHECKPOINT_REFILL_NANOS.name(), (Gauge<Long>) () -> value(8_000_000L));
            group.gauge(Figures.CHECKPOINT_DRAIN_NANOS.name(), (Gauge<Long>) () -> value(7_000_000L));
            group.gauge(Figures.CPU_NANOS.name(), (Gauge<Long>) () -> value(8_000_000L));
            group.gauge(Figures.BYTES_PRODUCED.name(), (Gauge<Long>) () -> value(9L));
            group.gauge(Figures.CORE_WAIT_NANOS.name(), (Gauge<Double>) () -> value(Double.NaN));
        }

        /**
         * Returns its argument, so that the gauges capture this object. A lambda that captures nothing is one object for all
         * subtasks, and Flink keeps metrics by object: the metrics of the last subtask would replace those of the others.
         */
        private <T> T value(T value) {
            return value;
        }

        @Override
        public Long map(Long value) throws InterruptedException {
            release.await();
            return value;
        }
    }
}
