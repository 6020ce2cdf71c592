package io.millrace.pipeline;

import io.millrace.batch.Filling;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchType;
import io.millrace.batch.PackLimits;
import io.millrace.batch.PackOperator;
import io.millrace.batch.RankRouting;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import io.millrace.sink.ReplicaTrainOperatorFactory;
import io.millrace.sink.SimulatedWireOperator;
import io.millrace.sink.SinkSpec;
import io.millrace.sink.TrainOperatorFactory;
import io.millrace.sink.Trainers;
import io.millrace.source.DatasetSource;
import io.millrace.source.RunStart;
import io.millrace.trace.Recording;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.TransformOperator;
import java.nio.file.Path;
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

/** Wires a pipeline's stages into a Flink graph. Nothing else does. */
public final class Pipeline {
    /** Flushes half-filled network buffers this often: the end of a micro-batch must not wait for the next. */
    private static final long BUFFER_TIMEOUT_MILLIS = 5;

    /** Flink's own limit: a job may be rescaled up to this, and nothing here has state by key, which would grow with it. */
    private static final int MOST_SLOTS = 32_767;

    /** The source's name and uid. */
    public static final String SOURCE = Stages.READ;

    private Pipeline() {}

    /** The graph of a run from its start. */
    public static StreamGraph graph(PipelineConfig config, RunPlan plan, SinkSpec sink) {
        return graph(config, plan, sink, Origin.FRESH);
    }

    /** The job's graph. */
    public static StreamGraph graph(PipelineConfig config, RunPlan plan, SinkSpec sink, Origin origin) {
        return graph(config, plan, sink, origin, Filling.EVERY_ROW);
    }

    /** The same where rows are packed as {@code filling} says. */
    public static StreamGraph graph(
            PipelineConfig config, RunPlan plan, SinkSpec sink, Origin origin, Filling filling) {
        Path folder = Path.of(sink.run().folder());
        RunStart runStart =
                new RunStart(origin.position(), PositionSettings.of(config, plan.batches(), folder), origin.others());
        Configuration configuration = new Configuration();
        Checkpointing.configure(configuration, config.recovery(), folder);
        if (sink.train().trainers().split().ranks() > 1) {
            // Flink refuses them on edges with a partitioner of ours, since it could send records elsewhere after
            // rescaling:
            // this one goes by the row's position alone.
            configuration.set(CheckpointingOptions.FORCE_UNALIGNED, true);
        }
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        StreamExecutionEnvironment environment = new StreamExecutionEnvironment(configuration);
        environment.setParallelism(config.slots().parallelism());
        environment.setMaxParallelism(MOST_SLOTS);
        environment.setBufferTimeout(BUFFER_TIMEOUT_MILLIS);

        SingleOutputStreamOperator<Sample> samples =
                read(environment, config, plan, runStart, sink.observers().recording());
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
        SingleOutputStreamOperator<MicroBatch> packed = samples.transform(
                        Stages.PACK,
                        new MicroBatchType(plan.rows()),
                        packer(config, plan, sink.train().trainers())
                                .filling(filling)
                                .recorded(sink.observers().recording())
                                .ofDatasets(datasets(config)))
                .uid(Stages.PACK)
                .setParallelism(config.slots()
                        .stages()
                        .parallelism(Stages.PACK, config.slots().parallelism()));
        if (Stages.beginsTask(config.slots().stages(), before, Stages.PACK)) {
            packed.startNewChain();
        }
        int trainers = sink.train().trainers().count();
        SingleOutputStreamOperator<Void> training = received(
                        toTrainers(packed, sink.train().trainers()), config, plan, trainers)
                .transform(Stages.TRAIN, Types.VOID, trainerFactory(config, sink))
                .uid(Stages.TRAIN)
                .setParallelism(trainers)
                .setMaxParallelism(trainers);
        config.slots().placement().ifPresent(placement -> training.slotSharingGroup(SlotGroups.ofTrainers(placement)));
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName("millrace " + config.name());
        return graph;
    }

    private static PackOperator packer(PipelineConfig config, RunPlan plan, Trainers trainers) {
        return trainers.split().ranks() == 1
                ? new PackOperator(plan.rows(), limits(config))
                : PackOperator.splitting(plan.rows(), limits(config), trainers.split());
    }

    private static OneInputStreamOperatorFactory<MicroBatch, Void> trainerFactory(
            PipelineConfig config, SinkSpec sink) {
        return sink.train().trainers().count() > 1
                        && config.train().trainers().replicas() == TrainersConfig.Replicas.SYNC
                ? new ReplicaTrainOperatorFactory(sink)
                : new TrainOperatorFactory(sink);
    }

    /** What comes out of the network, as fast as it does or as it shall. */
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

    /** Each rank's rows to its own subtask, or all rows to every one. */
    private static DataStream<MicroBatch> toTrainers(DataStream<MicroBatch> packed, Trainers trainers) {
        if (trainers.count() == 1) {
            return packed.rebalance();
        }
        return trainers.split().ranks() == 1
                ? packed.broadcast()
                : packed.partitionCustom(RankRouting.toSubtask(), RankRouting.rank(trainers.split()));
    }

    /** The task slots that the job needs. */
    public static int slots(PipelineConfig config) {
        return SlotRequirement.of(config).slots();
    }

    /** The stages on the data servers with their parallelism, in the order of the data's way. */
    public static Map<String, Integer> stages(PipelineConfig config) {
        Map<String, Integer> stages = new LinkedHashMap<>();
        stages.put(
                Stages.READ,
                config.slots().stages().parallelism(Stages.READ, config.slots().parallelism()));
        Stages.transforms(config).forEach(stage -> stages.put(stage.name(), stage.parallelism()));
        stages.put(
                Stages.PACK,
                config.slots().stages().parallelism(Stages.PACK, config.slots().parallelism()));
        return stages;
    }

    /**
     * The transforms of a split, in order, as this pipeline's operators apply them: same names, same random numbers. But
     * none looks ahead to the next, so that behind each stage there is a whole picture to be shown; the pixels behind the
     * last are the same. For one thread.
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

    /** What the user calls them. */
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

    private static SingleOutputStreamOperator<Sample> read(
            StreamExecutionEnvironment environment,
            PipelineConfig config,
            RunPlan plan,
            RunStart runStart,
            @Nullable Recording recording) {
        DatasetSpec evaluation = config.evaluate().map(e -> e.dataset().spec()).orElse(null);
        DatasetSource source = new DatasetSource(
                config.data().dataset().spec(),
                evaluation,
                plan.batches(),
                plan.order(),
                ReadSettings.of(config, plan),
                runStart,
                recording);
        SingleOutputStreamOperator<Sample> samples = environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), Stages.READ, SampleType.INSTANCE)
                .uid(Stages.READ)
                .setParallelism(config.slots()
                        .stages()
                        .parallelism(Stages.READ, config.slots().parallelism()));
        // The stages behind it go where it goes.
        config.slots().placement().ifPresent(placement -> samples.slotSharingGroup(SlotGroups.ofData(placement)));
        return samples;
    }

    private static TransformOperator operator(PipelineConfig config, Stage stage, @Nullable Recording recording) {
        return new TransformOperator(
                stage.name(),
                stage.transform(),
                stage.split(),
                dataset(config, stage.split()).path(),
                config.data().order().seed(),
                stage.number(),
                stage.following(),
                recording);
    }
}
