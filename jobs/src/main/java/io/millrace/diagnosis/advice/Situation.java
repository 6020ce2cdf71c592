package io.millrace.diagnosis.advice;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.Verdict;
import io.millrace.train.spec.Roles;
import java.util.Optional;

/**
 * What advice is given on: a pipeline, and what it costs.
 *
 * @param scale what was measured over what the model said of it
 * @param ceiling that no prediction exceeds, in samples per second; infinite when unknown
 */
public record Situation(
        PipelineConfig config, Setting setting, CapacityModel model, double scale, double ceiling, DatasetFacts facts) {
    /** That of a pipeline that was measured. */
    public static Situation of(PipelineConfig config, Setting setting, Measurement measurement, DatasetFacts facts) {
        CapacityModel model = measurement.model();
        return new Situation(
                config,
                setting,
                model,
                model.limit()
                        .map(limit -> Verdict.scale(limit, measurement.observed()))
                        .orElse(1.0),
                model.ceiling().orElse(Double.POSITIVE_INFINITY),
                facts);
    }

    /** After a change. */
    Situation changed(PipelineConfig changed, CapacityModel costs) {
        Setting usual = Setting.of(changed);
        Setting then =
                new Setting(setting.readThreads() == 0 ? 0 : usual.readThreads(), usual.trainThreads(), usual.ranks());
        return new Situation(changed, then, costs, scale, ceiling, facts);
    }

    /** What limits; empty when nothing is known. */
    Optional<Limit> limit() {
        return model.limit();
    }

    boolean limitedBy(Limit.Kind kind) {
        return limit().filter(limit -> limit.kind() == kind).isPresent();
    }

    boolean culprit(String stage) {
        return limit().filter(limit -> limit.culprit().equals(stage)).isPresent();
    }

    /** The rate of the model, as it was found to be off; empty when nothing is known. */
    public Optional<Double> predict(CapacityModel then) {
        return then.limit()
                .map(limit -> Math.min(limit.samplesPerSecond() * scale, ceiling))
                .filter(Double::isFinite);
    }

    /** What the stage costs; empty when the pipeline has none of that name. */
    Optional<StageCost> cost(String stage) {
        return model.tasks().stream()
                .flatMap(task -> task.stages().stream())
                .filter(cost -> cost.name().equals(stage))
                .findFirst();
    }

    /** Whether training takes the field, as input or target. */
    boolean uses(String field) {
        Roles roles = config.train().roles();
        return roles.inputs().contains(field) || roles.target().equals(field);
    }

    /** The task that runs the stage, on the data servers. */
    Optional<Task> task(String stage) {
        return model.tasks().stream()
                .filter(task ->
                        task.stages().stream().anyMatch(cost -> cost.name().equals(stage)))
                .findFirst();
    }
}
