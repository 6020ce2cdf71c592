package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The tokenizers, texts and ids that {@code operators/src/test/python/tokenizer_vectors.py} made. */
final class LibraryVectors {
    private static final String FOLDER = "/vectors/text/";

    private LibraryVectors() {}

    /** Returns the path of a tokenizer. */
    static Path file(String name) {
        try {
            return Path.of(Objects.requireNonNull(LibraryVectors.class.getResource(FOLDER + name))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode vectors() throws IOException {
        try (InputStream in = LibraryVectors.class.getResourceAsStream(FOLDER + "library_ids.json")) {
            return new ObjectMapper().readTree(in);
        }
    }

    /** Returns the texts. */
    static List<String> texts() throws IOException {
        List<String> texts = new ArrayList<>();
        vectors().get("texts").forEach(text -> texts.add(text.textValue()));
        return texts;
    }

    /** Returns the ids of each text. */
    static List<int[]> ids(String name) throws IOException {
        List<int[]> all = new ArrayList<>();
        for (JsonNode ids : vectors().get("tokenizers").get(name)) {
            int[] one = new int[ids.size()];
            for (int i = 0; i < one.length; i++) {
                one[i] = ids.get(i).intValue();
            }
            all.add(one);
        }
        return all;
    }

    /** Returns the ids that a tokenizer makes of a text. */
    static int[] encode(Tokenizer tokenizer, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        TokenIds ids = new TokenIds();
        tokenizer.encode(utf8, 0, utf8.length, ids);
        return ids.toArray();
    }
}
