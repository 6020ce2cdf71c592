package io.millrace.device;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NUMA nodes of this machine, their CPUs, and the CPUs and nodes that this process may use, as Linux reports them under
 * {@code /sys} and {@code /proc}. A GPU is attached to one node; copies from the memory of another node cross the link between
 * the nodes. A container can hide these files, and a virtual machine can report no node for a GPU: such facts are unknown.
 */
public final class NumaNodes {
    private static final Logger LOG = LoggerFactory.getLogger(NumaNodes.class);
    private static final Pattern NODE = Pattern.compile("node(\\d{1,9})");
    private static final Pattern ADDRESS =
            Pattern.compile("([0-9a-f]{4,8}):([0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])", Pattern.CASE_INSENSITIVE);
    private static final int HEXADECIMAL = 16;

    private final Path devices;
    private final SortedMap<Integer, BitSet> nodes;
    private final @Nullable BitSet cpus;
    private final @Nullable BitSet memory;

    /**
     * The node to which a GPU is attached.
     *
     * @param pciAddress the GPU's PCI address, as "0000:3b:00.0"
     * @param node the number of the node; null when it is unknown
     * @param description the node as messages describe it, as "NUMA node 1 with CPUs 16-31", or why it is unknown
     * @param warning a sentence if this process may use no CPU of the node, or not its memory; null otherwise
     */
    public record Place(
            String pciAddress,
            @Nullable Integer node,
            String description,
            @Nullable String warning) {}

    private NumaNodes(Path devices, SortedMap<Integer, BitSet> nodes, @Nullable BitSet cpus, @Nullable BitSet memory) {
        this.devices = devices;
        this.nodes = nodes;
        this.cpus = cpus;
        this.memory = memory;
    }

    /** Reads the nodes of this machine. */
    public static NumaNodes ofMachine() {
        return read(Path.of("/sys"), Path.of("/proc/self/status"));
    }

    /**
     * Reads the nodes of a machine. Facts that cannot be read are unknown, and the reason is logged.
     *
     * @param sys the folder at which Linux mounts sysfs
     * @param status the status file of the process
     */
    public static NumaNodes read(Path sys, Path status) {
        SortedMap<Integer, BitSet> nodes = new TreeMap<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(sys.resolve("devices/system/node"), "node*")) {
            for (Path folder : found) {
                Matcher name = NODE.matcher(folder.getFileName().toString());
                if (name.matches()) {
                    nodes.put(
                            Integer.valueOf(name.group(1)), CpuList.parse(Files.readString(folder.resolve("cpulist"))));
                }
            }
        } catch (IOException | DirectoryIteratorException | IllegalArgumentException e) {
            LOG.info("the NUMA nodes of this machine are unknown: {}", e.toString());
            nodes.clear();
        }
        BitSet cpus = null;
        BitSet memory = null;
        try {
            String lines = Files.readString(status);
            cpus = list(lines, "Cpus_allowed_list");
            memory = list(lines, "Mems_allowed_list");
        } catch (IOException | IllegalArgumentException e) {
            LOG.info("the CPUs and NUMA nodes that this process may use are unknown: {}", e.toString());
        }
        return new NumaNodes(sys.resolve("bus/pci/devices"), nodes, cpus, memory);
    }

    private static @Nullable BitSet list(String status, String key) {
        Matcher line = Pattern.compile("(?m)^" + key + ":\\s*(\\S*)$").matcher(status);
        return line.find() ? CpuList.parse(line.group(1)) : null;
    }

    /** Returns the CPUs of each node, as Linux writes lists of CPUs; empty when the nodes are unknown. */
    public Map<Integer, String> cpusByNode() {
        Map<Integer, String> text = new TreeMap<>();
        nodes.forEach((node, list) -> text.put(node, CpuList.format(list)));
        return text;
    }

    /** Returns the CPUs on which this process may run, as "0-15,32-47"; null when they are unknown. */
    public @Nullable String allowedCpus() {
        return cpus == null ? null : CpuList.format(cpus);
    }

    /** Returns the nodes whose memory this process may use, as "0-1"; null when they are unknown. */
    public @Nullable String allowedMemory() {
        return memory == null ? null : CpuList.format(memory);
    }

    /** Returns the nodes and the CPUs of this process for people. */
    public String describe() {
        String allowed = cpus == null
                ? "the CPUs on which this process may run are unknown"
                : "this process may run on " + describeCpus(cpus);
        if (nodes.isEmpty()) {
            return "the nodes are unknown, because the system does not show them; " + allowed;
        }
        if (nodes.size() == 1) {
            return "one node; " + allowed;
        }
        return nodes.entrySet().stream()
                        .map(node -> "node " + node.getKey() + " with " + describeCpus(node.getValue()))
                        .collect(Collectors.joining(", "))
                + "; " + allowed;
    }

    private static String describeCpus(BitSet list) {
        return list.isEmpty() ? "no CPUs" : (list.cardinality() == 1 ? "CPU " : "CPUs ") + CpuList.format(list);
    }

    /**
     * Returns the place of a GPU.
     *
     * @param gpu the GPU as messages name it, as "cuda:0 (NVIDIA H200)"
     * @param pciAddress the GPU's address as the driver or nvidia-smi print it, with letters of either case and a domain of 4 to 8
     *     digits
     */
    public Place place(String gpu, String pciAddress) {
        Matcher parts = ADDRESS.matcher(pciAddress);
        if (!parts.matches()) {
            return unknown(pciAddress, "'" + pciAddress + "' is no PCI address, expected one as 0000:3b:00.0");
        }
        // Linux writes domains with at least four digits, and letters in lower case.
        String address = String.format(
                Locale.ROOT,
                "%04x:%s",
                Long.parseLong(parts.group(1), HEXADECIMAL),
                parts.group(2).toLowerCase(Locale.ROOT));
        Path file = devices.resolve(address).resolve("numa_node");
        int node;
        try {
            node = Integer.parseInt(Files.readString(file).strip());
        } catch (NoSuchFileException e) {
            return unknown(address, "there is no " + file);
        } catch (IOException e) {
            return unknown(address, file + " cannot be read: " + e.getMessage());
        } catch (NumberFormatException e) {
            return unknown(address, file + " has no number: " + e.getMessage());
        }
        if (node < 0) {
            return nodes.size() == 1
                    ? new Place(address, nodes.firstKey(), "NUMA node " + nodes.firstKey() + ", the only one", null)
                    : unknown(address, file + " is " + node + ", as in many virtual machines");
        }
        BitSet own = nodes.get(node);
        String description = "NUMA node " + node + (own == null ? "" : " with " + describeCpus(own));
        return new Place(address, node, description, own == null ? null : warning(gpu, node, own));
    }

    private static Place unknown(String address, String reason) {
        return new Place(address, null, "NUMA node unknown: " + reason, null);
    }

    /** Returns a warning if this process may use none of the CPUs of a GPU's node, or not its memory; null otherwise. */
    private @Nullable String warning(String gpu, int node, BitSet own) {
        if (nodes.size() < 2 || own.isEmpty()) {
            return null;
        }
        String where;
        if (cpus != null && !cpus.intersects(own)) {
            where = "run only on " + describeCpus(cpus) + ", which are not of this node";
        } else if (memory != null && !memory.isEmpty() && !memory.get(node)) {
            where = "use only memory of node " + CpuList.format(memory);
        } else {
            return null;
        }
        return gpu + " is on NUMA node " + node + " with " + describeCpus(own) + ", but this process may " + where
                + ": copies to the GPU cross the link between the nodes. Start the process with numactl --cpunodebind="
                + node + " --membind=" + node + ", or its container with --cpuset-cpus=" + CpuList.format(own)
                + " --cpuset-mems=" + node + " (docs/cluster/numa.md)";
    }
}
