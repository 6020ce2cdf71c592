package io.millrace.cli;

import io.millrace.pipeline.ClusterAddress;
import io.millrace.pipeline.RemoteFlink;
import io.millrace.report.StageTable;
import io.millrace.report.Terminal;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.FlinkRest;
import io.millrace.run.ExitCode;
import io.millrace.run.JobLookup;
import io.millrace.run.JobStatusLine;
import io.millrace.run.JobStatusReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code status [job]}, which prints the jobs of a cluster. */
@Command(
        name = "status",
        description = "Lists the running and the ended jobs of a cluster, or shows one job with its stages.",
        footer = {"  ./millrace status", "  ./millrace status --cluster gpu-1:8081 --json", "  ./millrace status 4f2a"})
final class StatusCommand extends CliCommand {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(
            arity = "0..1",
            paramLabel = "JOB",
            description = "The job's id, the beginning of the id, or the job's name. Default: all jobs.")
    private @Nullable String job;

    @Override
    public Integer call() throws Exception {
        ClusterAddress address = cluster.address();
        ClusterRest rest = new ClusterRest(address.web());
        PrintStream text = output().text();
        String named = job;
        List<ClusterJob> jobs = named == null ? rest.jobs() : List.of(JobLookup.find(rest, named));
        List<JobStatusLine> lines = new ArrayList<>();
        try (RemoteFlink flink = RemoteFlink.at(address, List.of())) {
            JobStatusReader reader = new JobStatusReader(rest, new FlinkRest(address.web()), flink.jobs());
            for (ClusterJob one : jobs) {
                lines.add(reader.read(one));
            }
        }
        if (lines.isEmpty()) {
            text.println("no jobs at " + address.web());
        }
        for (JobStatusLine line : lines) {
            line.lines(System.currentTimeMillis()).forEach(text::println);
        }
        if (named == null) {
            output().result(lines.stream().map(JobStatusLine::toMap).toList());
            return ExitCode.OK;
        }
        JobStatusLine one = lines.get(0);
        if (!one.stages().isEmpty()) {
            text.println();
            text.print(StageTable.render(one.stages(), Terminal.textColumns(), null));
        }
        output().result(one.toMap());
        return ExitCode.OK;
    }
}
