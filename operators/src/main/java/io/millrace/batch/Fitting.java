package io.millrace.batch;

import io.millrace.sample.Sample;
import java.util.Optional;

/** Tells whether samples could be packed, without packing them. Stateless. */
public final class Fitting {
    private Fitting() {}

    /**
     * Why a sample would be quarantined when it is packed; empty when it would not.
     *
     * @param sample with all fields that are sent, of the columns' shapes
     */
    public static Optional<String> refusal(BatchSpec spec, Sample sample) {
        try {
            for (BatchSpec.Column column : spec.columns()) {
                WireValues values = new WireValues(column);
                values.take(sample.field(column.name()).data());
                int strange = column.form() == Form.BITS ? Bits.strange(values.bytes()) : -1;
                if (strange >= 0) {
                    throw BadValueException.notBinary(column, values.bytes()[strange] & 0xFF, strange);
                }
            }
            return Optional.empty();
        } catch (BadValueException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
