package io.millrace.diagnosis.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Measurement;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.sample.SampleUnit;
import io.millrace.sequence.PackFill;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequenceRulesTest {
    private static final Path VECTORS =
            Path.of("../operators/src/test/resources/vectors/text").toAbsolutePath();
    private static final PackFill BAD = new PackFill(60, 100, 3, 0, new PackFill.Fuller("best_fit", false, 0.625));

    @TempDir
    private Path folder;

    /** A sequence needs 8 ms for its tokens and 2 ms for the rest. */
    private List<Predicted> advice(String tokenizer, double tokenizeSeconds, @Nullable PackFill packs)
            throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: jsonl, path: web.jsonl }
                transforms:
                  - tokenize: { tokenizer: %s }
                  - pack_sequences: { length: 100, policy: none, window: 4 }
                parallelism: 1
                train: { model: none, input: [tokens, lengths] }
                """.formatted(VECTORS.resolve(tokenizer)));
        PipelineConfig config = ConfigReader.read(file, List.of());
        Task chain = new Task(
                "tokenize",
                1,
                List.of(
                        new StageCost("tokenize", 1, tokenizeSeconds, tokenizeSeconds),
                        new StageCost("pack_sequences", 1, 0.002, 0.002)));
        Task trainer = new Task("train", 1, List.of(new StageCost("train", 1, 0.0001, 0.0001)));
        CapacityModel model = new CapacityModel(List.of(chain), trainer, 8.0, List.of());
        Measurement measured = new Measurement(
                10,
                model,
                new Observed(1 / (tokenizeSeconds + 0.002), 0.8, null, SampleUnit.SAMPLES, packs),
                List.of());
        Setting setting = new Setting(0, 1, 1, Setting.Loop.JOB, SampleUnit.SAMPLES, packs);
        Situation situation = Situation.of(config, setting, measured, DatasetFacts.UNKNOWN);
        return Advisor.advise(situation, settings -> ConfigReader.read(file, settings));
    }

    private static Predicted with(List<Predicted> advice, String change) {
        return advice.stream()
                .filter(each -> each.advice().change().contains(change))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no advice with " + change + " in " + advice));
    }

    @Test
    void costlyTokensAreMadeOnceAndThePredictionIsWithoutThem() throws Exception {
        Predicted once = with(advice("byte_level_gpt2.json", 0.008, null), "make the ids once");

        assertThat(once.advice().reason()).isEqualTo("tokenize makes the same ids in each epoch and each run");
        assertThat(Objects.requireNonNull(once.prediction()).likely()).isCloseTo(500, within(1e-6));
    }

    @Test
    void moreSlotsAreProposedToo() throws Exception {
        assertThat(with(advice("byte_level_gpt2.json", 0.008, null), "--set parallelism=")
                        .advice()
                        .reason())
                .isEqualTo("tokenize uses all the time of 1 slot");
    }

    @Test
    void ourEngineIsProposedWhereTheLibraryMakesTheTokens() throws Exception {
        Predicted engine = with(advice("wordpiece.json", 0.008, null), "names the engine millrace");

        assertThat(engine.prediction()).isNull();
        assertThat(engine.advice().reason()).contains(": engine tokenizers, because ");
        assertThat(advice("byte_level_gpt2.json", 0.008, null))
                .noneMatch(each -> each.advice().change().contains("engine millrace"));
    }

    @Test
    void tokensThatAreNotTheLimitAreNoChange() throws Exception {
        assertThat(advice("wordpiece.json", 0.001, null))
                .noneMatch(each -> each.advice().change().contains("make the ids once")
                        || each.advice().change().contains("engine millrace"));
    }

    @Test
    void badlyFilledSequencesGetTheAutomaticPackingWithTheStepsThatItSaves() throws Exception {
        List<Predicted> advice = advice("byte_level_gpt2.json", 0.008, BAD);
        Predicted packing = with(advice, "pack_sequences.policy");

        assertThat(packing.advice().settings())
                .containsExactly("transforms.1.pack_sequences.policy=auto", "transforms.1.pack_sequences.window=auto");
        assertThat(packing.advice().reason())
                .isEqualTo(
                        "sequences are filled to 60.0 %: best_fit would fill 96.0 %, the same documents in 38 % fewer steps");
        assertThat(AdviceText.lines(advice, SampleUnit.SAMPLES))
                .anyMatch(line -> line.endsWith("pack_sequences.window=auto: the same documents in 38 % fewer steps"
                        + " [changes values: --apply needs --allow-other-pixels]"));
    }

    @Test
    void fullSequencesAreLeftAsTheyAre() throws Exception {
        assertThat(advice("byte_level_gpt2.json", 0.008, new PackFill(60, 100, 3, 0, null)))
                .noneMatch(each -> each.advice().change().contains("pack_sequences"));
    }
}
