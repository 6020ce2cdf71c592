package io.millrace.dataset.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of files as Kaggle's competitions have them. */
class ListedFilesTest {
    @TempDir
    Path folder;

    private Path csv(String text) throws IOException {
        return Files.writeString(folder.resolve("train.csv"), text);
    }

    private void images(String... names) throws IOException {
        for (String name : names) {
            Path file = folder.resolve("train").resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, name.getBytes(StandardCharsets.UTF_8));
        }
    }

    private Dataset open(Object labels, @Nullable Object fields) throws IOException {
        FolderFormat format = new FolderFormat();
        Map<String, Object> raw = new HashMap<>();
        raw.put("path", folder.resolve("train").toString());
        raw.put("labels", labels);
        if (fields != null) {
            raw.put("fields", fields);
        }
        return format.open(OptionValues.of(format.options(), raw));
    }

    private Dataset open() throws IOException {
        return open(folder.resolve("train.csv").toString(), null);
    }

    private Dataset openWith(String column, Object value) throws IOException {
        return open(Map.of("path", folder.resolve("train.csv").toString(), column, value), null);
    }

    private static List<Long> labels(Dataset dataset) throws IOException {
        List<Long> labels = new ArrayList<>();
        for (long i = 0; i < dataset.size(); i++) {
            labels.add(dataset.read(i).label());
        }
        return labels;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id,breed~a,pug~b,cur~c,pug~ | .jpg",
                "id;breed~a;pug~b;cur~c;pug | .jpg",
                "Image Id\tDog Breed~a.jpg\tpug~b.jpg\tcur~c.jpg\tpug~ | ''",
                "n,width,target,image_path~1,300,pug,./a.jpg~2,200,cur,b.jpg~3,200,pug,c.jpg~ | ''",
                "weather,label,id~sun,pug,a~rain,cur,b~sun,pug,c~ | .jpg",
            })
    void columnsAreFoundByFilesThatExistAndByUsualNames(String text, String suffix) throws Exception {
        images("a.jpg", "b.jpg", "c.jpg");
        csv(text.replace("~", "\n"));

        try (Dataset dataset = open()) {
            assertThat(labels(dataset)).containsExactly(1L, 0L, 1L);
            assertThat(dataset.classes()).containsExactly("cur", "pug");
            assertThat(dataset.read(1).key()).isEqualTo("b.jpg");
            assertThat(dataset.remarks().get(0))
                    .startsWith("the files are the column '")
                    .contains(suffix.isEmpty() ? "train.csv, the labels" : " with .jpg behind it, the labels");
            assertThat(dataset.remarks().get(1)).isEqualTo("the labels are names of 2 classes, in the order cur, pug");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a.jpg, b.jpg, weight_kg, weight_kg, weight_kg, image",
        "a.wav, b.wav, weight in kg, weight_in_kg, '''weight in kg''', audio",
        "a.jpg, b.jpg, label, value, label, image"
    })
    void decimalsAsLabelsAreRefusedWithTheFieldsThatReadThem(
            String first, String second, String column, String field, String from, String media) throws Exception {
        images(first, second);
        csv("file," + column + "\n" + first + ",0.65\n" + second + ",2\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(folder.resolve("train.csv")
                        + ": expected whole numbers or names of classes in the column '" + column
                        + "' of the labels, found decimals such as 0.65. To predict them, read them as a field, dataset.fields: {"
                        + media + ": file, " + field + ": " + from + "}, and where Millrace trains, set train.target: "
                        + field);
        try (Dataset dataset = open(
                Map.of("path", folder.resolve("train.csv").toString(), "label", column),
                Map.of(media, "file", field, column))) {
            assertThat(dataset.read(0).field(field).dtype()).isEqualTo(DType.FLOAT64);
        }
    }

    @Test
    void oneDecimalAmongWholeLabelsIsABadSample() throws Exception {
        StringBuilder rows = new StringBuilder("file,label\n");
        for (int i = 0; i < 11; i++) {
            images(i + ".jpg");
            rows.append(i).append(".jpg,").append(i == 3 ? "1.5" : "1").append('\n');
        }
        csv(rows.toString());

        try (Dataset dataset = open()) {
            assertThat(dataset.label(2)).isEqualTo(1);
            assertThatThrownBy(() -> dataset.label(3))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("expected a whole number as label, found 1.5");
        }
    }

    @Test
    void filesMayBeInFoldersAndTheListCompressed() throws Exception {
        images("x/a.png", "y/b.PNG");
        Path file = folder.resolve("labels.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("\uFEFFpath,class\r\nx/a,3\r\n\"y/b\",7\r\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThatThrownBy(() -> open(file.toString(), null).read(1))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("labels.csv.gz:3: no such file in "); // its extension is another one

        Files.move(folder.resolve("train/y/b.PNG"), folder.resolve("train/y/b.png"));
        try (Dataset dataset = open(file.toString(), null)) {
            assertThat(labels(dataset)).containsExactly(3L, 7L);
            assertThat(dataset.classes()).hasSize(8);
        }
    }

    @Test
    void columnsThatAreNamedAreUsed() throws Exception {
        images("a.jpg", "b.jpg");
        csv("image,other,label,grade,age\na.jpg,b,0,good,1.5\nb.jpg,a,1,bad,2\n");
        String path = folder.resolve("train.csv").toString();

        try (Dataset dataset = open(Map.of("path", path, "file", "other", "suffix", ".jpg", "label", "grade"), null)) {
            assertThat(dataset.read(0).key()).isEqualTo("b.jpg");
            assertThat(labels(dataset)).containsExactly(1L, 0L);
        }
        try (Dataset dataset = open(
                Map.of("path", path, "file", "image"), Map.of("image", "file", "years", "age", "label", "label"))) {
            Sample sample = dataset.read(0);
            assertThat(sample.field("years").dtype()).isEqualTo(DType.FLOAT64);
            assertThat(sample.label()).isZero();
        }
        assertThatThrownBy(() -> openWith("label", "breed"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        path + ": expected a column 'breed', which labels.label names, found only [image, other, label,"
                                + " grade, age]");
    }

    @Test
    void oneColumnForEachClassIsALabelWhenItIsNamed() throws Exception {
        images("a.jpg", "b.jpg", "c.jpg");
        csv("image_id,healthy,rust,scab\na,0,1,0\nb,1,0,0\nc,1,0,1.0\n");
        String path = folder.resolve("train.csv").toString();

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(path
                        + ": each column but one is 0 or 1, as if each were a class. Its columns are image_id (such as"
                        + " 'a'), healthy (such as '0'), rust (such as '1'), scab (such as '0'): set labels: {path: "
                        + path
                        + ", file: image_id, label: [healthy, rust, scab]}");
        try (Dataset dataset = openWith("label", List.of("healthy", "rust", "scab"))) {
            assertThat(dataset.classes()).containsExactly("healthy", "rust", "scab");
            assertThat(dataset.read(0).label()).isEqualTo(1);
            assertThat(dataset.read(1).label()).isZero();
            assertThatThrownBy(() -> dataset.read(2))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "train.csv:4: expected a 1 in one of the columns of the classes and a 0 in the others");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "id,a,b~a,1,x~ | no column has a name that is usual for labels. Its columns are id (such as 'a'), a (such as '1'), b (such as 'x'): set labels: {path: P, file: id, label: a}",
                "id,label,target~a,1,x~ | more than one column has a name that is usual for labels. Its columns are id (such as 'a'), label (such as '1'), target (such as 'x'): set labels: {path: P, file: id, label: label}",
                "x,label~q,1~ | no column has names of files in the folder in its first 1 rows. Its columns are x (such as 'q'), label (such as '1'): set labels: {path: P, file: x, suffix: .jpg}",
                "x,y,label~a.jpg,b.jpg,1~ | several columns have names of files in the folder. Its columns are x (such as 'a.jpg'), y (such as 'b.jpg'), label (such as '1'): set labels: {path: P, file: x}",
                "id~a~ | no column is left for the labels. Its columns are id (such as 'a'): set labels: {path: P, file: id, label: name}",
                "id,label,label~a,1,1~ | 1: expected a header with a name for each column, each once, found [id, label, label]",
                "id,label~a,1~b,1,2~ | 3: expected 2 values, as in the header, found 3; quote a value that has a separator",
                "id,label~ | 1: expected rows below the header, found none",
                "`` | 1: expected a header with a name for each column, each once, found []",
                "id,label~../train/a.jpg,1~a,1~ | 2: expected a path below the folder, such as cat/1.jpg, found '../train/a.jpg.jpg'",
                "id,label~a,pug~b,cur~a,pug~ | expected one row for each file, found 1 row that names a file again (for example 'a.jpg' in line 4). Leave only one of them, for example with pandas' drop_duplicates",
                "id,label~`a`,`1~ | 2: expected a closing quote, found none",
            })
    void unclearListsAreRefusedWithTheLineToAdd(String text, String reason) throws Exception {
        images("a.jpg", "b.jpg");
        String path = csv(text.replace("~", "\n").replace('`', '"')).toString();

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessage(path + ":" + (reason.matches("[0-9]+:.*") ? "" : " ")
                        + reason.replace(": P,", ": " + path + ","));
    }

    @Test
    void filesWithoutRowsAndRowsWithoutFilesAreCountedWithAnExample() throws Exception {
        images("a.jpg", "b.jpg", "c.jpg", "d.jpg", "notes.txt");
        csv("id,breed\na,pug\nmissing,cur\nb,\n");

        try (Dataset dataset = open()) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(dataset.remarks())
                    .contains(
                            "1 row names a file that does not exist (for example 'missing.jpg' in line 3): these samples are bad",
                            "2 files were not read, because no row names them (for example c.jpg)");
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("train.csv:3: no such file in ");
            assertThatThrownBy(() -> dataset.read(2))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("train.csv:4: expected a label, found none");
        }
    }

    @Test
    void listWithoutAnyFileOfTheFolderIsRefused() throws Exception {
        images("a.jpg");
        String path = csv("id,breed\nx,pug\ny,cur\n").toString();

        assertThatThrownBy(() -> openWith("file", "id"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(path + ": no row names a file in " + folder.resolve("train")
                        + ", for example 'x' in line 2. Set"
                        + " the column of the files and what their names lack: labels: {path: " + path
                        + ", file: id, suffix: .jpg}");
    }

    @Test
    void listThatDoesNotExistIsRefused() throws Exception {
        images("a.jpg", "train.csv");

        assertThatThrownBy(() -> open("train.csv", null))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "dataset.labels: expected a file of values with a header, found no file train.csv; the folder has"
                                + " one: set dataset.labels: " + folder.resolve("train/train.csv"));
        assertThatThrownBy(() -> open(Map.of("file", "id"), null))
                .hasMessageContaining("expected the key path with the file, found {file=id}");
        assertThatThrownBy(() -> open(Map.of("path", "x", "column", "id"), null))
                .hasMessageContaining("expected the keys path, file, label, suffix, found 'column'");
    }

    @Test
    void listedSoundsAreSounds() throws Exception {
        images("a.wav", "b.wav");
        csv("fname,label\na.wav,bark\nb.wav,meow\n");

        try (Dataset dataset = open()) {
            assertThat(dataset.read(0).fieldNames()).containsExactly("audio");
            assertThat(labels(dataset)).containsExactly(0L, 1L);
        }
    }

    @Test
    void linksThatLeadOutAreRefused() throws Exception {
        images("a.jpg");
        Files.write(folder.resolve("secret.jpg"), new byte[3]);
        Files.createSymbolicLink(folder.resolve("train/b.jpg"), folder.resolve("secret.jpg"));
        csv("id,label\na,1\nb,2\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("b.jpg is a link to ")
                .hasMessageContaining("follow_links: true");
    }
}
