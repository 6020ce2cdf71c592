package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.run.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathDatasetTest {
    @ParameterizedTest
    @CsvSource({
        "data/shard-*.tar, tar",
        "s3://bucket/train.TFRecord, tfrecord",
        "data/train.tfrecords, tfrecord",
        "data/train.parquet, parquet",
        "data/train.arrow, arrow",
        "data/train.h5, hdf5",
        "data/train.hdf5, hdf5",
        "data/train.lmdb, lmdb",
        "data/train.csv, csv",
        "data/train.tsv, csv",
        "data/train.jsonl, jsonl",
        "data/train.ndjson, jsonl",
        "data/train.JSONL.gz, jsonl",
        "data/train.jsonl.zst, jsonl",
        "data/train.txt, text",
        "data/train.TEXT, text",
        "data/train.txt.gz, text",
        "data/train.txt.zst, text",
        "data/train.text.gz, text",
        "data/train.text.zst, text"
    })
    void extensionIdentifiesTheFormat(String path, String format) {
        assertThat(PathDataset.of(path, "").format()).isEqualTo(format);
    }

    @Test
    void folderWithoutExtensionHasAFileForEachSample(@TempDir Path folder) {
        assertThat(PathDataset.of(folder.toString(), "").format()).isEqualTo("folder");
    }

    @Test
    void folderOfFilesOfOneFormatHasThisFormat(@TempDir Path folder) throws IOException {
        for (String name : List.of("README.md", ".hidden", "a.jsonl", "b.jsonl.gz")) {
            Files.createFile(folder.resolve(name));
        }
        assertThat(PathDataset.of(folder.toString(), "").format()).isEqualTo("jsonl");
        Path table = Files.createFile(folder.resolve("c.parquet"));
        assertThatThrownBy(() -> PathDataset.of(folder.toString(), ""))
                .hasMessage(folder + " may have one of the formats jsonl, parquet: choose one with --from");
        Files.delete(table);
        Files.createFile(folder.resolve("photo.jpg"));
        assertThat(PathDataset.of(folder.toString(), "").format()).isEqualTo("folder");
    }

    @Test
    void pipelineFilesAreNoData(@TempDir Path folder) {
        assertThat(PathDataset.formatOf("conf/a.yaml", List.of())).isEmpty();
        assertThat(PathDataset.formatOf("conf/a.YML", List.of())).isEmpty();
        assertThat(PathDataset.formatOf("conf/pipeline", List.of())).isEmpty();
        assertThat(PathDataset.formatOf("data/a.jsonl", List.of())).contains("jsonl");
        assertThat(PathDataset.formatOf(folder.toString(), List.of())).contains("folder");
    }

    @Test
    void lastFormatOfTheSettingsIsUsedForDataOfAnyName() {
        List<String> settings = List.of("dataset.format=npy", "batch.size=3", "dataset.format=tokens");
        assertThat(PathDataset.formatOf("data/ids.bin", settings)).contains("tokens");
        assertThat(PathDataset.formatOf("data/a.jsonl", settings)).contains("tokens");
        assertThat(PathDataset.formatOf("conf/a.yaml", settings)).isEmpty();
    }

    @Test
    void formatOfTheCommandLineIsUsedForAnyPath() {
        assertThat(PathDataset.of("data/train.tar", "folder").format()).isEqualTo("folder");
    }

    @Test
    void unknownFormatIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> PathDataset.of("data/train.tar", "zip"))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--from: expected one of [", "folder", "tar", "found 'zip'");
    }

    @Test
    void pathThatIdentifiesNoFormatIsRefused() {
        assertThatThrownBy(() -> PathDataset.of("s3://bucket/train.bin", ""))
                .isInstanceOf(UsageException.class)
                .hasMessage("cannot derive the format of s3://bucket/train.bin: choose it with --from");
        assertThatThrownBy(() -> PathDataset.of("missing.bin", ""))
                .isInstanceOf(UsageException.class)
                .hasMessage("no such file or folder: missing.bin");
    }
}
