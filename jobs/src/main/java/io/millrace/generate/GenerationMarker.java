package io.millrace.generate;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file in a generated folder that records the request and whether the generation has finished.
 *
 * @param finished false from before the first image is written until after the last one
 * @param generation the data of the folder
 */
record GenerationMarker(boolean finished, Generation generation) {
    static final String FILE = ".millrace-generated.json";

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * Reads the marker of a folder; empty when there is none.
     *
     * @throws GenerationException when the file is not a marker of a generation
     */
    static Optional<GenerationMarker> find(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            GenerationMarker marker = JSON.readValue(Files.readAllBytes(file), GenerationMarker.class);
            return Optional.of(marker);
        } catch (JacksonException e) {
            throw new GenerationException(
                    file + " cannot be read as the marker of a generation (" + e.getOriginalMessage()
                            + "): remove it, or choose another folder",
                    e);
        }
    }

    /** Writes this marker and replaces an older one. */
    void write(Path folder) throws IOException {
        WholeFiles.write(folder.resolve(FILE), (JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
