package io.millrace.python;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Optional;

/**
 * The Python interpreter that runs training programs.
 *
 * @param command the interpreter, which has numpy
 * @param model {@code torch} if it has PyTorch, otherwise {@code numpy}: the model that the program trains
 */
public record PythonTrainer(String command, String model) {
    /** Finds the interpreter of this machine; without one, the test is skipped. */
    public static PythonTrainer find() throws IOException, InterruptedException {
        Optional<String> found = PythonWithNumpy.find();
        assumeTrue(found.isPresent(), "no python3 3.9 or newer with numpy");
        String command = found.orElseThrow();
        return new PythonTrainer(command, PythonWithNumpy.has(command, "torch") ? "torch" : "numpy");
    }

    /** Returns the same interpreter, with a model that needs numpy alone and starts sooner. */
    public PythonTrainer withoutTorch() {
        return new PythonTrainer(command, "numpy");
    }
}
