package io.millrace.report;

import io.millrace.pipeline.WireColumn;
import io.millrace.sink.figures.ColumnBytes;
import io.millrace.sink.figures.TrainReport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The size of the fields on the wire, and the bytes that their types saved. Pure. */
final class WireBytes {
    private WireBytes() {}

    /**
     * Returns the sizes of the rows that arrived. Before any row arrived, the sizes are those of the plan, as far as
     * the plan has them.
     */
    static RunSummary.WireColumns of(List<WireColumn> columns, @Nullable TrainReport report) {
        List<RunSummary.Wire> wire = wire(
                columns, report == null ? ColumnBytes.NONE : report.attempt().columnBytes());
        Double saved = saved(wire);
        return new RunSummary.WireColumns(
                wire,
                saved,
                saved == null || report == null
                        ? null
                        : Long.valueOf(Math.round(saved * report.counters().samples())));
    }

    /** Returns the same sizes for a run whose clients train: it is not known which types their training uses. */
    static RunSummary.WireColumns withoutSavings(RunSummary.WireColumns sizes) {
        List<RunSummary.Wire> wire = sizes.wire().stream()
                .map(field ->
                        new RunSummary.Wire(field.field(), field.type(), field.bytesPerSample(), null, field.why()))
                .toList();
        return new RunSummary.WireColumns(wire, null, null);
    }

    private static List<RunSummary.Wire> wire(List<WireColumn> columns, ColumnBytes arrived) {
        List<RunSummary.Wire> wire = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            WireColumn column = columns.get(i);
            Double bytes = arrived.rows() > 0 && arrived.bytes().size() == columns.size()
                    ? Double.valueOf((double) arrived.bytes().get(i) / arrived.rows())
                    : column.rowBytes().isPresent()
                            ? Double.valueOf(column.rowBytes().getAsDouble())
                            : null;
            wire.add(new RunSummary.Wire(
                    column.column().name(),
                    column.type(),
                    bytes,
                    bytes == null ? null : Double.valueOf(column.plainBytes(bytes) - bytes),
                    column.why()));
        }
        return wire;
    }

    /**
     * Returns the number of bytes that all fields together save in a sample; null when it is unknown for one of them.
     */
    private static @Nullable Double saved(List<RunSummary.Wire> wire) {
        double sum = 0;
        for (RunSummary.Wire field : wire) {
            Double saved = field.savedBytesPerSample();
            if (saved == null) {
                return null;
            }
            sum += saved;
        }
        return sum;
    }
}
