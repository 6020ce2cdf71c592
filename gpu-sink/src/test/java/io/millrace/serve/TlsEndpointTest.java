package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connects to an endpoint over TLS, with a certificate that keytool has made. */
@Timeout(60)
class TlsEndpointTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String PASSWORD = "a-password";
    private static final int LARGE_BYTES = 5_000_000;

    @TempDir
    private static Path folder;

    private static Path keys;

    @BeforeAll
    static void makeCertificate() throws Exception {
        keys = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        keys.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
    }

    private static ServeEndpoint open() throws IOException {
        ServeSpec spec = new ServeSpec("tls", ServeSpec.Network.TLS, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);
        return ServeEndpoint.open(
                spec, new ListenAddress("localhost", 0, new Tls(keys.toString(), PASSWORD, PASSWORD)));
    }

    private static SSLSocketFactory trusting() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    /** A sink that answers each returned buffer with a payload of a large size, and ends at BYE. */
    private record Sink(String large, CompletableFuture<String> ended) implements ServeEndpoint.Sink {
        @Override
        public Client.Listener accept(Client client) {
            client.send(MessageType.PLAN, Map.of("rank", 0));
            return new Client.Listener() {
                @Override
                public void memory(MemoryWish wish) {}

                @Override
                public void seek(Seek seek) {}

                @Override
                public void returned(long buffer) {
                    client.send(MessageType.WAIT, Map.of("reason", large));
                }

                @Override
                public void stepped(int generation, long step, long waitNanos, long busyNanos) {}

                @Override
                public void done() {}

                @Override
                public void gone(@Nullable String reason) {
                    ended.complete(String.valueOf(reason));
                }
            };
        }
    }

    @Test
    void aClientThatTrustsTheCertificateIsServedInBothDirectionsAtOnce() throws Exception {
        byte[] large = new byte[LARGE_BYTES];
        Random random = new Random(1);
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) ('a' + random.nextInt(26));
        }
        Sink sink = new Sink(new String(large, StandardCharsets.US_ASCII), new CompletableFuture<>());
        try (ServeEndpoint endpoint = open()) {
            endpoint.join(0, sink);
            String address = endpoint.addresses().get(1);
            assertThat(address).startsWith("localhost:");
            try (WireClient client = WireClient.connect(address, trusting())) {
                client.join(Map.of("token", TOKEN));
                assertThat(client.next().type()).isEqualTo(WireClient.PLAN);
                for (int i = 0; i < 3; i++) {
                    client.send(WireClient.RETURN, 0, 0, i, 0);
                }
                for (int i = 0; i < 3; i++) {
                    assertThat(Objects.requireNonNull(client.receive())
                                    .json()
                                    .get("reason")
                                    .asText())
                            .isEqualTo(new String(large, StandardCharsets.US_ASCII));
                }
                client.send(WireClient.BYE, 0, 0, 0, 0);
                assertThat(sink.ended.get()).isEqualTo("null");
            }
        }
    }

    @Test
    void theTokenIsNeededToo() throws Exception {
        try (ServeEndpoint endpoint = open();
                WireClient client = WireClient.connect(endpoint.addresses().get(1), trusting())) {
            client.join(Map.of());

            assertThat(client.next().json().get("code").asText()).isEqualTo("token");
        }
    }

    @Test
    void aClientThatDoesNotTrustTheCertificateEnds() throws Exception {
        try (ServeEndpoint endpoint = open();
                WireClient client = WireClient.connect(
                        endpoint.addresses().get(1), (SSLSocketFactory) SSLSocketFactory.getDefault())) {
            assertThatThrownBy(() -> client.join(Map.of("token", TOKEN))).isInstanceOf(SSLException.class);
        }
    }

    @Test
    void aClientWithoutTlsLearnsNothing() throws Exception {
        try (ServeEndpoint endpoint = open()) {
            endpoint.join(0, new Sink("", new CompletableFuture<>()));
            try (WireClient plain = WireClient.connect(endpoint.addresses().get(1));
                    WireClient other = WireClient.connect(endpoint.addresses().get(1), trusting())) {
                plain.join(Map.of("token", TOKEN));
                other.join(Map.of("token", TOKEN));

                assertThat(other.next().type()).isEqualTo(WireClient.PLAN);
                assertThatThrownBy(plain::next).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aBlockedWriterDoesNotKeepTheEndpointOpen() throws Exception {
        Sink sink = new Sink("x".repeat(LARGE_BYTES), new CompletableFuture<>());
        ServeEndpoint endpoint = open();
        endpoint.join(0, sink);
        try (WireClient client = WireClient.connect(endpoint.addresses().get(1), trusting())) {
            client.join(Map.of("token", TOKEN));
            client.next();
            for (int i = 0; i < 3; i++) {
                client.send(WireClient.RETURN, 0, 0, i, 0); // nobody reads the answers
            }
            client.send(WireClient.SEEK, 1, 0, 0, 0);

            endpoint.close();

            assertThat(sink.ended.get()).isEqualTo("the server has closed the connection");
        }
    }

    @Test
    void aWrongPasswordIsReportedWithTheFile() {
        ServeSpec spec = new ServeSpec("tls", ServeSpec.Network.TLS, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);
        Tls wrong = new Tls(keys.toString(), "wrong", "wrong");

        assertThatThrownBy(() -> ServeEndpoint.open(spec, new ListenAddress("localhost", 0, wrong)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use the key store " + keys);
        assertThat(wrong).hasToString("Tls[" + keys + "]");
    }
}
