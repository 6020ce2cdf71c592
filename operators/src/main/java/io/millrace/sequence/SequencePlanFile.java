package io.millrace.sequence;

import io.millrace.file.WholeFiles;
import io.millrace.order.EpochOrder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Files that keep a {@link SequencePlan}, so that the packs of a dataset are counted once. Behind the head of 64 bytes are the five
 * totals, 8 bytes each, and the number of packs of each window, 4 bytes each, all little-endian.
 */
public final class SequencePlanFile {
    private static final int TOTALS = 5;
    private static final int TOTALS_INTS = TOTALS * Long.BYTES / Integer.BYTES;

    private SequencePlanFile() {}

    /** The rules of packing. A plan of other rules has other numbers of packs. */
    private static final byte[] RULES = "2: documents without tokens are in no pack".getBytes(StandardCharsets.UTF_8);

    private static String key(EpochOrder documents, PackRule rule, byte[] lengths) {
        return IntsHead.key(
                lengths,
                RULES,
                documents.toString().getBytes(StandardCharsets.UTF_8),
                rule.toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a plan so that a reader finds a whole file or none. Runs that are planned at the same time may write the same file.
     *
     * @param lengths the key of the lengths that were counted, as for {@link LengthsFile#open}
     */
    public static void write(Path file, SequencePlan plan, byte[] lengths) throws IOException {
        int[] counts = plan.counts();
        int size =
                Math.addExact(Math.multiplyExact(counts.length, Integer.BYTES), IntsHead.BYTES + TOTALS * Long.BYTES);
        ByteBuffer bytes =
                ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN).position(IntsHead.BYTES);
        PackTotals totals = plan.totals();
        bytes.putLong(totals.packs())
                .putLong(totals.tokens())
                .putLong(totals.unused())
                .putLong(totals.split())
                .putLong(totals.empty());
        bytes.asIntBuffer().put(counts);
        CRC32C crc = new CRC32C();
        crc.update(bytes.clear().position(IntsHead.BYTES));
        new IntsHead(IntsHead.Kind.PLAN, key(plan.documents(), plan.rule(), lengths), TOTALS_INTS + counts.length, (int)
                        crc.getValue())
                .put(bytes);
        WholeFiles.writeAs(UUID.randomUUID().toString(), file, bytes.array()); // other runs may write the same plan
    }

    /**
     * Reads a plan.
     *
     * @param lengths the key of the lengths of the documents
     * @throws java.nio.file.NoSuchFileException when there is no such file
     * @throws UnusableCountsException when the file is damaged, or of other lengths, another order or another rule
     */
    public static SequencePlan read(Path file, EpochOrder documents, PackRule rule, byte[] lengths) throws IOException {
        int[] counts = new int[SequencePlan.windows(documents, rule.window())];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            IntsHead head = IntsHead.read(channel, file, IntsHead.Kind.PLAN, key(documents, rule, lengths));
            if (head.count() != TOTALS_INTS + counts.length) {
                throw new UnusableCountsException(file + " has the plan of " + (head.count() - TOTALS_INTS)
                        + " windows: expected " + counts.length);
            }
            head.requireContent(channel, file);
            ByteBuffer totals = ByteBuffer.allocate(TOTALS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            IntsHead.readFully(channel, totals, IntsHead.BYTES);
            totals.flip();
            IntsHead.scan(channel, head.count(), (first, numbers) -> {
                for (int i = first == 0 ? TOTALS_INTS : 0; i < numbers.limit() / Integer.BYTES; i++) {
                    counts[(int) first + i - TOTALS_INTS] = numbers.getInt(i * Integer.BYTES);
                }
            });
            return new SequencePlan(
                    documents,
                    rule,
                    counts,
                    new PackTotals(
                            totals.getLong(), totals.getLong(), totals.getLong(), totals.getLong(), totals.getLong()));
        }
    }
}
