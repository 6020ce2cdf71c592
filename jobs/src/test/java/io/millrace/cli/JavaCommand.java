package io.millrace.cli;

import io.millrace.cluster.SharedClasses;
import io.millrace.cluster.TestCluster;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.condition.OS;

/** The command lines of JVMs that tests start. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * Returns the command line of a JVM that opens the same modules as this one.
     *
     * @param heap the size of the heap, for example 512m
     * @param log the log file
     */
    public static List<String> of(String classPath, String main, String heap, Path log, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (OS.LINUX.isCurrentOs()) {
            // Jobs in the background inherit an ignored SIGINT, and a JVM does not handle signals that it inherits as
            // ignored.
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-Dai.djl"))
                .forEach(command::add);
        command.addAll(List.of(TestCluster.SHORT_LIVED.split(" ")));
        command.addAll(SharedClasses.options());
        command.addAll(List.of("-Xmx" + heap, "-Dlog4j2.configurationFile=log4j2.properties"));
        command.add("-Dmillrace.log=" + log);
        command.addAll(List.of("-cp", SharedClasses.ordered(classPath), main));
        command.addAll(arguments);
        return command;
    }
}
