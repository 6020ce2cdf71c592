package io.millrace.config;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.Optional;

/**
 * The protection against failures, and the ledger that proves which samples were trained on.
 *
 * @param checkpoint empty when the run has no checkpoints
 * @param restart empty for the cluster's own setting, or {@link RestartConfig#STANDARD} when Flink is embedded
 * @param ledger whether the run records which samples each step trained on
 */
public record RecoveryConfig(Optional<CheckpointConfig> checkpoint, Optional<RestartConfig> restart, boolean ledger)
        implements PipelineConfig.Part {
    static final Option<Boolean> LEDGER = Option.of(
                    "ledger",
                    OptionType.BOOLEAN,
                    "Whether the run writes ledger.csv, which lists the samples that each step trained on.")
            .orElse(false)
            .decides(Identity.NOTHING);

    static RecoveryConfig read(Section root) {
        return new RecoveryConfig(
                CheckpointConfig.read(root),
                root.findSection(RestartConfig.SECTION, RestartConfig.KEYS),
                root.get(LEDGER));
    }

    void write(WrittenConfig root) {
        CheckpointConfig.write(checkpoint, root);
        restart.ifPresent(config -> root.section(RestartConfig.SECTION, config, RestartConfig.KEYS));
        root.put(LEDGER, ledger);
    }

    /** Returns the same protection with these restarts, if the file does not set any. */
    public RecoveryConfig orRestart(RestartConfig standard) {
        return new RecoveryConfig(checkpoint, restart.or(() -> Optional.of(standard)), ledger);
    }

    /** Returns the same protection without checkpoints and ledger. */
    public RecoveryConfig withoutCheckpoints() {
        return new RecoveryConfig(Optional.empty(), restart, false);
    }
}
