package io.millrace.transform.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Part;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleSerializer;
import io.millrace.sample.Split;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackSequencesTest {
    private static final Path GPT2 = Path.of("src/test/resources/vectors/text/byte_level_gpt2.json");

    @TempDir
    Path folder;

    private final SampleRandom random = new SampleRandom(1, 0);

    @Test
    void documentsFollowOneAnotherAndTheRestIsPadded() throws BadSampleException {
        Sample pack = pack(new Part(document(7, 1, 2, 3), 0, 3), new Part(document(9, 4, 5, 6, 8), 1, 3));
        apply("pack_sequences", Map.of("length", 8L, "pad", 99L, "documents", true), pack);

        assertThat(ints(pack.field("tokens"))).containsExactly(1, 2, 3, 5, 6, 99, 99, 99);
        assertThat(pack.field("tokens").shape()).containsExactly(8);
        assertThat(ints(pack.field("lengths"))).containsExactly(3, 2);
        assertThat(pack.field("lengths").kind()).isEqualTo(FieldKind.RAGGED);
        assertThat(ByteBuffer.wrap(pack.field("documents").data())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asLongBuffer()
                        .get(1))
                .isEqualTo(9);
        assertThat(pack.parts()).isEmpty();
        assertThat(pack.fieldNames()).containsExactly("tokens", "lengths", "documents");
    }

    @Test
    void maskOfLabelsIsCutWithItsTokensAndIsOneForDocumentsWithoutOne() throws BadSampleException {
        Sample masked = document(1, 1, 2, 3);
        masked.put(
                "label_mask",
                Field.of(DType.UINT8, new int[] {3}, new byte[] {0, 1, 1}).as(FieldKind.RAGGED));
        Sample pack = pack(new Part(masked, 0, 2), new Part(document(2, 4), 0, 1));
        apply("pack_sequences", Map.of("length", 4L), pack);

        assertThat(pack.field("label_mask").data()).containsExactly(0, 1, 1, 0);
    }

    @Test
    void documentWithFewerTokensThanCountedMakesItsPackBad() {
        Sample pack = pack(new Part(document(7, 1, 2), 0, 3));
        assertThatThrownBy(() -> apply("pack_sequences", Map.of("length", 8L), pack))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("document 7 had at least 3 tokens when they were counted, and has 2 now");
    }

    @Test
    void sampleThatIsNoPackAndDocumentsWithoutTokensAreMistakesOfThePipeline() {
        assertThatThrownBy(() -> apply("pack_sequences", Map.of("length", 8L), document(1, 2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected a pack of documents");
        Sample text = new Sample(3, "a.txt", -1).put("text", Field.text(new byte[] {65}));
        assertThatThrownBy(() -> apply("pack_sequences", Map.of("length", 8L), pack(new Part(text, 0, 1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected the field 'tokens' in each document, found [text]");
    }

    @Test
    void idsThatWereMadeToBeCountedAreUsedOnceByAnotherInstance() throws Exception {
        TransformSpec spec =
                TransformSpec.of("tokenize", Map.of("tokenizer", GPT2.toString(), "add", List.of("eos"), "eos", "!"));
        List<byte[]> counted = new ArrayList<>();
        try (Transform counting = spec.create();
                Transform batching = spec.create()) {
            counting.keepForLater();
            for (String text : List.of("some words and more words", "other words")) {
                Sample sample = text(1, text);
                assertThat(counting.applyToAll(sample, random)).isZero();
                assertThat(counting.keptCpuNanos()).isPositive();
                counted.add(sample.field("tokens").data().clone());
            }
            Sample pack = pack(
                    new Part(text(1, "other words"), 0, 1),
                    new Part(text(1, "unknown"), 0, 1),
                    new Part(text(1, "some words and more words"), 0, 1));
            assertThat(batching.applyToAll(pack, random)).isPositive();
            assertThat(pack.parts().get(0).sample().field("tokens").data()).isEqualTo(counted.get(1));
            assertThat(pack.parts().get(2).sample().field("tokens").data()).isEqualTo(counted.get(0));
            Sample again = text(1, "other words");
            assertThat(batching.applyToAll(again, random)).isZero();
            assertThat(again.field("tokens").data()).isEqualTo(counted.get(1));
        }
    }

    @Test
    void optionsOutOfTheirRangesAreRefused() {
        assertRefused(Map.of("length", 0L), "length: expected 1 to");
        assertRefused(Map.of("length", 8L, "window", 0L), "expected auto, or 1 to");
        assertRefused(Map.of("length", 8L, "policy", "worst_fit"), "worst_fit");
    }

    private static void assertRefused(Map<String, Object> options, String message) {
        assertThatThrownBy(() -> TransformSpec.of("pack_sequences", options).create())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void transformBeforeThePackChangesEachDocument() throws BadSampleException {
        Sample pack = pack(new Part(text(1, "one"), 0, 1), new Part(text(2, "two words"), 0, 1));
        apply("tokenize", Map.of("tokenizer", GPT2.toString()), pack);

        List<Integer> lengths = new ArrayList<>();
        for (Part part : pack.parts()) {
            assertThat(part.sample().fieldNames()).containsExactly("tokens");
            lengths.add(part.sample().field("tokens").shape()[0]);
        }
        assertThat(lengths).allMatch(length -> length > 0);
        assertThat(pack.bytes())
                .isEqualTo(4L * lengths.stream().mapToInt(n -> n).sum());
    }

    @Test
    void packKeepsItsDocumentsOnTheWayToAnotherTask() throws IOException {
        Sample pack = pack(new Part(document(7, 1, 2, 3), 1, 3), new Part(text(8, "a"), 0, 1));
        DataOutputSerializer out = new DataOutputSerializer(64);
        SampleSerializer.INSTANCE.serialize(pack, out);
        Sample read = SampleSerializer.INSTANCE.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));

        assertThat(read.toString()).isEqualTo(pack.toString());
        assertThat(read.parts()).hasSize(2);
        assertThat(read.parts().get(0).from()).isEqualTo(1);
        assertThat(read.parts().get(0).to()).isEqualTo(3);
        assertThat(ints(read.parts().get(0).sample().field("tokens"))).containsExactly(1, 2, 3);
        assertThat(read.parts().get(1).sample().key()).isEqualTo("text 8");
    }

    @Test
    void tokenizeAddsTheTokensThatAreAskedForAndCutsOnlyThen() throws Exception {
        Files.copy(GPT2, folder.resolve("tokenizer.json"));
        String end = "<|endoftext|>";
        Files.writeString(folder.resolve("tokenizer_config.json"), "{\"eos_token\": {\"content\": \"" + end + "\"}}");
        int[] plain = tokens(Map.of(), "a text of words");
        int[] ended = tokens(Map.of("add", List.of("eos")), "a text of words");
        assertThat(ended).hasSize(plain.length + 1).startsWith(plain);
        assertThat(tokens(Map.of("add", List.of("bos", "eos"), "bos", end), "a text of words"))
                .hasSize(plain.length + 2)
                .startsWith(ended[plain.length])
                .endsWith(ended[plain.length]);
        assertThat(tokens(Map.of("add", List.of("eos"), "max_length", 2L), "a text of words"))
                .containsExactly(plain[0], plain[1]);
    }

    @Test
    void emptyTextIsBadAndWrongOptionsAreSentences() throws IOException {
        Files.copy(GPT2, folder.resolve("tokenizer.json"));
        assertThatThrownBy(() -> tokens(Map.of(), ""))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("the text 'text' is empty");
        assertThatThrownBy(() -> tokens(Map.of("add", List.of("bos")), "a"))
                .hasMessageContaining("name no token for bos: expected the option bos with its text");
        assertThatThrownBy(() -> tokens(Map.of("add", List.of("eos"), "eos", "<none>"), "a"))
                .hasMessageContaining("eos: the vocabulary has no token '<none>'");
        assertThatThrownBy(() -> tokens(Map.of("add", List.of("template", "eos")), "a"))
                .hasMessageContaining("expected either template, or bos and eos");
        assertThatThrownBy(() -> tokens(Map.of("max_length", 0L), "a")).hasMessageContaining("max_length: expected");
        assertThatThrownBy(() -> apply("tokenize", Map.of("tokenizer", "none.json"), text(1, "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tokenizer 'none.json': expected the path");
        assertThatThrownBy(() -> apply("tokenize", Map.of("tokenizer", folder.toString()), document(1, 2)))
                .hasMessageContaining("no field 'text'");
    }

    private int[] tokens(Map<String, Object> options, String text) throws BadSampleException {
        Map<String, Object> all = new HashMap<>(options);
        all.put("tokenizer", folder.toString());
        Sample sample = text(1, text);
        apply("tokenize", all, sample);
        return ints(sample.field("tokens"));
    }

    private void apply(String name, Map<String, Object> options, Sample sample) throws BadSampleException {
        try (Transform transform = TransformSpec.of(name, options).create()) {
            transform.applyToAll(sample, random);
        }
    }

    private static Sample pack(Part... parts) {
        return new Sample(0, "pack 0", -1).placeAt(5, 0, Split.TRAIN).ofParts(List.of(parts));
    }

    private static Sample text(long index, String text) {
        return new Sample(index, "text " + index, -1)
                .placeAt(-1, 0, Split.TRAIN)
                .put("text", Field.text(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Sample document(long index, int... ids) {
        ByteBuffer bytes = ByteBuffer.allocate(ids.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(ids);
        byte[] values = new byte[ids.length * Integer.BYTES];
        bytes.get(0, values);
        return new Sample(index, "document " + index, -1)
                .placeAt(-1, 0, Split.TRAIN)
                .put(
                        "tokens",
                        Field.of(DType.INT32, new int[] {ids.length}, values).as(FieldKind.RAGGED));
    }

    private static int[] ints(Field field) {
        int[] ids = new int[field.bytes() / Integer.BYTES];
        ByteBuffer.wrap(field.data())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(ids);
        return ids;
    }
}
