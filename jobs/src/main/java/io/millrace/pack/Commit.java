package io.millrace.pack;

import io.millrace.dataset.Dataset;
import io.millrace.sample.BadSample;
import io.millrace.sink.files.QuarantineLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The commit, which turns finished tasks into a finished pack. A commit that failed can be repeated: it continues where
 * it stopped.
 */
final class Commit {
    private final PackSpec spec;
    private final PackPlan plan;
    private final Map<String, Object> source;

    Commit(PackSpec spec, PackPlan plan, Map<String, Object> source) {
        this.spec = spec;
        this.plan = plan;
        this.source = source;
    }

    /**
     * Renames the shards in the order of their samples, and writes the list of bad samples and the manifest.
     *
     * @throws PackException when too many samples are bad; the finished tasks remain for a pack with a higher limit
     */
    void run() throws IOException {
        PackFolder folder = PackFolder.of(spec.folder());
        List<TaskRecord> records = new ArrayList<>();
        for (long task = 0; task < plan.tasks(); task++) {
            records.add(folder.requireRecord(task));
        }
        List<TaskRecord.Bad> bad =
                records.stream().flatMap(record -> record.bad().stream()).toList();
        requireAllowed(bad);
        List<TaskRecord.Shard> parts =
                records.stream().flatMap(record -> record.shards().stream()).toList();
        int digits = Math.max(6, Integer.toString(parts.size()).length());
        List<Manifest.Entry> entries = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            TaskRecord.Shard part = parts.get(i);
            String name = String.format(
                    Locale.ROOT, "shard-%0" + digits + "d.%s", i, spec.format().extension());
            folder.publish(part, name);
            entries.add(new Manifest.Entry(name, part.first(), part.samples(), part.bytes(), part.sha256()));
        }
        if (!bad.isEmpty()) {
            folder.write("quarantine.jsonl", lines(bad));
        }
        folder.write(new Manifest(
                spec.format().extension(),
                entries.stream().mapToLong(Manifest.Entry::samples).sum(),
                entries.stream().mapToLong(Manifest.Entry::bytes).sum(),
                bad.size(),
                classes(),
                source,
                records.stream()
                        .map(TaskRecord::restarts)
                        .filter(Objects::nonNull)
                        .reduce(RestartCounts::plus)
                        .orElse(null),
                entries));
        folder.discardWork();
    }

    private List<String> classes() throws IOException {
        try (Dataset dataset = spec.dataset().open()) {
            return dataset.classes();
        }
    }

    private void requireAllowed(List<TaskRecord.Bad> bad) throws PackException {
        long allowed = (long) Math.floor(spec.maxQuarantined() * plan.samples());
        if (bad.size() > allowed) {
            TaskRecord.Bad first = bad.get(0);
            throw new PackException(
                    bad.size() + " of " + plan.samples() + " samples are bad, more than --max-quarantined"
                            + " allows (" + allowed + "). The first: " + first.file() + ": " + first.reason()
                            + ". The packed samples remain: the same command with a higher limit continues from here");
        }
    }

    private byte[] lines(List<TaskRecord.Bad> bad) {
        StringBuilder lines = new StringBuilder();
        for (TaskRecord.Bad sample : bad) {
            BadSample badSample = new BadSample(
                    sample.stage(), spec.dataset().path(), sample.file(), sample.offset(), sample.reason());
            lines.append(QuarantineLine.of(sample.index(), badSample)).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }
}
