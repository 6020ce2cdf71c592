package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.device.AsynchronousDevice;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceException;
import io.millrace.device.DeviceSpec;
import io.millrace.device.GpuClaims;
import io.millrace.device.HostDevice;
import io.millrace.device.NumaNodes;
import io.millrace.device.NumaTree;
import io.millrace.device.PinnedSlab.Need;
import io.millrace.device.SimulatedLink;
import io.millrace.device.StubDriver;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.train.spec.Tuning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(StubDriver.Needed.class)
class TrainingDeviceTest {
    private static final DeviceSpec ANY =
            new DeviceSpec(DeviceSpec.Kind.CUDA, null, 0, Need.PREFERRED, CudaDevice::open);

    private StubDriver driver;

    @TempDir
    Path folder;

    @BeforeEach
    void load() {
        driver = StubDriver.fresh(3, 0);
    }

    @AfterEach
    void nothingIsLeft() {
        driver.assertClean("after a test");
    }

    private TrainingDevice open(DeviceSpec spec, int rank, List<String> given) {
        return TrainingDevice.open(spec, rank, given, new GpuClaims(folder.resolve("gpus")), NumaNodes.ofMachine());
    }

    private String opened(DeviceSpec spec, int rank, List<String> given) {
        try (TrainingDevice device = open(spec, rank, given)) {
            return device.device().describe();
        }
    }

    @Test
    void configuredNumberPrecedesTheClustersWhichPrecedesTheRanks() {
        assertThat(opened(DeviceSpec.cuda(2, 0, Need.PREFERRED), 0, List.of("1")))
                .startsWith("cuda:2 ");
        assertThat(opened(ANY, 0, List.of("1"))).startsWith("cuda:1 ");
        assertThat(opened(ANY, 0, List.of())).startsWith("cuda:0 ");
        assertThat(opened(ANY, 5, List.of())).startsWith("cuda:2 ");
        assertThat(opened(DeviceSpec.HOST, 5, List.of("1"))).isEqualTo("the host's memory");
    }

    @Test
    void simulatedDeviceIsOpenedBehindItsLink() {
        SimulatedLink link = new SimulatedLink(1_000, Duration.ZERO);
        try (TrainingDevice device = TrainingDevice.open(DeviceSpec.simulated(link, Duration.ZERO), 0, List.of())) {
            assertThat(device.device())
                    .isInstanceOfSatisfying(AsynchronousDevice.class, opened -> assertThat(opened.link())
                            .isEqualTo(link));
            assertThat(device.device().name()).isEqualTo("simulated");
        }
    }

    private static DeviceSpec auto(int number) {
        return new DeviceSpec(DeviceSpec.Kind.AUTO, number, 0, Need.PREFERRED, CudaDevice::open);
    }

    @Test
    void openChoiceUsesAGpuIfOneCanBeOpenedElseTheHost() {
        assertThat(opened(auto(1), 0, List.of())).startsWith("cuda:1 ");
        try (TrainingDevice device = open(auto(7), 0, List.of())) {
            assertThat(device.device()).isInstanceOf(HostDevice.class);
            assertThat(device.figures(Tuning.DEFAULT, 0).description())
                    .startsWith("the host's memory, not a GPU: there is no device cuda:7");
        }
    }

    /** If a GPU exists but does not work, training must not run on the host without an error. */
    @Test
    void openChoiceFailsOnABrokenGpu() {
        driver.failFrom(4, 700);
        assertThatThrownBy(() -> opened(auto(0), 0, List.of())).isInstanceOf(DeviceBrokenException.class);
        driver.failAt(0, 0);
    }

    @Test
    void nameInsteadOfANumberIsRefused() {
        assertThatThrownBy(() -> opened(ANY, 0, List.of("first")))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining(
                        "assigned the GPU 'first' to this task: expected its number, as nvidia-smi counts");
    }

    /** On each of two machines with two GPUs, the ranks may be 0 and 2: both begin with the same GPU. */
    @Test
    void trainersOfOneMachineUseDifferentGpusUntilAllAreInUse() {
        try (TrainingDevice first = open(ANY, 0, List.of());
                TrainingDevice second = open(ANY, 3, List.of());
                TrainingDevice third = open(ANY, 0, List.of());
                TrainingDevice fourth = open(ANY, 1, List.of())) {
            assertThat(List.of(first, second, third, fourth))
                    .extracting(device -> device.device().describe().substring(0, 6))
                    .containsExactly("cuda:0", "cuda:1", "cuda:2", "cuda:1");
        }
        assertThat(opened(ANY, 0, List.of())).as("once they are closed").startsWith("cuda:0 ");
    }

    @Test
    void trainerWithAConfiguredNumberIsAvoidedByOthers() {
        try (TrainingDevice configured = open(DeviceSpec.cuda(0, 0, Need.PREFERRED), 0, List.of())) {
            assertThat(configured.device().describe()).startsWith("cuda:0 ");
            assertThat(opened(ANY, 0, List.of())).startsWith("cuda:1 ");
            assertThat(opened(DeviceSpec.cuda(0, 0, Need.PREFERRED), 1, List.of()))
                    .as("a configured number is always used")
                    .startsWith("cuda:0 ");
        }
    }

    @Test
    void gpuOfATrainerThatCouldNotOpenItIsFree() {
        DeviceSpec refusing = new DeviceSpec(DeviceSpec.Kind.AUTO, null, 0, Need.PREFERRED, number -> {
            throw new DeviceException("no PyTorch for CUDA");
        });
        try (TrainingDevice host = open(refusing, 0, List.of())) {
            assertThat(host.device()).isInstanceOf(HostDevice.class);
            assertThat(host.figures(Tuning.DEFAULT, 0).description())
                    .isEqualTo("the host's memory, not a GPU: no PyTorch for CUDA");
            assertThat(opened(ANY, 0, List.of())).startsWith("cuda:0 ");
        }
    }

    @Test
    void devicesOfSeveralTrainersAreReportedTogether() {
        try (TrainingDevice first = open(ANY, 0, List.of());
                TrainingDevice second = open(ANY, 1, List.of());
                TrainingDevice host = open(DeviceSpec.HOST, 2, List.of())) {
            TrainingDevice.Opened all = first.opened(Tuning.DEFAULT);
            all.merge(second.opened(Tuning.DEFAULT));
            all.merge(second.opened(Tuning.DEFAULT));
            assertThat(all.clone().getLocalValue()).hasToString("cuda:0 (Stub GPU 0), cuda:1 (Stub GPU 1)");
            assertThat(TrainingDevice.Opened.whole(all.getLocalValue()))
                    .extracting(DeviceFigures::kind, DeviceFigures::description)
                    .containsExactly("cuda", "cuda:0 (Stub GPU 0), cuda:1 (Stub GPU 1)");
            assertThat(host.opened(Tuning.DEFAULT).getLocalValue()).hasToString("the host's memory");
        }
        assertThat(TrainingDevice.Opened.whole(null)).isNull();
        assertThat(TrainingDevice.Opened.whole(new TrainingDevice.Opened().getLocalValue()))
                .isNull();
    }

    /** The addresses of the stub's GPUs are 0000:10:00.0, 0000:20:00.0, and so on. */
    @Test
    void trainerOnAnotherNumaNodeThanItsGpuIsReported() throws Exception {
        NumaNodes numa = new NumaTree(folder.resolve("machine"), "0-7", "0-1")
                .node(0, "0-7")
                .node(1, "8-15")
                .gpu("0000:10:00.0", "0")
                .gpu("0000:20:00.0", "1")
                .read();
        GpuClaims claims = new GpuClaims(folder.resolve("gpus"));
        try (TrainingDevice near =
                        TrainingDevice.open(DeviceSpec.cuda(0, 0, Need.PREFERRED), 0, List.of(), claims, numa);
                TrainingDevice far =
                        TrainingDevice.open(DeviceSpec.cuda(1, 0, Need.PREFERRED), 1, List.of(), claims, numa)) {
            assertThat(near.figures(Tuning.DEFAULT, 0).warnings()).isEmpty();
            assertThat(far.figures(Tuning.DEFAULT, 0).warnings())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "cuda:1 (Stub GPU 1) is on NUMA node 1 with CPUs 8-15, but this process may run only on CPUs 0-7")
                    .contains("numactl --cpunodebind=1 --membind=1");
        }
    }

    /** The node matters only for the speed of copies: a driver that does not report the address is no reason to fail. */
    @Test
    void trainerOpensAGpuWhoseAddressIsUnknown() {
        long before = driver.calls();
        opened(auto(0), 0, List.of());
        long calls = driver.calls() - before;
        int opened = 0;
        for (long call = 1; call <= calls; call++) {
            driver.failAt(call, 1);
            try (TrainingDevice device = open(auto(0), 0, List.of())) {
                opened += device.device() instanceof CudaDevice && driver.hasFailed() ? 1 : 0;
                // A trainer on the host names the call for which it does not use the GPU.
                assertThat(device.figures(Tuning.DEFAULT, 0).description()).doesNotContain("cuDeviceGetPCIBusId");
            } catch (DeviceException e) {
                assertThat(e).hasMessageNotContaining("cuDeviceGetPCIBusId");
            }
            driver.failAt(0, 0);
        }
        assertThat(opened).isPositive();
    }

    @Test
    void microBatchesThatArriveWhileItIsOpenArePageLocked() {
        try (TrainingDevice device = open(DeviceSpec.cuda(0, 1 << 20, Need.REQUIRED), 0, List.of());
                ArrowBuf arrived = MicroBatchMemory.arriving().buffer(1000);
                ArrowBuf packed = MicroBatchMemory.allocator().buffer(1000)) {
            assertThat(arrived.capacity() + packed.capacity()).isEqualTo(2048);
            assertThat(device.pinned().orElseThrow().use().takenBytes()).isEqualTo(4096);
        }
        try (ArrowBuf later = MicroBatchMemory.arriving().buffer(1000)) {
            assertThat(later.capacity()).isEqualTo(1024);
            assertThat(driver.alive(StubDriver.Kind.PAGE_LOCKED)).isZero();
        }
    }
}
