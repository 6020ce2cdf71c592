package io.millrace.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A made-up machine: the files of Linux that describe its NUMA nodes, in a folder. */
public final class NumaTree {
    private final Path root;

    /** Creates a machine without nodes and GPUs, whose process may run on some CPUs and use the memory of some nodes. */
    public NumaTree(Path root, String allowedCpus, String allowedMemory) throws IOException {
        this.root = root;
        Files.createDirectories(root);
        Files.writeString(
                root.resolve("status"),
                "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + allowedCpus + "\nMems_allowed_list:\t"
                        + allowedMemory + "\nvoluntary_ctxt_switches:\t1\n");
    }

    /** Adds a node. Linux ends each file with the end of a line. */
    public NumaTree node(int number, String cpus) throws IOException {
        return file("sys/devices/system/node/node" + number + "/cpulist", cpus);
    }

    /** Adds a GPU with the content of its file {@code numa_node}. */
    public NumaTree gpu(String address, String node) throws IOException {
        return file("sys/bus/pci/devices/" + address + "/numa_node", node);
    }

    private NumaTree file(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
        return this;
    }

    /** Reads the machine's nodes. */
    public NumaNodes read() {
        return NumaNodes.read(root.resolve("sys"), root.resolve("status"));
    }
}
