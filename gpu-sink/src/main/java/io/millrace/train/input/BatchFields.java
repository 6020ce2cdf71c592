package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.train.spec.NextTokens;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The search for fields among the columns of a batch. Stateless. */
final class BatchFields {
    private BatchFields() {}

    /**
     * Returns the column with a name, or null if the name is that of the samples' labels.
     *
     * @throws TrainSpecException when the batch has no such field
     */
    static BatchSpec.@Nullable Column find(BatchSpec batch, String field) {
        BatchSpec.Column column = batch.find(field).orElse(null);
        if (column == null && !field.equals(Roles.LABEL)) {
            throw missing(batch, field);
        }
        return column;
    }

    /**
     * Returns the column of a name.
     *
     * @throws TrainSpecException when there is none
     */
    static BatchSpec.Column column(BatchSpec batch, String field) {
        return batch.find(field).orElseThrow(() -> missing(batch, field));
    }

    /** Returns whether a target is no column, but is computed from columns of packed sequences. */
    static boolean isComputed(BatchSpec batch, String target) {
        return NextTokens.isComputed(
                target, batch.columns().stream().map(BatchSpec.Column::name).toList());
    }

    private static TrainSpecException missing(BatchSpec batch, String field) {
        return new TrainSpecException("no field '" + field + "' in the batch, only "
                + batch.columns().stream().map(BatchSpec.Column::name).toList());
    }

    /** Returns the shape of a row. For pictures with one channel, the last extent is left out. */
    static List<Integer> withoutSingleChannel(BatchSpec.Column column) {
        List<Integer> shape = column.shape();
        boolean single = column.pictures() && shape.get(2) == 1;
        return single || shape.equals(List.of(1)) ? shape.subList(0, shape.size() - 1) : shape;
    }

    /** Returns the place of an element within its row as text, for example "at [3, 4]". */
    static String place(BatchSpec.Column column, int element) {
        List<Integer> places = new ArrayList<>();
        int left = element;
        List<Integer> shape = withoutSingleChannel(column);
        for (int i = shape.size() - 1; i >= 0; i--) {
            places.add(0, left % shape.get(i));
            left /= shape.get(i);
        }
        if (column.form() == Form.RAGGED) {
            places.add(0, left);
        }
        return "at " + places;
    }
}
