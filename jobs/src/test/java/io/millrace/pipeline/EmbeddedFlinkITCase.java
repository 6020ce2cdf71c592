package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.RunConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedFlinkITCase {
    @TempDir
    Path folder;

    @Test
    void aFolderForTemporaryFilesThatCannotBeWrittenIsNamed() throws Exception {
        Path taken = Files.writeString(folder.resolve("taken"), "a file where a folder should be");

        assertThatThrownBy(() -> SharedRpcSystem.load(taken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("io.tmp.dirs")
                .hasMessageContaining(taken.toString());
        assertThatThrownBy(() -> EmbeddedFlink.start(1, "0", RunConfig.Web.ON, temporary(taken))).isInstanceOf(Exception.class);
        assertThat(taken).hasContent("a file where a folder should be");

        try (EmbeddedFlink flink = EmbeddedFlink.start(1, "0", RunConfig.Web.ON, temporary(folder.resolve("fine")))) {
            assertThat(flink.web()).hasHost("127.0.0.1");
        }
    }

    private static Configuration temporary(Path folder) {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.TMP_DIRS, folder.toString());
        return configuration;
    }
}
