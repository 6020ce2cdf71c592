package io.millrace.dataset.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SplitNamesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hf | hf/train-00000-of-00002.parquet hf/train-00001-of-00002.parquet hf/test-00000-of-00001.parquet"
                        + " | test and train | hf/train-*.parquet",
                "s/ | s/train_0001.tar s/val_0001.tar | train and val | s/train_*.tar",
                "t | t/Training.csv t/Testing.csv | Testing and Training | t/Training.csv",
                "t | t/eval.tfrecord-0-of-9 t/test.tfrecord-0-of-9 | test and eval | t/test.*",
                "d/**/*.parquet | d/train/0.parquet d/dev/0.parquet | train and dev | d/train",
                "s3://b/* | s3://b/train s3://b/test | test and train | s3://b/train",
            })
    void samplesOfSeveralSplitsAreNamedWithThePathOfOne(String path, String names, String splits, String write) {
        assertThat(SplitNames.remark(List.of(path), List.of(names.split(" "))))
                .hasValue("the names of the files are those of several splits, " + splits
                        + ", which are read together. To read one split, write path: " + write);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hf | hf/train-00000-of-00002.parquet hf/train-00001-of-00002.parquet",
                "d | d/val-0.parquet d/validation-1.parquet",
                "d | d/trainer-0.parquet d/tests-0.parquet d/test-a.parquet",
                "d | d/train-0.parquet d/0.parquet",
                "d/train.parquet d/test.parquet | d/train.parquet d/test.parquet",
                "d/{train,test}.tar | d/train.tar d/test.tar",
                "d/train d/test/ | d/train/0.parquet d/test/0.parquet",
            })
    void oneSplitOtherNamesAndPathsThatNameEachSplitHaveNoRemark(String paths, String names) {
        assertThat(SplitNames.remark(Arrays.asList(paths.split(" ")), List.of(names.split(" "))))
                .isEmpty();
    }

    @Test
    void classFoldersOfSplitsAreNamed() {
        assertThat(SplitNames.remarkOnClasses("tv/", List.of("train", "val")))
                .hasValue(
                        "the folders that become classes have the names of splits, train and val. To read the class folders"
                                + " of one split, write path: tv/train");
        assertThat(SplitNames.remarkOnClasses("tv", List.of("cat", "dog", "train")))
                .isEqualTo(Optional.empty());
    }
}
