package io.millrace.sink.figures;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A training epoch that has ended, with the evaluation after it if there is one.
 *
 * @param epoch the epoch, from 0
 * @param seconds the time of its steps and of the waits for their batches, without evaluation
 * @param samples the samples trained on in this time
 * @param starvedSeconds the part of {@code seconds} in which the trainer waited for data
 * @param loss the mean training loss over its samples; null without a loss
 * @param evaluationLoss the mean loss of the evaluation after it; null without one
 * @param accuracy the accuracy of the evaluation after it, 0 to 1; null without one
 */
public record EpochRecord(
        int epoch,
        double seconds,
        long samples,
        double starvedSeconds,
        @Nullable Double loss,
        @Nullable Double evaluationLoss,
        @Nullable Double accuracy)
        implements Serializable {
    /** The name of the metric of the stage {@code train} with the latest records. Unlike a figure it is a text. */
    public static final String METRIC = "epochs";

    private static final ObjectMapper JSON = JsonMapper.builder().build();

    private static final TypeReference<List<EpochRecord>> RECORDS = new TypeReference<>() {};

    /** Returns this record with the results of an evaluation. */
    EpochRecord evaluated(@Nullable Double ofLoss, @Nullable Double ofAccuracy) {
        return new EpochRecord(epoch, seconds, samples, starvedSeconds, loss, ofLoss, ofAccuracy);
    }

    /** Returns the throughput; null when no time of a step is known. */
    @JsonIgnore
    public @Nullable Double samplesPerSecond() {
        return seconds > 0 ? Double.valueOf(samples / seconds) : null;
    }

    /** Returns the share of the time in which the trainer waited for data, 0 to 1; null when no time of a step is known. */
    @JsonIgnore
    public @Nullable Double starvation() {
        return seconds > 0 ? Double.valueOf(Math.min(1, starvedSeconds / seconds)) : null;
    }

    /** Returns records as the text of the metric. */
    static String text(List<EpochRecord> records) {
        try {
            return JSON.writeValueAsString(records);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("records of epochs cannot be written as JSON", e);
        }
    }

    /** Returns the records with this text; none when the text is another, for example of another version. */
    public static List<EpochRecord> parse(String text) {
        try {
            return List.copyOf(JSON.readValue(text, RECORDS));
        } catch (JsonProcessingException e) {
            return List.of();
        }
    }

    /**
     * Returns the epochs that all trainers have ended. Each time is the longest of the trainers, samples are summed, losses are
     * means weighted by samples, and results of evaluations are plain means.
     *
     * @param trainers the records of each trainer, in the order of the epochs
     */
    public static List<EpochRecord> whole(List<List<EpochRecord>> trainers) {
        if (trainers.size() == 1) {
            return trainers.get(0);
        }
        List<EpochRecord> all = new ArrayList<>();
        for (EpochRecord one : trainers.isEmpty() ? List.<EpochRecord>of() : trainers.get(0)) {
            List<EpochRecord> same = trainers.stream()
                    .flatMap(List::stream)
                    .filter(other -> other.epoch == one.epoch)
                    .toList();
            if (same.size() == trainers.size()) {
                all.add(whole(one.epoch, same));
            }
        }
        return all;
    }

    private static EpochRecord whole(int epoch, List<EpochRecord> trainers) {
        return new EpochRecord(
                epoch,
                trainers.stream().mapToDouble(EpochRecord::seconds).max().orElse(0),
                trainers.stream().mapToLong(EpochRecord::samples).sum(),
                trainers.stream().mapToDouble(EpochRecord::starvedSeconds).max().orElse(0),
                mean(trainers, EpochRecord::loss, EpochRecord::samples),
                mean(trainers, EpochRecord::evaluationLoss, record -> 1L),
                mean(trainers, EpochRecord::accuracy, record -> 1L));
    }

    /** Returns a weighted mean; null when a value is unknown. */
    private static @Nullable Double mean(
            List<EpochRecord> trainers,
            Function<EpochRecord, @Nullable Double> value,
            Function<EpochRecord, Long> weight) {
        double sum = 0;
        long weights = 0;
        for (EpochRecord record : trainers) {
            Double one = value.apply(record);
            if (one == null) {
                return null;
            }
            sum += one * weight.apply(record);
            weights += weight.apply(record);
        }
        return weights == 0 ? null : Double.valueOf(sum / weights);
    }
}
