package io.millrace.generate.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.generate.Generation;
import io.millrace.generate.ProgressListener;
import io.millrace.option.OptionValues;
import io.millrace.text.SpecialTokens;
import io.millrace.text.TokenIds;
import io.millrace.text.Tokenizers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextGeneratorTest {
    private static final String DOCUMENTS = "documents.jsonl";

    @TempDir
    Path root;

    private Path draw(String name, long documents, long length, long seed, int threads) throws IOException {
        Path folder = Files.createDirectories(root.resolve(name));
        TextGenerator generator = new TextGenerator();
        OptionValues values =
                OptionValues.of(generator.options(), Map.of("documents", documents, "length", length, "seed", seed));
        Generation made = generator.draw(values, folder, threads, ProgressListener.silent());
        assertThat(made.samples()).isEqualTo(documents);
        return folder;
    }

    private static List<String> texts(Path folder) throws IOException {
        List<String> texts = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve(DOCUMENTS))) {
            texts.add(new ObjectMapper().readTree(line).required("text").asText());
        }
        return texts;
    }

    @Test
    void anyNumberOfThreadsWritesTheSameBytes() throws IOException {
        Path one = draw("one", 1500, 50, 7, 1);
        Path many = draw("many", 1500, 50, 7, 5);
        for (String file : List.of(DOCUMENTS, "tokenizer.json", "tokenizer_config.json")) {
            assertThat(many.resolve(file)).hasSameBinaryContentAs(one.resolve(file));
        }
    }

    @Test
    void aDocumentDependsOnlyOnSeedAndNumber() throws IOException {
        List<String> few = texts(draw("few", 30, 200, 1, 1));
        assertThat(texts(draw("more", 300, 200, 1, 1)).subList(0, 30)).isEqualTo(few);
        assertThat(texts(draw("other", 30, 200, 2, 1))).doesNotContainAnyElementsOf(few);
        assertThat(few).doesNotHaveDuplicates();
    }

    @Test
    void lengthsSpreadAroundTheMedian() throws IOException {
        List<Integer> lengths = texts(draw("set", 1000, 500, 3, 1)).stream()
                .map(String::length)
                .sorted()
                .toList();
        assertThat(lengths.get(500)).isBetween(470, 580);
        assertThat(lengths.get(50)).isLessThan(200);
        assertThat(lengths.get(950)).isGreaterThan(1500);
    }

    /** The grammar decides more about a character than its frequency does, but not everything. */
    @Test
    void nextCharactersCanBeLearnedAndAreNotCertain() throws IOException {
        String all = String.join("\n", texts(draw("set", 1000, 500, 3, 1)));
        double alone = bitsPerCharacter(all, 0);
        assertThat(alone).isGreaterThan(4);
        assertThat(bitsPerCharacter(all, 4)).isBetween(0.2, alone / 2);
    }

    /** Returns the entropy of a character after this number of others, in bits. */
    private static double bitsPerCharacter(String text, int context) {
        Map<String, Map<Character, Integer>> counts = new HashMap<>();
        for (int i = context; i < text.length(); i++) {
            counts.computeIfAbsent(text.substring(i - context, i), key -> new HashMap<>())
                    .merge(text.charAt(i), 1, Integer::sum);
        }
        double bits = 0;
        for (Map<Character, Integer> next : counts.values()) {
            double total = next.values().stream().mapToInt(Integer::intValue).sum();
            for (int count : next.values()) {
                bits -= count * Math.log(count / total) / Math.log(2);
            }
        }
        return bits / (text.length() - context);
    }

    @Test
    void tokenizerMakesTheBytesOfATextAndNamesItsEnd() throws IOException {
        Path folder = draw("set", 3, 50, 1, 1);
        byte[] text = "Zoë says: \"日本\" \\ 😀\n\u0000\u007f".getBytes(StandardCharsets.UTF_8);
        try (var tokenizer = Tokenizers.open(folder.toString()).tokenizer()) {
            TokenIds ids = new TokenIds();
            tokenizer.encode(text, 0, text.length, ids);
            assertThat(ids.size()).isEqualTo(text.length);
            for (int i = 0; i < text.length; i++) {
                assertThat(ids.get(i)).isEqualTo(text[i] & 0xff);
            }
            assertThat(tokenizer.size()).isEqualTo(257);
            assertThat(tokenizer.id(SpecialTokens.of(folder.toString()).eos().orElseThrow()))
                    .hasValue(256);
        }
    }
}
