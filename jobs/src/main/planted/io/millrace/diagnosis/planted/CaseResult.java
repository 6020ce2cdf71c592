package io.millrace.diagnosis.planted;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Prediction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The result of a case. Speeds are in images per second, or in tokens per second if the culprit is how sequences are filled.
 *
 * @param planted the planted culprit and its kind of limit, such as {@code decode (slots)}; with a second culprit, such as
 *     {@code read (storage), then decode (slots)}
 * @param named the culprit and kind that the diagnosis named, in the same form; "unknown" when it named none
 * @param before the speed with the culprit
 * @param prediction the speed without the culprit, as predicted from the measurement with it; null when there is none
 * @param achieved the speed without the culprit
 */
public record CaseResult(
        String name,
        String planted,
        String named,
        @JsonProperty("before_images_per_s") double before,
        @JsonIgnore @Nullable Prediction prediction,
        @JsonProperty("achieved_images_per_s") double achieved) {
    /** Returns the likely speed of the prediction; null when there is no prediction. */
    @JsonProperty("predicted_images_per_s")
    public @Nullable Double predicted() {
        return prediction == null ? null : Double.valueOf(prediction.likely());
    }

    /** Returns the lower end of the predicted range; null when there is no prediction. */
    @JsonProperty("predicted_low_images_per_s")
    public @Nullable Double low() {
        return prediction == null ? null : Double.valueOf(prediction.low());
    }

    /** Returns the upper end of the predicted range; null when there is no prediction. */
    @JsonProperty("predicted_high_images_per_s")
    public @Nullable Double high() {
        return prediction == null ? null : Double.valueOf(prediction.high());
    }

    /** Returns the error of the likely speed, as a share of the achieved speed; null when there is no prediction. */
    @JsonProperty("prediction_error")
    public @Nullable Double error() {
        return prediction == null ? null : Double.valueOf(Math.abs(prediction.likely() - achieved) / achieved);
    }

    /** Returns whether the achieved speed lies in the predicted range; null when there is no prediction. */
    @JsonProperty("in_range")
    public @Nullable Boolean inRange() {
        return prediction == null ? null : Boolean.valueOf(prediction.contains(achieved));
    }

    /**
     * Returns whether the diagnosis named the culprit, or one of several that are right. For a stage that computes, in training
     * or evaluation, used-up slots and used-up cores count as the same kind of limit.
     */
    @JsonIgnore
    public boolean found() {
        return Arrays.stream(planted.split(Plant.OR))
                .anyMatch(right -> right.equals(named)
                        || right.equals(named.replace(Plant.word(Limit.Kind.CORES), Plant.word(Limit.Kind.SLOTS)))
                        || right.equals(
                                named.replace(Plant.word(Limit.Kind.CORES), Plant.word(Limit.Kind.EVALUATION))));
    }

    /** Returns whether the diagnosis named the culprit, and predicted the speed without it. */
    @JsonIgnore
    public boolean passed() {
        return found() && !Boolean.FALSE.equals(inRange());
    }
}
