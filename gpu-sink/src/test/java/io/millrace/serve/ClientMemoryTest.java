package io.millrace.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.lifecycle.Handles;
import io.millrace.order.BatchPlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientMemoryTest {
    private static final String MEMFD = "/memfd:millrace";

    @BeforeEach
    void requirePython() {
        assumeThat(PythonClient.isThere()).as("python3 is installed").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 33})
    void clientReadsTheBatchesOfAllBuffers(int buffers) throws IOException {
        int capacity = 7;
        BufferLayout layout = BufferLayout.of(RandomBatch.SPEC, capacity);
        BatchPlan plan = new BatchPlan((long) buffers * capacity - 3, capacity, false, 1, 0, 1);
        Random random = new Random(buffers);
        try (PythonClient client = new PythonClient(buffers * layout.bufferBytes(), "all");
                Handles handles = new Handles()) {
            SharedBuffers memory = ClientMemory.open(client.path(), buffers, layout.bufferBytes(), client.nonce());
            assertThat(Mappings.of(MEMFD)).isEqualTo(buffers);
            BufferDevice device = handles.add(new BufferDevice(memory, layout.columnOffsets()));
            BufferWriter writer = new BufferWriter(layout, memory);
            List<ObjectNode> expected = new ArrayList<>();
            for (int buffer = 0; buffer < buffers; buffer++) {
                DeviceBatch batch = handles.add(device.allocate(RandomBatch.SPEC, capacity));
                RandomBatch rows = new RandomBatch(RandomBatch.SPEC, plan.batch(buffer), 50, random);
                rows.fill(batch);
                BufferContent content = writer.write(batch, rows.planned(), buffer, 9);
                assertThat(content.isInBuffer()).isTrue();
                expected.add(rows.expected(9, content.bytes()));
            }
            ObjectMapper json = new ObjectMapper();
            for (int buffer = 0; buffer < buffers; buffer++) {
                assertThat(client.read(buffer, layout, layout.fields()))
                        .isEqualTo(json.readTree(expected.get(buffer).toString()));
            }
        }
        assertThat(Mappings.of(MEMFD)).isZero();
    }

    @Test
    void memoryOutlivesItsClientUntilItIsClosed() throws IOException {
        SharedBuffers memory;
        try (PythonClient client = new PythonClient(8192, "shrink")) {
            memory = ClientMemory.open(client.path(), 2, 4096, client.nonce());
        }
        memory.requireWhole();
        org.apache.arrow.memory.util.MemoryUtil.setMemory(memory.address(1), 4096, (byte) 1);
        memory.close();
        memory.close();
        assertThat(Mappings.of(MEMFD)).isZero();
        assertThatThrownBy(() -> memory.address(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> memory.requireWhole()).isInstanceOf(IOException.class);
    }

    @Test
    void memoryThatIsTooSmallIsRefused() throws IOException {
        try (PythonClient client = new PythonClient(8191, "all")) {
            refused(client.path(), client.nonce())
                    .hasMessage("the client's memory " + client.path()
                            + " has 8191 bytes: expected at least 8192 for 2 buffers of 4096 bytes");
        }
    }

    @Test
    void memoryThatCanBeMadeShorterIsRefusedAndStaysWhole() throws IOException {
        try (PythonClient client = new PythonClient(8192, "none")) {
            refused(client.path(), client.nonce())
                    .hasMessage("the client's memory " + client.path() + " can be made shorter: expected a memfd that"
                            + " is sealed against shrinking (F_SEAL_SHRINK)");
            assertThat(client.size().toString()).isEqualTo("{\"size\":8192,\"last\":0}");
        }
    }

    @Test
    void memoryOfAnotherClientIsRefused() throws IOException {
        try (PythonClient client = new PythonClient(8192, "all");
                PythonClient other = new PythonClient(8192, "all")) {
            refused(other.path(), client.nonce())
                    .hasMessageContaining("begins with other bytes than the client's nonce");
        }
    }

    @Test
    void memoryThatTheClientHasClosedIsRefused() throws IOException {
        try (PythonClient client = new PythonClient(8192, "all")) {
            client.closeMemory();
            refused(client.path(), client.nonce())
                    .hasMessage("the client's memory " + client.path()
                            + " does not exist: the client has ended, or runs in another container (pid namespace)");
        }
    }

    @Test
    void memoryOfAClientThatHasEndedIsRefused() throws IOException {
        PythonClient client = new PythonClient(8192, "all");
        client.close();
        refused(client.path(), client.nonce()).hasMessageContaining("does not exist");
    }

    @Test
    void otherFilesThanMemoryAreRefused() throws IOException {
        try (PythonClient client = new PythonClient(8192, "all")) {
            refused("/proc/" + client.pid() + "/fd/0", client.nonce())
                    .hasMessageMatching("the client's memory /proc/[0-9]+/fd/0 is pipe:.*: expected a memfd");
            refused("/etc/passwd", client.nonce())
                    .hasMessage("the path of the client's memory is /etc/passwd: expected /proc/<process>/fd/<number>");
            refused(client.path(), "12")
                    .hasMessage(
                            "the nonce of the client's memory is '12': expected 32 hexadecimal digits in lower case");
        }
    }

    private static AbstractThrowableAssert<?, ?> refused(String path, String nonce) throws IOException {
        AbstractThrowableAssert<?, ?> refused = assertThatThrownBy(() -> ClientMemory.open(path, 2, 4096, nonce))
                .isInstanceOf(MemoryRefusedException.class);
        assertThat(Mappings.of(MEMFD)).isZero();
        return refused;
    }
}
