package io.millrace.sink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.SlotLayout;
import io.millrace.source.RunIdentity;
import java.util.Map;

/**
 * The plan of a served run as a client of one rank receives it.
 *
 * @param message the payload of the message PLAN
 * @param fingerprint the settings that decide which batch a step has
 */
record ServedPlan(ObjectNode message, Map<String, String> fingerprint) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PROTOCOL = 1;

    /**
     * Returns the plan of a rank.
     *
     * @param rows the largest number of rows of this rank's batches
     * @param slots the recommended number of slots
     */
    static ServedPlan of(ServeSpec serve, int rank, int rows, SlotLayout layout, int slots) {
        try {
            ObjectNode plan = (ObjectNode) JSON.readTree(serve.planJson());
            Map<String, String> fingerprint = JSON.convertValue(plan.get("fingerprint"), new TypeReference<>() {});
            plan.put("protocol", PROTOCOL)
                    .put("rank", rank)
                    .put("batch", rows)
                    .put("capacity", rows)
                    .put("slot_bytes", layout.slotBytes())
                    .put("slots", slots)
                    .set("fields", JSON.valueToTree(layout.fields()));
            return new ServedPlan(plan, fingerprint);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the plan is JSON: " + serve.planJson(), e);
        }
    }

    /** Returns the refusal of a client whose saved state belongs to another plan. */
    static String differences(Map<String, String> saved, Map<String, String> here) {
        return "the saved state belongs to a run with other settings:\n  "
                + String.join("\n  ", new RunIdentity(here, "").differencesTo(new RunIdentity(saved, "")));
    }
}
