package io.millrace.dataset.columns;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.DatasetException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The metadata that Hugging Face's datasets store beside the columns: the columns that hold images, and the names of
 * classes.
 *
 * @param kinds the kind of each column, such as {@code Image} or {@code ClassLabel}
 * @param classes the names of each column's numbers
 */
public record HuggingFaceFeatures(Map<String, String> kinds, Map<String, List<String>> classes) {
    /** The key of this metadata in the file. */
    public static final String KEY = "huggingface";

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads the metadata.
     *
     * @param json the value of the metadata, or null when the file has no such metadata; the result is then empty
     * @param file the file's name, for messages
     * @throws DatasetException when the value is not JSON
     */
    public static HuggingFaceFeatures of(@Nullable String json, String file) throws DatasetException {
        Map<String, String> kinds = new HashMap<>();
        Map<String, List<String>> classes = new HashMap<>();
        if (json != null) {
            parse(json, file).path("info").path("features").properties().forEach(feature -> {
                kinds.put(feature.getKey(), feature.getValue().path("_type").asText());
                JsonNode names = feature.getValue().path("names");
                if (names.isArray()) {
                    classes.put(
                            feature.getKey(),
                            StreamSupport.stream(names.spliterator(), false)
                                    .map(JsonNode::asText)
                                    .toList());
                }
            });
        }
        return new HuggingFaceFeatures(kinds, classes);
    }

    private static JsonNode parse(String json, String file) throws DatasetException {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new DatasetException(
                    file + ": expected JSON as its metadata '" + KEY + "', found " + e.getOriginalMessage(), e);
        }
    }

    /** Returns whether the column holds encoded images. */
    public boolean isImage(String column) {
        return "Image".equals(kinds.get(column));
    }

    /** Returns the names of a column's numbers; empty when there are none. */
    public List<String> classes(String column) {
        return classes.getOrDefault(column, List.of());
    }
}
