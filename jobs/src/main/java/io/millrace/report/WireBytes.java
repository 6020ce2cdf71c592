package io.millrace.report;

import io.millrace.pipeline.WireColumn;
import io.millrace.sink.ColumnBytes;
import io.millrace.sink.TrainReport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The size of the fields on the wire, and the bytes that their types saved. Pure. */
final class WireBytes {
    private WireBytes() {}

    /** Returns the sizes of what arrived. Before anything arrived they are those of the plan, as far as it knows them. */
    static RunSummary.Sent of(List<WireColumn> sent, @Nullable TrainReport report) {
        List<RunSummary.Wire> wire =
                wire(sent, report == null ? ColumnBytes.NONE : report.attempt().columnBytes());
        Double saved = saved(wire);
        return new RunSummary.Sent(
                wire,
                saved,
                saved == null || report == null
                        ? null
                        : Long.valueOf(Math.round(saved * report.counters().samples())));
    }

    private static List<RunSummary.Wire> wire(List<WireColumn> sent, ColumnBytes arrived) {
        List<RunSummary.Wire> wire = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            WireColumn column = sent.get(i);
            Double bytes = arrived.rows() > 0 && arrived.bytes().size() == sent.size()
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

    /** Returns the bytes that all fields save in a sample; null when one field's are not known. */
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
