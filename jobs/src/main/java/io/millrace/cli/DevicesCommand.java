package io.millrace.cli;

import io.millrace.cluster.GpuResource;
import io.millrace.device.CudaDevice;
import io.millrace.device.FoundDevices;
import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import io.millrace.train.engine.EngineFacts;
import io.millrace.train.engine.TrainingRuntime;
import picocli.CommandLine.Command;

/** {@code devices}: what this machine has to train on, and why something of it cannot be used. */
@Command(
        name = "devices",
        description = "Tells which devices training can use on this machine, what is missing for others, and which one"
                + " device.kind: auto takes.",
        footer = {"  ./millrace devices", "  CUDA_VISIBLE_DEVICES=1 ./millrace devices --json"})
final class DevicesCommand extends CliCommand {
    @Override
    public Integer call() {
        FoundDevices found = FoundDevices.look();
        EngineFacts engine = null;
        String engineMissing = null;
        try {
            engine = EngineFacts.look();
        } catch (RuntimeException | LinkageError e) {
            // Whatever keeps the engine from loading is what the user asks for.
            engineMissing = Failure.of(e).sentence();
        }
        DevicesText told = new DevicesText(found, engine, engineMissing, GpuResource.here(), choice());
        told.lines().forEach(output().text()::println);
        output().result(told.json());
        return ExitCode.OK;
    }

    /** Opens a device as a trainer does, so that what keeps it from one is found here too. */
    private static DevicesText.Choice choice() {
        try (CudaDevice device = TrainingRuntime.openCuda(0)) {
            return new DevicesText.Choice(device.told(), "it opens, and the engine computes in its memory");
        } catch (RuntimeException | LinkageError e) {
            return new DevicesText.Choice("host", Failure.of(e).sentence());
        }
    }
}
