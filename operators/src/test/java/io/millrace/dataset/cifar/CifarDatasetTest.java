package io.millrace.dataset.cifar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with files in the layout of the published CIFAR files. src/test/python/record_vectors.py writes them. */
class CifarDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset");

    @TempDir
    Path folder;

    @Test
    void folderOfCifar10HoldsFiveBatchesAndTheNamesOfTheClasses() throws Exception {
        try (Dataset dataset = open(VECTORS.resolve("cifar10"), Map.of())) {
            assertThat(dataset.classes()).hasSize(10).startsWith("airplane").endsWith("truck");
            assertSamples(dataset, "cifar10", 0, 10, 1);
        }
        try (Dataset dataset = open(VECTORS.resolve("cifar10"), Map.of("split", "test"))) {
            assertSamples(dataset, "cifar10", 10, 2, 1);
        }
    }

    @Test
    void labelsOfCifar100AreTheFineOnesUnlessThePipelineFileNamesTheCoarseOnes() throws Exception {
        try (Dataset dataset = open(VECTORS.resolve("cifar100"), Map.of())) {
            assertThat(dataset.classes()).hasSize(100);
            assertSamples(dataset, "cifar100", 0, 2, 2);
        }
        Map<String, Object> coarse = Map.of("fields", Map.of("image", "image", "label", "coarse", "fine", "fine"));
        try (Dataset dataset = open(VECTORS.resolve("cifar100/test.bin"), coarse)) {
            assertThat(dataset.classes()).hasSize(20);
            assertSamples(dataset, "cifar100", 2, 2, 1);
            assertThat(dataset.read(1).field("fine").data()).containsExactly(53);
        }
    }

    private static void assertSamples(Dataset dataset, String name, int skip, int count, int labelColumn)
            throws Exception {
        List<String> lines = Files.readAllLines(VECTORS.resolve(name).resolve("expected.tsv"));
        assertThat(dataset.size()).isEqualTo(count);
        for (int index = 0; index < count; index++) {
            String[] parts = lines.get(skip + index).split("\t", -1);
            Sample sample = dataset.read(index);
            assertThat(sample.key()).isEqualTo(parts[0]);
            assertThat(sample.label()).isEqualTo(Long.parseLong(parts[labelColumn]));
            assertThat(sample.image().shape()).containsExactly(32, 32, 3);
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(sample.image().data());
            assertThat(HexFormat.of().formatHex(digest)).isEqualTo(parts[parts.length - 1]);
        }
    }

    @Test
    void labelOutOfRangeIsABadSample() throws IOException {
        byte[] batch = Files.readAllBytes(VECTORS.resolve("cifar10/test_batch.bin"));
        batch[3073] = 10;
        Path file = Files.write(folder.resolve("batch.bin"), batch);

        try (Dataset dataset = open(file, Map.of())) {
            assertThat(dataset.read(0).label()).isZero();
            assertThatThrownBy(() -> dataset.read(1)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo(file + "#1");
                assertThat(e.offset()).isEqualTo(3073);
                assertThat(e.reason()).isEqualTo("expected a fine label of 0 to 9, found 10");
            });
        }
    }

    @Test
    void truncatedFileIsRefused() throws IOException {
        byte[] batch = Files.readAllBytes(VECTORS.resolve("cifar10/test_batch.bin"));
        for (int length : new int[] {0, 1, 3072, 6145}) {
            Path file = Files.write(folder.resolve("batch.bin"), Arrays.copyOf(batch, length));
            assertThatThrownBy(() -> open(file, Map.of()))
                    .isInstanceOf(DatasetException.class)
                    .hasMessage(file + " has " + length + " bytes: expected a multiple of 3073 (CIFAR-10) or 3074"
                            + " (CIFAR-100). Is it cut off, or another kind of file?");
        }
    }

    @Test
    void folderWithoutABatchIsRefusedWithItsName() throws IOException {
        Files.copy(VECTORS.resolve("cifar10/data_batch_1.bin"), folder.resolve("data_batch_1.bin"));

        assertThatThrownBy(() -> open(folder, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("no data_batch_2.bin in " + folder + "; expected data_batch_1.bin");
    }

    private static Dataset open(Path path, Map<String, Object> more) throws IOException {
        Map<String, Object> options = new HashMap<>(more);
        options.put("path", path.toString());
        return new DatasetSpec("cifar", OptionValues.of(new CifarFormat().options(), options)).open();
    }
}
