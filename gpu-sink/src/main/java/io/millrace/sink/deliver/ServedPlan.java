package io.millrace.sink.deliver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.batch.BatchSpec;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceException;
import io.millrace.serve.BufferLayout;
import io.millrace.serve.Greeting;
import io.millrace.serve.Join;
import io.millrace.serve.Refusal;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.source.RunIdentity;
import io.millrace.train.input.ClientTransforms;
import io.millrace.train.input.DeliveredTransforms;
import io.millrace.train.spec.TrainSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a served run as a client of one rank receives it.
 *
 * @param message the payload of the message PLAN
 * @param fingerprint the settings that decide which batch a step has
 * @param side the side that applies the device transforms
 * @param transforms the transforms that the server applies
 * @param layout the layout of the batches after these transforms
 */
record ServedPlan(
        ObjectNode message,
        Map<String, String> fingerprint,
        Join.Transforms side,
        DeliveredTransforms transforms,
        BufferLayout layout) {
    /** The memory of the buffers that are recommended for small batches, and the most of them. */
    private static final long SMALL_BYTES = 1 << 20;

    private static final int MOST_SMALL = 16;

    /** The key of the shared plan that states whether the samples have labels. */
    private static final String LABELLED = "labelled";

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Returns the plan of a rank for a client. Loads the engine if the server needs it for the device transforms.
     *
     * @param rows the largest number of rows of this rank's batches
     * @throws Refusal when the client asks the server for the device transforms, which it cannot apply
     */
    static ServedPlan of(ServeSpec serve, SinkSpec spec, int rank, int rows, Join.Transforms side) throws Refusal {
        TrainSpec train = spec.train().spec();
        ObjectNode plan = shared(serve);
        if (side == Join.Transforms.CLIENT) {
            plan.set("transforms", JSON.valueToTree(ClientTransforms.of(train.data())));
            return of(plan, spec, rank, rows, side, DeliveredTransforms.none(train));
        }
        try {
            int classes = plan.path("classes").size();
            DeliveredTransforms transforms = DeliveredTransforms.of(train, classes);
            transforms.requireEngine();
            plan.putArray("transforms");
            return of(plan, spec, rank, rows, side, transforms);
        } catch (IllegalArgumentException | DeviceException e) {
            throw new Refusal(
                    Refusal.Code.TRANSFORMS,
                    "the server cannot apply device.transforms: " + e.getMessage()
                            + ". Correct this, or let the client apply them (transforms: client)");
        }
    }

    private static ServedPlan of(
            ObjectNode plan, SinkSpec spec, int rank, int rows, Join.Transforms side, DeliveredTransforms transforms) {
        Map<String, String> fingerprint = JSON.convertValue(plan.get("fingerprint"), new TypeReference<>() {});
        // A field that no file has would be made up, so batches of samples without labels have no labels.
        Optional<BatchSpec.Column> label =
                plan.path(LABELLED).asBoolean(true) ? Optional.of(transforms.label()) : Optional.empty();
        BufferLayout layout = BufferLayout.of(transforms.columns(), label, rows);
        plan.put("protocol", Greeting.PROTOCOL)
                .put("rank", rank)
                .put("batch", rows)
                .put("capacity", rows)
                .put("buffer_bytes", layout.bufferBytes())
                .put("buffers", recommendedBuffers(spec.device().batchesInFlight(), layout.bufferBytes()))
                .set("fields", JSON.valueToTree(layout.fields()));
        return new ServedPlan(plan, fingerprint, side, transforms, layout);
    }

    /**
     * Returns the number of buffers for a client that wishes for none: that of the batches in flight, and more of small batches, because
     * server and client then wake each other once for several of them.
     */
    static int recommendedBuffers(int batchesInFlight, long bufferBytes) {
        return Math.max(batchesInFlight, (int) Math.min(MOST_SMALL, SMALL_BYTES / bufferBytes));
    }

    /** Returns the offset in a buffer of each column of the batches before the transforms. */
    List<Long> columnOffsets() {
        List<Long> offsets = new ArrayList<>(layout.columnOffsets());
        for (int i = 0; i < offsets.size(); i++) {
            if (transforms.changes(layout.spec().columns().get(i).name())) {
                offsets.set(i, BufferDevice.APART);
            }
        }
        return offsets;
    }

    private static ObjectNode shared(ServeSpec serve) {
        try {
            return (ObjectNode) JSON.readTree(serve.planJson());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the plan is JSON: " + serve.planJson(), e);
        }
    }

    /**
     * Checks the fingerprint of a client's saved state.
     *
     * @param saved null when the client has no state
     * @throws Refusal with the differences when the state belongs to another plan
     */
    void require(@Nullable Map<String, String> saved) throws Refusal {
        List<String> differences = saved == null
                ? List.of()
                : new RunIdentity(fingerprint, "").differencesTo(new RunIdentity(saved, ""), Long.MAX_VALUE);
        if (!differences.isEmpty()) {
            throw new Refusal(
                    Refusal.Code.PLAN_DIFFERS,
                    "the saved state belongs to a run with other settings:\n  " + String.join("\n  ", differences));
        }
    }
}
