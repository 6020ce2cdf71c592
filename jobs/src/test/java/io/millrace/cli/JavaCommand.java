package io.millrace.cli;

import io.millrace.cluster.TestCluster;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.condition.OS;

/** Command lines of JVMs that tests start. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * A JVM with the modules that this one opens.
     *
     * @param heap as 512m
     * @param log the file that it logs to
     */
    public static List<String> of(String classPath, String main, String heap, Path log, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (OS.LINUX.isCurrentOs()) {
            // A JVM leaves a signal alone that it finds ignored, as those of jobs in the background are.
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dai.djl"))
                .forEach(command::add);
        command.addAll(List.of(TestCluster.SHORT_LIVED.split(" ")));
        command.addAll(List.of("-Xmx" + heap, "-Dlog4j2.configurationFile=log4j2.properties"));
        command.add("-Dmillrace.log=" + log);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return command;
    }
}
