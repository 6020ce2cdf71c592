package io.millrace.cli;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.advice.Advice;
import io.millrace.diagnosis.advice.Plan;
import io.millrace.diagnosis.advice.Predicted;
import io.millrace.diagnosis.ladder.Ladder;
import io.millrace.diagnosis.ladder.LadderRun;
import io.millrace.diagnosis.ladder.Rung;
import io.millrace.sample.SampleUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code diagnose}.
 *
 * @param plan the changes that {@code --apply} would make
 * @param unit the word for the samples in throughputs
 */
record Diagnosis(LadderRun.Result result, List<Predicted> advice, Plan plan, SampleUnit unit) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Returns the measurement of the unchanged pipeline, with evaluation and checkpoints. */
    Trial asItIs() {
        return result.asItIs();
    }

    /** Returns the result as JSON. A value that is not known is null. */
    Map<String, @Nullable Object> json() {
        Ladder ladder = result.ladder();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("verdict", asItIs().measurement().summary(null));
        json.put("images_per_s", asItIs().samplesPerSecond());
        json.put(
                "ceiling_images_per_s",
                ladder.ceiling().isPresent() ? Double.valueOf(ladder.ceiling().getAsDouble()) : null);
        json.put("samples_cached", ladder.samples());
        json.put(
                "ladder",
                ladder.rungs().stream().map(rung -> rung(ladder, rung)).toList());
        json.put("most_time", ladder.largest().map(Ladder.Drop::stage).orElse(null));
        json.put("stages", stages(asItIs().measurement().model()));
        json.put("advice", advice.stream().map(Diagnosis::advice).toList());
        json.put("plan", plan.settings());
        json.put("plan_changes", plan.changes().stream().map(Diagnosis::change).toList());
        putPrediction(json, "plan_predicted", plan.prediction());
        return json;
    }

    private static Map<String, @Nullable Object> rung(Ladder ladder, Rung rung) {
        Optional<Ladder.Drop> drop = ladder.drop(rung);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("cache", rung.cache());
        json.put("images_per_s", rung.samplesPerSecond());
        json.put("spread", rung.spread());
        json.put("stage", rung.above().isEmpty() ? null : rung.above());
        json.put("drop_images_per_s", drop.map(Ladder.Drop::samplesPerSecond).orElse(null));
        json.put("time_share", drop.map(Ladder.Drop::share).orElse(null));
        json.put("busy", rung.busy());
        json.put("modelled_images_per_s", rung.modelled());
        json.put("agreement", rung.agreement().name().toLowerCase(Locale.ROOT));
        return json;
    }

    private static List<Map<String, @Nullable Object>> stages(CapacityModel model) {
        List<Map<String, @Nullable Object>> stages = new ArrayList<>();
        for (Task task : model.tasks()) {
            task.stages().forEach(stage -> stages.add(stage(task, stage)));
        }
        model.trainer().stages().forEach(stage -> stages.add(stage(model.trainer(), stage)));
        return stages;
    }

    private static Map<String, @Nullable Object> stage(Task task, StageCost stage) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", stage.name());
        json.put("slots", task.slots());
        json.put("records_per_sample", stage.recordsPerSample());
        json.put("own_ms_per_record", millis(stage.ownSeconds()));
        json.put("cpu_ms_per_record", millis(stage.cpuSeconds()));
        return json;
    }

    private static @Nullable Double millis(@Nullable Double seconds) {
        return seconds == null ? null : Double.valueOf(seconds * MILLIS_PER_SECOND);
    }

    /** Adds the likely throughput and the ends of its range; null when there is no prediction. */
    private static void putPrediction(
            Map<String, @Nullable Object> json, String name, @Nullable Prediction prediction) {
        json.put(name + "_images_per_s", prediction == null ? null : Double.valueOf(prediction.likely()));
        json.put(name + "_low_images_per_s", prediction == null ? null : Double.valueOf(prediction.low()));
        json.put(name + "_high_images_per_s", prediction == null ? null : Double.valueOf(prediction.high()));
    }

    private static Map<String, @Nullable Object> change(Advice change) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("change", change.change());
        json.put("reason", change.reason());
        json.put("changes_values", change.changesValues());
        return json;
    }

    private static Map<String, @Nullable Object> advice(Predicted predicted) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("change", predicted.advice().change());
        putPrediction(json, "predicted", predicted.prediction());
        if (!predicted.advice().gain().isEmpty()) {
            json.put("gain", predicted.advice().gain());
        }
        json.put("reason", predicted.advice().reason());
        json.put("settings", predicted.advice().settings());
        json.put("changes_values", predicted.advice().changesValues());
        return json;
    }
}
