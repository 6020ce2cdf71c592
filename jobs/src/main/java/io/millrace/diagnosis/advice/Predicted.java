package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.Prediction;
import org.jspecify.annotations.Nullable;

/**
 * Advice with its predicted throughput.
 *
 * @param prediction the throughput after the change; null when the model cannot predict it
 */
public record Predicted(Advice advice, @Nullable Prediction prediction) {}
