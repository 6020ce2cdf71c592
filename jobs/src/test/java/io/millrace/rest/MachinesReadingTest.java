package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.metrics.FigureValues;
import io.millrace.metrics.Figures;
import org.junit.jupiter.api.Test;

class MachinesReadingTest {
    private static JsonNode managers(String... paths) throws Exception {
        StringBuilder list = new StringBuilder();
        for (String path : paths) {
            list.append(list.length() == 0 ? "" : ",")
                    .append("{'path': '")
                    .append(path)
                    .append("', 'hardware': {'cpuCores': 8}}");
        }
        return new ObjectMapper().readTree(("{'taskmanagers': [" + list + "]}").replace('\'', '"'));
    }

    private static FigureValues machine(double busyCores, double processCores) {
        return FigureValues.NONE
                .with(Figures.MACHINE_BUSY_CORES, busyCores)
                .with(Figures.PROCESS_BUSY_CORES, processCores)
                .with(Figures.COLLECTION_NANOS, 120e6);
    }

    @Test
    void taskManagersOfOneMachineShareItsCores() throws Exception {
        MachinesReading reading = MachinesReading.of(
                managers(
                        "pekko.tcp://flink@10.0.0.1:6122/user/rpc/taskmanager_0",
                        "pekko.tcp://flink@10.0.0.1:6123/user/rpc/taskmanager_0",
                        "pekko.tcp://flink@10.0.0.2:6122/user/rpc/taskmanager_0"),
                machine(5.0, 1.5));

        assertThat(reading).isEqualTo(new MachinesReading(2, 16, 10.0, 4.5, 120.0));
    }

    @Test
    void taskManagersWithinOneProcessAreOneProcess() throws Exception {
        MachinesReading reading = MachinesReading.of(
                managers("pekko://flink/user/rpc/taskmanager_0", "pekko://flink/user/rpc/taskmanager_1"),
                machine(5.0, 1.5));

        assertThat(reading).isEqualTo(new MachinesReading(1, 8, 5.0, 1.5, 120.0));
    }

    @Test
    void valueThatNoMachineReportsIsUnknown() throws Exception {
        assertThat(MachinesReading.of(managers(), FigureValues.NONE)).isEqualTo(MachinesReading.UNKNOWN);
        assertThat(MachinesReading.of(managers("pekko://flink/user/rpc/taskmanager_0"), FigureValues.NONE))
                .isEqualTo(new MachinesReading(1, 8, null, null));
        assertThat(MachinesReading.UNKNOWN.orElse(new MachinesReading(1, 8, 2.0, 1.0)))
                .isEqualTo(new MachinesReading(1, 8, 2.0, 1.0));
    }
}
