package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.sample.BadSample;
import io.millrace.sink.files.QuarantineLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuarantineHeadTest {
    @TempDir
    Path folder;

    @Test
    void firstBadSamplesAreReadAndAllAreCounted() throws Exception {
        ObjectNode line = QuarantineLine.of(7, new BadSample("decode", "photos", "a/b.jpg", -1, "cut off"));
        Path file = folder.resolve("quarantine.jsonl");
        Files.writeString(file, (line + "\n").repeat(QuarantineHead.MOST + 3));
        QuarantineHead head = QuarantineHead.read(file).orElseThrow();
        assertThat(head.count()).isEqualTo(QuarantineHead.MOST + 3);
        assertThat(head.reasons().lines(1))
                .containsExactly((QuarantineHead.MOST + 3) + " samples: cut off (first: a/b.jpg)");
        assertThat(head.first()).hasSize(QuarantineHead.MOST);
        assertThat(head.first().get(0)).isEqualTo(new QuarantineHead.Line("a/b.jpg", "", "7", "decode", "cut off"));
    }

    @Test
    void aSampleOfAMixtureIsNamedByItsDatasetAndItsIndexThere() throws Exception {
        ObjectNode line = QuarantineLine.of(7, new BadSample("decode", "photos", "a/b.jpg", -1, "cut off"))
                .put("source", "code")
                .put("source_index", 2);
        Path file = Files.writeString(folder.resolve("quarantine.jsonl"), line + "\n");

        assertThat(QuarantineHead.read(file).orElseThrow().first())
                .containsExactly(new QuarantineHead.Line("a/b.jpg", "", "code:2", "decode", "cut off"));
    }

    @Test
    void damagedLineIsNamed() throws Exception {
        Path file = folder.resolve("quarantine.jsonl");
        Files.writeString(file, "{}\n{\"file\": ");
        assertThatThrownBy(() -> QuarantineHead.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("quarantine.jsonl is damaged in line 2");
    }
}
