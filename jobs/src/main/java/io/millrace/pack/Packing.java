package io.millrace.pack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.PlacedTransform;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pack whose dataset and folder have been checked, ready to run as a Flink job.
 *
 * <p>Tested by {@code PackCommandITCase}.
 *
 * @param spec the description of the pack
 * @param plan the division of the samples into tasks
 * @param description the properties of the pack; an unfinished pack is continued only when its properties are the same
 * @param remarks sentences for the user on what the dataset leaves out
 */
public record Packing(PackSpec spec, PackPlan plan, Map<String, Object> description, List<String> remarks) {
    /** The name of the stage whose metrics show the job's progress. */
    public static final String STAGE = PackJob.STAGE;

    private static final Logger LOG = LoggerFactory.getLogger(Packing.class);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The number of samples from which the average size is estimated. */
    private static final int PROBES = 64;

    /** The treatment of an earlier pack in the folder. */
    public enum Existing {
        /** Continue a pack with the same properties, and fail for another pack. */
        RESUME,
        /** Remove the earlier pack. */
        REPLACE
    }

    /**
     * Opens the dataset and prepares the folder.
     *
     * @throws DatasetException when there is no such dataset, or it is empty
     * @throws PackException when the folder contains anything other than a pack with the same properties
     */
    public static Packing begin(PackSpec spec, Existing existing) throws IOException {
        PackPlan plan;
        List<String> remarks;
        try (Dataset dataset = spec.dataset().open()) {
            if (dataset.size() == 0) {
                throw new DatasetException("dataset " + spec.dataset().path() + " is empty: nothing to pack");
            }
            plan = PackPlan.of(dataset.size(), meanBytes(spec, dataset), spec.shardBytes());
            remarks = new ArrayList<>(dataset.remarks());
            dataset.labels().remark().ifPresent(remarks::add);
        }
        Packing packing = new Packing(spec, plan, description(spec, plan), remarks);
        packing.prepare(existing);
        return packing;
    }

    /** Returns the number of samples in the dataset. */
    public long samples() {
        return plan.samples();
    }

    /** Returns the manifest if the pack is complete. */
    public Optional<JsonNode> manifest() throws IOException {
        return PackFolder.of(spec.folder()).manifest().filter(found -> tree(description)
                .equals(found.path("source")));
    }

    /** Returns the job that starts or continues the pack. */
    public StreamGraph graph(int parallelism) {
        return PackJob.graph(spec, plan, description, parallelism);
    }

    private void prepare(Existing existing) throws IOException {
        PackFolder folder = PackFolder.of(spec.folder());
        if (folder.isFile()) {
            throw new PackException(spec.folder() + " is a file: expected a new or empty folder, or an earlier pack");
        }
        if (existing == Existing.REPLACE) {
            folder.clear();
        }
        Optional<Map<String, Object>> begun = folder.plan();
        if (begun.isPresent()) {
            requireSame(tree(begun.get()), "an unfinished pack");
            return;
        }
        Optional<JsonNode> manifest = folder.manifest();
        if (manifest.isPresent()) {
            requireSame(manifest.get().path("source"), "another pack");
            return;
        }
        if (!folder.isEmpty()) {
            throw new PackException(
                    spec.folder() + " is not empty: expected a new or empty folder, or an earlier pack");
        }
        folder.begin(description);
    }

    private void requireSame(JsonNode found, String what) throws PackException {
        JsonNode expected = tree(description);
        if (!expected.equals(found)) {
            throw new PackException(spec.folder() + " contains " + what + ": expected one of " + expected + ", found "
                    + found + ": choose another folder, or use --force to replace it");
        }
    }

    /** Converts a map to a JSON tree like the one that is read from a file, in which small numbers are ints. */
    private static JsonNode tree(Map<String, Object> map) {
        try {
            return JSON.readTree(JSON.writeValueAsBytes(map));
        } catch (IOException e) {
            throw new IllegalStateException("cannot be written as JSON: " + map, e);
        }
    }

    private static Map<String, Object> description(PackSpec spec, PackPlan plan) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("dataset", spec.dataset().format());
        description.put("options", spec.dataset().options().raw());
        if (spec.dataset().part() != null) {
            description.put("part", String.valueOf(spec.dataset().part()));
        }
        if (spec.dataset().subset() != null) {
            description.put("subset", spec.dataset().subset());
        }
        description.put("samples", plan.samples());
        description.put("samples_per_task", plan.samplesPerTask());
        description.put("shard_bytes", spec.shardBytes());
        description.put("format", spec.format().extension());
        description.put(
                "transforms",
                spec.transforms().stream()
                        .map(transform ->
                                Map.of(transform.name(), transform.options().raw()))
                        .toList());
        if (spec.restart() > 0) {
            description.put("restart", spec.restart());
        }
        return description;
    }

    /**
     * Returns the average number of bytes that a sample occupies in a shard, estimated from samples all over the
     * dataset.
     */
    private static double meanBytes(PackSpec spec, Dataset dataset) throws IOException {
        RestartWriter restarts = new RestartWriter(spec);
        long bytes = 0;
        int good = 0;
        long probes = Math.min(PROBES, dataset.size());
        try (Handles open = new Handles()) {
            List<PlacedTransform> transforms = PackTask.transforms(spec, open);
            for (long probe = 0; probe < probes; probe++) {
                long index = (long) ((double) probe / probes * dataset.size());
                try {
                    Sample sample = dataset.read(index).placeAt(index, 0, Split.TRAIN);
                    if (transforms.stream().allMatch(transform -> transform.apply(sample))) {
                        restarts.apply(sample);
                        bytes += spec.format().bytes(sample);
                        good++;
                    }
                } catch (BadSampleException | MalformedImageException e) {
                    // The sample is skipped here. The task that packs it counts and lists it as bad.
                    LOG.debug("the size of sample {} is unknown", index, e);
                }
            }
        }
        return good == 0 ? 1 : (double) bytes / good;
    }
}
