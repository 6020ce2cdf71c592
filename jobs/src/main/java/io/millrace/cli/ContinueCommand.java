package io.millrace.cli;

import io.millrace.config.ConfigReader;
import io.millrace.report.ShellWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The command that continues an interrupted run. Pure. */
final class ContinueCommand {
    private ContinueCommand() {}

    /**
     * Returns the command. Secrets in settings are masked, so that they have to be filled in.
     *
     * @param settings the settings of the interrupted command, each as {@code key=value}
     * @param cluster the cluster that the command named
     * @param run the folder of the interrupted run
     */
    static String of(Path pipeline, List<String> settings, Optional<String> cluster, Path run) {
        List<String> words = new ArrayList<>(List.of("./millrace", "train", pipeline.toString()));
        for (String setting : ConfigReader.withoutSecrets(settings)) {
            words.add("--set");
            words.add(setting);
        }
        cluster.ifPresent(address -> words.addAll(List.of("--cluster", address)));
        words.addAll(List.of("--resume", run.toString()));
        return words.stream().map(ShellWord::of).collect(Collectors.joining(" "));
    }
}
