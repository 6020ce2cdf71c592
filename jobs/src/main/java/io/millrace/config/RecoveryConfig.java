package io.millrace.config;

import java.util.Optional;

/**
 * What is kept against failures, and what is written to prove it.
 *
 * @param checkpoint empty: none
 * @param restart empty: the cluster's own way, or where Flink is embedded {@link RestartConfig}'s defaults
 * @param ledger whether the run writes down which samples each step trained on
 */
public record RecoveryConfig(Optional<CheckpointConfig> checkpoint, Optional<RestartConfig> restart, boolean ledger) {}
