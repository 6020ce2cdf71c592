package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The cases with a Python dataset whose items wait. They need Python with numpy, as the format {@code python} does. */
final class PythonPlants {
    private static final String MODULE = """
            import time

            import numpy


            class Waiting:
                def __len__(self):
                    return 4096

                def __getitem__(self, index):
                    time.sleep(0.03)
                    return numpy.full((32, 32, 3), index % 256, numpy.uint8), 0
            """;

    private static final String PIPELINE = """
            dataset: { format: python, dataset: "waiting:Waiting", epochs: endless }
            python: { path: DATA }
            parallelism: 2
            batch: { size: 8 }
            train: { model: none }
            """;

    private static final Plant FEW_WORKERS = new Plant(
                    "python-items-wait",
                    Limit.Kind.STORAGE,
                    "read",
                    PIPELINE,
                    List.of("dataset.workers=8", "read.threads=8", "read.read_ahead=8"),
                    (model, known) -> model.withSlots("read", 16))
            .with(PythonPlants::write);

    private static final Plant FEW_SLOTS = new Plant(
                    "python-items-wait-in-few-slots",
                    Limit.Kind.STORAGE,
                    "read",
                    PIPELINE,
                    List.of("parallelism=8"),
                    (model, known) -> model.withSlots("read", 8))
            .with(PythonPlants::write);

    private PythonPlants() {}

    private static void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("waiting.py"), MODULE);
    }

    static List<Plant> all() {
        return List.of(FEW_WORKERS, FEW_WORKERS.onBusyMachine(), FEW_SLOTS, FEW_SLOTS.onBusyMachine());
    }
}
