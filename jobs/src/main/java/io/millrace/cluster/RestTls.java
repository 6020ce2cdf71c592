package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;

/** The TLS of a cluster's REST interface, as its configuration has it. */
final class RestTls {
    private RestTls() {}

    /** As {@code http} or {@code https}. */
    static String scheme(Configuration configuration) {
        return configuration.get(SecurityOptions.SSL_REST_ENABLED) ? "https" : "http";
    }

    /** Trusts whom the configuration's trust store trusts; the JVM's own where TLS is off or there is no such store. */
    static SSLContext context(Configuration configuration) throws IOException {
        try {
            Optional<String> store =
                    either(configuration, SecurityOptions.SSL_REST_TRUSTSTORE, SecurityOptions.SSL_TRUSTSTORE);
            if (!configuration.get(SecurityOptions.SSL_REST_ENABLED) || store.isEmpty()) {
                return SSLContext.getDefault();
            }
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            try (InputStream stream = Files.newInputStream(Path.of(store.get()))) {
                trusted.load(
                        stream,
                        either(
                                        configuration,
                                        SecurityOptions.SSL_REST_TRUSTSTORE_PASSWORD,
                                        SecurityOptions.SSL_TRUSTSTORE_PASSWORD)
                                .orElse("")
                                .toCharArray());
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the trust store of security.ssl.rest cannot be used: " + e.getMessage(), e);
        }
    }

    private static Optional<String> either(
            Configuration configuration, ConfigOption<String> first, ConfigOption<String> second) {
        return configuration.getOptional(first).or(() -> configuration.getOptional(second));
    }
}
