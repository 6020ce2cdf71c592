package io.millrace.pipeline;

import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.packed.PackedSpec;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.order.MixtureOrder;
import io.millrace.order.Shuffle;
import io.millrace.sample.Split;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.PackChoice;
import io.millrace.sequence.PackCounter;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.PackTotals;
import io.millrace.sequence.SequencePlan;
import io.millrace.sequence.SequencePlanFile;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The packs of a dataset whose pipeline has the transform {@code pack_sequences}. The tokens of its documents are counted once; then the
 * packs of a run are a function of the lengths and the order of the documents.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class SequencePacks {
    /** The number of documents by whose lengths the window and the policy are chosen. */
    private static final int SAMPLE = 1 << 16;

    /** The endings of the files that a stage reads. */
    private static final List<String> STAGE_FILES = List.of(".py", ".json", ".model", ".tiktoken", ".jinja");

    private final PipelineConfig config;
    private final Split split;
    private final int source;
    private final List<TransformSpec> stages;
    private final PackOptions options;
    private final DatasetSpec spec;

    private SequencePacks(PipelineConfig config, Split split, int source, List<TransformSpec> transforms, int packing) {
        this.config = config;
        this.split = split;
        this.source = source;
        this.stages = transforms.subList(0, packing);
        this.options = PackOptions.of(transforms.get(packing));
        this.spec = DatasetOpening.spec(config, split);
    }

    /**
     * Returns the packs of a dataset; empty when its documents are not packed, or its samples are packs already.
     *
     * @param config the pipeline of the dataset alone
     * @param source the number of the training dataset
     * @param documents the documents, with settled types
     * @param progress is told how many documents have been counted, if that is still to be done
     * @param remarks gets sentences on the packs
     * @throws PipelineException when the documents cannot be packed so
     */
    static Optional<PackedSpec> of(
            PipelineConfig config,
            Split split,
            int source,
            Dataset documents,
            ProgressListener progress,
            List<String> remarks)
            throws IOException, PipelineException {
        List<TransformSpec> transforms = transforms(config, split);
        int packing = -1;
        for (int i = 0; i < transforms.size(); i++) {
            if (PackOptions.isPacking(transforms.get(i))) {
                if (packing >= 0) {
                    throw new PipelineException(
                            "pack_sequences: expected it once, found it twice among the transforms of "
                                    + DatasetOpening.spec(config, split).path());
                }
                packing = i;
            }
        }
        if (packing < 0 || documents.holdsPacks()) {
            return Optional.empty();
        }
        if (config.data().order().isDrawn()) {
            throw new PipelineException(
                    "order: samples are drawn by weight, but with pack_sequences the samples are packs"
                            + " of several documents: expected either pack_sequences, or weights, balance or draws");
        }
        try {
            return Optional.of(
                    new SequencePacks(config, split, source, transforms, packing).plan(documents, progress, remarks));
        } catch (IllegalArgumentException e) {
            throw new PipelineException("pack_sequences: " + e.getMessage(), e);
        }
    }

    private static List<TransformSpec> transforms(PipelineConfig config, Split split) {
        return split == Split.TRAIN
                ? config.data().transforms()
                : config.evaluate().map(EvaluateConfig::transforms).orElse(List.of());
    }

    /**
     * Returns the kind of shuffling of the samples of a training dataset: none for packs, because their documents are shuffled.
     *
     * @param config the pipeline of the dataset alone
     */
    static Shuffle shuffle(PipelineConfig config) {
        boolean packed = config.data().transforms().stream().anyMatch(PackOptions::isPacking);
        return packed ? Shuffle.NONE : config.data().order().shuffle();
    }

    private PackedSpec plan(Dataset documents, ProgressListener progress, List<String> remarks)
            throws IOException, PipelineException {
        byte[] key = key(documents);
        Path file = folder().resolve("lengths-" + HexFormat.of().formatHex(key, 0, 8) + ".bin");
        LengthsFile lengths = lengths(file, key, documents, progress);
        EpochOrder order = new EpochOrder(
                MixtureOrder.sourceSeed(config.data().order().seed(), source),
                documents.size(),
                split == Split.TRAIN ? config.data().order().shuffle() : Shuffle.NONE);
        PackChoice choice = choice(order, lengths);
        SequencePlan plan = plan(file, key, order, choice.rule(), lengths);
        PackTotals totals = plan.totals();
        requireGood(totals, documents.size(), file);
        remarks.add(String.format(
                Locale.ROOT,
                "%s: %,d sequences of %,d tokens from %,d documents, %.2f %% filled, %.1f %% of the documents split; %s",
                spec.path(),
                totals.packs(),
                options.length(),
                documents.size() - totals.empty(),
                100 * totals.fill(options.length()),
                100.0 * totals.split() / Math.max(1, documents.size() - totals.empty()),
                choice.reason()));
        if (totals.empty() > 0) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "%s: %,d of %,d documents are bad and in no sequence: %s lists them",
                    spec.path(),
                    totals.empty(),
                    documents.size(),
                    TokenCounting.badDocuments(file)));
        }
        return new PackedSpec(
                plan, file.toAbsolutePath().toString(), HexFormat.of().formatHex(key));
    }

    private LengthsFile lengths(Path file, byte[] key, Dataset documents, ProgressListener progress)
            throws IOException, PipelineException {
        try {
            return LengthsFile.open(file, key, documents.size());
        } catch (NoSuchFileException e) {
            PackRule longest =
                    new PackRule(options.length(), PackPolicy.BEST_FIT, 1, TokenCounting.overlong(options.splitLong()));
            new TokenCounting(
                            spec.path(),
                            documents,
                            stages,
                            config.data().order().seed(),
                            longest)
                    .count(file, key, progress);
            return LengthsFile.open(file, key, documents.size());
        }
    }

    private PackChoice choice(EpochOrder order, DocumentLengths lengths) {
        int[] sample = new int[(int) Math.min(SAMPLE, order.size())];
        for (int i = 0; i < sample.length; i++) {
            sample[i] = lengths.length(order.index(0, i));
        }
        return PackChoice.choose(
                options.length(),
                TokenCounting.overlong(options.splitLong()),
                options.window().isPresent() ? List.of(options.window().getAsInt()) : PackChoice.WINDOWS,
                options.policy().map(List::of).orElse(PackChoice.POLICIES),
                sample,
                order.size());
    }

    private static SequencePlan plan(Path file, byte[] key, EpochOrder order, PackRule rule, DocumentLengths lengths)
            throws IOException {
        String name = HexFormat.of().formatHex(sha256(order + "\n" + rule), 0, 8);
        Path kept = file.resolveSibling(file.getFileName() + "." + name + ".plan");
        try {
            return SequencePlanFile.read(kept, order, rule, key);
        } catch (NoSuchFileException e) {
            SequencePlan plan = new PackCounter(order, rule, lengths).count();
            SequencePlanFile.write(kept, plan, key);
            return plan;
        }
    }

    private void requireGood(PackTotals totals, long documents, Path file) throws PipelineException {
        double share = config.batch().maxQuarantined();
        if (totals.empty() > (long) Math.floor(share * documents)) {
            throw new PipelineException(String.format(
                    Locale.ROOT,
                    "%,d of %,d documents of %s are bad, more than batch.max_quarantined = %s %% allows: %s lists them",
                    totals.empty(),
                    documents,
                    spec.path(),
                    String.valueOf(100 * share),
                    TokenCounting.badDocuments(file)));
        }
    }

    /** Returns the folder of the lengths. */
    private Path folder() throws IOException {
        if (!options.folder().equals(PackOptions.AUTO)) {
            return Path.of(options.folder());
        }
        Optional<Path> beside = files().stream().findFirst().flatMap(DataFile::local);
        if (beside.isPresent()) {
            Path folder = beside.get().toAbsolutePath().resolveSibling(".millrace");
            Path existing = Files.isDirectory(folder) ? folder : folder.getParent();
            if (existing != null && Files.isWritable(existing)) {
                return folder;
            }
        }
        String home = System.getenv("XDG_CACHE_HOME");
        return (home == null || home.isEmpty()
                        ? Path.of(System.getProperty("user.home", "."), ".cache")
                        : Path.of(home))
                .resolve("millrace")
                .resolve("index");
    }

    /** Returns the files of the dataset; none where its format names none. */
    private List<DataFile> files() throws IOException {
        return spec.format().equals("python") || spec.options().raw().get(DataFiles.PATH.key()) == null
                ? List.of()
                : DataFiles.find(DataFiles.TYPE.parse(spec.options().raw().get(DataFiles.PATH.key())), spec.storage());
    }

    /** Returns what the lengths depend on: the files of the dataset, and all that happens to a document before it is packed. */
    private byte[] key(Dataset documents) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append(spec.format()).append(new TreeMap<>(spec.options().raw()));
        text.append(spec.part()).append(spec.subset()).append(documents.size()).append('\n');
        for (DataFile file : files()) {
            text.append(file.name()).append(file.state()).append('\n');
        }
        for (TransformSpec stage : stages) {
            text.append(stage.name()).append(new TreeMap<>(stage.options().raw()));
            for (List<String> paths : stage.options().paths().values()) {
                for (String path : paths) {
                    appendFiles(text, path);
                }
            }
            text.append('\n');
        }
        text.append(options.splitLong() ? "" : "at most " + options.length());
        return sha256(text.toString());
    }

    /** Appends the state of a file of a stage, or of the files of code and vocabularies in a folder. */
    private static void appendFiles(StringBuilder text, String path) throws IOException {
        if (path.contains("://") || !Files.exists(Path.of(path))) {
            return;
        }
        try (Stream<Path> files = Files.find(Path.of(path), 1, (file, state) -> state.isRegularFile())) {
            for (Path file : files.filter(SequencePacks::isOfStage).sorted().toList()) {
                text.append(file).append(Files.size(file)).append(Files.getLastModifiedTime(file));
            }
        }
    }

    private static boolean isOfStage(Path file) {
        String name = file.toString();
        return STAGE_FILES.stream().anyMatch(name::endsWith);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
