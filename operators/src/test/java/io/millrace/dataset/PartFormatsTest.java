package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.PartSpec.Share;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What formats tell of a sample when a dataset is divided into parts: its name, and one of its fields. */
class PartFormatsTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset");

    @TempDir
    Path folder;

    private static DatasetSpec spec(String format, Map<String, ?> options) {
        DatasetFormat found = Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(one -> one.name().equals(format))
                .findFirst()
                .orElseThrow();
        return new DatasetSpec(format, OptionValues.of(found.options(), options));
    }

    private Path write(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void folderNamesItsFilesWithoutTheFoldersAboveIt() throws IOException {
        write("a/cat/1.jpg", "x");
        write("a/dog/2.jpg", "x");
        write("b/cat/1.jpg", "x");
        write("b/dog/3.jpg", "x");
        try (Dataset one = spec("folder", Map.of("path", folder + "/a")).open();
                Dataset two = spec("folder", Map.of("path", List.of(folder + "/a", folder + "/b")))
                        .open()) {
            assertThat(one.nameOf(1)).isEqualTo("dog/2.jpg");
            assertThat(two.nameOf(1)).isEqualTo("a/dog/2.jpg");
            assertThat(two.nameOf(3)).isEqualTo("b/dog/3.jpg");
        }
    }

    @Test
    void fieldOfAFolderIsReadWithoutItsImages() throws IOException {
        write("labels.csv", "file,label,patient\n1.jpg,0,anna\n2.jpg,1,bob\n3.jpg,0,anna\n");
        write("1.jpg", "x");
        write("2.jpg", "x");
        write("3.jpg", "x");
        DatasetSpec spec =
                spec("folder", Map.of("path", folder.toString(), "fields", List.of("image", "label", "patient")));
        try (Dataset whole = spec.open()) {
            Files.delete(folder.resolve("3.jpg"));
            assertThat(whole.only("patient").read(2).fieldNames()).containsExactly("patient");
            assertThat(whole.only("patient").read(2).field("patient").data())
                    .isEqualTo("anna".getBytes(StandardCharsets.UTF_8));
            assertThat(whole.only("doctor").read(2).fieldNames()).isEmpty();
        }
    }

    @Test
    void archiveNamesItsSamplesAndReadsOneMember() throws IOException {
        Path archive = Files.copy(VECTORS.resolve("tar/pax.tar"), folder.resolve("pax.tar"));
        DatasetSpec spec =
                spec("tar", Map.of("path", archive.toString(), "fields", Map.of("image", "jpg", "box", "json/box")));
        try (Dataset whole = spec.open()) {
            assertThat(whole.nameOf(1)).isEqualTo(whole.read(1).key()).startsWith("pax.tar/");
            assertThat(whole.only("box").read(1).fieldNames()).containsExactly("box");
        }
    }

    @Test
    void groupsOfAColumnStayTogether() throws IOException {
        PartSpec half =
                new PartSpec("a", List.of(new Share("a", 0.5), new Share("b", 0.5)), 1, new PartGroup("i8"), false);
        DatasetSpec spec = spec(
                "parquet",
                Map.of("path", VECTORS.resolve("parquet/plain.parquet").toString(), "fields", List.of("i8", "name")));
        try (Dataset whole = spec.open();
                Dataset one = spec.withPart(half).open();
                Dataset other = spec.withPart(half.named("b")).open()) {
            assertThat(whole.nameOf(0)).isNull();
            assertThat(whole.only("i8").read(3).fieldNames()).containsExactly("i8");
            assertThat(one.size() + other.size()).isEqualTo(whole.size());
            assertThat(one.read(0).key()).isEqualTo("plain.parquet#" + one.indexInWhole(0));
        }
    }
}
