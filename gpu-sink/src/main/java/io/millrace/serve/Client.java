package io.millrace.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.millrace.lifecycle.Uninterrupted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connected client that belongs to the run. Its own thread reads its messages and passes them to a listener. Any
 * thread may send.
 *
 * <p>Tested by {@code ClientBuffersTest} and {@code ServeEndpointTest}.
 */
public final class Client implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Client.class);
    private static final int MOST_NAME = 200;

    /** The time in which a refused client must have read the reason. */
    private static final int LINGER_SECONDS = 2;

    private final Link link;
    private final Join join;
    private final String name;

    /** The messages that a thread of its own sends, from the first message with a large payload on. */
    private final BlockingQueue<Sending> large = new LinkedBlockingQueue<>();

    private @Nullable Thread sender;

    /**
     * The memory of a message that is sent at once; guarded by this object. New memory for each would cost as much as
     * sending.
     */
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(Message.BYTES);

    /** Volatile: any thread may close the client. */
    private volatile boolean closed;

    /** The sending of one message. */
    private interface Sending {
        void send() throws IOException;
    }

    /** The receiver of a client's messages; the client's thread calls it. */
    public interface Listener {
        /** Offers the client the memory in which it wants its batches. */
        void memory(MemoryWish wish) throws IOException;

        /** Begins with the step from which on the client wants batches. */
        void seek(Seek seek) throws IOException;

        /** Takes back a buffer that the client has returned. */
        void returned(long buffer) throws IOException;

        /** Counts a step that the client's loop has done, whose batch it received in a generation. */
        void stepped(int generation, long step, long waitNanos, long busyNanos) throws IOException;

        /** Ends the delivery to a client that needs no more batches. */
        void done() throws IOException;

        /** Forgets the client, whose connection has ended. This is the last call. The reason is null after a BYE. */
        void gone(@Nullable String reason);
    }

    Client(Link link, Join join) {
        this.link = link;
        this.join = join;
        String given = join.client() == null ? "a client" : join.client();
        String printable = given.replaceAll("\\p{Cntrl}", "?");
        this.name = printable.substring(0, Math.min(printable.length(), MOST_NAME)) + " at " + link.describe();
    }

    /** Returns what the client has asked for. */
    public Join join() {
        return join;
    }

    /** Returns the name and address of the client for messages. */
    public String describe() {
        return name;
    }

    /** Reads messages until the connection ends, and returns whether the client has sent BYE. */
    boolean run(Listener listener) {
        String reason = "an error of the server";
        try {
            ByteBuffer buffer = ByteBuffer.allocate(Message.BYTES);
            for (Message message = next(buffer); message.type() != MessageType.BYE; message = next(buffer)) {
                handle(message, listener);
            }
            listener.done();
            reason = null;
            return true;
        } catch (Refusal e) {
            reason = e.getMessage();
            refuse(e);
            drain(link);
        } catch (ProtocolException e) {
            reason = e.getMessage();
            refuse(new Refusal(Refusal.Code.PROTOCOL, e.getMessage()));
            drain(link);
        } catch (IOException e) {
            reason = closed || e.getMessage() == null ? "the server has closed the connection" : e.getMessage();
        } catch (OutOfMemoryError e) {
            LOG.error("no memory is left for {}", name, e);
            refuse(new Refusal(
                    Refusal.Code.MEMORY, "the server has no memory left for this client: " + e.getMessage()));
            drain(link);
        } finally {
            close();
            listener.gone(reason);
        }
        return false;
    }

    private Message next(ByteBuffer buffer) throws IOException {
        buffer.clear();
        link.readFully(buffer);
        return Message.read(buffer.flip());
    }

    private void handle(Message message, Listener listener) throws IOException {
        switch (message.type()) {
            case MEMORY -> listener.memory(MessageEncoding.read(link, message, MemoryWish.class));
            case SEEK -> listener.seek(Seek.of(message));
            case RETURN -> listener.returned(message.a());
            case STEP -> listener.stepped(message.generation(), message.number(), message.a(), message.b());
            default -> throw new ProtocolException("a client sent the message " + message.type() + " after JOIN");
        }
    }

    /** Sends a message with a JSON payload, after all messages that were sent before. */
    public void send(MessageType type, Object payload) {
        try {
            send(MessageEncoding.of(type, payload));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the payload of " + type + " is plain: " + payload, e);
        }
    }

    /** Sends a message without payload, after all messages that were sent before. */
    public synchronized void send(Message message) {
        if (sender == null) {
            message.write(outgoing.clear());
            write(outgoing.flip());
        } else {
            send(MessageEncoding.of(message));
        }
    }

    private synchronized void send(ByteBuffer message) {
        if (sender == null) {
            write(message);
        } else {
            large.add(() -> link.write(message));
        }
    }

    private void write(ByteBuffer message) {
        try {
            link.write(message);
        } catch (IOException e) {
            lost(e);
        }
    }

    /**
     * Sends a batch inline on another thread, after all messages that were sent before. The content must stay valid until the
     * client has returned the batch, or until this client is closed.
     */
    public synchronized void sendLarge(Message message, BufferContent content) {
        large.add(() -> {
            link.write(MessageEncoding.of(message));
            content.sendTo(link);
        });
        if (sender == null && !closed) {
            sender = new Thread(this::sendQueued, "serve-send-" + join.rank());
            sender.setDaemon(true);
            sender.start();
        }
    }

    private void sendQueued() {
        try {
            while (!closed) {
                large.take().send();
            }
        } catch (IOException e) {
            lost(e);
        } catch (RuntimeException | OutOfMemoryError e) { // the client would wait for ever
            LOG.error("a batch cannot be sent to {}", name, e);
            close();
        } catch (InterruptedException e) {
            LOG.debug("the sender of {} ends", name);
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the connection after a failure to send. The thread that reads then reports the end. */
    private void lost(IOException e) {
        if (!closed) {
            LOG.debug("cannot send to {}", name, e);
            close();
        }
    }

    /**
     * Sends the reason for a refusal. The connection ends when the client has read it, or after some time. A client that is
     * sent batches inline gets the reason after the batch that is being sent, if it reads that batch within this time.
     */
    public void refuse(Refusal reason) {
        Thread sending;
        synchronized (this) {
            sending = sender;
            if (sending == null) {
                var unused = refuse(link, reason);
                return;
            }
            large.clear();
            large.add(() -> {
                var unused = refuse(link, reason);
                throw new ClosedChannelException(); // ends the sender
            });
        }
        Uninterrupted.await(() -> sending.join(TimeUnit.SECONDS.toMillis(LINGER_SECONDS)));
        close();
    }

    /** Sends the reason for a refusal to a client, and waits until it has read the reason or some time is over. */
    static void dismiss(Link link, Refusal reason) {
        CompletableFuture<?> closing = refuse(link, reason);
        drain(link);
        closing.complete(null); // otherwise the connections of many strangers would be kept for that time
    }

    /**
     * Sends the reason for a refusal to a client that may be gone, and ends the output.
     *
     * @return the closing of the connection after some time, which ends when it is completed
     */
    private static CompletableFuture<?> refuse(Link link, Refusal reason) {
        CompletableFuture<?> closing = new CompletableFuture<>().orTimeout(LINGER_SECONDS, TimeUnit.SECONDS);
        var unused = closing.exceptionally(timeout -> {
            close(link);
            return null;
        });
        try {
            send(
                    link,
                    MessageType.ERROR,
                    Map.of("code", reason.codeText(), "message", String.valueOf(reason.getMessage())));
            link.endOutput();
        } catch (IOException e) {
            LOG.debug("the refused client {} has gone", link.describe(), e);
        }
        return closing;
    }

    /**
     * Reads and ignores what a refused client still sends, until it closes the connection. If the server closed it with
     * unread bytes, the operating system would drop the reason that is under way to the client.
     */
    private static void drain(Link link) {
        ByteBuffer ignored = ByteBuffer.allocate(Message.BYTES);
        try {
            while (true) {
                link.readFully(ignored.clear());
            }
        } catch (IOException e) {
            LOG.debug("the refused client {} has gone", link.describe(), e);
        }
    }

    private static void close(Link link) {
        try {
            link.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void send(Link link, MessageType type, Object payload) throws IOException {
        link.write(MessageEncoding.of(type, payload));
    }

    /**
     * Returns whether another client may take this one's place: the connection has ended, or the other client is a new
     * connection of the same loader, or the machine of this client does not answer. The connection is closed then.
     */
    public boolean yieldsTo(Client other) throws IOException {
        TcpPeer peer = link.peer();
        boolean yields = closed
                || (join.loader() != null && join.loader().equals(other.join.loader()))
                || (peer != null && peer.awaitVanishing());
        if (yields && !closed) {
            LOG.info("{} takes the place of {}", other.name, name);
            close();
        }
        return yields;
    }

    /** Closes the connection, and waits until no thread of this object reads memory of a buffer any more. */
    @Override
    public void close() {
        closed = true;
        close(link);
        Thread ending;
        synchronized (this) {
            ending = sender;
        }
        if (ending != null && ending != Thread.currentThread()) {
            ending.interrupt();
            Uninterrupted.await(ending::join);
        }
    }
}
