package io.millrace.diagnosis.advice;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.Predictor;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.metrics.CodeProfile;
import io.millrace.train.spec.Roles;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The input of the rules: a pipeline, the costs of its stages, and facts about its dataset.
 *
 * @param model the costs of the stages
 * @param predictor the predictor of the throughput after changes of the measured pipeline
 * @param ceiling the upper bound of all predictions, in samples per second; infinite when unknown
 * @param storing the share of the time in which Flink stored checkpoints, if that was most of the time; otherwise null
 * @param code the profiles of the user's code, by stage
 */
public record Situation(
        PipelineConfig config,
        Setting setting,
        CapacityModel model,
        Predictor predictor,
        double ceiling,
        DatasetFacts facts,
        @Nullable Double storing,
        Map<String, CodeProfile> code) {
    /** Returns the situation of a measured pipeline. */
    public static Situation of(PipelineConfig config, Setting setting, Measurement measurement, DatasetFacts facts) {
        CapacityModel model = measurement.model();
        return new Situation(
                config,
                setting,
                model,
                measurement.predictor(),
                model.ceiling().orElse(Double.POSITIVE_INFINITY),
                facts,
                measurement.verdict().storesCheckpointsSlowly()
                        ? measurement.observed().storing()
                        : null,
                measurement.code());
    }

    /** Returns the situation after a change of the pipeline and of its costs. */
    Situation changed(PipelineConfig changed, CapacityModel costs) {
        Setting usual = Setting.of(changed);
        Setting then =
                new Setting(setting.readThreads() == 0 ? 0 : usual.readThreads(), usual.trainThreads(), usual.ranks());
        return new Situation(changed, then, costs, predictor, ceiling, facts, storing, code);
    }

    /** Returns the tightest limit; empty when no limit is known. */
    Optional<Limit> limit() {
        return model.limit();
    }

    boolean limitedBy(Limit.Kind kind) {
        return limit().filter(limit -> limit.kind() == kind).isPresent();
    }

    boolean culprit(String stage) {
        return limit().filter(limit -> limit.culprit().equals(stage)).isPresent();
    }

    /** Returns the predicted throughput of a model, at most the ceiling; empty when no limit is known. */
    public Optional<Prediction> predict(CapacityModel then) {
        return predictor.predict(then).map(prediction -> prediction.atMost(ceiling));
    }

    /** Returns the cost of a stage on the data servers; empty when there is no stage of that name. */
    Optional<StageCost> cost(String stage) {
        return model.tasks().stream()
                .flatMap(task -> task.stages().stream())
                .filter(cost -> cost.name().equals(stage))
                .findFirst();
    }

    /** Returns whether training uses the field as input or target. */
    boolean uses(String field) {
        Roles roles = config.train().roles();
        return roles.inputs().contains(field) || roles.target().equals(field);
    }

    /** Returns the task on the data servers that runs the stage. */
    Optional<Task> task(String stage) {
        return model.tasks().stream()
                .filter(task ->
                        task.stages().stream().anyMatch(cost -> cost.name().equals(stage)))
                .findFirst();
    }
}
