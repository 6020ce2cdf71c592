package io.millrace.report.html;

import io.millrace.report.RunSummary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a report tells of a diagnosis.
 *
 * @param name the pipeline's
 * @param endedAt wall clock, for people
 * @param verdict of the pipeline as it is
 * @param ladder from the device down to nothing cached
 * @param sentence what the ladder says
 * @param most the stage with which most time comes; null where none is worth the name
 * @param samples that a rung cached
 * @param stages of the pipeline as it is, in the order of the data's way
 * @param advice the most gain first
 * @param outcome of what was advised; null when it was not tried
 * @param configuration in the words of a pipeline file, without secrets
 * @param machine what it ran on, for people, by name
 */
public record DiagnosisData(
        String name,
        String endedAt,
        RunSummary.Verdict verdict,
        List<LadderRung> ladder,
        String sentence,
        @Nullable String most,
        int samples,
        List<StageTime> stages,
        List<Suggestion> advice,
        @Nullable Outcome outcome,
        Map<String, Object> configuration,
        Map<String, String> machine) {
    public DiagnosisData {
        ladder = List.copyOf(ladder);
        stages = List.copyOf(stages);
        advice = List.copyOf(advice);
        configuration = new LinkedHashMap<>(configuration);
        machine = new LinkedHashMap<>(machine);
    }

    /**
     * What a stage takes for each sample that is trained on; null is unknown.
     *
     * @param ownMillis of its thread, without waiting
     * @param cpuMillis of the processor
     */
    public record StageTime(
            String name,
            int slots,
            @Nullable Double ownMillis,
            @Nullable Double cpuMillis) {}

    /**
     * Something to change.
     *
     * @param change as a user would make it
     * @param reason a sentence
     * @param imagesPerSecond with it; null when that cannot be told
     */
    public record Suggestion(
            String change, String reason, @Nullable Double imagesPerSecond) {}

    /**
     * What all changes together gave, images/s.
     *
     * @param file the improved pipeline
     * @param predicted null when it could not be told
     */
    public record Outcome(
            String file, double before, @Nullable Double predicted, double achieved) {}
}
