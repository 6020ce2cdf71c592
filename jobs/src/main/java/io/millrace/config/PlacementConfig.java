package io.millrace.config;

import io.millrace.option.ByteSize;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;

/**
 * The resource placement: the external resources that decide which TaskManager a slot goes to. Flink's default scheduler
 * respects them; the adaptive scheduler ignores them.
 *
 * @param trainer the external resource of which each trainer's slot needs one
 * @param data the external resource of which each slot of the other stages needs one
 * @param cores the CPU cores of a TaskManager that each slot needs
 * @param heap the task heap of a TaskManager that each slot needs
 */
public record PlacementConfig(String trainer, String data, double cores, ByteSize heap) {
    static final Option<Object> SECTION = Option.of(
                    "placement",
                    Types.structure("section"),
                    "On a cluster with GPUs: the machines for the trainers and for the other stages; absent: all stages share"
                            + " slots.")
            .optional();
    static final Option<String> TRAINER = Option.of(
                    "trainer",
                    OptionType.TEXT,
                    "The name of the external resource of which each trainer's slot needs one unit.")
            .orElse("gpu")
            .decides(Identity.NOTHING);
    static final Option<String> DATA = Option.of(
                    "data",
                    OptionType.TEXT,
                    "The name of the external resource of which each slot of the other stages needs one unit.")
            .orElse("data")
            .decides(Identity.NOTHING);
    static final Option<Double> CORES = Option.of(
                    "cores",
                    OptionType.NUMBER.where(n -> n > 0, "more than 0"),
                    "The number of CPU cores that each slot needs, out of taskmanager.cpu.cores of its TaskManager.")
            .orElse(1.0)
            .decides(Identity.NOTHING);
    static final Option<ByteSize> HEAP = Option.of(
                    "heap",
                    ByteSize.TYPE.where(size -> size.bytes() > 0, "above 0"),
                    "The memory that each slot needs, out of the task heap of its TaskManager.")
            .orElse(new ByteSize(256L << 20))
            .decides(Identity.NOTHING);
    static final Bound<PlacementConfig> KEYS = Bound.of(PlacementConfig.class);
}
