package io.millrace.dataset.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.dataset.columns.StoredRows;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The databases are written by LMDB's mdb_load: src/test/python/lmdb_vectors.py. */
class LmdbDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/lmdb");
    private static final Path CLASSES = VECTORS.resolve("classes.mdb");

    @TempDir
    Path folder;

    @Test
    void valuesAreImagesInTheOrderOfKeysAndFoldersOfKeysAreClasses() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(CLASSES, Map.of())) {
            assertThat(dataset.size()).isEqualTo(rows.size());
            assertThat(dataset.classes()).containsExactly("ant", "bee");
            for (int i = 0; i < rows.size(); i++) {
                Sample sample = dataset.read(i);
                StoredRows.assertHolds(sample.image(), rows.get(i).get("value"));
                assertThat(dataset.classes().get((int) sample.label()))
                        .isEqualTo(rows.get(i).get("key").asText().substring(0, 3));
                assertThat(dataset.label(i)).isEqualTo(sample.label());
            }
        }
    }

    @Test
    void keysAreReadAsText() throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve("rows.json"));
        try (Dataset dataset = open(CLASSES, Map.of("fields", List.of("key")))) {
            for (int i = 0; i < rows.size(); i++) {
                assertThat(new String(dataset.read(i).field("key").data(), StandardCharsets.UTF_8))
                        .isEqualTo(rows.get(i).get("key").asText());
            }
        }
    }

    @Test
    void onlyKeysWithSeveralValuesAreBadSamples() throws IOException {
        Map<String, Object> fields = Map.of("fields", Map.of("key", "key", "value", "value"));
        try (Dataset dataset = open(VECTORS.resolve("several.mdb"), fields)) {
            assertThat(dataset.size()).isEqualTo(8);
            for (int i = 0; i < 8; i++) {
                int key = i;
                if (i == 2 || i == 5) {
                    assertThatThrownBy(() -> dataset.read(key))
                            .isInstanceOf(BadSampleException.class)
                            .hasMessage("column 'value': expected one value of the key, found several");
                } else {
                    assertThat(text(dataset.read(i), "key")).isEqualTo("k" + i);
                    assertThat(text(dataset.read(i), "value")).isEqualTo("v" + i + "-0");
                }
            }
        }
    }

    private static String text(Sample sample, String field) {
        return new String(sample.field(field).data(), StandardCharsets.UTF_8);
    }

    @Test
    void lockFileBesideTheDatabaseIsNotRead() throws IOException {
        Files.copy(CLASSES, folder.resolve("data.mdb"));
        Path lock = Files.write(folder.resolve("lock.mdb"), new byte[8192]);
        for (Path path : List.of(folder, folder.resolve("*.mdb"))) {
            try (Dataset dataset = open(path, Map.of())) {
                assertThat(dataset.size()).isEqualTo(120);
            }
        }
        assertThatThrownBy(() -> open(lock, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no database in " + lock
                        + "; expected data.mdb, found only lock.mdb, in which LMDB lists the readers of a database");
    }

    @Test
    void emptyTruncatedAndOtherFilesAreRefused() throws IOException {
        Path empty = VECTORS.resolve("empty.mdb");
        assertThatThrownBy(() -> open(empty, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(empty + " has no rows; expected at least one");
        byte[] sound = Files.readAllBytes(CLASSES);
        Path file = Files.write(folder.resolve("x.mdb"), Arrays.copyOf(sound, 3 * 4096));
        assertThatThrownBy(() -> open(file, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(file + " is cut off or damaged: expected page ");
        Files.write(file, new byte[10_000]);
        assertThatThrownBy(() -> open(file, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(file + " is no LMDB database of a 64-bit machine: at offset 16 expected BEEFC0DE, found"
                        + " 00000000");
        assertThatThrownBy(() -> open(CLASSES, Map.of("fields", List.of("image", "caption"))))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("has no column 'caption'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classes.mdb", "several.mdb"})
    void damagedFileEndsInSamplesOrExceptions(String file) throws IOException {
        DamagedFiles.Outcomes outcomes =
                DamagedFiles.read(VECTORS.resolve(file), folder.resolve("x.mdb"), damaged -> open(damaged, Map.of()));
        assertThat(outcomes.refused()).isPositive();
        // The keys with several values are bad in each case.
        assertThat(file.equals("several.mdb") ? outcomes.badSamples() : outcomes.whole())
                .isPositive();
    }

    private static Dataset open(Path file, Map<String, Object> options) throws IOException {
        Map<String, Object> all = new TreeMap<>(options);
        all.put("path", file.toString());
        return new DatasetSpec("lmdb", OptionValues.of(new LmdbFormat().options(), all)).open();
    }
}
