package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import io.millrace.run.JobRescaler;
import io.millrace.run.RescaleRequest;
import io.millrace.run.RunningJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code scale <job> decode=8}, which changes the parallelism of a running job. */
@Command(
        name = "scale",
        description = "Changes the parallelism of a running job. The trained parameters stay the same to the bit.",
        footer = {"  ./millrace scale 4f2a parallelism=6", "  ./millrace scale photos decode=8 --cluster gpu-1:8081"})
final class ScaleCommand extends CliCommand {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(
            index = "0",
            paramLabel = "JOB",
            description = "The job's id, the beginning of the id, or the job's name.")
    private String job = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "STAGE=NUMBER",
            description =
                    "A stage and its parallelism; 'parallelism' sets all stages that have no number of their own.")
    private List<String> numbers = List.of();

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A secret that the job does not store.")
    private List<String> settings = List.of();

    @Override
    public Integer call() throws Exception {
        ClusterAddress address = cluster.address();
        ClusterRest rest = new ClusterRest(address.web());
        RunningJob running = RunningJob.of(rest, job);
        List<String> all = new ArrayList<>(settings);
        all.addAll(
                RescaleRequest.settings(numbers, running.description().stages().keySet()));
        JobRescaler rescaler = new JobRescaler(address, rest, output().text(), err());
        JobRescaler.Rescaled rescaled = rescaler.rescale(running, running.pipeline(all));
        String before = "job " + running.job().id();
        output().text()
                .printf(
                        Locale.ROOT,
                        "%s; %.1f s without training%n",
                        switch (rescaled.how()) {
                            case RESCALED -> before + " was rescaled as it runs (adaptive scheduler)";
                            case RESUBMITTED -> before + " was saved and continues as job " + rescaled.job();
                        },
                        rescaled.pauseSeconds());
        output().result(Map.of(
                "job",
                rescaled.job(),
                "how",
                rescaled.how().name().toLowerCase(Locale.ROOT),
                "pause_s",
                rescaled.pauseSeconds()));
        return ExitCode.OK;
    }
}
