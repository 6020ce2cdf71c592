package io.millrace.pipeline;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.packed.DocumentCounter;
import io.millrace.lifecycle.Handles;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Counted;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.PackRule;
import io.millrace.sink.files.QuarantineLine;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import io.millrace.transform.text.MaskedTokens;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The counting of the tokens of documents by the stages that give them tokens. The bad documents are listed in a file.
 *
 * <p>Tested by {@code PackedRunTest}.
 *
 * @param place the name of the dataset in messages
 * @param stages the transforms that give a document its tokens
 * @param seed the seed of the run
 * @param rule a rule that says which documents are too long
 * @param badDocuments the path of the list of bad documents, to which lines are added
 */
record StageCounter(String place, List<TransformSpec> stages, long seed, PackRule rule, String badDocuments)
        implements DocumentCounter.Spec {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    StageCounter {
        stages = List.copyOf(stages);
    }

    /** Returns the file with the bad documents of a file of lengths, which exists if there are any. */
    static Path badDocuments(Path lengths) {
        return lengths.resolveSibling(lengths.getFileName() + ".quarantine.jsonl");
    }

    @Override
    public Dataset.Reading reading(Dataset documents, int count, IntToLongFunction indexes) {
        return documents.reading(new SampleRandom(seed, SampleRandom.READ), 0, count, indexes);
    }

    @Override
    public DocumentCounter open(Dataset documents, boolean soon) {
        return new Counter(documents, soon);
    }

    /** The stages do not suit the documents, so that the pipeline is wrong. */
    static final class WrongStagesException extends IOException {
        private static final long serialVersionUID = 1;

        WrongStagesException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final class Counter implements DocumentCounter {
        private final Dataset documents;
        private final Handles open = new Handles();
        private final List<Transform> transforms;

        private long cpuNanos;

        Counter(Dataset documents, boolean soon) {
            this.documents = documents;
            transforms = open.closeOnFailure(
                    () -> stages.stream().map(stage -> open.add(stage.create())).toList());
            if (soon) {
                transforms.forEach(Transform::keepForLater);
            }
        }

        @Override
        public int count(Dataset.Reading reading, int number, long document) throws IOException {
            String stage = "read";
            long began = THREADS.getCurrentThreadCpuTime();
            cpuNanos = 0;
            try {
                Sample sample = reading.read(number).placeAt(-1, 0, Split.TRAIN);
                for (int i = 0; i < transforms.size(); i++) {
                    stage = stages.get(i).name();
                    Transform transform = transforms.get(i);
                    cpuNanos += transform.applyToAll(sample, new SampleRandom(seed, i)) - transform.keptCpuNanos();
                }
                int tokens = MaskedTokens.of(sample).count();
                if (rule.refuses(tokens)) {
                    throw new BadSampleException(
                            sample.key(),
                            -1,
                            "the document has " + Counted.of(tokens, "token") + ", and a sequence " + rule.length()
                                    + "; split_long: true splits it, and max_length of tokenize cuts it");
                }
                if (tokens == 0) {
                    throw new BadSampleException(sample.key(), -1, "the document has no tokens");
                }
                return tokens;
            } catch (BadSampleException e) {
                list(document, new BadSample(stage, place, e.file(), e.offset(), e.reason()));
                return DocumentLengths.BAD;
            } catch (IllegalStateException e) { // the pipeline is wrong, not the document
                throw new WrongStagesException(String.valueOf(e.getMessage()), e);
            } finally {
                cpuNanos += THREADS.getCurrentThreadCpuTime() - began;
            }
        }

        /** Adds a line in one write, because other threads and processes add theirs. */
        private void list(long document, BadSample bad) throws IOException {
            Files.write(
                    Path.of(badDocuments),
                    (QuarantineLine.of(documents.indexInWhole(document), bad) + "\n").getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }

        @Override
        public long cpuNanos() {
            return cpuNanos;
        }

        @Override
        public void close() {
            open.close();
        }
    }
}
