package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.file.TemporaryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connects to an endpoint over its real sockets. */
@Timeout(60)
class ServeEndpointTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String WRONG_TOKEN = "0123456789abcdef0123456789abcdee";
    private static final int GARBAGE = 500;

    private ServeEndpoint endpoint;

    /** What the clients of the sink have sent. */
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() throws IOException {
        ServeSpec spec =
                new ServeSpec("run", ServeSpec.Network.LOOPBACK, TOKEN, 2, "{}", ServeSpec.Stream.TRAINING, null);
        endpoint = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null));
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    private final class Sink implements ServeEndpoint.Sink {
        @Override
        public Client.Listener accept(Client client) {
            heard.add("hello " + client.join().rank());
            client.send(MessageType.PLAN, Map.of("rank", client.join().rank()));
            return new Client.Listener() {
                @Override
                public void memory(MemoryWish wish) {
                    heard.add("memory " + wish.kind());
                }

                @Override
                public void seek(Seek seek) {
                    heard.add("seek " + seek.generation() + " " + seek.step());
                }

                @Override
                public void returned(long buffer) {
                    heard.add("returned " + buffer);
                }

                @Override
                public void stepped(int generation, long step, long waitNanos, long busyNanos) {
                    heard.add("stepped " + step);
                }

                @Override
                public void done() {
                    heard.add("done");
                }

                @Override
                public void gone(@Nullable String reason) {
                    heard.add("gone " + reason);
                }
            };
        }
    }

    private WireClient unix() throws IOException {
        return WireClient.connect(endpoint.addresses().get(0));
    }

    private WireClient tcp() throws IOException {
        return WireClient.connect(endpoint.addresses().get(1));
    }

    private String heard() throws InterruptedException {
        return String.valueOf(heard.poll(5, TimeUnit.MINUTES));
    }

    private static JsonNode refusal(WireClient client) throws IOException {
        WireClient.Received received = client.next();
        assertThat(received.type()).isEqualTo(WireClient.ERROR);
        assertThat(client.receive()).as("the connection is closed").isNull();
        return received.json();
    }

    @Test
    void aClientOfThisUserNeedsNoTokenOverTheUnixSocket() throws Exception {
        endpoint.join(1, new Sink());
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2));

            assertThat(client.next().json().get("rank").asInt()).isEqualTo(1);
            assertThat(heard()).isEqualTo("hello 1");
        }
    }

    @Test
    void aClientThatAsksForTheEvaluationIsSentToItsEndpoint() throws Exception {
        ServeSpec spec = new ServeSpec(
                "evaluation", ServeSpec.Network.LOOPBACK, TOKEN, 2, "{}", ServeSpec.Stream.EVALUATION, null);
        try (ServeEndpoint evaluation = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null))) {
            endpoint.evaluateAt(evaluation);
            evaluation.join(1, new Sink());
            Map<String, Object> join = Map.of("rank", 1, "world", 2, "stream", "evaluation");
            List<String> addresses = new ArrayList<>();
            try (WireClient client = unix()) {
                client.join(join);
                WireClient.Received sent = client.next();
                assertThat(sent.type()).isEqualTo(WireClient.REDIRECT);
                sent.json().get("addresses").forEach(address -> addresses.add(address.asText()));
            }
            assertThat(addresses).isEqualTo(evaluation.addresses());
            try (WireClient client = WireClient.connect(addresses.get(0))) {
                client.join(join);

                assertThat(client.next().json().get("rank").asInt()).isEqualTo(1);
                assertThat(heard()).isEqualTo("hello 1");
            }
            try (WireClient client = WireClient.connect(addresses.get(0))) {
                client.join(Map.of("rank", 1, "world", 2));
                assertThat(refusal(client).get("message").asText())
                        .isEqualTo(
                                "the client asks for the stream training at an address that delivers only the evaluation:"
                                        + " expected the address that serve has printed");
            }
        }
    }

    @Test
    void aClientThatAsksForAnEvaluationOrStreamThatDoesNotExistIsRefused() throws Exception {
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2, "stream", "evaluation"));
            JsonNode refused = refusal(client);
            assertThat(refused.get("code").asText()).isEqualTo("no_evaluation");
            assertThat(refused.get("message").asText())
                    .isEqualTo(
                            "this server delivers no evaluation: expected a pipeline with the section evaluate, and, for"
                                    + " a job on a cluster, the address of the command serve or of the JobManager");
        }
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2, "stream", "test"));
            assertThat(refusal(client).get("message").asText())
                    .isEqualTo("the client asks for the stream 'test': expected training or evaluation");
        }
    }

    @Test
    void onlyThisUserCanUseTheUnixSocket() throws Exception {
        Path socket = Path.of(endpoint.addresses().get(0).substring("unix:".length()));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void aClientOverTcpNeedsTheToken() throws Exception {
        endpoint.join(0, new Sink());
        try (WireClient without = tcp();
                WireClient wrong = tcp();
                WireClient right = tcp()) {
            without.join(Map.of("world", 2));
            wrong.join(Map.of("world", 2, "token", WRONG_TOKEN));
            right.join(Map.of("world", 2, "token", TOKEN));

            JsonNode refused = refusal(without);
            assertThat(refused.get("code").asText()).isEqualTo("token");
            assertThat(refused.get("message").asText()).contains("has no token");
            assertThat(refusal(wrong).get("message").asText()).contains("a wrong token");
            assertThat(right.next().type()).isEqualTo(WireClient.PLAN);
        }
    }

    @Test
    void anotherWorldOrVersionIsRefusedWithBothNumbers() throws Exception {
        try (WireClient other = unix();
                WireClient beyond = unix();
                WireClient newer = unix()) {
            other.join(Map.of("world", 3));
            beyond.join(Map.of("rank", 2, "world", 2));
            newer.join(Map.of("protocol", 9, "world", 2));

            assertThat(refusal(other).get("message").asText()).contains("rank 0 of 3", "the server has 2 ranks");
            assertThat(refusal(beyond).get("code").asText()).isEqualTo("world");
            assertThat(refusal(newer).get("message").asText()).contains("version 9", "version 3");
        }
    }

    @Test
    void aClientOfTheFirstVersionIsToldToUpdate() throws Exception {
        try (WireClient older = tcp()) {
            older.sendJson(WireClient.HELLO, Map.of("protocol", 1, "token", TOKEN, "rank", 0, "world", 2));

            JsonNode refused = refusal(older);
            assertThat(refused.get("code").asText()).isEqualTo("protocol");
            assertThat(refused.get("message").asText())
                    .isEqualTo(
                            "the client speaks version 1 of the protocol, this server version 3: install the client of this"
                                    + " version of Millrace");
        }
    }

    @Test
    void theSocketHasAPathThatTheSystemTakesAlsoWhereThatOfTemporaryFilesIsLong() throws Exception {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Path longer = Files.createDirectory(temporary.resolve("ü".repeat(60)));
        try {
            TemporaryFolder.replace(longer, () -> {
                ServeSpec spec = new ServeSpec(
                        "long", ServeSpec.Network.LOOPBACK, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);
                try (ServeEndpoint opened = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null))) {
                    assertThat(opened.addresses().get(0)).startsWith("unix:/tmp/millrace-serve-");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } finally {
            Files.delete(longer);
        }
    }

    @Test
    void aClientOfAnotherReleaseIsRefusedWithBothVersions() throws Exception {
        try (WireClient newer = tcp()) {
            newer.sendJson(WireClient.HELLO, Map.of("protocol", 3, "version", "9.9.9.dev0", "nonce", Proof.newNonce()));

            JsonNode refused = refusal(newer);
            assertThat(refused.get("code").asText()).isEqualTo("protocol");
            assertThat(refused.get("message").asText())
                    .isEqualTo("the client is of Millrace 9.9.9.dev0, this server of Millrace " + Release.own()
                            + ": install both from the same release");
        }
    }

    @Test
    void theServerProvesFirstThatItKnowsTheToken() throws Exception {
        String nonce = "f".repeat(32);
        try (WireClient client = tcp();
                WireClient other = tcp()) {
            client.sendJson(WireClient.HELLO, Map.of("protocol", 3, "nonce", nonce));
            other.sendJson(WireClient.HELLO, Map.of("protocol", 3, "nonce", nonce));
            JsonNode challenge = client.next().json();

            String serverNonce = challenge.required("nonce").asText();
            assertThat(serverNonce).matches("[0-9a-f]{32}");
            assertThat(other.next().json().required("nonce").asText()).isNotEqualTo(serverNonce);
            assertThat(challenge.required("proof").asText())
                    .isEqualTo(Proof.ofServer(TOKEN, nonce, serverNonce))
                    .isNotEqualTo(Proof.ofServer(WRONG_TOKEN, nonce, serverNonce));
        }
    }

    @Test
    void whatTheServerOrAnotherClientHasSentProvesNothing() throws Exception {
        String nonce = "f".repeat(32);
        try (WireClient reflected = tcp();
                WireClient replayed = tcp()) {
            reflected.sendJson(WireClient.HELLO, Map.of("protocol", 3, "nonce", nonce));
            JsonNode challenge = reflected.next().json();
            reflected.sendJson(
                    WireClient.PROOF,
                    Map.of("proof", challenge.required("proof").asText()));
            replayed.sendJson(WireClient.HELLO, Map.of("protocol", 3, "nonce", nonce));
            replayed.next();
            replayed.sendJson(
                    WireClient.PROOF,
                    Map.of(
                            "proof",
                            Proof.ofClient(
                                    TOKEN, nonce, challenge.required("nonce").asText())));

            assertThat(refusal(reflected).get("message").asText()).contains("a wrong token");
            assertThat(refusal(replayed).get("message").asText()).contains("a wrong token");
        }
    }

    /** The numbers of RFC 2104 as Python's module hmac computes them. */
    @Test
    void aProofIsTheOneOfPython() {
        assertThat(Proof.ofServer(TOKEN, "0".repeat(32), "1".repeat(32)))
                .isEqualTo("9608b6d20a30c583e045a8b2abe47417739bcb233586d30de0e4a7521721c08c");
        assertThat(Proof.ofClient(TOKEN, "0".repeat(32), "1".repeat(32)))
                .isEqualTo("e356746b19406fea78f9f8b1da934c513a96afb7ac27d1aa3010809d01610e7b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"protocol\": 3}",
                "{\"protocol\": 3, \"nonce\": \"\"}",
                "{\"protocol\": 3, \"nonce\": 7}",
                "{\"protocol\": [3]}",
                "[]",
                "null",
                "",
                "{\"a\": [[[["
            })
    void aBadHelloIsRefusedWithASentence(String json) throws Exception {
        try (WireClient client = tcp()) {
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            client.send(WireClient.HELLO, 1, 0, 0, 0, bytes.length, bytes);

            JsonNode refused = refusal(client);
            assertThat(refused.get("code").asText()).isEqualTo("protocol");
            assertThat(refused.get("message").asText())
                    .containsAnyOf("HELLO", "no version")
                    .doesNotContain("io.millrace");
        }
    }

    @Test
    void messagesReachTheSinkInTheirOrder() throws Exception {
        endpoint.join(0, new Sink());
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));
            client.next();
            client.sendJson(WireClient.MEMORY, Map.of("kind", "inline", "buffers", 4));
            client.send(WireClient.SEEK, 1, 17, 0, 0);
            client.send(WireClient.RETURN, 0, 0, 3, 0);
            client.send(WireClient.STEP, 1, 17, 100, 200);
            client.send(WireClient.BYE, 0, 0, 0, 0);

            for (String expected :
                    List.of("hello 0", "memory inline", "seek 1 17", "returned 3", "stepped 17", "done", "gone null")) {
                assertThat(heard()).isEqualTo(expected);
            }
        }
    }

    @Test
    void aClosedConnectionIsReportedWithItsReason() throws Exception {
        endpoint.join(0, new Sink());
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));
            client.next();
        }
        assertThat(heard()).isEqualTo("hello 0");
        assertThat(heard()).isEqualTo("gone the client has closed the connection");
    }

    /** Returns the place of a sink on a machine that is not this one. */
    private static SinkPlace at(List<String> addresses) {
        return new SinkPlace(addresses, new Machine("worker-3", "another"));
    }

    @Test
    void aClientIsNotSentToTheLoopbackInterfaceOfAnotherMachine() throws Exception {
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2));
            assertThat(endpoint.awaitClient()).isTrue();
            endpoint.redirect(Map.of(1, at(List.of("unix:/elsewhere", "127.0.0.1:4711"))), "the job starts");
            WireClient.Received refused = client.next();

            assertThat(refused.type()).isEqualTo(WireClient.ERROR);
            assertThat(refused.json().get("code").asText()).isEqualTo("unreachable");
            assertThat(refused.json().get("message").asText())
                    .contains("the sink of rank 1 listens on the loopback interface of worker-3", "--listen");
        }
    }

    @Test
    void aClientOnTheMachineOfItsSinkIsSentToItsLoopbackInterface() throws Exception {
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2, "machine", "another"));
            assertThat(endpoint.awaitClient()).isTrue();
            endpoint.redirect(Map.of(1, at(List.of("unix:/elsewhere", "127.0.0.1:4711"))), "the job starts");
            WireClient.Received sent = client.next();

            assertThat(sent.type()).isEqualTo(WireClient.REDIRECT);
            assertThat(sent.json().get("addresses")).hasToString("[\"unix:/elsewhere\",\"127.0.0.1:4711\"]");
        }
    }

    @Test
    void aClientIsSentToTheProcessOfItsSink() throws Exception {
        try (WireClient client = unix()) {
            client.join(Map.of("rank", 1, "world", 2));
            assertThat(endpoint.awaitClient()).isTrue();
            endpoint.redirect(Map.of(1, at(List.of("unix:/elsewhere", "10.0.0.7:4711"))), "the job starts");
            WireClient.Received sent = client.next();

            assertThat(sent.type()).isEqualTo(WireClient.REDIRECT);
            assertThat(sent.json().get("addresses")).hasToString("[\"unix:/elsewhere\",\"10.0.0.7:4711\"]");
        }
    }

    @Test
    void aClientIsNotSentToAPlaceThatWasReadBeforeItCame() throws Exception {
        endpoint.redirect(Map.of(0, at(List.of("unix:/stale"))), "the job starts");
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));
            assertThat(endpoint.awaitClient()).isTrue();
            endpoint.redirect(Map.of(), "the job is RESTARTING");
            WireClient.Received waits = Objects.requireNonNull(client.receive());
            assertThat(waits.type()).isEqualTo(WireClient.WAIT);
            assertThat(waits.json().get("reason").asText()).isEqualTo("the job is RESTARTING");
            endpoint.redirect(Map.of(0, at(List.of("unix:/moved"))), "the job starts");

            assertThat(client.next().json().get("addresses")).hasToString("[\"unix:/moved\"]");
        }
    }

    @Test
    void aClientThatComesBeforeItsSinkWaitsForIt() throws Exception {
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));
            endpoint.join(0, new Sink());

            assertThat(client.next().type()).isEqualTo(WireClient.PLAN);
        }
    }

    @Test
    void aFailedJobIsTheAnswerToWaitingAndToNewClients() throws Exception {
        try (WireClient waiting = unix();
                WireClient late = unix()) {
            waiting.join(Map.of("world", 2));
            endpoint.fail("the dataset has vanished");
            late.join(Map.of("world", 2));

            for (WireClient client : List.of(waiting, late)) {
                JsonNode refused = refusal(client);
                assertThat(refused.get("code").asText()).isEqualTo("job_failed");
                assertThat(refused.get("message").asText()).isEqualTo("the dataset has vanished");
            }
        }
    }

    @Test
    void garbageEndsItsConnectionAlone() throws Exception {
        endpoint.join(0, new Sink());
        Random random = new Random(3);
        for (int i = 0; i < GARBAGE; i++) {
            byte[] bytes = new byte[32 + random.nextInt(200)];
            random.nextBytes(bytes);
            try (WireClient client = random.nextBoolean() ? tcp() : unix()) {
                if (random.nextBoolean()) {
                    client.join(Map.of("world", 2, "token", TOKEN));
                }
                client.sendBytes(bytes);
            }
        }
        heard.clear();
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));

            assertThat(client.next().type()).isEqualTo(WireClient.PLAN);
        }
    }

    @Test
    void anAddressThatIsTakenIsNamed() throws IOException {
        String taken = endpoint.addresses().get(1);
        int port = Integer.parseInt(taken.substring(taken.lastIndexOf(':') + 1));
        ServeSpec spec =
                new ServeSpec("other", ServeSpec.Network.LOOPBACK, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);

        assertThatThrownBy(() -> ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", port, null)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on 127.0.0.1:" + port);
    }

    @Test
    void nothingIsLeftWhenItIsClosed() throws Exception {
        Path socket = Path.of(endpoint.addresses().get(0).substring("unix:".length()));
        try (WireClient client = unix()) {
            client.join(Map.of("world", 2));
            endpoint.close();

            assertThat(client.receive()).isNull();
            assertThat(left(Objects.requireNonNull(socket.getParent()))).isEmpty();
        }
    }

    /** Returns the folder of a socket, and the file that shows that it is used, if they exist. */
    private static List<Path> left(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(Objects.requireNonNull(folder.getParent()))) {
            return files.filter(file -> file.getFileName()
                            .toString()
                            .startsWith(folder.getFileName().toString()))
                    .toList();
        }
    }

    @Test
    void aServerDeletesTheFoldersOfThoseThatWereKilledAndNoOthers() throws Exception {
        // The number of a process says nothing: with containers, that of this process is also that of others.
        Path killed = TemporaryFolder.path()
                .resolve("millrace-serve-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        Files.createDirectory(killed);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(killed.resolve("socket")));
        }
        Files.createFile(killed.resolveSibling(killed.getFileName() + ".lock"));
        Path used = Path.of(endpoint.addresses().get(0).substring("unix:".length()));
        ServeSpec spec =
                new ServeSpec("next", ServeSpec.Network.LOOPBACK, TOKEN, 1, "{}", ServeSpec.Stream.TRAINING, null);
        try (ServeEndpoint next = ServeEndpoint.open(spec, new ListenAddress("127.0.0.1", 0, null))) {
            assertThat(next.addresses()).hasSize(2);
            assertThat(left(killed)).isEmpty();
            assertThat(used).exists();
        }
        assertThat(used.toString())
                .as("a path that fits the address of a socket")
                .hasSizeLessThan(100);
    }

    @Test
    void aFailureIsKeptUntilTheClientsThatWereServedHaveHeardIt() throws Exception {
        assertThat(endpoint.awaitHeard(Duration.ZERO)).as("nobody was served").isTrue();
        for (int rank = 0; rank < 2; rank++) {
            endpoint.join(rank, new Sink());
            try (WireClient client = unix()) {
                client.join(Map.of("rank", rank, "world", 2));
                assertThat(heard()).isEqualTo("hello " + rank);
                client.send(WireClient.RETURN, 0, 0, 0, 0);
                assertThat(heard()).isEqualTo("returned 0");
            }
            assertThat(heard()).startsWith("gone");
        }
        endpoint.fail("the disk is full");
        for (int rank = 0; rank < 2; rank++) {
            assertThat(endpoint.awaitHeard(Duration.ofMillis(1))).isFalse();
            try (WireClient client = unix()) {
                client.join(Map.of("rank", rank, "world", 2));
                JsonNode refused = refusal(client);
                assertThat(refused.get("code").asText()).isEqualTo("job_failed");
                assertThat(refused.get("message").asText()).isEqualTo("the disk is full");
            }
        }
        assertThat(endpoint.awaitHeard(Duration.ofSeconds(30))).isTrue();
    }
}
