package io.millrace.dataset.tar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.types.SettledDataset;
import io.millrace.dataset.types.TypeInspection;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The archives in the resources are written by Python's tarfile and GNU tar: src/test/python/tar_vectors.py. */
class TarDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/tar");
    private static final Map<String, Object> ALL = Map.of(
            "image", "jpg",
            "label", "cls",
            "mask", Map.of("from", "seg.png", "as", "mask"),
            "txt", "txt",
            "boxes", Map.of("from", "boxes.npy", "as", "ragged"),
            "box", "json/box",
            "name", "json/name",
            "meta", "json");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"ustar.tar", "gnu.tar", "pax.tar"})
    void archiveWrittenByPythonHasEveryFieldOfEverySample(String archive) throws IOException {
        try (Dataset dataset = open(VECTORS.resolve(archive), ALL)) {
            assertAsExpected(dataset, archive);
            Sample sample = dataset.read(1);
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(sample.field("boxes").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(sample.field("boxes").shape()).containsExactly(2, 4);
            assertThat(sample.field("box")).hasToString("INT64[4]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"by-gnu-tar-sparse.tar", "by-gnu-tar-sparse-pax.tar"})
    void sparseMembersOfGnuTarAreSkippedAndRefusedWhenAFieldNeedsThem(String archive) throws IOException {
        try (Dataset dataset = open(VECTORS.resolve(archive), null)) {
            assertAsExpected(dataset, archive);
        }
        try (Dataset dataset = open(VECTORS.resolve(archive), Map.of("hole", "hole"))) {
            assertThatThrownBy(() -> dataset.read(1))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageStartingWith("expected a member that is stored whole, found a sparse one");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"links-by-gnu-tar-gnu.tar", "links-by-gnu-tar-pax.tar"})
    void hardLinksHaveTheirTargetsBytesAndSymbolicLinksAreCounted(String archive) throws IOException {
        try (Dataset dataset = open(VECTORS.resolve(archive), null)) {
            assertAsExpected(dataset, archive);
            assertThat(dataset.remarks()).containsExactly("1 symbolic link was not read: e.jpg");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"concatenated.tar", "zero-block-inside.tar"})
    void membersBehindZeroBlocksAreRead(String archive) throws IOException {
        try (Dataset dataset = open(VECTORS.resolve(archive), null)) {
            assertAsExpected(dataset, archive);
            assertThat(dataset.remarks()).isEmpty();
        }
    }

    @Test
    void samplesOfConcatenatedArchivesStayApart() throws IOException {
        byte[] first = new TarBytes().file("a.txt", "1").end();
        byte[] second = new TarBytes().file("a.txt", "2").end();
        write("a.tar", concatenated(first, second));

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(2);
            assertThat(text(dataset.read(1), "txt")).isEqualTo("2");
        }
    }

    @Test
    void otherBytesBehindTheEndAreOneBadSample() throws IOException {
        byte[] archive = new TarBytes().file("a.txt", "1").end();
        byte[] other = "x".repeat(700).getBytes(StandardCharsets.UTF_8);
        write("a.tar", concatenated(archive, other));
        write("b.tar", concatenated(archive, new byte[700]));

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(text(dataset.read(0), "txt")).isEqualTo("1");
            assertThat(dataset.size()).isEqualTo(2);
            assertBadSample(
                    dataset,
                    1,
                    folder.resolve("a.tar").toString(),
                    archive.length,
                    "expected zeros or the header of a further archive behind the end of an archive, found other bytes; the"
                            + " rest of the file, 700 bytes with an unknown number of samples, is lost");
        }
        try (Dataset dataset = open(folder.resolve("b.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(1);
        }
    }

    @Test
    void hardLinksWithoutATargetBeforeThemAreBadSamples() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .member("a.txt", '1', "", block -> TarBytes.put(block, 157, "later.txt"))
                        .member("b.txt", '1', "", block -> TarBytes.put(block, 157, "nowhere"))
                        .member("folder/", '5', "", block -> {})
                        .member("c.txt", '1', "", block -> TarBytes.put(block, 157, "folder"))
                        .file("later.txt", "1")
                        .file("no-sample", "2")
                        .member("link", '1', "", block -> TarBytes.put(block, 157, "./x/..//no-sample"))
                        .member("d.txt", '1', "", block -> TarBytes.put(block, 157, "link"))
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(5);
            assertBadSample(
                    dataset,
                    0,
                    folder.resolve("a.tar") + "/a",
                    0,
                    "expected the target 'later.txt' of a hard link as a file before the link, found no such member there");
            assertThatThrownBy(() -> dataset.read(1)).hasMessageContaining("'nowhere'");
            assertThatThrownBy(() -> dataset.read(2))
                    .hasMessageEndingWith("found a folder, a symbolic link or a device");
            assertThat(text(dataset.read(3), "txt")).isEqualTo("1");
            assertThat(text(dataset.read(4), "txt")).isEqualTo("2");
        }
    }

    @Test
    void hardLinkHasItsOwnContentWhereOneFollows() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.txt", "old")
                        .member("b.txt", '1', "own", block -> TarBytes.put(block, 157, "a.txt"))
                        .member("c.txt", '1', "", block -> {
                            TarBytes.put(block, 157, "a.txt");
                            TarBytes.put(block, 124, "00000000003");
                        })
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(text(dataset.read(1), "txt")).isEqualTo("own");
            assertThat(text(dataset.read(2), "txt")).isEqualTo("old");
        }
    }

    @Test
    void filesThatSystemsAddAreIgnored() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("x/1.txt", "1")
                        .file("x/._1.txt", "AppleDouble")
                        .file("x/.DS_Store", "settings")
                        .file("x/Thumbs.db", "thumbnails")
                        .file("__MACOSX/x/1.txt", "copy")
                        .file("x/PaxHeaders.42/1.txt", "11 path=1\n")
                        .file("x/1.cls", "7")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt", "label"))) {
            assertThat(keys(dataset)).containsExactly("a.tar/x/1");
        }
    }

    @Test
    void damagedPaxHeaderMakesItsMemberBadAndNoOther() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .member("pax", 'x', "99 path=b.txt\n", block -> {})
                        .file("a.txt", "1")
                        .file("c.txt", "2")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(2);
            assertBadSample(
                    dataset,
                    0,
                    folder.resolve("a.tar") + "/a",
                    1024,
                    "expected a pax record such as '18 path=0001.jpg', found '99 path=b.txt?'");
            assertThat(text(dataset.read(1), "txt")).isEqualTo("2");
        }
    }

    @Test
    void indexInTheCacheKeepsLinksAndReasons() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.txt", "1")
                        .member("b.txt", '1', "", block -> TarBytes.put(block, 157, "a.txt"))
                        .member("c.txt", '1', "", block -> TarBytes.put(block, 157, "nowhere"))
                        .member("d.txt", '2', "", block -> TarBytes.put(block, 157, "a.txt"))
                        .end());
        Map<String, Object> options = Map.of(
                "path", folder.resolve("a.tar").toString(),
                "fields", List.of("txt"),
                "index_cache", folder.resolve("cache").toString());
        for (int run = 0; run < 2; run++) {
            try (Dataset dataset = new DatasetSpec("tar", OptionValues.of(new TarFormat().options(), options)).open()) {
                assertThat(text(dataset.read(1), "txt")).isEqualTo("1");
                assertThatThrownBy(() -> dataset.read(2)).hasMessageContaining("'nowhere'");
                assertThat(dataset.remarks()).containsExactly("1 symbolic link was not read: d.txt");
            }
            assertThat(folder.resolve("cache")).isNotEmptyDirectory();
        }
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Test
    void severalArchivesAreOneDatasetAndNoSampleSpansTwo() throws IOException {
        write("s-0.tar", new TarBytes().file("a.jpg", "1").file("b.jpg", "2").end());
        write("s-1.tar", new byte[2 * TarBytes.BLOCK]);
        write("s-2.tar", new TarBytes().file("b.cls", "3").file("b.jpg", "4").end());

        try (Dataset dataset = open(folder.resolve("s-{0..2}.tar"), List.of("jpg"))) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(keys(dataset)).containsExactly("s-0.tar/a", "s-0.tar/b", "s-2.tar/b");
            assertThat(text(dataset.read(2), "jpg")).isEqualTo("4");
        }
    }

    @Test
    void namesAreDividedAsInWebDataset() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("./x/001.left.JPG", "l")
                        .file("./x/001.CLS", "1")
                        .file("__meta__", "no sample")
                        .file("__x__/001.jpg", "no sample")
                        .file("noextension", "no sample")
                        .file("d.ir/noextension", "no sample")
                        .file("y__/001.left.jpg", "m")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("left.jpg"))) {
            assertThat(keys(dataset)).containsExactly("a.tar/./x/001", "a.tar/y__/001");
        }
    }

    @Test
    void namesWithPathsOutsideTheFolderAreUsedAsKeysOnly() throws IOException {
        Path secret = write("secret.jpg", "secret".getBytes(StandardCharsets.UTF_8));
        write(
                "in/a.tar",
                new TarBytes()
                        .file("../secret.jpg", "inside")
                        .file(secret.toString(), "also inside")
                        .member("../link.jpg", '2', "", block -> TarBytes.put(block, 157, "../secret.jpg"))
                        .end());

        try (Dataset dataset = open(folder.resolve("in/a.tar"), List.of("jpg"))) {
            assertThat(dataset.size()).isEqualTo(2);
            assertThat(text(dataset.read(0), "jpg")).isEqualTo("inside");
            assertThat(text(dataset.read(1), "jpg")).isEqualTo("also inside");
        }
        try (var files = Files.list(folder)) {
            assertThat(files.map(path -> String.valueOf(path.getFileName())))
                    .containsExactlyInAnyOrder("secret.jpg", "in");
        }
    }

    @Test
    void binaryAndPaxSizesAreUsed() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .member("a.txt", '0', "hello", block -> {
                            Arrays.fill(block, 124, 136, (byte) 0);
                            block[124] = (byte) 0x80;
                            block[135] = 5;
                        })
                        .member("pax", 'x', "10 size=3\n", block -> {})
                        .member("b.txt", '0', "abc", block -> TarBytes.put(block, 124, "00000000000"))
                        .file("c.txt", "end")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(text(dataset.read(0), "txt")).isEqualTo("hello");
            assertThat(text(dataset.read(1), "txt")).isEqualTo("abc");
            assertThat(text(dataset.read(2), "txt")).isEqualTo("end");
        }
    }

    @Test
    void archiveWithoutLabelsIsRefusedOnlyWhenThePipelineFileNamesTheLabel() throws IOException {
        write("a.tar", new TarBytes().file("a.jpg", "1").end());

        try (Dataset dataset = open(folder.resolve("a.tar"), null)) {
            assertThat(dataset.read(0).label()).isZero();
        }
        assertThatThrownBy(() -> open(folder.resolve("a.tar"), List.of("image", "label")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no member 'cls' for the field 'label' in " + folder.resolve("a.tar") + "; found jpg");
    }

    @Test
    void sampleWithoutALabelIsBadWhenOthersHaveOne() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.jpg", "1")
                        .file("a.cls", "1")
                        .file("b.jpg", "2")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), null)) {
            assertThat(dataset.label(0)).isEqualTo(1);
            assertBadSample(
                    dataset, 1, folder.resolve("a.tar") + "/b", 4 * 512 + 512, "expected a label as 'cls', found none");
        }
    }

    @Test
    void repeatedSuffixIsABadSample() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.jpg", "1")
                        .file("a.JPG", "2")
                        .file("b.jpg", "3")
                        .end());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("jpg"))) {
            assertBadSample(
                    dataset,
                    0,
                    folder.resolve("a.tar") + "/a",
                    1536,
                    "expected each suffix once in a sample, found a second member 'jpg' of key 'a'");
            assertThat(text(dataset.read(1), "jpg")).isEqualTo("3");
        }
    }

    @Test
    void labelMayBeAClassNameOrWithinJsonOrAnArray() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.cls", "dog")
                        .file("a.json", "{\"x\": {\"y\": [7, 1]}}")
                        .end());

        Map<String, Object> options =
                new HashMap<>(Map.of("path", folder.resolve("a.tar").toString()));
        options.put("fields", List.of("label"));
        options.put("classes", List.of("cat", "dog"));
        try (Dataset dataset = open(options)) {
            assertThat(dataset.label(0)).isEqualTo(1);
            assertThat(dataset.classes()).containsExactly("cat", "dog");
        }
        try (Dataset dataset = open(folder.resolve("a.tar"), Map.of("label", "json/x/y/0"))) {
            assertThat(dataset.read(0).label()).isEqualTo(7);
        }
        try (Dataset dataset = open(folder.resolve("a.tar"), Map.of("label", "json/x/z"))) {
            assertBadSample(
                    dataset,
                    0,
                    folder.resolve("a.tar") + "/a",
                    1536,
                    "expected a value at 'x/z' in the JSON, found none");
        }
    }

    @Test
    void textThatIsTheNameOfAClassIsThatClassUnlessPackWroteTheShard() throws IOException {
        write("a.tar", new TarBytes().file("a.cls", "1").file("b.cls", "0.0").end());
        List<String> classes = List.of("10", "1", "2");

        Map<String, Object> options = new HashMap<>();
        options.put("path", folder.resolve("a.tar").toString());
        options.put("fields", List.of("label"));
        options.put("classes", classes);
        try (Dataset dataset = open(options)) {
            assertThat(dataset.label(0)).isEqualTo(1);
            assertThat(dataset.label(1)).isEqualTo(0);
        }
        options.put("classes", List.of("2", "0", "1"));
        try (Dataset dataset = open(options)) {
            assertThat(dataset.label(0)).isEqualTo(2);
        }
        Files.writeString(
                folder.resolve("manifest.json"),
                "{\"shards\": [{\"file\": \"a.tar\"}], \"classes\": [\"2\", \"0\", \"1\"]}");
        options.remove("classes");
        try (Dataset dataset = open(options)) {
            assertThat(dataset.label(0)).isEqualTo(1);
            assertThat(dataset.classes()).containsExactly("2", "0", "1");
        }
    }

    @Test
    void onlyJsonAndArraysNeedAnInspectionAndOnlyTheirMembersAreRead() throws IOException {
        write(
                "a.tar",
                new TarBytes()
                        .file("a.jpg", "no picture")
                        .file("a.json", "{\"x\": [], \"y\": 1}")
                        .file("b.json", "{\"x\": [[1, 2, 3, 4.5]], \"y\": 2.5}")
                        .end());
        Path archive = folder.resolve("a.tar");
        try (Dataset dataset = open(archive, Map.of("image", "jpg", "meta", "json"))) {
            assertThat(dataset.undeclared()).isEmpty();
        }
        Map<String, Object> fields =
                Map.of("image", "jpg", "boxes", Map.of("from", "json/x", "as", "ragged"), "y", "json/y");
        try (Dataset dataset = open(archive, fields)) {
            assertThatThrownBy(() -> dataset.read(1)).hasMessageContaining("expected a member 'jpg'");
            assertThat(dataset.undeclared().orElseThrow().read(1).fieldNames()).containsExactlyInAnyOrder("boxes", "y");
            Dataset settled = SettledDataset.of(dataset, TypeInspection.of("a.tar", dataset, place -> place));
            Sample sample = settled.read(0);
            assertThat(sample.field("boxes")).hasToString("FLOAT64[0, 4]");
            assertThat(sample.field("y")).hasToString("FLOAT64[]");
            assertThat(sample.field("y").data()).containsExactly(0, 0, 0, 0, 0, 0, 0xF0, 0x3F);
        }
    }

    @Test
    void truncatedContentIsOneBadSample() throws IOException {
        byte[] archive =
                new TarBytes().file("a.txt", "1").file("b.txt", "x".repeat(600)).end();
        write("a.tar", Arrays.copyOf(archive, 1536 + 100));

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(2);
            assertThat(text(dataset.read(0), "txt")).isEqualTo("1");
            assertBadSample(
                    dataset,
                    1,
                    folder.resolve("a.tar") + "/b",
                    1536,
                    "expected 600 bytes of 'txt', found the end of the file at offset 1636");
        }
    }

    @Test
    void damagedHeaderLosesTheRestAsOneBadSample() throws IOException {
        byte[] archive = new TarBytes()
                .file("a.txt", "1")
                .file("b.txt", "2")
                .file("c.txt", "3")
                .end();
        archive[1024 + 3] ^= 1;
        write("a.tar", archive);
        write("b.tar", new TarBytes().file("d.txt", "4").end());

        try (Dataset dataset = open(folder.resolve("[ab].tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThatThrownBy(() -> dataset.read(1)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo(folder.resolve("a.tar").toString());
                assertThat(e.offset()).isEqualTo(1024);
                assertThat(e.reason())
                        .matches("expected a tar header, whose checksum would be \\d+ \\(octal\\), found \\d+; the"
                                + " rest of the file, 3072 bytes with an unknown number of samples, is lost");
            });
            assertThat(text(dataset.read(2), "txt")).isEqualTo("4");
        }
    }

    @Test
    void archiveWithoutBlocksOfZerosIsAccepted() throws IOException {
        write("a.tar", new TarBytes().file("a.txt", "1").bytes());

        try (Dataset dataset = open(folder.resolve("a.tar"), List.of("txt"))) {
            assertThat(dataset.size()).isEqualTo(1);
        }
    }

    @Test
    void compressedArchiveIsRefusedWithTheReason() throws IOException {
        write("a.tar", new byte[] {0x1F, (byte) 0x8B, 8, 0, 0, 0, 0, 0});

        assertThatThrownBy(() -> open(folder.resolve("a.tar"), null))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(folder.resolve("a.tar") + " is compressed with gzip as a whole");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 511, 512, 4096})
    void fileThatIsNoArchiveIsRefused(int bytes) throws IOException {
        byte[] noise = new byte[bytes];
        Arrays.fill(noise, (byte) 7);
        write("a.tar", noise);

        assertThatThrownBy(() -> open(folder.resolve("a.tar"), null))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(
                        "no samples in " + folder.resolve("a.tar") + ": at offset 0 expected a tar header");
    }

    @Test
    void suffixThatNoSampleHasIsNamed() throws IOException {
        write("a.tar", new TarBytes().file("a.txt", "1").end());

        assertThatThrownBy(() -> open(folder.resolve("a.tar"), Map.of("image", "jpg;png")))
                .hasMessage("no member 'jpg;png' for the field 'image' in " + folder.resolve("a.tar") + "; found txt");
    }

    private void assertAsExpected(Dataset dataset, String archive) throws IOException {
        List<String> lines = Files.readAllLines(VECTORS.resolve("expected.tsv")).stream()
                .filter(line -> line.startsWith(archive + "\t"))
                .toList();
        assertThat(dataset.size()).isEqualTo(lines.size()).isPositive();
        for (int index = 0; index < lines.size(); index++) {
            String[] parts = lines.get(index).split("\t", -1);
            Map<String, String> hashes = new LinkedHashMap<>();
            for (String hash : Arrays.copyOfRange(parts, 3, parts.length)) {
                hashes.put(hash.substring(0, hash.indexOf('=')), hash.substring(hash.indexOf('=') + 1));
            }
            Sample sample = dataset.read(index);
            assertThat(sample.key()).isEqualTo(archive + "/" + parts[1]);
            assertThat(sample.label()).isEqualTo(Long.parseLong(parts[2])).isEqualTo(dataset.label(index));
            assertThat(sample.fieldNames()).containsExactlyInAnyOrderElementsOf(hashes.keySet());
            for (String name : sample.fieldNames()) {
                assertThat(sha256(sample.field(name).data())).as(name).isEqualTo(hashes.get(name));
            }
        }
    }

    private static void assertBadSample(Dataset dataset, long index, String file, long offset, String reason) {
        assertThatThrownBy(() -> dataset.read(index)).isInstanceOfSatisfying(BadSampleException.class, e -> {
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e.file()).isEqualTo(file);
            assertThat(e.offset()).isEqualTo(offset);
        });
    }

    private static List<String> keys(Dataset dataset) throws IOException {
        String[] keys = new String[(int) dataset.size()];
        for (int index = 0; index < keys.length; index++) {
            keys[index] = dataset.read(index).key();
        }
        return List.of(keys);
    }

    private static String text(Sample sample, String field) {
        return new String(sample.field(field).data(), StandardCharsets.UTF_8);
    }

    private Path write(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, bytes);
    }

    private static Dataset open(Path path, @org.jspecify.annotations.Nullable Object fields) throws IOException {
        Map<String, Object> options = new HashMap<>(Map.of("path", path.toString()));
        if (fields != null) {
            options.put("fields", fields);
        }
        return open(options);
    }

    private static Dataset open(Map<String, Object> options) throws IOException {
        Map<String, Object> all = new HashMap<>(options);
        all.put("index_cache", "none");
        return new DatasetSpec("tar", OptionValues.of(new TarFormat().options(), all)).open();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
