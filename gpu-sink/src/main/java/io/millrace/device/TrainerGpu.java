package io.millrace.device;

import io.millrace.device.GpuClaims.Claim;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The GPU of one trainer, which the trainer has claimed until this is closed. */
public final class TrainerGpu implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TrainerGpu.class);
    private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

    private final int number;
    private final Claim claim;

    private TrainerGpu(int number, Claim claim) {
        this.number = number;
        this.claim = claim;
    }

    /**
     * Chooses and claims the GPU of a trainer.
     *
     * @param chosen the number of the GPU that the configuration selects; null when it selects none
     * @param given the GPUs that the cluster assigned to the task, see {@link GpuChoice}
     * @throws DeviceException with what is missing, when there is no such GPU
     */
    public static TrainerGpu claim(GpuClaims claims, @Nullable Integer chosen, int rank, Collection<String> given) {
        if (chosen != null) {
            Claim claim = claims.claim(List.of(CudaDriver.uuid(chosen)));
            if (claim.others() > 0) {
                LOG.info("cuda:{} has {} more trainers of this machine", chosen, claim.others());
            }
            return new TrainerGpu(chosen, claim);
        }
        List<GpuChoice.Visible> visible = IntStream.range(0, CudaDriver.devices())
                .mapToObj(number ->
                        new GpuChoice.Visible(number, CudaDriver.facts(number).uuid(), CudaDriver.uuid(number)))
                .toList();
        List<String> assigned = List.copyOf(given);
        String setting = System.getenv(VISIBLE);
        GpuChoice choice = GpuChoice.of(
                visible, rank, assigned, assigned.isEmpty() ? List.of() : machine(visible, setting), setting);
        if (choice.remark() != null) {
            LOG.info("{}", choice.remark());
        }
        List<GpuChoice.Visible> ordered =
                choice.numbers().stream().map(visible::get).toList();
        Claim claim = claims.claim(ordered.stream().map(GpuChoice.Visible::name).toList());
        int number = ordered.get(claim.choice()).number();
        if (claim.others() > 0) {
            LOG.warn(
                    "cuda:{} already has a trainer, and so have all other GPUs that this process may use ({}): the"
                            + " trainers share it",
                    number,
                    visible.size());
        }
        return new TrainerGpu(number, claim);
    }

    /**
     * Returns the UUIDs of all GPUs of the machine, in the order of {@code nvidia-smi}. Without NVML, or if it fails, as it
     * does when the machine has lost a GPU, they are known only if all GPUs are visible to this process: then their order
     * is that of their PCI addresses.
     */
    private static List<String> machine(List<GpuChoice.Visible> visible, @Nullable String setting) {
        Optional<Nvml> opened = Nvml.tryOpen();
        if (opened.isPresent()) {
            try (Nvml nvml = opened.get()) {
                return nvml.gpus().stream().map(Nvml.Gpu::uuid).toList();
            } catch (DeviceException e) {
                LOG.debug("NVML does not list the GPUs of the machine", e);
            }
        }
        return setting != null
                ? List.of()
                : visible.stream()
                        .sorted(Comparator.comparing(gpu -> CudaDriver.pciAddress(gpu.number())))
                        .map(GpuChoice.Visible::uuid)
                        .toList();
    }

    /** Returns the driver's number of the GPU in this process. */
    public int number() {
        return number;
    }

    /** Gives up the claim; closing again does nothing. */
    @Override
    public void close() throws IOException {
        claim.close();
    }
}
