package io.millrace.cli;

import io.millrace.cluster.GpuResource;
import io.millrace.device.CudaDevice;
import io.millrace.device.FoundDevices;
import io.millrace.run.ExitCode;
import io.millrace.run.Failure;
import io.millrace.train.engine.EngineFacts;
import io.millrace.train.engine.TrainingRuntime;
import picocli.CommandLine.Command;

/** The command {@code devices}, which lists the devices of this machine and the reasons why some cannot be used. */
@Command(
        name = "devices",
        description =
                "Lists the devices that training can use on this machine, what is missing for others, and which one"
                        + " device.kind: auto chooses.",
        footer = {"  ./millrace devices", "  CUDA_VISIBLE_DEVICES=1 ./millrace devices --json"})
final class DevicesCommand extends CliCommand {
    @Override
    public Integer call() {
        FoundDevices found = FoundDevices.find();
        EngineFacts engine = null;
        String engineMissing = null;
        try {
            engine = EngineFacts.read();
        } catch (RuntimeException | LinkageError e) {
            // The reason why the engine cannot be loaded is part of the result.
            engineMissing = Failure.of(e).sentence();
        }
        DevicesText text = new DevicesText(found, engine, engineMissing, GpuResource.here(), choice());
        text.lines().forEach(output().text()::println);
        output().result(text.json());
        return ExitCode.OK;
    }

    /** Opens a device as a trainer does, so that this command finds the same obstacles. */
    private static DevicesText.Choice choice() {
        try (CudaDevice device = TrainingRuntime.openCuda(0)) {
            return new DevicesText.Choice(device.describe(), "it opens, and the engine computes in its memory");
        } catch (RuntimeException | LinkageError e) {
            return new DevicesText.Choice("host", Failure.of(e).sentence());
        }
    }
}
