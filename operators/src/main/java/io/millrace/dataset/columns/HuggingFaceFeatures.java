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
 * What Hugging Face's datasets write beside the columns: which hold images, and the names of classes.
 *
 * @param kinds by column, as {@code Image} or {@code ClassLabel}
 * @param classes by column, the names of its numbers
 */
public record HuggingFaceFeatures(Map<String, String> kinds, Map<String, List<String>> classes) {
    /** The key of the metadata that holds them. */
    public static final String KEY = "huggingface";

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads them.
     *
     * @param json the metadata's value, or null where there is none: then there are no features
     * @param file for messages
     * @throws DatasetException when it is no JSON
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

    /** Whether the column holds encoded images. */
    public boolean isImage(String column) {
        return "Image".equals(kinds.get(column));
    }

    /** The names of a column's numbers, empty where there are none. */
    public List<String> classes(String column) {
        return classes.getOrDefault(column, List.of());
    }
}
