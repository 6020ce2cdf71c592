package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The GPUs that trainers in several processes choose, with the stub of the driver in each process. */
@ExtendWith(StubDriver.Needed.class)
class GpuClaimsE2E {
    @TempDir
    Path folder;

    /** Claims a GPU for the rank of the first argument, prints the GPU, and holds it until it is killed. */
    static final class Trainer {
        public static void main(String[] arguments) throws Exception {
            List<String> given = Arrays.asList(arguments).subList(1, arguments.length);
            try (TrainerGpu gpu =
                    TrainerGpu.claim(GpuClaims.ofMachine(), null, Integer.parseInt(arguments[0]), given)) {
                System.out.println(": cuda:" + gpu.number() + " " + CudaDriver.uuid(gpu.number()));
                while (System.in.read() >= 0) {
                    // until the test kills this process
                }
            } catch (DeviceException e) {
                System.out.println(": " + e.getMessage());
            }
        }
    }

    private StubProcess trainer(Map<String, String> environment, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put(GpuClaims.VARIABLE, folder.toString());
        return StubProcess.start(all, List.of(), Trainer.class, arguments);
    }

    private String chosen(Map<String, String> environment, String... arguments) throws Exception {
        try (StubProcess process = trainer(environment, arguments)) {
            return String.valueOf(process.line());
        }
    }

    private static String gpu(int number) {
        return "GPU-57750000-0000-0000-0000-00000000000" + number;
    }

    /** The ranks 0, 2 and 4 of a larger job all begin with the same GPU. */
    @Test
    void processesThatStartTogetherUseDifferentGpusAndAKilledOneFreesItsGpu() throws Exception {
        Map<String, String> machine = Map.of("STUB_DEVICES", "2");
        List<StubProcess> trainers = new ArrayList<>();
        try {
            trainers.add(trainer(machine, "0"));
            trainers.add(trainer(machine, "2"));
            Set<String> used = new HashSet<>();
            for (StubProcess each : trainers) {
                used.add(String.valueOf(each.line()));
            }
            assertThat(used).containsExactlyInAnyOrder("cuda:0 " + gpu(0), "cuda:1 " + gpu(1));

            try (StubProcess third = trainer(machine, "4")) {
                assertThat(third.line()).as("all GPUs have a trainer").isEqualTo("cuda:0 " + gpu(0));
            }
            trainers.get(1).kill();
            String freed = used.stream()
                    .filter(each -> each.startsWith("cuda:1"))
                    .findFirst()
                    .orElseThrow();
            trainers.get(0).kill();
            assertThat(chosen(machine, "1")).isEqualTo(freed);
        } finally {
            for (StubProcess each : trainers) {
                each.close();
            }
        }
    }

    /** The number of a GPU in a process depends on the variables; its UUID does not. */
    @Test
    void processesThatNumberTheGpusDifferentlyUseDifferentGpus() throws Exception {
        Map<String, String> two = Map.of("STUB_DEVICES", "2", "STUB_FASTEST", "1");
        Map<String, String> byAddress =
                Map.of("STUB_DEVICES", "2", "STUB_FASTEST", "1", "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        try (StubProcess first = trainer(two, "0")) {
            assertThat(first.line()).isEqualTo("cuda:0 " + gpu(1));
            assertThat(chosen(byAddress, "1")).isEqualTo("cuda:0 " + gpu(0));
        }
    }

    @Test
    void gpuOfTheClusterIsFoundWhateverItsNumberInTheProcessIs() throws Exception {
        assertThat(chosen(Map.of("STUB_DEVICES", "4", "STUB_FASTEST", "2"), "0", "2"))
                .as("the fastest GPU is the first")
                .isEqualTo("cuda:0 " + gpu(2));
        assertThat(chosen(visible("3,1"), "0", "1")).isEqualTo("cuda:1 " + gpu(1));
        assertThat(chosen(visible(gpu(2) + "," + gpu(3)), "0", "3")).isEqualTo("cuda:1 " + gpu(3));
        assertThat(chosen(visible("1,7,3"), "0", "3"))
                .as("an entry that names no GPU ends the list, and the GPU 3 is hidden")
                .isEqualTo("cuda:0 " + gpu(1));
        assertThat(chosen(visible("GPU-5775,1"), "0", "1"))
                .as("the first entry fits every GPU, so the list is empty")
                .startsWith("cuInit to find GPUs failed with CUDA_ERROR_NO_DEVICE");
    }

    /** NVML lists no GPU when the machine has lost one of them, for example after an error of its bus. */
    @Test
    void gpuOfTheClusterIsFoundWhenTheMachineHasLostAnotherOne() throws Exception {
        Map<String, String> machine = Map.of("STUB_DEVICES", "3", "STUB_FASTEST", "2", "STUB_LOST", "2");
        assertThat(chosen(machine, "0", "1")).isEqualTo("cuda:2 " + gpu(1));
    }

    @Test
    void relativeFolderIsRejected() throws Exception {
        try (StubProcess process = StubProcess.start(
                Map.of("STUB_DEVICES", "1", GpuClaims.VARIABLE, "gpus"), List.of(), Trainer.class, "0")) {
            assertThat(process.line()).startsWith("MILLRACE_GPU_CLAIMS is 'gpus': expected an absolute path");
        }
    }

    private static Map<String, String> visible(String list) {
        return Map.of("STUB_DEVICES", "4", "CUDA_VISIBLE_DEVICES", list);
    }

    /** Both parts have the UUID of their GPU, and each process sees one part. */
    @Test
    void partsOfAGpuAreClaimedByThemselves() throws Exception {
        String part = "MIG-57750000-0000-0000-0000-00000000";
        Map<String, String> first = Map.of("STUB_DEVICES", "1", "CUDA_VISIBLE_DEVICES", part + "0100");
        Map<String, String> second = Map.of("STUB_DEVICES", "1", "CUDA_VISIBLE_DEVICES", part + "0200");
        try (StubProcess one = trainer(first, "0");
                StubProcess other = trainer(second, "1")) {
            assertThat(one.line()).isEqualTo("cuda:0 " + part + "0100");
            assertThat(other.line()).isEqualTo("cuda:0 " + part + "0200");
        }
        assertThat(folder.toFile().list()).doesNotContain(part + "0200.1", part + "0100.1");
    }
}
