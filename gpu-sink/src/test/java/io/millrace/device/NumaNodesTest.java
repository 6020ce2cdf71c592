package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.device.NumaNodes.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumaNodesTest {
    private static final String GPU = "cuda:0 (Stub GPU 0)";

    @TempDir
    Path folder;

    /** Returns a machine with two nodes, as servers with two sockets and two threads a core have them. */
    private NumaTree twoNodes(String allowedCpus, String allowedMemory) throws Exception {
        return new NumaTree(folder, allowedCpus, allowedMemory)
                .node(0, "0-7,16-23")
                .node(1, "8-15,24-31");
    }

    @Test
    void nodesAndAllowedCpusAreRead() throws Exception {
        NumaNodes numa = twoNodes("0-31", "0-1").read();
        assertThat(numa.cpusByNode()).isEqualTo(Map.of(0, "0-7,16-23", 1, "8-15,24-31"));
        assertThat(numa.allowedCpus()).isEqualTo("0-31");
        assertThat(numa.allowedMemory()).isEqualTo("0-1");
        assertThat(numa.describe())
                .isEqualTo(
                        "node 0 with CPUs 0-7,16-23, node 1 with CPUs 8-15,24-31; this process may run on CPUs 0-31");
    }

    /** Linux has letters in lower case and domains of at least four digits; nvidia-smi prints eight. */
    @ParameterizedTest
    @CsvSource({
        "0000:3b:00.0, 0000:3b:00.0",
        "0000:3B:00.0, 0000:3b:00.0",
        "00000000:3B:00.0, 0000:3b:00.0",
        "00010000:3B:00.0, 10000:3b:00.0",
        "0001:3b:00.0, 0001:3b:00.0"
    })
    void addressOfTheDriverIsFoundInEveryForm(String driver, String linux) throws Exception {
        NumaNodes numa = twoNodes("8-15", "0-1").gpu(linux, "1").read();
        assertThat(numa.place(GPU, driver)).isEqualTo(new Place(linux, 1, "NUMA node 1 with CPUs 8-15,24-31", null));
    }

    @Test
    void processOnCpusOfAnotherNodeIsWarnedAbout() throws Exception {
        NumaNodes numa = twoNodes("0-3", "0-1").gpu("0000:3b:00.0", "1").read();
        assertThat(numa.place(GPU, "0000:3b:00.0").warning())
                .isEqualTo(
                        "cuda:0 (Stub GPU 0) is on NUMA node 1 with CPUs 8-15,24-31, but this process may run only on CPUs"
                                + " 0-3, which are not of this node: copies to the GPU cross the link between the nodes. Start the"
                                + " process with numactl --cpunodebind=1 --membind=1, or its container with --cpuset-cpus=8-15,24-31"
                                + " --cpuset-mems=1 (docs/cluster/numa.md)");
    }

    @Test
    void processWithoutTheMemoryOfTheNodeIsWarnedAbout() throws Exception {
        NumaNodes numa = twoNodes("0-31", "0").gpu("0000:3b:00.0", "1").read();
        assertThat(numa.place(GPU, "0000:3b:00.0").warning())
                .contains("but this process may use only memory of node 0: copies");
    }

    /** The scheduler keeps or moves threads as it likes; the page describes how to bind them. */
    @ParameterizedTest
    @ValueSource(strings = {"0-31", "15", "24-31"})
    void processThatMayRunOnTheNodeIsNotWarnedAbout(String allowed) throws Exception {
        NumaNodes numa = twoNodes(allowed, "0-1").gpu("0000:3b:00.0", "1").read();
        assertThat(numa.place(GPU, "0000:3b:00.0").warning()).isNull();
    }

    @Test
    void virtualMachineThatReportsNoNodeIsUnknown() throws Exception {
        NumaNodes numa = twoNodes("0-3", "0").gpu("0000:3b:00.0", "-1").read();
        assertThat(numa.place(GPU, "0000:3b:00.0"))
                .isEqualTo(new Place(
                        "0000:3b:00.0",
                        null,
                        "NUMA node unknown: " + folder
                                + "/sys/bus/pci/devices/0000:3b:00.0/numa_node is -1, as in many virtual machines",
                        null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "0"})
    void machineWithOneNodeHasNothingToWarnAbout(String reported) throws Exception {
        NumaNodes numa = new NumaTree(folder, "0-3", "0")
                .node(0, "0-3")
                .gpu("0000:3b:00.0", reported)
                .read();
        Place place = numa.place(GPU, "0000:3b:00.0");
        assertThat(place.node()).isZero();
        assertThat(place.description()).startsWith("NUMA node 0");
        assertThat(place.warning()).isNull();
        assertThat(numa.describe()).isEqualTo("one node; this process may run on CPUs 0-3");
    }

    /** Memory that is attached to a device is a node without CPUs. */
    @Test
    void nodeWithoutCpusIsNotWarnedAbout() throws Exception {
        NumaNodes numa = new NumaTree(folder, "0-3", "0")
                .node(0, "0-3")
                .node(2, "")
                .gpu("0000:3b:00.0", "2")
                .read();
        Place place = numa.place(GPU, "0000:3b:00.0");
        assertThat(place.description()).isEqualTo("NUMA node 2 with no CPUs");
        assertThat(place.warning()).isNull();
    }

    @Test
    void nodeThatTheSystemDoesNotListIsNotWarnedAbout() throws Exception {
        NumaNodes numa = twoNodes("0-3", "0").gpu("0000:3b:00.0", "5").read();
        assertThat(numa.place(GPU, "0000:3b:00.0")).isEqualTo(new Place("0000:3b:00.0", 5, "NUMA node 5", null));
    }

    /** Some containers mount nothing at /sys, or other files. */
    @Test
    void hiddenFilesAreUnknownFacts() throws Exception {
        NumaNodes numa = NumaNodes.read(folder.resolve("sys"), folder.resolve("status"));
        assertThat(numa.cpusByNode()).isEmpty();
        assertThat(numa.allowedCpus()).isNull();
        assertThat(numa.allowedMemory()).isNull();
        assertThat(numa.describe())
                .isEqualTo(
                        "the nodes are unknown, because the system does not show them; the CPUs on which this process may"
                                + " run are unknown");
        Place place = numa.place(GPU, "0000:3b:00.0");
        assertThat(place.node()).isNull();
        assertThat(place.description())
                .isEqualTo("NUMA node unknown: there is no " + folder + "/sys/bus/pci/devices/0000:3b:00.0/numa_node");
    }

    @Test
    void unreadableFilesAreUnknownFacts() throws Exception {
        Files.createDirectories(folder.resolve("sys/devices/system/node/node0/cpulist"));
        Files.createDirectories(folder.resolve("sys/bus/pci/devices/0000:3b:00.0/numa_node"));
        Files.createDirectories(folder.resolve("status"));
        NumaNodes numa = NumaNodes.read(folder.resolve("sys"), folder.resolve("status"));
        assertThat(numa.cpusByNode()).isEmpty();
        assertThat(numa.allowedCpus()).isNull();
        assertThat(numa.place(GPU, "0000:3b:00.0").description()).contains("numa_node cannot be read: ");
    }

    @Test
    void damagedFilesAreUnknownFacts() throws Exception {
        NumaNodes numa = new NumaTree(folder, "many", "0")
                .node(0, "0-")
                .gpu("0000:3b:00.0", "one")
                .read();
        assertThat(numa.cpusByNode()).isEmpty();
        assertThat(numa.allowedCpus()).isNull();
        assertThat(numa.place(GPU, "0000:3b:00.0").description())
                .contains("numa_node has no number: For input string: \"one\"");
        assertThat(numa.place(GPU, "3b:00.0").description())
                .isEqualTo("NUMA node unknown: '3b:00.0' is no PCI address, expected one as 0000:3b:00.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0-3", "0-3,8,10-11", "1,3,5", "0-255"})
    void listOfCpusIsWrittenAsItWasRead(String list) {
        assertThat(CpuList.format(CpuList.parse(list + "\n"))).isEqualTo(list);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"a; found 'a'", "0-; found '0-'", "0,,1; found '0,,1'", "3-1; found '3-1' in '3-1'"})
    void damagedListOfCpusIsRefused(String list, String found) {
        assertThatThrownBy(() -> CpuList.parse(list))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(found);
    }
}
