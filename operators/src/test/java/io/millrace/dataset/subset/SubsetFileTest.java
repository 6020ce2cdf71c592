package io.millrace.dataset.subset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubsetFileTest {
    private static final Dataset NAMED =
            new Names(List.of("cats/1.png", "cats/2.png", "dogs/1.png", "7", "same", "same"));

    @TempDir
    Path folder;

    /** A dataset whose samples have only names; null for a name that cannot be read. */
    private record Names(List<String> names) implements Dataset {
        @Override
        public long size() {
            return names.size();
        }

        @Override
        public Sample read(long index) {
            return new Sample(index, names.get((int) index), 0);
        }

        @Override
        public @Nullable String nameOf(long index) {
            String name = names.get((int) index);
            return name.isEmpty() ? null : name;
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private String npy(String name, String descr, long... values) throws IOException {
        String header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + values.length + ",), }";
        String padded = header + " ".repeat(64 - (10 + header.length() + 1) % 64) + "\n";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
        bytes.write(new byte[] {(byte) padded.length(), (byte) (padded.length() >> 8)});
        bytes.write(padded.getBytes(StandardCharsets.US_ASCII));
        ByteBuffer data = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        data.asLongBuffer().put(values);
        bytes.write(data.array());
        return Files.write(folder.resolve(name), bytes.toByteArray()).toString();
    }

    private static long[] read(String file, Dataset dataset) throws IOException {
        return new SubsetFile().read(file, "pets", dataset, StorageOptions.STANDARD);
    }

    @Test
    void indexesComeFromAnArrayOrFromLines() throws Exception {
        assertThat(read(npy("i.npy", "<i8", 4, 0, 2), NAMED)).containsExactly(4, 0, 2);
        assertThat(read(file("i.txt", " 5\n0 \r\n3\n"), NAMED)).containsExactly(5, 0, 3);
    }

    @Test
    void namesAreThoseOfTheSamples() throws Exception {
        assertThat(read(file("n.txt", "dogs/1.png\n7\ncats/1.png\n"), NAMED)).containsExactly(2, 3, 0);
    }

    @Test
    void whatNamesNoSampleIsRefused() throws Exception {
        assertRefused(
                npy("far.npy", "<i8", 1, 6),
                "expected an index from 0 to 5 of pets in element 1 of " + folder.resolve("far.npy") + ", found 6");
        assertRefused(npy("neg.npy", "<i8", -1), "in element 0 of ", "found -1");
        assertRefused(file("far.txt", "1\n99\n"), "in line 2 of ", "found 99");
        assertRefused(
                file("n.txt", "cats/1.png\ncats/3.png\n"),
                "expected the name of a sample of pets, such as 'cats/1.png', in line 2 of ",
                "found 'cats/3.png'");
        assertRefused(file("blank.txt", "cats/1.png\n\n"), "in line 2 of ", "found ''");
        assertRefused(npy("f.npy", "<f8", 1), "whole numbers, in ", "found FLOAT64[1]");
        assertRefused(file("broken.npy", "no array"), "broken.npy, offset 0: ");
        assertRefused(file("empty.txt", ""), "expected at least one sample in ", "found none");
        assertRefused(npy("empty.npy", "<i8"), "expected at least one sample in ", "found none");
        assertRefused(folder.resolve("missing.txt").toString(), "missing.txt cannot be read: there is no such file");
    }

    @Test
    void samplesThatAreNamedTwiceAreRefused() throws Exception {
        assertRefused(
                npy("i.npy", "<i8", 3, 1, 3),
                "expected each sample once, found index 3 in element 0 of ",
                "and again in element 2");
        assertRefused(
                file("n.txt", "7\ncats/1.png\n7\n"),
                "expected each sample once, found '7' in line 1 of ",
                "and again in line 3");
        assertRefused(
                file("s.txt", "same\n"),
                "expected the name of one sample in line 1 of ",
                "found 'same', which samples 4 and 5 of pets have; use indexes");
    }

    @Test
    void samplesWithoutNamesNeedIndexes() throws Exception {
        String names = file("n.txt", "a\n");

        assertThatThrownBy(() -> read(names, new Names(List.of("", ""))))
                .isInstanceOf(DatasetException.class)
                .hasMessage("dataset.subset: expected an index in each line of " + names
                        + ", because the samples of pets have no names, found 'a' in line 1");
    }

    private static void assertRefused(String file, String... parts) {
        assertThatThrownBy(() -> read(file, NAMED))
                .isInstanceOf(DatasetException.class)
                .message()
                .startsWith("dataset.subset: ")
                .contains(parts);
    }

    @Test
    void aDatasetHasTheNamedSamplesInItsOwnOrderWithTheirIndexes() throws Exception {
        SyntheticFormat format = new SyntheticFormat();
        DatasetSpec whole = new DatasetSpec(
                format.name(), OptionValues.of(format.options(), Map.of("size", 100L, "shape", List.of(2L, 2L, 1L))));
        try (Dataset all = whole.open();
                Dataset subset =
                        whole.withSubset(npy("i.npy", "<i8", 99, 7, 64)).open()) {
            assertThat(subset.size()).isEqualTo(3);
            assertThat(LongStream.range(0, 3).map(subset::indexInWhole)).containsExactly(7L, 64L, 99L);
            for (int i = 0; i < 3; i++) {
                long index = subset.indexInWhole(i);
                assertThat(subset.read(i).index()).isEqualTo(index);
                assertThat(subset.read(i).field(Sample.IMAGE).data())
                        .isEqualTo(all.read(index).field(Sample.IMAGE).data());
            }
            assertThat(subset.remarks()).contains("the subset " + folder.resolve("i.npy") + " has 3 of 100 samples");
        }
    }
}
