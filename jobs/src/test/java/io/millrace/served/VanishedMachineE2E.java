package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.SmallData;
import io.millrace.cluster.TestNetwork;
import io.millrace.run.ExitCode;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client whose machine vanishes from the network without a signal: another client of the rank takes its place. The server refuses
 * the other client if it does not find out at once that the machine has vanished.
 */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class VanishedMachineE2E {
    @ParameterizedTest
    @ValueSource(ints = {1, Integer.MAX_VALUE}) // nothing is under way to the client, or the next batch is
    void anotherClientTakesThePlaceOfOneWhoseMachineHasVanished(int batches, @TempDir Path folder) throws Exception {
        Optional<TestNetwork> made = TestNetwork.open();
        assumeTrue(made.isPresent(), "needs the right to create network namespaces, and iproute2");
        try (TestNetwork network = made.orElseThrow()) {
            Path photos = SmallData.photos(folder.resolve("photos"), 40, 0, 1);
            ServedRun run = new ServedRun(
                    SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs")),
                    folder,
                    1,
                    List.of("--listen", network.address() + ":0", "--insecure"),
                    "dataset.epochs=100000");
            String address = run.ready().required("addresses").get(1).asText();
            Process client =
                    start(network, address, run.ready().required("token").asText(), batches);
            try (BufferedReader out = client.inputReader()) {
                assertThat(out.readLine()).as("of the client").isEqualTo("received");
                network.unplug(0);
                try (ServedClient next =
                        run.client(0, "inline", address, "another loader").seek(1)) {
                    assertThat(next.take().step()).isEqualTo(1);
                    next.seek(next.plan().required("steps").asLong());
                    next.awaitEnd();
                    next.bye();
                }
                run.end(ExitCode.OK);
            } finally {
                client.destroyForcibly().waitFor();
            }
        }
    }

    private static Process start(TestNetwork network, String address, String token, int batches) throws Exception {
        List<String> command = new ArrayList<>(network.on(0));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                VanishingClient.class.getName(),
                address,
                token,
                Integer.toString(batches)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
