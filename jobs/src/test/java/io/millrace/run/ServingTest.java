package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cluster.FreePorts;
import io.millrace.config.PipelineConfig;
import io.millrace.order.Sources;
import io.millrace.pipeline.PipelineException;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.serve.ServeSpec;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingTest {
    @Test
    void tokenIsThatOfTheUserOrNew() {
        String given = "0123456789abcdef0123456789abcdef";
        assertThat(Serving.token(given)).isEqualTo(given);
        assertThat(Serving.token(null)).matches("[0-9a-f]{32}").isNotEqualTo(Serving.token(""));
    }

    @Test
    void tokenMayBeInAFile(@TempDir Path folder) throws Exception {
        String given = "0123456789abcdef0123456789abcdef";
        Path file = Files.writeString(folder.resolve("serve.token"), given + "\n");
        assertThat(Serving.token(file.toString())).isEqualTo(given);
    }

    @Test
    void tokenThatIsNoneIsRefusedWithoutBeingShown() {
        assertThatThrownBy(() -> Serving.token("secret"))
                .isInstanceOf(UsageException.class)
                .hasMessage("the variable MILLRACE_TOKEN is not a token: expected 32 hexadecimal digits in lower case,"
                        + " or a file that contains them, found 6 characters");
    }

    @Test
    void portOfTheFrontDoorIsTakenFromTheBeginningToTheEnd() throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.any());
        ServeDoor door =
                ServeDoor.of(address.getHostString(), address.getPort(), ServeDoor.Encryption.REQUIRED, Map.of());
        try (Serving serving = new Serving(door.network(), Optional.of(door), 1, Optional.empty());
                ServerSocket other = new ServerSocket()) {
            assertThat(serving.addresses()).isEmpty();
            assertThatThrownBy(() -> other.bind(address)).isInstanceOf(BindException.class);
        }
        try (ServerSocket other = new ServerSocket()) {
            other.bind(address);
        }
    }

    @Test
    void namesOfClassesThatNoMessageCanHoldAreRefused(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("x.yaml"), "dataset: { format: synthetic, size: 8 }");
        PipelineConfig config = ServedPipeline.read(file, List.of(), 1).training();
        RunPlan plan = RunPlanner.plan(config);
        Serving serving = new Serving(ServeSpec.Network.LOOPBACK, Optional.empty(), 1, Optional.empty());
        serving.requireDeliverable(config, plan);
        List<String> names = Collections.nCopies(63, "x".repeat((1 << 20) - 3)); // with quotes and a comma, 1 MiB each
        serving.requireDeliverable(config, withClasses(plan, names.subList(1, 63)));
        assertThatThrownBy(() -> serving.requireDeliverable(config, withClasses(plan, names)))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining("the names of the 63 classes of ")
                .hasMessageEndingWith(
                        "cannot be sent to clients: expected at most 66060288 bytes of JSON, found 66060289."
                                + " Use shorter names, or numbers as labels");
    }

    @Test
    void clientsHearTheNameTheSizeAndTheFirstIndexOfEachDataset() {
        Sources sources =
                new Sources(List.of(new Sources.Source("web", 900, 0, 950), new Sources.Source("code", 40, 950, 40)));
        assertThat(Serving.sources(sources))
                .containsExactly(
                        Map.of("name", "web", "size", 900L, "first", 0L),
                        Map.of("name", "code", "size", 40L, "first", 950L));
    }

    private static RunPlan withClasses(RunPlan plan, List<String> classes) {
        return new RunPlan(
                plan.batches(),
                plan.order(),
                plan.sources(),
                classes,
                plan.columns(),
                plan.storedBytes(),
                plan.types(),
                plan.sequences(),
                plan.resident(),
                plan.labelled(),
                plan.unit(),
                plan.remarks());
    }
}
