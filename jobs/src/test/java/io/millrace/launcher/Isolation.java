package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of an installation that runs with a few tools of the system and, where namespaces may be created, without a network. */
final class Isolation {
    /** The tools that the launcher uses. */
    private static final List<String> TOOLS = List.of(
            "bash",
            "basename",
            "cat",
            "cksum",
            "cut",
            "dirname",
            "env",
            "flock",
            "grep",
            "head",
            "ls",
            "mkdir",
            "mktemp",
            "mv",
            "readlink",
            "rm",
            "sed",
            "setsid",
            "stat",
            "stty",
            "tail",
            "tr",
            "uname");

    /**
     * The command that runs another one without a network except loopback, and with a folder that nobody can write to,
     * not even root.
     */
    private static final List<String> ISOLATED = List.of(
            "unshare",
            "--net",
            "--mount",
            "bash",
            "-c",
            "ip link set lo up && mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"");

    private static final String OUTPUT = "output.txt";

    private final Path folder;

    /** Creates an isolation that keeps its files in a folder. */
    Isolation(Path folder) {
        this.folder = folder;
    }

    /** Creates a folder with links to the tools, for the PATH. */
    Path tools() throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : TOOLS) {
            for (String place : System.getenv("PATH").split(":", -1)) {
                if (Files.isExecutable(Path.of(place, tool)) && !Files.exists(tools.resolve(tool))) {
                    Files.createSymbolicLink(tools.resolve(tool), Path.of(place, tool));
                }
            }
        }
        return tools;
    }

    /** Returns the beginning of a command that sees no network and cannot write to the installation; empty where this is not allowed. */
    List<String> command(Path installation) throws Exception {
        List<String> command = new ArrayList<>(ISOLATED);
        command.add(installation.toString());
        List<String> trial = new ArrayList<>(command);
        trial.add("true");
        return succeeds(trial, folder) ? command : List.of();
    }

    /** Returns whether a command ends with success. */
    boolean succeeds(List<String> command, Path directory) throws Exception {
        return start(command, directory, folder.resolve("tried.txt")) == 0;
    }

    /** Returns what the latest command of {@link #run} printed, both streams together. */
    String output() throws IOException {
        return Files.readString(folder.resolve(OUTPUT));
    }

    /** Runs a command in a directory, and requires that it succeeds. The files {@code *.err} there are part of the message. */
    void run(List<String> command, Path directory) throws Exception {
        Path output = folder.resolve(OUTPUT);
        int exitCode = start(command, directory, output);
        StringBuilder messages = new StringBuilder(Files.readString(output));
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".err")).toList()) {
                messages.append(file.getFileName()).append(":\n").append(Files.readString(file));
            }
        }
        assertThat(exitCode).as("%s printed:%n%s", command, messages).isZero();
    }

    private static int start(List<String> command, Path directory, Path output) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Process process = builder.start();
        if (!process.waitFor(4, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new AssertionError(command + " did not end within 4 minutes");
        }
        return process.exitValue();
    }
}
