package io.millrace.dataset.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelsFileTest {
    @TempDir
    Path root;

    /**
     * Writes images, some of them in class folders, so that the tests show that labels.csv alone defines the samples.
     */
    @BeforeEach
    void images() throws IOException {
        for (String path : List.of("1.jpg", "2.jpg", "a, \"b\".jpg", "more/deep/3", "more/4.jpg")) {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, path);
        }
    }

    @Test
    void sortedNamesAreTheLabelsAndLinesAreTheOrder() throws IOException {
        assertThat(samples("file,label\n2.jpg,dog\n1.jpg,cat\nmore/deep/3,dog\nmore/4.jpg,Eel\n"))
                .containsExactly("2.jpg=2", "1.jpg=1", "more/deep/3=2", "more/4.jpg=0");
        assertThat(classes()).containsExactly("Eel", "cat", "dog");
    }

    @Test
    void numbersAreUsedAsLabels() throws IOException {
        assertThat(samples("file,label\n1.jpg,3\n2.jpg,0\n")).containsExactly("1.jpg=3", "2.jpg=0");
        assertThat(classes()).containsExactly("0", "1", "2", "3");
    }

    @Test
    void numbersTooLargeForClassesHaveNoNames() throws IOException {
        assertThat(samples("file,label\n1.jpg,2147483647\n")).containsExactly("1.jpg=2147483647");
        assertThat(classes()).isEmpty();
    }

    @Test
    void sampleHasTheFilesBytes() throws IOException {
        write("file,label\nmore/4.jpg,0\n");
        try (Dataset dataset = open()) {
            assertThat(dataset.read(0).image().data()).isEqualTo("more/4.jpg".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void fileWrittenByASpreadsheetIsRead() throws IOException {
        assertThat(samples("\uFEFFfile , label\r\n\"a, \"\"b\"\".jpg\",\"cat\"\r\n\r\n1.jpg, cat \r\n"))
                .containsExactly("a, \"b\".jpg=0", "1.jpg=0");
        assertThat(classes()).containsExactly("cat");
    }

    @Test
    void manyLabelsStayWithTheirFiles() throws IOException {
        StringBuilder csv = new StringBuilder("file,label\n");
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            String file = i % 3 == 0 ? "1.jpg" : "more/4.jpg";
            int label = (i * 7) % 100;
            csv.append(file).append(",class").append(100 + label).append('\n');
            expected.add(file + "=" + label);
        }
        assertThat(samples(csv.toString())).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1.jpg,cat                 | 1: expected the header file,label, found '1.jpg,cat'",
                "``                        | 1: expected the header file,label, found ''",
                "file,label;1.jpg,0;9.jpg,1 | 3: no such file: ROOT/9.jpg",
                "file,label;x/1.jpg,0      | 2: no such file: ROOT/x/1.jpg",
                "file,label;more,0         | 2: no such file: ROOT/more",
                "file,label;;;1.jpg        | 4: expected file,label, found 1 fields; quote a name that has a comma",
                "file,label;a,b,c          | 2: expected file,label, found 3 fields; quote a name that has a comma",
                "file,label;,cat           | 2: expected a path below the folder, such as cat/1.jpg, found ''",
                "file,label;../1.jpg,cat   | 2: expected a path below the folder, such as cat/1.jpg, found '../1.jpg'",
                "file,label;/1.jpg,cat     | 2: expected a path below the folder, such as cat/1.jpg, found '/1.jpg'",
                "file,label;\"1.jpg,cat    | 2: expected a closing quote, found none",
                "file,label;\"1\".jpg,cat  | 2: expected a comma after the closing quote, found '.jpg,cat'",
            })
    void badLineIsReportedWithItsNumber(String lines, String expected) throws IOException {
        write(lines.replace(';', '\n'));

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(root + "/labels.csv:" + expected.replace("ROOT", root.toString()));
    }

    @Test
    void decimalsAreRefusedWithTheFieldsThatReadThem() throws IOException {
        write("file,label\n1.jpg,0.25\n2.jpg,2\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        root.resolve("labels.csv")
                                + ": expected whole numbers or names of classes in the column 'label'"
                                + " of the labels, found decimals such as 0.25. To predict them, read them as a field,"
                                + " dataset.fields: {image: file, value: label}, and where Millrace trains, set train.target: value");
    }

    @ParameterizedTest
    @CsvSource({"1.5", "1e300"})
    void oneDecimalAmongWholeLabelsIsABadSample(String decimal) throws IOException {
        StringBuilder lines = new StringBuilder("file,label\n");
        for (int i = 0; i < 11; i++) {
            Files.writeString(root.resolve("n" + i + ".jpg"), "n");
            lines.append("n")
                    .append(i)
                    .append(".jpg,")
                    .append(i == 3 ? decimal : "1")
                    .append('\n');
        }
        write(lines.toString());

        try (Dataset dataset = open()) {
            assertThat(dataset.label(2)).isEqualTo(1);
            assertThatThrownBy(() -> dataset.label(3))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageEndingWith("labels.csv:5: expected a whole number as label, found " + decimal);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1.jpg,;2.jpg,0   | 2: expected a label, found none",
                "1.jpg,0;2.jpg,cat | 3: expected a number as label, as in the lines before, found 'cat'",
                "1.jpg,cat;2.jpg,0 | 3: expected a name as label, as in the lines before, found '0'",
                "1.jpg,-1;2.jpg,0 | 2: expected a label from 0 to 2147483647, found -1",
                "1.jpg,2147483648;2.jpg,0 | 2: expected a label from 0 to 2147483647, found 2147483648",
            })
    void badLabelIsABadSampleAndTheOthersAreRead(String lines, String expected) throws IOException {
        write("file,label\n" + lines.replace(';', '\n'));

        int bad = expected.startsWith("2") ? 0 : 1;
        try (Dataset dataset = open()) {
            assertThatThrownBy(() -> dataset.read(bad))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("labels.csv:" + expected);
            assertThatThrownBy(() -> dataset.label(bad)).isInstanceOf(BadSampleException.class);
            assertThat(dataset.read(1 - bad).label())
                    .isEqualTo(dataset.label(1 - bad))
                    .isZero();
        }
        try (Dataset dataset = open(Map.of("path", root.toString(), "fields", List.of("image")))) {
            assertThat(dataset.read(bad).image().data()).isNotEmpty();
        }
    }

    @Test
    void numbersOfAnyFormAreLabelsAsNumbers() throws IOException {
        for (String label : List.of("10", "10.0", "+10", "010", "1e1", "1.000000e+01", "\"10\"", " 10 ")) {
            assertThat(samples("file,label\n1.jpg,2.0\n2.jpg," + label + "\n")).containsExactly("1.jpg=2", "2.jpg=10");
        }
    }

    @Test
    void namesAreOrderedByCodePoints() throws IOException {
        assertThat(samples("file,label\n1.jpg,\uD83D\uDE00\n2.jpg,\uFF5E\nmore/4.jpg,z\n"))
                .containsExactly("1.jpg=2", "2.jpg=1", "more/4.jpg=0");
    }

    @Test
    void captionsMayHaveLineBreaksAndFilesMayBeginWithADot() throws IOException {
        write("file,label,caption\n./1.jpg,0,\"one\r\n\"\"two\"\", three\"\n2.jpg,1, four \n\"1.jpg\",2,\"\n");

        assertThatThrownBy(this::open).hasMessage(root + "/labels.csv:5: expected a closing quote, found none");
        write("file,label,caption\n./1.jpg,0,\"one\r\n\"\"two\"\", three\"\n2.jpg,1, four \n");
        try (Dataset dataset = open(Map.of("path", root.toString(), "fields", List.of("image", "label", "caption")))) {
            assertThat(dataset.read(0).key()).isEqualTo("1.jpg");
            assertThat(caption(dataset, 0)).isEqualTo("one\r\n\"two\", three");
            assertThat(caption(dataset, 1)).isEqualTo(" four ");
        }
    }

    private static String caption(Dataset dataset, long index) throws IOException {
        return new String(dataset.read(index).field("caption").data(), StandardCharsets.UTF_8);
    }

    @Test
    void columnsOfNumbersStayNumbersWhereValuesAreMissing() throws IOException {
        write("file,label,a,b,c\n1.jpg,0,,0.5,9223372036854775808\n2.jpg,1,9223372036854775807,nan,1\n");

        Map<String, Object> options = Map.of("path", root.toString(), "fields", List.of("a"));
        try (Dataset dataset = open(options)) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("expected a number in the column 'a' of labels.csv, found none");
            assertThat(dataset.read(1).field("a").data()).containsExactly(-1, -1, -1, -1, -1, -1, -1, 127);
        }
        try (Dataset dataset = open(Map.of("path", root.toString(), "fields", List.of("b", "c")))) {
            assertThat(dataset.read(1).field("b")).hasToString("FLOAT64[]");
            assertThat(dataset.read(1).field("b").data()).containsExactly(0, 0, 0, 0, 0, 0, -8, 127);
            // A float64 would lose digits.
            assertThat(new String(dataset.read(0).field("c").data(), StandardCharsets.UTF_8))
                    .isEqualTo("9223372036854775808");
        }
    }

    @Test
    void labelOfAnotherNameIsRefused() throws IOException {
        write("file,label\n1.jpg,cat\n");

        Map<String, Object> fields = Map.of("image", "file", "label", "labl");
        assertThatThrownBy(() -> open(Map.of("path", root.toString(), "fields", fields)))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "fields.label: expected label, which stands for the class folder or the column label of labels.csv, found 'labl'");
    }

    @Test
    void headerAloneIsRefused() throws IOException {
        write("file,label\n\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(root + "/labels.csv: expected files below the header, found none");
    }

    @Test
    void textThatIsNotUtf8IsRefused() throws IOException {
        Files.write(root.resolve("labels.csv"), "file,label\n1.jpg,caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(root + "/labels.csv: expected text in UTF-8, found other bytes");
    }

    private List<String> samples(String csv) throws IOException {
        write(csv);
        List<String> samples = new ArrayList<>();
        try (Dataset dataset = open()) {
            for (long i = 0; i < dataset.size(); i++) {
                Sample sample = dataset.read(i);
                assertThat(sample.index()).isEqualTo(i);
                samples.add(sample.key() + "=" + sample.label());
            }
        }
        return samples;
    }

    private List<String> classes() throws IOException {
        try (Dataset dataset = open()) {
            return dataset.classes();
        }
    }

    @Test
    void furtherColumnsAreReadWhenFieldsNamesThem() throws IOException {
        write("file,label,caption,age,weight,mask\n1.jpg,0,\"a, b\",7,0.5,2.jpg\n2.jpg,1,c,-3,2,1.jpg\n");

        Map<String, Object> fields = Map.of(
                "image", "file",
                "label", "label",
                "caption", "caption",
                "age", "age",
                "weight", "weight",
                "mask", Map.of("from", "mask", "as", "mask"));
        try (Dataset dataset = open(Map.of("path", root.toString(), "fields", fields))) {
            Sample sample = dataset.read(0);
            assertThat(new String(sample.field("caption").data(), StandardCharsets.UTF_8))
                    .isEqualTo("a, b");
            assertThat(sample.field("age")).hasToString("INT64[]");
            assertThat(sample.field("age").data()).containsExactly(7, 0, 0, 0, 0, 0, 0, 0);
            assertThat(sample.field("weight")).hasToString("FLOAT64[]");
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(sample.field("mask").data()).isEqualTo(Files.readAllBytes(root.resolve("2.jpg")));
            assertThat(sample.image().data()).isEqualTo(Files.readAllBytes(root.resolve("1.jpg")));
        }
        try (Dataset dataset = open()) {
            assertThat(dataset.read(1).fieldNames()).containsExactly("image");
        }
        assertThatThrownBy(() -> open(Map.of("path", root.toString(), "fields", List.of("size"))))
                .hasMessage(root
                        + "/labels.csv:1: expected a column 'size', which the option fields names, found only [file, label,"
                        + " caption, age, weight, mask]");
    }

    @Test
    void columnThatNamesAFileOutsideTheFolderIsABadSample() throws IOException {
        write("file,label,mask\n1.jpg,0,../2.jpg\n");

        try (Dataset dataset =
                open(Map.of("path", root.toString(), "fields", Map.of("mask", Map.of("from", "mask", "as", "mask"))))) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("expected a path below the folder, such as masks/1.png, found '../2.jpg'");
        }
    }

    private static Dataset open(Map<String, Object> options) throws IOException {
        return new DatasetSpec("folder", OptionValues.of(new FolderFormat().options(), options)).open();
    }

    private void write(String csv) throws IOException {
        Files.writeString(root.resolve("labels.csv"), csv);
    }

    private Dataset open() throws IOException {
        return new DatasetSpec("folder", OptionValues.of(new FolderFormat().options(), Map.of("path", root.toString())))
                .open();
    }
}
