package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkPathTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/data/a b",
                "/data/lr[1]",
                "/data/{lr=1,wd=2}",
                "/data/\"a\"",
                "/data/a\tb",
                "/data/a%20b",
                "/data/a#b?c",
                "/data/a:b",
                "/data/größe"
            })
    void charactersOfFoldersKeepTheirMeaning(String folder) {
        assertThat(FlinkPath.of(folder).getPath()).isEqualTo(folder);
        assertThat(FlinkPath.of(FlinkPath.address(Path.of(folder))).getPath()).isEqualTo(folder);
        assertThat(FlinkPath.of(FlinkPath.of(folder).toString())).isEqualTo(FlinkPath.of(folder));
    }

    @Test
    void addressesHaveAScheme() {
        assertThat(FlinkPath.isAddress("s3://bucket/a")).isTrue();
        assertThat(FlinkPath.isAddress("file:/a")).isTrue();
        assertThat(FlinkPath.isAddress("lr:1/a")).isFalse();
        assertThat(FlinkPath.of("s3://bucket/a b").toUri().getHost()).isEqualTo("bucket");
    }
}
