package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;
import java.util.List;
import java.util.OptionalLong;

/**
 * Operations on rows of tensors on the engine's device. They are functions of {@code row-tensors.pt}, a TorchScript
 * module made by {@code src/main/python/export_row_tensors.py}, which documents the result of each. No method waits for
 * the device. An object of this class belongs to one thread, which closes it.
 */
public final class RowTensors implements AutoCloseable {
    private final EngineScript script;

    public RowTensors(PtNDManager manager) {
        script = EngineScript.load(RowTensors.class, "row-tensors.pt", manager);
    }

    PtNDArray oneHot(PtNDArray numbers, int classes, PtNDManager manager) {
        return script.tensor("one_hot", manager, numbers, classes);
    }

    PtNDArray multiHot(PtNDArray numbers, PtNDArray offsets, int classes, PtNDManager manager) {
        return script.tensor("multi_hot", manager, numbers, offsets, classes);
    }

    PtNDArray classes(PtNDArray numbers, int classes, OptionalLong ignored, PtNDManager manager) {
        return script.tensor(
                "classes", manager, numbers, classes, ignored.stream().toArray());
    }

    PtNDArray extremes(PtNDArray numbers, OptionalLong ignored, PtNDManager manager) {
        return script.tensor("extremes", manager, numbers, ignored.stream().toArray());
    }

    PtNDArray contiguous(PtNDArray values, PtNDManager manager) {
        return script.tensor("contiguous", manager, values);
    }

    /** Mixes rows that are targets, by the share of each mixture. A box has no other effect on targets. */
    PtNDArray mixed(PtNDArray values, List<RowMixture> mixtures, PtNDManager manager) {
        PtNDArray result = values;
        for (RowMixture mixture : mixtures) {
            result = script.tensor("mix", manager, result, mixture.share());
        }
        return result;
    }

    /** Mixes rows that are inputs. Boxes of images [rows, height, width, channels] are pasted in place. */
    PtNDArray mixedInputs(PtNDArray values, List<RowMixture> mixtures, PtNDManager manager) {
        PtNDArray result = values;
        for (RowMixture mixture : mixtures) {
            RowMixture.Box box = mixture.box();
            if (box == null) {
                result = mixed(result, List.of(mixture), manager);
            } else {
                script.call("paste", result, box.left(), box.top(), box.right(), box.bottom());
            }
        }
        return result;
    }

    @Override
    public void close() {
        script.close();
    }
}
