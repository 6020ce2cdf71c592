package io.millrace.diagnosis.planted;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Documents of random words for planted bottlenecks, as texts with a tokenizer whose tokens are whole words, and as ids of the same
 * tokens. Each document ends with the token {@value #END}.
 */
final class PlantTexts {
    static final String TEXTS = "texts.jsonl";
    static final String TOKENIZER = "words.json";
    static final String IDS = "ids.bin";
    static final String END = "end";

    /** The number of documents. */
    private static final int DOCUMENTS = 2000;

    /** The numbers of words of a document, both included. A few of them fill a sequence, and each of them less than half of it. */
    private static final int FEWEST_WORDS = 100;

    private static final int MOST_WORDS = 500;

    private static final int WORDS = 5000;
    private static final int SHORTEST = 2;
    private static final int LONGEST = 10;

    private PlantTexts() {}

    /** Writes the texts, the tokenizer and the ids into a folder. */
    static void write(Path folder) throws IOException {
        List<String> words = words();
        writeTokenizer(folder, words);
        Random random = new Random(2);
        try (Writer texts = Files.newBufferedWriter(folder.resolve(TEXTS));
                OutputStream ids = new BufferedOutputStream(Files.newOutputStream(folder.resolve(IDS)))) {
            for (int document = 0; document < DOCUMENTS; document++) {
                int[] tokens = random.ints(random.nextInt(FEWEST_WORDS, MOST_WORDS + 1), 1, words.size())
                        .toArray();
                texts.write(IntStream.of(tokens)
                        .mapToObj(words::get)
                        .collect(Collectors.joining(" ", "{\"text\": \"", "\"}\n")));
                for (int token : tokens) {
                    write(ids, token);
                }
                write(ids, 0);
            }
        }
    }

    /** Writes an id as two bytes, little-endian. */
    private static void write(OutputStream ids, int id) throws IOException {
        ids.write(id);
        ids.write(id >> Byte.SIZE);
    }

    /** Writes the tokenizer alone. */
    static void writeTokenizer(Path folder) throws IOException {
        writeTokenizer(folder, words());
    }

    /** Writes a file of Hugging Face's tokenizers, whose model is none of those that our own engine knows. */
    private static void writeTokenizer(Path folder, List<String> words) throws IOException {
        String ids = IntStream.range(0, words.size())
                .mapToObj(id -> "\"" + words.get(id) + "\": " + id)
                .collect(Collectors.joining(", "));
        Files.writeString(folder.resolve(TOKENIZER), """
                {
                  "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
                  "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null, "decoder": null,
                  "model": { "type": "WordLevel", "unk_token": "%s", "vocab": { %s } }
                }
                """.formatted(END, ids), StandardCharsets.UTF_8);
    }

    /** Returns the words in the order of their ids. */
    private static List<String> words() {
        Set<String> words = new LinkedHashSet<>(List.of(END));
        Random random = new Random(1);
        while (words.size() < WORDS) {
            words.add(random.ints(random.nextInt(SHORTEST, LONGEST + 1), 'a', 'z' + 1)
                    .mapToObj(letter -> String.valueOf((char) letter))
                    .collect(Collectors.joining()));
        }
        return new ArrayList<>(words);
    }
}
