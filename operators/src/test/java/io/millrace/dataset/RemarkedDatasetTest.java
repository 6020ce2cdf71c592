package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemarkedDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/unlike");

    @TempDir
    Path folder;

    private static Dataset open(String name, String path) throws IOException {
        DatasetFormat format = Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return format.open(OptionValues.of(format.options(), Map.of("path", path)));
    }

    @ParameterizedTest
    @CsvSource({"parquet, parquet", "arrow, arrow", "tar, tar", "tfrecord, tfrecord", "hdf5, h5", "csv, csv"})
    void filesOfSeveralSplitsAreNamedAndThePathOfOneHasNoRemark(String format, String extension) throws IOException {
        byte[] content = extension.equals("csv")
                ? "x,label\n1,0\n".getBytes(StandardCharsets.UTF_8)
                : Files.readAllBytes(VECTORS.resolve("images." + extension));
        Files.write(folder.resolve("train-00000-of-00001." + extension), content);
        Files.write(folder.resolve("test-00000-of-00001." + extension), content);

        String train = folder + "/train-*." + extension;
        try (Dataset both = open(format, folder.toString());
                Dataset one = open(format, train)) {
            assertThat(both.size()).isEqualTo(2 * one.size());
            assertThat(both.remarks())
                    .contains("the names of the files are those of several splits, test and train, which are"
                            + " read together. To read one split, write path: " + train);
            assertThat(one.remarks()).noneMatch(remark -> remark.contains("split"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'the folders that become classes have the names of splits', /train",
        "/*, 'the names of the folders are', /train"
    })
    void foldersOfSeveralSplitsAreNamed(String pattern, String begin, String one) throws IOException {
        for (String file : new String[] {"train/cat/1.jpg", "val/cat/1.jpg"}) {
            Path path = folder.resolve(file);
            Files.createDirectories(path.getParent());
            Files.write(path, new byte[] {1});
        }

        try (Dataset both = open("folder", folder + pattern);
                Dataset train = open("folder", folder + one)) {
            assertThat(both.remarks())
                    .anyMatch(remark -> remark.startsWith(begin) && remark.endsWith("path: " + folder + one));
            assertThat(train.remarks()).isEmpty();
        }
    }
}
