package io.millrace.dataset.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of JSON values with those that Python's json gives, see src/test/python/json_vectors.py. */
class JsonValuesTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/json/values.jsonl");
    private static final ValuePlace PLACE = new ValuePlace("a.tar/b", 512);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static Stream<JsonNode> pythonsValues() throws IOException {
        return Files.readAllLines(VECTORS).stream().map(line -> {
            try {
                return MAPPER.readTree(line);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static Field field(byte[] json, String path) throws BadSampleException {
        return JsonValues.field(new FieldSource("x", "json/x", As.AUTO), JsonValues.find(json, path, PLACE), PLACE);
    }

    @ParameterizedTest
    @MethodSource("pythonsValues")
    void valueIsPythonsOrTheSampleIsBadWithAReasonInOurWords(JsonNode vector) throws Exception {
        byte[] json = vector.required("json").binaryValue();
        String path = vector.required("path").asText();
        JsonNode expected = vector.required("value");
        String text = new String(json, 0, Math.min(60, json.length), StandardCharsets.UTF_8);
        if (expected.isTextual()) {
            assertThatExceptionOfType(BadSampleException.class)
                    .as(text)
                    .isThrownBy(() -> field(json, path))
                    .satisfies(e -> assertThat(e.reason())
                            .startsWith("expected ")
                            .contains("found")
                            .doesNotContain("Feature", "enable", "Constraints", "Jackson", "Source", "getMax")
                            .hasSizeLessThan(250));
            return;
        }
        Field found = field(json, path);
        assertThat(HexFormat.of().formatHex(found.data()))
                .as(text)
                .isEqualTo(expected.path("data").asText(expected.path("text").asText()));
        if (expected.has("dtype")) {
            assertThat(found.dtype().word())
                    .as(text)
                    .isEqualTo(expected.required("dtype").asText());
            assertThat(Arrays.toString(found.shape()))
                    .as(text)
                    .isEqualTo(expected.required("shape").toString().replace(",", ", "));
        } else {
            assertThat(found.kind()).as(text).isEqualTo(FieldKind.TEXT);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"x\": 1} {\"x\": 2}|expected one JSON value, found another one after it in line 1, column 10: '{\"x\": 2}'",
                "{\"x\": INF}|expected JSON, found something else in line 1, column 7: 'INF}'",
                "{\"x\": 1|expected JSON, found the end of the text within a value",
                "{\"x\": 9223372036854775808}|expected whole numbers of 64 bits as 'json/x', found 9223372036854775808; as a float it would lose digits",
                "{\"x\": [true, 1]}|expected only numbers or only true and false as 'json/x', found both of them",
                "{\"x\": null}|expected a value at 'x' in the JSON, found null",
            })
    void reasonStatesWhatWasFoundAndWhere(String json, String reason) {
        assertThatExceptionOfType(BadSampleException.class)
                .isThrownBy(() -> field(json.getBytes(StandardCharsets.UTF_8), "x"))
                .withMessage(reason)
                .satisfies(e -> assertThat(e.file()).isEqualTo("a.tar/b"));
    }

    @Test
    void wholeNumberBeyond64BitsIsNoLabel() throws Exception {
        Labels labels = Labels.of(List.of());
        byte[] large = "9223372036854775808".getBytes(StandardCharsets.UTF_8);
        assertThatExceptionOfType(BadSampleException.class)
                .isThrownBy(() -> JsonValues.label(JsonValues.find(large, "", PLACE), labels, PLACE))
                .withMessageContaining("expected a whole number as label, found '9223372036854775808'");
        byte[] most = "9223372036854775807".getBytes(StandardCharsets.UTF_8);
        assertThat(JsonValues.label(JsonValues.find(most, "", PLACE), labels, PLACE))
                .isEqualTo(Long.MAX_VALUE);
    }
}
