package io.millrace.batch;

import io.millrace.sample.Sample;
import java.util.Optional;

/** A check whether samples can be packed, without packing them. Stateless. */
public final class PackCheck {
    private PackCheck() {}

    /**
     * Returns the reason for which packing would quarantine a sample; empty when the sample can be packed.
     *
     * @param spec the columns of the batch
     * @param sample a sample with all fields of the columns
     */
    public static Optional<String> refusal(BatchSpec spec, Sample sample) {
        try {
            for (BatchSpec.Column column : spec.columns()) {
                WireValues values = new WireValues(column);
                RowWriter.requireType(sample, column, sample.field(column.name()));
                values.convert(sample.field(column.name()).data());
                int nonBinary = column.form() == Form.BITS ? Bits.firstNonBinary(values.bytes()) : -1;
                if (nonBinary >= 0) {
                    throw BadValueException.notBinary(column, values.bytes()[nonBinary] & 0xFF, nonBinary);
                }
            }
            return Optional.empty();
        } catch (SampleMismatchException e) {
            // Another mismatch ends the job.
            return e.isOfNumbers() ? Optional.of(String.valueOf(e.getMessage())) : Optional.empty();
        } catch (BadValueException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
