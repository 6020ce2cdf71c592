package io.millrace.diagnosis.advice;

import io.millrace.config.PipelineConfig;
import io.millrace.config.SourceConfig;
import io.millrace.diagnosis.Limit;
import io.millrace.sequence.PackFill;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import io.millrace.transform.text.TokenizerEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules for text: fuller sequences, and cheaper tokenising. */
final class SequenceRules {
    private SequenceRules() {}

    /** Proposes a packing that needs fewer steps for the same documents. The number of sequences per second stays the same. */
    static List<Advice> betterPacks(Situation situation) {
        PackFill packs = situation.setting().packs();
        PackFill.Fuller fuller = packs == null ? null : packs.fuller();
        if (packs == null || fuller == null) {
            return List.of();
        }
        String policy = fuller.cuts() ? "concat" : PackOptions.AUTO;
        String reason = "sequences are " + packs.remedy().orElseThrow();
        List<String> settings = new ArrayList<>();
        List<TransformSpec> transforms = situation.config().data().transforms();
        for (int i = 0; i < transforms.size(); i++) {
            if (PackOptions.isPacking(transforms.get(i))) {
                String key = "transforms." + i + "." + transforms.get(i).name();
                settings.add(key + ".policy=" + policy);
                settings.add(key + ".window=auto");
            }
        }
        Advice advice = settings.isEmpty()
                ? Advice.act(reason, "set policy: " + policy + " and window: auto of pack_sequences", null)
                : Advice.set(reason, settings, null);
        return List.of(advice.changingValues()
                .gaining(String.format(
                        Locale.ROOT, "the same documents in %.0f %% fewer steps", 100 * (1 - fuller.steps()))));
    }

    /** Proposes to store the ids of tokens, if making them is the limit. The prediction is without this stage. */
    static List<Advice> tokenizeOnce(Situation situation) {
        String stage = situation.limit().map(Limit::culprit).orElse("");
        return tokenizing(situation, stage) == null
                ? List.of()
                : List.of(Advice.act(
                        stage + " makes the same ids in each epoch and each run",
                        "make the ids once, with ./millrace pack PIPELINE OUT --tokens: docs/data/text.md describes how to train on them",
                        model -> model.scaled(stage, 0)));
    }

    /** Proposes our own engine, if the limit is a tokenizer of the library. Its speed depends on the vocabulary, which is not known here. */
    static List<Advice> otherEngine(Situation situation) {
        TransformSpec transform =
                tokenizing(situation, situation.limit().map(Limit::culprit).orElse(""));
        Optional<String> library = transform == null ? Optional.empty() : TokenizerEngine.describeLibrary(transform);
        return library
                .map(sentence -> Advice.act(
                        sentence + "; the engine millrace is about ten times as fast",
                        "use a tokenizer for which docs/data/tokenizers.md names the engine millrace, if the model allows it",
                        null))
                .stream()
                .toList();
    }

    /** Returns the transform of a stage, if it makes ids of texts; otherwise null. */
    private static @Nullable TransformSpec tokenizing(Situation situation, String stage) {
        TransformSpec transform = stages(situation.config()).get(stage);
        return transform != null && TokenizerEngine.isTokenizing(transform) ? transform : null;
    }

    private static Map<String, TransformSpec> stages(PipelineConfig config) {
        Map<String, TransformSpec> stages = new LinkedHashMap<>();
        put(stages, config.transformStages(), config.data().transforms());
        for (SourceConfig source : config.data().sources()) {
            put(stages, config.sourceStages(source), source.transforms());
        }
        return stages;
    }

    private static void put(Map<String, TransformSpec> stages, List<String> names, List<TransformSpec> transforms) {
        for (int i = 0; i < names.size(); i++) {
            stages.put(names.get(i), transforms.get(i));
        }
    }
}
