package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.run.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The answers of {@code serve} to wrong options and pipelines. Nothing is started. */
class ServeArgumentsTest {
    @TempDir
    Path folder;

    private Path pipeline;

    @BeforeEach
    void write() throws IOException {
        pipeline = pipeline("dataset: { format: idx, path: no-data }");
    }

    private Path pipeline(String dataset) throws IOException {
        return Files.writeString(folder.resolve("digits.yaml"), """
                %s
                batch: { size: 32 }
                run: { folder: %s, web_port: 0 }
                """.formatted(dataset, folder.resolve("runs")));
    }

    private CommandRun serve(String... options) {
        List<String> arguments = new ArrayList<>(List.of("serve", pipeline.toString()));
        arguments.addAll(List.of(options));
        if (!arguments.contains("--listen")) {
            arguments.addAll(List.of("--listen", "127.0.0.1:0"));
        }
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "8815",
        "127.0.0.1",
        "127.0.0.1:",
        ":8815",
        "127.0.0.1:70000",
        "127.0.0.1:-1",
        "127.0.0.1:http",
        "[]:8815",
        "''",
    })
    void addressIsAHostAndAPort(String address) {
        serve("--listen", address)
                .fails(
                        ExitCode.USAGE,
                        "--listen: expected host:port with a port from 0 to 65535, such as 127.0.0.1:8815, found "
                                + address);
    }

    @Test
    void unknownHostIsNamed() {
        serve("--listen", "no-such-host.invalid:8815")
                .fails(
                        ExitCode.FAILED,
                        "--listen: expected a name or an address of this machine, found the unknown host"
                                + " no-such-host.invalid");
    }

    @Test
    void portThatIsTakenIsNamedBeforeAnythingIsDone() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            serve("--listen", "127.0.0.1:" + taken.getLocalPort())
                    .fails(
                            ExitCode.FAILED,
                            "--listen: expected a free port of this machine, or port 0 for any free one: cannot listen on"
                                    + " 127.0.0.1:"
                                    + taken.getLocalPort());
        }
    }

    @Test
    void addressOfAnotherMachineIsNamed() {
        serve("--listen", "192.0.2.1:8815", "--insecure").fails(ExitCode.FAILED, "cannot listen on 192.0.2.1:8815: ");
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0:0", "192.0.2.1:8815", "'[2001:db8::1]:8815'"})
    void addressOfTheNetworkNeedsTls(String address) {
        serve("--listen", address)
                .fails(ExitCode.USAGE, "--listen: ", "is no address of the loopback interface", "--insecure");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:8815", "localhost:8815", "'[::1]:8815'"})
    void insecureLoopbackIsAMisunderstanding(String address) {
        serve("--listen", address, "--insecure")
                .fails(ExitCode.USAGE, "--insecure is for clients of other machines", "0.0.0.0:8815");
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "1025"})
    void worldIsInItsRange(String world) {
        serve("--world", world).fails(ExitCode.USAGE, "--world: expected 1 to 1024 ranks, found " + world);
    }

    @Test
    void worldDividesTheBatch() {
        serve("--world", "3").fails(ExitCode.USAGE, "batch.size is 32, which 3 ranks cannot share evenly");
    }

    @Test
    void numberOfRanksIsNoSetting() {
        serve("--set", "ranks=2").fails(ExitCode.USAGE, "--set ranks=2: ", "expected --world 2");
    }

    @Test
    void readyFileNeedsAFolderAndAFrontDoor() {
        Path missing = folder.resolve("none/ready.json");
        serve("--ready-file", missing.toString())
                .fails(ExitCode.USAGE, "--ready-file: expected a file in an existing folder, found " + missing);
        serve("--ready-file", folder.resolve("ready.json").toString(), "--cluster", "127.0.0.1:1", "--detach")
                .fails(ExitCode.USAGE, "--ready-file ", "--detach", "--json");
    }

    @Test
    void detachedRunNeedsACluster() {
        serve("--detach").fails(ExitCode.USAGE, "--detach requires --cluster");
        serve("--detach", "--cluster", "127.0.0.1:1", "--trace").fails(ExitCode.USAGE, "--trace needs a client");
    }

    @Test
    void pipelineNeedsADataset() throws IOException {
        pipeline = pipeline("name: nothing");
        serve("--listen", "127.0.0.1:0").fails(ExitCode.USAGE, "dataset");
    }

    @Test
    void batchThatIsTooLargeForABufferIsRefusedBeforeTheRunHasAFolder() throws IOException {
        // The images have room in a batch, but not together with the other fields.
        pipeline = pipeline("dataset: { format: synthetic, size: 1024, shape: [337, 6223, 1] }");
        serve("--listen", "127.0.0.1:0", "--set", "batch.size=1024")
                .fails(
                        ExitCode.USAGE,
                        "cannot be delivered to clients: a batch of 1024 rows needs a buffer of 2147511360 bytes:"
                                + " expected at most 2147479552. Set a smaller batch.size");
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    @Test
    void fieldWithANameOfTheProtocolIsRefusedBeforeTheRunHasAFolder() throws IOException {
        writeNpy(folder.resolve("data/images.npy"), "(32, 4, 4)", 32 * 16);
        writeNpy(folder.resolve("data/ids.npy"), "(32,)", 32);
        pipeline = pipeline("dataset: { format: npy, path: %s, fields: { image: images.npy, __index__: ids.npy } }"
                .formatted(folder.resolve("data")));
        serve("--listen", "127.0.0.1:0")
                .fails(
                        ExitCode.USAGE,
                        "cannot be delivered to clients: a field is called '__index__', which is the name of a field that"
                                + " every batch has: expected another name");
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    /** Writes an array of zeros of uint8. */
    private static void writeNpy(Path file, String shape, int bytes) throws IOException {
        String header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
        ByteBuffer npy = ByteBuffer.allocate(128 + bytes).order(ByteOrder.LITTLE_ENDIAN);
        npy.put((byte) 0x93).put("NUMPY\u0001\u0000".getBytes(StandardCharsets.ISO_8859_1));
        npy.putShort((short) 118);
        npy.put((header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.US_ASCII));
        Files.createDirectories(file.getParent());
        Files.write(file, npy.array());
    }
}
