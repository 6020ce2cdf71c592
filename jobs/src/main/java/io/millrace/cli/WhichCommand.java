package io.millrace.cli;

import io.millrace.file.WholeFiles;
import io.millrace.order.BatchPlan.Batch;
import io.millrace.order.Sources;
import io.millrace.preview.ContactSheet;
import io.millrace.preview.NpyFolder;
import io.millrace.preview.NpyFolder.FieldFiles;
import io.millrace.preview.SampleView;
import io.millrace.preview.StepRows;
import io.millrace.preview.WritableFolder;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import io.millrace.sample.VisibleText;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code which <run>}, which prints the samples of a training step, or the steps that use a sample. */
@Command(
        name = "which",
        description = "Prints which samples a run trained on in a step, or which steps use a sample.",
        footer = {
            "  ./millrace which runs/photos/latest --step 48211",
            "  ./millrace which runs/photos/latest --step 48211 --row 3 --show --out found",
            "  ./millrace which conf/photos.yaml --sample cat/17.jpg --steps 0..5000",
            "  ./millrace which runs/mix/latest --sample code:15",
            "",
            "Steps count the training steps from 0, as steps.csv and the logs do. The rows of a step are those of",
            "all ranks together. Each row has its sample, the index of the sample in its dataset and, for a mixture, among",
            "all datasets, and the round: the epoch of the dataset, or the number of the draw of a sample that is",
            "drawn by weight. The random numbers of a transform are decided by the seed, the round, the index among all",
            "datasets, and the number of the stage.",
            "",
            "--show applies the transforms and prints the values of each field with their sha256. It writes a contact",
            "sheet of pictures, step-N.png, and the exact values of each field as .npy files.",
            "",
            "With pack_sequences a row is a sequence. Its documents are printed with their tokens, and --sample names a",
            "document by its index."
        })
final class WhichCommand extends CliCommand {
    /** The number of steps that are searched for a sample by default. */
    private static final long MOST_STEPS = 1_000_000;

    /** The number of uses of a sample that are printed. */
    private static final int MOST_USES = 1000;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,18})\\.\\.(\\d{1,18})");

    @Mixin
    private RecordedRunArguments run = new RecordedRunArguments();

    @Option(names = "--step", paramLabel = "N", description = "The step, from 0.")
    private @Nullable String step;

    @Option(names = "--row", paramLabel = "R", description = "Only this row of the step, from 0. Default: all rows.")
    private @Nullable String row;

    @Option(names = "--show", description = "With --step: the values of the samples after all transforms, see below.")
    private boolean show;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The folder for the files of --show. Default: the folder which beside the run's files.")
    private @Nullable Path out;

    @Option(
            names = "--sample",
            paramLabel = "SAMPLE",
            description =
                    "Print the steps that use this sample (or document of sequences): its name, its index (15), or for a mixture"
                            + " dataset and index (code:15).")
    private @Nullable String sample;

    @Option(
            names = "--steps",
            paramLabel = "A..B",
            description = "With --sample: the steps to search, both included. Default: the first million steps.")
    private @Nullable String steps;

    @Override
    public Integer call() throws Exception {
        requireOneQuestion();
        try (RecordedRunArguments.Opened opened = run.open(output().text())) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("name", opened.config().name());
            if (sample == null) {
                printStep(opened, result);
            } else {
                printUses(opened.run().rows(), sample, result);
            }
            output().result(result);
        }
        return ExitCode.OK;
    }

    private void requireOneQuestion() {
        if ((step == null) == (sample == null)) {
            throw new UsageException(
                    "expected --step N for the samples of a step, or --sample SAMPLE for the steps of a"
                            + " sample, found " + (step == null ? "none of them" : "both"));
        }
        if (sample != null && (row != null || show || out != null)) {
            throw new UsageException((row != null ? "--row" : show ? "--show" : "--out") + " requires --step");
        }
        if (step != null && steps != null) {
            throw new UsageException("--steps requires --sample");
        }
        if (out != null && !show) {
            throw new UsageException("--out requires --show, which writes the files");
        }
    }

    private void printStep(RecordedRunArguments.Opened opened, Map<String, Object> result) throws IOException {
        StepRows rows = opened.run().rows();
        Batch batch = batch(rows, number("--step", "the number of a step", step, rows.steps()));
        long one = row == null ? 0 : number("--row", "the number of a row", row, batch.rows());
        if (one < 0 || one >= batch.rows()) {
            throw new UsageException("--row " + row + ": expected a row of step " + batch.step()
                    + ", which has the rows 0 to " + (batch.rows() - 1));
        }
        Path folder = show ? folder(opened) : null;
        StepText text = new StepText(rows);
        PrintStream lines = output().text();
        lines.println(text.headline(batch));
        List<Map<String, Object>> shown = new ArrayList<>();
        result.put("step", batch.step());
        result.put("epoch", batch.epoch());
        result.put("seed", rows.seed());
        result.put("rows_of_step", batch.rows());
        result.put("rows", shown);
        int first = (int) one;
        int end = row == null ? batch.rows() : first + 1;
        try (NpyFolder arrays = folder == null
                ? null
                : NpyFolder.open(
                        folder,
                        opened.config().train().roles(),
                        opened.config().device().transforms())) {
            ContactSheet sheet = new ContactSheet(
                    opened.config().name() + ": step " + batch.step(),
                    String.format(
                            Locale.ROOT,
                            "rows %d to %d of %d, with seed %d",
                            first,
                            Math.min(end, first + ContactSheet.MOST_CARDS) - 1,
                            batch.rows(),
                            rows.seed()),
                    opened.run().stages());
            boolean pictures = false;
            for (int i = first; i < end; i++) {
                StepRows.Row read = rows.read(batch, i);
                lines.println(VisibleText.line(text.line(read)));
                text.documents(read).forEach(line -> lines.println(VisibleText.line(line)));
                Map<String, Object> json = text.json(read);
                shown.add(json);
                if (arrays != null) {
                    SampleView view = opened.run().at(read.position());
                    if (i - first < ContactSheet.MOST_CARDS) {
                        sheet.add(view);
                        pictures |= !view.images().isEmpty();
                    }
                    List<FieldFiles> files = arrays.write(view);
                    text.values(view).forEach(line -> lines.println("       " + VisibleText.line(line)));
                    json.putAll(text.shown(view, files));
                }
            }
            text.streams().forEach(lines::println);
            if (folder != null && pictures) {
                Path file = folder.resolve("step-" + batch.step() + ".png");
                WholeFiles.write(file, sheet.png());
                lines.println("contact sheet: " + file);
            }
            if (folder != null) {
                lines.println("exact values:  " + folder);
            }
            result.put("out", folder == null ? null : folder.toString());
        }
    }

    /** Returns the number of an option; for one that is too long, a number that is too large. */
    private static long number(String option, String expected, @Nullable String text, long tooLarge) {
        if (text == null || !text.matches("-?\\d+")) {
            throw new UsageException(option + ": expected " + expected + ", from 0, found '" + text + "'");
        }
        return text.length() > 18 ? tooLarge : Long.parseLong(text);
    }

    /** Returns the rows of a step that the run has. */
    static Batch batch(StepRows rows, long step) {
        if (step < 0 || step >= rows.steps()) {
            throw new UsageException(beyond("--step " + step, rows));
        }
        try {
            Batch batch = rows.batch(step);
            rows.require(batch);
            return batch;
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new UsageException(
                    "--step " + step + ": expected an earlier step, because so many samples cannot be counted");
        }
    }

    private static String beyond(String option, StepRows rows) {
        return String.format(
                Locale.ROOT,
                "%s: expected a step from 0 to %d%s",
                option,
                rows.steps() - 1,
                rows.endless()
                        ? "; the run is endless, and no more steps can be counted"
                        : ", because the run has " + rows.steps());
    }

    private Path folder(RecordedRunArguments.Opened opened) throws IOException {
        Path folder = out == null ? opened.folder().resolve("which") : out;
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new UsageException("--out: expected a folder, found the file " + folder);
        }
        WritableFolder.make(folder);
        return folder;
    }

    private void printUses(StepRows rows, String wanted, Map<String, Object> result) throws IOException {
        long first = 0;
        long last = Math.min(rows.steps(), MOST_STEPS) - 1;
        if (steps != null) {
            Matcher range = RANGE.matcher(steps);
            if (!range.matches()) {
                throw new UsageException(
                        "--steps: expected the first and the last step, such as 0..5000, found '" + steps + "'");
            }
            first = Long.parseLong(range.group(1));
            last = Long.parseLong(range.group(2));
            if (last < first) {
                throw new UsageException("--steps " + steps + ": expected the smaller step first");
            }
            if (last >= rows.steps()) {
                throw new UsageException(beyond("--steps " + steps, rows));
            }
        }
        Sources.Place place;
        try {
            place = rows.lookup().find(wanted);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--sample: " + e.getMessage());
        }
        List<StepRows.Use> uses = new ArrayList<>();
        long[] count = {0};
        rows.find(place, first, last, use -> {
            if (count[0]++ < MOST_USES) {
                uses.add(use);
            }
        });
        StepText text = new StepText(rows);
        PrintStream lines = output().text();
        lines.println(VisibleText.line(text.searched(wanted, place, first, last, count[0])));
        uses.forEach(use -> lines.println(text.line(use)));
        if (count[0] > uses.size()) {
            lines.printf(
                    Locale.ROOT,
                    "These are the first %,d uses: --steps with other steps prints the others.%n",
                    uses.size());
        }
        result.putAll(text.json(place));
        result.put("steps", List.of(first, last));
        result.put("count", count[0]);
        result.put("uses", uses.stream().map(text::json).toList());
    }
}
