package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.advice.Advice;
import io.millrace.diagnosis.advice.Predicted;
import io.millrace.diagnosis.ladder.Ladder;
import io.millrace.diagnosis.ladder.LadderText;
import io.millrace.diagnosis.ladder.Rung;
import io.millrace.report.RunFolder;
import io.millrace.report.Versions;
import io.millrace.report.html.DiagnosisData;
import io.millrace.report.html.DiagnosisData.Outcome;
import io.millrace.report.html.DiagnosisData.StageTime;
import io.millrace.report.html.DiagnosisData.Suggestion;
import io.millrace.report.html.HtmlReport;
import io.millrace.report.html.LadderRung;
import io.millrace.report.html.MachineFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a diagnosis as an HTML page.
 *
 * @param folder the folder for the page
 * @param config the unchanged pipeline
 */
record DiagnosisReport(RunFolder folder, PipelineConfig config, Diagnosis diagnosis) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /**
     * Writes the page and replaces an earlier one.
     *
     * @param applied the changes of the improved file
     * @param outcome the measured result of the recommended changes; null when they were not measured
     * @return the path of the page
     * @throws IOException when the page cannot be written
     */
    Path write(List<Advice> applied, @Nullable Outcome outcome) throws IOException {
        Ladder ladder = diagnosis.result().ladder();
        Map<String, String> machine = new LinkedHashMap<>(MachineFacts.here());
        Versions.current().forEach((name, version) -> machine.put(name + " version", version));
        return HtmlReport.write(
                folder,
                new DiagnosisData(
                        config.name(),
                        HtmlReport.time(ZonedDateTime.now(ZoneId.systemDefault())),
                        diagnosis.asItIs().measurement().summary(null),
                        diagnosis.unit(),
                        ladder.rungs().stream().map(rung -> rung(ladder, rung)).toList(),
                        LadderText.sentence(
                                ladder,
                                diagnosis.asItIs().measurement().verdict().limit()),
                        ladder.largest().map(Ladder.Drop::stage).orElse(null),
                        ladder.samples(),
                        stages(diagnosis.asItIs().measurement().model()),
                        diagnosis.advice().stream().map(DiagnosisReport::advice).toList(),
                        applied.stream()
                                .map(change -> advice(new Predicted(change, null)))
                                .toList(),
                        outcome,
                        config.toMap(),
                        machine));
    }

    private static LadderRung rung(Ladder ladder, Rung rung) {
        return new LadderRung(
                rung.cache(),
                rung.above().isEmpty() ? null : rung.above(),
                rung.samplesPerSecond(),
                rung.spread(),
                rung.busy(),
                ladder.drop(rung).map(Ladder.Drop::share).orElse(null),
                rung.modelled());
    }

    private static List<StageTime> stages(CapacityModel model) {
        List<StageTime> stages = new ArrayList<>();
        for (Task task : model.tasks()) {
            task.stages().forEach(stage -> stages.add(stage(task, stage)));
        }
        model.trainer().stages().forEach(stage -> stages.add(stage(model.trainer(), stage)));
        // A stage that the pipeline lacks, such as evaluation, costs nothing.
        stages.removeIf(stage -> stage.ownMillis() == null && stage.cpuMillis() == null);
        return stages;
    }

    private static StageTime stage(Task task, StageCost stage) {
        return new StageTime(
                stage.name(), task.slots(), millis(stage.ownSecondsPerSample()), millis(stage.cpuSecondsPerSample()));
    }

    /** Returns the time in milliseconds, or null for 0, which stands for a time that was not measured separately. */
    private static @Nullable Double millis(@Nullable Double seconds) {
        return seconds == null || seconds == 0 ? null : Double.valueOf(seconds * MILLIS_PER_SECOND);
    }

    private static Suggestion advice(Predicted predicted) {
        Prediction prediction = predicted.prediction();
        return new Suggestion(
                predicted.advice().change(),
                predicted.advice().reason() + (predicted.advice().changesValues() ? " (changes values)" : ""),
                prediction != null
                        ? prediction.text()
                        : predicted.advice().gain().isEmpty()
                                ? null
                                : predicted.advice().gain());
    }
}
