package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetException;
import io.millrace.sample.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wrong path of a dataset is reported with the line of the pipeline file. */
class DatasetOpeningTest {
    @TempDir
    Path folder;

    private PipelineConfig config(String text) throws Exception {
        return ConfigReader.read(Files.writeString(folder.resolve("run.yaml"), text), List.of());
    }

    private String line(int number) {
        return folder.resolve("run.yaml") + ":" + number + ": ";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "folder | -",
                "idx | -",
                "tar | -",
                "tfrecord | -",
                "cifar | -",
                "npy | fields: [ image ]",
                "arrow | -",
                "parquet | -",
                "hdf5 | fields: { image: x }",
                "lmdb | -",
                "jsonl | -",
                "megatron | -",
                "tokens | document_end: 0",
                "csv | -",
            })
    void aMissingPathHasItsLineInEveryFormat(String format, @Nullable String more) throws Exception {
        PipelineConfig config = config("dataset:\n  format: " + format + "\n  path: " + folder.resolve("missing")
                + (more == null ? "" : "\n  " + more) + "\n");
        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(line(3) + "dataset.path: ");
        assertThatThrownBy(() -> DatasetTypes.open(config, Split.TRAIN))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(line(3) + "dataset.path: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ format: idx, images: M, | labels: E } | dataset.images",
                "{ format: coco, path: D, | annotations: M } | dataset.annotations",
                "{ format: folder, path: D, | labels: M } | dataset.labels",
                "{ format: coco, path: D, annotations: J, | fields: [ nothing ] } | dataset.fields",
                "{ format: folder, path: D, | labels: { path: M, label: breed } } | dataset.labels",
                "{ format: parquet, | path: [ E, M ] } | dataset.path",
                "{ format: tar, | path: M/*.tar } | dataset.path",
            })
    void theOptionWhosePathIsMissingIsNamed(String begin, String rest, String key) throws Exception {
        String text = ("dataset: " + begin + "\n  " + rest)
                .replace("M", folder.resolve("missing").toString())
                .replace(
                        "J",
                        Files.writeString(
                                        folder.resolve("a.json"),
                                        "{\"images\": [], \"annotations\": [], \"categories\": []}")
                                .toString())
                .replace("E", Files.writeString(folder.resolve("empty"), "").toString())
                .replace("D", folder.toString());
        int line = begin.contains("M") ? 1 : 2;
        assertThatThrownBy(() -> RunPlanner.plan(config(text)))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(line(line) + key + ": ")
                .hasMessageNotContaining(key + ": " + key);
    }

    @Test
    void aPathOfTheEvaluationIsNamedAsSuch() throws Exception {
        Path csv = Files.writeString(folder.resolve("a.csv"), "a\n1\n");
        PipelineConfig config = config("""
                dataset: { format: csv, path: %s }
                evaluate:
                  dataset:
                    format: csv
                    path: %s.missing
                """.formatted(csv, csv));
        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(line(5) + "evaluate.dataset.path: ");
    }

    @Test
    void aDatasetWithoutSamplesIsReportedAtItsPath() throws Exception {
        Path csv = Files.writeString(folder.resolve("a.csv"), "a\n");
        assertThatThrownBy(() -> RunPlanner.plan(config("dataset:\n  format: csv\n  path: " + csv)))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(line(3) + "dataset.path: ")
                .hasMessageContaining("expected at least one");
    }

    @Test
    void anOverriddenPathNamesTheOverride() throws Exception {
        Path file = Files.writeString(folder.resolve("run.yaml"), "dataset: { format: csv, path: a.csv }");
        PipelineConfig config = ConfigReader.read(file, List.of("dataset.path=b.csv"));
        assertThatThrownBy(() -> RunPlanner.plan(config))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("--set dataset.path=b.csv: dataset.path: no such file: b.csv");
    }
}
