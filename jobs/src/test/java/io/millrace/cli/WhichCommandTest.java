package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhichCommandTest {
    @TempDir
    Path root;

    private Path file;

    @BeforeEach
    void tables() throws IOException {
        Files.writeString(root.resolve("web.csv"), lines("web", 12));
        Files.writeString(root.resolve("code.csv"), lines("code", 5));
        file = Files.writeString(root.resolve("mix.yaml"), """
                datasets:
                  web: {format: csv, path: %1$s/web.csv, fields: {text: text, value: half}}
                  code: {format: csv, path: %1$s/code.csv, fields: {text: text, value: half}}
                mix: [{steps: 5, weights: {web: 1}}, {weights: {web: 0.5, code: 0.5}}]
                mix_epoch: 5
                batch: {size: 4}
                train: {model: none, input: value}
                run: {folder: %1$s/runs}
                """.formatted(root));
    }

    private static String lines(String name, int count) {
        StringBuilder lines = new StringBuilder("text,number,half\n");
        for (int i = 0; i < count; i++) {
            lines.append(name + i + "," + i + ",0.5\n");
        }
        return lines.toString();
    }

    private CommandRun which(String... arguments) {
        List<String> all = new ArrayList<>(List.of("which", file.toString()));
        all.addAll(List.of(arguments));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @Test
    void aStepOfAnEndlessMixtureIsShownWithItsTexts() {
        CommandRun run = which(
                "--step", "1000000000", "--show", "--out", root.resolve("out").toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("step 1000000000: epoch 200000000, 4 rows, seed 42", "web.csv#", "code.csv#", " of all)")
                .containsPattern("text: text \\[\\d+\\] \"code[0-4]\"  sha256 [0-9a-f]{64}")
                .containsPattern("value: float64 \\[1?\\] 0[.]5  sha256 ");
    }

    @Test
    void aSampleOfAMixtureIsFoundByEitherIndex() {
        JsonNode own = which("--sample", "code:3", "--steps", "1000000000..1000000009", "--json")
                .json();
        JsonNode ofAll = which("--sample", "15", "--steps", "1000000000..1000000009", "--json")
                .json();

        assertThat(own).isEqualTo(ofAll);
        assertThat(own.get("source").asText()).isEqualTo("code");
        assertThat(own.get("source_index").asLong()).isEqualTo(3);
        assertThat(own.get("index").asLong()).isEqualTo(15);
        assertThat(own.get("count").asLong()).isEqualTo(own.get("uses").size()).isBetween(3L, 5L);
        for (JsonNode use : own.get("uses")) {
            JsonNode step = which(
                            "--step",
                            use.get("step").asText(),
                            "--row",
                            use.get("row").asText(),
                            "--json")
                    .json();
            JsonNode row = step.get("rows").get(0);
            assertThat(row.get("source").asText()).isEqualTo("code");
            assertThat(row.get("source_index").asLong()).isEqualTo(3);
            assertThat(row.get("random").get("index").asLong()).isEqualTo(15);
            assertThat(row.get("random").get("epoch")).isEqualTo(row.get("round"));
        }
    }

    @Test
    void manyUsesAreCountedAndTheFirstOnesPrinted() {
        JsonNode found = which("--sample", "web:0", "--json").json();

        assertThat(found.get("steps").toString()).isEqualTo("[0,999999]");
        assertThat(found.get("count").asLong()).isBetween(160_000L, 170_000L);
        assertThat(found.get("uses")).hasSize(1000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--step -1 | expected a step from 0 to",
                "--step abc | --step: expected the number of a step, from 0, found 'abc'",
                "--step 99999999999999999999 | expected a step from 0 to",
                "--step 5 --row 4 | --row 4: expected a row of step 5, which has the rows 0 to 3",
                "--step 5 --row x | --row: expected the number of a row, from 0, found 'x'",
                "--row 1 | expected --step N for the samples of a step, or --sample SAMPLE",
                "--step 1 --sample 2 | found both",
                "--step 1 --out x | --out requires --show",
                "--step 1 --steps 1..2 | --steps requires --sample",
                "--sample 1 --show | --show requires --step",
                "--sample 17 | --sample: expected an index from 0 to 16, found 17",
                "--sample code:5 | --sample: expected an index from 0 to 4 in 'code', found code:5",
                "--sample x.jpg | no sample of the run has the name 'x.jpg': expected its index among all datasets",
                "--sample 1 --steps 7 | expected the first and the last step, such as 0..5000, found '7'",
                "--sample 1 --steps 7..3 | expected the smaller step first"
            })
    void wrongArgumentsAreRefusedWithWhatWasExpected(String arguments, String sentence) {
        which(arguments.split(" ")).fails(ExitCode.USAGE, sentence);
    }

    @Test
    void aStepAfterTheEndIsRefusedWithTheNumberOfSteps() {
        which("--set", "mix.1.steps=20", "--step", "25")
                .fails(ExitCode.USAGE, "--step 25: expected a step from 0 to 24, because the run has 25");
    }

    @Test
    void aFolderThatIsNoRunAndAMissingDatasetAreNamed() throws IOException {
        CommandRun.of("which", root.toString(), "--step", "1")
                .fails(ExitCode.FAILED, root + " has no pipeline.json", "Name the pipeline file of the run instead");
        CommandRun.of("which", root.resolve("none").toString(), "--step", "1")
                .fails(ExitCode.USAGE, "there is no run and no pipeline file " + root.resolve("none"));
        Files.delete(root.resolve("code.csv"));
        CommandRun missing = which("--step", "1");
        assertThat(missing.exitCode()).isNotZero();
        assertThat(missing.err()).contains("datasets.code.path", "code.csv");
    }

    private void packedTexts(String more) throws IOException {
        Files.write(
                root.resolve("texts.jsonl"),
                IntStream.range(0, 60)
                        .mapToObj(i -> "{\"text\": \"" + "word ".repeat(1 + i % 20) + "\"}")
                        .toList());
        file = Files.writeString(root.resolve("packed.yaml"), """
                dataset: {format: jsonl, path: %s/texts.jsonl, epochs: 3}
                transforms:
                  - tokenize: {tokenizer: %s}
                  - pack_sequences: {length: 64, documents: true%s}
                batch: {size: 4}
                train: {model: none, input: [tokens, lengths, documents]}
                run: {folder: %s/runs}
                """.formatted(
                        root,
                        Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
                                .toAbsolutePath(),
                        more,
                        root));
    }

    @Test
    void theDocumentsOfASequenceAreShownWithTheirTokens() throws IOException {
        packedTexts("");
        CommandRun run = which("--step", "1", "--row", "2");
        assertThat(run.out())
                .containsPattern(
                        "document \\d+  \\S*texts.jsonl\\S+  tokens \\d+ to \\d+, at 0 to \\d+ of the sequence");

        JsonNode shown = which("--step", "1", "--row", "2", "--show", "--json").json();
        JsonNode row = shown.get("rows").get(0);
        List<Long> indexes = new ArrayList<>();
        int at = 0;
        for (JsonNode document : row.get("documents")) {
            indexes.add(document.get("index").asLong());
            assertThat(document.get("key").asText()).contains("texts.jsonl");
            assertThat(document.get("at").asInt()).isEqualTo(at);
            at += document.get("to").asInt() - document.get("from").asInt();
        }
        assertThat(at).isBetween(1, 64);
        assertThat(indexes).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void theStepsOfADocumentAreThoseWhoseSequencesShowIt() throws IOException {
        packedTexts(", policy: concat");
        JsonNode found = which("--sample", "19", "--json").json();

        assertThat(found.get("source_index").asLong()).isEqualTo(19);
        assertThat(found.get("uses").size()).isGreaterThanOrEqualTo(3); // once in each epoch, or in two sequences
        List<String> shown = new ArrayList<>();
        for (int step = 0; step < found.get("steps").get(1).asInt() + 1; step++) {
            for (JsonNode row :
                    which("--step", String.valueOf(step), "--json").json().get("rows")) {
                for (JsonNode document : row.get("documents")) {
                    if (document.get("index").asLong() == 19) {
                        shown.add(step + " " + row.get("row").asInt());
                    }
                }
            }
        }
        List<String> uses = new ArrayList<>();
        found.get("uses")
                .forEach(use ->
                        uses.add(use.get("step").asInt() + " " + use.get("row").asInt()));
        assertThat(uses).isEqualTo(shown);
        assertThat(which("--sample", "19").out()).contains("document 19, index 19: used ");
    }

    @Test
    void aDocumentThatDoesNotExistIsRefused() throws IOException {
        packedTexts("");
        which("--sample", "60").fails(ExitCode.USAGE, "--sample: expected the index of a document, 0 to 59, found 60");
        which("--sample", "texts.jsonl")
                .fails(ExitCode.USAGE, "its index; documents of sequences are known by their indexes");
        which("--step", "0", "--row", "4").fails(ExitCode.USAGE, "which has the rows 0 to 3");
    }
}
