package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.BatchPlan;
import io.millrace.order.MixturePlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MixConfigTest {
    private static final String SOURCES = """
            train: { model: none }
            datasets:
              web: { format: folder, path: web }
              code: { format: folder, path: code, transforms: [decode], max_repeats: 4 }
            """;

    private static final String MIX = """
            mix:
              - { steps: 100, weights: { web: 0.8, code: 0.2 } }
              - { steps: 200, weights: { web: 1/3, code: 2/3 }, ramp: 20 }
            """;

    @TempDir
    Path folder;

    private List<String> problems(String text) {
        return PipelineText.of(folder, text).problems();
    }

    @Test
    void datasetsHaveTheirOwnTransformsAndThePhasesTheirWeightsAsWritten() throws Exception {
        DataConfig data = PipelineText.of(folder, SOURCES + MIX).read().data();

        assertThat(data.sources()).extracting(SourceConfig::name).containsExactly("web", "code");
        assertThat(data.sources().get(1).transforms()).hasSize(1);
        assertThat(data.sources().get(1).maxRepeats()).contains(4);
        assertThat(data.mix())
                .contains(new MixConfig(
                        new MixturePlan(List.of(
                                new MixturePlan.Phase(100, Map.of("web", "0.8", "code", "0.2"), 0),
                                new MixturePlan.Phase(200, Map.of("web", "1/3", "code", "2/3"), 20))),
                        Optional.empty(),
                        1));
        assertThat(data.epochs()).isEqualTo(1);
    }

    @Test
    void aMixtureWithoutEndIsEndlessAndNeedsTheLengthOfItsEpochs() throws Exception {
        String open = SOURCES + "mix: [{weights: {web: 1}}]\n";

        assertThat(problems(open))
                .containsExactly(
                        "some.yaml:1: mix_epoch: missing: the last phase of mix has no steps, so that the run needs a"
                                + " length of its epochs");
        assertThat(PipelineText.of(folder, open + "mix_epoch: 50\n")
                        .read()
                        .data()
                        .epochs())
                .isEqualTo(BatchPlan.ENDLESS);
    }

    @Test
    void anEpochDividesTheStepsOfTheMixture() throws Exception {
        assertThat(PipelineText.of(folder, SOURCES + MIX + "mix_epoch: 100\n")
                        .read()
                        .data()
                        .epochs())
                .isEqualTo(3);
        assertThat(problems(SOURCES + MIX + "mix_epoch: 70\n"))
                .containsExactly(
                        "some.yaml:8: mix_epoch: expected a number that divides the 300 steps of the mix, found 70");
    }

    @Test
    void aDatasetAloneHasItsOwnTransformsBeforeTheOthers() throws Exception {
        PipelineConfig config = PipelineText.of(folder, SOURCES + MIX + "transforms: [{Resize: {size: 8}}]\n")
                .read();

        List<PipelineConfig> alone = config.bySource();
        assertThat(alone).hasSize(2);
        assertThat(alone.get(0).transformStages()).containsExactly("Resize");
        assertThat(alone.get(1).transformStages()).containsExactly("decode", "Resize");
        assertThat(alone.get(1).data().dataset().spec().path()).isEqualTo("code");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    steps: 10, weights: {wed: 1}             | some.yaml:6: mix.0.weights: there is no dataset 'wed', did you mean 'web'?
                    steps: 10, weights: {}                   | some.yaml:6: mix.0.weights: expected names of datasets with their weights, such as {web: 0.8, code: 0.2}, found {}
                    steps: 10, weights: [1, 2]               | some.yaml:6: mix.0.weights: expected names of datasets with their weights, such as {web: 0.8, code: 0.2}, found [1, 2]
                    steps: 0, weights: {web: 1}              | some.yaml:6: mix.0.steps: expected a number of steps from 1 to 1000000000000000, found 0
                    steps: 10, ramp: 5, weights: {web: 1}    | some.yaml:6: mix.0.ramp: expected no ramp in the first phase, which has no phase before it, found 5
                    steps: 10                                | some.yaml:6: mix.0.weights: missing: The weights of the datasets: whole numbers, decimals, or fractions such as 1/3. Only their ratios count; a dataset that is not named has the weight 0.
                    """)
    void badPhaseIsReportedWithItsKey(String phase, String problem) {
        assertThat(problems(SOURCES + "mix:\n  - {" + phase + "}\n")).containsExactly(problem);
    }

    @Test
    void onlyTheLastPhaseHasNoEnd() {
        assertThat(problems(SOURCES + "mix: [{weights: {web: 1}}, {steps: 3, weights: {web: 1}}]\n"))
                .containsExactly("some.yaml:5: mix.0.steps: missing: only the last phase may have no steps");
    }

    @Test
    void aPhaseMayEndWithinItsRamp() throws Exception {
        assertThat(PipelineText.of(
                                folder,
                                SOURCES
                                        + "mix: [{steps: 3, weights: {web: 1}}, {steps: 3, ramp: 4, weights: {code: 1}}]\n")
                        .read()
                        .data()
                        .mix()
                        .orElseThrow()
                        .plan()
                        .phases()
                        .get(1)
                        .ramp())
                .isEqualTo(4);
    }

    @Test
    void keysOfAMixtureNeedDatasets() {
        String single = PipelineText.SMALLEST;
        assertThat(problems(single + "mix_epoch: 5\n"))
                .containsExactly("some.yaml:3: mix_epoch: expected datasets, which it is a setting of, found none");
        assertThat(problems(single + "mix_jitter: 5\n"))
                .containsExactly("some.yaml:3: mix_jitter: expected datasets, which it is a setting of, found none");
        assertThat(problems(SOURCES + MIX + "evaluate: {part: code}\n"))
                .containsExactly(
                        "some.yaml:8: evaluate.part: expected dataset in place of part, because a mixture has no single"
                                + " dataset, found 'code'");
    }

    @Test
    void datasetAndDatasetsExcludeEachOther() {
        assertThat(problems(SOURCES + MIX + "dataset: {format: folder, path: photos}\n"))
                .containsExactly("some.yaml:3: datasets: expected either dataset or datasets, found both");
        assertThat(problems("train: { model: none }\ndataset: {format: folder, path: photos}\n" + MIX))
                .containsExactly("some.yaml:4: mix: expected datasets, whose shares these are, found none");
        assertThat(problems(SOURCES)).singleElement().asString().startsWith("some.yaml:1: mix: missing: The shares");
        assertThat(problems("train: { model: none }\ndatasets: {}\n" + MIX))
                .contains("some.yaml:2: datasets: expected at least one dataset as {name: dataset}, found none");
    }

    @Test
    void datasetsWithBadNamesOrKeysAreReported() {
        assertThat(problems(SOURCES.replace("code:", "a.b:") + "mix: [{steps: 3, weights: {web: 1}}]\n"))
                .containsExactly(
                        "some.yaml:4: datasets.a.b: expected a name of letters, digits, '-' and '_', with a letter or"
                                + " digit first, that does not begin with evaluate, found 'a.b'");
        assertThat(problems(SOURCES.replace("max_repeats: 4", "max_repeats: -1, epochs: 3") + MIX))
                .contains("some.yaml:4: datasets.code.max_repeats: expected a whole number of at least 0, found -1");
        assertThat(problems(SOURCES.replace("[decode]", "[{decode: {place: device}}]") + MIX))
                .containsExactly(
                        "some.yaml:4: datasets.code.transforms: decode: expected no key place, because the transforms of"
                                + " one dataset run on the server");
    }

    @Test
    void badStepsToSkipAreReported() {
        String file = PipelineText.SMALLEST + "order: {skip_steps: [%s]}\n";
        assertThat(problems(file.formatted("9-3")))
                .singleElement()
                .asString()
                .endsWith("order.skip_steps: expected a range of steps with its lower end first, found '9-3'");
        assertThat(problems(file.formatted("x")))
                .singleElement()
                .asString()
                .endsWith("order.skip_steps: expected a step or a range of steps, such as 48200-48260, found 'x'");
    }
}
