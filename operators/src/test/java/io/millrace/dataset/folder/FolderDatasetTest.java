package io.millrace.dataset.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FolderDatasetTest {
    @TempDir
    Path root;

    @Test
    void imagesAreOrderedByClassThenFolderThenName() throws IOException {
        write("dog/2.jpg", "dog/10.jpg", "cat/b/1.png", "cat/z.jpeg", "cat/a/9.webp", "cat/a/1/x.bmp", "Eel/1.PPM");

        try (Dataset dataset = open(root.toString())) {
            assertThat(dataset.classes()).containsExactly("Eel", "cat", "dog");
            assertThat(keys(dataset))
                    .containsExactly(
                            "Eel/1.PPM",
                            "cat/z.jpeg",
                            "cat/a/9.webp",
                            "cat/a/1/x.bmp",
                            "cat/b/1.png",
                            "dog/10.jpg",
                            "dog/2.jpg");
            assertThat(labels(dataset)).containsExactly(0L, 1L, 1L, 1L, 1L, 2L, 2L);
            assertThat(dataset.resident()).isFalse();
        }
    }

    @Test
    void sampleHasTheFilesBytesStillEncoded() throws IOException {
        write("cat/1.jpg");

        try (Dataset dataset = open(root.toString())) {
            Sample sample = dataset.read(0);

            assertThat(sample.index()).isZero();
            assertThat(sample.image().dtype()).isEqualTo(DType.ENCODED);
            assertThat(new String(sample.image().data(), StandardCharsets.UTF_8))
                    .isEqualTo("cat/1.jpg");
        }
    }

    @Test
    void soundsAreSamplesWhereAFolderHasNoImages() throws IOException {
        write("low/2.wav", "low/1.WAV", "low/notes.txt", "high/a/3.wav");

        try (Dataset dataset = open(root.toString())) {
            assertThat(keys(dataset)).containsExactly("high/a/3.wav", "low/1.WAV", "low/2.wav");
            assertThat(labels(dataset)).containsExactly(0L, 1L, 1L);
            assertThat(dataset.read(0).fieldNames()).containsExactly("audio");
            assertThat(dataset.remarks()).containsExactly("1 file was not read: low/notes.txt");
        }

        write("other/1.jpg", "low/1.jpg", "high/1.jpg");
        try (Dataset dataset = open(root.toString())) {
            assertThat(keys(dataset)).containsExactly("high/1.jpg", "low/1.jpg", "other/1.jpg");
            assertThat(dataset.remarks()).containsExactly("4 files were not read: high/a/3.wav, low/1.WAV, low/2.wav");
        }
    }

    @Test
    void soundsAreRequiredInEachClassFolder() throws IOException {
        write("low/1.wav", "high/notes.txt");

        assertRefused("no sounds in class folder high; expected files ending in wav");
    }

    @Test
    void hiddenFilesHiddenFoldersAndOtherFilesAreSkipped() throws IOException {
        write("cat/1.jpg", "cat/.2.jpg", "cat/.cache/3.jpg", ".git/4.jpg", "cat/readme.txt", "cat/jpg", "labels.txt");

        try (Dataset dataset = open(root.toString())) {
            assertThat(dataset.classes()).containsExactly("cat");
            assertThat(keys(dataset)).containsExactly("cat/1.jpg");
        }
    }

    @Test
    void linksWithinTheFolderAreFollowed() throws IOException {
        write(".store/many/1.jpg", ".store/2.jpg");
        Files.createSymbolicLink(root.resolve("cat"), root.resolve(".store/many"));
        Files.createSymbolicLink(
                Files.createDirectory(root.resolve("dog")).resolve("2.jpg"), root.resolve(".store/2.jpg"));

        try (Dataset dataset = open(root.toString())) {
            assertThat(keys(dataset)).containsExactly("cat/1.jpg", "dog/2.jpg");
            assertThat(dataset.read(1).image().data()).isNotEmpty();
        }
    }

    @Test
    void linksToTheirOwnParentsAreSkippedAndCounted() throws IOException {
        write("cat/1.jpg", "cat/deep/2.jpg", "dog/3.jpg");
        Files.createSymbolicLink(root.resolve("cat/deep/again"), root.resolve("cat"));
        Files.createSymbolicLink(root.resolve("cat/root"), root);
        Files.createSymbolicLink(root.resolve("root"), root);
        Files.createSymbolicLink(root.resolve("dog/cat"), root.resolve("cat"));

        try (Dataset dataset = open(root.toString())) {
            assertThat(keys(dataset))
                    .containsExactly("cat/1.jpg", "cat/deep/2.jpg", "dog/3.jpg", "dog/cat/1.jpg", "dog/cat/deep/2.jpg");
            assertThat(dataset.classes()).containsExactly("cat", "dog");
            assertThat(dataset.remarks())
                    .containsExactly("5 looping links were not read: root, cat/deep/again, cat/root");
        }
    }

    @Test
    void filesThatAreNoImagesAreCountedWithThreeNames() throws IOException {
        write("cat/1.jpg", "cat/README", "cat/b/x.heic", "notes.txt", "0.jpg", "dog/2.JFIF", "dog/3.jpe", "dog/4.pbm");
        write("dog/a.txt", "dog/b.txt", "cat/.hidden");

        try (Dataset dataset = open(root.toString())) {
            assertThat(keys(dataset)).containsExactly("cat/1.jpg", "dog/2.JFIF", "dog/3.jpe", "dog/4.pbm");
            assertThat(dataset.remarks()).containsExactly("6 files were not read: 0.jpg, notes.txt, cat/README");
        }
    }

    @Test
    void foldersAndNamesAreOrderedByCodePoints() throws IOException {
        write("\uD83D\uDE00/1.jpg", "\uFF5E/\uD83D\uDE00.jpg", "\uFF5E/\uFF5E.jpg", "z/1.jpg");

        try (Dataset dataset = open(root.toString())) {
            assertThat(dataset.classes()).containsExactly("z", "\uFF5E", "\uD83D\uDE00");
            assertThat(keys(dataset))
                    .containsExactly("z/1.jpg", "\uFF5E/\uFF5E.jpg", "\uFF5E/\uD83D\uDE00.jpg", "\uD83D\uDE00/1.jpg");
        }
    }

    @Test
    @Timeout(60)
    void fifosSocketsAndBrokenLinksAreBadSamples() throws Exception {
        write("cat/1.jpg");
        Path cat = root.resolve("cat");
        assertThat(new ProcessBuilder("mkfifo", cat.resolve("2.jpg").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.createSymbolicLink(cat.resolve("3.jpg"), cat.resolve("2.jpg"));
        Files.createSymbolicLink(cat.resolve("4.jpg"), Path.of("5.jpg"));
        Files.createSymbolicLink(cat.resolve("5.jpg"), Path.of("4.jpg"));
        Files.createSymbolicLink(cat.resolve("6.jpg"), Path.of("nowhere.jpg"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                Dataset dataset = opened(socket, cat.resolve("7.jpg"))) {
            assertThat(dataset.size()).isEqualTo(7);
            assertThat(dataset.read(0).image().data()).isNotEmpty();
            String[] reasons = {
                "expected a file, found a FIFO",
                "expected a file, found a FIFO",
                "cannot read the file: " + cat + "/4.jpg: Too many levels of symbolic links",
                "cannot read the file: " + cat + "/5.jpg: Too many levels of symbolic links",
                "expected a file, found a link to a file that does not exist",
                "expected a file, found a socket"
            };
            for (int i = 0; i < reasons.length; i++) {
                int index = i + 1;
                assertThatThrownBy(() -> dataset.read(index))
                        .isInstanceOf(BadSampleException.class)
                        .hasMessageStartingWith(reasons[i]);
            }
        }
    }

    private Dataset opened(ServerSocketChannel socket, Path path) throws IOException {
        socket.bind(UnixDomainSocketAddress.of(path));
        return open(root.toString());
    }

    @Test
    @Timeout(60)
    void fifosInThePlaceOfLabelsAreRefused() throws Exception {
        write("1.jpg");
        Path labels = root.resolve("labels.csv");
        assertThat(new ProcessBuilder("mkfifo", labels.toString()).start().waitFor())
                .isZero();

        assertRefused(labels + " is a FIFO: expected a file");
    }

    @Test
    void manyFilesKeepTheirPathsAndLabels() throws IOException {
        FileList files = new FileList();
        List<String> paths = new ArrayList<>();
        for (int label = 0; label < 30; label++) {
            for (int i = 0; i < label * 300; i++) {
                paths.add("class" + label + "/caf\u00e9-\u65e5\u672c/" + i + ".jpg");
                files.add(paths.get(paths.size() - 1), label);
            }
        }
        files.compact();

        assertThat(files.size()).isEqualTo(paths.size());
        for (int i = 0; i < paths.size(); i++) {
            assertThat(files.path(i)).isEqualTo(paths.get(i));
            assertThat(paths.get(i)).startsWith("class" + files.label(i) + "/");
        }
    }

    @Test
    void fileUriWithSpacesIsRead() throws IOException {
        write("my photos/cat and dog/1 2.jpg");
        Path folder = root.resolve("my photos");

        try (Dataset dataset = open(folder.toUri().toString())) {
            assertThat(dataset.read(0).key()).isEqualTo("cat and dog/1 2.jpg");
        }
        try (Dataset dataset = open(folder + "/")) {
            assertThat(keys(dataset)).containsExactly("cat and dog/1 2.jpg");
        }
    }

    @Test
    void emptyFileIsABadSample() throws IOException {
        write("cat/1.jpg", "cat/2.jpg");
        Files.write(root.resolve("cat/1.jpg"), new byte[0]);

        try (Dataset dataset = open(root.toString())) {
            assertThatThrownBy(() -> dataset.read(0)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo("cat/1.jpg");
                assertThat(e.offset()).isZero();
                assertThat(e.reason()).isEqualTo("expected an image, found an empty file");
            });
            assertThat(dataset.read(1).key()).isEqualTo("cat/2.jpg");
        }
    }

    @Test
    void fileThatVanishedIsABadSample() throws IOException {
        write("cat/1.jpg", "cat/2.jpg");
        try (Dataset dataset = open(root.toString())) {
            Files.delete(root.resolve("cat/2.jpg"));

            assertThatThrownBy(() -> dataset.read(1)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo("cat/2.jpg");
                assertThat(e.offset()).isEqualTo(-1);
                assertThat(e.reason())
                        .isEqualTo("expected a file, found none; the file existed when the folder was listed");
            });
        }
    }

    @Test
    void linkToNothingIsABadSample() throws IOException {
        write("cat/1.jpg");
        Files.createSymbolicLink(root.resolve("cat/2.jpg"), root.resolve("gone.jpg"));

        try (Dataset dataset = open(root.toString())) {
            assertThat(dataset.size()).isEqualTo(2);
            assertThatThrownBy(() -> dataset.read(1)).isInstanceOf(BadSampleException.class);
        }
    }

    @Test
    void unreadableFileIsABadSampleWithTheCause() throws IOException {
        write("cat/1.jpg");
        try (Dataset dataset = open(root.toString())) {
            Files.delete(root.resolve("cat/1.jpg"));
            Files.createDirectory(root.resolve("cat/1.jpg"));

            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageStartingWith("cannot read the file: ")
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void fileTooLargeForASampleIsABadSample() throws IOException {
        write("cat/1.jpg");
        try (java.io.RandomAccessFile file =
                new java.io.RandomAccessFile(root.resolve("cat/1.jpg").toFile(), "rw")) {
            file.setLength((1L << 30) + 1);
        }
        try (Dataset dataset = open(root.toString())) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("has 1073741825 bytes, more than the 1073741824 that one sample may have");
        }
    }

    @Test
    void missingFolderIsNamed() {
        Path missing = root.resolve("nowhere");
        assertThatThrownBy(() -> open(missing.toString()))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no such folder: " + missing);
        assertThatThrownBy(() -> open("no/such/folder"))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith("no such folder: no/such/folder (that is, /")
                .hasMessageEndingWith("/no/such/folder)");
    }

    @Test
    void fileInPlaceOfTheFolderIsRefused() throws IOException {
        write("photos.zip");
        assertThatThrownBy(() -> open(root + "/photos.zip"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        root + "/photos.zip is a file; expected a folder that holds one folder of images per class");
    }

    @Test
    void folderWithoutFoldersIsRefused() throws IOException {
        assertRefused(root + " is empty; expected one folder of images per class in it");
        write("notes.txt");
        assertRefused(root + " holds no folders; expected one folder of images per class in it");
    }

    @Test
    void imagesWithoutClassFoldersAreRefused() throws IOException {
        write("1.jpg", "2.jpg", "notes.txt");

        assertRefused(root + " holds 2 images but no class folders; expected one folder per class, named as the class");
    }

    @Test
    void classFolderWithoutImagesIsRefused() throws IOException {
        write("cat/1.jpg", "dog/notes.txt");
        Files.createDirectories(root.resolve("eel/empty"));

        assertRefused(root + ": no images in class folders dog, eel; expected files ending in jpg, jpeg, png");
    }

    private void assertRefused(String... words) {
        assertThatThrownBy(() -> open(root.toString()))
                .isInstanceOf(DatasetException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void severalFoldersOfTheSameClassesAreOneDataset() throws IOException {
        for (String name : java.util.List.of("m/cat/1.jpg", "m/dog/2.jpg", "n/cat/3.jpg", "n/dog/1.jpg")) {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, name);
        }
        try (Dataset dataset = open(root + "/{n,m}")) {
            assertThat(dataset.size()).isEqualTo(4);
            assertThat(dataset.classes()).containsExactly("cat", "dog");
            String[] keys = {"n/cat/3.jpg", "n/dog/1.jpg", "m/cat/1.jpg", "m/dog/2.jpg"};
            for (int index = 0; index < keys.length; index++) {
                assertThat(dataset.read(index).key()).isEqualTo(root + "/" + keys[index]);
                assertThat(dataset.read(index).index()).isEqualTo(index);
                assertThat(dataset.read(index).label()).isEqualTo(index % 2).isEqualTo(dataset.label(index));
                assertThat(dataset.read(index).image().data())
                        .isEqualTo(keys[index].getBytes(java.nio.charset.StandardCharsets.UTF_8));
            }
        }
        Files.writeString(root.resolve("m/dog/notes.txt"), "text");
        try (Dataset dataset = open(root + "/{n,m}")) {
            assertThat(dataset.remarks()).containsExactly(root + "/m/: 1 file was not read: dog/notes.txt");
        }
        Files.move(root.resolve("m/cat"), root.resolve("m/cow"));
        assertThatThrownBy(() -> open(root + "/{n,m}"))
                .isInstanceOf(DatasetException.class)
                .hasMessage("expected folders of the same classes, found [cow, dog] in " + root
                        + "/m/ and [cat, dog] in " + root + "/n/");
    }

    private static Dataset open(String path) throws IOException {
        return new DatasetSpec("folder", OptionValues.of(new FolderFormat().options(), Map.of("path", path))).open();
    }

    /** Writes files that contain their own path. */
    private void write(String... paths) throws IOException {
        for (String path : paths) {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, path);
        }
    }

    private static List<String> keys(Dataset dataset) throws IOException {
        List<String> keys = new ArrayList<>();
        for (long i = 0; i < dataset.size(); i++) {
            keys.add(dataset.read(i).key());
        }
        return keys;
    }

    private static List<Long> labels(Dataset dataset) throws IOException {
        List<Long> labels = new ArrayList<>();
        for (long i = 0; i < dataset.size(); i++) {
            labels.add(dataset.read(i).label());
        }
        return labels;
    }
}
