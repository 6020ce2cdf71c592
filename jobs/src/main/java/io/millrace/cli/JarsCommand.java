package io.millrace.cli;

import io.millrace.cluster.FlinkLibrary;
import io.millrace.report.Versions;
import io.millrace.run.ExitCode;
import io.millrace.run.FlinkVersion;
import io.millrace.run.UsageException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code jars}, which prints or copies the jars that the lib folder of a Flink installation needs. */
@Command(
        name = "jars",
        description = "Prints the jars that a Flink cluster of your own needs in its folder lib, or copies them there.",
        footer = {"  ./millrace jars", "  ./millrace jars $FLINK_HOME/lib"})
final class JarsCommand extends CliCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FOLDER",
            description = "The folder to copy the jars into: the folder lib of Flink, or a new or empty one.")
    private @Nullable String folder;

    @Override
    public Integer call() throws Exception {
        List<Path> jars = FlinkLibrary.jars(Versions.flinkJars());
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("jars", jars.stream().map(Path::toString).toList());
        if (folder == null) {
            jars.forEach(output().text()::println);
        } else {
            if (folder.isBlank()) {
                throw new UsageException("FOLDER is empty: is a variable not set?");
            }
            Path lib = Path.of(folder).toAbsolutePath().normalize();
            int copied = new FlinkLibrary(lib).add(jars, FlinkVersion.ours());
            output().text()
                    .println(lib + " has the " + jars.size() + " jars, " + copied
                            + (copied == 0 ? " copied" : " copied: restart Flink"));
            result.put("folder", lib.toString());
            result.put("copied", copied);
        }
        if (jars.stream().noneMatch(jar -> jar.getFileName().toString().startsWith("pytorch-native-"))) {
            err().println(
                            "millrace: this installation has no libtorch: jobs of 'train' with a model need the jars of the distribution");
        }
        output().result(result);
        return ExitCode.OK;
    }
}
