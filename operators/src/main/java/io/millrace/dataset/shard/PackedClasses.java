package io.millrace.dataset.shard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of classes that {@code pack} stored beside its shards, because neither tar nor TFRecord has a place for
 * them.
 */
public final class PackedClasses {
    /** The name of the file that {@code pack} writes. */
    public static final String MANIFEST = "manifest.json";

    private static final ObjectMapper JSON = new ObjectMapper();

    private PackedClasses() {}

    /**
     * Returns the names in the order of their labels. The result is empty when the folder of the first shard has no
     * manifest of {@code pack}, or its manifest does not name that shard.
     *
     * @throws DatasetException when the manifest is damaged
     */
    public static List<String> beside(List<DataFile> shards, StorageOptions options) throws IOException {
        String first = shards.get(0).name();
        int slash = first.lastIndexOf('/');
        Storage folder = Storage.of(slash < 0 ? "." : first.substring(0, Math.max(slash, 1)), options);
        if (folder.kind(MANIFEST) != Kind.FILE) {
            return List.of();
        }
        try {
            JsonNode manifest = JSON.readTree(folder.read(MANIFEST));
            boolean named = false;
            for (JsonNode shard : manifest.path("shards")) {
                named |= shard.path("file").asText().equals(first.substring(slash + 1));
            }
            List<String> classes = new ArrayList<>();
            if (named) {
                manifest.path("classes").forEach(name -> classes.add(name.asText()));
            }
            return classes;
        } catch (JsonProcessingException e) {
            throw new DatasetException(
                    folder.display(MANIFEST) + " is not complete JSON (" + e.getOriginalMessage()
                            + "): run pack again, or remove the file and name the classes with the key classes",
                    e);
        }
    }
}
