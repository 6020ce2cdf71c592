package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of the documentation with a generated part between two markers.
 *
 * @param file the page
 * @param begin the line before the part, with its line break
 * @param end the line after the part
 */
public record GeneratedPage(Path file, String begin, String end) {
    /** Whether tests write the generated parts instead of comparing them. */
    private static final boolean WRITE = Boolean.getBoolean("millrace.write");

    /**
     * Compares the generated part of the page, or writes it if the system property {@code millrace.write} is true.
     *
     * @param part the part that the page should have
     * @param command the command that writes it
     */
    public void check(String part, String command) throws IOException {
        String page = Files.readString(file);
        int from = page.indexOf(begin);
        int to = page.indexOf(end);
        assertThat(from >= 0 && from < to)
                .as("%s has the lines '%s' and '%s', in this order", file, begin.strip(), end.strip())
                .isTrue();
        String renewed = page.substring(0, from + begin.length()) + part + page.substring(to);
        if (WRITE) {
            Files.writeString(file, renewed);
        } else {
            assertThat(page).as("%s is stale; `%s` writes it", file, command).isEqualTo(renewed);
        }
    }
}
