package io.millrace.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A starter of processes that outlive this program and its terminal. */
final class ProcessStarter {
    /**
     * Commands that replace themselves with another command, which survives the end of the terminal. With setsid, it
     * does not receive Ctrl-C either.
     */
    private static final List<String> DETACHING = List.of("setsid", "nohup");

    private ProcessStarter() {}

    /**
     * Starts a process. One that has already ended when this returns is not {@link ClusterProcess#isAlive() alive}.
     *
     * @param log the log file of the process; its standard output and standard error go to a file beside it
     */
    static ClusterProcess start(
            ProcessRole role, String id, int slots, List<String> command, Map<String, String> environment, Path log)
            throws IOException {
        List<String> whole = new ArrayList<>();
        detaching().ifPresent(whole::add);
        whole.addAll(command);
        Path output = log.resolveSibling(id + ".out");
        ProcessBuilder builder = new ProcessBuilder(whole)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        return started(role, id, builder.start().pid(), slots, log);
    }

    static ClusterProcess started(ProcessRole role, String id, long pid, int slots, Path log) {
        String identity = ProcessIdentity.of(pid).orElse(ProcessIdentity.ENDED);
        return new ClusterProcess(role, id, pid, identity, slots, log);
    }

    private static Optional<String> detaching() {
        List<String> folders =
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1));
        return DETACHING.stream()
                .filter(name -> folders.stream()
                        .anyMatch(folder -> !folder.isEmpty() && Files.isExecutable(Path.of(folder, name))))
                .findFirst();
    }
}
