package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.run.UsageException;
import java.nio.file.Path;
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
        "data/train.jsonl.zst, jsonl"
    })
    void extensionIdentifiesTheFormat(String path, String format) {
        assertThat(PathDataset.of(path, "").format()).isEqualTo(format);
    }

    @Test
    void folderWithoutExtensionHasAFileForEachSample(@TempDir Path folder) {
        assertThat(PathDataset.of(folder.toString(), "").format()).isEqualTo("folder");
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
