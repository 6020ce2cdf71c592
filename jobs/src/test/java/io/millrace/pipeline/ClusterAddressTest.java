package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterAddressTest {
    @Test
    void hostAndPortAreParsed() {
        assertThat(ClusterAddress.parse("gpu-1:9081").web()).isEqualTo(URI.create("http://gpu-1:9081"));
    }

    @Test
    void missingPortIsFlinksDefault() {
        assertThat(ClusterAddress.parse("localhost").web()).isEqualTo(URI.create("http://localhost:8081"));
    }

    @Test
    void urlFromTheBrowserIsParsed() {
        ClusterAddress address = ClusterAddress.parse("https://gpu-1:8443/#/overview".replace("/#/overview", "/"));
        assertThat(address.web()).isEqualTo(URI.create("https://gpu-1:8443"));
        assertThat(address.secure()).isTrue();
        assertThat(address).hasToString("gpu-1:8443");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gpu 1:8081", "host:99999", "ftp://host:8081", ":8081", "host:port"})
    void invalidAddressIsQuotedInTheMessage(String text) {
        assertThatThrownBy(() -> ClusterAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host:port, found '" + text + "'");
    }
}
