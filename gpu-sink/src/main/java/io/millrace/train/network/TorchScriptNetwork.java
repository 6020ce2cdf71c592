package io.millrace.train.network;

import ai.djl.Device;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.state.ModelStateException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A network from a TorchScript file. Its code stays in PyTorch; only its parameters move into memory of Millrace.
 *
 * <p>The engine has no access to a module's buffers (running statistics), so they are digested and saved with the whole
 * module.
 */
final class TorchScriptNetwork implements Network {
    private final PtNDManager manager;
    private final List<NamedTensor> parameters;
    private final int classes;
    private final Path path;
    private final boolean drawsNumbers;
    private PtSymbolBlock module;
    private Mode mode;

    private TorchScriptNetwork(
            PtSymbolBlock module, int classes, Path path, boolean drawsNumbers, PtNDManager manager) {
        this.module = module;
        this.manager = manager;
        this.parameters = parameters(module, manager).stream()
                .map(array -> NamedTensor.existing(array.getName(), array))
                .toList();
        this.classes = classes;
        this.path = path;
        this.drawsNumbers = drawsNumbers;
        this.mode = Mode.TRAIN;
        JniUtils.enableTrainingMode(module);
    }

    /**
     * Loads a file. Training starts from the parameters in it.
     *
     * @throws TrainSpecException when there is no such file, it is not TorchScript, or it has no parameters to train
     */
    static TorchScriptNetwork load(Path path, int classes, PtNDManager manager) {
        if (!Files.isRegularFile(path)) {
            throw new TrainSpecException("torchscript model: no file " + path.toAbsolutePath());
        }
        PtSymbolBlock module;
        try {
            module = open(path, manager);
        } catch (EngineException e) {
            throw new TrainSpecException(
                    "torchscript model: " + path + " is not a TorchScript file that this libtorch reads; write one with"
                            + " torch.jit.script(model).save(path): " + firstLine(e),
                    e);
        }
        String wrong = wrong(parameters(module, manager));
        if (wrong != null) {
            module.close();
            throw new TrainSpecException("torchscript model: " + path + wrong);
        }
        try {
            return new TorchScriptNetwork(module, classes, path, TorchScriptArchive.drawsNumbers(path), manager);
        } catch (IOException e) {
            module.close();
            throw new TrainSpecException("torchscript model: cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    private static PtSymbolBlock open(Path path, PtNDManager manager) {
        return JniUtils.loadModule(manager, path, true, new String[0], new String[0], true);
    }

    private static List<PtNDArray> parameters(PtSymbolBlock module, PtNDManager manager) {
        return JniUtils.moduleGetParams(module, manager).stream()
                .map(PtNDArray.class::cast)
                .toList();
    }

    private static @Nullable String wrong(List<PtNDArray> parameters) {
        for (PtNDArray parameter : parameters) {
            if (parameter.getDataType() != DataType.FLOAT32) {
                return ": parameter '" + parameter.getName() + "' is " + parameter.getDataType() + ", expected FLOAT32";
            }
        }
        return parameters.isEmpty()
                ? " has no parameters to train (a frozen or optimised-for-inference export?)"
                : null;
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given");
    }

    @Override
    public List<NamedTensor> parameters() {
        return parameters;
    }

    /** Returns an empty list, because running statistics are part of the module. */
    @Override
    public List<NamedTensor> statistics() {
        return List.of();
    }

    @Override
    public int classes() {
        return classes;
    }

    @Override
    public boolean drawsNumbers() {
        return drawsNumbers;
    }

    @Override
    public PtNDArray forward(NDList inputs, Mode wanted) {
        if (wanted != mode) {
            if (wanted == Mode.TRAIN) {
                JniUtils.enableTrainingMode(module);
            } else {
                JniUtils.enableInferenceMode(module);
            }
            mode = wanted;
        }
        NDList outputs = IValueUtils.forward(module, inputs, wanted == Mode.TRAIN);
        if (outputs.size() != 1
                || outputs.get(0).getShape().dimension() < 2
                || outputs.get(0).getShape().get(1) != classes) {
            throw new TrainSpecException("torchscript model: " + path + " returns "
                    + outputs.stream().map(o -> o.getShape().toString()).toList() + " for an input of "
                    + inputs.stream().map(i -> i.getShape().toString()).collect(Collectors.joining(" and "))
                    + ", expected one tensor of (rows, " + classes + ") or (rows, " + classes + ", height, width)");
        }
        PtNDArray output = (PtNDArray) outputs.get(0);
        output.attach(inputs.get(0).getManager());
        return output;
    }

    /** Digests the raw bytes of every tensor in the module, running statistics included, in the archive's order. */
    @Override
    public void digestRest(MessageDigest digest) {
        try {
            Path file = Files.createTempFile("millrace-module", ".pt");
            try {
                write(file);
                TorchScriptArchive.digestTensors(file, digest);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void requireShareable() {
        try {
            Path file = Files.createTempFile("millrace-module", ".pt");
            try {
                write(file);
                long others = TorchScriptArchive.tensors(file) - parameters.size();
                if (others != 0) {
                    throw new TrainSpecException("torchscript model: " + path + " has " + parameters.size()
                            + " parameters and " + others
                            + " other tensors, such as running statistics, to which the engine gives no access, so"
                            + " that they cannot be averaged: use a model without them (group instead of batch"
                            + " normalization), or replicas: independent");
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes {@code model.pt}, which torch.jit.load also reads on a machine without a GPU. */
    @Override
    public void saveOwnForm(Path directory) throws IOException {
        Path file = directory.resolve("model.pt");
        if (!manager.getDevice().isGpu()) {
            write(file);
            return;
        }
        Path there = Files.createTempFile("millrace-module", ".pt");
        try {
            write(there);
            copyToHost(there, file, manager);
        } finally {
            Files.delete(there);
        }
    }

    /**
     * Writes a module with all its tensors on the host. A file records the device of its tensors, and cannot be loaded where
     * there is no such device.
     *
     * @param from a module of any device
     * @param manager a manager of any device
     */
    static void copyToHost(Path from, Path to, PtNDManager manager) throws IOException {
        try (PtNDManager host = manager.newSubManager(Device.cpu());
                PtSymbolBlock module = open(from, host);
                OutputStream out = Files.newOutputStream(to)) {
            JniUtils.writeModule(module, out, false);
        }
    }

    private void write(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            writeOwnForm(out);
        }
    }

    /** Returns true, because the engine gives access to running statistics only as a part of the whole module. */
    @Override
    public boolean keepsOwnForm() {
        return true;
    }

    @Override
    public void writeOwnForm(OutputStream out) {
        parameters.forEach(NamedTensor::moveToOwnMemory);
        try {
            JniUtils.writeModule(module, out, false);
        } finally {
            parameters.forEach(NamedTensor::moveBack);
        }
    }

    @Override
    public void readOwnForm(InputStream in) throws IOException {
        // The module is loaded from a file, because the engine loads modules from streams only for inference.
        Path file = Files.createTempFile("millrace-module", ".pt");
        try {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            replaceBy(open(file, manager));
        } catch (EngineException e) {
            throw new ModelStateException(
                    "the model's state is damaged: its TorchScript module cannot be read: " + firstLine(e), e);
        } finally {
            Files.delete(file);
        }
    }

    private void replaceBy(PtSymbolBlock other) {
        List<PtNDArray> arrays = parameters(other, manager);
        for (int i = 0; i < parameters.size(); i++) {
            NamedTensor tensor = parameters.get(i);
            if (i >= arrays.size()
                    || !tensor.name().equals(arrays.get(i).getName())
                    || !Arrays.equals(tensor.shape(), arrays.get(i).getShape().getShape())) {
                other.close();
                throw new ModelStateException("the model's state is damaged: its TorchScript module has other"
                        + " parameters than its header lists, such as '" + tensor.name() + "'");
            }
        }
        for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).exchange(arrays.get(i));
        }
        module.close();
        module = other;
        mode = Mode.TRAIN;
        JniUtils.enableTrainingMode(module);
    }

    @Override
    public void close() {
        module.close();
    }
}
