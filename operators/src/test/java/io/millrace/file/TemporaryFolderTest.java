package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TemporaryFolderTest {
    private static final Path OTHER = Path.of("/another/folder");

    @Test
    @Timeout(60)
    void otherThreadsDoNotReceiveTheFolderThatReplacesItForAWhile() throws InterruptedException {
        Path before = Path.of(System.getProperty(TemporaryFolder.PROPERTY));
        List<Path> found = new ArrayList<>();
        Thread reader = new Thread(() -> found.add(TemporaryFolder.path()));
        TemporaryFolder.replace(OTHER, () -> {
            assertThat(System.getProperty(TemporaryFolder.PROPERTY)).isEqualTo(OTHER.toString());
            reader.start();
            while (reader.isAlive() && reader.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        });
        reader.join();
        assertThat(found).containsExactly(before);
    }

    @Test
    void propertyIsAsBeforeWhenTheActionFails() {
        Path before = TemporaryFolder.path();
        assertThatThrownBy(() -> TemporaryFolder.replace(OTHER, () -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");
        assertThat(TemporaryFolder.path()).isEqualTo(before);
    }
}
