package io.millrace.pipeline;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.BadDocuments;
import io.millrace.dataset.packed.DocumentCounter;
import io.millrace.generate.ParallelDrawing;
import io.millrace.generate.ProgressListener;
import io.millrace.order.EpochOrder;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.LengthsFile;
import io.millrace.sequence.LengthsWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * The counting of the tokens of documents of a dataset: all stages that give a document its tokens work on it once, in parallel. The
 * lengths are kept in a file, and the bad documents are listed in another file beside it. A count that is interrupted continues.
 *
 * <p>Tested by {@code PackedRunTest}.
 */
final class TokenCounting {
    /** The number of documents that a thread takes at a time. */
    private static final int CHUNK = 1 << 10;

    /** The number of documents after whose count a sample may end. */
    private static final int SAMPLE_PART = 1 << 12;

    private final Dataset documents;
    private final DocumentCounter.Spec counter;

    /**
     * Creates the counting of a dataset.
     *
     * @param documents the documents, with settled types
     * @param counter the way to count a document
     */
    TokenCounting(Dataset documents, DocumentCounter.Spec counter) {
        this.documents = documents;
        this.counter = counter;
    }

    /**
     * Counts what is not counted yet, and publishes the file. If another program counts, it waits for that.
     *
     * @param key what the lengths depend on
     * @param progress is told how many documents have been counted
     * @throws PipelineException when the stages give no tokens
     */
    void count(Path file, byte[] key, ProgressListener progress) throws IOException, PipelineException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (LengthsWriter lengths = LengthsWriter.open(
                file, key, documents.size(), counted -> progress.progressed(counted, documents.size()))) {
            if (lengths.counted() == 0) {
                Files.deleteIfExists(StageCounter.badDocuments(file));
            }
            count(lengths, LengthsFile.openGrowing(file, key, documents.size()), documents.size(), i -> i, progress);
            lengths.publish();
            BadDocuments.keepEachOnce(Path.of(counter.badDocuments()));
        }
    }

    /**
     * Counts the documents at the first places of an order.
     *
     * @param key what the lengths depend on
     * @param mostDocuments the largest number of documents to count
     * @param enoughTokens the number of tokens after which no more documents are counted; it decides only by whole parts of the order, so
     *     that the number of documents depends on nothing else
     * @param progress is told how many of {@code mostDocuments} have been counted
     * @return the lengths of these documents
     * @throws PipelineException when the stages give no tokens
     */
    int[] countFirst(
            Path file, byte[] key, EpochOrder order, int mostDocuments, long enoughTokens, ProgressListener progress)
            throws IOException, PipelineException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        int most = (int) Math.min(mostDocuments, order.size());
        try (LengthsWriter lengths = LengthsWriter.share(file, key, documents.size())) {
            LengthsFile known = LengthsFile.openGrowing(file, key, documents.size());
            int[] sample = {};
            for (int to = 0; to < most && sample.length == to; ) {
                int from = to;
                to = Math.min(most, from + SAMPLE_PART);
                count(
                        lengths,
                        known,
                        to - from,
                        i -> order.index(0, from + i),
                        (done, total) -> progress.progressed(from + done, most));
                sample = first(known, order, to, enoughTokens);
            }
            if (sample.length == order.size()) {
                lengths.publishShared();
                BadDocuments.keepEachOnce(Path.of(counter.badDocuments()));
            }
            return sample;
        }
    }

    /** Returns the lengths of the first documents of an order, as {@link #countFirst} does, if all of these are counted. */
    static int[] first(DocumentLengths lengths, EpochOrder order, int most, long enoughTokens) {
        int[] sample = new int[(int) Math.min(most, order.size())];
        long tokens = 0;
        for (int i = 0; i < sample.length; i++) {
            if (i % SAMPLE_PART == 0 && tokens >= enoughTokens) {
                return Arrays.copyOf(sample, i);
            }
            sample[i] = lengths.length(order.index(0, i));
            tokens += Math.max(0, sample[i]);
        }
        return sample;
    }

    private void count(
            LengthsWriter lengths,
            DocumentLengths known,
            long count,
            LongUnaryOperator indexes,
            ProgressListener progress)
            throws IOException, PipelineException {
        try {
            ParallelDrawing.draw(
                    count,
                    CHUNK,
                    Math.max(1, Runtime.getRuntime().availableProcessors()),
                    () -> new Counter(lengths, known, indexes),
                    progress);
        } catch (StageCounter.WrongStagesException e) {
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        }
    }

    /** One thread's counter. */
    private final class Counter implements ParallelDrawing.Artist {
        private final LengthsWriter lengths;
        private final DocumentLengths known;
        private final LongUnaryOperator indexes;
        private final DocumentCounter tokens;

        Counter(LengthsWriter lengths, DocumentLengths known, LongUnaryOperator indexes) {
            this.lengths = lengths;
            this.known = known;
            this.indexes = indexes;
            tokens = counter.open(documents, false);
        }

        @Override
        public void draw(long from, long to) throws IOException {
            long[] unknown =
                    known.uncounted(LongStream.range(from, to).map(indexes)); // an earlier count has the others
            int[] counted = new int[unknown.length];
            Dataset.Reading reading = counter.reading(documents, unknown.length, i -> unknown[i]);
            for (int i = 0; i < unknown.length; i++) {
                counted[i] = tokens.count(reading, i, unknown[i]);
            }
            int end;
            for (int begin = 0; begin < unknown.length; begin = end) {
                end = begin + 1;
                while (end < unknown.length && unknown[end] == unknown[end - 1] + 1) {
                    end++;
                }
                lengths.write(unknown[begin], Arrays.copyOfRange(counted, begin, end), end - begin);
            }
        }

        @Override
        public void close() {
            tokens.close();
        }
    }
}
