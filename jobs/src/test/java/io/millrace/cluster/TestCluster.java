package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of real processes for a test, on free ports and in the test's folder. Closing it ends the processes.
 *
 * <pre>{@code
 * try (TestCluster cluster = TestCluster.start(folder, ClusterStart.of(TestCluster.settings("elastic"), 2))) {
 *     cluster.taskManagers().get(0).kill();
 *     cluster.awaitSlots(2);
 * }
 * }</pre>
 */
public final class TestCluster implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** Options of JVMs that run only for seconds. */
    public static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private final LocalCluster cluster;
    private final @Nullable JobManagerKeeper keeper;
    private final Thread atExit;

    private TestCluster(LocalCluster cluster, @Nullable JobManagerKeeper keeper) {
        this.cluster = cluster;
        this.keeper = keeper;
        // An interrupted test does not close the cluster.
        this.atExit = new Thread(this::killAll);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts a cluster and waits until all TaskManagers have registered. */
    public static TestCluster start(Path folder, ClusterStart start) throws Exception {
        TestCluster started = new TestCluster(new LocalCluster(folder), null);
        started.cluster.start(start);
        return started;
    }

    /**
     * Starts a cluster whose jobs survive its JobManager, by Flink's options for high availability with ZooKeeper. When the
     * JobManager dies, another one is started.
     */
    public static TestCluster startSurviving(Path folder, ClusterSettings settings, int taskManagers) throws Exception {
        JobManagerKeeper keeper = new JobManagerKeeper(folder.resolveSibling(folder.getFileName() + "-ha"), folder);
        TestCluster started = new TestCluster(new LocalCluster(folder), keeper);
        try {
            started.cluster.start(ClusterStart.of(settings.with(keeper.options()), taskManagers));
            return started;
        } catch (Exception | Error e) {
            started.close();
            throw e;
        }
    }

    /** Returns a shipped configuration with small processes on free ports. */
    public static ClusterSettings settings(String shipped) throws IOException {
        Map<String, String> small = new LinkedHashMap<>();
        small.put("rest.port", "0");
        small.put("jobmanager.rpc.port", "0");
        small.put("jobmanager.memory.process.size", "800m");
        small.put("taskmanager.memory.task.heap.size", "384m");
        small.put("taskmanager.memory.task.off-heap.size", "384m");
        // The processes run only for seconds: the second compiler would finish too late, and would use most of the
        // cores.
        String options = SHORT_LIVED + " " + String.join(" ", SharedClasses.options());
        small.put("env.java.opts.jobmanager", options);
        small.put("env.java.opts.taskmanager", options);
        return ClusterSettings.shipped(shipped).with(small);
    }

    /** Returns the cluster itself. */
    public LocalCluster cluster() {
        return cluster;
    }

    /** Returns the address of the REST interface. */
    public URI web() {
        try {
            return cluster.web().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the address for {@code --cluster}. */
    public String address() {
        return web().getAuthority();
    }

    /** Returns the JobManager, alive or dead. */
    public ClusterProcess jobManager() throws IOException {
        return byRole(ProcessRole.JOBMANAGER).get(0);
    }

    /** Returns the TaskManagers by age, including dead ones. */
    public List<ClusterProcess> taskManagers() throws IOException {
        return byRole(ProcessRole.TASKMANAGER);
    }

    private List<ClusterProcess> byRole(ProcessRole role) throws IOException {
        return cluster.processes().stream()
                .filter(process -> process.role() == role)
                .toList();
    }

    /** Adds a TaskManager and waits until it has registered. */
    public ClusterProcess add(ProcessOptions options) throws Exception {
        return cluster.add(options);
    }

    /** Waits until the working TaskManagers have this many slots in total. */
    public void awaitSlots(int slots) throws Exception {
        await(slots + " slots", () -> cluster.status().slots() == slots);
    }

    /** Waits until the condition holds, at most five minutes. */
    public void await(String what, Callable<Boolean> condition) throws Exception {
        await(what, TIMEOUT, condition);
    }

    /** Waits until the condition holds, at most this long. */
    public void await(String what, Duration timeout, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited in vain for " + what + "; the cluster: " + cluster.status());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    /** Makes a jar of a job with all classes and resources of the folder or jar that a class was loaded from. */
    public static Path jar(Path jar, Class<?> member) throws IOException, URISyntaxException {
        Path root = Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isRegularFile(root)) {
            return Files.copy(root, jar);
        }
        try (OutputStream stream = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(stream);
                Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(root.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    /** Makes a jar with a provider of a service, as a user would. */
    public static Path jarWithService(Path jar, Class<?> provider, Class<?> service, Class<?>... more)
            throws IOException, URISyntaxException {
        List<Class<?>> members = new ArrayList<>(List.of(more));
        members.add(provider);
        try (OutputStream stream = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(stream)) {
            for (Class<?> member : members) {
                String name = member.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(name));
                try (InputStream in = member.getResourceAsStream("/" + name)) {
                    Objects.requireNonNull(in, name).transferTo(out);
                }
                out.closeEntry();
            }
            out.putNextEntry(new JarEntry("META-INF/services/" + service.getName()));
            out.write(provider.getName().getBytes(StandardCharsets.UTF_8));
            out.closeEntry();
        }
        return jar;
    }

    private void killAll() {
        try {
            if (keeper != null) {
                keeper.close();
            }
            for (ClusterProcess process : cluster.processes()) {
                process.kill();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        killAll();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
