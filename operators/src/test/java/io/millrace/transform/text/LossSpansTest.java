package io.millrace.transform.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares masks of labels with those that {@code operators/src/test/python/chat_vectors.py} made. */
class LossSpansTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/text");
    private static final String BYTES = "byte_level_gpt2";
    private static final String TEXT = "to é 🙂.";

    private static void tokenize(Sample sample, String tokenizer, Map<String, Object> options)
            throws BadSampleException {
        Map<String, Object> all = new HashMap<>(options);
        all.put("tokenizer", VECTORS.resolve(tokenizer + ".json").toString());
        try (Transform transform = TransformSpec.of("tokenize", all).create()) {
            transform.applyToAll(sample, new SampleRandom(1, 0));
        }
    }

    private static Sample sample(String text, int... spans) {
        return with(new Sample(3, "chat 3", -1).placeAt(-1, 0, Split.TRAIN), "", text, spans);
    }

    private static Sample with(Sample sample, String prefix, String text, int... spans) {
        return sample.put(prefix + "text", Field.text(text.getBytes(StandardCharsets.UTF_8)))
                .put(prefix + "loss_spans", ints(new int[] {spans.length / 2, 2}, spans));
    }

    private static Field ints(int[] shape, int... values) {
        byte[] bytes = new byte[values.length * Integer.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(values);
        return Field.of(DType.INT32, shape, bytes).as(FieldKind.RAGGED);
    }

    private static String mask(Sample sample, String name) {
        StringBuilder mask = new StringBuilder();
        for (byte value : sample.field(name).data()) {
            mask.append(value);
        }
        assertThat(sample.field(name).shape()).containsExactly(mask.length());
        return mask.toString();
    }

    private static String mask(Sample sample, Map<String, Object> options) throws BadSampleException {
        tokenize(sample, BYTES, options);
        return mask(sample, "label_mask");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "byte_level_gpt2",
                "byte_level_llama3",
                "byte_level_qwen",
                "byte_level_nfc",
                "unknown_pattern",
                "byte_fallback",
                "metaspace",
                "unigram",
                "wordpiece"
            })
    void idsAndMasksOfChatsAreThoseOfTransformers(String tokenizer) throws IOException, BadSampleException {
        int compared = 0;
        for (JsonNode vector : new ObjectMapper().readTree(Files.readAllBytes(VECTORS.resolve("chat_masks.json")))) {
            if (vector.path("tokenizer").asText().equals(tokenizer)) {
                ObjectMapper json = new ObjectMapper();
                Sample chat =
                        sample(vector.path("text").asText(), json.convertValue(vector.path("spans"), int[].class));
                tokenize(chat, tokenizer, Map.of());
                assertThat(chat.fieldNames()).containsExactly("tokens", "label_mask");
                int[] ids = json.convertValue(vector.path("ids"), int[].class);
                assertThat(chat.field("tokens").data())
                        .isEqualTo(ints(new int[] {ids.length}, ids).data());
                assertThat(mask(chat, "label_mask"))
                        .as(vector.path("text").asText())
                        .isEqualTo(vector.path("mask").asText());
                compared++;
            }
        }
        assertThat(compared).isEqualTo(tokenizer.equals("byte_level_nfc") ? 16 : 10);
    }

    @Test
    void tokensThatEndASequenceCountWhereAPartReachesTheEnd() throws BadSampleException {
        Map<String, Object> ends = Map.of("add", List.of("bos", "eos"), "bos", "<|endoftext|>", "eos", "<|endoftext|>");
        String all = mask(sample("QZXJ", 0, 4), ends);
        assertThat(all).isEqualTo("011111");
        assertThat(mask(sample("QZXJ", 0, 3), ends)).isEqualTo("011100");
        assertThat(mask(sample("QZXJ", 0, 4, 4, 4), Map.of("max_length", 2L))).isEqualTo("11");
    }

    /** Bytes of an emoji are tokens here, and transformers counts only the first of the last character's. */
    @Test
    void lastCharacterThatTokensShareCountsOnce() throws BadSampleException {
        Sample chat = sample("1🙂🙂2", 0, 9);
        assertThat(mask(chat, Map.of())).matches("11+0+");
        assertThat(chat.field("tokens").shape()[0]).isEqualTo(8);
        assertThat(mask(sample("1🙂🙂2", 1, 5, 9, 10), Map.of())).isEqualTo("01000001");
    }

    /** In transformers, all tokens to the end of the text would count, because no token has the mark. */
    @Test
    void markThatTheNormalFormComposesDoesNotExtendAPart() throws BadSampleException {
        for (String text : List.of("de la cafe\u0301 de la", "de la caf\u00e9 de la")) {
            Sample chat = sample(text, 6, text.getBytes(StandardCharsets.UTF_8).length - 6);
            tokenize(chat, "byte_level_nfc", Map.of());
            assertThat(mask(chat, "label_mask")).as(text).matches("0+1+0+");
            Sample other = sample("de la caf\u00e9 de la", 6, 11);
            tokenize(other, "byte_level_nfc", Map.of());
            assertThat(chat.field("tokens").data())
                    .isEqualTo(other.field("tokens").data());
            assertThat(mask(chat, "label_mask")).isEqualTo(mask(other, "label_mask"));
        }
    }

    @Test
    void textThatTheLibraryCannotPlaceIsBad(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("tokenizer.json");
        Files.copy(VECTORS.resolve("byte_level_nfc.json"), file);
        try (Transform transform = TransformSpec.of("tokenize", Map.of("tokenizer", file.toString()))
                .create()) {
            Files.delete(file);
            transform.applyToAll(sample("plain text", 0, 5), new SampleRandom(1, 0));
            for (int time = 0; time < 2; time++) {
                assertThatThrownBy(() -> transform.apply(sample("e\u0301", 0, 3), new SampleRandom(1, 0)))
                        .isInstanceOf(BadSampleException.class)
                        .hasMessageContaining(
                                "the text is not in the normal form NFC, and Hugging Face's tokenizers, which state"
                                        + " them for such texts, cannot be used: " + file + " cannot be read");
            }
        }
    }

    @Test
    void otherIdsOfTheLibraryAreNoticed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("tokenizer.json");
        String json = Files.readString(VECTORS.resolve("byte_level_nfc.json"));
        Files.writeString(file, json);
        try (Transform transform = TransformSpec.of("tokenize", Map.of("tokenizer", file.toString()))
                .create()) {
            Files.writeString(file, json.replace("\"!\":0,\"\\\"\":1,", "\"!\":1,\"\\\"\":0,"));
            transform.apply(sample("e\u0301", 0, 3), new SampleRandom(1, 0));
            assertThatThrownBy(() -> transform.apply(sample("e\u0301!", 0, 3), new SampleRandom(1, 0)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("make other ids of it with " + file);
        }
    }

    /** In transformers, all tokens to the end of the text would count, prompts among them. */
    @Test
    void spaceThatATokenizerDropsDoesNotExtendAPart() throws BadSampleException {
        Sample chat = sample("de la de la", 3, 6, 9, 11);
        tokenize(chat, "wordpiece", Map.of());
        String both = mask(chat, "label_mask");
        Sample exact = sample("de la de la", 3, 5, 9, 11);
        tokenize(exact, "wordpiece", Map.of());
        assertThat(both).isEqualTo(mask(exact, "label_mask")).matches("0+1+0+1+");
    }

    @Test
    void noPartsAndEmptyPartsMaskEverything() throws BadSampleException {
        assertThat(mask(sample(TEXT), Map.of())).matches("0+");
        assertThat(mask(sample(TEXT, 3, 3), Map.of())).matches("0+");
    }

    @Test
    void preferencesHaveTwoTextsAndTwoMasks() throws BadSampleException {
        Sample sample = with(sample(TEXT, 0, 2), "chosen_", "ab", 1, 2);
        tokenize(sample, BYTES, Map.of("field", "chosen_text", "into", "chosen_tokens"));
        tokenize(sample, BYTES, Map.of());
        assertThat(sample.fieldNames()).containsExactly("chosen_tokens", "chosen_label_mask", "tokens", "label_mask");
        assertThat(mask(sample, "chosen_label_mask")).isEqualTo("01");
    }

    @Test
    void partsOutsideOfTheTextOrWithinACharacterAreBad() {
        for (int[] part : new int[][] {{-1, 2}, {3, 2}, {0, 99}, {0, 4}, {4, 5}}) {
            assertThatThrownBy(() -> mask(sample(TEXT, 0, 1, part[0], part[1]), Map.of()))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("part 1 of 'loss_spans' is [" + part[0] + ", " + part[1]
                            + "): expected places between characters of the text, 0 to 11 bytes");
        }
    }

    @Test
    void partsOfAnotherTypeOrNameAreMistakesOfThePipeline() {
        Sample flat = sample(TEXT).put("loss_spans", ints(new int[] {2}, 0, 1));
        assertThatThrownBy(() -> mask(flat, Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected int32 [parts, 2] in the field 'loss_spans' of chat 3");
        Sample named = sample(TEXT, 0, 1);
        named.put("prompt", named.field("text")).remove("text");
        assertThatThrownBy(() -> tokenize(named, BYTES, Map.of("field", "prompt")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected the field 'prompt_loss_spans' of chat 3");
    }
}
