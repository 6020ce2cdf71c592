package io.millrace.diagnosis.planted;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.diagnosis.Limit;
import org.jspecify.annotations.Nullable;

/**
 * What became of a case.
 *
 * @param planted culprit and kind of limit, as {@code decode (slots)}
 * @param named what the diagnosis named, in the same words; "unknown" when it named nothing
 * @param before with the culprit
 * @param predicted without, by what was measured with it; null when the diagnosis does not know
 * @param achieved without
 */
public record CaseResult(
        String name,
        String planted,
        String named,
        @JsonProperty("before_images_per_s") double before,
        @JsonProperty("predicted_images_per_s") @Nullable Double predicted,
        @JsonProperty("achieved_images_per_s") double achieved) {
    /** How far the prediction is from what was achieved, as a share of that; null when there is none. */
    @JsonProperty("prediction_error")
    public @Nullable Double error() {
        return predicted == null ? null : Double.valueOf(Math.abs(predicted - achieved) / achieved);
    }

    /** Whether the culprit was named; of a stage that computes, that its slots have no more time or the cores is one. */
    @JsonIgnore
    public boolean found() {
        return planted.equals(named)
                || planted.equals(named.replace(Plant.word(Limit.Kind.CORES), Plant.word(Limit.Kind.SLOTS)));
    }
}
