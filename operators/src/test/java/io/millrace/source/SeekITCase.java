package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.folder.FolderFormat;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of seeks in a served run with Flink: after each seek, exactly the positions from the new one on arrive. */
class SeekITCase {
    /** The two ways of reading. */
    enum Storage {
        MEMORY,
        FILES
    }

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final int PARALLELISM = 4;
    private static final int SIZE = 60;

    /** The number of consecutive samples after which the sinks wait for the next seek. */
    private static final int ENOUGH = 500;

    private static final long FAR = 10_000_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final String run = "run-" + System.nanoTime();
    private final Arrivals arrivals = Arrivals.begin(run, ENOUGH);

    /** The job while it runs. */
    private @Nullable JobClient started;

    @TempDir
    Path folder;

    /** A function in the tasks of the readers that fails when the test says so. */
    private record Failing(String run) implements MapFunction<Sample, Sample> {
        @Override
        public Sample map(Sample sample) {
            Arrivals.of(run).passOrFail();
            return sample;
        }
    }

    @AfterEach
    void cancelJobOfAFailedTest() throws Exception {
        JobClient left = started;
        if (left != null) {
            left.cancel().get();
        }
        Arrivals.end(run);
    }

    @ParameterizedTest
    @EnumSource
    void positionsFromEachSeekOnArriveOnce(Storage storage, TestReporter reporter) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        for (long position : new long[] {0, 100_000, 7, FAR, FAR + 1, 3, FAR, 0}) {
            long startedNanos = System.nanoTime();
            seekAndAwait(position, 1);
            long firstNanos = System.nanoTime() - startedNanos;
            seekAndAwait(position, ENOUGH);
            reporter.publishEntry(String.format(
                    Locale.ROOT, "%s: seek to %d, first sample after %.1f ms", storage, position, firstNanos / 1e6));
        }
        finish(job);
    }

    @ParameterizedTest
    @EnumSource
    void seeksFromSinksWithoutMemoryAreAsFast(Storage storage, TestReporter reporter) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        double longestMillis = 0;
        for (int i = 0; i < 20; i++) {
            long position = i % 2 == 0 ? FAR + i : i;
            seekAndAwait(position, ENOUGH);
            long startedNanos = System.nanoTime();
            seekAndAwait(position + 1, 1);
            longestMillis = Math.max(longestMillis, (System.nanoTime() - startedNanos) / 1e6);
        }
        reporter.publishEntry(
                String.format(Locale.ROOT, "%s: the longest of 20 seeks took %.1f ms", storage, longestMillis));
        assertThat(longestMillis).isLessThan(3000);
        finish(job);
    }

    @ParameterizedTest
    @EnumSource
    void latestOfManySeeksInQuickSuccessionCounts(Storage storage) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        Random random = new Random(1);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 30; i++) {
                long unused = seek(random.nextLong(FAR));
            }
            seekAndAwait(round, ENOUGH);
        }
        finish(job);
    }

    @ParameterizedTest
    @EnumSource
    void boundedRunWaitsAtItsEndUntilItIsFinished(Storage storage) throws Exception {
        int epochs = 5;
        int end = epochs * SIZE;
        JobClient job = start(storage, epochs);
        for (int from : new int[] {0, end - 3, end, 10, end, end - 1}) {
            long generation = seekAndAwait(from, end - from);
            assertThat(arrivals.count(generation)).isEqualTo(end - from);
        }
        assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
        finish(job);
    }

    @ParameterizedTest
    @EnumSource
    void afterAFailureReadingStartsWhereTheSinkSeeks(Storage storage) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        for (long position : new long[] {50, FAR, 0}) {
            long generation = seekAndAwait(position, ENOUGH);
            arrivals.failOnce();
            assertThat(arrivals.await(generation + 1, position, ENOUGH)).isGreaterThan(generation);
        }
        finish(job);
    }

    /** A failure of a coordinator restarts the whole job with a new enumerator. */
    @ParameterizedTest
    @EnumSource
    void afterAFailureOfTheWholeJobReadingStartsWhereTheSinkSeeks(Storage storage) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        for (long position : new long[] {50, FAR, 0}) {
            long generation = seekAndAwait(position, ENOUGH);
            coordinator().failJob();
            assertThat(arrivals.await(generation + 1, position, ENOUGH)).isGreaterThan(generation);
        }
        finish(job);
    }

    @ParameterizedTest
    @EnumSource
    void seeksDuringRestartsAreObeyed(Storage storage) throws Exception {
        JobClient job = start(storage, BatchPlan.ENDLESS);
        Random random = new Random(2);
        for (int round = 0; round < 5; round++) {
            seekAndAwait(FAR, ENOUGH);
            arrivals.failOnce();
            for (int i = 0; i < 100; i++) {
                long unused = seek(random.nextLong(FAR));
            }
            seekAndAwait(round, ENOUGH);
        }
        finish(job);
    }

    private SeekingSink.Coordinator coordinator() {
        return Objects.requireNonNull(SeekingSink.Coordinator.of(run));
    }

    private long seek(long position) {
        return coordinator().seek(position);
    }

    /** Seeks and waits for consecutive samples. Returns the generation in which they arrived. */
    private long seekAndAwait(long position, int count) throws Exception {
        return arrivals.await(seek(position), position, count);
    }

    /** Ends the run and checks that nothing wrong has arrived, and that nothing of the run is left. */
    private void finish(JobClient job) throws Exception {
        coordinator().finish();
        arrivals.seek(Long.MAX_VALUE);
        assertThat(job.getJobExecutionResult().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isNotNull();
        started = null;
        assertThat(arrivals.wrong()).isEmpty();
        CommonTestUtils.waitUntilCondition(() -> SeekBoard.runs() == 0);
    }

    private JobClient start(Storage storage, int epochs) throws Exception {
        Configuration configuration = new Configuration()
                .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 10)
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        BatchPlan plan = new BatchPlan(SIZE, 32, false, epochs, 0, 1);
        DatasetSource<Sample> source = DatasetSource.of(
                        RunData.of(
                                storage == Storage.MEMORY ? synthetic() : files(),
                                null,
                                plan,
                                new EpochOrder(7, SIZE, Shuffle.FULL)),
                        new ReadOptions(8, 28, 4, 2),
                        new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED),
                        null)
                .served(run);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PARALLELISM);
        env.setBufferTimeout(5);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "read")
                .map(new Failing(run))
                .returns(SampleType.INSTANCE)
                .rebalance()
                .transform("deliver", Types.VOID, new SeekingSink.Factory(run, PARALLELISM));
        JobClient job = env.executeAsync(run);
        started = job;
        CommonTestUtils.waitUntilCondition(() -> SeekingSink.Coordinator.of(run) != null);
        return job;
    }

    private static DatasetSpec synthetic() {
        SyntheticFormat format = new SyntheticFormat();
        return new DatasetSpec(
                format.name(),
                OptionValues.of(format.options(), Map.of("size", (long) SIZE, "shape", List.of(2L, 2L, 1L))));
    }

    /** Returns a dataset of files that are read and never decoded, so their content does not matter. */
    private DatasetSpec files() throws Exception {
        Path images = Files.createDirectories(folder.resolve("class"));
        for (int i = 0; i < SIZE; i++) {
            Files.write(images.resolve("image" + i + ".png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', (byte) i});
        }
        FolderFormat format = new FolderFormat();
        return new DatasetSpec(format.name(), OptionValues.of(format.options(), Map.of("path", folder.toString())));
    }
}
