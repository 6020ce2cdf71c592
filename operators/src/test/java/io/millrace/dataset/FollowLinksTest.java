package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.file.OtherUser;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Links that lead out of a dataset's folder, in each place where a format finds a file by itself. */
class FollowLinksTest {
    private static final String OPTION =
            ": to follow such links, set dataset.follow_links: true (for an evaluation, evaluate.dataset.follow_links: true)";

    @TempDir
    Path folder;

    private Path root;
    private Path secret;

    @BeforeEach
    void writeFiles() throws IOException {
        root = Files.createDirectories(folder.resolve("data"));
        secret = Files.writeString(folder.resolve("secret"), "root:$6$salt$hash");
        write("cat/1.jpg", "dog/2.jpg");
    }

    private void write(String... names) throws IOException {
        for (String name : names) {
            Files.createDirectories(root.resolve(name).getParent());
            Files.writeString(root.resolve(name), name);
        }
    }

    private Path link(String name, Path target) throws IOException {
        return Files.createSymbolicLink(root.resolve(name), target);
    }

    private static Dataset open(String format, Map<String, ?> options, boolean follow) throws IOException {
        DatasetFormat found = Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(one -> one.name().equals(format))
                .findFirst()
                .orElseThrow();
        return new DatasetSpec(
                        format,
                        OptionValues.of(found.options(), options),
                        StorageOptions.STANDARD.withFollowLinks(follow))
                .open();
    }

    private void assertRefused(String format, Map<String, ?> options, String message) {
        assertThatThrownBy(() -> open(format, options, false))
                .isInstanceOf(DatasetException.class)
                .hasMessage(message);
    }

    private Map<String, String> inRoot(String path) {
        return Map.of("path", root + path);
    }

    @Test
    void linkOutOfAFolderOfClassesIsRefusedAndFollowedOnRequest() throws IOException {
        Path link = link("cat/0.jpg", secret);

        assertRefused(
                "folder", inRoot(""), link + " is a link to " + secret + ", outside of the folder " + root + OPTION);
        try (Dataset dataset = open("folder", inRoot(""), true)) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(dataset.read(0).image().data()).isEqualTo(Files.readAllBytes(secret));
        }
    }

    @Test
    void manyLinksAreCountedInOneSentence() throws IOException {
        Path other = Files.createDirectories(folder.resolve("other/eel"));
        Files.writeString(other.resolve("1.jpg"), "1");
        link("eel", other);
        link("notes.txt", secret);
        link(".hidden", secret);
        Files.createDirectories(root.resolve("fox"));
        for (int i = 0; i < 1_500; i++) {
            link("fox/" + i + ".jpg", secret);
        }
        link("cat/notes.txt", secret);
        assertRefused(
                "folder",
                inRoot(""),
                root + "/eel is a link to " + other + ", outside of the folder " + root + ", like 1,500 other links"
                        + OPTION);

        try (Dataset dataset = open("folder", inRoot(""), true)) {
            assertThat(dataset.size()).isEqualTo(1_503);
        }
    }

    @Test
    void filesThatAreNotReadMayBeLinksOut() throws IOException {
        link("notes.txt", secret);
        link("cat/README", secret);
        link("cat/.hidden.jpg", secret);
        link(".git", folder);

        try (Dataset dataset = open("folder", inRoot(""), false)) {
            assertThat(dataset.size()).isEqualTo(2);
        }
    }

    @Test
    void pathItselfMayBeALink() throws IOException {
        Path linked = Files.createSymbolicLink(folder.resolve("linked"), root);
        link("cat/3.jpg", linked.resolve("dog/2.jpg"));

        try (Dataset dataset = open("folder", Map.of("path", linked.toString()), false)) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(dataset.read(1).image().data()).isEqualTo("dog/2.jpg".getBytes(StandardCharsets.UTF_8));
        }
        // A neighbour whose name begins with the name of the folder is outside.
        Files.createDirectories(folder.resolve("data-more"));
        Files.writeString(folder.resolve("data-more/4.jpg"), "4");
        Path link = link("cat/4.jpg", folder.resolve("data-more/4.jpg"));
        assertRefused(
                "folder",
                inRoot(""),
                link + " is a link to " + folder.resolve("data-more/4.jpg") + ", outside of the folder " + root
                        + OPTION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cat/0.jpg", "out/secret"})
    void filesAndMasksOfLabelsMayNotLeadOut(String name) throws IOException {
        link("cat/0.jpg", secret);
        link("out", folder);
        Files.writeString(root.resolve("labels.csv"), "file,label\ndog/2.jpg,1\n" + name + ",2\n");
        assertLabelsRefused(inRoot(""), name);

        Files.writeString(
                root.resolve("labels.csv"), "file,label,mask\ndog/2.jpg,1,cat/1.jpg\ncat/1.jpg,2," + name + "\n");
        Map<String, Object> fields = Map.of("image", "file", "mask", Map.of("from", "mask", "as", "mask"));
        assertLabelsRefused(Map.of("path", root.toString(), "fields", fields), name);
        try (Dataset dataset = open("folder", Map.of("path", root.toString(), "fields", fields), true)) {
            assertThat(dataset.read(1).field("mask").data()).isEqualTo(Files.readAllBytes(secret));
        }

        // Text that a column holds is no path.
        try (Dataset dataset = open(
                "folder", Map.of("path", root.toString(), "fields", Map.of("image", "file", "name", "mask")), false)) {
            assertThat(dataset.size()).isEqualTo(2);
        }
    }

    private void assertLabelsRefused(Map<String, ?> options, String name) {
        assertThatThrownBy(() -> open("folder", options, false))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(root.resolve(name.startsWith("out") ? "out" : name) + " is a link to ")
                .hasMessageEndingWith(", outside of the folder " + root + OPTION);
    }

    @Test
    void labelsFileMayNotLeadOut() throws IOException {
        Path link = link("labels.csv", secret);
        assertRefused(
                "folder", inRoot(""), link + " is a link to " + secret + ", outside of the folder " + root + OPTION);
    }

    @ParameterizedTest
    @CsvSource({
        "tar, '', secret.tar",
        "tar, /*.tar, secret.tar",
        "tar, /**, cat/secret.tar",
        "tar, /**/*.tar, cat/secret.tar",
        "tar, /*/out/secret.tar, cat/out",
        "tfrecord, /c*/*, cat/secret.tar",
        "parquet, '', x.parquet",
        "arrow, '', x.arrow",
        "arrow, '', state.json",
        "hdf5, '', x.h5",
        "lmdb, '', data.mdb",
        "cifar, '', test_batch.bin",
        "cifar, '', test.bin",
        "idx, '', t10k-images-idx3-ubyte",
        "npy, '', images.npy",
        "folder, /*, dog"
    })
    void eachFormatRefusesLinksOut(String format, String path, String name) throws IOException {
        Path target = name.endsWith("out") || name.equals("dog") ? folder : secret;
        if (name.equals("dog")) {
            Files.move(root.resolve("dog"), root.resolve("dogs"));
        }
        Path link = link(name, target);
        Map<String, Object> options = new HashMap<>(inRoot(path));
        if (format.equals("cifar") || format.equals("idx")) {
            options.put("split", "test");
        }
        assertRefused(format, options, link + " is a link to " + target + ", outside of the folder " + root + OPTION);

        // With the option, the file is read, and found to be no file of the format.
        assertThatThrownBy(() -> open(format, options, true).close())
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("is a link to");
    }

    @Test
    void pathsOfThePipelineFileMayBeLinks() throws IOException {
        Path real = Files.write(folder.resolve("real.tar"), new byte[1024]);
        Path first = link("a.tar", real);
        Path second = link("b.tar", Files.write(folder.resolve("other.tar"), new byte[1024]));

        for (Object path : List.of(List.of(first.toString(), second.toString()), root + "/{a,b}.tar")) {
            assertThatThrownBy(() -> open("tar", Map.of("path", path), false)).hasMessageNotContaining("is a link to");
        }
    }

    @Test
    void fieldOfThePipelineFileMayNameAFileAboveTheFolder() {
        assertThatThrownBy(() ->
                        open("npy", Map.of("path", root.toString(), "fields", Map.of("image", "../secret")), false))
                .isInstanceOf(DatasetException.class)
                .hasMessageNotContaining("is a link to")
                .hasMessageContaining("secret");
    }

    @ParameterizedTest
    @Timeout(60)
    @CsvSource({
        "tar, x.tar",
        "tfrecord, x.tfrecord",
        "parquet, x.parquet",
        "arrow, x.arrow",
        "hdf5, x.h5",
        "lmdb, data.mdb",
        "arrow, state.json",
        "npy, images.npy",
        "idx, train-images-idx3-ubyte",
        "cifar, train.bin",
        "tar, manifest.json",
        "folder, labels.csv"
    })
    void fifosAreNeverOpened(String format, String name) throws Exception {
        if (name.equals("manifest.json")) {
            Files.write(root.resolve("x.tar"), new byte[1024]);
        }
        Path fifo = root.resolve(name);
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        List<String> paths = new ArrayList<>(List.of(root.toString()));
        if (!List.of("npy", "idx", "cifar", "folder").contains(format) && name.startsWith("x.")) {
            paths.addAll(List.of(fifo.toString(), root + "/*" + name.substring(1)));
        }
        for (String path : paths) {
            for (boolean follow : new boolean[] {false, true}) {
                assertThatThrownBy(
                                () -> open(format, Map.of("path", path), follow).close())
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("FIFO");
            }
        }
    }

    @Test
    void linkThatTheUserMayNotFollowIsABadSample() throws Exception {
        OtherUser.assumeAvailable();
        Path hidden = Files.createDirectory(folder.resolve("hidden"));
        link("cat/0.jpg", Files.writeString(hidden.resolve("0.jpg"), "hidden"));
        OtherUser.share(folder);
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwx------"));

        assertThat(OtherUser.java(Reader.class, root.toString()))
                .isEqualTo("cat/0.jpg: no permission to read the file\n");
    }

    /** The program of the other user: it reads all samples of a folder, and prints the bad ones. */
    static final class Reader {
        public static void main(String[] arguments) throws IOException {
            try (Dataset dataset = open("folder", Map.of("path", arguments[0]), false)) {
                for (long i = 0; i < dataset.size(); i++) {
                    dataset.read(i);
                }
            } catch (BadSampleException e) {
                System.out.print(e.file() + ": " + e.reason() + "\n");
            }
        }
    }
}
