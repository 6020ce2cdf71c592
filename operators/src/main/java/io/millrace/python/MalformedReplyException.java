package io.millrace.python;

/** The exception for a reply that does not follow the protocol. The message states the place, and the expected and found content. */
final class MalformedReplyException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedReplyException(String message) {
        super(message);
    }
}
