package io.millrace.dataset.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/csv");

    @TempDir
    Path folder;

    private static Dataset open(Object path, Map<String, Object> more) throws IOException {
        CsvFormat format = new CsvFormat();
        Map<String, Object> raw = new HashMap<>(more);
        raw.put("path", path instanceof List<?> ? path : path.toString());
        return format.open(OptionValues.of(format.options(), raw));
    }

    private Path table(String text) throws IOException {
        return Files.writeString(folder.resolve("table.csv"), text);
    }

    private static ByteBuffer values(Field field) {
        return ByteBuffer.wrap(field.data()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static double[] vector(Sample sample, String name) {
        ByteBuffer values = values(sample.field(name));
        return IntStream.range(0, values.capacity() / Double.BYTES)
                .mapToDouble(i -> values.getDouble(i * Double.BYTES))
                .toArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain.csv",
                "quotes.csv",
                "semicolons.csv",
                "tabs.tsv",
                "old-mac.csv",
                "empties.csv",
                "numbers.csv",
                "no-end.csv",
                "packed.csv.gz"
            })
    void columnsHaveTheTypesAndValuesOfPandas(String name) throws IOException {
        JsonNode table = new ObjectMapper()
                .readTree(Files.readString(VECTORS.resolve("pandas.json")))
                .required(name);
        List<String> columns = new ArrayList<>();
        table.fieldNames().forEachRemaining(columns::add);
        Map<String, Object> fields = new HashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            fields.put("f" + i, columns.get(i));
        }
        try (Dataset dataset = open(VECTORS.resolve(name), Map.of("missing", "nan", "fields", fields))) {
            for (int row = 0; row < dataset.size(); row++) {
                Sample sample = dataset.read(row);
                for (int i = 0; i < columns.size(); i++) {
                    JsonNode column = table.required(columns.get(i));
                    JsonNode value = column.required("values").get(row);
                    Field field = sample.field("f" + i);
                    switch (column.required("kind").asText()) {
                        case "whole" -> {
                            assertThat(field.dtype()).isEqualTo(DType.INT64);
                            assertThat(values(field).getLong()).isEqualTo(value.asLong());
                        }
                        case "decimal" -> {
                            assertThat(field.dtype()).isEqualTo(DType.FLOAT64);
                            String number =
                                    value.isNull() ? "NaN" : value.asText().replace("inf", "Infinity");
                            assertThat(values(field).getDouble()).isEqualTo(Double.valueOf(number));
                        }
                        case "truth" -> {
                            assertThat(field.dtype()).isEqualTo(DType.BOOL);
                            assertThat(field.data()[0]).isEqualTo((byte) (value.asBoolean() ? 1 : 0));
                        }
                        default -> {
                            if (!value.isNull()) { // pandas has no text for a missing one
                                assertThat(new String(field.data(), StandardCharsets.UTF_8))
                                        .isEqualTo(value.asText());
                            }
                        }
                    }
                }
            }
            assertThat(dataset.size())
                    .isEqualTo(table.elements().next().required("values").size());
        }
    }

    @Test
    void defaultFieldsAreAVectorOfNumbersAndTheLabel() throws IOException {
        try (Dataset dataset = open(VECTORS.resolve("plain.csv"), Map.of())) {
            Sample sample = dataset.read(1);
            assertThat(sample.fieldNames()).containsExactly("features");
            assertThat(vector(sample, "features")).containsExactly(38, 71.2833, 0);
            assertThat(sample.label()).isEqualTo(1);
            assertThat(sample.key()).isEqualTo("plain.csv#1");
            assertThat(dataset.remarks())
                    .containsExactly(
                            "the columns are age (whole numbers), fare (decimals), alive (true and false), name (text), label"
                                    + " (whole numbers)",
                            "'features' is a vector of 3 columns: age, fare, alive",
                            "the label is the column 'label'");
        }
    }

    @Test
    void columnsCanBeChosenAndJoined() throws IOException {
        Map<String, Object> fields = Map.of("x", "fare; age", "who", "name", "rest", "features", "label", "alive");
        try (Dataset dataset = open(VECTORS.resolve("plain.csv"), Map.of("fields", fields))) {
            Sample sample = dataset.read(0);
            assertThat(vector(sample, "x")).containsExactly(7.25, 22);
            assertThat(vector(sample, "rest")).containsExactly(22, 7.25, 0);
            assertThat(new String(sample.field("who").data(), StandardCharsets.UTF_8))
                    .isEqualTo("Braund");
            assertThat(sample.label()).isEqualTo(1);
        }
        assertThatThrownBy(() -> open(VECTORS.resolve("plain.csv"), Map.of("fields", Map.of("x", "age;name"))))
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith(
                        "plain.csv: 'name' is a column of text, which 'age;name' cannot hold: expected columns of"
                                + " numbers");
        assertThatThrownBy(() -> open(VECTORS.resolve("plain.csv"), Map.of("fields", Map.of("x", "ages"))))
                .hasMessageEndingWith("plain.csv has no column 'ages', only [age, fare, alive, name, label]");
    }

    @Test
    void textsAreClassesInSortedOrderOverAllFiles() throws IOException {
        Path first = Files.writeString(folder.resolve("1.csv"), "a,class\n1,pug\n2,cur\n");
        Path second = Files.writeString(folder.resolve("2.csv"), "a,class\n3, beagle \n2.5,\n");
        try (Dataset dataset = open(List.of(first.toString(), second.toString()), Map.of())) {
            assertThat(dataset.classes()).containsExactly("beagle", "cur", "pug");
            assertThat(dataset.label(0)).isEqualTo(2);
            assertThat(dataset.label(2)).isZero();
            assertThat(vector(dataset.read(0), "features")).containsExactly(1);
            assertThat(dataset.remarks())
                    .contains(
                            "the label is the column 'class', whose texts are 3 classes in the order beagle, cur, pug");
            assertThatThrownBy(() -> dataset.read(3))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("line 3: expected a label in the column 'class', found none");
        }
        Files.writeString(second, "a,klass\n3,x\n");
        assertThatThrownBy(() -> open(List.of(first.toString(), second.toString()), Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(second + ": expected the columns of " + first + ", [a, class], found [a, klass]");
    }

    @Test
    void raggedAndMalformedRowsAreBadSamplesWithTheirLine() throws IOException {
        Path table = table("a,b,label\n1,2,0\n\"x\ny\",1\n3,4,1,9\n5,\"6\"7,1\n  \n8,9,1\n");
        try (Dataset dataset = open(table, Map.of())) {
            assertThat(dataset.size()).isEqualTo(5);
            assertThat(vector(dataset.read(0), "features")).containsExactly(1, 2);
            assertThat(vector(dataset.read(4), "features")).containsExactly(8, 9);
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("line 3: expected 3 values, as in the header, found 2");
            assertThatThrownBy(() -> dataset.read(2))
                    .hasMessageContaining("line 5: expected 3 values, as in the header, found 4");
            assertThatThrownBy(() -> dataset.read(3))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("line 6: expected a comma after the closing quote, found '7,1'");
            assertThat(dataset.remarks())
                    .contains("3 rows have other than the 3 values of the header, first in line 3 of " + table
                            + ": these samples are bad");
        }
    }

    @Test
    void missingNumbersAreBadUnlessTheyAreRead() throws IOException {
        Path table = table("a,b,label\n1,,0\n,2.5,1\n3,4,1\n");
        try (Dataset dataset = open(table, Map.of())) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "line 2: expected a number in the column 'b', found none; missing: nan reads missing"
                                    + " numbers as NaN");
            assertThat(vector(dataset.read(2), "features")).containsExactly(3, 4);
        }
        try (Dataset dataset = open(table, Map.of("missing", "nan"))) {
            assertThat(vector(dataset.read(0), "features")).containsExactly(1, Double.NaN);
            assertThat(vector(dataset.read(1), "features")).containsExactly(Double.NaN, 2.5);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` |  expected a header with the names of the columns, found an empty file",
                "a,a,b~1,2,3~ | 1: expected a header with a name for each column, each once, found [a, a, b]",
                "a,b~1,\"2~3,4~ | 2: expected a closing quote, found none",
                "a,b~ |  has no rows; expected at least one",
                "a,label~x,1~ |  has no column of numbers besides its label: name the columns to read with the key fields, for example fields: {text: a}; its columns are a (text), label (whole numbers)",
            })
    void tablesThatCannotBeReadAreRefused(String text, String reason) throws IOException {
        Path table = table(text.replace("~", "\n"));

        assertThatThrownBy(() -> open(table, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(table.toString())
                .hasMessageEndingWith(reason);
    }

    @Test
    void otherEncodingsAndDamagedArchivesAreRefused() throws IOException {
        Path latin = folder.resolve("latin.csv");
        Files.write(latin, "a,b\n1,\u00e4\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> open(latin, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessage(latin + ":2: expected text in UTF-8, found other bytes");

        for (Charset charset : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE)) {
            Path wide = Files.write(folder.resolve("wide.csv"), "a,b\n1,2\n".getBytes(charset));
            assertThatThrownBy(() -> open(wide, Map.of()))
                    .hasMessageStartingWith(wide + ":1: expected text in UTF-8, found UTF-16, by the ")
                    .hasMessageEndingWith("; convert it to UTF-8, for example with iconv");
        }

        byte[] packed = Files.readAllBytes(VECTORS.resolve("packed.csv.gz"));
        Path cut = folder.resolve("cut.csv.gz");
        Files.write(cut, Arrays.copyOf(packed, packed.length - 9));
        assertThatThrownBy(() -> open(cut, Map.of()))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(cut + " is no whole gzip file: ");
    }

    @Test
    void everyCutWithinTheSecondMemberOfAnArchiveIsRefused() throws IOException {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        int first = 0;
        for (String rows : List.of("a,b\n1,2\n", "3,4\n5,6\n")) {
            first = members.size();
            try (OutputStream out = new GZIPOutputStream(members)) {
                out.write(rows.getBytes(StandardCharsets.US_ASCII));
            }
        }
        Path file = folder.resolve("cut.csv.gz");
        for (int length = first + 1; length < members.size(); length++) {
            Files.write(file, Arrays.copyOf(members.toByteArray(), length));
            assertThatThrownBy(() -> open(file, Map.of()))
                    .as("%d of %d bytes", length, members.size())
                    .isInstanceOf(DatasetException.class)
                    .hasMessageStartingWith(file + " is no whole gzip file: ");
        }
        Files.write(file, members.toByteArray());
        try (Dataset whole = open(file, Map.of())) {
            assertThat(whole.size()).isEqualTo(3);
        }
    }

    @Test
    void numbersThatInt64CannotHoldStayText() throws IOException {
        Path table = table("id,x,label\n9223372036854775808,1,0\n");
        try (Dataset dataset = open(table, Map.of())) {
            assertThat(dataset.remarks().get(0)).startsWith("the columns are id (text), x (whole numbers)");
        }
    }

    @Test
    void aTableWithoutAColumnForLabelsNamesTheCandidates() throws IOException {
        Path table = table("x,survived,sex\n1.5,0,male\n");
        try (Dataset dataset = open(table, Map.of())) {
            assertThat(dataset.labels().isPresent()).isFalse();
            assertThat(dataset.labels().advice())
                    .isEqualTo(
                            "'survived' (whole numbers), 'sex' (text) could be labels: set dataset.fields: {features:"
                                    + " features, label: survived}");
        }
    }

    @Test
    void damagedFilesAreRefusedOrHaveBadSamples() throws IOException {
        DamagedFiles.Outcomes outcomes = DamagedFiles.read(
                VECTORS.resolve("quotes.csv"),
                folder.resolve("damaged.csv"),
                file -> open(file, Map.of("fields", Map.of("n", "id"))));

        assertThat(outcomes.refused()).isPositive();
    }
}
