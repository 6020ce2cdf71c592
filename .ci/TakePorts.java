import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Takes ports of this machine until it is killed, as other programs of a developer may. */
final class TakePorts {
    private TakePorts() {}

    public static void main(String[] ports) throws InterruptedException {
        List<ServerSocket> taken = new ArrayList<>();
        for (String port : ports) {
            try {
                taken.add(new ServerSocket(Integer.parseInt(port)));
            } catch (IOException e) {
                System.err.println("port " + port + " is taken already: " + e.getMessage());
            }
        }
        while (!taken.isEmpty()) {
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
