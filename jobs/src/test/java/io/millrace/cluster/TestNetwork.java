package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The networks of two machines on one switch to which this machine is also connected: Linux network namespaces on a bridge. A
 * cut connection loses packets without a signal, as with a broken switch.
 *
 * <p>It needs the right to create namespaces, and {@code ip} of Debian's package iproute2.
 */
public final class TestNetwork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TestNetwork.class);
    private static final List<Path> IP = List.of(Path.of("/usr/sbin/ip"), Path.of("/sbin/ip"), Path.of("/usr/bin/ip"));
    private static final int MACHINES = 2;

    private final String ip;
    private final String bridge;
    private final String subnet;

    private TestNetwork(String ip) {
        this.ip = ip;
        // Names and addresses contain the number of this process, because another process may run tests at the same
        // time.
        long pid = ProcessHandle.current().pid();
        this.bridge = "mr" + pid;
        this.subnet = "10." + (64 + pid / 256 % 64) + "." + pid % 256 + ".";
    }

    /** Creates the network; empty when this machine or this user cannot create it. */
    public static Optional<TestNetwork> open() throws IOException {
        Optional<Path> ip = IP.stream().filter(Files::isExecutable).findFirst();
        if (ip.isEmpty()) {
            return Optional.empty();
        }
        TestNetwork network = new TestNetwork(ip.get().toString());
        if (!network.tries("link add " + network.bridge + " type bridge")) {
            return Optional.empty();
        }
        if (!network.tries("netns add " + network.namespace(0))) {
            network.run("link del " + network.bridge);
            return Optional.empty();
        }
        try {
            network.connect();
        } catch (IOException e) {
            try {
                network.close();
            } catch (IOException incomplete) {
                e.addSuppressed(incomplete);
            }
            throw e;
        }
        return Optional.of(network);
    }

    private void connect() throws IOException {
        run("addr add " + address() + "/24 dev " + bridge);
        run("link set " + bridge + " up");
        for (int machine = 0; machine < MACHINES; machine++) {
            if (machine > 0) {
                run("netns add " + namespace(machine));
            }
            run("link add " + port(machine) + " type veth peer name eth0 netns " + namespace(machine));
            run("-n " + namespace(machine) + " addr add " + address(machine) + "/24 dev eth0");
            run("-n " + namespace(machine) + " link set eth0 up");
            run("-n " + namespace(machine) + " link set lo up");
            run("link set " + port(machine) + " master " + bridge + " up");
        }
    }

    /** Returns the address of this machine on the switch. */
    public String address() {
        return subnet + "1";
    }

    /** Returns the options that make a TaskManager run on a machine, 0 or 1. */
    public ProcessOptions taskManager(int machine) {
        return new ProcessOptions(
                Map.of("taskmanager.host", address(machine), "taskmanager.bind-host", address(machine)),
                List.of(),
                Map.of(),
                on(machine));
    }

    /** Returns the words before a command that make it run on a machine, 0 or 1. */
    public List<String> on(int machine) {
        return List.of(ip, "netns", "exec", namespace(machine));
    }

    /**
     * Makes the machines end a connection without answers after some retries. The first retry follows after 0.2 s, and each
     * interval is twice the one before. By default Linux retries 15 times, which takes a quarter of an hour.
     */
    public void giveUpConnectionsAfter(int retries) throws IOException {
        for (int machine = 0; machine < MACHINES; machine++) {
            run(
                    "netns exec " + namespace(machine) + " sh -c",
                    "echo " + retries + " > /proc/sys/net/ipv4/tcp_retries2");
        }
    }

    /** Disconnects a machine from the switch. */
    public void unplug(int machine) throws IOException {
        run("link set " + port(machine) + " nomaster");
    }

    /** Connects a machine again after {@link #unplug}. */
    public void plug(int machine) throws IOException {
        run("link set " + port(machine) + " master " + bridge);
    }

    /** Cuts the connection between the two machines, while both still reach this one. */
    public void part() throws IOException {
        isolate("on");
    }

    /** Ends {@link #part}. */
    public void join() throws IOException {
        isolate("off");
    }

    private void isolate(String onOrOff) throws IOException {
        for (int machine = 0; machine < MACHINES; machine++) {
            run("link set dev " + port(machine) + " type bridge_slave isolated " + onOrOff);
        }
    }

    private String namespace(int machine) {
        return bridge + "-" + machine;
    }

    private String port(int machine) {
        return bridge + "p" + machine;
    }

    private String address(int machine) {
        return subnet + (machine + 2);
    }

    private void run(String words, String... last) throws IOException {
        if (!tries(words, last)) {
            throw new IOException(ip + " " + words + " failed");
        }
    }

    private boolean tries(String words, String... last) throws IOException {
        List<String> command = Stream.of(Stream.of(ip), Stream.of(words.split(" ")), Stream.of(last))
                .flatMap(part -> part)
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // The process has closed its output, so it is about to end.
        int exitCode = process.onExit().join().exitValue();
        if (exitCode != 0) {
            LOG.info("{}: {}", command, output.strip());
        }
        return exitCode == 0;
    }

    /** Removes the network. */
    @Override
    public void close() throws IOException {
        // A namespace may exist for some time after its name is gone; deleting a link deletes its other end.
        List<String> removals = new ArrayList<>();
        for (int machine = 0; machine < MACHINES; machine++) {
            removals.add("link del " + port(machine));
            removals.add("netns del " + namespace(machine));
        }
        removals.add("link del " + bridge);
        boolean gone = true;
        for (String removal : removals) {
            gone &= tries(removal);
        }
        if (!gone) {
            throw new IOException("not all parts of the network " + bridge + " could be removed");
        }
    }
}
