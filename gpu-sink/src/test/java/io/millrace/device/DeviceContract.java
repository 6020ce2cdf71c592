package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A contract for every device, however late it does its work. */
abstract class DeviceContract {
    private static final int BYTES = 10_000;
    private static final long CLOCKS_APART_NANOS = 50_000_000;

    private Device device;

    /** Opens a device as a run does. */
    abstract Device open();

    /** Fails when something is left open of the devices that were opened. */
    abstract void assertNothingLeft();

    @BeforeEach
    void openDevice() {
        device = open();
    }

    @AfterEach
    void closeDevice() {
        device.close();
        device.close();
        assertNothingLeft();
    }

    @Test
    void bytesAreReadBackUnchanged() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                AlignedMemory target = device.pageLocked(BYTES, "a target");
                DeviceMemory memory = device.memory(BYTES, "memory");
                DeviceStream stream = device.stream()) {
            byte[] random = fill(source, 1);
            stream.copyIn(source.address(), memory, 0, BYTES);
            stream.copyOut(memory, 0, target.address(), BYTES);
            stream.synchronize();
            assertThat(bytes(target, 0, BYTES)).isEqualTo(random);
        }
    }

    @Test
    void partsAreCopiedToTheirOffsets() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory memory = device.memory(BYTES, "memory");
                AlignedMemory target = AlignedMemory.allocate(BYTES, "pageable memory")) {
            byte[] random = fill(source, 2);
            int half = BYTES / 2;
            device.copies().copyIn(source.address() + half, memory, 0, half);
            device.copies().copyIn(source.address(), memory, half, half);
            device.copies().copyIn(source.address(), memory, BYTES, 0);
            device.copies().synchronize();
            memory.read(0, target.address(), BYTES);
            assertThat(bytes(target, 0, half)).isEqualTo(part(random, half, half));
            assertThat(bytes(target, half, half)).isEqualTo(part(random, 0, half));
            memory.read(half, target.address(), 10);
            assertThat(bytes(target, 0, 10)).isEqualTo(part(random, 0, 10));
        }
    }

    @Test
    void workOfOneStreamIsDoneInOrder() {
        int copies = 50;
        try (AlignedMemory source = device.pageLocked(copies * 8L, "a source");
                DeviceMemory memory = device.memory(8, "memory");
                AlignedMemory target = device.pageLocked(copies * 8L, "a target")) {
            for (int i = 0; i < copies; i++) {
                source.buffer().putLong(i * 8, 1000 + i);
                device.copies().copyIn(source.address() + i * 8L, memory, 0, 8);
                device.copies().copyOut(memory, 0, target.address() + i * 8L, 8);
            }
            device.copies().synchronize();
            for (int i = 0; i < copies; i++) {
                assertThat(target.buffer().getLong(i * 8)).isEqualTo(1000 + i);
            }
        }
    }

    /** Two streams copy the same memory in both directions; only their events keep them apart. */
    @Test
    void streamsWaitForEventsOfOtherStreams() {
        int rounds = 50;
        try (AlignedMemory source = device.pageLocked(rounds * 8L, "a source");
                AlignedMemory target = device.pageLocked(rounds * 8L, "a target");
                DeviceMemory memory = device.memory(8, "memory");
                DeviceStream in = device.stream();
                DeviceStream out = device.stream();
                DeviceEvent filled = device.event();
                DeviceEvent emptied = device.event()) {
            for (int i = 0; i < rounds; i++) {
                source.buffer().putLong(i * 8, 7000 + i);
                in.await(emptied);
                in.copyIn(source.address() + i * 8L, memory, 0, 8);
                in.record(filled);
                out.await(filled);
                out.copyOut(memory, 0, target.address() + i * 8L, 8);
                out.record(emptied);
            }
            out.synchronize();
            for (int i = 0; i < rounds; i++) {
                assertThat(target.buffer().getLong(i * 8)).isEqualTo(7000 + i);
            }
        }
    }

    @Test
    void engineStreamWaitsForCopies() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                AlignedMemory target = device.pageLocked(BYTES, "a target");
                DeviceMemory memory = device.memory(BYTES, "memory");
                DeviceEvent copied = device.event()) {
            byte[] random = fill(source, 3);
            device.copies().copyIn(source.address(), memory, 0, BYTES);
            device.copies().record(copied);
            device.engine().await(copied);
            device.engine().copyOut(memory, 0, target.address(), BYTES);
            device.engine().synchronize();
            assertThat(bytes(target, 0, BYTES)).isEqualTo(random);
        }
    }

    @Test
    void eventPassesWithTheWorkBeforeIt() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                AlignedMemory target = device.pageLocked(BYTES, "a target");
                DeviceMemory memory = device.memory(BYTES, "memory");
                DeviceEvent event = device.event()) {
            assertThat(event.isDone()).as("never recorded").isTrue();
            event.synchronize();
            for (int round = 0; round < 10; round++) {
                byte[] random = fill(source, round);
                device.copies().copyIn(source.address(), memory, 0, BYTES);
                device.copies().copyOut(memory, 0, target.address(), BYTES);
                device.copies().record(event);
                event.synchronize();
                assertThat(event.isDone()).isTrue();
                assertThat(bytes(target, 0, BYTES)).isEqualTo(random);
            }
        }
    }

    @Test
    void timedEventsRecordWhenTheyPassed() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory memory = device.memory(BYTES, "memory");
                DeviceEvent before = device.timedEvent();
                DeviceEvent after = device.timedEvent();
                DeviceEvent untimed = device.event()) {
            assertThatThrownBy(before::passedNanos).isInstanceOf(IllegalStateException.class);
            for (int round = 0; round < 3; round++) {
                long began = System.nanoTime();
                device.copies().record(before);
                device.copies().copyIn(source.address(), memory, 0, BYTES);
                device.copies().record(after);
                device.copies().record(untimed);
                device.copies().synchronize();
                long ended = System.nanoTime();
                long span = after.passedNanos() - before.passedNanos();
                assertThat(span).isBetween(0L, ended - began);
                // The host knows the device's clock only as exactly as it can read it.
                assertThat(before.passedNanos()).isGreaterThan(began - CLOCKS_APART_NANOS);
                assertThat(after.passedNanos()).isLessThan(ended + CLOCKS_APART_NANOS);
            }
            assertThatThrownBy(untimed::passedNanos)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no times");
        }
    }

    @Test
    void bytesAreCopiedWithinTheDevice() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory memory = device.memory(BYTES, "memory")) {
            byte[] random = fill(source, 4);
            device.copies().copyIn(source.address(), memory, 0, BYTES);
            device.copies().copyWithin(memory, 600, 100, 500);
            device.copies().synchronize();
            memory.read(0, source.address(), BYTES);
            assertThat(bytes(source, 0, 100)).isEqualTo(part(random, 0, 100));
            assertThat(bytes(source, 100, 500)).isEqualTo(part(random, 600, 500));
            assertThat(bytes(source, 600, 500)).isEqualTo(part(random, 600, 500));
            assertThatThrownBy(() -> device.copies().copyWithin(memory, 100, 120, 21))
                    .hasMessageContaining("overlap");
        }
    }

    @Test
    void partsOutsideOfMemoryAreRefused() {
        try (AlignedMemory host = device.pageLocked(64, "host memory");
                DeviceMemory memory = device.memory(64, "memory")) {
            assertThatThrownBy(() -> device.copies().copyIn(host.address(), memory, 1, 64))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("bytes 1 to 65 of 64");
            assertThatThrownBy(() -> device.copies().copyOut(memory, -1, host.address(), 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.read(0, host.address(), 65)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void memoryIsAlignedAndPageLockedMemoryZero() {
        try (AlignedMemory host = device.pageLocked(1001, "host memory");
                DeviceMemory memory = device.memory(1001, "memory")) {
            assertThat(host.address() % AlignedMemory.ALIGNMENT).isZero();
            assertThat(memory.address() % AlignedMemory.ALIGNMENT).isZero();
            assertThat(bytes(host, 0, 1001)).containsOnly(0);
            assertThat(memory.bytes()).isEqualTo(1001);
        }
    }

    @Test
    void closedMemoryHasNoAddress() {
        DeviceMemory memory = device.memory(64, "memory");
        memory.close();
        memory.close();
        assertThatThrownBy(memory::address)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closingAStreamWaitsForItsWork() {
        try (AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory memory = device.memory(BYTES, "memory")) {
            byte[] random = fill(source, 5);
            DeviceStream stream = device.stream();
            for (int i = 0; i < 20; i++) {
                stream.copyIn(source.address(), memory, 0, BYTES);
            }
            stream.close();
            stream.close();
            memory.read(0, source.address(), BYTES);
            assertThat(bytes(source, 0, BYTES)).isEqualTo(random);
        }
    }

    @Test
    void severalDevicesWorkAtTheSameTime() {
        try (Device other = open();
                AlignedMemory source = device.pageLocked(BYTES, "a source");
                DeviceMemory here = device.memory(BYTES, "memory");
                DeviceMemory there = other.memory(BYTES, "memory")) {
            byte[] random = fill(source, 6);
            device.copies().copyIn(source.address(), here, 0, BYTES);
            other.copies().copyIn(source.address(), there, 0, BYTES);
            device.copies().synchronize();
            other.copies().synchronize();
            there.read(0, source.address(), BYTES);
            assertThat(bytes(source, 0, BYTES)).isEqualTo(random);
        }
    }

    private static byte[] fill(AlignedMemory memory, long seed) {
        byte[] random = new byte[memory.bytes()];
        new Random(seed).nextBytes(random);
        memory.buffer().put(0, random);
        return random;
    }

    private static byte[] bytes(AlignedMemory memory, int from, int count) {
        byte[] found = new byte[count];
        ByteBuffer buffer = MemoryUtil.directBuffer(memory.address() + from, count);
        buffer.get(found);
        return found;
    }

    private static byte[] part(byte[] all, int from, int count) {
        return Arrays.copyOfRange(all, from, from + count);
    }
}
