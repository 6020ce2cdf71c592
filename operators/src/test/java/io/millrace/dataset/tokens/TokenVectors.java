package io.millrace.dataset.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The documents that src/test/python/token_vectors.py has written. */
final class TokenVectors {
    static final Path FOLDER = Path.of("src/test/resources/vectors/dataset/tokens");

    private TokenVectors() {}

    /** Returns the ids of the documents of one kind of file. */
    static List<int[]> documents(String kind) throws IOException {
        List<int[]> documents = new ArrayList<>();
        for (JsonNode document : new ObjectMapper()
                .readTree(FOLDER.resolve("documents.json").toFile())
                .get(kind)) {
            int[] ids = new int[document.size()];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = document.get(i).intValue();
            }
            documents.add(ids);
        }
        return documents;
    }

    /** Returns the ids of a sample. */
    static int[] ids(Sample sample) {
        int[] ids = new int[sample.field("tokens").shape()[0]];
        ByteBuffer.wrap(sample.field("tokens").data())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(ids);
        return ids;
    }
}
