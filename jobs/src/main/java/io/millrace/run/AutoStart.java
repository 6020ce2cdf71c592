package io.millrace.run;

import io.millrace.batch.Filling;
import io.millrace.config.AutoConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.Trials;
import io.millrace.diagnosis.auto.CalibrationPipeline;
import io.millrace.diagnosis.auto.ChoiceText;
import io.millrace.diagnosis.auto.Demand;
import io.millrace.diagnosis.auto.SlotChoice;
import io.millrace.pipeline.FlinkJobs;
import io.millrace.pipeline.Pipeline;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The choice, before a run begins, of the settings that its pipeline file leaves open. The choice is based on a
 * measurement of the pipeline on one slot and on the capacity model. If the measurement fails, the run begins with one
 * slot for each CPU core of this machine.
 */
public final class AutoStart {
    private static final Logger LOG = LoggerFactory.getLogger(AutoStart.class);

    private final PipelineConfig config;
    private final Setting.Loop loop;
    private final PipelineConfig calibration;
    private final Interrupt interrupt;
    private final PrintStream text;

    /**
     * Creates the choice for a pipeline that leaves settings open.
     *
     * @param loop the owner of the training loop; the speed of clients is not known before the run
     */
    public AutoStart(PipelineConfig config, Setting.Loop loop, Interrupt interrupt, PrintStream text) {
        this.config = config;
        this.loop = loop;
        this.calibration = CalibrationPipeline.of(config);
        this.interrupt = interrupt;
        this.text = text;
    }

    /** Returns the pipeline with settings that suit this machine, or unchanged if the user interrupts. */
    public PipelineConfig here() throws Exception {
        return inTemporaryFolder(folder -> {
            try (Trials trials = Trials.start(Pipeline.slots(calibration), folder, interrupt::isRequested)) {
                return chosen(trials, ClusterSlots.UNLIMITED);
            }
        });
    }

    /** Returns the pipeline with settings that suit a cluster, or unchanged if the user interrupts. */
    public PipelineConfig on(FlinkJobs jobs, ClusterRest rest) throws Exception {
        ClusterSlots free = ClusterSlots.read(rest, config);
        if (free.number() < Pipeline.slots(calibration)) {
            return unmeasured("the cluster has " + free.number() + " free slots, but a measurement needs "
                    + Pipeline.slots(calibration));
        }
        return inTemporaryFolder(folder -> {
            try (Trials trials = Trials.on(jobs, folder, interrupt::isRequested)) {
                return chosen(trials, free);
            }
        });
    }

    private interface FolderWork {
        PipelineConfig choose(Path folder) throws Exception;
    }

    /**
     * Calls {@code work} with a temporary folder beside the folders of runs, because all machines of a run can
     * reach that place.
     */
    private PipelineConfig inTemporaryFolder(FolderWork work) throws Exception {
        Path runs = Files.createDirectories(config.run().folder());
        Path folder = Files.createTempDirectory(runs, ".calibration-").toAbsolutePath();
        interrupt.deferExit(); // otherwise the measuring job would continue without its client
        try {
            return work.choose(folder);
        } finally {
            FileUtils.deleteDirectory(folder.toFile());
        }
    }

    private PipelineConfig chosen(Trials trials, ClusterSlots free) throws Exception {
        AutoConfig auto = config.slots().auto();
        RunPlan plan = RunPlanner.plan(calibration);
        long beganNanos = System.nanoTime();
        Trial trial;
        try {
            trial = trials.run(calibration, plan, Filling.EVERY_ROW, CalibrationPipeline.limits(auto));
        } catch (IOException | ExecutionException | FlinkException e) {
            LOG.info("the measurement failed", e);
            return unmeasured(Failure.of(e).sentence());
        }
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        CapacityModel model = CalibrationPipeline.model(trial.measurement().model());
        Setting setting = Setting.of(calibration, plan).with(loop);
        Optional<Demand> demand =
                loop == Setting.Loop.CLIENTS ? Demand.ofData(model, setting) : Demand.of(model, setting);
        if (demand.isEmpty()) {
            return unmeasured(
                    loop == Setting.Loop.CLIENTS
                            ? "the use of the cores is unknown"
                            : "the time of a training step is unknown");
        }
        int most = SlotChoice.most(auto, model);
        String limit = auto.most().isPresent() ? "parallelism.auto.most" : "4 for each CPU core";
        if (free.number() < most) {
            most = free.number();
            limit = "the free slots";
        }
        PipelineConfig chosen = SlotChoice.suited(demand.get(), config, most).in(config);
        text.println("auto    " + ChoiceText.line(chosen, demand.get(), plan.unit(), most, limit, seconds));
        return chosen;
    }

    private PipelineConfig unmeasured(String reason) {
        text.println("auto    " + unmeasuredLine(config, reason));
        return config;
    }

    /** Returns the line for the user when the settings were chosen without a measurement. */
    public static String unmeasuredLine(PipelineConfig config, String reason) {
        String number =
                config.slots().auto().chooses(AutoConfig.Choice.PARALLELISM) ? ", one slot for each CPU core here" : "";
        return ChoiceText.slots(config) + number + " (not measured: " + reason + ")";
    }
}
