package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.GpuChoice.Visible;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuChoiceTest {
    /** The GPUs of the machine in the order of nvidia-smi. */
    private static final List<String> MACHINE = List.of("GPU-aa00", "GPU-aa01", "GPU-bb02", "GPU-cc03");

    private static Visible visible(int number, int gpu) {
        return new Visible(number, MACHINE.get(gpu), MACHINE.get(gpu));
    }

    /** A process with CUDA_VISIBLE_DEVICES=3,1. */
    private static final List<Visible> SOME = List.of(visible(0, 3), visible(1, 1));

    private static List<Integer> order(List<Visible> visible, int rank, String... given) {
        return GpuChoice.of(visible, rank, List.of(given), MACHINE, "3,1").numbers();
    }

    @Test
    void withoutTheClusterEachRankBeginsAtItsOwnGpu() {
        assertThat(order(SOME, 0)).containsExactly(0, 1);
        assertThat(order(SOME, 1)).containsExactly(1, 0);
        assertThat(order(SOME, 7)).containsExactly(1, 0);
    }

    @Test
    void numberOfTheClusterIsTranslatedToTheDrivers() {
        assertThat(order(SOME, 0, "1")).containsExactly(1, 0);
        assertThat(order(SOME, 0, "3")).containsExactly(0, 1);
        assertThat(order(SOME, 1, "3", "1")).containsExactly(1, 0);
    }

    @Test
    void numbersAreSortedByValue() {
        List<String> machine = List.of("g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10");
        List<Visible> two = List.of(new Visible(0, "g10", "g10"), new Visible(1, "g2", "g2"));
        assertThat(GpuChoice.of(two, 0, List.of("10", "2"), machine, "10,2").numbers())
                .containsExactly(1, 0);
    }

    @Test
    void uuidOfTheClusterIsFoundByItsBeginning() {
        assertThat(order(SOME, 0, "GPU-aa01")).containsExactly(1, 0);
        assertThat(order(SOME, 0, "GPU-aa")).containsExactly(1, 0);
        List<Visible> part = List.of(new Visible(0, "GPU-bb02", "MIG-7777"));
        assertThat(order(part, 0, "MIG-7777")).containsExactly(0);
        assertThat(order(part, 0, "2")).as("the GPU that has the part").containsExactly(0);
    }

    /** Each of two TaskManagers has its own CUDA_VISIBLE_DEVICES, and the plugin assigns the number 0 to both. */
    @Test
    void assignedGpuThatIsHiddenIsReportedAndReplaced() {
        GpuChoice choice = GpuChoice.of(SOME, 1, List.of("0"), MACHINE, "3,1");
        assertThat(choice.numbers()).containsExactly(1, 0);
        assertThat(choice.remark())
                .isEqualTo(
                        "the cluster assigned the GPU 0 to this task, which CUDA_VISIBLE_DEVICES='3,1' hides from this"
                                + " process: the trainer uses another GPU that is free");
        assertThat(GpuChoice.of(SOME, 1, List.of("0", "1"), MACHINE, "3,1").remark())
                .as("one of two is visible")
                .isNull();
    }

    @Test
    void numberWithoutNvmlIsReported() {
        GpuChoice choice = GpuChoice.of(SOME, 0, List.of("1"), List.of(), "3,1");
        assertThat(choice.numbers()).containsExactly(0, 1);
        assertThat(choice.remark()).contains("because NVML is missing");
    }

    @Test
    void gpuThatDoesNotExistIsRefused() {
        assertThatThrownBy(() -> order(SOME, 0, "4"))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("assigned the GPU '4'")
                .hasMessageContaining("this machine has the GPUs 0 to 3");
        assertThatThrownBy(() -> order(SOME, 0, "-1")).hasMessageContaining("expected its number");
        assertThatThrownBy(() -> order(SOME, 0, "the first")).hasMessageContaining("or its UUID");
    }
}
