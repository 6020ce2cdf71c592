package io.millrace.dataset.packed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BadDocumentsTest {
    @TempDir
    Path folder;

    @Test
    void firstOneIsDescribedWithItsPlace() throws IOException {
        Path list = folder.resolve("list");
        String rest = ",\"reason\":\"expected JSON, found x\"}\n{\"file\":\"b:4\"}\n";
        Files.writeString(list, "{\"file\":\"a:3\",\"offset\":17" + rest);
        assertThat(BadDocuments.describe(list))
                .isEqualTo(list + " lists them; the first one in the list is a:3 at offset 17: expected JSON, found x");
        Files.writeString(list, "{\"file\":\"a#3\",\"offset\":null" + rest);
        assertThat(BadDocuments.describe(list)).endsWith(" is a#3: expected JSON, found x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"file\":\"a", "{\"file\":\"a\"}", "5"})
    void listWithoutAWholeLineHasNoExample(String content) throws IOException {
        Path list = Files.writeString(folder.resolve("list"), content);
        assertThat(BadDocuments.describe(list)).isEqualTo(list + " lists them");
        Files.delete(list);
        assertThat(BadDocuments.describe(list)).isEqualTo(list + " lists them");
    }

    @Test
    void eachDocumentKeepsItsFirstLine() throws IOException {
        Path list = folder.resolve("list");
        BadDocuments.keepEachOnce(list);
        assertThat(list).doesNotExist();
        List<String> once = List.of("{\"index\":3,\"reason\":\"ä\"}", "{\"index\":", "{}", "{\"index\":5}", "{}");
        Files.write(list, once);
        var key = Files.readAttributes(list, BasicFileAttributes.class).fileKey();
        BadDocuments.keepEachOnce(list);
        assertThat(list).hasContent(String.join("\n", once));
        assertThat(Files.readAttributes(list, BasicFileAttributes.class).fileKey())
                .isEqualTo(key);

        List<String> twice = new ArrayList<>(once);
        twice.add(1, "{\"index\":3,\"reason\":\"b\"}");
        twice.add("{\"index\":5}");
        Files.write(list, twice);
        BadDocuments.keepEachOnce(list);
        assertThat(Files.readAllLines(list)).isEqualTo(once);
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void partOfALineThatEndsWithinACharacterIsKept() throws IOException {
        Path list = folder.resolve("list");
        byte[] part = "{\"index\":4,\"reason\":\"ä".getBytes(StandardCharsets.UTF_8);
        Files.write(list, Arrays.copyOf(part, part.length - 1));
        assertThat(BadDocuments.describe(list)).isEqualTo(list + " lists them");
        Files.writeString(list, "\n{\"index\":3}\n{\"index\":3}\n", StandardOpenOption.APPEND);
        BadDocuments.keepEachOnce(list);
        assertThat(Files.readAllLines(list)).containsExactly("{\"index\":4,\"reason\":\"\ufffd", "{\"index\":3}");
    }
}
