package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.config.StagesConfig;
import io.millrace.sample.Split;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StagePlace;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of stages in the graph: read, the transforms of single datasets, those of all training samples, those of evaluation, pack. Pure. */
final class Stages {
    static final String READ = "read";
    static final String PACK = "pack";
    static final String TRAIN = "train";
    static final String DELIVER = "deliver";

    /**
     * The first random stream of the transforms that a dataset of a mixture has for itself, above those of the common transforms. A
     * dataset that is added at the end does not change those of the others.
     */
    static final int FIRST_SOURCE_NUMBER = 1 << 14;

    /** The first random stream of evaluation transforms, above all random streams of training. */
    static final int FIRST_EVALUATION_NUMBER = 1 << 15;

    private Stages() {}

    /** Returns whether a sink delivers the evaluation in the job of a training. */
    static boolean isEvaluation(SinkSpec sink) {
        ServeSpec serve = sink.serve();
        return serve != null && serve.stream() == ServeSpec.Stream.EVALUATION;
    }

    /** Returns the name of the operator of a stage before this sink, or of the sink itself. */
    static String name(SinkSpec sink, String stage) {
        return isEvaluation(sink) ? EvaluationBranch.PREFIX + stage : stage;
    }

    /** Returns the transform stages of a pipeline, in the order in which a sample passes them. */
    static List<Stage> transforms(PipelineConfig config) {
        List<Stage> stages = new ArrayList<>();
        int number = FIRST_SOURCE_NUMBER;
        for (int source = 0; source < config.data().sources().size(); source++) {
            SourceConfig own = config.data().sources().get(source);
            add(stages, config, config.sourceStages(own), own.transforms(), Split.TRAIN, source, number);
            number += own.transforms().size();
        }
        add(
                stages,
                config,
                config.transformStages(),
                config.data().transforms(),
                Split.TRAIN,
                StagePlace.ALL_SOURCES,
                0);
        config.evaluate()
                .ifPresent(evaluate -> add(
                        stages,
                        config,
                        config.evaluationStages(),
                        evaluate.transforms(),
                        Split.EVALUATE,
                        StagePlace.ALL_SOURCES,
                        FIRST_EVALUATION_NUMBER));
        return stages;
    }

    private static void add(
            List<Stage> stages,
            PipelineConfig config,
            List<String> names,
            List<TransformSpec> transforms,
            Split split,
            int source,
            int firstNumber) {
        // A stage that did the work of the next one, too, would do it for each document and not for the pack.
        boolean packing = transforms.stream().anyMatch(PackOptions::isPacking);
        for (int i = 0; i < transforms.size(); i++) {
            String name = names.get(i);
            boolean alone = i == 0 || beginsTask(config.slots().stages(), names.get(i - 1), name);
            stages.add(new Stage(
                    name,
                    transforms.get(i),
                    split,
                    source,
                    firstNumber + i,
                    config.slots().stages().parallelism(name, config.slots().parallelism()),
                    beginsTask(
                            config.slots().stages(),
                            stages.isEmpty()
                                    ? READ
                                    : stages.get(stages.size() - 1).name(),
                            name),
                    packing
                            ? Neighbors.NONE
                            : new Neighbors(
                                    alone ? null : transforms.get(i - 1),
                                    following(config.slots().stages(), names, transforms, firstNumber, i + 1))));
        }
    }

    /** Returns a transform as its predecessor looks ahead to it, or null after the last one. */
    private static @Nullable FollowingTransform following(
            StagesConfig stages, List<String> names, List<TransformSpec> transforms, int firstNumber, int i) {
        return i == transforms.size()
                ? null
                : new FollowingTransform(
                        transforms.get(i),
                        firstNumber + i,
                        !beginsTask(stages, names.get(i - 1), names.get(i)),
                        following(stages, names, transforms, firstNumber, i + 1));
    }

    /** Returns whether {@code name} starts a task of its own after {@code before}. */
    static boolean beginsTask(StagesConfig stages, String before, String name) {
        return stages.separate(before) || stages.separate(name);
    }
}
