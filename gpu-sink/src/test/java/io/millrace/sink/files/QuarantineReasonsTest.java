package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuarantineReasonsTest {
    @TempDir
    Path folder;

    @Test
    void equalReasonsOfARunAreCounted() throws Exception {
        QuarantineLog log = new QuarantineLog(folder, 1, 10);
        log.add(Split.TRAIN, 3, new BadSample("decode", "photos", "a.jpg", 17, "the data ends early"));
        log.add(Split.TRAIN, 4, new BadSample("decode", "photos", "b.jpg", 90, "the data ends early"));
        log.write();
        assertThat(QuarantineReasons.of(folder).lines(3))
                .containsExactly("2 samples: the data ends early (first: a.jpg)");
    }

    @Test
    void aListOnAnotherMachineHasNoReasonsHere() throws Exception {
        assertThat(QuarantineReasons.of(folder).lines(3)).isEmpty();
    }

    @Test
    void aDamagedListIsNamed() throws Exception {
        Files.writeString(folder.resolve(QuarantineLog.NAME), "{\n");
        assertThatThrownBy(() -> QuarantineReasons.of(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(QuarantineLog.NAME + " is damaged");
    }
}
