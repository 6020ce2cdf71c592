package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.PartGroup;
import io.millrace.dataset.PartSpec;
import io.millrace.dataset.PartSpec.Share;
import io.millrace.option.Identity;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** The keys of parts in a pipeline file. */
class PartsConfigTest {
    private static final String KEYS = "part: train, parts: {train: 0.7, validation: 20%, a-test: 0.1}";

    @TempDir
    Path folder;

    private PipelineConfig read(String keys, String rest) throws Exception {
        return PipelineText.of(
                        folder, "dataset: {format: folder, path: photos, " + keys + "}\ntrain: {model: none}\n" + rest)
                .read();
    }

    private static PartSpec part(DatasetConfig dataset) {
        return Objects.requireNonNull(dataset.spec().part());
    }

    @Test
    void keysChooseAPartInTheOrderOfTheFile() throws Exception {
        PipelineConfig config =
                read(KEYS + ", parts_seed: 5, parts_group: {field: patient}, parts_stratified: true", "");

        assertThat(config.data().dataset().spec().part())
                .isEqualTo(new PartSpec(
                        "train",
                        List.of(new Share("train", 0.7), new Share("validation", 0.2), new Share("a-test", 0.1)),
                        5,
                        new PartGroup("patient"),
                        true));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap())).read())
                .isEqualTo(config);
        assertThat(part(read(KEYS + ", parts_group: folder", "").data().dataset())
                        .group())
                .isEqualTo(PartGroup.FOLDER);
    }

    @Test
    void evaluationWithAPartIsTheSameDatasetWithTheOtherPart() throws Exception {
        PipelineConfig config =
                read(KEYS + ", follow_links: true", "evaluate: {part: validation, transforms: [decode]}");

        assertThat(config.evaluate().orElseThrow().dataset())
                .isEqualTo(config.data()
                        .dataset()
                        .withPart(part(config.data().dataset()).named("validation")));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap())).read())
                .isEqualTo(config);
        assertThat(part(config.absolute().evaluate().orElseThrow().dataset()).name())
                .isEqualTo("validation");
    }

    @Test
    void anotherOrderOfThePartsIsAnotherRun() throws Exception {
        PipelineConfig one = read("part: a, parts: {a: 0.5, b: 0.5}", "evaluate: {part: b}");
        PipelineConfig other = read("part: a, parts: {b: 0.5, a: 0.5}", "evaluate: {part: b}");

        assertThat(one.identity(Set.of(Identity.BATCHES)))
                .containsEntry("dataset.parts", List.of("a: 0.5", "b: 0.5"))
                .isNotEqualTo(other.identity(Set.of(Identity.BATCHES)));
        assertThat(one.identity(Set.of(Identity.TRAINING)))
                .containsEntry("evaluate.dataset.part", "b")
                .isNotEqualTo(other.identity(Set.of(Identity.TRAINING)));
        assertThat(read("follow_links: true", "")
                        .identity(Set.of(Identity.BATCHES))
                        .keySet())
                .noneMatch(key -> key.contains("part"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            part: train                                    | dataset.parts: missing: part needs part and parts, as in part: train,
            parts: {a: 0.5}                                | dataset.part: missing: parts needs part and parts, as in part: train,
            parts_seed: 3                                  | dataset.part: missing: parts_seed needs part and parts
            part: x, parts: {a: 0.5, b: 0.5}               | dataset.part: expected one of the parts a, b, found 'x'
            part: a, parts: {a: 0.5, b: 0.6}               | dataset.parts: expected fractions that are at most 1 together, found 1.1
            part: a, parts: {a: 0, b: 0.6}                 | dataset.parts: expected fractions above 0 and at most 1, found 0.0 for 'a'
            part: a, parts: {a: 1.5}                       | dataset.parts: expected a share from 0 to 1, or a percentage such as 0.1%, found 1.5
            part: a, parts: {a: }                          | dataset.parts: expected a share from 0 to 1, or a percentage such as 0.1%, found nothing
            part: a, parts: [a]                            | dataset.parts: expected names with their fractions, such as {train: 0.9, validation: 0.1}, found [a]
            part: a, parts: {}                             | dataset.parts: expected names with their fractions, such as {train: 0.9, validation: 0.1}, found {}
            part: a, parts: {a: 1}, parts_group: patient   | dataset.parts_group: expected folder, or a field such as {field: patient}, found 'patient'
            part: a, parts: {a: 1}, parts_stratified: 1    | dataset.parts_stratified: expected true or false, found 1
            """)
    void badKeysAreReported(String keys, String message) {
        assertThatThrownBy(() -> read(keys, ""))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {part: train}                                                | evaluate.part: expected another part than dataset.part, because a run must not evaluate with the samples that it trains on, found 'train'
            {part: other}                                                | evaluate.part: expected one of the parts train, validation, a-test, found 'other'
            {part: validation, dataset: {format: folder, path: other}}   | evaluate.part: expected either part or dataset, found both
            {every: 1}                                                   | evaluate.dataset: missing: The samples to evaluate with.
            """)
    void badEvaluationsAreReported(String evaluate, String message) {
        assertThatThrownBy(() -> read(KEYS, "evaluate: " + evaluate))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void unknownPartIsTheOnlyProblemOfAFileThatEvaluatesWithAnotherOne() {
        assertThat(PipelineText.of(folder, """
                        dataset: {format: folder, path: photos, part: x, parts: {a: 0.5, b: 0.5}}
                        train: {model: none}
                        evaluate: {part: b}
                        """).problems())
                .containsExactly("some.yaml:1: dataset.part: expected one of the parts a, b, found 'x'");
    }

    @Test
    void allMistakesInThePartsOfAFileAreReportedTogether() {
        assertThat(PipelineText.of(folder, """
                        dataset: {format: folder, part: trian, parts: {train: 0.9, validation: 0.2}}
                        train: {model: none}
                        evaluate: {part: valid}
                        """).problems())
                .containsExactlyInAnyOrder(
                        "some.yaml:1: dataset.path: missing: The folder.",
                        "some.yaml:1: dataset.part: expected one of the parts train, validation, found 'trian'",
                        "some.yaml:1: dataset.parts: expected fractions that are at most 1 together, found 1.1",
                        "some.yaml:3: evaluate.part: expected one of the parts train, validation, found 'valid'");
    }

    @Test
    void evaluationWithAPartNeedsParts() {
        assertThatThrownBy(() -> read("follow_links: true", "evaluate: {part: validation}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "evaluate.part: expected a training dataset with parts, as in dataset: {part: train,"
                                + " parts: {train: 0.9, validation: 0.1}}, found one without");
    }
}
