package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigProblemsTest {
    @TempDir
    Path folder;

    @Test
    void allProblemsAreReportedTogetherInOrderOfLines() {
        String text = """
                dataset:
                  format: folder
                  path: photos
                  epocs: 3
                parallelism: 0
                transforms:
                  - decode
                  - RandomResizeCrop: {size: [8, 8]}
                  - Resize: {}
                batch: {size: 0, drop_last: maybe}
                stages: {decode: 2, augment: 2}
                train:
                  modle: none
                  optimizer: {adam: {learning_rate: fast}}
                evaluate:
                  dataset: {format: foldr, path: test}
                  every: 2
                """;

        assertThat(PipelineText.of(folder, text).problems("run.web_port=99999"))
                .containsExactly(
                        "some.yaml:4: dataset.epocs: unknown key, did you mean 'epochs'?",
                        "some.yaml:5: parallelism: expected a whole number from 1 to 32767, auto or {auto: {most: 16,"
                                + " calibrate: 6s}}, found 0",
                        "some.yaml:8: transforms.1: unknown transform 'RandomResizeCrop', did you mean"
                                + " 'RandomResizedCrop'?",
                        "some.yaml:9: transforms.2.Resize.size: missing: The shorter edge.",
                        "some.yaml:10: batch.size: expected a whole number of at least 1, found 0",
                        "some.yaml:10: batch.drop_last: expected true or false, found 'maybe'",
                        "some.yaml:11: stages.augment: no such stage; the stages are read, decode, RandomResizeCrop,"
                                + " Resize, pack",
                        "some.yaml:12: train.model: "
                                + "missing: name the model to train, or write 'train: { model: none }' to run the data stages without one",
                        "some.yaml:13: train.modle: unknown key, did you mean 'model'?",
                        "some.yaml:14: train.optimizer.adam.learning_rate: expected a number, found 'fast'",
                        "some.yaml:16: evaluate.dataset.format: unknown format 'foldr', did you mean 'folder'?",
                        "some.yaml:17: evaluate.every: expected at most the number of epochs, 1, else nothing is"
                                + " evaluated; found 2",
                        "--set run.web_port=99999: run.web_port: expected a whole number from 0 to 65535, found"
                                + " 99999");
    }

    @Test
    void missingFormatIsReportedWithAllFormats() {
        String text = """
                dataset: {path: x, epochs: 0}
                batch: {size: 2}
                train: {model: none}
                """;

        assertThat(PipelineText.of(folder, text).problems())
                .containsExactly(
                        "some.yaml:1: dataset.epochs: expected a whole number of at least 1, or 'endless', found 0",
                        "some.yaml:1: dataset.format: missing: the format of the samples, one of folder, idx");
    }

    @Test
    void oneTaskHasOneSlotAndOneTrainerAndNoNetwork() {
        String text = """
                dataset: {format: idx, path: x}
                stages: one_task
                parallelism: 2
                ranks: 2
                batch: {size: 2}
                device: {simulated_network: 10MB/s}
                train: {model: none}
                """;

        assertThat(PipelineText.of(folder, text).problems())
                .containsExactly(
                        "some.yaml:2: stages: one_task needs a single trainer, found 2 ranks",
                        "some.yaml:2: stages: one_task has no network, so device.simulated_network has no effect",
                        "some.yaml:3: parallelism: expected 1, because stages: one_task has one task in one slot, found 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "batch: 5                         | batch: expected a section of keys, found 5",
                "batch: {size: }                  | batch.size: expected a whole number of at least 1, found nothing",
                "batch: {size: 1.5}               | batch.size: expected a whole number of at least 1, found 1.5",
                "batch: {size: 99999999999999999999} | batch.size: expected a whole number of at least 1, found 1.0E20",
                "batch: {max_quarantined: 150%}   | batch.max_quarantined: expected a share from 0 to 1, or a"
                        + " percentage such as 0.1%, found '150%'",
                "batch: {epochs: 3}               | batch.epochs: unknown key, did you mean 'dataset.epochs'?",
                "batch: {zzzzzz: 3}               | batch.zzzzzz: unknown key, expected one of size, drop_last,"
                        + " max_quarantined, fields, forms, wire",
                "stages: fast                     | stages: expected fused, separate, one_task, auto or {stage: parallelism}, found"
                        + " 'fast'",
                "stages: {raed: 2}                | stages.raed: no such stage, did you mean 'read'?; the stages are"
                        + " read, pack",
                "stages: {read: 0}                | stages.read: expected a whole number from 1 to 32767, found 0",
                "transforms: decode               | transforms: expected a list of transforms, found 'decode'",
                "transforms: [decode: 5]          | transforms.0.decode: expected options as {key: value}, found 5",
                "transforms: [5]                  | transforms.0: expected a transform as name or {name: {options}},"
                        + " found 5",
                "transforms: [{Resize: , size: 5}] | transforms.0: expected one transform, found the keys Resize,"
                        + " size; options stand indented below the name",
                "transforms: [RandomResizedCrop: {size: [8, 8], scale: [1, 0.5]}] | transforms.0.RandomResizedCrop:"
                        + " scale: expected two numbers in rising order, found [1.0, 0.5]",
                "transforms: [RandomApply]        | transforms.0.RandomApply.transforms: missing: What is applied.",
                "transforms: [RandomApply: {transforms: [RandomHorizontalFlop]}] | transforms.0.RandomApply.transforms.0:"
                        + " unknown transform 'RandomHorizontalFlop', did you mean 'RandomHorizontalFlip'?",
                "transforms: [RandomApply: {transforms: [RandomApply: {transforms: [Resize: {size: 0}]}]}] |"
                        + " transforms.0.RandomApply.transforms.0.RandomApply.transforms.0.Resize.size:"
                        + " expected a whole number of at least 1, found 0",
                "transforms: [RandomApply: {transforms: [RandomResizedCrop: {size: [8, 8], scale: [1, 0.5]}]}] |"
                        + " transforms.0.RandomApply.transforms.0.RandomResizedCrop:"
                        + " scale: expected two numbers in rising order, found [1.0, 0.5]",
                "transforms: [RandomApply: {transforms: []}] | transforms.0.RandomApply.transforms: expected a list of at"
                        + " least one transform, found []",
                "transforms: [RandomApply: {transforms: }] | transforms.0.RandomApply.transforms: expected a list of at"
                        + " least one transform, found nothing",
                "transforms: [RandomApply: {transforms: decode}] | transforms.0.RandomApply.transforms: expected a list"
                        + " of transforms, found 'decode'",
                "device: {transforms: [Tofloat]}  | device.transforms.0: unknown device transform 'Tofloat', did you"
                        + " mean 'ToFloat'?",
                "checkpoint: {intervall: 30s}     | checkpoint.intervall: unknown key, did you mean 'interval'?",
                "checkpoint: never                | checkpoint: expected a section of keys, found 'never'",
                "restart: {delay: 99ms}           | restart.delay: expected from 100ms to 1440min, found '99ms'",
                "batch: {checkpoint: 30s}         | batch.checkpoint: unknown key, did you mean 'checkpoint'?",
                "name: a/b                        | name: expected letters, digits, '-', '_' and '.', with a letter"
                        + " or digit first, found 'a/b'",
                "evaluate:                        | evaluate.dataset: missing: The samples to evaluate with. The keys"
                        + " are those of dataset, without epochs. Either this key or part is required.",
                "batch: {size: 5, size: 6}        | batch.size: given twice, first on line 3",
                "dataset: {format: idx, path: x}  | dataset: given twice, first on line 1",
                "batch: {[1, 2]: 6}               | batch: a key must be one word, found a list or a mapping as key",
                "batch: &b {size: *b}             | batch.size: refers to itself",
                "batch: !important {}             | batch: tags are not supported, found !important",
            })
    void problemIsReportedWithLineAndKey(String line, String expected) {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + line).problems())
                .containsExactly("some.yaml:3: " + expected);
    }

    @Test
    void replicasThatShareAllAreRejected() {
        String text = PipelineText.SMALLEST + """
                ranks: 2
                share: all
                replicas: sync
                """;

        assertThat(PipelineText.of(folder, text).problems())
                .containsExactly("some.yaml:5: replicas: replicas that all train on every batch would average equal"
                        + " gradients: expected share: split with replicas: sync, found share: all");
    }

    @Test
    void numberOfRankEntriesOtherThanRanksIsReported() {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "ranks: 3")
                        .problems("train.ranks=[{}, {optimizer: x}]"))
                .hasSize(2)
                .anyMatch(problem -> problem.endsWith("train.ranks: expected as many entries as ranks, 3, found 2"))
                .anyMatch(problem -> problem.contains("train.ranks.1.optimizer: unknown optimizer 'x'"));
    }

    @Test
    void unknownCheckpointModeIsReportedWithTheChoices() {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "checkpoint: {mode: fast}")
                        .problems())
                .containsExactly("some.yaml:3: checkpoint.mode: expected one of aligned | unaligned, found 'fast'");
    }

    @Test
    void problemsOfNestedTransformsAreReportedWithTheirOwnLines() {
        String text = PipelineText.SMALLEST + """
                transforms:
                  - decode
                  - RandomApply:
                      p: 2
                      transforms:
                        - Resize: {}
                        - RandomHorizontalFlip:
                            q: 0.5
                """;

        assertThat(PipelineText.of(folder, text).problems())
                .containsExactly(
                        "some.yaml:6: transforms.1.RandomApply.p: expected a share from 0 to 1, or a percentage such as 0.1%,"
                                + " found 2",
                        "some.yaml:8: transforms.1.RandomApply.transforms.0.Resize.size: missing: The shorter edge.",
                        "some.yaml:10: transforms.1.RandomApply.transforms.1.RandomHorizontalFlip.q: unknown key, did you"
                                + " mean 'p'?");
    }

    @Test
    void unknownDeviceKindIsReportedWithTheChoices() {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "device: {kind: tpu}")
                        .problems())
                .containsExactly("some.yaml:3: device.kind: expected one of auto | cuda | host, found 'tpu'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "autoo # expected %s, found 'autoo'",
                "1.5 # expected %s, found 1.5",
                "{auto: 8} # expected %s, found {auto=8}",
                "{auto: {}, most: 8} # expected %s, found {auto={}, most=8}",
                "{auto: {most: 0}} # 'most': expected a whole number from 1 to 32767, found 0",
                "{auto: {most: }} # 'most': expected a whole number from 1 to 32767, found nothing",
                "{auto: {calibrate: 6}} # 'calibrate': expected a time such as 500ms, 30s or 5min, found 6",
                "{auto: {calibrate: 1h}} # 'calibrate': expected from 100ms to 10min, found '1h'",
                "{auto: {moist: 8}} # unknown key 'moist', expected one of [most, calibrate]"
            })
    void invalidParallelismIsReported(String slots, String expected) {
        String all =
                expected.replace("%s", "a whole number from 1 to 32767, auto or {auto: {most: 16, calibrate: 6s}}");
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "parallelism: " + slots)
                        .problems())
                .containsExactly("some.yaml:3: parallelism: " + all);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "storage: {requests: 0} # storage.requests: expected a whole number from 1 to 1024, found 0",
                "storage: {chunk: 1kB} # storage.chunk: expected from 64KiB to 1GiB, found '1kB'",
                "storage: {chunk: many} # storage.chunk: expected a number of bytes, with a unit of [B, kB, KB, MB, GB, TB, KiB, MiB, GiB, TiB] if any, found 'many'",
                "storage: {timeout: 30} # storage.timeout: expected a time such as 500ms, 30s or 5min, found 30",
                "storage: {cache: {size: 1GB}} # storage.cache.folder: missing: The folder of the cached copies.",
                "storage: {cache: {folder: a, size: 0}} # storage.cache.size: expected above 0, found 0",
                "flink: 7 # flink: expected Flink's settings as {key: value}, found 7",
                "flink: {a: [1]} # flink: expected text, a number or a boolean as the value of 'a', found [1]"
            })
    void invalidStorageSettingIsReported(String line, String expected) {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + line).problems())
                .containsExactly("some.yaml:3: " + expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "half # expected none, full, blocks or {blocks: {size: 1024, open: 16}}, found 'half'",
                "{blocks: 7} # expected none, full, blocks or {blocks: {size: 1024, open: 16}}, found {blocks=7}",
                "{blocks: {size: 0}} # 'size': expected a whole number of at least 1, found 0",
                "{blocks: {open: x}} # 'open': expected a whole number of at least 1, found 'x'",
                "{blocks: {opened: 3}} # unknown key 'opened', expected one of [size, open]"
            })
    void invalidShuffleIsReported(String shuffle, String expected) {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST + "order: {shuffle: " + shuffle + "}")
                        .problems())
                .containsExactly("some.yaml:3: order.shuffle: " + expected);
    }

    @Test
    void missingSectionsAreReportedOnTheFirstLine() {
        assertThat(PipelineText.of(folder, "name: little").problems())
                .containsExactly(
                        "some.yaml:1: train.model: "
                                + "missing: name the model to train, or write 'train: { model: none }' to run the data stages without one",
                        "some.yaml:1: dataset: missing: The samples to train on. Either this key or datasets is required.");
    }

    @Test
    void datasetWithoutPathIsReportedWhereItBegins() {
        assertThat(PipelineText.of(folder, "train: {model: none}\ndataset:\n  format: idx\n")
                        .problems())
                .containsExactly("some.yaml:2: dataset.path: missing: The folder.");
    }

    @Test
    void syntaxErrorIsReportedWithLineAndColumn() {
        assertThat(PipelineText.of(folder, "name: x\nbatch: {size: 5\ntrain: [").problems())
                .singleElement()
                .asString()
                .startsWith("some.yaml:3: not YAML: ")
                .contains("(column ");
    }

    @Test
    void tabAsIndentationIsReported() {
        assertThat(PipelineText.of(folder, "batch:\n\tsize: 5\n").problems())
                .singleElement()
                .asString()
                .startsWith("some.yaml:2: not YAML: ")
                .contains("(column 1)");
    }

    @Test
    void aliasesThatGrowExponentiallyAreRejected() {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            text.append(
                    "a%d: &a%d [%s]\n".formatted(i, i, "*a%d, ".formatted(i - 1).repeat(10)));
        }

        assertThat(PipelineText.of(folder, text.toString()).problems())
                .containsExactly("some.yaml: not YAML: more than 100000 values");
    }

    @Test
    void deepNestingIsRejected() {
        assertThat(PipelineText.of(folder, "a: " + "[".repeat(200)).problems())
                .singleElement()
                .asString()
                .startsWith("some.yaml: not YAML: ");
    }
}
