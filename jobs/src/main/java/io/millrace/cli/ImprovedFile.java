package io.millrace.cli;

import io.millrace.config.ConfigException;
import io.millrace.config.ConfigReader;
import io.millrace.config.ImprovedText;
import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A pipeline file with recommended settings, written beside the original. */
final class ImprovedFile {
    private ImprovedFile() {}

    /** Returns the name of the improved file: {@code conf.improved.yaml} for {@code conf.yaml}. */
    static Path beside(Path original) {
        String name = String.valueOf(original.getFileName());
        int dot = name.lastIndexOf('.');
        String improved =
                dot < 0 ? name + ".improved.yaml" : name.substring(0, dot) + ".improved" + name.substring(dot);
        return original.resolveSibling(improved);
    }

    /**
     * Writes the file, and reads it again to check that it is a valid pipeline.
     *
     * @param settings the settings of the user, followed by the recommended settings
     */
    static Path write(Path original, List<String> settings) throws IOException, ConfigException {
        Path file = beside(original);
        String text = ImprovedText.heading(original, settings) + ImprovedText.of(original, settings);
        WholeFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
        ConfigReader.read(file, List.of());
        return file;
    }
}
