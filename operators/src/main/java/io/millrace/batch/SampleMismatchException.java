package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * The exception for a sample without the fields, element types or shapes that the batch's columns require. A sample whose numbers
 * differ from those of other samples is {@linkplain #isOfNumbers bad}. In all other cases the pipeline lacks a transform: Flink then
 * ends the job at once, with any restart strategy, because the sample would be the same after a restart.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class SampleMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean ofNumbers;

    private SampleMismatchException(String message, boolean ofNumbers) {
        super(message);
        this.ofNumbers = ofNumbers;
    }

    /** Returns whether the sample has the numbers of a tensor or a ragged field in another type or shape than the batch expects. */
    boolean isOfNumbers() {
        return ofNumbers;
    }

    static SampleMismatchException missing(Sample sample, BatchSpec.Column expected) {
        return new SampleMismatchException(
                name(sample) + " has no field '" + expected.name() + "', only " + sample.fieldNames()
                        + "; the batch expects " + expected.describe(),
                false);
    }

    static SampleMismatchException different(Sample sample, BatchSpec.Column expected, Field found) {
        boolean numbers = found.kind().inBatch() == expected.kind()
                && (found.kind() == FieldKind.TENSOR || found.kind().varies())
                && found.dtype() != DType.ENCODED;
        return new SampleMismatchException(
                name(sample) + " has '" + expected.name() + "' as " + found + ", but the batch expects "
                        + expected.describe() + advice(expected, found),
                numbers);
    }

    private static String advice(BatchSpec.Column expected, Field found) {
        if (found.dtype() == DType.ENCODED) {
            return ". It is still encoded: add decode to the transforms";
        }
        if (found.dtype() != expected.from()) {
            return ". All rows of a batch have one element type";
        }
        if (expected.form() == Form.RAGGED) {
            return ". Rows may differ only in their first extent" + soundAdvice(expected, found);
        }
        return found.kind() == FieldKind.IMAGE || found.kind() == FieldKind.MASK
                ? ". All rows of a batch have one shape: add a resize or crop to the transforms"
                : ". All rows of a batch have one shape"
                        + (differsInFirst(expected, found)
                                ? ": make the field ragged, batch: {forms: {" + expected.name() + ": ragged}}"
                                : soundAdvice(expected, found));
    }

    private static boolean differsInFirst(BatchSpec.Column expected, Field found) {
        List<Integer> shape = Arrays.stream(found.shape()).boxed().toList();
        List<Integer> other = expected.shape();
        return !shape.isEmpty()
                && shape.size() == other.size()
                && shape.subList(1, shape.size()).equals(other.subList(1, other.size()));
    }

    /** Returns the advice for floats [channels, frames] of different lengths, which decoded sounds are. */
    private static String soundAdvice(BatchSpec.Column expected, Field found) {
        return found.kind() == FieldKind.TENSOR && found.dtype() == DType.FLOAT32 && found.shape().length == 2
                ? ". If '" + expected.name()
                        + "' is a decoded sound, read it with as: ragged in dataset.fields, which makes it"
                        + " [frames, channels]"
                : "";
    }

    private static String name(Sample sample) {
        return "sample " + sample.key() + " (index " + sample.index() + ")";
    }
}
