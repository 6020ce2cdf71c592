package io.millrace.train;

import io.millrace.device.RehearsedEngine;
import io.millrace.device.StubDriver;
import io.millrace.train.spec.Component;
import java.io.IOException;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is learnt on a device, rehearsed: the driver is a stub, the engine on the host. */
@ExtendWith(StubDriver.Needed.class)
class RehearsedAgreementTest extends AgreementContract {
    RehearsedAgreementTest() {
        super(new RehearsedEngine());
    }

    /** The processor in the device's place draws the host's numbers, and rounds as it. */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource({
        "io.millrace.train.AgreementContract#trainingsThatDrawNumbers",
        "io.millrace.train.AgreementContract#trainingsThatAmplifyRounding"
    })
    void theHostAndADeviceAgreeToTheLastBitWhereRoundingCounts(
            String name, String optimizerName, String file, Component model, Component optimizer) throws IOException {
        theHostAndADeviceAgreeAndGoOnFromEachOther(name, optimizerName, file, model, optimizer);
    }
}
