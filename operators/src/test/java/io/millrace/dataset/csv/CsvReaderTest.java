package io.millrace.dataset.csv;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files and the values that Python reads from them are from src/test/python/folder_vectors.py. */
class CsvReaderTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/folder");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unix",
                "excel",
                "all-quoted",
                "pandas",
                "byte-order-mark",
                "no-last-line-end",
                "old-mac",
            })
    void valuesAreThoseOfPython(String name) throws IOException {
        List<List<String>> values = new ArrayList<>();
        try (Reader text = Files.newBufferedReader(VECTORS.resolve(name + ".csv"))) {
            CsvReader csv = new CsvReader(text);
            for (List<CsvReader.Value> record = csv.next(); record != null; record = csv.next()) {
                values.add(record.stream().map(CsvReader.Value::text).toList());
            }
        }

        assertThat(values)
                .isEqualTo(new ObjectMapper()
                        .readValue(VECTORS.resolve(name + ".json").toFile(), List.class));
    }
}
