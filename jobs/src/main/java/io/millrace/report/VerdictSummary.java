package io.millrace.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sequence.PackFill;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verdict in {@code summary.json}: the limit of the throughput, and the limit that would follow if the first one were removed.
 *
 * @param limit the stage or resource that is the limit
 * @param code the user's code of this stage, with the line that costs most, or the dataset of a mixture that costs most; absent when there is
 *     neither
 * @param kind the kind of limit: slots, cores, trainer, training, link, storage, network, straggler,
 *     samples, evaluation, others or collections
 * @param imagesPerSecond the measured throughput
 * @param fixedImagesPerSecond the likely throughput without the limit; null when the limit cannot be removed
 * @param fixedLowImagesPerSecond the lower end of the range of this throughput
 * @param fixedHighImagesPerSecond the upper end of the range of this throughput
 * @param next the limit that would follow
 * @param ceilingImagesPerSecond the throughput of training alone
 * @param confidence high, medium, low or unknown
 * @param reason the reason for the confidence
 * @param sentence the verdict in one sentence with one throughput, that of the run without its start
 * @param line the verdict with all its figures
 * @param contradictions sentences about figures of Flink and of Millrace that contradict each other
 * @param packs the fill of packed sequences; absent when samples are not packed
 */
public record VerdictSummary(
        @Nullable String limit,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Map<String, Object> code,

        @Nullable String kind,
        @JsonProperty("images_per_s") @Nullable Double imagesPerSecond,
        @JsonProperty("fixed_images_per_s") @Nullable Double fixedImagesPerSecond,

        @JsonProperty("fixed_low_images_per_s") @Nullable Double fixedLowImagesPerSecond,

        @JsonProperty("fixed_high_images_per_s") @Nullable Double fixedHighImagesPerSecond,

        @Nullable String next,
        @JsonProperty("ceiling_images_per_s") @Nullable Double ceilingImagesPerSecond,
        String confidence,
        String reason,
        String sentence,
        String line,
        List<String> contradictions,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Packs packs) {
    /**
     * The fill of packed sequences, and what would fill them better. All but the fill is null when nothing is known that would.
     *
     * @param fill the share of the places that hold tokens, 0 to 1
     * @param padding the share of the places that are empty, 0 to 1
     * @param documents the mean number of documents in a sequence; one that is split counts once
     * @param split the share of the documents that are in more than one sequence, 0 to 1
     * @param documentsPerSecond the throughput in documents per second; null when it is unknown
     * @param cacheHits the share of the words whose ids the tokenizer had in its cache, 0 to 1; absent when none reports it
     * @param policy the policy that would fill them better
     * @param fewerSteps the share of the steps that it would save, 0 to 1
     * @param remedy both as a clause that follows "sequences are"
     */
    public record Packs(
            double fill,
            double padding,
            @JsonProperty("documents_per_sequence") double documents,
            @JsonProperty("split_documents") double split,

            @JsonProperty("documents_per_s") @Nullable Double documentsPerSecond,

            @JsonProperty("cache_hits") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Double cacheHits,

            @Nullable String policy,
            @JsonProperty("fewer_steps") @Nullable Double fewerSteps,
            @Nullable String remedy) {
        /**
         * Returns the fill in this form; null for samples that are not packed.
         *
         * @param sequencesPerSecond the throughput; null when it is unknown
         * @param cacheHits the share of the words whose ids the tokenizer had in its cache; null when none reports it
         */
        public static @Nullable Packs of(
                @Nullable PackFill packs, @Nullable Double sequencesPerSecond, @Nullable Double cacheHits) {
            if (packs == null) {
                return null;
            }
            Optional<PackFill.Fuller> fuller = Optional.ofNullable(packs.fuller());
            return new Packs(
                    packs.fill(),
                    1 - packs.fill(),
                    packs.documents(),
                    packs.split(),
                    RunSummary.finite(
                            sequencesPerSecond == null ? null : Double.valueOf(sequencesPerSecond * packs.documents())),
                    RunSummary.finite(cacheHits),
                    fuller.map(PackFill.Fuller::policy).orElse(null),
                    fuller.map(rule -> 1 - rule.steps()).orElse(null),
                    packs.remedy().orElse(null));
        }
    }

    public VerdictSummary {
        imagesPerSecond = RunSummary.finite(imagesPerSecond);
        fixedImagesPerSecond = RunSummary.finite(fixedImagesPerSecond);
        ceilingImagesPerSecond = RunSummary.finite(ceilingImagesPerSecond);
        contradictions = List.copyOf(contradictions);
    }

    /** Returns the lines about packed sequences: their figures, and what would fill them better, if anything is known; none for others. */
    @JsonIgnore
    public List<String> packsLines() {
        if (packs == null) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "packs   %.1f %% tokens, %.1f %% padding, %.1f documents in each, %.1f %% of the documents split%s%s",
                100 * packs.fill,
                100 * packs.padding,
                packs.documents,
                100 * packs.split,
                packs.documentsPerSecond == null
                        ? ""
                        : String.format(Locale.ROOT, "; %,.0f documents/s", packs.documentsPerSecond),
                packs.cacheHits == null
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", %.1f %% of the words in the tokenizer's cache",
                                100 * packs.cacheHits)));
        if (packs.remedy != null) {
            lines.add("packs   " + packs.remedy);
        }
        return lines;
    }

    /** Returns the name of the stage that is the limit; null or another name when the limit is no stage. */
    public @Nullable String limitingStage() {
        return "training".equals(kind) ? "train" : limit;
    }
}
