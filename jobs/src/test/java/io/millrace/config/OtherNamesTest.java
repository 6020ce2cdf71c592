package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.OtherName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hints for the words of people who come from other programs. */
class OtherNamesTest {
    @TempDir
    Path folder;

    private List<String> problems(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("some.yaml"), text);
        try {
            ConfigReader.read(file, List.of());
            return List.of();
        } catch (ConfigException e) {
            return e.problems().stream()
                    .map(problem -> problem.toString().replace(file.toString(), "some.yaml"))
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "webdataset  | unknown format 'webdataset', did you mean 'tar'?",
                "ImageFolder | unknown format 'ImageFolder', did you mean 'folder'?",
                "huggingface | unknown format 'huggingface', did you mean 'arrow' or 'parquet'?",
                "json        | unknown format 'json', did you mean 'jsonl'?",
                "yolo        | unknown format 'yolo', did you mean 'python (a dataset class of yours that reads it)'?",
                "mnist       | unknown format 'mnist', did you mean 'idx'?",
            })
    void formatsHaveTheNamesOfOtherPrograms(String format, String hint) throws Exception {
        assertThat(problems("""
                                dataset: {format: %s, path: x}
                                train: {model: none}
                                """.formatted(format))).containsExactly("some.yaml:1: dataset.format: " + hint);
    }

    @Test
    void transformsOptimizersLossesAndOptionsHaveThemToo() throws Exception {
        assertThat(problems("""
                dataset: {format: idx, path: x, num_epochs: 3}
                batch_size: 8
                num_workers: 4
                transforms:
                  - ToTensor
                  - HorizontalFlip: {p: 0.5}
                device: {transforms: [ToTensor]}
                train:
                  model: cnn
                  lr: 0.1
                  loss: CrossEntropyLoss
                  optimizer: {adam: {lr: 0.1}}
                """))
                .containsExactly(
                        "some.yaml:1: dataset.num_epochs: unknown key, did you mean 'epochs'?",
                        "some.yaml:2: batch_size: unknown key, did you mean 'batch.size'?",
                        "some.yaml:3: num_workers: unknown key, did you mean 'parallelism'?",
                        "some.yaml:5: transforms.0: unknown transform 'ToTensor', did you mean 'ToFloat: {scale: 255}'?",
                        "some.yaml:6: transforms.1: unknown transform 'HorizontalFlip', did you mean"
                                + " 'RandomHorizontalFlip'?",
                        "some.yaml:7: device.transforms.0: unknown device transform 'ToTensor', did you mean 'ToFloat:"
                                + " {scale: 255}'?",
                        "some.yaml:9: train.model: unknown model 'cnn', did you mean 'convnet'?",
                        "some.yaml:10: train.lr: unknown key, did you mean 'optimizer: {adam: {learning_rate: 0.001}}'?",
                        "some.yaml:11: train.loss: unknown loss 'CrossEntropyLoss', did you mean 'cross_entropy'?",
                        "some.yaml:12: train.optimizer.adam.lr: unknown key, did you mean 'learning_rate'?");
    }

    @Test
    void noOtherNameIsANameHere() {
        Catalogs catalogs = Catalogs.installed();
        for (List<CatalogEntry> catalog : List.of(
                catalogs.formats(),
                catalogs.transforms(),
                catalogs.deviceTransforms(),
                catalogs.models(),
                catalogs.losses(),
                catalogs.optimizers(),
                catalogs.schedules())) {
            List<String> names = catalog.stream().map(CatalogEntry::name).toList();
            for (CatalogEntry entry : catalog) {
                for (OtherName other : entry.otherNames()) {
                    assertThat(names).doesNotContain(other.name());
                    assertThat(other.written()).startsWith(entry.name());
                }
            }
        }
    }
}
