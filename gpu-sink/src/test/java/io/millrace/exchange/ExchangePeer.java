package io.millrace.exchange;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * A rank that is a separate process. It prints its port, reads the token and all ports from a line of standard input,
 * averages several times, and prints the checksum of its floats and the milliseconds of one average.
 */
final class ExchangePeer {
    private ExchangePeer() {}

    /** Runs the rank. The arguments are the transport, the rank, the number of floats and the number of averages. */
    public static void main(String[] arguments) throws Exception {
        Joined.TransportKind way = Joined.TransportKind.valueOf(arguments[0]);
        int rank = Integer.parseInt(arguments[1]);
        ByteBuffer block = values(rank, Integer.parseInt(arguments[2]));
        try (Listener listener = Listener.open(InetAddress.getLoopbackAddress())) {
            System.out.println("port " + listener.port());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            List<String> line = List.of(Objects.requireNonNull(in.readLine()).split(" ", -1));
            List<RankAddress> addresses = new ArrayList<>();
            for (String port : line.subList(1, line.size())) {
                addresses.add(way.address(addresses.size(), Integer.parseInt(port)));
            }
            try (Replicas replicas = Replicas.join(new RankAddresses(addresses, line.get(0)), rank, listener)) {
                List<Long> nanos = new ArrayList<>();
                for (int step = 0; step < Integer.parseInt(arguments[3]); step++) {
                    replicas.ready(step, 1);
                    long began = System.nanoTime();
                    replicas.average(List.of(block));
                    nanos.add(System.nanoTime() - began);
                    if (step == 0) {
                        System.out.println("begun");
                    }
                }
                System.out.println("checksum " + checksum(block));
                System.out.printf(
                        "median %.1f ms%n", nanos.stream().sorted().toList().get(nanos.size() / 2) / 1e6);
            }
        } catch (ExchangeException e) {
            System.out.println("failed " + e.getMessage());
        }
    }

    static ByteBuffer values(int rank, int floats) {
        ByteBuffer block = ByteBuffer.allocateDirect(floats * Float.BYTES).order(ByteOrder.nativeOrder());
        Random random = new Random(rank);
        for (int i = 0; i < floats; i++) {
            block.putFloat(i * Float.BYTES, (float) random.nextGaussian());
        }
        return block;
    }

    static long checksum(ByteBuffer block) {
        CRC32 crc = new CRC32();
        crc.update(block.duplicate());
        return crc.getValue();
    }
}
