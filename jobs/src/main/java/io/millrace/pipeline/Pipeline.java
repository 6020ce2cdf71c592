package io.millrace.pipeline;

import io.millrace.batch.Filling;
import io.millrace.batch.Form;
import io.millrace.batch.Handing;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchType;
import io.millrace.batch.PackLimits;
import io.millrace.batch.PackOperator;
import io.millrace.batch.RankRouting;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PythonConfig;
import io.millrace.config.StagesConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Samples;
import io.millrace.sample.Split;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.deliver.DeliverOperatorFactory;
import io.millrace.sink.rows.SimulatedWireOperator;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.Trainers;
import io.millrace.sink.trainer.ReplicaTrainOperatorFactory;
import io.millrace.sink.trainer.TrainOperatorFactory;
import io.millrace.source.DatasetSource;
import io.millrace.source.RunStart;
import io.millrace.trace.Recording;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.StageOperator;
import io.millrace.transform.StagePlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.jspecify.annotations.Nullable;

/**
 * The builder of a pipeline's Flink graph. No other class builds graphs of pipelines.
 *
 * <p>Tested by {@code PipelineMetricsITCase} and {@code OneOrderITCase}.
 */
public final class Pipeline {
    /**
     * The time after which half-filled network buffers are sent: the end of a micro-batch must not wait long for the next one.
     * Flink has a thread for each task that wakes as often, also while a client of a served run stops for hours. Sending each
     * micro-batch at once, which needs no thread, costs 10 % more CPU time.
     */
    private static final long BUFFER_TIMEOUT_MILLIS = 20;

    /**
     * The maximum parallelism of the job, which is Flink's limit. It costs nothing, because only keyed state grows with
     * it, and no operator has keyed state.
     */
    private static final int MOST_SLOTS = 32_767;

    /** The source's name and uid. */
    public static final String SOURCE = Stages.READ;

    private Pipeline() {}

    /** Returns the graph of a new run. */
    public static StreamGraph graph(PipelineConfig config, RunPlan plan, SinkSpec sink) {
        return graph(config, plan, sink, Origin.FRESH);
    }

    /** Returns the graph of a run that starts from an origin. */
    public static StreamGraph graph(PipelineConfig config, RunPlan plan, SinkSpec sink, Origin origin) {
        return graph(config, plan, sink, origin, Filling.EVERY_ROW);
    }

    /** Returns the graph of a run whose rows are packed by the rule {@code filling}. */
    public static StreamGraph graph(
            PipelineConfig config, RunPlan plan, SinkSpec sink, Origin origin, Filling filling) {
        Path folder = Path.of(sink.run().folder());
        RunStart runStart =
                new RunStart(origin.position(), PositionSettings.of(config, plan.batches(), folder), origin.others());
        Configuration configuration = new Configuration();
        Checkpointing.configure(configuration, config.recovery(), folder);
        if (sink.train().trainers().split().ranks() > 1) {
            // Flink rejects unaligned checkpoints on edges with a custom partitioner, because such a partitioner
            // could route records differently after rescaling. The partitioner here depends only on the row's
            // position.
            configuration.set(CheckpointingOptions.FORCE_UNALIGNED, true);
        }
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.OPERATOR_CHAINING, true); // rows do not leave a task
        // Readers emit the watermarks of served runs themselves. Flink would look for more of them five times a second.
        configuration.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ZERO);
        StreamExecutionEnvironment environment = new StreamExecutionEnvironment(configuration);
        environment.setParallelism(config.slots().parallelism());
        environment.setMaxParallelism(MOST_SLOTS);
        environment.setBufferTimeout(BUFFER_TIMEOUT_MILLIS);

        DatasetSource<Sample> source = source(config, plan, runStart, sink);
        SingleOutputStreamOperator<MicroBatch> packed = passesRows(config, plan)
                ? pack(read(environment, config, source.inRows()), Stages.READ, config, plan, sink, filling)
                : transformAndPack(read(environment, config, source), config, plan, sink, filling);
        int trainers = sink.train().trainers().count();
        String consumer = sink.serve() == null ? Stages.TRAIN : Stages.DELIVER;
        SingleOutputStreamOperator<Void> training = received(
                        oneTask(config)
                                ? packed.forward()
                                : toTrainers(packed, sink.train().trainers()),
                        config,
                        plan,
                        trainers)
                .transform(consumer, Types.VOID, consumerFactory(config, sink))
                .uid(consumer)
                .setParallelism(trainers)
                .setMaxParallelism(trainers);
        config.slots().placement().ifPresent(placement -> training.slotSharingGroup(SlotGroups.ofTrainers(placement)));
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName("millrace " + config.name());
        return graph;
    }

    private static SingleOutputStreamOperator<MicroBatch> transformAndPack(
            SingleOutputStreamOperator<Sample> read,
            PipelineConfig config,
            RunPlan plan,
            SinkSpec sink,
            Filling filling) {
        SingleOutputStreamOperator<Sample> samples = read;
        String before = Stages.READ;
        for (Stage stage : Stages.transforms(config)) {
            samples = samples.transform(
                            stage.name(),
                            SampleType.INSTANCE,
                            operator(config, stage, sink.observers().recording()))
                    .uid(stage.name())
                    .setParallelism(stage.parallelism());
            if (stage.newChain()) {
                samples.startNewChain();
            }
            before = stage.name();
        }
        return pack(samples, before, config, plan, sink, filling);
    }

    private static <T extends Samples> SingleOutputStreamOperator<MicroBatch> pack(
            SingleOutputStreamOperator<T> samples,
            String before,
            PipelineConfig config,
            RunPlan plan,
            SinkSpec sink,
            Filling filling) {
        PackOperator<T> packer = packer(config, plan, sink.train().trainers());
        SingleOutputStreamOperator<MicroBatch> packed = samples.transform(
                        Stages.PACK,
                        new MicroBatchType(plan.rows()),
                        packer.handing(oneTask(config) ? Handing.OVER : Handing.LEND)
                                .filling(filling)
                                .recorded(sink.observers().recording())
                                .ofDatasets(datasets(config)))
                .uid(Stages.PACK)
                .setParallelism(stageParallelism(config, Stages.PACK));
        if (Stages.beginsTask(config.slots().stages(), before, Stages.PACK)) {
            packed.startNewChain();
        }
        return packed;
    }

    private static int stageParallelism(PipelineConfig config, String stage) {
        return config.slots().stages().parallelism(stage, config.slots().parallelism());
    }

    /**
     * Returns whether the source may pass several samples to the packer as one record: nothing stands between them, they are in
     * one chain, and no value has to be converted.
     */
    static boolean passesRows(PipelineConfig config, RunPlan plan) {
        return Stages.transforms(config).isEmpty()
                && !Stages.beginsTask(config.slots().stages(), Stages.READ, Stages.PACK)
                && stageParallelism(config, Stages.READ) == stageParallelism(config, Stages.PACK)
                && plan.rows().columns().stream()
                        .allMatch(column -> column.form() == Form.DENSE && !column.converted());
    }

    /**
     * Returns whether the training operator is in the chain of the only slot, so that micro-batches are handed over and not
     * serialized. A diagnosis may change the slots of such a pipeline, which then has a task for the trainer.
     */
    private static boolean oneTask(PipelineConfig config) {
        return config.slots().stages().mode() == StagesConfig.Mode.ONE_TASK
                && slots(config) == 1
                && config.slots().placement().isEmpty()
                && config.device().simulated().network().isEmpty();
    }

    private static <T extends Samples> PackOperator<T> packer(PipelineConfig config, RunPlan plan, Trainers trainers) {
        return trainers.split().ranks() == 1
                ? new PackOperator<>(plan.rows(), limits(config))
                : PackOperator.perRank(plan.rows(), limits(config), trainers.split());
    }

    private static OneInputStreamOperatorFactory<MicroBatch, Void> consumerFactory(
            PipelineConfig config, SinkSpec sink) {
        ServeSpec serve = sink.serve();
        if (serve != null) {
            return new DeliverOperatorFactory(sink, serve);
        }
        return sink.train().trainers().count() > 1
                        && config.train().trainers().replicas() == TrainersConfig.Replicas.SYNC
                ? new ReplicaTrainOperatorFactory(sink)
                : new TrainOperatorFactory(sink);
    }

    /**
     * Returns the stream of received micro-batches, with a simulated slow network if the pipeline file configures one.
     */
    private static DataStream<MicroBatch> received(
            DataStream<MicroBatch> sent, PipelineConfig config, RunPlan plan, int trainers) {
        Optional<SimulatedLink> network = config.device().simulated().network();
        if (network.isEmpty()) {
            return sent;
        }
        SingleOutputStreamOperator<MicroBatch> received = sent.transform(
                        SimulatedWireOperator.NAME,
                        new MicroBatchType(plan.rows()),
                        new SimulatedWireOperator(network.get()))
                .uid(SimulatedWireOperator.NAME)
                .setParallelism(trainers)
                .setMaxParallelism(trainers);
        config.slots().placement().ifPresent(placement -> received.slotSharingGroup(SlotGroups.ofTrainers(placement)));
        return received;
    }

    /** Sends each rank's rows to its own subtask, or all rows to every subtask. */
    private static DataStream<MicroBatch> toTrainers(DataStream<MicroBatch> packed, Trainers trainers) {
        if (trainers.count() == 1) {
            return packed.rebalance();
        }
        return trainers.split().ranks() == 1
                ? packed.broadcast()
                : packed.partitionCustom(RankRouting.toSubtask(), RankRouting.rank(trainers.split()));
    }

    /** Returns the number of task slots that the job needs. */
    public static int slots(PipelineConfig config) {
        return SlotRequirement.of(config).slots();
    }

    /** Returns the parallelism by stage on the data servers, in the order in which a sample passes them. */
    public static Map<String, Integer> stages(PipelineConfig config) {
        Map<String, Integer> stages = new LinkedHashMap<>();
        stages.put(Stages.READ, stageParallelism(config, Stages.READ));
        Stages.transforms(config).forEach(stage -> stages.put(stage.name(), stage.parallelism()));
        stages.put(Stages.PACK, stageParallelism(config, Stages.PACK));
        return stages;
    }

    /**
     * Returns the transforms of a split in order, with the names and random numbers of the pipeline's operators. Unlike
     * the operators, these transforms do not use knowledge of the next transform, so each of them returns a whole image
     * that can be shown. The pixels after the last transform are the same. Not thread-safe.
     */
    public static List<PlacedTransform> transforms(PipelineConfig config, Split split) {
        return Stages.transforms(config).stream()
                .filter(stage -> stage.split() == split)
                .map(stage -> new PlacedTransform(
                        stage.name(),
                        stage.transform(),
                        dataset(config, split).path(),
                        config.data().order().seed(),
                        stage.number()))
                .toList();
    }

    /** Returns the paths of the datasets. */
    private static Map<Split, String> datasets(PipelineConfig config) {
        Map<Split, String> names = new EnumMap<>(Split.class);
        names.put(Split.TRAIN, config.data().dataset().spec().path());
        config.evaluate()
                .ifPresent(evaluate ->
                        names.put(Split.EVALUATE, evaluate.dataset().spec().path()));
        return names;
    }

    private static DatasetSpec dataset(PipelineConfig config, Split split) {
        return split == Split.TRAIN
                ? config.data().dataset().spec()
                : config.evaluate().map(EvaluateConfig::dataset).orElseThrow().spec();
    }

    private static PackLimits limits(PipelineConfig config) {
        return PackLimits.ofRows(config.batch().size());
    }

    private static DatasetSource<Sample> source(PipelineConfig config, RunPlan plan, RunStart runStart, SinkSpec sink) {
        PythonConfig python = config.data().python();
        DatasetSpec evaluation = config.evaluate()
                .map(e -> python.withModules(e.dataset().spec()))
                .orElse(null);
        DatasetSource<Sample> source = DatasetSource.of(
                        python.withModules(config.data().dataset().spec()),
                        evaluation,
                        plan.batches(),
                        plan.order(),
                        ReadSettings.of(config, plan),
                        runStart,
                        sink.observers().recording())
                .typed(plan.types());
        ServeSpec serve = sink.serve();
        return serve == null ? source : source.served(serve.run());
    }

    private static <T extends Samples> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment environment, PipelineConfig config, DatasetSource<T> source) {
        SingleOutputStreamOperator<T> samples = environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), Stages.READ, source.getProducedType())
                .uid(Stages.READ)
                .setParallelism(stageParallelism(config, Stages.READ));
        // The later stages inherit the slot sharing group.
        config.slots().placement().ifPresent(placement -> samples.slotSharingGroup(SlotGroups.ofData(placement)));
        return samples;
    }

    private static StageOperator operator(PipelineConfig config, Stage stage, @Nullable Recording recording) {
        StagePlace place = new StagePlace(
                stage.name(),
                config.data().python().withModules(stage.transform()),
                stage.split(),
                dataset(config, stage.split()).path(),
                config.data().order().seed(),
                stage.number(),
                stage.neighbors());
        return StageOperator.of(place, recording);
    }
}
