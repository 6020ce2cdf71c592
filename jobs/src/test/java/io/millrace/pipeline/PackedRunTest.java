package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetException;
import io.millrace.preview.PreviewRun;
import io.millrace.preview.SampleView;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackedRunTest {
    private static final Path TOKENIZER = Path.of("../operators/src/test/resources/vectors/text/byte_level_gpt2.json")
            .toAbsolutePath();

    private static final int LENGTH = 64;

    @TempDir
    Path folder;

    private Path texts;

    @BeforeEach
    void writeTexts() throws IOException {
        Random random = new Random(2);
        List<String> lines = new ArrayList<>();
        for (int document = 0; document < 300; document++) {
            String text = "word ".repeat(1 + random.nextInt(document % 50 == 0 ? 200 : 30));
            lines.add("{\"text\": \"" + document + " " + text + "\"}");
        }
        lines.set(17, "{\"text\": 5}");
        lines.set(18, "{\"text\": \"cut off");
        texts = Files.write(folder.resolve("texts.jsonl"), lines);
    }

    private PipelineConfig config(String pack, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("packed.yaml"), """
                dataset: { format: jsonl, path: %s, epochs: 3 }
                order: { seed: 4 }
                transforms:
                  - tokenize: { tokenizer: %s }
                  - pack_sequences: { length: %d, documents: true%s }
                batch: { size: 4, max_quarantined: 0.1 }
                train: { model: none, input: [tokens, lengths, documents] }
                """.formatted(texts, TOKENIZER, LENGTH, pack));
        return ConfigReader.read(file, List.of(more));
    }

    /** The documents of a sequence, with their numbers of tokens. */
    private record Member(long document, int tokens) {}

    private static List<List<Member>> epoch(PipelineConfig config, int epoch) throws Exception {
        RunPlan plan = RunPlanner.plan(config);
        List<List<Member>> sequences = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, plan, Split.TRAIN, epoch)) {
            for (long i = 0; i < run.samples(); i++) {
                SampleView view = run.view(i);
                Sample sample = view.sample();
                assertThat(sample.badSample()).isNull();
                ByteBuffer lengths =
                        ByteBuffer.wrap(sample.field("lengths").data()).order(ByteOrder.LITTLE_ENDIAN);
                ByteBuffer documents =
                        ByteBuffer.wrap(sample.field("documents").data()).order(ByteOrder.LITTLE_ENDIAN);
                List<Member> members = new ArrayList<>();
                while (lengths.hasRemaining()) {
                    members.add(new Member(documents.getLong(), lengths.getInt()));
                }
                sequences.add(members);
            }
        }
        return sequences;
    }

    @Test
    void everyEpochHasEachGoodDocumentAndTheSamePacksInAnotherOrder() throws Exception {
        PipelineConfig config = config(", window: 32, policy: best_fit");
        List<List<Member>> first = epoch(config, 0);
        List<List<Member>> second = epoch(config, 1);

        assertThat(first.stream().flatMap(List::stream).map(Member::document).distinct())
                .hasSize(298)
                .doesNotContain(17L, 18L);
        assertThat(first)
                .allMatch(members -> members.stream().mapToInt(Member::tokens).sum() <= LENGTH);
        assertThat(second).isNotEqualTo(first).containsExactlyInAnyOrderElementsOf(first);
        assertThat(epoch(config, 0)).isEqualTo(first); // by the kept lengths and plan
        assertThat(epoch(config(", window: 32, policy: best_fit", "order.seed=5"), 0))
                .isNotEqualTo(first);
    }

    @Test
    void documentsThatAreAllBadAreRefusedAndWindowsOfThemHaveNoSequences() throws Exception {
        List<String> lines = new ArrayList<>(Files.readAllLines(texts));
        lines.subList(20, 300).replaceAll(line -> "{}");
        Files.write(texts, lines);
        for (String pack : List.of(", window: 8, policy: best_fit", ", policy: none", ", window: 1")) {
            PipelineConfig some = config(pack, "batch.max_quarantined=1", "order.shuffle=none");
            assertThat(epoch(some, 0).stream()
                            .flatMap(List::stream)
                            .map(Member::document)
                            .distinct())
                    .as(pack)
                    .hasSize(18);
        }
        lines.replaceAll(line -> "{}");
        Files.write(texts, lines);
        for (String steps : List.of("dataset.epoch_steps=pass", "dataset.epoch_steps=5")) {
            PipelineConfig none = config("", "batch.max_quarantined=1", steps);
            assertThatThrownBy(() -> RunPlanner.plan(none))
                    .hasMessageContaining(
                            "all 300 documents of " + texts + " are bad, so that there is nothing to pack: ");
        }
    }

    @Test
    void damagedCountsAndPlansAreMadeAgain() throws Exception {
        PipelineConfig config = config(", window: 32, policy: best_fit");
        List<List<Member>> rows = epoch(config, 0);
        List<Path> kept;
        try (var files = Files.list(folder.resolve(".millrace"))) {
            kept = files.filter(file -> file.toString().matches(".*/lengths-[^/]*(bin|plan)"))
                    .toList();
        }
        assertThat(kept).hasSize(2);
        for (Path file : kept) {
            byte[] whole = Files.readAllBytes(file);
            byte[] flipped = whole.clone();
            flipped[70] ^= 1;
            for (byte[] damaged : List.of(new byte[0], Arrays.copyOf(whole, whole.length - 3), flipped)) {
                Files.write(file, damaged);
                assertThat(RunPlanner.plan(config).remarks())
                        .anyMatch(remark -> remark.startsWith(file + " is ")
                                && remark.contains("expected")
                                && remark.endsWith(" again"));
                assertThat(file).hasBinaryContent(whole);
                assertThat(epoch(config, 0)).isEqualTo(rows);
            }
        }
    }

    @Test
    void badDocumentsAreListedWithFileLineAndReason() throws Exception {
        RunPlan plan = RunPlanner.plan(config(""));
        assertThat(plan.remarks())
                .anyMatch(remark -> remark.contains("2 of 300 documents are bad and in no sequence: "))
                .anyMatch(remark -> remark.contains(" sequences of 64 tokens from 298 documents, "));
        List<String> lines;
        try (Stream<Path> files = Files.list(folder.resolve(".millrace"))) {
            lines = Files.readAllLines(files.filter(file -> file.toString().endsWith(".quarantine.jsonl"))
                    .findAny()
                    .orElseThrow());
        }
        assertThat(lines).hasSize(2).allMatch(line -> line.contains("texts.jsonl") && line.contains("\"read\""));
        assertThat(lines)
                .anyMatch(line -> line.contains("\"index\":17"))
                .anyMatch(line -> line.contains("\"index\":18"));
    }

    @Test
    void tooManyBadDocumentsEndThePlan() throws Exception {
        PipelineConfig config = config("", "batch.max_quarantined=0.001");
        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining(
                        "2 of 300 documents of " + texts + " are bad, more than batch.max_quarantined = 0.1 %");
    }

    @Test
    void longDocumentsAreBadIfTheyAreNotSplit() throws Exception {
        List<List<Member>> whole = epoch(config(", split_long: false, window: 64", "batch.max_quarantined=0.9"), 0);
        List<Long> documents =
                whole.stream().flatMap(List::stream).map(Member::document).toList();
        assertThat(new HashSet<>(documents)).hasSameSizeAs(documents);
        List<Long> split = epoch(config(", window: 64"), 0).stream()
                .flatMap(List::stream)
                .map(Member::document)
                .toList();
        assertThat(split.size()).isGreaterThan(new HashSet<>(split).size());
        assertThat(documents.size()).isLessThan(298);
    }

    @Test
    void changedDatasetIsCountedAnew() throws Exception {
        long before = RunPlanner.plan(config("")).batches().size();
        Files.writeString(texts, Files.readString(texts) + "{\"text\": \"" + "more ".repeat(5000) + "\"}\n");
        assertThat(RunPlanner.plan(config("")).batches().size()).isGreaterThan(before + 10);
    }

    @Test
    void readerOfAnotherMachineWithoutTheLengthsSaysWhatItNeeds() throws Exception {
        PipelineConfig config = config("");
        RunPlan plan = RunPlanner.plan(config);
        try (Stream<Path> files = Files.list(folder.resolve(".millrace"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".bin")).toList()) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> PreviewRun.open(config, plan, Split.TRAIN, 0))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(
                        "Set pack_sequences.lengths, or order.bucket.lengths, to a folder that all machines of the job share");
    }

    @Test
    void pipelinesThatCannotBePackedAreRefused() throws Exception {
        assertThatThrownBy(() -> RunPlanner.plan(config(", policy: concat, split_long: false")))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining("pack_sequences: the policy concat splits documents");
        assertThatThrownBy(() -> RunPlanner.plan(config("", "order.draws=10", "order.weights=" + texts)))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining("expected either pack_sequences, or weights");
        PipelineConfig twice = config(" }\n  - pack_sequences: { length: 32");
        assertThatThrownBy(() -> RunPlanner.plan(twice)).hasMessageContaining("expected it once, found it twice");
        Path raw = Files.writeString(folder.resolve("raw.yaml"), """
                dataset: { format: jsonl, path: %s }
                transforms: [ pack_sequences: { length: 8 } ]
                train: { model: none, input: [tokens] }
                """.formatted(texts));
        PipelineConfig untokenized = ConfigReader.read(raw, List.of());
        assertThatThrownBy(() -> RunPlanner.plan(untokenized))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining("the transform tokenize is missing");
    }

    @Test
    void folderOfTextFilesIsPackedAndCountedAgainWhenAFileChanges() throws Exception {
        Path corpus = Files.createDirectory(folder.resolve("corpus"));
        for (int document = 0; document < 20; document++) {
            Files.writeString(corpus.resolve(document + ".txt"), "word ".repeat(20 + document));
        }
        PipelineConfig config = ConfigReader.read(
                Files.writeString(folder.resolve("folder.yaml"), """
                dataset: { format: text, path: %s }
                transforms:
                  - tokenize: { tokenizer: %s }
                  - pack_sequences: { length: %d }
                batch: { size: 2 }
                """.formatted(corpus, TOKENIZER, LENGTH)), List.of());
        RunPlan plan = RunPlanner.plan(config);
        assertThat(plan.columns()).extracting(column -> column.column().name()).contains("tokens", "lengths");
        assertThat(plan.unit().word()).isEqualTo("sequences");
        double before = plan.unit().tokens() * plan.sources().size();
        assertThat(before).isGreaterThan(20 * 20);

        Files.writeString(corpus.resolve("3.txt"), "word ".repeat(50));
        RunPlan changed = RunPlanner.plan(config);
        assertThat(changed.unit().tokens() * changed.sources().size()).isGreaterThan(before + 20);
    }
}
