package io.millrace.report.html;

import io.millrace.report.VerdictSummary;
import io.millrace.sample.SampleUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a diagnosis's report.
 *
 * @param name the name of the pipeline
 * @param endedAt the wall-clock time at the end, for readers
 * @param verdict the verdict on the unchanged pipeline
 * @param unit the word for the samples in throughputs
 * @param ladder the rungs, from samples cached on the device to nothing cached
 * @param sentence the conclusion from the ladder
 * @param most the stage that adds most time; null when none stands out
 * @param samples the number of samples that a rung cached
 * @param stages the stages of the unchanged pipeline, in the order in which samples pass them
 * @param advice the suggested changes, the largest gain first
 * @param applied the changes of the improved file, which are made together; empty when there is none
 * @param outcome the outcome of all suggested changes together; null when they were not tried
 * @param configuration the configuration with the keys of a pipeline file, without secrets
 * @param machine facts about the machine by name, for readers
 */
public record DiagnosisData(
        String name,
        String endedAt,
        VerdictSummary verdict,
        SampleUnit unit,
        List<LadderRung> ladder,
        String sentence,
        @Nullable String most,
        int samples,
        List<StageTime> stages,
        List<Suggestion> advice,
        List<Suggestion> applied,
        @Nullable Outcome outcome,
        Map<String, Object> configuration,
        Map<String, String> machine) {
    public DiagnosisData {
        ladder = List.copyOf(ladder);
        stages = List.copyOf(stages);
        advice = List.copyOf(advice);
        applied = List.copyOf(applied);
        configuration = new LinkedHashMap<>(configuration);
        machine = new LinkedHashMap<>(machine);
    }

    /**
     * The time that a stage spends on each sample that is trained on. Null means unknown.
     *
     * @param name the name of the stage
     * @param slots the number of its slots
     * @param ownMillis its own time, without waiting
     * @param cpuMillis its CPU time
     */
    public record StageTime(
            String name,
            int slots,
            @Nullable Double ownMillis,
            @Nullable Double cpuMillis) {}

    /**
     * A suggested change.
     *
     * @param change the change as a user makes it
     * @param reason the reason, as a sentence
     * @param imagesPerSecond the range of the predicted throughput, or a gain that is none of samples per second; null when it cannot be predicted
     */
    public record Suggestion(
            String change, String reason, @Nullable String imagesPerSecond) {}

    /**
     * The throughput with all changes together, in samples per second.
     *
     * @param file the file of the changed pipeline
     * @param before the throughput of the unchanged pipeline
     * @param predicted the range of the prediction; null when there was none
     * @param achieved the measured throughput
     */
    public record Outcome(
            String file, double before, @Nullable String predicted, double achieved) {}
}
