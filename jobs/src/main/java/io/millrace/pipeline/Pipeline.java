package io.millrace.pipeline;

import io.millrace.batch.Filling;
import io.millrace.config.PipelineConfig;
import io.millrace.sample.DatasetNames;
import io.millrace.sample.Split;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.StagePlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * The builder of a pipeline's Flink graph. No other class builds graphs of pipelines; {@link PipelineStages} adds their stages.
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
        StreamExecutionEnvironment environment = environment(config, sink);
        new PipelineStages(environment, config, plan, sink, filling).add(origin);
        return graph(environment, config);
    }

    /** Returns the graph of a served run with its evaluation. */
    public static StreamGraph graph(
            PipelineConfig config, RunPlan plan, SinkSpec sink, Origin origin, EvaluationBranch evaluation) {
        StreamExecutionEnvironment environment = environment(config, sink);
        new PipelineStages(environment, config, plan, sink, Filling.EVERY_ROW).add(origin);
        new PipelineStages(environment, evaluation.config(), evaluation.plan(), evaluation.sink(), Filling.EVERY_ROW)
                .add(Origin.FRESH);
        return graph(environment, config);
    }

    private static StreamGraph graph(StreamExecutionEnvironment environment, PipelineConfig config) {
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobName("millrace " + config.name());
        return graph;
    }

    private static StreamExecutionEnvironment environment(PipelineConfig config, SinkSpec sink) {
        Path folder = Path.of(sink.run().folder());
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
        return environment;
    }

    static int stageParallelism(PipelineConfig config, String stage) {
        return config.slots().stages().parallelism(stage, config.slots().parallelism());
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
                .map(stage -> stage.place(config).transform())
                .toList();
    }

    /**
     * Returns the numbers of the random streams of the transforms of training samples, by the names of their stages, in order.
     *
     * @param source the number of the dataset of the samples
     */
    public static Map<String, Integer> randomStreams(PipelineConfig config, int source) {
        Map<String, Integer> streams = new LinkedHashMap<>();
        Stages.transforms(config).stream()
                .filter(stage -> stage.split() == Split.TRAIN)
                .filter(stage -> stage.source() == StagePlace.ALL_SOURCES || stage.source() == source)
                .forEach(stage -> streams.put(stage.name(), stage.number()));
        return streams;
    }

    /** Returns the names of the datasets in messages. */
    static DatasetNames datasets(PipelineConfig config) {
        return new DatasetNames(
                config.data().sources().stream()
                        .map(source -> source.dataset().spec().path())
                        .toList(),
                config.evaluate().map(e -> e.dataset().spec().path()).orElse(""));
    }
}
