package io.millrace.pipeline;

import io.millrace.dataset.packed.TokenCounts;
import io.millrace.order.EpochOrder;
import io.millrace.sequence.DocumentLengths;
import io.millrace.sequence.PackCounter;
import io.millrace.sequence.PackRule;
import io.millrace.sequence.SequencePlan;
import io.millrace.sequence.SequencePlanFile;
import io.millrace.sequence.UnusableCountsException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** The plans of packs that are kept in files beside the lengths of the documents. */
final class KeptPlans {
    private KeptPlans() {}

    /**
     * Returns the plan of some lengths. It is made and kept if there is no file, or one that cannot be used.
     *
     * @param counts the file of the lengths
     * @param remarks gets a sentence if a file cannot be used
     */
    static SequencePlan plan(
            TokenCounts counts, EpochOrder order, PackRule rule, DocumentLengths lengths, List<String> remarks)
            throws IOException {
        Path file = Path.of(counts.file());
        byte[] key = HexFormat.of().parseHex(counts.key());
        String name = HexFormat.of().formatHex(CountedDocuments.sha256(order + "\n" + rule), 0, 8);
        Path kept = file.resolveSibling(file.getFileName() + "." + name + ".plan");
        try {
            return SequencePlanFile.read(kept, order, rule, key);
        } catch (UnusableCountsException e) {
            remarks.add(e.getMessage() + "; it is made again");
        } catch (NoSuchFileException e) { // the first run with this order and rule
        }
        SequencePlan plan = new PackCounter(order, rule, lengths).count();
        SequencePlanFile.write(kept, plan, key);
        return plan;
    }
}
