package io.millrace.diagnosis.planted;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.diagnosis.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The result of a case. Speeds are in images per second.
 *
 * @param planted the planted culprit and its kind of limit, such as {@code decode (slots)}; with a second culprit, such as
 *     {@code read (storage), then decode (slots)}
 * @param named the culprit and kind that the diagnosis named, in the same form; "unknown" when it named none
 * @param before the speed with the culprit
 * @param predicted the speed without the culprit, as predicted from the measurement with it; null when there is no
 *     prediction
 * @param achieved the speed without the culprit
 */
public record CaseResult(
        String name,
        String planted,
        String named,
        @JsonProperty("before_images_per_s") double before,
        @JsonProperty("predicted_images_per_s") @Nullable Double predicted,
        @JsonProperty("achieved_images_per_s") double achieved) {
    /** Returns the error of the prediction, as a share of the achieved speed; null when there is no prediction. */
    @JsonProperty("prediction_error")
    public @Nullable Double error() {
        return predicted == null ? null : Double.valueOf(Math.abs(predicted - achieved) / achieved);
    }

    /**
     * Returns whether the diagnosis named the culprit. For a stage that computes, in training or evaluation, used-up slots and
     * used-up cores count as the same kind of limit.
     */
    @JsonIgnore
    public boolean found() {
        return planted.equals(named)
                || planted.equals(named.replace(Plant.word(Limit.Kind.CORES), Plant.word(Limit.Kind.SLOTS)))
                || planted.equals(named.replace(Plant.word(Limit.Kind.CORES), Plant.word(Limit.Kind.EVALUATION)));
    }
}
