package io.millrace.served;

import java.util.Map;

/**
 * The program of a client that receives batches inline until its machine vanishes. Its arguments are the address, the token and the
 * number of batches that it receives before it stops. It prints a line when it has received the first batch.
 */
public final class VanishingClient {
    private VanishingClient() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> join = Map.of(
                "rank", 0, "world", 1, "client", "the vanished one", "loader", "vanished", "token", arguments[1]);
        try (ServedClient client =
                ServedClient.connect(arguments[0], 3, join).open("inline").seek(0)) {
            for (int batches = Integer.parseInt(arguments[2]); batches > 0; batches--) {
                client.take();
                System.out.println("received");
            }
            System.in.read(); // until the test ends this process
        }
    }
}
