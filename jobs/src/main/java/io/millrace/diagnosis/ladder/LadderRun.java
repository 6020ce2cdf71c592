package io.millrace.diagnosis.ladder;

import io.millrace.batch.Filling;
import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Trial;
import io.millrace.diagnosis.Trials;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.Sinks;
import io.millrace.sink.spec.SinkSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 */
public final class LadderRun {
    private final PipelineConfig config;
    private final RunPlan plan;
    private final LadderPlan ladder;
    private final Trials trials;
    private final SampleCollector collector;
    private final Consumer<String> progress;
    private final List<Border> borders;
    private final Map<Border, Rung> rungs = new LinkedHashMap<>();
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
     * @param nothingCached the trial of the lowest rung
     */
    public record Result(Ladder ladder, Trial nothingCached) {}

    /**
     * Measures all rungs, each until its speed is steady or a limit of the plan is reached.
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
        return run.measure(Files.createDirectories(folder.resolve("ladder")));
    }

    private Result measure(Path folder) throws Exception {
        Border lowest = borders.get(borders.size() - 1);
        progress.accept(lowest.cache());
        Trial nothing = trials.run(config, ladder.limits());
        ModelledRungs modelled = new ModelledRungs(nothing.measurement(), borders);
        SinkSpec sink = Sinks.of(config, plan, folder);
        List<CachedSample> samples =
                collector.collect(config.data().transforms().size());
        cached = samples.size();
        progress.accept(Border.HOST);
        TrainerSpeed trainer = TrainerFeed.measure(sink, config.batch().size(), samples, ladder.limits());
        for (Border border : borders) {
            rungs.put(
                    border,
                    switch (border.cache()) {
                        case Border.DEVICE -> rung(border, trainer.device(), modelled);
                        case Border.HOST -> rung(border, trainer.host(), modelled);
                        case Border.NOTHING -> rung(border, nothing, modelled);
                        default -> rung(border, cachedTrial(border), modelled);
                    });
        }
        return new Result(new Ladder(new ArrayList<>(rungs.values()), cached), nothing);
    }

    private Trial cachedTrial(Border border) throws Exception {
        progress.accept(border.cache());
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
