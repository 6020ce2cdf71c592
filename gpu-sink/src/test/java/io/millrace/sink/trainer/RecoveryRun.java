package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Handing;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchType;
import io.millrace.batch.PackLimits;
import io.millrace.batch.PackOperator;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.device.DeviceSpec;
import io.millrace.option.Choice;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sink.files.EventCurves;
import io.millrace.sink.files.Events;
import io.millrace.sink.files.Ledger;
import io.millrace.sink.spec.RingSpec;
import io.millrace.sink.spec.RunSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.TrainStepOpener;
import io.millrace.sink.spec.TrainerSpec;
import io.millrace.source.DatasetSource;
import io.millrace.source.ReadOptions;
import io.millrace.source.RunData;
import io.millrace.source.RunIdentity;
import io.millrace.source.RunStart;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.Tuning;
import io.millrace.train.spec.Updates;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * A training on synthetic pictures as a Flink job, and the checks of its results.
 *
 * @param accumulate the number of batches in an update
 * @param device the device that holds the batches
 * @param opener opens the training step
 */
record RecoveryRun(BatchPlan plan, Path folder, int accumulate, DeviceSpec device, TrainStepOpener opener) {
    private static final BatchSpec ROWS =
            new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(8, 8, 1))));
    private static final ReadOptions READ = new ReadOptions(16, 12, 2, 2);

    /**
     * The least pause between checkpoints. With a smaller value, Flink 2.3 sometimes ends the whole process when a
     * checkpoint reaches a reader that was just restarted.
     */
    private static final Duration CHECKPOINT_PAUSE = Duration.ofMillis(150);

    /**
     * The time after which a checkpoint becomes unaligned. It is not 0, because in Flink 2.3 a checkpoint that is
     * unaligned from the beginning overtakes the ranges that are on their way to a reader. These ranges are then in no
     * state and are lost.
     */
    private static final Duration UNALIGNED_AFTER = Duration.ofMillis(1);

    /** The number of rows in a micro-batch. It shares no factor with the batch size, so that some rows always wait. */
    private static final int MICRO_BATCH = 27;

    /** Creates a run with an update for each batch. */
    RecoveryRun(BatchPlan plan, Path folder) {
        this(plan, folder, 1);
    }

    /** Creates a run on the host. */
    RecoveryRun(BatchPlan plan, Path folder, int accumulate) {
        this(plan, folder, accumulate, DeviceSpec.HOST, Accidents::open);
    }

    /** Returns the same run on another device. */
    RecoveryRun on(DeviceSpec other) {
        return new RecoveryRun(plan, folder, accumulate, other, opener);
    }

    /** Returns the same run with another training step. */
    RecoveryRun training(TrainStepOpener other) {
        return new RecoveryRun(plan, folder, accumulate, device, other);
    }

    /** Returns a configuration with checkpoints and as many restarts as needed. */
    static Configuration checkpointed(Path checkpoints, boolean unaligned) {
        return new Configuration()
                .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_PAUSE)
                .set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, CHECKPOINT_PAUSE)
                .set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned)
                .set(CheckpointingOptions.ALIGNED_CHECKPOINT_TIMEOUT, UNALIGNED_AFTER)
                .set(ExecutionOptions.SNAPSHOT_COMPRESSION, true)
                .set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem")
                .set(
                        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                        checkpoints.toUri().toString())
                .set(
                        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION)
                .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 100)
                .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
    }

    /** Returns the graph of a job with a task for the trainer. */
    StreamGraph graph(int parallelism, Configuration configuration) {
        return graph(parallelism, configuration, Handing.LEND);
    }

    /** Returns the graph of a job whose only task does everything. */
    StreamGraph oneTask(Configuration configuration) {
        StreamGraph graph = graph(1, configuration, Handing.OVER);
        assertThat(graph.getJobGraph().getNumberOfVertices()).isEqualTo(1);
        return graph;
    }

    private StreamGraph graph(int parallelism, Configuration configuration, Handing handing) {
        Configuration all = new Configuration(configuration);
        all.set(PipelineOptions.GENERIC_TYPES, false);
        all.set(PipelineOptions.OBJECT_REUSE, true);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(all);
        environment.setParallelism(parallelism);
        environment.setBufferTimeout(5);
        DatasetSource<Sample> source = DatasetSource.of(
                RunData.of(
                        synthetic(plan.size()),
                        plan.evaluationSize() == 0 ? null : synthetic(plan.evaluationSize()),
                        plan,
                        order()),
                READ,
                new RunStart(0, RunIdentity.UNKNOWN, RunStart.OtherRuns.REFUSED),
                null);
        SingleOutputStreamOperator<MicroBatch> packed = environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), "read", SampleType.INSTANCE)
                .uid("read")
                .map(new Accidents.Spoiler())
                .returns(SampleType.INSTANCE)
                .uid("spoil")
                .transform(
                        "pack",
                        new MicroBatchType(ROWS),
                        new PackOperator<Sample>(ROWS, PackLimits.ofRows(MICRO_BATCH)).handing(handing))
                .uid("pack");
        (handing == Handing.OVER ? packed.forward() : packed.rebalance())
                .transform("train", Types.VOID, new TrainOperatorFactory(sink()))
                .uid("train")
                .setParallelism(1)
                .setMaxParallelism(1);
        return environment.getStreamGraph();
    }

    private SinkSpec sink() {
        TrainSpec train = new TrainSpec(
                        new TrainData(ROWS, List.of(part(DeviceTransforms.all(), "ToFloat", Map.of("scale", 255L)))),
                        new Recipe(
                                part(Models.all(), "mlp", Map.of("hidden", List.of(16L), "classes", 10L)),
                                part(Losses.all(), "cross_entropy", Map.of()),
                                part(Optimizers.all(), "adam", Map.of("learning_rate", 0.001)),
                                part(Schedules.all(), "constant", Map.of()),
                                11),
                        new RunLength(plan.stepsPerEpoch(), plan.epochs()),
                        Tuning.ofThreads(1))
                .with(new Updates(accumulate, null));
        return new SinkSpec(
                new RunSpec(plan, folder.toString(), 1, Ledger.WRITTEN, Events.WRITTEN),
                TrainerSpec.alone(plan, train, opener),
                new RingSpec(device, 4));
    }

    private static Component part(List<Choice> choices, String name, Map<String, ?> options) {
        Choice choice =
                choices.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
        return new Component(name, OptionValues.of(choice.options(), options));
    }

    private static DatasetSpec synthetic(long size) {
        SyntheticFormat format = new SyntheticFormat();
        return new DatasetSpec(
                format.name(), OptionValues.of(format.options(), Map.of("size", size, "shape", List.of(8L, 8L, 1L))));
    }

    private EpochOrder order() {
        return new EpochOrder(11, plan.size(), Shuffle.FULL);
    }

    /** Checks that the files contain each step once, each sample once per epoch, and each bad sample once. */
    void requireWholeHistory() throws Exception {
        List<Long> steps = new ArrayList<>();
        Map<Integer, List<Long>> trained = new TreeMap<>();
        Map<Integer, List<Long>> missing = new TreeMap<>();
        for (String line : lines("ledger.csv")) {
            String[] parts = line.split(",", -1);
            steps.add(Long.valueOf(parts[0]));
            int epoch = Integer.parseInt(parts[1]);
            trained.computeIfAbsent(epoch, e -> new ArrayList<>()).addAll(indexes(parts[2]));
            missing.computeIfAbsent(epoch, e -> new ArrayList<>()).addAll(indexes(parts[3]));
        }
        List<Long> everyStep = LongStream.range(0, plan.epochs() * plan.stepsPerEpoch())
                .boxed()
                .toList();
        assertThat(steps).isEqualTo(everyStep);
        assertThat(lines("steps.csv").stream().map(line -> Long.valueOf(line.split(",", -1)[0])))
                .isEqualTo(everyStep);
        assertThat(EventCurves.read(folder).get("loss"))
                .as("TensorBoard's curve")
                .extracting(EventCurves.Point::step)
                .isEqualTo(everyStep);
        for (int epoch = 0; epoch < plan.epochs(); epoch++) {
            int e = epoch;
            List<Long> expected = LongStream.range(0, plan.trainSamples())
                    .map(i -> order().index(e, i))
                    .boxed()
                    .toList();
            assertThat(trained.get(epoch))
                    .as("epoch %d", epoch)
                    .isEqualTo(expected.stream()
                            .filter(index -> index % Accidents.BAD_EVERY != 0)
                            .toList());
            assertThat(missing.get(epoch))
                    .isEqualTo(expected.stream()
                            .filter(index -> index % Accidents.BAD_EVERY == 0)
                            .toList());
        }
        List<Long> bad = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("quarantine.jsonl"))) {
            bad.add(new ObjectMapper().readTree(line).required("index").asLong());
        }
        assertThat(bad)
                .isEqualTo(missing.values().stream()
                        .flatMap(List::stream)
                        .distinct()
                        .sorted()
                        .toList());
    }

    private List<String> lines(String file) throws Exception {
        List<String> all = Files.readAllLines(folder.resolve(file));
        return all.subList(1, all.size());
    }

    private static List<Long> indexes(String spaced) {
        return spaced.isEmpty()
                ? List.of()
                : Arrays.stream(spaced.split(" ")).map(Long::valueOf).toList();
    }
}
