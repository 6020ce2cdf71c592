package io.millrace.pipeline;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.generate.ParallelDrawing;
import io.millrace.generate.ProgressListener;
import io.millrace.lifecycle.Handles;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsWriter;
import io.millrace.sequence.PackRule;
import io.millrace.sink.files.QuarantineLine;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counting of the tokens of each document of a dataset: all stages that give it tokens work on it once, in parallel. The
 * lengths are kept in a file, and the bad documents are listed in another file beside it. A count that is interrupted continues.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class TokenCounting {
    /** The number of documents that a thread takes at a time. */
    private static final int CHUNK = 1 << 10;

    private final String place;
    private final Dataset documents;
    private final List<TransformSpec> stages;
    private final long seed;
    private final PackRule rule;

    /**
     * Creates the counting of a dataset.
     *
     * @param place the name of the dataset in messages
     * @param documents the documents, with settled types
     * @param stages the transforms that give a document its tokens
     * @param seed the seed of the run
     * @param rule a rule that says which documents are too long
     */
    TokenCounting(String place, Dataset documents, List<TransformSpec> stages, long seed, PackRule rule) {
        this.place = place;
        this.documents = documents;
        this.stages = List.copyOf(stages);
        this.seed = seed;
        this.rule = rule;
    }

    /** Returns the file with the bad documents of a file of lengths, which exists if there are any. */
    static Path badDocuments(Path lengths) {
        return lengths.resolveSibling(lengths.getFileName() + ".quarantine.jsonl");
    }

    /**
     * Counts what is not counted yet, and publishes the file.
     *
     * @param key what the lengths depend on
     * @param progress is told how many documents have been counted
     * @throws PipelineException when the stages give no tokens
     */
    void count(Path file, byte[] key, ProgressListener progress) throws IOException, PipelineException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (LengthsWriter lengths = LengthsWriter.open(file, key, documents.size());
                Writer bad = Files.newBufferedWriter(
                        badDocuments(file),
                        StandardCharsets.UTF_8,
                        StandardOpenOption.CREATE,
                        lengths.counted() == 0 ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND)) {
            ParallelDrawing.draw(
                    documents.size(),
                    CHUNK,
                    Math.max(1, Runtime.getRuntime().availableProcessors()),
                    () -> new Counter(lengths, bad),
                    progress);
            lengths.publish();
        } catch (WrongStagesException e) {
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        }
        if (Files.size(badDocuments(file)) == 0) {
            Files.delete(badDocuments(file));
        }
    }

    /** The stages do not suit the documents, so that the pipeline is wrong. */
    private static final class WrongStagesException extends IOException {
        private static final long serialVersionUID = 1;

        WrongStagesException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** One thread's stages. */
    private final class Counter implements ParallelDrawing.Artist {
        private final LengthsWriter lengths;
        private final Writer bad;
        private final Handles open = new Handles();
        private final List<Transform> transforms = new ArrayList<>();
        private final int[] counted = new int[CHUNK];

        Counter(LengthsWriter lengths, Writer bad) {
            this.lengths = lengths;
            this.bad = bad;
            stages.forEach(stage -> transforms.add(open.add(stage.create())));
        }

        @Override
        public void draw(long from, long to) throws IOException {
            if (lengths.nextUnknown(from) >= to) {
                return; // an earlier count has them
            }
            int count = (int) (to - from);
            StringBuilder lines = new StringBuilder();
            Dataset.Reading reading =
                    documents.reading(new SampleRandom(seed, SampleRandom.READ), 0, count, i -> from + i);
            for (int i = 0; i < count; i++) {
                counted[i] = length(reading, i, from + i, lines);
            }
            synchronized (bad) {
                bad.write(lines.toString());
                bad.flush();
            }
            lengths.write(from, counted, count);
        }

        private int length(Dataset.Reading reading, int i, long document, StringBuilder lines) throws IOException {
            String stage = "read";
            try {
                Sample sample = reading.read(i).placeAt(-1, 0, Split.TRAIN);
                for (int number = 0; number < transforms.size(); number++) {
                    stage = stages.get(number).name();
                    transforms.get(number).applyToAll(sample, new SampleRandom(seed, number));
                }
                int tokens = tokens(sample);
                if (rule.refuses(tokens)) {
                    throw new BadSampleException(
                            sample.key(),
                            -1,
                            "the document has " + tokens + " tokens, and a sequence " + rule.length()
                                    + "; split_long: true splits it, and max_length of tokenize cuts it");
                }
                if (tokens == 0) {
                    throw new BadSampleException(sample.key(), -1, "the document has no tokens");
                }
                return tokens;
            } catch (BadSampleException e) {
                lines.append(QuarantineLine.of(
                                documents.indexInWhole(document),
                                new BadSample(stage, place, e.file(), e.offset(), e.reason())))
                        .append('\n');
                return DocumentLengths.BAD;
            } catch (IllegalStateException e) { // the pipeline is wrong, not the document
                throw new WrongStagesException(String.valueOf(e.getMessage()), e);
            }
        }

        private int tokens(Sample sample) throws WrongStagesException {
            if (!sample.fieldNames().contains("tokens")) {
                throw new WrongStagesException(
                        "expected the field 'tokens' in each document, found " + sample.fieldNames() + " in "
                                + sample.key() + ": the transform tokenize is missing",
                        null);
            }
            Field tokens = sample.field("tokens");
            return tokens.shape().length == 0 ? 1 : tokens.shape()[0];
        }

        @Override
        public void close() {
            open.close();
        }
    }
}
