package io.millrace.train.gpu;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.train.spec.Component;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rehearsal of training on a device: the driver is a stub, and the engine runs on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedAgreementTest extends AgreementContract {
    RehearsedAgreementTest() {
        super(new RehearsedEngine());
    }

    /** In the rehearsal the CPU stands for the device, so it draws the host's numbers and rounds like the host. */
    @Tag("slow")
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource({
        "io.millrace.train.gpu.AgreementContract#trainingsThatDrawNumbers",
        "io.millrace.train.gpu.AgreementContract#trainingsThatAmplifyRounding"
    })
    void hostAndDeviceAgreeToTheLastBitWhereRoundingMatters(
            String name, String optimizerName, String file, Component model, Component optimizer) throws IOException {
        hostAndDeviceAgreeAndContinueFromEachOthersCopies(name, optimizerName, file, model, optimizer);
    }
}
