package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases with too few slots or cores, or with one slow slot. */
final class SlotPlants {
    private static final Plant TOO_FEW_SLOTS = new Plant(
            "too-few-slots",
            Limit.Kind.SLOTS,
            "Delay",
            """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 1
            transforms: [ Delay: { ms: 4, mode: sleep } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of("parallelism=4"),
            (model, known) -> model.withSlots("Delay", 4));

    private static final Plant SLOW_SLOT = new Plant(
            "straggling-slot",
            Limit.Kind.STRAGGLER,
            "Delay",
            """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 4
            transforms: [ Delay: { ms: 4, mode: sleep, slow_slot: 2, slow_ms: 40 } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of("transforms.0.Delay.slow_ms=4"),
            (model, known) -> model.without(new Limit(Limit.Kind.STRAGGLER, "Delay", 1)));

    private static final Plant OTHER_PROGRAMS = new Plant(
                    "oversubscribed-cores",
                    Limit.Kind.OTHERS,
                    CapacityModel.OTHERS,
                    """
                    dataset: { format: synthetic, size: 4096, shape: [256, 256, 3], epochs: endless }
                    parallelism: PROCESSORS
                    transforms: [ GaussianBlur: { kernel_size: 15 }, CenterCrop: { size: 16 } ]
                    batch: { size: 8 }
                    train: { model: none }
                    """.replace(
                            "PROCESSORS", String.valueOf(Runtime.getRuntime().availableProcessors())),
                    List.of(),
                    (model, known) -> model.withMoreCores(known.freedCores()))
            .beside(() -> BusyProcesses.start(Runtime.getRuntime().availableProcessors()));

    /** A stage that computes in the only slot. More slots than cores gain no more than the cores give. */
    private static final Plant COMPUTING_SLOT = new Plant(
            "computing-slot",
            Limit.Kind.SLOTS,
            "Delay",
            """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 1
            transforms: [ Delay: { ms: 10 } ]
            batch: { size: 8 }
            train: { model: none }
            """,
            List.of("parallelism=8"),
            (model, known) -> model.withSlots("Delay", 8));

    private SlotPlants() {}

    static List<Plant> all() {
        return List.of(
                TOO_FEW_SLOTS,
                TOO_FEW_SLOTS.onBusyMachine(),
                COMPUTING_SLOT,
                COMPUTING_SLOT.onBusyMachine().orOtherPrograms(),
                SLOW_SLOT,
                OTHER_PROGRAMS);
    }
}
