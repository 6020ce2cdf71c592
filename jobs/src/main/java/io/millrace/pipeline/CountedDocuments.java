package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.packed.TokenCounts;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.sample.Split;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.Overlong;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.UnusableCountsException;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.PackOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The numbers of tokens of a dataset's documents. They are counted once and kept in a file, which is named after all that they depend
 * on.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class CountedDocuments {
    /** The endings of the files that a stage reads. */
    private static final List<String> STAGE_FILES = List.of(".py", ".json", ".model", ".tiktoken", ".jinja");

    /** The largest number of documents whose lengths decide on a rule, and are computed with before a run begins. */
    static final int SAMPLE = 1 << 16;

    /** The number of tokens that are enough for this where a run waits for it. */
    private static final long ENOUGH_TOKENS = 1L << 24;

    private final PipelineConfig config;
    private final DatasetSpec spec;
    private final List<TransformSpec> stages;
    private final String folder;
    private final PackRule longest;

    /**
     * Creates the counts of a dataset.
     *
     * @param config the pipeline of the dataset alone
     * @param stages the transforms that give a document its tokens
     * @param folder the folder of the file, or {@link PackOptions#AUTO}
     * @param longest a rule that says which documents are too long
     */
    CountedDocuments(PipelineConfig config, Split split, List<TransformSpec> stages, String folder, PackRule longest) {
        this.config = config;
        this.spec = DatasetOpening.spec(config, split);
        this.stages = stages;
        this.folder = folder;
        this.longest = longest;
    }

    /**
     * Returns the counts, after counting what is not counted yet.
     *
     * @param documents the documents, with settled types
     * @param progress is told how many documents have been counted
     * @param remarks gets a sentence if counts cannot be used
     * @throws PipelineException when the stages give no tokens
     */
    TokenCounts counts(Dataset documents, ProgressListener progress, List<String> remarks)
            throws IOException, PipelineException {
        TokenCounts counts = file(documents);
        if (known(counts, remarks).isEmpty()) {
            new TokenCounting(documents, counter(counts)).count(Path.of(counts.file()), key(counts), progress);
        }
        return counts;
    }

    /** The first documents of an order, which are counted before a run begins. */
    static final class First {
        private final TokenCounts counts;
        private final StageCounter counter;
        private final int[] lengths;
        private final Optional<LengthsFile> all;

        private First(TokenCounts counts, StageCounter counter, int[] lengths, Optional<LengthsFile> all) {
            this.counts = counts;
            this.counter = counter;
            this.lengths = lengths;
            this.all = all;
        }

        /** Returns the file of the counts. */
        TokenCounts counts() {
            return counts;
        }

        /** Returns the way to count the other documents. */
        StageCounter counter() {
            return counter;
        }

        /** Returns the lengths of the first documents, which the caller does not change. */
        int[] lengths() {
            return lengths;
        }

        /** Returns the lengths of all documents; empty if some of them are not counted. */
        Optional<LengthsFile> all() {
            return all;
        }
    }

    /**
     * Returns the first documents of an order, after counting them.
     *
     * @param documents the documents, with settled types
     * @param progress is told how many documents have been counted
     * @param remarks gets a sentence if counts cannot be used
     * @throws PipelineException when the stages give no tokens
     */
    First first(Dataset documents, EpochOrder order, ProgressListener progress, List<String> remarks)
            throws IOException, PipelineException {
        TokenCounts counts = file(documents);
        StageCounter counter = counter(counts);
        Optional<LengthsFile> all = known(counts, remarks);
        if (all.isPresent()) {
            return new First(counts, counter, TokenCounting.first(all.get(), order, SAMPLE, ENOUGH_TOKENS), all);
        }
        int[] lengths = new TokenCounting(documents, counter)
                .countFirst(Path.of(counts.file()), key(counts), order, SAMPLE, ENOUGH_TOKENS, progress);
        return new First(counts, counter, lengths, known(counts, remarks)); // the first ones may be all
    }

    private static byte[] key(TokenCounts counts) {
        return HexFormat.of().parseHex(counts.key());
    }

    /**
     * Returns the lengths of all documents; empty if some of them are not counted. A file that cannot be used is deleted with the list of
     * its bad documents, so that all documents are counted again.
     *
     * @param remarks gets a sentence if a file is deleted
     */
    private static Optional<LengthsFile> known(TokenCounts counts, List<String> remarks) throws IOException {
        Path file = Path.of(counts.file());
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(counts.open());
        } catch (UnusableCountsException e) {
            remarks.add(e.getMessage() + "; all documents are counted again");
            Files.deleteIfExists(file);
            Files.deleteIfExists(StageCounter.badDocuments(file));
            return Optional.empty();
        }
    }

    /** Returns the file of the counts, which may have some of them or not exist. */
    private TokenCounts file(Dataset documents) throws IOException {
        byte[] key = key(documents);
        Path file = folder().resolve("lengths-" + HexFormat.of().formatHex(key, 0, 8) + ".bin");
        return new TokenCounts(
                spec.path(), file.toAbsolutePath().toString(), HexFormat.of().formatHex(key), documents.size());
    }

    private StageCounter counter(TokenCounts counts) {
        return new StageCounter(
                spec.path(),
                stages,
                config.data().order().seed(),
                longest,
                StageCounter.badDocuments(Path.of(counts.file())).toString());
    }

    /** Returns the folder of the lengths. */
    private Path folder() throws IOException {
        if (!folder.equals(PackOptions.AUTO)) {
            return Path.of(folder);
        }
        Optional<Path> beside = files().stream().findFirst().flatMap(DataFile::local);
        if (beside.isPresent()) {
            Path hidden = beside.get().toAbsolutePath().resolveSibling(".millrace");
            Path existing = Files.isDirectory(hidden) ? hidden : hidden.getParent();
            if (existing != null && Files.isWritable(existing)) {
                return hidden;
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
                : DataFiles.named(DataFiles.TYPE.parse(spec.options().raw().get(DataFiles.PATH.key())), spec.storage());
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
        text.append(longest.overlong() == Overlong.SPLIT ? "" : "at most " + longest.length());
        return sha256(text.toString());
    }

    /** Appends the state of a file of a stage, or of the files of code and vocabularies in a folder. */
    private static void appendFiles(StringBuilder text, String path) throws IOException {
        if (path.contains("://") || !Files.exists(Path.of(path))) {
            return;
        }
        try (Stream<Path> files = Files.find(Path.of(path), 1, (file, state) -> state.isRegularFile())) {
            for (Path file : files.filter(CountedDocuments::isOfStage).sorted().toList()) {
                text.append(file).append(Files.size(file)).append(Files.getLastModifiedTime(file));
            }
        }
    }

    private static boolean isOfStage(Path file) {
        String name = file.toString();
        return STAGE_FILES.stream().anyMatch(name::endsWith);
    }

    /** Returns the digest of a text. */
    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
