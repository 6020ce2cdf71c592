package io.millrace.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** A reader of the text of a pipeline file. */
final class ConfigText {
    /** The maximum size of a pipeline file. A larger file is data that was named by mistake. */
    private static final int MOST_BYTES = 1 << 20;

    private ConfigText() {}

    /** Returns the text of a file; empty when a problem was reported. */
    static Optional<String> read(Path file, Problems problems) {
        SourceLocation location = new SourceLocation(file.toString(), 0);
        if (Files.isDirectory(file)) {
            problems.add(location, "", "expected a pipeline file, found a folder");
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                problems.add(location, "", "expected a pipeline file of at most " + MOST_BYTES + " bytes, found more");
                return Optional.empty();
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (CharacterCodingException e) {
            problems.add(location, "", "expected a text file in UTF-8, found other bytes");
        } catch (NoSuchFileException e) {
            problems.add(location, "", "there is no such file");
        } catch (IOException e) {
            problems.add(location, "", "cannot be read: " + e);
        }
        return Optional.empty();
    }
}
