package io.millrace.rest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.SecurityOptions;

/**
 * The trust and key stores of calls over TLS. As in Flink's own client, {@code config.yaml} in FLINK_CONF_DIR
 * configures them, and keys under {@code security.ssl.rest} take precedence over those under {@code security.ssl}.
 */
final class RestTrust {
    private RestTrust() {}

    /**
     * Returns the stores that FLINK_CONF_DIR configures; empty when it configures none, and the JVM's default stores
     * apply.
     */
    static Optional<SSLContext> configured() throws IOException {
        String folder = System.getenv(ConfigConstants.ENV_FLINK_CONF_DIR);
        return folder == null ? Optional.empty() : of(GlobalConfiguration.loadConfiguration(folder));
    }

    /**
     * Returns the stores of a configuration; empty when it configures none.
     *
     * @throws IOException when a store cannot be read; the message is for the user
     */
    static Optional<SSLContext> of(Configuration configuration) throws IOException {
        Optional<String> trusted =
                either(configuration, SecurityOptions.SSL_REST_TRUSTSTORE, SecurityOptions.SSL_TRUSTSTORE);
        if (trusted.isEmpty()) {
            return Optional.empty();
        }
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store(
                    trusted.get(),
                    password(
                            configuration,
                            SecurityOptions.SSL_REST_TRUSTSTORE_PASSWORD,
                            SecurityOptions.SSL_TRUSTSTORE_PASSWORD)));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(configuration), trust.getTrustManagers(), new SecureRandom());
            return Optional.of(context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IOException("the stores of security.ssl.rest in Flink's configuration: " + e.getMessage(), e);
        }
    }

    /** Returns the client's own keys, which are needed when the cluster authenticates its clients. */
    private static KeyManager[] keys(Configuration configuration) throws GeneralSecurityException, IOException {
        Optional<String> own = either(configuration, SecurityOptions.SSL_REST_KEYSTORE, SecurityOptions.SSL_KEYSTORE);
        if (own.isEmpty()) {
            return new KeyManager[0];
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(
                store(
                        own.get(),
                        password(
                                configuration,
                                SecurityOptions.SSL_REST_KEYSTORE_PASSWORD,
                                SecurityOptions.SSL_KEYSTORE_PASSWORD)),
                password(configuration, SecurityOptions.SSL_REST_KEY_PASSWORD, SecurityOptions.SSL_KEY_PASSWORD));
        return keys.getKeyManagers();
    }

    private static char[] password(
            Configuration configuration, ConfigOption<String> first, ConfigOption<String> second) {
        return either(configuration, first, second).orElse("").toCharArray();
    }

    private static Optional<String> either(
            Configuration configuration, ConfigOption<String> first, ConfigOption<String> second) {
        return configuration.getOptional(first).or(() -> configuration.getOptional(second));
    }

    private static KeyStore store(String path, char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            store.load(in, password);
        }
        return store;
    }
}
