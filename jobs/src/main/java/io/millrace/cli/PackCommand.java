package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.config.ConfigReader;
import io.millrace.config.DatasetConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.DatasetSpec;
import io.millrace.image.codec.JpegRestarts;
import io.millrace.option.OptionType;
import io.millrace.pack.PackSpec;
import io.millrace.pack.Packing;
import io.millrace.pack.ShardFormat;
import io.millrace.pipeline.DatasetOpening;
import io.millrace.pipeline.FileSystems;
import io.millrace.run.ExitCode;
import io.millrace.run.FirstUse;
import io.millrace.run.UsageException;
import io.millrace.sample.Counted;
import io.millrace.sample.Split;
import io.millrace.sample.VisibleText;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code pack <dataset> <out>}, which writes a dataset as shards. */
@Command(
        name = "pack",
        description =
                "Writes a dataset as a few large files, in parallel. Continues an interrupted pack when it is run again.",
        footer = {
            "  ./millrace pack conf/photos.yaml data/photos-tar",
            "  ./millrace pack data/photos data/photos-256 --format tfrecord --shard-size 64MB --resize 256",
            "  ./millrace pack 'data/shard-*.tar' data/arrow --format arrow",
            "  ./millrace pack data/photos data/photos-restart --restart 8",
            "  ./millrace pack conf/text.yaml data/tokens --tokens"
        })
final class PackCommand extends CliCommand {
    private static final OptionType<Integer> RESTART = OptionType.INTEGER.where(
            units -> units >= 1 && units <= JpegRestarts.MOST_UNITS, "1 to " + JpegRestarts.MOST_UNITS);

    @Parameters(
            index = "0",
            paramLabel = "DATASET",
            description = "A pipeline file that names the dataset, or the path of a dataset.")
    private String dataset = "";

    @Parameters(index = "1", paramLabel = "OUT", description = "The folder to fill; created if it does not exist.")
    private String out = "";

    @Option(
            names = "--format",
            paramLabel = "F",
            description = "tar, tfrecord or arrow; default: tar, with --tokens arrow.")
    private String format = "";

    @Option(names = "--shard-size", paramLabel = "BYTES", description = "The largest size of a shard; default: 256MB.")
    private String shardSize = "256MB";

    @Option(
            names = "--resize",
            paramLabel = "SIZE",
            description = "Resize images and encode them again: the shorter edge in pixels, or HEIGHTxWIDTH.")
    private String resize = "";

    @Option(
            names = "--encode",
            paramLabel = "CODEC",
            description = "Encode images again: jpeg, png or webp; default: unchanged, or jpeg with --resize.")
    private String encode = "";

    @Option(names = "--quality", paramLabel = "1-100", description = "The quality of jpeg and webp; default: 90.")
    private int quality = 90;

    @Option(
            names = "--restart",
            paramLabel = "N",
            description =
                    "Write a restart marker into JPEGs after every N coded units (blocks of 8x8 or 16x16 pixels), without"
                            + " loss, so that a decoder can jump over what a crop does not need; 8 is a good value.")
    private String restart = "";

    @Option(
            names = "--tokens",
            description = "Write the tokens of texts: apply the pipeline's transforms before pack_sequences.")
    private boolean tokens;

    @Option(names = "--from", paramLabel = "FORMAT", description = "The format of a dataset given as a path.")
    private String from = "";

    @Option(names = "--evaluation", description = "Pack the pipeline's evaluation dataset.")
    private boolean evaluation;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Set a key of the pipeline; may be repeated.")
    private List<String> settings = List.of();

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description =
                    "The shards that are written at the same time; default: the CPU cores. Does not change the result.")
    private int parallelism = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--max-quarantined",
            paramLabel = "SHARE",
            description = "The share of samples that may be bad; default: 1%%. They are listed in quarantine.jsonl.")
    private String maxQuarantined = "1%";

    @Option(names = "--force", description = "Replace an earlier pack in OUT.")
    private boolean force;

    @Override
    public Integer call() throws Exception {
        long began = System.nanoTime();
        if (parallelism < 1) {
            throw new UsageException("--parallelism: expected at least 1, found " + parallelism);
        }
        PrintStream text = output().text();
        Optional<PipelineConfig> pipeline = pipeline(text);
        PackSpec spec = spec(pipeline);
        Packing.Existing existing = force ? Packing.Existing.REPLACE : Packing.Existing.RESUME;
        Packing packing = pipeline.isEmpty()
                ? Packing.begin(spec, existing)
                : DatasetOpening.located(pipeline.get(), split(), () -> Packing.begin(spec, existing));
        packing.remarks().forEach(remark -> text.println("note: " + VisibleText.line(remark)));
        boolean whole = packing.manifest().isPresent();
        if (!whole) {
            PackRun.execute(packing, parallelism, text);
        }
        JsonNode manifest = packing.manifest().orElseThrow();
        if (whole) {
            text.printf("%s already holds this data, complete; nothing done (--force packs it again)%n", spec.folder());
        } else {
            text.printf(
                    Locale.ROOT,
                    "%s: %s in %s, %,.1f MB, %,d bad, %.1f s%n",
                    spec.folder(),
                    Counted.of(manifest.path("samples").asLong(), "sample"),
                    Counted.of(manifest.path("shards").size(), "shard"),
                    manifest.path("bytes").asLong() / 1e6,
                    manifest.path("quarantined").asLong(),
                    (System.nanoTime() - began) / 1e9);
            printRestarts(manifest, text);
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("path", spec.folder());
        result.put("made", !whole);
        result.put("wall_s", Math.round((System.nanoTime() - began) / 1e6) / 1e3);
        result.put("manifest", manifest);
        output().result(result);
        return ExitCode.OK;
    }

    private static void printRestarts(JsonNode manifest, PrintStream text) {
        JsonNode restarts = manifest.path("restarts");
        if (!restarts.isMissingNode()) {
            long grown = restarts.path("bytes").asLong();
            text.printf(
                    Locale.ROOT,
                    "restart markers: %,d JPEGs got them, %,d had them, %,d images were left as they are; the data grew by"
                            + " %,d bytes (%.2f %%)%n",
                    restarts.path("added").asLong(),
                    restarts.path("present").asLong(),
                    restarts.path("left").asLong(),
                    grown,
                    100.0 * grown / Math.max(manifest.path("bytes").asLong() - grown, 1));
        }
    }

    private PackSpec spec(Optional<PipelineConfig> pipeline) throws Exception {
        return new PackSpec(
                pipeline.isEmpty() ? PathDataset.of(dataset, from) : datasetSpec(pipeline.get()),
                tokens ? tokenizing(pipeline) : transforms(),
                checked("--format", () -> OptionType.choice(ShardFormat.class)
                        .parse(!format.isEmpty() ? format : tokens ? "arrow" : "tar")),
                checked("--shard-size", () -> OptionType.BYTES
                        .where(bytes -> bytes >= 1, "at least 1 byte")
                        .parse(shardSize)),
                out,
                restart.isEmpty() ? 0 : checked("--restart", () -> RESTART.parse(number(restart))),
                checked("--max-quarantined", () -> OptionType.SHARE.parse(number(maxQuarantined))));
    }

    /** Returns the pipeline file that names the dataset, whose missing data are generated; empty for the path of a dataset. */
    private Optional<PipelineConfig> pipeline(PrintStream text) throws Exception {
        if (!dataset.endsWith(".yaml") && !dataset.endsWith(".yml")) {
            FileSystems.initialize(Map.of());
            return Optional.empty();
        }
        if (!from.isEmpty()) {
            throw new UsageException(
                    "--from requires the path of a dataset, found " + dataset + ", which names its format itself");
        }
        PipelineConfig config = ConfigReader.read(Path.of(dataset), settings);
        FileSystems.initialize(config.run().flink());
        FirstUse.makeData(config, text);
        return Optional.of(config);
    }

    private DatasetSpec datasetSpec(PipelineConfig config) throws UsageException {
        if (!evaluation && config.data().mix().isPresent()) {
            throw new UsageException(dataset
                    + ": expected a pipeline with one dataset, found a mixture; pack each of its datasets for itself");
        }
        if (!evaluation) {
            return config.data().dataset().spec();
        }
        return config.evaluate()
                .map(EvaluateConfig::dataset)
                .map(DatasetConfig::spec)
                .orElseThrow(() -> new UsageException("--evaluation: " + dataset + " has no evaluation dataset"));
    }

    private Split split() {
        return evaluation ? Split.EVALUATE : Split.TRAIN;
    }

    /** Returns the transforms that make the tokens of a document. */
    private List<TransformSpec> tokenizing(Optional<PipelineConfig> pipeline) {
        for (Map.Entry<String, String> other : Map.of("--resize", resize, "--encode", encode, "--restart", restart)
                .entrySet()) {
            if (!other.getValue().isEmpty()) {
                throw new UsageException("--tokens: expected no option for images beside it, found " + other.getKey());
            }
        }
        List<TransformSpec> all =
                pipeline.map(config -> config.transforms(split())).orElse(List.of());
        List<TransformSpec> before = all.stream()
                .takeWhile(transform -> !PackOptions.isPacking(transform))
                .toList();
        if (before.isEmpty() || before.size() == all.size()) {
            throw new UsageException("--tokens: expected a pipeline file with tokenize and pack_sequences, found "
                    + dataset
                    + (pipeline.isEmpty()
                            ? ""
                            : " with the transforms "
                                    + all.stream().map(TransformSpec::name).toList()));
        }
        return before;
    }

    /** Returns the requested transforms. Without any, samples are neither decoded nor encoded, which would cost time and quality. */
    private List<TransformSpec> transforms() {
        if (resize.isEmpty() && encode.isEmpty()) {
            return List.of();
        }
        List<TransformSpec> transforms = new ArrayList<>();
        transforms.add(TransformSpec.of("decode", Map.of()));
        if (!resize.isEmpty()) {
            Object size = resize.contains("x")
                    ? Stream.of(resize.split("x", -1)).map(PackCommand::number).toList()
                    : number(resize);
            transforms.add(checked("--resize", () -> TransformSpec.of("Resize", Map.of("size", size))));
        }
        Map<String, Object> encoding = new LinkedHashMap<>();
        encoding.put("format", encode.isEmpty() ? "jpeg" : encode);
        encoding.put("quality", (long) quality);
        transforms.add(checked("--encode and --quality", () -> TransformSpec.of("Encode", encoding)));
        return transforms;
    }

    /** Returns the number that a pipeline file would read, or the text. */
    private static Object number(String text) {
        if (text.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(text);
        }
        return text.matches("[0-9]*[.][0-9]+") ? (Object) Double.valueOf(text) : text;
    }

    private static <T> T checked(String option, Supplier<T> parsing) {
        try {
            return parsing.get();
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
    }
}
