package io.millrace.dataset.columns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.arrow.ArrowFormat;
import io.millrace.dataset.parquet.ParquetFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts, and structs and lists as JSON text. The files and what pyarrow reads in them are written by src/test/python/nested_vectors.py. */
class NestedColumnsTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/nested");

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private static final List<String> PLAIN = List.of("string", "large", "view", "dictionary");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain.parquet",
                "v2.parquet",
                "pages.parquet",
                "old.parquet",
                "file.arrow",
                "stream.arrow",
                "feather.arrow"
            })
    void everyValueIsPyarrows(String name) throws IOException {
        JsonNode columns = JSON.readTree(VECTORS.resolve("values.json").toFile());
        boolean parquet = name.endsWith(".parquet");
        int texts = 0;
        for (Iterator<String> names = columns.fieldNames(); names.hasNext(); ) {
            String column = names.next();
            if (parquet && List.of("named", "fixed", "views").contains(column)) {
                continue; // types that Parquet does not have
            }
            JsonNode values = columns.get(column);
            try (Dataset dataset = open(VECTORS.resolve(name), Map.of(column, Map.of("as", "text")))) {
                assertThat(dataset.size()).isEqualTo(values.size());
                assertThat(dataset.undeclared()).isEmpty();
                for (int row = values.size() - 1; row >= 0; row--) {
                    String what = column + " of row " + row;
                    if (values.get(row).isNull()) {
                        int bad = row;
                        assertThat(catchThrowableOfType(BadSampleException.class, () -> dataset.read(bad))
                                        .reason())
                                .as(what)
                                .isEqualTo("column '" + column + "': expected a value, found null");
                    } else {
                        String found = text(dataset.read(row), column);
                        String expected = values.get(row).textValue();
                        if (PLAIN.contains(column)) {
                            assertThat(found).as(what).isEqualTo(expected);
                        } else {
                            assertThat(JSON.readTree(found)).as(what).isEqualTo(JSON.readTree(expected));
                        }
                        texts++;
                    }
                }
            }
        }
        assertThat(texts).isGreaterThan(parquet ? 400 : 500);
    }

    @Test
    void plainTextsNeedNoDeclaration() throws IOException {
        for (String name : List.of("plain.parquet", "file.arrow")) {
            for (String column : PLAIN) {
                try (Dataset dataset = open(VECTORS.resolve(name), Map.of("text", column))) {
                    Sample sample = dataset.read(1);
                    assertThat(text(sample, "text")).isEqualTo("h\u00e91");
                    assertThat(sample.field("text").kind()).isEqualTo(FieldKind.TEXT);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain.parquet | messages | is of the type group of role: list of byte_array (string), content: list of",
                "plain.parquet | preference | consists of several columns: name one of them, for example 'preference.prompt'",
                "plain.parquet | strings  | is of the type list of byte_array (string), which is not supported",
                "file.arrow    | messages | is of the type List<Struct<role: Utf8",
                "file.arrow    | strings  | is of the type List<Utf8>, which is not supported",
                "file.arrow    | preference | consists of several columns: name one of them, for example 'preference.prompt'",
            })
    void withoutTheDeclarationTheMessageShowsIt(String name, String column, String reason) {
        assertThatThrownBy(() -> open(VECTORS.resolve(name), Map.of("text", column)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(reason)
                .hasMessageEndingWith("with as: text, structs and lists are read as JSON text");
    }

    @Test
    void partOfAListIsReadOnlyWithTheList() {
        Map<String, Object> fields = Map.of("text", Map.of("from", "messages.tool_calls", "as", "text"));
        assertThatThrownBy(() -> open(VECTORS.resolve("plain.parquet"), fields))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith("is within a list: with as: text, read the whole column 'messages'");
    }

    /** Flips the bytes of the column one by one; each row is read, or is bad with a reason. */
    @ParameterizedTest
    @ValueSource(strings = {"plain.parquet", "file.arrow"})
    void damageIsNoticedOrHarmless(String name) throws IOException {
        byte[] whole = Files.readAllBytes(VECTORS.resolve(name));
        Path damaged = folder.resolve(name);
        int bad = 0;
        for (int at = 100; at < whole.length; at += 211) {
            byte[] bytes = whole.clone();
            bytes[at] ^= (byte) (1 << at % 8);
            Files.write(damaged, bytes);
            try (Dataset dataset = open(damaged, Map.of("messages", Map.of("as", "text")))) {
                for (int row = 0; row < dataset.size(); row++) {
                    try {
                        JSON.readTree(text(dataset.read(row), "messages"));
                    } catch (BadSampleException e) {
                        assertThat(e.reason()).startsWith("column 'messages': ");
                        bad++;
                    }
                }
            } catch (DatasetException e) {
                assertThat(e).hasMessageContaining(damaged.toString());
            }
        }
        assertThat(bad).isPositive();
    }

    private static String text(Sample sample, String field) {
        return new String(sample.field(field).data(), StandardCharsets.UTF_8);
    }

    private static Dataset open(Path file, Map<String, Object> fields) throws IOException {
        DatasetFormat format = file.toString().endsWith(".parquet") ? new ParquetFormat() : new ArrowFormat();
        Map<String, Object> options = Map.of("path", file.toString(), "fields", fields);
        return new DatasetSpec(format.name(), OptionValues.of(format.options(), options)).open();
    }
}
