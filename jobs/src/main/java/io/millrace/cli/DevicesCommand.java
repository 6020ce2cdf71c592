package io.millrace.cli;

import io.millrace.cluster.GpuResource;
import io.millrace.device.FoundDevices;
import io.millrace.train.EngineFacts;
import org.jspecify.annotations.Nullable;
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
        DevicesText told = new DevicesText(found, engine, engineMissing, GpuResource.here(), choice(found, engine));
        told.lines().forEach(output().text()::println);
        output().result(told.json());
        return ExitCode.OK;
    }

    private static DevicesText.Choice choice(FoundDevices found, @Nullable EngineFacts engine) {
        String missing = found.missing();
        if (missing != null) {
            return new DevicesText.Choice("host", missing);
        }
        if (engine == null || !engine.cuda()) {
            return new DevicesText.Choice(
                    "host",
                    "there is a GPU, but the engine's libraries (" + (engine == null ? "none" : engine.natives())
                            + ") are not for CUDA: docs/gpu.md says which artifact is");
        }
        return new DevicesText.Choice("cuda", "there is a GPU, and the engine's libraries are for CUDA");
    }
}
