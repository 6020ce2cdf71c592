package io.millrace.diagnosis.ladder;

import io.millrace.batch.Filling;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of a ladder on Flink in this process. The rungs are:
 *
 * <ul>
 *   <li>{@code device}: the training step alone, as the trainer times it, on batches that are reused; without Flink.
 *   <li>{@code host}: the training step, the transfer from host memory and the device's transforms; without Flink.
 *   <li>{@code packed}: the job with packers that fill the pixels only once. For later rows they write only positions
 *       and labels. Micro-batches are sent, assembled into batches and trained on.
 *   <li>{@code after ...}, {@code decoded}, {@code raw}: the job on cached samples, with the transforms after the cache.
 *   <li>{@code nothing}: the whole job, without evaluation and checkpoints.
 * </ul>
 *
 * <p>Tested by {@code LadderITCase}.
 */
public final class LadderRun {
    /** The largest number of rungs that are measured a second time. */
    private static final int MOST_AGAIN = 3;

    private final PipelineConfig config;
    private final RunPlan plan;
    private final LadderPlan ladder;
    private final Trials trials;
    private final SampleCollector collector;
    private final Consumer<String> progress;
    private final List<Border> borders;
    private final Map<Border, Trial> measured = new LinkedHashMap<>();
    private int cached;

    private LadderRun(
            PipelineConfig config, RunPlan plan, LadderPlan ladder, Trials trials, Consumer<String> progress) {
        this.config = config;
        this.plan = plan;
        this.ladder = ladder;
        this.trials = trials;
        this.progress = progress;
        this.collector = new SampleCollector(config, plan, ladder.samples());
        this.borders = Border.of(config);
    }

    /**
     * The result of the measurement.
     *
     * @param asItIs the trial of the pipeline with its evaluation and its checkpoints
     */
    public record Result(Ladder ladder, Trial asItIs) {}

    /**
     * Measures all rungs, each until its speed is steady or a limit of the plan is reached, and then the pipeline as it is. Rungs whose
     * speeds contradict others are measured again.
     *
     * @param config a pipeline with one trainer
     * @param folder an existing folder for the files that the trainer writes
     * @param progress receives the name of each rung when its measurement begins
     * @throws IllegalArgumentException when there are several trainers
     */
    public static Result measure(
            PipelineConfig config, LadderPlan ladder, Trials trials, Path folder, Consumer<String> progress)
            throws Exception {
        if (config.train().trainers().ranks() > 1) {
            throw new IllegalArgumentException("a ladder measures a pipeline with one trainer, found ranks: "
                    + config.train().trainers().ranks());
        }
        PipelineConfig whole = RungPipelines.whole(config);
        LadderRun run = new LadderRun(whole, RunPlanner.plan(whole), ladder, trials, progress);
        TrainerSpeed trainer = run.measureRungs(Files.createDirectories(folder.resolve("ladder")));
        Optional<Trial> asItIs = RungPipelines.isLowestRung(config)
                ? Optional.empty()
                : Optional.of(run.trial("the pipeline as it is", RungPipelines.longer(config)));
        return run.checked(trainer, asItIs);
    }

    private TrainerSpeed measureRungs(Path folder) throws Exception {
        Border lowest = borders.get(borders.size() - 1);
        measured.put(lowest, trial(lowest));
        SinkSpec sink = Sinks.of(config, plan, folder);
        List<CachedSample> samples =
                collector.collect(config.data().transforms().size());
        cached = samples.size();
        progress.accept(Border.HOST);
        TrainerSpeed trainer = TrainerFeed.measure(sink, config.batch().size(), samples, ladder.limits());
        for (Border border : borders) {
            if (!border.equals(lowest) && !border.isTrainerAlone()) {
                measured.put(border, trial(border));
            }
        }
        return trainer;
    }

    /** Measures rungs again that may have been measured too slow. Other programs make a rung slower, and never faster. */
    private Result checked(TrainerSpeed trainer, Optional<Trial> asItIs) throws Exception {
        Border lowest = borders.get(borders.size() - 1);
        Set<String> settled = new HashSet<>(Set.of(Border.DEVICE, Border.HOST));
        // This pipeline does all that the lowest rung does, and more.
        asItIs.filter(trial -> trial.samplesPerSecond() > rate(lowest)).ifPresent(trial -> {
            settled.add(lowest.cache());
            measured.put(lowest, trial);
        });
        for (int again = 0; again < MOST_AGAIN; again++) {
            Ladder now = ladder(trainer);
            Trial whole = asItIs.orElse(trialOf(lowest));
            Optional<String> limit = whole.measurement().verdict().limit().map(Limit::culprit);
            Optional<Rung> doubtful = now.doubtful(settled, limit);
            if (doubtful.isEmpty()) {
                break;
            }
            settled.add(doubtful.get().cache());
            Border border = borders.get(now.rungs().indexOf(doubtful.get()));
            Trial second = trial(border, " (again)");
            if (second.samplesPerSecond() > rate(border)) {
                measured.put(border, second);
            }
        }
        return new Result(ladder(trainer), asItIs.orElse(trialOf(lowest)));
    }

    private Trial trialOf(Border border) {
        return Objects.requireNonNull(measured.get(border));
    }

    private double rate(Border border) {
        return trialOf(border).samplesPerSecond();
    }

    private Ladder ladder(TrainerSpeed trainer) {
        ModelledRungs modelled =
                new ModelledRungs(trialOf(borders.get(borders.size() - 1)).measurement(), borders);
        return new Ladder(
                borders.stream()
                        .map(border -> switch (border.cache()) {
                            case Border.DEVICE -> rung(border, trainer.device(), modelled);
                            case Border.HOST -> rung(border, trainer.host(), modelled);
                            default -> rung(border, trialOf(border), modelled);
                        })
                        .toList(),
                cached);
    }

    private Trial trial(String name, PipelineConfig pipeline) throws Exception {
        progress.accept(name);
        return trials.run(pipeline, ladder.limits());
    }

    private Trial trial(Border border) throws Exception {
        return trial(border, "");
    }

    private Trial trial(Border border, String remark) throws Exception {
        return border.cache().equals(Border.NOTHING)
                ? trial(border.cache() + remark, config)
                : cachedTrial(border, remark);
    }

    private Trial cachedTrial(Border border, String remark) throws Exception {
        progress.accept(border.cache() + remark);
        boolean last = border.transforms() == config.data().transforms().size();
        List<CachedSample> samples = collector.collect(border.transforms());
        cached = Math.min(cached, samples.size());
        try (SampleCaches.Lease lease = SampleCaches.lend(samples)) {
            PipelineConfig rung = RungPipelines.cached(
                    config,
                    CachedFormat.spec(
                            lease,
                            plan.batches().size(),
                            plan.classes().size(),
                            last ? CachedDataset.Use.READ : CachedDataset.Use.CHANGED),
                    border.transforms());
            Filling filling = border.cache().equals(Border.PACKED) ? Filling.ONCE : Filling.EVERY_ROW;
            return trials.run(rung, filling, ladder.limits());
        }
    }

    private static Rung rung(Border border, Trial trial, ModelledRungs modelled) {
        return new Rung(
                border.cache(),
                border.above(),
                trial.samplesPerSecond(),
                trial.spread(),
                trial.busy(),
                modelled.rate(border).orElse(null));
    }

    private static Rung rung(Border border, TrainerSpeed.@Nullable Speed speed, ModelledRungs modelled) {
        return speed == null
                ? Rung.unknown(border)
                : new Rung(
                        border.cache(),
                        border.above(),
                        speed.samplesPerSecond(),
                        speed.spread(),
                        speed.busy(),
                        modelled.rate(border).orElse(null));
    }
}
