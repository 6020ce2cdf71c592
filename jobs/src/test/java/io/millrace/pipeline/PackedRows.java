package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.source.PositionReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The documents of packed sequences. */
final class PackedRows {
    private PackedRows() {}

    /** Returns the documents of the sequences at positions of a run, each with its part. */
    static List<List<String>> of(PipelineConfig config, RunPlan plan, long from, long to) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        try (PositionReader reader = PositionReader.open(plan.data(config))) {
            for (long position = from; position < to; position++) {
                rows.add(reader.read(position).parts().stream()
                        .map(part -> part.sample().key() + " " + part.from() + " " + part.to())
                        .toList());
            }
        }
        return rows;
    }
}
