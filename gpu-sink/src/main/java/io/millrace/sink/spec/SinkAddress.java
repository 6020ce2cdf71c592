package io.millrace.sink.spec;

import io.millrace.serve.ListenAddress;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.Tls;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.SecurityOptions;

/** The address at which the sinks of a TaskManager listen for clients, and the certificate in Flink's configuration. */
public final class SinkAddress {
    private static final String LOOPBACK = "127.0.0.1";

    private SinkAddress() {}

    /**
     * Returns the address for a network.
     *
     * @param machine the name or address under which other machines know this TaskManager
     * @param configuration the TaskManager's configuration
     * @throws IOException when the network requires TLS and the configuration has no certificate
     */
    public static ListenAddress of(ServeSpec.Network network, String machine, ReadableConfig configuration)
            throws IOException {
        return switch (network) {
            case LOOPBACK -> new ListenAddress(LOOPBACK, 0, null);
            case PLAIN -> new ListenAddress(machine, 0, null);
            case TLS ->
                new ListenAddress(
                        machine,
                        0,
                        certificate(configuration)
                                .orElseThrow(() -> new IOException("the TaskManager on " + machine
                                        + " has no certificate for its clients: set "
                                        + SecurityOptions.SSL_REST_KEYSTORE.key()
                                        + " and its passwords in the configuration of the cluster, or serve with"
                                        + " --insecure")));
        };
    }

    /**
     * Returns the certificate that Flink's configuration names for REST, or for all connections; empty when it names none.
     */
    public static Optional<Tls> certificate(ReadableConfig configuration) {
        return either(configuration, SecurityOptions.SSL_REST_KEYSTORE, SecurityOptions.SSL_KEYSTORE)
                .map(keystore -> {
                    String password = either(
                                    configuration,
                                    SecurityOptions.SSL_REST_KEYSTORE_PASSWORD,
                                    SecurityOptions.SSL_KEYSTORE_PASSWORD)
                            .orElse("");
                    String key = either(
                                    configuration,
                                    SecurityOptions.SSL_REST_KEY_PASSWORD,
                                    SecurityOptions.SSL_KEY_PASSWORD)
                            .orElse(password);
                    return new Tls(keystore, password, key);
                });
    }

    private static Optional<String> either(
            ReadableConfig configuration, ConfigOption<String> first, ConfigOption<String> second) {
        return configuration.getOptional(first).or(() -> configuration.getOptional(second));
    }
}
