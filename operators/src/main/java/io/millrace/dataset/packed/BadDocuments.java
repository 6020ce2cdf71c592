package io.millrace.dataset.packed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.millrace.file.WholeFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** The list of the bad documents of a count, a file with a JSON object in each line. */
public final class BadDocuments {
    private static final ObjectMapper JSON = new ObjectMapper();

    private BadDocuments() {}

    /**
     * Returns the message about a dataset without a good document.
     *
     * @param list the path of the list
     * @throws IOException when the list cannot be read
     */
    public static String all(String dataset, long documents, Path list) throws IOException {
        return String.format(
                Locale.ROOT,
                "all %,d documents of %s are bad, so that there is nothing to pack: %s",
                documents,
                dataset,
                describe(list));
    }

    /**
     * Returns the end of a message about bad documents: the path of their list, and the place and the reason of the first one in it.
     *
     * @param list the path of the list
     * @throws IOException when the list cannot be read
     */
    public static String describe(Path list) throws IOException {
        String listed = list + " lists them";
        if (!Files.exists(list)) { // somebody has deleted it
            return listed;
        }
        try (BufferedReader lines = open(list)) {
            String line = lines.readLine();
            JsonNode first = JSON.readTree(line == null ? "" : line);
            if (!first.hasNonNull("file") || !first.hasNonNull("reason")) {
                return listed;
            }
            long offset = first.path("offset").asLong(-1);
            return listed + "; the first one in the list is "
                    + first.get("file").asText()
                    + (offset < 0 ? "" : " at offset " + offset) + ": "
                    + first.get("reason").asText();
        } catch (JsonProcessingException e) { // a killed process wrote a part of the line
            return listed;
        }
    }

    /**
     * Leaves the first line of each document in a list. Documents of which a killed process had not written the number of tokens, or that
     * several runs counted at the same time, have several. Every process does so after its last line, so that the list is right when all
     * documents are counted. A line that another process adds meanwhile may be lost. Its document is in the list already, because the number
     * of tokens of a bad document is written after its line.
     *
     * @param list the path of the list, which need not exist
     * @throws IOException when the list cannot be read or written
     */
    public static void keepEachOnce(Path list) throws IOException {
        if (Files.exists(list) && visitFirst(list, line -> {}) > 0) {
            StringBuilder kept = new StringBuilder();
            visitFirst(list, line -> kept.append(line).append('\n'));
            String writer = UUID.randomUUID().toString(); // processes of other machines may have the same number
            WholeFiles.writeAs(writer, list, kept.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Passes on the first line of each document, and returns the number of the other lines. */
    private static long visitFirst(Path list, Consumer<String> first) throws IOException {
        Set<JsonNode> known = new HashSet<>();
        long others = 0;
        try (BufferedReader lines = open(list)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode index = index(line);
                if (index.isMissingNode() || known.add(index)) {
                    first.accept(line);
                } else {
                    others++;
                }
            }
        }
        return others;
    }

    private static JsonNode index(String line) throws IOException {
        try {
            return JSON.readTree(line).path("index");
        } catch (JsonProcessingException e) { // a killed process wrote a part of the line
            return MissingNode.getInstance();
        }
    }

    /** Opens a list for reading. A part of a line may end within a character, which is read as U+FFFD. */
    private static BufferedReader open(Path list) throws IOException {
        return new BufferedReader(new InputStreamReader(Files.newInputStream(list), StandardCharsets.UTF_8));
    }
}
