package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestTrustTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    Path folder;

    @Test
    void configurationWithoutATruststoreKeepsThatOfTheJvm() throws IOException {
        assertThat(RestTrust.of(new Configuration())).isEmpty();
    }

    @Test
    void truststoreOfTheConfigurationIsUsed() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, PASSWORD.toCharArray());
        Path file = folder.resolve("trust");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        assertThat(RestTrust.of(new Configuration()
                        .set(SecurityOptions.SSL_REST_TRUSTSTORE, file.toString())
                        .set(SecurityOptions.SSL_REST_TRUSTSTORE_PASSWORD, PASSWORD)))
                .isPresent();
    }

    @Test
    void missingTruststoreIsNamedWithoutItsPassword() {
        assertThatThrownBy(() -> RestTrust.of(new Configuration()
                        .set(
                                SecurityOptions.SSL_REST_TRUSTSTORE,
                                folder.resolve("none").toString())
                        .set(SecurityOptions.SSL_REST_TRUSTSTORE_PASSWORD, PASSWORD)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("security.ssl.rest")
                .hasMessageContaining("none")
                .hasMessageNotContaining(PASSWORD);
    }
}
