package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.PartSpec.Share;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a dataset, compared with those of {@code part_vectors.py}. */
class PartDatasetTest {
    private static final List<Share> SHARES =
            List.of(new Share("train", 0.7), new Share("validation", 0.2), new Share("test", 0.1));

    private static JsonNode vectors() throws IOException {
        try (InputStream in = PartDatasetTest.class.getResourceAsStream("/vectors/dataset/parts/parts.json")) {
            return new ObjectMapper().readTree(in);
        }
    }

    /** A dataset of samples with names, labels and one field. */
    private record Listed(List<String> names, List<Long> numbers, List<Field> field) implements Dataset {
        static Listed ofVectors() throws IOException {
            return new Listed(
                    StreamSupport.stream(vectors().path("names").spliterator(), false)
                            .map(JsonNode::asText)
                            .toList(),
                    StreamSupport.stream(vectors().path("labels").spliterator(), false)
                            .map(JsonNode::asLong)
                            .toList(),
                    List.of());
        }

        @Override
        public long size() {
            return numbers.size();
        }

        @Override
        public Sample read(long index) throws IOException {
            if (label(index) < -1) {
                throw new BadSampleException("sample " + index, -1, "expected a good sample, found a bad one");
            }
            Sample sample = new Sample(index, "sample", index, label(index));
            return field.isEmpty() ? sample : sample.put("patient", field.get((int) index));
        }

        @Override
        public long label(long index) {
            return numbers.get((int) index);
        }

        @Override
        public @Nullable String nameOf(long index) {
            return names.isEmpty() ? null : names.get((int) index);
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private static PartSpec spec(String name, long seed, @Nullable PartGroup group, boolean stratified) {
        return new PartSpec(name, SHARES, seed, group, stratified);
    }

    private static List<Long> indexes(Dataset whole, PartSpec spec) throws IOException {
        Dataset part = PartDataset.of("data", whole, spec);
        return LongStream.range(0, part.size()).map(part::indexInWhole).boxed().toList();
    }

    private static List<Long> expected(String key, String part) throws IOException {
        JsonNode parts = vectors().path(key);
        return LongStream.range(0, parts.size())
                .filter(i -> parts.path((int) i).asText().equals(part))
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"train", "validation", "test"})
    void partHasTheSamplesThatHashlibFinds(String part) throws IOException {
        Listed named = Listed.ofVectors();
        Listed nameless = new Listed(List.of(), named.numbers(), List.of());

        assertThat(indexes(nameless, spec(part, 0, null, false))).isEqualTo(expected("index", part));
        assertThat(indexes(nameless, spec(part, 7, null, false))).isEqualTo(expected("index_seed_7", part));
        assertThat(indexes(named, spec(part, 0, null, false))).isEqualTo(expected("name", part));
        assertThat(indexes(named, spec(part, 0, PartGroup.FOLDER, false))).isEqualTo(expected("folder", part));
        assertThat(indexes(named, spec(part, 0, null, true))).isEqualTo(expected("stratified", part));
        assertThat(indexes(named, spec(part, 0, PartGroup.FOLDER, true)))
                .isEqualTo(expected("stratified_folder", part));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partsShareNoSampleAndAreTheWholeDatasetTogether(boolean stratified) throws IOException {
        List<Long> all = new ArrayList<>();
        for (Share share : SHARES) {
            all.addAll(indexes(Listed.ofVectors(), spec(share.name(), 3, null, stratified)));
        }

        assertThat(all)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 300).boxed().toList());
    }

    @Test
    void samplesOfTheRestBelongToNoPart() throws IOException {
        PartSpec half = new PartSpec("a", List.of(new Share("a", 0.25), new Share("b", 0.25)), 0, null, true);

        assertThat(indexes(Listed.ofVectors(), half).size()
                        + indexes(Listed.ofVectors(), half.named("b")).size())
                .isBetween(148, 152);
    }

    @Test
    void partStaysWhenAnotherOneIsRenamedOrThoseAfterItChange() throws IOException {
        Listed whole = Listed.ofVectors();
        List<Long> before = indexes(whole, spec("validation", 0, null, false));

        List<Share> renamed = List.of(new Share("fit", 0.7), new Share("validation", 0.2), new Share("x", 0.1));
        assertThat(indexes(whole, new PartSpec("validation", renamed, 0, null, false)))
                .isEqualTo(before);
        List<Share> divided =
                List.of(new Share("c", 0.3), new Share("d", 0.4), new Share("validation", 0.2), new Share("z", 0.05));
        assertThat(indexes(whole, new PartSpec("validation", divided, 0, null, false)))
                .isEqualTo(before);
    }

    @Test
    void sampleStaysInItsPartWhenOthersAreAdded() throws IOException {
        Listed whole = Listed.ofVectors();
        Listed fewer =
                new Listed(whole.names().subList(100, 200), whole.numbers().subList(100, 200), List.of());

        List<String> ofFewer = indexes(fewer, spec("train", 0, null, false)).stream()
                .map(i -> fewer.names().get(i.intValue()))
                .toList();
        List<String> ofWhole = indexes(whole, spec("train", 0, null, false)).stream()
                .map(i -> whole.names().get(i.intValue()))
                .toList();
        assertThat(ofWhole).containsSubsequence(ofFewer);
    }

    private static Field number(DType dtype, int value) {
        ByteBuffer bytes = ByteBuffer.allocate(dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        switch (dtype) {
            case INT32 -> bytes.putInt(value);
            case INT64 -> bytes.putLong(value);
            case FLOAT32 -> bytes.putFloat(value);
            default -> bytes.put((byte) value);
        }
        return Field.of(dtype, new int[0], bytes.array());
    }

    @Test
    void samplesWithTheSameValueOfAFieldAreInOnePartWhateverItsType() throws IOException {
        DType[] types = {DType.UINT8, DType.INT32, DType.INT64, DType.FLOAT32};
        List<Field> patients = IntStream.range(0, 240)
                .mapToObj(i -> number(types[i % 4], i % 60))
                .toList();
        Listed whole = new Listed(List.of(), LongStream.range(0, 240).boxed().toList(), patients);

        List<Long> train = indexes(whole, spec("train", 0, new PartGroup("patient"), false));

        assertThat(train).isNotEmpty().hasSizeLessThan(240);
        assertThat(train).allSatisfy(index -> assertThat(train).contains((index + 60) % 240));
    }

    @Test
    void groupOfTextIsThatOfItsName() throws IOException {
        Listed named = Listed.ofVectors();
        List<Field> texts = named.names().stream()
                .map(name -> Field.text(name.substring(0, name.lastIndexOf('/')).getBytes(StandardCharsets.UTF_8)))
                .toList();

        assertThat(indexes(
                        new Listed(List.of(), named.numbers(), texts),
                        spec("test", 0, new PartGroup("patient"), false)))
                .isEqualTo(expected("folder", "test"));
    }

    @Test
    void badSampleIsAGroupOfItsOwn() throws IOException {
        List<Long> labels = new ArrayList<>(LongStream.range(0, 40).boxed().toList());
        labels.set(5, -2L);
        Listed whole = new Listed(
                List.of(),
                labels,
                IntStream.range(0, 40).mapToObj(i -> number(DType.INT32, 1)).toList());

        List<List<Long>> parts = new ArrayList<>();
        for (Share share : SHARES) {
            parts.add(LongStream.range(0, 40)
                    .boxed()
                    .filter(new ArrayList<>(orEmpty(whole, share.name()))::contains)
                    .toList());
        }
        assertThat(parts.stream().flatMap(List::stream)).hasSize(40).doesNotHaveDuplicates();
    }

    private static List<Long> orEmpty(Dataset whole, String part) throws IOException {
        try {
            return indexes(whole, spec(part, 0, new PartGroup("patient"), false));
        } catch (DatasetException e) {
            return List.of();
        }
    }

    @Test
    void partReadsItsSamplesWithTheirIndexesLabelsAndNames() throws IOException {
        Listed whole = Listed.ofVectors();
        PartSpec spec = spec("test", 0, null, false);
        Dataset part = PartDataset.of("data", whole, spec);
        List<Long> indexes = expected("name", "test");

        Dataset.Reading reading =
                part.reading(new SampleRandom(1, SampleRandom.READ), 0, (int) part.size(), i -> part.size() - 1 - i);
        for (int i = 0; i < part.size(); i++) {
            long index = indexes.get(i);
            assertThat(part.read(i).index()).isEqualTo(index);
            assertThat(part.label(i)).isEqualTo(whole.label(index));
            assertThat(part.nameOf(i)).isEqualTo(whole.nameOf(index));
            assertThat(reading.read(i).index()).isEqualTo(indexes.get(indexes.size() - 1 - i));
        }
        assertThat(part.remarks()).containsExactly("the part 'test' has " + indexes.size() + " of 300 samples");
        assertThat(part.storedBytes()).isEmpty();
    }

    @Test
    void strataHaveTheSameSharesOfEachLabel() throws IOException {
        List<Long> labels =
                LongStream.range(0, 1000).map(i -> i % 10 == 0 ? 1 : 0).boxed().toList();
        Listed whole = new Listed(List.of(), labels, List.of());

        List<Long> test = indexes(whole, spec("test", 0, null, true));

        assertThat(test).hasSize(100);
        assertThat(test.stream().filter(i -> whole.label(i) == 1)).hasSize(10);
    }

    @Test
    void bitsOfALargeSetAreFound() {
        long[] words = LongStream.range(0, 10_000)
                .map(i -> i % 7 == 0 ? 0 : 0x8000_0000_0000_0001L << (i % 5))
                .toArray();
        SampleSet set = new SampleSet(words);
        List<Long> expected = LongStream.range(0, 640_000)
                .filter(i -> (words[(int) (i / 64)] >>> (i % 64) & 1) == 1)
                .boxed()
                .toList();

        assertThat(LongStream.range(0, set.size()).map(set::index).boxed().toList())
                .isEqualTo(expected);
    }

    @Test
    void badDivisionsAreReportedInSentences() throws IOException {
        Listed nameless = new Listed(List.of(), List.of(3L, 3L), List.of());
        assertThatThrownBy(() -> PartDataset.of("data", nameless, spec("train", 0, PartGroup.FOLDER, false)))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "dataset data: parts_group: folder needs a format whose samples have names with folders, such as"
                                + " folder or tar: name a field instead, parts_group: {field: NAME}");
        assertThatThrownBy(() -> PartDataset.of("data", nameless, spec("train", 0, new PartGroup("patient"), false)))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "dataset data: parts_group expected one of the fields [], found 'patient'; the key fields of the"
                                + " dataset may name more of them");
        assertThatThrownBy(() -> PartDataset.of("data", nameless, spec("train", 0, null, true)))
                .isInstanceOf(DatasetException.class)
                .hasMessage(
                        "dataset data: parts_stratified needs labels, expected at least two different ones, found 3 for"
                                + " each sample");
        PartSpec small = new PartSpec("a", List.of(new Share("a", 1e-9), new Share("b", 0.5)), 0, null, false);
        assertThatThrownBy(() -> PartDataset.of("data", nameless, small))
                .isInstanceOf(DatasetException.class)
                .hasMessage("dataset data: the part 'a' has none of the 2 samples: expected at least one; set a larger"
                        + " fraction in parts");
        assertThatThrownBy(() -> spec("valid", 0, null, false))
                .hasMessage("expected one of the parts train, validation, test, found 'valid'");
        assertThatThrownBy(() -> PartSpec.requireFractions(List.of(new Share("a", 0.7), new Share("b", 0.4))))
                .hasMessage("expected fractions that are at most 1 together, found 1.1");
        assertThatThrownBy(() -> PartSpec.requireFractions(List.of(new Share("a", 0))))
                .hasMessage("expected fractions above 0 and at most 1, found 0.0 for 'a'");
        PartSpec.requireFractions(SHARES);
    }
}
