package io.millrace.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.PipelineConfig;
import io.millrace.file.WholeFiles;
import io.millrace.order.BatchPlan;
import io.millrace.order.BatchPlan.Batch;
import io.millrace.pipeline.FileSystems;
import io.millrace.pipeline.RunPlan;
import io.millrace.pipeline.RunPlanner;
import io.millrace.pipeline.ServedPipeline;
import io.millrace.pipeline.TransformPlacement;
import io.millrace.preview.ContactSheet;
import io.millrace.preview.NpyFolder;
import io.millrace.preview.PreviewException;
import io.millrace.preview.PreviewRun;
import io.millrace.preview.SampleJson;
import io.millrace.preview.SampleView;
import io.millrace.preview.WritableFolder;
import io.millrace.run.ExitCode;
import io.millrace.run.FirstUse;
import io.millrace.run.KernelsInUse;
import io.millrace.run.UsageException;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import io.millrace.sample.VisibleText;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code preview <pipeline>}, which shows the transformed samples of a run. */
@Command(
        name = "preview",
        description = "Shows what the transforms do to the samples of a run: a contact sheet, and exact pixels.",
        footer = {
            "  ./millrace preview conf/photos.yaml",
            "  ./millrace preview conf/digits.yaml --set 'transforms=[RandomMask]' --count 24",
            "  ./millrace preview conf/photos.yaml --epoch 1 --npy runs/photos/npy",
            "  ./millrace preview conf/photos.yaml --step 48211",
            "",
            "The preview shows the first samples of an epoch, in the epoch's order, with the",
            "random numbers that training uses. --step shows the batch of a training step.",
            "",
            "--npy writes files for each sample, named after its position in the run and the field:",
            "  00000012-image.npy         the field as it is packed into a batch:",
            "                             uint8 [height, width, channels]",
            "  00000012-image-device.npy  the model's input after device.transforms:",
            "                             float32 [channels, height, width]",
            "  index.json                 name, split, epoch, seed and samples, each with",
            "                             position, index, key, label, class, quarantined,",
            "                             drawn (by stage), and fields: name, dtype, shape,",
            "                             host and device (the names of the files)"
        })
final class PreviewCommand extends CliCommand {
    private static final int MOST_COUNT = 1000;

    /** The line of a value of a sample without images: the stage and the value. */
    private static final String VALUE = "        %-16s  %s";

    private static final int FIRST_COUNT = 8;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    private PipelineArguments pipeline = new PipelineArguments();

    @Option(
            names = "--count",
            paramLabel = "N",
            description =
                    "The number of samples, 1 to 1000; the sheet shows at most 120 of them; default: 8, or with --step"
                            + " all of the step.")
    private @Nullable Integer count;

    @Option(
            names = "--epoch",
            paramLabel = "E",
            description =
                    "The epoch, from 0; default: the first, or with --split evaluate the first with an evaluation.")
    private @Nullable Integer epoch;

    @Option(
            names = "--step",
            paramLabel = "N",
            description = "The training step, from 0, whose batch is shown, in place of the beginning of an epoch.")
    private @Nullable Long step;

    @Option(
            names = "--split",
            paramLabel = "SPLIT",
            description = "The samples and transforms to show, train or evaluate; default: train.")
    private String split = "train";

    @Option(
            names = "--out",
            paramLabel = "FILE.png",
            description = "The file for the contact sheet; default: preview.png in the pipeline's folder of runs.")
    private @Nullable Path out;

    @Option(names = "--npy", paramLabel = "DIR", description = "Also write the exact pixels as .npy files, see below.")
    private @Nullable Path npy;

    @Override
    public Integer call() throws Exception {
        if (count != null && (count < 1 || count > MOST_COUNT)) {
            throw new UsageException("--count: expected 1 to " + MOST_COUNT + " samples, found " + count);
        }
        Split chosen = chosenSplit();
        if (step != null && (epoch != null || chosen == Split.EVALUATE)) {
            throw new UsageException("--step names a training step: expected no "
                    + (epoch != null ? "--epoch" : "--split evaluate") + " beside it");
        }
        PipelineConfig config = TransformPlacement.onServers(ServedPipeline.ofSentFields(pipeline.ofFileOrData()));
        KernelsInUse.description(); // rejects kernels that this machine lacks before any work is done
        FileSystems.initialize(config.run().flink());
        Path sheetFile = out == null ? config.run().folder().resolve("preview.png") : out;
        requireUsable(sheetFile);
        PrintStream text = output().text();
        FirstUse.makeData(config, text);
        RunPlan plan = RunPlanner.plan(config);
        plan.remarks().forEach(remark -> text.println("note: " + VisibleText.line(remark)));
        int shownEpoch = step == null ? shownEpoch(plan.batches(), chosen) : 0;

        List<Map<String, Object>> samples = new ArrayList<>();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("name", config.name());
        result.put("split", split);
        result.put("epoch", shownEpoch);
        result.put("seed", config.data().order().seed());
        result.put("samples", samples);
        try (PreviewRun run = PreviewRun.open(config, plan, chosen, shownEpoch);
                NpyFolder arrays = npy == null
                        ? null
                        : NpyFolder.open(
                                npy, config.train().roles(), config.device().transforms())) {
            Batch batch = step == null ? null : WhichCommand.batch(run.rows(), step);
            long all = batch == null ? run.samples() : batch.rows();
            long shown = Math.min(count != null ? count : batch == null ? FIRST_COUNT : MOST_COUNT, all);
            if (batch != null) {
                result.put("epoch", batch.epoch());
                result.put("step", batch.step());
            }
            String of = batch == null ? "epoch " + shownEpoch : "step " + batch.step() + " in epoch " + batch.epoch();
            ContactSheet sheet = new ContactSheet(config.name(), subline(config, chosen, of, shown, all), run.stages());
            for (long i = 0; i < shown; i++) {
                SampleView view = batch == null ? run.view(i) : run.at(batch.firstPosition() + i);
                if (i < ContactSheet.MOST_CARDS) {
                    sheet.add(view);
                }
                samples.add(SampleJson.of(view, arrays == null ? List.of() : arrays.write(view)));
                text.println(VisibleText.line(line(view)));
                view.values()
                        .forEach((stage, lines) ->
                                lines.forEach(value -> text.println(VisibleText.line(VALUE.formatted(stage, value)))));
            }
            WholeFiles.write(sheetFile, sheet.png());
            text.println("contact sheet: " + sheetFile);
            if (arrays != null) {
                arrays.index(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(result));
                text.println("exact pixels:  " + arrays.path());
            }
        }
        result.put("out", sheetFile.toString());
        result.put("npy", npy == null ? null : npy.toString());
        output().result(result);
        return ExitCode.OK;
    }

    private Split chosenSplit() {
        return switch (split) {
            case "train" -> Split.TRAIN;
            case "evaluate" -> Split.EVALUATE;
            default -> throw new UsageException("--split: expected train or evaluate, found '" + split + "'");
        };
    }

    /** Checks that the contact sheet can be written, before any work is done. */
    private static void requireUsable(Path file) throws PreviewException {
        String name = String.valueOf(file.getFileName());
        if (!name.toLowerCase(Locale.ROOT).endsWith(".png")) {
            throw new UsageException("--out: expected the name of a .png file, found " + file);
        }
        if (Files.isDirectory(file)) {
            throw new UsageException("--out: " + file + " is a folder; expected the name of a file");
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            WritableFolder.make(folder);
        }
    }

    private int shownEpoch(BatchPlan batches, Split chosen) {
        if (chosen == Split.EVALUATE && batches.evaluationSize() == 0) {
            throw new UsageException("--split evaluate: the pipeline has no evaluate section");
        }
        int first = chosen == Split.EVALUATE ? batches.evaluateEvery() - 1 : 0;
        int requested = epoch == null ? first : epoch;
        String option = epoch == null ? "--split evaluate" : "--epoch " + requested;
        if (requested < 0 || requested >= batches.epochs()) {
            throw new UsageException(option + ": expected an epoch from 0 to " + (batches.epochs() - 1)
                    + " (dataset.epochs), found " + requested);
        }
        if ((requested - first) % (chosen == Split.EVALUATE ? batches.evaluateEvery() : 1) != 0) {
            throw new UsageException(option + ": there is no evaluation after that epoch, only after every "
                    + batches.evaluateEvery() + ", first after epoch " + first);
        }
        return requested;
    }

    private static String subline(PipelineConfig config, Split chosen, String of, long shown, long all) {
        return String.format(
                Locale.ROOT,
                "%s samples of %s with seed %d: the first %,d of %,d in the order of the run. Sizes are height x width,"
                        + " crops top,left height x width.",
                chosen == Split.TRAIN ? "training" : "evaluation",
                of,
                config.data().order().seed(),
                Math.min(shown, ContactSheet.MOST_CARDS),
                all);
    }

    private static String line(SampleView view) {
        BadSample bad = view.sample().badSample();
        String result = bad == null
                ? view.drawn().entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .collect(Collectors.joining("; "))
                : "quarantined at " + bad.stage() + ": " + bad.reason();
        return String.format(
                        Locale.ROOT,
                        "%6d  %-32s  index %-7d  label %-14s  %s",
                        view.sample().position(),
                        view.sample().key(),
                        view.sample().index(),
                        view.labelText(),
                        result)
                .stripTrailing();
    }
}
